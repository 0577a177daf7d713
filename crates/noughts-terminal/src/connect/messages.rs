//! The texts of the TCP client.

use std::fmt::Display;

use noughts_rules::{Conclusion, Move, Quoted, Seat, Side, WinReason};
use noughts_wire::{GameResult, Text};

use super::options::ConnectSettings;
use super::score::Score;
use super::server_game::{self, ServerGame};
use crate::completed_lines;

pub(super) const PROMPT: &str = "Your move, row and column (0 to 2):";
pub(super) const PLAY_AGAIN: &str = "Play again? (y/n):";
pub(super) const NO_ANSWER: &str = "Please type y for yes or n for no.";
pub(super) const HELP: &str = "Please type row and column, such as 1 0, or :q to leave.";
pub(super) const RESIGN: &str = "The protocol has no resignation; :q leaves.";
pub(super) const REWIND: &str = "Marks can't be taken back here.";
pub(super) const WAITING: &str = "Waiting for somebody to play with.";
pub(super) const NO_GAME_YET: &str =
    "No game yet: the server may be waiting for somebody to play with you.";
pub(super) const NOBODY_CAME: &str = "Nobody had come to play.";
pub(super) const OPPONENTS_TURN: &str = "Waiting for your opponent.";
pub(super) const THINKING: &str = "The server is thinking.";
pub(super) const INPUT_ENDED: &str = "The input has ended: waiting for the answer before leaving.";
pub(super) const SERVER_LEFT: &str = "The server has left, so there is no other game.";
pub(super) const GOODBYE: &str = "Goodbye.";

pub(super) fn symbol(side: Side) -> &'static str {
    match side {
        Side::FIRST => "X",
        _ => "O",
    }
}

fn seat_symbol(seat: Seat) -> &'static str {
    Side::new(seat.0).map_or("", symbol)
}

/// Returns the first line of output: the server's address and this client's name.
pub(super) fn welcome(settings: &ConnectSettings, peer: impl Display) -> String {
    let name = &settings.name;
    match &settings.robot {
        Some(robot) => format!("Connected to {peer} as {name}. The robot is {robot}."),
        None => format!("Connected to {peer} as {name}. :q leaves at any time."),
    }
}

/// Chooses the names of the two players in messages, such as "You" and "The server".
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayerNames {
    is_robot: bool,
    /// Whether the opponent is another client.
    pub(super) is_pair: bool,
}

impl PlayerNames {
    pub(super) fn new(settings: &ConnectSettings) -> PlayerNames {
        PlayerNames {
            is_robot: settings.robot.is_some(),
            is_pair: settings.is_pair,
        }
    }

    fn own(self) -> &'static str {
        match self.is_robot {
            true => "The robot",
            false => "You",
        }
    }

    fn own_within(self) -> &'static str {
        match self.is_robot {
            true => "the robot",
            false => "you",
        }
    }

    fn other(self) -> &'static str {
        match (self.is_pair, self.is_robot) {
            (false, _) => "The server",
            (true, false) => "Your opponent",
            (true, true) => "The opponent",
        }
    }

    /// Returns the text that is printed at the start of a game.
    pub(super) fn opening(self, own: Seat) -> String {
        let (symbol, other) = (seat_symbol(own), self.other());
        let own_is = match self.is_robot {
            true => "The robot is",
            false => "You are",
        };
        let begins = match self.is_robot {
            true => "begins",
            false => "begin",
        };
        match own {
            Seat(0) => format!("\n{own_is} {symbol} and {begins}."),
            _ => format!("\n{own_is} {symbol}. {other} is X and begins."),
        }
    }

    pub(super) fn own_plays(self, at: Move) -> String {
        format!("\n{} plays {}.", self.own(), place(at))
    }

    pub(super) fn other_plays(self, at: Move) -> String {
        format!("\n{} plays {}.", self.other(), place(at))
    }

    /// Reports the result that the server sent (`verdict`), and how the board shows or contradicts this
    /// result.
    pub(super) fn end(self, server_game: &ServerGame, verdict: GameResult) -> String {
        let told = match verdict {
            GameResult::Won => format!("{} won.", self.own()),
            GameResult::Lost => format!("{} lost.", self.own()),
            GameResult::Draw => "Nobody won.".to_owned(),
        };
        match server_game.game().conclusion() {
            Some(end) if server_game.verdict(end) == verdict => {
                format!("{}{told}", self.shown(server_game, end))
            }
            Some(_) => {
                format!("The board says otherwise, but the server's word counts.\n{told}")
            }
            None => format!("{}{told}", self.not_shown(server_game, verdict)),
        }
    }

    /// Describes the completed line or the full board.
    fn shown(self, server_game: &ServerGame, end: &Conclusion) -> String {
        let who = match server_game.verdict(end) {
            GameResult::Won => self.own(),
            GameResult::Lost => self.other(),
            GameResult::Draw => return "The board is full. ".to_owned(),
        };
        let cells = match end {
            Conclusion::Won {
                by: WinReason::Line(cells),
                ..
            } => cells,
            Conclusion::Won { .. }
            | Conclusion::Draw { .. }
            | Conclusion::Abandoned
            | Conclusion::Aborted => {
                return String::new();
            }
        };
        completed_lines::in_words(&server_game.view(), cells)
            .iter()
            .map(|line| format!("{who} completed a line {line}.\n"))
            .collect()
    }

    /// Explains a result that the board does not show.
    fn not_shown(self, server_game: &ServerGame, verdict: GameResult) -> String {
        let other = self.other();
        match verdict {
            GameResult::Won if self.is_pair => format!("{other} left. "),
            GameResult::Won => format!("{other} gave the game up. "),
            GameResult::Lost if !server_game.lasts(verdict).is_empty() => {
                format!("{other} completed a line, in one of two places. ")
            }
            GameResult::Lost | GameResult::Draw => "The server ended the game. ".to_owned(),
        }
    }

    /// Returns the text that is printed when the user quits during a game.
    pub(super) fn left(self, plays: usize) -> String {
        match self.is_pair {
            true => format!(
                "You leave after {}, so your opponent wins.",
                count(plays, "play")
            ),
            false => unfinished(plays),
        }
    }

    /// Describes the score. Returns `None` after fewer than two games.
    pub(super) fn score(self, score: &Score) -> Option<String> {
        let Score { won, lost, drawn } = score;
        (score.games() > 1).then(|| {
            format!(
                "In {} games {} won {won}, lost {lost} and drew {drawn}.",
                score.games(),
                self.own_within()
            )
        })
    }
}

/// Says that the game was not finished.
pub(super) fn unfinished(plays: usize) -> String {
    let plays = count(plays, "play");
    format!("The game stays unfinished after {plays}.")
}

fn place(at: Move) -> String {
    let cell = server_game::cell(at);
    format!("row {}, column {}", cell.row(), cell.column())
}

pub(super) fn off_board(typed: &str) -> String {
    format!("There is no cell {typed}: rows and columns go from 0 to 2.")
}

pub(super) fn unreadable(typed: &Quoted) -> String {
    format!("{typed} is not a move. {HELP}")
}

/// Reports an error from the server. `at` is the play that caused the error, if known.
pub(super) fn complaint(at: Option<Move>, code: u8, text: &Text) -> String {
    match at {
        Some(at) => {
            let cell = server_game::cell(at);
            format!("The server refused {cell}; its words: {text} (error {code}).")
        }
        None => format!("The server sent an error; its message: {text} (error {code})."),
    }
}

fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}
