//! The texts of the game on nine boards.

use std::time::Duration;

use noughts_rules::{
    Board, Conclusion, NestedView, Quoted, Redirect, Scoring, Seat, Side, Variant, View, WinReason,
};

use super::options::MultiSettings;
use super::screen::BoardSize;
use crate::tui::wrap;

pub(crate) const WHICH_BOARD: &str =
    "Several boards are open: please type board-cell, such as 4-0.";

/// The time that a robot took for its move.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveDuration {
    pub(super) seat: Seat,
    pub(super) took: Duration,
}

pub(super) fn name(side: Side) -> &'static str {
    match side {
        Side::FIRST => "X",
        _ => "O",
    }
}

fn seat_name(seat: Seat) -> &'static str {
    Side::new(seat.0).map_or("", name)
}

/// Describes the rules, the input and the players, in lines that fit beside the boards.
pub(super) fn instructions(settings: &MultiSettings, size: BoardSize) -> Vec<String> {
    let spec = settings.spec();
    let aim = match spec.scoring() {
        Scoring::MostBoards => "most boards win",
        Scoring::MetaLine => "three boards in a line win",
    };
    let closed = match spec.redirect() {
        Redirect::NextOpen => "the next open one",
        Redirect::AnyOpen => "any open one",
    };
    let start = match spec.first() {
        Some(board) => format!("X begins on board {board}."),
        None => "X begins on any board.".to_owned(),
    };
    let [x, o] = settings.holders();
    let rewind: &[&str] = match settings.game().history() {
        0 | 1 => &[],
        _ => &["<<N     take N plays back"],
    };
    let keys = [
        &["", "0 to 8  play a cell", "4-0     board 4, cell 0"],
        rewind,
        &[
            "resign  give up",
            ":q      leave",
            "?       show this again",
            "",
        ],
    ];
    let rules = [
        format!("Nine boards, {aim}."),
        format!("The cell you play names the next board, or {closed} where that is closed."),
    ];
    let keys = keys.concat().into_iter().map(str::to_owned);
    let players = [format!("X is {x}, O is {o}."), start];
    let lines = rules.into_iter().chain(keys).chain(players);
    lines
        .flat_map(|line| match line.contains("  ") {
            true => vec![line],
            false => wrap(&line, size.text_width()),
        })
        // On a small screen, empty lines are left out.
        .filter(|line| size == BoardSize::Large || !line.is_empty())
        .collect()
}

pub(super) fn board_won(board: usize, side: Side) -> String {
    format!("{board}: {} won", name(side))
}

pub(super) fn board_drawn(board: usize) -> String {
    format!("{board}: drawn")
}

/// The status line above the prompt.
pub(super) fn status(view: &View, duration: Option<MoveDuration>) -> String {
    let Some((seat, nested)) = view.to_move.zip(view.nested) else {
        return String::new();
    };
    let mut status = format!(
        "\nMove {}: {} to play on {}. {}{}",
        moves(view) + 1,
        seat_name(seat),
        place(nested.active),
        score(&nested),
        time(duration)
    );
    if nested.decided {
        status += "\nThe result can no longer change.";
    }
    status
}

fn place(board: Option<Board>) -> String {
    board.map_or("any open board".to_owned(), |board| {
        format!("board {board}")
    })
}

fn score(nested: &NestedView) -> String {
    let [x, o] = nested.score;
    format!("Score: X {x}, O {o}, drawn {}.", nested.drawn)
}

fn time(duration: Option<MoveDuration>) -> String {
    let Some(MoveDuration { seat, took }) = duration else {
        return String::new();
    };
    let who = seat_name(seat);
    match took.as_millis() {
        ms @ ..10_000 => format!(" {who} took {ms} ms."),
        _ => format!(" {who} took {:.1} s.", took.as_secs_f64()),
    }
}

pub(super) fn prompt(seat: Seat, board: Option<Board>) -> String {
    let who = seat_name(seat);
    match board {
        Some(board) => format!("{who}, cell on board {board} (0 to 8):"),
        None => format!("{who}, any open board (board-cell):"),
    }
}

/// Returns the text that is printed before the robot's move. The text of [`thought`] follows on the same
/// line.
pub(super) fn thinking(seat: Seat) -> String {
    format!("{} is thinking… ", seat_name(seat))
}

pub(super) fn thought(play: &str) -> String {
    format!("plays {play}\n")
}

pub(super) fn no_cell(typed: &str) -> String {
    format!("There is no cell {typed}: the cells go from 0 to 8.")
}

pub(super) fn unreadable(typed: &Quoted, board: Option<Board>, view: &View) -> String {
    format!("{typed} is not a move. {}", what_to_type(board, view))
}

/// Describes the valid input.
pub(super) fn what_to_type(board: Option<Board>, view: &View) -> String {
    let play = match board {
        Some(_) => "a cell from 0 to 8",
        None => "board-cell, such as 4-0",
    };
    let rewind = match view.longest_rewind {
        None | Some(0) => "",
        Some(_) => ", <<1 to take a play back",
    };
    format!("Please type {play}{rewind}, or :q to leave.")
}

/// Returns the text below the boards at the end of the game, with the score and the result.
pub(super) fn end(view: &View, duration: Option<MoveDuration>) -> String {
    let (score, time) = (score_of(view), time(duration));
    let moves = count(moves(view), "move");
    format!("\nGame over after {moves}. {score}{time}\n{}", result(view))
}

/// Returns the text that is printed when the user quits during a game.
pub(super) fn unfinished(view: &View) -> String {
    let moves = count(moves(view), "move");
    format!(
        "The game stays unfinished after {moves}. {}",
        score_of(view)
    )
}

fn result(view: &View) -> String {
    let [x, o] = view.nested.map_or([0, 0], |nested| nested.score);
    let (sides, by) = match &view.outcome {
        Some(Conclusion::Won { sides, by }) => (sides, by),
        Some(Conclusion::Draw { .. }) => return draw(view, x),
        Some(Conclusion::Abandoned | Conclusion::Aborted) | None => {
            return "Nobody wins.".to_owned();
        }
    };
    let (winner, loser) = match sides.contains(Side::FIRST) {
        true => (name(Side::FIRST), name(Side::SECOND)),
        false => (name(Side::SECOND), name(Side::FIRST)),
    };
    match by {
        WinReason::Points => format!(
            "{winner} wins with {} to {}.",
            count(x.max(o), "board"),
            x.min(o)
        ),
        WinReason::Boards(boards) => {
            let boards: Vec<String> = boards.iter().map(ToString::to_string).collect();
            format!("{winner} wins with boards {} in a line.", boards.join(", "))
        }
        WinReason::Resignation => format!("{winner} wins: {loser} gave up."),
        WinReason::Leaving => format!("{winner} wins: {loser} left."),
        WinReason::Time => format!("{winner} wins: {loser} ran out of time."),
        WinReason::Claim => format!("{winner} wins: {loser} was away."),
        WinReason::Line(_) => format!("{winner} wins."),
    }
}

fn draw(view: &View, each: usize) -> String {
    let scoring = match view.variant {
        Variant::Nested(spec) => spec.scoring(),
        Variant::Grid(_) => Scoring::MostBoards,
    };
    match scoring {
        Scoring::MetaLine => "A draw: nobody has three boards in a line.".to_owned(),
        Scoring::MostBoards => format!("A draw: {} each.", count(each, "board")),
    }
}

fn score_of(view: &View) -> String {
    view.nested.map_or(String::new(), |nested| score(&nested))
}

/// The number of marks on the boards.
fn moves(view: &View) -> usize {
    view.marks.iter().flatten().count()
}

fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}
