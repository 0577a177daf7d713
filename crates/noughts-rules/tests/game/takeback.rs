//! Tests of takebacks.

use noughts_rules::{Action, Seat, Turn};

use crate::{active, cases, check_boards, check_refusals, played, played_from};

#[test]
fn a_takeback_returns_to_before_the_last_play_of_its_seat_which_is_to_move() {
    check_boards(
        "
        3x3k3                 | 0-0 0:takeback1                 | .../.../... x
        3x3k3                 | 0-0 1-2 0:takeback2             | .../.../... x
        3x3k3                 | 0-0 1-2 1:takeback1             | x../.../... o
        3x3k3                 | 0-0 1-2 2-0 1:takeback2         | x../.../... o
        3x3k3                 | 0-0 1-2 2-0 0:takeback1         | x../..o/... x
        3x3k3                 | 0-0 1-2 0:takeback2 2-2         | .../.../..x o
        3x3k3                 | 0-0 1-2 2-0 0:takeback1 0:takeback2 | .../.../... x
        3x3k3 history=3       | 0-0 1-2 2-0 <<2 0:takeback1     | .../.../... x
        3x3k3 xxo             | 0-0 0-1 1-1 0:takeback3         | .../.../... x
        3x3k3 xxo             | 0-0 0-1 1-1 1:takeback2         | x../.../... x
        4x4k3p3               | 0-0 0-1 0-2 1:takeback2         | x.../..../..../.... o
        3x3k3+gravity         | 1 1 1 1:takeback2               | .../.../.x. o
        ",
    );
    let game = played("3x3k3", "0-0 1-2 0:takeback2");
    let (by, action) = (Seat(0), Action::Takeback(2));
    assert_eq!(game.view().last, Some(Turn { by, action }));
    assert_eq!(game.view().turn, 4, "it counts as a turn");
}

#[test]
fn a_takeback_on_nine_boards_restores_the_board_to_play_in() {
    let table = "
        multi    | 4-0 0-2 2-8          | 1:takeback2 | 0
        multi    | 4-0 0-2 2-8          | 0:takeback1 | 2
        multi    | 4-0                  | 0:takeback1 | any
        multi@4  | 4-0 0-2              | 0:takeback2 | 4
        ultimate | 4-0 0-4 4-1 1-4 4-2  | 0:takeback1 | 4
        ";
    for [setup, turns, takeback, board] in cases(table) {
        let mut game = played(setup, turns);
        crate::play(&mut game, takeback);
        assert_eq!(active(&game), board, "{setup} | {turns} {takeback}");
    }
}

#[test]
fn a_takeback_needs_a_play_of_its_seat_and_removes_the_marks_since_it() {
    check_refusals(
        "
        3x3k3           |                 | 0:takeback1 | this seat has no play on the board that could be taken back
        3x3k3           | 0-0             | 1:takeback1 | this seat has no play on the board that could be taken back
        3x3k3 history=3 | 0-0 1-2 <<1     | 1:takeback1 | this seat has no play on the board that could be taken back
        3x3k3           | 0-0 1-2         | 0:takeback1 | a takeback returns to before this seat's last play, which removes 2
        3x3k3           | 0-0 1-2         | 0:takeback0 | a takeback returns to before this seat's last play, which removes 2
        3x3k3           | 0-0 1-2 2-2     | 0:takeback3 | a takeback returns to before this seat's last play, which removes 1
        3x3k3           | 0-0 1-1 0:resign | 1:takeback1 | the game is over
        ",
    );
    // The marks of the start position cannot be taken back.
    let game = played_from("3x3k3", "x../.o./... x", "2-2");
    assert_eq!(game.takeback_of(Seat(0)), Some(1));
    assert_eq!(game.takeback_of(Seat(1)), None);
}
