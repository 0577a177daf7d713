//! `GET /api/games/{id}/ws`: a table both ways, over a WebSocket.

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

/// The longest message from a client; the longest that means something has a few hundred bytes.
const MAX_BYTES: usize = 4096;

/// With buffers of the usual size an idle connection costs 137 KB instead of some 10.
const BUFFER: usize = 4096;

/// More than the longest message has, a view of the largest board. Usually there is no bound.
const MOST_UNSENT: usize = 1024 * 1024;

/// How long a client may take to say who it is.
const HELLO: Duration = Duration::from_secs(10);

/// How long a client may say nothing before it is asked whether it is there, and how long it may
/// take to answer.
const SILENCE: Duration = Duration::from_secs(30);
const PONG: Duration = Duration::from_secs(30);

/// How long a client may take to read what it is told.
const TAKEN: Duration = Duration::from_secs(30);

/// How long a client may take to say good-bye.
const FAREWELL: Duration = Duration::from_secs(2);

/// After so many refusals in a row the connection is closed.
const MOST_REFUSALS: u32 = 50;

/// A WebSocket. The first message is `{"token":"…"}`, or `{}` to watch; then the bodies of `/actions`.
/// Heard are `{"view":…}`, `{"change":…}`, `{"presence":…}`, `{"problem":…}` and `{"restart":true}`.
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
        let why = format!("this address is for WebSockets: {}", error.body_text());
        api_error(ProblemKind::Unreadable, why)
    })?;
    let counted = app
        .rate_limiter
        .open_stream(&client, app.tables.clock().now())?;
    let upgrade = upgrade
        .read_buffer_size(BUFFER)
        .write_buffer_size(BUFFER)
        .max_write_buffer_size(MOST_UNSENT)
        .max_message_size(MAX_BYTES)
        .max_frame_size(MAX_BYTES);
    Ok(upgrade.on_upgrade(move |socket| async move {
        // In a box, so that those who only watch do not carry what those who play need.
        let mut visitor = Connection {
            app,
            id,
            client,
            socket,
            refusals: 0,
            _counted: counted,
        };
        let why = match visitor.come_in().await {
            Ok((follow, seat)) => visitor.stay(follow, seat).await,
            Err(why) => why,
        };
        visitor.see_out(why).await;
    }))
}

/// A page of somebody else's server must not play with what a browser knows of ours. Who is no
/// browser says no origin.
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
        "pages of other servers may not open a WebSocket here",
    ))
}

/// Somebody at the other end.
struct Connection {
    app: Arc<AppState>,
    id: GameId,
    client: Client,
    socket: WebSocket,
    /// In a row.
    refusals: u32,
    _counted: StreamPermit,
}

/// Why a conversation ended.
enum End {
    /// They are gone, or were never heard.
    Gone,
    /// They said good-bye.
    Parted,
    /// We do, for this reason.
    Sent(u16, &'static str),
}

impl End {
    /// What is too long or breaks the protocol ends it; the protocol says by which code.
    fn broken_by(error: axum::Error) -> End {
        use tokio_tungstenite::tungstenite::Error;
        use tokio_tungstenite::tungstenite::error::ProtocolError;
        match error.into_inner().downcast_ref() {
            Some(Error::Capacity(_)) => End::Sent(1009, "a message has at most 4096 bytes"),
            Some(Error::Utf8(_)) => End::Sent(1007, "text is UTF-8"),
            Some(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => End::Gone,
            Some(Error::Protocol(_)) => End::Sent(1002, "that is no frame of a client"),
            Some(_) | None => End::Gone,
        }
    }
}

impl Connection {
    /// The first message, and what is answered to it.
    async fn come_in(&mut self) -> Result<(Box<Follow>, Option<Seat>), End> {
        let patience = Instant::now() + HELLO;
        let mut closing = self.app.closing.clone();
        let text = loop {
            let heard = tokio::select! {
                heard = tokio::time::timeout_at(patience, self.socket.recv()) => heard,
                _ = closing.changed() => {
                    // No wait for the client's answer: it has never said anything.
                    let (code, reason) = (1012, "the server restarts".into());
                    let close = Message::Close(Some(CloseFrame { code, reason }));
                    let _ = self.send(close).await;
                    return Err(End::Gone);
                }
            };
            match heard.map_err(|_| End::Sent(1008, "the first message is missing"))? {
                Some(Ok(Message::Text(text))) => break text,
                Some(Ok(Message::Ping(_))) => self.flush().await?,
                Some(Ok(Message::Pong(_))) => {}
                Some(Ok(Message::Close(_))) => return Err(End::Parted),
                Some(Ok(Message::Binary(_))) => return Err(End::Sent(1003, "only text is read")),
                Some(Err(error)) => return Err(End::broken_by(error)),
                None => return Err(End::Gone),
            }
        };
        match self.greet(&text).await {
            Ok((follow, seat)) => {
                self.say(view_message(follow.snapshot())).await?;
                Ok((follow, seat))
            }
            Err(refuse) => {
                self.api_error(refuse).await?;
                Err(End::Sent(1008, "who is there?"))
            }
        }
    }

    async fn greet(&mut self, text: &str) -> Result<(Box<Follow>, Option<Seat>), ApiError> {
        let hello: Hello = read_object(text.as_bytes()).map_err(|error| {
            let detail = format!("the first message is {{\"token\":\"…\"}} or {{}}: {error}");
            api_error(ProblemKind::Unreadable, detail)
        })?;
        let seat = match hello.token {
            Some(token) => Some(self.app.pass(self.id, &token)?.seat),
            None => None,
        };
        let follow = Follow::begin(&self.app, self.id, seat).await?;
        Ok((Box::new(follow), seat))
    }

    /// Tells what happens and does what is asked until one of the two has enough.
    async fn stay(&mut self, mut follow: Box<Follow>, seat: Option<Seat>) -> End {
        let mut closing = self.app.closing.clone();
        let mut patience = Instant::now() + SILENCE;
        let mut is_asked = false;
        loop {
            let done = tokio::select! {
                heard = self.socket.recv() => {
                    (patience, is_asked) = (Instant::now() + SILENCE, false);
                    match heard {
                        Some(Ok(Message::Text(text))) => Box::pin(self.take(&text, seat, &mut follow)).await,
                        Some(Ok(Message::Ping(_))) => self.flush().await,
                        Some(Ok(Message::Pong(_))) => Ok(()),
                        Some(Ok(Message::Close(_))) => Err(End::Parted),
                        Some(Ok(Message::Binary(_))) => Err(End::Sent(1003, "only text is read")),
                        Some(Err(error)) => Err(End::broken_by(error)),
                        None => Err(End::Gone),
                    }
                }
                followed = follow.next() => match followed {
                    Some(Followed::Update(update)) => self.say(update_message(&update)).await,
                    Some(Followed::Snapshot(snapshot)) => self.say(view_message(&snapshot)).await,
                    None => Err(End::Sent(1012, "the table was closed; come again")),
                },
                () = sleep_until(patience) => {
                    if is_asked {
                        return End::Gone;
                    }
                    (patience, is_asked) = (Instant::now() + PONG, true);
                    self.send(Message::Ping(Default::default())).await
                }
                _ = closing.changed() => {
                    let said = self.say(Bytes::from_static(RESTART)).await;
                    said.and(Err(End::Sent(1012, "the server restarts")))
                }
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    /// Does what was asked for, and answers with the view or says why not.
    async fn take(
        &mut self,
        text: &str,
        seat: Option<Seat>,
        follow: &mut Follow,
    ) -> Result<(), End> {
        match self.act(text, seat).await {
            Ok(snapshot) => {
                self.refusals = 0;
                follow.has_sent(&snapshot);
                self.say(view_message(&snapshot)).await
            }
            Err(refuse) => self.api_error(refuse).await,
        }
    }

    async fn act(&mut self, text: &str, seat: Option<Seat>) -> Result<Arc<Snapshot>, ApiError> {
        self.app
            .rate_limiter
            .count_request(&self.client, 1, self.app.tables.clock().now())?;
        let act: ActionRequest = read_object(text.as_bytes()).map_err(|error| {
            api_error(
                ProblemKind::Unreadable,
                format!("a message is the body of an action: {error}"),
            )
        })?;
        let seat = seat.ok_or_else(|| {
            api_error(
                ProblemKind::NoToken,
                "who only watches does nothing; say your token in the first message",
            )
        })?;
        act_at(&self.app, (self.id, seat), &act, None, &self.client).await
    }

    async fn api_error(&mut self, refuse: ApiError) -> Result<(), End> {
        self.app.tables.metrics().count_problem(refuse.kind);
        let json = serde_json::to_vec(&StreamMessage::Problem(refuse.problem));
        self.say(json.expect("the types of the API are JSON").into())
            .await?;
        self.refusals += 1;
        match self.refusals < MOST_REFUSALS {
            true => Ok(()),
            false => Err(End::Sent(1008, "nothing but mistakes")),
        }
    }

    async fn say(&mut self, json: Bytes) -> Result<(), End> {
        let text = Utf8Bytes::try_from(json).map_err(|_| End::Gone)?;
        self.send(Message::Text(text)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        match timeout(TAKEN, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
    }

    /// Until the answer to a ping is out: who sends pings and does not read would have answers heaped up.
    async fn flush(&mut self) -> Result<(), End> {
        match timeout(TAKEN, self.socket.flush()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
    }

    /// Both say good-bye, in whatever order.
    async fn see_out(mut self, why: End) {
        let farewell = async {
            match why {
                End::Gone => return,
                End::Parted => {}
                End::Sent(code, reason) => {
                    let reason = reason.into();
                    let close = Message::Close(Some(CloseFrame { code, reason }));
                    if self.socket.send(close).await.is_err() {
                        return;
                    }
                }
            }
            // The answer to a good-bye goes out with the next look.
            while let Some(Ok(_)) = self.socket.recv().await {}
        };
        // Who does not want to hear it need not.
        let _ = timeout(FAREWELL, farewell).await;
    }
}
