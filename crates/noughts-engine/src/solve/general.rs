//! Any game of two sides, by its rules alone: no cut but what the rules and the score say.

use noughts_rules::{Move, Outcome, Rules, Side, Symmetry, Variant};

use super::hunt::{Child, Field, NEVER, Numbers, Seen};
use crate::seed::Random;

/// What a search needs of rules beyond the rules.
pub(crate) trait Ending: Rules {
    /// Where the next play may be, where marks do not say so: the boards of a nested game.
    fn playable(&self, position: &Self::Position) -> u16;

    /// Whether a side can still win, as far as the score tells.
    fn can_win(&self, position: &Self::Position, side: Side) -> bool;
}

/// A position of any game.
pub(crate) struct General<R: Ending> {
    rules: R,
    attacker: Side,
    positions: Vec<R::Position>,
    /// The moves that led here.
    path: Vec<Move>,
    /// A hash for each way to lay the board.
    hashes: Vec<u64>,
    ways: Vec<Symmetry>,
    /// Where each set of boards comes to lie.
    boards: Vec<[u8; 9]>,
    words: [Vec<u64>; 2],
}

impl<R: Ending> General<R> {
    pub(crate) fn new(rules: R, position: R::Position, attacker: Side) -> General<R> {
        let variant = rules.variant();
        let ways = Symmetry::all(&variant);
        let mut random = Random::new(0x0067_656E_6572_616C);
        let mut draw = || (0..variant.cells()).map(|_| random.draw()).collect();
        let words: [Vec<u64>; 2] = [draw(), draw()];
        let boards = match variant {
            Variant::Grid(_) => Vec::new(),
            Variant::Nested(_) => ways
                .iter()
                .map(|way| {
                    std::array::from_fn(|board| (way.cell(Move::at(9 * board)).index() / 9) as u8)
                })
                .collect(),
        };
        let mut field = General {
            hashes: vec![0; ways.len()],
            positions: vec![position],
            path: Vec::new(),
            ways,
            boards,
            words,
            attacker,
            rules,
        };
        let marks = field.rules.diagram(field.position()).marks;
        for (at, side) in marks.iter().enumerate() {
            if let Some(side) = side {
                field.mix(*side, Move::at(at));
            }
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

    fn mix(&mut self, side: Side, at: Move) {
        for (hash, way) in self.hashes.iter_mut().zip(&self.ways) {
            *hash ^= self.words[side.index() & 1][way.cell(at).index()];
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

impl<R: Ending> Field for General<R> {
    fn attacks(&self) -> bool {
        self.rules.to_move(self.position()) == self.attacker
    }

    fn key(&self) -> u64 {
        let playable = self.rules.playable(self.position());
        let hashes = self.hashes.iter().enumerate();
        let laid = hashes.map(|(way, hash)| hash ^ self.laid(way, playable));
        let turn = if self.attacks() {
            0
        } else {
            0xA5A5_1234_8765_4321
        };
        laid.min().unwrap_or(0) ^ turn
    }

    fn wide_key(&self) -> u64 {
        self.key()
    }

    fn look(&mut self, _is_new: bool, moves: &mut Vec<Child>) -> Seen {
        match self.over() {
            Some(true) => return Seen::Proved,
            Some(false) => return Seen::Refuted,
            None => {}
        }
        if !self.rules.can_win(self.position(), self.attacker) {
            return Seen::Refuted;
        }
        let attacks = self.attacks();
        for at in self.all_moves() {
            self.play(at);
            let (key, over) = (self.key(), self.over());
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
                Some(true) if attacks => return Seen::Proved,
                Some(false) if !attacks => return Seen::Refuted,
                Some(_) | None => moves.push(Child { at, key, numbers }),
            }
        }
        debug_assert!(moves.iter().all(|child| child.numbers.proof <= NEVER));
        Seen::Open
    }

    fn play(&mut self, at: Move) {
        let mut next = self.position().clone();
        self.mix(self.rules.to_move(&next), at);
        self.rules.play(&mut next, at);
        self.positions.push(next);
        self.path.push(at);
    }

    fn take_back(&mut self, at: Move) {
        self.path.pop();
        self.positions.pop();
        self.mix(self.rules.to_move(self.position()), at);
    }
}
