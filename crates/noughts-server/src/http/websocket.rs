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
use noughts_api::{ActionRequest, Hello, Problem, ProblemKind, StreamMessage};
use noughts_rules::Seat;
use tokio::time::{Instant, sleep_until, timeout};

use super::AppState;
use super::error::{ApiError, api_error};
use super::extract::{PathParams, read_id, read_object};
use super::games::{act_at, table};
use super::rate_limit::{Client, StreamPermit};
use super::stream::{Follow, Followed, RESTART, update_message, view_message};
use crate::id::GameId;
use crate::table::Snapshot;

/// Maximum size of a client's message; valid ones have a few hundred bytes.
const MAX_BYTES: usize = 4096;

/// With the default size an idle connection takes 137 KB instead of about 10 KB.
const BUFFER_BYTES: usize = 4096;

/// More than the longest message, a view of the largest board. The default has no limit.
const MAX_UNSENT_BYTES: usize = 1024 * 1024;

/// Time for the client's first message.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// A client that is silent for this long gets a ping, and must answer within this time.
const PING_AFTER: Duration = Duration::from_secs(30);
const PONG_TIMEOUT: Duration = Duration::from_secs(30);

/// Time for a client to read a message.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Time for the closing handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Number of consecutive refusals after which the connection is closed.
const MAX_REFUSALS: u32 = 50;

/// Opens a WebSocket. The client first sends `{"token":"…"}` to play or `{}` to watch, then bodies of `/actions`.
/// The server sends `{"view":…}`, `{"change":…}`, `{"presence":…}`, `{"problem":…}` and `{"restart":true}`.
#[utoipa::path(
    get, path = "/api/games/{id}/ws", tag = "live",
    params(("id" = String, Path, description = "the game")),
    responses(
        (status = 101, description = "from here on it is a WebSocket"),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
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
    table(&app, id).await?;
    check_origin(&headers, &app.rate_limiter.limits().origins)?;
    let upgrade = upgrade.map_err(|error| {
        let detail = format!("this path is for WebSockets: {}", error.body_text());
        api_error(ProblemKind::Unreadable, detail)
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
            _counted: counted,
        };
        let end = match connection.handshake().await {
            Ok((follow, seat)) => connection.run(follow, seat).await,
            Err(end) => end,
        };
        connection.close(end).await;
    }))
}

/// Refuses pages of other origins. Clients that are not browsers send no `Origin`.
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

/// One WebSocket connection.
struct Connection {
    app: Arc<AppState>,
    id: GameId,
    client: Client,
    socket: WebSocket,
    /// Consecutive refusals.
    refusals: u32,
    _counted: StreamPermit,
}

/// Why a connection ended.
enum End {
    /// The client is gone.
    Gone,
    /// The client sent a close frame.
    ClosedByClient,
    /// The server closes it, with this code and reason.
    Close(u16, &'static str),
}

impl End {
    /// The close code for an invalid message.
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
    /// Reads the client's first message and answers it with the view.
    async fn handshake(&mut self) -> Result<(Box<Follow>, Option<Seat>), End> {
        let deadline = Instant::now() + HANDSHAKE_TIMEOUT;
        let mut closing = self.app.closing.clone();
        let text = loop {
            let received = tokio::select! {
                received = tokio::time::timeout_at(deadline, self.socket.recv()) => received,
                _ = closing.changed() => {
                    // The client has sent nothing yet, so its close frame is not waited for.
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
        match self.authenticate(&text).await {
            Ok((follow, seat)) => {
                self.send_json(view_message(follow.snapshot())).await?;
                Ok((follow, seat))
            }
            Err(error) => {
                self.send_problem(error).await?;
                Err(End::Close(1008, "the first message is invalid"))
            }
        }
    }

    async fn authenticate(&mut self, text: &str) -> Result<(Box<Follow>, Option<Seat>), ApiError> {
        let hello: Hello = read_object(text.as_bytes()).map_err(|error| {
            let detail = format!("the first message must be {{\"token\":\"…\"}} or {{}}: {error}");
            api_error(ProblemKind::Unreadable, detail)
        })?;
        let seat = match hello.token {
            Some(token) => Some(self.app.seat_of_token(self.id, &token)?.seat),
            None => None,
        };
        let follow = Follow::begin(&self.app, self.id, seat).await?;
        Ok((Box::new(follow), seat))
    }

    /// Sends updates and carries out actions until the connection ends.
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
                    Some(Followed::Update(update)) => self.send_json(update_message(&update)).await,
                    Some(Followed::Snapshot(snapshot)) => self.send_json(view_message(&snapshot)).await,
                    None => Err(End::Close(1012, "the table left memory; connect again")),
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

    /// Carries out an action, and answers with the view or a problem.
    async fn handle(
        &mut self,
        text: &str,
        seat: Option<Seat>,
        follow: &mut Follow,
    ) -> Result<(), End> {
        match self.act(text, seat).await {
            Ok(snapshot) => {
                self.refusals = 0;
                follow.note_sent(&snapshot);
                self.send_json(view_message(&snapshot)).await
            }
            Err(error) => self.send_problem(error).await,
        }
    }

    async fn act(&mut self, text: &str, seat: Option<Seat>) -> Result<Arc<Snapshot>, ApiError> {
        self.app
            .rate_limiter
            .count_request(&self.client, 1, self.app.tables.clock().now())?;
        let act: ActionRequest = read_object(text.as_bytes()).map_err(|error| {
            api_error(
                ProblemKind::Unreadable,
                format!("a message must be the body of an action: {error}"),
            )
        })?;
        let seat = seat.ok_or_else(|| {
            api_error(
                ProblemKind::NoToken,
                "a spectator cannot act; send your token in the first message",
            )
        })?;
        let live = table(&self.app, self.id).await?;
        act_at(&self.app, (live, seat), &act, None, &self.client).await
    }

    async fn send_problem(&mut self, error: ApiError) -> Result<(), End> {
        self.app.tables.metrics().count_problem(error.kind);
        let json = serde_json::to_vec(&StreamMessage::Problem(error.problem));
        self.send_json(json.expect("the types of the API are JSON").into())
            .await?;
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

    /// Sends the answer to a ping before anything else is read. Otherwise a client that sends pings and does not read
    /// would fill the write buffer.
    async fn flush(&mut self) -> Result<(), End> {
        match timeout(WRITE_TIMEOUT, self.socket.flush()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
    }

    /// The closing handshake, whichever side began it.
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
        // A client that does not answer is dropped.
        let _ = timeout(CLOSE_TIMEOUT, closing_handshake).await;
    }
}
