//! The processes that are measured: the server, a bare echo, and a bare accept loop.

use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr};

use noughts_engine::EngineSetup;
use noughts_server::{
    ConnectionLimits, IdSource, Memory, Server, ServerConfig, listen, raise_descriptor_limit,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What a process does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Plays.
    Server,
    /// Sends back what it receives.
    Echo,
    /// Accepts connections, and nothing more.
    Accepts,
}

impl Role {
    const ALL: [(Role, &str); 3] = [
        (Role::Server, "server"),
        (Role::Echo, "echo"),
        (Role::Accepts, "accepts"),
    ];

    pub(crate) fn named(word: &str) -> Option<Role> {
        let found = Role::ALL.iter().find(|(_, name)| *name == word);
        found.map(|(role, _)| *role)
    }

    pub(crate) fn name(self) -> &'static str {
        let found = Role::ALL.iter().find(|(role, _)| *role == self);
        found.map_or("", |(_, name)| *name)
    }
}

/// Runs a role on a free port, prints the address, and ends with the standard input.
pub(crate) fn play(role: Role) {
    raise_descriptor_limit();
    // The same runtime for all, and the one that `noughts serve` has.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let entered = runtime.enter();
    let listener = listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a free port");
    let address = listener.local_addr().expect("an address");
    let mut server = None;
    match role {
        Role::Server => server = Some(serve(listener)),
        Role::Echo => drop(runtime.spawn(echo(listener))),
        Role::Accepts => drop(runtime.spawn(accept(listener))),
    }
    println!("{address}");
    let _ = io::stdin().read(&mut [0]);
    drop((server, entered));
    runtime.shutdown_background();
}

fn serve(tcp: TcpListener) -> Server {
    let server = Server::start(ServerConfig {
        http: None,
        tcp: Some(tcp),
        tcp_strategy: "perfect".parse().expect("a strategy"),
        pairs: None,
        tls: None,
        store: Box::<Memory>::default(),
        limits: ConnectionLimits::default(),
        robot_threads: 1,
        engine: EngineSetup::with_seed(1),
        ids: IdSource::default(),
    });
    server.expect("`perfect` plays tic-tac-toe")
}

async fn echo(listener: TcpListener) {
    loop {
        let (stream, _) = listener.accept().await.expect("somebody comes");
        tokio::spawn(send_back(stream));
    }
}

async fn send_back(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut bytes = [0; 512];
    loop {
        let count = stream.read(&mut bytes).await?;
        if count == 0 {
            return Ok(());
        }
        stream.write_all(&bytes[..count]).await?;
    }
}

async fn accept(listener: TcpListener) {
    let mut inside = Vec::new();
    loop {
        inside.push(listener.accept().await.expect("somebody comes"));
    }
}
