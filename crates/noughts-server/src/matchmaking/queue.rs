//! A first-come, first-served queue that pairs its items. It does no I/O.

use std::collections::BTreeMap;

/// The waiting items.
#[derive(Debug)]
pub(super) struct Queue<W> {
    /// The items in the order of arrival.
    waiting: BTreeMap<Ticket, W>,
    next: u64,
}

/// A place in the queue. Tickets are never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Ticket(u64);

/// The result of entering the queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Entered<W> {
    /// The item waits, because it could not be paired.
    Waits(Ticket),
    /// The item was paired.
    Paired {
        /// The item that waited.
        waited: W,
        /// The item that entered.
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
    /// Removes all items for which `is_there` is false. Then pairs `new` with the longest-waiting item for which `fits`
    /// is true. If there is no such item, adds `new` to the queue.
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

    /// Removes an item. Does nothing if the item was already paired.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        self.waiting.remove(&ticket);
    }

    /// Removes all items that match.
    pub(super) fn remove(&mut self, matches: impl Fn(&W) -> bool) {
        self.waiting.retain(|_, one| !matches(one));
    }

    /// Removes and returns the first item that matches.
    pub(super) fn take(&mut self, matches: impl Fn(&W) -> bool) -> Option<W> {
        let found = self.waiting.iter().find(|(_, one)| matches(one));
        let ticket = *found?.0;
        self.waiting.remove(&ticket)
    }

    /// All items, longest wait first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &W> {
        self.waiting.values()
    }

    /// Whether an item matches.
    pub(super) fn has(&self, matches: impl Fn(&W) -> bool) -> bool {
        self.waiting.values().any(matches)
    }

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
        // The item that waited longest.
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
