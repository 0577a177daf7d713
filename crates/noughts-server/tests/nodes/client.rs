//! TCP and HTTP clients.

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::TIMEOUT;
use crate::request_bytes::request_bytes;

/// The session id of every client: it is a label only.
const ID: [u8; 4] = [0, 0, 0x30, 0x39];

/// A TCP client that always plays the first free cell.
pub(crate) struct Tcp {
    stream: TcpStream,
    /// Cells without a mark.
    free: Vec<[u8; 3]>,
}

/// What the server sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Frame {
    Ready,
    Admit(u8),
    Action([u8; 3]),
    Result(u8),
    Error(u8),
    /// The connection is closed.
    Closed,
}

impl Tcp {
    /// Connects, sends HELLO and requests a game.
    pub(crate) async fn join(port: u16, name: &str) -> Tcp {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut tcp = Tcp {
            stream,
            free: Vec::new(),
        };
        let mut hello = vec![1];
        hello.extend(ID);
        hello.extend(name.bytes());
        hello.extend([0, 0]);
        tcp.send(&hello).await;
        assert_eq!(tcp.next().await, Frame::Ready);
        tcp.ask_for_game().await;
        tcp
    }

    /// Requests the next game.
    pub(crate) async fn ask_for_game(&mut self) {
        let cells = (0..9).map(|cell| [b'0' + cell / 3, b'-', b'0' + cell % 3]);
        self.free = cells.collect();
        self.frame(3, &[]).await;
    }

    /// Plays the first free cell.
    pub(crate) async fn play(&mut self) {
        let cell = self.free.remove(0);
        self.frame(5, &cell).await;
    }

    async fn frame(&mut self, opcode: u8, rest: &[u8]) {
        let mut bytes = vec![opcode];
        bytes.extend(ID);
        bytes.extend(rest);
        self.send(&bytes).await;
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// The next frame.
    pub(crate) async fn next(&mut self) -> Frame {
        let frame = timeout(TIMEOUT, self.read()).await;
        frame.expect("the server says something in time")
    }

    /// Reads the next frame. Cancel safe only if no byte of the frame has arrived.
    pub(crate) async fn read(&mut self) -> Frame {
        let Some(head) = self.bytes::<5>().await else {
            return Frame::Closed;
        };
        match head[0] {
            2 => Frame::Ready,
            4 => Frame::Admit(self.bytes::<1>().await.unwrap()[0]),
            5 => {
                let cell = self.bytes::<3>().await.unwrap();
                self.free.retain(|free| *free != cell);
                Frame::Action(cell)
            }
            6 => Frame::Result(self.bytes::<1>().await.unwrap()[0]),
            8 => {
                let code = self.bytes::<1>().await.unwrap()[0];
                let mut last = [1, 1];
                while last != [0, 0] {
                    last = [last[1], self.bytes::<1>().await.unwrap()[0]];
                }
                Frame::Error(code)
            }
            other => panic!("an unknown frame: {other}"),
        }
    }

    async fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        let read = self.stream.read_exact(&mut bytes).await;
        read.ok().map(|_| bytes)
    }

    /// Waits for an opponent. Returns whether this client moves first.
    pub(crate) async fn admitted(&mut self) -> bool {
        match self.next().await {
            Frame::Admit(1) => true,
            Frame::Admit(2) => false,
            other => panic!("{other:?} instead of ADMIT"),
        }
    }

    /// Plays the game to its end. Returns the flag of RESULT.
    pub(crate) async fn play_to_end(&mut self) -> u8 {
        if self.admitted().await {
            self.play().await;
        }
        self.go_on().await
    }

    /// Answers every move until the end. Returns the flag of RESULT.
    pub(crate) async fn go_on(&mut self) -> u8 {
        loop {
            match self.next().await {
                Frame::Action(_) => self.play().await,
                Frame::Result(flag) => return flag,
                other => panic!("{other:?} in the middle of a game"),
            }
        }
    }
}

/// Sends a request, and returns the status and the body.
pub(crate) async fn http(
    port: u16,
    method: &str,
    path: &str,
    token: &str,
    body: Option<&str>,
) -> (u16, Value) {
    let request = request_bytes(method, path, token, &[], body.map(str::as_bytes));
    let answer = timeout(TIMEOUT, ask(port, &request)).await;
    let (status, body) = answer.expect("the server answers in time");
    (status, serde_json::from_str(&body).unwrap_or(Value::Null))
}

async fn ask(port: u16, request: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

/// A table of the API, with the tokens of the seats that were taken when it was created.
pub(crate) struct Game {
    pub(crate) id: String,
    pub(crate) tokens: Vec<String>,
    turn: usize,
}

impl Game {
    /// Creates a table with this request body.
    pub(crate) async fn create(port: u16, body: &str) -> Game {
        let (status, created) = http(port, "POST", "/api/games", "", Some(body)).await;
        assert_eq!(status, 201, "{created}");
        let tokens = created["tokens"].as_object().unwrap();
        let tokens = tokens.values().map(|token| token.as_str().unwrap());
        Game {
            id: created["id"].as_str().unwrap().to_owned(),
            tokens: tokens.map(str::to_owned).collect(),
            turn: 1,
        }
    }

    /// Plays the next cell, row by row, with the tokens in turn. Returns the status.
    pub(crate) async fn play(&mut self, port: u16) -> u16 {
        let cell = self.turn - 1;
        let token = self.tokens[cell % self.tokens.len()].clone();
        let (row, column) = (cell / 16, cell % 16);
        let body = format!(r#"{{"turn":{},"play":"{row}-{column}"}}"#, self.turn);
        let path = format!("/api/games/{}/actions", self.id);
        let (status, _) = http(port, "POST", &path, &token, Some(&body)).await;
        self.turn += usize::from(status == 200);
        status
    }

    pub(crate) async fn view(&self, port: u16) -> Value {
        let (status, view) = http(port, "GET", &format!("/api/games/{}", self.id), "", None).await;
        assert_eq!(status, 200);
        view
    }

    /// The number of turns that were acknowledged.
    pub(crate) fn turns(&self) -> usize {
        self.turn - 1
    }
}

/// An event stream.
pub(crate) struct Events(BufReader<TcpStream>);

impl Events {
    pub(crate) async fn open(port: u16, game: &str, token: &str) -> Events {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let request = format!(
            "GET /api/games/{game}/events HTTP/1.1\r\nHost: here\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        Events(BufReader::new(stream))
    }

    /// Waits until exactly these seats are present.
    pub(crate) async fn until_present(&mut self, wanted: [bool; 2]) {
        let waits = async {
            loop {
                let mut line = String::new();
                assert_ne!(self.0.read_line(&mut line).await.unwrap(), 0, "it ended");
                let Some(data) = line.trim_end().strip_prefix("data: ") else {
                    continue;
                };
                let event: Value = serde_json::from_str(data).unwrap();
                if present(&event) == Some(wanted) {
                    return;
                }
            }
        };
        timeout(TIMEOUT, waits).await.expect("it comes in time");
    }
}

/// Which seats are present according to an event.
fn present(event: &Value) -> Option<[bool; 2]> {
    // Views and presence have the seats; changes and offers do not.
    let seats = &event.as_object()?.values().next()?["seats"];
    let seat = |seat: usize| seats[seat]["present"].as_bool();
    Some([seat(0)?, seat(1)?])
}
