//! Clients that watch games. They get a snapshot, and then every update in order.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::Random;
use noughts_rules::{Conclusion, Seat, Side};
use noughts_server::{Change, GameId, Holder, OpenOffer, Snapshot, Table, Update};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::sleep;

use crate::scenario::{Scenario, up_to_ms};

/// What a watcher knows of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Watched {
    pub(crate) game: GameId,
    entry: u32,
    turn: usize,
    marks: Vec<Option<Side>>,
    to_move: Option<Seat>,
    outcome: Option<Conclusion>,
    holders: Vec<Holder>,
    offers: Vec<OpenOffer>,
    rematch: Option<GameId>,
}

impl Watched {
    /// The current state of the game.
    pub(crate) fn of(table: &Table) -> Watched {
        Watched::from_snapshot(&table.snapshot(Default::default()))
    }

    fn from_snapshot(snapshot: &Snapshot) -> Watched {
        Watched {
            game: snapshot.id,
            entry: snapshot.entry,
            turn: snapshot.game.turn,
            marks: snapshot.game.marks.clone(),
            to_move: snapshot.game.to_move,
            outcome: snapshot.game.outcome.clone(),
            holders: snapshot.holders.clone(),
            offers: snapshot.offers.clone(),
            rematch: snapshot.rematch,
        }
    }

    fn apply(&mut self, update: &Update) {
        match &update.change {
            Change::View(view) => {
                assert!(view.entry > self.entry, "{update:?} after {self:?}");
                *self = Watched::from_snapshot(view);
                return;
            }
            Change::Seats { holders, .. } => self.holders = holders.clone(),
            Change::Offers { offers, .. } => self.offers = offers.clone(),
            Change::Turn(change) => {
                self.offers = change.offers.clone();
                assert_eq!(change.number, self.turn, "{update:?} after {self:?}");
                self.turn += 1;
                for (at, mark) in &change.cells {
                    self.marks[at.index()] = *mark;
                }
                self.to_move = change.to_move;
                self.outcome = change.outcome.clone();
            }
        }
        if let Some(entry) = update.entry {
            assert_eq!(entry, self.entry + 1, "{update:?} after {self:?}");
            self.entry = entry;
        }
    }
}

/// Watches a game until the end of the scenario, occasionally from another node.
pub(crate) async fn watch_game(
    scenario: Arc<Scenario>,
    game: GameId,
    mut random: Random,
) -> Watched {
    loop {
        let node = scenario.node(&mut random);
        let live = match node.while_alive(node.tables.get(game)).await {
            Some(Ok(Some(live))) => live,
            Some(Ok(None)) => panic!("the game {game} that somebody plays is not stored"),
            Some(Err(_)) | None => {
                sleep(up_to_ms(&mut random, 500)).await;
                continue;
            }
        };
        let Ok(mut watch) = live.watch() else {
            sleep(Duration::from_millis(10)).await;
            continue;
        };
        scenario.count("watches begun");
        let mut watched = Watched::from_snapshot(&watch.snapshot);
        // When no client begins anything new, the watcher stays at its node.
        let moves_on = match scenario.is_open() {
            true => Duration::from_secs(2) + up_to_ms(&mut random, 60_000),
            false => Duration::from_secs(3_600),
        };
        let moves_on = sleep(moves_on);
        tokio::pin!(moves_on);
        loop {
            tokio::select! {
                biased;
                () = node.killed() => break,
                update = watch.updates.recv() => match update {
                    Ok(update) => {
                        watched.apply(&update);
                        scenario.count("updates applied");
                    }
                    Err(RecvError::Lagged(_) | RecvError::Closed) => {
                        scenario.count("watches interrupted");
                        break;
                    }
                },
                () = scenario.finished() => return watched,
                () = &mut moves_on => break,
            }
        }
    }
}
