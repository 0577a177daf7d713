//! Checks a client of the TCP protocol. The conformance kit acts as the server.
//!
//! The client connects several times. Each connection has its own scenario, such as a whole game, a refusal or a
//! disconnection. Rules that hold for every frame are checked in all connections.

mod connection;
mod program;
mod results;
mod rules;
mod scenario;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use noughts_process::ProcessSet;

use crate::process::{End, command_text, stack_trace, trace_headline};
use crate::progress::{Step, Tell};
use crate::report::Report;
use crate::verdict::{Fact, Finding};
use connection::ClientConnection;
use program::ClientProgram;
use results::RuleResults;
use scenario::{SCENARIOS, Scenario};

pub use program::Answer;
pub use rules::{CLIENT_RULES, ClientRule};

/// A client to check, and how the kit starts it and talks to it.
#[derive(Debug)]
pub struct ClientTask {
    /// Where the kit listens.
    pub listener: TcpListener,
    /// The command that starts the client for each scenario. Its arguments may contain `{host}` and `{port}`.
    /// The command is empty if a person starts the client.
    pub command: Vec<OsString>,
    /// Text that the kit types when the client starts.
    pub input: Vec<u8>,
    /// What the kit types into the client when the client shows a prompt.
    pub answers: Vec<Answer>,
    /// How long the kit waits for one frame. It waits three times as long for a connection.
    pub timeout: Duration,
}

/// Checks a client. The kit calls `tell` before it waits for each connection.
///
/// Returns an error with the reason if nothing can be checked:
/// - the command cannot be run,
/// - the client never connected, because it ended with an error or waited for typed input, or
/// - the task has no command, and nobody started a client by hand.
pub fn check_client(
    task: &ClientTask,
    processes: &ProcessSet,
    tell: Tell<'_>,
) -> Result<Report, String> {
    let mut results = RuleResults::new();
    let address = task
        .listener
        .local_addr()
        .map_err(|error| error.to_string())?;
    let mut connections = 0;
    let mut fastest_answer = task.timeout;
    for (number, scenario) in (1..).zip(SCENARIOS) {
        tell(Step {
            done: number - 1,
            total: SCENARIOS.len(),
            name: scenario.about(),
        });
        let mut program = match task.command.is_empty() {
            true => None,
            false => {
                let command = with_address(&task.command, address);
                Some(ClientProgram::start(
                    &command,
                    &task.input,
                    &task.answers,
                    processes,
                )?)
            }
        };
        let Some(stream) = accept(task, program.as_mut())? else {
            let prompt = program.as_mut().and_then(ClientProgram::waiting_at);
            results.nobody_connected(program.as_ref(), prompt);
            break;
        };
        connections += 1;
        let mut connection = ClientConnection::new(stream, task.timeout, program);
        connection.fastest_answer = fastest_answer;
        let silences = results.silences();
        scenario.run(&mut connection, &mut results);
        fastest_answer = connection.fastest_answer;
        match connection.size_fault.take() {
            Some(finding) => results.fail("frame-size", finding),
            None => results.hold("frame-size"),
        }
        let program = connection.program.take();
        drop(connection);
        if results.has_seen_enough() {
            break;
        }
        // A client that stayed silent probably does not end by itself either, so the kit does not wait for its end.
        if let (Some(mut program), true) = (program, results.silences() == silences) {
            check_exit(&mut program, number, scenario, &mut results, task.timeout);
        }
    }
    let by_hand = task.command.is_empty();
    if let (0, Some(why)) = (connections, results.did_not_start()) {
        return Err(why);
    }
    if connections == 0 && by_hand {
        let wait = (3 * task.timeout).as_secs_f64();
        return Err(format!(
            "no client connected to {address} within {wait} s: start yours with this address"
        ));
    }
    Ok(Report {
        kind: "client",
        subject: match by_hand {
            true => format!("The client that connected to {address}"),
            false => format!("The client {}", command_text(&task.command)),
        },
        document: crate::tcp::DOCUMENT,
        notes: results.waiting().into_iter().collect(),
        entries: results.entries(by_hand),
        hide_differences: false,
        waited: Duration::ZERO,
    })
}

/// Returns the command with `{host}` and `{port}` replaced by the parts of `address`.
pub(crate) fn with_address(command: &[OsString], address: SocketAddr) -> Vec<OsString> {
    let fill = |word: &OsString| match word.to_str() {
        Some(text) => text
            .replace("{host}", &address.ip().to_string())
            .replace("{port}", &address.port().to_string())
            .into(),
        None => word.clone(),
    };
    command.iter().map(fill).collect()
}

/// Waits for the next connection. Returns `None` if no connection comes in time, or if the client has ended or waits
/// for typed input instead of connecting.
fn accept(
    task: &ClientTask,
    mut program: Option<&mut ClientProgram>,
) -> Result<Option<TcpStream>, String> {
    let until = Instant::now() + 3 * task.timeout;
    let failed = |error: std::io::Error| format!("cannot accept a connection: {error}");
    task.listener.set_nonblocking(true).map_err(failed)?;
    let mut has_ended = false;
    let mut waits_since = None;
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
        if let Some(program) = &mut program {
            program.update();
            // After the client has ended, try to accept once more, because it may have connected before its end.
            has_ended = program.end.is_some();
            waits_since = match program.waiting_at() {
                Some(_) => waits_since.or_else(|| Some(Instant::now())),
                None => None,
            };
            if waits_since.is_some_and(|since| since.elapsed() >= task.timeout) {
                return Ok(None);
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits at most `timeout` until the client has ended after a scenario, and checks how it ended.
fn check_exit(
    client: &mut ClientProgram,
    number: usize,
    scenario: Scenario,
    results: &mut RuleResults,
    timeout: Duration,
) {
    let end = client.wait(Instant::now() + timeout);
    let mut trace = stack_trace(&client.program.errors);
    if trace.is_empty() {
        trace = stack_trace(&client.program.output);
    }
    let place = format!("in connection {number} ({})", scenario.about());
    let problem = match end {
        End::Signal(signal) => format!("{place} the client crashed with signal {signal}"),
        End::TimedOut if scenario.is_leaving() => format!(
            "{place} the client did not end within {} s after the server had closed the connection",
            timeout.as_secs_f64()
        ),
        End::TooMuchOutput => format!("{place} the client wrote more than 4 MiB"),
        _ if !trace.is_empty() => format!("{place} the client printed a stack trace"),
        End::Exit(_) | End::TimedOut => {
            results.hold(if scenario.is_leaving() {
                "leaving"
            } else {
                "no-trace"
            });
            return;
        }
    };
    if scenario.sends_illegal_move() {
        results.note("complains", problem);
        return;
    }
    let finding = Finding {
        problem,
        facts: vec![
            Fact::new(
                "received",
                match trace.is_empty() {
                    true => end.to_string(),
                    false => trace_headline(&trace),
                },
            ),
            Fact::new(
                "expected",
                "the client ends by itself, without a stack trace",
            ),
        ],
        conversation: trace,
    };
    match scenario.is_leaving() {
        true => results.fail("leaving", finding),
        false => results.fail("no-trace", finding),
    }
}
