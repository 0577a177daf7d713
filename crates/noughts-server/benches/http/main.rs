//! Speed of the HTTP server, compared with a bare axum handler that returns the same JSON: `cargo xtask bench http`,
//! optionally with some of `requests`, `durable`, `idle`, `watchers`, `nodes`, `finished`, `flood` and `long`, or with
//! `compare BEFORE AFTER`. `docs/performance.md` describes each.
//!
//! Needed: 60 % of the bare handler's requests for a view, 55 % for played turns; durable turns by 1 000
//! clients at 50 % of those in memory; 9 000 idle WebSockets for 16 KB each; a turn that reaches 1 000
//! watchers of one table, and those at another process, within 100 ms at the median; the
//! same start time and memory with a million finished games as with none.
//!
//! The server and the bare handler are separate processes: this program, started again. The clients are the same for
//! both and run here, on one thread: each wave sends one request per connection and then reads every answer. Memory and
//! processor time are read from `/proc`, so this needs Linux.

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
mod websockets;

use std::process::ExitCode;

use clients::{Clients, Counted, RequestKind};
use flood::Neighbour;
use process::Process;
use rounds::{ROUNDS, Spread};
use servers::Role;

/// The program's allocator, for both sides.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Numbers of concurrent connections.
const CONNECTIONS: [usize; 3] = [1, 32, 256];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words = arguments.iter().map(String::as_str);
    let words: Vec<&str> = words.filter(|word| *word != "--bench").collect(); // cargo adds it
    if let ["--role", word] = words[..] {
        servers::play(Role::named(word).expect("this program started itself"));
        return ExitCode::SUCCESS;
    }
    if let ["compare", before, after] = words[..] {
        noughts_server::raise_descriptor_limit();
        compare::compare([before, after]);
        return ExitCode::SUCCESS;
    }
    let tables: [(&str, fn()); 8] = [
        ("requests", requests),
        ("durable", stores::durable),
        ("idle", websockets::idle),
        ("watchers", websockets::watchers),
        ("nodes", stores::nodes),
        ("finished", stores::finished),
        ("flood", flooded),
        ("long", long_game::long_game),
    ];
    if !words
        .iter()
        .all(|word| tables.iter().any(|(name, _)| name == word))
    {
        eprintln!(
            "http: [requests] [durable] [idle] [watchers] [nodes] [finished] [flood] [long] | compare BEFORE AFTER"
        );
        return ExitCode::from(2);
    }
    noughts_server::raise_descriptor_limit();
    for (name, table) in tables {
        if words.is_empty() || words.contains(&name) {
            table();
        }
    }
    ExitCode::SUCCESS
}

/// Views and turns, each compared with the bare handler.
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
        line(name, ["server", "bare", &about, "processor each"]);
        for connections in CONNECTIONS {
            let sides = [&server, &bare].map(|side| Clients::connect(side, connections, kind));
            let [ours, plain] = rounds::alternate(sides);
            let row = |figure: fn(&Counted) -> f64| {
                [&ours, &plain].map(|side| side.iter().map(figure).collect::<Vec<f64>>())
            };
            let [a, b] = row(Counted::rate);
            let [cost, bare_cost] = row(Counted::cpu_each).map(|cost| Spread::of(&cost).median);
            line(
                &format!("{connections} connections"),
                [
                    &format!("{:.0}", Spread::of(&a).median),
                    &format!("{:.0}", Spread::of(&b).median),
                    &rounds::ratios(&a, &b).to_string(),
                    &format!("{:.1} µs, bare {:.1} µs", cost * 1e6, bare_cost * 1e6),
                ],
            );
        }
        println!();
    }
    line(
        "GET a known view",
        [
            "304",
            "full",
            "304 / full, more than 1.00",
            "processor each",
        ],
    );
    for connections in CONNECTIONS {
        let sides = [RequestKind::KnownViews, RequestKind::Views]
            .map(|kind| Clients::connect(&server, connections, kind));
        let [known, full] = rounds::alternate(sides);
        let rates =
            [&known, &full].map(|side| side.iter().map(Counted::rate).collect::<Vec<f64>>());
        let costs = [&known, &full].map(|side| {
            let costs: Vec<f64> = side.iter().map(Counted::cpu_each).collect();
            Spread::of(&costs).median * 1e6
        });
        line(
            &format!("{connections} connections"),
            [
                &format!("{:.0}", Spread::of(&rates[0]).median),
                &format!("{:.0}", Spread::of(&rates[1]).median),
                &rounds::ratios(&rates[0], &rates[1]).to_string(),
                &format!("{:.1} µs, full {:.1} µs", costs[0], costs[1]),
            ],
        );
    }
    println!();
}

/// Turns while one address opens connections until it is refused, compared with turns without that.
fn flooded() {
    let server = Process::start(Role::Server, &[]);
    println!("99 % of turns wait at most, while another address opens connections until refused");
    line(
        "",
        ["flooded", "quiet", "flooded / quiet, at most 2.00", ""],
    );
    for connections in CONNECTIONS {
        let sides = [Neighbour::Floods, Neighbour::Quiet];
        let sides = sides.map(|neighbour| {
            Clients::connect(&server, connections, RequestKind::Turns).beside(neighbour)
        });
        let [a, b] = rounds::alternate(sides)
            .map(|side| side.iter().map(Counted::p99).collect::<Vec<f64>>());
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
