//! Which game: a variant is a name and its numbers, checked once.

use crate::place::Board;
use crate::side::MAX_SIDES;

/// The smallest number of columns, of rows, and of marks in a line.
pub const MIN_SIZE: u8 = 3;

/// A game's name and numbers. Everything that holds one may trust it: it can only be made from
/// numbers in range.
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
    /// One board: K in a line.
    Grid(GridSpec),
    /// Nine boards: Multi and Ultimate.
    Nested(NestedSpec),
}

/// The numbers of a game on one board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GridSpec {
    columns: u8,
    rows: u8,
    line: u8,
    sides: u8,
    /// What a completed line means.
    pub goal: Goal,
    /// Where marks come to rest.
    pub placement: Placement,
    /// What a line longer than it need be counts.
    pub overline: Overline,
}

/// What completing a line means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Goal {
    /// Who completes a line wins.
    Make,
    /// Who completes a line loses, all others win (misère).
    Avoid,
}

/// Where a mark may be placed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Placement {
    /// On every empty cell.
    Anywhere,
    /// On the lowest empty cell of a column; row 0 is the top.
    Gravity,
}

/// Whether a line may be longer than it need be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Overline {
    /// A longer line is a line too.
    Counts,
    /// Only exactly so many marks are a line.
    Ignored,
}

/// The numbers of a game on nine boards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NestedSpec {
    redirect: Redirect,
    scoring: Scoring,
    first: Option<Board>,
}

/// Where a play goes that was sent to a closed board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Redirect {
    /// To the next higher open board, 8 wrapping to 0.
    NextOpen,
    /// To any open board.
    AnyOpen,
}

/// How the nine boards make a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scoring {
    /// Whoever won more of them when all are closed.
    MostBoards,
    /// Whoever won three in a line first.
    MetaLine,
}

impl Variant {
    /// How many sides play.
    pub fn sides(&self) -> u8 {
        match self {
            Variant::Grid(spec) => spec.sides,
            Variant::Nested(_) => 2,
        }
    }

    /// How many cells there are.
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

    /// The m,n,k-game for two, where who makes a line wins.
    pub fn new(columns: u8, rows: u8, line: u8) -> Result<GridSpec, OutOfRange> {
        if columns < MIN_SIZE {
            return Err(OutOfRange::Columns(columns.into()));
        }
        if rows < MIN_SIZE {
            return Err(OutOfRange::Rows(rows.into()));
        }
        let most = columns.max(rows);
        if !(MIN_SIZE..=most).contains(&line) {
            return Err(OutOfRange::Line {
                line: line.into(),
                most,
            });
        }
        Ok(GridSpec {
            columns,
            rows,
            line,
            ..GridSpec::TIC_TAC_TOE
        })
    }

    /// The same game for so many sides, each for itself.
    pub fn with_sides(self, sides: u8) -> Result<GridSpec, OutOfRange> {
        if !(2..=MAX_SIDES).contains(&sides) {
            return Err(OutOfRange::Sides(sides.into()));
        }
        Ok(GridSpec { sides, ..self })
    }

    /// How wide the board is, 3..=255.
    pub fn columns(&self) -> usize {
        self.columns.into()
    }

    /// How high the board is, 3..=255.
    pub fn rows(&self) -> usize {
        self.rows.into()
    }

    /// How many adjacent marks make a line.
    pub fn line(&self) -> usize {
        self.line.into()
    }

    /// How many sides play, 2..=64.
    pub fn sides(&self) -> u8 {
        self.sides
    }

    /// How many cells there are, at most 65 025.
    pub fn cells(&self) -> usize {
        self.columns() * self.rows()
    }
}

impl NestedSpec {
    /// Multi: the next higher open board, most boards win.
    pub const MULTI: NestedSpec = NestedSpec {
        redirect: Redirect::NextOpen,
        scoring: Scoring::MostBoards,
        first: None,
    };

    /// Ultimate: any open board, three boards in a line win.
    pub const ULTIMATE: NestedSpec = NestedSpec {
        redirect: Redirect::AnyOpen,
        scoring: Scoring::MetaLine,
        first: None,
    };

    /// The settings that people play, by name. Only these can be made.
    pub(crate) const NAMED: [(&str, NestedSpec); 2] =
        [("multi", Self::MULTI), ("ultimate", Self::ULTIMATE)];

    /// The same game with its first play on this board, or on any.
    #[must_use]
    pub fn starting_on(self, first: Option<Board>) -> NestedSpec {
        NestedSpec { first, ..self }
    }

    /// Where a play goes that was sent to a closed board.
    pub fn redirect(&self) -> Redirect {
        self.redirect
    }

    /// How the nine boards make a result.
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// The board of the first play; `None`: any.
    pub fn first(&self) -> Option<Board> {
        self.first
    }
}

/// A number of a grid that no variant has. Displays what is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutOfRange {
    /// Columns: 3..=255.
    Columns(u64),
    /// Rows: 3..=255.
    Rows(u64),
    /// The line: from 3 to the longer side of the board.
    Line {
        /// What was asked for.
        line: u64,
        /// The longest line that the board has room for.
        most: u8,
    },
    /// Sides: 2..=64.
    Sides(u64),
}
