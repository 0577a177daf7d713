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
    /// The view of one table that the client has already: the answer is 304.
    KnownViews,
    /// Creates a table, plays a drawn game of nine turns for both seats, and begins again.
    Turns,
}

const TABLE: &str = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;

/// The cells of a drawn game, in the order in which they are played.
const DRAW: [&str; 9] = [
    "0-0", "1-1", "2-2", "0-1", "2-1", "2-0", "0-2", "1-2", "1-0",
];

/// Maximum length of an answer in bytes. It is enough for a view of 255x255.
const LARGEST: usize = 1 << 20;

/// Duration of one slice. A bench compares two groups of clients. The groups alternate, one slice each.
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
    /// Number of answered views or turns. New tables do not count.
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

    /// Sets what another address does while these clients are measured.
    pub(crate) fn beside(mut self, neighbour: Neighbour) -> Clients<'p> {
        self.neighbour = neighbour;
        self
    }

    /// Sends waves of requests until [`SLICE`] is over. A wave is one request on each connection; then every answer is
    /// read.
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
        let mut neighbour = std::mem::replace(&mut self.neighbour, Neighbour::Quiet);
        neighbour.beside(|| self.ask());
        self.neighbour = neighbour;
        self.counted.cpu += self.process.cpu() - cpu;
    }

    fn figures(&mut self) -> Counted {
        std::mem::take(&mut self.counted)
    }
}

/// One client, with its connection and its table.
pub(crate) struct Client {
    stream: TcpStream,
    kind: RequestKind,
    /// The id of the table, and the tokens of its two seats. `None` before the table is created, and after its last
    /// turn.
    table: Option<(String, [String; 2])>,
    /// Number of turns played at the table.
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

    /// Reads the answer, and returns whether it counts. The answer to the creation of a table does not count.
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

/// A request that plays this cell in turn `turn`, counted from 0.
fn turn_request(id: &str, token: &str, turn: usize, cell: &str) -> String {
    let body = format!(r#"{{"turn":{},"play":"{cell}"}}"#, turn + 1);
    post(&format!("/api/games/{id}/actions"), Some(token), &body)
}

/// Reads the next answer and returns its body, which is empty for the status 304. Panics if the answer is an error.
fn read(stream: &mut TcpStream, bytes: &mut [u8]) -> String {
    let (status, body) = read_answer(stream, bytes).expect("an answer");
    assert!(matches!(status, 200..=209 | 304), "{status}: {body}");
    body
}

/// Reads the next answer, and returns its status and its body. `None` if the connection was closed or lost.
pub(crate) fn read_answer(stream: &mut TcpStream, bytes: &mut [u8]) -> Option<(u16, String)> {
    let mut filled = 0;
    loop {
        let count = stream.read(&mut bytes[filled..]).ok();
        filled += count.filter(|count| *count > 0)?;
        let text = std::str::from_utf8(&bytes[..filled]).expect("text");
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let status = head
            .strip_prefix("HTTP/1.1 ")
            .and_then(|rest| rest.get(..3));
        let status = status.and_then(|status| status.parse().ok());
        let status = status.expect("a status");
        if status == 304 {
            return Some((status, String::new()));
        }
        let length = head.split("\r\n").find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            let is_length = name.eq_ignore_ascii_case("content-length");
            is_length.then(|| value.parse::<usize>().ok())?
        });
        if body.len() < length.expect("a length") {
            continue;
        }
        return Some((status, body.to_owned()));
    }
}

pub(crate) fn string_after(text: &str, key: &str) -> String {
    let from = text.find(key).expect("it is there") + key.len();
    let rest = &text[from..];
    rest[..rest.find('"').expect("it ends")].to_owned()
}

/// Creates a table and plays four turns. Returns the answer to the creation, and the view after the turns. The bare
/// handler answers with these bytes.
pub(crate) fn record_answers(server: &Process) -> (String, String) {
    let (id, tokens, created, mut stream) = create_table(server);
    for turn in 0..4 {
        play(&mut stream, &id, &tokens[turn % 2], turn);
        receive(&mut stream);
    }
    let view = get(&mut stream, &format!("/api/games/{id}"));
    (created, view)
}

/// Sends a GET request, and returns the body of the answer.
pub(crate) fn get(stream: &mut TcpStream, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: here\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it listens");
    read(stream, &mut vec![0; LARGEST])
}

/// Creates a table for a game of 3x3k3, and returns the same as [`create`].
pub(crate) fn create_table(server: &Process) -> (String, [String; 2], String, TcpStream) {
    create(server, TABLE)
}

/// Creates a table with two seats. Returns its id, the tokens of the seats, the body of the answer, and the connection.
pub(crate) fn create(server: &Process, body: &str) -> (String, [String; 2], String, TcpStream) {
    let mut stream = connect(server);
    let request = post("/api/games", None, body);
    stream.write_all(request.as_bytes()).expect("it listens");
    let created = read(&mut stream, &mut vec![0; LARGEST]);
    let tokens = ["0", "1"].map(|seat| string_after(&created, &format!(r#""{seat}":""#)));
    (string_after(&created, r#""id":""#), tokens, created, stream)
}

/// Sends turn `turn`, counted from 0, of a drawn game of 3x3k3. Returns the time just before sending.
pub(crate) fn play(stream: &mut TcpStream, id: &str, token: &str, turn: usize) -> Instant {
    play_at(stream, id, token, turn, DRAW[turn])
}

/// Sends a request that plays this cell in turn `turn`, counted from 0. Returns the time just before sending.
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

/// Reads an answer. Panics if it is an error.
pub(crate) fn receive(stream: &mut TcpStream) {
    read(stream, &mut vec![0; LARGEST]);
}

/// Connects to the process. A read fails if it takes longer than 20 seconds.
pub(crate) fn connect(process: &Process) -> TcpStream {
    let stream = TcpStream::connect(process.address).expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    let max_wait = Some(Duration::from_secs(20));
    stream.set_read_timeout(max_wait).expect("a socket");
    stream
}
