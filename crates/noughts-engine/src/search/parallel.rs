//! Several threads search one position. Each thread searches the whole tree; all threads share the transposition
//! table. A thread *claims* the move that it searches, and the other threads defer claimed moves. In this way the
//! threads divide the work without waiting for each other.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use noughts_rules::Move;

use crate::analysis::Analysis;
use crate::features::Searchable;
use crate::search::{LIKELY, Limits, Search, SearchContext, SearchPurpose, doubted};

/// Minimum remaining depth, in plies, at which a thread claims a move. With 2, 3 and 5 instead of 4, two
/// threads needed 6 to 9 % more time to reach depth 12 in seven positions of 15x15k5. This difference is
/// within the noise.
const MIN_CLAIMED_DEPTH: u32 = 4;

/// Number of slots for claimed moves. If two claims use the same slot, the later claim overwrites the earlier
/// claim.
const CLAIMS: usize = 4096;

/// The state that the threads of a search share besides the transposition table.
pub(super) struct SharedSearch {
    /// Keys of the moves that some thread is searching now.
    claims: Vec<AtomicU64>,
    /// Whether the search is over. If so, all threads end.
    over: AtomicBool,
    /// Number of nodes that the helper threads have searched.
    nodes: AtomicU64,
    /// A certainly or probably winning move that a helper thread found, and the value of this move.
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
        // Another claim may have overwritten the slot.
        let _ = place.compare_exchange(key, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Which thread has claimed a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// No thread has claimed the move: the remaining depth is too small for claims, or the search has only
    /// one thread.
    Free,
    /// This thread has claimed the move. The value is the key of the move.
    Here(u64),
    /// Another thread has claimed the move.
    Elsewhere,
}

/// The order in which a node's moves are searched: first all moves that are not deferred, then the deferred moves.
pub(super) struct SearchOrder {
    moves: usize,
    turn: usize,
    deferred: u64,
}

impl SearchOrder {
    pub(super) fn of(moves: usize) -> SearchOrder {
        SearchOrder {
            moves,
            turn: 0,
            deferred: 0,
        }
    }

    /// The index of the next move; `None` after the last move.
    #[inline]
    pub(super) fn next(&mut self) -> Option<usize> {
        if self.turn < self.moves {
            self.turn += 1;
            return Some(self.turn - 1);
        }
        self.turn = self.moves + 1;
        let number = self.deferred.trailing_zeros();
        self.deferred &= self.deferred.wrapping_sub(1);
        (number < u64::BITS).then_some(number as usize)
    }

    pub(super) fn is_second_round(&self) -> bool {
        self.turn > self.moves
    }

    /// Defers a move, so that it is searched after the other moves. Returns false if the move was deferred
    /// before, or if it is not one of the first 64 moves.
    pub(super) fn defer(&mut self, number: usize) -> bool {
        let waits = !self.is_second_round() && number < u64::BITS as usize;
        if waits {
            self.deferred |= 1 << number;
        }
        waits
    }
}

/// Searches with `threads` threads, at least 2. All threads have ended when the function returns.
pub(super) fn search<R: Searchable>(mut first: Search<'_, R>, threads: usize) -> Analysis {
    let shared = SharedSearch::new();
    let mut analysis = std::thread::scope(|scope| {
        for _ in 1..threads {
            let own = SearchContext {
                // Only the first thread has a time limit and a node limit. The helper threads end when the first thread
                // ends.
                limits: Limits {
                    depth: first.context.limits.depth,
                    ..Limits::default()
                },
                ..first.context
            };
            let mut search = Search::new(first.board.clone(), own, SearchPurpose::Value);
            search.shared = Some(&shared);
            search.is_helper = true;
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
    /// Runs a helper thread until the search is over or has reached the maximum depth.
    fn assist(mut self) {
        let mut root = Vec::new();
        let listing = self.fill(&mut root, None);
        self.sort(&mut root);
        let deepest = self.context.limits.depth.unwrap_or(u32::MAX);
        for depth in 1..=deepest.min(self.free as u32) {
            self.has_reached_horizon = false;
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
            if !self.has_reached_horizon {
                break;
            }
        }
        self.check_shared();
    }

    /// Claims a move for this thread, unless another thread has claimed it or the remaining depth `depth` is
    /// too small.
    #[inline]
    pub(super) fn claim(&self, at: Move, depth: u32) -> Claim {
        match self.shared {
            Some(shared) if depth >= MIN_CLAIMED_DEPTH => {
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

    /// Aborts the search of this thread if the search is over. A helper thread also adds its nodes to the
    /// shared count. The first thread also aborts if all threads together have reached the node limit.
    pub(super) fn check_shared(&mut self) {
        let Some(shared) = self.shared else { return };
        self.aborted |= shared.over.load(Ordering::Relaxed);
        if self.is_helper {
            let more = self.nodes - self.counted;
            shared.nodes.fetch_add(more, Ordering::Relaxed);
            self.counted = self.nodes;
        } else if let Some(max_nodes) = self.context.limits.nodes {
            let all = self.nodes + shared.nodes.load(Ordering::Relaxed);
            self.aborted |= all >= max_nodes;
        }
    }

    /// A certainly or probably winning move that a helper thread found, and the value of this move.
    pub(super) fn won_elsewhere(&self) -> Option<(Move, i32)> {
        *self.shared?.won.lock().ok()?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order in which `moves` moves are searched if the moves in `busy` are deferred.
    fn order(moves: usize, busy: &[usize]) -> Vec<usize> {
        let mut order = SearchOrder::of(moves);
        let mut seen = Vec::new();
        while let Some(number) = order.next() {
            if !(busy.contains(&number) && order.defer(number)) {
                seen.push(number);
            }
        }
        seen
    }

    #[test]
    fn deferred_moves_come_last_and_none_is_lost() {
        assert_eq!(order(0, &[]), []);
        assert_eq!(order(1, &[0]), [0]);
        assert_eq!(order(4, &[]), [0, 1, 2, 3]);
        assert_eq!(order(4, &[1, 3]), [0, 2, 1, 3]);
        assert_eq!(order(4, &[0, 1, 2, 3]), [0, 1, 2, 3]);
        // Only the first 64 moves can be deferred.
        let many: Vec<usize> = (0..225).collect();
        let mut seen = order(225, &many);
        assert_eq!(seen[..161], many[64..]);
        seen.sort_unstable();
        assert_eq!(seen, many);
    }

    #[test]
    fn claims_last_until_released() {
        let shared = SharedSearch::new();
        assert_eq!(shared.claim(7), Claim::Here(7));
        assert_eq!(shared.claim(7), Claim::Elsewhere);
        shared.release(7);
        assert_eq!(shared.claim(7), Claim::Here(7));
        // A second claim for the same slot overwrites the first. Releasing the first claim then does not release the
        // second.
        let other = 7 + CLAIMS as u64;
        assert_eq!(shared.claim(other), Claim::Here(other));
        shared.release(7);
        assert_eq!(shared.claim(other), Claim::Elsewhere);
    }
}
