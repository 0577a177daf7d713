//! Judging somebody's client of the TCP protocol: the judge is the server.
//!
//! The client visits several times, and each scenario goes another way: a whole game, a refusal, an end in the
//! middle. What is true of every frame is looked at in all of them.

mod connection;
mod results;
mod rules;
mod scenario;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::process::{End, Program, RunningPrograms};
use crate::report::Report;
use crate::verdict::{Fact, Finding};
use connection::ClientConnection;
use results::RuleResults;
use scenario::{SCENARIOS, Scenario};

pub use rules::{CLIENT_RULES, ClientRule};

/// What to judge.
#[derive(Debug)]
pub struct ClientTask {
    /// Where the judge listens.
    pub listener: TcpListener,
    /// How to start the client for each scenario, with `{host}` and `{port}` where it wants them; without, somebody
    /// else starts it.
    pub command: Vec<OsString>,
    /// How long one frame may take. The client may take three times that to come.
    pub timeout: Duration,
}

/// Judges a client. `tell` hears what is waited for. An error says why nothing could be judged at all: the
/// command can't be run, or nobody came.
pub fn check_client(
    task: &ClientTask,
    running: &RunningPrograms,
    tell: &mut dyn FnMut(&str),
) -> Result<Report, String> {
    let mut results = RuleResults::default();
    let at = task
        .listener
        .local_addr()
        .map_err(|error| error.to_string())?;
    let mut visitors = 0;
    for (number, scenario) in (1..).zip(SCENARIOS) {
        tell(&format!(
            "scenario {number} of {}: {}; waiting for a client at {at}",
            SCENARIOS.len(),
            scenario.about()
        ));
        let mut program = match task.command.is_empty() {
            true => None,
            false => Some(Program::start(&filled(task, at), running)?),
        };
        let Some(stream) = accept(task, program.as_mut())? else {
            results.nobody_came(program.as_ref());
            // Who did not come once will not come eight times more.
            break;
        };
        visitors += 1;
        let mut connection = ClientConnection::new(stream, task.timeout);
        let silences = results.silences();
        scenario.receive(&mut connection, &mut results);
        drop(connection);
        // Who has said nothing when it should is not waited for again, and not often asked.
        if results.silences() > silences {
            if results.silences() == ENOUGH {
                break;
            }
        } else if let Some(program) = &mut program {
            see_out(program, scenario, &mut results, task.timeout);
        }
    }
    if visitors == 0 && task.command.is_empty() {
        let wait = (3 * task.timeout).as_secs_f64();
        return Err(format!(
            "no client came to {at} within {wait} s: start yours with this address"
        ));
    }
    let by_hand = task.command.is_empty();
    Ok(Report {
        kind: "client",
        subject: match by_hand {
            true => format!("The client that came to {at}"),
            false => {
                let words: Vec<_> = task
                    .command
                    .iter()
                    .map(|word| word.to_string_lossy())
                    .collect();
                format!("The client {}", words.join(" "))
            }
        },
        document: crate::tcp::DOCUMENT,
        notes: Vec::new(),
        entries: results.entries(by_hand),
    })
}

/// So many visits may end in silence.
const ENOUGH: usize = 2;

/// The command with the judge's address in it.
fn filled(task: &ClientTask, at: std::net::SocketAddr) -> Vec<OsString> {
    let fill = |word: &OsString| match word.to_str() {
        Some(text) => text
            .replace("{host}", &at.ip().to_string())
            .replace("{port}", &at.port().to_string())
            .into(),
        None => word.clone(),
    };
    task.command.iter().map(fill).collect()
}

/// The next connection; none when the time is over, or the program has ended without one.
fn accept(
    task: &ClientTask,
    mut program: Option<&mut Program>,
) -> Result<Option<TcpStream>, String> {
    let until = Instant::now() + 3 * task.timeout;
    let failed = |error: std::io::Error| format!("nobody can be let in: {error}");
    task.listener.set_nonblocking(true).map_err(failed)?;
    let mut has_ended = false;
    loop {
        match task.listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).map_err(failed)?;
                return Ok(Some(stream));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(failed(error)),
        }
        if Instant::now() >= until || has_ended {
            return Ok(None);
        }
        match &mut program {
            // Once more after its end: it may have come before.
            Some(program) => {
                has_ended = program
                    .listen(Instant::now() + Duration::from_millis(5))
                    .is_some();
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Waits for the program's end after its scenario, and looks at how it ended.
fn see_out(
    program: &mut Program,
    scenario: Scenario,
    results: &mut RuleResults,
    timeout: Duration,
) {
    let until = Instant::now() + timeout;
    let end = loop {
        if let Some(end) = program.listen(until) {
            break end;
        }
        if Instant::now() >= until {
            break End::TimedOut;
        }
    };
    let when = match scenario {
        Scenario::LeaveInGame => "when the server goes in the middle of a game",
        Scenario::LeaveAtOnce => "when the server goes after HELLO",
        _ => "after a scenario",
    };
    let wrong = match end {
        End::Signal(signal) => Some(format!("{when}, the client crashes (signal {signal})")),
        End::TimedOut if scenario.is_leaving() => Some(format!(
            "{when}, the client does not end within {} s, though nobody is there any more",
            timeout.as_secs_f64()
        )),
        End::Flooded => Some(format!("{when}, the client writes without end")),
        _ if crate::classic::shows_a_trace(&program.errors)
            || crate::classic::shows_a_trace(&program.output) =>
        {
            Some(format!("{when}, the client shows a stack trace"))
        }
        End::Exit(_) | End::TimedOut => None,
    };
    let rule = if scenario.is_leaving() {
        "leaving"
    } else {
        "no-trace"
    };
    match wrong {
        None => results.hold(rule),
        Some(wrong) => {
            let errors = String::from_utf8_lossy(&program.errors);
            let fact = |words: &str| Fact {
                label: "stderr",
                hex: String::new(),
                words: words
                    .chars()
                    .map(|sign| if sign.is_control() { ' ' } else { sign })
                    .take(160)
                    .collect(),
            };
            let lines = errors.lines().filter(|line| !line.trim().is_empty());
            results.fail(
                rule,
                Finding {
                    wrong,
                    facts: lines.take(2).map(fact).collect(),
                    log: Vec::new(),
                },
            );
        }
    }
}
