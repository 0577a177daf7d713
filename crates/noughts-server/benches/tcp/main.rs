//! Measures the speed of the TCP listener for games against the computer, compared with a bare echo of the same frames.
//! Run it with `cargo xtask bench tcp`. Optional words select what is measured: `moves`, `fields`, `idle` and `flood`.
//!
//! The requirements:
//!
//! - the server answers at least 60 % as many moves as the echo has round trips, and the 99th percentile of its waiting
//!   times is at most twice that of the echo;
//! - clients that write field by field with Nagle's algorithm on play at least half as many moves as clients that write
//!   whole frames;
//! - each of 10 000 idle connections takes at most 8 KB, and the server accepts them within three times the time of a
//!   bare accept loop;
//! - while another address opens 100 connections more than it may have, the 99th percentile of the waiting times is at
//!   most twice as high as without this other address.
//!
//! The server, the echo and the accept loop are separate processes: this program, started again. All are measured with
//! the same clients. The clients run in this process, on one thread, and connect over the loopback interface. The
//! server's log is discarded. The bench reads memory and processor time from `/proc`, so it needs Linux.

mod clients;
#[path = "../shared/flood.rs"]
mod flood;
mod idle_connections;
#[path = "../shared/process.rs"]
mod process;
#[path = "../shared/rounds.rs"]
mod rounds;
mod servers;
#[path = "../shared/tables.rs"]
mod tables;

use std::process::ExitCode;
use std::time::Duration;

use clients::{Clients, Counted, Talk, Writes};
use flood::{FloodProcess, Neighbour};
use idle_connections::{CONNECTIONS_OPENED, IdleConnections, IdleFigures};
use process::Process;
use rounds::{ROUNDS, Spread, column};
use servers::Role;

/// The allocator of `noughts serve`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Numbers of concurrent connections.
const CONNECTIONS: [usize; 3] = [1, 100, 1_000];

fn main() -> ExitCode {
    let arguments = tables::arguments();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["--flood", server] = words[..] {
        flood::run(server);
        return ExitCode::SUCCESS;
    }
    if let ["--role", name] = words[..] {
        servers::play(process::role_named(name));
        return ExitCode::SUCCESS;
    }
    let tables: [(&str, fn()); 4] = [
        ("moves", moves),
        ("fields", fields),
        ("idle", idle),
        ("flood", flooded),
    ];
    tables::measure(&tables, &words, "tcp: [moves] [fields] [idle] [flood]")
}

/// Compares the server with the echo. Both get the same whole frames, including PLAY, and clients wait for every
/// answer. The rate of the server counts only moves (answered ACTIONs), and the rate of the echo counts all round
/// trips. Waiting times are those of all frames.
fn moves() {
    let (server, echo) = (
        Process::start(Role::Server, &[]),
        Process::start(Role::Echo, &[]),
    );
    let script = clients::record_one_game(&server);
    println!(
        "moves a second, beside all round trips of an echo ({ROUNDS} rounds, {} of {} frames are moves)",
        script.moves(),
        script.frames()
    );
    line(
        "connections",
        ["server", "echo", "server / echo, needed 0.60"],
    );
    let mut all = Vec::new();
    let mut waits = Vec::new();
    let mut costs = Vec::new();
    for connections in CONNECTIONS {
        let sides = [(&server, Talk::Game), (&echo, Talk::Echo(script.clone()))];
        let sides = sides
            .map(|(process, talk)| Clients::connect(process, connections, &talk, Writes::Once));
        let [ours, plain] = rounds::alternate(sides);
        let row = |figure: fn(&Counted) -> f64| [column(&ours, figure), column(&plain, figure)];
        let (moves, trips) = (column(&ours, Counted::rate), row(Counted::trips));
        print_row(connections, &moves, &trips[1], |figure| {
            format!("{figure:.0}")
        });
        all.push((connections, trips));
        waits.push((connections, row(Counted::p99)));
        costs.push((connections, row(Counted::cpu_each)));
    }
    println!();
    line("round trips a second", ["server", "echo", "server / echo"]);
    for (connections, [a, b]) in all {
        print_row(connections, &a, &b, |figure| format!("{figure:.0}"));
    }
    println!();
    line(
        "99 % wait at most",
        ["server", "echo", "server / echo, at most 2.00"],
    );
    for (connections, [a, b]) in waits {
        print_row(connections, &a, &b, micros);
    }
    println!();
    line("processor a frame", ["server", "echo", "server / echo"]);
    for (connections, [a, b]) in costs {
        print_row(connections, &a, &b, micros);
    }
}

/// Compares two kinds of clients. The first kind writes a frame in three pieces, and Nagle's algorithm is on. The
/// second kind writes a frame at once.
fn fields() {
    let server = Process::start(Role::Server, &[]);
    println!("\nmoves a second: opcode, id and cell written one by one with Nagle's algorithm on");
    line(
        "connections",
        ["one by one", "at once", "one by one / at once, needed 0.50"],
    );
    for connections in CONNECTIONS {
        let sides = [Writes::FieldByField, Writes::Once]
            .map(|writes| Clients::connect(&server, connections, &Talk::Game, writes));
        let [a, b] = rounds::alternate(sides);
        let [a, b] = [column(&a, Counted::rate), column(&b, Counted::rate)];
        print_row(connections, &a, &b, |figure| format!("{figure:.0}"));
    }
}

/// Measures the cost of many idle connections, to the server and to a bare accept loop.
fn idle() {
    println!(
        "\n{CONNECTIONS_OPENED} idle connections, beside an accept loop that keeps the sockets"
    );
    let [ours, bare] = rounds::alternate([Role::Server, Role::Accepts].map(IdleConnections::new));
    let row = |figure: fn(&IdleFigures) -> f64| [column(&ours, figure), column(&bare, figure)];
    line(
        "",
        [
            "server",
            "accept loop",
            "server / loop, at most 3.00 in time",
        ],
    );
    let [a, b] = row(|figures| figures.accepted_in.as_secs_f64());
    print_row("let in, ms", &a, &b, |time| format!("{:.0}", time * 1e3));
    let [a, b] = row(|figures| figures.cpu.as_secs_f64() / CONNECTIONS_OPENED as f64);
    print_row("processor each", &a, &b, micros);
    let [a, b] = row(|figures| figures.silent_bytes as f64 / CONNECTIONS_OPENED as f64);
    print_row("bytes each, silent", &a, &b, |bytes| format!("{bytes:.0}"));
    let greeted: Vec<f64> = column(&ours, |figures| {
        figures.greeted_bytes.unwrap_or_default() as f64 / CONNECTIONS_OPENED as f64
    });
    line(
        "bytes each, after READY",
        [
            &format!("{:.0}", Spread::of(&greeted).median),
            "",
            "at most 8192",
        ],
    );
}

/// Compares how long clients wait with and without another address that opens too many connections.
fn flooded() {
    let server = Process::start(Role::Server, &[]);
    println!("\n99 % wait at most, while another address opens connections until refused");
    line(
        "connections",
        ["flooded", "quiet", "flooded / quiet, at most 2.00"],
    );
    for connections in CONNECTIONS {
        let flood = FloodProcess::start(server.address);
        let sides = [Neighbour::Floods(flood), Neighbour::Quiet].map(|neighbour| {
            let clients = Clients::connect(&server, connections, &Talk::Game, Writes::Once);
            clients.beside(neighbour)
        });
        let [a, b] = rounds::alternate(sides).map(|side| column(&side, Counted::p99));
        print_row(connections, &a, &b, micros);
    }
}

fn print_row(name: impl ToString, a: &[f64], b: &[f64], show: impl Fn(f64) -> String) {
    let [first, second] = [a, b].map(|figures| show(Spread::of(figures).median));
    let ratio = rounds::ratios(a, b).to_string();
    line(&name.to_string(), [&first, &second, &ratio]);
}

fn line(name: &str, [first, second, ratio]: [&str; 3]) {
    println!("{name:24}{first:>12}{second:>12}   {ratio}");
}

fn micros(seconds: f64) -> String {
    format!(
        "{:.1} µs",
        Duration::from_secs_f64(seconds).as_nanos() as f64 / 1e3
    )
}
