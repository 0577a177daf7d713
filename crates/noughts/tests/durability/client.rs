//! One who speaks HTTP.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// A connection that is opened when it is needed.
pub(crate) struct Client {
    port: u16,
    stream: Option<BufReader<TcpStream>>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Null where it is no JSON.
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl Answer {
    /// It is a refusal of this kind.
    pub(crate) fn is_problem(&self, status: u16, kind: &str) -> bool {
        self.status == status && self.body["type"] == format!("/problems/{kind}")
    }
}

/// Longer than anything takes; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

impl Client {
    pub(crate) fn new(port: u16) -> Client {
        Client { port, stream: None }
    }

    pub(crate) fn get(&mut self, path: &str) -> io::Result<Answer> {
        self.ask("GET", path, "", "", None)
    }

    /// Asks with a token and a key, each of which may be empty. On an error nobody knows what happened.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        key: &str,
        body: Option<&str>,
    ) -> io::Result<Answer> {
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: here\r\n");
        if !token.is_empty() {
            request += &format!("Authorization: Bearer {token}\r\n");
        }
        if !key.is_empty() {
            request += &format!("Idempotency-Key: {key}\r\n");
        }
        if let Some(body) = body {
            let length = body.len();
            request += &format!("Content-Type: application/json\r\nContent-Length: {length}\r\n");
        }
        request += "\r\n";
        request += body.unwrap_or_default();
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => BufReader::new(connect(self.port)?),
        };
        stream.get_mut().write_all(request.as_bytes())?;
        let answer = read(&mut stream)?;
        self.stream = Some(stream);
        Ok(answer)
    }
}

fn connect(port: u16) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Answer> {
    let (status, length) = read_head(stream)?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let text = String::from_utf8(body).map_err(io::Error::other)?;
    Ok(Answer {
        status,
        body: serde_json::from_str(&text).unwrap_or(Value::Null),
        text,
    })
}

fn read_head(stream: &mut BufReader<TcpStream>) -> io::Result<(u16, usize)> {
    let (mut status, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_lowercase();
        match (status, line.split_once(": ")) {
            (None, _) => status = line.split(' ').nth(1).and_then(|word| word.parse().ok()),
            (Some(status), None) if line.is_empty() => return Ok((status, length)),
            (Some(_), Some(("content-length", number))) => {
                length = number.parse().map_err(io::Error::other)?;
            }
            (Some(_), _) => {}
        }
    }
}

/// The data of a table's events, one after the other.
pub(crate) struct Events(BufReader<TcpStream>);

impl Events {
    pub(crate) fn of(port: u16, id: &str) -> Events {
        let mut stream = connect(port).expect("the server is there");
        let request = format!("GET /api/games/{id}/events HTTP/1.1\r\nHost: here\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut stream = BufReader::new(stream);
        assert_eq!(read_head(&mut stream).unwrap().0, 200);
        Events(stream)
    }

    /// The next.
    pub(crate) fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "the stream ended");
            if let Some(data) = line.strip_prefix("data: ") {
                let event: Value = serde_json::from_str(data).unwrap();
                // `{"view":…}`, `{"change":…}`, `{"presence":…}`.
                let what = event.as_object().and_then(|event| event.values().next());
                return what.expect("an event says what it is").clone();
            }
        }
    }

    /// Waits for one that is so.
    pub(crate) fn wait_for(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.next();
            if is(&event) {
                return event;
            }
        }
    }
}
