//! Quick matches: registered players who wait for an opponent, at any node.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use noughts_rules::{ClockSettings, Seat, Variant};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tracing::debug;

use super::{Matchmaking, RETRY_AFTER};
use crate::id::{GameId, PlayerId};
use crate::store::{
    ListQuery, Match, MatchRequest, Matches, QuickMatch, StoreError, WaitingId, WaitingList,
    WaitingPlayer, family,
};
use crate::table::{Command, Holder, Key, OpenTo, RequestKey, Status};
use crate::tables::SubmitError;

/// Maximum number of requests for quick matches that wait for the store's reply at this node. Cancellations
/// have the same limit.
const MAX_UNSENT: usize = 10_000;

/// Maximum number of requests for quick matches in one list, because the store writes a list in one
/// transaction. Cancellations have the same limit.
const MAX_LISTED: usize = 1_000;

/// Maximum number of waiting tables that are searched for a seat. If there are more, the newest tables are searched.
const MAX_SEARCHED_TABLES: usize = 100;

/// Maximum time for the store to reply to a request or a cancellation.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// What this node knows about quick matches, and what it must send to the store.
#[derive(Debug, Default)]
pub(super) struct QuickMatches {
    requests: Vec<(WaitingPlayer, oneshot::Sender<MatchRequest>)>,
    cancelled: Vec<Cancellation>,
    /// Quick matches that are about to take an open seat. The store may not know these quick matches at this
    /// time.
    taking_seats: HashMap<WaitingId, PlayerId>,
    /// Quick matches that have taken an open seat. The store has not confirmed yet that it knows their seats.
    seated: Vec<(PlayerId, Match)>,
    /// Players that are connected to this node and may have quick matches.
    connected: BTreeSet<PlayerId>,
    /// Waiting quick matches of players connected to this node. This node looks for open seats for these
    /// quick matches.
    waiting_here: Vec<WaitingPlayer>,
    /// Whether a quick match waits at any node, according to the store. While this is true, this node sends lists. With
    /// each list, the store drops the quick matches whose player was connected to no node for too long.
    pub(super) has_waiting_players: bool,
}

/// A quick match that must be removed from the store.
#[derive(Debug)]
struct Cancellation {
    id: WaitingId,
    player: PlayerId,
    /// Whether the store may have removed the quick match already: a list with this cancellation was sent, but the
    /// store's reply was lost.
    may_be_gone: bool,
    answer: oneshot::Sender<Cancelled>,
}

/// The result of a cancellation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cancelled {
    Yes,
    /// The store does not know the quick match, perhaps because an earlier list cancelled it.
    Perhaps,
    /// The quick match was not waiting, so it was not cancelled.
    No,
}

impl QuickMatches {
    /// Records for each cancellation in `list` that the store may have executed it: the list was sent, but
    /// the store's reply was lost.
    pub(super) fn note_lost_reply(&mut self, list: &WaitingList) {
        for cancellation in self.cancelled.iter_mut().take(list.cancelled.len()) {
            cancellation.may_be_gone = true;
        }
    }

    /// Looks for a quick match among those that have just taken an open seat or are about to take one. The store
    /// may not know these quick matches at this time.
    fn find(&self, id: WaitingId) -> Option<QuickMatch> {
        let is_it = |(_, seated): &&(PlayerId, Match)| seated.player == id;
        if let Some((player, seated)) = self.seated.iter().find(is_it) {
            let matched = Some((seated.game, seated.seat));
            return Some(QuickMatch {
                player: *player,
                matched,
            });
        }
        let player = *self.taking_seats.get(&id)?;
        let matched = None;
        Some(QuickMatch { player, matched })
    }

    /// The next list. Its fields `players` and `seen`, which are about TCP clients, are empty.
    pub(super) fn list(&self) -> WaitingList {
        let requests = self.requests.iter().take(MAX_LISTED);
        let cancelled = self.cancelled.iter().take(MAX_LISTED);
        WaitingList {
            requests: requests.map(|(request, _)| request.clone()).collect(),
            cancelled: cancelled.map(|one| (one.id, one.player)).collect(),
            seated: self.seated.clone(),
            connected: self.connected.iter().copied().collect(),
            ..WaitingList::default()
        }
    }

    /// Whether a player connected to this node has a waiting quick match.
    pub(super) fn has_waiting_here(&self) -> bool {
        !self.waiting_here.is_empty()
    }

    /// Handles the store's reply to `list`: answers the requests and cancellations in `list`, and updates the waiting
    /// quick matches.
    pub(super) fn answer_requests(&mut self, list: &WaitingList, matches: &Matches) {
        let requests = self.requests.drain(..list.requests.len());
        for ((_, answer), request) in requests.zip(&matches.requests) {
            // `send` returns an error if the caller no longer waits for the answer. This error does not matter.
            let _ = answer.send(*request);
        }
        for cancellation in self.cancelled.drain(..list.cancelled.len()) {
            let result = match matches.cancelled.contains(&cancellation.id) {
                true => Cancelled::Yes,
                false if cancellation.may_be_gone => Cancelled::Perhaps,
                false => Cancelled::No,
            };
            let _ = cancellation.answer.send(result);
        }
        self.has_waiting_players = !matches.waiting.is_empty();
        self.seated.retain(|seated| !list.seated.contains(seated));
        let waits = |player: &PlayerId| {
            let mut waiting = matches.waiting.iter();
            waiting.any(|one| one.holder.player_id() == Some(*player))
        };
        for player in list.connected.iter().filter(|player| !waits(player)) {
            self.connected.remove(player);
        }
        let is_here = |waiting: &&WaitingPlayer| {
            let player = waiting.holder.player_id();
            player.is_some_and(|player| self.connected.contains(&player))
        };
        self.waiting_here = matches.waiting.iter().filter(is_here).cloned().collect();
    }
}

impl Matchmaking {
    /// Requests an opponent for a registered player. When the player is paired, the game appears among the player's
    /// games.
    pub async fn request_match(
        self: &Arc<Matchmaking>,
        player: PlayerId,
        variant: Variant,
        clock: Option<ClockSettings>,
    ) -> Result<MatchRequest, StoreError> {
        let request = WaitingPlayer {
            id: self.new_wait(),
            variant,
            clock,
            holder: Holder::Player(player),
            since_ms: self.tables.clock().now_ms(),
        };
        self.send_request(request).await
    }

    async fn send_request(&self, request: WaitingPlayer) -> Result<MatchRequest, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.tell(|quick| match quick.requests.len() < MAX_UNSENT {
            true => {
                quick.requests.push((request, answer));
                Ok(())
            }
            false => Err(too_busy()),
        })?;
        self.reply(answered).await
    }

    /// Cancels a quick match. Returns whether the quick match was waiting.
    pub async fn cancel_match(
        self: &Arc<Matchmaking>,
        id: WaitingId,
        player: PlayerId,
    ) -> Result<bool, StoreError> {
        let answered = self.send_cancellation(id, player)?;
        match self.reply(answered).await? {
            Cancelled::Yes => Ok(true),
            Cancelled::No => Ok(false),
            Cancelled::Perhaps => Ok(self.tables.store().quick_match(id).await?.is_none()),
        }
    }

    fn send_cancellation(
        &self,
        id: WaitingId,
        player: PlayerId,
    ) -> Result<oneshot::Receiver<Cancelled>, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.tell(|quick| match quick.cancelled.len() < MAX_UNSENT {
            true => {
                quick.cancelled.push(Cancellation {
                    id,
                    player,
                    may_be_gone: false,
                    answer,
                });
                Ok(answered)
            }
            false => Err(too_busy()),
        })
    }

    /// A quick match that waits or was paired; `None` if the quick match was cancelled or the store has
    /// removed it.
    pub async fn quick_match(&self, id: WaitingId) -> Result<Option<QuickMatch>, StoreError> {
        let before = self.state().quick.find(id);
        let stored = self.tables.store().quick_match(id).await?;
        // The store does not know a quick match that is taking an open seat.
        Ok(stored.or(before).or_else(|| self.state().quick.find(id)))
    }

    /// Records that a player is connected to this node, so that the store keeps the player's quick matches.
    pub fn player_connected(&self, player: PlayerId) {
        self.state().quick.connected.insert(player);
        self.changed.notify_one();
    }

    /// Records that a player is no longer connected to this node.
    pub fn player_disconnected(&self, player: PlayerId) {
        self.state().quick.connected.remove(&player);
    }

    /// The number of players connected to this node who have waiting quick matches, as far as this node knows.
    pub fn quick_match_players(&self) -> usize {
        self.state().quick.connected.len()
    }

    /// Looks for open lobby seats for the quick matches of players connected to this node, oldest first.
    pub(super) async fn seat_quick_matches(self: &Arc<Matchmaking>) {
        let mut waiting = self.state().quick.waiting_here.clone();
        waiting.sort_by_key(|waiting| (waiting.since_ms, waiting.id));
        for quick_match in waiting {
            if let Err(error) = self.seat_quick_match(quick_match).await {
                debug!(%error, "cannot search for seats for quick matches; retrying");
                return;
            }
        }
    }

    async fn seat_quick_match(
        self: &Arc<Matchmaking>,
        quick_match: WaitingPlayer,
    ) -> Result<(), StoreError> {
        let Some(player) = quick_match.holder.player_id() else {
            return Ok(());
        };
        let seats = self.seats_for(player, &quick_match).await?;
        if seats.is_empty() {
            return Ok(());
        }
        let id = quick_match.id;
        self.tell(|quick| quick.taking_seats.insert(id, player));
        let taken = match self.withdraw_match(id, player).await {
            true => self.take_any_seat(player, seats, quick_match).await,
            // The quick match was paired or cancelled in the meantime, or too many cancellations wait for the store.
            false => Ok(()),
        };
        self.state().quick.taking_seats.remove(&id);
        taken
    }

    /// Removes a quick match from the store, so that the store does not pair the player. Returns false if the quick
    /// match did not wait, or if too many cancellations wait for the store's reply. There is no time limit, because the
    /// store may execute a cancellation long after it was sent.
    async fn withdraw_match(&self, id: WaitingId, player: PlayerId) -> bool {
        let Ok(answered) = self.send_cancellation(id, player) else {
            return false;
        };
        match answered.await {
            Ok(Cancelled::Yes) => true,
            Ok(Cancelled::No) | Err(_) => false,
            Ok(Cancelled::Perhaps) => loop {
                match self.tables.store().quick_match(id).await {
                    Ok(found) => break found.is_none(),
                    Err(_) => sleep(RETRY_AFTER).await,
                }
            },
        }
    }

    async fn take_any_seat(
        &self,
        player: PlayerId,
        seats: Vec<(GameId, Seat)>,
        quick_match: WaitingPlayer,
    ) -> Result<(), StoreError> {
        for (game, seat) in seats {
            if self.take_seat(player, game, seat).await {
                let player_and_match = (
                    player,
                    Match {
                        player: quick_match.id,
                        game,
                        seat,
                    },
                );
                self.tell(|quick| quick.seated.push(player_and_match));
                return Ok(());
            }
        }
        // Other clients were faster: the quick match waits again, at its old place.
        loop {
            match self.send_request(quick_match.clone()).await {
                Ok(_) => return Ok(()),
                // It is safe to repeat the request, because two requests with the same id count as one request.
                Err(_) => sleep(RETRY_AFTER).await,
            }
        }
    }

    /// The open lobby seats that a quick match may take, oldest first. The table of each seat has the wanted
    /// variant and clock, starts in the usual position and has no rewind. The table is attended (a player is
    /// connected or the table is new), and `player` has no seat at it.
    async fn seats_for(
        &self,
        player: PlayerId,
        quick_match: &WaitingPlayer,
    ) -> Result<Vec<(GameId, Seat)>, StoreError> {
        let wanted = (quick_match.variant, quick_match.clock);
        let query = ListQuery {
            variant: Some(family(&quick_match.variant)),
            status: Some(Status::Waiting),
            attended_at_ms: Some(self.tables.clock().now_ms()),
            ..ListQuery::all(MAX_SEARCHED_TABLES)
        };
        let mut seats = Vec::new();
        for listed in self.tables.store().list(query).await?.iter().rev() {
            let holders = &listed.summary.holders;
            let is_own = |holder: &Holder| holder.player_id() == Some(player);
            let fits = (listed.variant, listed.clock) == wanted && listed.is_plain();
            if fits && !holders.iter().any(is_own) {
                let open = (0..).map(Seat).zip(holders);
                let open = open.filter(|(_, holder)| **holder == Holder::Open(OpenTo::Lobby));
                seats.extend(open.map(|(seat, _)| (listed.id, seat)));
            }
        }
        Ok(seats)
    }

    /// Lets a player take an open seat. Returns false if the seat cannot be taken, usually because another player was
    /// faster. Retries while the store is unavailable, because the seat may be taken although the store's reply was
    /// lost.
    async fn take_seat(&self, player: PlayerId, game: GameId, seat: Seat) -> bool {
        let key = Key {
            text: self.tables.ids().game().to_string(),
            request: 0,
        };
        let command = Command::TakeSeat {
            seat,
            holder: Holder::Player(player),
            key: Some(Box::new(RequestKey {
                key,
                former_hash: 0,
            })),
        };
        loop {
            match self.tables.get(game).await {
                Ok(Some(live)) => match self.tables.submit(&live, &command).await {
                    Ok(()) => return true,
                    Err(SubmitError::Refused(_) | SubmitError::NoSuchGame) => return false,
                    Err(SubmitError::Unavailable(_) | SubmitError::Busy | SubmitError::Closed) => {}
                },
                Ok(None) | Err(StoreError::Corrupt(_)) => return false,
                Err(error) => debug!(%game, %error, "cannot take a lobby seat; retrying"),
            }
            sleep(RETRY_AFTER).await;
        }
    }

    fn tell<T>(&self, change: impl FnOnce(&mut QuickMatches) -> T) -> T {
        let told = change(&mut self.state().quick);
        self.changed.notify_one();
        told
    }

    async fn reply<T>(&self, answered: oneshot::Receiver<T>) -> Result<T, StoreError> {
        match timeout(REPLY_TIMEOUT, answered).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(_)) | Err(_) => Err(StoreError::Unavailable(
                "the list of waiting players was not stored in time".to_owned(),
            )),
        }
    }

    /// Notifies each player whose request was accepted or who has a new game. The player may be connected to any node.
    pub(super) fn announce(&self, list: &WaitingList, matches: &Matches) {
        let metrics = self.tables.metrics();
        for (request, accepted) in list.requests.iter().zip(&matches.requests) {
            if let (MatchRequest::Accepted(_), Some(player)) =
                (accepted, request.holder.player_id())
            {
                metrics.quick_matches_requested.inc();
                self.tables.notify_player(player);
            }
        }
        for (player, _) in &matches.quick {
            metrics.quick_matches_made.inc();
            self.tables.notify_player(*player);
        }
    }
}

fn too_busy() -> StoreError {
    StoreError::Unavailable("too many players ask for a match".to_owned())
}
