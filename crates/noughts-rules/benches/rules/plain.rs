//! Multi and Ultimate written by hand for these games alone: arrays with one byte per cell, play and
//! undo, no bit sets. Goal: the library is at least as fast.

use std::hint::black_box;

use crate::playout::{Random, Tally, tally};

const EMPTY: u8 = 0;
/// The state of a drawn board. An open board has the state `EMPTY`, a won board the number of its winner.
const DRAWN: u8 = 3;
/// A value of `active`: the next play may go to any open board.
const ANY: usize = 9;
/// A value of `active`: the game is over.
const OVER: usize = 10;

/// The number of sequences of `depth` plays.
pub(crate) fn perft<const ULTIMATE: bool>(depth: u32) -> u64 {
    black_box(Plain::<ULTIMATE>::start()).perft(depth)
}

/// Plays random games.
pub(crate) fn playouts<const ULTIMATE: bool>(games: u32) -> Tally {
    tally(games, |random, tally| {
        black_box(Plain::<ULTIMATE>::start()).playout(random, tally);
    })
}

/// A game on nine boards: Ultimate or Multi.
struct Plain<const ULTIMATE: bool> {
    cells: [[u8; 9]; 9],
    /// The number of marks on each board.
    taken: [u8; 9],
    boards: [u8; 9],
    /// The number of open boards.
    open: u8,
    /// The board of the next play, [`ANY`] or [`OVER`].
    active: usize,
    /// 1 or 2.
    to_move: u8,
}

impl<const ULTIMATE: bool> Plain<ULTIMATE> {
    fn start() -> Self {
        Plain {
            cells: [[EMPTY; 9]; 9],
            taken: [0; 9],
            boards: [EMPTY; 9],
            open: 9,
            active: ANY,
            to_move: 1,
        }
    }

    fn perft(&mut self, depth: u32) -> u64 {
        let active = self.active;
        let boards = match active {
            OVER => 0..0,
            ANY => 0..9,
            board => board..board + 1,
        };
        let mut count = 0;
        for board in boards {
            if self.boards[board] != EMPTY {
                continue;
            }
            for cell in 0..9 {
                if self.cells[board][cell] != EMPTY {
                    continue;
                }
                self.play(board, cell, has_line);
                if depth == 1 {
                    black_box(&*self);
                    count += 1;
                } else {
                    count += self.perft(depth - 1);
                }
                self.undo(board, cell, active);
            }
        }
        count
    }

    #[inline(always)]
    fn play(&mut self, board: usize, cell: usize, has_line: fn(&[u8; 9], u8) -> bool) {
        let side = self.to_move;
        self.cells[board][cell] = side;
        self.taken[board] += 1;
        self.to_move = 3 - side;
        if has_line(&self.cells[board], side) {
            self.boards[board] = side;
            self.open -= 1;
            if ULTIMATE && has_line(&self.boards, side) {
                self.active = OVER;
                return;
            }
        } else if self.taken[board] == 9 {
            self.boards[board] = DRAWN;
            self.open -= 1;
        }
        self.active = self.sent_to(cell);
    }

    #[inline]
    fn sent_to(&self, cell: usize) -> usize {
        if self.boards[cell] == EMPTY {
            return cell;
        }
        if self.open == 0 {
            return OVER;
        }
        if ULTIMATE {
            return ANY;
        }
        let mut board = cell;
        while self.boards[board] != EMPTY {
            board = if board == 8 { 0 } else { board + 1 };
        }
        board
    }

    /// Undoes a play. `active` is the value that the field had before the play.
    #[inline]
    fn undo(&mut self, board: usize, cell: usize, active: usize) {
        self.cells[board][cell] = EMPTY;
        self.taken[board] -= 1;
        self.to_move = 3 - self.to_move;
        if self.boards[board] != EMPTY {
            self.boards[board] = EMPTY;
            self.open += 1;
        }
        self.active = active;
    }

    /// Plays at random to the end.
    fn playout(&mut self, random: &mut Random, tally: &mut Tally) {
        while self.active != OVER {
            let (board, cell) = self.pick(random);
            self.play(board, cell, has_any_line);
            tally.plays += 1;
        }
        tally.first_won += u64::from(self.first_won());
    }

    fn pick(&self, random: &mut Random) -> (usize, usize) {
        if self.active != ANY {
            let nth = random.below(9 - usize::from(self.taken[self.active]));
            return (self.active, nth_empty(&self.cells[self.active], nth));
        }
        let mut left = 0;
        for board in 0..9 {
            if self.boards[board] == EMPTY {
                left += 9 - usize::from(self.taken[board]);
            }
        }
        let mut nth = random.below(left);
        for board in 0..9 {
            if self.boards[board] != EMPTY {
                continue;
            }
            let empty = 9 - usize::from(self.taken[board]);
            if nth < empty {
                return (board, nth_empty(&self.cells[board], nth));
            }
            nth -= empty;
        }
        unreachable!("a game that is not over has an empty cell")
    }

    fn first_won(&self) -> bool {
        if ULTIMATE {
            return has_any_line(&self.boards, 1);
        }
        let won_by = |side| self.boards.iter().filter(|&&owner| owner == side).count();
        won_by(1) > won_by(2)
    }
}

/// Whether this side has three in a line. In perft most boards are nearly empty. The function checks the centre and two
/// corners first, because the processor predicts these branches well.
fn has_line(cells: &[u8; 9], side: u8) -> bool {
    let is = |cell: usize| cells[cell] == side;
    is(4) && (is(0) && is(8) || is(2) && is(6) || is(1) && is(7) || is(3) && is(5))
        || is(0) && (is(1) && is(2) || is(3) && is(6))
        || is(8) && (is(6) && is(7) || is(2) && is(5))
}

/// Like `has_line`, but without branches, because the processor predicts them badly in random games.
fn has_any_line(cells: &[u8; 9], side: u8) -> bool {
    let is = |cell: usize| cells[cell] == side;
    is(0) & is(1) & is(2)
        | is(3) & is(4) & is(5)
        | is(6) & is(7) & is(8)
        | is(0) & is(3) & is(6)
        | is(1) & is(4) & is(7)
        | is(2) & is(5) & is(8)
        | is(0) & is(4) & is(8)
        | is(2) & is(4) & is(6)
}

/// The `nth` empty cell, from 0.
fn nth_empty(cells: &[u8; 9], nth: usize) -> usize {
    let mut seen = 0;
    let mut cell = 0;
    for &mark in cells {
        seen += usize::from(mark == EMPTY);
        cell += usize::from(seen <= nth);
    }
    cell
}
