//! Compares two builds of `noughts`: `cargo xtask bench http compare BEFORE AFTER`.

use std::net::TcpStream;
use std::time::Instant;

use crate::clients::{self, Clients, Counted, RequestKind};
use crate::process::Process;
use crate::rounds::{self, ROUNDS, Spread, column, ratios};
use crate::stores::{PLAYERS, address, place};
use crate::websockets::{watch, watched};

/// Number of idle WebSockets whose memory is measured.
const IDLE: usize = 2_000;

/// Compares the programs at these paths. A ratio above 1 means that the second program is better.
pub(crate) fn compare(programs: [&str; 2]) {
    println!("{ROUNDS} rounds; before, after, after / before (above 1 is better)");
    for connections in [1, 32, 256] {
        for (kind, name) in [(RequestKind::Views, "views"), (RequestKind::Turns, "turns")] {
            let servers = programs.map(|program| Process::serve(program, "memory:"));
            let name = format!("{name} per second, {connections} connections");
            rates(&name, &servers, connections, kind);
        }
    }
    let place = place();
    let servers = ["before.db", "after.db"].map(|name| address(&place, name));
    let servers = [0, 1].map(|side| Process::serve(programs[side], &servers[side]));
    let name = format!("durable turns per second, {PLAYERS} connections");
    rates(&name, &servers, PLAYERS, RequestKind::Turns);
    let mut times = [Vec::new(), Vec::new()];
    let mut starts = [Vec::new(), Vec::new()];
    let mut empty = [Vec::new(), Vec::new()];
    let mut idle = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for turn in [round, round + 1] {
            let side = turn % 2;
            let begun = Instant::now();
            let server = Process::serve(programs[side], "memory:");
            starts[side].push(begun.elapsed().as_secs_f64() * 1e3);
            server.wait_until_idle();
            let resident = server.resident() as f64;
            empty[side].push(resident / 1e6);
            times[side].push(Spread::of(&watched(&server)).median);
            let server = Process::serve(programs[side], "memory:");
            let id = clients::create_table(&server).0;
            let before = server.resident();
            let sockets: Vec<TcpStream> = (0..IDLE).map(|_| watch(&server, &id)).collect();
            server.wait_until_idle();
            idle[side].push((server.resident() - before) as f64 / sockets.len() as f64);
        }
    }
    less_is_better("ms until 1 000 watchers have a turn", &times);
    less_is_better("ms until it serves", &starts);
    less_is_better("MB of a server without clients", &empty);
    less_is_better("bytes per idle WebSocket", &idle);
}

fn rates(name: &str, servers: &[Process; 2], connections: usize, kind: RequestKind) {
    let sides = servers
        .each_ref()
        .map(|server| Clients::connect(server, connections, kind));
    let [a, b] = rounds::alternate(sides).map(|side| column(&side, Counted::rate));
    line(name, &a, &b, &ratios(&b, &a));
}

fn less_is_better(name: &str, [a, b]: &[Vec<f64>; 2]) {
    line(name, a, b, &ratios(a, b));
}

fn line(name: &str, a: &[f64], b: &[f64], ratio: &Spread) {
    let [a, b] = [a, b].map(|side| Spread::of(side).median);
    println!("{name:44}{a:>12.1}{b:>12.1}   {ratio}");
}
