//! What a classic program must show, computed from the rules.

use super::cause::{Direction, Line, Trigger};
use noughts_rules::{Action, Conclusion, Game, GridSpec, Options, Seat, Side, Variant};

/// The game that the program should show.
#[derive(Clone)]
pub(super) struct Model {
    game: Game,
    /// The symbol of each seat.
    symbols: Vec<char>,
    /// The symbol of each side.
    marks: Vec<char>,
    /// The length of a line that wins.
    win: usize,
    has_quit: bool,
}

/// A typed command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command {
    Play(i64, i64),
    Rewind(i64),
    Quit,
    Invalid,
}

/// The error message for a command. `None` for a command without an error.
pub(super) type Message = Option<&'static str>;

pub(super) const INVALID: &str = "Invalid command";
pub(super) const ILLEGAL: &str = "Illegal play";
pub(super) const UNABLE: &str = "Unable to rewind";

impl Model {
    /// Creates the game for `options`. Returns `None` if the options are not allowed. If `equal_is_one` is true,
    /// players with equal symbols are one side.
    pub(super) fn new(options: &[String], equal_is_one: bool) -> Option<Model> {
        let parsed = ParsedOptions::read(options)?;
        let symbols: Vec<char> = parsed.players.chars().collect();
        let mut marks: Vec<char> = Vec::new();
        let mut order = Vec::new();
        for symbol in &symbols {
            let known = marks
                .iter()
                .position(|mark| mark == symbol)
                .filter(|_| equal_is_one);
            let side = known.unwrap_or_else(|| {
                marks.push(*symbol);
                marks.len() - 1
            });
            order.push(Side::new(side as u8)?);
        }
        let sides = u8::try_from(marks.len().max(2)).ok()?;
        let spec = GridSpec::new(parsed.size, parsed.size, parsed.win)
            .ok()?
            .with_sides(sides)
            .ok()?;
        if usize::from(parsed.history) >= spec.cells() || parsed.history == 0 || symbols.len() < 2 {
            return None;
        }
        if parsed.win > parsed.size {
            return None;
        }
        let options = Options {
            history: parsed.history,
            order,
        };
        let game = Game::new(&Variant::Grid(spec), options).ok()?;
        Some(Model {
            game,
            symbols,
            marks,
            win: parsed.win.into(),
            has_quit: false,
        })
    }

    pub(super) fn is_over(&self) -> bool {
        self.game.to_move().is_none()
    }

    pub(super) fn quit(&mut self) {
        self.has_quit = true;
    }

    pub(super) fn has_quit(&self) -> bool {
        self.has_quit
    }

    pub(super) fn sides(&self) -> usize {
        self.marks.len()
    }

    /// The line with the number of the turn, such as `Turn: 1`.
    pub(super) fn turn_line(&self) -> String {
        format!("Turn: {}", self.game.turns().len() + 1)
    }

    /// The prompt, such as `Enter your turn (x):`.
    pub(super) fn prompt(&self) -> String {
        let seat = self.game.to_move().map_or(0, |seat| usize::from(seat.0));
        format!("Enter your turn ({}):", self.symbols[seat])
    }

    pub(super) fn board_lines(&self) -> Vec<String> {
        let columns = self.size();
        let rule = "-".repeat(2 * columns + 1);
        let mut lines = vec![rule.clone()];
        for row in self.game.diagram().marks.chunks(columns) {
            let cells: String = row
                .iter()
                .map(|mark| format!("|{}", mark.map_or(' ', |side| self.marks[side.index()])))
                .collect();
            lines.push(cells + "|");
            lines.push(rule.clone());
        }
        lines
    }

    /// The lines that the program shows when the game has ended.
    pub(super) fn end_lines(&self) -> Vec<String> {
        let mut lines = vec![format!("Game over after {} turns", self.game.turns().len())];
        lines.extend(self.board_lines());
        if let Some(Conclusion::Won { sides, .. }) = self.game.conclusion() {
            let winners = sides.iter().map(|side| self.marks[side.index()]);
            lines.extend(winners.map(|winner| format!("Winner is '{winner}'")));
        }
        lines
    }

    /// Executes a play or a rewind as the course document says. [`Command::Quit`] and [`Command::Invalid`] change
    /// nothing and return [`INVALID`].
    pub(super) fn execute(&mut self, command: Command) -> Message {
        let seat = self.game.to_move().unwrap_or(Seat(0));
        let (action, refusal) = match command {
            Command::Quit | Command::Invalid => return Some(INVALID),
            Command::Rewind(count) => match u16::try_from(count) {
                Ok(count) => (Action::Rewind(count), UNABLE),
                Err(_) => return Some(UNABLE),
            },
            Command::Play(row, column) => {
                let at = usize::try_from(row).ok().zip(usize::try_from(column).ok());
                match at.and_then(|(row, column)| self.game.variant().move_at(row, column)) {
                    Some(at) => (Action::Play(at), ILLEGAL),
                    None => return Some(ILLEGAL),
                }
            }
        };
        match self.game.act(seat, action) {
            Ok(()) => None,
            Err(_) => Some(refusal),
        }
    }

    /// The kind of a command, and its error message. Does not execute the command.
    pub(super) fn trigger(&self, command: Command) -> (Trigger, Message) {
        if command == Command::Quit {
            return (Trigger::Quit, None);
        }
        let mut after = self.clone();
        let message = after.execute(command);
        let trigger = match (command, message) {
            (Command::Play(row, column), Some(_)) => {
                let size = self.size() as i64;
                match (0..size).contains(&row) && (0..size).contains(&column) {
                    true => Trigger::Taken,
                    false => Trigger::OffBoard,
                }
            }
            (Command::Rewind(_), Some(_)) => Trigger::Unable,
            (Command::Rewind(_), None) => Trigger::Rewind,
            (Command::Play(..), None) => match after.last_line() {
                _ if !after.is_over() => Trigger::Play {
                    has_run: after.longest_run() >= 3,
                },
                Some(line) => Trigger::Line(line),
                None => Trigger::Full,
            },
            (Command::Invalid | Command::Quit, _) => Trigger::Invalid,
        };
        (trigger, message)
    }

    fn size(&self) -> usize {
        match self.game.variant() {
            Variant::Grid(spec) => spec.columns(),
            Variant::Nested(_) => 9,
        }
    }

    /// For each direction, counts the marks of the same side that continue from the last mark without a gap.
    /// The first number counts the marks above the last mark (in a row: to the left of it). The second number
    /// counts the marks below it (in a row: to the right of it).
    fn runs(&self) -> Vec<(Direction, usize, usize)> {
        let Some(last) = self.game.plays().last() else {
            return Vec::new();
        };
        let (size, marks) = (self.size() as isize, self.game.diagram().marks);
        let at = last.at.index() as isize;
        let run = |down: isize, right: isize| {
            let mut count = 0;
            let (mut row, mut column) = (at / size + down, at % size + right);
            while (0..size).contains(&row)
                && (0..size).contains(&column)
                && marks[(row * size + column) as usize] == Some(last.by)
            {
                count += 1;
                (row, column) = (row + down, column + right);
            }
            count
        };
        [
            (Direction::Row, 0, 1),
            (Direction::Column, 1, 0),
            (Direction::Diagonal, 1, 1),
            (Direction::OtherDiagonal, 1, -1),
        ]
        .map(|(direction, down, right)| (direction, run(-down, -right), run(down, right)))
        .to_vec()
    }

    fn longest_run(&self) -> usize {
        let lengths = self.runs().into_iter();
        let longest = lengths.map(|(_, before, behind)| before + behind + 1).max();
        longest.unwrap_or(0)
    }

    /// The line that the last play has completed. If the last play has completed several lines, the longest of them.
    pub(super) fn last_line(&self) -> Option<Line> {
        let last = self.game.plays().last()?;
        let (size, at) = (self.size(), last.at.index());
        let (row, column) = (at / size, at % size);
        let runs = self.runs().into_iter();
        let (direction, before, behind) = runs.max_by_key(|(_, before, behind)| before + behind)?;
        let length = before + behind + 1;
        (length >= self.win).then_some(Line {
            direction,
            is_beside: match direction {
                Direction::Row | Direction::Column => false,
                Direction::Diagonal => row != column,
                Direction::OtherDiagonal => row + column != size - 1,
            },
            is_middle: before > 0 && behind > 0,
            is_long: length > self.win,
            is_others: last.by.index() > 0,
            fills_board: self.game.plays().len() == size * size,
        })
    }

    /// Executes the commands `typed` and returns the completed line of symbols that ended the game, if any.
    pub(super) fn line_after(mut self, typed: &[Vec<u8>]) -> Option<Line> {
        for line in typed {
            match self.is_over() {
                true => break,
                false => drop(self.execute(Command::read(line))),
            }
        }
        if self.is_over() {
            self.last_line()
        } else {
            None
        }
    }

    /// The number of marks on the board.
    pub(super) fn marks(&self) -> i64 {
        self.game.plays().len() as i64
    }

    /// Whether the last turn was a rewind.
    pub(super) fn has_just_rewound(&self) -> bool {
        let last = self.game.turns().last();
        last.is_some_and(|turn| matches!(turn.action, Action::Rewind(_)))
    }

    pub(super) fn history(&self) -> i64 {
        self.game.history().into()
    }
}

/// The program's options, as the course document defines them.
struct ParsedOptions {
    size: u8,
    win: u8,
    history: u16,
    players: String,
}

impl ParsedOptions {
    fn read(words: &[String]) -> Option<ParsedOptions> {
        let mut parsed = ParsedOptions {
            size: 3,
            win: 3,
            history: 1,
            players: "xo".to_owned(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, value.to_owned()),
                _ => (&**word, words.next()?.clone()),
            };
            match name {
                "-s" | "--size" => parsed.size = value.parse().ok()?,
                "-w" | "--win" => parsed.win = value.parse().ok()?,
                "-h" | "--history" => parsed.history = value.parse().ok()?,
                "-p" | "--players" => parsed.players = value,
                _ => return None,
            }
        }
        Some(parsed)
    }
}

impl Command {
    /// Parses a typed line in the strict interpretation of the course document.
    pub(super) fn read(line: &[u8]) -> Command {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = std::str::from_utf8(line).unwrap_or("?");
        let read = || {
            if text == ":q" {
                return Some(Command::Quit);
            }
            if let Some(count) = text.strip_prefix("<<") {
                return number(count).map(Command::Rewind);
            }
            let (row, column) = text.split_once(' ')?;
            Some(Command::Play(number(row)?, number(column)?))
        };
        read().unwrap_or(Command::Invalid)
    }

    /// Other interpretations of a typed line that the course document does not exclude.
    pub(super) fn others(line: &[u8]) -> Vec<Command> {
        let exact = Command::read(line);
        let text = String::from_utf8_lossy(line);
        let mut others = Vec::new();
        // White space around numbers, and a sign before them, may be allowed.
        let loose = text
            .split_whitespace()
            .map(|word| match word.strip_prefix('+') {
                Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => number,
                _ => word,
            })
            .collect::<Vec<_>>()
            .join(" ");
        let loose = loose.replace("<< ", "<<").replace("<<+", "<<");
        others.push(Command::read(loose.as_bytes()));
        // A number in an unusual form may be refused.
        let is_unusual = |word: &str| {
            let digits = word.trim_start_matches("<<");
            digits.starts_with(['-', '+'])
                || digits.len() > 1 && digits.starts_with('0')
                || digits.len() > 9
        };
        if text.split_whitespace().any(is_unusual) {
            others.push(Command::Invalid);
        }
        others.retain(|other| *other != exact);
        others
    }
}

/// Parses `-?[0-9]+`. A number that is too large saturates.
fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(i64::MAX);
    Some(if text.starts_with('-') { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_strict_reading_and_sometimes_others() {
        use Command::{Invalid, Play, Quit, Rewind};
        for (line, exact, others) in [
            ("1 2\n", Play(1, 2), &[][..]),
            ("1 2\r\n", Play(1, 2), &[]),
            (" 1 2\n", Invalid, &[Play(1, 2)]),
            ("1  2\n", Invalid, &[Play(1, 2)]),
            ("+1 2\n", Invalid, &[Play(1, 2)]),
            ("-1 2\n", Play(-1, 2), &[Invalid]),
            ("01 2\n", Play(1, 2), &[Invalid]),
            ("99999999999999999999 0\n", Play(i64::MAX, 0), &[Invalid]),
            ("<<1\n", Rewind(1), &[]),
            ("<<-1\n", Rewind(-1), &[Invalid]),
            ("<< 1\n", Invalid, &[Rewind(1)]),
            (":q \n", Invalid, &[Quit]),
            ("hello\n", Invalid, &[]),
            ("1\n", Invalid, &[]),
        ] {
            assert_eq!(Command::read(line.as_bytes()), exact, "{line:?}");
            assert_eq!(Command::others(line.as_bytes()), others, "{line:?}");
        }
    }
}
