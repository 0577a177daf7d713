//! The texts of the menu game.

use noughts_rules::{Conclusion, GridSpec, Quoted, Seat, Side, View, WinReason};

use crate::completed_lines;
use crate::holder::Holder;

pub(super) const MENU: &str = "
1  human against human
2  human against robot
3  robot against robot
4  quit";
pub(super) const CHOICE: &str = "Your choice (1 to 4):";
pub(super) const NO_CHOICE: &str = "Please type a number from 1 to 4.";
pub(super) const PLAY_AGAIN: &str = "Play again? (y/n):";
pub(super) const NO_ANSWER: &str = "Please type y for yes or n for no.";
pub(super) const GOODBYE: &str = "Goodbye.";
pub(super) const ROW: &str = "row";
pub(super) const COLUMN: &str = "column";

pub(super) fn welcome(spec: &GridSpec) -> String {
    format!(
        "Welcome to Noughts. The board is {} by {}, {} in a line win.\n:q leaves at any time.",
        spec.rows(),
        spec.columns(),
        spec.line()
    )
}

/// The text of a cell, three characters wide.
pub(super) fn cell(mark: Option<Side>) -> &'static str {
    match mark {
        None => "   ",
        Some(Side::FIRST) => " X ",
        Some(_) => " O ",
    }
}

fn name(side: Side) -> &'static str {
    cell(Some(side)).trim()
}

fn seat_name(seat: Seat) -> &'static str {
    Side::new(seat.0).map_or("", name)
}

/// Says who plays X and O, at the start of a game.
pub(super) fn opening(holders: &[Holder; 2]) -> String {
    match holders {
        [Holder::Human(_), Holder::Human(_)] => "\nTwo humans: X begins, then O.".to_owned(),
        [Holder::Human(_), Holder::Robot(robot)] => {
            format!("\nYou are X and begin. The robot is O ({robot}).")
        }
        [Holder::Robot(x), Holder::Robot(o)] => {
            format!("\nTwo robots: X ({x}) begins, then O ({o}).")
        }
        [Holder::Robot(robot), Holder::Human(_)] => {
            format!("\nThe robot is X ({robot}) and begins. You are O.")
        }
    }
}

/// Asks for a row or a column.
pub(super) fn question(what: &str, seat: Seat, count: usize) -> String {
    format!("{}, {what} (0 to {}):", seat_name(seat), count - 1)
}

/// Explains that `typed` is not a row or column.
pub(super) fn no_such(what: &str, typed: &str, count: usize) -> String {
    let last = count - 1;
    let digits = typed.strip_prefix('-').unwrap_or(typed);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match (is_number, typed) {
        (true, _) => format!("There is no {what} {typed}: the {what}s go from 0 to {last}."),
        (false, "") => format!("Please type a number from 0 to {last}."),
        (false, _) => {
            let typed = Quoted::from(typed);
            format!("{typed} is not a number: please type one from 0 to {last}.")
        }
    }
}

pub(super) fn robot_plays(seat: Seat, row: usize, column: usize) -> String {
    format!(
        "\nRobot {} plays row {row}, column {column}.",
        seat_name(seat)
    )
}

/// Reports the completed lines and the winner, or a draw.
pub(super) fn end(view: &View, holders: &[Holder; 2]) -> String {
    let (sides, cells) = match &view.outcome {
        Some(Conclusion::Won {
            sides,
            by: WinReason::Line(cells),
        }) => (sides, cells),
        Some(
            Conclusion::Won { .. }
            | Conclusion::Draw { .. }
            | Conclusion::Abandoned
            | Conclusion::Aborted,
        )
        | None => {
            return "\nThe board is full. Nobody wins.\n".to_owned();
        }
    };
    let mut words = String::new();
    for side in sides.iter() {
        let winner = match holders.get(side.index()) {
            Some(Holder::Robot(_)) => format!("Robot {}", name(side)),
            Some(Holder::Human(_)) | None => name(side).to_owned(),
        };
        for line in completed_lines::in_words(view, cells) {
            words += &format!("\n{winner} completes a line {line}.");
        }
        words += &format!("\n{winner} wins.\n");
    }
    words
}

/// Returns the text that is printed when the user quits during a game.
pub(super) fn unfinished(plays: usize) -> String {
    match plays {
        1 => "The game stays unfinished after 1 play.".to_owned(),
        _ => format!("The game stays unfinished after {plays} plays."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_rules::{Game, Options};

    fn ended(variant: &str, plays: &[&str]) -> Vec<String> {
        let mut game = Game::new(&variant.parse().unwrap(), Options::default()).unwrap();
        for text in plays {
            let seat = game.to_move().unwrap();
            game.act(seat, game.parse_action(text).unwrap()).unwrap();
        }
        let words = end(&game.view(), &[Holder::HUMAN, Holder::HUMAN]);
        words
            .lines()
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn end_lists_rows_before_columns_before_diagonals() {
        assert_eq!(
            ended("3x3k3", &["0-0", "1-0", "0-1", "1-1", "0-2"]),
            ["X completes a line in row 0.", "X wins."]
        );
        // x o x
        // o x x   the last x, in the corner, completes a column and a diagonal
        // o o x
        assert_eq!(
            ended(
                "3x3k3",
                &[
                    "0-0", "0-1", "1-1", "1-0", "0-2", "2-0", "1-2", "2-1", "2-2"
                ]
            ),
            [
                "X completes a line in column 2.",
                "X completes a line on the diagonal from 0-0 to 2-2.",
                "X wins."
            ]
        );
        // A row, a column and both diagonals through the middle of a larger board.
        let plays = [
            "3-1", "0-0", "3-2", "0-2", "1-3", "0-4", "2-3", "0-6", "4-4", "6-0", "5-5", "6-2",
            "4-2", "6-4", "5-1", "6-6", "3-3",
        ];
        assert_eq!(
            ended("7x7k3", &plays),
            [
                "X completes a line in row 3.",
                "X completes a line in column 3.",
                "X completes a line on the diagonal from 3-3 to 5-5.",
                "X completes a line on the diagonal from 3-3 to 5-1.",
                "X wins."
            ]
        );
    }

    #[test]
    fn full_board_is_reported() {
        let plays = [
            "0-0", "0-1", "0-2", "1-1", "1-0", "2-0", "1-2", "2-2", "2-1",
        ];
        assert_eq!(ended("3x3k3", &plays), ["The board is full. Nobody wins."]);
    }

    #[test]
    fn invalid_rows_are_explained() {
        for (typed, said) in [
            ("3", "There is no row 3: the rows go from 0 to 2."),
            ("-1", "There is no row -1: the rows go from 0 to 2."),
            (
                "99999999999999999999",
                "There is no row 99999999999999999999: the rows go from 0 to 2.",
            ),
            ("", "Please type a number from 0 to 2."),
            (
                "top",
                "\"top\" is not a number: please type one from 0 to 2.",
            ),
            ("-", "\"-\" is not a number: please type one from 0 to 2."),
            (
                "\u{1b}[2J",
                "\"\\u{1b}[2J\" is not a number: please type one from 0 to 2.",
            ),
        ] {
            assert_eq!(no_such(ROW, typed, 3), said);
        }
    }
}
