//! Several threads at one position. They share nothing but the table: each finds there what the
//! others looked at, and so comes sooner to where it is not known what comes next.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use noughts_rules::Move;

use crate::analysis::Analysis;
use crate::features::Searchable;
use crate::search::{Aim, LIKELY, Limits, Search, Thinking, doubted};

/// What the threads of a search have in common beside the table.
#[derive(Default)]
pub(super) struct Crew {
    /// There is an answer: everybody ends.
    over: AtomicBool,
    /// Positions that were looked at by all.
    nodes: AtomicU64,
    /// A move that one of the others found to win.
    won: Mutex<Option<(Move, i32)>>,
}

/// Thinks in so many threads, 2 or more. All have ended when it returns.
pub(super) fn search<R: Searchable>(mut first: Search<'_, R>, threads: usize) -> Analysis {
    let crew = Crew::default();
    let mut analysis = std::thread::scope(|scope| {
        for number in 1..threads {
            let own = Thinking {
                // The first one keeps time and counts; the others end with it.
                limits: Limits {
                    depth: first.thinking.limits.depth,
                    ..Limits::default()
                },
                ..first.thinking
            };
            let mut search = Search::new(first.board.clone(), own, Aim::Value);
            search.crew = Some(&crew);
            search.assists = true;
            scope.spawn(move || search.assist(number as u32));
        }
        first.crew = Some(&crew);
        let analysis = first.run();
        crew.over.store(true, Ordering::Relaxed);
        analysis
    });
    analysis.nodes += crew.nodes.load(Ordering::Relaxed);
    analysis
}

impl<R: Searchable> Search<'_, R> {
    /// Searches ahead of the first thread, for what the table will know then.
    fn assist(mut self, number: u32) {
        let mut root = Vec::new();
        let listing = self.fill(&mut root, None);
        self.sort(&mut root);
        let deepest = self.thinking.limits.depth.unwrap_or(u32::MAX);
        for depth in 1 + number % 2..=deepest.min(self.free as u32) {
            self.horizon = false;
            let best = self.root(&mut root, depth);
            if self.aborted {
                break;
            }
            let won = best.map(|(at, value)| (at, doubted(value, listing)));
            if let (Some(crew), Some(won)) = (self.crew, won.filter(|won| won.1 > LIKELY)) {
                if let Ok(mut place) = crew.won.lock() {
                    *place = Some(won);
                }
                crew.over.store(true, Ordering::Relaxed);
            }
            if !self.horizon {
                break;
            }
        }
        self.look_at_crew();
    }

    /// Ends when the others have, and counts for them.
    pub(super) fn look_at_crew(&mut self) {
        let Some(crew) = self.crew else { return };
        self.aborted |= crew.over.load(Ordering::Relaxed);
        if self.assists {
            let more = self.nodes - self.counted;
            crew.nodes.fetch_add(more, Ordering::Relaxed);
            self.counted = self.nodes;
        } else if let Some(most) = self.thinking.limits.nodes {
            let all = self.nodes + crew.nodes.load(Ordering::Relaxed);
            self.aborted |= all >= most;
        }
    }

    /// What another thread found to win.
    pub(super) fn won_elsewhere(&self) -> Option<(Move, i32)> {
        *self.crew?.won.lock().ok()?
    }
}
