//! Endings of a game that are neither a turn nor a result of the position, such as a clock that ran out.

use super::{Action, Conclusion, DrawReason, Game, Refusal, Seat, WinReason};
use crate::diagram::Diagram;
use crate::side::{Side, Sides};
use crate::variant::{Goal, GridSpec, Overline, Variant};

/// An ending of a game that is neither a turn nor a result of the position, such as a clock that ran out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Termination {
    /// The player of this seat left. All other sides win.
    Left(Seat),
    /// The clock of this seat ran out. The other sides win if [one of them can still complete a
    /// line](Game::can_complete_line). Otherwise the game is a draw.
    TimeOut(Seat),
    /// This seat claims the win, because all other players are away.
    WinClaimed(Seat),
    /// A draw for this reason.
    Draw(DrawReason),
    /// All players left.
    Abandoned,
    /// The game ends without a result.
    Aborted,
}

impl Game {
    /// Ends the game without adding a turn. On `Err` nothing has changed.
    pub fn terminate(&mut self, end: Termination) -> Result<(), Refusal> {
        self.conclusion = Some(self.conclusion_of(end)?);
        Ok(())
    }

    /// Returns the conclusion or the refusal to which [`terminate`](Game::terminate) would lead, without changing the
    /// game.
    pub fn conclusion_of(&self, end: Termination) -> Result<Conclusion, Refusal> {
        let seat = match end {
            Termination::Left(seat) | Termination::TimeOut(seat) => seat,
            Termination::WinClaimed(seat) => seat,
            Termination::Draw(_) | Termination::Abandoned | Termination::Aborted => Seat(0),
        };
        self.check(seat, Action::Resign)?;
        Ok(match end {
            Termination::Left(seat) => self.without(seat, WinReason::Leaving),
            Termination::TimeOut(seat) => match self.can_others_win_on_time(seat) {
                true => self.without(seat, WinReason::Time),
                false => Conclusion::Draw {
                    reason: DrawReason::Time,
                },
            },
            Termination::WinClaimed(seat) => Conclusion::Won {
                sides: Sides::only(self.order[usize::from(seat.0)]),
                by: WinReason::Claim,
            },
            Termination::Draw(reason) => Conclusion::Draw { reason },
            Termination::Abandoned => Conclusion::Abandoned,
            Termination::Aborted => Conclusion::Aborted,
        })
    }

    fn can_others_win_on_time(&self, late: Seat) -> bool {
        let others = self.seated().without(self.order[usize::from(late.0)]);
        others.is_empty() || others.iter().any(|side| self.can_complete_line(side))
    }

    /// Whether `side` can still complete a line. Two conditions must hold: some K cells in a line have no
    /// mark of another side, and `side` has enough plays left to fill the empty cells of this line. The
    /// number of plays left assumes that all seats play in turn and that nobody uses a rewind. The answer is
    /// always true with more than two sides, in misère games and on nine boards.
    ///
    /// ```
    /// use noughts_rules::{Diagram, Game, Options, Side};
    ///
    /// let variant = "3x3k3".parse()?;
    /// let start = Diagram::parse(&variant, "xo./.xo/xo. x")?;
    /// let game = Game::from_diagram(&variant, Options::default(), start)?;
    /// assert!(game.can_complete_line(Side::FIRST));
    /// assert!(!game.can_complete_line(Side::SECOND));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn can_complete_line(&self, side: Side) -> bool {
        match &self.variant {
            Variant::Grid(spec) if spec.sides() == 2 && spec.goal == Goal::Make => {
                let diagram = self.diagram();
                let empty = diagram.marks.iter().filter(|mark| mark.is_none());
                let turns = self.order.iter().cycle().skip(self.next.0.into());
                let plays_left = turns.zip(empty).filter(|(by, _)| **by == side).count();
                has_open_line(spec, &diagram, side, plays_left)
            }
            Variant::Grid(_) | Variant::Nested(_) => true,
        }
    }
}

/// Whether the board has K cells in a line with only marks of `side` and at most `plays_left` empty cells.
fn has_open_line(spec: &GridSpec, diagram: &Diagram, side: Side, plays_left: usize) -> bool {
    let (rows, columns) = (spec.rows() as isize, spec.columns() as isize);
    // The content of a cell; `None` if the cell is not on the board.
    let mark = |row: isize, column: isize| {
        let is_inside = (0..rows).contains(&row) && (0..columns).contains(&column);
        is_inside.then(|| diagram.marks[(row * columns + column) as usize])
    };
    let is_own = |row, column| mark(row, column) == Some(Some(side));
    let length = spec.line() as isize;
    let is_open = |row: isize, column: isize, (down, right): (isize, isize)| {
        let mut lacking = 0;
        for n in 0..length {
            match mark(row + n * down, column + n * right) {
                Some(None) => lacking += 1,
                Some(Some(owner)) if owner == side => {}
                Some(Some(_)) | None => return false,
            }
        }
        let is_longer = is_own(row - down, column - right)
            || is_own(row + length * down, column + length * right);
        lacking <= plays_left && !(is_longer && spec.overline == Overline::Ignored)
    };
    (0..rows).any(|row| {
        (0..columns).any(|column| {
            [(0, 1), (1, 0), (1, 1), (1, -1)]
                .into_iter()
                .any(|direction| is_open(row, column, direction))
        })
    })
}
