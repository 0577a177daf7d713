//! Measures the speed of the HTTP server, compared with a bare axum handler that returns the same JSON. Run it with
//! `cargo xtask bench http`. Optional words select what is measured: `requests`, `durable`, `idle`, `watchers`,
//! `nodes`, `finished`, `flood`, `attacks` and `long`. The words `compare BEFORE AFTER` compare two builds instead.
//! `docs/performance.md` describes each measurement.
//!
//! The most important requirements:
//!
//! - the server answers at least 60 % as many requests for views as the bare handler, and at least 55 % as many turns;
//! - 1 000 clients play at least 50 % as many turns with a durable store as in memory;
//! - each of 9 000 idle WebSockets takes at most 16 KB;
//! - a turn reaches 1 000 watchers of one table, and a watcher at another process, within 100 ms at the median;
//! - start time and memory are the same with a million finished games as with none.
//!
//! The server and the bare handler are separate processes: this program, started again. Both are measured with the same
//! clients. The clients run in this process, on one thread: each wave sends one request per connection and then reads
//! every answer. The bench reads memory and processor time from `/proc`, so it needs Linux.

mod attacks;
mod clients;
mod compare;
#[path = "../shared/flood.rs"]
mod flood;
mod long_game;
#[cfg(unix)]
#[path = "../../tests/stores/postgres_server.rs"]
#[expect(dead_code, reason = "tests also stop it and start it again")]
mod postgres_server;
#[path = "../shared/process.rs"]
mod process;
#[path = "../shared/rounds.rs"]
mod rounds;
mod servers;
mod stores;
#[path = "../shared/tables.rs"]
mod tables;
mod websockets;

use std::process::ExitCode;

use clients::{Clients, Counted, RequestKind};
use flood::{FloodProcess, Neighbour};
use process::Process;
use rounds::{ROUNDS, Spread, column};
use servers::Role;

/// The allocator of `noughts serve`, used by the server and by the bare handler.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Numbers of concurrent connections.
const CONNECTIONS: [usize; 3] = [1, 32, 256];

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
    if let ["--attack", name, server] = words[..] {
        attacks::run(name, server);
        return ExitCode::SUCCESS;
    }
    if let ["compare", before, after] = words[..] {
        noughts_server::raise_descriptor_limit();
        compare::compare([before, after]);
        return ExitCode::SUCCESS;
    }
    let tables: [(&str, fn()); 9] = [
        ("requests", requests),
        ("durable", stores::durable),
        ("idle", websockets::idle),
        ("watchers", websockets::watchers),
        ("nodes", stores::nodes),
        ("finished", stores::finished),
        ("flood", flooded),
        ("attacks", attacks::attacks),
        ("long", long_game::long_game),
    ];
    let usage = "http: [requests] [durable] [idle] [watchers] [nodes] [finished] [flood] [attacks] \
                 [long] | compare BEFORE AFTER";
    tables::measure(&tables, &words, usage)
}

/// Compares views and turns with the bare handler, and known views (status 304) with full views.
fn requests() {
    let server = Process::start(Role::Server, &[]);
    let (created, view) = clients::record_answers(&server);
    let bare = Process::start(Role::Bare, &[("CREATED", &created), ("VIEW", &view)]);
    println!(
        "requests a second, beside a bare axum handler that returns the same JSON ({ROUNDS} rounds)"
    );
    for (kind, name, needed) in [
        (RequestKind::Views, "GET a view", "0.60"),
        (RequestKind::Turns, "play a turn", "0.55"),
    ] {
        let about = format!("server / bare, needed {needed}");
        print_rates([name, "server", "bare", &about], |connections| {
            [&server, &bare].map(|side| Clients::connect(side, connections, kind))
        });
    }
    let about = "304 / full, more than 1.00";
    print_rates(["GET a known view", "304", "full", about], |connections| {
        [RequestKind::KnownViews, RequestKind::Views]
            .map(|kind| Clients::connect(&server, connections, kind))
    });
}

/// Prints the rates of two sides, their ratio, and the processor time per request, for each number of connections.
fn print_rates<'p>(
    [name, first, second, ratio]: [&str; 4],
    connect: impl Fn(usize) -> [Clients<'p>; 2],
) {
    line(name, [first, second, ratio, "processor each"]);
    for connections in CONNECTIONS {
        let sides = rounds::alternate(connect(connections));
        let [a, b] = sides.each_ref().map(|side| column(side, Counted::rate));
        let [cost, other_cost] = sides
            .each_ref()
            .map(|side| Spread::of(&column(side, Counted::cpu_each)).median * 1e6);
        line(
            &format!("{connections} connections"),
            [
                &format!("{:.0}", Spread::of(&a).median),
                &format!("{:.0}", Spread::of(&b).median),
                &rounds::ratios(&a, &b).to_string(),
                &format!("{cost:.1} µs, {second} {other_cost:.1} µs"),
            ],
        );
    }
    println!();
}

/// Compares how long turns take with and without another address that opens too many connections.
fn flooded() {
    let server = Process::start(Role::Server, &[]);
    println!("99 % of turns wait at most, while another address opens connections until refused");
    line(
        "",
        ["flooded", "quiet", "flooded / quiet, at most 2.00", ""],
    );
    for connections in CONNECTIONS {
        let flood = FloodProcess::start(server.address);
        let sides = [Neighbour::Floods(flood), Neighbour::Quiet];
        let sides = sides.map(|neighbour| {
            Clients::connect(&server, connections, RequestKind::Turns).beside(neighbour)
        });
        let [a, b] = rounds::alternate(sides).map(|side| column(&side, Counted::p99));
        let micros = |figures: &[f64]| format!("{:.0} µs", Spread::of(figures).median * 1e6);
        let ratio = rounds::ratios(&a, &b).to_string();
        line(
            &format!("{connections} connections"),
            [&micros(&a), &micros(&b), &ratio, ""],
        );
    }
    println!();
}

fn line(name: &str, [first, second, ratio, more]: [&str; 4]) {
    println!("{name:20}{first:>10}{second:>10}   {ratio:32}{more}");
}
