//! Variants: a variant is a kind of game with its numbers, such as the size of the board. The constructors
//! and the parser validate the numbers.

use crate::place::Board;
use crate::side::MAX_SIDES;

/// Minimum number of columns, of rows, and of marks in a line.
pub const MIN_SIZE: u8 = 3;

/// A kind of game with its numbers, such as the size of the board. All numbers are in their allowed ranges.
///
/// ```
/// use noughts_rules::Variant;
///
/// let three_players: Variant = "4x4k3+misere+gravityp3".parse()?;
/// assert_eq!(three_players.to_string(), "4x4k3p3+misere+gravity");
/// # Ok::<(), noughts_rules::VariantError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variant {
    /// A game on one board.
    Grid(GridSpec),
    /// A game on nine boards: Multi or Ultimate.
    Nested(NestedSpec),
}

/// A game on one board.
///
/// ```
/// use noughts_rules::{GridSpec, Placement};
///
/// let mut connect_four = GridSpec::new(7, 6, 4)?;
/// connect_four.placement = Placement::Gravity;
/// assert_eq!(connect_four.to_string(), "7x6k4+gravity");
/// # Ok::<(), noughts_rules::OutOfRange>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GridSpec {
    columns: u8,
    rows: u8,
    line: u8,
    sides: u8,
    /// What a completed line means.
    pub goal: Goal,
    /// Where a mark may be placed.
    pub placement: Placement,
    /// Whether more than K adjacent marks count as a line.
    pub overline: Overline,
}

/// What completing a line means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Goal {
    /// The side that completes a line wins.
    Make,
    /// The side that completes a line loses, and all other sides win (misère).
    Avoid,
}

/// Where a mark may be placed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Placement {
    /// On any empty cell.
    Anywhere,
    /// On the lowest empty cell of a column. Row 0 is the top row.
    Gravity,
}

/// Whether more than K adjacent marks count as a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Overline {
    /// More than K adjacent marks count as a line.
    Counts,
    /// Only exactly K adjacent marks count as a line.
    Ignored,
}

/// A game on nine boards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NestedSpec {
    redirect: Redirect,
    scoring: Scoring,
    first: Option<Board>,
}

/// Where a player may play after being sent to a closed board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Redirect {
    /// On the open board with the next higher number; board 0 follows board 8.
    NextOpen,
    /// On any open board.
    AnyOpen,
}

/// How the nine boards decide the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scoring {
    /// When all boards are closed, the side that has won more boards wins.
    MostBoards,
    /// The first side to win three boards in a line wins.
    MetaLine,
}

impl Variant {
    /// The number of sides.
    pub fn sides(&self) -> u8 {
        match self {
            Variant::Grid(spec) => spec.sides,
            Variant::Nested(_) => 2,
        }
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        match self {
            Variant::Grid(spec) => spec.cells(),
            Variant::Nested(_) => 81,
        }
    }
}

impl GridSpec {
    /// Tic-tac-toe.
    pub const TIC_TAC_TOE: GridSpec = GridSpec {
        columns: 3,
        rows: 3,
        line: 3,
        sides: 2,
        goal: Goal::Make,
        placement: Placement::Anywhere,
        overline: Overline::Counts,
    };

    /// A game for two sides on `columns` x `rows` cells, in which `line` adjacent marks win.
    pub fn new(columns: u8, rows: u8, line: u8) -> Result<GridSpec, OutOfRange> {
        if columns < MIN_SIZE {
            return Err(OutOfRange::Columns(columns.into()));
        }
        if rows < MIN_SIZE {
            return Err(OutOfRange::Rows(rows.into()));
        }
        let max = columns.max(rows);
        if !(MIN_SIZE..=max).contains(&line) {
            return Err(OutOfRange::Line {
                line: line.into(),
                max,
            });
        }
        Ok(GridSpec {
            columns,
            rows,
            line,
            ..GridSpec::TIC_TAC_TOE
        })
    }

    /// The same game for another number of sides.
    pub fn with_sides(self, sides: u8) -> Result<GridSpec, OutOfRange> {
        if !(2..=MAX_SIDES).contains(&sides) {
            return Err(OutOfRange::Sides(sides.into()));
        }
        Ok(GridSpec { sides, ..self })
    }

    /// The number of columns, `3..=255`.
    pub fn columns(&self) -> usize {
        self.columns.into()
    }

    /// The number of rows, `3..=255`.
    pub fn rows(&self) -> usize {
        self.rows.into()
    }

    /// The number of adjacent marks that make a line (K).
    pub fn line(&self) -> usize {
        self.line.into()
    }

    /// The number of sides, `2..=64`.
    pub fn sides(&self) -> u8 {
        self.sides
    }

    /// The number of cells, at most 65 025.
    pub fn cells(&self) -> usize {
        self.columns() * self.rows()
    }
}

impl NestedSpec {
    /// Multi: a player who is sent to a closed board plays on the next open board. The side with the most boards
    /// wins.
    pub const MULTI: NestedSpec = NestedSpec {
        redirect: Redirect::NextOpen,
        scoring: Scoring::MostBoards,
        first: None,
    };

    /// Ultimate: a player who is sent to a closed board may play on any open board. Three boards in a line win.
    pub const ULTIMATE: NestedSpec = NestedSpec {
        redirect: Redirect::AnyOpen,
        scoring: Scoring::MetaLine,
        first: None,
    };

    /// The games on nine boards, each with its name. Other games on nine boards differ from these only in the
    /// board of the first play.
    pub(crate) const NAMED: [(&str, NestedSpec); 2] =
        [("multi", Self::MULTI), ("ultimate", Self::ULTIMATE)];

    /// The same game, but the first play must be on the board `first`. With `None`, the first play may be on
    /// any board.
    #[must_use]
    pub fn starting_on(self, first: Option<Board>) -> NestedSpec {
        NestedSpec { first, ..self }
    }

    /// Where a player may play after being sent to a closed board.
    pub fn redirect(&self) -> Redirect {
        self.redirect
    }

    /// How the nine boards decide the game.
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// The board of the first play; `None` means any board.
    pub fn first(&self) -> Option<Board> {
        self.first
    }
}

/// A number that is out of range. The error message says what is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OutOfRange {
    /// The given number of columns. Allowed are 3 to 255.
    Columns(u64),
    /// The given number of rows. Allowed are 3 to 255.
    Rows(u64),
    /// The given length of a line. Allowed are 3 up to the longer edge of the board.
    Line {
        /// The given length.
        line: u64,
        /// The longest allowed length.
        max: u8,
    },
    /// The given number of sides. Allowed are 2 to 64.
    Sides(u64),
}
