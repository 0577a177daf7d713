//! The processes that are measured: the server, and a bare handler.

use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::routing::{get, post};
use noughts_engine::EngineSetup;
use noughts_server::{
    ConnectionLimits, HttpConfig, HttpLimits, IdSource, Server, ServerConfig, SyncMode,
    listen_for_http, open_store, raise_descriptor_limit,
};
use tokio::net::TcpListener;

/// What a process does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Runs the server.
    Server,
    /// Answers with the same bytes.
    Bare,
}

impl Role {
    pub(crate) fn named(word: &str) -> Option<Role> {
        let mut parts = [Role::Server, Role::Bare].into_iter();
        parts.find(|role| role.name() == word)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Server => "server",
            Role::Bare => "bare",
        }
    }
}

/// Runs a role on a free port, prints the address, and ends with the standard input.
pub(crate) fn play(role: Role) {
    raise_descriptor_limit();
    // The same runtime for both, and the one that `noughts serve` has.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let entered = runtime.enter();
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let listener = listen_for_http(at).expect("a free port");
    let address = listener.local_addr().expect("an address");
    let mut server = None;
    match role {
        Role::Server => server = Some(runtime.block_on(serve(listener))),
        Role::Bare => drop(runtime.spawn(answer(listener))),
    }
    println!("{address}");
    let _ = io::stdin().read(&mut [0]);
    drop((server, entered));
    runtime.shutdown_background();
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
        tcp: None,
        tcp_strategy: "perfect".parse().expect("a strategy"),
        pairs: None,
        tls: None,
        store,
        limits: ConnectionLimits::default(),
        robot_threads: 1,
        engine: EngineSetup::with_seed(1),
        ids: IdSource::default(),
    });
    server.expect("`perfect` plays tic-tac-toe")
}

const MEDIUM: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];

/// Reads requests, and answers with the bytes in its environment.
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
