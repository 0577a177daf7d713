//! `GET /api/games/{id}/ws`: live updates and actions over a WebSocket.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::SinkExt;
use noughts_api::{ActionRequest, Hello, ProblemKind, StreamMessage};
use noughts_rules::Seat;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep_until, timeout};
use utoipa::ToSchema;

use super::AppState;
use super::error::{ApiError, api_error};
use super::extract::{PathParams, bearer, read_id, read_object};
use super::games::{act_at, table};
use super::openapi::WebSocketErrors;
use super::rate_limit::Client;
use super::stream::{Follow, RESTART, WatchEvent, update_message, view_message};
use crate::id::GameId;
use crate::table::Snapshot;

/// Maximum size of a client's message, in bytes. Valid messages have a few hundred bytes.
const MAX_BYTES: usize = 4096;

/// Size of the read buffer and of the write buffer, in bytes. With the default size, an idle connection would
/// take 137 KB of memory instead of about 8 KB.
const BUFFER_BYTES: usize = 4096;

/// Maximum size of the write buffer, in bytes. The default is unlimited. The longest message, a view of the
/// largest board, is smaller.
const MAX_UNSENT_BYTES: usize = 1024 * 1024;

/// Maximum time until the client's first message.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// If a client sends nothing for this long, the server sends a ping. Then the client must send something
/// within [`PONG_TIMEOUT`].
const PING_AFTER: Duration = Duration::from_secs(30);
const PONG_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum time to send a message. Sending takes longer only if the client does not read.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum time for the closing handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Number of consecutive refusals after which the connection is closed.
const MAX_REFUSALS: u32 = 50;

/// Follows a table, and plays at it, over a WebSocket.
///
/// The first message of the client is a Hello: `{"token":"…"}` to play, or `{}` to watch. Each further
/// message is an ActionRequest, like a body of `/actions`. If the upgrade request has the token in
/// `Authorization`, omit the Hello: the server sends the view immediately. An answer repeats the `id` of the
/// message that it answers. The server sends objects of the schema StreamMessage: `{"view":…}`,
/// `{"change":…}`, `{"presence":…}`, `{"offers":…}`, `{"problem":…}` and `{"restart":true}`.
#[utoipa::path(
    get, path = "/api/games/{id}/ws", tag = "live", operation_id = "openWebSocket",
    params(("id" = String, Path, description = "the game")),
    security((), ("seat" = [])),
    responses(
        (status = 101, description = "The connection is a WebSocket from here on"),
        WebSocketErrors,
    )
)]
pub(super) async fn websocket(
    State(app): State<Arc<AppState>>,
    PathParams([id]): PathParams<1>,
    client: Client,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let id = read_id(&id)?;
    let live = table(&app, id).await?;
    check_origin(&headers, &app.rate_limiter.limits().origins)?;
    let seat = match bearer(&headers)? {
        Some(token) => Some(app.watched_seat(&live, token).await?),
        None => None,
    };
    drop(live);
    let upgrade = upgrade.map_err(|_| {
        let detail = "this address is for WebSockets, version 13; /events is an event stream";
        api_error(ProblemKind::NotAWebSocket, detail)
    })?;
    let counted = app
        .rate_limiter
        .open_stream(&client, app.tables.clock().now())?;
    let upgrade = upgrade
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_write_buffer_size(MAX_UNSENT_BYTES)
        .max_message_size(MAX_BYTES)
        .max_frame_size(MAX_BYTES);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let mut connection = Connection {
            app,
            id,
            client,
            socket,
            refusals: 0,
        };
        let end = tokio::select! {
            end = connection.serve(seat) => end,
            () = counted.wait_for_ban() => End::Close(1008, "the operator has banned this address"),
        };
        Box::pin(connection.close(end)).await;
    }))
}

/// Refuses pages of other origins, except the origins in `others`. A request without `Origin` is accepted, because it
/// does not come from a browser.
fn check_origin(headers: &HeaderMap, others: &[String]) -> Result<(), ApiError> {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return Ok(());
    };
    let origin = origin.to_str().unwrap_or_default();
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let its_host = origin.split_once("://").map(|(_, host)| host);
    let is_ours = its_host.is_some() && its_host == host;
    if is_ours || others.iter().any(|other| other == origin) {
        return Ok(());
    }
    Err(api_error(
        ProblemKind::ForeignOrigin,
        "pages of other origins may not open a WebSocket",
    ))
}

/// The id of a client's message, which the answer repeats.
#[derive(Deserialize)]
struct MessageId {
    id: String,
}

/// Maximum length of an id, in characters.
const MAX_ID_LENGTH: usize = 64;

/// Parses a client's message. Returns the id of the message even if the rest of the message is invalid.
fn read_message<T: DeserializeOwned + ToSchema>(
    text: &str,
    subject: &str,
) -> (Option<MessageId>, Result<T, ApiError>) {
    let id = serde_json::from_str::<MessageId>(text).ok();
    match id {
        Some(id) if id.id.chars().count() > MAX_ID_LENGTH => {
            let detail = format!("\"id\" has at most {MAX_ID_LENGTH} characters");
            let too_long = api_error(ProblemKind::OutOfRange, detail).in_body("/id");
            (None, Err(too_long))
        }
        id => (id, read_object(text.as_bytes(), subject)),
    }
}

/// Adds the id of the client's message to the answer, which is a JSON object.
fn with_id(answer: Bytes, id: Option<&MessageId>) -> Bytes {
    let (Some(id), Some(rest)) = (id, answer.strip_prefix(b"{")) else {
        return answer;
    };
    let id = serde_json::to_string(&id.id).expect("a text is JSON");
    [b"{\"id\":", id.as_bytes(), b",", rest].concat().into()
}

/// The seat that the token in the first message acts for; `None` for a spectator.
async fn seat_of(
    app: &Arc<AppState>,
    game: GameId,
    hello: Result<Hello, ApiError>,
) -> Result<Option<Seat>, ApiError> {
    let Some(token) = hello?.token else {
        return Ok(None);
    };
    let live = table(app, game).await?;
    app.watched_seat(&live, &token).await
}

/// One WebSocket connection.
struct Connection {
    app: Arc<AppState>,
    id: GameId,
    client: Client,
    socket: WebSocket,
    /// Number of consecutive refusals.
    refusals: u32,
}

/// How a connection ended.
enum End {
    /// The client is gone.
    Gone,
    /// The client sent a close frame.
    ClosedByClient,
    /// The server closes the connection, with a close code and a reason.
    Close(u16, &'static str),
}

impl End {
    /// How the connection ends after an error. If the client sent an invalid message, the server closes the connection
    /// with a close code. After any other error, the client is gone.
    fn from_error(error: axum::Error) -> End {
        use tokio_tungstenite::tungstenite::Error;
        use tokio_tungstenite::tungstenite::error::ProtocolError;
        match error.into_inner().downcast_ref() {
            Some(Error::Capacity(_)) => End::Close(1009, "a message has at most 4096 bytes"),
            Some(Error::Utf8(_)) => End::Close(1007, "text must be UTF-8"),
            Some(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => End::Gone,
            Some(Error::Protocol(_)) => End::Close(1002, "invalid frame"),
            Some(_) | None => End::Gone,
        }
    }
}

impl Connection {
    /// Serves the client. `seat` is `None` if the upgrade request had no token. It is `Some(None)` if the request had
    /// the token of a player without a seat at this table.
    async fn serve(&mut self, seat: Option<Option<Seat>>) -> End {
        // Without the boxes, these futures would make the task of an idle connection twice as large.
        let begun = match seat {
            Some(seat) => Box::pin(self.begin(seat, None)).await,
            None => Box::pin(self.handshake()).await,
        };
        match begun {
            Ok((follow, seat)) => self.run(follow, seat).await,
            Err(end) => end,
        }
    }

    /// Reads the client's first message and answers it with the view.
    async fn handshake(&mut self) -> Result<(Box<Follow>, Option<Seat>), End> {
        let deadline = Instant::now() + HANDSHAKE_TIMEOUT;
        let mut closing = self.app.closing.clone();
        let text = loop {
            let received = tokio::select! {
                received = tokio::time::timeout_at(deadline, self.socket.recv()) => received,
                _ = closing.changed() => {
                    // The client has sent nothing yet, so the server does not wait for a close frame of the client.
                    let (code, reason) = (1012, "the server restarts".into());
                    let close = Message::Close(Some(CloseFrame { code, reason }));
                    let _ = self.send(close).await;
                    return Err(End::Gone);
                }
            };
            match received.map_err(|_| End::Close(1008, "the first message is missing"))? {
                Some(Ok(Message::Text(text))) => break text,
                Some(Ok(Message::Ping(_))) => self.flush().await?,
                Some(Ok(Message::Pong(_))) => {}
                Some(Ok(Message::Close(_))) => return Err(End::ClosedByClient),
                Some(Ok(Message::Binary(_))) => {
                    return Err(End::Close(1003, "only text messages are allowed"));
                }
                Some(Err(error)) => return Err(End::from_error(error)),
                None => return Err(End::Gone),
            }
        };
        let (id, hello) = read_message::<Hello>(&text, "first message");
        match seat_of(&self.app, self.id, hello).await {
            Ok(seat) => self.begin(seat, id).await,
            Err(error) => Err(self.refuse(error, id).await),
        }
    }

    /// Begins to follow the game, and sends the view.
    async fn begin(
        &mut self,
        seat: Option<Seat>,
        id: Option<MessageId>,
    ) -> Result<(Box<Follow>, Option<Seat>), End> {
        match Follow::begin(&self.app, self.id, seat).await {
            Ok(follow) => {
                let view = with_id(view_message(follow.snapshot(), seat), id.as_ref());
                self.send_json(view).await?;
                Ok((Box::new(follow), seat))
            }
            Err(error) => Err(self.refuse(error, id).await),
        }
    }

    /// Sends a problem as the answer to the client's first message, and returns how the server then closes the
    /// connection.
    async fn refuse(&mut self, error: ApiError, id: Option<MessageId>) -> End {
        match self.send_problem(error, id.as_ref()).await {
            Ok(()) => End::Close(1008, "the first message is invalid"),
            Err(end) => end,
        }
    }

    /// Sends updates and performs actions until the connection ends.
    async fn run(&mut self, mut follow: Box<Follow>, seat: Option<Seat>) -> End {
        let mut closing = self.app.closing.clone();
        let mut deadline = Instant::now() + PING_AFTER;
        let mut is_pinged = false;
        loop {
            let done = tokio::select! {
                received = self.socket.recv() => {
                    (deadline, is_pinged) = (Instant::now() + PING_AFTER, false);
                    match received {
                        Some(Ok(Message::Text(text))) => Box::pin(self.handle(&text, seat, &mut follow)).await,
                        Some(Ok(Message::Ping(_))) => self.flush().await,
                        Some(Ok(Message::Pong(_))) => Ok(()),
                        Some(Ok(Message::Close(_))) => Err(End::ClosedByClient),
                        Some(Ok(Message::Binary(_))) => Err(End::Close(1003, "only text messages are allowed")),
                        Some(Err(error)) => Err(End::from_error(error)),
                        None => Err(End::Gone),
                    }
                }
                followed = follow.next() => match followed {
                    Some(WatchEvent::Update(update)) => self.send_json(update_message(&update, seat)).await,
                    Some(WatchEvent::Snapshot(snapshot)) => self.send_json(view_message(&snapshot, seat)).await,
                    None => Err(End::Close(1012, "the table was removed from memory; connect again")),
                },
                () = sleep_until(deadline) => {
                    if is_pinged {
                        return End::Gone;
                    }
                    (deadline, is_pinged) = (Instant::now() + PONG_TIMEOUT, true);
                    self.send(Message::Ping(Default::default())).await
                }
                _ = closing.changed() => {
                    let said = self.send_json(Bytes::from_static(RESTART)).await;
                    said.and(Err(End::Close(1012, "the server restarts")))
                }
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    /// Performs an action, and answers with the view or a problem.
    async fn handle(
        &mut self,
        text: &str,
        seat: Option<Seat>,
        follow: &mut Follow,
    ) -> Result<(), End> {
        let (id, act) = read_message::<ActionRequest>(text, "message");
        match self.act(act, seat).await {
            Ok(snapshot) => {
                self.refusals = 0;
                follow.note_sent(&snapshot);
                let view = with_id(view_message(&snapshot, seat), id.as_ref());
                self.send_json(view).await
            }
            Err(error) => self.send_problem(error, id.as_ref()).await,
        }
    }

    async fn act(
        &mut self,
        act: Result<ActionRequest, ApiError>,
        seat: Option<Seat>,
    ) -> Result<Arc<Snapshot>, ApiError> {
        self.app
            .rate_limiter
            .count_request(&self.client, 1, self.app.tables.clock().now())?;
        let act = act?;
        let seat = seat.ok_or_else(|| {
            api_error(
                ProblemKind::NoToken,
                "a spectator cannot act; send your token in the first message",
            )
        })?;
        let live = table(&self.app, self.id).await?;
        act_at(&self.app, (live, seat), &act, None, &self.client).await
    }

    async fn send_problem(&mut self, error: ApiError, id: Option<&MessageId>) -> Result<(), End> {
        self.app.tables.metrics().count_problem(error.kind);
        let json = serde_json::to_vec(&StreamMessage::Problem(*error.problem));
        let json = json.expect("the types of the API are JSON");
        self.send_json(with_id(json.into(), id)).await?;
        self.refusals += 1;
        match self.refusals < MAX_REFUSALS {
            true => Ok(()),
            false => Err(End::Close(1008, "too many refused messages in a row")),
        }
    }

    async fn send_json(&mut self, json: Bytes) -> Result<(), End> {
        let text = Utf8Bytes::try_from(json).map_err(|_| End::Gone)?;
        self.send(Message::Text(text)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        match timeout(WRITE_TIMEOUT, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
    }

    /// Sends the answer to a ping before the server reads the next message. Otherwise a client that sends
    /// pings and does not read would fill the write buffer.
    async fn flush(&mut self) -> Result<(), End> {
        match timeout(WRITE_TIMEOUT, self.socket.flush()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
    }

    /// Answers the client's closing handshake, or starts one. Does nothing if the client is gone.
    async fn close(mut self, end: End) {
        let closing_handshake = async {
            match end {
                End::Gone => return,
                End::ClosedByClient => {}
                End::Close(code, reason) => {
                    let reason = reason.into();
                    let close = Message::Close(Some(CloseFrame { code, reason }));
                    if self.socket.send(close).await.is_err() {
                        return;
                    }
                }
            }
            // Receiving also sends the answer to the client's close frame.
            while let Some(Ok(_)) = self.socket.recv().await {}
        };
        // If the client does not answer in time, the server drops the connection.
        let _ = timeout(CLOSE_TIMEOUT, closing_handshake).await;
    }
}
