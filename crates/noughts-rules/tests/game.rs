//! A game takes turns, refuses what is not allowed, goes back and ends, on one board and on nine.

use noughts_rules::twin::{SlowGrid, SlowNested};
use noughts_rules::{
    Action, By, Conclusion, Diagram, Game, GameError, Illegal, Move, Options, Outcome, Player,
    Record, RecordSeat, Refusal, Rules, Seat, Side, Sides, Turn, Variant,
};
use proptest::prelude::*;

/// A table of cases: a line each, `|` between what is in it.
fn cases<const N: usize>(table: &str) -> Vec<[&str; N]> {
    let mut cases = Vec::new();
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split('|').map(str::trim).collect();
        cases.push(words.try_into().expect(line));
    }
    cases
}

/// A variant and, behind it, what else a game is set up with: `3x3k3 history=3 xxo`.
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

/// The same from a position on; one of nine boards may be written as for [`nine`].
fn played_from(setup: &str, position: &str, turns: &str) -> Game {
    let (variant, options) = read_setup(setup);
    let position = nine(position).unwrap_or(position.to_owned());
    let start = Diagram::read(&variant, &position).unwrap_or_else(|e| panic!("{position}: {e}"));
    let mut game = Game::from_diagram(&variant, options, start).unwrap();
    play(&mut game, turns);
    game
}

/// A position on nine boards, a word for each: `X` is won by x, `O` by o, `D` full, `.` empty.
fn nine(position: &str) -> Option<String> {
    let board = |word: &str| match word {
        "X" => "xxxoo....".to_owned(),
        "O" => "oooxx....".to_owned(),
        "D" => "xoxxoxoxo".to_owned(),
        "." => "{9.}".to_owned(),
        cells => cells.to_owned(),
    };
    let words: Vec<&str> = position.split(' ').collect();
    let (boards, rest) = words.split_at_checked(9)?;
    let boards: Vec<String> = boards.iter().map(|word| board(word)).collect();
    Some(format!("{} {}", boards.join("/"), rest.join(" ")))
}

fn play(game: &mut Game, turns: &str) {
    for turn in turns.split_whitespace() {
        ask(game, turn).unwrap_or_else(|refusal| panic!("{turn} of {turns}: {refusal}"));
    }
}

/// One turn by whoever's it is, or by the seat before a colon: `1-0`, `2:resign`.
fn ask(game: &mut Game, turn: &str) -> Result<(), Refusal> {
    let (seat, action) = match turn.split_once(':') {
        Some((seat, action)) => (Seat(seat.parse().unwrap()), action),
        None => (game.to_move().unwrap_or(Seat(0)), turn),
    };
    let action = game.read(action).unwrap();
    game.act(seat, action)
}

/// `x by line 0-0 0-1 0-2`; the view says the same.
fn outcome(game: &Game) -> String {
    let view = game.view();
    assert_eq!(view.outcome.as_ref(), game.conclusion());
    assert_eq!(view.to_move.is_none(), view.outcome.is_some());
    assert_eq!(view.legal.is_empty(), view.outcome.is_some());
    let (sides, by) = match game.conclusion() {
        None => return "goes on".to_owned(),
        Some(Conclusion::Draw) => return "draw".to_owned(),
        Some(Conclusion::Abandoned) => return "abandoned".to_owned(),
        Some(Conclusion::Won { sides, by }) => (sides, by),
    };
    let by = match by {
        By::Line(cells) => format!("line {}", moves(game, cells)),
        By::Boards(boards) => format!("boards {}", words(boards)),
        By::Points => "points".to_owned(),
        By::Resignation => "resignation".to_owned(),
        By::Leaving => "leaving".to_owned(),
    };
    format!("{} by {by}", words(sides.iter().map(Side::symbol)))
}

fn moves(game: &Game, cells: &[Move]) -> String {
    words(cells.iter().map(|at| game.variant().write_move(*at)))
}

fn words<T: ToString>(words: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| word.to_string()).collect();
    words.join(" ")
}

/// The board that must be played in, and every legal move is on it.
fn active(game: &Game) -> String {
    let Some(active) = game.view().nested.unwrap().active else {
        return "any".to_owned();
    };
    let on_it = |at: &Move| at.index() / 9 == active.index();
    assert!(game.legal().iter().all(on_it));
    active.to_string()
}

/// Setup, turns, and what the board looks like then with whose turn it is.
fn check_boards(table: &str) {
    for [setup, turns, board] in cases(table) {
        let game = played(setup, turns);
        let written = game.diagram().write(game.variant());
        assert_eq!(written, board, "{setup} | {turns}");
    }
}

/// Setup, turns, outcome.
fn check_outcomes(table: &str) {
    for [setup, turns, expected] in cases(table) {
        let outcome = outcome(&played(setup, turns));
        assert_eq!(outcome, expected, "{setup} | {turns}");
    }
}

/// Setup, position, turns, outcome.
fn check_outcomes_from(table: &str) {
    for [setup, position, turns, expected] in cases(table) {
        let game = played_from(setup, position, turns);
        assert_eq!(outcome(&game), expected, "{setup} | {position} | {turns}");
    }
}

/// Setup, turns, one more turn, and why that is refused.
fn check_refusals(table: &str) {
    for [setup, turns, turn, refusal] in cases(table) {
        let refused = refused(played(setup, turns), turn);
        assert_eq!(refused, refusal, "{setup} | {turns} | {turn}");
    }
}

/// Why a turn is refused; nothing has changed by it.
fn refused(mut game: Game, turn: &str) -> String {
    let before = (game.view(), game.turns().to_vec(), game.plays().to_vec());
    let refusal = ask(&mut game, turn).expect_err(turn);
    let after = (game.view(), game.turns().to_vec(), game.plays().to_vec());
    assert_eq!(before, after, "{turn} was refused and changed something");
    refusal.to_string()
}

// Plays.

#[test]
fn marks_go_where_they_are_played_in_turn_order() {
    check_boards(
        "
        3x3k3         |                 | .../.../... x
        3x3k3         | 1-0             | .../x../... o
        3x3k3         | 1-0 0-2 2-1     | ..o/x../.x. o
        4x3k3         | 2-3 0-2         | ..o./..../...x x
        3x4k3         | 3-2 2-0         | .../.../o../..x x
        4x4k3p3       | 0-0 0-1 0-2 0-3 | xoax/..../..../.... o
        4x4k3+gravity | 3-3 2-3         | ..../..../...o/...x x
        multi         | 4-0 0-2 | ..o{6.}/{9.}/{9.}/{9.}/x{8.}/{9.}/{9.}/{9.}/{9.} x 2
        ",
    );
}

#[test]
fn with_gravity_a_column_alone_is_where_the_mark_rests() {
    check_boards(
        "
        4x4k3+gravity   | 3       | ..../..../..../...x o
        4x4k3+gravity   | 3 0 3   | ..../..../...x/o..x o
        4x4k3+gravity   | 1 1 1 1 | .o../.x../.o../.x.. x
        3x3k3p3+gravity | 2 2 2   | ..a/..o/..x x
        ",
    );
    check_outcomes(
        "
        7x6k4+gravity | 3 2 3 2 3 2 3           | x by line 2-3 3-3 4-3 5-3
        7x6k4+gravity | 0 1 1 2 2 3 2 3 3 6 3   | x by line 2-3 3-2 4-1 5-0
        ",
    );
}

#[test]
fn seats_of_one_side_share_its_marks() {
    check_boards(
        "
        3x3k3 xxo  | 0-0 1-1 0-2     | x.o/.x./... x
        3x3k3 xxo  | 0-0 1-1 0-2 2-0 | x.o/.x./x.. x
        3x3k3 xoox | 0-0 0-1 0-2 2-0 | xoo/.../x.. x
        3x3k3 xx   | 0-0 1-1         | x../.x./... x
        ",
    );
    check_outcomes(
        "
        3x3k3 xx  | 0-0 0-1 0-2         | x by line 0-0 0-1 0-2
        3x3k3 xxo | 0-0 0-1 1-1 0-2     | x by line 0-0 0-1 0-2
        3x3k3 xoo | 0-0 1-0 1-1 0-1 1-2 | o by line 1-0 1-1 1-2
        ",
    );
}

#[test]
fn the_view_says_whose_turn_it_is_and_what_was_last() {
    let mut game = set_up("3x3k3 xxo").unwrap();
    for (turn, text) in ["0-0", "1-1", "0-2", "2-0"].into_iter().enumerate() {
        let by = Seat(turn as u8 % 3);
        let view = game.view();
        assert_eq!((view.turn, view.to_move), (turn + 1, Some(by)));
        let action = game.read(text).unwrap();
        game.act(by, action).unwrap();
        assert_eq!(game.view().last, Some(Turn { by, action }));
    }
    assert_eq!(moves(&game, &game.view().legal), "0-1 1-0 1-2 2-1 2-2");
    assert_eq!(game.view().nested, None);
}

// Refusals.

#[test]
fn an_illegal_move_is_refused_with_its_reason() {
    check_refusals(
        "
        3x3k3             | 1-1         | 1-1     | that cell is taken, choose an empty one
        3x3k3             | 1-1 0-0     | 0-0     | that cell is taken, choose an empty one
        4x4k3p3           | 0-0 0-1 0-2 | 0-1     | that cell is taken, choose an empty one
        255x255k5         | 254-254     | 254-254 | that cell is taken, choose an empty one
        7x6k4+gravity     | 3           | 5-3     | that cell is taken, choose an empty one
        7x6k4+gravity     | 3 3 3 3 3 3 | 0-3     | that cell is taken, choose an empty one
        7x6k4+gravity     | 3 3 3 3 3 3 | 3       | that cell is taken, choose an empty one
        multi             | 4-4 4-0 0-4 | 4-4     | that cell is taken, choose an empty one
        ultimate          | 4-4 4-0 0-4 | 4-0     | that cell is taken, choose an empty one
        7x6k4+gravity     |             | 0-3     | a mark would fall from there, choose the lowest empty cell of a column
        7x6k4+gravity     | 3           | 3-3     | a mark would fall from there, choose the lowest empty cell of a column
        7x6k4+gravity     | 3           | 4-2     | a mark would fall from there, choose the lowest empty cell of a column
        255x255k5+gravity | 9           | 9-9     | a mark would fall from there, choose the lowest empty cell of a column
        multi@4           |             | 0-0     | this turn must be played on board 4
        multi             | 4-0         | 4-1     | this turn must be played on board 0
        ultimate          | 4-0 0-2     | 0-2     | this turn must be played on board 2
        ",
    );
}

#[test]
fn a_cell_off_the_board_is_refused() {
    let check = |setup: &str, index: usize| {
        let mut game = set_up(setup).unwrap();
        let view = game.view();
        let refused = game.act(Seat(0), Action::Play(Move::at(index)));
        assert_eq!(refused, Err(Refusal::Illegal(Illegal::OffBoard)), "{setup}");
        assert_eq!(game.view(), view);
    };
    check("3x3k3", 9);
    check("4x4k3p3", 16);
    check("7x6k4+gravity", 42);
    check("22x22k5", 65_000);
    check("255x255k5", 65_025);
    check("multi", 81);
    check("ultimate@3", 65_534);
}

#[test]
fn what_is_no_action_says_how_actions_are_written() {
    let table = "
        3x3k3         | 3       | row-column
        3x3k3         |         | row-column
        3x3k3         | 1 0     | row-column
        3x3k3         | 01-0    | row-column
        3x3k3         | <<      | row-column
        3x3k3         | <<-1    | row-column
        3x3k3         | <<02    | row-column
        3x3k3         | Resign  | row-column
        3x3k3         | 3-0     | from 0-0 to 2-2
        7x6k4+gravity | 7       | from 0-0 to 5-6
        7x6k4+gravity | x       | the column alone
        multi         | 4       | board-cell
        multi         | 9-0     | from 0-0 to 8-8
        ";
    for [setup, text, hint] in cases(table) {
        let error = set_up(setup).unwrap().read(text).unwrap_err().to_string();
        assert!(error.contains(hint), "{setup} | {text} | {error}");
    }
}

#[test]
fn every_action_is_written_as_it_is_read() {
    let game = set_up("7x6k4+gravity history=3").unwrap();
    for text in ["5-3", "0-6", "<<0", "<<2", "<<65535", "resign"] {
        assert_eq!(game.write(game.read(text).unwrap()), text);
    }
    assert_eq!(game.write(game.read("3").unwrap()), "5-3");
}

#[test]
fn only_the_seat_to_move_may_play_or_rewind() {
    check_refusals(
        "
        3x3k3 history=5 xxo |             | 1:0-0 | it is the turn of seat 0
        3x3k3 history=5 xxo |             | 2:<<0 | it is the turn of seat 0
        3x3k3 history=5 xxo | 0-0         | 0:0-1 | it is the turn of seat 1
        3x3k3 history=5 xxo | 0-0 0-1     | 0:<<1 | it is the turn of seat 2
        3x3k3 history=5 xxo | 0-0 0-1 1-1 | 1:2-2 | it is the turn of seat 0
        3x3k3 history=5 xxo | 0-0 <<1     | 0:2-2 | it is the turn of seat 2
        ",
    );
}

#[test]
fn only_seats_of_the_game_may_act() {
    check_refusals(
        "
        3x3k3 history=2 |     | 2:0-0      | the seats of this game are 0 to 1
        3x3k3 history=2 |     | 2:<<0      | the seats of this game are 0 to 1
        3x3k3 history=2 | 0-0 | 255:resign | the seats of this game are 0 to 1
        4x4k3p3         | 0-0 | 3:resign   | the seats of this game are 0 to 2
        ",
    );
}

#[test]
fn a_finished_game_takes_no_action() {
    for ending in ["0-0 1-0 0-1 1-1 0-2", "0-0 resign", "1:resign"] {
        for turn in ["0:2-2", "1:2-2", "0:<<0", "1:<<1", "0:resign", "1:resign"] {
            let game = played("3x3k3 history=3", ending);
            assert_eq!(refused(game, turn), "the game is over");
        }
    }
    let column = played("3x3k3+gravity", "0 1 0 1 0");
    assert_eq!(refused(column, "2"), "the game is over");
}

// Outcomes on one board.

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
fn a_gap_is_no_line() {
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
fn a_line_does_not_go_on_at_the_other_edge() {
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
fn with_exact_only_a_line_of_just_that_length_wins() {
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
fn the_outcome_has_all_cells_of_all_lines_completed() {
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
fn a_last_play_that_fills_the_board_and_makes_a_line_wins() {
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
fn in_misere_who_completes_a_line_loses_and_all_others_win() {
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
fn a_position_that_is_over_already_has_its_outcome() {
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

// Setting up.

#[test]
fn the_history_is_shorter_than_the_board() {
    let check = |setup: &str, most: usize| {
        let with = |history: usize| set_up(&format!("{setup} history={history}"));
        for history in [0, 1, most] {
            assert_eq!(usize::from(with(history).unwrap().history()), history);
        }
        for history in [most + 1, 65_535] {
            let error = with(history).unwrap_err();
            assert_eq!(error, GameError::History { most });
        }
    };
    check("3x3k3", 8);
    check("7x6k4+gravity", 41);
    check("255x255k5", 65_024);
    check("multi", 80);
    check("ultimate@8", 80);
}

#[test]
fn every_side_sits_and_sides_are_numbered_as_they_sit() {
    let many = format!("3x3k3 {}", "xo".repeat(32));
    for setup in ["3x3k3 xo", "3x3k3 xx", "3x3k3 xxx", "4x4k3p3 xoxa", &many] {
        assert!(set_up(setup).is_ok(), "{setup}");
    }
    let too_many = set_up(&format!("{many}x")).unwrap_err();
    assert_eq!(too_many, GameError::Seats(65));
    let table = "
        3x3k3 x     | a game has 2 to 64 seats, not 1
        3x3k3 ox    | sides are numbered in the order in which they first sit
        4x4k3p3 xao | sides are numbered in the order in which they first sit
        3x3k3 xoa   | this game is for 2 different sides, not for 3
        4x4k3p3 xxo | this game is for 3 different sides, not for 2
        4x4k3p3 xxx | this game is for 3 different sides, not for 1
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
    let start = Diagram::read(&variant, "x../.../... o").unwrap();
    let error = Game::from_diagram(&variant, options, start).unwrap_err();
    assert_eq!(error, GameError::NobodyToMove(Side::SECOND));
}

// Rewind.

#[test]
fn a_rewind_takes_marks_back_and_passes_the_turn_to_the_next_seat() {
    // First the seed's: x, o, x play, o rewinds two, and x moves next on a board with one x.
    check_boards(
        "
        3x3k3 history=3         | 0-0 1-2 2-0 <<2     | x../.../... x
        3x3k3 history=3         | 0-0 1-2 <<1         | x../.../... o
        3x3k3 history=3         | 0-0 1-2 <<2         | .../.../... o
        3x3k3 history=3         | 0-0 <<1             | .../.../... x
        3x3k3 history=4         | 0-0 1-2 2-0 <<3     | .../.../... x
        3x3k3 history=3         | 0-0 1-2 <<1 1-2     | x../..o/... x
        4x4k3p3 history=3       | 0-0 0-1 0-2 <<1     | xo../..../..../.... o
        3x3k3 history=3 xxo     | 0-0 0-1 1-1 <<2     | x../.../... x
        3x3k3 history=3 xxo     | 0-0 0-1 1-1 <<2 <<1 | .../.../... o
        3x3k3+gravity history=3 | 1 1 1 <<2 1         | .../.x./.x. o
        3x3k3+gravity history=3 | 1 1 1 0 <<2 0 1     | .x./.o./ox. o
        ",
    );
    let game = played("3x3k3 history=3", "0-0 1-2 2-0 <<2");
    assert_eq!((game.to_move(), game.view().turn), (Some(Seat(0)), 5));
}

#[test]
fn rewinds_in_a_row_are_each_limited_by_the_history_alone() {
    check_boards(
        "
        3x3k3 history=4 | 0-0 1-1 2-2 0-1 1-0 2-0 <<3         | x../.o./..x o
        3x3k3 history=4 | 0-0 1-1 2-2 0-1 1-0 2-0 <<3 <<3     | .../.../... x
        3x3k3 history=4 | 0-0 1-1 2-2 0-1 1-0 2-0 <<3 <<1 <<2 | .../.../... o
        3x3k3 history=2 | 0-0 1-1 2-2 <<1 <<1 <<1             | .../.../... x
        ",
    );
}

#[test]
fn a_rewind_past_the_history_or_the_marks_is_refused() {
    let table = "
        3x3k3 history=3 | 0-0 1-1 2-2 0-1 | <<3                    | 2
        3x3k3 history=3 | 0-0 1-1 2-2 0-1 | <<65535                | 2
        3x3k3 history=3 | 0-0 1-1 2-2 0-1 | <<99999999999999999999 | 2
        3x3k3 history=3 | 0-0             | <<2                    | 1
        3x3k3 history=3 |                 | <<1                    | 0
        3x3k3 history=1 | 0-0 1-1         | <<1                    | 0
        3x3k3 history=8 | 0-0 1-1         | <<3                    | 2
        3x3k3 history=8 | 0-0 1-1 <<2     | <<1                    | 0
        multi history=2 | 4-0 0-0         | <<2                    | 1
        multi history=5 | 4-0 0-0         | <<3                    | 2
        ";
    for [setup, turns, turn, most] in cases(table) {
        let game = played(setup, turns);
        let longest = game.view().longest_rewind;
        assert_eq!(longest, Some(most.parse().unwrap()), "{setup} | {turns}");
        let sentence = format!("at most {most} can be taken back now");
        assert_eq!(refused(game, turn), sentence);
    }
}

#[test]
fn without_a_history_there_is_no_rewind_at_all() {
    for setup in ["3x3k3", "multi", "ultimate"] {
        for turn in ["<<0", "<<1", "<<9"] {
            let game = played(setup, "1-1 1-0");
            assert_eq!(game.view().longest_rewind, None);
            assert!(refused(game, turn).contains("without a history"));
        }
    }
}

#[test]
fn to_rewind_nothing_passes_the_turn_on_one_board() {
    check_boards(
        "
        3x3k3 history=1   | <<0                 | .../.../... o
        3x3k3 history=1   | 0-0 <<0             | x../.../... x
        3x3k3 history=1   | 0-0 <<0 <<0 1-1     | x../.o./... x
        4x4k3p3 history=1 | 0-0 <<0             | x.../..../..../.... a
        3x3k3 history=1   | 0-0 <<0 0-1 <<0 0-2 | xxx/.../... o
        ",
    );
}

#[test]
fn to_rewind_nothing_is_refused_on_nine_boards() {
    check_refusals(
        "
        multi history=3     | 4-0     | <<0 | on nine boards each player must play, so a rewind takes back at least 1
        multi@4 history=1   |         | <<0 | on nine boards each player must play, so a rewind takes back at least 1
        ultimate history=80 | 4-0 0-0 | <<0 | on nine boards each player must play, so a rewind takes back at least 1
        ",
    );
}

#[test]
fn a_finished_game_offers_no_rewind() {
    for ending in ["0-0 1-0 0-1 1-1 0-2", "0-0 resign"] {
        let view = played("3x3k3 history=3", ending).view();
        assert_eq!(view.longest_rewind, None);
    }
}

#[test]
fn a_rewind_on_nine_boards_leads_back_to_the_board_of_before() {
    let table = "
        multi history=5    | 4-0 0-2 2-8 <<1     | 2
        multi history=5    | 4-0 0-2 2-8 <<2     | 0
        multi history=5    | 4-0 0-2 2-8 <<3     | any
        multi@4 history=5  | 4-0 0-2 2-8 <<3     | 4
        ultimate history=5 | 4-0 0-2 2-8 <<1 <<1 | 0
        multi history=5    | 4-0 0-2 2-8 <<2 0-5 | 5
        ";
    for [setup, turns, board] in cases(table) {
        assert_eq!(active(&played(setup, turns)), board, "{setup} | {turns}");
    }
    // x wins board 0; o is sent to 2, and sends x to 0, which is closed.
    let table = "
        multi history=5    | 0-2 2-0             | 1
        multi history=5    | 0-2 2-0 <<1         | 2
        multi history=5    | 0-2 2-0 <<2         | 0
        multi history=5    | 0-2 2-0 <<2 0-8 8-0 | 0
        ultimate history=5 | 0-2 2-0             | any
        ultimate history=5 | 0-2 2-0 <<1         | 2
        ultimate history=5 | 0-2 2-0 <<2         | 0
        ";
    for [setup, turns, board] in cases(table) {
        let game = played_from(setup, "xx....... . . . . . . x........ . x 0", turns);
        assert_eq!(active(&game), board, "{setup} | {turns}");
    }
}

#[test]
fn a_board_won_by_a_play_taken_back_is_open_again() {
    let position = "xx....... . . . . . . x........ . x 0";
    for (turns, score) in [("0-2", [1, 0]), ("0-2 <<1", [0, 0])] {
        let game = played_from("multi history=5", position, turns);
        assert_eq!(game.view().nested.unwrap().score, score, "{turns}");
    }
}

// Resigning, leaving, closing.

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
fn to_resign_is_a_turn() {
    let game = played("3x3k3", "0-0 0:resign");
    let (by, action) = (Seat(0), Action::Resign);
    assert_eq!(game.view().last, Some(Turn { by, action }));
    assert_eq!((game.view().turn, game.turns().len()), (3, 2));
}

#[test]
fn who_leaves_loses_without_a_turn() {
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
fn a_table_may_close_a_game_once() {
    type Close = fn(&mut Game) -> Result<(), Refusal>;
    let ways: [(Close, Conclusion); 2] = [
        (Game::abandon, Conclusion::Abandoned),
        (Game::call_draw, Conclusion::Draw),
    ];
    for (close, conclusion) in ways {
        let mut game = played("3x3k3", "0-0 1-1");
        close(&mut game).unwrap();
        assert_eq!(game.call_draw(), Err(Refusal::Over));
        assert_eq!(game.view().outcome, Some(conclusion));
        assert_eq!(game.turns().len(), 2);
    }
    let mut game = played("3x3k3", "resign");
    assert_eq!(game.call_draw(), Err(Refusal::Over));
    assert_eq!(outcome(&game), "o by resignation");
}

#[test]
fn a_game_after_some_turns_is_what_it_was_then() {
    let table = "
        3x3k3               | 0-0 1-0 0-1 1-1 0-2
        3x3k3 history=4     | 0-0 1-0 <<0 <<2 0-1 1-1 0:resign
        3x3k3 history=4 xxo | 0-0 1-0 <<1 0-1 1-1 0-2
        multi@4 history=9   | 4-0 0-2 2-8 <<2 0-0 <<2 4-4
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
fn a_game_that_somebody_left_was_going_on_before() {
    let mut game = played_from("3x3k3", "x../.../... o", "1-1 2-2");
    game.leave(Seat(0)).unwrap();
    assert_eq!(game.after(2).view(), game.view());
    assert_eq!(outcome(&game.after(1)), "goes on");
    let start = played_from("3x3k3", "x../.../... o", "");
    assert_eq!(game.after(0).view(), start.view());
}

// Nine boards.

/// Variant, position, turns, and the board that must be played in then.
fn check_sent(table: &str) {
    for [variant, position, turns, board] in cases(table) {
        let game = played_from(variant, position, turns);
        assert_eq!(active(&game), board, "{variant} | {position} | {turns}");
    }
}

#[test]
fn the_first_play_is_on_any_board_or_on_the_named_one() {
    let table = "
        multi      | any | 81
        multi@0    | 0   | 9
        multi@4    | 4   | 9
        multi@8    | 8   | 9
        ultimate   | any | 81
        ultimate@3 | 3   | 9
        ";
    for [variant, board, legal] in cases(table) {
        let game = set_up(variant).unwrap();
        assert_eq!(active(&game), board);
        assert_eq!(game.view().legal.len().to_string(), legal);
        assert_eq!(game.to_move(), Some(Seat(0)));
    }
}

#[test]
fn a_cell_names_the_board_of_the_next_play() {
    for variant in ["multi", "ultimate"] {
        // The six plays of the seed.
        let game = played(variant, "4-0 0-2 2-8 8-2 2-2 2-5");
        assert_eq!(active(&game), "5");
        assert_eq!(game.legal().len(), 9);
        assert_eq!(active(&played(variant, "4-4")), "4");
        assert_eq!(active(&played(variant, "8-0")), "0");
    }
    assert_eq!(active(&played("multi@4", "4-7")), "7");
}

#[test]
fn multi_sends_play_from_a_closed_board_to_the_next_higher_open_one() {
    check_sent(
        "
        multi | . . . . . . . ....x.... . o 4 | 4-0 | 0
        multi | X . . . . . . ....x.... . o 4 | 4-0 | 1
        multi | O . . . . . . ....x.... . o 4 | 4-0 | 1
        multi | D . . . . . . ....x.... . o 4 | 4-0 | 1
        multi | X O . . . . . ....x.... . o 4 | 4-0 | 2
        multi | X O D X . X X ....x.... X o 4 | 4-0 | 4
        multi | X O D X . X X ....x.... X o 4 | 4-5 | 7
        multi | . . . . . . . ....x.... X o 4 | 4-8 | 0
        multi | D . . . . . . ....x.... X o 4 | 4-8 | 1
        multi | X O D X . X X ....x.... X o 4 | 4-8 | 4
        multi | . . . . . . X ....x.... X o 4 | 4-6 | 7
        ",
    );
}

#[test]
fn ultimate_sends_play_from_a_closed_board_to_any_open_one() {
    check_sent(
        "
        ultimate | X . . . . . . ....x.... . o 4 | 4-0 | any
        ultimate | X . . . . . . ....x.... . o 4 | 4-1 | 1
        ultimate | D . . . . . . ....x.... . o 4 | 4-0 | any
        ultimate | X O X X O D O X ....o.... x 8 | 8-0 | 8
        ",
    );
    let game = played_from("ultimate", "X D . . . . . ....x.... . o 4", "4-0");
    // Seven boards are open, and there are two marks on them.
    assert_eq!(game.legal().len(), 7 * 9 - 2);
    assert_eq!(game.legal()[0], Move::at(2 * 9));
}

#[test]
fn a_board_closed_by_this_very_play_sends_on() {
    check_sent(
        "
        multi    | . . xx....... . . . . ..o...... . x 2 | 2-2 | 3
        multi    | . . xx....... X . . . ..o...... . x 2 | 2-2 | 4
        multi    | . . . . . . . ........x xoxxoxox. o 8 | 8-8 | 0
        multi    | X . . . . . . ........x xoxxoxox. o 8 | 8-8 | 1
        ultimate | . . xx....... . . . . ..o...... . x 2 | 2-2 | any
        ultimate | . . . . . . . ........x xoxxoxox. o 8 | 8-8 | any
        ",
    );
}

#[test]
fn a_closed_board_takes_no_more_plays() {
    let table = "
        multi    | X . . . . . . ....x.... . o 4 |     | 0-8 | this turn must be played on board 4
        multi    | X . . . . . . ....x.... . o 4 | 4-0 | 0-8 | this turn must be played on board 1
        ultimate | X . . . . . . ....x.... . o 4 |     | 0-8 | this turn must be played on board 4
        ultimate | X . . . . . . ....x.... . o 4 | 4-0 | 0-8 | that board is closed, choose an open one
        ultimate | D . . . . . . ....x.... . o 4 | 4-0 | 0-8 | that board is closed, choose an open one
        ";
    for [variant, position, turns, turn, refusal] in cases(table) {
        let game = played_from(variant, position, turns);
        assert_eq!(refused(game, turn), refusal, "{position} | {turns}");
    }
}

/// Variant, position, and how the view counts the boards.
fn check_scores(table: &str) {
    for [variant, position, expected] in cases(table) {
        let game = played_from(variant, position, "");
        let nested = game.view().nested.unwrap();
        let decided = if nested.decided { "decided" } else { "open" };
        let [x, o] = nested.score;
        let score = format!("{x} to {o}, {} drawn, {decided}", nested.drawn);
        assert_eq!(score, expected, "{variant} | {position}");
        assert_eq!(outcome(&game) == "goes on", !position.ends_with('-'));
    }
}

#[test]
fn the_view_counts_boards_and_says_when_the_result_can_no_longer_change() {
    check_scores(
        "
        multi | . . . . . . . . . x *         | 0 to 0, 0 drawn, open
        multi | X . . . ....x.... . . . . o 4 | 1 to 0, 0 drawn, open
        multi | X O D . ....x.... . . . . o 4 | 1 to 1, 1 drawn, open
        multi | X X X X ....x.... . . . . o 4 | 4 to 0, 0 drawn, open
        multi | X X X X ....x.... . . . D o 4 | 4 to 0, 1 drawn, open
        multi | X X X X ....x.... . . D D o 4 | 4 to 0, 2 drawn, decided
        multi | O O O O ....x.... O . . . o 4 | 0 to 5, 0 drawn, decided
        multi | X X X O ....x.... O D D D o 4 | 3 to 2, 3 drawn, open
        multi | X X X X D X X X X x -         | 8 to 0, 1 drawn, decided
        multi | D D D D D D D D D x -         | 0 to 0, 9 drawn, decided
        ",
    );
}

#[test]
fn in_ultimate_the_result_is_decided_when_no_line_of_boards_can_be_made() {
    check_scores(
        "
        ultimate | . . . . . . . . . x *         | 0 to 0, 0 drawn, open
        ultimate | X X O O O X ......x.. . . o 6 | 3 to 3, 0 drawn, open
        ultimate | D D D D D D ......x.. . . o 6 | 0 to 0, 6 drawn, open
        ultimate | D D D D D D ......x.. D . o 6 | 0 to 0, 7 drawn, decided
        ultimate | X X X O O . . . . x -         | 3 to 2, 0 drawn, decided
        ultimate | X O X X O X O X D x -         | 5 to 3, 1 drawn, decided
        ",
    );
}

#[test]
fn multi_goes_on_until_all_boards_are_closed_and_most_points_win() {
    check_outcomes_from(
        "
        multi | X X X X O O O O xoxxoxox. o 8     |     | goes on
        multi | X X X X O O O O xoxxoxox. o 8     | 8-8 | draw
        multi | X X X X X O O O xoxxoxox. o 8     | 8-8 | x by points
        multi | X X X O O O O O xoxxoxox. o 8     | 8-8 | o by points
        multi | X D D D D D D D xoxxoxox. o 8     | 8-8 | x by points
        multi | D D D D D D D D xoxxoxox. o 8     | 8-8 | draw
        multi | X X X X X X X X xoxxoxox. o 8     |     | goes on
        multi | X X X X X X X X xoxxoxox. o 8     | 8-8 | x by points
        multi | X X X X O O O O xx....... x 8     | 8-2 | x by points
        multi | X X X X O O O O oo....... o 8     | 8-2 | o by points
        multi | X X X O O O O D xx....... x 8     | 8-2 | draw
        multi | X X xx....... . . . . ..o...... . x 2 | 2-2 | goes on
        ",
    );
}

#[test]
fn in_ultimate_three_boards_in_a_line_win_at_once() {
    check_outcomes_from(
        "
        ultimate | X X xx....... O . . . ..o...... . x 2 | 2-2 | x by boards 0 1 2
        ultimate | X . . xx....... . . X ...o..... . x 3 | 3-2 | x by boards 0 3 6
        ultimate | O . . . O . . ........x oo....... o 8 | 8-2 | o by boards 0 4 8
        ultimate | . . O . O . oo....... ......x.. . o 6 | 6-2 | o by boards 2 4 6
        ultimate | X X xx....... . . X . ..o...... X x 2 | 2-2 | x by boards 0 1 2 5 8
        ultimate | X O O O X X D O xx....... x 8         | 8-2 | x by boards 0 4 8
        ultimate | X O X X O X O xx.....o. . x 7         | 7-2 | goes on
        ultimate | X . xx....... X . . . ..o...... . x 2 | 2-2 | goes on
        ultimate | X X oo....... O . . . ..o...... . o 2 | 2-2 | goes on
        ",
    );
}

#[test]
fn in_ultimate_all_boards_closed_without_a_line_is_a_draw_whatever_the_points() {
    check_outcomes_from(
        "
        ultimate | X O X X O X O X oo....... o 8       | 8-2 | draw
        ultimate | X O X X D X D X xoxxoxox. o 8       | 8-8 | draw
        ultimate | X X O O O X D O xx....... x 8       | 8-2 | draw
        ultimate | D D D D D D D D xoxxoxox. o 8       | 8-8 | draw
        ultimate | D D D D D D D D xx....... x 8       | 8-2 | draw
        ultimate | D D D D D D ......x.. D . o 6       | 6-8 | goes on
        ",
    );
}

// Any game.

/// What somebody may ask for, sensible or not.
#[derive(Clone, Debug)]
enum Ask {
    LegalPlay(u16),
    AnyPlay(u16),
    Rewind(u16),
    Resign,
}

impl Ask {
    fn action(&self, game: &Game) -> Action {
        let any = |choice: &u16| Move::at(usize::from(*choice) % (game.variant().cells() + 2));
        match self {
            Ask::LegalPlay(choice) => {
                let legal = game.legal();
                let at = legal.get(usize::from(*choice) % legal.len().max(1));
                Action::Play(at.copied().unwrap_or(any(choice)))
            }
            Ask::AnyPlay(choice) => Action::Play(any(choice)),
            Ask::Rewind(count) => Action::Rewind(*count),
            Ask::Resign => Action::Resign,
        }
    }
}

fn any_ask() -> impl Strategy<Value = (Option<u8>, Ask)> {
    let by = prop_oneof![9 => Just(None), 1 => (0..5u8).prop_map(Some)];
    let ask = prop_oneof![
        60 => any::<u16>().prop_map(Ask::LegalPlay),
        10 => any::<u16>().prop_map(Ask::AnyPlay),
        15 => (0..6u16).prop_map(Ask::Rewind),
        1 => Just(Ask::Resign),
    ];
    (by, ask)
}

fn any_setup() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "3x3k3",
        "3x3k3 history=8",
        "3x3k3 history=3 xxo",
        "3x3k3 history=3 xx",
        "3x3k3+misere history=2 xoox",
        "4x3k3+misere history=4",
        "4x4k3p3 history=5",
        "4x4k3p3+misere history=5 xoax",
        "5x5k3+exact history=5",
        "7x6k4+gravity history=3",
        "5x4k3p5+gravity history=3",
        "12x11k3 history=5",
        "23x23k3+exact history=5",
        "3x3k3p64",
        "multi history=5",
        "multi@4 history=80",
        "multi history=4 xxo",
        "ultimate history=5",
        "ultimate@0",
    ])
}

/// A game as simple as can be: the marks in order, and how many turns there were.
struct Model {
    variant: Variant,
    history: usize,
    order: Vec<Side>,
    marks: Vec<(Side, Move)>,
    turns: usize,
    resigned: bool,
}

impl Model {
    fn new(game: &Game) -> Model {
        Model {
            variant: *game.variant(),
            history: game.history().into(),
            order: game.order().to_vec(),
            marks: Vec::new(),
            turns: 0,
            resigned: false,
        }
    }

    fn to_move(&self) -> Seat {
        Seat((self.turns % self.order.len()) as u8)
    }

    fn board(&self) -> Vec<Option<Side>> {
        let mut board = vec![None; self.variant.cells()];
        for (side, at) in &self.marks {
            board[at.index()] = Some(*side);
        }
        board
    }

    fn outcome(&self) -> Option<Outcome> {
        self.replay(Move::at(0)).0
    }

    /// How the marks stand by the slow rules, and whether one more may be put at `at`.
    fn replay(&self, at: Move) -> (Option<Outcome>, bool) {
        match self.variant {
            Variant::Grid(spec) => replay(&SlowGrid(spec), &self.marks, at),
            Variant::Nested(spec) => replay(&SlowNested(spec), &self.marks, at),
        }
    }

    fn is_over(&self) -> bool {
        self.resigned || self.outcome().is_some()
    }

    fn takes(&self, by: Seat, action: Action) -> bool {
        if self.is_over() || usize::from(by.0) >= self.order.len() {
            return false;
        }
        match action {
            Action::Resign => true,
            Action::Play(at) => by == self.to_move() && self.replay(at).1,
            Action::Rewind(count) => {
                let may_pass = matches!(self.variant, Variant::Grid(_));
                let count = usize::from(count);
                let in_range = count < self.history && count <= self.marks.len();
                by == self.to_move() && in_range && (count > 0 || may_pass)
            }
        }
    }

    fn act(&mut self, by: Seat, action: Action) {
        match action {
            Action::Play(at) => self.marks.push((self.order[usize::from(by.0)], at)),
            Action::Rewind(count) => self.marks.truncate(self.marks.len() - usize::from(count)),
            Action::Resign => self.resigned = true,
        }
        self.turns += 1;
    }

    /// The game shows exactly what the model holds, and its position is a possible one.
    fn check_same(&self, game: &Game) {
        let view = game.view();
        let over = self.is_over();
        assert_eq!(view.marks, self.board());
        assert_eq!(view.turn, self.turns + 1);
        assert_eq!(view.to_move, (!over).then_some(self.to_move()));
        assert_eq!(view.outcome.is_some(), over);
        assert_eq!(view.legal.is_empty(), over);
        if let Some(outcome) = self.outcome() {
            let seated: Sides = self.order.iter().copied().collect();
            let winners = match outcome {
                Outcome::Draw => Sides::NONE,
                Outcome::Won(sides) => sides.and(seated),
            };
            assert_eq!(winners_of(view.outcome.as_ref()), winners);
        }
        let position = game.diagram();
        let possible = position.check(game.variant());
        assert_eq!(possible, Ok(()), "{}", position.draw(game.variant()));
    }
}

fn replay<R: Rules>(rules: &R, marks: &[(Side, Move)], at: Move) -> (Option<Outcome>, bool) {
    let mut position = rules.start();
    for (side, at) in marks {
        rules.set_turn(&mut position, *side);
        rules.play(&mut position, *at);
    }
    (rules.outcome(&position), rules.check(&position, at).is_ok())
}

fn winners_of(conclusion: Option<&Conclusion>) -> Sides {
    match conclusion {
        Some(Conclusion::Won { sides, .. }) => *sides,
        None | Some(Conclusion::Draw | Conclusion::Abandoned) => Sides::NONE,
    }
}

/// A game's record reads back to the same text and the same game.
fn check_record(game: &Game) {
    let seat = |side: &Side| RecordSeat {
        symbol: "ż🦀x-".chars().nth(side.index()).unwrap_or(side.symbol()),
        player: match side.index() % 2 {
            0 => Player::Human(format!("Ann {}", side.index())),
            _ => Player::Robot("level:8".to_owned()),
        },
    };
    let seats = game.order().iter().map(seat).collect();
    let text = Record::new(game.clone(), seats).unwrap().to_string();
    let record = Record::read(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    assert_eq!(record.to_string(), text);
    assert_eq!(record.game().view(), game.view(), "{text}");
    assert_eq!(record.game().turns(), game.turns());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn any_game_is_its_marks_and_a_count_of_turns(
        setup in any_setup(),
        asks in prop::collection::vec(any_ask(), 0..120),
        ending in 0..8u8,
    ) {
        let mut game = set_up(setup).unwrap();
        let mut model = Model::new(&game);
        let mut views = vec![game.view()];
        for (seat, ask) in asks {
            let (by, action) = (seat.map_or(model.to_move(), Seat), ask.action(&game));
            let takes = model.takes(by, action);
            prop_assert_eq!(game.check(by, action).is_ok(), takes, "{:?} by {:?}", action, by);
            let before = game.view();
            let ends = game.would_end(action);
            prop_assert_eq!(game.act(by, action).is_ok(), takes);
            if takes {
                model.act(by, action);
                prop_assert_eq!(ends, model.is_over(), "{:?} by {:?}", action, by);
                views.push(game.view());
            } else {
                prop_assert_eq!(game.view(), before);
            }
            model.check_same(&game);
        }
        for turns in [0, views.len() / 2, views.len() - 1] {
            prop_assert_eq!(&game.after(turns).view(), &views[turns]);
        }
        check_record(&game);
        let ended = match ending {
            0 => game.call_draw(),
            1 => game.abandon(),
            2 => game.leave(Seat(1)),
            _ => return Ok(()),
        };
        prop_assert_eq!(ended.is_ok(), !model.is_over());
        check_record(&game);
    }

    #[test]
    fn any_position_of_a_game_can_be_played_on_from(
        setup in any_setup(),
        before in prop::collection::vec(any::<u16>(), 0..80),
        after in prop::collection::vec(any::<u16>(), 0..20),
    ) {
        let (variant, options) = read_setup(setup);
        let mut game = Game::new(&variant, options.clone()).unwrap();
        walk(&mut game, &before);
        let text = game.diagram().write(&variant);
        let start = Diagram::read(&variant, &text).unwrap();
        let mut from = Game::from_diagram(&variant, options, start).unwrap();
        prop_assert_eq!(from.legal(), game.legal());
        prop_assert_eq!(from.diagram(), game.diagram());
        prop_assert_eq!(from.view().nested, game.view().nested);
        prop_assert_eq!(winners_of(from.conclusion()), winners_of(game.conclusion()));
        walk(&mut from, &after);
        check_record(&from);
    }
}

/// Plays on, each move picked out of those that are legal.
fn walk(game: &mut Game, choices: &[u16]) {
    for choice in choices {
        let action = Ask::LegalPlay(*choice).action(game);
        match game.to_move() {
            Some(seat) => game.act(seat, action).unwrap(),
            None => return,
        }
    }
}
