//! TCP clients that send the next frame as soon as they have the answer to the previous frame. The server and the echo
//! are measured with the same clients.

use std::sync::Arc;
use std::time::{Duration, Instant};

use noughts_wire::{Admission, Cell, Dialect, FromClient, FromServer, Name, Opcode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::flood::Neighbour;
use crate::process::Process;
use crate::rounds::{Job, p99};

/// Duration of one slice. A bench compares two groups of clients. The groups alternate, one slice each. Answers to
/// requests that are in progress at the end of a slice still count.
const SLICE: Duration = Duration::from_millis(300);

/// Maximum time for connecting all clients, and for each slice. The bench fails if one of these steps takes longer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Connected clients that have begun a game, on one thread.
pub(crate) struct Clients<'p> {
    process: &'p Process,
    runtime: Runtime,
    clients: Vec<Client>,
    neighbour: Neighbour,
    counted: Counted,
}

/// How a client writes a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writes {
    /// In one write, sent at once.
    Once,
    /// Opcode, id and cell one by one, with Nagle's algorithm on, as Java's streams do.
    FieldByField,
}

/// What a client sends.
#[derive(Clone)]
pub(crate) enum Talk {
    /// Plays one game after another: completes a line, or blocks one, or takes the first free cell.
    Game,
    /// Plays the recorded game with the echo, again and again: sends the same frames as in a game. When a frame comes
    /// back, the client handles the recorded answer of the server. So it does the same work as in a game.
    Echo(Script),
}

/// The frames that a client sends in one game, from PLAY on, and the server's answers.
#[derive(Clone)]
pub(crate) struct Script(Arc<[Exchange]>);

/// A frame, and the server's answer to it.
struct Exchange {
    frame: Vec<u8>,
    answer: Vec<u8>,
}

impl Script {
    pub(crate) fn frames(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn moves(&self) -> usize {
        let frames = self.0.iter().map(|exchange| &exchange.frame);
        frames.filter(|frame| is_move(frame)).count()
    }
}

/// The result of a round.
#[derive(Default)]
pub(crate) struct Counted {
    /// Number of ACTION frames that were answered.
    moves: u64,
    time: Duration,
    /// How long each answer took, in nanoseconds. Answers to PLAY are included.
    waits: Vec<u64>,
    /// Processor time of the server.
    cpu: Duration,
}

impl Counted {
    /// Moves per second.
    pub(crate) fn rate(&self) -> f64 {
        self.moves as f64 / self.time.as_secs_f64()
    }

    /// Round trips per second, including PLAY.
    pub(crate) fn trips(&self) -> f64 {
        self.waits.len() as f64 / self.time.as_secs_f64()
    }

    /// The 99th percentile of the waiting time, in seconds.
    pub(crate) fn p99(&self) -> f64 {
        p99(&self.waits)
    }

    /// The server's processor time per frame, in seconds.
    pub(crate) fn cpu_each(&self) -> f64 {
        self.cpu.as_secs_f64() / self.waits.len() as f64
    }
}

impl<'p> Clients<'p> {
    /// Connects this many clients and begins their games.
    pub(crate) fn connect(
        process: &'p Process,
        connections: usize,
        talk: &Talk,
        writes: Writes,
    ) -> Clients<'p> {
        let runtime = runtime();
        let clients = in_time(&runtime, async {
            let mut clients = Vec::new();
            for number in 0..connections {
                let mut client = Client::connect(process, talk, writes, number).await;
                client.begin().await;
                clients.push(client);
            }
            clients
        });
        Clients {
            process,
            runtime,
            clients,
            neighbour: Neighbour::Quiet,
            counted: Counted::default(),
        }
    }

    /// Sets what another address does while these clients are measured.
    pub(crate) fn beside(mut self, neighbour: Neighbour) -> Clients<'p> {
        self.neighbour = neighbour;
        self
    }
}

impl Job for Clients<'_> {
    type Figures = Counted;
    const SLICES: usize = 3;

    fn slice(&mut self) {
        let cpu = self.process.cpu();
        let started = Instant::now();
        let until = started + SLICE;
        let all = self.clients.drain(..);
        let runtime = &self.runtime;
        let played = self.neighbour.beside(|| {
            in_time(runtime, async {
                let playing: JoinSet<(Client, Heard)> =
                    all.map(|client| client.play(until)).collect();
                playing.join_all().await
            })
        });
        self.counted.time += started.elapsed();
        self.counted.cpu += self.process.cpu() - cpu;
        for (client, heard) in played {
            self.clients.push(client);
            self.counted.moves += heard.moves;
            self.counted.waits.extend(heard.waits);
        }
    }

    fn figures(&mut self) -> Counted {
        let counted = std::mem::take(&mut self.counted);
        assert!(counted.moves > 0, "nobody answers");
        counted
    }
}

/// Plays one game, and returns the frames that were sent.
pub(crate) fn record_one_game(server: &Process) -> Script {
    in_time(&runtime(), async {
        let mut client = Client::connect(server, &Talk::Game, Writes::Once, 0).await;
        client.begin().await;
        let mut exchanges = vec![client.exchange()];
        while client.is_playing {
            client.round_trip().await;
            exchanges.push(client.exchange());
        }
        Script(exchanges.into())
    })
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

fn in_time<T>(runtime: &Runtime, what: impl Future<Output = T>) -> T {
    let limited = async { timeout(TIMEOUT, what).await };
    runtime.block_on(limited).expect("answers in time")
}

/// What one client received in a slice.
#[derive(Default)]
struct Heard {
    moves: u64,
    waits: Vec<u64>,
}

/// One client, with its connection and its game.
struct Client {
    stream: TcpStream,
    talk: Talk,
    writes: Writes,
    id: u32,
    /// Number of answers so far. Used only with the echo.
    at: usize,
    is_playing: bool,
    /// The client's cells and the opponent's cells, as bit sets.
    cells: [u16; 2],
    said: Vec<u8>,
    /// The latest answer.
    heard: Vec<u8>,
}

impl Client {
    async fn connect(process: &Process, talk: &Talk, writes: Writes, number: usize) -> Client {
        let stream = TcpStream::connect(process.address)
            .await
            .expect("it listens");
        stream
            .set_nodelay(writes == Writes::Once)
            .expect("a socket");
        // Closing this socket resets the connection, so that no port stays in TIME_WAIT.
        #[cfg(unix)]
        rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).expect("a socket");
        Client {
            stream,
            talk: talk.clone(),
            writes,
            id: 10_000 + number as u32,
            at: 0,
            is_playing: false,
            cells: [0; 2],
            said: Vec::new(),
            heard: Vec::new(),
        }
    }

    /// The latest frame and its answer.
    fn exchange(&self) -> Exchange {
        Exchange {
            frame: self.said.clone(),
            answer: self.heard.clone(),
        }
    }

    /// Sends HELLO and the first PLAY, or the first frame of the script, and waits for the answers.
    async fn begin(&mut self) {
        if let Talk::Game = self.talk {
            let name = Name::new("Ann").expect("Latin-1");
            self.said.clear();
            FromClient::Hello { id: self.id, name }.encode(&mut self.said);
            self.ask().await;
        }
        self.round_trip().await;
    }

    async fn play(mut self, until: Instant) -> (Client, Heard) {
        let mut heard = Heard::default();
        let mut before = Instant::now();
        loop {
            self.round_trip().await;
            let now = Instant::now();
            heard.waits.push((now - before).as_nanos() as u64);
            heard.moves += u64::from(is_move(&self.said));
            if now > until {
                return (self, heard);
            }
            before = now;
        }
    }

    /// Sends the next frame, and waits for the answer.
    async fn round_trip(&mut self) {
        self.said.clear();
        if self.is_playing {
            let chosen = choose(self.cells);
            self.cells[0] |= 1 << chosen;
            let cell = Cell::from_index(chosen)
                .expect("else the game were over")
                .to_bytes();
            FromClient::Action { id: self.id, cell }.encode(&mut self.said);
        } else {
            FromClient::Play { id: self.id }.encode(&mut self.said);
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
            if self.receive(&bytes[..length]) {
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

    /// If `bytes` are a whole answer, applies the answer to the client's state and returns true. If more bytes are
    /// needed, returns false. Panics on a wrong answer.
    fn receive(&mut self, bytes: &[u8]) -> bool {
        let talk = self.talk.clone();
        let bytes = match &talk {
            Talk::Game => bytes,
            Talk::Echo(Script(exchanges)) => {
                assert!(self.said.starts_with(bytes), "that is no echo");
                if bytes.len() < self.said.len() {
                    return false;
                }
                let exchange = &exchanges[self.at % exchanges.len()];
                assert_eq!(self.said.first(), exchange.frame.first());
                self.at += 1;
                &exchange.answer[..]
            }
        };
        let decoded = FromServer::decode(bytes, Dialect::Seed).expect("a frame");
        let Some((answer, length)) = decoded else {
            return false;
        };
        assert_eq!(length, bytes.len(), "one answer at a time");
        self.heard.clear();
        self.heard.extend(bytes);
        match (answer, self.said.first()) {
            (FromServer::Ready { .. }, Some(1)) => {}
            (FromServer::Admit { flag, .. }, Some(3)) => {
                assert_eq!(flag, Admission::First);
                (self.is_playing, self.cells) = (true, [0; 2]);
            }
            (FromServer::Action { cell, .. }, Some(5)) => {
                let cell = Cell::try_from(cell).expect("a cell");
                let taken = self.cells[0] | self.cells[1];
                assert_eq!(taken >> cell.index() & 1, 0, "it was free");
                self.cells[1] |= 1 << cell.index();
            }
            (FromServer::Result { .. }, Some(5)) => self.is_playing = false,
            (answer, _) => panic!("{answer:?} is no answer to {:?}", self.said),
        }
        true
    }
}

/// A cell that completes a line; otherwise a cell that blocks a line of the opponent; otherwise the first free cell.
fn choose([mine, others]: [u16; 2]) -> u8 {
    let free = !(mine | others) & 0o777;
    let last_of = |marks: u16| {
        let missing = noughts_rules::LINES_3X3.iter().map(|line| line & !marks);
        missing
            .filter(|cells| cells.count_ones() == 1)
            .find(|cell| cell & free != 0)
    };
    let chosen = last_of(mine).or_else(|| last_of(others)).unwrap_or(free);
    chosen.trailing_zeros() as u8
}

fn is_move(frame: &[u8]) -> bool {
    frame.first() == Some(&Opcode::Action.to_byte())
}
