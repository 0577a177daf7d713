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
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::{SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::{Duration, Instant};

use noughts_process::ProcessSet;
use noughts_wire::{Dialect, FromServer, SESSION_IDS};

use crate::board::Replies;
use crate::process::{command_text, printable, stack_trace, trace_headline};
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
    /// The only dialect with this rule; `None` for both.
    pub only: Option<Dialect>,
    /// Whether the rule needs a server that the kit has started.
    pub needs_program: bool,
    /// Whether its clients do only what the document allows. Then a stack trace of the server is a fault.
    is_legal: bool,
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
            is_legal: matches!(weight, Weight::Demanded),
            check,
        }
    }

    /// A rule whose clients send frames that the document does not allow.
    const fn with_illegal_frames(self) -> TcpRule {
        TcpRule {
            is_legal: false,
            ..self
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

/// Checks a server. An error says why it cannot be checked at all: nothing listens there, or the command does
/// not start a server.
///
/// The whole check takes at most fifteen times the time for one answer, whatever the server does. If the
/// server ends when a client leaves and must be started again for each rule, it takes at most twice that.
pub fn check_tcp(task: &TcpTask, processes: &ProcessSet) -> Result<Report, String> {
    let program = match task.command.is_empty() {
        true => None,
        false => Some(ServerProgram::start(task, processes)?),
    };
    let mut checker = Checker::new(task, program);
    match checker.connect() {
        // Kept open, because a client that disconnects without sending anything is a separate rule.
        Ok(connection) => checker.first = Some(connection),
        Err(Stop::NotTried(why)) => {
            return Err(format!(
                "{}: {why}; start your server first, or let the kit start it (-- COMMAND)",
                checker.address
            ));
        }
        Err(Stop::Broken(finding)) => return Err(finding.problem),
    }
    let mut notes = Vec::new();
    let dialects = match task.dialect {
        Some(dialect) => vec![dialect],
        None => checker.find_dialects(&mut notes, task.pairs),
    };
    checker.look_whether_it_still_listens();
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
    report_once(&mut entries);
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
        waited: checker.observations.borrow().waited,
    })
}

/// Reports a rule that is broken in both dialects as one fault.
fn report_once(entries: &mut [Entry]) {
    let mut broken: BTreeMap<String, String> = BTreeMap::new();
    for entry in entries {
        let Verdict::Broken(finding) = &entry.verdict else {
            continue;
        };
        let why = format!(
            "the same fault as {} in the dialect {}: {}",
            entry.rule, entry.dialect, finding.problem
        );
        match broken.get(&entry.rule) {
            Some(earlier) => entry.verdict = Verdict::NotTried(earlier.clone()),
            None => {
                broken.insert(entry.rule.clone(), why);
            }
        }
    }
}

/// The state of a check.
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
    /// Why no session, or no game, could be started in the last attempts. After some failures it is not tried
    /// again.
    no_session: Failures,
    no_game: Failures,
    /// The connection that showed that the server listens.
    first: Option<Connection>,
    /// Whether the server answered HELLO in neither dialect.
    is_mute: bool,
    /// Set if the server stopped listening after the first client had left after READY.
    gone: Option<Finding>,
    /// Whether a session was started at least once.
    has_greeted: bool,
    /// Whether a mistake was answered with an ERROR; otherwise the reason.
    sends_errors: Option<Result<(), String>>,
    /// Whether the first two moves were answered; otherwise the reason.
    plays: Option<Result<(), String>>,
    /// The demanded rules and the advice that are broken in this dialect.
    broken: Vec<&'static str>,
    /// Evidence that the server stops reading a name at its first zero byte.
    name_end: Option<Finding>,
    /// Whether names with one zero byte were tried.
    has_tried_one_zero: bool,
    /// The session's id and the different id of a frame, with the rule that reports it.
    wrong_ids: Vec<(&'static str, u32, u32)>,
    /// What the server sent instead of the right ERROR for a mistake of the client, by rule.
    mistakes: BTreeMap<&'static str, String>,
    /// Whether two clients played at the same time.
    serves_many: bool,
    /// Whether both clients of a pair got the same flag. Then the order of their PLAY tells who begins.
    flags_are_equal: bool,
    /// Streams that stay open until the end of a rule, because the server ends when a client leaves.
    held: Vec<TcpStream>,
    /// Whether the rule that is tried is about clients that leave.
    is_about_leaving: bool,
    /// How long it took to start a server again that ends when a client leaves.
    restart_time: Duration,
    /// The connections for the open questions, which wait for their answers together.
    probes: Option<open::Probes>,
    games: Option<Games>,
    observations: Rc<RefCell<Observations>>,
}

/// A HELLO in one dialect, to find out whether the server uses it.
struct Question {
    connection: Connection,
    /// The second player of a pair.
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

/// Failures in a row.
#[derive(Default)]
struct Failures {
    count: u32,
    why: String,
}

impl Failures {
    /// After this many failures in a row the kit gives up.
    const MAX: u32 = 2;

    fn check(&self) -> RuleResult {
        match self.count >= Failures::MAX {
            true => Err(Stop::NotTried(self.why.clone())),
            false => Ok(()),
        }
    }

    /// Gives up at once.
    fn give_up(&mut self, stop: Stop) {
        if let Stop::NotTried(why) = stop {
            (self.count, self.why) = (Failures::MAX, why);
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

/// Maximum time of the whole check, as a multiple of the time for one answer.
const MAX_ANSWER_TIMES: u32 = 15;

/// Why rules are not tried after that.
const TIME_IS_OVER: &str = "the time for the whole check is over";

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
            is_mute: false,
            gone: None,
            has_greeted: false,
            sends_errors: None,
            plays: None,
            broken: Vec::new(),
            name_end: None,
            has_tried_one_zero: false,
            wrong_ids: Vec::new(),
            mistakes: BTreeMap::new(),
            serves_many: false,
            flags_are_equal: false,
            held: Vec::new(),
            is_about_leaving: false,
            restart_time: Duration::ZERO,
            probes: None,
            games: None,
            observations: Rc::default(),
        }
    }

    fn start_dialect(&mut self, dialect: Dialect) {
        self.dialect = dialect;
        (self.no_session, self.no_game) = Default::default();
        (self.plays, self.sends_errors, self.has_greeted) = (None, None, false);
        (self.name_end, self.has_tried_one_zero, self.serves_many) = (None, false, false);
        (self.games, self.probes) = (None, None);
        self.broken.clear();
        self.wrong_ids.clear();
        self.mistakes.clear();
        let waited = self.observations.take().waited;
        self.observations.borrow_mut().waited = waited;
    }

    /// The dialects that the server uses; the document's if it answers in neither.
    fn find_dialects(&mut self, notes: &mut Vec<String>, pairs: bool) -> Vec<Dialect> {
        let mut found = Vec::new();
        // Both questions wait at the same time, so that a silent server costs the time only once.
        let seed = self.ask(Dialect::Seed, pairs);
        let later = match pairs {
            // Two clients at once would be paired.
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
                    self.is_mute = true;
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

    /// Sends HELLO. For pairs it is sent by two clients, because the server may send READY only when both
    /// have connected.
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

    fn check(&mut self, rule: &TcpRule) -> Entry {
        let started = Instant::now();
        self.is_about_leaving = rule.name.starts_with("leaving");
        let mut verdict = match self.restart_program() {
            Err(why) => Verdict::NotTried(why),
            Ok(()) if started >= self.timeouts.until => Verdict::NotTried(format!(
                "{TIME_IS_OVER}: {} s",
                (MAX_ANSWER_TIMES * self.timeouts.answer).as_secs_f64()
            )),
            Ok(()) => Verdict::from((rule.check)(self)),
        };
        if let Verdict::NotTried(why) = &mut verdict
            && why.starts_with(TIME_IS_OVER)
            && self.broken.contains(&"prompt")
        {
            *why = format!("prevented by prompt: {why}");
        }
        self.held.clear();
        self.look_at_program(rule, &mut verdict);
        if matches!(verdict, Verdict::Broken(_)) && rule.weight != Weight::Open {
            self.broken.push(rule.name);
        }
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
        /// How long a server that ends when a client leaves may take to do so.
        const ENDS_WITHIN: Duration = Duration::from_millis(300);
        let ends_when_left = self.ends_when_left();
        let Some(program) = &mut self.program else {
            return Ok(());
        };
        let started = Instant::now();
        if ends_when_left {
            program.wait_for_end(ENDS_WITHIN);
        }
        let has_restarted = program.restart_if_ended()?;
        if ends_when_left {
            // The time for restarts is added, because it is not answer time.
            let most = MAX_ANSWER_TIMES * self.timeouts.answer;
            let spent = started
                .elapsed()
                .min(most.saturating_sub(self.restart_time));
            self.restart_time += spent;
            self.timeouts.until += spent;
        }
        if has_restarted {
            (self.no_session, self.no_game) = Default::default();
            if let Some(probes) = &mut self.probes {
                probes.clear();
            }
        }
        Ok(())
    }

    /// Whether the server program ends when a client leaves, and must be started again for each rule.
    fn ends_when_left(&self) -> bool {
        self.program.is_some() && self.broken.iter().any(|rule| rule.starts_with("leaving"))
    }

    /// Looks for a stack trace in the server's output, and checks that the server still runs.
    fn look_at_program(&mut self, rule: &TcpRule, verdict: &mut Verdict) {
        let Some(program) = &mut self.program else {
            return;
        };
        let (output, end) = program.take_output();
        let trace = stack_trace(&output);
        if !trace.is_empty() {
            let problem = format!(
                "the server printed a stack trace while the rule {} was tried: {}",
                rule.name, rule.claim
            );
            match verdict {
                _ if rule.is_legal && self.trace.is_none() => {
                    self.trace = Some(trace_finding(problem, trace));
                }
                Verdict::Holds { notes } if !rule.is_legal => notes.push(format!(
                    "the server printed a stack trace; the document forbids that only when a client disconnects: {}",
                    trace_headline(&trace)
                )),
                Verdict::Holds { .. } | Verdict::Broken(_) | Verdict::NotTried(_) => {}
            }
            return;
        }
        if self.ends_when_left() {
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

    /// Checks that the server still listens after the clients that found out the dialect have left. If it
    /// does not, it would break every other rule too.
    fn look_whether_it_still_listens(&mut self) {
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

    /// Waits for a stack trace, which may be printed a moment after a disconnection.
    fn wait_for_late_trace(&mut self) {
        const LATE: Duration = Duration::from_millis(200);
        let Some(program) = self.program.as_mut().filter(|_| self.trace.is_none()) else {
            return;
        };
        self.observations.borrow_mut().waited += LATE;
        program.wait_for_output(LATE);
        let (output, _) = program.take_output();
        let trace = stack_trace(&output);
        if !trace.is_empty() {
            let problem = "the server printed a stack trace after clients had disconnected";
            self.trace = Some(trace_finding(problem.to_owned(), trace));
        }
    }

    /// A connection on which nothing was sent yet.
    fn connect(&mut self) -> RuleResult<Connection> {
        if let Some(finding) = &self.gone {
            let stop = Stop::broken(finding.clone());
            return Err(stop.prevented_by("leaving-after-ready"));
        }
        if let Some(mut connection) = self.first.take() {
            connection.dialect = self.dialect;
            return Ok(connection);
        }
        let id = self.chance.rng.id();
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
        // A server that has ended cannot be reached by all following rules.
        let ended_by = self.broken.iter().find(|rule| rule.starts_with("leaving"));
        opened.map_err(|stop| match (stop, ended_by) {
            (Stop::NotTried(why), Some(rule)) => {
                Stop::NotTried(format!("prevented by {rule}: {why}"))
            }
            (stop, _) => stop,
        })
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
        let rule = self.ready_rule();
        let greeted = self.connect().and_then(|mut connection| {
            greet(&mut connection).map_err(|stop| stop.prevented_by(rule))?;
            Ok(connection)
        });
        self.has_greeted |= greeted.is_ok();
        self.no_session.note(greeted)
    }

    /// The rule about READY.
    fn ready_rule(&self) -> &'static str {
        match self.dialect {
            Dialect::Seed => "ready",
            Dialect::Later => "ready-makes-id",
        }
    }

    /// A connection with a game in which the client is to move.
    fn admitted(&mut self) -> RuleResult<Connection> {
        self.no_game.check()?;
        let mut connection = self.greeted()?;
        let admitted = match admit(&mut connection) {
            Ok(()) => Ok(connection),
            Err(stop) => self.admitted_with_one_zero(&stop).ok_or(stop),
        };
        let admitted = admitted.map_err(|stop| stop.prevented_by("admit"));
        self.no_game.note(admitted)
    }

    /// Called if PLAY was not admitted. Perhaps the server reads a name only up to its first zero byte and
    /// takes the second one for an opcode. A name with one zero byte shows that.
    fn admitted_with_one_zero(&mut self, stop: &Stop) -> Option<Connection> {
        let Stop::Broken(finding) = stop else {
            return None;
        };
        if std::mem::replace(&mut self.has_tried_one_zero, true) {
            return None;
        }
        self.observations.borrow_mut().one_zero = true;
        let tried = self.greeted().and_then(|mut connection| {
            admit(&mut connection)?;
            Ok(connection)
        });
        if let Ok(connection) = tried {
            self.name_end = Some(session::stops_at_first_zero(finding));
            // What came after READY was the answer to the second zero byte.
            self.observations.borrow_mut().unasked = None;
            return Some(connection);
        }
        self.observations.borrow_mut().one_zero = false;
        None
    }

    /// Checks that games can be played, for rules about something else.
    fn plays(&mut self) -> RuleResult {
        if self.plays.is_none() {
            let tried = self.admitted().and_then(|mut connection| {
                game::first_moves(&mut connection)
                    .and_then(|(own, answer)| game::plays_on(&mut connection, &[own, answer]))
                    .map_err(|stop| stop.prevented_by("answer"))?;
                Ok(())
            });
            self.plays = Some(kept(tried));
        }
        told(&self.plays)
    }

    /// Checks that mistakes are answered with a readable ERROR.
    fn sends_errors(&mut self) -> RuleResult {
        if self.sends_errors.is_none() {
            game::answers_mistakes(self, "off-board")?;
            let tried = self.admitted().and_then(|mut connection| {
                connection.act_with(connection.id, *b"9-9");
                let expected = connection::Expected::error(connection.id, 0);
                connection
                    .expect(&expected, |frame| matches!(frame, FromServer::Error { .. }))
                    .map_err(|stop| stop.prevented_by("off-board"))?;
                Ok(())
            });
            self.sends_errors = Some(kept(tried));
        }
        told(&self.sends_errors)
    }
}

fn trace_finding(problem: String, trace: Vec<String>) -> Finding {
    Finding {
        problem,
        facts: vec![
            Fact::new("received", trace_headline(&trace)),
            Fact::new("expected", "no stack trace when a client disconnects"),
        ],
        conversation: trace,
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

/// Sends HELLO and waits for READY with any id, because the id is a separate rule.
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

/// Sends PLAY and waits for ADMIT 1 with any id.
fn admit(connection: &mut Connection) -> RuleResult {
    connection.play();
    let expected = session::admit(connection.id, true);
    connection.expect(&expected, session::is_admission)?;
    Ok(())
}
