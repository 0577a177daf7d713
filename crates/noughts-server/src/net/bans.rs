//! Networks in CIDR notation whose clients are refused.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use tokio::sync::watch;

use super::is_exempt;

/// A network: all addresses that begin with the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Network {
    /// The first address of the network.
    address: IpAddr,
    /// Number of leading bits that all addresses of the network share.
    prefix: u8,
}

/// The text is not a network in CIDR notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidNetwork;

impl fmt::Display for InvalidNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a network is an address such as 192.0.2.7 or 2001:db8::7, or a range such as 192.0.2.0/24 or 2001:db8::/32")
    }
}

impl std::error::Error for InvalidNetwork {}

/// The first address of the network that contains `address` and has this prefix length.
fn mask(address: IpAddr, prefix: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(prefix)).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask))
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
        }
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    /// An address without a prefix length is a network of one address. Bits after the prefix are ignored:
    /// `192.0.2.7/24` is the network `192.0.2.0/24`.
    fn from_str(text: &str) -> Result<Network, InvalidNetwork> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| InvalidNetwork)?;
        let bits = match address {
            IpAddr::V4(_) => 32,
            IpAddr::V6(_) => 128,
        };
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = match prefix {
            Some(text) if is_number(text) => text.parse().map_err(|_| InvalidNetwork)?,
            Some(_) => return Err(InvalidNetwork),
            None => bits,
        };
        if prefix > bits {
            return Err(InvalidNetwork);
        }
        // Logs show an IPv4 client of an IPv6 listener as `::ffff:192.0.2.7`, so this form is accepted too.
        let (address, prefix) = match (address, address.to_canonical()) {
            (IpAddr::V6(_), mapped @ IpAddr::V4(_)) if prefix >= 96 => (mapped, prefix - 96),
            _ => (address, prefix),
        };
        Ok(Network {
            address: mask(address, prefix),
            prefix,
        })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

impl Network {
    /// Whether an address belongs to the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.address.is_ipv4() && mask(address, self.prefix) == self.address
    }
}

/// The networks that are banned now.
#[derive(Debug, Default)]
pub(crate) struct Bans(watch::Sender<Vec<Network>>);

impl Bans {
    pub(crate) fn set(&self, networks: Vec<Network>) {
        // A change wakes all receivers, so an unchanged list is not published.
        self.0.send_if_modified(|current| {
            let is_new = *current != networks;
            *current = networks;
            is_new
        });
    }

    /// Whether an address is banned. 127.0.0.1 and ::1 are never banned, because health checks and proxies use them.
    pub(crate) fn contain(&self, address: IpAddr) -> bool {
        is_banned(&self.0.borrow(), address)
    }

    /// A receiver that is notified when the list changes.
    pub(super) fn subscribe(&self) -> watch::Receiver<Vec<Network>> {
        self.0.subscribe()
    }

    /// Waits until an address is banned.
    pub(crate) async fn wait_for(&self, address: IpAddr) {
        let mut networks = self.subscribe();
        // `wait_for` fails only without a sender, and the sender lives as long as `self`.
        let _ = networks
            .wait_for(|networks| is_banned(networks, address))
            .await;
    }

    pub(crate) fn len(&self) -> usize {
        self.0.borrow().len()
    }
}

fn is_banned(networks: &[Network], address: IpAddr) -> bool {
    networks.iter().any(|network| network.contains(address)) && !is_exempt(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_their_addresses() {
        for (network, inside, outside) in [
            ("192.0.2.0/24", "192.0.2.255", "192.0.3.0"),
            ("192.0.2.7/24", "192.0.2.0", "2001:db8::1"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.6"),
            ("192.0.2.0/24", "::ffff:192.0.2.9", "::ffff:192.0.3.9"),
            ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.6"),
            ("::ffff:192.0.2.0/120", "192.0.2.255", "192.0.3.0"),
            ("0.0.0.0/0", "255.255.255.255", "::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
            ("::/0", "2001:db8::1", "192.0.2.1"),
            ("2001:db8::7", "2001:db8::7", "2001:db8::8"),
        ] {
            let network: Network = network.parse().unwrap();
            assert!(
                network.contains(inside.parse().unwrap()),
                "{network} {inside}"
            );
            assert!(
                !network.contains(outside.parse().unwrap()),
                "{network} {outside}"
            );
            assert_eq!(network.to_string().parse(), Ok(network));
        }
        assert_eq!(
            "192.0.2.7/24".parse::<Network>().unwrap().to_string(),
            "192.0.2.0/24"
        );
    }

    #[test]
    fn other_texts_are_no_networks() {
        for text in [
            "",
            "/",
            "192.0.2",
            "192.0.2.0/33",
            "::/129",
            "192.0.2.0/-1",
            "192.0.2.0/+8",
            "192.0.2.0/",
            "host",
            "1.2.3.4/8/8",
        ] {
            assert_eq!(text.parse::<Network>(), Err(InvalidNetwork), "{text}");
        }
    }

    #[test]
    fn exempt_addresses_are_never_banned() {
        let bans = Bans::default();
        bans.set(vec!["0.0.0.0/0".parse().unwrap(), "::/0".parse().unwrap()]);
        assert!(bans.contain([127, 0, 0, 2].into()) && bans.contain([192, 0, 2, 1].into()));
        assert!(!bans.contain([127, 0, 0, 1].into()) && !bans.contain(Ipv6Addr::LOCALHOST.into()));
    }
}
