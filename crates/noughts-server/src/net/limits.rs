//! Limits for open connections: in total, and per address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Bans;

/// Limits for connections, over all listeners.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionLimits {
    /// Maximum number of open connections.
    pub connections: usize,
    /// Maximum number of open connections from one address; an IPv6 /64 counts as one address.
    /// 127.0.0.1, ::1 and trusted proxies are exempt.
    pub per_address: usize,
    /// The server disconnects a TCP client if the client makes no progress for this long while the server waits for it.
    /// The server also disconnects a client if it cannot store the client's move for this long.
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

/// Maximum number of connections, over all listeners, that are open only to receive a refusal. Further refused
/// connections are closed at once.
const REFUSED: usize = 256;

/// Maximum number of connections per address that are open only to receive a refusal or to make health checks. Exempt
/// addresses have no such limit.
const REFUSED_PER_ADDRESS: usize = 16;

/// Number of HTTP connections beyond the total limit, for health checks only.
const RESERVED: usize = 32;

/// Time limit for a connection that is refused or only for health checks. The TLS handshake may take this long. After
/// the handshake, an HTTP connection may stay open for this long, and a TCP client may make no progress for this long.
pub(crate) const REFUSED_TIME: Duration = Duration::from_secs(5);

/// What a connection may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Permission {
    /// Everything.
    Serve,
    /// The server is full; this connection is from the reserve for health checks.
    HealthChecks,
    /// Only the refusal "the server is full".
    ServerFull,
    /// Only the refusal "this address has too many connections".
    AddressFull,
}

/// What a listener does with connections beyond the total limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WhenFull {
    /// Sends a refusal.
    Refuse,
    /// Answers health checks.
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
    /// The open connections of addresses that are not exempt.
    addresses: Mutex<HashMap<IpAddr, OpenByAddress>>,
    bans: Bans,
}

/// Open connections of one address.
#[derive(Debug, Default)]
struct OpenByAddress {
    served: usize,
    /// Number of connections that are refused or only for health checks.
    others: usize,
}

/// The right to keep one connection open. Dropping the permit frees its place in the limits.
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
            addresses: Mutex::default(),
            bans: Bans::default(),
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

    /// A permit for a new connection; `None` if the connection must be closed at once.
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
            None => self.choose(when_full, &OpenByAddress::default()),
            Some(network) => {
                let mut addresses = self.addresses();
                let open = addresses.entry(network).or_default();
                let permission = self.choose(when_full, open);
                match permission {
                    Some(Permission::Serve) => open.served += 1,
                    Some(_) => open.others += 1,
                    None => {}
                }
                if open.is_empty() {
                    addresses.remove(&network);
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
    /// connection must be closed at once.
    fn choose(&self, when_full: WhenFull, open: &OpenByAddress) -> Option<Permission> {
        let is_address_full = open.served >= self.limits.per_address;
        if !is_address_full && self.served.take() {
            return Some(Permission::Serve);
        }
        if open.others >= REFUSED_PER_ADDRESS {
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

    fn addresses(&self) -> MutexGuard<'_, HashMap<IpAddr, OpenByAddress>> {
        // No panic can interrupt a change under this lock.
        self.addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenByAddress {
    fn is_empty(&self) -> bool {
        self.served == 0 && self.others == 0
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
        let mut addresses = self.connections.addresses();
        let Some(open) = addresses.get_mut(&network) else {
            return;
        };
        match self.permission {
            Permission::Serve => open.served -= 1,
            _ => open.others -= 1,
        }
        if open.is_empty() {
            addresses.remove(&network);
        }
    }
}

/// A number of slots, some of which are used.
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

/// Whether limits per address never apply to the address: only 127.0.0.1 and ::1. The rest of 127.0.0.0/8 is limited,
/// so that tests can use other addresses. This function does not know the trusted proxies, which are exempt too.
pub(crate) fn is_exempt(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address == Ipv4Addr::LOCALHOST,
        IpAddr::V6(address) => address == Ipv6Addr::LOCALHOST,
    }
}

/// The unit that counts as one address: an IPv4 address, or the /64 network of an IPv6 address, because one customer
/// usually has a whole /64.
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

    /// As many permits as an address can get.
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
        // When a served connection closes, its slot is free, however many connections are being refused.
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

    #[test]
    fn closed_connections_leave_no_entry() {
        let connections = connections(100, 4);
        for last in 0..=255 {
            let address = format!("10.0.0.{last}");
            drop(all(&connections, &address, WhenFull::Refuse));
        }
        assert!(connections.addresses().is_empty());
        assert_eq!(connections.open(), 0);
    }
}
