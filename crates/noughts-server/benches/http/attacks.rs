//! Measures how much an attack slows other clients down, and how much of the server's memory it takes.
//!
//! The attacker is a process of its own with the lowest priority, because a real attacker uses another machine's
//! processor. The attacker connects from 127.0.0.2 and the following addresses. The usual limits per address apply to
//! these addresses. They do not apply to 127.0.0.1.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::clients::{Clients, Counted, RequestKind, read_answer, string_after};
use crate::flood;
use crate::process::Process;
use crate::rounds::{Job, ROUNDS, Spread, column, ratios};
use crate::servers::Role;

struct Attack {
    name: &'static str,
    about: &'static str,
    /// Attacks the server until this process is killed. Calls `ready` when the measurement may begin.
    run: fn(SocketAddr, ready: fn()),
}

const ATTACKS: [Attack; 9] = [
    Attack {
        name: "idle",
        about: "10 000 idle connections of 20 addresses",
        run: idle,
    },
    Attack {
        name: "half-closed",
        about: "2 000 connections that closed their sending direction within a request",
        run: half_closed,
    },
    Attack {
        name: "slow-headers",
        about: "2 000 requests whose headers come line by line",
        run: slow_headers,
    },
    Attack {
        name: "slow-bodies",
        about: "2 000 requests whose bodies come byte by byte",
        run: slow_bodies,
    },
    Attack {
        name: "slow-readers",
        about: "500 connections that request 20 large files each and read nothing",
        run: slow_readers,
    },
    Attack {
        name: "connections",
        about: "one address opens and resets connections all the time",
        run: connection_flood,
    },
    Attack {
        name: "requests",
        about: "one address sends requests all the time on 64 connections",
        run: request_flood,
    },
    Attack {
        name: "largest-tables",
        about: "one address creates tables of 255x255 for 64 sides and requests their views",
        run: largest_tables,
    },
    Attack {
        name: "hostile-robots",
        about: "one address creates 200 tables of minimax:9 robots on 255x255",
        run: hostile_robots,
    },
];

/// Measures how long 32 clients wait for the answers to their turns: during each attack, and without an attack.
pub(crate) fn attacks() {
    println!("99 % of turns wait at most, during an attack; memory that the attack takes");
    println!(
        "{:16}{:>10}{:>10}   {:32}memory",
        "", "attacked", "quiet", "attacked / quiet, at most 2.00"
    );
    for attack in &ATTACKS {
        let server = Process::start(Role::Server, &[]);
        let mut clients = Clients::connect(&server, 32, RequestKind::Turns);
        let (mut quiet, mut attacked, mut memory) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            quiet.push(round(&mut clients));
            let before = server.resident();
            let attacker = Attacker::start(attack.name, server.address);
            memory.push(server.resident().saturating_sub(before) as f64 / 1e6);
            attacked.push(round(&mut clients));
            drop(attacker);
            // The server needs a moment to remove the attacker's connections and the games of robots.
            sleep(Duration::from_secs(1));
        }
        let [a, b] = [&attacked, &quiet].map(|rounds| column(rounds, Counted::p99));
        let micros = |figures: &[f64]| format!("{:.0} µs", Spread::of(figures).median * 1e6);
        println!(
            "{:16}{:>10}{:>10}   {:32}{:.1} MB   {}",
            attack.name,
            micros(&a),
            micros(&b),
            ratios(&a, &b).to_string(),
            Spread::of(&memory).median,
            attack.about
        );
    }
    println!();
}

fn round(clients: &mut Clients<'_>) -> Counted {
    for _ in 0..Clients::SLICES {
        clients.slice();
    }
    clients.figures()
}

/// This program, started again as an attacker. Dropping this value kills the process.
struct Attacker(Child);

impl Attacker {
    /// Starts the attack of this name, and returns when the attacker reports that it is ready.
    fn start(name: &str, server: SocketAddr) -> Attacker {
        let child = flood::at_idle_priority()
            .args(["--attack", name, &server.to_string()])
            .stdout(Stdio::piped())
            .spawn();
        let mut attacker = Attacker(child.expect("chrt is a program of every Linux system"));
        let output = attacker.0.stdout.take().expect("a pipe");
        let ready = BufReader::new(output).read_line(&mut String::new());
        assert!(ready.is_ok_and(|length| length > 0), "{name} failed");
        attacker
    }
}

impl Drop for Attacker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The main function of an attacker: runs the attack of this name against the server at this address.
pub(crate) fn run(name: &str, server: &str) {
    noughts_server::raise_descriptor_limit();
    let attack = ATTACKS.iter().find(|attack| attack.name == name);
    let attack = attack.expect("this program started itself");
    (attack.run)(server.parse().expect("an address"), || println!("ready"));
}

/// Opens `count` connections from each of `addresses` addresses, and sends `bytes` on each connection.
fn open(server: SocketAddr, addresses: u8, count: usize, bytes: &[u8]) -> Vec<TcpStream> {
    let sources = (2..2 + addresses).flat_map(|host| std::iter::repeat_n(host, count));
    sources.map(|host| open_one(server, host, bytes)).collect()
}

fn open_one(server: SocketAddr, host: u8, bytes: &[u8]) -> TcpStream {
    let mut stream = flood::open_one(server, host);
    // The server may have closed the connection already.
    let _ = stream.write_all(bytes);
    stream
}

fn wait_for_the_end() -> ! {
    loop {
        sleep(Duration::from_secs(60));
    }
}

fn idle(server: SocketAddr, ready: fn()) {
    let _streams = open(server, 20, 500, b"");
    ready();
    wait_for_the_end()
}

fn half_closed(server: SocketAddr, ready: fn()) {
    let streams = open(server, 4, 500, b"GET / HTTP/1.1\r\nHost: here\r\n");
    for stream in &streams {
        let _ = stream.shutdown(std::net::Shutdown::Write);
    }
    ready();
    wait_for_the_end()
}

const HEADERS: &[u8] = b"GET / HTTP/1.1\r\nHost: here\r\n";
const BODY: &[u8] = b"POST /api/games HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n\
                      Content-Length: 10000\r\n\r\n{";

fn slow_headers(server: SocketAddr, ready: fn()) {
    send_slowly(server, HEADERS, b"A: b\r\n", ready);
}

fn slow_bodies(server: SocketAddr, ready: fn()) {
    send_slowly(server, BODY, b" ", ready);
}

/// Sends the beginning of a request on each of 2 000 connections. Then sends one more piece per second on each
/// connection. If the server has closed a connection, opens a new one.
fn send_slowly(server: SocketAddr, begin: &[u8], piece: &[u8], ready: fn()) {
    let mut streams = open(server, 4, 500, begin);
    ready();
    loop {
        sleep(Duration::from_secs(1));
        for (index, stream) in streams.iter_mut().enumerate() {
            if stream.write_all(piece).is_err() {
                *stream = open_one(server, 2 + (index / 500) as u8, begin);
            }
        }
    }
}

fn slow_readers(server: SocketAddr, ready: fn()) {
    let request = "GET /api/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n".repeat(20);
    let _streams = open(server, 20, 25, request.as_bytes());
    ready();
    wait_for_the_end()
}

fn connection_flood(server: SocketAddr, ready: fn()) {
    ready();
    loop {
        drop(flood::open_one(server, 2));
    }
}

fn request_flood(server: SocketAddr, ready: fn()) {
    let request = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n";
    let mut streams = open(server, 1, 64, request);
    ready();
    let mut bytes = vec![0; 64 * 1024];
    loop {
        for stream in &mut streams {
            let is_open = stream.read(&mut bytes).is_ok_and(|count| count > 0);
            if !is_open || stream.write_all(request).is_err() {
                *stream = open_one(server, 2, request);
            }
        }
    }
}

/// The attacker takes seat 0, and robots take the other 63 seats.
const LARGEST_TABLE: &str = r#"{"variant":"255x255k255p64"}"#;

fn largest_tables(server: SocketAddr, ready: fn()) {
    let create = post("/api/games", LARGEST_TABLE);
    // Each round uses its own address, because the tables of earlier rounds still count as open tables of an address.
    let host = 2 + (std::process::id() % 250) as u8;
    let mut stream = open_one(server, host, b"");
    let mut bytes = vec![0; 256 * 1024];
    let mut ask = |request: &str| loop {
        let sent = stream.write_all(request.as_bytes()).ok();
        if let Some(answer) = sent.and_then(|()| read_answer(&mut stream, &mut bytes)) {
            return answer;
        }
        stream = open_one(server, host, b"");
    };
    let (status, table) = ask(&create);
    assert_eq!(status, 201, "{table}");
    let mut id = string_after(&table, r#""id":""#);
    ready();
    loop {
        ask(&format!(
            "GET /api/games/{id} HTTP/1.1\r\nHost: here\r\n\r\n"
        ));
        // If the server refuses a new table, the next request is for the view of the newest table again.
        if let (201, table) = ask(&create) {
            id = string_after(&table, r#""id":""#);
        }
    }
}

fn hostile_robots(server: SocketAddr, ready: fn()) {
    let table = r#"{"variant":"255x255k5","seats":[{"robot":"minimax:9"},{"robot":"minimax:9"}],"take":[]}"#;
    let create = post("/api/games", table);
    let mut stream = open_one(server, 2, b"");
    for _ in 0..200 {
        let sent = stream.write_all(create.as_bytes());
        let is_open = sent.is_ok()
            && stream
                .read(&mut [0; 64 * 1024])
                .is_ok_and(|count| count > 0);
        if !is_open {
            stream = open_one(server, 2, b"");
        }
    }
    ready();
    wait_for_the_end()
}

fn post(path: &str, body: &str) -> String {
    crate::clients::post(path, None, body)
}
