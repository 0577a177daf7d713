//! Setting up games.

use noughts_rules::{Diagram, Game, GameError, Side};

use crate::{cases, played_from, read_setup, set_up};

#[test]
fn history_must_be_shorter_than_the_board() {
    let check = |setup: &str, max: usize| {
        let with = |history: usize| set_up(&format!("{setup} history={history}"));
        for history in [0, 1, max] {
            assert_eq!(usize::from(with(history).unwrap().history()), history);
        }
        for history in [max + 1, 65_535] {
            let error = with(history).unwrap_err();
            assert_eq!(error, GameError::History { max });
        }
    };
    check("3x3k3", 8);
    check("7x6k4+gravity", 41);
    check("255x255k5", 65_024);
    check("multi", 80);
    check("ultimate@8", 80);
}

#[test]
fn every_side_needs_a_seat_and_sides_are_numbered_in_seat_order() {
    let many = format!("3x3k3 {}", "xo".repeat(32));
    for setup in ["3x3k3 xo", "3x3k3 xx", "3x3k3 xxx", "4x4k3p3 xoxa", &many] {
        assert!(set_up(setup).is_ok(), "{setup}");
    }
    let too_many = set_up(&format!("{many}x")).unwrap_err();
    assert_eq!(too_many, GameError::Seats(65));
    let table = "
        3x3k3 x     | a game has 2 to 64 seats, not 1
        3x3k3 ox    | sides must be numbered in the order of their first seats
        4x4k3p3 xao | sides must be numbered in the order of their first seats
        3x3k3 xoa   | this game has 2 sides, but the seats have 3
        4x4k3p3 xxo | this game has 3 sides, but the seats have 2
        4x4k3p3 xxx | this game has 3 sides, but the seats have 1
        ";
    for [setup, error] in cases(table) {
        assert_eq!(set_up(setup).unwrap_err().to_string(), error);
    }
}

#[test]
fn the_first_seat_of_the_side_to_move_begins() {
    let table = "
        3x3k3     | x../.../... o           | 1
        3x3k3     | xo./.../... x           | 0
        3x3k3 xxo | xx./.../... o           | 2
        4x4k3p3   | x.../..../..../.... a   | 2
        ";
    for [setup, position, seat] in cases(table) {
        let first = played_from(setup, position, "").to_move().unwrap();
        assert_eq!(first.0.to_string(), seat);
    }
    let (variant, options) = read_setup("3x3k3 xx");
    let start = Diagram::parse(&variant, "x../.../... o").unwrap();
    let error = Game::from_diagram(&variant, options, start).unwrap_err();
    assert_eq!(error, GameError::NobodyToMove(Side::SECOND));
}
