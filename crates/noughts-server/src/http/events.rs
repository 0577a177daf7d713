//! `GET /api/games/{id}/events`: everything that happens at a table, as it happens.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use noughts_api::{Problem, ProblemKind};
use tokio::sync::mpsc;

use super::AppState;
use super::error::{ApiError, api_error};
use super::extract::{PathParams, bearer, read_id};
use super::games::table;
use super::rate_limit::{Client, StreamPermit};
use super::stream::{Follow, Followed, update_message, update_name, view_message};
use crate::table::{Snapshot, Update};

/// Events that wait for a slow reader; each may be a view of the largest board. Beyond, the stream
/// itself waits, and falls behind until it sends a new view.
const MAX_WAITING: usize = 1;

/// Server-sent events. The id of an event is the number of an entry of the game's log. A new stream
/// begins with the view; with `Last-Event-ID` it brings everything later, in order, and then who is
/// present. With a seat's token the player is present for as long as the stream lasts.
#[utoipa::path(
    get, path = "/api/games/{id}/events", tag = "live",
    params(
        ("id" = String, Path, description = "the game"),
        ("Last-Event-ID" = Option<u32>, Header, description = "the latest entry that was seen"),
    ),
    security((), ("seat" = [])),
    responses(
        (status = 200, body = String, content_type = "text/event-stream"),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn events(
    State(app): State<Arc<AppState>>,
    PathParams([id]): PathParams<1>,
    client: Client,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = read_id(&id)?;
    table(&app, id).await?;
    let seat = match bearer(&headers) {
        Some(token) => Some(app.pass(id, token)?.seat),
        None => None,
    };
    let seen = match headers.get("last-event-id") {
        None => None,
        Some(value) => {
            let number = value.to_str().ok().and_then(|text| text.parse().ok());
            let wrong = || {
                api_error(
                    ProblemKind::Unreadable,
                    "Last-Event-ID is the number of an entry, as it was sent",
                )
            };
            Some(number.ok_or_else(wrong)?)
        }
    };
    let counted = app
        .rate_limiter
        .open_stream(&client, app.tables.clock().now())?;
    let follow = Follow::begin(&app, id, seat).await?;
    let (sender, events) = mpsc::channel(MAX_WAITING);
    let closing = app.closing.clone();
    tokio::spawn(send(follow, seen, sender, closing, counted));
    let stream = Sse::new(Events(events));
    Ok(stream
        .keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
        .into_response())
}

/// Sends what happens until nobody reads any more.
async fn send(
    mut follow: Follow,
    seen: Option<u32>,
    sender: mpsc::Sender<Event>,
    mut closing: tokio::sync::watch::Receiver<bool>,
    _permit: StreamPermit,
) {
    let resumed = seen.and_then(|entry| follow.resume(entry));
    let first = match resumed {
        Some(updates) => updates.iter().map(update_event).collect(),
        None => vec![view_event(follow.snapshot())],
    };
    for event in first {
        if sender.send(event).await.is_err() {
            return;
        }
    }
    loop {
        let followed = tokio::select! {
            followed = follow.next() => followed,
            () = sender.closed() => return,
            _ = closing.changed() => {
                let _ = sender.send(event(None, "restart", b"{\"restart\":true}")).await;
                return;
            }
        };
        let event = match followed {
            Some(Followed::Update(update)) => update_event(&update),
            Some(Followed::Snapshot(snapshot)) => view_event(&snapshot),
            None => return,
        };
        if sender.send(event).await.is_err() {
            return;
        }
    }
}

fn view_event(snapshot: &Snapshot) -> Event {
    event(Some(snapshot.entry), "view", &view_message(snapshot))
}

fn update_event(update: &Update) -> Event {
    event(update.entry, update_name(update), &update_message(update))
}

fn event(id: Option<u32>, name: &str, json: &[u8]) -> Event {
    let event = match id {
        Some(id) => Event::default().id(id.to_string()),
        None => Event::default(),
    };
    event.event(name).data(String::from_utf8_lossy(json))
}

/// The events that the task of the stream sends.
struct Events(mpsc::Receiver<Event>);

impl futures_core::Stream for Events {
    type Item = Result<Event, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}
