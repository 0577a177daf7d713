//! The score of a session.

use noughts_wire::GameResult;

/// The number of games won, lost and drawn.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Score {
    pub(super) won: u32,
    pub(super) lost: u32,
    pub(super) drawn: u32,
}

impl Score {
    pub(super) fn add(&mut self, verdict: GameResult) {
        match verdict {
            GameResult::Won => self.won += 1,
            GameResult::Lost => self.lost += 1,
            GameResult::Draw => self.drawn += 1,
        }
    }

    pub(super) fn games(&self) -> u32 {
        self.won + self.lost + self.drawn
    }
}
