//! The HTTP door: tables as JSON, and what happens at them as it happens.

mod body;
mod catalog;
mod events;
mod refusal;
mod tables;
mod tokens;
mod wishes;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use noughts_api::Kind;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::house::House;
use crate::store::Query;
use crate::tcp::{Admitted, Guests, Trouble};
use refusal::refuse;
use tokens::Tokens;

/// What every request finds.
pub(crate) struct Web {
    house: Arc<House>,
    tokens: Tokens,
    closing: watch::Receiver<bool>,
}

/// How long somebody may take to say what they want.
const HEADERS: Duration = Duration::from_secs(10);

/// The door, ready to be opened.
pub(crate) struct HttpDoor {
    routes: Router,
    guests: Arc<Guests>,
}

impl HttpDoor {
    /// A door to this house.
    pub(crate) fn new(
        house: Arc<House>,
        guests: Arc<Guests>,
        secret: [u8; 32],
        closing: watch::Receiver<bool>,
    ) -> HttpDoor {
        let web = Web {
            house,
            tokens: Tokens::new(secret),
            closing,
        };
        HttpDoor {
            routes: routes(Arc::new(web)),
            guests,
        }
    }

    /// Lets people in until the house closes; then those who are in may finish what they asked.
    pub(crate) async fn keep(self, listener: TcpListener, mut closing: watch::Receiver<bool>) {
        let mut connections = JoinSet::new();
        let mut trouble = Trouble::default();
        loop {
            tokio::select! {
                biased;
                _ = closing.changed() => break,
                Some(_) = connections.join_next() => {}
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        trouble = Trouble::default();
                        if let Some(admitted) = self.guests.admit().filter(|admitted| !admitted.full) {
                            connections.spawn(serve(stream, self.routes.clone(), admitted, closing.clone()));
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
        let finish = async { while connections.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST_ANSWERS, finish).await;
        connections.shutdown().await;
    }
}

/// How long answers under way may take when the server ends.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

async fn serve(
    stream: TcpStream,
    routes: Router,
    admitted: Admitted,
    mut closing: watch::Receiver<bool>,
) {
    let _admitted = admitted;
    let _ = stream.set_nodelay(true);
    let mut builder = hyper::server::conn::http1::Builder::new();
    // Without a timer whoever sends headers slowly is waited for as long as they like.
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS);
    let service = TowerToHyperService::new(routes);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
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
    Router::new()
        .route("/api/games", post(tables::lay).get(catalog::list))
        .route("/api/games/{id}", get(tables::look))
        .route("/api/games/{id}/seats/{seat}", post(tables::sit))
        .route("/api/games/{id}/actions", post(tables::act))
        .route("/api/games/{id}/rematch", post(tables::again))
        .route("/api/games/{id}/events", get(events::stream))
        .route("/api/games/{id}/record", get(catalog::record))
        .route("/api/variants", get(catalog::variants))
        .route("/api/strategies", get(catalog::strategies))
        .route("/healthz", get(|| async { "alive\n" }))
        .route("/readyz", get(ready))
        .fallback(nothing_here)
        .method_not_allowed_fallback(no_such_method)
        .layer(DefaultBodyLimit::max(body::MOST_BYTES))
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

async fn nothing_here() -> Response {
    refuse(
        Kind::NoSuchPage,
        "there is nothing at this address; /api/games is where games are",
    )
    .into_response()
}

async fn no_such_method() -> Response {
    refuse(Kind::NoSuchMethod, "this address is for another method").into_response()
}
