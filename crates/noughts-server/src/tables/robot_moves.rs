//! The moves of robots at a table. *Instant* robots need only microseconds for a move. If an instant robot is to move
//! after a turn, its reply is stored together with this turn. All other robots wait in a queue until they may compute.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{Stop, time_for_turn};
use noughts_rules::{Action, Game, Move, Seat, Turn};
use tokio::time::sleep;
use tracing::error;

use super::live_table::{LiveTable, Phase, State};
use super::{RETRY_AFTER, SubmitError, Tables};
use crate::robots::{Robot, answer};
use crate::table::{Command, Decision, Entry, LogEntry, TOO_LONG, Table, TableRefusal};

/// A move to compute.
struct Task {
    seat: Seat,
    robot: Robot,
    game: Game,
    /// The number of the last log entry that `game` includes.
    entry: u32,
    stop: Stop,
    owner: Option<std::net::IpAddr>,
    /// How long the robot may compute, if the game has a clock.
    time: Option<Duration>,
}

impl Tables {
    /// Adds the replies of instant robots to a decision that has a turn. So the replies are stored together
    /// with the turn.
    pub(super) fn add_robot_replies(&self, state: &State, decision: &mut Decision) {
        let Some((Entry::Turn(turn), at_ms)) = latest(decision) else {
            return;
        };
        let (turn, seats) = (*turn, state.robots.len());
        let mut next = match turn.action {
            Action::Takeback(_) => turn.by,
            Action::Play(_) | Action::Rewind(_) | Action::Resign => next_seat(turn.by, seats),
        };
        let instant = |seat: Seat| match &state.robots[usize::from(seat.0)] {
            Some(Robot::Instant(robot)) => Some(robot),
            Some(Robot::Slow(_)) | None => None,
        };
        if decision.conclusion.is_some() || instant(next).is_none() {
            return;
        }
        let mut game = state.table.game().clone();
        if game.act(turn.by, turn.action).is_err() {
            return;
        }
        // At most one reply per other seat. Otherwise a table with only robots would play the whole game in this
        // loop.
        for _ in 1..seats {
            let (None, Some(robot)) = (game.conclusion(), instant(next)) else {
                return;
            };
            let reply = robot_turn(next, answer(robot, &game, &Stop::new()));
            if game.act(reply.by, reply.action).is_err() {
                return;
            }
            decision.push(Entry::Turn(reply), at_ms);
            let is_last = game.turns().len() >= state.table.max_turns();
            let called = is_last.then_some(TOO_LONG);
            decision.conclusion = game.conclusion().cloned().or(called);
            if decision.conclusion.is_some() {
                return;
            }
            next = next_seat(next, seats);
        }
    }

    /// Starts the robot that is to move, unless a robot is already computing. Before the robot's deadline, only the
    /// node that stored the latest entry does this.
    pub(super) fn move_robots(self: &Arc<Tables>, live: &Arc<LiveTable>) {
        self.move_robots_after(live, false);
    }

    /// Lets the robot whose turn it is compute its move on this node, because the deadline has passed. Returns false if
    /// no robot is to move, or if the robot's strategy cannot play this game.
    pub(crate) fn move_overdue_robots(self: &Arc<Tables>, live: &Arc<LiveTable>) -> bool {
        self.move_robots_after(live, true);
        let state = live.state();
        let seat = state.table.robot_to_move();
        let robot = seat.and_then(|seat| state.robots.get(usize::from(seat.0)));
        matches!(robot, Some(Some(_)))
    }

    fn move_robots_after(self: &Arc<Tables>, live: &Arc<LiveTable>, is_overdue: bool) {
        let mut state = live.state();
        if state.robot_stop.is_some() || state.table.robot_to_move().is_none() {
            return;
        }
        let is_elsewhere = self.bus().is_shared() && !state.is_stored_here && !is_overdue;
        let deadline_ms = state.table.robot_deadline_ms().unwrap_or(0);
        if is_elsewhere && self.clock().now_ms() < deadline_ms {
            return;
        }
        state.robot_stop = Some(Stop::new());
        drop(state);
        let (tables, live) = (Arc::clone(self), Arc::clone(live));
        tokio::spawn(async move { tables.play_robots(&live).await });
    }

    /// Plays the robots' moves until no robot is to move, the robot is stopped, or a move cannot be
    /// submitted.
    async fn play_robots(self: &Arc<Tables>, live: &Arc<LiveTable>) {
        let mut entry = None;
        while let Some(task) = next_task(live) {
            entry = Some(task.entry);
            let (seat, after, stop) = (task.seat, task.entry, task.stop.clone());
            match self.choose(task).await {
                Some(at) => {
                    // The move of a stopped robot is not used, because the position for this move no longer
                    // exists.
                    if stop.is_set() || !self.submit_robot_play(live, seat, at, after, &stop).await
                    {
                        break;
                    }
                }
                None if stop.is_set() => break,
                // The time for the turn ran out before the robot could begin to compute.
                None => sleep(RETRY_AFTER).await,
            }
            // Without this call, the loop would never yield if the store replies at once.
            tokio::task::yield_now().await;
        }
        let mut state = live.state();
        state.robot_stop = None;
        let has_gone_on = entry.is_some_and(|entry| entry != state.table.entry());
        drop(state);
        if has_gone_on && !live.is_closed() {
            // A turn may have been stored since the last check.
            self.move_robots(live);
        }
    }

    async fn choose(&self, task: Task) -> Option<Move> {
        let stop = task.stop.child();
        let Some(time) = task.time else {
            return self.choose_until(task, stop).await;
        };
        let out_of_time = stop.clone();
        let mut chosen = std::pin::pin!(self.choose_until(task, stop));
        tokio::select! {
            biased;
            chosen = &mut chosen => chosen,
            () = sleep(time) => {
                out_of_time.set();
                chosen.await
            }
        }
    }

    async fn choose_until(&self, task: Task, stop: Stop) -> Option<Move> {
        match task.robot {
            Robot::Instant(robot) => Some(answer(&robot, &task.game, &stop)),
            Robot::Slow(name) => {
                let seed = task.game.turns().len() as u64 ^ u64::from(task.entry) << 32;
                let chosen = self
                    .robots()
                    .choose(task.owner, name, task.game, seed, stop);
                chosen.await
            }
        }
    }

    /// Submits a robot's move, and retries while the store is unavailable and the robot is not stopped. Returns whether
    /// the robots should continue.
    async fn submit_robot_play(
        self: &Arc<Tables>,
        live: &Arc<LiveTable>,
        seat: Seat,
        at: Move,
        entry: u32,
        stop: &Stop,
    ) -> bool {
        let command = Command::RobotPlay { seat, at, entry };
        loop {
            match self.submit(live, &command).await {
                // A stale move: the table has changed in the meantime.
                Ok(()) | Err(SubmitError::Refused(TableRefusal::Stale { .. })) => return true,
                Err(SubmitError::Refused(refusal)) => {
                    if !live.read(Table::is_over) {
                        error!(game = %live.id(), %refusal, "a robot chose an illegal move");
                    }
                    return false;
                }
                Err(SubmitError::NoSuchGame | SubmitError::Closed) => return false,
                Err(SubmitError::Busy | SubmitError::Unavailable(_)) => {
                    if stop.is_set() {
                        return false;
                    }
                    sleep(RETRY_AFTER).await;
                }
            }
        }
    }
}

fn latest(decision: &Decision) -> Option<(&Entry, u64)> {
    let LogEntry { entry, at_ms, .. } = decision.entries.last()?;
    Some((entry, *at_ms))
}

fn next_task(live: &LiveTable) -> Option<Task> {
    let state = live.state();
    if state.phase == Phase::Closed {
        return None;
    }
    let seat = state.table.robot_to_move()?;
    Some(Task {
        seat,
        robot: state.robots.get(usize::from(seat.0))?.clone()?,
        game: state.table.game().clone(),
        entry: state.table.entry(),
        stop: state.robot_stop.clone()?,
        owner: state.owner,
        time: time_limit(&state.table),
    })
}

/// The time for the turn of the robot that is to move; `None` in a game without a clock.
fn time_limit(table: &Table) -> Option<Duration> {
    let seat = table.game().to_move()?;
    let clock = table.clock(table.last_ms())?;
    let left = Duration::from_millis(*clock.left_ms.get(usize::from(seat.0))?);
    Some(time_for_turn(clock.settings, left, clock.running.is_none()))
}

fn next_seat(seat: Seat, seats: usize) -> Seat {
    Seat(((usize::from(seat.0) + 1) % seats) as u8)
}

fn robot_turn(by: Seat, at: Move) -> Turn {
    let action = Action::Play(at);
    Turn { by, action }
}
