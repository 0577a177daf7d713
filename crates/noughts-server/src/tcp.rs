//! The TCP doors: against the computer, and between two.

mod connection;
mod guests;
mod misbehave;
mod socket;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use noughts_engine::StrategyName;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::{debug, warn};

use crate::counts;
use crate::guest::Guest;
use crate::house::House;
use connection::Connection;

pub use guests::Limits;
pub(crate) use guests::{Admitted, Guests};
pub use misbehave::{Misbehaviour, NoMisbehaviour, misbehave};
pub(crate) use socket::prepare;

/// Whom people meet behind a door.
#[derive(Clone, Debug)]
pub(crate) enum Opponent {
    /// The computer, which plays so.
    Robot(StrategyName),
    /// Whoever comes next.
    Anybody,
}

/// A door: a listener's connections, and what they find behind it.
#[derive(Debug)]
pub(crate) struct Door {
    opponent: Opponent,
    house: Arc<House>,
    guests: Arc<Guests>,
}

impl Door {
    pub(crate) fn new(opponent: Opponent, house: Arc<House>, guests: Arc<Guests>) -> Door {
        Door {
            opponent,
            house,
            guests,
        }
    }

    /// Lets people in until the house closes; then everybody is put out.
    pub(crate) async fn keep(self, listener: TcpListener, mut closing: watch::Receiver<bool>) {
        let door = Arc::new(self);
        let mut connections = JoinSet::new();
        let mut trouble = Trouble::default();
        loop {
            tokio::select! {
                biased;
                _ = closing.changed() => break,
                Some(_) = connections.join_next() => {}
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        trouble = Trouble::default();
                        door.let_in(stream, &mut connections);
                    }
                    Err(error) => tokio::select! {
                        () = trouble.wait_after(&error) => {}
                        _ = closing.changed() => break,
                    },
                },
            }
        }
        drop(listener);
        connections.shutdown().await;
    }

    fn let_in(self: &Arc<Door>, stream: TcpStream, connections: &mut JoinSet<()>) {
        let door = match self.opponent {
            Opponent::Robot(_) => counts::Door::Tcp,
            Opponent::Anybody => counts::Door::Pairs,
        };
        self.house.counts().connections[door as usize].add(1);
        // Beyond all limits nothing is read, written or remembered.
        if let Some(admitted) = self.guests.admit() {
            let mut connection = Connection::new(Arc::clone(self), stream, admitted);
            connections.spawn(async move { connection.serve().await });
        } else {
            debug!("closed a connection at once: there are too many");
        }
    }

    /// Finds somebody a seat.
    fn seat(&self, name: String) -> Guest {
        match &self.opponent {
            Opponent::Robot(strategy) => self
                .house
                .against_robot(name, strategy)
                .expect("checked when the door was opened"),
            Opponent::Anybody => self.house.against_anybody(name),
        }
    }

    fn name(&self) -> &'static str {
        match self.opponent {
            Opponent::Robot(_) => "tcp",
            Opponent::Anybody => "tcp-pairs",
        }
    }
}

/// What to do when nobody can be let in: the process has no file descriptors left, or the system
/// no memory. Those who are in go on playing, and leave some when they go.
#[derive(Default)]
pub(crate) struct Trouble {
    failures: u32,
}

impl Trouble {
    pub(crate) async fn wait_after(&mut self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
        if matches!(
            error.kind(),
            ConnectionAborted | ConnectionReset | Interrupted
        ) {
            return;
        }
        if self.failures == 0 {
            warn!(%error, "nobody can be let in for the moment");
        }
        let wait = Duration::from_millis(10 << self.failures.min(6));
        self.failures += 1;
        sleep(wait).await;
    }
}
