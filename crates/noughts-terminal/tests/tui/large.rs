//! Boards that don't fit, and terminals that are too small.

use noughts_terminal::tui::Effect;
use ratatui::crossterm::event::MouseEventKind;

use crate::test_app::{PLAIN, TestApp};

#[test]
fn a_board_of_255_scrolls_with_the_focus() {
    let mut app = TestApp::new("255x255k5 human human");
    app.sees("At 127-127.");
    for arrow in ["↑", "↓", "←·", "→"] {
        app.sees(arrow);
    }
    for _ in 0..130 {
        app.keys("left up");
    }
    app.sees("At 0-0.").sees("  0 [·]").does_not_see("←·");
    app.keys("pgdn").sees("At 18-0.").keys("pgup");
    app.sees("At 0-0.");
    // A play outside the visible part scrolls the board.
    app.play("254-254")
        .sees("254")
        .sees("At 254-254.")
        .sees("[×]");
    app.play("3-3").sees("[○]").keys(",").sees("(×)");
}

#[test]
fn the_wheel_scrolls_and_takes_the_focus_along() {
    let mut app = TestApp::new("255x255k5 human human");
    let at = app.find("[");
    app.sees("At 127-127.")
        .mouse(MouseEventKind::ScrollDown, at);
    app.sees("At 127-127.");
    for _ in 0..100 {
        app.mouse(MouseEventKind::ScrollDown, at);
    }
    app.sees("254  ·").sees("At 236-127.");
    for _ in 0..100 {
        app.mouse(MouseEventKind::ScrollRight, at);
    }
    app.sees("At 236-234.");
    for _ in 0..100 {
        app.mouse(MouseEventKind::ScrollUp, at);
    }
    app.sees("  0  ·").sees("At 18-234.");
}

#[test]
fn a_click_on_a_scrolled_board_plays_what_it_shows() {
    let mut app = TestApp::new("255x255k5 human human");
    for _ in 0..70 {
        app.keys("down");
    }
    let (x, y) = app.find("[");
    app.click((x + 3, y)).sees("1 × 197-128");
    app.click((x, y + 1)).sees("2 ○ 198-127");
}

#[test]
fn a_terminal_that_is_too_small_says_how_large_it_must_be() {
    let mut app = TestApp::new("3x3k3 human human");
    app.resize(59, 24);
    app.sees("This terminal is 59 x 24. Noughts needs 60 x 18");
    // Nothing is played on an invisible board.
    app.keys("enter").resize(80, 24);
    app.sees("turn 1").resize(80, 17);
    app.sees("This terminal is 80 x 17.").resize(20, 3);
    app.screen();
    app.keys("q");
    assert_eq!(app.effect, Effect::Quit);
}

#[test]
fn sixty_four_sides_have_their_seats() {
    let seats = "human ".repeat(64);
    let mut app = TestApp::with(&format!("20x20k5p64 {seats}"), "0", PLAIN);
    for column in 0..20 {
        app.play(&format!("0-{column}"));
    }
    app.sees("20 s 0-19").sees(">t human").sees("t to play.");
}
