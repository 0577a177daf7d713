//! Players that wait for an opponent at any node that uses the store, and their pairing.
//!
//! Each node sends the store a list of its waiting TCP clients, together with new quick matches. While
//! clients or quick matches wait, the node sends a list every second. The store pairs players who want the
//! same game, and creates the games. A TCP client belongs to its node, and the store keeps the client's match
//! until the node has seen the match. A quick match belongs to a registered player, and the store keeps the
//! quick match while any node reports that the player is connected. So a lost request or reply causes a
//! delay, but never loses a match.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt;
use std::str::FromStr;

use noughts_rules::{ClockSettings, Seat, Variant};

use crate::id::{GameId, InvalidId, NodeId, PlayerId};
use crate::table::{Holder, NewGame, Settings, Summary, Table};

/// The id of a waiting player: random and never reused. A TCP client that waits again gets a new id. For a registered
/// player, this is the id of the quick match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WaitingId(pub u128);

impl fmt::Debug for WaitingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WaitingId({:032x})", self.0)
    }
}

impl fmt::Display for WaitingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        GameId::new(self.0).fmt(f)
    }
}

impl FromStr for WaitingId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<WaitingId, InvalidId> {
        let id: Result<GameId, _> = text.parse();
        id.map(|id| WaitingId(id.number()))
            .map_err(|_| InvalidId::Waiting)
    }
}

/// A player that waits for an opponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitingPlayer {
    /// Identifies the player while the player waits.
    pub id: WaitingId,
    /// What the player wants to play: a variant for two sides.
    pub variant: Variant,
    /// The clock that the player wants.
    pub clock: Option<ClockSettings>,
    /// The holder of the seat that the player will get.
    pub holder: Holder,
    /// When the wait began, in milliseconds since 1970.
    pub since_ms: u64,
}

impl WaitingPlayer {
    fn wants_the_same(&self, other: &WaitingPlayer) -> bool {
        self.variant == other.variant && self.clock == other.clock
    }

    /// Whether the two players want the same game, and are not the same registered player.
    fn fits(&self, other: &WaitingPlayer) -> bool {
        let is_same = |player: PlayerId| other.holder.player_id() == Some(player);
        self.wants_the_same(other) && !self.holder.player_id().is_some_and(is_same)
    }
}

/// What a node tells the store about the players that wait at this node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WaitingList {
    /// The version of the list. Each list of a node has a greater version than the node's earlier lists. So the store
    /// can ignore a list that arrives after a newer list.
    pub version: u64,
    /// The waiting TCP clients that may be paired. The store no longer pairs a client that is missing here.
    pub players: Vec<WaitingPlayer>,
    /// Matches of TCP clients that the node has seen. The store removes these matches.
    pub seen: Vec<WaitingId>,
    /// New quick matches. Their holders are registered players.
    pub requests: Vec<WaitingPlayer>,
    /// Quick matches to cancel, each with its id and its player.
    pub cancelled: Vec<(WaitingId, PlayerId)>,
    /// Quick matches whose player has taken an open lobby seat.
    pub seated: Vec<(PlayerId, Match)>,
    /// Players connected to this node. The store keeps their quick matches.
    pub connected: Vec<PlayerId>,
}

/// A player that was paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    /// The id of the waiting player.
    pub player: WaitingId,
    /// A game that was created for the pair, or a game in which the player took an open lobby seat.
    pub game: GameId,
    /// The player's seat.
    pub seat: Seat,
}

/// The result of a request for a quick match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchRequest {
    /// The quick match waits, or was paired immediately.
    Accepted(WaitingId),
    /// The player already waits for the same game, under this id.
    Waits(WaitingId),
    /// The player already has [`MAX_QUICK_MATCHES`] quick matches.
    TooMany,
}

/// The state of a quick match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuickMatch {
    /// The player that the quick match belongs to.
    pub player: PlayerId,
    /// The game and the player's seat; `None` while the player waits.
    pub matched: Option<(GameId, Seat)>,
}

/// The store's reply to a list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Matches {
    /// The matches of the node's TCP clients that the node has not seen yet. They include matches of clients that are
    /// no longer in the node's list.
    pub unseen: Vec<Match>,
    /// The games that the store created when it received the list.
    pub created: Vec<GameId>,
    /// The result of each request of the list, in the same order.
    pub requests: Vec<MatchRequest>,
    /// Those quick matches in [`WaitingList::cancelled`] that were waiting until now.
    pub cancelled: Vec<WaitingId>,
    /// The quick matches of all nodes that have a game now. The list has a quick match if the store paired it
    /// for this reply, or if its player has taken an open seat. A quick match that was paired earlier is in
    /// the list if the node has repeated the request for it.
    pub quick: Vec<(PlayerId, Match)>,
    /// The quick matches that still wait, of all nodes.
    pub waiting: Vec<WaitingPlayer>,
}

/// The number of waiting quick matches with the same variant and clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitingCount {
    /// The variant that the players want.
    pub variant: Variant,
    /// The clock that the players want.
    pub clock: Option<ClockSettings>,
    /// The number of quick matches.
    pub players: u64,
}

/// Maximum number of paired quick matches that SQLite and the store in memory remember.
const MAX_PAIRED: usize = 10_000;

/// Maximum number of waiting quick matches per player.
pub const MAX_QUICK_MATCHES: usize = 5;

/// A node sends its list every second. If no list has arrived for this time, in milliseconds, the store does
/// not pair the node's clients, because the node may be dead.
const FRESH_MS: u64 = 3_000;

/// The store removes a quick match if its player is connected to no node for this time, in milliseconds.
pub const QUICK_MATCH_LASTS_MS: u64 = 20_000;

/// How long the store remembers the result of a quick match after the pairing, in milliseconds.
pub(super) const QUICK_MATCH_KEPT_MS: u64 = 600_000;

/// The row of a TCP client is removed if no list has contained the client for this time, in milliseconds. By
/// then, the other nodes have declared the client's node dead, and the clients of the dead node have left
/// their games.
const OLD_MS: u64 = 3_600_000;

/// A waiting player as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct WaitingRow {
    /// The node of a TCP client; `None` for a quick match.
    pub(super) node: Option<NodeId>,
    pub(super) player: WaitingPlayer,
    /// When a node last reported that the TCP client waits, or that the player of the quick match is connected.
    pub(super) listed_ms: u64,
    /// The match of a TCP client, until the client's node has seen the match.
    pub(super) matched: Option<(GameId, Seat)>,
}

impl WaitingRow {
    /// The player, if this is a quick match.
    fn quick_player(&self) -> Option<PlayerId> {
        match self.node {
            None => self.player.holder.player_id(),
            Some(_) => None,
        }
    }

    fn is_fresh(&self, now_ms: u64) -> bool {
        let lasts_ms = match self.node {
            Some(_) => FRESH_MS,
            None => QUICK_MATCH_LASTS_MS,
        };
        now_ms <= self.listed_ms.saturating_add(lasts_ms)
    }
}

/// The waiting players of all nodes. There are few rows, because two players who want the same game are
/// paired immediately.
pub(super) type WaitingRows = BTreeMap<WaitingId, WaitingRow>;

/// Quick matches that are already paired. They are kept because a node repeats its request for a quick match
/// if the store's reply was lost.
pub(super) type PairedMatches = HashMap<WaitingId, QuickMatch>;

/// Applies a node's list to `rows`, and then pairs players who want the same game. The players who have waited longest
/// are paired first. Returns the reply, and the games to create. `paired` must contain all requests of the list that
/// were already paired.
pub(super) fn update(
    rows: &mut WaitingRows,
    node: NodeId,
    list: &WaitingList,
    paired: &PairedMatches,
    now_ms: u64,
) -> (Matches, Vec<(NewGame, Summary)>) {
    for id in &list.seen {
        rows.remove(id);
    }
    let listed: HashSet<WaitingId> = list.players.iter().map(|player| player.id).collect();
    rows.retain(|id, row| match row.node {
        Some(at) => {
            let has_left = at == node && row.matched.is_none() && !listed.contains(id);
            !has_left && now_ms < row.listed_ms.saturating_add(OLD_MS)
        }
        None => true,
    });
    let cancelled = cancel(rows, &list.cancelled);
    let clients = list.players.iter().map(|player| (Some(node), player));
    for (node, player) in clients {
        let row = rows.entry(player.id).or_insert_with(|| WaitingRow {
            node,
            player: player.clone(),
            listed_ms: now_ms,
            matched: None,
        });
        row.listed_ms = row.listed_ms.max(now_ms);
    }
    let (new, again): (Vec<&WaitingPlayer>, Vec<&WaitingPlayer>) = {
        let requests = list.requests.iter();
        requests.partition(|request| !paired.contains_key(&request.id))
    };
    let mut outcomes: HashMap<WaitingId, MatchRequest> = HashMap::new();
    for request in new {
        let outcome = add_quick_match(rows, request, now_ms);
        outcomes.insert(request.id, outcome);
    }
    let requests = list.requests.iter().map(|request| {
        let outcome = outcomes.get(&request.id).copied();
        outcome.unwrap_or(MatchRequest::Accepted(request.id))
    });
    let requests = requests.collect();
    let connected: HashSet<PlayerId> = list.connected.iter().copied().collect();
    for row in rows.values_mut() {
        if row
            .quick_player()
            .is_some_and(|player| connected.contains(&player))
        {
            row.listed_ms = row.listed_ms.max(now_ms);
        }
    }
    rows.retain(|_, row| row.node.is_some() || row.is_fresh(now_ms));
    let games = pair(rows, now_ms);
    let unseen = rows.iter().filter(|(_, row)| row.node == Some(node));
    let unseen = unseen.filter_map(|(id, row)| {
        let (game, seat) = row.matched?;
        let player = *id;
        Some(Match { player, game, seat })
    });
    let mut matches = Matches {
        unseen: unseen.collect(),
        created: games.iter().map(|(new, _)| new.settings.id).collect(),
        requests,
        cancelled,
        ..Matches::default()
    };
    matches.quick.extend(list.seated.iter().copied());
    for request in again {
        if let Some(QuickMatch {
            player,
            matched: Some((game, seat)),
        }) = paired.get(&request.id).copied()
        {
            let new_match = Match {
                player: request.id,
                game,
                seat,
            };
            matches.quick.push((player, new_match));
        }
    }
    rows.retain(|id, row| match (row.quick_player(), row.matched) {
        (Some(player), Some((game, seat))) => {
            let new_match = Match {
                player: *id,
                game,
                seat,
            };
            matches.quick.push((player, new_match));
            false
        }
        (Some(_), None) => {
            matches.waiting.push(row.player.clone());
            true
        }
        (None, _) => true,
    });
    (matches, games)
}

/// Removes the waiting quick matches in `cancelled`, if they belong to the given players. Returns the ids of
/// the removed quick matches.
fn cancel(rows: &mut WaitingRows, cancelled: &[(WaitingId, PlayerId)]) -> Vec<WaitingId> {
    let mut gone = Vec::new();
    for (id, player) in cancelled {
        if rows.get(id).and_then(WaitingRow::quick_player) == Some(*player) {
            rows.remove(id);
            gone.push(*id);
        }
    }
    gone
}

fn add_quick_match(rows: &mut WaitingRows, request: &WaitingPlayer, now_ms: u64) -> MatchRequest {
    let Some(player) = request.holder.player_id() else {
        return MatchRequest::TooMany;
    };
    let own = rows
        .values()
        .filter(|row| row.quick_player() == Some(player));
    let own: Vec<&WaitingPlayer> = own.map(|row| &row.player).collect();
    // The node has repeated a request, because the store's reply was lost.
    if own.iter().any(|one| one.id == request.id) {
        return MatchRequest::Accepted(request.id);
    }
    if let Some(same) = own.iter().find(|one| one.wants_the_same(request)) {
        return MatchRequest::Waits(same.id);
    }
    if own.len() >= MAX_QUICK_MATCHES {
        return MatchRequest::TooMany;
    }
    let row = WaitingRow {
        node: None,
        player: request.clone(),
        listed_ms: now_ms,
        matched: None,
    };
    rows.insert(request.id, row);
    MatchRequest::Accepted(request.id)
}

fn pair(rows: &mut WaitingRows, now_ms: u64) -> Vec<(NewGame, Summary)> {
    let is_free = |row: &&WaitingRow| row.matched.is_none() && row.is_fresh(now_ms);
    let mut free: Vec<WaitingPlayer> = rows
        .values()
        .filter(is_free)
        .map(|row| row.player.clone())
        .collect();
    free.sort_by_key(|player| (player.since_ms, player.id));
    let mut alone: Vec<WaitingPlayer> = Vec::new();
    let mut games = Vec::new();
    for player in free {
        let Some(at) = alone.iter().position(|other| other.fits(&player)) else {
            alone.push(player);
            continue;
        };
        let mut both = [alone.remove(at), player];
        // Ids are random, so each player moves first equally often.
        both.sort_by_key(|player| player.id);
        let game = GameId::new(both[0].id.0 ^ both[1].id.0);
        let settings = Settings {
            id: game,
            variant: both[0].variant,
            history: 0,
            start: None,
            clock: both[0].clock,
            holders: both.iter().map(|player| player.holder.clone()).collect(),
            is_listed: true,
            created_ms: now_ms,
        };
        let Ok(table) = Table::new(settings.clone()) else {
            // The variant is not for two sides, so these players wait until they leave.
            continue;
        };
        for (seat, player) in (0..).map(Seat).zip(&both) {
            if let Some(row) = rows.get_mut(&player.id) {
                row.matched = Some((game, seat));
            }
        }
        let key = None;
        games.push((NewGame { settings, key }, table.summary()));
    }
    games
}

/// The waiting players of a store that only one process uses: SQLite or the store in memory.
#[derive(Debug, Default)]
pub(super) struct WaitingPlayers {
    rows: WaitingRows,
    /// The version of the latest list of each node.
    versions: HashMap<NodeId, u64>,
    /// Quick matches that were paired.
    paired: PairedMatches,
    /// When each quick match in `paired` was paired, oldest first.
    paired_at: VecDeque<(u64, WaitingId)>,
}

/// The changes that a list causes, before the changes are carried out.
pub(super) struct Plan {
    rows: WaitingRows,
    pub(super) games: Vec<(NewGame, Summary)>,
    matches: Matches,
}

impl WaitingPlayers {
    /// Computes what a node's list changes; see [`update`]. Nothing changes until the plan is
    /// [carried out](WaitingPlayers::carry_out). Returns `None` if this list or a newer list of the node was already
    /// carried out.
    pub(super) fn plan(&self, node: NodeId, list: &WaitingList, now_ms: u64) -> Option<Plan> {
        let latest = self.versions.get(&node).copied();
        if list.version <= latest.unwrap_or(0) {
            return None;
        }
        let mut rows = self.rows.clone();
        let (matches, games) = update(&mut rows, node, list, &self.paired, now_ms);
        Some(Plan {
            rows,
            games,
            matches,
        })
    }

    /// Carries out a plan. The caller has already stored the games of the plan.
    pub(super) fn carry_out(
        &mut self,
        plan: Plan,
        node: NodeId,
        version: u64,
        now_ms: u64,
    ) -> Matches {
        self.versions.insert(node, version);
        self.rows = plan.rows;
        let is_old =
            |(at_ms, _): &(u64, WaitingId)| now_ms > at_ms.saturating_add(QUICK_MATCH_KEPT_MS);
        while self.paired_at.front().is_some_and(is_old) || self.paired_at.len() >= MAX_PAIRED {
            if let Some((_, id)) = self.paired_at.pop_front() {
                self.paired.remove(&id);
            }
        }
        for (player, new_match) in &plan.matches.quick {
            let matched = Some((new_match.game, new_match.seat));
            let player = *player;
            let quick_match = QuickMatch { player, matched };
            if self.paired.insert(new_match.player, quick_match).is_none() {
                self.paired_at.push_back((now_ms, new_match.player));
            }
        }
        plan.matches
    }

    pub(super) fn quick_match(&self, id: WaitingId) -> Option<QuickMatch> {
        if let Some(player) = self.rows.get(&id).and_then(WaitingRow::quick_player) {
            let matched = None;
            return Some(QuickMatch { player, matched });
        }
        self.paired.get(&id).copied()
    }

    /// The number of waiting quick matches, by variant and clock.
    pub(super) fn counts(&self) -> Vec<WaitingCount> {
        let mut counts: Vec<WaitingCount> = Vec::new();
        for row in self.rows.values().filter(|row| row.node.is_none()) {
            let (variant, clock) = (row.player.variant, row.player.clock);
            let is_same =
                |count: &&mut WaitingCount| count.variant == variant && count.clock == clock;
            match counts.iter_mut().find(is_same) {
                Some(count) => count.players += 1,
                None => counts.push(WaitingCount {
                    variant,
                    clock,
                    players: 1,
                }),
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: NodeId = NodeId(1);
    const THERE: NodeId = NodeId(2);

    #[test]
    fn ids_are_read_as_they_are_written() {
        let id = WaitingId(u128::MAX / 3);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!("0".parse::<WaitingId>(), Err(InvalidId::Waiting));
    }

    fn player(id: u128, since_ms: u64) -> WaitingPlayer {
        WaitingPlayer {
            id: WaitingId(id),
            variant: "3x3k3".parse().unwrap(),
            clock: None,
            holder: Holder::Human {
                name: format!("p{id}"),
                node: Some(HERE),
            },
            since_ms,
        }
    }

    fn list(players: &[WaitingPlayer]) -> WaitingList {
        WaitingList {
            players: players.to_vec(),
            ..WaitingList::default()
        }
    }

    /// Calls `super::update` without requests that were already paired.
    fn update(
        rows: &mut WaitingRows,
        node: NodeId,
        list: &WaitingList,
        now_ms: u64,
    ) -> (Matches, Vec<(NewGame, Summary)>) {
        super::update(rows, node, list, &PairedMatches::new(), now_ms)
    }

    fn players(matches: &Matches) -> Vec<u128> {
        matches.unseen.iter().map(|one| one.player.0).collect()
    }

    #[test]
    fn the_longest_wait_is_paired_first() {
        let mut rows = WaitingRows::new();
        let all = [player(5, 30), player(9, 10), player(7, 20)];
        let (matches, games) = update(&mut rows, HERE, &list(&all), 100);
        assert_eq!(players(&matches), [7, 9]);
        assert_eq!(matches.unseen[0].seat, Seat(0), "the smaller id");
        assert_eq!(games.len(), 1);
        assert_eq!(games[0].0.settings.holders[0], all[2].holder);
        assert_eq!(matches.created, [GameId::new(7 ^ 9)]);
    }

    #[test]
    fn a_match_is_kept_until_its_node_has_seen_it() {
        let mut rows = WaitingRows::new();
        let (first, second) = (player(1, 10), player(2, 20));
        update(&mut rows, HERE, &list(&[first]), 100);
        let (matches, _) = update(&mut rows, THERE, &list(&[second]), 100);
        assert_eq!(players(&matches), [2]);
        // The first player has left in the meantime, but its node must still receive the match.
        for _ in 0..2 {
            let (matches, games) = update(&mut rows, HERE, &list(&[]), 200);
            assert_eq!((players(&matches), games.len()), (vec![1], 0));
        }
        let seen = WaitingList {
            seen: vec![WaitingId(1)],
            ..WaitingList::default()
        };
        assert_eq!(players(&update(&mut rows, HERE, &seen, 300).0), []);
        assert_eq!(rows.len(), 1);
    }

    #[test]
    fn a_player_that_left_is_not_paired() {
        let mut rows = WaitingRows::new();
        update(&mut rows, HERE, &list(&[player(1, 10)]), 100);
        update(&mut rows, HERE, &list(&[]), 200);
        let (matches, _) = update(&mut rows, THERE, &list(&[player(2, 20)]), 300);
        assert_eq!(players(&matches), []);
    }

    #[test]
    fn a_player_of_a_silent_node_is_not_paired() {
        let mut rows = WaitingRows::new();
        update(&mut rows, HERE, &list(&[player(1, 10)]), 100);
        let late_ms = 101 + FRESH_MS;
        let (matches, _) = update(&mut rows, THERE, &list(&[player(2, 20)]), late_ms);
        assert_eq!(players(&matches), []);
        // The silent node sends a list again.
        let (matches, _) = update(&mut rows, HERE, &list(&[player(1, 10)]), late_ms);
        assert_eq!(players(&matches), [1]);
        update(&mut rows, NodeId(3), &list(&[]), late_ms + OLD_MS);
        assert_eq!(rows.len(), 0);
    }

    fn quick(id: u128, player: u128, since_ms: u64) -> WaitingPlayer {
        WaitingPlayer {
            holder: Holder::Player(PlayerId::new(player)),
            ..self::player(id, since_ms)
        }
    }

    fn request(requests: &[WaitingPlayer]) -> WaitingList {
        WaitingList {
            requests: requests.to_vec(),
            ..WaitingList::default()
        }
    }

    #[test]
    fn nobody_is_paired_with_themselves() {
        let mut rows = WaitingRows::new();
        let (matches, _) = update(&mut rows, HERE, &request(&[quick(1, 7, 10)]), 100);
        assert_eq!(matches.requests, [MatchRequest::Accepted(WaitingId(1))]);
        // A second request for the same game, from another device, does not wait separately.
        let (matches, games) = update(&mut rows, THERE, &request(&[quick(2, 7, 20)]), 100);
        assert_eq!(matches.requests, [MatchRequest::Waits(WaitingId(1))]);
        assert_eq!((games.len(), rows.len()), (0, 1));
        // Two quick matches of the same player are never paired.
        assert!(!quick(1, 7, 10).fits(&quick(2, 7, 20)));
        let (matches, games) = update(&mut rows, THERE, &request(&[quick(3, 8, 30)]), 100);
        assert_eq!(games.len(), 1);
        let players: Vec<PlayerId> = matches.quick.iter().map(|(player, _)| *player).collect();
        assert_eq!(players, [PlayerId::new(7), PlayerId::new(8)]);
        assert_eq!(rows.len(), 0);
    }

    #[test]
    fn a_quick_match_meets_a_tcp_client() {
        let mut rows = WaitingRows::new();
        update(&mut rows, HERE, &list(&[player(1, 10)]), 100);
        let (matches, games) = update(&mut rows, THERE, &request(&[quick(3, 8, 30)]), 100);
        assert_eq!((games.len(), matches.quick.len()), (1, 1));
        // The client's node receives the match.
        let (matches, _) = update(&mut rows, HERE, &list(&[player(1, 10)]), 200);
        assert_eq!(players(&matches), [1]);
    }

    #[test]
    fn a_quick_match_lasts_while_its_player_is_connected() {
        let mut rows = WaitingRows::new();
        update(&mut rows, HERE, &request(&[quick(1, 7, 10)]), 100);
        let connected = WaitingList {
            connected: vec![PlayerId::new(7), PlayerId::new(9)],
            ..WaitingList::default()
        };
        let mut now_ms = 100;
        for _ in 0..10 {
            now_ms += QUICK_MATCH_LASTS_MS;
            let (matches, _) = update(&mut rows, THERE, &connected, now_ms);
            assert_eq!(matches.waiting, [quick(1, 7, 10)]);
        }
        let nobody = WaitingList::default();
        update(&mut rows, HERE, &nobody, now_ms + QUICK_MATCH_LASTS_MS + 1);
        assert_eq!(rows.len(), 0);
    }

    #[test]
    fn only_its_player_cancels_a_quick_match() {
        let mut rows = WaitingRows::new();
        update(&mut rows, HERE, &request(&[quick(1, 7, 10)]), 100);
        let cancel = |player| WaitingList {
            cancelled: vec![(WaitingId(1), PlayerId::new(player))],
            ..WaitingList::default()
        };
        assert_eq!(update(&mut rows, THERE, &cancel(8), 100).0.cancelled, []);
        let gone = update(&mut rows, THERE, &cancel(7), 100).0.cancelled;
        assert_eq!(gone, [WaitingId(1)]);
        assert_eq!(rows.len(), 0);
    }

    #[test]
    fn quick_matches_per_player_are_bounded() {
        let mut rows = WaitingRows::new();
        let variants = ["3x3k3", "4x4k4", "5x5k4", "6x6k4", "7x7k4", "8x8k4"];
        let wanted = variants.iter().zip(1..).map(|(variant, id)| WaitingPlayer {
            variant: variant.parse().unwrap(),
            ..quick(id, 7, 10)
        });
        let wanted: Vec<WaitingPlayer> = wanted.collect();
        let (matches, _) = update(&mut rows, HERE, &request(&wanted), 100);
        assert_eq!(matches.requests[5], MatchRequest::TooMany);
        assert_eq!(rows.len(), MAX_QUICK_MATCHES);
        // The accepted request may be repeated.
        let (matches, _) = update(&mut rows, HERE, &request(&wanted[..1]), 100);
        assert_eq!(matches.requests, [MatchRequest::Accepted(WaitingId(1))]);
    }

    #[test]
    fn only_the_same_variant_is_paired() {
        let mut rows = WaitingRows::new();
        let mut other = player(2, 20);
        other.variant = "4x4k4".parse().unwrap();
        let (matches, _) = update(&mut rows, HERE, &list(&[player(1, 10), other]), 100);
        assert_eq!(players(&matches), []);
    }

    #[test]
    fn only_the_same_clock_is_paired() {
        let mut rows = WaitingRows::new();
        let clock = ClockSettings::fischer(180, 2).ok();
        let with_clock = |id, player| WaitingPlayer {
            clock,
            ..quick(id, player, 10)
        };
        let both = [quick(1, 7, 10), with_clock(2, 8)];
        let (matches, games) = update(&mut rows, HERE, &request(&both), 100);
        assert_eq!((matches.waiting.len(), games.len()), (2, 0));
        // The same player may wait with and without a clock.
        let (_, games) = update(&mut rows, HERE, &request(&[with_clock(3, 7)]), 100);
        assert_eq!(games.len(), 1);
        assert_eq!(games[0].0.settings.clock, clock);
    }
}
