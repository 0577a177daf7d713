//! Any game of two sides, by its rules alone: no cut but what the rules and the score say.

use noughts_rules::{Bits, ByteGrid, Grid, Move, Outcome, Rules, Side, Symmetry, Variant};

use super::dfpn::{Child, Field, NEVER, Numbers, StaticResult};
use crate::rng::Random;

/// What a search needs of rules beyond the rules. What stands here holds for one board.
pub(crate) trait Endgame: Rules {
    /// Where the next play may be, where marks do not say so: the boards of a nested game.
    fn playable(&self, _position: &Self::Position) -> u16 {
        0
    }

    /// Whether a side can still win, as far as the score tells.
    fn can_win(&self, _position: &Self::Position, _side: Side) -> bool {
        true
    }

    /// Whether a side wins whatever comes, as far as the score tells.
    fn has_won(&self, _position: &Self::Position, _side: Side) -> bool {
        false
    }

    /// The boards that are closed, on nine.
    fn closed(&self, _position: &Self::Position) -> u16 {
        0
    }

    /// The cells that a side has on a board, on nine.
    fn marks(&self, _position: &Self::Position, _side: Side, _board: usize) -> u16 {
        0
    }

    /// Whose a closed board is, where that matters: nobody's, the first side's or the second's.
    fn owner(&self, _position: &Self::Position, _board: usize) -> usize {
        0
    }

    /// By how much the first side leads, where only that matters.
    fn lead(&self, _position: &Self::Position) -> i32 {
        0
    }
}

impl<B: Bits, const P: usize> Endgame for Grid<B, P> {}

impl Endgame for ByteGrid {}

/// A position of any game.
pub(crate) struct General<R: Endgame> {
    rules: R,
    attacker: Side,
    positions: Vec<R::Position>,
    /// For this position and each before it a hash for each way to lay the board, one after the other.
    hashes: Vec<u64>,
    ways: Vec<Symmetry>,
    /// Where each set of boards comes to lie.
    boards: Vec<[u8; 9]>,
    words: [Vec<u64>; 2],
    /// For closed boards, by whose they are.
    closed: [[u64; 9]; 3],
}

impl<R: Endgame> General<R> {
    pub(crate) fn new(rules: R, position: R::Position, attacker: Side) -> General<R> {
        let variant = rules.variant();
        let ways = Symmetry::all(&variant);
        let mut random = Random::new(0x0067_656E_6572_616C);
        let mut draw = || (0..variant.cells()).map(|_| random.draw()).collect();
        let words: [Vec<u64>; 2] = [draw(), draw()];
        let closed = std::array::from_fn(|_| std::array::from_fn(|_| random.draw()));
        let boards = match variant {
            Variant::Grid(_) => Vec::new(),
            Variant::Nested(_) => ways
                .iter()
                .map(|way| {
                    std::array::from_fn(|board| {
                        (way.map_move(Move::at(9 * board)).index() / 9) as u8
                    })
                })
                .collect(),
        };
        let mut field = General {
            hashes: vec![0; ways.len()],
            positions: vec![position],
            ways,
            boards,
            words,
            closed,
            attacker,
            rules,
        };
        let marks = field.rules.diagram(field.position()).marks;
        for (at, side) in marks.iter().enumerate() {
            if let Some(side) = side {
                field.mix(*side, Move::at(at));
            }
        }
        let closed = field.rules.closed(field.position());
        for board in (0..9).filter(|board| closed >> board & 1 == 1) {
            field.close(board);
        }
        field
    }

    pub(crate) fn position(&self) -> &R::Position {
        &self.positions[self.positions.len() - 1]
    }

    pub(crate) fn rules(&self) -> &R {
        &self.rules
    }

    /// Every legal move.
    pub(crate) fn all_moves(&self) -> Vec<Move> {
        self.rules.moves(self.position()).collect()
    }

    /// Whether the attacker won, once the game is over.
    pub(crate) fn over(&self) -> Option<bool> {
        self.rules
            .outcome(self.position())
            .map(|outcome| match outcome {
                Outcome::Draw => false,
                Outcome::Won(sides) => sides.contains(self.attacker),
            })
    }

    /// Whether the attacker has won, or can't win any more, as far as the score tells.
    pub(crate) fn score(&self) -> Option<bool> {
        let (position, attacker) = (self.position(), self.attacker);
        if !self.rules.can_win(position, attacker) {
            return Some(false);
        }
        self.rules.has_won(position, attacker).then_some(true)
    }

    /// The hashes of this position.
    fn present(&self) -> &[u64] {
        &self.hashes[self.hashes.len() - self.ways.len()..]
    }

    fn mix(&mut self, side: Side, at: Move) {
        let from = self.hashes.len() - self.ways.len();
        for (hash, way) in self.hashes[from..].iter_mut().zip(&self.ways) {
            *hash ^= self.words[side.index() & 1][way.map_move(at).index()];
        }
    }

    /// Forgets the marks on a board that is closed, but for whose it is.
    fn close(&mut self, board: usize) {
        let owner = self.rules.owner(self.position(), board);
        for side in [Side::FIRST, Side::SECOND] {
            let mut marks = self.rules.marks(self.position(), side, board);
            while marks != 0 {
                self.mix(side, Move::at(9 * board + marks.trailing_zeros() as usize));
                marks &= marks - 1;
            }
        }
        let from = self.hashes.len() - self.ways.len();
        for (hash, to) in self.hashes[from..].iter_mut().zip(&self.boards) {
            *hash ^= self.closed[owner][usize::from(to[board])];
        }
    }

    /// The boards that may be played on, laid so.
    fn laid(&self, way: usize, playable: u16) -> u64 {
        let Some(to) = self.boards.get(way) else {
            return 0;
        };
        let boards = (0..9).filter(|board| playable >> board & 1 == 1);
        let laid = boards.fold(0u64, |set, board| set | 1 << to[board]);
        laid.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

impl<R: Endgame> Field for General<R> {
    fn attacks(&self) -> bool {
        self.rules.to_move(self.position()) == self.attacker
    }

    fn key(&self) -> u64 {
        let playable = self.rules.playable(self.position());
        let hashes = self.present().iter().enumerate();
        let laid = hashes.map(|(way, hash)| hash ^ self.laid(way, playable));
        let turn = if self.attacks() {
            0
        } else {
            0xA5A5_1234_8765_4321
        };
        let lead = self.rules.lead(self.position()) as u64;
        laid.min().unwrap_or(0) ^ turn ^ lead.wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    fn wide_key(&self) -> u64 {
        self.key()
    }

    fn look(&mut self, _is_new: bool, moves: &mut Vec<Child>) -> StaticResult {
        match self.over().or_else(|| self.score()) {
            Some(true) => return StaticResult::Proved,
            Some(false) => return StaticResult::Refuted,
            None => {}
        }
        let attacks = self.attacks();
        for at in self.all_moves() {
            self.play(at);
            let key = self.key();
            let over = self.over().or_else(|| self.score());
            let count = self.rules.moves(self.position()).size_hint();
            self.take_back(at);
            let replies = count.1.unwrap_or(count.0).clamp(1, 64) as u32;
            let numbers = match over {
                Some(true) => Numbers::PROVED,
                Some(false) => Numbers::REFUTED,
                // Whoever replies has so many ways to.
                None if attacks => Numbers {
                    proof: replies,
                    refutation: 1,
                },
                None => Numbers {
                    proof: 1,
                    refutation: replies,
                },
            };
            match over {
                Some(true) if attacks => return StaticResult::Proved,
                Some(false) if !attacks => return StaticResult::Refuted,
                Some(_) | None => moves.push(Child { at, key, numbers }),
            }
        }
        debug_assert!(moves.iter().all(|child| child.numbers.proof <= NEVER));
        StaticResult::Open
    }

    fn play(&mut self, at: Move) {
        let mut next = self.position().clone();
        let (mover, before) = (self.rules.to_move(&next), self.rules.closed(&next));
        self.rules.play(&mut next, at);
        let closed = self.rules.closed(&next) & !before;
        self.hashes
            .extend_from_within(self.hashes.len() - self.ways.len()..);
        self.positions.push(next);
        self.mix(mover, at);
        if closed != 0 {
            self.close(at.index() / 9);
        }
    }

    fn take_back(&mut self, _at: Move) {
        self.positions.pop();
        self.hashes.truncate(self.hashes.len() - self.ways.len());
    }
}
