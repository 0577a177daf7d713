//! `GET /api/games/{id}/events`: everything that happens at a table, as it happens.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use noughts_api::{Kind, Live, Problem};
use tokio::sync::mpsc;

use super::Web;
use super::body::{InPath, bearer, no_such_game, read_id};
use super::callers::{Caller, Streaming};
use super::follow::{Follow, News};
use super::refusal::{Refuse, refuse};
use crate::room::Sight;

/// Events that wait for one who reads slowly; each may be a view of the largest board. Beyond, the stream
/// itself waits, and falls behind until it is given a fresh view.
const MOST_WAITING: usize = 1;

/// Server-sent events. Each turn is an event with the number of completed turns as its id; a stream
/// that goes on after `Last-Event-ID` brings every later turn in order, a new one begins with the
/// view. With a seat's token one is present there as long as the stream lasts.
#[utoipa::path(
    get, path = "/api/games/{id}/events", tag = "live",
    params(
        ("id" = String, Path, description = "the game"),
        ("Last-Event-ID" = Option<u32>, Header, description = "completed turns that were seen"),
    ),
    security((), ("seat" = [])),
    responses(
        (status = 200, body = String, content_type = "text/event-stream"),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn events(
    State(web): State<Arc<Web>>,
    InPath([id]): InPath<1>,
    caller: Caller,
    headers: HeaderMap,
) -> Result<Response, Refuse> {
    let id = read_id(&id)?;
    web.house.room(id).await?.ok_or_else(no_such_game)?;
    let seat = match bearer(&headers) {
        Some(token) => Some(web.pass(id, token)?.seat),
        None => None,
    };
    let seen = match headers.get("last-event-id") {
        None => None,
        Some(value) => {
            let number = value.to_str().ok().and_then(|text| text.parse().ok());
            let wrong = || {
                refuse(
                    Kind::Unreadable,
                    "Last-Event-ID is a number of completed turns",
                )
            };
            Some(number.ok_or_else(wrong)?)
        }
    };
    let counted = web.count_stream(&caller)?;
    let follow = Follow::begin(&web, id, seat).await?;
    let (sender, events) = mpsc::channel(MOST_WAITING);
    let closing = web.closing.clone();
    tokio::spawn(tell(follow, seen, sender, closing, counted));
    let stream = Sse::new(Events(events));
    Ok(stream
        .keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
        .into_response())
}

/// Tells what happens until nobody listens any more.
async fn tell(
    mut follow: Follow,
    seen: Option<usize>,
    sender: mpsc::Sender<Event>,
    mut closing: tokio::sync::watch::Receiver<bool>,
    _counted: Streaming,
) {
    if begin(follow.sight(), seen, &sender).await.is_none() {
        return;
    }
    loop {
        let news = tokio::select! {
            news = follow.next() => news,
            () = sender.closed() => return,
            _ = closing.changed() => {
                let _ = sender.send(event(None, "restart", "{\"restart\":true}")).await;
                return;
            }
        };
        let event = match news {
            Some(News::Turn(turn, happening)) => event(Some(turn), "change", &happening.json),
            Some(News::Aside(happening)) => event(None, happening.name, &happening.json),
            Some(News::Afresh(sight)) => view(&sight),
            None => return,
        };
        if sender.send(event).await.is_err() {
            return;
        }
    }
}

/// The view, or every turn since the one that was seen.
async fn begin(sight: &Sight, seen: Option<usize>, sender: &mpsc::Sender<Event>) -> Option<()> {
    let turns = sight.table().turn() - 1;
    match seen {
        Some(seen) if seen <= turns && turns - seen <= MOST_MADE_UP => {
            for number in seen + 1..=turns {
                let json = serde_json::to_string(&Live::Change(sight.change(number)?)).ok()?;
                let missed = event(Some(number), "change", &json);
                sender.send(missed).await.ok()?;
            }
            Some(())
        }
        // One who has seen more than there was has seen another table; one who was away for long is
        // better served with how it stands.
        Some(_) | None => sender.send(view(sight)).await.ok(),
    }
}

/// So many turns are told again, one by one.
const MOST_MADE_UP: usize = 1_000;

fn view(sight: &Sight) -> Event {
    let turns = sight.table().turn() - 1;
    event(Some(turns), "view", &sight.live_view())
}

fn event(id: Option<usize>, name: &str, json: &str) -> Event {
    let event = match id {
        Some(id) => Event::default().id(id.to_string()),
        None => Event::default(),
    };
    event.event(name).data(json)
}

/// What the task that listens hands over.
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
