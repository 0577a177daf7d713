//! `GET /api/games/{id}/events`: everything that happens at a table, as it happens.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::response::Response;
use axum::response::sse::{Event, KeepAlive, Sse};
use noughts_api::{Kind, Live};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;

use super::Web;
use super::body::{no_such_game, read_id};
use super::refusal::{Refuse, refuse};
use crate::room::{Sight, Watch};

/// Events that wait for one who reads slowly. Beyond, the stream itself waits, and the watch falls
/// behind until it is given a fresh view.
const MOST_WAITING: usize = 16;

/// The stream of a table. Each turn is an event with the number of completed turns as its id; a
/// stream that goes on after `Last-Event-ID` brings every later turn in order, a new one the view.
pub(super) async fn stream(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refuse> {
    let id = read_id(&id)?;
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
    let room = web.house.room(id).await?.ok_or_else(no_such_game)?;
    let watch = room.watch(None).await?;
    let (sender, events) = mpsc::channel(MOST_WAITING);
    tokio::spawn(tell(watch, seen, sender, web.closing.clone()));
    let stream = Sse::new(Events(events));
    Ok(stream
        .keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
        .into_response())
}

/// Tells what happens until nobody listens any more.
async fn tell(
    mut watch: Watch,
    seen: Option<usize>,
    sender: mpsc::Sender<Event>,
    mut closing: tokio::sync::watch::Receiver<bool>,
) {
    let mut told = match begin(&watch.sight, seen, &sender).await {
        Some(told) => told,
        None => return,
    };
    loop {
        let heard = tokio::select! {
            heard = watch.happenings.recv() => heard,
            () = sender.closed() => return,
            _ = closing.changed() => {
                let _ = sender.send(event(None, "restart", "{}".to_owned())).await;
                return;
            }
        };
        let sent = match heard {
            Ok(happening) => match happening.turn {
                Some(turn) if turn <= told => continue,
                Some(turn) => {
                    told = turn;
                    sender
                        .send(event(Some(turn), "change", happening.json.clone()))
                        .await
                }
                None => {
                    let name = if happening.json.starts_with("{\"view\"") {
                        "view"
                    } else {
                        "presence"
                    };
                    sender.send(event(None, name, happening.json.clone())).await
                }
            },
            // Too slow: what was missed is in the view, and the stream goes on from there.
            Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        if sent.is_err() {
            return;
        }
    }
}

/// The view, or every turn since the one that was seen; gives how many turns were told.
async fn begin(sight: &Sight, seen: Option<usize>, sender: &mpsc::Sender<Event>) -> Option<usize> {
    let turns = sight.table().turn() - 1;
    match seen {
        Some(seen) if seen <= turns => {
            for number in seen + 1..=turns {
                let json = serde_json::to_string(&Live::Change(sight.change(number)?)).ok()?;
                sender
                    .send(event(Some(number), "change", json))
                    .await
                    .ok()?;
            }
        }
        // One who has seen more than there was has seen another table.
        Some(_) | None => {
            let json = serde_json::to_string(&Live::View(sight.view())).ok()?;
            sender.send(event(Some(turns), "view", json)).await.ok()?;
        }
    }
    Some(turns)
}

fn event(id: Option<usize>, name: &str, json: String) -> Event {
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
