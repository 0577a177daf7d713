//! Compares whole screens with the files in `tests/screens`. If `NOUGHTS_WRITE_SCREENS` is set, writes these files
//! first, for review.

use std::fs;
use std::path::Path;

use ratatui::style::Color;

use crate::test_app::{FULL, PLAIN, TestApp};

#[track_caller]
fn check(name: &str, app: &mut TestApp) {
    let path = format!("{}/tests/screens/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let screen = app.screen();
    if std::env::var_os("NOUGHTS_WRITE_SCREENS").is_some() {
        fs::write(Path::new(&path), &screen).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        screen == expected,
        "{name}:\n{screen}\nexpected:\n{expected}"
    );
}

#[test]
fn start_screen_shows_all_settings() {
    let mut app = TestApp::new("");
    app.type_in("4x4k3p3")
        .keys("down")
        .type_in("human")
        .keys("down")
        .type_in("first");
    app.keys("down").type_in("random");
    check("first", &mut app);
}

#[test]
fn a_won_game_shows_its_line() {
    let mut app = TestApp::new("3x3k3 human first");
    app.play("1-1 0-2 2-0");
    check("won", &mut app);
}

/// Nothing is cut off on a terminal of 60 x 18.
#[test]
fn every_kind_of_board_fits_a_small_terminal() {
    let mut app = TestApp::new("");
    app.resize(60, 18);
    check("small-first", &mut app);
    let mut app = TestApp::new("multi@4 human human");
    app.resize(60, 18);
    app.play("4-0 0-2 2-8");
    check("small-multi", &mut app);
    let mut app = TestApp::new("7x6k4+gravity human human");
    app.resize(60, 18);
    app.play("3 3 2");
    check("small-gravity", &mut app);
    app.keys("?");
    check("small-help", &mut app);
}

#[test]
fn without_unicode_everything_is_ascii() {
    let mut app = TestApp::with("3x3k3 human human", "4", PLAIN);
    app.play("1-1 0-0 2-2").keys("r 2");
    check("plain-rewind", &mut app);
    assert!(app.screen().is_ascii());
    app.keys("esc ?");
    check("plain-help", &mut app);
    assert!(app.screen().is_ascii());
    let mut app = TestApp::with("ultimate@4 human human", "0", PLAIN);
    app.play("4-0 0-4 4-1 1-4 4-2");
    check("plain-ultimate", &mut app);
    assert!(app.screen().is_ascii());
    let mut app = TestApp::with("", "0", PLAIN);
    assert!(app.screen().is_ascii());
}

#[test]
fn no_color_disables_colours() {
    for theme in [PLAIN, FULL] {
        let mut app = TestApp::with("3x3k3 human human", "0", theme);
        app.play("1-1 0-0").keys("enter");
        let buffer = app.buffer();
        let has_colour = |cell: &ratatui::buffer::Cell| cell.fg != Color::Reset;
        assert_eq!(buffer.content.iter().any(has_colour), theme.colour);
    }
}

#[test]
fn nine_boards_fit_into_80_by_24() {
    let mut app = TestApp::new("multi@4 human human");
    app.play("0 2 8 2 2 5 4 5 0 1 4 6 4 7 4");
    check("multi", &mut app);
    app.resize(64, 20);
    check("multi-small", &mut app);
    app.resize(130, 50);
    check("multi-large", &mut app);
}

#[test]
fn gravity_shows_where_a_mark_will_rest() {
    let mut app = TestApp::new("7x6k4+gravity human human");
    app.play("3 3 2 4").keys("left");
    check("gravity", &mut app);
}

#[test]
fn a_board_of_19_fits_without_rules() {
    let mut app = TestApp::new("19x19k5 human human");
    app.play("9-9 8-8 9-10 8-9 9-11 8-10 9-12 8-11");
    check("large", &mut app);
    app.play("9-13").resize(120, 50);
    check("large-won", &mut app);
}

#[test]
fn a_part_of_a_huge_board_is_seen() {
    let mut app = TestApp::new("255x255k5 human human");
    app.play("127-127 128-128");
    check("huge", &mut app);
}

#[test]
fn the_help_fits_into_80_by_24() {
    let mut app = TestApp::new("3x3k3 human human");
    app.keys("?");
    check("help", &mut app);
}
