//! What is measured, and what it is measured by: the server, and a bare handler.

use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::routing::{get, post};
use noughts_engine::Setup as Outside;
use noughts_server::{
    Http, HttpLimits, Limits, Server, Setup, SyncMode, listen_for_http, open_store,
    raise_descriptor_limit,
};
use tokio::net::TcpListener;

/// What the other side does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Keeps tables.
    Server,
    /// Answers with the same bytes.
    Bare,
}

impl Part {
    pub(crate) fn named(word: &str) -> Option<Part> {
        let mut parts = [Part::Server, Part::Bare].into_iter();
        parts.find(|part| part.name() == word)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Server => "server",
            Part::Bare => "bare",
        }
    }
}

/// Plays a part at any free port, says at which, and goes on until the standard input ends.
pub(crate) fn play(part: Part) {
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
    match part {
        Part::Server => server = Some(runtime.block_on(serve(listener))),
        Part::Bare => drop(runtime.spawn(answer(listener))),
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
    let server = Server::start(Setup {
        http: Some(Http {
            listener,
            secret,
            limits: HttpLimits::default(),
        }),
        tcp: None,
        tcp_strategy: "perfect".parse().expect("a strategy"),
        pairs: None,
        store,
        limits: Limits::default(),
        thinkers: 1,
        outside: Outside::with_seed(1),
    });
    server.expect("`perfect` plays tic-tac-toe")
}

const MEDIUM: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];

/// Reads what it is sent, and answers with the bytes that it was given.
async fn answer(listener: TcpListener) {
    let given = |name: &str| Bytes::from(std::env::var(name).expect("it was given"));
    let (laid, view, looked) = (given("LAID"), given("VIEW"), given("VIEW"));
    let routes = Router::new()
        .route(
            "/api/games",
            post(move |_: Bytes| async move { (StatusCode::CREATED, MEDIUM, laid) }),
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
