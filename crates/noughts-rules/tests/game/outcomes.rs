//! Outcomes on one board.

use crate::{check_outcomes, check_outcomes_from, played_from, refused};

#[test]
fn adjacent_marks_in_any_direction_win() {
    check_outcomes(
        "
        3x3k3     | 0-0 1-0 0-1 1-1 0-2                 | x by line 0-0 0-1 0-2
        3x3k3     | 0-1 0-0 1-1 1-0 2-2 2-0             | o by line 0-0 1-0 2-0
        3x3k3     | 0-0 0-1 1-1 0-2 2-2                 | x by line 0-0 1-1 2-2
        3x3k3     | 0-2 0-0 1-1 0-1 2-0                 | x by line 0-2 1-1 2-0
        4x4k3p3   | 0-0 1-0 2-0 0-3 1-3 2-1 3-3 3-2 2-2 | a by line 2-0 2-1 2-2
        5x5k3     | 0-2 0-0 1-3 0-1 2-4                 | x by line 0-2 1-3 2-4
        5x5k3     | 2-0 0-0 3-1 0-1 4-2                 | x by line 2-0 3-1 4-2
        5x5k3     | 1-4 0-0 2-3 0-1 3-2                 | x by line 1-4 2-3 3-2
        5x5k3     | 0-2 4-0 1-1 4-1 2-0                 | x by line 0-2 1-1 2-0
        4x3k3     | 0-1 0-0 1-2 1-0 2-3                 | x by line 0-1 1-2 2-3
        3x4k3     | 3-0 0-0 2-1 0-1 1-2                 | x by line 1-2 2-1 3-0
        255x255k3 | 252-254 0-0 253-253 0-1 254-252     | x by line 252-254 253-253 254-252
        ",
    );
    check_outcomes_from(
        "
        3x4k4 | x.o/x.o/x.o/... x | 3-0 | x by line 0-0 1-0 2-0 3-0
        4x3k4 | xxx./ooo./.... o  | 1-3 | o by line 1-0 1-1 1-2 1-3
        ",
    );
}

#[test]
fn line_has_no_gap() {
    check_outcomes_from(
        "
        4x4k3   | xx../..../..../.... x           | 0-3 | goes on
        4x4k3   | x.../.x../..../.... x           | 3-3 | goes on
        4x4k3   | ...x/..../.x../.... x           | 3-0 | goes on
        5x5k4   | x.xx./...../...../...../..... x | 0-4 | goes on
        5x5k4   | xx.x./...../...../...../..... x | 0-2 | x by line 0-0 0-1 0-2 0-3
        4x4k3p3 | xo.x/..../..../.... x           | 0-2 | goes on
        ",
    );
}

#[test]
fn line_does_not_wrap_around_the_edge() {
    check_outcomes_from(
        "
        4x4k3         | ..x./x.../..../.... x | 0-3 | goes on
        4x4k3         | ...x/x.../..../.... x | 1-1 | goes on
        4x4k3         | ..x./...x/..../.... x | 2-0 | goes on
        4x4k3         | .x../x.../..../.... x | 1-3 | goes on
        4x4k3         | ...x/..../x.../.... x | 3-1 | goes on
        3x3k3p5       | ..x/x../... x         | 1-1 | goes on
        4x3k3         | ..../..../..xx x      | 0-0 | goes on
        ",
    );
}

#[test]
fn a_longer_line_wins_with_all_its_cells() {
    check_outcomes_from(
        "
        5x5k3 | xx.xx/...../...../...../..... x | 0-2 | x by line 0-0 0-1 0-2 0-3 0-4
        5x5k4 | xx.xx/...../...../...../..... x | 0-2 | x by line 0-0 0-1 0-2 0-3 0-4
        5x5k3 | xx.x./...../...../...../..... x | 0-2 | x by line 0-0 0-1 0-2 0-3
        5x5k4 | x..../.x.../...../...x./....x x | 2-2 | x by line 0-0 1-1 2-2 3-3 4-4
        ",
    );
    check_outcomes("5x5k3 | 0-0 4-0 0-1 4-2 0-3 4-4 0-4 2-0 0-2 | x by line 0-0 0-1 0-2 0-3 0-4");
}

#[test]
fn with_exact_longer_lines_do_not_win() {
    check_outcomes_from(
        "
        5x5k3+exact   | xx.xx/...../...../...../..... x | 0-2 | goes on
        5x5k3+exact   | xx.x./...../...../...../..... x | 0-2 | goes on
        5x5k3+exact   | x..../x..../...../x..../..... x | 2-0 | goes on
        5x5k3+exact   | x..../.x.../...../...x./..... x | 2-2 | goes on
        4x4k3p3+exact | aa.a/..../..../.... a           | 0-2 | goes on
        5x5k3+exact   | .xx../...../...../...../..... x | 0-0 | x by line 0-0 0-1 0-2
        5x5k3+exact   | xx..x/...../...../...../..... x | 0-2 | x by line 0-0 0-1 0-2
        5x5k3+exact   | xx.xx/..x../..x../...../..... x | 0-2 | x by line 0-2 1-2 2-2
        5x5k3         | xx.xx/..x../..x../...../..... x | 0-2 | x by line 0-0 0-1 0-2 0-3 0-4 1-2 2-2
        5x5k3+misere+exact | xx.xx/...../...../...../..... x | 0-2 | goes on
        ",
    );
}

#[test]
fn outcome_has_all_cells_of_all_completed_lines() {
    check_outcomes_from(
        "
        3x3k3        | xx./oox/oox x                   | 0-2 | x by line 0-0 0-1 0-2 1-2 2-2
        5x5k3        | ..x../..x../...xx/.x.x./x...x x | 2-2 | x by line 0-2 1-2 2-2 2-3 2-4 3-1 3-3 4-0 4-4
        5x5k3+exact  | ..x../..x../...xx/.x.x./x...x x | 2-2 | x by line 0-2 1-2 2-2 2-3 2-4 3-1 3-3 4-0 4-4
        5x5k3+misere | ..x../..x../...xx/.x.x./x...x x | 2-2 | o by line 0-2 1-2 2-2 2-3 2-4 3-1 3-3 4-0 4-4
        ",
    );
}

#[test]
fn line_with_the_last_cell_wins() {
    check_outcomes_from(
        "
        3x3k3        | xox/oxo/ox. x | 2-2 | x by line 0-0 1-1 2-2
        3x3k3+misere | xox/oxo/ox. x | 2-2 | o by line 0-0 1-1 2-2
        ",
    );
}

#[test]
fn a_full_board_without_a_line_is_a_draw() {
    check_outcomes(
        "
        3x3k3         | 0-0 0-1 0-2 1-1 1-0 1-2 2-1 2-0 2-2 | draw
        3x3k3+misere  | 0-0 0-1 0-2 1-1 1-0 1-2 2-1 2-0 2-2 | draw
        3x3k3p64      | 0-0 0-1 0-2 1-1 1-0 1-2 2-1 2-0 2-2 | draw
        3x3k3+gravity | 1 0 1 2 0 2 0 1 2                   | draw
        ",
    );
    check_outcomes_from("4x3k4 | xoxo/oxox/xox. o | 2-3 | draw");
}

#[test]
fn in_misere_completing_a_line_loses() {
    check_outcomes(
        "
        3x3k3+misere     | 0-0 1-0 0-1 1-1 0-2             | o by line 0-0 0-1 0-2
        3x3k3+misere     | 0-1 0-0 1-1 1-0 2-2 2-0         | x by line 0-0 1-0 2-0
        4x4k3p3+misere   | 0-0 1-0 2-0 0-1 1-1 3-3 0-2     | o a by line 0-0 0-1 0-2
        4x4k3p3+misere   | 0-0 1-0 2-0 0-1 1-1 3-3 3-0 1-2 | x a by line 1-0 1-1 1-2
        3x3k3+misere xxo | 0-0 0-1 1-1 0-2                 | o by line 0-0 0-1 0-2
        3x3k3+misere xx  | 0-0 0-1 0-2                     | draw
        ",
    );
}

#[test]
fn finished_start_position_has_its_outcome() {
    check_outcomes_from(
        "
        3x3k3        | xxx/oo./... o           | | x by line 0-0 0-1 0-2
        3x3k3        | xxx/oox/o.x o           | | x by line 0-0 0-1 0-2 1-2 2-2
        3x3k3+misere | xxx/oo./... o           | | o by line 0-0 0-1 0-2
        3x3k3        | xox/xxo/oxo x           | | draw
        multi        | X X X X O O O O D x -   | | draw
        multi        | X X X X X O O O D x -   | | x by points
        ultimate     | X X X O O . . . . o -   | | x by boards 0 1 2
        ",
    );
    let game = played_from("3x3k3 history=2", "xxx/oo./... o", "");
    assert_eq!(refused(game.clone(), "2-2"), "the game is over");
    assert_eq!(refused(game, "<<0"), "the game is over");
}
