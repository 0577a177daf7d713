//! Limits per client address over HTTP: requests, open tables, streams, stored bytes, new players, and quick matches.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, request::Parts};
use noughts_api::ProblemKind;
use tokio::sync::watch;

use super::AppState;
use super::error::{ApiError, api_error};
use crate::id::GameId;
use crate::net::{Permit, TokenBucket, is_exempt, network};
use crate::table::Table;
use crate::tables::Tables;

/// Limits per client address over HTTP. An IPv6 /64 counts as one address. Connections from 127.0.0.1 and ::1 have no
/// limits, unless a request names its client in `X-Forwarded-For`: then the limits of that client apply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpLimits {
    /// Maximum number of requests per second, on average.
    pub per_second: u32,
    /// Maximum number of requests in one burst after a pause.
    pub at_once: u32,
    /// Maximum number of tables that the address has created in the last 24 hours and that are not over.
    pub open_tables: usize,
    /// Maximum number of event streams and WebSockets that are open at the same time.
    pub streams: usize,
    /// Maximum number of requests for quick matches per minute, on average. After a pause, a burst of ten
    /// times this number is allowed.
    pub matches_per_minute: u32,
    /// Maximum number of new players per day. After a day without new players, this number is allowed in one
    /// burst.
    pub players_per_day: u32,
    /// Maximum number of bytes per day that imported records and robot-only games may take in the store.
    /// After a day without imports and robot-only games, this number is allowed in one burst.
    pub import_bytes_per_day: usize,
    /// Proxies whose `X-Forwarded-For` is trusted, besides 127.0.0.1 and ::1.
    pub proxies: Vec<IpAddr>,
    /// Origins of other sites whose pages may use the API, such as `https://example.org`.
    pub origins: Vec<String>,
}

impl Default for HttpLimits {
    fn default() -> HttpLimits {
        HttpLimits {
            per_second: 100,
            at_once: 500,
            open_tables: 500,
            streams: 500,
            matches_per_minute: 60,
            players_per_day: 200,
            import_bytes_per_day: 20_000_000,
            proxies: Vec::new(),
            origins: Vec::new(),
        }
    }
}

/// A table older than this does not count for [`HttpLimits::open_tables`], even if its game is not over.
const TABLE_AGE_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// Maximum number of tables that the server checks for one request, to find tables whose game is over.
const MAX_CHECKED_TABLES: usize = 32;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LEFT: HeaderName = HeaderName::from_static("ratelimit");

/// Number of replayed turns or log entries that count as one additional request. On the largest board,
/// replaying one turn or entry takes up to 5 µs.
pub(super) const REPLAY_UNIT: usize = 250;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Counts the usage of each client address, and refuses usage above the limits.
#[derive(Debug)]
pub(super) struct RateLimiter {
    limits: HttpLimits,
    usage: UsageTable,
    /// Number of open streams of all clients.
    streams: watch::Sender<usize>,
}

/// The client of a request.
#[derive(Clone)]
pub(crate) struct Client {
    /// The address that limits apply to: an IPv6 /64 is one address. `None` if no limits apply.
    network: Option<IpAddr>,
    /// The whole address, for bans; `None` if `network` is `None`.
    address: Option<IpAddr>,
    /// Keeps the connection in the count of open connections if a stream lasts longer than the request.
    permit: Arc<Permit>,
}

/// The permission for one open stream. The stream is counted as open until this value is dropped.
pub(super) struct StreamPermit {
    limiter: Arc<RateLimiter>,
    client: Client,
}

impl StreamPermit {
    /// Waits until the client's address is banned. The caller must then end the stream. Waits for ever if limits do not
    /// apply to the client.
    pub(super) async fn wait_for_ban(&self) {
        match self.client.address {
            Some(address) => self.client.permit.bans().wait_for(address).await,
            None => std::future::pending().await,
        }
    }
}

impl Client {
    /// The address that limits apply to; `None` if limits do not apply. The processor time of robots is counted for
    /// this address. The idempotency key of a request that creates a game is valid only for the same address.
    pub(super) fn network(&self) -> Option<IpAddr> {
        self.network
    }

    /// The client's whole address, for bans; `None` if limits do not apply.
    pub(super) fn address(&self) -> Option<IpAddr> {
        self.address
    }
}

impl RateLimiter {
    pub(super) fn new(limits: HttpLimits) -> RateLimiter {
        RateLimiter {
            limits,
            usage: UsageTable::new(SETS),
            streams: watch::channel(0).0,
        }
    }

    pub(super) fn limits(&self) -> &HttpLimits {
        &self.limits
    }

    /// Waits until no stream is open.
    pub(super) async fn all_streams_closed(&self) {
        // `wait_for` fails only without a sender, and the sender lives as long as `self`.
        let _ = self.streams.subscribe().wait_for(|open| *open == 0).await;
    }

    /// Whether the `X-Forwarded-For` of this peer is trusted.
    pub(super) fn is_proxy(&self, peer: IpAddr) -> bool {
        is_exempt(peer) || self.limits.proxies.contains(&peer.to_canonical())
    }

    /// The client of a request: the peer of its connection, or the address that a trusted proxy names.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap, permit: &Arc<Permit>) -> Client {
        let is_local = is_exempt(peer);
        let forwarded = match self.is_proxy(peer) {
            true => forwarded_for(headers),
            false => None,
        };
        let address = forwarded.or((!is_local).then_some(peer));
        Client {
            network: address.map(network),
            address,
            permit: Arc::clone(permit),
        }
    }

    /// Counts a request that costs as much as `cost` simple requests. Returns an error if the address has made too many
    /// requests.
    pub(super) fn count_request(
        &self,
        client: &Client,
        cost: u32,
        now: Duration,
    ) -> Result<(), ApiError> {
        let Some(network) = client.network else {
            return Ok(());
        };
        let interval = self.request_interval();
        let capacity = interval * self.limits.at_once.max(cost);
        let taken = self.usage.with(network, now, &self.limits, |usage| {
            usage.requests.take(interval * cost, capacity, now)
        });
        taken.map_err(|wait| {
            let per_second = self.limits.per_second;
            let detail = format!("one address may make at most {per_second} requests per second");
            too_many(ProblemKind::TooManyRequests, wait, detail)
        })
    }

    /// Counts the replay of `entries` turns or log entries, because a replay takes processor time.
    pub(super) fn count_replay(
        &self,
        client: &Client,
        entries: usize,
        now: Duration,
    ) -> Result<(), ApiError> {
        match (entries / REPLAY_UNIT) as u32 {
            0 => Ok(()),
            cost => self.count_request(client, cost, now),
        }
    }

    /// The headers that tell a client how many requests it may make. The format is defined in
    /// draft-ietf-httpapi-ratelimit-headers-11: the client may make `q` requests in `w` seconds, and at most `r`
    /// requests in the next `t` seconds. `Retry-After` is at least `t`.
    pub(super) fn headers(&self, network: IpAddr, now: Duration) -> [(HeaderName, HeaderValue); 2] {
        let interval = self.request_interval();
        let at_once = self.limits.at_once.max(1);
        let (quota, window) = (at_once, (interval * at_once).as_secs_f64().ceil());
        let until_full = self.usage.with(network, now, &self.limits, |usage| {
            usage.requests.time_until_full(now)
        });
        let used = (until_full.as_secs_f64() / interval.as_secs_f64()).ceil() as u32;
        let (left, wait) = (quota.saturating_sub(used), interval.as_secs_f64().ceil());
        let value = |text: String| HeaderValue::try_from(text).expect("it is visible ASCII");
        [
            (POLICY, value(format!("\"requests\";q={quota};w={window}"))),
            (LEFT, value(format!("\"requests\";r={left};t={wait}"))),
        ]
    }

    /// Counts the bytes of an imported record or of a robot-only game before it is stored. Returns an error if the
    /// address has stored too many bytes.
    pub(super) fn count_stored(
        &self,
        client: &Client,
        bytes: usize,
        now: Duration,
    ) -> Result<(), ApiError> {
        let Some(network) = client.network else {
            return Ok(());
        };
        let cost = self.import_cost(bytes);
        let taken = self.usage.with(network, now, &self.limits, |usage| {
            usage.imports.take(cost, DAY, now)
        });
        taken.map_err(|wait| {
            let limit = self.limits.import_bytes_per_day;
            let detail = format!(
                "one address may store at most {limit} bytes of records and games of robots per day"
            );
            too_many(ProblemKind::TooManyBytes, wait, detail)
        })
    }

    /// Subtracts bytes that [`count_stored`](RateLimiter::count_stored) has counted, but that were not stored.
    pub(super) fn refund_stored(&self, client: &Client, bytes: usize, now: Duration) {
        if let Some(network) = client.network {
            let cost = self.import_cost(bytes);
            self.usage.with(network, now, &self.limits, |usage| {
                usage.imports.give_back(cost);
            });
        }
    }

    /// Counts a request for a quick match. Returns an error if the address has requested too many quick matches.
    pub(super) fn count_match(&self, client: &Client, now: Duration) -> Result<(), ApiError> {
        let Some(network) = client.network else {
            return Ok(());
        };
        let limit = self.limits.matches_per_minute;
        let (interval, capacity) = self.limits.match_bucket();
        let taken = self.usage.with(network, now, &self.limits, |usage| {
            usage.matches.take(interval, capacity, now)
        });
        taken.map_err(|wait| {
            let detail =
                format!("one address may request at most {limit} quick matches per minute");
            too_many(ProblemKind::TooManyMatches, wait, detail)
        })
    }

    /// Counts a new player. Returns an error if the address has created too many players.
    pub(super) fn count_player(&self, client: &Client, now: Duration) -> Result<(), ApiError> {
        let Some(network) = client.network else {
            return Ok(());
        };
        let limit = self.limits.players_per_day;
        let taken = self.usage.with(network, now, &self.limits, |usage| {
            usage.players.take(DAY / limit.max(1), DAY, now)
        });
        taken.map_err(|wait| {
            let detail = format!("one address may create at most {limit} players per day");
            too_many(ProblemKind::TooManyPlayers, wait, detail)
        })
    }

    /// Checks whether the client may create one more table. Returns an error if too many of the client's
    /// tables are not over.
    pub(super) async fn check_open_tables(
        &self,
        client: &Client,
        tables: &Arc<Tables>,
    ) -> Result<(), ApiError> {
        let (Some(network), now) = (client.network, tables.clock().now()) else {
            return Ok(());
        };
        let limit = self.limits.open_tables;
        for _ in 0..MAX_CHECKED_TABLES {
            let oldest = self.usage.with(network, now, &self.limits, |usage| {
                let is_full = usage.tables.len() >= limit;
                is_full.then(|| usage.tables.pop_front())
            });
            let Some(oldest) = oldest else { return Ok(()) };
            let Some((id, created)) = oldest else { break };
            if now.saturating_sub(created) < TABLE_AGE_LIMIT && is_open(tables, id).await {
                self.remember_table(network, (id, created), now);
            }
        }
        Err(too_many(
            ProblemKind::TooManyTables,
            Duration::from_secs(10),
            format!(
                "one address may have at most {limit} tables that are not over: finish some games, or resign"
            ),
        ))
    }

    /// Counts a table that the client has created.
    pub(super) fn add_table(&self, client: &Client, id: GameId, now: Duration) {
        if let Some(network) = client.network {
            self.remember_table(network, (id, now), now);
        }
    }

    fn remember_table(&self, network: IpAddr, table: (GameId, Duration), now: Duration) {
        self.usage.with(network, now, &self.limits, |usage| {
            usage.tables.push_back(table);
        });
    }

    /// Counts a stream until the returned permit is dropped. Returns an error if the address has too many open streams.
    pub(super) fn open_stream(
        self: &Arc<RateLimiter>,
        client: &Client,
        now: Duration,
    ) -> Result<StreamPermit, ApiError> {
        let limit = self.limits.streams;
        if let Some(network) = client.network {
            let has_room = self.usage.with(network, now, &self.limits, |usage| {
                let has_room = usage.streams < limit;
                usage.streams += usize::from(has_room);
                has_room
            });
            if !has_room {
                let detail = format!("one address may have at most {limit} streams open");
                let (kind, wait) = (ProblemKind::TooManyStreams, Duration::from_secs(10));
                return Err(too_many(kind, wait, detail));
            }
        }
        self.streams.send_modify(|open| *open += 1);
        Ok(StreamPermit {
            limiter: Arc::clone(self),
            client: client.clone(),
        })
    }

    fn request_interval(&self) -> Duration {
        self.limits.request_interval()
    }

    /// The cost of `bytes` bytes: the time in which an address regains them from its daily limit.
    fn import_cost(&self, bytes: usize) -> Duration {
        let per_day = self.limits.import_bytes_per_day.max(1);
        DAY.mul_f64(bytes as f64 / per_day as f64)
    }
}

impl HttpLimits {
    fn request_interval(&self) -> Duration {
        Duration::from_secs(1) / self.per_second.max(1)
    }

    /// The cost of one quick match, and the capacity of the bucket, as in [`TokenBucket::take`].
    fn match_bucket(&self) -> (Duration, Duration) {
        let minute = Duration::from_secs(60);
        (minute / self.matches_per_minute.max(1), 10 * minute)
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let limiter = &self.limiter;
        limiter.streams.send_modify(|open| *open -= 1);
        if let Some(network) = self.client.network {
            limiter
                .usage
                .with_known(network, |usage| usage.streams -= 1);
        }
    }
}

/// The usage of one address.
#[derive(Debug, Default)]
struct Usage {
    last_seen: Duration,
    requests: TokenBucket,
    imports: TokenBucket,
    players: TokenBucket,
    matches: TokenBucket,
    /// Tables that may still be open, with the time of their creation.
    tables: VecDeque<(GameId, Duration)>,
    streams: usize,
}

/// How much of its limits an address has used. Entries of [`UsageTable`] with a lower level are dropped first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum UsageLevel {
    /// The address has used nothing, or its usage was long ago. Dropping the entry loses nothing.
    Unused,
    /// The address has used something, but has reached no limit.
    Used,
    /// The address has reached a limit, or has used more than 95 % of its daily limit of stored bytes. If the entry
    /// were dropped, the address could use its limits again too early.
    AtLimit,
}

impl Usage {
    fn level(&self, limits: &HttpLimits, now: Duration) -> UsageLevel {
        let interval = limits.request_interval();
        let capacity = interval * limits.at_once.max(1);
        let (match_cost, match_capacity) = limits.match_bucket();
        let is_limited = self.matches.is_below(match_cost, match_capacity, now)
            || self.requests.is_below(interval, capacity, now)
            || self.imports.is_below(DAY / 20, DAY, now)
            || self
                .players
                .is_below(DAY / limits.players_per_day.max(1), DAY, now)
            || self.tables.len() >= limits.open_tables;
        let buckets = [self.requests, self.imports, self.players, self.matches];
        let is_unused = buckets.iter().all(|bucket| bucket.is_full(now)) && self.tables.is_empty();
        match (is_limited, is_unused) {
            (true, _) => UsageLevel::AtLimit,
            (false, false) => UsageLevel::Used,
            (false, true) => UsageLevel::Unused,
        }
    }
}

/// Number of entries of a full set of [`UsageTable`]. A set gets more entries only if all its entries have
/// open streams.
const WAYS: usize = 32;

/// Number of sets. 2 048 sets of 32 entries hold 65 536 addresses.
const SETS: usize = 2_048;

/// The usage of all addresses in bounded memory: a set-associative hash table.
///
/// The hash of an address selects a set, and a new address can replace only an entry of its own set. So a
/// request locks and searches only one set of 32 entries, regardless of the number of addresses. The hash has
/// a random seed, so that nobody can choose addresses that share a set with a victim.
///
/// When a full set gets a new address, it drops the entry with the lowest [`UsageLevel`]. If several entries have this
/// level, it drops the entry whose address was not seen for the longest time. So addresses below their limits cannot
/// displace an address that has reached a limit. An entry with open streams is never dropped. If all entries of a set
/// have open streams, the set grows. The growth is bounded, because the number of connections is bounded.
#[derive(Debug)]
struct UsageTable {
    sets: Vec<Mutex<Vec<(IpAddr, Usage)>>>,
    hasher: RandomState,
}

impl UsageTable {
    fn new(sets: usize) -> UsageTable {
        UsageTable {
            sets: std::iter::repeat_with(Mutex::default).take(sets).collect(),
            hasher: RandomState::new(),
        }
    }

    /// Calls `change` with the usage of an address. A new address starts with empty usage.
    fn with<T>(
        &self,
        network: IpAddr,
        now: Duration,
        limits: &HttpLimits,
        change: impl FnOnce(&mut Usage) -> T,
    ) -> T {
        let mut set = self.set_of(network);
        let known = set.iter().position(|(other, _)| *other == network);
        let index = known.unwrap_or_else(|| {
            make_room(&mut set, limits, now);
            set.push((network, Usage::default()));
            set.len() - 1
        });
        let usage = &mut set[index].1;
        usage.last_seen = now;
        change(usage)
    }

    /// Calls `change` with the usage of an address, if the address has an entry. Otherwise does nothing.
    fn with_known(&self, network: IpAddr, change: impl FnOnce(&mut Usage)) {
        let mut set = self.set_of(network);
        if let Some((_, usage)) = set.iter_mut().find(|(other, _)| *other == network) {
            change(usage);
        }
    }

    fn set_of(&self, network: IpAddr) -> MutexGuard<'_, Vec<(IpAddr, Usage)>> {
        let index = self.hasher.hash_one(network) as usize % self.sets.len();
        // A panic while the set is locked leaves every entry valid.
        self.sets[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes entries without open streams until the set has room for a new entry, or until all entries have open streams.
fn make_room(set: &mut Vec<(IpAddr, Usage)>, limits: &HttpLimits, now: Duration) {
    while set.len() >= WAYS {
        let entries = set.iter().enumerate();
        let evictable = entries.filter(|(_, (_, usage))| usage.streams == 0);
        let least =
            evictable.min_by_key(|(_, (_, usage))| (usage.level(limits, now), usage.last_seen));
        let Some((index, _)) = least else { return };
        set.swap_remove(index);
    }
}

impl FromRequestParts<Arc<AppState>> for Client {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<AppState>) -> Result<Client, ApiError> {
        let client = parts.extensions.get::<Client>().cloned();
        client
            .ok_or_else(|| api_error(ProblemKind::ServerBusy, "the client's address is not known"))
    }
}

/// An error that tells the client to try again after `wait`.
pub(super) fn too_many(kind: ProblemKind, wait: Duration, detail: impl ToString) -> ApiError {
    ApiError {
        retry_after_s: wait.as_secs() + u64::from(wait.subsec_nanos() > 0),
        ..api_error(kind, detail)
    }
}

async fn is_open(tables: &Arc<Tables>, id: GameId) -> bool {
    let live = tables.get(id).await;
    live.is_ok_and(|live| live.is_some_and(|live| !live.read(Table::is_over)))
}

/// The last address in `X-Forwarded-For`; `None` without a valid address. Each proxy appends the address of its client,
/// so the trusted proxy has written the last address.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let value = headers.get_all("x-forwarded-for").iter().next_back()?;
    let last = value.to_str().ok()?.rsplit(',').next()?.trim();
    last.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::net::{ConnectionLimits, Connections, WhenFull};

    const NOW: Duration = Duration::from_secs(1_000);

    fn limiter() -> Arc<RateLimiter> {
        Arc::new(RateLimiter::new(HttpLimits {
            per_second: 1,
            at_once: 5,
            import_bytes_per_day: 1_000,
            open_tables: 2,
            ..HttpLimits::default()
        }))
    }

    fn client(address: u32) -> Client {
        let connections = Arc::new(Connections::new(ConnectionLimits::default(), &[]));
        let address = IpAddr::V4(Ipv4Addr::from_bits(address));
        let permit = connections.admit(address, WhenFull::Refuse).unwrap();
        Client {
            network: Some(network(address)),
            address: Some(address),
            permit: Arc::new(permit),
        }
    }

    /// Counts one request for each of `count` addresses.
    fn flood(limiter: &Arc<RateLimiter>, count: u32, now: Duration) {
        let template = client(1);
        for address in 0..count {
            let address = Ipv4Addr::from_bits(0x0b00_0000 + address);
            let client = Client {
                network: Some(address.into()),
                ..template.clone()
            };
            limiter.count_request(&client, 1, now).unwrap();
        }
    }

    fn entries(limiter: &RateLimiter) -> usize {
        let sets = limiter.usage.sets.iter();
        sets.map(|set| set.lock().unwrap().len()).sum()
    }

    #[test]
    fn requests_are_limited_by_rate_and_burst() {
        let (limiter, client) = (limiter(), client(1));
        for _ in 0..5 {
            limiter.count_request(&client, 1, NOW).unwrap();
        }
        let refused = limiter.count_request(&client, 1, NOW).unwrap_err();
        assert_eq!(refused.retry_after_s, 1);
        let later = NOW + Duration::from_secs(1);
        limiter.count_request(&client, 1, later).unwrap();
        limiter.count_request(&client, 1, later).unwrap_err();
        // A request that costs more than the whole burst needs a full bucket.
        let rested = later + Duration::from_secs(5);
        limiter.count_request(&client, 50, rested).unwrap();
        let refused = limiter.count_request(&client, 1, rested).unwrap_err();
        assert_eq!(refused.retry_after_s, 46);
    }

    #[test]
    fn imports_are_limited_by_bytes_per_day() {
        let (limiter, client) = (limiter(), client(1));
        limiter.count_stored(&client, 600, NOW).unwrap();
        limiter.count_stored(&client, 600, NOW).unwrap_err();
        limiter.count_stored(&client, 400, NOW).unwrap();
        let refused = limiter.count_stored(&client, 500, NOW).unwrap_err();
        assert_eq!(refused.retry_after_s, 12 * 3600);
        limiter.refund_stored(&client, 400, NOW);
        limiter.count_stored(&client, 400, NOW).unwrap();
        limiter.count_stored(&client, 1_000, NOW + DAY).unwrap();
    }

    #[test]
    fn flood_of_addresses_does_not_lift_limits() {
        let limiter = limiter();
        let (requests, imports, tables, streams) = (client(1), client(2), client(3), client(4));
        for _ in 0..5 {
            limiter.count_request(&requests, 1, NOW).unwrap();
        }
        limiter.count_stored(&imports, 1_000, NOW).unwrap();
        for number in 0..2 {
            let id = GameId::new(number);
            limiter.add_table(&tables, id, NOW);
        }
        let stream = limiter.open_stream(&streams, NOW).unwrap();
        let most = SETS * WAYS;
        flood(&limiter, 4 * most as u32, NOW);
        assert!(entries(&limiter) <= most + 1, "{}", entries(&limiter));
        limiter.count_request(&requests, 1, NOW).unwrap_err();
        limiter.count_stored(&imports, 1_000, NOW).unwrap_err();
        let count_tables = |usage: &mut Usage| usage.tables.len();
        let network = tables.network.unwrap();
        let open = limiter
            .usage
            .with(network, NOW, &limiter.limits, count_tables);
        assert_eq!(open, 2);
        let network = streams.network.unwrap();
        let count_streams = |usage: &mut Usage| usage.streams;
        let open = limiter
            .usage
            .with(network, NOW, &limiter.limits, count_streams);
        assert_eq!(open, 1);
        drop(stream);
        assert_eq!(*limiter.streams.borrow(), 0);
    }

    #[test]
    fn entries_that_hold_nothing_are_replaced_first() {
        let limits = HttpLimits::default();
        let table = UsageTable::new(1);
        let ways = u8::try_from(WAYS).unwrap();
        let address = |number: u8| IpAddr::from([10, 0, 0, number]);
        let spend = |usage: &mut Usage| usage.requests.take(DAY / 2, DAY, NOW).unwrap();
        // Every entry has some usage, except number 7.
        for number in 0..ways {
            table.with(address(number), NOW, &limits, |usage| {
                if number != 7 {
                    spend(usage);
                }
            });
        }
        table.with(address(ways), NOW, &limits, spend);
        // Now every entry has some usage. All addresses are seen again later except number 3, so number 3 is
        // dropped next.
        let later = NOW + Duration::from_secs(1);
        for number in (0..=ways).filter(|number| ![3, 7].contains(number)) {
            table.with(address(number), later, &limits, |_| ());
        }
        table.with(address(ways + 1), later, &limits, spend);
        let set = table.set_of(address(0));
        let mut left: Vec<IpAddr> = set.iter().map(|(address, _)| *address).collect();
        left.sort_unstable();
        let expected = (0..ways + 2).filter(|number| ![3, 7].contains(number));
        assert_eq!(left, expected.map(address).collect::<Vec<_>>());
    }

    #[test]
    fn a_set_that_grew_shrinks_when_its_streams_are_closed() {
        let limits = HttpLimits::default();
        let table = UsageTable::new(1);
        let ways = u8::try_from(WAYS).unwrap();
        let address = |number: u8| IpAddr::from([10, 0, 0, number]);
        for number in 0..ways + 5 {
            table.with(address(number), NOW, &limits, |usage| usage.streams = 1);
        }
        assert_eq!(table.set_of(address(0)).len(), WAYS + 5);
        for number in 0..ways + 5 {
            table.with_known(address(number), |usage| usage.streams = 0);
        }
        table.with(address(ways + 5), NOW, &limits, |_| ());
        assert_eq!(table.set_of(address(0)).len(), WAYS);
    }
}
