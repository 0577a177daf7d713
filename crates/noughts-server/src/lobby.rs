//! Where people wait for one another, pure.

use std::collections::BTreeMap;

use noughts_engine::Random;

/// People who wait for somebody to play with. `W` is how to reach one of them.
#[derive(Debug)]
pub struct Lobby<W> {
    /// Who came first is first.
    waiting: BTreeMap<Ticket, W>,
    next: u64,
    draw: Random,
}

/// A place in the queue, never given twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ticket(u64);

/// What becomes of somebody who comes in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entered<W> {
    /// Nobody else is there yet.
    Waits(Ticket),
    /// There was. Who moves first is drawn anew for each pair.
    Paired {
        /// Moves first.
        first: W,
        /// Moves second.
        second: W,
    },
}

impl<W> Lobby<W> {
    /// An empty one; the seed decides who moves first.
    pub fn new(seed: u64) -> Lobby<W> {
        Lobby {
            waiting: BTreeMap::new(),
            next: 0,
            draw: Random::new(seed),
        }
    }

    /// Somebody comes in, and is paired with whoever waits longest, is still `there` and `fits`.
    /// Those who are not there are forgotten.
    pub fn enter(
        &mut self,
        who: W,
        there: impl Fn(&W) -> bool,
        fits: impl Fn(&W, &W) -> bool,
    ) -> Entered<W> {
        self.waiting.retain(|_, other| there(other));
        let found = self.waiting.iter().find(|(_, other)| fits(other, &who));
        let found = found.map(|(ticket, _)| *ticket);
        if let Some(other) = found.and_then(|ticket| self.waiting.remove(&ticket)) {
            let (first, second) = match self.draw.below(2) {
                0 => (other, who),
                _ => (who, other),
            };
            return Entered::Paired { first, second };
        }
        let ticket = Ticket(self.next);
        self.next += 1;
        self.waiting.insert(ticket, who);
        Entered::Waits(ticket)
    }

    /// Somebody no longer waits; nothing happens if they were paired before.
    pub fn leave(&mut self, ticket: Ticket) {
        self.waiting.remove(&ticket);
    }

    /// Whoever is such a one no longer waits.
    pub fn dismiss(&mut self, is: impl Fn(&W) -> bool) {
        self.waiting.retain(|_, one| !is(one));
    }

    /// Whether somebody waits who is such a one.
    pub fn has(&self, is: impl Fn(&W) -> bool) -> bool {
        self.waiting.values().any(is)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
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
    fn who_does_not_fit_goes_on_waiting() {
        let mut lobby = Lobby::new(1);
        let odd_with_even = |one: &u32, other: &u32| (one + other) % 2 == 1;
        for odd in [1, 3] {
            let entered = lobby.enter(odd, there, odd_with_even);
            assert!(matches!(entered, Entered::Waits(_)));
        }
        let Entered::Paired { first, second } = lobby.enter(2, there, odd_with_even) else {
            panic!("nobody fitted");
        };
        // The one who waited longer.
        assert_eq!([first.min(second), first.max(second)], [1, 2]);
        assert_eq!(lobby.len(), 1);
    }

    #[test]
    fn who_waits_is_paired_with_who_comes_next() {
        let mut lobby = Lobby::new(1);
        assert!(matches!(lobby.enter(1, there, any), Entered::Waits(_)));
        let Entered::Paired { first, second } = lobby.enter(2, there, any) else {
            panic!("nobody was there");
        };
        assert_eq!([first.min(second), first.max(second)], [1, 2]);
        assert!(lobby.is_empty());
        assert!(matches!(lobby.enter(3, there, any), Entered::Waits(_)));
    }

    #[test]
    fn who_left_is_not_paired() {
        let mut lobby = Lobby::new(1);
        let Entered::Waits(ticket) = lobby.enter(1, there, any) else {
            panic!("somebody was there");
        };
        lobby.leave(ticket);
        lobby.leave(ticket);
        assert!(matches!(lobby.enter(2, there, any), Entered::Waits(_)));
        assert!(matches!(
            lobby.enter(3, |who| *who != 2, any),
            Entered::Waits(_)
        ));
        assert_eq!(lobby.len(), 1);
    }

    #[test]
    fn either_may_move_first() {
        let mut lobby = Lobby::new(1);
        let mut firsts = [0; 2];
        for _ in 0..1_000 {
            lobby.enter(0, there, any);
            match lobby.enter(1, there, any) {
                Entered::Paired { first, .. } => firsts[first as usize] += 1,
                Entered::Waits(_) => panic!("nobody was there"),
            }
        }
        assert!(firsts.iter().all(|count| *count > 400), "{firsts:?}");
    }
}
