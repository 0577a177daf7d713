//! Resigning, leaving, other ends that are not turns, and earlier states of a game.

use noughts_rules::{Action, DrawReason, Refusal, Seat, Termination, Turn};

use crate::{cases, check_outcomes, outcome, play, played, played_from, set_up};

#[test]
fn any_seat_may_resign_at_any_time_and_all_other_sides_win() {
    check_outcomes(
        "
        3x3k3        | resign           | o by resignation
        3x3k3        | 1:resign         | x by resignation
        3x3k3        | 0-0 resign       | x by resignation
        3x3k3        | 0-0 0:resign     | o by resignation
        3x3k3+misere | 0-0 0:resign     | o by resignation
        4x4k3p3      | 0-0 2:resign     | x o by resignation
        4x4k3p3      | 0-0 0:resign     | o a by resignation
        3x3k3 xxo    | 1:resign         | o by resignation
        3x3k3 xxo    | 0-0 2:resign     | x by resignation
        multi        | 4-0 0:resign     | o by resignation
        ultimate     | 4-0 0-0 1:resign | x by resignation
        ",
    );
}

#[test]
fn resignation_is_a_turn() {
    let game = played("3x3k3", "0-0 0:resign");
    let (by, action) = (Seat(0), Action::Resign);
    assert_eq!(game.view().last, Some(Turn { by, action }));
    assert_eq!((game.view().turn, game.turns().len()), (3, 2));
}

#[test]
fn leaving_loses_without_a_turn() {
    let table = "
        3x3k3     |     | 1 | x by leaving
        3x3k3     | 0-0 | 0 | o by leaving
        4x4k3p3   | 0-0 | 1 | x a by leaving
        3x3k3 xxo | 0-0 | 1 | o by leaving
        multi     | 4-4 | 1 | x by leaving
        3x3k3 xx  | 0-0 | 1 | abandoned
        ";
    for [setup, turns, seat, expected] in cases(table) {
        let mut game = played(setup, turns);
        let before = game.turns().to_vec();
        game.leave(Seat(seat.parse().unwrap())).unwrap();
        assert_eq!(outcome(&game), expected, "{setup} | {turns}");
        assert_eq!(game.turns(), before);
        assert_eq!(game.leave(Seat(0)), Err(Refusal::Over));
        assert_eq!(outcome(&game), expected);
    }
    let mut game = set_up("3x3k3").unwrap();
    assert_eq!(game.leave(Seat(2)), Err(Refusal::NoSuchSeat { seats: 2 }));
    assert_eq!(outcome(&game), "goes on");
}

#[test]
fn game_can_be_ended_once() {
    let table = "
        abandoned
        aborted
        draw by agreement
        draw by claim
        draw by limit
        x by claim
        o by time
        ";
    let ends = [
        Termination::Abandoned,
        Termination::Aborted,
        Termination::Draw(DrawReason::Agreement),
        Termination::Draw(DrawReason::Claim),
        Termination::Draw(DrawReason::Limit),
        Termination::WinClaimed(Seat(0)),
        Termination::TimeOut(Seat(0)),
    ];
    for (end, [expected]) in ends.into_iter().zip(cases(table)) {
        let mut game = played("3x3k3", "0-0 1-1");
        let conclusion = game.conclusion_of(end).unwrap();
        game.terminate(end).unwrap();
        assert_eq!(game.conclusion(), Some(&conclusion));
        assert_eq!(outcome(&game), expected);
        assert_eq!(game.terminate(Termination::Aborted), Err(Refusal::Over));
        assert_eq!(outcome(&game), expected);
        assert_eq!(game.turns().len(), 2);
    }
    let mut game = played("3x3k3", "resign");
    assert_eq!(game.terminate(Termination::Aborted), Err(Refusal::Over));
    assert_eq!(outcome(&game), "o by resignation");
    let no_seat = Err(Refusal::NoSuchSeat { seats: 2 });
    let mut game = played("3x3k3", "");
    assert_eq!(game.terminate(Termination::TimeOut(Seat(2))), no_seat);
    assert_eq!(game.terminate(Termination::WinClaimed(Seat(2))), no_seat);
}

/// The drawn games: every line of the opponent is blocked, or the opponent has too few plays left.
#[test]
fn time_out_loses_unless_the_opponent_cannot_complete_a_line() {
    let table = "
        3x3k3         | .../.../... x                    | 0 | o by time
        3x3k3         | xo./.xo/xo. x                    | 0 | draw by time
        3x3k3         | xo./.xo/xo. x                    | 1 | x by time
        3x3k3         | xox/xo./ox. o                    | 1 | draw by time
        3x3k3         | xox/.../oxo x                    | 0 | draw by time
        3x3k3         | xox/.../oxo x                    | 1 | draw by time
        3x3k3         | xxo/oo./xx. o                    | 1 | x by time
        3x3k3+misere  | xo./.xo/xo. x                    | 0 | o by time
        3x3k3 xxo     | x../oox/xo. o                    | 2 | x by time
        3x3k3 xxo     | o../xxo/.x. x                    | 0 | draw by time
        4x4k3p3       | xoax/oax./..../.... x            | 0 | o a by time
        5x3k3+exact   | xx.xx/..o../.oo.o x              | 1 | x by time
        7x6k4+gravity | {7.}/{7.}/{7.}/{7.}/{7.}/xo..... x | 0 | o by time
        ";
    for [setup, position, late, expected] in cases(table) {
        let mut game = played_from(setup, position, "");
        let late = Seat(late.parse().unwrap());
        game.terminate(Termination::TimeOut(late)).unwrap();
        assert_eq!(outcome(&game), expected, "{setup} | {position}");
    }
    let mut game = played("multi", "4-0");
    game.terminate(Termination::TimeOut(Seat(1))).unwrap();
    assert_eq!(outcome(&game), "x by time");
}

#[test]
fn after_gives_the_earlier_state() {
    let table = "
        3x3k3               | 0-0 1-0 0-1 1-1 0-2
        3x3k3 history=4     | 0-0 1-0 <<0 <<2 0-1 1-1 0:resign
        3x3k3 history=4 xxo | 0-0 1-0 <<1 0-1 1-1 0-2
        multi@4 history=9   | 4-0 0-2 2-8 <<2 0-0 <<2 4-4
        multi@4             | 4-0 0-2 2-8 1:takeback2 0-0 0:takeback2 4-1
        ";
    for [setup, turns] in cases(table) {
        let mut game = set_up(setup).unwrap();
        let mut views = vec![game.view()];
        for turn in turns.split(' ') {
            play(&mut game, turn);
            views.push(game.view());
        }
        for (turns, view) in views.iter().enumerate() {
            assert_eq!(&game.after(turns).view(), view, "{setup} after {turns}");
        }
        assert_eq!(game.after(1_000).view(), game.view());
    }
}

#[test]
fn after_gives_the_unfinished_state_of_a_left_game() {
    let mut game = played_from("3x3k3", "x../.../... o", "1-1 2-2");
    game.leave(Seat(0)).unwrap();
    assert_eq!(game.after(2).view(), game.view());
    assert_eq!(outcome(&game.after(1)), "goes on");
    let start = played_from("3x3k3", "x../.../... o", "");
    assert_eq!(game.after(0).view(), start.view());
}
