//! A door with a deliberate fault, for those who write clients: what a client does with a bad server can be
//! seen only at one.
//!
//! It stands before a good door, passes on what clients say, and spoils what they are answered. So the good
//! door knows nothing of it.

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

/// What is wrong with a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misbehaviour {
    /// It hears everything and answers nothing.
    Silent,
    /// Every answer is 0.7 s late.
    Slow,
    /// Of its first move only the first half is sent.
    HalfFrame,
    /// Every answer has another id than the session's.
    WrongId,
    /// Its first move is no frame at all.
    Garbage,
    /// It goes when the client has moved for the first time.
    EarlyClose,
    /// It marks where the client did.
    TakenCell,
    /// It names a cell that does not exist.
    NoCell,
    /// ADMIT and RESULT say the opposite.
    WrongFlag,
    /// Every byte is sent for itself. That is no fault, but some clients take it for one.
    Bytewise,
}

const KINDS: [(&str, Misbehaviour); 10] = [
    ("silent", Misbehaviour::Silent),
    ("slow", Misbehaviour::Slow),
    ("half-frame", Misbehaviour::HalfFrame),
    ("wrong-id", Misbehaviour::WrongId),
    ("garbage", Misbehaviour::Garbage),
    ("early-close", Misbehaviour::EarlyClose),
    ("taken-cell", Misbehaviour::TakenCell),
    ("no-cell", Misbehaviour::NoCell),
    ("wrong-flag", Misbehaviour::WrongFlag),
    ("bytewise", Misbehaviour::Bytewise),
];

/// No such fault; displays those that there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownMisbehaviour(Quoted);

impl FromStr for Misbehaviour {
    type Err = UnknownMisbehaviour;

    fn from_str(text: &str) -> Result<Misbehaviour, UnknownMisbehaviour> {
        let found = KINDS.iter().find(|(name, _)| *name == text);
        found
            .map(|(_, kind)| *kind)
            .ok_or_else(|| UnknownMisbehaviour(Quoted::from(text)))
    }
}

impl fmt::Display for Misbehaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = KINDS.iter().find(|(_, kind)| kind == self);
        f.pad(name.map_or("", |(name, _)| name))
    }
}

impl fmt::Display for UnknownMisbehaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = KINDS.map(|(name, _)| name).join(", ");
        write!(f, "{} is no way to misbehave: there are {names}", self.0)
    }
}

impl std::error::Error for UnknownMisbehaviour {}

/// Lets people in, to the good door at `behind`, until it is dropped.
pub async fn misbehave(listener: TcpListener, behind: SocketAddr, kind: Misbehaviour) {
    let mut connections = JoinSet::new();
    let mut acceptor = Acceptor::new(listener);
    loop {
        tokio::select! {
            Some(_) = connections.join_next() => {}
            (client, _) = acceptor.accept() => {
                // Bounded by the server behind: a connection that it closes is closed here too.
                connections.spawn(async move { Spoiler::between(client, behind, kind).await });
            }
        }
    }
}

/// One connection.
struct Spoiler {
    client: TcpStream,
    kind: Misbehaviour,
    dialect: Dialect,
    /// What the client has said and is not understood yet.
    said: Vec<u8>,
    last_cell: [u8; 3],
}

/// The client is to hear no more.
struct Enough;

impl Spoiler {
    async fn between(client: TcpStream, behind: SocketAddr, kind: Misbehaviour) -> io::Result<()> {
        let _ = client.set_nodelay(true);
        let mut good = TcpStream::connect(behind).await?;
        let _ = good.set_nodelay(true);
        let mut spoiler = Spoiler {
            client,
            kind,
            dialect: Dialect::Seed,
            said: Vec::new(),
            last_cell: *b"1-1",
        };
        let (mut from_client, mut from_good) = ([0; 512], [0; 512]);
        let mut answers = Vec::new();
        loop {
            tokio::select! {
                count = spoiler.client.read(&mut from_client) => match count? {
                    0 => return Ok(()),
                    count => {
                        spoiler.listen(&from_client[..count]);
                        good.write_all(&from_client[..count]).await?;
                    }
                },
                count = good.read(&mut from_good) => match count? {
                    0 => return Ok(()),
                    count => {
                        answers.extend(&from_good[..count]);
                        while let Ok(Some((answer, length))) = FromServer::decode(&answers, spoiler.dialect) {
                            answers.drain(..length);
                            if let Err(Enough) = spoiler.answer(answer).await? {
                                return Ok(());
                            }
                        }
                    }
                },
            }
        }
    }

    /// Follows the client far enough to know its dialect and its last cell.
    fn listen(&mut self, bytes: &[u8]) {
        self.said.extend(bytes);
        while let Ok(Some((message, length))) = FromClient::decode(&self.said) {
            self.said.drain(..length);
            match message {
                FromClient::Hello { id: 0, .. } => self.dialect = Dialect::Later,
                FromClient::Action { cell, .. } => self.last_cell = cell,
                FromClient::Hello { .. } | FromClient::Play { .. } | FromClient::Error { .. } => {}
            }
        }
        // Something that is no frame: the good door will close.
        if self.said.len() > 512 {
            self.said.clear();
        }
    }

    async fn answer(&mut self, answer: FromServer) -> io::Result<Result<(), Enough>> {
        let is_move = matches!(
            answer,
            FromServer::Action { .. } | FromServer::Result { .. }
        );
        let mut bytes = Vec::new();
        self.spoilt(answer).encode(&mut bytes);
        match self.kind {
            Misbehaviour::Silent => return Ok(Ok(())),
            Misbehaviour::EarlyClose if is_move => return Ok(Err(Enough)),
            Misbehaviour::HalfFrame if is_move => {
                bytes.truncate(bytes.len() / 2);
                self.client.write_all(&bytes).await?;
                self.kind = Misbehaviour::Silent;
                return Ok(Ok(()));
            }
            Misbehaviour::Garbage if is_move => bytes = b"\xff\xfe\x07garbage\0".to_vec(),
            Misbehaviour::Slow => sleep(Duration::from_millis(700)).await,
            Misbehaviour::Bytewise => {
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

    /// The answer with what is wrong within it.
    fn spoilt(&self, mut answer: FromServer) -> FromServer {
        match (self.kind, &mut answer) {
            (
                Misbehaviour::WrongId,
                FromServer::Ready { id }
                | FromServer::Admit { id, .. }
                | FromServer::Action { id, .. }
                | FromServer::Result { id, .. }
                | FromServer::Error { id, .. },
            ) => *id ^= 1,
            (Misbehaviour::TakenCell, FromServer::Action { cell, .. }) => *cell = self.last_cell,
            (Misbehaviour::NoCell, FromServer::Action { cell, .. }) => *cell = *b"9-9",
            (Misbehaviour::WrongFlag, FromServer::Admit { flag, .. }) => {
                *flag = match flag {
                    Admission::Refused => Admission::First,
                    Admission::First | Admission::Second => Admission::Refused,
                };
            }
            (Misbehaviour::WrongFlag, FromServer::Result { flag, .. }) => {
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
