//! Nine boards, where each play names the board of the next: Multi and Ultimate.

use crate::diagram::{Diagram, PlayIn};
use crate::place::{Board, Move};
use crate::rules::{Illegal, Outcome, Rules};
use crate::side::{Side, Sides};
use crate::variant::{NestedSpec, Redirect, Scoring, Variant};

/// All nine of something, as bits.
const ALL: u16 = 0x1ff;

/// Whether nine bits have three in a line, for each of the 512 sets.
const HAS_LINE: [bool; 512] = {
    let mut table = [false; 512];
    let mut set = 0;
    while set < 512 {
        let mut i = 0;
        while i < LINES.len() {
            if set as u16 & LINES[i] == LINES[i] {
                table[set] = true;
            }
            i += 1;
        }
        set += 1;
    }
    table
};

/// The eight lines of three by three.
pub(crate) const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

/// Whether nine bits have three in a line.
#[inline(always)]
pub(crate) const fn has_line(set: u16) -> bool {
    HAS_LINE[(set & ALL) as usize]
}

/// The rules of nine boards, by their settings.
#[derive(Clone, Debug)]
pub struct Nested {
    spec: NestedSpec,
}

/// Nine boards of nine bits for each side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NestedPosition {
    marks: [[u16; 9]; 2],
    /// The boards that each side has won.
    won: [u16; 2],
    /// The boards that are won or full.
    closed: u16,
    /// The boards that the next play may go to; none when the game is over.
    playable: u16,
    to_move: Side,
}

impl Nested {
    /// The rules of `spec`.
    pub fn new(spec: NestedSpec) -> Nested {
        Nested { spec }
    }

    /// The boards that a play in `cell` sends the next one to.
    #[inline(always)]
    fn sent_to(&self, closed: u16, cell: usize) -> u16 {
        let open = !closed & ALL;
        if open >> cell & 1 == 1 {
            return 1 << cell;
        }
        match self.spec.redirect() {
            Redirect::AnyOpen => open,
            Redirect::NextOpen => {
                let higher = open & (ALL << cell);
                let among = if higher == 0 { open } else { higher };
                among & among.wrapping_neg()
            }
        }
    }

    /// Whether a side that just won a board has won the game by it.
    #[inline(always)]
    fn wins_game(&self, won: u16) -> bool {
        self.spec.scoring() == Scoring::MetaLine && has_line(won)
    }

    /// What follows from the marks: boards won and closed.
    fn close_board(position: &mut NestedPosition, board: usize) {
        let bit = 1 << board;
        let [x, o] = [position.marks[0][board], position.marks[1][board]];
        position.closed &= !bit;
        for (won, marks) in position.won.iter_mut().zip([x, o]) {
            *won &= !bit;
            if has_line(marks) {
                *won |= bit;
                position.closed |= bit;
            }
        }
        if x | o == ALL {
            position.closed |= bit;
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
            marks: [[0; 9]; 2],
            won: [0; 2],
            closed: 0,
            playable: self.spec.first().map_or(ALL, |board| 1 << board.index()),
            to_move: Side::FIRST,
        }
    }

    #[inline]
    fn to_move(&self, position: &NestedPosition) -> Side {
        position.to_move
    }

    #[inline]
    fn outcome(&self, position: &NestedPosition) -> Option<Outcome> {
        if position.playable != 0 {
            return None;
        }
        let [x, o] = match self.spec.scoring() {
            Scoring::MostBoards => position.won.map(u16::count_ones),
            Scoring::MetaLine => position.won.map(|won| has_line(won).into()),
        };
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

    fn check(&self, position: &NestedPosition, at: Move) -> Result<(), Illegal> {
        if position.playable == 0 {
            return Err(Illegal::GameOver);
        }
        if at.index() >= 81 {
            return Err(Illegal::OffBoard);
        }
        let (board, cell) = (at.index() / 9, at.index() % 9);
        if position.playable >> board & 1 == 0 {
            return Err(match single(position.playable) {
                Some(play_in) => Illegal::WrongBoard { play_in },
                None => Illegal::ClosedBoard,
            });
        }
        let taken = position.marks[0][board] | position.marks[1][board];
        if taken >> cell & 1 == 1 {
            return Err(Illegal::Occupied);
        }
        Ok(())
    }

    #[inline]
    fn play(&self, position: &mut NestedPosition, at: Move) {
        debug_assert_eq!(self.check(position, at), Ok(()));
        let (board, cell) = (at.index() / 9, at.index() % 9);
        let mine = position.to_move.index() & 1;
        let marks = position.marks[mine][board] | 1 << cell;
        position.marks[mine][board] = marks;
        position.to_move = position.to_move.next(2);
        if has_line(marks) {
            position.closed |= 1 << board;
            position.won[mine] |= 1 << board;
            if self.wins_game(position.won[mine]) {
                position.playable = 0;
                return;
            }
        } else if marks | position.marks[1 - mine][board] == ALL {
            position.closed |= 1 << board;
        }
        position.playable = self.sent_to(position.closed, cell);
    }

    fn take_back(&self, position: &mut NestedPosition, at: Move, before: Move) {
        let (board, cell) = (at.index() / 9, at.index() % 9);
        for marks in &mut position.marks {
            marks[board] &= !(1 << cell);
        }
        Nested::close_board(position, board);
        position.playable = self.sent_to(position.closed, before.index() % 9);
    }

    fn set_turn(&self, position: &mut NestedPosition, side: Side) {
        debug_assert!(side.index() < 2);
        position.to_move = side;
    }

    fn diagram(&self, position: &NestedPosition) -> Diagram {
        let owner = |at: usize| {
            let has = |side: usize| position.marks[side][at / 9] >> (at % 9) & 1 == 1;
            match (has(0), has(1)) {
                (true, _) => Some(Side::FIRST),
                (false, true) => Some(Side::SECOND),
                (false, false) => None,
            }
        };
        Diagram {
            marks: (0..81).map(owner).collect(),
            to_move: position.to_move,
            play_in: match position.playable {
                0 => None,
                boards => Some(single(boards).map_or(PlayIn::AnyOpen, PlayIn::Board)),
            },
        }
    }

    fn set_up(&self, diagram: &Diagram) -> NestedPosition {
        let mut position = self.start();
        position.to_move = diagram.to_move;
        for (at, mark) in diagram.marks.iter().enumerate() {
            if let Some(side) = mark {
                position.marks[side.index() & 1][at / 9] |= 1 << (at % 9);
            }
        }
        (0..9).for_each(|board| Nested::close_board(&mut position, board));
        let open = !position.closed & ALL;
        position.playable = match diagram.play_in {
            None => 0,
            Some(PlayIn::Board(board)) => 1 << board.index(),
            Some(PlayIn::AnyOpen) => open,
        };
        position
    }
}

/// The board of a set of one.
fn single(boards: u16) -> Option<Board> {
    if boards.count_ones() == 1 {
        Board::new(boards.trailing_zeros() as u8)
    } else {
        None
    }
}

/// The legal moves on nine boards, in ascending order.
#[derive(Clone, Debug)]
pub struct NestedMoves<'p> {
    position: &'p NestedPosition,
    /// Boards that have not been begun.
    boards: u16,
    board: usize,
    /// Cells of `board` that are left.
    cells: u16,
}

impl Iterator for NestedMoves<'_> {
    type Item = Move;

    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        while self.cells == 0 {
            if self.boards == 0 {
                return None;
            }
            self.board = self.boards.trailing_zeros() as usize;
            self.boards &= self.boards - 1;
            let [x, o] = &self.position.marks;
            // A playable board is never full, but the compiler is glad of the loop's simple shape.
            self.cells = !(x[self.board] | o[self.board]) & ALL;
        }
        let cell = self.cells.trailing_zeros() as usize;
        self.cells &= self.cells - 1;
        Some(Move::at(9 * self.board + cell))
    }
}
