//! Snapshots and updates as JSON, watchers of a table, event streams, and `GET /api/games/{id}/events`.

use std::convert::Infallible;
use std::fmt::Display;
use std::io::Write;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use noughts_api::{
    CellChange, Change as ChangeJson, FieldLocation, NineBoards, OfferKind, OfferView, Offers,
    OpenSeat, Outcome, Presence, ProblemKind, SeatView, StreamMessage, TableInfo, TurnView, View,
};
use noughts_rules::{Move, Seat, Side};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::sleep;

use super::AppState;
use super::error::{ApiError, api_error};
use super::extract::{PathParams, read_id};
use super::games::table;
use super::openapi::ViewErrors;
use super::rate_limit::{Client, StreamPermit};
use crate::id::GameId;
use crate::players::PlayerNames;
use crate::presence::Connected;
use crate::store::StoreError;
use crate::table::{
    Change, ClockView, Holder, MAX_LISTED_CELLS, Offer, OpenOffer, OpenTo, SeatSet, Snapshot,
    Table, TurnChange, Update,
};
use crate::tables::{LiveTable, Spectating, SubmitError, Watch};

// Changes and views list legal moves up to the same board size.
const _: () = assert!(MAX_LISTED_CELLS == noughts_api::MAX_LISTED_CELLS);

/// The JSON view of a snapshot.
pub(super) fn view_of(snapshot: &Snapshot) -> View {
    let who = TableInfo {
        id: snapshot.id.to_string(),
        entry: snapshot.entry,
        seats: seats(&snapshot.holders, snapshot.present, &snapshot.names),
        offers: offers(&snapshot.offers),
        clock: snapshot.clock.as_ref().map(clock),
        rematch: snapshot.rematch.map(|id| id.to_string()),
    };
    View::new(&snapshot.game, who)
}

/// The view as JSON, encoded once for all readers. `you` is the seat of the reader; `None` for a spectator.
pub(super) fn view_json(snapshot: &Snapshot, you: Option<Seat>) -> Bytes {
    let encode = || to_json(&view_of(snapshot));
    let json = snapshot.encoded_view.get_or_init(encode);
    with_you(json, "}", you)
}

/// The message with a snapshot, encoded once for all watchers. `you` is the seat of the watcher; `None` for a
/// spectator.
pub(super) fn view_message(snapshot: &Snapshot, you: Option<Seat>) -> Bytes {
    let encode = || to_json(&StreamMessage::View(view_of(snapshot)));
    let json = snapshot.encoded_message.get_or_init(encode);
    with_you(json, "}}", you)
}

/// Adds the field `you`, the caller's seat, to the encoded view `json`, which ends with `end`.
fn with_you(json: &Bytes, end: &str, you: Option<Seat>) -> Bytes {
    match (you, json.strip_suffix(end.as_bytes())) {
        (Some(Seat(seat)), Some(fields)) => {
            let you = format!(",\"you\":{seat}{end}");
            [fields, you.as_bytes()].concat().into()
        }
        (Some(_), None) | (None, _) => json.clone(),
    }
}

/// The message with an update, encoded once for all watchers. `you` is the seat of the watcher; `None` for a spectator.
pub(super) fn update_message(update: &Update, you: Option<Seat>) -> Bytes {
    match &update.change {
        Change::View(snapshot) => view_message(snapshot, you),
        change => {
            let encode = || to_json(&message_of(change));
            update.encoded.get_or_init(encode).clone()
        }
    }
}

fn message_of(change: &Change) -> StreamMessage {
    match change {
        Change::Turn(change) => StreamMessage::Change(change_json(change)),
        Change::Seats {
            holders,
            present,
            names,
        } => {
            let seats = seats(holders, *present, names);
            StreamMessage::Presence(Presence { seats })
        }
        Change::Offers {
            entry,
            offers: open,
        } => StreamMessage::Offers(Offers {
            entry: *entry,
            offers: offers(open),
        }),
        Change::View(snapshot) => StreamMessage::View(view_of(snapshot)),
    }
}

/// The event name of an update.
fn update_name(update: &Update) -> &'static str {
    match update.change {
        Change::Turn(_) => "change",
        Change::Seats { .. } => "presence",
        Change::Offers { .. } => "offers",
        Change::View(_) => "view",
    }
}

fn change_json(change: &TurnChange) -> ChangeJson {
    let write = |at: &Move| change.variant.format_move(*at);
    let cell = |(at, side): &(Move, Option<Side>)| CellChange {
        cell: write(at),
        side: side.map(|side| side.index() as u8),
    };
    let legal = change.legal.as_ref();
    ChangeJson {
        entry: change.entry,
        turn: change.number + 1,
        to_move: change.to_move.map(|seat| seat.0),
        last: TurnView::new(&change.variant, change.turn),
        cells: change.cells.iter().map(cell).collect(),
        legal: legal.map(|moves| moves.iter().map(write).collect()),
        rewind: change.longest_rewind,
        offers: offers(&change.offers),
        clock: change.clock.as_ref().map(clock),
        nine: change.nested.map(NineBoards::from),
        outcome: change
            .outcome
            .as_ref()
            .map(|outcome| Outcome::new(&change.variant, outcome)),
    }
}

fn seats(holders: &[Holder], present: SeatSet, names: &PlayerNames) -> Vec<SeatView> {
    let seat = |(seat, holder): (u8, &Holder)| {
        let mut view = match holder {
            Holder::Open(open_to) => SeatView::open(seat, open_seat(*open_to)),
            Holder::Human { .. } | Holder::Player(_) => {
                SeatView::human(seat, names.name(holder), present.contains(Seat(seat)))
            }
            Holder::Robot(_) => SeatView::robot(seat, names.name(holder)),
        };
        if let Some((id, info)) = holder.player_id().and_then(|id| Some((id, names.get(id)?))) {
            (view.player, view.bot) = (Some(id.to_string()), info.is_bot);
        }
        view
    };
    (0..).zip(holders).map(seat).collect()
}

/// Converts the way in which a seat is open to the form of the API.
pub(super) fn open_seat(open_to: OpenTo) -> OpenSeat {
    match open_to {
        OpenTo::Link | OpenTo::ListedLink => OpenSeat::Link,
        OpenTo::Lobby => OpenSeat::Lobby,
    }
}

fn offers(open: &[OpenOffer]) -> Vec<OfferView> {
    let offer = |open: &OpenOffer| OfferView {
        kind: match open.offer {
            Offer::Draw => OfferKind::Draw,
            Offer::Takeback => OfferKind::Takeback,
            Offer::Rematch => OfferKind::Rematch,
        },
        seat: open.seat.0,
        entry: open.entry,
    };
    open.iter().map(offer).collect()
}

fn clock(clock: &ClockView) -> noughts_api::ClockView {
    let running = clock.running.map(|seat| seat.0);
    noughts_api::ClockView::new(clock.settings, clock.left_ms.clone(), running)
}

pub(super) fn to_json(value: &impl serde::Serialize) -> Bytes {
    let json = serde_json::to_vec(value);
    json.expect("the types of the API are JSON").into()
}

/// A watcher of a table. A watcher receives a snapshot, and then every update in order. A watcher that is too
/// slow receives a new snapshot instead of the updates that it missed.
pub(super) struct Follow {
    live: Arc<LiveTable>,
    watch: Watch,
    /// The number of the latest entry that was sent to the watcher.
    entry: u32,
    /// Whether the watcher has missed an update and needs a new snapshot.
    has_missed: bool,
    /// Marks the player as present, if the watcher is a player.
    _connected: Option<Connected>,
    /// Counts the watcher as a spectator, if the watcher is not a player.
    _spectating: Option<Spectating>,
}

/// What to send to a watcher next.
pub(super) enum WatchEvent {
    /// The next update.
    Update(Arc<Update>),
    /// The current state, because the watcher has missed an update.
    Snapshot(Arc<Snapshot>),
}

impl Follow {
    /// Starts to follow a game, as the player of a seat or as a spectator.
    pub(super) async fn begin(
        app: &Arc<AppState>,
        id: GameId,
        seat: Option<Seat>,
    ) -> Result<Follow, ApiError> {
        let live = table(app, id).await?;
        let connected = seat.map(|seat| app.presence.connect(&live, seat));
        let spectating = seat.is_none().then(|| app.tables.spectate(&live));
        let watch = live.watch()?;
        Ok(Follow {
            entry: watch.snapshot.entry,
            live,
            watch,
            has_missed: false,
            _connected: connected,
            _spectating: spectating,
        })
    }

    /// The state of the table when the watcher began to follow it.
    pub(super) fn snapshot(&self) -> &Arc<Snapshot> {
        &self.watch.snapshot
    }

    /// The updates after the entry with the number `entry`, followed by the players' presence. `None` if there are too
    /// many updates, or if the log does not have this entry. In these cases the caller must send a snapshot.
    pub(super) fn resume(&mut self, entry: u32) -> Option<Vec<Update>> {
        let mut updates = self.live.changes_after(entry)?;
        let last = updates.iter().filter_map(|update| update.entry).next_back();
        self.entry = last.unwrap_or(entry);
        let now = self.live.snapshot();
        let seats = Change::Seats {
            holders: now.holders.clone(),
            present: now.present,
            names: Arc::clone(&now.names),
        };
        updates.push(Update::new(None, seats));
        Some(updates)
    }

    /// Records that the watcher got `snapshot` in a response.
    pub(super) fn note_sent(&mut self, snapshot: &Snapshot) {
        self.entry = self.entry.max(snapshot.entry);
    }

    /// Waits for the next update; `None` when the table is removed from memory. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<WatchEvent> {
        loop {
            if self.has_missed {
                self.has_missed = false;
                let snapshot = self.live.snapshot();
                self.entry = snapshot.entry;
                return Some(WatchEvent::Snapshot(snapshot));
            }
            match self.watch.updates.recv().await {
                Ok(update) => {
                    if self.takes(&update) {
                        return Some(WatchEvent::Update(update));
                    }
                }
                Err(RecvError::Lagged(_)) => {
                    self.watch.updates = self.watch.updates.resubscribe();
                    self.has_missed = true;
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// Returns whether to send the update to this watcher, and records which entries the watcher has. Returns
    /// false if the watcher already has the entry. Also returns false if the watcher has missed an earlier
    /// entry: then [`Follow::next`] returns a new snapshot instead.
    fn takes(&mut self, update: &Update) -> bool {
        match (&update.change, update.entry) {
            (Change::View(snapshot), _) => {
                self.entry = snapshot.entry;
                true
            }
            (_, None) => true,
            (_, Some(number)) if number <= self.entry => false,
            (_, Some(number)) => {
                self.has_missed = number > self.entry + 1;
                self.entry = number;
                !self.has_missed
            }
        }
    }
}

/// Follows a table by server-sent events.
///
/// The data of each event is a StreamMessage. The id of an event is the number of an entry in the game's log. A stream
/// begins with the view. A stream with `Last-Event-ID` begins with all later entries and the players' presence instead,
/// unless there are too many entries. With the token of a seat, or of a player who has a seat, the player is present
/// while the stream is open.
#[utoipa::path(
    get, path = "/api/games/{id}/events", tag = "live", operation_id = "followGame",
    params(
        ("id" = String, Path, description = "the game"),
        ("Last-Event-ID" = Option<u32>, Header, description = "the latest entry that the client has"),
    ),
    security((), ("seat" = [])),
    responses(
        (status = 200, body = String, content_type = "text/event-stream", description = "Events whose data are StreamMessage objects"),
        ViewErrors,
    )
)]
pub(super) async fn events(
    State(app): State<Arc<AppState>>,
    PathParams([id]): PathParams<1>,
    client: Client,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = read_id(&id)?;
    let live = table(&app, id).await?;
    let seat = app.seat_in_header(&live, &headers).await?;
    let seen = last_event_id(&headers)?;
    let is_ahead = seen > Some(live.read(Table::entry));
    if is_ahead && app.tables.bus().is_shared() && !app.tables.refresh(&live).await {
        // The client got entries from another node, and this node cannot read them now. An older view would undo these
        // entries at the client.
        let why = "the store did not send the latest entries".to_owned();
        return Err(SubmitError::Unavailable(StoreError::Unavailable(why)).into());
    }
    drop(live);
    let now = app.tables.clock().now();
    let permit = app.rate_limiter.open_stream(&client, now)?;
    let mut follow = Follow::begin(&app, id, seat).await?;
    if seen.is_some() {
        let entries = follow.snapshot().entry as usize;
        app.rate_limiter.count_replay(&client, entries, now)?;
    }
    let mut first = Vec::new();
    match seen.and_then(|entry| follow.resume(entry)) {
        Some(updates) => {
            /// Estimated size of an encoded event, in bytes. Most changes are smaller.
            const EVENT_BYTES: usize = 256;
            first.reserve(updates.len() * EVENT_BYTES);
            for update in &updates {
                write_missed(&mut first, update, seat);
            }
        }
        None => write_view(&mut first, follow.snapshot(), seat),
    }
    let events = GameEvents {
        first,
        follow,
        seat,
    };
    Ok(event_stream(&app, permit, events))
}

/// The events of a game. The connection asks for the next events when the client has read the previous
/// events.
struct GameEvents {
    /// The encoded events that the stream begins with.
    first: Vec<u8>,
    follow: Follow,
    seat: Option<Seat>,
}

impl EventSource for GameEvents {
    async fn next(&mut self) -> Option<Vec<u8>> {
        if !self.first.is_empty() {
            return Some(std::mem::take(&mut self.first));
        }
        let mut chunk = Vec::new();
        match self.follow.next().await? {
            WatchEvent::Update(update) => write_update(&mut chunk, &update, self.seat),
            WatchEvent::Snapshot(snapshot) => write_view(&mut chunk, &snapshot, self.seat),
        }
        Some(chunk)
    }
}

fn write_view(chunk: &mut Vec<u8>, snapshot: &Snapshot, you: Option<Seat>) {
    let message = view_message(snapshot, you);
    write_event(chunk, Some(snapshot.entry), "view", &message);
}

fn write_update(chunk: &mut Vec<u8>, update: &Update, you: Option<Seat>) {
    let message = update_message(update, you);
    write_event(chunk, update.entry, update_name(update), &message);
}

/// Like [`write_update`], but for a single client: the encoded form is not cached for other clients.
fn write_missed(chunk: &mut Vec<u8>, update: &Update, you: Option<Seat>) {
    if let Change::View(_) = update.change {
        return write_update(chunk, update, you);
    }
    begin_event(chunk, update.entry, update_name(update));
    let written = serde_json::to_writer(&mut *chunk, &message_of(&update.change));
    written.expect("the types of the API are JSON");
    chunk.extend_from_slice(END_OF_EVENT);
}

/// A source of the events of a stream.
pub(super) trait EventSource: Send + 'static {
    /// Waits for the next events, and encodes them; `None` if there are no more. Cancel safe.
    fn next(&mut self) -> impl Future<Output = Option<Vec<u8>>> + Send;
}

/// Interval at which an event stream without events sends a comment, so that proxies keep the connection
/// open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Responds with server-sent events. When the server stops, the last event is `restart`. When the client is banned,
/// the stream ends.
pub(super) fn event_stream(
    app: &AppState,
    permit: StreamPermit,
    source: impl EventSource,
) -> Response {
    let open = (source, Some(app.closing.clone()), permit);
    let chunks = unfold(open, |(mut source, mut closing, permit)| async move {
        let mut is_closing = closing.take()?;
        let chunk = tokio::select! {
            chunk = source.next() => chunk?,
            () = sleep(KEEP_ALIVE) => b":\n\n".to_vec(),
            _ = is_closing.changed() => {
                let mut restart = Vec::new();
                write_event(&mut restart, NO_ID, "restart", RESTART);
                return Some((Ok(restart.into()), (source, None, permit)));
            }
            () = permit.wait_for_ban() => return None,
        };
        let chunk = Ok::<Bytes, Infallible>(chunk.into());
        Some((chunk, (source, Some(is_closing), permit)))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, Body::from_stream(chunks)).into_response()
}

/// The argument `id` of [`write_event`] for events without an id.
pub(super) const NO_ID: Option<u32> = None;

/// Appends an event. The JSON must be one line.
pub(super) fn write_event(chunk: &mut Vec<u8>, id: Option<impl Display>, name: &str, json: &[u8]) {
    begin_event(chunk, id, name);
    chunk.extend_from_slice(json);
    chunk.extend_from_slice(END_OF_EVENT);
}

const END_OF_EVENT: &[u8] = b"\n\n";

fn begin_event(chunk: &mut Vec<u8>, id: Option<impl Display>, name: &str) {
    // Writing to a vector does not fail.
    if let Some(id) = id {
        let _ = writeln!(chunk, "id: {id}");
    }
    let _ = write!(chunk, "event: {name}\ndata: ");
}

/// Parses the header `Last-Event-ID`; `None` without this header.
pub(super) fn last_event_id<T: FromStr>(headers: &HeaderMap) -> Result<Option<T>, ApiError> {
    let Some(value) = headers.get("last-event-id") else {
        return Ok(None);
    };
    let seen = value.to_str().ok().and_then(|text| text.parse().ok());
    let wrong = || {
        let detail = "Last-Event-ID must be the id of an event";
        let wrong = api_error(ProblemKind::WrongFormat, detail);
        wrong.at(FieldLocation::Header, "/Last-Event-ID")
    };
    seen.map(Some).ok_or_else(wrong)
}

/// The last message of a stream before the server stops.
pub(super) const RESTART: &[u8] = b"{\"restart\":true}";
