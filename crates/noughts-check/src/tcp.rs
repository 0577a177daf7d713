//! Judging somebody's server of the TCP protocol: the judge is the client.

mod connection;
mod game;
mod leaving;
mod open;
mod pairs;
mod robustness;
mod session;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use noughts_wire::{Dialect, FromServer, SESSION_IDS};

use crate::board::Replies;
use crate::random::Rng;
use crate::report::{Entry, Report};
use crate::verdict::{Judged, Stop, Verdict, Weight};
use connection::{Connection, Received, Timeouts};

/// What to judge.
#[derive(Clone, Debug)]
pub struct TcpTask {
    /// Where the server listens.
    pub address: SocketAddr,
    /// Which dialect it should speak; none: those that it does.
    pub dialect: Option<Dialect>,
    /// Two clients play with one another, and not with the server.
    pub pairs: bool,
    /// How long one answer may take. Everything together may take fifteen times that.
    pub timeout: Duration,
}

/// One rule of the protocol.
pub struct TcpRule {
    /// Its short name.
    pub name: &'static str,
    /// What it says.
    pub claim: &'static str,
    /// What demands it.
    pub source: &'static str,
    /// How much it weighs.
    pub weight: Weight,
    /// The only dialect that has it.
    pub only: Option<Dialect>,
    judge: fn(&mut Judge) -> Judged,
}

impl TcpRule {
    const fn new(
        name: &'static str,
        claim: &'static str,
        source: &'static str,
        weight: Weight,
        judge: fn(&mut Judge) -> Judged,
    ) -> TcpRule {
        TcpRule {
            name,
            claim,
            source,
            weight,
            only: None,
            judge,
        }
    }

    /// What the document demands.
    const fn demanded(
        name: &'static str,
        claim: &'static str,
        source: &'static str,
        judge: fn(&mut Judge) -> Judged,
    ) -> TcpRule {
        TcpRule::new(name, claim, source, Weight::Demanded, judge)
    }
}

/// Where the rules come from.
pub(crate) const DOCUMENT: &str = "the document \"Tic-tac-toe\" of the programming course, with HELLO, READY, PLAY, ADMIT, \
     ACTION, RESULT and ERROR (docs/conformance.md lists every rule)";

/// All rules for servers, in the order in which they are tried.
pub fn tcp_rules(pairs: bool) -> Vec<&'static TcpRule> {
    let tables: &[&[TcpRule]] = match pairs {
        false => &[
            &session::GREETING,
            &leaving::RULES,
            &session::RULES,
            &game::RULES,
            &leaving::MANY,
            &robustness::RULES,
            &open::RULES,
        ],
        true => &[&pairs::RULES],
    };
    tables.iter().flat_map(|table| table.iter()).collect()
}

/// Judges a server, or says why it can't be judged at all.
///
/// Everything together takes at most fifteen times the time for one answer, whatever the server does.
pub fn check_tcp(task: &TcpTask) -> Result<Report, String> {
    let mut judge = Judge::new(task);
    // Nobody there is no verdict. Who is there is not left again without a word: that is a rule.
    match judge.call() {
        Ok(connection) => judge.first = Some(connection),
        Err(Stop::NotTried(why)) => return Err(format!("{}: {why}", task.address)),
        Err(Stop::Broken(finding)) => return Err(finding.wrong),
    }
    let mut notes = Vec::new();
    let dialects = match task.dialect {
        Some(dialect) => vec![dialect],
        None => judge.spoken(&mut notes),
    };
    let mut entries = Vec::new();
    for dialect in &dialects {
        judge.begin(*dialect);
        for rule in tcp_rules(task.pairs) {
            if rule.only.is_some_and(|only| only != *dialect) {
                continue;
            }
            entries.push(judge.judge(rule));
        }
    }
    let what = if task.pairs {
        "server for two players"
    } else {
        "server"
    };
    Ok(Report {
        kind: "tcp",
        subject: format!("The {what} at {}", task.address),
        document: DOCUMENT,
        notes,
        entries,
    })
}

/// What is known about the server while rule after rule is tried.
pub(crate) struct Judge {
    address: SocketAddr,
    dialect: Dialect,
    answer: Duration,
    timeouts: Timeouts,
    chance: Chance,
    /// How the next client is called in the log.
    caller: &'static str,
    /// How often in a row a session could not be begun, or a game.
    greetings_failed: u32,
    admissions_failed: u32,
    /// The last reason.
    trouble: String,
    /// The connection with which it was found out that the server is there.
    first: Option<Connection>,
    /// A session was begun once.
    has_greeted: bool,
    /// Whether a mistake was answered with an ERROR; why not.
    complains: Option<Result<(), String>>,
    /// Whether a first move was answered; why not.
    plays: Option<Result<(), String>>,
}

/// What decides how games are played.
pub(crate) struct Chance {
    rng: Rng,
    replies: Replies,
}

const CALLER: &str = "client";

/// How many answers' time everything may take.
const ALL: u32 = 15;

/// After so many failures in a row nobody tries again.
const ENOUGH: u32 = 3;

impl Judge {
    fn new(task: &TcpTask) -> Judge {
        let until = Instant::now() + ALL * task.timeout;
        Judge {
            address: task.address,
            dialect: Dialect::Seed,
            answer: task.timeout,
            timeouts: Timeouts {
                answer: task.timeout,
                until,
            },
            chance: Chance {
                rng: Rng::new(2022),
                replies: Replies::default(),
            },
            caller: CALLER,
            greetings_failed: 0,
            admissions_failed: 0,
            trouble: String::new(),
            first: None,
            has_greeted: false,
            complains: None,
            plays: None,
        }
    }

    fn begin(&mut self, dialect: Dialect) {
        self.dialect = dialect;
        (self.greetings_failed, self.admissions_failed) = (0, 0);
        (self.plays, self.complains, self.has_greeted) = (None, None, false);
    }

    /// The dialects that the server speaks; where it speaks none, the document's own is judged.
    fn spoken(&mut self, notes: &mut Vec<String>) -> Vec<Dialect> {
        let mut spoken = Vec::new();
        for dialect in [Dialect::Seed, Dialect::Later] {
            self.begin(dialect);
            if self.speaks() {
                spoken.push(dialect);
            }
        }
        notes.push(match spoken.as_slice() {
            [] => {
                spoken.push(Dialect::Seed);
                "the server answers HELLO in neither dialect; it is judged by the document's (seed)"
            }
            [Dialect::Seed] => "the server speaks the document's dialect (seed)",
            [Dialect::Later] => "the server speaks the later dialect, where HELLO has id 0 and the server makes the id",
            _ => "the server speaks both dialects: the document's (seed), and the later one, where HELLO has id 0",
        }
        .to_owned());
        spoken
    }

    fn speaks(&mut self) -> bool {
        let Ok(mut connection) = self.call() else {
            return false;
        };
        connection.hello("Judge");
        let heard = connection.hear();
        let is_ready = match (&heard, self.dialect) {
            (Received::Frame(FromServer::Ready { id }, _), Dialect::Seed) => *id == connection.id,
            (Received::Frame(FromServer::Ready { id }, _), Dialect::Later) => {
                SESSION_IDS.contains(id)
            }
            _ => false,
        };
        connection.leave();
        is_ready
    }

    fn judge(&mut self, rule: &TcpRule) -> Entry {
        let begun = Instant::now();
        let judged = match begun < self.timeouts.until {
            true => (rule.judge)(self),
            false => Err(Stop::NotTried(format!(
                "the time for everything, {} s, was used up",
                (ALL * self.answer).as_secs_f64()
            ))),
        };
        Entry {
            part: match self.dialect {
                Dialect::Seed => "seed",
                Dialect::Later => "later",
            }
            .to_owned(),
            rule: rule.name.to_owned(),
            claim: rule.claim.to_owned(),
            source: rule.source.to_owned(),
            weight: rule.weight,
            verdict: Verdict::from(judged),
            took: begun.elapsed(),
        }
    }

    /// A connection on which nothing was said.
    fn call(&mut self) -> Judged<Connection> {
        if let Some(mut connection) = self.first.take() {
            connection.dialect = self.dialect;
            return Ok(connection);
        }
        let id = self.chance.rng.id();
        Connection::call(self.caller, self.address, self.dialect, id, self.timeouts)
    }

    /// A connection with a session, called so in the log.
    fn greeted_as(&mut self, name: &'static str) -> Judged<Connection> {
        self.caller = name;
        let line = self.greeted();
        self.caller = CALLER;
        line
    }

    /// A connection with a session.
    fn greeted(&mut self) -> Judged<Connection> {
        if self.greetings_failed >= ENOUGH {
            return Err(Stop::NotTried(self.trouble.clone()));
        }
        let greeted = self.call().and_then(|mut connection| {
            greet(&mut connection)?;
            Ok(connection)
        });
        self.has_greeted |= greeted.is_ok();
        self.greetings_failed = match &greeted {
            Ok(_) => 0,
            Err(_) => self.greetings_failed + 1,
        };
        self.remember(greeted)
    }

    /// A connection with a game, in which the client is to move.
    fn admitted(&mut self) -> Judged<Connection> {
        if self.admissions_failed >= ENOUGH {
            return Err(Stop::NotTried(self.trouble.clone()));
        }
        let mut connection = self.greeted()?;
        let admitted = admit(&mut connection).map(|()| connection);
        self.admissions_failed = match &admitted {
            Ok(_) => 0,
            Err(_) => self.admissions_failed + 1,
        };
        self.remember(admitted)
    }

    /// Whether games can be played at all, for rules that are about something else.
    fn plays(&mut self) -> Judged {
        if self.plays.is_none() {
            let tried = self.admitted().and_then(|mut connection| {
                game::first_moves(&mut connection).map_err(game::on_the_way)?;
                connection.leave();
                Ok(())
            });
            self.plays = Some(kept(tried));
        }
        told(&self.plays)
    }

    /// Whether mistakes are answered with an ERROR that can be read.
    fn complains(&mut self) -> Judged {
        if self.complains.is_none() {
            let tried = self.admitted().and_then(|mut connection| {
                connection.act_with(connection.id, *b"9-9");
                let expected = connection::Expected::error(connection.id, 0);
                connection
                    .expect(&expected, |frame| matches!(frame, FromServer::Error { .. }))
                    .map_err(|stop| stop.on_the_way("the cell 9-9 did not lead to an ERROR"))?;
                connection.leave();
                Ok(())
            });
            self.complains = Some(kept(tried));
        }
        told(&self.complains)
    }

    fn remember(&mut self, judged: Judged<Connection>) -> Judged<Connection> {
        if let Err(Stop::NotTried(why)) = &judged {
            self.trouble.clone_from(why);
        }
        judged
    }
}

/// What was found out once, to be told again.
fn kept(judged: Judged) -> Result<(), String> {
    judged.map_err(|stop| match stop {
        Stop::NotTried(why) => why,
        Stop::Broken(finding) => finding.wrong,
    })
}

fn told(kept: &Option<Result<(), String>>) -> Judged {
    match kept {
        Some(Err(why)) => Err(Stop::NotTried(why.clone())),
        Some(Ok(())) | None => Ok(()),
    }
}

/// HELLO and READY, whatever its id: that is a rule of its own.
fn greet(connection: &mut Connection) -> Judged {
    connection.hello("Judge");
    let expected = session::ready(connection);
    let ready = connection
        .expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }))
        .map_err(|stop| stop.on_the_way("HELLO did not lead to READY"))?;
    if let (FromServer::Ready { id }, Dialect::Later) = (ready, connection.dialect) {
        connection.id = id;
    }
    Ok(())
}

/// PLAY and ADMIT 1, whatever its id.
fn admit(connection: &mut Connection) -> Judged {
    connection.play();
    let expected = session::admit(connection.id, true);
    connection
        .expect(&expected, session::is_admission)
        .map_err(|stop| stop.on_the_way("PLAY did not lead to ADMIT 1"))?;
    Ok(())
}
