//! Limits for open connections: in total, and per address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::Bans;

/// Limits for connections, over all listeners.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionLimits {
    /// Maximum number of open connections.
    pub connections: usize,
    /// Maximum number of open connections from one address; an IPv6 /64 counts as one address.
    /// 127.0.0.1, ::1 and trusted proxies are exempt. In one burst, an address may open twice this number of
    /// connections, but at least 1 000, and on average a tenth of its burst per second.
    pub per_address: usize,
    /// The server disconnects a TCP client that makes no progress for this long while the server waits for
    /// the client. The server also disconnects a client if it cannot store the client's move for this long.
    pub idle: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        ConnectionLimits {
            connections: 10_000,
            per_address: 512,
            idle: Duration::from_secs(120),
        }
    }
}

/// Maximum number of connections, over all listeners, that are open only to receive a refusal. Further
/// refused connections are closed immediately.
const REFUSED: usize = 256;

/// Maximum number of connections per address that are open only to receive a refusal or to make health checks. Exempt
/// addresses have no such limit.
const REFUSED_PER_ADDRESS: usize = 16;

/// Maximum number of refused connections of one address that get an answer, per second on average. The server
/// closes further connections without an answer. Otherwise, a client that connects all the time would cost as
/// much as an ordinary client.
const ANSWERED_REFUSALS_PER_SECOND: u32 = 16;

/// Maximum number of refused connections of one address that get an answer in one burst after a pause.
const ANSWERED_REFUSALS_AT_ONCE: u32 = 64;

/// Minimum burst size: the number of connections that any address may open in one burst after a pause. The
/// burst size of an address is this number or twice [`ConnectionLimits::per_address`], whichever is larger. A
/// used-up burst is available again after ten seconds.
const MIN_CONNECTS_AT_ONCE: u32 = 1_000;

/// Minimum number of entries at which [`Addresses`] removes the entries that are no longer needed.
const MIN_ENTRIES_TO_PRUNE: usize = 1_024;

/// Number of HTTP connections beyond the total limit, for health checks only.
const RESERVED: usize = 32;

/// Time limit for a connection that is refused or only for health checks. The limit applies to the TLS
/// handshake. After the handshake, the limit applies again: to the lifetime of an HTTP connection, and to the
/// idle time of a TCP client.
pub(crate) const REFUSED_TIME: Duration = Duration::from_secs(5);

/// What a connection may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Permission {
    /// The client may use the whole service.
    Serve,
    /// The server is full. The client may only make health checks, on a connection from the reserve.
    HealthChecks,
    /// The client only receives the refusal "the server is full".
    ServerFull,
    /// The client only receives the refusal "this address has too many connections, or opens too many".
    AddressFull,
}

/// What a listener does with connections beyond the total limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WhenFull {
    /// Sends a refusal to each of them, as far as the limits for refusals allow, and closes them.
    Refuse,
    /// Accepts some of them, but only for health checks.
    AnswerHealthChecks,
}

/// Counts the open connections of all listeners, and applies the limits and the bans.
#[derive(Debug)]
pub(crate) struct Connections {
    limits: ConnectionLimits,
    /// Trusted proxies. They are exempt from limits per address, because each proxy serves many clients.
    proxies: Vec<IpAddr>,
    served: Slots,
    refused: Slots,
    reserved: Slots,
    refused_total: AtomicU64,
    /// The connections of addresses that are not exempt.
    addresses: Mutex<Addresses>,
    bans: Bans,
    /// The zero point of all times in the token buckets.
    started: Instant,
}

#[derive(Debug)]
struct Addresses {
    entries: HashMap<IpAddr, AddressEntry>,
    /// When there are this many entries, the entries that are no longer needed are removed.
    prune_at: usize,
}

/// The connections of one address.
#[derive(Debug, Default)]
struct AddressEntry {
    served: usize,
    /// Number of connections that are refused or only for health checks.
    not_served: usize,
    /// Limits the rate of new connections.
    connects: TokenBucket,
    /// Limits the rate of refusals with an answer.
    refusals: TokenBucket,
}

/// The right to keep one connection open. The connection counts for the limits until the permit is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    connections: Arc<Connections>,
    /// `None` if the address is exempt.
    network: Option<IpAddr>,
    permission: Permission,
}

impl Connections {
    pub(crate) fn new(limits: ConnectionLimits, proxies: &[IpAddr]) -> Connections {
        Connections {
            limits,
            proxies: proxies.iter().map(IpAddr::to_canonical).collect(),
            served: Slots::new(limits.connections),
            refused: Slots::new(REFUSED),
            reserved: Slots::new(RESERVED),
            refused_total: AtomicU64::new(0),
            addresses: Mutex::new(Addresses {
                entries: HashMap::new(),
                prune_at: MIN_ENTRIES_TO_PRUNE,
            }),
            bans: Bans::default(),
            started: Instant::now(),
        }
    }

    /// The banned networks.
    pub(crate) fn bans(&self) -> &Bans {
        &self.bans
    }

    /// Number of open connections, including refused ones.
    pub(crate) fn open(&self) -> usize {
        self.served.used() + self.refused.used() + self.reserved.used()
    }

    /// The number of connections since the start that were refused or limited to health checks.
    pub(crate) fn refused_total(&self) -> u64 {
        self.refused_total.load(Ordering::Relaxed)
    }

    /// A permit for a new connection; `None` if the connection must be closed immediately.
    pub(crate) fn admit(
        self: &Arc<Connections>,
        peer: IpAddr,
        when_full: WhenFull,
    ) -> Option<Permit> {
        let is_proxy = self.is_proxy(peer);
        if self.is_banned(peer) {
            self.refused_total.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let network = (!is_exempt(peer) && !is_proxy).then(|| network(peer));
        let permission = match network {
            None => self.choose(when_full, &mut AddressEntry::default(), Duration::ZERO),
            Some(network) => {
                let now = self.started.elapsed();
                let mut addresses = self.addresses();
                addresses.prune(now);
                let entry = addresses.entries.entry(network).or_default();
                let permission = self.choose(when_full, entry, now);
                match permission {
                    Some(Permission::Serve) => entry.served += 1,
                    Some(_) => entry.not_served += 1,
                    None => {}
                }
                permission
            }
        };
        if permission != Some(Permission::Serve) {
            self.refused_total.fetch_add(1, Ordering::Relaxed);
        }
        permission.map(|permission| Permit {
            connections: Arc::clone(self),
            network,
            permission,
        })
    }

    /// Whether the peer of a connection is banned. A trusted proxy is never banned.
    pub(super) fn is_banned(&self, peer: IpAddr) -> bool {
        !self.is_proxy(peer) && self.bans.contain(peer)
    }

    fn is_proxy(&self, peer: IpAddr) -> bool {
        self.proxies.contains(&peer.to_canonical())
    }

    /// Chooses the permission for the next connection of an address, and takes the slot for it. `None` if the
    /// connection must be closed immediately.
    fn choose(
        &self,
        when_full: WhenFull,
        entry: &mut AddressEntry,
        now: Duration,
    ) -> Option<Permission> {
        let at_once = u32::try_from(self.limits.per_address.saturating_mul(2))
            .unwrap_or(u32::MAX)
            .max(MIN_CONNECTS_AT_ONCE);
        let is_address_full = entry.served >= self.limits.per_address
            || entry
                .connects
                .take_one(at_once.div_ceil(10), at_once, now)
                .is_err();
        if !is_address_full && self.served.take() {
            return Some(Permission::Serve);
        }
        let (per_second, at_once) = (ANSWERED_REFUSALS_PER_SECOND, ANSWERED_REFUSALS_AT_ONCE);
        if entry.not_served >= REFUSED_PER_ADDRESS
            || entry.refusals.take_one(per_second, at_once, now).is_err()
        {
            return None;
        }
        let permission = match when_full {
            _ if is_address_full => Permission::AddressFull,
            WhenFull::Refuse => Permission::ServerFull,
            WhenFull::AnswerHealthChecks => Permission::HealthChecks,
        };
        self.slots(permission).take().then_some(permission)
    }

    fn slots(&self, permission: Permission) -> &Slots {
        match permission {
            Permission::Serve => &self.served,
            Permission::HealthChecks => &self.reserved,
            Permission::ServerFull | Permission::AddressFull => &self.refused,
        }
    }

    fn addresses(&self) -> MutexGuard<'_, Addresses> {
        // No panic can interrupt a change under this lock.
        self.addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Addresses {
    /// Removes the entries that are no longer needed, if there are many entries.
    fn prune(&mut self, now: Duration) {
        if self.entries.len() >= self.prune_at {
            self.entries.retain(|_, entry| !entry.is_unused(now));
            self.prune_at = (2 * self.entries.len()).max(MIN_ENTRIES_TO_PRUNE);
        }
    }
}

impl AddressEntry {
    /// Whether this entry can be removed, because a new entry would have the same limits.
    fn is_unused(&self, now: Duration) -> bool {
        let buckets = [self.connects, self.refusals];
        let counts = [self.served, self.not_served];
        counts == [0, 0] && buckets.iter().all(|bucket| bucket.is_full(now))
    }
}

impl Permit {
    pub(crate) fn permission(&self) -> Permission {
        self.permission
    }

    pub(crate) fn is_served(&self) -> bool {
        self.permission == Permission::Serve
    }

    /// The banned networks.
    pub(crate) fn bans(&self) -> &Bans {
        &self.connections.bans
    }

    /// [`ConnectionLimits::idle`], but at most [`REFUSED_TIME`] for a connection that is refused or only for health
    /// checks.
    pub(crate) fn idle_limit(&self) -> Duration {
        let idle = self.connections.limits.idle;
        match self.permission {
            Permission::Serve => idle,
            Permission::HealthChecks | Permission::ServerFull | Permission::AddressFull => {
                idle.min(REFUSED_TIME)
            }
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.connections.slots(self.permission).give_back();
        let Some(network) = self.network else { return };
        let now = self.connections.started.elapsed();
        let mut addresses = self.connections.addresses();
        let Some(entry) = addresses.entries.get_mut(&network) else {
            return;
        };
        match self.permission {
            Permission::Serve => entry.served -= 1,
            _ => entry.not_served -= 1,
        }
        if entry.is_unused(now) {
            addresses.entries.remove(&network);
        }
    }
}

/// A token bucket, stored as one point in time (generic cell rate algorithm, GCRA).
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct TokenBucket {
    /// The time at which the bucket is full again (in GCRA, the theoretical arrival time).
    full_at: Duration,
}

impl TokenBucket {
    /// Takes `cost` from a bucket that can hold `capacity`. Both are given as times: how long it takes to
    /// refill this amount. If the bucket has too little, nothing changes, and `Err` has the time to wait.
    pub(crate) fn take(
        &mut self,
        cost: Duration,
        capacity: Duration,
        now: Duration,
    ) -> Result<(), Duration> {
        let full_at = self.full_at.max(now) + cost;
        match (full_at - now).checked_sub(capacity) {
            Some(wait) if !wait.is_zero() => Err(wait),
            Some(_) | None => {
                self.full_at = full_at;
                Ok(())
            }
        }
    }

    /// Takes one token from a bucket that gets `per_second` tokens per second and can hold `at_once` tokens.
    /// If the bucket has no token, `Err` has the time to wait.
    fn take_one(&mut self, per_second: u32, at_once: u32, now: Duration) -> Result<(), Duration> {
        let cost = Duration::from_secs(1) / per_second;
        self.take(cost, cost * at_once, now)
    }

    pub(crate) fn give_back(&mut self, cost: Duration) {
        self.full_at = self.full_at.saturating_sub(cost);
    }

    pub(crate) fn time_until_full(self, now: Duration) -> Duration {
        self.full_at.saturating_sub(now)
    }

    pub(crate) fn is_full(self, now: Duration) -> bool {
        self.full_at <= now
    }

    /// Whether less than `cost` is left in the bucket.
    pub(crate) fn is_below(mut self, cost: Duration, capacity: Duration, now: Duration) -> bool {
        self.take(cost, capacity, now).is_err()
    }
}

/// A fixed number of slots, and how many of them are used.
#[derive(Debug)]
struct Slots {
    used: AtomicUsize,
    size: usize,
}

impl Slots {
    fn new(size: usize) -> Slots {
        Slots {
            used: AtomicUsize::new(0),
            size,
        }
    }

    fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Takes a slot if one is free.
    fn take(&self) -> bool {
        let one_more = |used| (used < self.size).then_some(used + 1);
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        self.used.fetch_update(set, fetch, one_more).is_ok()
    }

    fn give_back(&self) {
        self.used.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether the address is exempt from limits per address. Only 127.0.0.1 and ::1 are exempt. The limits apply
/// to the rest of 127.0.0.0/8, so tests can use these addresses as ordinary clients. This function does not
/// know the trusted proxies, which are exempt too.
pub(crate) fn is_exempt(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address == Ipv4Addr::LOCALHOST,
        IpAddr::V6(address) => address == Ipv6Addr::LOCALHOST,
    }
}

/// The unit that counts as one address: an IPv4 address, or the /64 network of an IPv6 address. One IPv6
/// customer usually has a whole /64.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let prefix = address.to_bits() >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from_bits(prefix))
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn connections(total: usize, per_address: usize) -> Arc<Connections> {
        let limits = ConnectionLimits {
            connections: total,
            per_address,
            ..ConnectionLimits::default()
        };
        let proxy = "10.0.0.9".parse().unwrap();
        Arc::new(Connections::new(limits, &[proxy]))
    }

    /// All permits that an address can get, until one is refused.
    fn all(connections: &Arc<Connections>, address: &str, when_full: WhenFull) -> Vec<Permit> {
        let address = address.parse().unwrap();
        std::iter::from_fn(|| connections.admit(address, when_full)).collect()
    }

    fn count(permits: &[Permit], permission: Permission) -> usize {
        let are = permits.iter().filter(|one| one.permission() == permission);
        are.count()
    }

    #[test]
    fn full_server_refuses_some_and_closes_the_rest() {
        let connections = connections(2, 512);
        let mut open = all(&connections, "127.0.0.1", WhenFull::Refuse);
        assert_eq!(count(&open, Permission::Serve), 2);
        assert_eq!(count(&open, Permission::ServerFull), REFUSED);
        assert_eq!(open.len(), 2 + REFUSED);
        // When a served connection closes, its slot is free, regardless of the number of refused connections.
        open.remove(0);
        let next = connections.admit([127, 0, 0, 1].into(), WhenFull::Refuse);
        assert!(next.is_some_and(|permit| permit.is_served()));
    }

    #[test]
    fn full_server_reserves_room_for_health_checks() {
        let connections = connections(2, 512);
        let tcp = all(&connections, "127.0.0.1", WhenFull::Refuse);
        let http = all(&connections, "::1", WhenFull::AnswerHealthChecks);
        assert_eq!(count(&http, Permission::HealthChecks), RESERVED);
        assert_eq!(http.len(), RESERVED);
        drop((tcp, http));
        // One address cannot take the whole reserve.
        let served = all(&connections, "10.0.0.1", WhenFull::AnswerHealthChecks);
        assert_eq!(served.len(), 2 + REFUSED_PER_ADDRESS);
        let other = connections.admit([10, 0, 0, 2].into(), WhenFull::AnswerHealthChecks);
        assert_eq!(other.unwrap().permission(), Permission::HealthChecks);
    }

    #[test]
    fn address_has_a_limit_of_its_own() {
        for when_full in [WhenFull::Refuse, WhenFull::AnswerHealthChecks] {
            let connections = connections(100, 4);
            let mut open = all(&connections, "127.0.0.2", when_full);
            assert_eq!(count(&open, Permission::Serve), 4);
            assert_eq!(count(&open, Permission::AddressFull), REFUSED_PER_ADDRESS);
            assert_eq!(open.len(), 4 + REFUSED_PER_ADDRESS);
            open.remove(0);
            assert!(
                connections
                    .admit([127, 0, 0, 2].into(), when_full)
                    .unwrap()
                    .is_served()
            );
            for exempt in ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.9"] {
                let served: Vec<Permit> = (0..40)
                    .filter_map(|_| connections.admit(exempt.parse().unwrap(), when_full))
                    .collect();
                assert_eq!(count(&served, Permission::Serve), 40, "{exempt}");
            }
        }
    }

    #[test]
    fn ipv6_counts_by_64_bits() {
        let connections = connections(100, 1);
        let admit = |address: &str| {
            let address = address.parse().unwrap();
            let permit = connections.admit(address, WhenFull::Refuse);
            permit.unwrap()
        };
        let first = admit("2001:db8::1");
        assert!(first.is_served());
        assert!(!admit("2001:db8::ffff:2").is_served());
        assert!(admit("2001:db8:0:1::1").is_served());
        drop(first);
        assert!(admit("2001:db8::ffff:2").is_served());
    }

    #[tokio::test(start_paused = true)]
    async fn address_that_connects_all_the_time_is_refused() {
        let connections = connections(100, 4);
        let connect = |address: &str| {
            let permit = connections.admit(address.parse().unwrap(), WhenFull::Refuse);
            permit.map(|permit| permit.permission())
        };
        // The test closes each connection at once. So the rate of connections is the reason for each refusal,
        // not the number of open connections.
        let count_until_closed = |address: &str| {
            let permissions: Vec<_> = std::iter::from_fn(|| connect(address))
                .take(10_000)
                .collect();
            [Permission::Serve, Permission::AddressFull]
                .map(|wanted| permissions.iter().filter(|one| **one == wanted).count())
        };
        assert_eq!(count_until_closed("10.0.0.1"), [1_000, 64]);
        assert_eq!(connect("10.0.0.2"), Some(Permission::Serve));
        assert_eq!(count_until_closed("127.0.0.1"), [10_000, 0]);
        advance(Duration::from_secs(1)).await;
        assert_eq!(count_until_closed("10.0.0.1"), [100, 16]);
    }

    #[tokio::test(start_paused = true)]
    async fn burst_is_twice_the_number_of_open_connections() {
        let connections = connections(10_000, 600);
        let address = "10.0.0.1".parse().unwrap();
        let count_served = || {
            let permits = (0..3_000).map_while(|_| connections.admit(address, WhenFull::Refuse));
            permits.filter(Permit::is_served).count()
        };
        assert_eq!(count_served(), 1_200);
        advance(Duration::from_secs(1)).await;
        assert_eq!(count_served(), 120);
    }

    #[tokio::test(start_paused = true)]
    async fn entry_with_open_connections_is_kept() {
        let connections = connections(10_000, 4);
        let address = "10.0.0.1".parse().unwrap();
        let admit = || connections.admit(address, WhenFull::Refuse).unwrap();
        let busy: Vec<Permit> = (0..4).map(|_| admit()).collect();
        assert_eq!(count(&busy, Permission::Serve), 4);
        // After 20 s, only the open connections keep the entry. Many other addresses connect, so that entries are
        // pruned.
        advance(Duration::from_secs(20)).await;
        for number in 0..3 * MIN_ENTRIES_TO_PRUNE as u16 {
            let [high, low] = number.to_be_bytes();
            drop(connections.admit([10, 1, high, low].into(), WhenFull::Refuse));
        }
        assert_eq!(admit().permission(), Permission::AddressFull);
        drop(busy);
        assert!(admit().is_served());
    }

    #[tokio::test(start_paused = true)]
    async fn entries_of_closed_connections_are_bounded() {
        let connections = connections(100, 4);
        for number in 0..=u16::MAX {
            let [high, low] = number.to_be_bytes();
            drop(all(
                &connections,
                &format!("10.0.{high}.{low}"),
                WhenFull::Refuse,
            ));
            advance(Duration::from_millis(5)).await;
            // The 16 refusals of an address are forgotten after one second. Within a second, 200 addresses
            // connect.
            assert!(connections.addresses().entries.len() <= MIN_ENTRIES_TO_PRUNE);
        }
        assert_eq!(connections.open(), 0);
    }
}
