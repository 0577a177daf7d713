//! Measures processor time in a long game with many watchers. Compares a turn at the end of the game with a turn at the
//! beginning, and a resumed event stream with a view.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use crate::clients::{self, connect};
use crate::process::Process;
use crate::rounds::{ROUNDS, Spread, ratios};
use crate::servers::Role;
use crate::websockets::{frame, watch};

const SIZE: usize = 255;
const TURNS: usize = 20_000;
const WATCHERS: usize = 100;
/// Number of turns per measurement.
const SAMPLE: usize = 500;
const RESUMED: usize = 1_000;

/// The sides take the cells of each row alternately, so nobody completes a line.
const TABLE: &str =
    r#"{"variant":"255x255k255","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;

pub(crate) fn long_game() {
    let server = Process::start(Role::Server, &[]);
    let (id, tokens, _, mut player) = clients::create(&server, TABLE);
    let mut watchers: Vec<TcpStream> = (0..WATCHERS).map(|_| watch(&server, &id)).collect();
    let mut costs = Vec::new();
    for sample in 0..TURNS / SAMPLE {
        let before = server.cpu();
        for turn in sample * SAMPLE..(sample + 1) * SAMPLE {
            let cell = format!("{}-{}", turn / SIZE, turn % SIZE);
            clients::play_at(&mut player, &id, &tokens[turn % 2], turn, &cell);
            for socket in &mut watchers {
                // Messages about the players' presence may come before the change.
                while !frame(socket).starts_with("{\"change\"") {}
            }
            clients::receive(&mut player);
        }
        costs.push((server.cpu() - before).as_secs_f64() * 1e6 / SAMPLE as f64);
    }
    let (first, last) = (&costs[..ROUNDS], &costs[costs.len() - ROUNDS..]);
    println!(
        "processor µs per turn on {SIZE}x{SIZE} with {WATCHERS} watchers: at the beginning {}, after {TURNS} \
         turns {}; the one / the other, at most 1.50: {}",
        Spread::of(first),
        Spread::of(last),
        ratios(last, first)
    );
    drop(watchers);
    resume(&server, &id);
}

/// Measures the processor time of a view and of a resumed stream, alternately.
fn resume(server: &Process, id: &str) {
    let cost = |work: &dyn Fn()| {
        let before = server.cpu();
        for _ in 0..10 {
            work();
        }
        (server.cpu() - before).as_secs_f64() * 1e6 / 10.0
    };
    let (mut views, mut resumed) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        views.push(cost(&|| {
            clients::get(&mut connect(server), &format!("/api/games/{id}"));
        }));
        resumed.push(cost(&|| read_events(server, id)));
    }
    println!(
        "processor µs for a plain view {}, to resume {RESUMED} turns back {}; the one / the other, at most 10: {}\n",
        Spread::of(&views),
        Spread::of(&resumed),
        ratios(&resumed, &views)
    );
}

/// Resumes an event stream from [`RESUMED`] turns ago, and reads every change since then.
fn read_events(server: &Process, id: &str) {
    let mut stream = connect(server);
    let seen = TURNS - RESUMED;
    let request = format!(
        "GET /api/games/{id}/events HTTP/1.1\r\nHost: here\r\nLast-Event-ID: {seen}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("it listens");
    let mut changes = 0;
    for line in BufReader::new(stream).lines() {
        let line = line.expect("text");
        changes += usize::from(line == "event: change");
        if line == "event: presence" {
            break;
        }
    }
    assert_eq!(changes, RESUMED);
}
