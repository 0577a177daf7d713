//! The seat of a TCP client. The client leaves the game when the connection ends.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use noughts_rules::{Action, Seat};
use tokio::sync::watch;
use tokio::time::sleep;

use super::live_table::{LiveTable, Progress};
use super::{RETRY_AFTER, SubmitError, Tables};
use crate::id::GameId;
use crate::robots::Robot;
use crate::table::{Command, Holder, SeatSet, Table};

pub(crate) type BoxFuture<T> = std::pin::Pin<Box<dyn Future<Output = T> + Send>>;

/// The seat of a connected TCP client. If this value is dropped before the game is over, the client leaves the game.
pub struct ConnectedSeat {
    tables: Arc<Tables>,
    live: Arc<LiveTable>,
    seat: Seat,
    /// Notified when the table changes. `None` if all opponents are robots that reply immediately, because
    /// then only this player's turns change the table (unless an operator ends the game).
    changed: Option<watch::Receiver<u32>>,
    /// Number of turns that were reported to the player.
    turns: usize,
    has_ended: bool,
}

impl ConnectedSeat {
    pub(crate) fn new(tables: &Arc<Tables>, live: &Arc<LiveTable>, seat: Seat) -> ConnectedSeat {
        let is_alone = {
            let state = live.state();
            let robots = (0..).map(Seat).zip(&state.robots);
            let is_instant = |robot: &Option<Robot>| matches!(robot, Some(Robot::Instant(_)));
            robots
                .into_iter()
                .all(|(other, robot)| other == seat || is_instant(robot))
        };
        ConnectedSeat {
            changed: (!is_alone).then(|| live.subscribe()),
            tables: Arc::clone(tables),
            live: Arc::clone(live),
            seat,
            turns: 0,
            has_ended: false,
        }
    }

    /// The game's id.
    pub fn game(&self) -> GameId {
        self.live.id()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.live.read(Table::is_over)
    }

    /// The client's seat in the game.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The number of the current turn as reported to the player: the number of reported turns plus one.
    pub fn turn(&self) -> usize {
        self.turns + 1
    }

    /// Submits an action for turn `turn`, and retries while the store is unavailable or the table is busy. Afterwards,
    /// call [`progress`](ConnectedSeat::progress) to learn what has happened. Not cancel safe.
    pub fn act(&self, action: Action, turn: usize) -> BoxFuture<Result<(), SubmitError>> {
        let (tables, live) = (Arc::clone(&self.tables), Arc::clone(&self.live));
        let (seat, key) = (self.seat, None);
        let command = Command::Act {
            seat,
            action,
            turn,
            key,
        };
        Box::pin(async move {
            loop {
                match tables.submit(&live, &command).await {
                    Err(SubmitError::Unavailable(_) | SubmitError::Busy) => {
                        sleep(RETRY_AFTER).await;
                    }
                    result => return result,
                }
            }
        })
    }

    /// Waits until the table changes. Returns false if the table was removed from memory. Never returns if
    /// all opponents are robots that reply immediately. Cancel safe.
    pub async fn changed(&mut self) -> bool {
        match &mut self.changed {
            Some(changed) => changed.changed().await.is_ok(),
            None => std::future::pending().await,
        }
    }

    /// What has happened for the player since the last call of this function.
    pub fn progress(&mut self) -> Progress {
        let progress = self.live.progress(self.seat, self.turns);
        self.turns += progress.turns.len();
        self.has_ended |= progress.end.is_some();
        progress
    }
}

impl Tables {
    /// Makes seats leave the game in the background, because their connections have ended. Retries like
    /// [`leave_now`](Tables::leave_now).
    pub(crate) fn leave(self: &Arc<Tables>, live: &Arc<LiveTable>, seats: SeatSet) {
        let (tables, live) = (Arc::clone(self), Arc::clone(live));
        self.background.spawn(async move {
            tables.leave_now(live, seats).await;
        });
    }

    /// Makes `seats` leave the game, and retries after errors of the store. Returns when the end of the game
    /// is stored, or when the game no longer exists. Also returns when the command is refused, for example
    /// because the game is over.
    pub(crate) async fn leave_now(self: &Arc<Tables>, mut live: Arc<LiveTable>, seats: SeatSet) {
        let command = Command::Leave(seats);
        loop {
            match self.submit(&live, &command).await {
                Ok(()) | Err(SubmitError::Refused(_) | SubmitError::NoSuchGame) => return,
                Err(SubmitError::Closed) => match self.get(live.id()).await {
                    Ok(Some(again)) => live = again,
                    Ok(None) => return,
                    Err(_) => tokio::time::sleep(RETRY_AFTER).await,
                },
                Err(SubmitError::Busy | SubmitError::Unavailable(_)) => {
                    tokio::time::sleep(RETRY_AFTER).await;
                }
            }
        }
    }

    /// Makes the seats of all TCP connections to this node leave their games, because the server stops. Seats of the
    /// same table leave together. The TCP clients get no result.
    pub(crate) fn leave_all(self: &Arc<Tables>) {
        self.is_stopping.store(true, Ordering::SeqCst);
        let is_here = |holder: &Holder| matches!(holder, Holder::Human { node: Some(node), .. } if *node == self.node);
        for live in self.all() {
            let seats = live.read(|table| {
                let seats = (0..).map(Seat).zip(table.holders());
                let seats = seats.filter(|(_, holder)| !table.is_over() && is_here(holder));
                seats.map(|(seat, _)| seat).collect::<SeatSet>()
            });
            if !seats.is_empty() {
                self.leave(&live, seats);
            }
        }
    }
}

impl Drop for ConnectedSeat {
    fn drop(&mut self) {
        if !self.has_ended && !self.live.read(Table::is_over) {
            self.tables.leave(&self.live, SeatSet::only(self.seat));
        }
    }
}

impl fmt::Debug for ConnectedSeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConnectedSeat({} of {})", self.seat.0, self.live.id())
    }
}
