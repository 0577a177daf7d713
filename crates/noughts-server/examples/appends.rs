//! Measures how many turns per second a store can append, with 1, 32 and 1 000 players. Each player appends the next
//! turn when the previous turn is durable. The arguments select the store: `sqlite:FILE full`, `sqlite:FILE normal` or
//! `postgres://…`.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use noughts_rules::{Action, Move, Seat, Turn};
use noughts_server::{
    Append, Entry, GameId, Holder, LogEntry, NewGame, Postgres, Settings, Sqlite, Store,
    StoreError, SyncMode, Table,
};
use tokio::task::JoinSet;

const LASTS: Duration = Duration::from_secs(3);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let store: Arc<dyn Store> = match arguments[..] {
        [url] if url.starts_with("postgres:") => Arc::new(Postgres::open(url).await?),
        [url, sync] if url.starts_with("sqlite:") => {
            let sync: SyncMode = sync.parse()?;
            let path = Path::new(url.trim_start_matches("sqlite:"));
            Arc::new(Sqlite::open(path, sync).await?)
        }
        _ => return Err("appends sqlite:FILE full|normal, or appends postgres://…".into()),
    };
    for players in [1, 32, 1_000] {
        measure(&store, players).await?;
    }
    Ok(())
}

async fn measure(store: &Arc<dyn Store>, players: usize) -> Result<(), StoreError> {
    let mut all = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..players {
        let store = Arc::clone(store);
        all.spawn(async move { play(&*store, begun).await });
    }
    let mut took = Vec::new();
    for player in all.join_all().await {
        took.extend(player?);
    }
    took.sort_unstable();
    let seconds = begun.elapsed().as_secs_f64();
    let part = |of: usize| took[(took.len() - 1) * of / 100];
    println!(
        "{players:>5} players: {:>7.0} turns/s, median {:?}, 99 of 100 within {:?}",
        took.len() as f64 / seconds,
        part(50),
        part(99),
    );
    Ok(())
}

/// Plays games of 50 turns, one after another, until `LASTS` is over. Returns how long each turn took.
async fn play(store: &dyn Store, begun: Instant) -> Result<Vec<Duration>, StoreError> {
    let human = |name: &str| Holder::Human {
        name: name.to_owned(),
        node: None,
    };
    let mut took = Vec::new();
    while begun.elapsed() < LASTS {
        let settings = Settings {
            id: GameId::random(),
            variant: "9x9k5".parse().expect("this is a variant"),
            history: 0,
            start: None,
            holders: vec![human("Ann"), human("Bob")],
            clock: None,
            is_listed: true,
            created_ms: 0,
        };
        let (game, variant) = (settings.id, settings.variant);
        let table = Table::new(settings.clone()).expect("two seats for two sides");
        let new = NewGame {
            settings,
            key: None,
        };
        store.create(new, table.summary()).await?;
        for first in 1..=50 {
            let turn = Turn {
                by: Seat((first % 2) as u8),
                action: Action::Play(Move::at(first as usize)),
            };
            let entry = LogEntry {
                at_ms: 0,
                entry: Entry::Turn(turn),
                key: None,
            };
            let append = Append {
                game,
                variant,
                first,
                entries: vec![entry],
                summary: None,
                new_game: None,
            };
            let asked = Instant::now();
            store.append(&append).await?;
            took.push(asked.elapsed());
            if begun.elapsed() > LASTS {
                break;
            }
        }
    }
    Ok(took)
}
