//! Games on nine boards: Multi and Ultimate. The cell of a play decides the board of the next play.

use crate::diagram::{Diagram, PlayIn};
use crate::place::{Board, Move};
use crate::rules::{IllegalMove, Outcome, Rules};
use crate::side::{Side, Sides};
use crate::variant::{NestedSpec, Redirect, Scoring, Variant};

/// The set of all nine cells or boards.
const ALL: u16 = 0x1ff;

/// For each of the 512 sets of cells (or boards), whether the set has three in a line.
const HAS_LINE: [bool; 512] = {
    let mut table = [false; 512];
    let mut set = 0;
    while set < 512 {
        let mut i = 0;
        while i < LINES_3X3.len() {
            if set as u16 & LINES_3X3[i] == LINES_3X3[i] {
                table[set] = true;
            }
            i += 1;
        }
        set += 1;
    }
    table
};

/// The eight lines of a 3x3 board: rows, columns, diagonals. Each line is a set of three cells, and the cell in row `r`
/// and column `c` has the bit `3 * r + c`. The nine boards also lie three by three, so these sets are also the lines of
/// boards that win Ultimate.
///
/// ```
/// use noughts_rules::LINES_3X3;
///
/// let middle_column = 0b010_010_010;
/// assert!(LINES_3X3.contains(&middle_column));
/// ```
pub const LINES_3X3: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

/// Whether a set of cells (or boards) has three in a line.
#[inline(always)]
pub(crate) const fn has_line(set: u16) -> bool {
    HAS_LINE[(set & ALL) as usize]
}

/// For each of the 512 sets of cells (or boards): the members of the set, lowest first, with four bits per
/// member. Bit 36 and the bits above it store the number of members. Random games choose their moves with
/// `count` and `nth` of [`NestedMoves`]; the table makes both fast.
const MEMBERS: [u64; 512] = {
    let mut table = [0; 512];
    let mut set = 0;
    while set < 512 {
        let (mut bit, mut count) = (0, 0);
        while bit < 9 {
            if set >> bit & 1 == 1 {
                table[set] |= (bit as u64) << (4 * count);
                count += 1;
            }
            bit += 1;
        }
        table[set] |= count << 36;
        set += 1;
    }
    table
};

/// The number of members of a set of cells or boards.
#[inline(always)]
fn len(set: u16) -> usize {
    (MEMBERS[(set & ALL) as usize] >> 36) as usize
}

/// The `n`-th member, counted from 0, of a set of cells or boards. The set must have more than `n` members.
#[inline(always)]
fn member(set: u16, n: usize) -> usize {
    (MEMBERS[(set & ALL) as usize] >> (4 * n) & 15) as usize
}

/// The rules of nine boards.
#[derive(Clone, Debug)]
pub struct Nested {
    spec: NestedSpec,
}

/// A position on nine boards, with nine bits per board and side. A position has only 48 bytes, so that a search can
/// copy it at every node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NestedPosition {
    boards: [SetPerSide; 9],
    /// The boards that each side has won.
    won: SetPerSide,
    /// The boards that are neither won nor full.
    open: u16,
    /// The boards that the next play may go to; empty when the game is over.
    playable: u16,
    /// The side to move: 0 for the first side, 16 for the second side. This is also the number of the side's
    /// first bit in [`SetPerSide`].
    half: u8,
}

/// Two sets in one number, one set per side. The members are cells of a board, or boards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct SetPerSide(u32);

impl SetPerSide {
    const NONE: SetPerSide = SetPerSide(0);
    /// The number of each side's first bit.
    const HALVES: [u8; 2] = [0, 16];

    #[inline(always)]
    fn half(side: Side) -> u8 {
        Self::HALVES[side.index() & 1]
    }

    /// The set of the side whose bits start at `half`.
    #[inline(always)]
    fn of(self, half: u8) -> u16 {
        (self.0 >> half) as u16 & ALL
    }

    /// The union of both sets.
    #[inline(always)]
    fn of_either(self) -> u16 {
        (self.0 | self.0 >> 16) as u16 & ALL
    }

    #[inline(always)]
    fn with(self, half: u8, bit: usize) -> SetPerSide {
        SetPerSide(self.0 | 1 << (bit + usize::from(half)))
    }

    fn without(self, bit: usize) -> SetPerSide {
        SetPerSide(self.0 & !(0x1_0001 << bit))
    }
}

impl Nested {
    /// Creates the rules of `spec`.
    pub fn new(spec: NestedSpec) -> Nested {
        Nested { spec }
    }

    /// The boards in which the next play may be, after a play in `cell`. `open` is the set of the open boards. If the
    /// board of `cell` is closed, the redirect of the variant decides.
    #[inline(always)]
    pub fn sent_to(&self, open: u16, cell: usize) -> u16 {
        match self.spec.redirect() {
            Redirect::AnyOpen if open >> cell & 1 == 1 => 1 << cell,
            Redirect::AnyOpen => open,
            Redirect::NextOpen => {
                let from_there = open & (ALL << cell);
                let among = if from_there == 0 { open } else { from_there };
                among & among.wrapping_neg()
            }
        }
    }

    /// Whether a side that has won the boards `won` has won the game by a line of boards.
    #[inline(always)]
    fn wins_game(&self, won: u16) -> bool {
        self.spec.scoring() == Scoring::MetaLine && has_line(won)
    }

    /// Recomputes from the marks whether a board is won and whether the board is open.
    fn update_board(position: &mut NestedPosition, board: usize) {
        let marks = position.boards[board];
        position.won = position.won.without(board);
        position.open &= !(1 << board);
        let winner = SetPerSide::HALVES
            .into_iter()
            .find(|&half| has_line(marks.of(half)));
        match winner {
            Some(half) => position.won = position.won.with(half, board),
            None if marks.of_either() == ALL => {}
            None => position.open |= 1 << board,
        }
    }
}

impl Rules for Nested {
    type Position = NestedPosition;
    type Moves<'p> = NestedMoves<'p>;

    fn variant(&self) -> Variant {
        Variant::Nested(self.spec)
    }

    #[inline]
    fn sides(&self) -> u8 {
        2
    }

    fn start(&self) -> NestedPosition {
        NestedPosition {
            boards: [SetPerSide::NONE; 9],
            won: SetPerSide::NONE,
            open: ALL,
            playable: self.spec.first().map_or(ALL, |board| 1 << board.index()),
            half: 0,
        }
    }

    #[inline]
    fn to_move(&self, position: &NestedPosition) -> Side {
        if position.half == 0 {
            Side::FIRST
        } else {
            Side::SECOND
        }
    }

    #[inline]
    fn outcome(&self, position: &NestedPosition) -> Option<Outcome> {
        if position.playable != 0 {
            return None;
        }
        let [x, o] = SetPerSide::HALVES.map(|half| {
            let won = position.won.of(half);
            match self.spec.scoring() {
                Scoring::MostBoards => won.count_ones(),
                Scoring::MetaLine => has_line(won).into(),
            }
        });
        Some(match x.cmp(&o) {
            std::cmp::Ordering::Greater => Outcome::Won(Sides::only(Side::FIRST)),
            std::cmp::Ordering::Less => Outcome::Won(Sides::only(Side::SECOND)),
            std::cmp::Ordering::Equal => Outcome::Draw,
        })
    }

    #[inline]
    fn moves<'p>(&'p self, position: &'p NestedPosition) -> NestedMoves<'p> {
        NestedMoves {
            position,
            boards: position.playable,
            board: 0,
            cells: 0,
        }
    }

    fn check(&self, position: &NestedPosition, at: Move) -> Result<(), IllegalMove> {
        if position.playable == 0 {
            return Err(IllegalMove::GameOver);
        }
        if at.index() >= 81 {
            return Err(IllegalMove::OffBoard);
        }
        let (board, cell) = (at.index() / 9, at.index() % 9);
        if position.playable >> board & 1 == 0 {
            return Err(match single(position.playable) {
                Some(play_in) => IllegalMove::WrongBoard { play_in },
                None => IllegalMove::ClosedBoard,
            });
        }
        if position.boards[board].of_either() >> cell & 1 == 1 {
            return Err(IllegalMove::Occupied);
        }
        Ok(())
    }

    #[inline]
    fn play(&self, position: &mut NestedPosition, at: Move) {
        debug_assert_eq!(self.check(position, at), Ok(()));
        let (board, cell) = (at.index() / 9, at.index() % 9);
        let half = position.half;
        let marks = position.boards[board].with(half, cell);
        position.boards[board] = marks;
        position.half = half ^ 16;
        if has_line(marks.of(half)) {
            position.open &= !(1 << board);
            position.won = position.won.with(half, board);
            if self.wins_game(position.won.of(half)) {
                position.playable = 0;
                return;
            }
        } else if marks.of_either() == ALL {
            position.open &= !(1 << board);
        }
        position.playable = self.sent_to(position.open, cell);
    }

    fn take_back(&self, position: &mut NestedPosition, at: Move, before: Move) {
        let (board, cell) = (at.index() / 9, at.index() % 9);
        position.boards[board] = position.boards[board].without(cell);
        Nested::update_board(position, board);
        position.playable = self.sent_to(position.open, before.index() % 9);
    }

    fn set_turn(&self, position: &mut NestedPosition, side: Side) {
        debug_assert!(side.index() < 2);
        position.half = SetPerSide::half(side);
    }

    fn diagram(&self, position: &NestedPosition) -> Diagram {
        let owner = |at: usize| {
            let marks = position.boards[at / 9];
            let has = |side: &Side| marks.of(SetPerSide::half(*side)) >> (at % 9) & 1 == 1;
            [Side::FIRST, Side::SECOND].into_iter().find(has)
        };
        Diagram {
            marks: (0..81).map(owner).collect(),
            to_move: self.to_move(position),
            play_in: match position.playable {
                0 => None,
                boards => Some(single(boards).map_or(PlayIn::AnyOpen, PlayIn::Board)),
            },
        }
    }

    fn set_up(&self, diagram: &Diagram) -> NestedPosition {
        let mut position = self.start();
        self.set_turn(&mut position, diagram.to_move);
        for (at, mark) in diagram.marks.iter().enumerate() {
            if let Some(side) = mark {
                let marks = &mut position.boards[at / 9];
                *marks = marks.with(SetPerSide::half(*side), at % 9);
            }
        }
        (0..9).for_each(|board| Nested::update_board(&mut position, board));
        position.playable = match diagram.play_in {
            None => 0,
            Some(PlayIn::Board(board)) => 1 << board.index(),
            Some(PlayIn::AnyOpen) => position.open,
        };
        position
    }
}

/// Accessors for search. Sets of cells or boards are bit sets with nine bits.
impl NestedPosition {
    /// The cells that a side has marked on a board. `board` is `0..9`.
    #[inline]
    pub fn marks(&self, side: Side, board: usize) -> u16 {
        self.boards[board].of(SetPerSide::half(side))
    }

    /// The boards that a side has won.
    #[inline]
    pub fn won(&self, side: Side) -> u16 {
        self.won.of(SetPerSide::half(side))
    }

    /// The boards that are won or full.
    #[inline]
    pub fn closed(&self) -> u16 {
        !self.open & ALL
    }

    /// The boards that the next play may go to; empty when the game is over.
    #[inline]
    pub fn playable(&self) -> u16 {
        self.playable
    }
}

/// The only board of a set; `None` if the set does not have exactly one member.
fn single(boards: u16) -> Option<Board> {
    if boards.count_ones() == 1 {
        Board::new(boards.trailing_zeros() as u8)
    } else {
        None
    }
}

/// The legal moves of [`Nested`], in ascending order.
#[derive(Clone, Debug)]
pub struct NestedMoves<'p> {
    position: &'p NestedPosition,
    /// The playable boards whose cells are not in `cells` yet.
    boards: u16,
    board: usize,
    /// The empty cells of `board` that were not returned yet.
    cells: u16,
}

impl NestedMoves<'_> {
    /// Continues with the next board. Returns false if there is no next board.
    #[inline(always)]
    fn advance_board(&mut self) -> bool {
        self.cells = 0;
        if self.boards == 0 {
            return false;
        }
        self.board = self.boards.trailing_zeros() as usize;
        self.boards &= self.boards - 1;
        self.cells = !self.position.boards[self.board].of_either() & ALL;
        true
    }
}

impl ExactSizeIterator for NestedMoves<'_> {}

impl Iterator for NestedMoves<'_> {
    type Item = Move;

    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        while self.cells == 0 {
            if !self.advance_board() {
                return None;
            }
        }
        let cell = self.cells.trailing_zeros() as usize;
        self.cells &= self.cells - 1;
        Some(Move::at(9 * self.board + cell))
    }

    #[inline(always)]
    fn nth(&mut self, n: usize) -> Option<Move> {
        let mut n = n;
        while n >= len(self.cells) {
            n -= len(self.cells);
            if !self.advance_board() {
                return None;
            }
        }
        let cell = member(self.cells, n);
        self.cells &= ALL << 1 << cell;
        Some(Move::at(9 * self.board + cell))
    }

    #[inline(always)]
    fn count(mut self) -> usize {
        let mut count = len(self.cells);
        while self.advance_board() {
            count += len(self.cells);
        }
        count
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.clone().count();
        (count, Some(count))
    }

    /// A loop over the boards with an inner loop over the cells is faster than repeated calls of `next`.
    #[inline(always)]
    fn fold<T, F: FnMut(T, Move) -> T>(mut self, mut so_far: T, mut f: F) -> T {
        loop {
            let (mut cells, first) = (self.cells, 9 * self.board);
            while cells != 0 {
                so_far = f(so_far, Move::at(first + cells.trailing_zeros() as usize));
                cells &= cells - 1;
            }
            if !self.advance_board() {
                return so_far;
            }
        }
    }
}
