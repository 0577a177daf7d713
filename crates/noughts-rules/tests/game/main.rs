//! `Game`: turns, refusals, rewinds and results, on one board and on nine.

mod any_game;
mod cases;
mod leaving;
mod nine_boards;
mod nine_letters;
mod outcomes;
mod plays;
mod rewind;
mod setting_up;
mod takeback;

use noughts_rules::{
    Action, Conclusion, Diagram, DrawReason, Game, GameError, Move, Options, Refusal, Seat, Side,
    Variant, WinReason,
};

use cases::cases;
use nine_letters::nine;

/// Parses a setup such as `3x3k3 history=3 xxo`: the variant, the history and the symbols of the seats.
fn read_setup(setup: &str) -> (Variant, Options) {
    let mut words = setup.split(' ');
    let variant = words.next().unwrap().parse().unwrap();
    let mut options = Options::default();
    for word in words {
        match word.strip_prefix("history=") {
            Some(history) => options.history = history.parse().unwrap(),
            None => options.order = word.chars().filter_map(Side::from_symbol).collect(),
        }
    }
    (variant, options)
}

fn set_up(setup: &str) -> Result<Game, GameError> {
    let (variant, options) = read_setup(setup);
    Game::new(&variant, options)
}

/// A game after these turns: `0-0 1-1 <<1`.
fn played(setup: &str, turns: &str) -> Game {
    let mut game = set_up(setup).unwrap();
    play(&mut game, turns);
    game
}

/// A game from this position after these turns. For nine boards the position may have the short form of [`nine`].
fn played_from(setup: &str, position: &str, turns: &str) -> Game {
    let (variant, options) = read_setup(setup);
    let position = nine(position).unwrap_or(position.to_owned());
    let start = Diagram::parse(&variant, &position).unwrap_or_else(|e| panic!("{position}: {e}"));
    let mut game = Game::from_diagram(&variant, options, start).unwrap();
    play(&mut game, turns);
    game
}

fn play(game: &mut Game, turns: &str) {
    for turn in turns.split_whitespace() {
        ask(game, turn).unwrap_or_else(|refusal| panic!("{turn} of {turns}: {refusal}"));
    }
}

/// Performs a turn such as `1-0` of the seat to move, or of the seat before a colon: `2:resign`, `0:takeback2`.
fn ask(game: &mut Game, turn: &str) -> Result<(), Refusal> {
    let (seat, action) = match turn.split_once(':') {
        Some((seat, action)) => (Seat(seat.parse().unwrap()), action),
        None => (game.to_move().unwrap_or(Seat(0)), turn),
    };
    let action = match action.strip_prefix("takeback") {
        Some(count) => Action::Takeback(count.parse().unwrap()),
        None => game.parse_action(action).unwrap(),
    };
    game.act(seat, action)
}

/// The outcome as text: `x by line 0-0 0-1 0-2`.
fn outcome(game: &Game) -> String {
    let view = game.view();
    assert_eq!(view.outcome.as_ref(), game.conclusion());
    assert_eq!(view.to_move.is_none(), view.outcome.is_some());
    assert_eq!(view.legal.is_empty(), view.outcome.is_some());
    let (sides, by) = match game.conclusion() {
        None => return "goes on".to_owned(),
        Some(Conclusion::Draw { reason }) => {
            return match reason {
                DrawReason::Full => "draw",
                DrawReason::Agreement => "draw by agreement",
                DrawReason::Claim => "draw by claim",
                DrawReason::Time => "draw by time",
                DrawReason::Limit => "draw by limit",
            }
            .to_owned();
        }
        Some(Conclusion::Abandoned) => return "abandoned".to_owned(),
        Some(Conclusion::Aborted) => return "aborted".to_owned(),
        Some(Conclusion::Won { sides, by }) => (sides, by),
    };
    let by = match by {
        WinReason::Line(cells) => format!("line {}", moves(game, cells)),
        WinReason::Boards(boards) => format!("boards {}", words(boards)),
        WinReason::Points => "points".to_owned(),
        WinReason::Resignation => "resignation".to_owned(),
        WinReason::Leaving => "leaving".to_owned(),
        WinReason::Time => "time".to_owned(),
        WinReason::Claim => "claim".to_owned(),
    };
    format!("{} by {by}", words(sides.iter().map(Side::symbol)))
}

fn moves(game: &Game, cells: &[Move]) -> String {
    words(cells.iter().map(|at| game.variant().format_move(*at)))
}

fn words<T: ToString>(words: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| word.to_string()).collect();
    words.join(" ")
}

/// The board to play in, or `any`. Asserts that every legal move is on that board.
fn active(game: &Game) -> String {
    let Some(active) = game.view().nested.unwrap().active else {
        return "any".to_owned();
    };
    let on_it = |at: &Move| at.index() / 9 == active.index();
    assert!(game.legal().iter().all(on_it));
    active.to_string()
}

/// Columns of the table: setup, turns, position after the turns.
fn check_boards(table: &str) {
    for [setup, turns, board] in cases(table) {
        let game = played(setup, turns);
        let written = game.diagram().format(game.variant());
        assert_eq!(written, board, "{setup} | {turns}");
    }
}

/// Columns of the table: setup, turns, outcome.
fn check_outcomes(table: &str) {
    for [setup, turns, expected] in cases(table) {
        let outcome = outcome(&played(setup, turns));
        assert_eq!(outcome, expected, "{setup} | {turns}");
    }
}

/// Columns of the table: setup, position, turns, outcome.
fn check_outcomes_from(table: &str) {
    for [setup, position, turns, expected] in cases(table) {
        let game = played_from(setup, position, turns);
        assert_eq!(outcome(&game), expected, "{setup} | {position} | {turns}");
    }
}

/// Columns of the table: setup, turns, one more turn, refusal of this turn.
fn check_refusals(table: &str) {
    for [setup, turns, turn, refusal] in cases(table) {
        let refused = refused(played(setup, turns), turn);
        assert_eq!(refused, refusal, "{setup} | {turns} | {turn}");
    }
}

/// The refusal of a turn; asserts that nothing has changed.
fn refused(mut game: Game, turn: &str) -> String {
    let before = (game.view(), game.turns().to_vec(), game.plays().to_vec());
    let refusal = ask(&mut game, turn).expect_err(turn);
    let after = (game.view(), game.turns().to_vec(), game.plays().to_vec());
    assert_eq!(before, after, "{turn} was refused and changed something");
    refusal.to_string()
}
