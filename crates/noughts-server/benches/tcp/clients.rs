//! Clients that play as fast as they are answered, the same for the server and for the echo.

use std::sync::Arc;
use std::time::{Duration, Instant};

use noughts_wire::{Admission, Cell, Dialect, FromClient, FromServer, Name, Opcode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::process::Process;

/// How long a round counts.
const ROUND: Duration = Duration::from_millis(400);

/// All of a round, and the connecting before it, takes less.
const PATIENCE: Duration = Duration::from_secs(10);

/// So many clients at the same time, who write so.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) writes: Writes,
}

/// How a client writes a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writes {
    /// In one piece, and it goes at once.
    Once,
    /// Opcode, id and cell one by one, with Nagle's algorithm on, as Java's streams do.
    FieldByField,
}

/// What a client says.
#[derive(Clone)]
pub(crate) enum Talk {
    /// It plays the first free cell, game after game.
    Game,
    /// The same frames to somebody who sends them back.
    Echo(Script),
}

/// The frames of one game, as a client sends them.
#[derive(Clone)]
pub(crate) struct Script(Arc<[Vec<u8>]>);

impl Script {
    pub(crate) fn frames(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn moves(&self) -> usize {
        self.0.iter().filter(|frame| is_move(frame)).count()
    }
}

/// What a load came to.
pub(crate) struct Counted {
    /// ACTIONs answered.
    pub(crate) moves: u64,
    /// Frames answered, PLAY too.
    frames: u64,
    pub(crate) time: Duration,
    /// Of all frames.
    pub(crate) p99: Duration,
    /// Processor time of the other side.
    cpu: Duration,
}

impl Counted {
    /// Processor time of the other side for each frame.
    pub(crate) fn cpu_each(&self) -> Duration {
        self.cpu.div_f64(self.frames as f64)
    }
}

impl Load {
    /// Plays for a round.
    pub(crate) fn run(self, process: &Process, talk: &Talk) -> Counted {
        let played = async {
            let mut clients = Vec::new();
            for number in 0..self.connections {
                let mut client = Client::connect(process, talk, self.writes, number).await;
                client.begin().await;
                clients.push(client);
            }
            let cpu = process.cpu();
            let until = Instant::now() + ROUND;
            let mut playing: JoinSet<Heard> = clients
                .into_iter()
                .map(|client| client.play(until))
                .collect();
            tokio::time::sleep_until(until.into()).await;
            let cpu = process.cpu() - cpu;
            let mut all = Heard::default();
            while let Some(heard) = playing.join_next().await {
                all.add(heard.expect("no client panics"));
            }
            all.count(cpu)
        };
        let in_time = async { timeout(PATIENCE, played).await };
        runtime().block_on(in_time).expect("answers in time")
    }
}

/// Plays one game, and says what was sent.
pub(crate) fn rehearse(server: &Process) -> Script {
    runtime().block_on(async {
        let mut client = Client::connect(server, &Talk::Game, Writes::Once, 0).await;
        client.begin().await;
        let mut frames = vec![client.said.clone()];
        while client.is_playing {
            client.round_trip().await;
            frames.push(client.said.clone());
        }
        Script(frames.into())
    })
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// How long each answer took, in nanoseconds, and how many were to moves.
#[derive(Default)]
struct Heard {
    waits: Vec<u64>,
    moves: u64,
}

impl Heard {
    fn add(&mut self, other: Heard) {
        self.waits.extend(other.waits);
        self.moves += other.moves;
    }

    fn count(mut self, cpu: Duration) -> Counted {
        self.waits.sort_unstable();
        assert!(self.moves > 0, "nobody answers");
        Counted {
            moves: self.moves,
            frames: self.waits.len() as u64,
            time: ROUND,
            p99: Duration::from_nanos(self.waits[self.waits.len() * 99 / 100]),
            cpu,
        }
    }
}

/// One connection.
struct Client {
    stream: TcpStream,
    talk: Talk,
    writes: Writes,
    id: u32,
    /// How many frames of the script were said, for an echo.
    at: usize,
    is_playing: bool,
    /// Cells that are taken, by their bits.
    taken: u16,
    said: Vec<u8>,
}

impl Client {
    async fn connect(process: &Process, talk: &Talk, writes: Writes, number: usize) -> Client {
        let stream = TcpStream::connect(process.address)
            .await
            .expect("it listens");
        stream
            .set_nodelay(writes == Writes::Once)
            .expect("a socket");
        // Closed without a farewell, so that no port is kept for a minute afterwards.
        #[cfg(unix)]
        rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).expect("a socket");
        Client {
            stream,
            talk: talk.clone(),
            writes,
            id: 10_000 + number as u32,
            at: 0,
            is_playing: false,
            taken: 0,
            said: Vec::new(),
        }
    }

    /// HELLO and the first PLAY, or the script's.
    async fn begin(&mut self) {
        if let Talk::Game = self.talk {
            let name = Name::new("Ann").expect("Latin-1");
            self.said.clear();
            FromClient::Hello { id: self.id, name }.encode(&mut self.said);
            self.ask().await;
        }
        self.round_trip().await;
    }

    async fn play(mut self, until: Instant) -> Heard {
        let mut heard = Heard::default();
        let mut before = Instant::now();
        loop {
            self.round_trip().await;
            let now = Instant::now();
            if now > until {
                return heard;
            }
            heard.waits.push((now - before).as_nanos() as u64);
            heard.moves += u64::from(is_move(&self.said));
            before = now;
        }
    }

    /// Says what comes next, and waits for the answer.
    async fn round_trip(&mut self) {
        self.said.clear();
        match &self.talk {
            Talk::Echo(Script(frames)) => {
                self.said.extend(&frames[self.at % frames.len()]);
                self.at += 1;
            }
            Talk::Game if self.is_playing => {
                let free = (self.taken.trailing_ones()) as u8;
                self.taken |= 1 << free;
                let cell = Cell::from_index(free)
                    .expect("else the game were over")
                    .bytes();
                FromClient::Action { id: self.id, cell }.encode(&mut self.said);
            }
            Talk::Game => FromClient::Play { id: self.id }.encode(&mut self.said),
        }
        self.ask().await;
    }

    async fn ask(&mut self) {
        self.write().await;
        let mut bytes = [0; 64];
        let mut length = 0;
        loop {
            let read = self.stream.read(&mut bytes[length..]).await;
            let count = read.expect("it is still there");
            assert_ne!(count, 0, "the other side left");
            length += count;
            if self.hear(&bytes[..length]) {
                return;
            }
        }
    }

    async fn write(&mut self) {
        let mut rest = &self.said[..];
        let most = match self.writes {
            Writes::Once => &[usize::MAX][..],
            Writes::FieldByField => &[1, 4, usize::MAX],
        };
        for most in most {
            let (piece, more) = rest.split_at(rest.len().min(*most));
            if !piece.is_empty() {
                let written = self.stream.write_all(piece).await;
                written.expect("it is still there");
            }
            rest = more;
        }
    }

    /// Whether this is the whole answer. A wrong one ends the bench.
    fn hear(&mut self, bytes: &[u8]) -> bool {
        if let Talk::Echo(_) = self.talk {
            assert!(self.said.starts_with(bytes), "that is no echo");
            return bytes.len() == self.said.len();
        }
        let decoded = FromServer::decode(bytes, Dialect::Seed).expect("a frame");
        let Some((answer, length)) = decoded else {
            return false;
        };
        assert_eq!(length, bytes.len(), "one answer at a time");
        match (answer, self.said.first()) {
            (FromServer::Ready { .. }, Some(1)) => {}
            (FromServer::Admit { flag, .. }, Some(3)) => {
                assert_eq!(flag, Admission::First);
                (self.is_playing, self.taken) = (true, 0);
            }
            (FromServer::Action { cell, .. }, Some(5)) => {
                let cell = Cell::read(cell).expect("a cell");
                assert_eq!(self.taken >> cell.index() & 1, 0, "it was free");
                self.taken |= 1 << cell.index();
            }
            (FromServer::Result { .. }, Some(5)) => self.is_playing = false,
            (answer, _) => panic!("{answer:?} is no answer to {:?}", self.said),
        }
        true
    }
}

fn is_move(frame: &[u8]) -> bool {
    frame.first() == Some(&Opcode::Action.byte())
}
