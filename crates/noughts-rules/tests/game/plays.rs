//! Plays and their refusals.

use noughts_rules::{Action, IllegalMove, Move, Refusal, Seat, Turn};

use crate::{cases, check_boards, check_outcomes, check_refusals, moves, played, refused, set_up};

#[test]
fn marks_are_placed_in_turn_order() {
    check_boards(
        "
        3x3k3         |                 | .../.../... x
        3x3k3         | 1-0             | .../x../... o
        3x3k3         | 1-0 0-2 2-1     | ..o/x../.x. o
        4x3k3         | 2-3 0-2         | ..o./..../...x x
        3x4k3         | 3-2 2-0         | .../.../o../..x x
        4x4k3p3       | 0-0 0-1 0-2 0-3 | xoax/..../..../.... o
        4x4k3+gravity | 3-3 2-3         | ..../..../...o/...x x
        multi         | 4-0 0-2 | ..o{6.}/{9.}/{9.}/{9.}/x{8.}/{9.}/{9.}/{9.}/{9.} x 2
        ",
    );
}

#[test]
fn with_gravity_a_column_means_its_lowest_empty_cell() {
    check_boards(
        "
        4x4k3+gravity   | 3       | ..../..../..../...x o
        4x4k3+gravity   | 3 0 3   | ..../..../...x/o..x o
        4x4k3+gravity   | 1 1 1 1 | .o../.x../.o../.x.. x
        3x3k3p3+gravity | 2 2 2   | ..a/..o/..x x
        ",
    );
    check_outcomes(
        "
        7x6k4+gravity | 3 2 3 2 3 2 3           | x by line 2-3 3-3 4-3 5-3
        7x6k4+gravity | 0 1 1 2 2 3 2 3 3 6 3   | x by line 2-3 3-2 4-1 5-0
        ",
    );
}

#[test]
fn seats_of_one_side_share_its_marks() {
    check_boards(
        "
        3x3k3 xxo  | 0-0 1-1 0-2     | x.o/.x./... x
        3x3k3 xxo  | 0-0 1-1 0-2 2-0 | x.o/.x./x.. x
        3x3k3 xoox | 0-0 0-1 0-2 2-0 | xoo/.../x.. x
        3x3k3 xx   | 0-0 1-1         | x../.x./... x
        ",
    );
    check_outcomes(
        "
        3x3k3 xx  | 0-0 0-1 0-2         | x by line 0-0 0-1 0-2
        3x3k3 xxo | 0-0 0-1 1-1 0-2     | x by line 0-0 0-1 0-2
        3x3k3 xoo | 0-0 1-0 1-1 0-1 1-2 | o by line 1-0 1-1 1-2
        ",
    );
}

#[test]
fn view_has_the_seat_to_move_and_the_last_turn() {
    let mut game = set_up("3x3k3 xxo").unwrap();
    for (turn, text) in ["0-0", "1-1", "0-2", "2-0"].into_iter().enumerate() {
        let by = Seat(turn as u8 % 3);
        let view = game.view();
        assert_eq!((view.turn, view.to_move), (turn + 1, Some(by)));
        let action = game.parse_action(text).unwrap();
        game.act(by, action).unwrap();
        assert_eq!(game.view().last, Some(Turn { by, action }));
    }
    assert_eq!(moves(&game, &game.view().legal), "0-1 1-0 1-2 2-1 2-2");
    assert_eq!(game.view().nested, None);
}

// Refusals.

#[test]
fn an_illegal_move_is_refused_with_its_reason() {
    check_refusals(
        "
        3x3k3             | 1-1         | 1-1     | that cell is taken, choose an empty one
        3x3k3             | 1-1 0-0     | 0-0     | that cell is taken, choose an empty one
        4x4k3p3           | 0-0 0-1 0-2 | 0-1     | that cell is taken, choose an empty one
        255x255k5         | 254-254     | 254-254 | that cell is taken, choose an empty one
        7x6k4+gravity     | 3           | 5-3     | that cell is taken, choose an empty one
        7x6k4+gravity     | 3 3 3 3 3 3 | 0-3     | that cell is taken, choose an empty one
        7x6k4+gravity     | 3 3 3 3 3 3 | 3       | that cell is taken, choose an empty one
        multi             | 4-4 4-0 0-4 | 4-4     | that cell is taken, choose an empty one
        ultimate          | 4-4 4-0 0-4 | 4-0     | that cell is taken, choose an empty one
        7x6k4+gravity     |             | 0-3     | a mark would fall from there, choose the lowest empty cell of a column
        7x6k4+gravity     | 3           | 3-3     | a mark would fall from there, choose the lowest empty cell of a column
        7x6k4+gravity     | 3           | 4-2     | a mark would fall from there, choose the lowest empty cell of a column
        255x255k5+gravity | 9           | 9-9     | a mark would fall from there, choose the lowest empty cell of a column
        multi@4           |             | 0-0     | this turn must be played on board 4
        multi             | 4-0         | 4-1     | this turn must be played on board 0
        ultimate          | 4-0 0-2     | 0-2     | this turn must be played on board 2
        ",
    );
}

#[test]
fn a_cell_off_the_board_is_refused() {
    let check = |setup: &str, index: usize| {
        let mut game = set_up(setup).unwrap();
        let view = game.view();
        let refused = game.act(Seat(0), Action::Play(Move::at(index)));
        assert_eq!(
            refused,
            Err(Refusal::Illegal(IllegalMove::OffBoard)),
            "{setup}"
        );
        assert_eq!(game.view(), view);
    };
    check("3x3k3", 9);
    check("4x4k3p3", 16);
    check("7x6k4+gravity", 42);
    check("22x22k5", 65_000);
    check("255x255k5", 65_025);
    check("multi", 81);
    check("ultimate@3", 65_534);
}

#[test]
fn parse_errors_say_how_actions_are_written() {
    let table = "
        3x3k3         | 3       | row-column
        3x3k3         |         | row-column
        3x3k3         | 1 0     | row-column
        3x3k3         | 01-0    | row-column
        3x3k3         | <<      | row-column
        3x3k3         | <<-1    | row-column
        3x3k3         | <<02    | row-column
        3x3k3         | Resign  | row-column
        3x3k3         | 3-0     | from 0-0 to 2-2
        7x6k4+gravity | 7       | from 0-0 to 5-6
        7x6k4+gravity | x       | the column alone
        multi         | 4       | board-cell
        multi         | 9-0     | from 0-0 to 8-8
        ";
    for [setup, text, hint] in cases(table) {
        let error = set_up(setup)
            .unwrap()
            .parse_action(text)
            .unwrap_err()
            .to_string();
        assert!(error.contains(hint), "{setup} | {text} | {error}");
    }
}

#[test]
fn actions_round_trip() {
    let game = set_up("7x6k4+gravity history=3").unwrap();
    for text in ["5-3", "0-6", "<<0", "<<2", "<<65535", "resign"] {
        assert_eq!(game.format_action(game.parse_action(text).unwrap()), text);
    }
    assert_eq!(game.format_action(game.parse_action("3").unwrap()), "5-3");
}

#[test]
fn only_the_seat_to_move_may_play_or_rewind() {
    check_refusals(
        "
        3x3k3 history=5 xxo |             | 1:0-0 | it is the turn of seat 0
        3x3k3 history=5 xxo |             | 2:<<0 | it is the turn of seat 0
        3x3k3 history=5 xxo | 0-0         | 0:0-1 | it is the turn of seat 1
        3x3k3 history=5 xxo | 0-0 0-1     | 0:<<1 | it is the turn of seat 2
        3x3k3 history=5 xxo | 0-0 0-1 1-1 | 1:2-2 | it is the turn of seat 0
        3x3k3 history=5 xxo | 0-0 <<1     | 0:2-2 | it is the turn of seat 2
        ",
    );
}

#[test]
fn only_seats_of_the_game_may_act() {
    check_refusals(
        "
        3x3k3 history=2 |     | 2:0-0      | the seats of this game are 0 to 1
        3x3k3 history=2 |     | 2:<<0      | the seats of this game are 0 to 1
        3x3k3 history=2 | 0-0 | 255:resign | the seats of this game are 0 to 1
        4x4k3p3         | 0-0 | 3:resign   | the seats of this game are 0 to 2
        ",
    );
}

#[test]
fn a_finished_game_takes_no_action() {
    for ending in ["0-0 1-0 0-1 1-1 0-2", "0-0 resign", "1:resign"] {
        for turn in ["0:2-2", "1:2-2", "0:<<0", "1:<<1", "0:resign", "1:resign"] {
            let game = played("3x3k3 history=3", ending);
            assert_eq!(refused(game, turn), "the game is over");
        }
    }
    let column = played("3x3k3+gravity", "0 1 0 1 0");
    assert_eq!(refused(column, "2"), "the game is over");
}
