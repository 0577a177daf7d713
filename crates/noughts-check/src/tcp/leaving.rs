//! The rules about clients that disconnect, and about several clients at the same time. Nearly every check of
//! a rule ends with a disconnection, so a server that does not survive disconnections would break all later
//! rules. The kit therefore tries the rules about disconnections early.

use super::connection::Connection;
use super::game::{first_moves, plays_on};
use super::session::{hello_bytes, still_serves};
use super::session_start::{admit, read_ready};
use super::{Checker, PLAYER, TcpRule, document};
use crate::verdict::{RuleResult, Stop};

pub(super) const RULES: [TcpRule; 5] = [
    TcpRule::demanded(
        "leaving-after-ready",
        "a client that disconnects after READY does not stop the server",
        document::DISCONNECTION,
        leave_after_ready,
    ),
    TcpRule::demanded(
        "leaving-at-once",
        "a client that disconnects without sending anything does not stop the server",
        document::DISCONNECTION,
        |checker| {
            leave_after(
                checker,
                "after a client disconnected without sending anything",
                Checker::connect,
            )
        },
    ),
    TcpRule::demanded(
        "leaving-in-a-frame",
        "a client that disconnects in the middle of a frame does not stop the server",
        document::DISCONNECTION,
        |checker| {
            leave_after(
                checker,
                "after a client disconnected in the middle of HELLO",
                |checker| {
                    let mut connection = checker.connect()?;
                    let hello = hello_bytes(&connection);
                    connection.send_bytes(&hello[..7]);
                    Ok(connection)
                },
            )
        },
    ),
    TcpRule::demanded(
        "leaving-after-play",
        "a client that disconnects when it is its turn does not stop the server",
        document::DISCONNECTION,
        |checker| {
            leave_after(
                checker,
                "after a client disconnected in its turn",
                Checker::admitted,
            )
        },
    ),
    TcpRule::demanded(
        "leaving-unread",
        "a client that disconnects without reading the answer does not stop the server",
        document::DISCONNECTION,
        |checker| {
            if checker.broken.contains(&"leaving-after-play") {
                let why = "prevented by leaving-after-play: the server ends when a client leaves";
                return Err(Stop::NotTried(why.to_owned()));
            }
            checker.plays()?;
            let mut connection = checker.admitted()?;
            connection.act_with(connection.id, *b"1-1");
            connection.leave_unread();
            // Checked several times, because the server may notice the disconnection late.
            for _ in 0..6 {
                still_serves(
                    checker,
                    "after a client disconnected without reading the answer",
                )?;
            }
            Ok(())
        },
    ),
];

/// The rule about several clients, tried after the rules about one game.
pub(super) const MANY: [TcpRule; 1] = [TcpRule::demanded(
    "many-at-once",
    "two clients play different games at the same time",
    document::THREADS,
    two_at_once,
)];

/// The rule about the output of a server that the kit has started.
pub(super) const OBSERVED: [TcpRule; 1] = [TcpRule {
    needs_program: true,
    ..TcpRule::demanded(
        "no-trace",
        "the server prints no stack trace when clients disconnect (only with -- COMMAND)",
        document::DISCONNECTION,
        |checker| {
            let finding = checker.find_trace();
            finding.map_or(Ok(()), |finding| Err(Stop::broken(finding)))
        },
    )
}];

fn leave_after(
    checker: &mut Checker,
    after: &str,
    until: fn(&mut Checker) -> RuleResult<Connection>,
) -> RuleResult {
    has_started_session(checker)?;
    until(checker)?.leave();
    still_serves(checker, after)
}

/// Lets several clients leave after READY, because a server may survive one or two such clients.
fn leave_after_ready(checker: &mut Checker) -> RuleResult {
    if let Some(finding) = checker.gone.clone() {
        return Err(Stop::broken(finding));
    }
    has_started_session(checker)?;
    for _ in 0..3 {
        still_serves(checker, "after a client disconnected after READY")?;
    }
    Ok(())
}

fn has_started_session(checker: &Checker) -> RuleResult {
    match checker.has_started_session {
        true => Ok(()),
        false => Err(Stop::NotTried(format!(
            "prevented by {}: HELLO was never answered with READY",
            checker.ready_rule()
        ))),
    }
}

fn two_at_once(checker: &mut Checker) -> RuleResult {
    checker.plays()?;
    let mut one = checker.admitted()?;
    let mut other = checker.connect()?;
    other.hello(PLAYER);
    read_ready(&mut other)
        .and_then(|()| admit(&mut other))
        .map_err(while_another)?;
    // Both clients play the same cell, which must be free in both games.
    let taken = first_moves(&mut one).map_err(while_another)?;
    first_moves(&mut other).map_err(while_another)?;
    drop(other);
    plays_on(&mut one, &[taken.0, taken.1]).map_err(while_another)?;
    checker.serves_many = true;
    Ok(())
}

fn while_another(stop: Stop) -> Stop {
    stop.prefixed("while another client plays, ")
}
