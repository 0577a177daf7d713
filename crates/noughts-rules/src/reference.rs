//! A second implementation of the rules: slow and obvious.
//!
//! The reference shares only types and [`LINES_3X3`] with the fast implementations. To find lines, the
//! reference tries every window of K cells; to find legal moves, it checks every cell. Tests and fuzzers
//! compare the results of the reference with the results of the fast implementations.

use crate::diagram::{Diagram, PlayIn};
use crate::nested::LINES_3X3;
use crate::place::{Board, Move};
use crate::rules::{IllegalMove, Outcome, Rules};
use crate::side::{Side, Sides};
use crate::variant::{Goal, GridSpec, NestedSpec, Overline, Placement, Redirect, Scoring, Variant};

/// The reference implementation of games on one board.
#[derive(Clone, Debug)]
pub struct ReferenceGrid(pub GridSpec);

/// The reference implementation of games on nine boards.
#[derive(Clone, Debug)]
pub struct ReferenceNested(pub NestedSpec);

/// A position of a reference implementation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ReferencePosition {
    marks: Vec<Option<Side>>,
    to_move: Side,
    /// The boards in which the side to move may play. Always empty in games on one board.
    boards: Vec<usize>,
}

impl ReferencePosition {
    fn is_full(&self) -> bool {
        self.marks.iter().all(Option::is_some)
    }
}

impl ReferenceGrid {
    fn at(&self, position: &ReferencePosition, row: i32, column: i32) -> Option<Side> {
        let (rows, columns) = (self.0.rows() as i32, self.0.columns() as i32);
        if (0..rows).contains(&row) && (0..columns).contains(&column) {
            position.marks[(row * columns + column) as usize]
        } else {
            None
        }
    }

    /// The side that has a line; `None` if there is no line.
    fn line(&self, position: &ReferencePosition) -> Option<Side> {
        let line = self.0.line() as i32;
        for row in 0..self.0.rows() as i32 {
            for column in 0..self.0.columns() as i32 {
                let Some(side) = self.at(position, row, column) else {
                    continue;
                };
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let mark = |n: i32| self.at(position, row + n * down, column + n * right);
                    let all = (0..line).all(|n| mark(n) == Some(side));
                    let longer = mark(-1) == Some(side) || mark(line) == Some(side);
                    if all && !(longer && self.0.overline == Overline::Ignored) {
                        return Some(side);
                    }
                }
            }
        }
        None
    }

    /// The cells of all lines through this cell, ascending.
    pub fn cells_of_lines(&self, position: &ReferencePosition, through: Move) -> Vec<Move> {
        let (line, columns) = (self.0.line() as i32, self.0.columns() as i32);
        let mut cells = Vec::new();
        for first in 0..self.0.cells() as i32 {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let place = |n: i32| (first / columns + n * down, first % columns + n * right);
                let mark = |n: i32| self.at(position, place(n).0, place(n).1);
                let owner = mark(0);
                let all = owner.is_some() && (0..line).all(|n| mark(n) == owner);
                let longer = mark(-1) == owner || mark(line) == owner;
                if !all || longer && self.0.overline == Overline::Ignored {
                    continue;
                }
                let window =
                    (0..line).map(|n| Move::at((place(n).0 * columns + place(n).1) as usize));
                if window.clone().any(|at| at == through) {
                    cells.extend(window);
                }
            }
        }
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// Checks a move. The game must not be over.
    fn check_placement(&self, position: &ReferencePosition, at: Move) -> Result<(), IllegalMove> {
        if at.index() >= self.0.cells() {
            return Err(IllegalMove::OffBoard);
        }
        if position.marks[at.index()].is_some() {
            return Err(IllegalMove::Occupied);
        }
        let below = at.index() + self.0.columns();
        let on_floor = below >= self.0.cells();
        if self.0.placement == Placement::Gravity && !on_floor && position.marks[below].is_none() {
            return Err(IllegalMove::Floating);
        }
        Ok(())
    }
}

impl Rules for ReferenceGrid {
    type Position = ReferencePosition;
    type Moves<'p> = std::vec::IntoIter<Move>;

    fn variant(&self) -> Variant {
        Variant::Grid(self.0)
    }

    fn sides(&self) -> u8 {
        self.0.sides()
    }

    fn start(&self) -> ReferencePosition {
        ReferencePosition {
            marks: vec![None; self.0.cells()],
            to_move: Side::FIRST,
            boards: Vec::new(),
        }
    }

    fn to_move(&self, position: &ReferencePosition) -> Side {
        position.to_move
    }

    fn outcome(&self, position: &ReferencePosition) -> Option<Outcome> {
        match (self.line(position), self.0.goal) {
            (Some(side), Goal::Make) => Some(Outcome::Won(Sides::only(side))),
            (Some(loser), Goal::Avoid) => {
                let sides = (0..self.sides()).filter_map(Side::new);
                Some(Outcome::Won(sides.filter(|side| *side != loser).collect()))
            }
            (None, _) if position.is_full() => Some(Outcome::Draw),
            (None, _) => None,
        }
    }

    fn moves<'p>(&'p self, position: &'p ReferencePosition) -> Self::Moves<'p> {
        match self.outcome(position) {
            Some(_) => Vec::new().into_iter(),
            None => legal(self.0.cells(), |at| self.check_placement(position, at)),
        }
    }

    fn check(&self, position: &ReferencePosition, at: Move) -> Result<(), IllegalMove> {
        match self.outcome(position) {
            Some(_) => Err(IllegalMove::GameOver),
            None => self.check_placement(position, at),
        }
    }

    fn play(&self, position: &mut ReferencePosition, at: Move) {
        position.marks[at.index()] = Some(position.to_move);
        position.to_move = position.to_move.next(self.sides());
    }

    fn take_back(&self, position: &mut ReferencePosition, at: Move, _before: Move) {
        position.marks[at.index()] = None;
    }

    fn set_turn(&self, position: &mut ReferencePosition, side: Side) {
        position.to_move = side;
    }

    fn diagram(&self, position: &ReferencePosition) -> Diagram {
        Diagram {
            marks: position.marks.clone(),
            to_move: position.to_move,
            play_in: None,
        }
    }

    fn set_up(&self, diagram: &Diagram) -> ReferencePosition {
        ReferencePosition {
            marks: diagram.marks.clone(),
            to_move: diagram.to_move,
            boards: Vec::new(),
        }
    }
}

/// The side that owns three in a line, if any. `nine` has the owners of the nine cells of a board, or of the nine
/// boards.
fn owner_of_line(nine: &[Option<Side>]) -> Option<Side> {
    LINES_3X3.iter().find_map(|line| {
        let mut owners = (0..9).filter(|at| line >> at & 1 == 1).map(|at| nine[at]);
        let first = owners.next().flatten()?;
        owners.all(|owner| owner == Some(first)).then_some(first)
    })
}

impl ReferenceNested {
    fn winner_of(&self, position: &ReferencePosition, board: usize) -> Option<Side> {
        owner_of_line(&position.marks[9 * board..9 * board + 9])
    }

    fn is_closed(&self, position: &ReferencePosition, board: usize) -> bool {
        let full = position.marks[9 * board..9 * board + 9]
            .iter()
            .all(Option::is_some);
        full || self.winner_of(position, board).is_some()
    }

    fn open_boards(&self, position: &ReferencePosition) -> Vec<usize> {
        (0..9)
            .filter(|&board| !self.is_closed(position, board))
            .collect()
    }

    /// The boards in which the next side may play after a play in `cell`.
    fn sent_to(&self, position: &ReferencePosition, cell: usize) -> Vec<usize> {
        let open = self.open_boards(position);
        if open.is_empty() || self.outcome_of_boards(position).is_some() {
            return Vec::new();
        }
        if open.contains(&cell) {
            return vec![cell];
        }
        match self.0.redirect() {
            Redirect::AnyOpen => open,
            Redirect::NextOpen => {
                let mut board = cell;
                while !open.contains(&board) {
                    board = if board == 8 { 0 } else { board + 1 };
                }
                vec![board]
            }
        }
    }

    fn outcome_of_boards(&self, position: &ReferencePosition) -> Option<Outcome> {
        let winners: Vec<_> = (0..9)
            .map(|board| self.winner_of(position, board))
            .collect();
        let won = |side| Outcome::Won(Sides::only(side));
        let all_closed = self.open_boards(position).is_empty();
        match self.0.scoring() {
            Scoring::MetaLine => match owner_of_line(&winners) {
                Some(side) => Some(won(side)),
                None => all_closed.then_some(Outcome::Draw),
            },
            Scoring::MostBoards if !all_closed => None,
            Scoring::MostBoards => {
                let points = |side| winners.iter().filter(|w| **w == Some(side)).count();
                let (x, o) = (points(Side::FIRST), points(Side::SECOND));
                Some(if x == o {
                    Outcome::Draw
                } else if x > o {
                    won(Side::FIRST)
                } else {
                    won(Side::SECOND)
                })
            }
        }
    }

    /// Checks a move. The game must not be over.
    fn check_placement(&self, position: &ReferencePosition, at: Move) -> Result<(), IllegalMove> {
        if at.index() >= 81 {
            return Err(IllegalMove::OffBoard);
        }
        if !position.boards.contains(&(at.index() / 9)) {
            return Err(match position.boards[..] {
                [only] => IllegalMove::WrongBoard {
                    play_in: Board::new(only as u8).expect("a board"),
                },
                _ => IllegalMove::ClosedBoard,
            });
        }
        if position.marks[at.index()].is_some() {
            return Err(IllegalMove::Occupied);
        }
        Ok(())
    }
}

impl Rules for ReferenceNested {
    type Position = ReferencePosition;
    type Moves<'p> = std::vec::IntoIter<Move>;

    fn variant(&self) -> Variant {
        Variant::Nested(self.0)
    }

    fn sides(&self) -> u8 {
        2
    }

    fn start(&self) -> ReferencePosition {
        ReferencePosition {
            marks: vec![None; 81],
            to_move: Side::FIRST,
            boards: match self.0.first() {
                Some(board) => vec![board.index()],
                None => (0..9).collect(),
            },
        }
    }

    fn to_move(&self, position: &ReferencePosition) -> Side {
        position.to_move
    }

    fn outcome(&self, position: &ReferencePosition) -> Option<Outcome> {
        self.outcome_of_boards(position)
    }

    fn moves<'p>(&'p self, position: &'p ReferencePosition) -> Self::Moves<'p> {
        match self.outcome(position) {
            Some(_) => Vec::new().into_iter(),
            None => legal(81, |at| self.check_placement(position, at)),
        }
    }

    fn check(&self, position: &ReferencePosition, at: Move) -> Result<(), IllegalMove> {
        match self.outcome(position) {
            Some(_) => Err(IllegalMove::GameOver),
            None => self.check_placement(position, at),
        }
    }

    fn play(&self, position: &mut ReferencePosition, at: Move) {
        position.marks[at.index()] = Some(position.to_move);
        position.to_move = position.to_move.next(2);
        position.boards = self.sent_to(position, at.index() % 9);
    }

    fn take_back(&self, position: &mut ReferencePosition, at: Move, before: Move) {
        position.marks[at.index()] = None;
        position.boards = self.sent_to(position, before.index() % 9);
    }

    fn set_turn(&self, position: &mut ReferencePosition, side: Side) {
        position.to_move = side;
    }

    fn diagram(&self, position: &ReferencePosition) -> Diagram {
        Diagram {
            marks: position.marks.clone(),
            to_move: position.to_move,
            play_in: match position.boards[..] {
                [] => None,
                [only] => Board::new(only as u8).map(PlayIn::Board),
                _ => Some(PlayIn::AnyOpen),
            },
        }
    }

    fn set_up(&self, diagram: &Diagram) -> ReferencePosition {
        let mut position = ReferencePosition {
            marks: diagram.marks.clone(),
            to_move: diagram.to_move,
            boards: Vec::new(),
        };
        position.boards = match diagram.play_in {
            None => Vec::new(),
            Some(PlayIn::Board(board)) => vec![board.index()],
            Some(PlayIn::AnyOpen) => self.open_boards(&position),
        };
        position
    }
}

/// The cells for which `place` returns `Ok`.
fn legal(
    cells: usize,
    place: impl Fn(Move) -> Result<(), IllegalMove>,
) -> std::vec::IntoIter<Move> {
    let legal: Vec<Move> = (0..cells)
        .map(Move::at)
        .filter(|at| place(*at).is_ok())
        .collect();
    legal.into_iter()
}
