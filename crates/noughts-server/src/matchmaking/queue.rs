//! A queue of those who wait for one another, pure.

use std::collections::BTreeMap;

/// Those who wait; `W` is how one of them is reached.
#[derive(Debug)]
pub(super) struct Queue<W> {
    /// In the order in which they came.
    waiting: BTreeMap<Ticket, W>,
    next: u64,
}

/// A place in the queue, never given twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Ticket(u64);

/// What becomes of one that enters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Entered<W> {
    /// It waits: nobody fits.
    Waits(Ticket),
    /// It is paired.
    Paired {
        /// The one that waited.
        waited: W,
        /// The one that entered.
        new: W,
    },
}

impl<W> Default for Queue<W> {
    fn default() -> Queue<W> {
        Queue {
            waiting: BTreeMap::new(),
            next: 0,
        }
    }
}

impl<W> Queue<W> {
    /// Pairs `new` with the one that waits longest and fits, or queues it. Removes all that are no
    /// longer there.
    pub(super) fn enter(
        &mut self,
        new: W,
        is_there: impl Fn(&W) -> bool,
        fits: impl Fn(&W, &W) -> bool,
    ) -> Entered<W> {
        self.waiting.retain(|_, other| is_there(other));
        let found = self.waiting.iter().find(|(_, other)| fits(other, &new));
        let found = found.map(|(ticket, _)| *ticket);
        if let Some(waited) = found.and_then(|ticket| self.waiting.remove(&ticket)) {
            return Entered::Paired { waited, new };
        }
        let ticket = Ticket(self.next);
        self.next += 1;
        self.waiting.insert(ticket, new);
        Entered::Waits(ticket)
    }

    /// Removes one that no longer waits; nothing happens if it was paired before.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        self.waiting.remove(&ticket);
    }

    /// Removes all that match.
    pub(super) fn remove(&mut self, matches: impl Fn(&W) -> bool) {
        self.waiting.retain(|_, one| !matches(one));
    }

    /// Removes the first that matches.
    pub(super) fn take(&mut self, matches: impl Fn(&W) -> bool) -> Option<W> {
        let found = self.waiting.iter().find(|(_, one)| matches(one));
        let ticket = *found?.0;
        self.waiting.remove(&ticket)
    }

    /// All of them, longest wait first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &W> {
        self.waiting.values()
    }

    /// Whether one matches.
    pub(super) fn has(&self, matches: impl Fn(&W) -> bool) -> bool {
        self.waiting.values().any(matches)
    }

    /// How many wait.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there(_: &u32) -> bool {
        true
    }

    fn any(_: &u32, _: &u32) -> bool {
        true
    }

    #[test]
    fn the_longest_waiting_one_that_fits_is_paired() {
        let mut queue = Queue::default();
        let odd_with_even = |one: &u32, other: &u32| (one + other) % 2 == 1;
        for odd in [1, 3] {
            let entered = queue.enter(odd, there, odd_with_even);
            assert!(matches!(entered, Entered::Waits(_)));
        }
        let Entered::Paired { waited, new } = queue.enter(2, there, odd_with_even) else {
            panic!("nobody fitted");
        };
        // The one that waited longer.
        assert_eq!([waited, new], [1, 2]);
        assert_eq!(queue.len(), 1);
    }

    #[test]
    fn two_that_fit_are_paired() {
        let mut queue = Queue::default();
        assert!(matches!(queue.enter(1, there, any), Entered::Waits(_)));
        let Entered::Paired { waited, new } = queue.enter(2, there, any) else {
            panic!("nobody was there");
        };
        assert_eq!([waited, new], [1, 2]);
        assert_eq!(queue.len(), 0);
        assert!(matches!(queue.enter(3, there, any), Entered::Waits(_)));
    }

    #[test]
    fn one_that_left_is_not_paired() {
        let mut queue = Queue::default();
        let Entered::Waits(ticket) = queue.enter(1, there, any) else {
            panic!("somebody was there");
        };
        queue.leave(ticket);
        queue.leave(ticket);
        assert!(matches!(queue.enter(2, there, any), Entered::Waits(_)));
        assert!(matches!(
            queue.enter(3, |one| *one != 2, any),
            Entered::Waits(_)
        ));
        assert_eq!(queue.len(), 1);
    }
}
