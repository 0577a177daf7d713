//! Limits and progress reports of a search, and the state that its threads share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use noughts_rules::Side;

use super::dfpn::Limit;
use super::proof_number_table::{CROWDED, ProofNumberTable};
use super::{Budget, GameValue, Progress, ProgressCallback};
use crate::clock::Clock;
use crate::strategy::Stop;

/// The state that the threads share while they search for the answer to one question.
pub(crate) struct Shared {
    pub(crate) nodes: AtomicU64,
    pub(crate) done: AtomicBool,
    /// Whether the search ended because the table is too full and can still grow.
    pub(crate) is_crowded: AtomicBool,
}

/// The limits of one call of a solver: the budget, the stop flag, and the time when the call began.
pub(crate) struct Limits<'a> {
    pub(crate) stop: &'a Stop,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) started: Duration,
    /// The node count of the solver when the call began.
    pub(crate) from: u64,
    pub(crate) report: ProgressCallback<'a>,
    pub(crate) budget: Budget,
}

/// The limit of the main thread, which also reports progress and reads the clock.
pub(crate) struct MainThread<'a, 'l> {
    pub(crate) shared: &'a Shared,
    pub(crate) limits: &'a mut Limits<'l>,
    pub(crate) memory: &'a ProofNumberTable,
    pub(crate) attacker: Side,
    pub(crate) known: (GameValue, GameValue),
    /// Nodes since the latest clock read.
    pub(crate) since: u64,
}

/// The main thread reads the clock and the used part of the table once in this many nodes.
const NODES_PER_REPORT: u64 = 1024;

impl Limit for MainThread<'_, '_> {
    fn may_continue(&mut self, nodes: u64) -> bool {
        let all = self.shared.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        self.since += nodes;
        let limits = &mut *self.limits;
        let may_continue = !limits.stop.is_set()
            && !self.shared.done.load(Ordering::Relaxed)
            && (limits.budget.nodes).is_none_or(|max| all - limits.from < max);
        if may_continue && self.since < NODES_PER_REPORT {
            return true;
        }
        self.since = 0;
        let time = limits.clock.now().saturating_sub(limits.started);
        let fill = self.memory.fill();
        (limits.report)(&Progress {
            nodes: all,
            fill,
            time,
            attacker: self.attacker,
            at_least: self.known.0,
            at_most: self.known.1,
        });
        let budget = &limits.budget;
        let may_continue = may_continue && budget.time.is_none_or(|max| time < max);
        let is_crowded = fill > CROWDED && self.memory.can_grow(budget.memory);
        if may_continue && is_crowded {
            self.shared.is_crowded.store(true, Ordering::Relaxed);
        }
        if !may_continue || is_crowded {
            self.shared.done.store(true, Ordering::Relaxed);
        }
        may_continue && !is_crowded
    }
}

/// The limit of the helper threads.
pub(crate) struct HelperThread<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) stop: &'a Stop,
}

impl Limit for HelperThread<'_> {
    fn may_continue(&mut self, nodes: u64) -> bool {
        self.shared.nodes.fetch_add(nodes, Ordering::Relaxed);
        !self.stop.is_set() && !self.shared.done.load(Ordering::Relaxed)
    }
}

/// A limit on the number of nodes. Setting `stop` also ends the search.
pub(crate) struct NodeLimit<'a> {
    pub(crate) left: &'a mut u64,
    pub(crate) stop: &'a Stop,
}

impl Limit for NodeLimit<'_> {
    fn may_continue(&mut self, nodes: u64) -> bool {
        *self.left = self.left.saturating_sub(nodes);
        *self.left > 0 && !self.stop.is_set()
    }
}

/// No limit. The proof writer searches without a limit, because the table already has most answers.
pub(crate) struct Unlimited;

impl Limit for Unlimited {
    fn may_continue(&mut self, _nodes: u64) -> bool {
        true
    }
}
