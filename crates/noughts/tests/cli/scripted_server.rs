//! A server that answers each path as a test says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// What the server answers.
pub(crate) enum Answer {
    /// A status and a JSON body.
    Json(u16, String),
    /// An event stream with one event, which stays open.
    Event(String),
}

/// Starts a server; returns its address. `answer` gets the method and the path. The threads end with the process.
pub(crate) fn start(answer: impl Fn(&str, &str) -> Answer + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || serve(stream.unwrap(), &*answer));
        }
    });
    url
}

/// Answers one request, and closes the connection.
fn serve(stream: TcpStream, answer: &dyn Fn(&str, &str) -> Answer) {
    let mut lines = BufReader::new(stream);
    let mut head = Vec::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line).unwrap_or(0) <= 2 {
            break;
        }
        let lower = line.to_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push(line);
    }
    let mut body = vec![0; length];
    let (Some(first), Ok(())) = (head.first(), lines.read_exact(&mut body)) else {
        return;
    };
    let words: Vec<&str> = first.split(' ').collect();
    let mut stream = lines.into_inner();
    match answer(words[0], words[1]) {
        Answer::Json(status, body) => {
            let kind = if status < 400 { "json" } else { "problem+json" };
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status} Status\r\nContent-Type: application/{kind}\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n\r\n{body}"
            );
        }
        Answer::Event(data) => {
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: {data}\n\n"
            );
            // Keeps the stream open until the client leaves.
            let _ = stream.read(&mut [0]);
        }
    }
}
