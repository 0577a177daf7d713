//! Games on one board that fits into a few machine words. A position has one bit set per side.

use crate::bits::Bits;
use crate::diagram::Diagram;
use crate::place::Move;
use crate::rules::{GridState, IllegalMove, Outcome, Rules};
use crate::side::{Side, Sides};
use crate::variant::{Goal, GridSpec, Overline, Placement, Variant};

/// The rules of a game on one board for `P` sides. A position has one bit set per side.
///
/// Every row has one padding bit that stays empty, so that a line cannot wrap from the end of one row
/// to the start of the next:
///
/// ```text
/// 0 1 2 ·
/// 4 5 6 ·     next to a cell: bit + 1 in its row, bit + 4 in its column, bit + 5 and bit + 3 on the diagonals
/// 8 9 …
/// ```
#[derive(Clone, Debug)]
pub struct Grid<B: Bits, const P: usize> {
    spec: GridSpec,
    cell_bits: CellBits,
    /// The bits of all cells.
    board: B,
    /// The bits of the cells of the last row.
    floor: B,
    directions: Directions,
}

/// A position as bit sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GridPosition<B: Bits, const P: usize> {
    marks: [B; P],
    to_move: Side,
    state: GridState,
}

impl<B: Bits, const P: usize> Grid<B, P> {
    /// Creates the rules of `spec`; `None` if `spec` does not have `P` sides, or if its board does not fit
    /// into `B`.
    pub fn new(spec: GridSpec) -> Option<Self> {
        let cell_bits = CellBits::new(&spec);
        let (stride, rows) = (cell_bits.stride as usize, spec.rows());
        if usize::from(spec.sides()) != P || stride * rows > B::WIDTH {
            return None;
        }
        let cells = |range: std::ops::Range<usize>| {
            range.fold(B::NONE, |all, cell| {
                all.or(B::one(cell_bits.bit(Move::at(cell))))
            })
        };
        Some(Grid {
            cell_bits,
            board: cells(0..spec.cells()),
            floor: cells(spec.cells() - spec.columns()..spec.cells()),
            directions: Directions::new(&spec, stride, B::WIDTH),
            spec,
        })
    }

    #[inline(always)]
    fn occupied(&self, position: &GridPosition<B, P>) -> B {
        position
            .marks
            .iter()
            .fold(B::NONE, |all, marks| all.or(*marks))
    }

    /// The empty cells in which a mark may be placed.
    #[inline(always)]
    fn playable(&self, occupied: B) -> B {
        let empty = self.board.minus(occupied);
        match self.spec.placement {
            Placement::Anywhere => empty,
            Placement::Gravity => {
                let above_marks = occupied.down(self.cell_bits.stride as usize);
                empty.and(self.floor.or(above_marks))
            }
        }
    }

    /// Whether `marks` has a line. In a set of several integers ([`Bits::IS_WORD`] is false), finds only lines through
    /// the mark at `latest`.
    #[inline(always)]
    fn has_line(&self, marks: B, latest: usize) -> bool {
        match (B::IS_WORD, self.spec.overline) {
            (true, Overline::Counts) => self.directions.any_line(marks),
            (true, Overline::Ignored) => self.directions.any_exact_line(marks),
            (false, overline) => self.directions.line_through(marks, latest, overline),
        }
    }
}

impl<B: Bits, const P: usize> Rules for Grid<B, P> {
    type Position = GridPosition<B, P>;
    type Moves<'p> = GridMoves<B>;

    fn variant(&self) -> Variant {
        Variant::Grid(self.spec)
    }

    #[inline]
    fn sides(&self) -> u8 {
        P as u8
    }

    fn start(&self) -> Self::Position {
        GridPosition {
            marks: [B::NONE; P],
            to_move: Side::FIRST,
            state: GridState::Open,
        }
    }

    #[inline]
    fn to_move(&self, position: &Self::Position) -> Side {
        position.to_move
    }

    #[inline]
    fn outcome(&self, position: &Self::Position) -> Option<Outcome> {
        self.spec.outcome(position.state)
    }

    #[inline]
    fn moves<'p>(&'p self, position: &'p Self::Position) -> GridMoves<B> {
        GridMoves {
            left: match position.state {
                GridState::Open => self.playable(self.occupied(position)),
                GridState::Full | GridState::Line(_) => B::NONE,
            },
            cell_bits: self.cell_bits,
        }
    }

    fn check(&self, position: &Self::Position, at: Move) -> Result<(), IllegalMove> {
        if position.state != GridState::Open {
            return Err(IllegalMove::GameOver);
        }
        if at.index() >= self.spec.cells() {
            return Err(IllegalMove::OffBoard);
        }
        let (bit, occupied) = (self.cell_bits.bit(at), self.occupied(position));
        if occupied.has(bit) {
            Err(IllegalMove::Occupied)
        } else if self.playable(occupied).has(bit) {
            Ok(())
        } else {
            Err(IllegalMove::Floating)
        }
    }

    #[inline]
    fn play(&self, position: &mut Self::Position, at: Move) {
        debug_assert_eq!(self.check(position, at), Ok(()));
        let (bit, side) = (self.cell_bits.bit(at), position.to_move);
        let marks = &mut position.marks[side.index()];
        *marks = marks.or(B::one(bit));
        if self.has_line(*marks, bit) {
            position.state = GridState::Line(side);
        } else if self.occupied(position) == self.board {
            position.state = GridState::Full;
        }
        position.to_move = side.next(P as u8);
    }

    fn take_back(&self, position: &mut Self::Position, at: Move, _before: Move) {
        let mark = B::one(self.cell_bits.bit(at));
        for marks in &mut position.marks {
            *marks = marks.minus(mark);
        }
        position.state = GridState::Open;
    }

    fn set_turn(&self, position: &mut Self::Position, side: Side) {
        debug_assert!(side.index() < P);
        position.to_move = side;
    }

    fn diagram(&self, position: &Self::Position) -> Diagram {
        let owner = |cell| {
            let bit = self.cell_bits.bit(Move::at(cell));
            let side = position.marks.iter().position(|marks| marks.has(bit))?;
            Side::new(side as u8)
        };
        Diagram {
            marks: (0..self.spec.cells()).map(owner).collect(),
            to_move: position.to_move,
            play_in: None,
        }
    }

    fn set_up(&self, diagram: &Diagram) -> Self::Position {
        let mut position = self.start();
        position.to_move = diagram.to_move;
        let all = || {
            diagram
                .marks
                .iter()
                .enumerate()
                .filter_map(|(cell, mark)| Some((cell, (*mark)?)))
        };
        for (cell, side) in all() {
            let marks = &mut position.marks[side.index()];
            *marks = marks.or(B::one(self.cell_bits.bit(Move::at(cell))));
        }
        let line = all().find(|&(cell, side)| {
            self.has_line(
                position.marks[side.index()],
                self.cell_bits.bit(Move::at(cell)),
            )
        });
        position.state = match line {
            Some((_, side)) => GridState::Line(side),
            None if self.occupied(&position) == self.board => GridState::Full,
            None => GridState::Open,
        };
        position
    }
}

impl GridSpec {
    /// The outcome of a state: completing a line wins, or loses in a misère game.
    #[inline(always)]
    pub(crate) fn outcome(&self, state: GridState) -> Option<Outcome> {
        match (state, self.goal) {
            (GridState::Open, _) => None,
            (GridState::Full, _) => Some(Outcome::Draw),
            (GridState::Line(side), Goal::Make) => Some(Outcome::Won(Sides::only(side))),
            (GridState::Line(side), Goal::Avoid) => {
                Some(Outcome::Won(Sides::first(self.sides()).without(side)))
            }
        }
    }
}

/// The legal moves of a [`Grid`], in ascending order.
#[derive(Clone, Debug)]
pub struct GridMoves<B: Bits> {
    left: B,
    cell_bits: CellBits,
}

impl<B: Bits> ExactSizeIterator for GridMoves<B> {}

impl<B: Bits> Iterator for GridMoves<B> {
    type Item = Move;

    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        self.left.pop().map(|bit| self.cell_bits.cell(bit))
    }

    #[inline(always)]
    fn nth(&mut self, n: usize) -> Option<Move> {
        self.left = self.left.without_lowest(n);
        self.next()
    }

    #[inline(always)]
    fn count(self) -> usize {
        self.left.count()
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.left.count();
        (count, Some(count))
    }
}

/// Converts between cells and bits. A conversion needs the row: the index of the cell or bit, divided by the length of
/// a row. This length is known only at run time, and a division is slow. So a multiplication and a shift replace the
/// division. The result is exact for indices below 1 024 and row lengths up to 256, which is more than [`Grid`] needs.
#[derive(Clone, Copy, Debug)]
struct CellBits {
    stride: u32,
    per_column: u32,
    per_stride: u32,
}

impl CellBits {
    const SHIFT: u32 = 20;

    fn new(spec: &GridSpec) -> CellBits {
        let columns = spec.columns() as u32;
        CellBits {
            stride: columns + 1,
            per_column: (1 << Self::SHIFT) / columns + 1,
            per_stride: (1 << Self::SHIFT) / (columns + 1) + 1,
        }
    }

    #[inline(always)]
    fn bit(self, at: Move) -> usize {
        let cell = at.index() as u32;
        let row = cell.wrapping_mul(self.per_column) >> Self::SHIFT;
        (cell + row) as usize
    }

    #[inline(always)]
    fn cell(self, bit: usize) -> Move {
        let bit = bit as u32;
        let row = bit.wrapping_mul(self.per_stride) >> Self::SHIFT;
        Move::at((bit - row) as usize)
    }
}

/// Line detection in the four directions.
#[derive(Clone, Debug)]
struct Directions {
    line: usize,
    /// For each direction, the distance in bits from one cell of a line to the next.
    steps: [usize; 4],
    /// The shifts of line detection. Each shift makes the detected runs of marks longer, at most twice as
    /// long, until their length is K. For K = 5, shifts of 1, 2 and 1 steps give the lengths 2, 4 and 5.
    doublings: [[u8; 4]; 8],
    /// The number of entries of `doublings` that are used.
    doubled: usize,
    /// For each direction, the distance in bits from a line's first cell to the cell after its last cell.
    beyond: [usize; 4],
}

impl Directions {
    fn new(spec: &GridSpec, stride: usize, width: usize) -> Directions {
        let line = spec.line();
        let (wide, high) = (line <= spec.columns(), line <= spec.rows());
        // In a direction without room for a line, shift by `width - 1` bits. A shift down by this distance keeps only
        // the highest bit of a set, and the highest bit is never a cell. So this direction never has a line.
        let max_shift = width - 1;
        let steps = [
            (wide, 1),
            (high, stride),
            (wide && high, stride + 1),
            (wide && high, stride - 1),
        ]
        .map(|(has_room, step)| if has_room { step } else { max_shift });
        let shift = |by: usize| steps.map(|step| (step * by).min(max_shift));
        let mut directions = Directions {
            line,
            steps,
            doublings: [[0; 4]; 8],
            doubled: 0,
            beyond: shift(line),
        };
        let mut reach = 1;
        while reach < line {
            let by = reach.min(line - reach);
            directions.doublings[directions.doubled] = shift(by).map(|shift| shift as u8);
            directions.doubled += 1;
            reach += by;
        }
        directions
    }

    /// For each direction, the set of the cells in which a line begins.
    #[inline(always)]
    fn starts<B: Bits>(&self, marks: B) -> [B; 4] {
        let mut runs = [marks; 4];
        for shifts in self.doublings.iter().take(self.doubled) {
            for (run, &by) in runs.iter_mut().zip(shifts) {
                *run = run.and(run.down(by.into()));
            }
        }
        runs
    }

    #[inline(always)]
    fn any_line<B: Bits>(&self, marks: B) -> bool {
        let [a, b, c, d] = self.starts(marks);
        !a.or(b).or(c.or(d)).is_none()
    }

    fn any_exact_line<B: Bits>(&self, marks: B) -> bool {
        let starts = self.starts(marks);
        (0..4).any(|direction| {
            let longer = marks
                .up(self.steps[direction])
                .or(marks.down(self.beyond[direction]));
            !starts[direction].minus(longer).is_none()
        })
    }

    /// Checks only lines through the latest mark, because shifting a set of several integers is slow.
    fn line_through<B: Bits>(&self, marks: B, latest: usize, overline: Overline) -> bool {
        self.steps.iter().any(|&step| {
            // Below bit 0, the subtraction wraps around to a number above the last bit.
            let length = 1
                + run_from(marks, latest, |bit| bit + step)
                + run_from(marks, latest, |bit| bit.wrapping_sub(step));
            match overline {
                Overline::Counts => length >= self.line,
                Overline::Ignored => length == self.line,
            }
        })
    }
}

/// The number of marks that follow the mark at `bit` without a gap, in the direction of `next`.
#[inline(always)]
fn run_from<B: Bits>(marks: B, bit: usize, next: impl Fn(usize) -> usize) -> usize {
    let follows = |&bit: &usize| bit < B::WIDTH && marks.has(bit);
    let following = std::iter::successors(Some(next(bit)), |&bit| Some(next(bit)));
    following.take_while(follows).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_convert_to_bits_and_back() {
        for columns in 3..=255u32 {
            let cell_bits = CellBits {
                stride: columns + 1,
                per_column: (1 << CellBits::SHIFT) / columns + 1,
                per_stride: (1 << CellBits::SHIFT) / (columns + 1) + 1,
            };
            for cell in 0..1024 - 1024 / columns {
                let bit = (cell + cell / columns) as usize;
                assert_eq!(
                    cell_bits.bit(Move::at(cell as usize)),
                    bit,
                    "{cell} of {columns}"
                );
                assert_eq!(
                    cell_bits.cell(bit).index(),
                    cell as usize,
                    "{bit} of {columns}"
                );
            }
        }
    }

    #[test]
    fn positions_are_small() {
        assert!(size_of::<GridPosition<u16, 2>>() <= 10);
        assert!(size_of::<GridPosition<u128, 2>>() <= 64);
    }
}
