//! One request and its answer.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use super::{ClientError, ServerUrl};
use crate::problem::Problem;

/// How long one address may take to answer a call.
const CALL: Duration = Duration::from_secs(5);

/// How long a server may say nothing. A stream says something every 15 seconds.
const SILENCE: Duration = Duration::from_secs(45);

/// The longest answer but for streams, and the longest line of one.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The longest head of an answer.
const MOST_HEAD: u64 = 64 * 1024;

/// What is asked.
#[derive(Clone, Copy)]
pub(super) struct Request<'r> {
    pub(super) path: &'r str,
    pub(super) accept: &'r str,
    pub(super) token: Option<&'r str>,
    pub(super) seen: Option<usize>,
    /// JSON; with one it is a POST.
    pub(super) body: Option<&'r [u8]>,
}

/// What is answered, as far as it has come.
pub(super) struct Answer {
    status: u16,
    body: BufReader<TcpStream>,
}

impl<'r> Request<'r> {
    pub(super) fn get(path: &'r str, accept: &'r str) -> Request<'r> {
        Request {
            path,
            accept,
            token: None,
            seen: None,
            body: None,
        }
    }

    /// Asks, and reads the head of the answer.
    pub(super) fn send(self, url: &ServerUrl) -> Result<Answer, ClientError> {
        let mut stream = call(url)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        let mut request = self.head(url)?.into_bytes();
        request.extend_from_slice(self.body.unwrap_or_default());
        stream.write_all(&request)?;
        Answer::read(stream)
    }

    /// In the older HTTP an answer simply ends with its connection, streams too.
    fn head(&self, url: &ServerUrl) -> Result<String, ClientError> {
        let method = match self.body {
            Some(_) => "POST",
            None => "GET",
        };
        let mut head = format!(
            "{method} {} HTTP/1.0\r\nHost: {}\r\nAccept: {}\r\n",
            self.path,
            url.authority(),
            self.accept
        );
        if let Some(token) = self.token {
            if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                let why = "a token is visible ASCII characters";
                return Err(io::Error::new(ErrorKind::InvalidInput, why).into());
            }
            head += &format!("Authorization: Bearer {token}\r\n");
        }
        if let Some(seen) = self.seen {
            head += &format!("Last-Event-ID: {seen}\r\n");
        }
        if let Some(body) = self.body {
            let length = body.len();
            head += &format!("Content-Type: application/json\r\nContent-Length: {length}\r\n");
        }
        Ok(head + "\r\n")
    }
}

/// Calls the addresses of a host one after the other, until one answers.
fn call(url: &ServerUrl) -> io::Result<TcpStream> {
    let mut failed = io::Error::new(ErrorKind::NotFound, "nobody has that name");
    for address in (url.host.as_str(), url.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CALL) {
            Ok(stream) => return Ok(stream),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

impl Answer {
    fn read(stream: TcpStream) -> Result<Answer, ClientError> {
        let mut body = BufReader::new(stream);
        let mut head = (&mut body).take(MOST_HEAD);
        let mut line = String::new();
        read_line(&mut head, &mut line)?;
        let mut words = line.split(' ');
        let is_http = words.next().is_some_and(|word| word.starts_with("HTTP/1."));
        let status = words.next().and_then(|status| status.parse().ok());
        let foreign = || ClientError::Foreign("it does not speak HTTP".to_owned());
        let status = status.filter(|_| is_http).ok_or_else(foreign)?;
        while !line.is_empty() {
            read_line(&mut head, &mut line)?;
        }
        Ok(Answer { status, body })
    }

    /// The answer to what was done, or why it was not.
    pub(super) fn expect_good(self) -> Result<Answer, ClientError> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        let status = self.status;
        let body = self.read_all()?;
        Err(match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) => ClientError::Refused(problem),
            Err(_) => ClientError::Foreign(format!("it answers with status {status}")),
        })
    }

    /// All of it, where it has a bound.
    pub(super) fn read_all(self) -> Result<Vec<u8>, ClientError> {
        let mut bytes = Vec::new();
        let read = self.body.take(MOST_BYTES).read_to_end(&mut bytes)?;
        match (read as u64) < MOST_BYTES {
            true => Ok(bytes),
            false => Err(ClientError::Foreign("it answers without end".to_owned())),
        }
    }

    /// The next line of a stream; `None` when it has ended.
    pub(super) fn line(&mut self, line: &mut String) -> Result<Option<()>, ClientError> {
        let mut bounded = (&mut self.body).take(MOST_BYTES);
        match read_line(&mut bounded, line) {
            Ok(()) => Ok(Some(())),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// A line without its end, which there must be.
fn read_line(from: &mut impl BufRead, line: &mut String) -> io::Result<()> {
    line.clear();
    let mut bytes = Vec::new();
    from.read_until(b'\n', &mut bytes)?;
    if bytes.pop() != Some(b'\n') {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    line.push_str(&String::from_utf8_lossy(&bytes));
    Ok(())
}
