//! `noughts serve` as a process: where it listens, what it logs, and how it ends.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::server_process::{ANY_PORT, PROGRAM, ServerProcess};
use crate::transcript::run;

/// A server whose log is read at its end.
struct LoggedServer(ServerProcess);

impl LoggedServer {
    fn start(words: &[&str]) -> LoggedServer {
        LoggedServer::start_by(&mut Command::new(PROGRAM), words)
    }

    fn start_by(command: &mut Command, words: &[&str]) -> LoggedServer {
        let listeners = [("tcp", ANY_PORT), ("tcp-pairs", ANY_PORT)];
        let words = [&["--store", "memory:"], words].concat();
        let command = command.stderr(Stdio::piped());
        LoggedServer(ServerProcess::start_by(command, &listeners, &words))
    }

    fn connect(&self) -> TcpStream {
        self.connect_to("tcp")
    }

    fn connect_to(&self, listener: &str) -> TcpStream {
        let stream = TcpStream::connect(self.0.address(listener)).unwrap();
        let timeout = Some(Duration::from_secs(20));
        stream.set_read_timeout(timeout).unwrap();
        stream
    }

    /// Sends a signal, waits for the end, and returns the exit code and the log.
    fn end(mut self, signal: &str) -> (Option<i32>, String) {
        self.0.signal(signal);
        let mut log = String::new();
        let mut stderr = self.0.process.stderr.take().unwrap();
        stderr.read_to_string(&mut log).unwrap();
        (self.0.process.wait().unwrap().code(), log)
    }
}

const HELLO: &[u8] = b"\x01\0\0\x30\x39A\nn\0\0";
const READY: &[u8] = b"\x02\0\0\x30\x39";

fn greet(stream: &mut TcpStream) {
    stream.write_all(HELLO).unwrap();
    let mut heard = [0; READY.len()];
    stream.read_exact(&mut heard).unwrap();
    assert_eq!(heard, READY);
}

#[test]
fn a_signal_ends_it_with_everything_closed() {
    for signal in ["-TERM", "-INT"] {
        let serving = LoggedServer::start(&[]);
        let addresses = ["tcp", "tcp-pairs"].map(|name| serving.0.address(name).to_owned());
        let mut client = serving.connect();
        greet(&mut client);
        // The answer shows that the program has accepted the connection.
        let mut other = serving.connect();
        greet(&mut other);
        other.write_all(b"\x03\0\0\x30\x39").unwrap();
        other.read_exact(&mut [0; 6]).unwrap();
        let (exit, log) = serving.end(signal);
        assert_eq!(exit, Some(0), "{signal}: {log}");
        for stream in [&mut client, &mut other] {
            // The server has closed the connection in order; it was not reset.
            assert_eq!(stream.read(&mut [0; 9]).unwrap(), 0, "{signal}");
        }
        for address in addresses {
            TcpListener::bind(address).expect("the port is free again");
        }
        assert!(log.contains("stopped"), "{log}");
    }
}

/// `systemctl kill -s HUP` makes a server read its certificate again. A server without a certificate must ignore the
/// signal.
#[test]
fn hangup_does_not_end_a_server_without_a_certificate() {
    let serving = LoggedServer::start(&[]);
    serving.0.signal("-HUP");
    greet(&mut serving.connect());
    let (exit, log) = serving.end("-TERM");
    assert_eq!(exit, Some(0), "{log}");
    assert!(log.contains("the server has no certificate"), "{log}");
}

#[test]
fn program_is_ended_by_process_id() {
    // A Ctrl-C right after the first output must work too.
    for signal in ["-INT", "-TERM"].repeat(8) {
        let (exit, log) = LoggedServer::start(&[]).end(signal);
        assert_eq!(exit, Some(0), "{signal}: {log}");
    }
}

#[test]
fn two_clients_disconnected_together_have_both_left() {
    let serving = LoggedServer::start(&[]);
    let mut pair = [0, 1].map(|_| serving.connect_to("tcp-pairs"));
    for client in &mut pair {
        greet(client);
        client.write_all(b"\x03\0\0\x30\x39").unwrap();
    }
    for client in &mut pair {
        client.read_exact(&mut [0; 6]).unwrap();
    }
    let (exit, log) = serving.end("-TERM");
    assert_eq!(exit, Some(0));
    assert!(log.contains("outcome=\"abandoned\""), "{log}");
}

#[test]
fn the_log_has_a_line_for_each_connection_and_game() {
    let play_and_leave = |serving: &LoggedServer| {
        let mut client = serving.connect();
        greet(&mut client);
        client.write_all(b"\x03\0\0\x30\x39").unwrap();
        client.read_exact(&mut [0; 6]).unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        // The end of the stream shows that the server has closed the connection.
        assert_eq!(client.read(&mut [0; 9]).unwrap(), 0);
    };
    let text = LoggedServer::start(&[]);
    play_and_leave(&text);
    let (_, log) = text.end("-TERM");
    let lines = |with: &str| log.lines().filter(|line| line.contains(with)).count();
    assert_eq!(
        (lines("connection closed"), lines("game over")),
        (1, 1),
        "{log}"
    );
    // A name cannot add lines to the log.
    assert!(log.lines().all(|line| line.contains("INFO")), "{log}");
    assert!(
        log.contains("the client left") && log.contains("o won by leaving"),
        "{log}"
    );

    let json = LoggedServer::start(&["--log-format", "json"]);
    play_and_leave(&json);
    let (_, log) = json.end("-TERM");
    assert!(
        log.lines()
            .all(|line| line.starts_with("{\"timestamp\"") && line.ends_with('}')),
        "{log}"
    );
    assert!(log.contains("\"outcome\":\"o won by leaving\""), "{log}");

    let quiet = LoggedServer::start(&["--log", "off"]);
    play_and_leave(&quiet);
    assert_eq!(quiet.end("-TERM"), (Some(0), String::new()));
}

#[test]
fn unread_log_does_not_block_the_server() {
    let mut serving = LoggedServer::start(&[]);
    // A pipe holds 64 KiB; each line has the name.
    let hello = [&b"\x01\0\0\x30\x39"[..], &[b'a'; 250], b"\0\0"].concat();
    for _ in 0..500 {
        let mut client = serving.connect();
        client.write_all(&hello).unwrap();
        client.read_exact(&mut [0; READY.len()]).unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(client.read(&mut [0; 9]).unwrap(), 0);
    }
    serving.0.signal("-TERM");
    assert_eq!(serving.0.process.wait().unwrap().code(), Some(0));
}

#[test]
fn without_file_descriptors_existing_connections_continue() {
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", "ulimit -n 32; exec \"$0\" \"$@\"", PROGRAM]);
    let serving = LoggedServer::start_by(shell, &["--log", "warn"]);
    let mut inside = serving.connect();
    greet(&mut inside);
    // There are more connections than file descriptors: the system accepts them, but the program cannot.
    let mut clients: Vec<TcpStream> = (0..60).map(|_| serving.connect()).collect();
    inside.write_all(b"\x03\0\0\x30\x39").unwrap();
    let mut heard = [0; 6];
    inside.read_exact(&mut heard).unwrap();
    assert_eq!(&heard, b"\x04\0\0\x30\x39\x01", "who is in plays on");
    // When some clients disconnect, the program accepts the others.
    let mut last = clients.pop().unwrap();
    last.write_all(HELLO).unwrap();
    drop(clients);
    let mut heard = [0; READY.len()];
    last.read_exact(&mut heard).unwrap();
    assert_eq!(heard, READY);
    let (exit, log) = serving.end("-TERM");
    assert_eq!(exit, Some(0));
    assert!(
        log.contains("cannot accept connections for the moment"),
        "{log}"
    );
    assert!(
        log.lines().count() < 20,
        "it says so once, and not with every try: {log}"
    );
}

#[test]
fn invalid_serve_options_are_explained() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let on_taken = format!("--http none --tcp {}", taken.local_addr().unwrap());
    for (words, told) in [
        (on_taken.as_str(), "address already in use"),
        (
            "--http none --tcp none --tcp-pairs none",
            "all listeners are disabled",
        ),
        (
            "--http none --tcp 8081",
            "must be an address such as 127.0.0.1:8081",
        ),
        (
            "--http none --tcp none --tcp-pairs 127.0.0.1:99999",
            "must be an address",
        ),
        ("--tcp-strategy perfectly", "is not a strategy"),
        (
            "--http 127.0.0.1:0 --tcp none --tcp-pairs none --store oracle:",
            "a store is memory:, sqlite:FILE",
        ),
        (
            "--http 127.0.0.1:0 --tcp none --tcp-pairs none --store sqlite:/no/such/place.db",
            "cannot open /no/such/place.db: ",
        ),
        (
            "--http 127.0.0.1:0 --tcp none --tcp-pairs none --store postgres://127.0.0.1:1/none",
            "cannot open the PostgreSQL database: ",
        ),
        ("--idle never", "such as 120s"),
        ("--forget-after soon", "such as 90d"),
        ("--forget-after 0d", "such as 90d"),
        (
            "--rate x",
            "the requests a second of one address (--rate) must be a number from 1 to 100000000, not \"x\"",
        ),
        ("--rate 0", "not \"0\""),
        ("--rate -1", "not \"-1\""),
        ("--rate +1", "not \"+1\""),
        ("--rate 99999999999999999999", "from 1 to 100000000"),
        (
            "--tables many",
            "the open tables of one address (--tables) must be",
        ),
        (
            "--max-connections 1e4",
            "the connections (--max-connections) must be",
        ),
        (
            "--connections-per-address 0",
            "the connections of one address (--connections-per-address) must be",
        ),
        (
            "--import-bytes-per-day 20MB",
            "the bytes that one address may add to the store per day (--import-bytes-per-day) must be",
        ),
        (
            "--proxy 10.0.0.2:80",
            "an address such as 10.0.0.2 or fd00::2, without a port",
        ),
        ("--proxy 10.0.0.2,proxy", "not \"proxy\""),
        (
            "--origin games.example.org",
            "such as https://games.example.org, not \"games.example.org\"",
        ),
        ("--origin https://games.example.org/", "nothing after it"),
        ("--origin *", "not \"*\""),
    ] {
        let words = format!("serve {words}");
        let run = run(&words.split(' ').collect::<Vec<&str>>(), b"");
        assert_eq!((run.exit, run.output.len()), (1, 0), "{words}");
        let is_sentence = run.errors.starts_with("Error: ") && run.errors.lines().count() == 1;
        assert!(
            is_sentence && run.errors.contains(told),
            "{words}: {}",
            run.errors
        );
    }
}

#[test]
fn operations_page_lists_every_option() {
    let help = run(&["serve", "--help"], b"").output;
    let help = String::from_utf8(help).unwrap();
    // `--http <ADDR>`, and some lines later `[env: NOUGHTS_HTTP=]`.
    let mut options: Vec<(String, String)> = Vec::new();
    for line in help.lines().map(str::trim) {
        if line.starts_with("--") && !["--help", "--version"].contains(&line) {
            let name = line.split([' ', '=']).next().unwrap();
            options.push((name.to_owned(), String::new()));
        }
        if let Some((_, rest)) = line.split_once("[env: ")
            && let Some((_, variable)) = options.last_mut()
        {
            *variable = rest.split(['=', ']']).next().unwrap().to_owned();
        }
    }
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    // | `--http ADDR` | `NOUGHTS_HTTP` | …
    let row = |line: &str| {
        let mut words = line.strip_prefix("| `--")?.split('`');
        let name = words.next()?.split(' ').next()?.to_owned();
        Some((format!("--{name}"), words.nth(1)?.to_owned()))
    };
    let mut told: Vec<(String, String)> = docs.lines().filter_map(row).collect();
    options.sort_unstable();
    told.sort_unstable();
    assert!(options.len() > 10, "{help}");
    assert_eq!(
        told, options,
        "docs/operations.md, and noughts serve --help"
    );
}
