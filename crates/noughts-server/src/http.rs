//! The HTTP server: the API, live updates, and the web page.

mod analysis;
mod board_image;
mod caching;
mod catalog;
mod create_table;
mod error;
mod explain;
mod extract;
mod games;
mod link_preview;
mod lobby;
mod matches;
mod metrics;
mod middleware;
mod openapi;
mod player_events;
mod players;
mod problem_pages;
mod qr_code;
mod rate_limit;
mod records;
mod seat_token;
mod site;
mod strategies;
mod stream;
mod websocket;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use hyper_util::rt::{TokioIo, TokioTimer};
use noughts_api::ProblemKind;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;
use utoipa::OpenApi;

use crate::matchmaking::Matchmaking;
use crate::metrics::ListenerKind;
use crate::net::{
    self, Connections, Permit, REFUSED_TIME, Tls, WhenFull, WriteTimeout, serve_connections,
};
use crate::operator::Operator;
use crate::players::Players;
use crate::presence::Presence;
use crate::tables::Tables;
use analysis::Analyses;
use board_image::BoardImages;
use error::{ApiError, api_error};
use lobby::{Lobby, LobbyContent};
use middleware::Middleware;
use rate_limit::RateLimiter;
use seat_token::SeatTokens;

pub(crate) use error::kind_of_table_refusal;
pub use rate_limit::HttpLimits;

/// State shared by all request handlers.
pub(crate) struct AppState {
    tables: Arc<Tables>,
    matchmaking: Arc<Matchmaking>,
    presence: Arc<Presence>,
    players: Arc<Players>,
    tokens: SeatTokens,
    rate_limiter: Arc<RateLimiter>,
    analyses: Analyses,
    board_images: BoardImages,
    /// The tables that wait for players.
    lobby: Lobby,
    /// The tables that wait for players, and the games in progress.
    live_lobby: Lobby,
    connections: Arc<Connections>,
    operator: Arc<Operator>,
    closing: watch::Receiver<bool>,
}

/// Maximum time for a client to send the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum size of a connection's read buffer. All headers of a request must fit into it. A body may be larger, because
/// the server reads it piece by piece.
const MAX_HEADER_BYTES: usize = 16 * 1024;

/// Maximum time that a write waits for the client to read. After this time, the server closes the connection.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// When the server stops, it waits at most this long for responses in progress and for WebSockets to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The HTTP server. [`run`](HttpServer::run) takes the listener.
pub(crate) struct HttpServer {
    middleware: Middleware,
    tls: Option<Arc<Tls>>,
}

impl HttpServer {
    pub(crate) fn new(
        (tables, matchmaking, presence, players): (
            &Arc<Tables>,
            &Arc<Matchmaking>,
            &Arc<Presence>,
            &Arc<Players>,
        ),
        (connections, operator): (Arc<Connections>, Arc<Operator>),
        secret: [u8; 32],
        limits: HttpLimits,
        tls: Option<Arc<Tls>>,
        closing: watch::Receiver<bool>,
    ) -> HttpServer {
        let app = Arc::new(AppState {
            tables: Arc::clone(tables),
            matchmaking: Arc::clone(matchmaking),
            presence: Arc::clone(presence),
            players: Arc::clone(players),
            tokens: SeatTokens::new(secret),
            rate_limiter: Arc::new(RateLimiter::new(limits)),
            analyses: Analyses::new(closing.clone()),
            board_images: BoardImages::default(),
            lobby: Lobby::new(LobbyContent::Waiting),
            live_lobby: Lobby::new(LobbyContent::WaitingAndPlaying),
            connections,
            operator,
            closing,
        });
        HttpServer {
            middleware: Middleware::new(Arc::clone(&app), routes(app)),
            tls,
        }
    }

    /// Serves connections until `closing` becomes true. Then waits up to [`SHUTDOWN_TIMEOUT`] for the requests in
    /// progress, the streams and the WebSockets.
    pub(crate) async fn run(self, listener: TcpListener, closing: watch::Receiver<bool>) {
        let app = self.middleware.app();
        let accepted = app.tables.metrics().accepted_by(ListenerKind::Http);
        let limits = (&app.connections, WhenFull::AnswerHealthChecks);
        let stopping = closing.clone();
        let serve = |stream, peer, permit| {
            serve_connection(
                stream,
                peer,
                permit,
                (self.middleware.clone(), self.tls.clone()),
                stopping.clone(),
            )
        };
        let lobby = Arc::clone(app);
        let lobby = tokio::spawn(async move {
            let tables = &lobby.tables;
            tokio::join!(lobby.lobby.run(tables), lobby.live_lobby.run(tables))
        });
        let mut open = serve_connections(listener, limits, &accepted, closing, serve).await;
        let finish = async {
            while open.join_next().await.is_some() {}
            // WebSockets run in their own tasks, so they are awaited separately.
            app.rate_limiter.all_streams_closed().await;
        };
        let _ = timeout(SHUTDOWN_TIMEOUT, finish).await;
        lobby.abort();
        open.shutdown().await;
    }
}

async fn serve_connection(
    stream: TcpStream,
    peer: IpAddr,
    permit: Permit,
    (middleware, tls): (Middleware, Option<Arc<Tls>>),
    mut closing: watch::Receiver<bool>,
) {
    net::prepare(&stream);
    // The timeout wraps the TCP stream, not the TLS stream: a write to the TCP stream makes progress only if the client
    // reads.
    let stream = WriteTimeout::new(stream, WRITE_TIMEOUT);
    let opened = tokio::select! {
        opened = net::open_stream(stream, tls.as_deref(), &permit) => opened,
        _ = closing.changed() => None,
    };
    let Some(stream) = opened else {
        return;
    };
    let is_served = permit.is_served();
    let mut builder = hyper::server::conn::http1::Builder::new();
    // hyper needs a timer for `header_read_timeout`; without a timer, hyper panics.
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HEADER_BYTES)
        .keep_alive(is_served);
    let service = middleware.for_connection(peer, permit, tls.is_some());
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection.with_upgrades());
    let refused = async {
        match is_served {
            true => std::future::pending().await,
            false => tokio::time::sleep(REFUSED_TIME).await,
        }
    };
    tokio::select! {
        // An error means that the client disconnected, was too slow or broke the protocol, which is normal.
        _ = connection.as_mut() => {}
        () = refused => {}
        _ = closing.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// Declares the routes that are in the OpenAPI description. The server creates the description only when a
/// client first requests it. Most servers never get such a request. If the server created the description at
/// its start, it would need three times as many processor instructions to start.
macro_rules! api_routes {
    ($($path:literal: $($method:ident $module:ident::$handler:ident),+;)+) => {
        fn api_routes() -> Router<Arc<AppState>> {
            Router::new()$(.route($path, MethodRouter::new()$(.$method($module::$handler))+))+
        }

        /// The OpenAPI descriptions of the handlers.
        #[derive(OpenApi)]
        #[openapi(paths($($($module::$handler),+),+))]
        struct ApiDescription;

        #[cfg(test)]
        const API_ROUTES: &[(&str, &[&str])] = &[$(($path, &[$(stringify!($method)),+])),+];
    };
}

api_routes! {
    "/api/games": post games::create, get catalog::list;
    "/api/games/events": get lobby::lobby_events;
    "/api/games/{id}": get games::get;
    "/api/games/{id}/seats/{seat}": post games::take_seat;
    "/api/games/{id}/actions": post games::act;
    "/api/games/{id}/rematch": post games::rematch;
    "/api/games/{id}/leave": post games::leave;
    "/api/games/{id}/events": get stream::events;
    "/api/games/{id}/ws": get websocket::websocket;
    "/api/games/{id}/record": get records::record;
    "/api/records": post records::archive;
    "/api/games/{id}/analysis": get analysis::analysis;
    "/api/players": post players::create;
    "/api/players/{id}": get players::profile;
    "/api/players/link": post players::link;
    "/api/me": get players::me, patch players::rename, delete players::delete;
    "/api/me/links": post players::create_link;
    "/api/me/tokens": delete players::revoke_tokens;
    "/api/me/events": get player_events::events;
    "/api/matches": post matches::create, get matches::list;
    "/api/matches/{id}": get matches::get, delete matches::cancel;
    "/api/variants": get catalog::variants;
    "/api/strategies": get strategies::strategies;
    "/api/announcement": get catalog::announcement;
}

fn routes(app: Arc<AppState>) -> Router {
    api_routes()
        .merge(openapi::pages())
        .merge(problem_pages::routes())
        .route("/healthz", get(|| async { "alive\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics::metrics))
        .merge(site::routes())
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(app)
}

/// `GET /readyz`: answers 503 if the server cannot write to the store now, or if the server is draining.
/// Otherwise answers 200. A draining server refuses new games, because it will stop soon.
async fn ready(State(app): State<Arc<AppState>>) -> Response {
    if app.operator.is_draining() {
        return (StatusCode::SERVICE_UNAVAILABLE, "draining\n").into_response();
    }
    match app.tables.store().check_writable().await {
        Ok(()) => "ready\n".into_response(),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")).into_response(),
    }
}

/// Answers requests for unknown paths with status 404. A GET request of a browser gets the web page, unless the path
/// begins with `/api/`. All other requests get an error as JSON.
async fn not_found(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    site::not_found_page(&method, &uri, &headers).unwrap_or_else(not_found_problem)
}

fn not_found_problem() -> Response {
    no_such_page().into_response()
}

fn no_such_page() -> ApiError {
    api_error(
        ProblemKind::NoSuchPage,
        "there is nothing at this address; /api/docs lists all calls",
    )
}

async fn method_not_allowed() -> Response {
    api_error(
        ProblemKind::NoSuchMethod,
        "this address is for another method; the header Allow lists those that work",
    )
    .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_have_the_paths_and_methods_of_their_descriptions() {
        let description = serde_json::to_value(ApiDescription::openapi()).unwrap();
        let described = description["paths"].as_object().unwrap();
        let mut routes: Vec<(&str, Vec<&str>)> = Vec::new();
        for (path, methods) in described {
            let mut methods: Vec<&str> = methods
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            methods.sort_unstable();
            routes.push((path, methods));
        }
        routes.sort_unstable();
        let mut declared: Vec<(&str, Vec<&str>)> = API_ROUTES
            .iter()
            .map(|(path, methods)| (*path, methods.to_vec()))
            .collect();
        declared
            .iter_mut()
            .for_each(|(_, methods)| methods.sort_unstable());
        declared.sort_unstable();
        assert_eq!(declared, routes);
    }
}
