//! The processes that are measured: the server, and a bare handler.

use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::routing::{get, post};
use noughts_engine::EngineSetup;
use noughts_server::{
    HttpConfig, HttpLimits, Server, ServerConfig, SyncMode, listen_for_http, open_store,
};
use tokio::net::TcpListener;

use crate::process::run_role;

/// What a process does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Runs the server.
    Server,
    /// Answers every request with a recorded answer of the server.
    Bare,
}

impl Role {
    pub(crate) const ALL: [Role; 2] = [Role::Server, Role::Bare];
}

/// Runs a role until the standard input ends.
pub(crate) fn play(role: Role) {
    run_role(role, listen_for_http, |runtime, listener| match role {
        Role::Server => Some(runtime.block_on(serve(listener))),
        Role::Bare => {
            runtime.spawn(answer(listener));
            None
        }
    });
}

async fn serve(listener: TcpListener) -> Server {
    let address = std::env::var("STORE").unwrap_or("memory:".to_owned());
    let store = open_store(&address, SyncMode::Full).await.expect("a store");
    let secret = store.secret().await.expect("a secret");
    let server = Server::start(ServerConfig {
        http: Some(HttpConfig {
            listener,
            secret,
            limits: HttpLimits::default(),
        }),
        ..ServerConfig::new(store, EngineSetup::with_seed(1))
    });
    server.expect("`perfect` plays tic-tac-toe")
}

const MEDIUM: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];

/// Answers requests with the bytes in the environment variables `CREATED` and `VIEW`.
async fn answer(listener: TcpListener) {
    let given = |name: &str| Bytes::from(std::env::var(name).expect("it was given"));
    let (created, view, looked) = (given("CREATED"), given("VIEW"), given("VIEW"));
    let routes = Router::new()
        .route(
            "/api/games",
            post(move |_: Bytes| async move { (StatusCode::CREATED, MEDIUM, created) }),
        )
        .route(
            "/api/games/{id}/actions",
            post(move |_: Bytes| async move { (MEDIUM, view) }),
        )
        .route(
            "/api/games/{id}",
            get(move || async move { (MEDIUM, looked) }),
        );
    let _ = axum::serve(listener, routes).await;
}
