//! Taking back a play by agreement.

use super::{Action, Game, Refusal, Seat};

impl Game {
    /// The number of marks that a takeback of `seat` removes: the seat's last play on the board and all later plays.
    /// `None` if no play of this seat is on the board, or if the game is over.
    ///
    /// ```
    /// use noughts_rules::{Action, Game, Options, Seat};
    ///
    /// let mut game = Game::new(&"3x3k3".parse()?, Options::default())?;
    /// game.act(Seat(0), game.parse_action("1-1")?)?;
    /// game.act(Seat(1), game.parse_action("0-0")?)?;
    /// assert_eq!(game.takeback_of(Seat(0)), Some(2));
    /// game.act(Seat(0), Action::Takeback(2))?;
    /// assert_eq!(game.to_move(), Some(Seat(0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn takeback_of(&self, seat: Seat) -> Option<u16> {
        self.to_move()?;
        let seats = self.seats_of_plays();
        let kept = seats.iter().rposition(|by| *by == seat)?;
        u16::try_from(seats.len() - kept).ok()
    }

    pub(super) fn check_takeback(&self, by: Seat, count: u16) -> Result<(), Refusal> {
        match self.takeback_of(by) {
            None => Err(Refusal::NothingToTakeBack),
            Some(marks) if marks != count => Err(Refusal::TakebackOf { marks }),
            Some(_) => Ok(()),
        }
    }

    /// The seat of each of [`plays`](Game::plays), oldest first. Several seats may share a side, so the side of a mark
    /// does not identify its seat.
    fn seats_of_plays(&self) -> Vec<Seat> {
        let mut seats = Vec::with_capacity(self.plays().len());
        for turn in &self.turns {
            match turn.action {
                Action::Play(_) => seats.push(turn.by),
                Action::Rewind(count) | Action::Takeback(count) => {
                    seats.truncate(seats.len().saturating_sub(count.into()));
                }
                Action::Resign => {}
            }
        }
        seats
    }
}
