//! The rules for a server that lets two clients play against each other.
//!
//! The course document has one sentence about pairs: the server is a proxy between two clients. So the
//! document leaves open how the server pairs clients. But it defines what a game is, and what the frames of a
//! game mean.

use noughts_wire::{Admission, Cell, Dialect, FromServer, GameResult};

use super::connection::{Connection, Expected, Received};
use super::session_start::read_ready;
use super::{Checker, PLAYER, TcpRule, document};
use crate::frame::{hex, server_words};
use crate::verdict::{RuleResult, Stop, Weight};

pub(super) const RULES: [TcpRule; 14] = [
    TcpRule::new(
        "ready",
        "HELLO gets READY with the session's id, at once or when both clients have connected",
        document::READY,
        Weight::Demanded,
        ready_comes,
    ),
    TcpRule::new(
        "pair-admit",
        "two clients that send PLAY are both admitted",
        document::PAIRS,
        Weight::Demanded,
        both_are_admitted,
    ),
    TcpRule::new(
        "pair-relay",
        "the cell that one client plays reaches the other client as ACTION",
        document::PAIRS,
        Weight::Demanded,
        cells_are_passed_on,
    ),
    TcpRule::new(
        "pair-taken",
        "a taken cell gets error 1, it is still the same client's turn, and the other client receives nothing",
        document::INVALID_MOVE,
        Weight::Demanded,
        taken_cell,
    ),
    TcpRule::new(
        "pair-no-cell",
        "a cell off the board gets error 0, it is still the same client's turn, and the other client receives nothing",
        document::UNKNOWN_MOVE,
        Weight::Demanded,
        no_cell,
    ),
    TcpRule::new(
        "pair-result",
        "the winner gets RESULT 1 and the loser RESULT 0",
        document::RESULT,
        Weight::Demanded,
        winner_and_loser,
    ),
    TcpRule::new(
        "pair-draw",
        "when the board is full without a line both clients get RESULT 2",
        document::RESULT,
        Weight::Demanded,
        draw,
    ),
    TcpRule::new(
        "pair-again",
        "after RESULT both clients may send PLAY again, for a game on an empty board",
        document::PLAY_AGAIN,
        Weight::Demanded,
        again,
    ),
    TcpRule::new(
        "pair-tables",
        "four clients play two separate games",
        document::THREADS,
        Weight::Demanded,
        two_tables,
    ),
    TcpRule::new(
        "pair-flags",
        "the client that moves first gets ADMIT 1, the other client ADMIT 2",
        "the document does not say how a client learns that it moves second",
        Weight::Open,
        flags,
    ),
    TcpRule::new(
        "pair-own-id",
        "each client gets only frames with its own id",
        "the document does not say whose id a proxy passes on",
        Weight::Open,
        own_ids,
    ),
    TcpRule::new(
        "pair-turns",
        "an ACTION out of turn gets error 2",
        "the document has no code for a frame at the wrong time",
        Weight::Open,
        out_of_turn,
    ),
    TcpRule::new(
        "pair-leaving",
        "when one client leaves a game, the other client gets RESULT 1",
        "section [3] demands that a disconnection is handled, but does not say how",
        Weight::Open,
        one_leaves,
    ),
    TcpRule::new(
        "pair-waiter-leaves",
        "a client that leaves while it waits is not paired with the next client",
        document::DISCONNECTION,
        Weight::Demanded,
        waiter_leaves,
    ),
];

/// Two clients in a game. It is the turn of `first`.
struct Pair {
    first: Connection,
    second: Connection,
    flags: [Admission; 2],
    /// The finding about the first ACTION that the server passed on with a wrong id. An ACTION must have the
    /// id of the client that receives it.
    wrong_id: Option<Stop>,
}

impl Pair {
    fn leave(self) {
        self.first.leave();
        self.second.leave();
    }

    /// Plays a cell for the client whose turn it is, and checks that the other client receives the cell. Then it is the
    /// other client's turn.
    fn play(&mut self, cell: Cell) -> RuleResult {
        self.first.act(cell);
        let expected = relayed(&self.second, cell);
        let received = self.second.receive();
        match &received {
            Received::Frame(FromServer::Action { cell: told, id }, bytes)
                if *told == cell.to_bytes() =>
            {
                if *id != self.second.id && self.wrong_id.is_none() {
                    let words = server_words(bytes, self.second.dialect);
                    self.wrong_id = Some(self.second.found(
                        "the frame has another id than the client's own",
                        &expected,
                        &hex(bytes),
                        &words,
                    ));
                }
            }
            _ => return Err(self.not_relayed(&expected, &received)),
        }
        std::mem::swap(&mut self.first, &mut self.second);
        Ok(())
    }

    /// Creates a finding about what the second client received, with the frame that the first client sent.
    fn not_relayed(&self, expected: &Expected, received: &Received) -> Stop {
        match self.second.broken(expected, received) {
            Stop::Broken(mut finding) => {
                finding.problem = match received {
                    Received::Nothing(_) => "the other client received nothing".to_owned(),
                    Received::Frame(_, bytes) => format!(
                        "the other client received {}",
                        server_words(bytes, self.second.dialect)
                    ),
                    Received::Invalid(..) | Received::Closed(_) => {
                        format!("at the other client: {}", finding.problem)
                    }
                };
                finding.facts.retain(|fact| fact.label != "sent");
                if let Stop::Broken(own) = self.first.found("", expected, "", "") {
                    let sent = own.facts.into_iter().find(|fact| fact.label == "sent");
                    finding.facts.splice(0..0, sent);
                    finding.conversation.splice(0..0, own.conversation);
                }
                Stop::Broken(finding)
            }
            stop => stop,
        }
    }
}

fn relayed(connection: &Connection, cell: Cell) -> Expected {
    Expected::frame(&FromServer::Action {
        id: connection.id,
        cell: cell.to_bytes(),
    })
}

/// Starts two sessions. A server may send READY only when both clients have connected, so both clients send HELLO
/// first.
fn two_sessions(checker: &mut Checker) -> RuleResult<(Connection, Connection)> {
    checker.no_session.check()?;
    let sessions = try_two_sessions(checker).map_err(|stop| stop.prevented_by("ready"));
    checker.no_session.note(sessions)
}

fn try_two_sessions(checker: &mut Checker) -> RuleResult<(Connection, Connection)> {
    let mut first = checker.connect_as("first client")?;
    let mut second = checker.connect_as("second client")?;
    first.hello(PLAYER);
    first.pause();
    second.hello(PLAYER);
    read_ready(&mut first)?;
    read_ready(&mut second)?;
    Ok((first, second))
}

/// Starts two sessions and sends PLAY in both, one after the other.
fn start_pair(checker: &mut Checker) -> RuleResult<Pair> {
    checker.no_game.check()?;
    let pair = try_start_pair(checker).map_err(|stop| stop.prevented_by("pair-admit"));
    checker.no_game.note(pair)
}

fn try_start_pair(checker: &mut Checker) -> RuleResult<Pair> {
    let (first, second) = two_sessions(checker)?;
    let pair = start_game(checker, first, second)?;
    checker.flags_are_equal = pair.flags[0] == pair.flags[1];
    Ok(pair)
}

/// Sends PLAY from both clients. The flags say which client moves first. If the flags are equal, the client
/// whose PLAY was sent first makes the first move. If the flags were equal in the last game, the kit gives
/// the server time to read the first PLAY before the second PLAY.
fn start_game(
    checker: &mut Checker,
    mut first: Connection,
    mut second: Connection,
) -> RuleResult<Pair> {
    first.play();
    match checker.flags_are_equal {
        true => checker.let_server_read(),
        false => first.pause(),
    }
    second.play();
    let mut flags = [Admission::Refused; 2];
    for (connection, flag) in [&mut first, &mut second].into_iter().zip(&mut flags) {
        let expected = Expected::new(
            format!("04 {} 01", hex(&connection.id.to_be_bytes())),
            format!(
                "ADMIT, id {}, flag 1 or, for the one who moves second, 2",
                connection.id
            ),
        );
        let frame = connection.expect(&expected, |frame| {
            matches!(
                frame,
                FromServer::Admit {
                    flag: Admission::First | Admission::Second,
                    ..
                }
            )
        })?;
        if let FromServer::Admit { flag: told, .. } = frame {
            *flag = told;
        }
    }
    let mut pair = Pair {
        first,
        second,
        flags,
        wrong_id: None,
    };
    if flags == [Admission::Second, Admission::First] {
        std::mem::swap(&mut pair.first, &mut pair.second);
    }
    Ok(pair)
}

fn cell(text: &str) -> Cell {
    let bytes = text.as_bytes().first_chunk().copied();
    bytes
        .and_then(|bytes| Cell::try_from(bytes).ok())
        .expect("the kit's cells are cells")
}

fn cells(text: &str) -> impl Iterator<Item = Cell> {
    text.split(' ').map(cell)
}

fn ready_comes(checker: &mut Checker) -> RuleResult {
    let mut first = checker.connect_as("first client")?;
    first.hello(PLAYER);
    // A wrong guess does no harm, because both kinds of servers send READY when two clients have connected.
    checker.is_ready_late = !first.has_answer_soon();
    let second = match checker.is_ready_late {
        true => {
            let mut second = checker.connect_as("second client")?;
            second.hello(PLAYER);
            Some(second)
        }
        false => None,
    };
    for mut connection in [Some(first), second].into_iter().flatten() {
        let (expected, own, dialect) = (
            super::session::ready(&connection),
            connection.id,
            connection.dialect,
        );
        let ready = connection.expect(&expected, |frame| match (frame, dialect) {
            (FromServer::Ready { id }, Dialect::Seed) => *id == own,
            (FromServer::Ready { .. }, Dialect::Later) => true,
            _ => false,
        });
        if let (Err(stop), true) = (&ready, checker.ignores_hello) {
            let prevented = stop.clone().prevented_by("ready");
            checker.no_session.give_up(prevented);
        }
        ready?;
        connection.leave();
    }
    Ok(())
}

fn both_are_admitted(checker: &mut Checker) -> RuleResult {
    try_start_pair(checker).map(Pair::leave)
}

fn cells_are_passed_on(checker: &mut Checker) -> RuleResult {
    let mut pair = start_pair(checker)?;
    for cell in cells("1-1 0-0 2-0") {
        pair.play(cell)?;
    }
    pair.leave();
    Ok(())
}

/// Returns an error if the server does not send the cell of one client's move to the other client.
fn relays(checker: &Checker) -> RuleResult {
    match checker.broken.contains(&"pair-relay") {
        true => Err(Stop::NotTried(
            "prevented by pair-relay: the cell of one client does not reach the other".to_owned(),
        )),
        false => Ok(()),
    }
}

/// Starts a game and plays the cells in `text`.
fn pair_after(checker: &mut Checker, text: &str) -> RuleResult<Pair> {
    relays(checker)?;
    let mut pair = start_pair(checker)?;
    for cell in cells(text) {
        pair.play(cell)
            .map_err(|stop| stop.prevented_by("pair-relay"))?;
    }
    Ok(pair)
}

fn taken_cell(checker: &mut Checker) -> RuleResult {
    let pair = pair_after(checker, "1-1 0-0")?;
    refused(pair, *b"0-0", 1)
}

fn no_cell(checker: &mut Checker) -> RuleResult {
    let pair = pair_after(checker, "1-1 0-0")?;
    refused(pair, *b"3-0", 0)
}

fn refused(mut pair: Pair, at: [u8; 3], code: u8) -> RuleResult {
    pair.first.act_with(pair.first.id, at);
    super::game::expect_error(&mut pair.first, code)?;
    // If the other client receives a frame because of the mistake, this frame comes before the next cell.
    pair.play(cell("2-2"))
        .map_err(|stop| stop.prefixed("after a mistake and a valid move, "))?;
    pair.leave();
    Ok(())
}

fn expect_result(connection: &mut Connection, wanted: GameResult) -> RuleResult {
    let expected = match connection.dialect {
        Dialect::Seed => Expected::frame(&FromServer::Result {
            id: connection.id,
            cell: None,
            flag: wanted,
        }),
        Dialect::Later => Expected::new(
            format!(
                "06 {} .. .. .. {:02x}",
                hex(&connection.id.to_be_bytes()),
                wanted as u8
            ),
            format!(
                "RESULT, id {}, flag {}",
                connection.id,
                crate::frame::result_words(wanted)
            ),
        ),
    };
    connection.expect(
        &expected,
        |frame| matches!(frame, FromServer::Result { flag, .. } if *flag == wanted),
    )?;
    Ok(())
}

/// Lets the first player complete a line of three, and checks both results.
fn win(pair: &mut Pair) -> RuleResult {
    pair.first.act(cell("0-2"));
    won_and_lost(pair)
}

fn won_and_lost(pair: &mut Pair) -> RuleResult {
    expect_result(&mut pair.first, GameResult::Won)
        .map_err(|stop| stop.prefixed("to the winner, "))?;
    expect_result(&mut pair.second, GameResult::Lost)
        .map_err(|stop| stop.prefixed("to the loser, "))
}

const NEARLY_WON: &str = "0-0 1-1 0-1 2-2";

fn winner_and_loser(checker: &mut Checker) -> RuleResult {
    let mut pair = pair_after(checker, NEARLY_WON)?;
    win(&mut pair)?;
    pair.leave();
    // The second player wins with the third mark.
    let mut pair = pair_after(checker, "0-0 1-0 2-2 1-1 0-2")?;
    pair.first.act(cell("1-2"));
    won_and_lost(&mut pair)?;
    pair.leave();
    Ok(())
}

fn draw(checker: &mut Checker) -> RuleResult {
    // x o x / x o o / o x x
    let mut pair = pair_after(checker, "0-0 0-1 0-2 1-1 1-0 1-2 2-1 2-0")?;
    pair.first.act(cell("2-2"));
    expect_result(&mut pair.first, GameResult::Draw)?;
    expect_result(&mut pair.second, GameResult::Draw)?;
    pair.leave();
    Ok(())
}

fn again(checker: &mut Checker) -> RuleResult {
    let mut pair = pair_after(checker, NEARLY_WON)?;
    win(&mut pair).map_err(|stop| stop.prevented_by("pair-result"))?;
    let mut pair = start_game(checker, pair.first, pair.second)?;
    for cell in cells("0-0 1-1") {
        pair.play(cell)?;
    }
    pair.leave();
    Ok(())
}

fn two_tables(checker: &mut Checker) -> RuleResult {
    let mut one = pair_after(checker, "0-0")?;
    let while_others = |stop: Stop| stop.prefixed("while another pair plays, ");
    let mut other = try_start_pair(checker).map_err(while_others)?;
    other.play(cell("0-0")).map_err(while_others)?;
    for cell in cells("1-1 2-2") {
        one.play(cell)?;
        other.play(cell)?;
    }
    one.leave();
    other.play(cell("0-2"))?;
    other.leave();
    Ok(())
}

fn flags(checker: &mut Checker) -> RuleResult {
    let pair = start_pair(checker)?;
    let mut flags = pair.flags.map(|flag| flag as u8);
    flags.sort_unstable();
    if flags == [1, 2] {
        pair.leave();
        return Ok(());
    }
    let expected = Expected::new("", "ADMIT 1 for one of them, ADMIT 2 for the other");
    let received = format!(
        "ADMIT {} and ADMIT {}",
        pair.flags[0] as u8, pair.flags[1] as u8
    );
    Err(pair
        .second
        .found("the flags do not tell who begins", &expected, "", &received))
}

fn own_ids(checker: &mut Checker) -> RuleResult {
    let mut pair = pair_after(checker, "0-0 1-1 2-2")?;
    if let Some(stop) = pair.wrong_id.take() {
        return Err(stop);
    }
    pair.leave();
    Ok(())
}

fn out_of_turn(checker: &mut Checker) -> RuleResult {
    let mut pair = pair_after(checker, "0-0")?;
    pair.second.act(cell("2-2"));
    super::game::expect_error(&mut pair.second, 2)?;
    pair.leave();
    Ok(())
}

fn one_leaves(checker: &mut Checker) -> RuleResult {
    let Pair {
        first, mut second, ..
    } = pair_after(checker, "0-0 1-1")?;
    first.leave();
    expect_result(&mut second, GameResult::Won)?;
    second.leave();
    Ok(())
}

fn waiter_leaves(checker: &mut Checker) -> RuleResult {
    relays(checker)?;
    start_pair(checker)?.leave();
    let mut waiter = checker.connect()?;
    waiter.hello(PLAYER);
    if !checker.is_ready_late {
        read_ready(&mut waiter).map_err(|stop| stop.prevented_by("ready"))?;
        waiter.play();
        checker.let_server_read();
    }
    waiter.leave();
    let after = "after a waiting client has left, ";
    let (first, second) = try_two_sessions(checker).map_err(|stop| stop.prefixed(after))?;
    let mut pair = start_game(checker, first, second).map_err(|stop| stop.prefixed(after))?;
    pair.play(cell("1-1"))
        .map_err(|stop| stop.prevented_by("pair-relay"))?;
    pair.leave();
    Ok(())
}
