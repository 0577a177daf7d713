//! The rules about going, and about many at once. They come early: every rule after them ends with a
//! client that goes, and a server that does not survive that can't be judged by those.

use noughts_wire::FromServer;

use super::connection::Connection;
use super::game::{first_moves, keeps_the_turn};
use super::session::{hello_bytes, ready, still_serves};
use super::{Judge, TcpRule, admit, greet};
use crate::verdict::{Judged, Stop};

const FORCE: &str =
    "[3] Forçar un final: the client may go whenever it likes, and that is handled at every moment";

pub(super) const RULES: [TcpRule; 5] = [
    TcpRule::demanded(
        "leaving-after-ready",
        "a client that goes after READY does not stop the server",
        FORCE,
        leave_after_ready,
    ),
    TcpRule::demanded(
        "leaving-at-once",
        "a client that goes without a word does not stop the server",
        FORCE,
        |judge| leave_after(judge, "after a client went without a word", |_| Ok(())),
    ),
    TcpRule::demanded(
        "leaving-in-a-frame",
        "a client that goes in the middle of a frame does not stop the server",
        FORCE,
        |judge| {
            leave_after(
                judge,
                "after a client went in the middle of HELLO",
                |connection| {
                    let hello = hello_bytes(connection);
                    connection.say_bytes(&hello[..7]);
                    Ok(())
                },
            )
        },
    ),
    TcpRule::demanded(
        "leaving-after-play",
        "a client that goes when it is to move does not stop the server",
        FORCE,
        |judge| {
            leave_after(
                judge,
                "after a client went when it was to move",
                |connection| {
                    greet(connection)?;
                    admit(connection)
                },
            )
        },
    ),
    TcpRule::demanded(
        "leaving-unread",
        "a client that goes without reading the answer does not stop the server",
        FORCE,
        |judge| {
            judge.plays()?;
            let mut connection = judge.admitted()?;
            connection.act_with(connection.id, *b"1-1");
            connection.leave_unread();
            still_serves(judge, "after a client went without reading the answer")
        },
    ),
];

/// After the rules of one game.
pub(super) const MANY: [TcpRule; 1] = [TcpRule::demanded(
    "many-at-once",
    "two clients play different games at the same time",
    "Extensions, Multi-threading: the server serves many clients at once",
    two_at_once,
)];

fn leave_after(judge: &mut Judge, after: &str, before: fn(&mut Connection) -> Judged) -> Judged {
    if !judge.has_greeted {
        return Err(Stop::NotTried(
            "HELLO was never answered with READY".to_owned(),
        ));
    }
    let mut connection = judge.call()?;
    before(&mut connection)?;
    connection.leave();
    still_serves(judge, after)
}

/// Leaves so several times; the first rule has begun with it.
fn leave_after_ready(judge: &mut Judge) -> Judged {
    if !judge.has_greeted {
        return Err(Stop::NotTried(
            "HELLO was never answered with READY".to_owned(),
        ));
    }
    for _ in 0..3 {
        still_serves(judge, "after a client went after READY")?;
    }
    Ok(())
}

fn two_at_once(judge: &mut Judge) -> Judged {
    judge.plays()?;
    let mut one = judge.admitted()?;
    let mut other = judge.call()?;
    other.hello("Judge");
    let expected = ready(&other);
    let frame = other.expect(&expected, |frame| matches!(frame, FromServer::Ready { .. }));
    match frame {
        Ok(FromServer::Ready { id }) => {
            if other.dialect == noughts_wire::Dialect::Later {
                other.id = id;
            }
        }
        Ok(_) => {}
        Err(stop) => return Err(while_another(stop)),
    }
    other.play();
    let expected = super::session::admit(other.id, true);
    other
        .expect(&expected, super::session::is_admission)
        .map_err(while_another)?;
    // The same cell in both: they are two boards.
    let taken = first_moves(&mut one).map_err(while_another)?;
    first_moves(&mut other).map_err(while_another)?;
    other.leave();
    keeps_the_turn(&mut one, &[taken.0, taken.1]).map_err(while_another)
}

fn while_another(stop: Stop) -> Stop {
    match stop {
        Stop::Broken(mut finding) => {
            finding.wrong = format!("while another client plays, {}", finding.wrong);
            Stop::Broken(finding)
        }
        stop => stop,
    }
}
