//! `GET /api/me/events`: an event stream about all games of a player. When a stream gets a notification about
//! a game, the stream compares the table with the state that the client has. Then the stream sends the
//! differences. At regular intervals, the stream compares all games of the player. So a notification that
//! comes twice or late does no harm, and a lost notification only delays the events. The id of an event
//! encodes the state that was sent, so that any node can resume the stream.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use noughts_api::{MyGame, PlayerMessage};
use noughts_rules::Seat;
use tokio::time::{Instant, sleep_until};
use tracing::debug;

use super::AppState;
use super::error::ApiError;
use super::openapi::MeErrors;
use super::players::{Caller, my_game};
use super::rate_limit::{Client, REPLAY_UNIT};
use super::stream::{EventSource, event_stream, last_event_id, to_json, write_event};
use crate::id::{GameId, PlayerId};
use crate::players::{Feed, Notice};
use crate::store::{ListQuery, ListedGame, PlayerFilter, StoreError};
use crate::table::{Holder, Status, Table};

/// Maximum number of games that a stream follows. A stream that follows this many games follows a new game only after
/// one of them is over.
const MAX_FOLLOWED: usize = 100;

/// Maximum number of finished games that a stream follows. The stream follows them because a player may offer a rematch
/// there.
const MAX_FINISHED: usize = 10;

/// Maximum time, in milliseconds, between the stored time of an entry and the moment at which the entry can
/// be read from the store.
const MAX_COMMIT_MS: u64 = 5_000;

/// A stream checks all games at this interval, because messages between nodes may get lost.
const COMPARE_INTERVAL: Duration = Duration::from_secs(10);

/// After an error of the store, a stream checks all games again when this time has passed since its last
/// check.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Follows all games of the caller's player by server-sent events.
///
/// The data of each event is a PlayerMessage. A stream begins with the running games (`games`). Then the
/// stream sends a game whenever something happens in this game: `match` (an opponent was found), `game` (the
/// player has a new game), `seated` (somebody took a seat), `turn` (it is the player's turn), `offer`
/// (another player made an offer) and `over` (the game is over). With `Last-Event-ID`, the stream begins with
/// the changes since the event with this id. A quick match of the player looks for an opponent only while such
/// a stream is open, and for 20 seconds after that.
#[utoipa::path(
    get, path = "/api/me/events", operation_id = "followMe", tag = "players",
    params(("Last-Event-ID" = Option<String>, Header, description = "the id of the latest event that the client has")),
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
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let seen: Option<AllSeen> = last_event_id(&headers)?;
    let now = app.tables.clock().now();
    // The server may have to load each of these games, so the request counts as more than one.
    let games = seen.as_ref().map_or(0, |seen| seen.games.len());
    app.rate_limiter
        .count_replay(&client, games * REPLAY_UNIT, now)?;
    let permit = app.rate_limiter.open_stream(&client, now)?;
    let events = PlayerEvents::begin(&app, player.id, seen).await?;
    Ok(event_stream(&app, permit, events))
}

/// The state that a stream has sent. Its text form is the id of an event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct AllSeen {
    /// The time of the last check, in milliseconds since 1970.
    at_ms: u64,
    games: BTreeMap<GameId, Seen>,
}

/// The state of a game that a stream has sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Seen {
    turn: usize,
    open_seats: usize,
    /// The entry number of the latest open offer that another player made.
    offer: Option<u32>,
    is_over: bool,
}

impl Seen {
    fn of(table: &Table, player: PlayerId) -> Seen {
        let open = table.holders().iter().filter(|holder| holder.is_open());
        Seen {
            turn: table.turn(),
            open_seats: open.count(),
            offer: latest_offer(table, |seat| holds(table, seat, player)),
            is_over: table.is_over(),
        }
    }
}

/// The text form, such as `1795000000000,3n5kq2w8rj4mz7tb1xv9c0y6ha.5.0.12,7x….9.0.0.over`. The text begins
/// with the time. For each game, it has the id, the turn, the number of open seats, and the entry number of
/// the latest open offer of another player (0 if there is no such offer). A game that is over has the suffix
/// `.over`.
impl fmt::Display for AllSeen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.at_ms)?;
        for (game, seen) in &self.games {
            let (turn, open_seats, offer) = (seen.turn, seen.open_seats, seen.offer.unwrap_or(0));
            let over = if seen.is_over { ".over" } else { "" };
            write!(f, ",{game}.{turn}.{open_seats}.{offer}{over}")?;
        }
        Ok(())
    }
}

impl FromStr for AllSeen {
    type Err = ();

    fn from_str(text: &str) -> Result<AllSeen, ()> {
        let mut parts = text.split(',');
        let at_ms = parts.next().and_then(|ms| ms.parse().ok()).ok_or(())?;
        let games: BTreeMap<GameId, Seen> = parts.map(read_seen).collect::<Option<_>>().ok_or(())?;
        match games.len() <= MAX_FOLLOWED {
            true => Ok(AllSeen { at_ms, games }),
            false => Err(()),
        }
    }
}

fn read_seen(text: &str) -> Option<(GameId, Seen)> {
    let mut fields = text.split('.');
    let game = fields.next()?.parse().ok()?;
    let seen = Seen {
        turn: fields.next()?.parse().ok()?,
        open_seats: fields.next()?.parse().ok()?,
        offer: Some(fields.next()?.parse().ok()?).filter(|offer| *offer > 0),
        is_over: match fields.next() {
            None => false,
            Some("over") => true,
            Some(_) => return None,
        },
    };
    fields.next().is_none().then_some((game, seen))
}

fn holds(table: &Table, seat: Seat, player: PlayerId) -> bool {
    table.holder(seat).and_then(Holder::player_id) == Some(player)
}

/// The entry number of the latest open offer that another player has made; `None` if there is no such offer.
/// `belongs_to_player` says whether a seat belongs to the player of the stream.
fn latest_offer(table: &Table, belongs_to_player: impl Fn(Seat) -> bool) -> Option<u32> {
    let of_others = table
        .offers()
        .iter()
        .filter(|open| !belongs_to_player(open.seat));
    of_others.map(|open| open.entry).max()
}

/// Whether the game is a match for this player: the player has found an opponent. Two conditions must hold.
/// First, another player had a seat when the table was created. Second, this player has taken a seat that was
/// open when the table was created, or the table was created without open seats.
fn is_match(table: &Table, player: PlayerId) -> bool {
    let holders = &table.settings().holders;
    let is_other = |holder: &Holder| holder.is_human() && holder.player_id() != Some(player);
    let mut seats = (0..).map(Seat).zip(holders);
    let took_open_seat = seats.any(|(seat, first)| first.is_open() && holds(table, seat, player));
    holders.iter().any(is_other) && (took_open_seat || !holders.iter().any(Holder::is_open))
}

/// The events of one stream. The connection asks for the next events when the client has read the previous
/// events.
struct PlayerEvents {
    app: Arc<AppState>,
    player: PlayerId,
    feed: Feed,
    seen: AllSeen,
    /// The followed games that are over, oldest first.
    finished: VecDeque<GameId>,
    unsent: Vec<PlayerMessage>,
    /// Whether all games must be checked again, because the store failed or a check was interrupted.
    is_behind: bool,
    /// When the last check of all games ended. Notifications do not delay the next check.
    checked_at: Instant,
    has_ended: bool,
}

impl PlayerEvents {
    async fn begin(
        app: &Arc<AppState>,
        player: PlayerId,
        seen: Option<AllSeen>,
    ) -> Result<PlayerEvents, ApiError> {
        // The feed is opened before the games are read, so that no change is missed.
        let feed = app.players.feeds().open(player);
        let mut stream = PlayerEvents {
            app: Arc::clone(app),
            player,
            feed,
            seen: AllSeen::default(),
            finished: VecDeque::new(),
            unsent: Vec::new(),
            is_behind: false,
            checked_at: Instant::now(),
            has_ended: false,
        };
        match seen {
            Some(seen) => stream.resume(seen).await?,
            None => stream.begin_with_running_games().await?,
        }
        Ok(stream)
    }

    async fn begin_with_running_games(&mut self) -> Result<(), ApiError> {
        self.seen.at_ms = self.app.tables.clock().now_ms();
        let mut games = Vec::new();
        for id in self.running_games().await? {
            if let Some(live) = self.app.tables.get(id).await? {
                let seen = live.read(|table| Seen::of(table, self.player));
                self.follow(id, seen);
                games.extend(my_game(&live, self.player));
            }
        }
        self.unsent.push(PlayerMessage::Games(games));
        // These games ended before this stream began. They are recorded as sent, so that a later stream that resumes
        // this stream does not report them.
        for id in self.ended_since(self.seen.at_ms).await? {
            if !self.seen.games.contains_key(&id)
                && let Some(live) = self.app.tables.get(id).await?
            {
                let seen = live.read(|table| Seen::of(table, self.player));
                self.follow(id, seen);
            }
        }
        Ok(())
    }

    /// Continues an earlier stream, which has sent `seen`.
    async fn resume(&mut self, seen: AllSeen) -> Result<(), ApiError> {
        // If the store fails below, the next id must not begin with time 0.
        self.seen.at_ms = seen.at_ms;
        for (game, seen) in seen.games {
            self.follow(game, seen);
        }
        // Games that began and ended in the meantime are not among the running games.
        for game in self.ended_since(self.seen.at_ms).await? {
            if !self.seen.games.contains_key(&game) {
                self.check_game(game, true).await;
            }
        }
        self.check_all_games().await;
        Ok(())
    }

    /// The player's newest games that are not over, at most [`MAX_FOLLOWED`].
    async fn running_games(&self) -> Result<Vec<GameId>, StoreError> {
        let running = PlayerFilter::Running(self.player);
        let listed = self.list(running, None, MAX_FOLLOWED).await?;
        Ok(listed.into_iter().map(|listed| listed.id).collect())
    }

    /// Searches the player's newest [`MAX_FINISHED`] finished games, and returns those that ended after `checked_ms`,
    /// the time of a check. Also returns games that ended up to [`MAX_COMMIT_MS`] before the check, because the check
    /// may have missed their ends.
    async fn ended_since(&self, checked_ms: u64) -> Result<Vec<GameId>, StoreError> {
        let since_ms = checked_ms.saturating_sub(MAX_COMMIT_MS);
        let player = PlayerFilter::Player(self.player);
        let mut listed = self.list(player, Some(Status::Over), MAX_FINISHED).await?;
        let ended_ms = |listed: &ListedGame| Some(listed.summary.ending.as_ref()?.at_ms);
        listed.retain(|listed| ended_ms(listed) >= Some(since_ms));
        Ok(listed.into_iter().map(|listed| listed.id).collect())
    }

    async fn list(
        &self,
        player: PlayerFilter,
        status: Option<Status>,
        limit: usize,
    ) -> Result<Vec<ListedGame>, StoreError> {
        let query = ListQuery {
            player: Some(player),
            status,
            ..ListQuery::all(limit)
        };
        self.app.tables.store().list(query).await
    }

    /// Removes and encodes all unsent messages. Only the last message has an id. So if a client received only some of
    /// the messages, it gets all of them again when it resumes the stream.
    fn take_unsent(&mut self) -> Vec<u8> {
        let mut chunk = Vec::new();
        let messages = std::mem::take(&mut self.unsent);
        let last = messages.len().saturating_sub(1);
        for (number, message) in messages.iter().enumerate() {
            let id = (number == last).then_some(&self.seen);
            write_event(&mut chunk, id, message.name(), &to_json(message));
        }
        chunk
    }

    async fn check_all_games(&mut self) {
        // If this future is cancelled while it waits, the flag stays set, and the next check comes sooner.
        self.is_behind = true;
        let now_ms = self.app.tables.clock().now_ms();
        let store = self.app.tables.store();
        match store.players(vec![self.player]).await {
            // The player was deleted.
            Ok(found) if found.is_empty() => self.has_ended = true,
            Ok(_) => {}
            Err(error) => return self.retry_later(&error),
        }
        let mut games = match self.running_games().await {
            Ok(games) => games,
            Err(error) => return self.retry_later(&error),
        };
        let known = self.seen.games.keys().filter(|game| !games.contains(game));
        let known: Vec<GameId> = known.copied().collect();
        games.extend(known);
        self.is_behind = false;
        for game in games {
            self.check_game(game, false).await;
        }
        if !self.is_behind {
            self.seen.at_ms = now_ms;
        }
    }

    fn retry_later(&mut self, error: &StoreError) {
        debug!(%error, "cannot read the games of a player; retrying");
        self.is_behind = true;
    }

    /// Compares a game with the state that was sent to the client, and adds messages about the differences.
    /// Ignores a finished game of which the client has no state, unless `also_over` is true.
    async fn check_game(&mut self, game: GameId, also_over: bool) {
        let was_behind = std::mem::replace(&mut self.is_behind, true);
        let found = self.app.tables.get(game).await;
        self.is_behind = was_behind;
        let live = match found {
            Ok(Some(live)) => live,
            Ok(None) => return self.forget(game),
            // The game will stay unreadable, so a retry is useless.
            Err(StoreError::Corrupt(_)) => return self.forget(game),
            Err(error) => return self.retry_later(&error),
        };
        let (now, is_match, is_my_turn) = live.read(|table| {
            let belongs_to_player = |seat: Seat| holds(table, seat, self.player);
            let is_my_turn = table.game().to_move().is_some_and(belongs_to_player);
            let is_match = is_match(table, self.player);
            (Seen::of(table, self.player), is_match, is_my_turn)
        });
        let Some(mine) = my_game(&live, self.player) else {
            return self.forget(game);
        };
        let before = self.seen.games.get(&game).copied();
        if before == Some(now) || (before.is_none() && now.is_over && !also_over) {
            return;
        }
        let is_full = self.seen.games.len() >= MAX_FOLLOWED && self.finished.is_empty();
        if before.is_none() && is_full {
            // The game is followed at a later check, when another game is over.
            return;
        }
        let mut tell = |message: fn(MyGame) -> PlayerMessage| {
            self.unsent.push(message(mine.clone()));
        };
        let past = before.unwrap_or(Seen {
            turn: 0,
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
        let is_new_turn = now.turn > past.turn || past.open_seats > 0;
        if is_my_turn && now.open_seats == 0 && is_new_turn {
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

    /// Records the state of a game that was sent to the client. If the stream then follows too many games, it
    /// stops following the oldest finished game. If no game is finished, it stops following any other game.
    fn follow(&mut self, game: GameId, seen: Seen) {
        let before = self.seen.games.insert(game, seen);
        if before.is_none() {
            self.feed.follow(game);
        }
        if seen.is_over && !before.is_some_and(|before| before.is_over) {
            self.finished.push_back(game);
        }
        if self.finished.len() > MAX_FINISHED || self.seen.games.len() > MAX_FOLLOWED {
            let other = self.seen.games.keys().find(|id| **id != game);
            if let Some(id) = self.finished.front().or(other) {
                self.forget(*id);
            }
        }
    }

    fn forget(&mut self, game: GameId) {
        if self.seen.games.remove(&game).is_some() {
            self.finished.retain(|finished| *finished != game);
            self.feed.unfollow(game);
        }
    }
}

impl EventSource for PlayerEvents {
    async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            if !self.unsent.is_empty() {
                return Some(self.take_unsent());
            }
            if self.has_ended {
                return None;
            }
            let pause = match self.is_behind {
                true => RETRY_AFTER,
                false => COMPARE_INTERVAL,
            };
            let notice = tokio::select! {
                notice = self.feed.next() => notice?,
                () = sleep_until(self.checked_at + pause) => Notice::Everything,
            };
            match notice {
                Notice::Game(game) => self.check_game(game, false).await,
                Notice::Everything => {
                    self.check_all_games().await;
                    self.checked_at = Instant::now();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use noughts_engine::EngineSetup;
    use tokio::sync::watch;
    use tokio::time::timeout;

    use super::*;
    use crate::clock::ServerClock;
    use crate::http::{HttpLimits, HttpServer};
    use crate::matchmaking::Matchmaking;
    use crate::net::{ConnectionLimits, Connections};
    use crate::operator::Operator;
    use crate::players::Players;
    use crate::presence::Presence;
    use crate::robots::Robots;
    use crate::store::Memory;
    use crate::tables::Tables;

    fn app() -> Arc<AppState> {
        let engine = EngineSetup::with_seed(1);
        let clock = ServerClock::new(Arc::clone(&engine.clock));
        let store = Box::<Memory>::default();
        let robots = Robots::new(1, engine);
        let tables = Tables::new(store, robots, clock, crate::id::IdSource::default());
        let matchmaking = Matchmaking::new(&tables);
        let presence = Presence::new(&tables);
        let players = Players::new(&matchmaking);
        let connections = Arc::new(Connections::new(ConnectionLimits::default(), &[]));
        let operator = Operator::new(&tables, &connections);
        let server = HttpServer::new(
            (&tables, &matchmaking, &presence, &players),
            (connections, operator),
            [0; 32],
            HttpLimits::default(),
            None,
            watch::channel(false).1,
        );
        Arc::clone(server.middleware.app())
    }

    /// The store does not have the player, so the stream ends when it checks all games.
    #[tokio::test(start_paused = true)]
    async fn frequent_notifications_do_not_delay_the_check_of_all_games() {
        let app = app();
        let player = PlayerId::new(1);
        let mut events = PlayerEvents::begin(&app, player, None).await.unwrap();
        let first = events.next().await.unwrap();
        assert!(first.starts_with(b"id: "));
        // The event stream cancels `next` at intervals, to send a comment that keeps the connection open.
        const STEP: Duration = Duration::from_secs(4);
        for _ in 0..2 {
            assert_eq!(timeout(STEP, events.next()).await.ok(), None);
            let feeds = app.players.feeds();
            feeds.notify(player, Some(GameId::new(1)));
        }
        assert_eq!(timeout(STEP, events.next()).await, Ok(None));
    }

    #[test]
    fn id_of_an_event_is_what_was_seen() {
        let mut seen = AllSeen {
            at_ms: 1_795_000_000_000,
            games: BTreeMap::new(),
        };
        for number in 0..3_u8 {
            let one = Seen {
                turn: 5,
                open_seats: usize::from(number == 0),
                offer: (number == 1).then_some(12),
                is_over: number == 2,
            };
            assert_eq!(seen.to_string().parse(), Ok(seen.clone()));
            seen.games.insert(GameId::new(number.into()), one);
        }
        let text = seen.to_string();
        assert_eq!(text.parse(), Ok(seen));
        for wrong in [
            "",
            "x",
            ",",
            "1,",
            "1,2",
            "-1",
            &format!("{text}.over"),
            &format!("{text},"),
        ] {
            assert_eq!(wrong.parse::<AllSeen>(), Err(()), "{wrong}");
        }
        let many = (0..101).map(|game| format!(",{}.1.0.0", GameId::new(game)));
        let many = format!("1{}", many.collect::<String>());
        assert_eq!(many.parse::<AllSeen>(), Err(()));
    }
}
