//! Opens connections, sessions and games for the checks of the rules.

use std::thread;

use noughts_wire::{Dialect, FromServer};

use super::connection::{Connection, Expected, SHORT};
use super::{CLIENT, Checker, PLAYER, game, session};
use crate::verdict::{RuleResult, Stop};

/// Counts consecutive failures.
#[derive(Default)]
pub(super) struct Failures {
    count: u32,
    why: String,
}

impl Failures {
    /// After this number of consecutive failures the kit makes no further attempt.
    const MAX: u32 = 2;

    pub(super) fn check(&self) -> RuleResult {
        match self.count >= Failures::MAX {
            true => Err(Stop::NotTried(self.why.clone())),
            false => Ok(()),
        }
    }

    /// Records a failure after which the kit makes no further attempt.
    pub(super) fn give_up(&mut self, stop: Stop) {
        if let Stop::NotTried(why) = stop {
            (self.count, self.why) = (Failures::MAX, why);
        }
    }

    pub(super) fn note<T>(&mut self, result: RuleResult<T>) -> RuleResult<T> {
        match &result {
            Ok(_) => self.count = 0,
            Err(stop) => {
                self.count += 1;
                if let Stop::NotTried(why) = stop {
                    self.why.clone_from(why);
                }
            }
        }
        result
    }
}

impl Checker {
    /// Opens a connection and sends nothing.
    pub(super) fn connect(&mut self) -> RuleResult<Connection> {
        if let Some(finding) = &self.gone {
            let stop = Stop::broken(finding.clone());
            return Err(stop.prevented_by("leaving-after-ready"));
        }
        if let Some(mut connection) = self.first.take() {
            connection.dialect = self.dialect;
            return Ok(connection);
        }
        let id = self.move_source.rng.id();
        let opened = Connection::open(
            self.client_name,
            self.address,
            self.dialect,
            id,
            self.timeouts,
            &self.observations,
        );
        if self.ends_when_left() && !self.is_about_leaving {
            let stream = opened.as_ref().ok().and_then(Connection::stream_clone);
            self.held.extend(stream);
        }
        // If a rule about leaving clients has ended the server, the following rules cannot connect for that reason.
        let ended_by = self.broken.iter().find(|rule| rule.starts_with("leaving"));
        opened.map_err(|stop| match (stop, ended_by) {
            (Stop::NotTried(why), Some(rule)) => {
                Stop::NotTried(format!("prevented by {rule}: {why}"))
            }
            (stop, _) => stop,
        })
    }

    /// Gives the server time to read what one client has sent. The kit cannot observe when the server has read it. On a
    /// busy machine, sessions of other clients show that the server got processor time.
    pub(super) fn let_server_read(&mut self) {
        self.observations.borrow_mut().waited += SHORT / 3;
        thread::sleep(SHORT / 3);
        let serves_others = match self.pairs {
            true => !self.is_ready_late,
            false => self.serves_many && !self.broken.contains(&"half-frame"),
        };
        if !serves_others || self.is_control_unserved || self.ends_when_left() {
            return;
        }
        // A session that is not served is ignored here: the connection of the rule itself shows this fault.
        let is_unserved = |_| session::still_serves(self, "").is_err();
        let is_unserved = (0..2).any(is_unserved);
        self.is_control_unserved = is_unserved;
    }

    /// Opens a connection that has the given name in reported conversations.
    pub(super) fn connect_as(&mut self, name: &'static str) -> RuleResult<Connection> {
        self.client_name = name;
        let connection = self.connect();
        self.client_name = CLIENT;
        connection
    }

    /// Opens a connection and starts a session.
    pub(super) fn start_session(&mut self) -> RuleResult<Connection> {
        self.no_session.check()?;
        let rule = self.ready_rule();
        let started = self.connect().and_then(|mut connection| {
            start_session_on(&mut connection).map_err(|stop| stop.prevented_by(rule))?;
            Ok(connection)
        });
        self.has_started_session |= started.is_ok();
        self.no_session.note(started)
    }

    /// The name of the rule about READY in this dialect.
    pub(super) fn ready_rule(&self) -> &'static str {
        match self.dialect {
            Dialect::Seed => "ready",
            Dialect::Later => "ready-makes-id",
        }
    }

    /// Opens a connection and starts a game in which the client is to move.
    pub(super) fn admitted(&mut self) -> RuleResult<Connection> {
        self.no_game.check()?;
        let mut connection = self.start_session()?;
        let admitted = match admit(&mut connection) {
            Ok(()) => Ok(connection),
            Err(stop) => self.admitted_with_one_zero(&stop).ok_or(stop),
        };
        let admitted = admitted.map_err(|stop| stop.prevented_by("admit"));
        self.no_game.note(admitted)
    }

    /// Tries a name with one zero byte, after the server did not answer PLAY with ADMIT 1. Perhaps the server
    /// reads a name only up to its first zero byte, and reads the second zero byte as an opcode. If so, this
    /// function returns a connection with a game.
    fn admitted_with_one_zero(&mut self, stop: &Stop) -> Option<Connection> {
        let Stop::Broken(finding) = stop else {
            return None;
        };
        if std::mem::replace(&mut self.has_tried_one_zero, true) {
            return None;
        }
        self.observations.borrow_mut().one_zero = true;
        let tried = self.start_session().and_then(|mut connection| {
            admit(&mut connection)?;
            Ok(connection)
        });
        if let Ok(connection) = tried {
            self.name_end = Some(session::stops_at_first_zero(finding));
            // The frame after READY was the answer to the second zero byte, so it is not a separate fault.
            self.observations.borrow_mut().unasked = None;
            return Some(connection);
        }
        self.observations.borrow_mut().one_zero = false;
        None
    }

    /// Checks that the server plays games. Rules that need a game call this first.
    pub(super) fn plays(&mut self) -> RuleResult {
        if self.plays.is_none() {
            let tried = self.admitted().and_then(|mut connection| {
                game::first_moves(&mut connection)
                    .and_then(|(own, answer)| game::plays_on(&mut connection, &[own, answer]))
                    .map_err(|stop| stop.prevented_by("answer"))?;
                Ok(())
            });
            self.plays = Some(without_facts(tried));
        }
        known_result(&self.plays)
    }

    /// Checks that the server answers a mistake with a readable ERROR. Rules that need such answers call this first.
    pub(super) fn sends_errors(&mut self) -> RuleResult {
        if self.sends_errors.is_none() {
            game::answers_mistakes(self, "off-board")?;
            let tried = self.admitted().and_then(|mut connection| {
                connection.act_with(connection.id, *b"9-9");
                let expected = Expected::error(connection.id, 0);
                connection
                    .expect(&expected, |frame| matches!(frame, FromServer::Error { .. }))
                    .map_err(|stop| stop.prevented_by("off-board"))?;
                Ok(())
            });
            self.sends_errors = Some(without_facts(tried));
        }
        known_result(&self.sends_errors)
    }
}

fn without_facts(result: RuleResult) -> Result<(), String> {
    result.map_err(|stop| match stop {
        Stop::NotTried(why) => why,
        Stop::Broken(finding) => finding.problem,
    })
}

fn known_result(known: &Option<Result<(), String>>) -> RuleResult {
    match known {
        Some(Err(why)) => Err(Stop::NotTried(why.clone())),
        Some(Ok(())) | None => Ok(()),
    }
}

/// Sends HELLO and waits for READY with any id, because a separate rule checks the id.
fn start_session_on(connection: &mut Connection) -> RuleResult {
    connection.hello(PLAYER);
    read_ready(connection)
}

pub(super) fn read_ready(connection: &mut Connection) -> RuleResult {
    let expected = session::ready(connection);
    let ready = connection.expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }))?;
    if let (FromServer::Ready { id }, Dialect::Later) = (ready, connection.dialect) {
        connection.id = id;
    }
    Ok(())
}

/// Sends PLAY and waits for ADMIT 1 with any id.
pub(super) fn admit(connection: &mut Connection) -> RuleResult {
    connection.play();
    let expected = session::admit(connection.id, true);
    connection.expect(&expected, session::is_admission)?;
    Ok(())
}
