//! Advice: rules about frames that a network splits or joins, and about the effect of one client on others.

use noughts_wire::{Dialect, FromClient, FromServer};

use super::connection::{Expected, encoded};
use super::session::{admit, hello_bytes, is_admission, ready, still_serves};
use super::{Checker, TcpRule};
use crate::verdict::{RuleResult, Stop, Weight};

/// The rules that are advice, in the order in which the kit tries them. The result of the first rule decides
/// how the kit waits while it tries the second rule.
pub(super) const RULES: [TcpRule; 3] = [
    advice(
        "half-frame",
        "a client that stops within a frame does not block other clients",
        "a server for several clients must not wait for one of them",
        half_a_frame,
    ),
    advice(
        "split",
        "frames that arrive byte by byte are understood",
        "TCP is a stream: it may split a frame anywhere",
        byte_by_byte,
    ),
    advice(
        "glued",
        "two frames that arrive at once are both answered",
        "TCP is a stream: it may deliver several frames together",
        at_once,
    ),
];

const fn advice(
    name: &'static str,
    claim: &'static str,
    source: &'static str,
    checker: fn(&mut Checker) -> RuleResult,
) -> TcpRule {
    TcpRule::new(name, claim, source, Weight::Advice, checker)
}

fn byte_by_byte(checker: &mut Checker) -> RuleResult {
    checker.plays()?;
    let mut connection = checker.connect()?;
    let hello = hello_bytes(&connection);
    connection.send_in_pieces(&hello, || checker.let_server_read());
    let expected = ready(&connection);
    let frame = connection.expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }))?;
    if let (FromServer::Ready { id }, Dialect::Later) = (frame, connection.dialect) {
        connection.id = id;
    }
    let play = encoded(&FromClient::Play { id: connection.id });
    connection.send_in_pieces(&play, || checker.let_server_read());
    let expected = admit(connection.id, true);
    connection.expect(&expected, is_admission)?;
    let action = FromClient::Action {
        id: connection.id,
        cell: *b"1-1",
    };
    connection.send_in_pieces(&encoded(&action), || checker.let_server_read());
    let expected = Expected::action(connection.id);
    connection.expect(&expected, |frame| {
        matches!(frame, FromServer::Action { .. })
    })?;
    Ok(())
}

/// Sends two frames in one write: HELLO and PLAY if the client chooses the id, otherwise PLAY and ACTION.
fn at_once(checker: &mut Checker) -> RuleResult {
    checker.plays()?;
    // A server that breaks `split` assumes that one read returns one frame. That fault has been reported.
    if checker.broken.contains(&"split") {
        let why = "prevented by split: the server does not read frame by frame";
        return Err(Stop::NotTried(why.to_owned()));
    }
    let mut connection;
    match checker.dialect {
        Dialect::Seed => {
            connection = checker.connect()?;
            let play = FromClient::Play { id: connection.id };
            let both = [hello_bytes(&connection), encoded(&play)].concat();
            connection.send_bytes(&both);
            let expected = ready(&connection);
            connection.expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }))?;
            let expected = admit(connection.id, true);
            connection.expect(&expected, is_admission)?;
        }
        Dialect::Later => {
            connection = checker.start_session()?;
            let (id, cell) = (connection.id, *b"1-1");
            let (play, action) = (FromClient::Play { id }, FromClient::Action { id, cell });
            connection.send_bytes(&[encoded(&play), encoded(&action)].concat());
            let expected = admit(connection.id, true);
            connection.expect(&expected, is_admission)?;
            let expected = Expected::action(connection.id);
            connection.expect(&expected, |frame| {
                matches!(frame, FromServer::Action { .. })
            })?;
        }
    }
    Ok(())
}

fn half_a_frame(checker: &mut Checker) -> RuleResult {
    if checker.broken.contains(&"many-at-once") {
        let why = "prevented by many-at-once: the server serves one client after the other";
        return Err(Stop::NotTried(why.to_owned()));
    }
    let (mut late, mut early) = (checker.start_session()?, checker.connect()?);
    let hello = hello_bytes(&early);
    early.send_bytes(&hello[..3]);
    late.send_bytes(&encoded(&FromClient::Play { id: late.id })[..3]);
    // The kit cannot observe when the server has read the half frames. The server needs more steps to serve a
    // session than to read half a frame, so after some sessions the server has read them.
    for _ in 0..5 {
        still_serves(checker, "while another client has sent half a frame")?;
    }
    Ok(())
}
