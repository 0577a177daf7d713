//! Tests of rewinds.

use noughts_rules::Seat;

use crate::{active, cases, check_boards, check_refusals, played, played_from, refused};

#[test]
fn a_rewind_takes_marks_back_and_passes_the_turn_to_the_next_seat() {
    // The course's example: x, o, x play, o rewinds two, and x moves next on a board with one x.
    check_boards(
        "
        3x3k3 history=3         | 0-0 1-2 2-0 <<2     | x../.../... x
        3x3k3 history=3         | 0-0 1-2 <<1         | x../.../... o
        3x3k3 history=3         | 0-0 1-2 <<2         | .../.../... o
        3x3k3 history=3         | 0-0 <<1             | .../.../... x
        3x3k3 history=4         | 0-0 1-2 2-0 <<3     | .../.../... x
        3x3k3 history=3         | 0-0 1-2 <<1 1-2     | x../..o/... x
        4x4k3p3 history=3       | 0-0 0-1 0-2 <<1     | xo../..../..../.... o
        3x3k3 history=3 xxo     | 0-0 0-1 1-1 <<2     | x../.../... x
        3x3k3 history=3 xxo     | 0-0 0-1 1-1 <<2 <<1 | .../.../... o
        3x3k3+gravity history=3 | 1 1 1 <<2 1         | .../.x./.x. o
        3x3k3+gravity history=3 | 1 1 1 0 <<2 0 1     | .x./.o./ox. o
        ",
    );
    let game = played("3x3k3 history=3", "0-0 1-2 2-0 <<2");
    assert_eq!((game.to_move(), game.view().turn), (Some(Seat(0)), 5));
}

#[test]
fn rewinds_in_a_row_are_each_limited_by_the_history_alone() {
    check_boards(
        "
        3x3k3 history=4 | 0-0 1-1 2-2 0-1 1-0 2-0 <<3         | x../.o./..x o
        3x3k3 history=4 | 0-0 1-1 2-2 0-1 1-0 2-0 <<3 <<3     | .../.../... x
        3x3k3 history=4 | 0-0 1-1 2-2 0-1 1-0 2-0 <<3 <<1 <<2 | .../.../... o
        3x3k3 history=2 | 0-0 1-1 2-2 <<1 <<1 <<1             | .../.../... x
        ",
    );
}

#[test]
fn a_rewind_past_the_history_or_the_marks_is_refused() {
    let table = "
        3x3k3 history=3 | 0-0 1-1 2-2 0-1 | <<3                    | 2
        3x3k3 history=3 | 0-0 1-1 2-2 0-1 | <<65535                | 2
        3x3k3 history=3 | 0-0 1-1 2-2 0-1 | <<99999999999999999999 | 2
        3x3k3 history=3 | 0-0             | <<2                    | 1
        3x3k3 history=3 |                 | <<1                    | 0
        3x3k3 history=1 | 0-0 1-1         | <<1                    | 0
        3x3k3 history=8 | 0-0 1-1         | <<3                    | 2
        3x3k3 history=8 | 0-0 1-1 <<2     | <<1                    | 0
        multi history=2 | 4-0 0-0         | <<2                    | 1
        multi history=5 | 4-0 0-0         | <<3                    | 2
        ";
    for [setup, turns, turn, max] in cases(table) {
        let game = played(setup, turns);
        let longest = game.view().longest_rewind;
        assert_eq!(longest, Some(max.parse().unwrap()), "{setup} | {turns}");
        let sentence = format!("at most {max} can be taken back now");
        assert_eq!(refused(game, turn), sentence);
    }
}

#[test]
fn game_without_history_has_no_rewind() {
    for setup in ["3x3k3", "multi", "ultimate"] {
        for turn in ["<<0", "<<1", "<<9"] {
            let game = played(setup, "1-1 1-0");
            assert_eq!(game.view().longest_rewind, None);
            assert!(refused(game, turn).contains("without a history"));
        }
    }
}

#[test]
fn rewind_of_zero_passes_the_turn_on_one_board() {
    check_boards(
        "
        3x3k3 history=1   | <<0                 | .../.../... o
        3x3k3 history=1   | 0-0 <<0             | x../.../... x
        3x3k3 history=1   | 0-0 <<0 <<0 1-1     | x../.o./... x
        4x4k3p3 history=1 | 0-0 <<0             | x.../..../..../.... a
        3x3k3 history=1   | 0-0 <<0 0-1 <<0 0-2 | xxx/.../... o
        ",
    );
}

#[test]
fn rewind_of_zero_is_refused_on_nine_boards() {
    check_refusals(
        "
        multi history=3     | 4-0     | <<0 | on nine boards each player must play, so a rewind takes back at least 1
        multi@4 history=1   |         | <<0 | on nine boards each player must play, so a rewind takes back at least 1
        ultimate history=80 | 4-0 0-0 | <<0 | on nine boards each player must play, so a rewind takes back at least 1
        ",
    );
}

#[test]
fn a_finished_game_offers_no_rewind() {
    for ending in ["0-0 1-0 0-1 1-1 0-2", "0-0 resign"] {
        let view = played("3x3k3 history=3", ending).view();
        assert_eq!(view.longest_rewind, None);
    }
}

#[test]
fn rewind_on_nine_boards_restores_the_board_to_play_in() {
    let table = "
        multi history=5    | 4-0 0-2 2-8 <<1     | 2
        multi history=5    | 4-0 0-2 2-8 <<2     | 0
        multi history=5    | 4-0 0-2 2-8 <<3     | any
        multi@4 history=5  | 4-0 0-2 2-8 <<3     | 4
        ultimate history=5 | 4-0 0-2 2-8 <<1 <<1 | 0
        multi history=5    | 4-0 0-2 2-8 <<2 0-5 | 5
        ";
    for [setup, turns, board] in cases(table) {
        assert_eq!(active(&played(setup, turns)), board, "{setup} | {turns}");
    }
    // x wins board 0; o is sent to 2, and sends x to 0, which is closed.
    let table = "
        multi history=5    | 0-2 2-0             | 1
        multi history=5    | 0-2 2-0 <<1         | 2
        multi history=5    | 0-2 2-0 <<2         | 0
        multi history=5    | 0-2 2-0 <<2 0-8 8-0 | 0
        ultimate history=5 | 0-2 2-0             | any
        ultimate history=5 | 0-2 2-0 <<1         | 2
        ultimate history=5 | 0-2 2-0 <<2         | 0
        ";
    for [setup, turns, board] in cases(table) {
        let game = played_from(setup, "xx....... . . . . . . x........ . x 0", turns);
        assert_eq!(active(&game), board, "{setup} | {turns}");
    }
}

#[test]
fn a_board_won_by_a_play_taken_back_is_open_again() {
    let position = "xx....... . . . . . . x........ . x 0";
    for (turns, score) in [("0-2", [1, 0]), ("0-2 <<1", [0, 0])] {
        let game = played_from("multi history=5", position, turns);
        assert_eq!(game.view().nested.unwrap().score, score, "{turns}");
    }
}
