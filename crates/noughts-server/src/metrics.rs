//! What is counted, for whoever watches over the server. Nothing here waits for anything.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use noughts_api::{Problem, ProblemKind};

use crate::tables::SubmitError;

/// Everything that is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) tables_created: Counter,
    pub(crate) games_ended: Counter,
    pub(crate) turns: Counter,
    /// By door: who came, in all.
    pub(crate) connections: [Counter; ListenerKind::ALL.len()],
    /// Answers by the first digit of their status.
    answers: [Counter; 6],
    /// How long requests that ask and those that do something took.
    pub(crate) asked: Histogram,
    pub(crate) done: Histogram,
    refused: [Kinds; 2],
}

/// A door, in the figures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListenerKind {
    Http,
    Tcp,
    Pairs,
}

impl ListenerKind {
    pub(crate) const ALL: [ListenerKind; 3] =
        [ListenerKind::Http, ListenerKind::Tcp, ListenerKind::Pairs];

    fn name(self) -> &'static str {
        match self {
            ListenerKind::Http => "http",
            ListenerKind::Tcp => "tcp",
            ListenerKind::Pairs => "tcp-pairs",
        }
    }
}

/// A number that grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A count for each kind of refusal.
#[derive(Debug)]
struct Kinds([Counter; ProblemKind::ALL.len()]);

impl Default for Kinds {
    fn default() -> Kinds {
        Kinds(std::array::from_fn(|_| Counter::default()))
    }
}

/// How long something took, many times.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// Each counts those that took no longer than its bound and longer than the one before.
    buckets: [Counter; BOUNDS_US.len() + 1],
    sum_us: Counter,
}

/// In microseconds.
const BOUNDS_US: [u64; 12] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 5_000_000,
];

impl Histogram {
    pub(crate) fn observe(&self, time: Duration) {
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS_US.partition_point(|bound| *bound < us);
        self.buckets[bucket].add(1);
        self.sum_us.add(us);
    }

    fn write(&self, text: &mut String, name: &str, label: &str) {
        let mut so_far = 0;
        for (bucket, bound) in self.buckets.iter().zip(BOUNDS_US) {
            so_far += bucket.get();
            let seconds = bound as f64 / 1e6;
            let _ = writeln!(text, "{name}_bucket{{{label},le=\"{seconds}\"}} {so_far}");
        }
        so_far += self.buckets[BOUNDS_US.len()].get();
        let sum = self.sum_us.get() as f64 / 1e6;
        let _ = writeln!(text, "{name}_bucket{{{label},le=\"+Inf\"}} {so_far}");
        let _ = writeln!(text, "{name}_sum{{{label}}} {sum}");
        let _ = writeln!(text, "{name}_count{{{label}}} {so_far}");
    }
}

impl Metrics {
    /// An answer with this status went out at the HTTP door.
    pub(crate) fn answered(&self, status: u16) {
        if let Some(count) = self.answers.get(usize::from(status / 100)) {
            count.add(1);
        }
    }

    /// Something was refused at the HTTP door.
    pub(crate) fn refused(&self, problem: &Problem) {
        if let Some(kind) = ProblemKind::ALL.iter().find(|kind| kind.is(problem)) {
            self.refused_as(*kind);
        }
    }

    pub(crate) fn refused_as(&self, kind: ProblemKind) {
        self.refused[0].0[kind as usize].add(1);
    }

    /// A TCP client was refused something.
    pub(crate) fn denied(&self, error: &SubmitError) {
        let kind = match error {
            SubmitError::Refused(refusal) => crate::http::kind_of_table_refusal(*refusal),
            SubmitError::NoSuchGame => ProblemKind::NoSuchGame,
            SubmitError::Unavailable(_) | SubmitError::Busy | SubmitError::Closed => {
                ProblemKind::Unavailable
            }
        };
        self.refused[1].0[kind as usize].add(1);
    }

    /// All of them, as Prometheus reads them.
    pub(crate) fn write(&self, text: &mut String) {
        for (name, help, count) in [
            (
                "noughts_tables_laid_total",
                "Tables that were laid.",
                &self.tables_created,
            ),
            (
                "noughts_games_over_total",
                "Games that ended.",
                &self.games_ended,
            ),
            (
                "noughts_turns_total",
                "Turns that were completed.",
                &self.turns,
            ),
        ] {
            head(text, name, "counter", help);
            let _ = writeln!(text, "{name} {}", count.get());
        }
        let name = "noughts_connections_total";
        head(text, name, "counter", "Connections that came, by door.");
        for door in ListenerKind::ALL {
            let count = self.connections[door as usize].get();
            let _ = writeln!(text, "{name}{{door=\"{}\"}} {count}", door.name());
        }
        let name = "noughts_refusals_total";
        head(
            text,
            name,
            "counter",
            "What was refused, by door and reason.",
        );
        for (door, kinds) in ["http", "tcp"].iter().zip(&self.refused) {
            for (kind, count) in ProblemKind::ALL.iter().zip(&kinds.0) {
                let (reason, count) = (kind.name(), count.get());
                if count > 0 {
                    let labels = format!("door=\"{door}\",reason=\"{reason}\"");
                    let _ = writeln!(text, "{name}{{{labels}}} {count}");
                }
            }
        }
        let name = "noughts_http_answers_total";
        head(
            text,
            name,
            "counter",
            "Answers over HTTP, by the class of their status.",
        );
        for (class, count) in self.answers.iter().enumerate().skip(1) {
            let _ = writeln!(text, "{name}{{class=\"{class}xx\"}} {}", count.get());
        }
        let name = "noughts_http_seconds";
        head(
            text,
            name,
            "histogram",
            "How long requests took, until their answer began.",
        );
        self.asked.write(text, name, "does=\"ask\"");
        self.done.write(text, name, "does=\"act\"");
    }
}

/// A number as it is now.
pub(crate) fn gauge(text: &mut String, name: &str, help: &str, value: u64) {
    head(text, name, "gauge", help);
    let _ = writeln!(text, "{name} {value}");
}

/// A number that only grows.
pub(crate) fn counter(text: &mut String, name: &str, help: &str, value: impl std::fmt::Display) {
    head(text, name, "counter", help);
    let _ = writeln!(text, "{name} {value}");
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_in_the_bucket_they_belong_to() {
        let times = Histogram::default();
        for us in [100, 101, 6_000_000] {
            times.observe(Duration::from_micros(us));
        }
        let mut text = String::new();
        times.write(&mut text, "t", "a=\"b\"");
        for line in [
            "t_bucket{a=\"b\",le=\"0.0001\"} 1",
            "t_bucket{a=\"b\",le=\"0.00025\"} 2",
            "t_bucket{a=\"b\",le=\"5\"} 2",
            "t_bucket{a=\"b\",le=\"+Inf\"} 3",
            "t_count{a=\"b\"} 3",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}: {text}");
        }
    }
}
