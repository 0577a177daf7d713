//! A TCP listener with a deliberate fault, for testing clients.
//!
//! The listener is a proxy in front of a correct listener. The proxy forwards the client's messages and
//! changes the server's answers.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

use noughts_rules::Quoted;
use noughts_wire::{Admission, Dialect, FromClient, FromServer, GameResult};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::net::Acceptor;

/// A deliberate fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InjectedFault {
    /// The server sends no answers.
    Silent,
    /// Every answer is delayed by 0.7 s.
    Slow,
    /// Only the first half of the server's first move or result is sent, and nothing after it.
    HalfFrame,
    /// Every answer has a wrong session id.
    WrongId,
    /// Instead of a move or a result, the server sends bytes that are not a frame.
    Garbage,
    /// The server closes the connection instead of sending its first move or result.
    EarlyClose,
    /// The server plays in the cell of the client's last move, or in the cell 1-1 before the client's first move.
    TakenCell,
    /// The server plays in a cell that does not exist.
    NoCell,
    /// ADMIT and RESULT have a wrong flag.
    WrongFlag,
    /// Every byte is sent separately. That is allowed, but some clients fail.
    Bytewise,
}

const FAULTS: [(&str, InjectedFault); 10] = [
    ("silent", InjectedFault::Silent),
    ("slow", InjectedFault::Slow),
    ("half-frame", InjectedFault::HalfFrame),
    ("wrong-id", InjectedFault::WrongId),
    ("garbage", InjectedFault::Garbage),
    ("early-close", InjectedFault::EarlyClose),
    ("taken-cell", InjectedFault::TakenCell),
    ("no-cell", InjectedFault::NoCell),
    ("wrong-flag", InjectedFault::WrongFlag),
    ("bytewise", InjectedFault::Bytewise),
];

/// The text is not the name of a fault. The message lists the names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownFault(Quoted);

impl FromStr for InjectedFault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<InjectedFault, UnknownFault> {
        let found = FAULTS.iter().find(|(name, _)| *name == text);
        found
            .map(|(_, fault)| *fault)
            .ok_or_else(|| UnknownFault(Quoted::from(text)))
    }
}

impl fmt::Display for InjectedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = FAULTS.iter().find(|(_, fault)| fault == self);
        f.pad(name.map_or("", |(name, _)| name))
    }
}

impl fmt::Display for UnknownFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = FAULTS.map(|(name, _)| name).join(", ");
        write!(f, "{} is not a known fault; known faults: {names}", self.0)
    }
}

impl std::error::Error for UnknownFault {}

/// Accepts clients and connects each to the correct listener at `behind`, until the future is dropped.
pub async fn inject_fault(listener: TcpListener, behind: SocketAddr, fault: InjectedFault) {
    let mut connections = JoinSet::new();
    let mut acceptor = Acceptor::new(listener);
    loop {
        tokio::select! {
            Some(_) = connections.join_next() => {}
            (client, _) = acceptor.accept() => {
                // The number of connections is bounded by the limits of the correct listener.
                connections.spawn(async move { FaultProxy::between(client, behind, fault).await });
            }
        }
    }
}

/// The proxy of one connection.
struct FaultProxy {
    client: TcpStream,
    fault: InjectedFault,
    dialect: Dialect,
    /// Bytes of the client that are not decoded yet.
    received: Vec<u8>,
    last_cell: [u8; 3],
}

/// The connection has ended.
struct Ended;

impl FaultProxy {
    async fn between(
        client: TcpStream,
        behind: SocketAddr,
        fault: InjectedFault,
    ) -> io::Result<()> {
        let _ = client.set_nodelay(true);
        let mut server = TcpStream::connect(behind).await?;
        let _ = server.set_nodelay(true);
        let mut proxy = FaultProxy {
            client,
            fault,
            dialect: Dialect::Seed,
            received: Vec::new(),
            last_cell: *b"1-1",
        };
        let (mut from_client, mut from_server) = ([0; 512], [0; 512]);
        let mut answers = Vec::new();
        loop {
            tokio::select! {
                count = proxy.client.read(&mut from_client) => match count? {
                    0 => return Ok(()),
                    count => {
                        proxy.observe(&from_client[..count]);
                        server.write_all(&from_client[..count]).await?;
                    }
                },
                count = server.read(&mut from_server) => match count? {
                    0 => return Ok(()),
                    count => {
                        answers.extend(&from_server[..count]);
                        while let Ok(Some((answer, length))) = FromServer::decode(&answers, proxy.dialect) {
                            answers.drain(..length);
                            if let Err(Ended) = proxy.answer(answer).await? {
                                return Ok(());
                            }
                        }
                    }
                },
            }
        }
    }

    /// Decodes the client's messages, and stores the client's dialect and the cell of the client's last move.
    fn observe(&mut self, bytes: &[u8]) {
        self.received.extend(bytes);
        while let Ok(Some((message, length))) = FromClient::decode(&self.received) {
            self.received.drain(..length);
            match message {
                FromClient::Hello { id: 0, .. } => self.dialect = Dialect::Later,
                FromClient::Action { cell, .. } => self.last_cell = cell,
                FromClient::Hello { .. } | FromClient::Play { .. } | FromClient::Error { .. } => {}
            }
        }
        // These bytes are not a frame, so the correct listener closes the connection.
        if self.received.len() > 512 {
            self.received.clear();
        }
    }

    async fn answer(&mut self, answer: FromServer) -> io::Result<Result<(), Ended>> {
        let is_move = matches!(
            answer,
            FromServer::Action { .. } | FromServer::Result { .. }
        );
        let mut bytes = Vec::new();
        self.with_fault(answer).encode(&mut bytes);
        match self.fault {
            InjectedFault::Silent => return Ok(Ok(())),
            InjectedFault::EarlyClose if is_move => return Ok(Err(Ended)),
            InjectedFault::HalfFrame if is_move => {
                bytes.truncate(bytes.len() / 2);
                self.client.write_all(&bytes).await?;
                self.fault = InjectedFault::Silent;
                return Ok(Ok(()));
            }
            InjectedFault::Garbage if is_move => bytes = b"\xff\xfe\x07garbage\0".to_vec(),
            InjectedFault::Slow => sleep(Duration::from_millis(700)).await,
            InjectedFault::Bytewise => {
                for byte in bytes {
                    self.client.write_all(&[byte]).await?;
                    sleep(Duration::from_millis(5)).await;
                }
                return Ok(Ok(()));
            }
            _ => {}
        }
        self.client.write_all(&bytes).await?;
        Ok(Ok(()))
    }

    /// The answer to send to the client. Some faults change the content of some answers.
    fn with_fault(&self, mut answer: FromServer) -> FromServer {
        match (self.fault, &mut answer) {
            (
                InjectedFault::WrongId,
                FromServer::Ready { id }
                | FromServer::Admit { id, .. }
                | FromServer::Action { id, .. }
                | FromServer::Result { id, .. }
                | FromServer::Error { id, .. },
            ) => *id ^= 1,
            (InjectedFault::TakenCell, FromServer::Action { cell, .. }) => *cell = self.last_cell,
            (InjectedFault::NoCell, FromServer::Action { cell, .. }) => *cell = *b"9-9",
            (InjectedFault::WrongFlag, FromServer::Admit { flag, .. }) => {
                *flag = match flag {
                    Admission::Refused => Admission::First,
                    Admission::First | Admission::Second => Admission::Refused,
                };
            }
            (InjectedFault::WrongFlag, FromServer::Result { flag, .. }) => {
                *flag = match flag {
                    GameResult::Draw => GameResult::Won,
                    GameResult::Won | GameResult::Lost => flag.for_opponent(),
                };
            }
            _ => {}
        }
        answer
    }
}
