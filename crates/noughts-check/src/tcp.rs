//! Checks a server of the TCP protocol. The conformance kit acts as the client.

mod connection;
mod dialects;
pub(crate) mod document;
mod game;
mod leaving;
mod open_questions;
mod pairs;
mod program_watch;
mod robustness;
mod server_program;
mod session;
mod session_start;

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
use server_program::ServerProgram;
use session_start::Failures;

/// A server to check, and how to check it.
#[derive(Clone, Debug)]
pub struct TcpTask {
    /// Where the server listens. If there is a `command`, port 0 means that the kit chooses a free port.
    pub address: SocketAddr,
    /// The command that starts the server. Its arguments may contain `{host}` and `{port}`. The command is
    /// empty if the server already runs.
    pub command: Vec<OsString>,
    /// The dialect to check. If it is `None`, the kit finds out which dialects the server uses.
    pub dialect: Option<Dialect>,
    /// Whether the server lets two clients play against each other.
    pub pairs: bool,
    /// How long the kit waits for one answer. This timeout also limits the time of the whole check; see
    /// [`check_tcp`].
    pub timeout: Duration,
}

/// One rule for servers.
pub struct TcpRule {
    /// The rule's short name.
    pub name: &'static str,
    /// What the rule says.
    pub claim: &'static str,
    /// The sentence of the course document that demands the rule. If the document does not demand the rule,
    /// this is the reason for the rule.
    pub source: &'static str,
    /// How much the rule counts. Breaking the rule is a fault if the course document demands it.
    pub weight: Weight,
    /// The only dialect that has this rule. `None` if both dialects have this rule.
    pub only: Option<Dialect>,
    /// Whether the rule needs a server that the kit has started.
    pub needs_program: bool,
    /// Whether, while the kit tries this rule, the kit's clients send only frames that the course document
    /// allows. If so, a stack trace of the server is a fault.
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

    /// Returns this rule with `is_legal` set to false.
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

/// The source of the rules, as reports name it.
pub(crate) const DOCUMENT: &str = "the document \"Tic-tac-toe\" of the programming course, with HELLO, READY, PLAY, ADMIT, \
     ACTION, RESULT and ERROR (docs/conformance.md lists every rule)";

/// The rules for servers, in the order in which they are tried. If `pairs` is false, these are the rules for a server
/// that plays against each client itself. If `pairs` is true, these are the rules for a server that lets two clients
/// play against each other.
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
            &open_questions::RULES,
        ],
        true => &[&pairs::RULES, &game::OBSERVED, &leaving::OBSERVED],
    };
    tables.iter().flat_map(|table| table.iter()).collect()
}

/// Checks a server. The kit calls `tell` before it tries each rule. Returns an error if the server cannot be checked at
/// all: for example, if nothing listens at the address, or if the command does not start a server.
///
/// After fifteen times the timeout for one answer, the kit tries no further rule. If a server that the kit
/// has started ends when a client leaves, the kit must start it again for each rule. In this case the check
/// may take twice as long.
pub fn check_tcp(task: &TcpTask, processes: &ProcessSet, tell: Tell<'_>) -> Result<Report, String> {
    let program = match task.command.is_empty() {
        true => None,
        false => Some(ServerProgram::start(task, processes)?),
    };
    let mut checker = Checker::new(task, program);
    match checker.connect() {
        // This connection stays open, because a separate rule tests a client that disconnects without sending anything.
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
    checker.check_still_listening();
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

/// If a rule is broken in both dialects, reports this as one fault.
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
    move_source: MoveSource,
    /// Whether the server lets two clients play against each other.
    pairs: bool,
    /// The name that the next client gets in reported conversations.
    client_name: &'static str,
    program: Option<ServerProgram>,
    /// The first stack trace that the server printed although the kit had sent it only allowed frames.
    trace: Option<Finding>,
    /// Whether, since the last start of the server, the kit has sent a frame that the course document does not allow.
    has_sent_illegal: bool,
    /// Whether the server printed a stack trace after a frame that the course document does not allow.
    has_doubtful_trace: bool,
    /// How many attempts in a row to start a session have failed, and why. After two failures in a row the kit does not
    /// try again.
    no_session: Failures,
    /// How many attempts in a row to start a game have failed, and why. The limit is the same as for sessions.
    no_game: Failures,
    /// The connection that showed that the server listens. The next call of `connect` returns it.
    first: Option<Connection>,
    /// Whether the server answered HELLO in neither dialect.
    ignores_hello: bool,
    /// The finding about a server that stopped listening when the first client left after READY.
    gone: Option<Finding>,
    /// Whether a session was started at least once in this dialect.
    has_started_session: bool,
    /// `Some(Ok(()))` if the server answered a mistake with an ERROR. `Some(Err(_))` says why it did not. `None` if
    /// this was not tried yet.
    sends_errors: Option<Result<(), String>>,
    /// `Some(Ok(()))` if the server answered the first two moves. `Some(Err(_))` says why it did not. `None` if this
    /// was not tried yet.
    plays: Option<Result<(), String>>,
    /// The names of the rules that the server breaks in this dialect. Open questions are not included.
    broken: Vec<&'static str>,
    /// Evidence that the server stops reading a name at its first zero byte.
    name_end: Option<Finding>,
    /// Whether names with one zero byte were tried.
    has_tried_one_zero: bool,
    /// For each frame with a wrong id: the rule that reports the frame, the session's id, and the frame's id.
    wrong_ids: Vec<(&'static str, u32, u32)>,
    /// For each rule about a mistake of the client: what the server sent instead of the expected ERROR.
    mistakes: BTreeMap<&'static str, String>,
    /// Whether the kit has seen two clients play at the same time.
    serves_many: bool,
    /// Whether both clients of a pair got the same flag. If so, the client whose PLAY was sent first makes the first
    /// move.
    flags_are_equal: bool,
    /// Whether the server sends READY only when both clients of a pair have connected.
    is_ready_late: bool,
    /// Whether the server did not serve a control session. The only purpose of a control session is to show that the
    /// server gets processor time.
    is_control_unserved: bool,
    /// Streams that stay open until the check of a rule ends. The kit keeps them for a server that ends when
    /// a client leaves.
    held: Vec<TcpStream>,
    /// Whether the current rule is about clients that leave.
    is_about_leaving: bool,
    /// Total time for restarts of a server that ends when a client leaves.
    restart_time: Duration,
    /// The connections for the open questions. The kit first sends its frames on all these connections. Then it waits
    /// for all answers at the same time.
    probes: Option<open_questions::Probes>,
    games: Option<Games>,
    observations: Rc<RefCell<Observations>>,
}

/// The random numbers and the observed replies that decide the kit's moves.
pub(crate) struct MoveSource {
    rng: Rng,
    replies: Replies,
}

const CLIENT: &str = "client";

/// Maximum time of the whole check, as a multiple of the timeout for one answer.
const MAX_ANSWER_TIMES: u32 = 15;

/// The reason in the report for rules that were not tried because the time of the whole check was over.
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
            move_source: MoveSource {
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
            ignores_hello: false,
            gone: None,
            has_started_session: false,
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
        (self.plays, self.sends_errors, self.has_started_session) = (None, None, false);
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
