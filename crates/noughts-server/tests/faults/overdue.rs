//! Games whose deadline has passed.

use std::time::{Duration, SystemTime};

use noughts_rules::{Action, Move, Seat, Turn};
use noughts_server::{Entry, GameId, LogEntry, Settings, StoredGame, Table};
use tokio::time::sleep;

use crate::cluster::{Database, Node, variant};
use crate::{robot, until};

/// A game of two robots that stopped with their node. If `is_readable` is false, the log has an invalid entry, and no
/// node can continue the game.
fn game(number: u128, created_ms: u64, is_readable: bool) -> (StoredGame, Table) {
    let settings = Settings {
        id: GameId::new(number),
        variant: variant("3x3k3"),
        history: 0,
        start: None,
        holders: vec![robot("first"), robot("first")],
        clock: None,
        is_listed: true,
        created_ms,
    };
    let turn = |by, cell| LogEntry {
        at_ms: created_ms,
        entry: Entry::Turn(Turn {
            by: Seat(by),
            action: Action::Play(Move::at(cell)),
        }),
        key: None,
    };
    let first = turn(0, 0);
    let table = Table::replay(settings.clone(), [&first]).unwrap();
    let mut entries = vec![first];
    if !is_readable {
        entries.push(turn(1, 0));
    }
    let key = None;
    let stored = StoredGame {
        settings,
        key,
        entries,
    };
    (stored, table)
}

/// Unreadable games do not hide other games from the sweep, and are not read in every sweep.
#[tokio::test(start_paused = true)]
async fn games_that_cannot_move_do_not_hide_others() {
    let database = Database::new();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now_ms = now.unwrap().as_millis() as u64;
    for number in 1..=150 {
        let (stored, table) = game(number, now_ms - 100_000, false);
        database.put(stored, table.summary()).await;
    }
    let (stored, table) = game(1_000, now_ms - 50_000, true);
    let good = stored.settings.id;
    database.put(stored, table.summary()).await;
    let _node = Node::start(&database, 1);
    assert!(until(&database, good, Table::is_over).await.is_some());
    sleep(Duration::from_secs(10)).await;
    let overdue = |database: &Database| database.counts()["overdue"];
    let before = overdue(&database);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(overdue(&database), before, "sweeps find them again");
    sleep(Duration::from_secs(3_700)).await;
    assert!(overdue(&database) > before, "they are tried again later");
}
