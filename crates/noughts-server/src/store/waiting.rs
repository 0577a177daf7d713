//! Players that wait for an opponent at any node that shares the store, and how they are paired.
//!
//! Each node sends the store a list of its waiting players, again and again while there are some. The
//! store pairs the players of all lists, creates their games, and keeps each match until the player's
//! node has seen it. So a lost request or reply costs time and never a match.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use noughts_rules::{Seat, Variant};

use crate::id::{GameId, NodeId};
use crate::table::{Holder, NewGame, Settings, Summary, Table};

/// The id of one wait: random, and never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WaitingId(pub u128);

impl fmt::Debug for WaitingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WaitingId({:032x})", self.0)
    }
}

/// A player that waits for an opponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitingPlayer {
    /// Names this wait.
    pub id: WaitingId,
    /// What the player wants to play: a variant for two sides.
    pub variant: Variant,
    /// Who will hold the seat.
    pub holder: Holder,
    /// When the wait began, in milliseconds since 1970.
    pub since_ms: u64,
}

/// The players that wait at one node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WaitingList {
    /// Greater than in every earlier list of the node: a list that arrives late is ignored.
    pub version: u64,
    /// All waiting players. A player that is missing here no longer waits.
    pub players: Vec<WaitingPlayer>,
    /// Matches that the node has seen. They are removed from the store.
    pub seen: Vec<WaitingId>,
}

/// A player that was paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    /// Which player.
    pub player: WaitingId,
    /// The game that was created for the pair.
    pub game: GameId,
    /// The player's seat.
    pub seat: Seat,
}

/// What the store replies to a list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Matches {
    /// The matches of the node that it has not seen, also of players that are not in its list any
    /// more.
    pub unseen: Vec<Match>,
    /// The games that were created for this reply.
    pub created: Vec<GameId>,
}

/// A node sends its list every second. A player of a node that has not done so for this long is not
/// paired: the node may be gone.
const FRESH_MS: u64 = 3_000;

/// Rows of nodes that have sent no list for this long are removed. Long before, the node was declared
/// dead and the seats of its connections have left.
const OLD_MS: u64 = 3_600_000;

/// A waiting player as the store has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct WaitingRow {
    pub(super) node: NodeId,
    pub(super) player: WaitingPlayer,
    /// When the node last listed the player.
    pub(super) listed_ms: u64,
    pub(super) matched: Option<(GameId, Seat)>,
}

/// The waiting players of all nodes. They are few: two that fit never wait beside each other.
pub(super) type WaitingRows = BTreeMap<WaitingId, WaitingRow>;

/// Takes a node's list and pairs who fits, longest wait first. Returns the reply, and the games to
/// create.
pub(super) fn update(
    rows: &mut WaitingRows,
    node: NodeId,
    list: &WaitingList,
    now_ms: u64,
) -> (Matches, Vec<(NewGame, Summary)>) {
    for id in &list.seen {
        rows.remove(id);
    }
    let listed: HashSet<WaitingId> = list.players.iter().map(|player| player.id).collect();
    rows.retain(|id, row| {
        let has_left = row.node == node && row.matched.is_none() && !listed.contains(id);
        !has_left && now_ms < row.listed_ms.saturating_add(OLD_MS)
    });
    for player in &list.players {
        let row = rows.entry(player.id).or_insert_with(|| WaitingRow {
            node,
            player: player.clone(),
            listed_ms: now_ms,
            matched: None,
        });
        row.listed_ms = row.listed_ms.max(now_ms);
    }
    let games = pair(rows, now_ms);
    let unseen = rows.iter().filter(|(_, row)| row.node == node);
    let unseen = unseen.filter_map(|(id, row)| {
        let (game, seat) = row.matched?;
        let player = *id;
        Some(Match { player, game, seat })
    });
    let matches = Matches {
        unseen: unseen.collect(),
        created: games.iter().map(|(new, _)| new.settings.id).collect(),
    };
    (matches, games)
}

fn pair(rows: &mut WaitingRows, now_ms: u64) -> Vec<(NewGame, Summary)> {
    let is_free = |row: &&WaitingRow| {
        row.matched.is_none() && now_ms <= row.listed_ms.saturating_add(FRESH_MS)
    };
    let mut free: Vec<WaitingPlayer> = rows
        .values()
        .filter(is_free)
        .map(|row| row.player.clone())
        .collect();
    free.sort_by_key(|player| (player.since_ms, player.id));
    let mut alone: Vec<WaitingPlayer> = Vec::new();
    let mut games = Vec::new();
    for player in free {
        let Some(at) = alone
            .iter()
            .position(|other| other.variant == player.variant)
        else {
            alone.push(player);
            continue;
        };
        let mut both = [alone.remove(at), player];
        // Ids are random, so each moves first as often as the other.
        both.sort_by_key(|player| player.id);
        let game = GameId::new(both[0].id.0 ^ both[1].id.0);
        let settings = Settings {
            id: game,
            variant: both[0].variant,
            history: 0,
            start: None,
            holders: both.iter().map(|player| player.holder.clone()).collect(),
            created_ms: now_ms,
        };
        let Ok(table) = Table::new(settings.clone()) else {
            // Not a variant for two sides: they wait until they leave.
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

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: NodeId = NodeId(1);
    const THERE: NodeId = NodeId(2);

    fn player(id: u128, since_ms: u64) -> WaitingPlayer {
        WaitingPlayer {
            id: WaitingId(id),
            variant: "3x3k3".parse().unwrap(),
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
        // The first player has left meanwhile, and the node must know.
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
        // It is back.
        let (matches, _) = update(&mut rows, HERE, &list(&[player(1, 10)]), late_ms);
        assert_eq!(players(&matches), [1]);
        update(&mut rows, NodeId(3), &list(&[]), late_ms + OLD_MS);
        assert_eq!(rows.len(), 0);
    }

    #[test]
    fn only_the_same_variant_is_paired() {
        let mut rows = WaitingRows::new();
        let mut other = player(2, 20);
        other.variant = "4x4k4".parse().unwrap();
        let (matches, _) = update(&mut rows, HERE, &list(&[player(1, 10), other]), 100);
        assert_eq!(players(&matches), []);
    }
}
