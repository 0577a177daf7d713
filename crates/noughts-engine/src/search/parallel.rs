//! Several threads at one position. Each searches all of it, and finds in the table what the others
//! looked at. What another looks at just now it puts off, so that they divide the moves of a
//! position without anybody waiting.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use noughts_rules::Move;

use crate::analysis::Analysis;
use crate::features::Searchable;
use crate::search::{Aim, LIKELY, Limits, Search, Thinking, doubted};

/// What is searched less deep is not worth the question who else is at it. With 2, 3 and 5 two threads
/// took 6 to 9 % longer to depth 12 at seven positions of 15x15k5, which is no more than from run to run.
const LEAST_CLAIMED: u32 = 4;

/// Places for moves that are looked at. Who finds his place taken goes without.
const CLAIMS: usize = 4096;

/// What the threads of a search have in common beside the table.
pub(super) struct SharedSearch {
    /// Moves that somebody looks at, by their keys.
    claims: Vec<AtomicU64>,
    /// There is an answer: everybody ends.
    over: AtomicBool,
    /// Positions that were looked at by all.
    nodes: AtomicU64,
    /// A move that one of the others found to win.
    won: Mutex<Option<(Move, i32)>>,
}

impl SharedSearch {
    fn new() -> SharedSearch {
        SharedSearch {
            claims: (0..CLAIMS).map(|_| AtomicU64::new(0)).collect(),
            over: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            won: Mutex::new(None),
        }
    }

    fn claim(&self, key: u64) -> Claim {
        let place = &self.claims[key as usize % CLAIMS];
        if place.load(Ordering::Relaxed) == key {
            return Claim::Elsewhere;
        }
        place.store(key, Ordering::Relaxed);
        Claim::Here(key)
    }

    fn release(&self, key: u64) {
        let place = &self.claims[key as usize % CLAIMS];
        // Somebody else may have taken the place.
        let _ = place.compare_exchange(key, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Who looks at a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// Nobody need know.
    Free,
    /// This thread, under this key.
    Here(u64),
    /// Another one.
    Elsewhere,
}

/// The order of a position's moves: all of them, and then those that were put off.
pub(super) struct Order {
    moves: usize,
    turn: usize,
    put_off: u64,
}

impl Order {
    pub(super) fn of(moves: usize) -> Order {
        Order {
            moves,
            turn: 0,
            put_off: 0,
        }
    }

    /// The number of the next move.
    #[inline]
    pub(super) fn next(&mut self) -> Option<usize> {
        if self.turn < self.moves {
            self.turn += 1;
            return Some(self.turn - 1);
        }
        self.turn = self.moves + 1;
        let number = self.put_off.trailing_zeros();
        // Takes the lowest one out.
        self.put_off &= self.put_off.wrapping_sub(1);
        (number < u64::BITS).then_some(number as usize)
    }

    pub(super) fn is_second_round(&self) -> bool {
        self.turn > self.moves
    }

    /// Lets a move wait until the others have been looked at; false where it has waited, or can't.
    pub(super) fn put_off(&mut self, number: usize) -> bool {
        let waits = !self.is_second_round() && number < u64::BITS as usize;
        if waits {
            self.put_off |= 1 << number;
        }
        waits
    }
}

/// Thinks in so many threads, 2 or more. All have ended when it returns.
pub(super) fn search<R: Searchable>(mut first: Search<'_, R>, threads: usize) -> Analysis {
    let shared = SharedSearch::new();
    let mut analysis = std::thread::scope(|scope| {
        for _ in 1..threads {
            let own = Thinking {
                // The first one keeps time and counts; the others end with it.
                limits: Limits {
                    depth: first.thinking.limits.depth,
                    ..Limits::default()
                },
                ..first.thinking
            };
            let mut search = Search::new(first.board.clone(), own, Aim::Value);
            search.shared = Some(&shared);
            search.assists = true;
            scope.spawn(move || search.assist());
        }
        first.shared = Some(&shared);
        let analysis = first.run();
        shared.over.store(true, Ordering::Relaxed);
        analysis
    });
    analysis.nodes += shared.nodes.load(Ordering::Relaxed);
    analysis
}

impl<R: Searchable> Search<'_, R> {
    /// Searches as the first thread does, for what the table will know then.
    fn assist(mut self) {
        let mut root = Vec::new();
        let listing = self.fill(&mut root, None);
        self.sort(&mut root);
        let deepest = self.thinking.limits.depth.unwrap_or(u32::MAX);
        for depth in 1..=deepest.min(self.free as u32) {
            self.horizon = false;
            let best = self.root(&mut root, depth);
            if self.aborted {
                break;
            }
            let won = best.map(|(at, value)| (at, doubted(value, listing)));
            if let (Some(shared), Some(won)) = (self.shared, won.filter(|won| won.1 > LIKELY)) {
                if let Ok(mut place) = shared.won.lock() {
                    *place = Some(won);
                }
                shared.over.store(true, Ordering::Relaxed);
            }
            if !self.horizon {
                break;
            }
        }
        self.check_shared();
    }

    /// Tells the others that this thread looks at a move, unless one of them does; `depth` is how deep.
    #[inline]
    pub(super) fn claim(&self, at: Move, depth: u32) -> Claim {
        match self.shared {
            Some(shared) if depth >= LEAST_CLAIMED => {
                let cell = at.index() as u64 + 1;
                shared.claim(self.key().0 ^ cell.wrapping_mul(0x9E37_79B9_7F4A_7C15))
            }
            Some(_) | None => Claim::Free,
        }
    }

    #[inline]
    pub(super) fn release(&self, claim: Claim) {
        if let (Some(shared), Claim::Here(key)) = (self.shared, claim) {
            shared.release(key);
        }
    }

    /// Ends when the others have, and counts for them.
    pub(super) fn check_shared(&mut self) {
        let Some(shared) = self.shared else { return };
        self.aborted |= shared.over.load(Ordering::Relaxed);
        if self.assists {
            let more = self.nodes - self.counted;
            shared.nodes.fetch_add(more, Ordering::Relaxed);
            self.counted = self.nodes;
        } else if let Some(most) = self.thinking.limits.nodes {
            let all = self.nodes + shared.nodes.load(Ordering::Relaxed);
            self.aborted |= all >= most;
        }
    }

    /// What another thread found to win.
    pub(super) fn won_elsewhere(&self) -> Option<(Move, i32)> {
        *self.shared?.won.lock().ok()?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All moves in their order, where these are put off when they come first.
    fn order(moves: usize, busy: &[usize]) -> Vec<usize> {
        let mut order = Order::of(moves);
        let mut seen = Vec::new();
        while let Some(number) = order.next() {
            if !(busy.contains(&number) && order.put_off(number)) {
                seen.push(number);
            }
        }
        seen
    }

    #[test]
    fn what_others_look_at_comes_last_and_nothing_is_left_out() {
        assert_eq!(order(0, &[]), []);
        assert_eq!(order(1, &[0]), [0]);
        assert_eq!(order(4, &[]), [0, 1, 2, 3]);
        assert_eq!(order(4, &[1, 3]), [0, 2, 1, 3]);
        assert_eq!(order(4, &[0, 1, 2, 3]), [0, 1, 2, 3]);
        // There is no place for the last ones to wait.
        let many: Vec<usize> = (0..225).collect();
        let mut seen = order(225, &many);
        assert_eq!(seen[..161], many[64..]);
        seen.sort_unstable();
        assert_eq!(seen, many);
    }

    #[test]
    fn a_claim_holds_until_it_is_released() {
        let shared = SharedSearch::new();
        assert_eq!(shared.claim(7), Claim::Here(7));
        assert_eq!(shared.claim(7), Claim::Elsewhere);
        shared.release(7);
        assert_eq!(shared.claim(7), Claim::Here(7));
        // Another takes the place; the first one's end is not its end.
        let other = 7 + CLAIMS as u64;
        assert_eq!(shared.claim(other), Claim::Here(other));
        shared.release(7);
        assert_eq!(shared.claim(other), Claim::Elsewhere);
    }
}
