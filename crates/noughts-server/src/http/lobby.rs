//! `GET /api/games/events`: the tables that wait for players, and on request the games in progress, as an event
//! stream.
//!
//! A *watcher* is a client that follows the list. While there are watchers, a task reads the list from the
//! store. The task reads the list whenever a seat, a connection or a quick match changes on this node. The
//! task also reads the list at regular intervals. Turns, other nodes and the passing of time change the list
//! too, but they do not wake the task.
//!
//! Every message is encoded once for all watchers. A watcher that missed a change gets the whole list.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use noughts_api::{GameListing, LobbyMessage, ProblemKind};
use serde::Deserialize;
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};
use tracing::debug;
use utoipa::IntoParams;

use super::AppState;
use super::catalog::{MAX_LISTED, listings};
use super::error::{ApiError, api_error};
use super::extract::QueryParams;
use super::matches::waiting_matches;
use super::openapi::ListErrors;
use super::rate_limit::Client;
use super::stream::{EventSource, NO_ID, event_stream, to_json, write_event};
use crate::id::GameId;
use crate::store::{ListQuery, StoreError};
use crate::table::Status;
use crate::tables::Tables;

/// Interval at which a list is read if other nodes may change the list, or if the list includes the games in progress.
const SHORT_INTERVAL: Duration = Duration::from_secs(1);

/// Interval at which a list of waiting tables is read if there are no other nodes. Changes of seats and
/// connections on this node wake the task immediately. Some changes do not wake the task, for example
/// when a game is deleted, a player is renamed, or a table without connected players is no longer new. The list
/// may be out of date until the interval ends.
const LONG_INTERVAL: Duration = Duration::from_secs(10);

/// Minimum time between two reads of a list, so that one read covers several changes. The list with games in
/// progress changes more often, so it has the longer pause [`LIVE_PAUSE`].
const PAUSE: Duration = Duration::from_millis(100);
const LIVE_PAUSE: Duration = Duration::from_millis(300);

/// Maximum number of games in progress on the list.
const MAX_LIVE: usize = 200;

/// Maximum number of games in progress that are read to find live games (a player is connected, only robots play, or
/// the game is new). Many games are not live, because players often leave games against robots.
const MAX_LIVE_SCANNED: usize = 500;

/// Maximum time that a new watcher waits for the list.
const FIRST_TIMEOUT: Duration = Duration::from_secs(10);

/// Which games a [`Lobby`] lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LobbyContent {
    /// Attended tables with an open seat. A table is *attended* if a player is connected, or if the table is new.
    Waiting,
    /// The tables of [`Waiting`](LobbyContent::Waiting), the live games in progress, and how many players
    /// wait for a quick match. A game is *live* if a player is connected, if only robots play, or if the game
    /// is new.
    WaitingAndPlaying,
}

/// A list of tables, which is kept up to date while it has watchers.
pub(super) struct Lobby {
    content: LobbyContent,
    /// `None` before the list is first read, and while there are no watchers.
    latest: watch::Sender<Option<Arc<LobbyState>>>,
    /// Notified when a watcher connects.
    watcher_connected: Notify,
    /// The number of the latest state. It does not change when `latest` becomes `None`.
    number: AtomicU64,
}

/// One state of the list, encoded.
struct LobbyState {
    /// The number of this state: usually one more than the number of the previous state. After a time without
    /// watchers, the previous state is not known. Then `changes` is empty, and one number is skipped. Because
    /// of this gap, every watcher gets the whole list.
    number: u64,
    games: HashMap<GameId, Bytes>,
    /// The message with all tables.
    all: Bytes,
    /// The message that says how many players wait for a quick match; `None` if this lobby does not list games in
    /// progress.
    matches: Option<Bytes>,
    /// The messages that turn the previous state into this state, with their event names.
    changes: Vec<(&'static str, Bytes)>,
}

impl Lobby {
    pub(super) fn new(content: LobbyContent) -> Lobby {
        Lobby {
            content,
            latest: watch::Sender::new(None),
            watcher_connected: Notify::new(),
            number: AtomicU64::new(0),
        }
    }

    fn subscribe(&self) -> watch::Receiver<Option<Arc<LobbyState>>> {
        let states = self.latest.subscribe();
        self.watcher_connected.notify_one();
        states
    }

    /// Keeps the list up to date while there are watchers. Never ends.
    pub(super) async fn run(&self, tables: &Tables) {
        let (interval, pause) = match self.content {
            LobbyContent::WaitingAndPlaying => (SHORT_INTERVAL, LIVE_PAUSE),
            LobbyContent::Waiting if tables.bus().is_shared() => (SHORT_INTERVAL, PAUSE),
            LobbyContent::Waiting => (LONG_INTERVAL, PAUSE),
        };
        let mut lists = tables.watch_lists();
        loop {
            if self.latest.receiver_count() == 0 {
                self.latest.send_replace(None);
                self.watcher_connected.notified().await;
            }
            lists.mark_unchanged();
            if let Err(error) = self.update(tables).await {
                debug!(%error, "cannot read the lobby; retrying");
            }
            let _ = timeout(interval, lists.changed()).await;
            sleep(pause).await;
        }
    }

    /// Reads the list, and publishes it if it has changed.
    async fn update(&self, tables: &Tables) -> Result<(), StoreError> {
        let mut games = list(tables, Status::Waiting, MAX_LISTED).await?;
        let mut matches = None;
        if self.content == LobbyContent::WaitingAndPlaying {
            games.extend(list(tables, Status::Playing, MAX_LIVE).await?);
            let waiting = waiting_matches(tables).await?;
            matches = Some(to_json(&LobbyMessage::Matches(waiting)));
        }
        let mut encoded = HashMap::with_capacity(games.len());
        for (id, game) in &games {
            encoded.insert(*id, to_json(&LobbyMessage::Game(game.clone())));
        }
        self.latest.send_if_modified(|latest| {
            let before = latest.as_ref();
            let mut changes = changes(before.map(|state| &state.games), &encoded);
            if let Some(matches) = &matches
                && before.is_some_and(|before| before.matches.as_ref() != Some(matches))
            {
                changes.push(("matches", matches.clone()));
            }
            if before.is_some() && changes.is_empty() {
                return false;
            }
            tables.metrics().lobby_lists_encoded.inc();
            let games = games.into_iter().map(|(_, game)| game).collect();
            let step = if before.is_some() { 1 } else { 2 };
            *latest = Some(Arc::new(LobbyState {
                number: self.number.fetch_add(step, Ordering::Relaxed) + step,
                games: encoded,
                all: to_json(&LobbyMessage::Games(games)),
                matches,
                changes,
            }));
            true
        });
        Ok(())
    }
}

/// Returns the newest games with this status, at most `limit`. Waiting tables are included only if they are
/// attended. Games in progress are included only if they are live and among the newest [`MAX_LIVE_SCANNED`].
async fn list(
    tables: &Tables,
    status: Status,
    limit: usize,
) -> Result<Vec<(GameId, GameListing)>, StoreError> {
    let now_ms = tables.clock().now_ms();
    let query = ListQuery {
        variant: None,
        player: None,
        status: Some(status),
        attended_at_ms: Some(now_ms),
        before: None,
        limit: match status {
            Status::Playing => MAX_LIVE_SCANNED,
            Status::Unlisted | Status::Waiting | Status::Over => limit,
        },
    };
    let mut listed = tables.store().list(query).await?;
    if status == Status::Playing {
        let attendance = tables.attendance(&listed).await?;
        let mut attendance = attendance.into_iter();
        listed.retain(|game| {
            attendance
                .next()
                .is_some_and(|who| who.is_live(game, now_ms))
        });
        listed.truncate(limit);
    }
    let games = listings(tables, &listed).await?;
    Ok(listed.iter().map(|game| game.id).zip(games).collect())
}

/// The messages that turn the list `before` into the list `now`. There are no messages if `before` is `None`.
fn changes(
    before: Option<&HashMap<GameId, Bytes>>,
    now: &HashMap<GameId, Bytes>,
) -> Vec<(&'static str, Bytes)> {
    let Some(before) = before else {
        return Vec::new();
    };
    let gone = before.keys().filter(|id| !now.contains_key(id));
    let gone = gone.map(|id| ("gone", to_json(&LobbyMessage::Gone(id.to_string()))));
    let new = now.iter().filter(|(id, game)| before.get(id) != Some(game));
    let new = new.map(|(_, game)| ("game", game.clone()));
    gone.chain(new).collect()
}

/// The query parameter of the lobby's event stream.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct LobbyFilter {
    /// With `true`, the stream also has the games in progress, and how many players wait for a quick match.
    playing: Option<bool>,
}

/// Follows the lobby by server-sent events.
///
/// The data of each event is a LobbyMessage. The first event has all listed tables (`games`). A later event
/// has a table that was added or changed (`game`), or the id of a table that is no longer listed (`gone`).
/// The list has the tables that wait for players. With `playing=true`, the list also has the games in
/// progress, and events with `matches` say how many players wait for a quick match. A client that was too
/// slow gets `games` again.
#[utoipa::path(
    get, path = "/api/games/events", tag = "live", operation_id = "followLobby",
    params(LobbyFilter),
    responses(
        (status = 200, body = String, content_type = "text/event-stream", description = "Events whose data are LobbyMessage objects"),
        ListErrors,
    )
)]
pub(super) async fn lobby_events(
    State(app): State<Arc<AppState>>,
    QueryParams(filter): QueryParams<LobbyFilter>,
    client: Client,
) -> Result<Response, ApiError> {
    let now = app.tables.clock().now();
    let permit = app.rate_limiter.open_stream(&client, now)?;
    let lobby = match filter.playing {
        Some(true) => &app.live_lobby,
        Some(false) | None => &app.lobby,
    };
    let mut states = lobby.subscribe();
    let first = timeout(FIRST_TIMEOUT, states.wait_for(Option::is_some)).await;
    if !first.is_ok_and(|first| first.is_ok()) {
        return Err(api_error(
            ProblemKind::StoreUnavailable,
            "the store does not reply now; try again in a moment",
        ));
    }
    let number = None;
    Ok(event_stream(&app, permit, LobbyEvents { states, number }))
}

/// The events of one stream. The connection asks for the next events when the client has read the previous
/// events.
struct LobbyEvents {
    states: watch::Receiver<Option<Arc<LobbyState>>>,
    /// The number of the latest state that was sent to the watcher.
    number: Option<u64>,
}

impl EventSource for LobbyEvents {
    async fn next(&mut self) -> Option<Vec<u8>> {
        let sent = self.number;
        let is_new = |state: &Option<Arc<LobbyState>>| match state {
            Some(state) => Some(state.number) != sent,
            None => false,
        };
        let state = self.states.wait_for(is_new).await.ok()?.clone()?;
        self.number = Some(state.number);
        let mut chunk = Vec::new();
        match sent.map(|sent| sent + 1) == Some(state.number) {
            true => {
                for (name, message) in &state.changes {
                    write_event(&mut chunk, NO_ID, name, message);
                }
            }
            false => {
                write_event(&mut chunk, NO_ID, "games", &state.all);
                if let Some(matches) = &state.matches {
                    write_event(&mut chunk, NO_ID, "matches", matches);
                }
            }
        }
        Some(chunk)
    }
}
