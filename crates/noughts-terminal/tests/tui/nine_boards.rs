//! Nine boards.

use crate::test_app::TestApp;

#[test]
fn active_board_is_highlighted() {
    let mut app = TestApp::new("multi@4 human human");
    app.sees("╔ 4 next ═")
        .sees("Play on board 4.")
        .sees("At 4-4: then board 4.");
    app.keys("up left")
        .sees("At 4-0: then board 0.")
        .sees("0 next");
    // The focus stays on the active board.
    app.keys("up left left").sees("At 4-0").keys("enter");
    app.sees("╔ 0 next ═")
        .sees("┌ 4 ─")
        .sees("Play on board 0.")
        .sees("At 0-0");
}

#[test]
fn a_cell_alone_is_enough_where_the_board_is_known() {
    let mut app = TestApp::new("multi@4 human human");
    app.play("0 2 8")
        .sees("1 × 4-0")
        .sees("2 ○ 0-2")
        .sees("3 × 2-8");
    app.play("4-4").sees("This turn must be played on board 8.");
    app.play("8-2").sees("4 ○ 8-2");
}

#[test]
fn closed_board_shows_a_large_mark() {
    let mut app = TestApp::new("ultimate@0 human human");
    app.play("0-0 0-1 1-0 0-2 2-0 0-3 3-0");
    app.play("0-5 5-0 0-4");
    app.sees("· 0 last ┄").sees("Boards × 0  ○ 1  drawn 0");
    app.sees("At 4-").play("4-0");
    app.sees("Play on any open board.")
        .sees("╔ 1 ═")
        .sees("╔ 8 ═")
        .sees("· 0 ┄");
}

#[test]
fn random_first_board_is_recorded() {
    let mut app = TestApp::new("multi human human");
    app.sees("Noughts  multi@");
    let mut app = TestApp::new("ultimate human human");
    app.sees("Noughts  ultimate ")
        .sees("Play on any open board.");
}

#[test]
fn a_cell_alone_is_not_enough_where_several_boards_are_open() {
    let mut app = TestApp::new("ultimate human human");
    app.keys("4 enter")
        .sees("Several boards are open: please type board-cell, such as 4-0.")
        .sees("turn 1");
    app.play("4-4").sees("1 × 4-4").keys("0 enter");
    app.sees("2 ○ 4-0");
}
