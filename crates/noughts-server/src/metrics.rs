//! Metrics of this process. Incrementing a counter without labels takes one atomic addition.

use std::array::from_fn;
use std::fmt::Write;
use std::time::Duration;

use noughts_api::ProblemKind;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::tables::SubmitError;

/// The prefix of all metric names.
const PREFIX: &str = "noughts";

type Labels<const N: usize> = [(&'static str, &'static str); N];

/// All metrics of the process.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) tables_created: Counter,
    pub(crate) games_ended: Counter,
    pub(crate) turns: Counter,
    pub(crate) lobby_lists_encoded: Counter,
    pub(crate) players_created: Counter,
    pub(crate) players_deleted: Counter,
    pub(crate) quick_matches_requested: Counter,
    pub(crate) quick_matches_made: Counter,
    connections_accepted: Family<Labels<1>, Counter>,
    refusals: Family<Labels<2>, Counter>,
    /// The number of HTTP responses, by the first digit of the status (1 to 5).
    responses: [Counter; 5],
    pub(crate) read_requests: Histogram,
    pub(crate) write_requests: Histogram,
}

/// A listener, as a label of metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListenerKind {
    Http,
    Tcp,
    Pairs,
}

impl ListenerKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ListenerKind::Http => "http",
            ListenerKind::Tcp => "tcp",
            ListenerKind::Pairs => "tcp-pairs",
        }
    }
}

/// Upper bounds of the buckets for the duration of requests, in seconds.
const BUCKETS: [f64; 12] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 5.0,
];

impl Default for Metrics {
    fn default() -> Metrics {
        let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"];
        let responses = Family::<Labels<1>, Counter>::default();
        let durations =
            Family::<Labels<1>, Histogram>::new_with_constructor(|| Histogram::new(BUCKETS));
        let mut metrics = Metrics {
            registry: Registry::with_prefix(PREFIX),
            tables_created: Counter::default(),
            games_ended: Counter::default(),
            turns: Counter::default(),
            lobby_lists_encoded: Counter::default(),
            players_created: Counter::default(),
            players_deleted: Counter::default(),
            quick_matches_requested: Counter::default(),
            quick_matches_made: Counter::default(),
            connections_accepted: Family::default(),
            refusals: Family::default(),
            responses: from_fn(|at| responses.get_or_create_owned(&[("class", classes[at])])),
            read_requests: durations.get_or_create_owned(&[("kind", "read")]),
            write_requests: durations.get_or_create_owned(&[("kind", "write")]),
        };
        let registry = &mut metrics.registry;
        let tables = metrics.tables_created.clone();
        registry.register("tables_created", "Tables created", tables);
        let games = metrics.games_ended.clone();
        registry.register("games_ended", "Games that ended", games);
        registry.register("turns", "Completed turns", metrics.turns.clone());
        let lists = metrics.lobby_lists_encoded.clone();
        let help = "Changes of the lobby's list, each encoded once for all viewers";
        registry.register("lobby_lists_encoded", help, lists);
        let players = metrics.players_created.clone();
        registry.register("players_created", "Players created", players);
        let players = metrics.players_deleted.clone();
        registry.register(
            "players_deleted",
            "Players deleted, by themselves or by an operator",
            players,
        );
        let quick = metrics.quick_matches_requested.clone();
        registry.register("quick_matches_requested", "Quick matches requested", quick);
        let quick = metrics.quick_matches_made.clone();
        registry.register(
            "quick_matches_made",
            "Quick matches that found an opponent",
            quick,
        );
        let accepted = metrics.connections_accepted.clone();
        let help = "Accepted connections by listener";
        registry.register("connections_accepted", help, accepted);
        // The output would not list a metric family without a sample, so this family gets a sample with the
        // value 0.
        metrics.count_refusal("http", ProblemKind::StoreUnavailable, 0);
        let registry = &mut metrics.registry;
        let refusals = metrics.refusals.clone();
        let help = "Refused requests by listener and reason";
        registry.register("refusals", help, refusals);
        let help = "HTTP responses by class of the status";
        registry.register("http_responses", help, responses);
        let help = "Time until a response begins, by kind of request";
        registry.register("http_request_duration_seconds", help, durations);
        metrics
    }
}

impl Metrics {
    /// The counter of the connections that listeners of this kind accept.
    pub(crate) fn accepted_by(&self, listener: ListenerKind) -> Counter {
        let labels = [("listener", listener.name())];
        self.connections_accepted.get_or_create_owned(&labels)
    }

    /// Counts an HTTP response and records the time until it began.
    pub(crate) fn count_response(&self, status: u16, is_read: bool, time: Duration) {
        let class = usize::from(status / 100).wrapping_sub(1);
        if let Some(count) = self.responses.get(class) {
            count.inc();
        }
        let durations = match is_read {
            true => &self.read_requests,
            false => &self.write_requests,
        };
        durations.observe(time.as_secs_f64());
    }

    /// Counts a problem that was sent over HTTP.
    pub(crate) fn count_problem(&self, kind: ProblemKind) {
        self.count_refusal("http", kind, 1);
    }

    /// Counts a refused command of a TCP client.
    pub(crate) fn count_tcp_refusal(&self, error: &SubmitError) {
        let kind = match error {
            SubmitError::Refused(refusal) => crate::http::kind_of_table_refusal(*refusal),
            SubmitError::NoSuchGame => ProblemKind::NoSuchGame,
            SubmitError::Unavailable(_) => ProblemKind::StoreUnavailable,
            SubmitError::Busy | SubmitError::Closed => ProblemKind::ServerBusy,
        };
        self.count_refusal("tcp", kind, 1);
    }

    fn count_refusal(&self, listener: &'static str, kind: ProblemKind, count: u64) {
        let labels = [("listener", listener), ("reason", kind.name())];
        self.refusals.get_or_create(&labels).inc_by(count);
    }

    /// All metrics in the OpenMetrics text format. `now` registers further metrics, whose values are computed
    /// for this call.
    pub(crate) fn encode(&self, now: impl FnOnce(&mut Registry)) -> String {
        let mut current = Registry::with_prefix(PREFIX);
        now(&mut current);
        let mut text = String::with_capacity(8 * 1024);
        let encoded = encode_registry(&mut text, &self.registry)
            .and_then(|()| encode_registry(&mut text, &current))
            .and_then(|()| encode_eof(&mut text));
        if encoded.is_err() {
            // Writing to a `String` cannot fail, so an error means that a metric is faulty.
            let _ = write!(text, "# a metric could not be encoded");
        }
        text
    }
}
