//! The ids in the server's frames.

use noughts_wire::FromServer;

use crate::frame::{hex, server_words};
use crate::tcp::Checker;
use crate::tcp::connection::{Connection, Expected, Received};
use crate::verdict::{Finding, RuleResult, Stop};

/// A frame whose id is not the id of the session.
#[derive(Clone)]
pub(super) struct WrongId {
    pub(super) own: u32,
    pub(super) id: u32,
    pub(super) finding: Finding,
}

/// Returns the wrong id if a frame has another id than the session.
pub(super) fn wrong_id(connection: &Connection, received: &Received) -> Option<WrongId> {
    let Received::Frame(frame, bytes) = received else {
        return None;
    };
    let id = match frame {
        FromServer::Ready { id }
        | FromServer::Admit { id, .. }
        | FromServer::Action { id, .. }
        | FromServer::Result { id, .. }
        | FromServer::Error { id, .. } => *id,
    };
    let own = connection.id;
    if id == own {
        return None;
    }
    let expected = Expected::new(
        format!("{:02x} {} …", bytes[0], hex(&own.to_be_bytes())),
        format!("the session's id, {own}"),
    );
    let words = server_words(bytes, connection.dialect);
    let problem = format!(
        "the frame has the id {id}, and the session's is {own}{}",
        reversed(own, id)
    );
    match connection.found(problem, &expected, &hex(bytes), &words) {
        Stop::Broken(finding) => Some(WrongId {
            own,
            id,
            finding: *finding,
        }),
        Stop::NotTried(_) => None,
    }
}

/// Explains an id whose bytes are in the wrong order. The text is empty for other ids.
pub(in crate::tcp) fn reversed(own: u32, id: u32) -> &'static str {
    match id == own.swap_bytes() && id != own {
        true => ": the bytes of the id are in the wrong order, little endian instead of big endian",
        false => "",
    }
}

/// Reports a wrong id. If an earlier rule has reported an id that is wrong in the same way, the result refers to that
/// rule.
pub(super) fn report_wrong_id(
    checker: &mut Checker,
    rule: &'static str,
    wrong: &WrongId,
) -> RuleResult {
    let WrongId { own, id, finding } = wrong;
    let is_same = |(_, other_own, other_id): &&(&str, u32, u32)| {
        id == other_id
            || id.wrapping_sub(*own) == other_id.wrapping_sub(*other_own)
            || id ^ own == other_id ^ other_own
            || *id == own.swap_bytes() && *other_id == other_own.swap_bytes()
    };
    let reported_by = checker.wrong_ids.iter().find(is_same).map(|one| one.0);
    let stop = Stop::broken(finding.clone());
    checker.wrong_ids.push((rule, *own, *id));
    Err(match reported_by {
        Some(other) => stop.same_as(other),
        None => stop,
    })
}
