//! Depth-first proof-number search: whether the attacker can force a win.
//!
//! The proof number of a position estimates how many positions must still be decided to prove that the
//! attacker wins. The refutation number (disproof number) is the same estimate for a proof that the attacker
//! does not win. If the attacker is to move, the search continues at the child with the smallest proof
//! number; otherwise at the child with the smallest refutation number. The search stores the numbers in a
//! table instead of a tree (Nagai 2002). The search of the best child continues until the number of this
//! child is 1/4 above the number of the second-best child (Pawlewicz and Lew 2007).

use noughts_rules::Move;

use super::proof_number_table::ProofNumberTable;

/// Infinity: the proof number of a position in which the attacker cannot win, and the refutation number of a
/// position in which the attacker wins.
pub(crate) const NEVER: u32 = u32::MAX / 4;

/// Proof and refutation number of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Numbers {
    /// The proof number: 0 once it is proved that the attacker wins.
    pub(crate) proof: u32,
    /// The refutation number: 0 once it is proved that the attacker cannot win.
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

    /// Whether the attacker wins; `None` if the position is not decided.
    pub(crate) fn answer(self) -> Option<bool> {
        match (self.proof, self.refutation) {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }
}

/// A move, and the key and the numbers of the position after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    pub(crate) at: Move,
    pub(crate) key: u64,
    pub(crate) numbers: Numbers,
}

/// The result of checking a position without search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StaticResult {
    /// The attacker wins.
    Proved,
    /// The attacker does not win.
    Refuted,
    /// Not decided. The moves of the position must be searched.
    Open,
}

/// A position with an attacker, who tries to win, and a defender, who tries not to lose.
pub(crate) trait SearchPosition {
    /// Whether the attacker is to move.
    fn attacks(&self) -> bool;

    /// A key that is equal for symmetric positions.
    fn key(&self) -> u64;

    /// Like `key`, but more positions of equal value may share this key. A wide key takes longer to compute.
    fn wide_key(&self) -> u64;

    /// Decides the position without search, or lists the relevant moves with keys and estimated numbers.
    /// `is_new` is true if the table has no entry for the position. Expensive checks save time only for a new
    /// position.
    fn expand(&mut self, is_new: bool, moves: &mut Vec<Child>) -> StaticResult;

    fn play(&mut self, at: Move);

    fn take_back(&mut self, at: Move);
}

/// Decides whether a search continues.
pub(crate) trait Limit {
    /// Whether the search may continue. `nodes` is the number of nodes searched since the previous call.
    fn may_continue(&mut self, nodes: u64) -> bool;
}

/// Nodes between two calls of [`Limit::may_continue`].
const NODES_PER_CHECK: u64 = 128;

/// A search for the answer to one question: can the attacker force a win?
pub(crate) struct Dfpn<'m, P> {
    pub(crate) position: P,
    memory: &'m ProofNumberTable,
    limit: &'m mut dyn Limit,
    lists: Vec<Vec<Child>>,
    nodes: u64,
    /// Whether the limit was reached.
    stopped: bool,
    /// A seed that varies the estimated numbers, so that each thread tries different moves first. 0 means no
    /// variation.
    variation: u64,
    /// A number for the attacker, which is combined with every key by exclusive or. So the searches for both
    /// attackers can share one table.
    attacker_key: u64,
}

impl<'m, P: SearchPosition> Dfpn<'m, P> {
    pub(crate) fn new(
        position: P,
        memory: &'m ProofNumberTable,
        limit: &'m mut dyn Limit,
        attacker_key: u64,
    ) -> Self {
        Dfpn {
            position,
            memory,
            limit,
            lists: Vec::new(),
            nodes: 0,
            stopped: false,
            variation: 0,
            attacker_key,
        }
    }

    /// The same search with another seed, so that the search tries the moves in another order.
    pub(crate) fn with_variation(self, variation: u64) -> Self {
        Dfpn { variation, ..self }
    }

    /// Whether the attacker wins; `None` if the limit was reached first.
    pub(crate) fn answer(&mut self) -> Option<bool> {
        let found = self.search(0, NEVER, NEVER).answer();
        self.limit.may_continue(self.nodes % NODES_PER_CHECK);
        self.nodes = 0;
        found
    }

    /// The stored answer for this position, if any.
    pub(crate) fn known(&self) -> Option<bool> {
        let numbers = self.memory.get(self.position.key() ^ self.attacker_key);
        let numbers = numbers.or_else(|| {
            self.memory
                .get(self.position.wide_key() ^ self.attacker_key)
        });
        numbers.and_then(Numbers::answer)
    }

    /// Searches until the position is decided, one of its two numbers reaches the threshold for this number,
    /// or the limit is reached.
    fn search(&mut self, ply: usize, proof_threshold: u32, refutation_threshold: u32) -> Numbers {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_CHECK) && !self.limit.may_continue(NODES_PER_CHECK) {
            self.stopped = true;
        }
        let (key, wide) = (
            self.position.key() ^ self.attacker_key,
            self.position.wide_key() ^ self.attacker_key,
        );
        let enough = |numbers: Numbers| {
            numbers.is_decided()
                || numbers.proof >= proof_threshold
                || numbers.refutation >= refutation_threshold
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
        let seen = self.position.expand(before.is_none(), &mut list);
        let found = match seen {
            StaticResult::Proved => Numbers::PROVED,
            StaticResult::Refuted => Numbers::REFUTED,
            StaticResult::Open => {
                let attacker_key = self.attacker_key;
                self.memory
                    .fetch(list.iter().map(|child| child.key ^ attacker_key));
                for child in list.iter_mut().filter(|child| !child.numbers.is_decided()) {
                    match self.memory.get(child.key ^ self.attacker_key) {
                        Some(numbers) => child.numbers = numbers,
                        None => self.vary_estimate(child),
                    }
                }
                self.search_children(ply, proof_threshold, refutation_threshold, &mut list)
            }
        };
        self.lists[ply] = list;
        self.memory.put(key, found);
        self.memory.put(wide, found);
        found
    }

    /// Searches the children in `list` until the position is decided, one of its two numbers reaches the
    /// threshold for this number, or the limit is reached.
    fn search_children(
        &mut self,
        ply: usize,
        proof: u32,
        refutation: u32,
        list: &mut [Child],
    ) -> Numbers {
        let attacks = self.position.attacks();
        loop {
            let (best, second, found) = choose(list, attacks);
            let enough = found.proof >= proof || found.refutation >= refutation;
            if enough || found.is_decided() || self.stopped {
                return found;
            }
            let child = list[best];
            let above = (second + 1 + second / 4).min(NEVER);
            let (proof_threshold, refutation_threshold) = if attacks {
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
            self.position.play(child.at);
            list[best].numbers = self.search(ply + 1, proof_threshold, refutation_threshold);
            self.position.take_back(child.at);
        }
    }

    /// Changes the estimated numbers a little, so that each thread tries the moves in another order.
    fn vary_estimate(&self, child: &mut Child) {
        if self.variation != 0 {
            let variation = (child.key ^ self.variation).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 62;
            child.numbers.proof += variation as u32;
            child.numbers.refutation += 3 - variation as u32;
        }
    }
}

/// Returns the index of the best child for the side to move, the number of the second-best child, and the
/// numbers of the position. The best child has the smallest proof number if the attacker is to move, and
/// otherwise the smallest refutation number.
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
