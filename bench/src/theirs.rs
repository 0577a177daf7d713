//! The other crates, used as their documentation says.

use std::hint::black_box;

use ai_ultimate_tictactoe::Position;
use board_game::board::{Board, BoardMoves};
use board_game::games::sttt::STTTBoard;
use internal_iterator::InternalIterator;
use rand::RngCore;

/// Xorshift, a fast generator of random numbers. All programs get the same random numbers.
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(0x9e37_79b9_7f4a_7c15 ^ seed)
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a random number of `0..count`.
    #[inline]
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (((self.draw() >> 32) * count as u64) >> 32) as usize
    }
}

impl RngCore for Random {
    fn next_u32(&mut self) -> u32 {
        (self.draw() >> 32) as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.draw()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.draw().to_le_bytes()[..chunk.len()]);
        }
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

/// The crate's own perft counts the last moves without playing them. This function plays them, as our perft does.
pub(crate) fn board_game_perft(depth: u32) -> u64 {
    count(&STTTBoard::default(), depth)
}

fn count(board: &STTTBoard, depth: u32) -> u64 {
    let mut sum = 0;
    let Ok(moves) = board.available_moves() else {
        return 0;
    };
    moves.for_each(|at| {
        let mut next = board.clone();
        next.play(at).expect("an available move");
        sum += match depth {
            1 => {
                black_box(&next);
                1
            }
            _ => count(&next, depth - 1),
        };
    });
    sum
}

/// Plays a random game; returns the number of moves.
pub(crate) fn board_game_playout(random: &mut Random) -> u64 {
    let mut board = STTTBoard::default();
    let mut plays = 0;
    while let Ok(at) = board.random_available_move(random) {
        board.play(at).expect("an available move");
        plays += 1;
    }
    black_box(board.outcome());
    plays
}

pub(crate) fn ultimate_perft(depth: u32) -> u64 {
    ai_ultimate_tictactoe::perft(Position::start(), depth as u8)
}

/// Plays a random game; returns the number of moves.
pub(crate) fn ultimate_playout(random: &mut Random) -> u64 {
    let mut position = Position::start();
    let mut plays = 0;
    loop {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let at = moves.iter().nth(random.below(moves.len()));
        position = position
            .play(at.expect("a number below the count"))
            .expect("a legal move");
        plays += 1;
    }
    black_box(position.result());
    plays
}
