//! Plays per second of the rules, on nine boards compared with hand-written loops; and the time of a turn on the
//! largest board, compared with the time to print the board.
//!
//! Arguments select workloads and turns by parts of their names. `--workloads` lists the names of the workloads.
//! `--once NAME` runs one workload once and prints its count, for tools that count instructions.

mod large;
mod plain;
mod playout;
mod rounds;
mod spread;
mod workload;

use std::process::ExitCode;

use spread::{Spread, ratios};
use workload::{Workload, workloads};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words = arguments.iter().map(String::as_str);
    let words: Vec<&str> = words.filter(|word| *word != "--bench").collect(); // cargo adds this argument
    match words[..] {
        ["--workloads"] => list(),
        ["--once", name] => {
            let Some(mut job) = workload::job(name) else {
                return misuse(&format!("there is no workload `{name}`"));
            };
            println!("{}", job());
        }
        ref parts if parts.iter().any(|part| part.starts_with('-')) => {
            return misuse("[PART OF A NAME]... | --workloads | --once NAME");
        }
        ref parts => {
            tables(|name| parts.is_empty() || parts.iter().any(|part| name.contains(part)));
        }
    }
    ExitCode::SUCCESS
}

fn misuse(why: &str) -> ExitCode {
    eprintln!("rules: {why}");
    ExitCode::from(2)
}

fn list() {
    for Workload { name, plain, .. } in workloads() {
        println!("{name}");
        if plain.is_some() {
            println!("plain-{name}");
        }
    }
}

fn tables(is_wanted: impl Fn(&str) -> bool) {
    let mut workloads = workloads();
    workloads.retain(|one| is_wanted(&one.name));
    if !workloads.is_empty() {
        line("plays a second", "ours", "plain", "ours / plain");
    }
    for Workload { name, ours, plain } in workloads {
        match plain {
            None => {
                let [ours] = rounds::rates([ours]);
                line(&name, &millions(&ours), "", "");
            }
            Some(plain) => {
                let [ours, plain] = rounds::rates([ours, plain]);
                let ratio = ratios(&ours, &plain).to_string();
                line(&name, &millions(&ours), &millions(&plain), &ratio);
            }
        }
    }
    let turns = large::TURNS.iter().filter(|one| is_wanted(one.name));
    for (number, turn) in turns.enumerate() {
        if number == 0 {
            line("\n255x255k255", "turn", "drawing", "drawing / turn");
        }
        let (turns, drawings) = turn.times();
        let ratio = ratios(&drawings, &turns).to_string();
        line(turn.name, &micros(&turns), &micros(&drawings), &ratio);
    }
}

fn line(name: &str, ours: &str, other: &str, ratio: &str) {
    println!("{name:24}{ours:>12}{other:>12}   {ratio}");
}

fn millions(rates: &[f64]) -> String {
    format!("{:.1} M", Spread::of(rates).median / 1e6)
}

fn micros(times: &[f64]) -> String {
    format!("{:.1} µs", Spread::of(times).median * 1e6)
}
