//! Positions of any game of two sides, for the solver. The search uses the rules and, on nine boards, also which boards
//! each side has won or can still win.

use noughts_rules::{Bits, ByteGrid, Grid, Move, Outcome, Rules, Side, Symmetry, Variant};

use super::dfpn::{Child, NEVER, Numbers, SearchPosition, StaticResult};
use crate::rng::Random;

/// Facts about a position that the solver uses in addition to the rules. The default implementations are for grids.
pub(crate) trait Endgame: Rules {
    /// The boards on which the side to move may play; only for games on nine boards.
    fn playable(&self, _position: &Self::Position) -> u16 {
        0
    }

    /// If false, `side` can no longer win. Always true on grids.
    fn can_win(&self, _position: &Self::Position, _side: Side) -> bool {
        true
    }

    /// True only if `side` is certain to win. Always false on grids and in Ultimate.
    fn has_won(&self, _position: &Self::Position, _side: Side) -> bool {
        false
    }

    /// The closed boards; only for games on nine boards.
    fn closed(&self, _position: &Self::Position) -> u16 {
        0
    }

    /// The cells of a side on a board; only for games on nine boards.
    fn marks(&self, _position: &Self::Position, _side: Side, _board: usize) -> u16 {
        0
    }

    /// The owner of a closed board in Ultimate: 0 nobody, 1 the first side, 2 the second side. Always 0 in other
    /// games.
    fn owner(&self, _position: &Self::Position, _board: usize) -> usize {
        0
    }

    /// In Multi, the number of boards that the first side has won, minus the number that the second side has won.
    /// Always 0 in other games.
    fn lead(&self, _position: &Self::Position) -> i32 {
        0
    }
}

impl<B: Bits, const P: usize> Endgame for Grid<B, P> {}

impl Endgame for ByteGrid {}

pub(crate) struct General<R: Endgame> {
    rules: R,
    attacker: Side,
    positions: Vec<R::Position>,
    /// One hash per symmetry, for the current position and for each position before it.
    hashes: Vec<u64>,
    symmetries: Vec<Symmetry>,
    /// For each symmetry, the board to which the symmetry maps each board.
    boards: Vec<[u8; 9]>,
    /// The hash word of each cell, for each side.
    hash_words: [Vec<u64>; 2],
    /// The hash word of each closed board, for each owner.
    closed: [[u64; 9]; 3],
}

impl<R: Endgame> General<R> {
    pub(crate) fn new(rules: R, position: R::Position, attacker: Side) -> General<R> {
        let variant = rules.variant();
        let symmetries = Symmetry::all(&variant);
        let mut random = Random::new(0x0067_656E_6572_616C);
        let mut draw = || (0..variant.cells()).map(|_| random.draw()).collect();
        let hash_words: [Vec<u64>; 2] = [draw(), draw()];
        let closed = std::array::from_fn(|_| std::array::from_fn(|_| random.draw()));
        let boards = match variant {
            Variant::Grid(_) => Vec::new(),
            Variant::Nested(_) => symmetries
                .iter()
                .map(|symmetry| {
                    std::array::from_fn(|board| {
                        (symmetry.map_move(Move::at(9 * board)).index() / 9) as u8
                    })
                })
                .collect(),
        };
        let mut general = General {
            hashes: vec![0; symmetries.len()],
            positions: vec![position],
            symmetries,
            boards,
            hash_words,
            closed,
            attacker,
            rules,
        };
        let marks = general.rules.diagram(general.position()).marks;
        for (at, side) in marks.iter().enumerate() {
            if let Some(side) = side {
                general.mix(*side, Move::at(at));
            }
        }
        let closed = general.rules.closed(general.position());
        for board in (0..9).filter(|board| closed >> board & 1 == 1) {
            general.close(board);
        }
        general
    }

    pub(crate) fn position(&self) -> &R::Position {
        &self.positions[self.positions.len() - 1]
    }

    pub(crate) fn rules(&self) -> &R {
        &self.rules
    }

    pub(crate) fn all_moves(&self) -> Vec<Move> {
        self.rules.moves(self.position()).collect()
    }

    /// Whether the attacker won; `None` if the game is not over.
    pub(crate) fn over(&self) -> Option<bool> {
        self.rules
            .outcome(self.position())
            .map(|outcome| match outcome {
                Outcome::Draw => false,
                Outcome::Won(sides) => sides.contains(self.attacker),
            })
    }

    /// Whether the attacker wins, if [`Endgame::can_win`] or [`Endgame::has_won`] decides this; otherwise
    /// `None`.
    pub(crate) fn score(&self) -> Option<bool> {
        let (position, attacker) = (self.position(), self.attacker);
        if !self.rules.can_win(position, attacker) {
            return Some(false);
        }
        self.rules.has_won(position, attacker).then_some(true)
    }

    /// The hashes of the current position.
    fn present(&self) -> &[u64] {
        &self.hashes[self.hashes.len() - self.symmetries.len()..]
    }

    fn mix(&mut self, side: Side, at: Move) {
        let from = self.hashes.len() - self.symmetries.len();
        for (hash, symmetry) in self.hashes[from..].iter_mut().zip(&self.symmetries) {
            *hash ^= self.hash_words[side.index() & 1][symmetry.map_move(at).index()];
        }
    }

    /// In the hashes, replaces the marks of a closed board by its owner.
    fn close(&mut self, board: usize) {
        let owner = self.rules.owner(self.position(), board);
        for side in [Side::FIRST, Side::SECOND] {
            let mut marks = self.rules.marks(self.position(), side, board);
            while marks != 0 {
                self.mix(side, Move::at(9 * board + marks.trailing_zeros() as usize));
                marks &= marks - 1;
            }
        }
        let from = self.hashes.len() - self.symmetries.len();
        for (hash, to) in self.hashes[from..].iter_mut().zip(&self.boards) {
            *hash ^= self.closed[owner][usize::from(to[board])];
        }
    }

    /// The hash of a set of playable boards under a symmetry.
    fn mapped(&self, symmetry: usize, playable: u16) -> u64 {
        let Some(to) = self.boards.get(symmetry) else {
            return 0;
        };
        let boards = (0..9).filter(|board| playable >> board & 1 == 1);
        let mapped = boards.fold(0u64, |set, board| set | 1 << to[board]);
        mapped.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

impl<R: Endgame> SearchPosition for General<R> {
    fn attacks(&self) -> bool {
        self.rules.to_move(self.position()) == self.attacker
    }

    fn key(&self) -> u64 {
        let playable = self.rules.playable(self.position());
        let hashes = self.present().iter().enumerate();
        let mapped = hashes.map(|(symmetry, hash)| hash ^ self.mapped(symmetry, playable));
        let turn = if self.attacks() {
            0
        } else {
            0xA5A5_1234_8765_4321
        };
        let lead = self.rules.lead(self.position()) as u64;
        mapped.min().unwrap_or(0) ^ turn ^ lead.wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    fn wide_key(&self) -> u64 {
        self.key()
    }

    fn expand(&mut self, _is_new: bool, moves: &mut Vec<Child>) -> StaticResult {
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
                // The estimate is the number of replies, because more replies mean more work.
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
            .extend_from_within(self.hashes.len() - self.symmetries.len()..);
        self.positions.push(next);
        self.mix(mover, at);
        if closed != 0 {
            self.close(at.index() / 9);
        }
    }

    fn take_back(&mut self, _at: Move) {
        self.positions.pop();
        self.hashes
            .truncate(self.hashes.len() - self.symmetries.len());
    }
}
