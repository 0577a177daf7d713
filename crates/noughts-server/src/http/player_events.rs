//! `GET /api/me/events`: what happens in the games of a player, wherever they are played.
//!
//! A stream looks at the tables of its player when it is nudged, compares them with what it has seen, and sends the
//! differences. So a nudge that comes twice or too late does no harm, and one that is lost costs time.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use noughts_api::PlayerMessage;
use noughts_rules::Seat;
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::debug;

use super::AppState;
use super::error::ApiError;
use super::openapi::MeErrors;
use super::players::{Caller, my_game};
use super::rate_limit::{Client, StreamPermit};
use super::seat_token::seat_of_player;
use super::stream::{KEEP_ALIVE, RESTART};
use crate::id::{GameId, PlayerId};
use crate::players::{Feed, Nudge};
use crate::store::{ListQuery, PlayerFilter, StoreError};
use crate::table::{Holder, Table};

/// Maximum number of games that a stream follows, the newest ones.
const MAX_FOLLOWED: usize = 100;

/// How often a stream looks at all games although nothing was heard: hints between nodes may get lost.
const COMPARE: Duration = Duration::from_secs(10);

/// How soon it looks again after an error of the store.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Follows all games of the caller's player by server-sent events.
///
/// The data of each event is a PlayerMessage. A stream begins with the running games (`games`). Then it sends a game whenever something happens there: `match` (an opponent was found), `game` (the
/// player has a new game), `seated` (somebody took a seat), `turn` (it is the player's turn), `offer` (somebody offers
/// something) and `over`. While the stream is open, the player's quick matches wait.
#[utoipa::path(
    get, path = "/api/me/events", operation_id = "followMe", tag = "players",
    security(("player" = [])),
    responses(
        (status = 200, body = String, content_type = "text/event-stream", description = "Events whose data are PlayerMessage objects"),
        MeErrors,
    )
)]
pub(super) async fn events(
    State(app): State<Arc<AppState>>,
    Caller(player): Caller,
    client: Client,
) -> Result<Response, ApiError> {
    let now = app.tables.clock().now();
    let permit = app.rate_limiter.open_stream(&client, now)?;
    let stream = PlayerEvents::begin(&app, player.id, permit).await?;
    let events = unfold(stream, |mut stream| async move {
        let event = stream.next().await?;
        Some((Ok::<_, Infallible>(event), stream))
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
        .into_response())
}

/// What a stream has seen of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Seen {
    turn: usize,
    is_my_turn: bool,
    open_seats: usize,
    /// The entry of the latest offer of another seat.
    offer: Option<u32>,
    is_over: bool,
}

impl Seen {
    fn of(table: &Table, player: PlayerId) -> Seen {
        let is_its = |seat: Seat| holds(table, seat, player);
        let open = table.holders().iter().filter(|holder| holder.is_open());
        let open_seats = open.count();
        Seen {
            turn: table.turn(),
            is_my_turn: open_seats == 0 && table.game().to_move().is_some_and(is_its),
            open_seats,
            offer: latest_offer(table, is_its),
            is_over: table.is_over(),
        }
    }
}

fn holds(table: &Table, seat: Seat, player: PlayerId) -> bool {
    table.holder(seat).and_then(Holder::player_id) == Some(player)
}

/// The entry of the latest offer of a seat that is not the player's.
fn latest_offer(table: &Table, is_its: impl Fn(Seat) -> bool) -> Option<u32> {
    let of_others = table.offers().iter().filter(|open| !is_its(open.seat));
    of_others.map(|open| open.entry).max()
}

/// Whether somebody else sat at the table from its beginning: an opponent was found for the player.
fn is_match(table: &Table, player: PlayerId) -> bool {
    let holders = &table.settings().holders;
    let is_other = |holder: &Holder| holder.is_human() && holder.player_id() != Some(player);
    !holders.iter().any(Holder::is_open) && holders.iter().any(is_other)
}

/// The events of one stream. The connection asks for the next one when the client has read the last.
struct PlayerEvents {
    app: Arc<AppState>,
    player: PlayerId,
    feed: Feed,
    seen: BTreeMap<GameId, Seen>,
    unsent: VecDeque<PlayerMessage>,
    /// The store failed: everything must be looked at again.
    is_behind: bool,
    has_ended: bool,
    closing: watch::Receiver<bool>,
    _permit: StreamPermit,
}

impl PlayerEvents {
    async fn begin(
        app: &Arc<AppState>,
        player: PlayerId,
        permit: StreamPermit,
    ) -> Result<PlayerEvents, ApiError> {
        // Before the games are read, so that nothing is missed in between.
        let feed = app.players.feeds().open(player);
        let mut stream = PlayerEvents {
            app: Arc::clone(app),
            player,
            feed,
            seen: BTreeMap::new(),
            unsent: VecDeque::new(),
            is_behind: false,
            has_ended: false,
            closing: app.closing.clone(),
            _permit: permit,
        };
        let mut games = Vec::new();
        for id in stream.running().await? {
            if let Some(live) = app.tables.get(id).await? {
                let seen = live.read(|table| Seen::of(table, player));
                stream.follow(id, seen);
                games.extend(my_game(&live, player));
            }
        }
        stream.unsent.push_back(PlayerMessage::Games(games));
        Ok(stream)
    }

    /// The newest running games.
    async fn running(&self) -> Result<Vec<GameId>, StoreError> {
        let query = ListQuery {
            variant: None,
            player: Some(PlayerFilter::Running(self.player)),
            status: None,
            attended_at_ms: None,
            before: None,
            limit: MAX_FOLLOWED,
        };
        let listed = self.app.tables.store().list(query).await?;
        Ok(listed.into_iter().map(|listed| listed.id).collect())
    }

    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(message) = self.unsent.pop_front() {
                return Some(event(&message));
            }
            if self.has_ended {
                return None;
            }
            let pause = match self.is_behind {
                true => RETRY_AFTER,
                false => COMPARE,
            };
            tokio::select! {
                nudge = self.feed.next() => match nudge? {
                    Nudge::Game(game) => self.look_at(game).await,
                    Nudge::Everything => self.look_at_everything().await,
                },
                () = sleep(pause) => self.look_at_everything().await,
                _ = self.closing.changed() => {
                    self.has_ended = true;
                    let restart = Event::default().event("restart");
                    return Some(restart.data(String::from_utf8_lossy(RESTART)));
                }
            }
        }
    }

    async fn look_at_everything(&mut self) {
        self.is_behind = false;
        let store = self.app.tables.store();
        match store.players(vec![self.player]).await {
            // The player was deleted.
            Ok(found) if found.is_empty() => self.has_ended = true,
            Ok(_) => {}
            Err(error) => return self.look_again(&error),
        }
        let mut games = match self.running().await {
            Ok(games) => games,
            Err(error) => return self.look_again(&error),
        };
        let known = self.seen.keys().filter(|game| !games.contains(game));
        let known: Vec<GameId> = known.copied().collect();
        games.extend(known);
        for game in games {
            self.look_at(game).await;
        }
    }

    fn look_again(&mut self, error: &StoreError) {
        debug!(%error, "games of a player are read again");
        self.is_behind = true;
    }

    /// Compares a game with what was seen of it.
    async fn look_at(&mut self, game: GameId) {
        let live = match self.app.tables.get(game).await {
            Ok(Some(live)) => live,
            Ok(None) => return self.forget(game),
            // An unreadable game does not become readable by trying again.
            Err(StoreError::Corrupt(_)) => return self.forget(game),
            Err(error) => return self.look_again(&error),
        };
        let (now, sits, is_match) = live.read(|table| {
            let sits = seat_of_player(table, self.player).is_some();
            let is_match = is_match(table, self.player);
            (Seen::of(table, self.player), sits, is_match)
        });
        let before = self.seen.get(&game).copied();
        if !sits || before == Some(now) || (before.is_none() && now.is_over) {
            return;
        }
        let Some(mine) = my_game(&live, self.player) else {
            return;
        };
        let mut tell = |message: fn(noughts_api::MyGame) -> PlayerMessage| {
            self.unsent.push_back(message(mine.clone()));
        };
        let past = before.unwrap_or(Seen {
            turn: 0,
            is_my_turn: false,
            open_seats: now.open_seats,
            offer: None,
            is_over: false,
        });
        match (before, is_match) {
            (None, true) => tell(PlayerMessage::Match),
            (None, false) => tell(PlayerMessage::Game),
            (Some(_), _) => {}
        }
        if now.open_seats < past.open_seats {
            tell(PlayerMessage::Seated);
        }
        let is_new_turn = !past.is_my_turn || now.turn > past.turn;
        if now.is_my_turn && is_new_turn {
            tell(PlayerMessage::Turn);
        }
        if now.offer > past.offer {
            tell(PlayerMessage::Offer);
        }
        if now.is_over && !past.is_over {
            tell(PlayerMessage::Over);
        }
        self.follow(game, now);
    }

    /// Remembers what was seen of a game. Beyond the limit one that is over makes room, or the oldest seen.
    fn follow(&mut self, game: GameId, seen: Seen) {
        if self.seen.insert(game, seen).is_some() {
            return;
        }
        self.feed.follow(game);
        if self.seen.len() > MAX_FOLLOWED {
            let over = self.seen.iter().find(|(_, seen)| seen.is_over);
            let other = self.seen.iter().find(|(id, _)| **id != game);
            if let Some((id, _)) = over.or(other) {
                self.forget(*id);
            }
        }
    }

    fn forget(&mut self, game: GameId) {
        if self.seen.remove(&game).is_some() {
            self.feed.unfollow(game);
        }
    }
}

fn event(message: &PlayerMessage) -> Event {
    let json = serde_json::to_string(message).expect("the types of the API are JSON");
    Event::default().event(message.name()).data(json)
}
