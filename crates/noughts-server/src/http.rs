//! The HTTP server: tables as JSON, and what happens at them as it happens.

mod analysis;
mod board_image;
mod body;
mod catalog;
mod events;
mod games;
mod middleware;
mod openapi;
mod page;
mod picture;
mod rate_limit;
mod records;
mod refusal;
mod stream;
mod tokens;
mod watchman;
mod websocket;
mod wishes;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper_util::rt::{TokioIo, TokioTimer};
use noughts_api::ProblemKind;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::counts;
use crate::matchmaking::Matchmaking;
use crate::net::{
    self, Connections, Permit, REFUSED_TIME, WhenFull, WriteTimeout, serve_connections,
};
use crate::presence::Presence;
use crate::tables::Tables;
use analysis::Analyses;
use board_image::BoardImages;
use middleware::Middleware;
use rate_limit::RateLimiter;
use refusal::refuse;
use tokens::Tokens;

pub use rate_limit::HttpLimits;
pub(crate) use refusal::kind_of_table_refusal;

/// What the handlers of all requests share.
pub(crate) struct Web {
    tables: Arc<Tables>,
    matchmaking: Arc<Matchmaking>,
    presence: Arc<Presence>,
    tokens: Tokens,
    rate_limiter: Arc<RateLimiter>,
    analyses: Analyses,
    board_images: BoardImages,
    connections: Arc<Connections>,
    closing: watch::Receiver<bool>,
}

/// Time for a client to send the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum size of the headers of a request, and of what is read of a body at once.
const MAX_HEADER_BYTES: usize = 16 * 1024;

/// A connection whose client reads nothing for this long is closed.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Time for answers under way when the server stops.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// The HTTP server, before it has its listener.
pub(crate) struct HttpServer {
    middleware: Middleware,
}

impl HttpServer {
    pub(crate) fn new(
        (tables, matchmaking, presence): (&Arc<Tables>, &Arc<Matchmaking>, &Arc<Presence>),
        connections: Arc<Connections>,
        secret: [u8; 32],
        limits: HttpLimits,
        closing: watch::Receiver<bool>,
    ) -> HttpServer {
        let web = Arc::new(Web {
            tables: Arc::clone(tables),
            matchmaking: Arc::clone(matchmaking),
            presence: Arc::clone(presence),
            tokens: Tokens::new(secret),
            rate_limiter: Arc::new(RateLimiter::new(limits)),
            analyses: Analyses::new(closing.clone()),
            board_images: BoardImages::default(),
            connections,
            closing,
        });
        HttpServer {
            middleware: Middleware::new(Arc::clone(&web), routes(web)),
        }
    }

    /// Serves connections until `closing`; then requests that are being answered may finish.
    pub(crate) async fn run(self, listener: TcpListener, closing: watch::Receiver<bool>) {
        let web = self.middleware.web();
        let accepted = &web.tables.counts().connections[counts::Door::Http as usize];
        let limits = (&web.connections, WhenFull::AnswerHealthChecks);
        let stopping = closing.clone();
        let serve = |stream, peer, permit| {
            serve_connection(
                stream,
                peer,
                permit,
                self.middleware.clone(),
                stopping.clone(),
            )
        };
        let mut open = serve_connections(listener, limits, accepted, closing, serve).await;
        let finish = async {
            while open.join_next().await.is_some() {}
            // WebSockets run in tasks of their own.
            web.rate_limiter.all_streams_closed().await;
        };
        let _ = timeout(LAST_ANSWERS, finish).await;
        open.shutdown().await;
    }
}

async fn serve_connection(
    stream: TcpStream,
    peer: IpAddr,
    permit: Permit,
    middleware: Middleware,
    mut closing: watch::Receiver<bool>,
) {
    net::prepare(&stream);
    let is_served = permit.is_served();
    let mut builder = hyper::server::conn::http1::Builder::new();
    // Without a timer hyper has no timeout for headers.
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HEADER_BYTES)
        .keep_alive(is_served);
    let stream = WriteTimeout::new(stream, WRITE_TIMEOUT);
    let service = middleware.for_connection(peer, permit);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection.with_upgrades());
    let refused = async {
        match is_served {
            true => std::future::pending().await,
            false => tokio::time::sleep(REFUSED_TIME).await,
        }
    };
    tokio::select! {
        // That a client disconnects or breaks the protocol is normal.
        _ = connection.as_mut() => {}
        () = refused => {}
        _ = closing.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

fn routes(web: Arc<Web>) -> Router {
    let (described, description) = OpenApiRouter::with_openapi(openapi::about())
        .routes(routes!(games::create, catalog::list))
        .routes(routes!(games::get))
        .routes(routes!(games::take_seat))
        .routes(routes!(games::act))
        .routes(routes!(games::rematch))
        .routes(routes!(events::events))
        .routes(routes!(websocket::websocket))
        .routes(routes!(records::record))
        .routes(routes!(records::archive))
        .routes(routes!(analysis::analysis))
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

/// Whether a turn could be stored now.
async fn ready(State(web): State<Arc<Web>>) -> Response {
    match web.tables.store().check_writable().await {
        Ok(()) => "ready\n".into_response(),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")).into_response(),
    }
}

/// People are told by the page, programs in JSON.
async fn nowhere(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    page::nothing_for_people(&method, &uri, &headers).unwrap_or_else(nothing_here)
}

fn nothing_here() -> Response {
    refuse(
        ProblemKind::NoSuchPage,
        "there is nothing at this address; /api/games is where games are",
    )
    .into_response()
}

async fn no_such_method() -> Response {
    refuse(
        ProblemKind::NoSuchMethod,
        "this address is for another method",
    )
    .into_response()
}
