//! Finds out which dialects a server uses.

use noughts_wire::{Dialect, FromServer, SESSION_IDS};

use super::connection::{Connection, Received};
use super::{Checker, PLAYER, session};
use crate::verdict::Stop;

/// A HELLO in one dialect. The answer shows whether the server uses this dialect.
struct Question {
    connection: Connection,
    /// The second client, if the server pairs clients and did not answer the first client within half the
    /// timeout.
    other: Option<Connection>,
}

impl Question {
    /// Waits for the answer. Returns whether the server uses the dialect.
    fn answer(mut self) -> bool {
        let dialect = self.connection.dialect;
        let is_ready = match (self.connection.receive(), dialect) {
            (Received::Frame(FromServer::Ready { id }, _), Dialect::Seed) => {
                id == self.connection.id
            }
            (Received::Frame(FromServer::Ready { id }, _), Dialect::Later) => {
                SESSION_IDS.contains(&id)
            }
            _ => false,
        };
        self.connection.leave();
        if let Some(other) = self.other {
            other.leave();
        }
        is_ready
    }
}

impl Checker {
    /// Returns the dialects that the server uses. If the server answers in neither dialect, returns the dialect of the
    /// course document.
    pub(super) fn find_dialects(&mut self, notes: &mut Vec<String>, pairs: bool) -> Vec<Dialect> {
        let mut found = Vec::new();
        // The kit waits for both answers at the same time, so that a silent server costs the timeout only once.
        let seed = self.ask(Dialect::Seed, pairs);
        let later = match pairs {
            // A server that pairs clients would pair the kit's two clients, so the kit tries the later dialect
            // afterwards.
            true => None,
            false => self.ask(Dialect::Later, pairs),
        };
        if seed.is_some_and(Question::answer) {
            found.push(Dialect::Seed);
        }
        let later = match pairs {
            true => self.ask(Dialect::Later, pairs),
            false => later,
        };
        if later.is_some_and(Question::answer) {
            found.push(Dialect::Later);
        }
        notes.push(
            match found.as_slice() {
                [] => {
                    found.push(Dialect::Seed);
                    self.ignores_hello = true;
                    "the server answers HELLO in neither dialect; it is checked in the document's (seed)"
                }
                [Dialect::Seed] => "the server uses the document's dialect (seed)",
                [Dialect::Later] => {
                    "the server uses the later dialect, where HELLO has id 0 and the server chooses the id"
                }
                _ => {
                    "the server uses both dialects: the document's (seed), and the later one, where HELLO has id 0"
                }
            }
            .to_owned(),
        );
        found
    }

    /// Sends HELLO. If the server pairs clients and does not answer soon, a second client connects, because
    /// the server may send READY only when both clients have connected.
    fn ask(&mut self, dialect: Dialect, pairs: bool) -> Option<Question> {
        self.start_dialect(dialect);
        let mut connection = self.connect().ok()?;
        connection.hello(PLAYER);
        let other = match pairs && !connection.has_answer_soon() {
            true => self.connect().ok(),
            false => None,
        };
        let other = other.map(|mut other| {
            other.hello(PLAYER);
            other
        });
        connection.is_timed_from_sending = !pairs;
        Some(Question { connection, other })
    }

    /// Checks that the server still listens after the clients that tried the dialects have left. Checks this
    /// only if the kit did not start the server. If the server no longer listens, one rule reports this, and
    /// the other rules are not tried.
    pub(super) fn check_still_listening(&mut self) {
        if self.program.is_some() {
            return;
        }
        match self.connect() {
            Ok(connection) => self.first = Some(connection),
            Err(Stop::NotTried(why)) => {
                self.gone = Some(session::not_served(
                    "after a client disconnected after READY",
                    &why,
                ));
            }
            Err(Stop::Broken(_)) => {}
        }
    }
}
