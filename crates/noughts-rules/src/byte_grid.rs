//! Games on one board of any size up to 255x255, with up to 64 sides. A position has one byte per cell.

use crate::diagram::Diagram;
use crate::lines;
use crate::place::Move;
use crate::rules::{GridState, IllegalMove, Outcome, Rules};
use crate::side::Side;
use crate::variant::{GridSpec, Placement, Variant};

/// The rules of a game on one board of any size up to 255x255, with up to 64 sides. [`AnyTimeline`](crate::AnyTimeline)
/// uses [`Grid`](crate::Grid) where it can, and `ByteGrid` for all other games on one board.
#[derive(Clone, Debug)]
pub struct ByteGrid {
    spec: GridSpec,
}

/// A position with one byte per cell, on the heap.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct ByteGridPosition {
    cells: Box<[Option<Side>]>,
    /// The number of cells with a mark.
    taken: u32,
    to_move: Side,
    state: GridState,
}

impl Clone for ByteGridPosition {
    fn clone(&self) -> ByteGridPosition {
        ByteGridPosition {
            cells: self.cells.clone(),
            ..*self
        }
    }

    /// Reuses the allocation of `self`, because [`perft`](crate::perft()) overwrites the same position for every move.
    fn clone_from(&mut self, from: &ByteGridPosition) {
        self.cells.clone_from(&from.cells);
        self.taken = from.taken;
        self.to_move = from.to_move;
        self.state = from.state;
    }
}

impl ByteGrid {
    /// Creates the rules of `spec`.
    pub fn new(spec: GridSpec) -> ByteGrid {
        ByteGrid { spec }
    }

    /// Whether a mark may be placed in this empty cell. With gravity, the cell must be in the bottom row or above a
    /// mark.
    fn rests(&self, cells: &[Option<Side>], cell: usize) -> bool {
        match self.spec.placement {
            Placement::Anywhere => true,
            Placement::Gravity => match cells.get(cell + self.spec.columns()) {
                Some(below) => below.is_some(),
                None => true,
            },
        }
    }

    /// The number of legal moves. The game must not be over.
    fn playable(&self, position: &ByteGridPosition) -> usize {
        match self.spec.placement {
            Placement::Anywhere => self.spec.cells() - position.taken as usize,
            // There is one move per column whose top cell is empty.
            Placement::Gravity => {
                let top = &position.cells[..self.spec.columns()];
                top.iter().filter(|cell| cell.is_none()).count()
            }
        }
    }

    fn is_full(&self, position: &ByteGridPosition) -> bool {
        position.taken as usize == self.spec.cells()
    }
}

impl Rules for ByteGrid {
    type Position = ByteGridPosition;
    type Moves<'p> = ByteGridMoves<'p>;

    fn variant(&self) -> Variant {
        Variant::Grid(self.spec)
    }

    fn sides(&self) -> u8 {
        self.spec.sides()
    }

    fn start(&self) -> ByteGridPosition {
        ByteGridPosition {
            cells: vec![None; self.spec.cells()].into(),
            taken: 0,
            to_move: Side::FIRST,
            state: GridState::Open,
        }
    }

    fn to_move(&self, position: &ByteGridPosition) -> Side {
        position.to_move
    }

    fn outcome(&self, position: &ByteGridPosition) -> Option<Outcome> {
        self.spec.outcome(position.state)
    }

    fn moves<'p>(&'p self, position: &'p ByteGridPosition) -> ByteGridMoves<'p> {
        ByteGridMoves {
            rules: self,
            cells: &position.cells,
            next: 0,
            left: match position.state {
                GridState::Open => self.playable(position),
                GridState::Full | GridState::Line(_) => 0,
            },
        }
    }

    fn check(&self, position: &ByteGridPosition, at: Move) -> Result<(), IllegalMove> {
        if position.state != GridState::Open {
            return Err(IllegalMove::GameOver);
        }
        match position.cells.get(at.index()) {
            None => Err(IllegalMove::OffBoard),
            Some(Some(_)) => Err(IllegalMove::Occupied),
            Some(None) if self.rests(&position.cells, at.index()) => Ok(()),
            Some(None) => Err(IllegalMove::Floating),
        }
    }

    fn play(&self, position: &mut ByteGridPosition, at: Move) {
        debug_assert_eq!(self.check(position, at), Ok(()));
        let side = position.to_move;
        position.cells[at.index()] = Some(side);
        position.taken += 1;
        if lines::is_on_line(&self.spec, &position.cells, at) {
            position.state = GridState::Line(side);
        } else if self.is_full(position) {
            position.state = GridState::Full;
        }
        position.to_move = side.next(self.spec.sides());
    }

    #[inline]
    fn take_back(&self, position: &mut ByteGridPosition, at: Move, _before: Move) {
        position.cells[at.index()] = None;
        position.taken -= 1;
        position.state = GridState::Open;
    }

    fn set_turn(&self, position: &mut ByteGridPosition, side: Side) {
        debug_assert!(side.index() < self.spec.sides().into());
        position.to_move = side;
    }

    fn diagram(&self, position: &ByteGridPosition) -> Diagram {
        Diagram {
            marks: position.cells.to_vec(),
            to_move: position.to_move,
            play_in: None,
        }
    }

    fn set_up(&self, diagram: &Diagram) -> ByteGridPosition {
        let mut position = self.start();
        position.cells.copy_from_slice(&diagram.marks);
        position.taken = diagram.marks.iter().flatten().count() as u32;
        position.to_move = diagram.to_move;
        position.state = match lines::owner_of_any(&self.spec, &diagram.marks) {
            Some(side) => GridState::Line(side),
            None if self.is_full(&position) => GridState::Full,
            None => GridState::Open,
        };
        position
    }
}

/// The legal moves of a [`ByteGrid`], in ascending order.
#[derive(Clone, Debug)]
pub struct ByteGridMoves<'p> {
    rules: &'p ByteGrid,
    cells: &'p [Option<Side>],
    next: usize,
    /// The number of moves that were not returned yet.
    left: usize,
}

impl Iterator for ByteGridMoves<'_> {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        self.left = self.left.checked_sub(1)?;
        while self.cells.get(self.next)?.is_some() || !self.rules.rests(self.cells, self.next) {
            self.next += 1;
        }
        self.next += 1;
        Some(Move::at(self.next - 1))
    }

    fn count(self) -> usize {
        self.left
    }

    /// One loop over the cells takes half the time of repeated calls of `next` on a 255x255 board.
    #[inline(always)]
    fn fold<T, F: FnMut(T, Move) -> T>(self, mut so_far: T, mut f: F) -> T {
        let cells = if self.left == 0 { &[] } else { self.cells };
        for (at, cell) in cells.iter().enumerate().skip(self.next) {
            if cell.is_none() && self.rules.rests(cells, at) {
                so_far = f(so_far, Move::at(at));
            }
        }
        so_far
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for ByteGridMoves<'_> {}
