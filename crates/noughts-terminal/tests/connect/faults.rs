//! Servers that disconnect, send errors or break the protocol.

use std::time::Duration;

use crate::server::{ClientRun, bytes};

const GAME: [&str; 5] = ["READY", "ADMIT1", "1-1", "0-2", "LOST"];
const TYPED: &str = "0 0\n0 1\n1 0\n";

/// The session id for seed 1.
fn id() -> u32 {
    let frames = ClientRun::against("READY").typed("").frames;
    u32::from_be_bytes(frames[0][1..5].try_into().unwrap())
}

/// The first answers of a game. The last of them is cut to `length` bytes.
fn cut(answers: usize, length: usize) -> Vec<Vec<u8>> {
    let id = id();
    let mut all: Vec<Vec<u8>> = GAME[..answers]
        .iter()
        .map(|word| bytes(word, id, false))
        .collect();
    if let Some(last) = all.last_mut() {
        last.truncate(length);
    }
    all
}

#[test]
fn a_server_may_leave_at_any_byte() {
    for answers in 1..=GAME.len() {
        let whole = cut(answers, usize::MAX).last().unwrap().len();
        for length in 0..whole {
            let script = || {
                let mut answers = cut(answers, length);
                // The server would stay silent after an answer without bytes. Without that answer it leaves one frame
                // earlier.
                answers.retain(|bytes| !bytes.is_empty());
                answers
            };
            let results = [
                ClientRun::against_bytes(&script()).typed_and_silent(TYPED),
                ClientRun::against_bytes(&script())
                    .by_robot("first")
                    .typed(""),
            ];
            for result in results {
                let stage = match answers {
                    1 => "the server left instead of answering",
                    2 => "the server left before a game began",
                    _ => "the server left ",
                };
                result.fails_with(stage);
                assert_eq!(result.output.contains("Connected to"), answers > 1);
                let is_playing = result.output.contains(" X and begin");
                assert_eq!(is_playing, answers > 2);
                assert_eq!(result.output.contains("stays unfinished after"), is_playing);
                assert!(result.output.is_empty() || result.output.ends_with('\n'));
            }
        }
    }
}

#[test]
fn disconnection_is_reported_while_thinking() {
    let result = ClientRun::against("READY | ADMIT1+!").typed_and_silent("");
    result
        .fails_with("the server left while it waited for a move")
        .shows("(0 to 2): \nThe game stays unfinished after 0 plays.\n");
    let result = ClientRun::against("READY | ADMIT1 | 1-1+!").typed_and_silent("0 0\nwhat\n");
    result
        .fails_with("the server left while it waited for a move")
        .shows("The game stays unfinished after 2 plays.\n");
}

#[test]
fn server_may_leave_between_games() {
    ClientRun::against("READY | ADMIT1 | WON+!")
        .typed_and_silent("0 0\n")
        .ends_well()
        .shows("Play again? (y/n): \nThe server has left, so there is no other game.\n");
    // Here the client has requested another game, so the disconnection is an error.
    ClientRun::against("READY | ADMIT1 | WON | !")
        .typed_and_silent("0 0\ny\n")
        .fails_with("the server left before a game began");
}

#[test]
fn invalid_cell_from_the_server_is_answered_with_error() {
    for (cell, code, error) in [
        (
            "3-0",
            0,
            "\"3-0\", which is not a cell; the client sent error 0",
        ),
        (
            "a-0",
            0,
            "\"a-0\", which is not a cell; the client sent error 0",
        ),
        (
            "1x1",
            0,
            "\"1x1\", which is not a cell; the client sent error 0",
        ),
        ("0-0", 1, "0-0, which is taken; the client sent error 1"),
    ] {
        let script = format!("READY | ADMIT1 | {cell}");
        for result in [
            ClientRun::against(&script).typed_and_silent("0 0\n"),
            ClientRun::against(&script).by_robot("first").typed(""),
        ] {
            result
                .fails_with(error)
                .shows("The game stays unfinished after 1 play.\n");
            assert_eq!(result.opcodes(), [1, 3, 5, 8], "{cell}");
            assert_eq!(result.frames[3][5], code, "{cell}");
        }
    }
}

#[test]
fn client_leaves_a_server_of_another_protocol() {
    for (script, error) in [
        (
            "#485454502f312e3120343030",
            "the server is not a Noughts TCP server; for HTTP use `noughts play`",
        ),
        ("#77", "not a frame"),
        ("OTHER", "which is not ours"),
        (
            "ADMIT1",
            "the server sent ADMIT while HELLO was not answered yet",
        ),
        (
            "READY | WON",
            "the server sent RESULT while PLAY was not answered yet",
        ),
        ("READY | #040000303907", "not a frame"),
        ("READY | ADMIT1 | READY", "the server sent READY"),
        (
            "READY | ADMIT1 | WON+WON",
            "the server sent RESULT while no game was running",
        ),
    ] {
        ClientRun::against(script)
            .typed_and_silent("0 0\n")
            .fails_with(error);
    }
    // Nothing is typed, so that the server's play is not an answer.
    ClientRun::against("READY | ADMIT1+1-1")
        .typed_and_silent("")
        .fails_with("the server sent ACTION while it was the client's turn");
    // The client's line has ended the game, so the server may not play again.
    ClientRun::against("READY | ADMIT1 | 1-0 | 1-1 | 1-2")
        .typed_and_silent("0 0\n0 1\n0 2\n")
        .fails_with("the server played 1-2, though it was not its turn to play");
}

#[test]
fn refusals_quote_the_server() {
    let words = "its words: Moviment Invalid (error 9)";
    let result = ClientRun::against("ERROR9").typed_and_silent("");
    result
        .fails_with("the server refused the session; ")
        .fails_with(words);
    let result = ClientRun::against("READY | ERROR9").typed_and_silent("");
    result
        .fails_with("the server refused a game; ")
        .fails_with(words);
    // The second attempt uses the id of the refusal.
    let result = ClientRun::against("READY | ADMIT0 | ADMIT0").typed_and_silent("");
    result.fails_with("the server did not begin a game, twice");
    ClientRun::against("READY | ADMIT0 | ADMIT1 | 1-1")
        .typed("0 0\n")
        .ends_well();

    let result = ClientRun::against("READY | ADMIT1 | ERROR1 | 1-1 | !").typed("0 0\n0 1\n");
    result.ends_well()
        .shows("The server refused 0-0; its words: Moviment Invalid (error 1).\n")
        // The refused mark is removed, and it is still the client's turn.
        .shows("0 |   | X |   |\n  -------------\n1 |   |[O]|   |");
    let result = ClientRun::against("READY | ADMIT1 | ERROR1")
        .by_robot("first")
        .typed("");
    result.fails_with("the server refused a move; ");
}

#[test]
fn server_errors_are_bounded() {
    let storm = ["ERROR2"; 100].join("+");
    for script in [
        format!("READY | ADMIT1+{storm}"),
        format!("READY | ADMIT1 | WON+{storm}"),
        format!("READY | ADMIT2+{storm}"),
    ] {
        let result = ClientRun::against(&script)
            .in_pairs()
            .typed_and_silent("0 0\n");
        result.fails_with("the server refused a ");
        assert_eq!(result.output.matches("Moviment Invalid").count(), 5);
    }
}

#[test]
fn silent_server_is_left() {
    let run = ClientRun {
        patience: Duration::ZERO,
        ..ClientRun::against("~")
    };
    run.typed_and_silent("")
        .fails_with("the server accepted the connection but says nothing");
    let run = ClientRun {
        patience: Duration::from_secs(1),
        ..ClientRun::against("READY | ADMIT1 | 1-0 | 1-1 | ~")
    };
    run.typed_and_silent("0 0\n0 1\n0 2\n")
        .fails_with("the server does not say how the game ended");
}

#[test]
fn slow_server_is_reported_and_may_be_left() {
    let run = ClientRun {
        pause: Duration::from_secs(1),
        ..ClientRun::against("READY | ADMIT1 | ~")
    };
    run.typed_and_silent("0 0\n:q\n")
        .ends_well()
        .shows("The server is thinking.\nThe game stays unfinished after 1 play.\n");
    let run = ClientRun {
        pause: Duration::from_secs(1),
        patience: Duration::from_secs(1),
        ..ClientRun::against("READY | ADMIT1 | ~")
    };
    run.typed("0 0\n")
        .ends_well()
        .shows("The input has ended: waiting for the answer before leaving.\nThe game stays ");
}

#[test]
fn server_decides_the_result_but_a_contradiction_is_shown() {
    let result =
        ClientRun::against("READY | ADMIT1 | 1-0 | 1-1 | LOST").typed("0 0\n0 1\n0 2\nn\n");
    result
        .ends_well()
        .shows("The board says otherwise, but the server's word counts.\nYou lost.\n");
    let result = ClientRun::against("READY | ADMIT1 | DRAW").typed("0 0\nn\n");
    result
        .ends_well()
        .shows("The server ended the game. Nobody won.\n");
    let result = ClientRun::against("READY | ADMIT1 | LOST").typed("0 0\nn\n");
    result
        .ends_well()
        .shows("The server ended the game. You lost.\n");
}
