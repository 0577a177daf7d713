//! Games on nine boards.

use noughts_rules::{Move, Seat};

use crate::{active, cases, check_outcomes_from, outcome, played, played_from, refused, set_up};

/// Columns of the table: variant, position, turns, board to play in after the turns.
fn check_sent(table: &str) {
    for [variant, position, turns, board] in cases(table) {
        let game = played_from(variant, position, turns);
        assert_eq!(active(&game), board, "{variant} | {position} | {turns}");
    }
}

#[test]
fn first_play_is_on_any_board_or_on_the_given_one() {
    let table = "
        multi      | any | 81
        multi@0    | 0   | 9
        multi@4    | 4   | 9
        multi@8    | 8   | 9
        ultimate   | any | 81
        ultimate@3 | 3   | 9
        ";
    for [variant, board, legal] in cases(table) {
        let game = set_up(variant).unwrap();
        assert_eq!(active(&game), board);
        assert_eq!(game.view().legal.len().to_string(), legal);
        assert_eq!(game.to_move(), Some(Seat(0)));
    }
}

#[test]
fn cell_decides_the_board_of_the_next_play() {
    for variant in ["multi", "ultimate"] {
        // The six plays of the course's example.
        let game = played(variant, "4-0 0-2 2-8 8-2 2-2 2-5");
        assert_eq!(active(&game), "5");
        assert_eq!(game.legal().len(), 9);
        assert_eq!(active(&played(variant, "4-4")), "4");
        assert_eq!(active(&played(variant, "8-0")), "0");
    }
    assert_eq!(active(&played("multi@4", "4-7")), "7");
}

#[test]
fn multi_sends_play_from_a_closed_board_to_the_next_higher_open_one() {
    check_sent(
        "
        multi | . . . . . . . ....x.... . o 4 | 4-0 | 0
        multi | X . . . . . . ....x.... . o 4 | 4-0 | 1
        multi | O . . . . . . ....x.... . o 4 | 4-0 | 1
        multi | D . . . . . . ....x.... . o 4 | 4-0 | 1
        multi | X O . . . . . ....x.... . o 4 | 4-0 | 2
        multi | X O D X . X X ....x.... X o 4 | 4-0 | 4
        multi | X O D X . X X ....x.... X o 4 | 4-5 | 7
        multi | . . . . . . . ....x.... X o 4 | 4-8 | 0
        multi | D . . . . . . ....x.... X o 4 | 4-8 | 1
        multi | X O D X . X X ....x.... X o 4 | 4-8 | 4
        multi | . . . . . . X ....x.... X o 4 | 4-6 | 7
        ",
    );
}

#[test]
fn ultimate_sends_play_from_a_closed_board_to_any_open_one() {
    check_sent(
        "
        ultimate | X . . . . . . ....x.... . o 4 | 4-0 | any
        ultimate | X . . . . . . ....x.... . o 4 | 4-1 | 1
        ultimate | D . . . . . . ....x.... . o 4 | 4-0 | any
        ultimate | X O X X O D O X ....o.... x 8 | 8-0 | 8
        ",
    );
    let game = played_from("ultimate", "X D . . . . . ....x.... . o 4", "4-0");
    // Seven boards are open, and there are two marks on them.
    assert_eq!(game.legal().len(), 7 * 9 - 2);
    assert_eq!(game.legal()[0], Move::at(2 * 9));
}

#[test]
fn board_closed_by_the_play_itself_redirects() {
    check_sent(
        "
        multi    | . . xx....... . . . . ..o...... . x 2 | 2-2 | 3
        multi    | . . xx....... X . . . ..o...... . x 2 | 2-2 | 4
        multi    | . . . . . . . ........x xoxxoxox. o 8 | 8-8 | 0
        multi    | X . . . . . . ........x xoxxoxox. o 8 | 8-8 | 1
        ultimate | . . xx....... . . . . ..o...... . x 2 | 2-2 | any
        ultimate | . . . . . . . ........x xoxxoxox. o 8 | 8-8 | any
        ",
    );
}

#[test]
fn a_closed_board_takes_no_more_plays() {
    let table = "
        multi    | X . . . . . . ....x.... . o 4 |     | 0-8 | this turn must be played on board 4
        multi    | X . . . . . . ....x.... . o 4 | 4-0 | 0-8 | this turn must be played on board 1
        ultimate | X . . . . . . ....x.... . o 4 |     | 0-8 | this turn must be played on board 4
        ultimate | X . . . . . . ....x.... . o 4 | 4-0 | 0-8 | that board is closed, choose an open one
        ultimate | D . . . . . . ....x.... . o 4 | 4-0 | 0-8 | that board is closed, choose an open one
        ";
    for [variant, position, turns, turn, refusal] in cases(table) {
        let game = played_from(variant, position, turns);
        assert_eq!(refused(game, turn), refusal, "{position} | {turns}");
    }
}

/// Columns of the table: variant, position, score in the view.
fn check_scores(table: &str) {
    for [variant, position, expected] in cases(table) {
        let game = played_from(variant, position, "");
        let nested = game.view().nested.unwrap();
        let decided = if nested.decided { "decided" } else { "open" };
        let [x, o] = nested.score;
        let score = format!("{x} to {o}, {} drawn, {decided}", nested.drawn);
        assert_eq!(score, expected, "{variant} | {position}");
        assert_eq!(outcome(&game) == "goes on", !position.ends_with('-'));
    }
}

#[test]
fn view_has_the_score_and_whether_it_is_decided() {
    check_scores(
        "
        multi | . . . . . . . . . x *         | 0 to 0, 0 drawn, open
        multi | X . . . ....x.... . . . . o 4 | 1 to 0, 0 drawn, open
        multi | X O D . ....x.... . . . . o 4 | 1 to 1, 1 drawn, open
        multi | X X X X ....x.... . . . . o 4 | 4 to 0, 0 drawn, open
        multi | X X X X ....x.... . . . D o 4 | 4 to 0, 1 drawn, open
        multi | X X X X ....x.... . . D D o 4 | 4 to 0, 2 drawn, decided
        multi | O O O O ....x.... O . . . o 4 | 0 to 5, 0 drawn, decided
        multi | X X X O ....x.... O D D D o 4 | 3 to 2, 3 drawn, open
        multi | X X X X D X X X X x -         | 8 to 0, 1 drawn, decided
        multi | D D D D D D D D D x -         | 0 to 0, 9 drawn, decided
        ",
    );
}

#[test]
fn in_ultimate_the_result_is_decided_when_no_line_of_boards_can_be_made() {
    check_scores(
        "
        ultimate | . . . . . . . . . x *         | 0 to 0, 0 drawn, open
        ultimate | X X O O O X ......x.. . . o 6 | 3 to 3, 0 drawn, open
        ultimate | D D D D D D ......x.. . . o 6 | 0 to 0, 6 drawn, open
        ultimate | D D D D D D ......x.. D . o 6 | 0 to 0, 7 drawn, decided
        ultimate | X X X O O . . . . x -         | 3 to 2, 0 drawn, decided
        ultimate | X O X X O X O X D x -         | 5 to 3, 1 drawn, decided
        ",
    );
}

#[test]
fn multi_goes_on_until_all_boards_are_closed_and_most_points_win() {
    check_outcomes_from(
        "
        multi | X X X X O O O O xoxxoxox. o 8     |     | goes on
        multi | X X X X O O O O xoxxoxox. o 8     | 8-8 | draw
        multi | X X X X X O O O xoxxoxox. o 8     | 8-8 | x by points
        multi | X X X O O O O O xoxxoxox. o 8     | 8-8 | o by points
        multi | X D D D D D D D xoxxoxox. o 8     | 8-8 | x by points
        multi | D D D D D D D D xoxxoxox. o 8     | 8-8 | draw
        multi | X X X X X X X X xoxxoxox. o 8     |     | goes on
        multi | X X X X X X X X xoxxoxox. o 8     | 8-8 | x by points
        multi | X X X X O O O O xx....... x 8     | 8-2 | x by points
        multi | X X X X O O O O oo....... o 8     | 8-2 | o by points
        multi | X X X O O O O D xx....... x 8     | 8-2 | draw
        multi | X X xx....... . . . . ..o...... . x 2 | 2-2 | goes on
        ",
    );
}

#[test]
fn in_ultimate_three_boards_in_a_line_win_at_once() {
    check_outcomes_from(
        "
        ultimate | X X xx....... O . . . ..o...... . x 2 | 2-2 | x by boards 0 1 2
        ultimate | X . . xx....... . . X ...o..... . x 3 | 3-2 | x by boards 0 3 6
        ultimate | O . . . O . . ........x oo....... o 8 | 8-2 | o by boards 0 4 8
        ultimate | . . O . O . oo....... ......x.. . o 6 | 6-2 | o by boards 2 4 6
        ultimate | X X xx....... . . X . ..o...... X x 2 | 2-2 | x by boards 0 1 2 5 8
        ultimate | X O O O X X D O xx....... x 8         | 8-2 | x by boards 0 4 8
        ultimate | X O X X O X O xx.....o. . x 7         | 7-2 | goes on
        ultimate | X . xx....... X . . . ..o...... . x 2 | 2-2 | goes on
        ultimate | X X oo....... O . . . ..o...... . o 2 | 2-2 | goes on
        ",
    );
}

#[test]
fn in_ultimate_all_boards_closed_without_a_line_is_a_draw_whatever_the_points() {
    check_outcomes_from(
        "
        ultimate | X O X X O X O X oo....... o 8       | 8-2 | draw
        ultimate | X O X X D X D X xoxxoxox. o 8       | 8-8 | draw
        ultimate | X X O O O X D O xx....... x 8       | 8-2 | draw
        ultimate | D D D D D D D D xoxxoxox. o 8       | 8-8 | draw
        ultimate | D D D D D D D D xx....... x 8       | 8-2 | draw
        ultimate | D D D D D D ......x.. D . o 6       | 6-8 | goes on
        ",
    );
}
