//! How far a game may be rewound.

use super::{Game, Refusal};
use crate::variant::Variant;

impl Game {
    pub(super) fn check_rewind(&self, count: u16) -> Result<(), Refusal> {
        let Some(max) = self.longest_rewind() else {
            return Err(Refusal::NoRewind);
        };
        if count > max {
            return Err(Refusal::RewindTooFar { max });
        }
        match self.variant {
            Variant::Nested(_) if count == 0 => Err(Refusal::MustPlay),
            Variant::Grid(_) | Variant::Nested(_) => Ok(()),
        }
    }

    /// The maximum number of marks that a rewind may take back now; `None` if the game has no rewind or is over.
    pub fn longest_rewind(&self) -> Option<u16> {
        self.to_move()?;
        let max = self.history.checked_sub(1)?;
        Some(max.min(u16::try_from(self.plays().len()).unwrap_or(u16::MAX)))
    }
}
