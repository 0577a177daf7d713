//! A robot that plays for the user of this program.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use noughts_engine::{Stop, Strategy};
use noughts_rules::{Game, Move};

/// The robot's move. If the robot still searches after `time`, it plays the best move that it has found.
pub(super) fn choose_within(robot: &mut dyn Strategy, game: &Game, time: Option<Duration>) -> Move {
    let stop = Stop::new();
    thread::scope(|scope| {
        let (chosen, is_chosen) = channel::<()>();
        let stop = &stop;
        if let Some(time) = time {
            scope.spawn(move || {
                if is_chosen.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                    stop.set();
                }
            });
        }
        let at = robot.choose(game, stop).at;
        drop(chosen);
        at
    })
}
