//! Detects dead nodes among the nodes that share the store, and makes their TCP clients leave their games.
//! Also ends overdue games and makes overdue moves of robots.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{debug, info, warn};

use crate::id::{GameId, NodeId};
use crate::store::StoreError;
use crate::table::Table;
use crate::tables::Tables;

/// Interval between sweeps. In each sweep a node increments its counter, reads the counters of the other nodes,
/// and ends games whose clock ran out.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// A sweep that takes longer than this restarts the count of [`SWEEPS_UNTIL_DEAD`], because the store may have been
/// slow for the other nodes too.
const SLOW_SWEEP: Duration = Duration::from_millis(1_500);

/// A node counts as dead when another node has read the same value of its counter in this many successive sweeps. A
/// failed or slow sweep restarts the count.
const SWEEPS_UNTIL_DEAD: u32 = 10;

/// The node that serves the seat to move (`Tables::serves_seat_to_move`) acts first. All other nodes wait
/// until this many milliseconds after the deadline.
const GRACE_MS: u64 = 4_000;

/// An overdue game that has no later deadline or cannot be read is checked again after this time, in
/// milliseconds.
const POSTPONED_MS: u64 = 600_000;

/// The counters of other nodes, as this node has read them.
#[derive(Debug, Default)]
struct Liveness {
    nodes: HashMap<NodeId, Observed>,
}

#[derive(Debug)]
struct Observed {
    counter: u64,
    /// Number of sweeps since the counter changed or the count was restarted.
    sweeps: u32,
}

impl Liveness {
    /// Compares the counters `others`, read by a successful sweep, with the earlier counters. Returns the
    /// nodes that are dead now.
    fn observe(&mut self, others: &[(NodeId, u64)]) -> Vec<NodeId> {
        self.nodes
            .retain(|node, _| others.iter().any(|(other, _)| other == node));
        let mut dead = Vec::new();
        for (node, counter) in others {
            let observed = self.nodes.entry(*node).or_insert(Observed {
                counter: *counter,
                sweeps: 0,
            });
            match observed.counter == *counter {
                true => observed.sweeps += 1,
                false => (observed.counter, observed.sweeps) = (*counter, 0),
            }
            if observed.sweeps >= SWEEPS_UNTIL_DEAD {
                dead.push(*node);
            }
        }
        dead
    }

    /// Restarts the count after a failed or slow sweep, because the other nodes may not have reached the
    /// store either.
    fn restart(&mut self) {
        for observed in self.nodes.values_mut() {
            observed.sweeps = 0;
        }
    }
}

/// Makes a sweep every second, for as long as the server runs. A sweep reports that this node is alive, and
/// looks for outages, dead nodes and passed deadlines.
pub(crate) async fn sweep(tables: Arc<Tables>) {
    let mut liveness = Liveness::default();
    // One task removes dead nodes and handles overdue games; another task ends games whose clock ran out. At most one
    // task of each kind runs at a time. The sweeps do not wait for these tasks.
    let mut removing: Option<JoinHandle<()>> = None;
    let mut ending: Option<JoinHandle<()>> = None;
    let mut next = Instant::now();
    loop {
        let begun = Instant::now();
        let now_ms = tables.clock().now_ms();
        let swept = tables.store().sweep(tables.node(), now_ms, GRACE_MS);
        match swept.await {
            Ok(swept) => {
                // Outages must be known before it is certain which clocks have run out.
                tables.note_outages(swept.outages);
                tables.clock().correct(swept.now_ms, begun.elapsed());
                if ending.as_ref().is_none_or(JoinHandle::is_finished) {
                    let tables = Arc::clone(&tables);
                    ending = Some(tokio::spawn(async move { tables.end_due_games().await }));
                }
                let dead = match begun.elapsed() > SLOW_SWEEP {
                    true => {
                        liveness.restart();
                        Vec::new()
                    }
                    false => liveness.observe(&swept.others),
                };
                let is_free = removing.as_ref().is_none_or(JoinHandle::is_finished);
                if is_free && (!dead.is_empty() || !swept.overdue.is_empty()) {
                    let tables = Arc::clone(&tables);
                    removing = Some(tokio::spawn(async move {
                        for node in dead {
                            if let Err(error) = remove(&tables, node).await {
                                debug!(%error, "cannot remove a dead node yet");
                            }
                        }
                        for game in swept.overdue {
                            act_overdue(&tables, game).await;
                        }
                    }));
                }
            }
            Err(error) => {
                warn!(%error, "the sweep failed; retrying in a second");
                liveness.restart();
            }
        }
        next = (next + SWEEP_INTERVAL).max(Instant::now());
        sleep_until(next).await;
    }
}

/// Ends a game whose clock ran out, or makes the overdue move of a robot. Postpones the deadline if there is
/// nothing to do for the game, if this node cannot make the robot's move, or if the game is unreadable.
/// Without a new deadline, the next sweeps would find this game again instead of other games.
async fn act_overdue(tables: &Arc<Tables>, game: GameId) {
    let now_ms = tables.clock().certain_ms();
    let next_ms = match tables.get(game).await {
        Ok(Some(live)) => {
            if !tables.refresh(&live).await {
                return;
            }
            tables.end_overdue_game(&live, GRACE_MS).await;
            let is_passed = |deadline_ms: u64| deadline_ms < now_ms;
            let is_robot_due = live.read(|table| table.robot_deadline_ms().is_some_and(is_passed));
            if is_robot_due && tables.move_overdue_robots(&live) || live.read(Table::is_over) {
                return;
            }
            let next_ms = live.read(|table| match is_robot_due {
                // No node can make this robot's move, so the next check is at the deadline of the clock.
                true => table.clock_deadline_ms(),
                false => table.deadline_after(now_ms),
            });
            next_ms.unwrap_or(now_ms + POSTPONED_MS)
        }
        Err(StoreError::Corrupt(what)) => {
            warn!(%game, what, "cannot continue an unreadable game");
            now_ms + POSTPONED_MS
        }
        // The next sweep tries again.
        Ok(None) | Err(_) => return,
    };
    let before_ms = now_ms.saturating_sub(GRACE_MS);
    if let Err(error) = tables.store().postpone(game, before_ms, next_ms).await {
        debug!(%game, %error, "cannot postpone a deadline; the next sweep retries");
    }
}

/// Makes the TCP clients of a dead node leave their games, then removes the node from the store.
async fn remove(tables: &Arc<Tables>, node: NodeId) -> Result<(), StoreError> {
    let seats = tables.store().seats_of_node(node).await?;
    let games = seats.len();
    for (game, seats) in seats {
        match tables.get(game).await {
            Ok(Some(live)) => tables.leave_now(live, seats).await,
            Ok(None) => {}
            // An unreadable game must not block the other games.
            Err(StoreError::Corrupt(what)) => {
                warn!(%game, what, "cannot end a game of a dead node");
            }
            Err(error) => return Err(error),
        }
    }
    tables.store().remove_node(node).await?;
    info!(games, "removed a dead node");
    Ok(())
}

/// Removes unused tables from memory every ten seconds, for as long as the server runs.
pub(crate) async fn remove_idle_tables(tables: Arc<Tables>) {
    loop {
        sleep(Duration::from_secs(10)).await;
        tables.remove_idle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHER: NodeId = NodeId(7);

    #[test]
    fn unchanged_counter_in_ten_sweeps_means_dead() {
        let mut liveness = Liveness::default();
        for _ in 0..SWEEPS_UNTIL_DEAD - 1 {
            assert_eq!(liveness.observe(&[(OTHER, 3)]), []);
        }
        assert_eq!(liveness.observe(&[(OTHER, 3)]), [OTHER]);
        assert_eq!(liveness.observe(&[(OTHER, 4)]), [], "it is back");
    }

    #[test]
    fn failed_sweep_restarts_the_count() {
        let mut liveness = Liveness::default();
        for _ in 0..3 {
            for _ in 0..SWEEPS_UNTIL_DEAD - 1 {
                assert_eq!(liveness.observe(&[(OTHER, 3)]), []);
            }
            liveness.restart();
        }
    }
}
