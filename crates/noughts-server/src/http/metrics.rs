//! `/metrics`: figures for whoever watches over the server, as Prometheus reads them.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::AppState;
use crate::metrics::{counter, gauge};

/// `GET /metrics`
pub(super) async fn metrics(State(app): State<Arc<AppState>>) -> Response {
    let medium = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    (medium, app.figures()).into_response()
}

impl AppState {
    fn figures(&self) -> String {
        let mut text = String::with_capacity(8 * 1024);
        let tables = &self.tables;
        tables.metrics().write(&mut text);
        let (thinking, queue) = tables.robots().busy();
        for (name, help, value) in [
            (
                "noughts_connections",
                "Connections now, at all doors.",
                self.connections.open(),
            ),
            ("noughts_tables", "Tables in memory.", tables.len()),
            (
                "noughts_lobby",
                "People and seats that wait for somebody.",
                self.matchmaking.waiting(),
            ),
            (
                "noughts_robots_thinking",
                "Robots that think now.",
                thinking,
            ),
            (
                "noughts_robots_queue",
                "Robots that wait for their chance to think.",
                queue,
            ),
        ] {
            gauge(&mut text, name, help, value as u64);
        }
        let refused = "Connections that were not served: the server or their address had too many.";
        counter(
            &mut text,
            "noughts_connections_refused_total",
            refused,
            self.connections.refused_total(),
        );
        let store = tables.store().write_counts();
        let batches = "How often the store made something durable.";
        counter(
            &mut text,
            "noughts_store_batches_total",
            batches,
            store.batches,
        );
        let writes = "What the store made durable, in all.";
        counter(
            &mut text,
            "noughts_store_writes_total",
            writes,
            store.writes,
        );
        let took = "How long that took the store, in all.";
        let seconds = store.micros as f64 / 1e6;
        counter(&mut text, "noughts_store_seconds_total", took, seconds);
        text
    }
}
