//! `GET /metrics`: the metrics of this process, for Prometheus.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::AppState;

const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) async fn metrics(State(app): State<Arc<AppState>>) -> Response {
    let text = app
        .tables
        .metrics()
        .encode(|registry| app.register(registry));
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}

impl AppState {
    /// Registers the metrics whose current values are read from other parts of the server.
    fn register(&self, registry: &mut Registry) {
        let tables = &self.tables;
        let (running, queued) = tables.robots().busy();
        for (name, help, value) in [
            (
                "connections_open",
                "Open connections",
                self.connections.open(),
            ),
            ("tables_in_memory", "Tables in memory", tables.len()),
            (
                "waiting",
                "TCP clients and open seats that wait for an opponent",
                self.matchmaking.waiting(),
            ),
            (
                "players_connected",
                "Players with an open event stream",
                self.players.feeds().players(),
            ),
            (
                "quick_matches_waiting",
                "Players with an open event stream who wait for a quick match",
                self.matchmaking.quick_match_players(),
            ),
            (
                "computations_running",
                "Robot moves and analyses that are being computed",
                running,
            ),
            (
                "computations_queued",
                "Robot moves and analyses that wait for a thread",
                queued,
            ),
        ] {
            registry.register(name, help, ConstGauge::new(value as u64));
        }
        let refused = ConstCounter::new(self.connections.refused_total());
        let help = "Connections that were refused or limited to health checks, because of a limit or a ban";
        registry.register("connections_refused", help, refused);
        let store = tables.store().write_counts();
        let commits = ConstCounter::new(store.batches);
        registry.register("store_commits", "Commits of the store", commits);
        let writes = ConstCounter::new(store.writes);
        registry.register("store_writes", "Writes in these commits", writes);
        let seconds = ConstCounter::new(store.micros as f64 / 1e6);
        registry.register(
            "store_commit_seconds",
            "Time spent on these commits",
            seconds,
        );
    }
}
