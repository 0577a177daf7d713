//! The robots at a table: whether one of them is to move here, and what it thinks.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::Stop;
use noughts_rules::Action;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::{Asker, Keeper, Message, Sitter, Wish};
use crate::robots::{Mind, answer};

/// How long another process has for a robot's reply, before this one thinks for it too.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// How far the thinking for a table has come.
pub(super) struct Thoughts {
    /// Tells whoever thinks for this table that it need not.
    stop: Stop,
    /// The turn in which a robot was last asked for its move.
    asked_in: Option<usize>,
    /// Who thinks, or waits for a chance to.
    thinking: Option<AbortHandle>,
    /// From when on the robot to move is this process's: the last turn was stored by another, which
    /// thinks for it unless it is gone.
    adopts_at: Option<Instant>,
}

impl Thoughts {
    pub(super) fn new() -> Thoughts {
        Thoughts {
            stop: Stop::new(),
            asked_in: None,
            thinking: None,
            adopts_at: None,
        }
    }

    /// Whether a robot is to be asked in this turn: once, and not while another process may have asked.
    fn begin(&mut self, turn: usize) -> bool {
        let is_others = self.adopts_at.is_some_and(|at| Instant::now() < at);
        if is_others || self.asked_in == Some(turn) {
            return false;
        }
        self.adopts_at = None;
        self.asked_in = Some(turn);
        true
    }

    /// How long another process still has; `None` where the robot to move is this one's.
    pub(super) fn others_time(&self) -> Option<Duration> {
        let at = self.adopts_at?;
        Some(at.saturating_duration_since(Instant::now()))
    }

    /// The last turn was stored here.
    pub(super) fn are_ours(&mut self) {
        self.adopts_at = None;
    }

    /// A thought that nobody needs any more ends, and one that only waits for its chance waits no
    /// longer: the queue holds nothing for those who left.
    pub(super) fn end(&mut self) {
        self.stop.set();
        self.adopts_at = None;
        if let Some(thinking) = self.thinking.take() {
            thinking.abort();
        }
    }
}

impl Keeper {
    /// A robot's move, if it is to move and has it at once; else it is asked, once, and its move
    /// comes by the mailbox.
    pub(super) fn robot_moves(&mut self) -> Option<(Wish, Asker)> {
        let seat = self.table.robot_to_move()?;
        let at_turn = self.table.turn();
        if !self.thoughts.begin(at_turn) {
            return None;
        }
        let play = move |at| Wish {
            seat,
            action: Action::Play(at),
            at_turn,
            key: None,
        };
        match self.sitters.get(usize::from(seat.0))? {
            Sitter::Robot(Mind::Instant(mind)) => {
                let at = answer(mind, self.table.game(), &self.thoughts.stop);
                Some((play(at), Asker::Robot))
            }
            Sitter::Robot(Mind::Thinker(name)) => {
                let (house, name) = (Arc::clone(&self.house), name.clone());
                let (game, stop) = (self.table.game().clone(), self.thoughts.stop.clone());
                let mailbox = self.to_mailbox.clone();
                let seed = self.table.id().number() as u64 ^ at_turn as u64;
                let thinking = tokio::spawn(async move {
                    if let Some(at) = house.robots().ponder(name, game, seed, stop).await {
                        let thought = Message::Act(play(at), Asker::Robot);
                        // A table that is gone needs no answer.
                        let _ = mailbox.send(thought).await;
                    }
                });
                self.thoughts.thinking = Some(thinking.abort_handle());
                None
            }
            Sitter::Listener(_) | Sitter::Lasting => None,
        }
    }

    /// The last turn was stored by another process, which thinks for the robot.
    pub(super) fn wait_for_robot(&mut self) {
        let is_other = self.house.bus().is_shared() && self.table.robot_to_move().is_some();
        self.thoughts.adopts_at = is_other.then(|| Instant::now() + PATIENCE);
    }
}
