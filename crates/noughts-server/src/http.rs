//! The HTTP door: tables as JSON, and what happens at them as it happens.

mod body;
mod callers;
mod catalog;
mod events;
mod follow;
mod front;
mod openapi;
mod page;
mod picture;
mod records;
mod refusal;
mod socket;
mod study;
mod tables;
mod tokens;
mod watchman;
mod wishes;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper_util::rt::{TokioIo, TokioTimer};
use noughts_api::Kind;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::counts;
use crate::house::House;
use crate::store::Query;
use crate::tcp::{Guests, Trouble};
use callers::Callers;
use front::Front;
use refusal::refuse;
use study::Studies;
use tokens::Tokens;

pub use callers::HttpLimits;
pub(crate) use refusal::kind_of_refusal;

/// What every request finds.
pub(crate) struct Web {
    house: Arc<House>,
    tokens: Tokens,
    callers: Callers,
    studies: Studies,
    guests: Arc<Guests>,
    closing: watch::Receiver<bool>,
}

/// How long somebody may take to say what they want.
const HEADERS: Duration = Duration::from_secs(10);

/// The most that the headers of a request, or what is read of a body at once, may take up.
const MOST_HEADERS: usize = 16 * 1024;

/// The door, ready to be opened.
pub(crate) struct HttpDoor {
    front: Front,
}

impl HttpDoor {
    /// A door to this house.
    pub(crate) fn new(
        house: Arc<House>,
        guests: Arc<Guests>,
        secret: [u8; 32],
        limits: HttpLimits,
        closing: watch::Receiver<bool>,
    ) -> HttpDoor {
        let web = Arc::new(Web {
            house,
            tokens: Tokens::new(secret),
            callers: Callers::new(limits),
            studies: Studies::default(),
            guests,
            closing,
        });
        HttpDoor {
            front: Front::new(Arc::clone(&web), routes(web)),
        }
    }

    /// Lets people in until the house closes; then those who are in may finish what they asked.
    pub(crate) async fn keep(self, listener: TcpListener, mut closing: watch::Receiver<bool>) {
        let mut connections = JoinSet::new();
        let mut trouble = Trouble::default();
        let web = self.front.web();
        let came = &web.house.counts().connections[counts::Door::Http as usize];
        loop {
            tokio::select! {
                biased;
                _ = closing.changed() => break,
                Some(_) = connections.join_next() => {}
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        trouble = Trouble::default();
                        came.add(1);
                        if let Some(admitted) = web.guests.admit().filter(|admitted| !admitted.full) {
                            let front = self.front.to(peer.ip(), Arc::new(admitted));
                            connections.spawn(serve(stream, front, closing.clone()));
                        }
                    }
                    Err(error) => tokio::select! {
                        () = trouble.wait_after(&error) => {}
                        _ = closing.changed() => break,
                    },
                },
            }
        }
        drop(listener);
        let finish = async {
            while connections.join_next().await.is_some() {}
            // WebSockets have left their connections, and say good-bye on their own.
            web.callers.streams_ended().await;
        };
        let _ = tokio::time::timeout(LAST_ANSWERS, finish).await;
        connections.shutdown().await;
    }
}

/// How long answers under way may take when the server ends.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

async fn serve(stream: TcpStream, front: Front, mut closing: watch::Receiver<bool>) {
    crate::tcp::prepare(&stream);
    let mut builder = hyper::server::conn::http1::Builder::new();
    // Without a timer whoever sends headers slowly is waited for as long as they like.
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .max_buf_size(MOST_HEADERS);
    let connection = builder.serve_connection(TokioIo::new(stream), front);
    let mut connection = std::pin::pin!(connection.with_upgrades());
    tokio::select! {
        // A client that goes or talks nonsense is an ordinary thing.
        _ = connection.as_mut() => {}
        _ = closing.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

fn routes(web: Arc<Web>) -> Router {
    let (described, description) = OpenApiRouter::with_openapi(openapi::about())
        .routes(routes!(tables::lay, catalog::list))
        .routes(routes!(tables::look))
        .routes(routes!(tables::sit))
        .routes(routes!(tables::act))
        .routes(routes!(tables::again))
        .routes(routes!(events::events))
        .routes(routes!(socket::socket))
        .routes(routes!(records::record))
        .routes(routes!(records::archive))
        .routes(routes!(study::analysis))
        .routes(routes!(catalog::variants))
        .routes(routes!(catalog::strategies))
        .split_for_parts();
    described
        .merge(openapi::pages(&description))
        .route("/healthz", get(|| async { "alive\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(watchman::metrics))
        .merge(page::routes())
        .fallback(nowhere)
        .method_not_allowed_fallback(no_such_method)
        .with_state(web)
}

/// Whether tables can be laid now: the store answers.
async fn ready(State(web): State<Arc<Web>>) -> Response {
    let query = Query {
        variant: None,
        player: None,
        status: None,
        before: None,
        limit: 1,
    };
    match web.house.store().list(query).await {
        Ok(_) => "ready\n".into_response(),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")).into_response(),
    }
}

/// People are told by the page, programs in JSON.
async fn nowhere(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    page::nothing_for_people(&method, &uri, &headers).unwrap_or_else(nothing_here)
}

fn nothing_here() -> Response {
    refuse(
        Kind::NoSuchPage,
        "there is nothing at this address; /api/games is where games are",
    )
    .into_response()
}

async fn no_such_method() -> Response {
    refuse(Kind::NoSuchMethod, "this address is for another method").into_response()
}
