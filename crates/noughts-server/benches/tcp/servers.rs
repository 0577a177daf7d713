//! The processes that are measured: the server, a bare echo, and a bare accept loop.

use std::io;

use noughts_engine::EngineSetup;
use noughts_server::{Memory, Server, ServerConfig, listen};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::process::run_role;

/// What a process does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Runs the server, which plays against the clients.
    Server,
    /// Sends back what it receives.
    Echo,
    /// Accepts connections, and nothing more.
    Accepts,
}

impl Role {
    pub(crate) const ALL: [Role; 3] = [Role::Server, Role::Echo, Role::Accepts];
}

/// Runs a role until the standard input ends.
pub(crate) fn play(role: Role) {
    run_role(role, listen, |runtime, listener| match role {
        Role::Server => Some(serve(listener)),
        Role::Echo => {
            runtime.spawn(echo(listener));
            None
        }
        Role::Accepts => {
            runtime.spawn(accept(listener));
            None
        }
    });
}

fn serve(tcp: TcpListener) -> Server {
    let server = Server::start(ServerConfig {
        tcp: Some(tcp),
        ..ServerConfig::new(Box::<Memory>::default(), EngineSetup::with_seed(1))
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
