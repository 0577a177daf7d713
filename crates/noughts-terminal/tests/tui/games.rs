//! Playing: keys, mouse, refusals, rewind, hints, steps, robots.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{Analysis, Decision, Engines, Host, Robot, Value};
use noughts_rules::{Game, Move};
use noughts_terminal::tui::{Answer, App, Asked, Effect, Event, Setup};
use ratatui::crossterm::event::MouseEventKind;

use crate::player::{FULL, Player, answer};

#[test]
fn a_game_is_played_by_keys_against_a_robot() {
    let mut player = Player::new("3x3k3 human first");
    player.sees("Your turn.").sees("At 1-1.").keys("enter");
    player.sees("first is thinking.");
    player.let_robots_play();
    player.sees("1 × 1-1").sees("2 ○ 0-0").sees("Your turn.");
    player.play("0-2 2-0");
    player.sees("You win.").sees("over after 5 turns").sees("◆");
    // The keys that no longer work are no longer listed.
    player.does_not_see("Enter play").sees("a again");
}

#[test]
fn a_click_plays_where_it_points() {
    let mut player = Player::new("3x3k3 human human");
    let (x, y) = player.find("┏");
    // One cell to the right, one below.
    player.click((x + 12, y + 6)).sees("1 × 2-2");
    player.click((x, y)).sees("2 ○ 1-1");
    player
        .click((x, y))
        .sees("That cell is taken, choose an empty one.");
    player.sees("turn 3");
}

#[test]
fn the_focus_follows_the_pointer() {
    let mut player = Player::new("3x3k3 human human");
    let (x, y) = player.find("┏");
    player.mouse(MouseEventKind::Moved, (x - 12, y));
    player.sees("At 1-0.").keys("up").sees("At 0-0.");
}

#[test]
fn a_refusal_is_told_and_changes_nothing() {
    let mut player = Player::new("3x3k3 human human");
    player.play("1-1").keys("enter");
    player
        .sees("That cell is taken, choose an empty one.")
        .sees("turn 2");
    player.type_in("3-0").sees("Play 3-0_").keys("enter");
    player.sees("2-2").sees("turn 2");
    player.type_in("11").keys("enter").sees("row-column");
    player.type_in("0-").keys("back 0 esc");
    player
        .does_not_see("Play 0")
        .keys("up enter")
        .sees("2 ○ 0-1");
}

#[test]
fn a_mark_falls_from_wherever_the_focus_is() {
    let mut player = Player::new("7x6k4+gravity human human");
    player.sees("At 5-3.").keys("enter").sees("1 × 5-3");
    player.sees("At 4-3.").keys("enter").sees("2 ○ 4-3");
    player.play("3").sees("3 × 3-3");
    player.play("0").sees("4 ○ 5-0");
}

#[test]
fn a_rewind_takes_marks_back_and_passes_the_turn() {
    let mut player = Player::with("3x3k3 human human", "3", FULL);
    player.play("1-1 0-0 2-2").keys("r");
    player.sees("Take back 1 mark (0 to 2), and pass the turn?");
    player.keys("right right").sees("Take back 2 marks");
    player.keys("0").sees("Take back 0 marks").keys("2 enter");
    player.sees("4 ○ <<2").sees("× to play.").sees("turn 5");
    player
        .keys("r esc")
        .does_not_see("Take back")
        .sees("turn 5");
}

#[test]
fn without_a_history_nothing_is_taken_back() {
    let mut player = Player::new("3x3k3 human human");
    player.play("1-1").keys("r");
    player
        .sees("This game was started without a history")
        .sees("turn 2");
    player.does_not_see("r rewind");
}

#[test]
fn a_hint_shows_the_best_move_and_its_value() {
    let mut player = Player::new("3x3k3 human human");
    player.keys("h").sees("Looking for a hint…");
    let ticket = player.app.ticket().unwrap();
    let at = Move::at(2);
    let analysis = Some(Analysis {
        value: Value::Win { plies: 3 },
        line: vec![at],
        depth: 3,
        nodes: 1,
        time: Duration::ZERO,
    });
    let decision = Ok(Decision { at, analysis });
    player.hear(Event::Answer(Answer { ticket, decision }));
    player.sees("Hint: 0-2, a win in 3.").sees("?");
    // The focus is there already.
    player.keys("enter").sees("1 × 0-2").does_not_see("Hint:");
}

#[test]
fn a_hint_without_a_value_is_a_move() {
    let mut player = Player::new("3x3k3 human human");
    player.keys("h");
    player.let_robot_answer();
    player.sees("Hint: 0-0.");
    assert_eq!(player.app.question().map(|question| question.ticket), None);
}

#[test]
fn the_turns_are_stepped_through() {
    let mut player = Player::new("3x3k3 human human");
    player.play("1-1 0-0 2-2").keys(", ,");
    player
        .sees("After turn 1 of 3.")
        .sees("○ to play.")
        .sees("▸  1 × 1-1");
    player
        .keys("enter")
        .sees("This is an earlier turn; > goes back to the present.");
    player
        .keys("<")
        .sees("After turn 0 of 3.")
        .sees("▸    start");
    player.keys(". .").sees("After turn 2 of 3.");
    player.keys(">").does_not_see("After turn").sees("turn 4");
    let first = player.find("1 × 1-1");
    player.click(first).sees("After turn 1 of 3.");
    player
        .mouse(MouseEventKind::ScrollDown, first)
        .sees("After turn 2 of 3.");
    player.keys("esc").does_not_see("After turn");
}

#[test]
fn a_game_goes_on_while_an_earlier_turn_is_looked_at() {
    let mut player = Player::new("3x3k3 human first");
    player.keys("enter , ");
    player.sees("After turn 0 of 1.");
    player.let_robots_play();
    player.sees("After turn 0 of 2.").keys(">").sees("2 ○ 0-0");
}

#[test]
fn an_answer_to_an_earlier_question_is_ignored() {
    let mut player = Player::with("3x3k3 human first", "3", FULL);
    player.keys("enter");
    let stale = answer(&player.app.question().unwrap());
    player.keys("a y").sees("turn 1");
    player.hear(Event::Answer(stale.clone()));
    player.sees("turn 1").keys("enter").sees("turn 2");
    // The same turn of another table.
    player.hear(Event::Answer(stale));
    player.sees("turn 2").sees("first is thinking.");
    player.let_robots_play();
    player.sees("turn 3").keys("h");
    let stale = answer(&player.app.question().unwrap());
    player.play("2-2").sees("turn 5");
    player.hear(Event::Answer(stale));
    player.sees("turn 5").does_not_see("Hint");
}

#[test]
fn a_robot_that_fails_is_told_and_not_asked_again() {
    let mut player = Player::new("3x3k3 human first");
    player.keys("enter");
    let ticket = player.app.ticket().unwrap();
    let decision = Err("it failed".to_owned());
    player.hear(Event::Answer(Answer { ticket, decision }));
    player
        .sees("It failed.")
        .sees("first has no move.")
        .does_not_see("thinking");
    assert_eq!(player.app.ticket(), None);
}

#[test]
fn nobody_plays_for_a_robot() {
    let mut player = Player::new("3x3k3 human first");
    player
        .keys("enter up enter")
        .sees("It is the turn of first.")
        .sees("turn 2");
    player.keys("h").sees("It is the turn of first.");
    player.keys("r").sees("It is the turn of first.");
    player.hear(Event::Tick(Duration::from_millis(3100)));
    player.sees("first is thinking 3 s");
}

#[test]
fn one_may_leave_while_a_robot_thinks() {
    let mut player = Player::new("3x3k3 human first");
    player
        .keys("enter q")
        .sees("Leave this game? It was not saved.");
    assert_eq!(player.effect, Effect::None);
    player
        .keys("n")
        .does_not_see("Leave this game?")
        .keys("q y");
    assert_eq!(player.effect, Effect::Quit);
    player.control('c');
    assert_eq!(player.effect, Effect::Quit);
    player.control('z');
    assert_eq!(player.effect, Effect::Suspend);
}

#[test]
fn giving_up_is_asked_for() {
    let mut player = Player::new("3x3k3 human first");
    player
        .keys("g")
        .sees("Give up? All others win.")
        .keys("n")
        .sees("Your turn.");
    player
        .keys("g y")
        .sees("first wins by resignation.")
        .sees("1 × resign");
    player.keys("q");
    assert_eq!(player.effect, Effect::Quit);
}

#[test]
fn robots_can_be_watched_and_paused() {
    let mut player = Player::new("3x3k3 first random");
    player
        .sees("Space pause")
        .keys("space")
        .sees("Paused. Space goes on.");
    assert_eq!(player.app.ticket(), None);
    player.keys("space");
    player.let_robots_play();
    player.sees("over after").keys("q");
    assert_eq!(player.effect, Effect::Quit);
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let game = || {
        let mut player = Player::new("5x5k4 random random");
        player.let_robots_play();
        player.screen()
    };
    assert_eq!(game(), game());
}

#[test]
fn in_a_misere_game_all_others_win() {
    let mut player = Player::new("4x4k3p3+misere human human human");
    player.play("0-0 1-0 3-3 0-1 1-1 3-0 0-2");
    player.sees("○ and a win.");
}

/// A host whose programs never play.
struct Silent;

impl Host for Silent {
    fn try_out(&self, _: &str, _: &Game) -> Result<(), String> {
        Ok(())
    }

    fn seat(&self, _: &str) -> Box<dyn Robot> {
        unreachable!("tests answer for it")
    }
}

#[test]
fn a_program_that_does_not_play_has_lost() {
    let asked = Asked {
        variant: Some("3x3k3".to_owned()),
        seats: vec!["engine:python3 mine.py".to_owned(), "human".to_owned()],
        engines: Engines::hosted_by(Arc::new(Silent)),
        ..Asked::default()
    };
    let mut player = Player::of(App::new(&asked, Setup::new(FULL, 1)).unwrap());
    let ticket = player.app.ticket().unwrap();
    let decision = Err("mine.py gave no move and has lost".to_owned());
    player.hear(Event::Answer(Answer { ticket, decision }));
    player
        .sees("Mine.py gave no move and has lost.")
        .sees("by resignation");
    assert_eq!(player.app.ticket(), None);
}
