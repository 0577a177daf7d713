//! Measures the cost of clocks. `STORE` is `sqlite:FILE` or `memory:`.
//!
//! - `clocks turns STORE` plays the same games with and without clocks, alternately, and prints the processor time with
//!   clocks and without clocks.
//! - `clocks idle STORE` prints the processor time that 10 000 running clocks take in a minute.
//! - `clocks with STORE TURNS` and `clocks without STORE TURNS` play the first `TURNS` turns (0 to 40) of 500 games, so
//!   that another program can count the instructions.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use noughts_engine::EngineSetup;
use noughts_rules::{Action, Move, Seat};
use noughts_server::{
    Command, Creation, GameId, Holder, IdSource, LiveTable, Memory, NewGame, Server, ServerConfig,
    Settings, Sqlite, Store, SyncMode,
};

const TABLES: usize = 10_000;
/// Number of rounds with a store in memory, where a turn takes less than a microsecond. With a file a turn takes about
/// a hundred microseconds, so there are fewer rounds.
const ROUNDS_IN_MEMORY: usize = 500;
const ROUNDS_WITH_FILE: usize = 20;
const GAMES_PER_ROUND: usize = 100;
const COUNTED_GAMES: usize = 500;
const TURNS: usize = 40;
const CLOCK: &str = "10800+0";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (what, url, counted) = match arguments[..] {
        [what @ ("turns" | "idle"), url] => (what, url, 0),
        [what @ ("with" | "without"), url, turns] => (what, url, turns.parse()?),
        _ => {
            return Err(
                "clocks turns|idle sqlite:FILE|memory:, clocks with|without sqlite:FILE|memory: TURNS".into(),
            );
        }
    };
    let (store, rounds): (Box<dyn Store>, usize) = match url.strip_prefix("sqlite:") {
        Some(path) => {
            let store = Sqlite::open(Path::new(path), SyncMode::Normal).await?;
            (Box::new(store), ROUNDS_WITH_FILE)
        }
        None => (Box::new(Memory::keeping(1_000_000)), ROUNDS_IN_MEMORY),
    };
    let server = Server::start(ServerConfig {
        ids: IdSource::seeded(1),
        ..ServerConfig::new(store, EngineSetup::with_seed(1))
    })?;
    match what {
        "turns" => turns(&server, rounds).await,
        "with" | "without" => {
            let clock = (what == "with").then_some(CLOCK);
            play_games(&server, clock, COUNTED_GAMES, counted).await;
        }
        _ => idle(&server).await,
    }
    Ok(())
}

async fn turns(server: &Server, rounds: usize) {
    let mut used = [Duration::ZERO; 2];
    for _ in 0..rounds {
        for (clock, used) in [None, Some(CLOCK)].into_iter().zip(&mut used) {
            *used += play_games(server, clock, GAMES_PER_ROUND, TURNS).await;
        }
    }
    let [without, with] = used.map(|used| used.as_secs_f64());
    println!(
        "{} turns each: {without:.2} s of processor time without clocks, {with:.2} s with, ratio {:.3}",
        rounds * GAMES_PER_ROUND * TURNS,
        with / without
    );
}

/// Plays `turns` turns of each of `games` new games. Returns the processor time of the turns.
async fn play_games(server: &Server, clock: Option<&str>, games: usize, turns: usize) -> Duration {
    let mut tables = Vec::new();
    for _ in 0..games {
        tables.push(create(server, clock).await);
    }
    let before = processor_time();
    for turn in 1..=turns {
        for live in &tables {
            play(server, live, turn).await;
        }
    }
    processor_time() - before
}

async fn idle(server: &Server) {
    for _ in 0..TABLES {
        let live = create(server, Some(CLOCK)).await;
        play(server, &live, 1).await;
        play(server, &live, 2).await;
    }
    tokio::time::sleep(Duration::from_secs(70)).await;
    let before = processor_time();
    tokio::time::sleep(Duration::from_secs(60)).await;
    let used = (processor_time() - before).as_secs_f64();
    println!(
        "{TABLES} running clocks: {used:.2} s of processor time in 60 s, {:.2} % of a core",
        used / 0.6
    );
}

async fn create(server: &Server, clock: Option<&str>) -> Arc<LiveTable> {
    let human = |name: &str| Holder::Human {
        name: name.to_owned(),
        node: None,
    };
    let settings = Settings {
        id: GameId::random(),
        variant: "9x9k5".parse().expect("this is a variant"),
        history: 0,
        start: None,
        holders: vec![human("Ann"), human("Bob")],
        clock: clock.map(|clock| clock.parse().expect("this is a clock")),
        is_listed: true,
        created_ms: server.tables().clock().now_ms(),
    };
    let key = None;
    let new = NewGame { settings, key };
    match server.tables().create(new, None, None).await {
        Ok(Creation::Created(live)) => live,
        other => panic!("{other:?}"),
    }
}

/// Plays turn `turn` of a fixed sequence of cells that completes no line.
async fn play(server: &Server, live: &Arc<LiveTable>, turn: usize) {
    let (column, row) = ((turn - 1) / 9, (turn - 1) % 9);
    let cell = 9 * row + (2 * column + row / 2) % 9;
    let command = Command::Act {
        seat: Seat(((turn - 1) % 2) as u8),
        action: Action::Play(Move::at(cell)),
        turn,
        key: None,
    };
    let played = server.tables().submit(live, &command).await;
    played.expect("a legal turn is stored");
}

/// The processor time of this process so far.
fn processor_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").expect("this runs on Linux");
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |field: usize| fields[field].parse::<u64>().expect("a number");
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}
