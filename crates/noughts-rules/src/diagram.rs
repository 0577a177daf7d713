//! Positions as plain data and as text: `x.o/.x./..o o`.

use std::fmt;

use crate::lines;
use crate::nested;
use crate::place::{Board, Move};
use crate::quote::Quoted;
use crate::side::Side;
use crate::variant::{GridSpec, NestedSpec, Placement, Redirect, Scoring, Variant};

/// A position of any variant as plain data.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagram {
    /// The mark in every cell, row by row. On nine boards, board by board.
    pub marks: Vec<Option<Side>>,
    /// The side to move. The number of marks does not determine this side, because a rewind passes the turn.
    pub to_move: Side,
    /// On nine boards: the board or boards in which the next play must be. `None` on one board, and when the game is
    /// over.
    pub play_in: Option<PlayIn>,
}

/// The board or boards in which the next play must be, in games on nine boards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlayIn {
    /// Any open board.
    AnyOpen,
    /// Only this board.
    Board(Board),
}

/// The state of one of the nine boards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoardState {
    /// Neither won nor full.
    Open,
    /// Won by a side; closed.
    Won(Side),
    /// Full without a winner; closed.
    Drawn,
}

/// If a row has at least this number of equal cells next to each other, the text has a number and a symbol
/// instead: `{12x}`.
const SHORTEST_RUN: usize = 5;

impl Diagram {
    /// Parses a position of this variant and [checks](Diagram::check) it. The memory that parsing takes depends on the
    /// size of the board, not on the length of the text.
    ///
    /// ```
    /// use noughts_rules::{Diagram, Variant};
    ///
    /// let variant: Variant = "3x3k3".parse()?;
    /// let diagram = Diagram::parse(&variant, "x.o/.x./..o o")?;
    /// assert_eq!(diagram.format(&variant), "x.o/.x./..o o");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(variant: &Variant, text: &str) -> Result<Diagram, DiagramError> {
        let mut words = text.split(' ');
        let marks = read_marks(variant, words.next().unwrap_or_default())?;
        let to_move = match words.next() {
            Some(word) => read_side(variant, word)?,
            None => return Err(DiagramError::NoTurn),
        };
        let play_in = match (variant, words.next()) {
            (Variant::Grid(_), None) | (Variant::Nested(_), Some("-")) => None,
            (Variant::Nested(_), Some("*")) => Some(PlayIn::AnyOpen),
            (Variant::Nested(_), Some(word)) => Some(PlayIn::Board(read_board(word)?)),
            (Variant::Nested(_), None) => return Err(DiagramError::NoPlayIn),
            (Variant::Grid(_), Some(word)) => {
                return Err(DiagramError::Surplus(Quoted::from(word)));
            }
        };
        if let Some(word) = words.next() {
            return Err(DiagramError::Surplus(Quoted::from(word)));
        }
        let diagram = Diagram {
            marks,
            to_move,
            play_in,
        };
        diagram.check(variant)?;
        Ok(diagram)
    }

    /// The position as text. Equal positions have equal texts.
    pub fn format(&self, variant: &Variant) -> String {
        let mut text = String::new();
        for (number, row) in self.marks.chunks(row_length(variant)).enumerate() {
            if number > 0 {
                text.push('/');
            }
            for run in row.chunk_by(|a, b| a == b) {
                let symbol = run[0].map_or('.', Side::symbol);
                if run.len() < SHORTEST_RUN {
                    text.extend(std::iter::repeat_n(symbol, run.len()));
                } else {
                    text.push_str(&format!("{{{}{symbol}}}", run.len()));
                }
            }
        }
        text.push(' ');
        text.push(self.to_move.symbol());
        match (variant, self.play_in) {
            (Variant::Grid(_), _) => {}
            (Variant::Nested(_), None) => text.push_str(" -"),
            (Variant::Nested(_), Some(PlayIn::AnyOpen)) => text.push_str(" *"),
            (Variant::Nested(_), Some(PlayIn::Board(board))) => text.push_str(&format!(" {board}")),
        }
        text
    }

    /// A picture of the board for messages and tests, with one line of text per row. Nine boards are drawn three by
    /// three.
    ///
    /// ```
    /// use noughts_rules::{Diagram, Variant};
    ///
    /// let variant: Variant = "3x3k3".parse()?;
    /// let diagram = Diagram::parse(&variant, "x.o/.x./..o o")?;
    /// assert_eq!(diagram.draw(&variant), "x . o\n. x .\n. . o");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draw(&self, variant: &Variant) -> String {
        let symbol = |at: usize| self.marks[at].map_or('.', Side::symbol);
        let row = |cells: &mut dyn Iterator<Item = usize>| {
            cells
                .map(|at| format!("{} ", symbol(at)))
                .collect::<String>()
        };
        let mut lines = Vec::new();
        match variant {
            Variant::Grid(spec) => {
                for start in (0..spec.cells()).step_by(spec.columns()) {
                    lines.push(row(&mut (start..start + spec.columns())));
                }
            }
            Variant::Nested(_) => {
                for y in 0..9 {
                    let boards = (0..3).map(|x| {
                        let start = 9 * (y / 3 * 3 + x) + y % 3 * 3;
                        row(&mut (start..start + 3))
                    });
                    lines.push(boards.collect::<Vec<_>>().join("  "));
                    if y % 3 == 2 && y < 8 {
                        lines.push(String::new());
                    }
                }
            }
        }
        let drawn: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        drawn.join("\n")
    }

    /// Checks that this is the first position of the variant, or that one play can have led to this position. Does not
    /// check whether the earlier plays were possible. Any side of the variant may be to move. Callers must check a
    /// position before they pass it to [`Rules::set_up`](crate::Rules::set_up).
    pub fn check(&self, variant: &Variant) -> Result<(), DiagramError> {
        if self.marks.len() != variant.cells() {
            return Err(DiagramError::Cells {
                have: self.marks.len(),
                need: variant.cells(),
            });
        }
        let sides = variant.sides();
        let seen = self.marks.iter().flatten().chain([&self.to_move]);
        if let Some(side) = seen.max().filter(|side| side.index() >= sides.into()) {
            return Err(DiagramError::NoSuchSide(side.symbol(), sides));
        }
        match variant {
            Variant::Grid(spec) => self.check_grid(spec),
            Variant::Nested(spec) => self.check_nested(spec),
        }
    }

    fn check_grid(&self, spec: &GridSpec) -> Result<(), DiagramError> {
        if self.play_in.is_some() {
            return Err(DiagramError::PlayIn);
        }
        let marked = |cell: usize| self.marks[cell].is_some();
        let columns = spec.columns();
        let floats = |cell: &usize| marked(*cell) && !marked(cell + columns);
        if spec.placement == Placement::Gravity
            && let Some(cell) = (0..spec.cells() - columns).find(floats)
        {
            return Err(DiagramError::Floating {
                row: cell / columns,
                column: cell % columns,
            });
        }
        let on_top = |at: Move| match spec.placement {
            Placement::Anywhere => true,
            Placement::Gravity => {
                let above = at.index().checked_sub(columns);
                above.is_none_or(|above| !marked(above))
            }
        };
        if lines::one_mark_completes_all(spec, &self.marks, on_top) {
            Ok(())
        } else {
            Err(DiagramError::TwoLines)
        }
    }

    fn check_nested(&self, spec: &NestedSpec) -> Result<(), DiagramError> {
        for board in Board::all() {
            let marks = [Side::FIRST, Side::SECOND].map(|side| self.cells_of(board, side));
            if !one_mark_completes_all(marks) {
                return Err(DiagramError::TwoLines);
            }
        }
        let states = self.boards();
        let won = |side| {
            let is_won = |board: &Board| states[board.index()] == BoardState::Won(side);
            Board::all()
                .filter(is_won)
                .fold(0u16, |set, board| set | 1 << board.index())
        };
        let won = [Side::FIRST, Side::SECOND].map(won);
        let by_line = match spec.scoring() {
            Scoring::MostBoards => false,
            Scoring::MetaLine if !one_mark_completes_all(won) => {
                return Err(DiagramError::TwoLines);
            }
            Scoring::MetaLine => won.into_iter().any(nested::has_line),
        };
        let over = by_line || !states.contains(&BoardState::Open);
        match (over, self.play_in) {
            (true, None) => Ok(()),
            (true, Some(_)) => Err(DiagramError::PlayIn),
            (false, None) => Err(DiagramError::NoPlayIn),
            (false, Some(play_in)) if self.could_be_sent(spec, &states, play_in) => Ok(()),
            (false, Some(_)) => Err(DiagramError::PlayIn),
        }
    }

    /// Whether the board has a mark that can be the latest play and that sends the next play to `to`. If the
    /// board has no marks: whether the variant's first play must be in `to`.
    fn could_be_sent(&self, spec: &NestedSpec, states: &[BoardState; 9], to: PlayIn) -> bool {
        let open = |board: usize| states[board] == BoardState::Open;
        let sent = |cell: usize| -> PlayIn {
            let next = match spec.redirect() {
                Redirect::AnyOpen
                    if !open(cell)
                        && states.iter().filter(|s| **s == BoardState::Open).count() > 1 =>
                {
                    return PlayIn::AnyOpen;
                }
                Redirect::AnyOpen | Redirect::NextOpen => {
                    (0..9).map(|on| (cell + on) % 9).find(|&b| open(b))
                }
            };
            next.and_then(|board| Board::new(board as u8))
                .map_or(PlayIn::AnyOpen, PlayIn::Board)
        };
        let mut marked = (0..81).filter(|&at| self.marks[at].is_some()).peekable();
        if marked.peek().is_none() {
            return to == spec.first().map_or(PlayIn::AnyOpen, PlayIn::Board);
        }
        marked.any(|at| sent(at % 9) == to && self.was_open_before(at))
    }

    /// Whether the board of the mark at `at` was open before that mark was placed.
    fn was_open_before(&self, at: usize) -> bool {
        let mut before = self.clone();
        before.marks[at] = None;
        before.boards()[at / 9] == BoardState::Open
    }

    /// The states of the nine boards. For a grid the result has no meaning.
    pub fn boards(&self) -> [BoardState; 9] {
        std::array::from_fn(|board| {
            let Some(board) = Board::new(board as u8) else {
                return BoardState::Open;
            };
            let [x, o] = [Side::FIRST, Side::SECOND].map(|side| self.cells_of(board, side));
            if nested::has_line(x) {
                BoardState::Won(Side::FIRST)
            } else if nested::has_line(o) {
                BoardState::Won(Side::SECOND)
            } else if (x | o).count_ones() == 9 {
                BoardState::Drawn
            } else {
                BoardState::Open
            }
        })
    }

    fn cells_of(&self, board: Board, side: Side) -> u16 {
        let cells = self
            .marks
            .iter()
            .skip(9 * board.index())
            .take(9)
            .enumerate();
        cells
            .filter(|(_, mark)| **mark == Some(side))
            .fold(0, |set, (cell, _)| set | 1 << cell)
    }

    /// The cells of all lines that the play `last` completed. If `last` is `None`, the cells of all lines on the board.
    pub(crate) fn line(&self, spec: &GridSpec, last: Option<Move>) -> Vec<Move> {
        match last {
            Some(at) => lines::through(spec, &self.marks, at),
            None => lines::all(spec, &self.marks).collect(),
        }
    }
}

/// Whether a single mark can have completed all lines of a 3x3 board. `x` and `o` are the sets of cells that
/// the two sides have marked. For the whole board of Ultimate, they are the sets of boards that the two sides
/// have won.
fn one_mark_completes_all([x, o]: [u16; 2]) -> bool {
    let is_completed_by_one = |set: u16| (0..9).any(|one| !nested::has_line(set & !(1 << one)));
    !(nested::has_line(x) && nested::has_line(o))
        && is_completed_by_one(x)
        && is_completed_by_one(o)
}

fn row_length(variant: &Variant) -> usize {
    match variant {
        Variant::Grid(spec) => spec.columns(),
        Variant::Nested(_) => 9,
    }
}

fn read_marks(variant: &Variant, text: &str) -> Result<Vec<Option<Side>>, DiagramError> {
    let (length, need) = (row_length(variant), variant.cells() / row_length(variant));
    let mut marks = Vec::new();
    let mut rows = 0;
    for row in text.split('/') {
        rows += 1;
        if rows > need {
            return Err(DiagramError::Rows { need });
        }
        let mut rest = row;
        while let Some(symbol) = rest.chars().next() {
            let (count, symbol, after) = match symbol {
                '{' => read_run(rest)?,
                _ => (1, symbol, &rest[symbol.len_utf8()..]),
            };
            let mark = match symbol {
                '.' => None,
                _ => Some(
                    Side::from_symbol(symbol)
                        .ok_or(DiagramError::NoSuchSide(symbol, variant.sides()))?,
                ),
            };
            rest = after;
            if marks.len() + count > rows * length {
                return Err(DiagramError::RowLength {
                    row: rows - 1,
                    need: length,
                });
            }
            marks.extend(std::iter::repeat_n(mark, count));
        }
        if marks.len() != rows * length {
            return Err(DiagramError::RowLength {
                row: rows - 1,
                need: length,
            });
        }
    }
    if rows != need {
        return Err(DiagramError::Rows { need });
    }
    Ok(marks)
}

/// Parses `{12x}`: a number of at least 1, and the symbol that is repeated.
fn read_run(text: &str) -> Result<(usize, char, &str), DiagramError> {
    let parsed = || {
        let (run, after) = text.strip_prefix('{')?.split_once('}')?;
        let symbol = run.chars().next_back()?;
        let count = &run[..run.len() - symbol.len_utf8()];
        let plain = count.bytes().all(|b| b.is_ascii_digit()) && !count.starts_with('0');
        let count: u16 = count.parse().ok().filter(|_| plain)?;
        Some((usize::from(count), symbol, after))
    };
    parsed().ok_or_else(|| DiagramError::Run(Quoted::from(text)))
}

fn read_side(variant: &Variant, word: &str) -> Result<Side, DiagramError> {
    let mut symbols = word.chars();
    match (symbols.next(), symbols.next()) {
        (Some(symbol), None) => {
            Side::from_symbol(symbol).ok_or(DiagramError::NoSuchSide(symbol, variant.sides()))
        }
        _ => Err(DiagramError::NoTurn),
    }
}

fn read_board(word: &str) -> Result<Board, DiagramError> {
    match word.as_bytes() {
        [digit @ b'0'..=b'8'] => Board::new(digit - b'0').ok_or(DiagramError::NoPlayIn),
        _ => Err(DiagramError::NoPlayIn),
    }
}

/// Why a position is impossible, or why its text is invalid. The error message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DiagramError {
    /// The position has more or fewer cells than the variant.
    Cells {
        /// The number of cells in this position.
        have: usize,
        /// The number of cells in the variant.
        need: usize,
    },
    /// The text has more or fewer rows than the variant. On nine boards, each board is a row of the text.
    Rows {
        /// The number of rows in the variant.
        need: usize,
    },
    /// A row (on nine boards: a board) is too long or too short.
    RowLength {
        /// The number of the row, from 0.
        row: usize,
        /// The length that the row must have.
        need: usize,
    },
    /// The text between braces is not a number and a symbol.
    Run(Quoted),
    /// No side of this variant has this symbol. The second value is the number of sides of the variant.
    NoSuchSide(char, u8),
    /// The side to move is missing, or is not a single character.
    NoTurn,
    /// The board to play in is missing, or its text is not a number from 0 to 8, `*` or `-`. Or the text is
    /// `-` (the game is over), but the game is not over.
    NoPlayIn,
    /// The board to play in contradicts the marks or the variant.
    PlayIn,
    /// Text follows after the end of the position.
    Surplus(Quoted),
    /// With gravity, a mark is above an empty cell.
    Floating {
        /// The row of the mark, from 0 at the top.
        row: usize,
        /// The column of the mark, from 0.
        column: usize,
    },
    /// No single play can have completed all lines on the board.
    TwoLines,
}

impl fmt::Display for DiagramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiagramError::Cells { have, need } => write!(f, "the board has {need} cells, not {have}"),
            DiagramError::Rows { need } => {
                write!(f, "the position needs {need} rows (or boards), with / between")
            }
            DiagramError::RowLength { row, need } => {
                write!(f, "row (or board) {row} of the position needs exactly {need} cells")
            }
            DiagramError::Run(text) => {
                write!(f, "a run is written {{12.}}, a number and one symbol, not {text}")
            }
            DiagramError::NoSuchSide(symbol, sides) => {
                let last = Side::new(sides.saturating_sub(1)).map_or('#', Side::symbol);
                write!(f, "{symbol:?} is no side of this game: empty cells are '.', the {sides} sides are 'x'")?;
                if *sides == 2 { write!(f, " and 'o'") } else { write!(f, ", 'o' and so on to {last:?}") }
            }
            DiagramError::NoTurn => {
                f.write_str("the cells must be followed by a space and the side to move, such as 'x'")
            }
            DiagramError::NoPlayIn => f.write_str(
                "the position must end with the board to play in: 0 to 8, * for any open board, - when the game is over",
            ),
            DiagramError::PlayIn => f.write_str(
                "no play can have led to this board to play in; it is - when the game is over",
            ),
            DiagramError::Surplus(text) => write!(f, "the position ends before {text}"),
            DiagramError::Floating { row, column } => write!(
                f,
                "with gravity no mark can be above an empty cell, as the mark at {row}-{column} is"
            ),
            DiagramError::TwoLines => {
                f.write_str("the lines on the board can't have been completed by one play")
            }
        }
    }
}

impl std::error::Error for DiagramError {}
