//! Depth-first proof-number search: whether the attacker can force a win.
//!
//! A position's proof number is how many positions must still be won to prove it, its refutation number
//! how many must be held to refute it. The search goes where the least is lacking, and remembers numbers
//! and not trees (Nagai 2002), with thresholds a quarter above the second best (Pawlewicz and Lew 2007).

use noughts_rules::Move;

use super::proof_number_table::ProofNumberTable;

/// A number that says: this can't be done.
pub(crate) const NEVER: u32 = u32::MAX / 4;

/// What a position still lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Numbers {
    /// To be proved a win of the attacker; 0 when it is.
    pub(crate) proof: u32,
    /// To be refuted; 0 when it is.
    pub(crate) refutation: u32,
}

impl Numbers {
    pub(crate) const PROVED: Numbers = Numbers {
        proof: 0,
        refutation: NEVER,
    };
    pub(crate) const REFUTED: Numbers = Numbers {
        proof: NEVER,
        refutation: 0,
    };

    pub(crate) fn is_decided(self) -> bool {
        self.proof == 0 || self.refutation == 0
    }

    /// `Some` when it is known whether the attacker wins.
    pub(crate) fn answer(self) -> Option<bool> {
        match (self.proof, self.refutation) {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }
}

/// A move to look at, and what is known of the position behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    pub(crate) at: Move,
    pub(crate) key: u64,
    pub(crate) numbers: Numbers,
}

/// What a look at a position says without looking ahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StaticResult {
    /// The attacker wins.
    Proved,
    /// The attacker does not win.
    Refuted,
    /// One of the moves must be looked at.
    Open,
}

/// A position to hunt in: one side, the attacker, wants to win, and the other not to lose.
pub(crate) trait Field {
    /// Whether the attacker is to move.
    fn attacks(&self) -> bool;

    /// The key of this very position, the same for all ways to lay the board.
    fn key(&self) -> u64;

    /// A key that is the same for more positions of equal worth, but takes longer.
    fn wide_key(&self) -> u64;

    /// What can be said at once; if nothing, the moves of which one decides, with their keys and with
    /// first guesses of their numbers. `is_new`: nothing is known of it yet, so that dear looks pay.
    fn look(&mut self, is_new: bool, moves: &mut Vec<Child>) -> StaticResult;

    fn play(&mut self, at: Move);

    fn take_back(&mut self, at: Move);
}

/// What the search is asked now and then.
pub(crate) trait Limit {
    /// Whether to go on, after so many nodes more.
    fn may_continue(&mut self, nodes: u64) -> bool;
}

/// How many nodes go by between two questions.
const BETWEEN_LOOKS: u64 = 128;

/// One search for the answer to one question.
pub(crate) struct Dfpn<'m, F> {
    pub(crate) field: F,
    memory: &'m ProofNumberTable,
    limit: &'m mut dyn Limit,
    lists: Vec<Vec<Child>>,
    nodes: u64,
    /// Somebody wants an answer now.
    stopped: bool,
    /// Mixed into first guesses, so that threads look at different moves first.
    variation: u64,
    /// Mixed into every key, so that one table serves several questions.
    salt: u64,
}

impl<'m, F: Field> Dfpn<'m, F> {
    pub(crate) fn new(
        field: F,
        memory: &'m ProofNumberTable,
        limit: &'m mut dyn Limit,
        salt: u64,
    ) -> Self {
        Dfpn {
            field,
            memory,
            limit,
            lists: Vec::new(),
            nodes: 0,
            stopped: false,
            variation: 0,
            salt,
        }
    }

    /// The same, but not quite: several of them look at different moves first.
    pub(crate) fn with_variation(self, variation: u64) -> Self {
        Dfpn { variation, ..self }
    }

    /// Whether the attacker wins from here; `None` when told to stop before that was known.
    pub(crate) fn answer(&mut self) -> Option<bool> {
        let found = self.search(0, NEVER, NEVER).answer();
        self.limit.may_continue(self.nodes % BETWEEN_LOOKS);
        self.nodes = 0;
        found
    }

    /// What is remembered of this position.
    pub(crate) fn known(&self) -> Option<bool> {
        let numbers = self.memory.get(self.field.key() ^ self.salt);
        let numbers = numbers.or_else(|| self.memory.get(self.field.wide_key() ^ self.salt));
        numbers.and_then(Numbers::answer)
    }

    /// Looks into the position until it is decided or a number reaches its threshold.
    fn search(&mut self, ply: usize, most_proof: u32, most_refutation: u32) -> Numbers {
        self.nodes += 1;
        if self.nodes.is_multiple_of(BETWEEN_LOOKS) && !self.limit.may_continue(BETWEEN_LOOKS) {
            self.stopped = true;
        }
        let (key, wide) = (
            self.field.key() ^ self.salt,
            self.field.wide_key() ^ self.salt,
        );
        let enough = |numbers: Numbers| {
            numbers.is_decided()
                || numbers.proof >= most_proof
                || numbers.refutation >= most_refutation
        };
        let before = self.memory.get(wide);
        if let Some(numbers) = before.filter(|numbers| enough(*numbers)) {
            self.memory.put(key, numbers);
            return numbers;
        }
        if self.lists.len() <= ply {
            self.lists.push(Vec::new());
        }
        let mut list = std::mem::take(&mut self.lists[ply]);
        list.clear();
        let seen = self.field.look(before.is_none(), &mut list);
        let found = match seen {
            StaticResult::Proved => Numbers::PROVED,
            StaticResult::Refuted => Numbers::REFUTED,
            StaticResult::Open => {
                let salt = self.salt;
                self.memory.fetch(list.iter().map(|child| child.key ^ salt));
                for child in list.iter_mut().filter(|child| !child.numbers.is_decided()) {
                    match self.memory.get(child.key ^ self.salt) {
                        Some(numbers) => child.numbers = numbers,
                        None => self.wonder(child),
                    }
                }
                self.settle(ply, most_proof, most_refutation, &mut list)
            }
        };
        self.lists[ply] = list;
        self.memory.put(key, found);
        self.memory.put(wide, found);
        found
    }

    fn settle(&mut self, ply: usize, proof: u32, refutation: u32, list: &mut [Child]) -> Numbers {
        let attacks = self.field.attacks();
        loop {
            let (best, second, found) = choose(list, attacks);
            let enough = found.proof >= proof || found.refutation >= refutation;
            if enough || found.is_decided() || self.stopped {
                return found;
            }
            let child = list[best];
            let above = (second + 1 + second / 4).min(NEVER);
            let (most_proof, most_refutation) = if attacks {
                let rest = refutation - found.refutation;
                (
                    proof.min(above),
                    (rest + child.numbers.refutation).min(NEVER),
                )
            } else {
                let rest = proof - found.proof;
                (
                    (rest + child.numbers.proof).min(NEVER),
                    refutation.min(above),
                )
            };
            self.field.play(child.at);
            list[best].numbers = self.search(ply + 1, most_proof, most_refutation);
            self.field.take_back(child.at);
        }
    }

    /// Another thread's first guess differs by a variation.
    fn wonder(&self, child: &mut Child) {
        if self.variation != 0 {
            let variation = (child.key ^ self.variation).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 62;
            child.numbers.proof += variation as u32;
            child.numbers.refutation += 3 - variation as u32;
        }
    }
}

/// The move where least is lacking, what the second best lacks, and what that makes of the position.
fn choose(list: &[Child], attacks: bool) -> (usize, u32, Numbers) {
    let (mut best, mut first, mut second, mut sum) = (0, NEVER, NEVER, 0u32);
    for (number, child) in list.iter().enumerate() {
        let (own, other) = if attacks {
            (child.numbers.proof, child.numbers.refutation)
        } else {
            (child.numbers.refutation, child.numbers.proof)
        };
        sum = (sum + other).min(NEVER);
        if own < first {
            (second, first, best) = (first, own, number);
        } else {
            second = second.min(own);
        }
    }
    let numbers = if attacks {
        Numbers {
            proof: first,
            refutation: sum,
        }
    } else {
        Numbers {
            proof: sum,
            refutation: first,
        }
    };
    (best, second, numbers)
}
