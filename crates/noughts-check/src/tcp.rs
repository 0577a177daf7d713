//! Checks a server of the TCP protocol. The kit is the client.

mod connection;
mod dialects;
pub(crate) mod document;
mod game;
mod leaving;
mod open;
mod opening;
mod pairs;
mod program_watch;
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
use noughts_wire::Dialect;

use crate::board::Replies;
use crate::process::command_text;
use crate::progress::{Step, Tell};
use crate::random::Rng;
use crate::report::{Entry, Report};
use crate::verdict::{Finding, RuleResult, Stop, Verdict, Weight};
use connection::{Connection, Observations, Timeouts};
use game::Games;
use opening::Failures;
use server_program::ServerProgram;

/// What to check.
#[derive(Clone, Debug)]
pub struct TcpTask {
    /// Where the server listens. With a command, port 0 chooses a free port.
    pub address: SocketAddr,
    /// How to start the server, with `{host}` and `{port}` in its words; empty if it already runs.
    pub command: Vec<OsString>,
    /// The dialect to check; with `None` the kit finds out which dialects the server uses.
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

/// Checks a server. `tell` gets each rule before it is tried. An error says why the server cannot be checked at
/// all: nothing listens there, or the command does not start a server.
///
/// The whole check takes at most fifteen times the time for one answer, whatever the server does. If the
/// server ends when a client leaves and must be started again for each rule, it takes at most twice that.
pub fn check_tcp(task: &TcpTask, processes: &ProcessSet, tell: Tell<'_>) -> Result<Report, String> {
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
    let has_program = checker.program.is_some();
    let rules_of = |dialect: Dialect| {
        let rules = tcp_rules(task.pairs).into_iter();
        rules.filter(move |rule| {
            rule.only.is_none_or(|only| only == dialect) && (has_program || !rule.needs_program)
        })
    };
    let total = dialects
        .iter()
        .flat_map(|dialect| rules_of(*dialect))
        .count();
    let mut entries = Vec::new();
    for dialect in &dialects {
        checker.start_dialect(*dialect);
        for rule in rules_of(*dialect) {
            tell(Step {
                done: entries.len(),
                total,
                name: rule.name,
            });
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
    /// The server lets two clients play against each other.
    pairs: bool,
    /// The name of the next client in the conversation.
    client_name: &'static str,
    program: Option<ServerProgram>,
    /// The first stack trace that the server printed when clients had only disconnected.
    trace: Option<Finding>,
    /// Whether the kit has sent frames that the document does not allow.
    has_sent_illegal: bool,
    /// The server printed a stack trace after that.
    has_doubtful_trace: bool,
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
    /// READY comes only when both clients of a pair have connected.
    is_ready_late: bool,
    /// Whether a control session, which only shows that the server gets processor time, was not served.
    is_control_unserved: bool,
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
            pairs: task.pairs,
            client_name: CLIENT,
            program,
            trace: None,
            has_sent_illegal: false,
            has_doubtful_trace: false,
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
            is_ready_late: false,
            is_control_unserved: false,
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
}
