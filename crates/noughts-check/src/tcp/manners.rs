//! Good manners: what a network does to programs, and what they owe to others.

use noughts_wire::{Dialect, FromClient, FromServer};

use super::line::{Expected, encoded};
use super::session::{admit, hello_bytes, is_admission, ready, still_serves};
use super::{Judge, TcpRule};
use crate::verdict::{Judged, Weight};

pub(super) const RULES: [TcpRule; 3] = [
    manners(
        "split",
        "frames that arrive byte by byte are understood",
        "TCP is a stream: it may cut a frame anywhere",
        byte_by_byte,
    ),
    manners(
        "glued",
        "two frames that arrive at once are both answered",
        "TCP is a stream: it may deliver several frames together",
        at_once,
    ),
    manners(
        "half-frame",
        "a client that stops within a frame keeps nobody else waiting",
        "a server for many must not wait for one",
        half_a_frame,
    ),
];

const fn manners(
    name: &'static str,
    claim: &'static str,
    source: &'static str,
    judge: fn(&mut Judge) -> Judged,
) -> TcpRule {
    TcpRule::new(name, claim, source, Weight::Manners, judge)
}

fn byte_by_byte(judge: &mut Judge) -> Judged {
    judge.plays()?;
    let mut line = judge.call()?;
    let hello = hello_bytes(&line);
    line.say_in_pieces(&hello);
    let expected = ready(&line);
    let frame = line.expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }))?;
    if let (FromServer::Ready { id }, Dialect::Later) = (frame, line.dialect) {
        line.id = id;
    }
    let play = encoded(&FromClient::Play { id: line.id });
    line.say_in_pieces(&play);
    let expected = admit(line.id, true);
    line.expect(&expected, is_admission)?;
    let action = FromClient::Action {
        id: line.id,
        cell: *b"1-1",
    };
    line.say_in_pieces(&encoded(&action));
    let expected = Expected::action(line.id);
    line.expect(&expected, |frame| {
        matches!(frame, FromServer::Action { .. })
    })?;
    Ok(())
}

/// HELLO and PLAY at once where the client knows its id; else PLAY and ACTION.
fn at_once(judge: &mut Judge) -> Judged {
    judge.plays()?;
    let mut line;
    match judge.dialect {
        Dialect::Seed => {
            line = judge.call()?;
            let play = FromClient::Play { id: line.id };
            let both = [hello_bytes(&line), encoded(&play)].concat();
            line.say_bytes(&both);
            let expected = ready(&line);
            line.expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }))?;
            let expected = admit(line.id, true);
            line.expect(&expected, is_admission)?;
        }
        Dialect::Later => {
            line = judge.greeted()?;
            let (id, cell) = (line.id, *b"1-1");
            let (play, action) = (FromClient::Play { id }, FromClient::Action { id, cell });
            line.say_bytes(&[encoded(&play), encoded(&action)].concat());
            let expected = admit(line.id, true);
            line.expect(&expected, is_admission)?;
            let expected = Expected::action(line.id);
            line.expect(&expected, |frame| {
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
