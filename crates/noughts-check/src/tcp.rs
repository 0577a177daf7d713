//! Checks a server of the TCP protocol. The kit is the client.

mod connection;
pub(crate) mod document;
mod game;
mod leaving;
mod open;
mod pairs;
mod robustness;
mod server_program;
mod session;

use std::cell::RefCell;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use noughts_process::ProcessSet;
use noughts_wire::{Dialect, FromServer, SESSION_IDS};

use crate::board::Replies;
use crate::process::{command_text, printable, stack_trace};
use crate::random::Rng;
use crate::report::{Entry, Report};
use crate::verdict::{Fact, Finding, RuleResult, Stop, Verdict, Weight};
use connection::{Connection, Observations, Received, Timeouts};
use game::Games;
use server_program::ServerProgram;

/// What to check.
#[derive(Clone, Debug)]
pub struct TcpTask {
    /// Where the server listens. With a command, port 0 chooses a free port.
    pub address: SocketAddr,
    /// How to start the server, with `{host}` and `{port}` in its words; empty if it already runs.
    pub command: Vec<OsString>,
    /// The dialect that the server should use; `None` finds out which ones it uses.
    pub dialect: Option<Dialect>,
    /// The server lets two clients play against each other.
    pub pairs: bool,
    /// The time for one answer. The whole check takes at most fifteen times as long.
    pub timeout: Duration,
}

/// One rule of the protocol.
pub struct TcpRule {
    /// Its short name.
    pub name: &'static str,
    /// What it says.
    pub claim: &'static str,
    /// The sentence of the document that demands it, or why it is open.
    pub source: &'static str,
    /// How much it counts.
    pub weight: Weight,
    /// The only dialect that has it.
    pub only: Option<Dialect>,
    /// It needs a server that the kit has started.
    pub needs_program: bool,
    check: fn(&mut Checker) -> RuleResult,
}

impl TcpRule {
    const fn new(
        name: &'static str,
        claim: &'static str,
        source: &'static str,
        weight: Weight,
        check: fn(&mut Checker) -> RuleResult,
    ) -> TcpRule {
        TcpRule {
            name,
            claim,
            source,
            weight,
            only: None,
            needs_program: false,
            check,
        }
    }

    const fn demanded(
        name: &'static str,
        claim: &'static str,
        source: &'static str,
        check: fn(&mut Checker) -> RuleResult,
    ) -> TcpRule {
        TcpRule::new(name, claim, source, Weight::Demanded, check)
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
            &game::OBSERVED,
            &leaving::OBSERVED,
            &open::RULES,
        ],
        true => &[&pairs::RULES, &game::OBSERVED, &leaving::OBSERVED],
    };
    tables.iter().flat_map(|table| table.iter()).collect()
}

/// Checks a server. An error says why it cannot be checked at all: nothing listens there, or the command
/// does not start a server.
///
/// The whole check takes at most fifteen times the time for one answer, whatever the server does.
pub fn check_tcp(task: &TcpTask, processes: &ProcessSet) -> Result<Report, String> {
    let program = match task.command.is_empty() {
        true => None,
        false => Some(ServerProgram::start(task, processes)?),
    };
    let mut checker = Checker::new(task, program);
    match checker.connect() {
        // Not dropped: a client that disconnects without a word is a rule of its own.
        Ok(connection) => checker.first = Some(connection),
        Err(Stop::NotTried(why)) => return Err(format!("{}: {why}", checker.address)),
        Err(Stop::Broken(finding)) => return Err(finding.problem),
    }
    let mut notes = Vec::new();
    let dialects = match task.dialect {
        Some(dialect) => vec![dialect],
        None => checker.find_dialects(&mut notes, task.pairs),
    };
    let mut entries = Vec::new();
    for dialect in &dialects {
        checker.start_dialect(*dialect);
        for rule in tcp_rules(task.pairs) {
            let is_other = rule.only.is_some_and(|only| only != *dialect);
            if is_other || rule.needs_program && checker.program.is_none() {
                continue;
            }
            entries.push(checker.check(rule));
        }
    }
    let what = if task.pairs {
        "server for two players"
    } else {
        "server"
    };
    Ok(Report {
        kind: "tcp",
        subject: match task.command.is_empty() {
            true => format!("The {what} at {}", task.address),
            false => format!("The {what} {}", command_text(&task.command)),
        },
        document: DOCUMENT,
        notes,
        entries,
        hide_differences: false,
    })
}

/// What is known about the server while the rules are tried.
pub(crate) struct Checker {
    address: SocketAddr,
    dialect: Dialect,
    timeouts: Timeouts,
    chance: Chance,
    /// The name of the next client in the conversation.
    client_name: &'static str,
    program: Option<ServerProgram>,
    /// The first stack trace that the server printed.
    trace: Option<Finding>,
    /// Why no session, or no game, could be started the last times; then it is not tried again.
    no_session: Failures,
    no_game: Failures,
    /// The connection that showed that the server listens.
    first: Option<Connection>,
    /// A session was started once.
    has_greeted: bool,
    /// Whether a mistake was answered with an ERROR, or why not.
    sends_errors: Option<Result<(), String>>,
    /// Whether the first two moves were answered, or why not.
    plays: Option<Result<(), String>>,
    games: Option<Games>,
    observations: Rc<RefCell<Observations>>,
}

/// Failures in a row.
#[derive(Default)]
struct Failures {
    count: u32,
    why: String,
}

impl Failures {
    /// After this many failures in a row the kit does not try again.
    const MAX: u32 = 2;

    fn check(&self) -> RuleResult {
        match self.count >= Failures::MAX {
            true => Err(Stop::NotTried(self.why.clone())),
            false => Ok(()),
        }
    }

    fn note<T>(&mut self, result: RuleResult<T>) -> RuleResult<T> {
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

/// What the kit's moves depend on.
pub(crate) struct Chance {
    rng: Rng,
    replies: Replies,
}

const CLIENT: &str = "client";

/// The whole check takes at most this many answers' time.
const MAX_ANSWER_TIMES: u32 = 15;

/// The name in the kit's HELLO.
const PLAYER: &str = "Judge";

impl Checker {
    fn new(task: &TcpTask, program: Option<ServerProgram>) -> Checker {
        Checker {
            address: program
                .as_ref()
                .map_or(task.address, ServerProgram::address),
            dialect: Dialect::Seed,
            timeouts: Timeouts {
                answer: task.timeout,
                until: Instant::now() + MAX_ANSWER_TIMES * task.timeout,
            },
            chance: Chance {
                rng: Rng::new(2022),
                replies: Replies::default(),
            },
            client_name: CLIENT,
            program,
            trace: None,
            no_session: Failures::default(),
            no_game: Failures::default(),
            first: None,
            has_greeted: false,
            sends_errors: None,
            plays: None,
            games: None,
            observations: Rc::default(),
        }
    }

    fn start_dialect(&mut self, dialect: Dialect) {
        self.dialect = dialect;
        (self.no_session, self.no_game) = Default::default();
        (self.plays, self.sends_errors, self.has_greeted) = (None, None, false);
        self.games = None;
        self.observations.take();
    }

    /// The dialects that the server uses; the document's, if it answers in none.
    fn find_dialects(&mut self, notes: &mut Vec<String>, pairs: bool) -> Vec<Dialect> {
        let mut found = Vec::new();
        for dialect in [Dialect::Seed, Dialect::Later] {
            self.start_dialect(dialect);
            if self.uses_dialect(pairs) {
                found.push(dialect);
            }
        }
        notes.push(
            match found.as_slice() {
                [] => {
                    found.push(Dialect::Seed);
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

    fn uses_dialect(&mut self, pairs: bool) -> bool {
        let Ok(mut connection) = self.connect() else {
            return false;
        };
        connection.hello(PLAYER);
        // A server for two players may send READY only when both have connected.
        let other = match pairs && !connection.has_answer_soon() {
            true => self.connect().ok(),
            false => None,
        };
        let other = other.map(|mut other| {
            other.hello(PLAYER);
            other
        });
        let is_ready = match (connection.receive(), self.dialect) {
            (Received::Frame(FromServer::Ready { id }, _), Dialect::Seed) => id == connection.id,
            (Received::Frame(FromServer::Ready { id }, _), Dialect::Later) => {
                SESSION_IDS.contains(&id)
            }
            _ => false,
        };
        connection.leave();
        if let Some(other) = other {
            other.leave();
        }
        is_ready
    }

    fn check(&mut self, rule: &TcpRule) -> Entry {
        let started = Instant::now();
        let mut verdict = match self.restart_program() {
            Err(why) => Verdict::NotTried(why),
            Ok(()) if started >= self.timeouts.until => Verdict::NotTried(format!(
                "the time for the whole check, {} s, is over",
                (MAX_ANSWER_TIMES * self.timeouts.answer).as_secs_f64()
            )),
            Ok(()) => Verdict::from((rule.check)(self)),
        };
        self.look_at_program(rule, &mut verdict);
        Entry {
            dialect: match self.dialect {
                Dialect::Seed => "seed",
                Dialect::Later => "later",
            }
            .to_owned(),
            rule: rule.name.to_owned(),
            claim: rule.claim.to_owned(),
            source: rule.source.to_owned(),
            weight: rule.weight,
            verdict,
            took: started.elapsed(),
        }
    }

    /// Starts the server again if it has ended, so that one crash does not hide other rules.
    fn restart_program(&mut self) -> Result<(), String> {
        let Some(program) = &mut self.program else {
            return Ok(());
        };
        if program.restart_if_ended()? {
            (self.no_session, self.no_game) = Default::default();
        }
        Ok(())
    }

    /// Looks for a stack trace in the server's output, and whether it still runs.
    fn look_at_program(&mut self, rule: &TcpRule, verdict: &mut Verdict) {
        let Some(program) = &mut self.program else {
            return;
        };
        let (output, end) = program.take_output();
        let trace = stack_trace(&output);
        if !trace.is_empty() {
            let problem = format!(
                "the server printed a stack trace after the connections of the rule {}",
                rule.name
            );
            match (rule.weight, verdict) {
                (Weight::Demanded, _) if self.trace.is_none() => {
                    let facts = vec![
                        Fact::new("received", printable(&trace[0])),
                        Fact::new("expected", "no stack trace when a client disconnects"),
                    ];
                    self.trace = Some(Finding {
                        problem,
                        facts,
                        conversation: trace,
                    });
                }
                (Weight::Open | Weight::Advice, Verdict::Holds { notes }) => notes.push(problem),
                _ => {}
            }
            return;
        }
        if let (Some(end), Verdict::Holds { .. }) = (end, &verdict) {
            let mut finding = Finding {
                problem: format!("the server program ended: {end}"),
                facts: vec![Fact::new("expected", "the server keeps running")],
                conversation: Vec::new(),
            };
            let output = String::from_utf8_lossy(&output);
            finding
                .conversation
                .extend(output.lines().take(8).map(printable));
            *verdict = Verdict::Broken(finding);
        }
    }

    /// A connection on which nothing was sent.
    fn connect(&mut self) -> RuleResult<Connection> {
        if let Some(mut connection) = self.first.take() {
            connection.dialect = self.dialect;
            return Ok(connection);
        }
        let id = self.chance.rng.id();
        Connection::open(
            self.client_name,
            self.address,
            self.dialect,
            id,
            self.timeouts,
            &self.observations,
        )
    }

    /// A connection with this name in the conversation.
    fn connect_as(&mut self, name: &'static str) -> RuleResult<Connection> {
        self.client_name = name;
        let connection = self.connect();
        self.client_name = CLIENT;
        connection
    }

    /// A connection with a session.
    fn greeted(&mut self) -> RuleResult<Connection> {
        self.no_session.check()?;
        let rule = match self.dialect {
            Dialect::Seed => "ready",
            Dialect::Later => "ready-makes-id",
        };
        let greeted = self.connect().and_then(|mut connection| {
            greet(&mut connection).map_err(|stop| stop.prevented_by(rule))?;
            Ok(connection)
        });
        self.has_greeted |= greeted.is_ok();
        self.no_session.note(greeted)
    }

    /// A connection with a game in which the client is to move.
    fn admitted(&mut self) -> RuleResult<Connection> {
        self.no_game.check()?;
        let mut connection = self.greeted()?;
        let admitted = admit(&mut connection)
            .map(|()| connection)
            .map_err(|stop| stop.prevented_by("admit"));
        self.no_game.note(admitted)
    }

    /// Whether games can be played at all, for rules that are about something else.
    fn plays(&mut self) -> RuleResult {
        if self.plays.is_none() {
            let tried = self.admitted().and_then(|mut connection| {
                game::first_moves(&mut connection)
                    .and_then(|(own, answer)| game::plays_on(&mut connection, &[own, answer]))
                    .map_err(|stop| stop.prevented_by("answer"))?;
                connection.leave();
                Ok(())
            });
            self.plays = Some(kept(tried));
        }
        told(&self.plays)
    }

    /// Whether mistakes are answered with an ERROR that can be read.
    fn sends_errors(&mut self) -> RuleResult {
        if self.sends_errors.is_none() {
            let tried = self.admitted().and_then(|mut connection| {
                connection.act_with(connection.id, *b"9-9");
                let expected = connection::Expected::error(connection.id, 0);
                connection
                    .expect(&expected, |frame| matches!(frame, FromServer::Error { .. }))
                    .map_err(|stop| stop.prevented_by("off-board"))?;
                connection.leave();
                Ok(())
            });
            self.sends_errors = Some(kept(tried));
        }
        told(&self.sends_errors)
    }
}

fn kept(result: RuleResult) -> Result<(), String> {
    result.map_err(|stop| match stop {
        Stop::NotTried(why) => why,
        Stop::Broken(finding) => finding.problem,
    })
}

fn told(kept: &Option<Result<(), String>>) -> RuleResult {
    match kept {
        Some(Err(why)) => Err(Stop::NotTried(why.clone())),
        Some(Ok(())) | None => Ok(()),
    }
}

/// HELLO and READY, whatever its id: that is a rule of its own.
fn greet(connection: &mut Connection) -> RuleResult {
    connection.hello(PLAYER);
    read_ready(connection)
}

fn read_ready(connection: &mut Connection) -> RuleResult {
    let expected = session::ready(connection);
    let ready = connection.expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }))?;
    if let (FromServer::Ready { id }, Dialect::Later) = (ready, connection.dialect) {
        connection.id = id;
    }
    Ok(())
}

/// PLAY and ADMIT 1, whatever its id.
fn admit(connection: &mut Connection) -> RuleResult {
    connection.play();
    let expected = session::admit(connection.id, true);
    connection.expect(&expected, session::is_admission)?;
    Ok(())
}
