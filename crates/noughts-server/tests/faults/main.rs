//! One test per known fault, over a database that fails in exactly that way.

mod clocks;
#[allow(dead_code, unused_imports)]
#[path = "../cluster/mod.rs"]
mod cluster;
mod liveness;
mod matchmaking;
mod overdue;
#[path = "../http/request_bytes.rs"]
mod request_bytes;
mod robots;
mod seats;
mod serving;
mod submissions;

use std::sync::Arc;
use std::time::Duration;

use cluster::{Database, Node, variant};
use noughts_rules::{Action, Move, Seat};
use noughts_server::{
    Command, Creation, GameId, Holder, LiveTable, NewGame, Settings, SubmitError, Table,
};

/// Longer than any step of these tests.
const TIMEOUT: Duration = Duration::from_secs(60);

fn human(name: &str) -> Holder {
    Holder::Human {
        name: name.to_owned(),
        node: None,
    }
}

fn robot(strategy: &str) -> Holder {
    Holder::Robot(strategy.parse().unwrap())
}

/// Creates a game of tic-tac-toe.
async fn create(node: &Node, holders: Vec<Holder>) -> Arc<LiveTable> {
    create_with_clock(node, holders, None).await
}

async fn create_with_clock(
    node: &Node,
    holders: Vec<Holder>,
    clock: Option<&str>,
) -> Arc<LiveTable> {
    let settings = Settings {
        id: GameId::random(),
        variant: variant("3x3k3"),
        history: 0,
        start: None,
        holders,
        clock: clock.map(|clock| clock.parse().unwrap()),
        is_listed: true,
        created_ms: node.tables.clock().now_ms(),
    };
    let new = NewGame {
        settings,
        key: None,
    };
    match node.tables.create(new, None, None).await {
        Ok(Creation::Created(live)) => live,
        other => panic!("{other:?}"),
    }
}

fn play(seat: u8, cell: usize, turn: usize) -> Command {
    Command::Act {
        seat: Seat(seat),
        action: Action::Play(Move::at(cell)),
        turn,
        key: None,
    }
}

/// Gets the table and submits to it, as HTTP does.
async fn submit(node: &Node, game: GameId, command: &Command) -> Result<(), SubmitError> {
    let live = node.tables.get(game).await;
    let live = live.map_err(SubmitError::Unavailable)?;
    let live = live.ok_or(SubmitError::NoSuchGame)?;
    node.tables.submit(&live, command).await
}

/// Waits until the game in the database satisfies the condition. Returns how long that took; `None` if it took longer
/// than [`TIMEOUT`].
async fn until(
    database: &Database,
    game: GameId,
    is_so: impl Fn(&Table) -> bool,
) -> Option<Duration> {
    let begun = tokio::time::Instant::now();
    while !is_so(&database.table(game).await) {
        if begun.elapsed() > TIMEOUT {
            return None;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Some(begun.elapsed())
}
