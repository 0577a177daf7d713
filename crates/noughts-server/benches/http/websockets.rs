//! Many WebSockets: their memory while idle, and how soon they receive a turn.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::clients;
use crate::clients::connect;
use crate::process::Process;
use crate::rounds::Spread;
use crate::servers::Role;

const IDLE: usize = 9_000;
const TABLES: usize = 90;
const WATCHERS: usize = 1_000;

/// Measures the server's memory per idle WebSocket.
pub(crate) fn idle() {
    let mut each = Vec::new();
    for _ in 0..3 {
        let server = Process::start(Role::Server, &[]);
        let tables: Vec<String> = (0..TABLES)
            .map(|_| clients::create_table(&server).0)
            .collect();
        let before = server.resident();
        let sockets: Vec<TcpStream> = (0..IDLE)
            .map(|number| watch(&server, &tables[number % TABLES]))
            .collect();
        server.wait_until_idle();
        each.push((server.resident() - before) as f64 / sockets.len() as f64);
    }
    let each = Spread::of(&each);
    println!("bytes for each of {IDLE} idle WebSockets, at most 16384: {each}\n");
}

/// Measures how soon all watchers of a table have read a turn. One thread reads for all watchers, one after another.
pub(crate) fn watchers() {
    let server = Process::start(Role::Server, &[]);
    let lasts: Vec<f64> = (0..5).flat_map(|_| watched(&server)).collect();
    let lasts = Spread::of(&lasts);
    println!("ms until {WATCHERS} watchers have a turn, at most 100 at the median: {lasts}\n");
}

/// Plays a game of nine turns with [`WATCHERS`] watchers. Returns for each turn the milliseconds until the last watcher
/// has read it.
pub(crate) fn watched(server: &Process) -> Vec<f64> {
    let (id, tokens, _, mut player) = clients::create_table(server);
    let mut sockets: Vec<TcpStream> = (0..WATCHERS).map(|_| watch(server, &id)).collect();
    let play = |turn: usize| {
        let asked = clients::play(&mut player, &id, &tokens[turn % 2], turn);
        for socket in &mut sockets {
            // The first requests of the players change their presence, so messages about it may come first.
            let mut messages = std::iter::repeat_with(|| frame(socket));
            let message = messages.find(|message| !message.starts_with("{\"presence\""));
            let message = message.expect("a message");
            assert!(message.starts_with("{\"change\""), "{message}");
        }
        let time = asked.elapsed().as_secs_f64() * 1e3;
        clients::receive(&mut player);
        time
    };
    (0..9).map(play).collect()
}

/// Opens a WebSocket as a spectator, and reads the view.
pub(crate) fn watch(server: &Process, id: &str) -> TcpStream {
    let mut stream = connect(server);
    // Closing this socket resets the connection, so that no port stays in TIME_WAIT.
    #[cfg(unix)]
    rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).expect("a socket");
    let request = format!(
        "GET /api/games/{id}/ws HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("it listens");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).expect("an answer");
        head.push(byte[0]);
    }
    assert!(head.starts_with(b"HTTP/1.1 101"), "it does not switch");
    // `{}` as text, masked with zeros.
    stream
        .write_all(&[0x81, 0x82, 0, 0, 0, 0, b'{', b'}'])
        .expect("it listens");
    let message = frame(&mut stream);
    assert!(message.starts_with("{\"view\""), "{message}");
    stream
}

/// Reads the next message, which must be text. Answers the pings before it.
pub(crate) fn frame(stream: &mut TcpStream) -> String {
    const TEXT: u8 = 0x81;
    const EMPTY_PING: [u8; 2] = [0x89, 0];
    const MASKED_PONG: [u8; 6] = [0x8a, 0x80, 0, 0, 0, 0];
    let mut head = [0; 2];
    stream.read_exact(&mut head).expect("a frame");
    while head == EMPTY_PING {
        stream.write_all(&MASKED_PONG).expect("it listens");
        stream.read_exact(&mut head).expect("a frame");
    }
    assert_eq!(head[0], TEXT);
    let length = match head[1] {
        126 => {
            let mut long = [0; 2];
            stream.read_exact(&mut long).expect("a frame");
            usize::from(u16::from_be_bytes(long))
        }
        127 => {
            let mut long = [0; 8];
            stream.read_exact(&mut long).expect("a frame");
            u64::from_be_bytes(long) as usize
        }
        short => usize::from(short),
    };
    let mut text = vec![0; length];
    stream.read_exact(&mut text).expect("a frame");
    String::from_utf8(text).expect("text")
}
