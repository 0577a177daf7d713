//! Good manners: what a network does to programs, and what they owe to others.

use noughts_wire::{Dialect, FromClient, FromServer};

use super::connection::{Expected, encoded};
use super::session::{admit, hello_bytes, is_admission, ready, still_serves};
use super::{Judge, TcpRule};
use crate::verdict::{Judged, Weight};

pub(super) const RULES: [TcpRule; 3] = [
    advice(
        "split",
        "frames that arrive byte by byte are understood",
        "TCP is a stream: it may cut a frame anywhere",
        byte_by_byte,
    ),
    advice(
        "glued",
        "two frames that arrive at once are both answered",
        "TCP is a stream: it may deliver several frames together",
        at_once,
    ),
    advice(
        "half-frame",
        "a client that stops within a frame keeps nobody else waiting",
        "a server for many must not wait for one",
        half_a_frame,
    ),
];

const fn advice(
    name: &'static str,
    claim: &'static str,
    source: &'static str,
    judge: fn(&mut Judge) -> Judged,
) -> TcpRule {
    TcpRule::new(name, claim, source, Weight::Advice, judge)
}

fn byte_by_byte(judge: &mut Judge) -> Judged {
    judge.plays()?;
    let mut connection = judge.call()?;
    let hello = hello_bytes(&connection);
    connection.say_in_pieces(&hello);
    let expected = ready(&connection);
    let frame = connection.expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }))?;
    if let (FromServer::Ready { id }, Dialect::Later) = (frame, connection.dialect) {
        connection.id = id;
    }
    let play = encoded(&FromClient::Play { id: connection.id });
    connection.say_in_pieces(&play);
    let expected = admit(connection.id, true);
    connection.expect(&expected, is_admission)?;
    let action = FromClient::Action {
        id: connection.id,
        cell: *b"1-1",
    };
    connection.say_in_pieces(&encoded(&action));
    let expected = Expected::action(connection.id);
    connection.expect(&expected, |frame| {
        matches!(frame, FromServer::Action { .. })
    })?;
    Ok(())
}

/// HELLO and PLAY at once where the client knows its id; else PLAY and ACTION.
fn at_once(judge: &mut Judge) -> Judged {
    judge.plays()?;
    let mut connection;
    match judge.dialect {
        Dialect::Seed => {
            connection = judge.call()?;
            let play = FromClient::Play { id: connection.id };
            let both = [hello_bytes(&connection), encoded(&play)].concat();
            connection.say_bytes(&both);
            let expected = ready(&connection);
            connection.expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }))?;
            let expected = admit(connection.id, true);
            connection.expect(&expected, is_admission)?;
        }
        Dialect::Later => {
            connection = judge.greeted()?;
            let (id, cell) = (connection.id, *b"1-1");
            let (play, action) = (FromClient::Play { id }, FromClient::Action { id, cell });
            connection.say_bytes(&[encoded(&play), encoded(&action)].concat());
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

fn half_a_frame(judge: &mut Judge) -> Judged {
    judge.greeted()?.leave();
    let mut slow = judge.call()?;
    let hello = hello_bytes(&slow);
    slow.say_bytes(&hello[..3]);
    still_serves(judge, "while another client has sent half a HELLO")
}
