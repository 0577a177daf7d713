//! A bounded, fair queue for a few slots. A free slot goes to the waiting owner that holds the fewest slots.
//! If several owners hold the fewest slots, they take turns (round robin). The requests of one owner are
//! served first in, first out. The queue has no threads and no timers. The caller passes the time.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

use tokio::sync::oneshot;

use super::time_limits::Budget;
use crate::net::network;

/// Maximum number of waiting requests of all owners.
pub(super) const MAX_WAITING: usize = 10_000;

/// Number of accounts (one per owner) at which the queue first removes idle accounts. The queue removes them
/// again whenever the number of accounts has doubled.
const MIN_ACCOUNTS_TO_PRUNE: usize = 256;

/// The client that a computation is for. `None` is a client that is exempt from limits per owner, such as a
/// client on this machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Owner(Option<IpAddr>);

impl Owner {
    /// The owner that an address belongs to. All addresses of one [`network`] belong to one owner.
    pub(super) fn new(address: Option<IpAddr>) -> Owner {
        Owner(address.map(network))
    }

    fn is_exempt(self) -> bool {
        self.0.is_none()
    }
}

/// The result for a request that leaves the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum QueueResult {
    /// The request has a slot, and may compute for the given time.
    Granted(Duration),
    /// The queue is full, and another request displaced this request.
    Displaced,
}

/// Identifies a request from [`Queue::enter`] to [`Queue::leave`].
pub(super) type Ticket = u64;

pub(super) struct Queue {
    slots: usize,
    /// Maximum number of slots for one owner that is not exempt.
    slots_per_owner: usize,
    running: usize,
    waiting: usize,
    next_ticket: Ticket,
    accounts: HashMap<Owner, Account>,
    /// Owners with waiting requests, in round-robin order. Each is listed once.
    order: VecDeque<Owner>,
    /// When there are this many accounts, the idle accounts are removed.
    prune_at: usize,
}

#[derive(Default)]
struct Account {
    /// Waiting requests by ticket, oldest first.
    waiting: BTreeMap<Ticket, oneshot::Sender<QueueResult>>,
    /// Running computations by ticket. The value is the time at which the computation got its slot.
    running: BTreeMap<Ticket, Duration>,
    budget: Budget,
}

impl Queue {
    /// A queue for `slots` slots, but at least 2.
    pub(super) fn new(slots: usize) -> Queue {
        let slots = slots.max(2);
        Queue {
            slots,
            slots_per_owner: slots / 2,
            running: 0,
            waiting: 0,
            next_ticket: 0,
            accounts: HashMap::new(),
            order: VecDeque::new(),
            prune_at: MIN_ACCOUNTS_TO_PRUNE,
        }
    }

    /// Adds a request. The receiver is notified when the request gets a slot or is displaced. If the queue is
    /// full, the new request displaces the newest request of the owner with the most waiting requests. If
    /// that owner does not have at least two more waiting requests than `owner`, the new request is refused:
    /// this function changes nothing and returns `None`. The caller must call [`leave`](Queue::leave) for
    /// each request that was added.
    pub(super) fn enter(
        &mut self,
        owner: Owner,
        now: Duration,
    ) -> Option<(Ticket, oneshot::Receiver<QueueResult>)> {
        if self.waiting >= MAX_WAITING && !self.displace(owner) {
            return None;
        }
        self.prune(now);
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let (sender, receiver) = oneshot::channel();
        let account = self.accounts.entry(owner).or_default();
        if account.waiting.is_empty() {
            self.order.push_back(owner);
        }
        account.waiting.insert(ticket, sender);
        self.waiting += 1;
        self.grant(now);
        Some((ticket, receiver))
    }

    /// Removes a request, whether it waits, runs or was displaced. Charges its owner for the time in a slot, unless the
    /// owner is exempt.
    pub(super) fn leave(&mut self, owner: Owner, ticket: Ticket, now: Duration) {
        let Some(account) = self.accounts.get_mut(&owner) else {
            return;
        };
        if let Some(started) = account.running.remove(&ticket) {
            self.running -= 1;
            if !owner.is_exempt() {
                account.budget.charge(now.saturating_sub(started), now);
            }
        } else if account.waiting.remove(&ticket).is_some() {
            self.waiting -= 1;
            if account.waiting.is_empty() {
                self.order.retain(|other| *other != owner);
            }
        }
        self.grant(now);
    }

    /// The number of running computations, and of waiting requests.
    pub(super) fn busy(&self) -> (usize, usize) {
        (self.running, self.waiting)
    }

    /// Assigns free slots.
    fn grant(&mut self, now: Duration) {
        while self.running < self.slots {
            let Some(owner) = self.next_owner().and_then(|index| self.order.remove(index)) else {
                return;
            };
            let Some(account) = self.accounts.get_mut(&owner) else {
                continue;
            };
            let Some((ticket, sender)) = account.waiting.pop_first() else {
                continue;
            };
            if !account.waiting.is_empty() {
                self.order.push_back(owner);
            }
            self.waiting -= 1;
            self.running += 1;
            account.running.insert(ticket, now);
            let limit = account.budget.limit(now);
            // An error means that the receiver was dropped. The caller of `enter` still calls `leave` with
            // the ticket.
            let _ = sender.send(QueueResult::Granted(limit));
        }
    }

    /// Returns the index in `order` of the owner that gets the next free slot. Of the owners below their
    /// maximum, this is the first owner with the fewest slots. The search stops at the first owner without a
    /// slot. With `n` slots, at most `n` owners have a slot, so the search checks at most `n + 1` owners.
    fn next_owner(&self) -> Option<usize> {
        let mut best: Option<(usize, usize)> = None;
        for (index, owner) in self.order.iter().enumerate() {
            let held = self
                .accounts
                .get(owner)
                .map_or(0, |account| account.running.len());
            let limit = match owner.is_exempt() {
                true => self.slots,
                false => self.slots_per_owner,
            };
            if held < limit && best.is_none_or(|(fewest, _)| held < fewest) {
                best = Some((held, index));
            }
            if held == 0 {
                break;
            }
        }
        best.map(|(_, index)| index)
    }

    /// Makes room in a full queue: removes the newest request of the owner with the most waiting requests.
    /// If that owner does not have at least two more waiting requests than `owner`, this function changes
    /// nothing and returns false.
    fn displace(&mut self, owner: Owner) -> bool {
        let own = self
            .accounts
            .get(&owner)
            .map_or(0, |account| account.waiting.len());
        let most = self
            .accounts
            .values_mut()
            .max_by_key(|account| account.waiting.len());
        let Some(account) = most.filter(|account| account.waiting.len() > own + 1) else {
            return false;
        };
        if let Some((_, sender)) = account.waiting.pop_last() {
            let _ = sender.send(QueueResult::Displaced);
            self.waiting -= 1;
        }
        true
    }

    /// Removes idle accounts. The remaining owners have waiting or running requests, or have used processor
    /// time recently. The number of owners that have used processor time recently is bounded. A second of
    /// processor time is refilled in two seconds, so on average there are at most two such owners per slot.
    fn prune(&mut self, now: Duration) {
        if self.accounts.len() < self.prune_at {
            return;
        }
        self.accounts.retain(|_, account| {
            let is_idle = account.waiting.is_empty() && account.running.is_empty();
            !is_idle || !account.budget.is_full(now)
        });
        self.prune_at = (2 * self.accounts.len()).max(MIN_ACCOUNTS_TO_PRUNE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::time_limits::{MAX_THINK, MIN_THINK};

    const NOW: Duration = Duration::from_secs(1);

    fn owner(last: u8) -> Owner {
        Owner::new(Some(IpAddr::from([192, 0, 2, last])))
    }

    /// A request with the data that its caller keeps.
    struct Request {
        owner: Owner,
        ticket: Ticket,
        turn: oneshot::Receiver<QueueResult>,
    }

    impl Request {
        fn new(queue: &mut Queue, owner: Owner) -> Request {
            let (ticket, turn) = queue.enter(owner, NOW).expect("the queue has room");
            Request {
                owner,
                ticket,
                turn,
            }
        }

        fn turn(&mut self) -> Option<QueueResult> {
            self.turn.try_recv().ok()
        }

        fn leave(self, queue: &mut Queue, now: Duration) {
            queue.leave(self.owner, self.ticket, now);
        }
    }

    #[test]
    fn one_owner_holds_at_most_half_of_the_slots() {
        for (slots, most) in [(0, 1), (1, 1), (2, 1), (3, 1), (4, 2), (9, 4)] {
            let mut queue = Queue::new(slots);
            for _ in 0..200 {
                queue.enter(owner(1), NOW);
            }
            assert_eq!(queue.busy(), (most, 200 - most), "{slots} slots");
        }
    }

    #[test]
    fn another_owner_does_not_wait_for_two_hundred_requests() {
        let mut queue = Queue::new(4);
        let mut hostile: Vec<Request> = (0..200)
            .map(|_| Request::new(&mut queue, owner(1)))
            .collect();
        let mut other = Request::new(&mut queue, owner(2));
        assert_eq!(other.turn(), Some(QueueResult::Granted(MAX_THINK)));
        // Now all slots are taken. A third owner gets the next free slot.
        let mut second = Request::new(&mut queue, owner(2));
        assert!(second.turn().is_some());
        let mut third = Request::new(&mut queue, owner(3));
        assert_eq!((third.turn(), queue.busy().0), (None, 4));
        hostile.remove(0).leave(&mut queue, NOW);
        assert!(third.turn().is_some());
        // The next slot is for the hostile owner again.
        second.leave(&mut queue, NOW);
        assert!(hostile[1].turn().is_some());
    }

    #[test]
    fn owners_take_turns_and_their_requests_keep_their_order() {
        let mut queue = Queue::new(2);
        let running = [9, 8].map(|last| Request::new(&mut queue, owner(last)));
        let mut waiting: Vec<(char, Request)> =
            [('a', 1), ('b', 1), ('c', 1), ('d', 2), ('e', 3), ('f', 2)]
                .map(|(name, last)| (name, Request::new(&mut queue, owner(last))))
                .into();
        let mut order = String::new();
        let [first, second] = running;
        first.leave(&mut queue, NOW);
        // One slot stays taken, so that the waiting requests get the other slot one by one.
        while let Some(index) = waiting
            .iter_mut()
            .position(|(_, request)| request.turn().is_some())
        {
            let (name, request) = waiting.remove(index);
            order.push(name);
            request.leave(&mut queue, NOW);
        }
        assert_eq!(order, "adebfc");
        second.leave(&mut queue, NOW);
        assert_eq!(queue.busy(), (0, 0));
    }

    #[test]
    fn request_that_leaves_early_frees_its_place() {
        let mut queue = Queue::new(2);
        let running = Request::new(&mut queue, owner(1));
        let waiting = Request::new(&mut queue, owner(1));
        let mut last = Request::new(&mut queue, owner(1));
        waiting.leave(&mut queue, NOW);
        assert_eq!(queue.busy(), (1, 1));
        // The second request has left, so the third gets the slot of the first.
        running.leave(&mut queue, NOW);
        assert!(last.turn().is_some());
        last.leave(&mut queue, NOW);
        assert_eq!(queue.busy(), (0, 0));
        assert!(queue.order.is_empty());
    }

    #[test]
    fn used_up_budget_leaves_a_short_deadline() {
        let mut queue = Queue::new(2);
        let mut now = NOW;
        let mut limits = Vec::new();
        for _ in 0..20 {
            let (ticket, mut turn) = queue.enter(owner(1), now).unwrap();
            let Ok(QueueResult::Granted(limit)) = turn.try_recv() else {
                panic!("no other owner waits");
            };
            limits.push(limit);
            now += limit;
            queue.leave(owner(1), ticket, now);
        }
        // Each of the first moves takes 5 s from the budget, while 2.5 s are refilled. Later moves get only
        // the time that is left in the budget.
        assert_eq!(limits[..6], [MAX_THINK; 6]);
        assert!(limits.is_sorted_by(|one, next| one >= next), "{limits:?}");
        assert_eq!(limits.last(), Some(&MIN_THINK));
        // Other owners have their own budgets, and time refills the used-up budget.
        let (_, mut turn) = queue.enter(owner(2), now).unwrap();
        assert_eq!(turn.try_recv(), Ok(QueueResult::Granted(MAX_THINK)));
        let (_, mut turn) = queue.enter(owner(1), now + 100 * NOW).unwrap();
        assert_eq!(turn.try_recv(), Ok(QueueResult::Granted(MAX_THINK)));
    }

    #[test]
    fn full_queue_displaces_the_owner_with_the_most_requests() {
        let mut queue = Queue::new(2);
        let mut many: Vec<Request> = (0..=MAX_WAITING)
            .map(|_| Request::new(&mut queue, owner(1)))
            .collect();
        assert_eq!(queue.busy(), (1, MAX_WAITING));
        assert!(queue.enter(owner(1), NOW).is_none());
        let mut other = Request::new(&mut queue, owner(2));
        assert!(other.turn().is_some());
        let mut newest = many.pop().unwrap();
        assert_eq!(newest.turn(), Some(QueueResult::Displaced));
        newest.leave(&mut queue, NOW);
        for request in many {
            request.leave(&mut queue, NOW);
        }
        other.leave(&mut queue, NOW);
        assert_eq!(queue.busy(), (0, 0));
    }

    #[test]
    fn accounts_of_idle_owners_are_dropped() {
        let mut queue = Queue::new(2);
        for number in 0..100_000_u32 {
            let owner = Owner::new(Some(IpAddr::from(number.to_be_bytes())));
            let now = Duration::from_millis(u64::from(number));
            let (ticket, _) = queue.enter(owner, now).unwrap();
            queue.leave(owner, ticket, now + Duration::from_millis(1));
        }
        assert!(
            queue.accounts.len() <= MIN_ACCOUNTS_TO_PRUNE,
            "{}",
            queue.accounts.len()
        );
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one_owner() {
        let of = |text: &str| Owner::new(Some(text.parse().unwrap()));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    }
}
