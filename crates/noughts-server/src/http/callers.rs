//! Who asks, and how much of it: so many requests, open tables and streams for each address.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::{HeaderMap, request::Parts};
use noughts_api::Kind;
use tokio::sync::watch;

use super::Web;
use super::refusal::{Refuse, refuse};
use crate::house::House;
use crate::id::GameId;
use crate::tcp::Admitted;

/// What one address may take up at the HTTP door. Whoever is on this very machine is not counted,
/// unless a proxy says for whom it asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpLimits {
    /// Requests a second, in the long run.
    pub per_second: u32,
    /// Requests at once, after a while without any.
    pub at_once: u32,
    /// Tables that it laid and that are not over.
    pub open_tables: usize,
    /// Streams and WebSockets.
    pub streams: usize,
    /// Proxies that are believed about `X-Forwarded-For`, besides those on this machine.
    pub proxies: Vec<IpAddr>,
    /// Pages of other servers that may ask here, by their origin: `https://example.org`.
    pub origins: Vec<String>,
}

impl Default for HttpLimits {
    fn default() -> HttpLimits {
        HttpLimits {
            per_second: 100,
            at_once: 500,
            open_tables: 500,
            streams: 500,
            proxies: Vec::new(),
            origins: Vec::new(),
        }
    }
}

/// Everybody who asked lately.
#[derive(Debug)]
pub(super) struct Callers {
    limits: HttpLimits,
    known: Mutex<HashMap<IpAddr, Known>>,
    /// How many streams there are, of whomever.
    streaming: watch::Sender<usize>,
}

/// What is known of an address.
#[derive(Debug, Default)]
struct Known {
    /// When all that was asked for so far would have been due, had it come evenly.
    due: Duration,
    /// Tables that were laid and may go on, with when.
    tables: VecDeque<(GameId, Duration)>,
    streams: usize,
}

/// More addresses than ask within a few seconds; beyond, those who ask for nothing now are forgotten.
const MOST_KNOWN: usize = 65_536;

/// A table that was laid longer ago no longer counts, whatever became of it.
const TABLE_COUNTS: Duration = Duration::from_secs(24 * 3600);

/// So many tables are looked at to find one that is over.
const LOOKED_AT: usize = 32;

/// One who asks.
#[derive(Clone)]
pub(crate) struct Caller {
    /// `None` for whoever is on this machine.
    address: Option<IpAddr>,
    /// Held as long as the connection is, by what outlives the request too.
    pub(super) admitted: Arc<Admitted>,
}

/// A stream that is counted. Dropped, there is room for another.
pub(super) struct Streaming {
    web: Arc<Web>,
    address: Option<IpAddr>,
    _admitted: Arc<Admitted>,
}

impl Callers {
    pub(super) fn new(limits: HttpLimits) -> Callers {
        Callers {
            limits,
            known: Mutex::default(),
            streaming: watch::channel(0).0,
        }
    }

    pub(super) fn limits(&self) -> &HttpLimits {
        &self.limits
    }

    /// Waits until there is no stream any more.
    pub(super) async fn streams_ended(&self) {
        // The sender is held here, so there is always an answer.
        let _ = self
            .streaming
            .subscribe()
            .wait_for(|count| *count == 0)
            .await;
    }

    /// Who asks, given the other end of the connection and what it says of itself.
    pub(super) fn caller(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
        admitted: &Arc<Admitted>,
    ) -> Caller {
        let is_here = peer.to_canonical().is_loopback();
        let said = match is_here || self.limits.proxies.contains(&peer.to_canonical()) {
            true => forwarded_for(headers),
            false => None,
        };
        let address = match said {
            Some(address) => Some(address),
            None if is_here => None,
            None => Some(peer),
        };
        Caller {
            address: address.map(household),
            admitted: Arc::clone(admitted),
        }
    }

    /// Counts a request that costs as much as `cost` simple ones, or says when it may come again.
    pub(super) fn count(&self, caller: &Caller, cost: u32, now: Duration) -> Result<(), Refuse> {
        let Some(address) = caller.address else {
            return Ok(());
        };
        let each = Duration::from_secs(1) / self.limits.per_second.max(1);
        let mut known = self.known(now);
        let known = known.entry(address).or_default();
        let due = known.due.max(now) + each * cost;
        let most = each * self.limits.at_once.max(cost);
        let Some(early) = (due - now)
            .checked_sub(most)
            .filter(|early| !early.is_zero())
        else {
            known.due = due;
            return Ok(());
        };
        Err(too_many(
            early,
            format!(
                "from one address come at most {} requests a second",
                self.limits.per_second
            ),
        ))
    }

    /// Counts a table that is to be laid.
    pub(super) async fn count_table(
        &self,
        caller: &Caller,
        house: &Arc<House>,
    ) -> Result<(), Refuse> {
        let (Some(address), now) = (caller.address, house.now()) else {
            return Ok(());
        };
        for _ in 0..LOOKED_AT {
            let oldest = {
                let mut known = self.known(now);
                let tables = &mut known.entry(address).or_default().tables;
                if tables.len() < self.limits.open_tables {
                    return Ok(());
                }
                tables.pop_front()
            };
            let Some((id, laid)) = oldest else {
                break;
            };
            if now.saturating_sub(laid) < TABLE_COUNTS && goes_on(house, id).await {
                self.remember(address, id, laid, now);
            }
        }
        Err(too_many(
            Duration::from_secs(10),
            format!(
                "one address has at most {} tables that are not over: play some to their end, or resign",
                self.limits.open_tables
            ),
        ))
    }

    /// A table was laid.
    pub(super) fn laid(&self, caller: &Caller, id: GameId, now: Duration) {
        if let Some(address) = caller.address {
            self.remember(address, id, now, now);
        }
    }

    fn remember(&self, address: IpAddr, id: GameId, laid: Duration, now: Duration) {
        let mut known = self.known(now);
        let tables = &mut known.entry(address).or_default().tables;
        tables.push_back((id, laid));
    }

    fn known(&self, now: Duration) -> MutexGuard<'_, HashMap<IpAddr, Known>> {
        // Nothing is half done in here, whoever panicked while holding it.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.retain(|_, one| one.due > now || one.streams > 0 || !one.tables.is_empty());
            if known.len() >= MOST_KNOWN / 2 {
                known.retain(|_, one| one.streams > 0);
            }
        }
        known
    }
}

impl Web {
    /// Counts a stream as long as what is given back is held.
    pub(super) fn count_stream(self: &Arc<Web>, caller: &Caller) -> Result<Streaming, Refuse> {
        let limit = self.callers.limits.streams;
        if let Some(address) = caller.address {
            let mut known = self.callers.known(self.house.now());
            let streams = &mut known.entry(address).or_default().streams;
            if *streams >= limit {
                return Err(too_many(
                    Duration::from_secs(10),
                    format!("one address watches at most {limit} tables at once"),
                ));
            }
            *streams += 1;
        }
        self.callers.streaming.send_modify(|count| *count += 1);
        Ok(Streaming {
            web: Arc::clone(self),
            address: caller.address,
            _admitted: Arc::clone(&caller.admitted),
        })
    }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        let streaming = &self.web.callers.streaming;
        streaming.send_modify(|count| *count = count.saturating_sub(1));
        if let Some(address) = self.address {
            let mut known = self.web.callers.known(Duration::ZERO);
            if let Some(one) = known.get_mut(&address) {
                one.streams = one.streams.saturating_sub(1);
            }
        }
    }
}

impl FromRequestParts<Arc<Web>> for Caller {
    type Rejection = Refuse;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Web>) -> Result<Caller, Refuse> {
        let caller = parts.extensions.get::<Caller>().cloned();
        caller.ok_or_else(|| refuse(Kind::Unavailable, "nobody knows who asks"))
    }
}

fn too_many(wait: Duration, detail: String) -> Refuse {
    Refuse {
        wait_s: wait.as_secs() + u64::from(wait.subsec_nanos() > 0),
        ..refuse(Kind::TooMany, detail)
    }
}

async fn goes_on(house: &Arc<House>, id: GameId) -> bool {
    let Ok(Some(room)) = house.room(id).await else {
        return false;
    };
    let sight = room.look().await;
    sight.is_ok_and(|sight| sight.table().game().conclusion().is_none())
}

/// Whom a proxy asks for: it adds the address that it sees at the end.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let said = headers.get_all("x-forwarded-for").iter().next_back()?;
    let last = said.to_str().ok()?.rsplit(',').next()?.trim();
    last.parse().ok()
}

/// One household has 2^64 addresses of the newer kind.
fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let prefix = address.to_bits() >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from_bits(prefix))
        }
    }
}
