//! Clients that send requests in waves, each over its own connection.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::flood::Neighbour;
use crate::process::Process;
use crate::rounds::{Job, p99};

/// The kind of request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RequestKind {
    /// The view of one table.
    Views,
    /// The same view, which the client has already: the answer is 304.
    KnownViews,
    /// A new table, and then nine turns at it, by both seats, to a draw.
    Turns,
}

const TABLE: &str = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;

/// Moves of a game without a line: a draw.
const DRAW: [&str; 9] = [
    "0-0", "1-1", "2-2", "0-1", "2-1", "2-0", "0-2", "1-2", "1-0",
];

/// Room for the largest answer, a view of 255x255.
const LARGEST: usize = 1 << 20;

/// How long one side is measured before the other.
const SLICE: Duration = Duration::from_millis(200);

pub(crate) struct Clients<'p> {
    process: &'p Process,
    clients: Vec<Client>,
    neighbour: Neighbour,
    counted: Counted,
}

/// The result of a round.
#[derive(Clone, Default)]
pub(crate) struct Counted {
    /// Views, or turns.
    asked: u64,
    requests: u64,
    time: Duration,
    cpu: Duration,
    /// How long each answer took, in nanoseconds, from the beginning of its wave.
    waits: Vec<u64>,
}

impl Counted {
    pub(crate) fn rate(&self) -> f64 {
        self.asked as f64 / self.time.as_secs_f64()
    }

    pub(crate) fn cpu_each(&self) -> f64 {
        self.cpu.as_secs_f64() / self.requests as f64
    }

    /// The 99th percentile of the answer times, in seconds.
    pub(crate) fn p99(&self) -> f64 {
        p99(&self.waits)
    }
}

impl<'p> Clients<'p> {
    pub(crate) fn connect(
        process: &'p Process,
        connections: usize,
        kind: RequestKind,
    ) -> Clients<'p> {
        let clients = (0..connections).map(|_| Client::new(connect(process), kind));
        Clients {
            process,
            clients: clients.collect(),
            neighbour: Neighbour::Quiet,
            counted: Counted::default(),
        }
    }

    /// The same clients, while another address opens connections until it is refused.
    pub(crate) fn beside(mut self, neighbour: Neighbour) -> Clients<'p> {
        self.neighbour = neighbour;
        self
    }

    /// Asks on every connection, then reads every answer, until the time is over.
    fn ask(&mut self) {
        let begun = Instant::now();
        while begun.elapsed() < SLICE {
            let wave = Instant::now();
            for client in &mut self.clients {
                client.ask();
            }
            for client in &mut self.clients {
                self.counted.asked += u64::from(client.receive());
                self.counted.requests += 1;
                self.counted.waits.push(wave.elapsed().as_nanos() as u64);
            }
        }
        self.counted.time += begun.elapsed();
    }
}

impl Job for Clients<'_> {
    type Figures = Counted;
    const SLICES: usize = 4;

    fn slice(&mut self) {
        let cpu = self.process.cpu();
        let (neighbour, address) = (self.neighbour, self.process.address);
        neighbour.beside(address, || self.ask());
        self.counted.cpu += self.process.cpu() - cpu;
    }

    fn figures(&mut self) -> Counted {
        std::mem::take(&mut self.counted)
    }
}

/// One connection.
pub(crate) struct Client {
    stream: TcpStream,
    kind: RequestKind,
    /// The table, once it is created.
    table: Option<(String, [String; 2])>,
    /// Turns played at the table.
    turn: usize,
    bytes: Vec<u8>,
}

impl Client {
    pub(crate) fn new(stream: TcpStream, kind: RequestKind) -> Client {
        Client {
            stream,
            kind,
            table: None,
            turn: 0,
            bytes: vec![0; 16 * 1024],
        }
    }

    fn ask(&mut self) {
        let request = match (&self.table, self.kind) {
            (None, _) => post("/api/games", None, TABLE),
            (Some((id, _)), RequestKind::Views) => {
                format!("GET /api/games/{id} HTTP/1.1\r\nHost: here\r\nAccept: */*\r\n\r\n")
            }
            (Some((id, _)), RequestKind::KnownViews) => {
                format!("GET /api/games/{id} HTTP/1.1\r\nHost: here\r\nIf-None-Match: *\r\n\r\n")
            }
            (Some((id, tokens)), RequestKind::Turns) => {
                turn_request(id, &tokens[self.turn % 2], self.turn, DRAW[self.turn])
            }
        };
        self.stream
            .write_all(request.as_bytes())
            .expect("it listens");
    }

    /// Reads the answer. Returns whether the request counts.
    fn receive(&mut self) -> bool {
        let body = read(&mut self.stream, &mut self.bytes);
        if self.table.is_none() {
            self.table = Some((
                string_after(&body, r#""id":""#),
                ["0", "1"].map(|seat| string_after(&body, &format!(r#""{seat}":""#))),
            ));
            self.turn = 0;
            return false;
        }
        if self.kind == RequestKind::Turns {
            self.turn += 1;
            if self.turn == DRAW.len() {
                self.table = None;
            }
        }
        true
    }
}

pub(crate) fn post(path: &str, token: Option<&str>, body: &str) -> String {
    let bearer = token.map_or(String::new(), |token| {
        format!("Authorization: Bearer {token}\r\n")
    });
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: here\r\nAccept: */*\r\n{bearer}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// Plays this cell in turn `turn`, from 0.
fn turn_request(id: &str, token: &str, turn: usize, cell: &str) -> String {
    let body = format!(r#"{{"turn":{},"play":"{cell}"}}"#, turn + 1);
    post(&format!("/api/games/{id}/actions"), Some(token), &body)
}

/// The body of the next answer, which must be a success.
fn read(stream: &mut TcpStream, bytes: &mut [u8]) -> String {
    let mut filled = 0;
    loop {
        let count = stream.read(&mut bytes[filled..]).expect("an answer");
        assert!(count > 0, "the other side has gone");
        filled += count;
        let text = std::str::from_utf8(&bytes[..filled]).expect("text");
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        if head.starts_with("HTTP/1.1 304") {
            return String::new();
        }
        let length = head.split("\r\n").find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            let is_length = name.eq_ignore_ascii_case("content-length");
            is_length.then(|| value.parse::<usize>().ok())?
        });
        if body.len() < length.expect("a length") {
            continue;
        }
        assert!(head.starts_with("HTTP/1.1 20"), "{text}");
        return body.to_owned();
    }
}

fn string_after(text: &str, key: &str) -> String {
    let from = text.find(key).expect("it is there") + key.len();
    let rest = &text[from..];
    rest[..rest.find('"').expect("it ends")].to_owned()
}

/// The answer to a new table, and a view: the bare handler returns the same.
pub(crate) fn record_answers(server: &Process) -> (String, String) {
    let (id, tokens, created, mut stream) = create_table(server);
    for turn in 0..4 {
        play(&mut stream, &id, &tokens[turn % 2], turn);
        receive(&mut stream);
    }
    let view = get(&mut stream, &format!("/api/games/{id}"));
    (created, view)
}

/// Sends a GET request.
pub(crate) fn get(stream: &mut TcpStream, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: here\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it listens");
    read(stream, &mut vec![0; LARGEST])
}

/// Creates a table of the short game.
pub(crate) fn create_table(server: &Process) -> (String, [String; 2], String, TcpStream) {
    create(server, TABLE)
}

/// Creates a table for two: its id, the tokens, the whole answer, and the connection.
pub(crate) fn create(server: &Process, body: &str) -> (String, [String; 2], String, TcpStream) {
    let mut stream = connect(server);
    let request = post("/api/games", None, body);
    stream.write_all(request.as_bytes()).expect("it listens");
    let created = read(&mut stream, &mut vec![0; LARGEST]);
    let tokens = ["0", "1"].map(|seat| string_after(&created, &format!(r#""{seat}":""#)));
    (string_after(&created, r#""id":""#), tokens, created, stream)
}

/// Plays turn `turn` of the short game, from 0. Returns when the request was sent.
pub(crate) fn play(stream: &mut TcpStream, id: &str, token: &str, turn: usize) -> Instant {
    play_at(stream, id, token, turn, DRAW[turn])
}

/// Plays this cell in turn `turn`, from 0. Returns when the request was sent.
pub(crate) fn play_at(
    stream: &mut TcpStream,
    id: &str,
    token: &str,
    turn: usize,
    cell: &str,
) -> Instant {
    let request = turn_request(id, token, turn, cell);
    let asked = Instant::now();
    stream.write_all(request.as_bytes()).expect("it listens");
    asked
}

/// Reads an answer.
pub(crate) fn receive(stream: &mut TcpStream) {
    read(stream, &mut vec![0; LARGEST]);
}

/// Connects.
pub(crate) fn connect(process: &Process) -> TcpStream {
    let stream = TcpStream::connect(process.address).expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    let max_wait = Some(Duration::from_secs(20));
    stream.set_read_timeout(max_wait).expect("a socket");
    stream
}
