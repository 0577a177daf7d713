//! Games with servers that keep to the protocol.

use std::time::Duration;

use crate::server::ClientRun;

#[test]
fn a_lost_game_is_told_in_words() {
    let result = ClientRun::against("READY | ADMIT1 | 1-1 | 0-2 | LOST")
        .typed("0 0\ncentre\n1 1\n0 5\n0-1\n\n1 0\nperhaps\nn\n");
    result.ends_well();
    let expected = "\
Connected to the script as Ann. :q leaves at any time.

You are X and begin.
    0   1   2
  -------------
0 |   |   |   |
  -------------
1 |   |   |   |
  -------------
2 |   |   |   |
  -------------
Your move, row and column (0 to 2): 
The server plays row 1, column 1.
    0   1   2
  -------------
0 | X |   |   |
  -------------
1 |   |[O]|   |
  -------------
2 |   |   |   |
  -------------
Your move, row and column (0 to 2): \"centre\" is not a move. Please type row and column, such as 1 0, or :q to leave.
Your move, row and column (0 to 2): That cell is taken, choose an empty one.
Your move, row and column (0 to 2): There is no cell 0-5: rows and columns go from 0 to 2.
Your move, row and column (0 to 2): 
The server plays row 0, column 2.
    0   1   2
  -------------
0 | X | X |[O]|
  -------------
1 |   | O |   |
  -------------
2 |   |   |   |
  -------------
Your move, row and column (0 to 2): Please type row and column, such as 1 0, or :q to leave.
Your move, row and column (0 to 2): 
The server plays row 2, column 0.
    0   1   2
  -------------
0 | X | X | O |
  -------------
1 | X | O |   |
  -------------
2 |[O]|   |   |
  -------------
The server completed a line on the diagonal from 0-2 to 2-0.
You lost.
Play again? (y/n): Please type y for yes or n for no.
Play again? (y/n): Goodbye.
";
    assert_eq!(result.output, expected);
    // Invalid cells were not sent.
    assert_eq!(result.opcodes(), [1, 3, 5, 5, 5]);
}

#[test]
fn games_are_won_and_drawn_and_counted() {
    let result = ClientRun::against(
        "READY | ADMIT1 | 1-0 | 1-1 | WON \
         | ADMIT1 | 0-0 | 2-1 | 0-2 | 1-0 | DRAW",
    )
    .typed("0 0\n0 1\n0 2\ny\n1 1\n0 1\n2 0\n1 2\n2 2\nn\n");
    result.ends_well()
        .shows("\nYou completed a line in row 0.\nYou won.\nPlay again? (y/n): \nYou are X and begin.")
        .shows("\nThe board is full. Nobody won.\nPlay again? (y/n): In 2 games you won 1, lost 0 and drew 1.\n");
    assert_eq!(result.opcodes(), [1, 3, 5, 5, 5, 3, 5, 5, 5, 5, 5]);
}

#[test]
fn a_server_that_sends_its_last_cell_before_the_result_is_understood() {
    ClientRun::against("READY | ADMIT1 | 0-0 | 0-1 | 0-2+LOST")
        .typed("1 1\n2 2\n1 0\nn\n")
        .ends_well()
        .shows("\nThe server completed a line in row 0.\nYou lost.\nPlay again?");
}

#[test]
fn both_dialects_are_spoken() {
    let seed = ClientRun::against("READY | ADMIT1 | 1-1").typed("0 0\n");
    let id = u32::from_be_bytes(seed.frames[0][1..5].try_into().unwrap());
    assert!((10_000..=99_999).contains(&id), "{id}");
    assert_eq!(seed.frames[0][5..], *b"Ann\0\0");
    assert_eq!(
        seed.frames[2],
        [&[5], &id.to_be_bytes()[..], b"0-0"].concat()
    );

    // Two cells would win; in the later dialect the server sends the cell that it played.
    let script = "READY | ADMIT1 | 0-0 | 2-0 | 2-2 | LOST@1-0";
    let later = ClientRun::against(script)
        .in_the_later_dialect()
        .typed("0 1\n1 2\n2 1\n0 2\nn\n");
    later
        .ends_well()
        .shows("The server plays row 1, column 0.")
        .shows("The server completed a line in column 0.\nYou lost.");
    assert_eq!(later.frames[0], b"\x01\0\0\0\0Ann\0\0");
    assert_eq!(later.frames[2], b"\x05\0\0\x30\x390-1");

    let script = script.replace("@1-0", "");
    ClientRun::against(&script)
        .typed("0 1\n1 2\n2 1\n0 2\nn\n")
        .ends_well()
        .shows("The server completed a line, in one of two places. You lost.");
}

#[test]
fn session_id_is_random_and_reproducible_by_seed() {
    let id = |seed| {
        let run = ClientRun {
            seed,
            ..ClientRun::against("READY")
        };
        run.typed("").frames[0][1..5].to_vec()
    };
    assert_eq!(id(7), id(7));
    assert_ne!(id(7), id(8));
}

#[test]
fn pairs_client_waits_for_an_opponent_who_may_begin() {
    let result = ClientRun::against("READY | ADMIT2+1-1 | 2-2 | 0-1+WON+!")
        .in_pairs()
        .typed_and_silent("0 0\n0 2\n");
    // The board has no line after the last ACTION, so the only explanation of the win is that the opponent left.
    result.shows("as Ann. :q leaves at any time.\nWaiting for somebody to play with.\n\nYou are O. Your opponent is X and begins.\n")
        .shows("Waiting for your opponent.\n\nYour opponent plays row 1, column 1.\n")
        .shows("Your opponent left. You won.\nPlay again? (y/n): ")
        .ends_well();
}

#[test]
fn leaving_opponent_is_reported_while_thinking() {
    let result = ClientRun::against("READY | ADMIT1+WON+!")
        .in_pairs()
        .typed_and_silent("");
    result.ends_well().shows(
        "Your move, row and column (0 to 2): \nYour opponent left. You won.\n\
         Play again? (y/n): \nThe server has left, so there is no other game.\nGoodbye.\n",
    );
}

#[test]
fn server_may_resign() {
    ClientRun::against("READY | ADMIT1 | WON")
        .typed("0 0\nn\n")
        .ends_well()
        .shows("The server gave the game up. You won.");
}

#[test]
fn end_of_input_prints_the_score() {
    let result = ClientRun::against("READY | ADMIT1 | 1-1").typed("0 0\n");
    result.ends_well().shows(
        "Your move, row and column (0 to 2): \nThe game stays unfinished after 2 plays.\nGoodbye.\n",
    );
    let result = ClientRun::against("READY | ADMIT1 | 1-1")
        .in_pairs()
        .typed("0 0\n");
    result
        .ends_well()
        .shows("You leave after 2 plays, so your opponent wins.\nGoodbye.\n");
    let result = ClientRun::against("READY | ADMIT1 | WON | ADMIT1 | WON").typed("0 0\ny\n1 1\n");
    result
        .ends_well()
        .shows("Play again? (y/n): \nIn 2 games you won 2, lost 0 and drew 0.\nGoodbye.\n");
}

#[test]
fn waiting_client_may_quit() {
    for input in [":q\n", "", "hello\n\n:q\n"] {
        ClientRun::against("READY | ~")
            .in_pairs()
            .typed(input)
            .ends_well()
            .shows("Nobody had come to play.\nGoodbye.\n");
    }
}

#[test]
fn lines_typed_ahead_are_kept() {
    // Lines typed while waiting are played in order; only `:q` acts at once.
    let result = ClientRun::against("READY | ADMIT1 | 1-0 | 1-1 | WON")
        .in_pairs()
        .typed("0 0\n0 1\n0 2\nn\n");
    result
        .ends_well()
        .shows("You completed a line in row 0.\nYou won.\nPlay again? (y/n): Goodbye.\n");
}

#[test]
fn pairs_server_is_noticed_without_the_option() {
    let run = ClientRun {
        pause: Duration::ZERO,
        ..ClientRun::against("READY | ~")
    };
    let result = run.typed("");
    result
        .ends_well()
        .shows("No game yet: the server may be waiting for somebody to play with you.\n");
}

#[test]
fn robots_play_on_either_side_and_repeat_themselves() {
    let play = |seed| {
        let run = ClientRun {
            seed,
            ..ClientRun::against("READY | ADMIT2+1-1 | LOST")
        };
        run.in_pairs().by_robot("random").typed("")
    };
    let result = play(3);
    result
        .ends_well()
        .shows("The robot is random.\nWaiting for somebody to play with.\n")
        .shows("\nThe robot is O. The opponent is X and begins.\n")
        .shows("\nThe robot plays row ")
        .shows("The robot lost.\nGoodbye.\n");
    assert_eq!(play(3).frames, result.frames);
    assert!((4..20).any(|seed| play(seed).frames[2][5..] != result.frames[2][5..]));

    let result = ClientRun::against("READY | ADMIT1 | 1-0 | 1-1 | WON")
        .by_robot("first")
        .typed("");
    result
        .ends_well()
        .shows("The robot completed a line in row 0.\nThe robot won.\nGoodbye.\n");
}

#[test]
fn robot_plays_the_requested_number_of_games() {
    let game = "| ADMIT1 | 1-0 | 1-1 | WON ";
    let script = format!("READY {}", game.repeat(3));
    let mut run = ClientRun::against(&script).by_robot("first");
    run.options.games = Some("3".to_owned());
    let result = run.typed("");
    result
        .ends_well()
        .shows("In 3 games the robot won 3, lost 0 and drew 0.\nGoodbye.\n");
    assert_eq!(
        result.opcodes().iter().filter(|code| **code == 3).count(),
        3
    );

    // The script ends one game too early.
    let mut run = ClientRun::against(&script).by_robot("first");
    run.options.games = Some("4".to_owned());
    run.typed("")
        .fails_with("the server left before a game began");
}
