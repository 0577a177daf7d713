//! Playing: keys, mouse, refusals, rewind, hints, steps, robots.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{Analysis, Decision, EngineHost, Engines, Robot, Value};
use noughts_rules::{Game, Move};
use noughts_terminal::tui::{App, Effect, Event, RobotReply, TuiOptions, TuiSettings};
use ratatui::crossterm::event::MouseEventKind;

use crate::test_app::{FULL, TestApp, answer};

#[test]
fn a_game_is_played_by_keys_against_a_robot() {
    let mut app = TestApp::new("3x3k3 human first");
    app.sees("Your turn.").sees("At 1-1.").keys("enter");
    app.sees("first is thinking.");
    app.let_robots_play();
    app.sees("1 × 1-1").sees("2 ○ 0-0").sees("Your turn.");
    app.play("0-2 2-0");
    app.sees("You win.").sees("over after 5 turns").sees("◆");
    // Keys that do not work now are not listed.
    app.does_not_see("Enter play").sees("a again");
}

#[test]
fn a_click_plays_where_it_points() {
    let mut app = TestApp::new("3x3k3 human human");
    let (x, y) = app.find("┏");
    // Clicks the cell one to the right and one below.
    app.click((x + 12, y + 6)).sees("1 × 2-2");
    app.click((x, y)).sees("2 ○ 1-1");
    app.click((x, y))
        .sees("That cell is taken, choose an empty one.");
    app.sees("turn 3");
}

#[test]
fn the_focus_follows_the_pointer() {
    let mut app = TestApp::new("3x3k3 human human");
    let (x, y) = app.find("┏");
    app.mouse(MouseEventKind::Moved, (x - 12, y));
    app.sees("At 1-0.").keys("up").sees("At 0-0.");
}

#[test]
fn refusal_is_shown_and_changes_nothing() {
    let mut app = TestApp::new("3x3k3 human human");
    app.play("1-1").keys("enter");
    app.sees("That cell is taken, choose an empty one.")
        .sees("turn 2");
    app.type_in("3-0").sees("Play 3-0_").keys("enter");
    app.sees("2-2").sees("turn 2");
    app.type_in("11").keys("enter").sees("row-column");
    app.type_in("0-").keys("back 0 esc");
    app.does_not_see("Play 0").keys("up enter").sees("2 ○ 0-1");
}

#[test]
fn a_mark_falls_from_wherever_the_focus_is() {
    let mut app = TestApp::new("7x6k4+gravity human human");
    app.sees("At 5-3.").keys("enter").sees("1 × 5-3");
    app.sees("At 4-3.").keys("enter").sees("2 ○ 4-3");
    app.play("3").sees("3 × 3-3");
    app.play("0").sees("4 ○ 5-0");
}

#[test]
fn a_rewind_takes_marks_back_and_passes_the_turn() {
    let mut app = TestApp::with("3x3k3 human human", "3", FULL);
    app.play("1-1 0-0 2-2").keys("r");
    app.sees("Take back 1 mark (0 to 2), and pass the turn?");
    app.keys("right right").sees("Take back 2 marks");
    app.keys("0").sees("Take back 0 marks").keys("2 enter");
    app.sees("4 ○ <<2").sees("× to play.").sees("turn 5");
    app.keys("r esc").does_not_see("Take back").sees("turn 5");
}

#[test]
fn without_a_history_nothing_is_taken_back() {
    let mut app = TestApp::new("3x3k3 human human");
    app.play("1-1").keys("r");
    app.sees("This game was started without a history")
        .sees("turn 2");
    app.does_not_see("r rewind");
}

#[test]
fn a_hint_shows_the_best_move_and_its_value() {
    let mut app = TestApp::new("3x3k3 human human");
    app.keys("h").sees("Looking for a hint…");
    let request_id = app.app.request_id().unwrap();
    let at = Move::at(2);
    let analysis = Some(Analysis {
        value: Value::Win { plies: 3 },
        line: vec![at],
        depth: 3,
        nodes: 1,
        time: Duration::ZERO,
        moves: Vec::new(),
    });
    let decision = Ok(Decision { at, analysis });
    app.handle(Event::RobotReply(RobotReply {
        request_id,
        decision,
    }));
    app.sees("Hint: 0-2, a win in 3.").sees("?");
    // The focus is there already.
    app.keys("enter").sees("1 × 0-2").does_not_see("Hint:");
}

#[test]
fn a_hint_without_a_value_is_a_move() {
    let mut app = TestApp::new("3x3k3 human human");
    app.keys("h");
    app.let_robot_answer();
    app.sees("Hint: 0-0.");
    assert_eq!(
        app.app
            .robot_request()
            .map(|robot_request| robot_request.request_id),
        None
    );
}

#[test]
fn the_turns_are_stepped_through() {
    let mut app = TestApp::new("3x3k3 human human");
    app.play("1-1 0-0 2-2").keys(", ,");
    app.sees("After turn 1 of 3.")
        .sees("Replay.")
        .sees("▸  1 × 1-1");
    app.keys("enter")
        .sees("This is an earlier turn; > goes back to the present.");
    app.keys("<").sees("After turn 0 of 3.").sees("▸    start");
    app.keys(". .").sees("After turn 2 of 3.");
    app.keys(">").does_not_see("After turn").sees("turn 4");
    let first = app.find("1 × 1-1");
    app.click(first).sees("After turn 1 of 3.");
    app.mouse(MouseEventKind::ScrollDown, first)
        .sees("After turn 2 of 3.");
    app.keys("esc").does_not_see("After turn");
}

#[test]
fn a_game_goes_on_while_an_earlier_turn_is_looked_at() {
    let mut app = TestApp::new("3x3k3 human first");
    app.keys("enter , ");
    app.sees("After turn 0 of 1.");
    app.let_robots_play();
    app.sees("After turn 0 of 2.").keys(">").sees("2 ○ 0-0");
}

#[test]
fn an_answer_to_an_earlier_question_is_ignored() {
    let mut app = TestApp::with("3x3k3 human first", "3", FULL);
    app.keys("enter");
    let stale = answer(&app.app.robot_request().unwrap());
    app.keys("a y").sees("turn 1");
    app.handle(Event::RobotReply(stale.clone()));
    app.sees("turn 1").keys("enter").sees("turn 2");
    // The same turn of another game.
    app.handle(Event::RobotReply(stale));
    app.sees("turn 2").sees("first is thinking.");
    app.let_robots_play();
    app.sees("turn 3").keys("h");
    let stale = answer(&app.app.robot_request().unwrap());
    app.play("2-2").sees("turn 5");
    app.handle(Event::RobotReply(stale));
    app.sees("turn 5").does_not_see("Hint");
}

#[test]
fn failed_robot_is_reported_and_not_asked_again() {
    let mut app = TestApp::new("3x3k3 human first");
    app.keys("enter");
    let request_id = app.app.request_id().unwrap();
    let decision = Err("it failed".to_owned());
    app.handle(Event::RobotReply(RobotReply {
        request_id,
        decision,
    }));
    app.sees("It failed.")
        .sees("first has no move.")
        .does_not_see("thinking");
    assert_eq!(app.app.request_id(), None);
}

#[test]
fn people_cannot_play_for_a_robot() {
    let mut app = TestApp::new("3x3k3 human first");
    app.keys("enter up enter")
        .sees("It is the turn of first.")
        .sees("turn 2");
    app.keys("h").sees("It is the turn of first.");
    app.keys("r").sees("It is the turn of first.");
    app.handle(Event::Tick(Duration::from_millis(3100)));
    app.sees("first is thinking 3 s");
}

#[test]
fn nobody_is_to_move_in_the_past() {
    let mut app = TestApp::new("3x3k3 human first");
    app.play("1-1");
    app.let_robots_play();
    app.sees("Your turn.").keys(",");
    app.sees("Replay.").sees("After turn 1 of 2.");
    app.does_not_see("is thinking").keys(",");
    app.sees("Replay.").does_not_see("Your turn.");
    app.keys(">").sees("Your turn.");
}

#[test]
fn undo_is_free_against_robots() {
    let mut app = TestApp::new("3x3k3 human first");
    app.play("1-1");
    app.let_robots_play();
    app.sees("2 ○ 0-0").sees("u undo").keys("u");
    app.sees("Your turn.")
        .sees("turn 1")
        .does_not_see("1 × 1-1");
    app.play("2-2");
    app.let_robots_play();
    app.sees("1 × 2-2").sees("2 ○ 0-0");
    // A game that was lost by resigning can be continued.
    app.keys("g y").sees("first wins").keys("u");
    app.sees("Your turn.").sees("turn 3");
    // There is no undo in a game of two people. They use a rewind, which is a turn.
    let mut app = TestApp::new("3x3k3 human human");
    app.play("1-1").keys("u").sees("1 × 1-1");
}

#[test]
fn review_marks_good_and_bad_moves() {
    let mut app = TestApp::new("3x3k3 human human");
    // An edge loses against the centre.
    app.play("1-1 0-1 0-0 2-2 1-0 1-2 2-0").keys("m");
    app.sees("Looking for mistakes: 0 of 7.");
    app.let_robots_play();
    app.sees("Moves are marked.");
    app.sees("1 × 1-1  ✓")
        .sees("2 ○ 0-1  ✗ ")
        .sees("7 × 2-0  ✓");
    app.keys("m").does_not_see("✗");
}

#[test]
fn user_may_quit_while_a_robot_thinks() {
    let mut app = TestApp::new("3x3k3 human first");
    app.keys("enter q")
        .sees("Leave this game? It was not saved.");
    assert_eq!(app.effect, Effect::None);
    app.keys("n").does_not_see("Leave this game?").keys("q y");
    assert_eq!(app.effect, Effect::Quit);
    app.control('c');
    assert_eq!(app.effect, Effect::Interrupt);
    app.control('z');
    assert_eq!(app.effect, Effect::Suspend);
}

#[test]
fn resigning_needs_confirmation() {
    let mut app = TestApp::new("3x3k3 human first");
    app.keys("g")
        .sees("Give up? All others win.")
        .keys("n")
        .sees("Your turn.");
    app.keys("g y")
        .sees("first wins by resignation.")
        .sees("1 × resign");
    app.keys("q");
    assert_eq!(app.effect, Effect::Quit);
}

#[test]
fn robots_can_be_watched_and_paused() {
    let mut app = TestApp::new("3x3k3 first random");
    app.sees("Space pause")
        .keys("space")
        .sees("Paused. Space goes on.");
    assert_eq!(app.app.request_id(), None);
    app.keys("space");
    app.let_robots_play();
    app.sees("over after").keys("q");
    assert_eq!(app.effect, Effect::Quit);
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let game = || {
        let mut app = TestApp::new("5x5k4 random random");
        app.let_robots_play();
        app.screen()
    };
    assert_eq!(game(), game());
}

#[test]
fn in_a_misere_game_all_others_win() {
    let mut app = TestApp::new("4x4k3p3+misere human human human");
    app.play("0-0 1-0 3-3 0-1 1-1 3-0 0-2");
    app.sees("○ and a win.");
}

/// An engine host that accepts every engine and never starts one. The tests answer in place of the engine.
struct Silent;

impl EngineHost for Silent {
    fn check(&self, _: &str, _: &Game) -> Result<(), String> {
        Ok(())
    }

    fn create_robot(&self, _: &str) -> Box<dyn Robot> {
        unreachable!("tests answer for it")
    }
}

#[test]
fn a_program_that_does_not_play_has_lost() {
    let options = TuiOptions {
        variant: Some("3x3k3".to_owned()),
        seats: vec!["engine:python3 mine.py".to_owned(), "human".to_owned()],
        engines: Engines::hosted_by(Arc::new(Silent)),
        ..TuiOptions::default()
    };
    let mut app = TestApp::of(App::new(&options, TuiSettings::new(FULL, 1)).unwrap());
    let request_id = app.app.request_id().unwrap();
    let decision = Err("mine.py gave no move and has lost".to_owned());
    app.handle(Event::RobotReply(RobotReply {
        request_id,
        decision,
    }));
    app.sees("Mine.py gave no move and has lost.")
        .sees("by resignation");
    assert_eq!(app.app.request_id(), None);
}
