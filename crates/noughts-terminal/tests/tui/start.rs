//! The start screen.

use noughts_terminal::tui::{App, Effect, TuiOptions, TuiSettings};

use crate::test_app::{FULL, TestApp};

#[test]
fn a_game_is_chosen_with_arrows() {
    let mut app = TestApp::new("");
    app.sees("‹ 3x3k3 ›")
        .sees("Tic-tac-toe")
        .keys("right right right");
    app.sees("‹ 7x6k4+gravity ›")
        .sees("Connect Four")
        .keys("down");
    app.keys("down left")
        .sees("‹ human ›")
        .keys("down right right right");
    app.sees("‹ 3 ›").keys("enter");
    app.sees("Noughts  7x6k4+gravity, history 3");
}

#[test]
fn a_game_is_chosen_by_typing() {
    let mut app = TestApp::new("");
    app.type_in("4x4k3p3").keys("down");
    app.type_in("human")
        .keys("space")
        .type_in("Ann")
        .keys("down");
    app.type_in("first")
        .keys("down")
        .type_in("random")
        .sees("Seat a")
        .keys("enter");
    app.sees("4x4k3p3")
        .sees("Ann to play.")
        .sees("○ first")
        .sees("a random");
}

#[test]
fn invalid_play_is_explained() {
    let mut app = TestApp::new("");
    app.type_in("3x3")
        .keys("enter")
        .sees("3x3")
        .sees("such as 5x5k4");
    app.does_not_see("turn 1")
        .keys("back")
        .keys("right")
        .sees("‹ 3x3k3 ›");
    app.keys("down")
        .type_in("nobody")
        .keys("enter")
        .sees("\"nobody\" is not a strategy");
    app.keys("left down down").type_in("9").keys("enter");
    app.sees("The history is a number from 0 to 8, not \"9\".");
}

#[test]
fn a_click_changes_a_line_or_does_what_it_says() {
    let mut app = TestApp::new("");
    let (x, y) = app.find("3x3k3");
    app.click((x, y)).sees("‹ multi ›");
    app.click((x - 2, y)).sees("‹ 3x3k3 ›");
    let begin = app.find("Start");
    app.click(begin).sees("turn 1");
}

#[test]
fn start_screen_returns_to_the_game() {
    let mut app = TestApp::new("3x3k3 human human");
    app.play("1-1")
        .keys("n")
        .sees("Load a game")
        .sees("Esc back");
    app.keys("esc").sees("turn 2");
    let mut app = TestApp::new("");
    app.keys("?")
        .sees("any key closes")
        .keys("esc")
        .sees("Ctrl-C quit")
        .keys("esc")
        .sees("▸ Quit");
    assert_eq!(app.effect, Effect::None);
    app.keys("enter");
    assert_eq!(app.effect, Effect::Quit);
}

#[test]
fn nine_boards_have_a_first_one() {
    let mut app = TestApp::new("");
    app.type_in("multi").sees("First board").sees("‹ random ›");
    app.keys("down").type_in("7").keys("enter").sees("multi@7");
    let mut app = TestApp::new("");
    app.type_in("ultimate")
        .sees("‹ any ›")
        .keys("down")
        .type_in("9")
        .keys("enter");
    app.sees("The first board is random, any, or 0 to 8, not \"9\".");
}

#[test]
fn options_are_checked_like_the_start_screen() {
    let open = |variant: &str, seats: &[&str]| {
        let options = TuiOptions {
            variant: Some(variant.to_owned()),
            seats: seats.iter().map(|seat| (*seat).to_owned()).collect(),
            ..TuiOptions::default()
        };
        let app = App::new(&options, TuiSettings::new(FULL, 1));
        app.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(open("3x3k3", &["human", "first"]), Ok(()));
    assert_eq!(open("4x4k3p3", &[]), Ok(()));
    let told = open("3x3k3", &["human", "human", "human"]).unwrap_err();
    assert_eq!(told, "this game has 2 seats, not more");
    assert!(open("3x3", &[]).is_err() && open("3x3k3", &["x"]).is_err());
}

#[test]
fn all_given_options_are_checked_at_once() {
    let refusal = |variant: &str, options: TuiOptions| {
        let options = TuiOptions {
            variant: Some(variant.to_owned()).filter(|name| !name.is_empty()),
            ..options
        };
        let app = App::new(&options, TuiSettings::new(FULL, 1));
        app.map(drop).map_err(|error| error.to_string())
    };
    let board = |text: &str| TuiOptions {
        first_board: Some(text.to_owned()),
        ..TuiOptions::default()
    };
    let history = |text: &str| TuiOptions {
        history: Some(text.to_owned()),
        ..TuiOptions::default()
    };
    let seats = |seats: &[&str]| TuiOptions {
        seats: seats.iter().map(|seat| (*seat).to_owned()).collect(),
        ..TuiOptions::default()
    };
    for (variant, options, told) in [
        (
            "",
            board("banana"),
            "the first board is random, any, or 0 to 8, not \"banana\"",
        ),
        (
            "3x3k3",
            board("banana"),
            "the first board is random, any, or 0 to 8, not \"banana\"",
        ),
        (
            "multi",
            board("+3"),
            "the first board is random, any, or 0 to 8, not \"+3\"",
        ),
        (
            "3x3k3",
            board("4"),
            "this game has one board, there is no first to choose",
        ),
        (
            "multi@4",
            board("3"),
            "the name multi@4 says the first board already",
        ),
        (
            "",
            history("99999"),
            "the history is a number from 0 to 65024, not \"99999\"",
        ),
        (
            "3x3k3",
            history("x"),
            "the history is a number from 0 to 8, not \"x\"",
        ),
        (
            "",
            seats(&["human"; 65]),
            "a game has 2 to 64 seats, not 65",
        ),
    ] {
        assert_eq!(refusal(variant, options), Err(told.to_owned()), "{variant}");
    }
    assert!(refusal("", seats(&["foo"])).is_err());
    assert!(refusal("", seats(&["human A\nB"])).is_err());
    for (variant, options) in [
        ("", board("4")),
        ("multi", board("random")),
        ("ultimate", board("8")),
        ("", history("65024")),
        ("", seats(&["human"; 64])),
    ] {
        assert_eq!(refusal(variant, options), Ok(()), "{variant}");
    }
}
