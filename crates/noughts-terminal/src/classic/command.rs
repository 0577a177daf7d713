//! Parses a typed line byte by byte, so that long lines need no memory.

use std::io::{self, BufRead};

/// A parsed line of input. Numbers that do not fit into `i64` saturate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// `1 2`: row and column.
    Play {
        /// The row, counted from 0 at the top. It may be off the board.
        row: i64,
        /// The column, counted from 0 at the left. It may be off the board.
        column: i64,
    },
    /// `<<2`: the number of marks to take back. It may be negative.
    Rewind(i64),
    /// `:q`: the user quits.
    Quit,
    /// `help` or `?`. The specification of the classic game does not define this command. The game prints the message
    /// for an invalid command, and also shows a hint.
    Help,
    /// Anything else.
    Invalid,
}

/// Reads one line. Returns `None` at the end of input. The last line may lack a newline.
pub fn read_command(input: &mut impl BufRead) -> io::Result<Option<Command>> {
    let mut parser = Parser::default();
    let mut any = false;
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            return Ok(any.then(|| parser.finish()));
        }
        any = true;
        let newline = bytes.iter().position(|byte| *byte == b'\n');
        let (line, used) = match newline {
            Some(at) => (&bytes[..at], at + 1),
            None => (bytes, bytes.len()),
        };
        line.iter().for_each(|byte| parser.read(*byte));
        input.consume(used);
        if newline.is_some() {
            return Ok(Some(parser.finish()));
        }
    }
}

/// The parser's state within a line.
#[derive(Default)]
struct Parser {
    state: State,
    /// Whether the last byte was a carriage return. A carriage return is ignored at the end of a line. Anywhere else,
    /// it makes the line invalid.
    carriage_return: bool,
}

#[derive(Clone, Copy, Default)]
enum State {
    #[default]
    Start,
    Colon,
    Quit,
    Less,
    Rewind(Number),
    Row(Number),
    Column(i64, Number),
    /// The number of letters of [`HELP`] read so far.
    Help(usize),
    Invalid,
}

const HELP: &[u8] = b"help";

impl Parser {
    fn read(&mut self, byte: u8) {
        if self.carriage_return {
            self.state = State::Invalid;
        } else if byte == b'\r' {
            self.carriage_return = true;
        } else {
            self.state = self.state.after(byte).unwrap_or(State::Invalid);
        }
    }

    fn finish(self) -> Command {
        let understood = match self.state {
            State::Quit => Some(Command::Quit),
            State::Help(letters) => (letters == HELP.len()).then_some(Command::Help),
            State::Rewind(count) => count.value().map(Command::Rewind),
            State::Column(row, column) => {
                column.value().map(|column| Command::Play { row, column })
            }
            State::Start | State::Colon | State::Less | State::Row(_) | State::Invalid => None,
        };
        understood.unwrap_or(Command::Invalid)
    }
}

impl State {
    /// Returns the state after one more byte. Returns `None` if no command begins with the bytes read so far.
    fn after(self, byte: u8) -> Option<State> {
        match (self, byte) {
            (State::Start, b':') => Some(State::Colon),
            (State::Colon, b'q') => Some(State::Quit),
            (State::Start, b'<') => Some(State::Less),
            (State::Less, b'<') => Some(State::Rewind(Number::default())),
            (State::Rewind(count), _) => count.after(byte).map(State::Rewind),
            (State::Start, b'?') => Some(State::Help(HELP.len())),
            (State::Start, b'h') => Some(State::Help(1)),
            (State::Help(letters), _) => {
                let is_next = HELP.get(letters) == Some(&byte);
                is_next.then_some(State::Help(letters + 1))
            }
            (State::Start, _) => Number::default().after(byte).map(State::Row),
            (State::Row(row), b' ') => Some(State::Column(row.value()?, Number::default())),
            (State::Row(row), _) => row.after(byte).map(State::Row),
            (State::Column(row, column), _) => {
                column.after(byte).map(|column| State::Column(row, column))
            }
            (State::Colon | State::Quit | State::Less | State::Invalid, _) => None,
        }
    }
}

/// The part of a number (`-?[0-9]+`) that was read so far.
#[derive(Clone, Copy, Default)]
struct Number {
    negative: bool,
    /// The absolute value. `None` before the first digit.
    size: Option<i64>,
}

impl Number {
    fn after(self, byte: u8) -> Option<Number> {
        match byte {
            b'-' if !self.negative && self.size.is_none() => Some(Number {
                negative: true,
                ..self
            }),
            b'0'..=b'9' => {
                let size = self.size.unwrap_or(0).saturating_mul(10);
                Some(Number {
                    size: Some(size.saturating_add((byte - b'0').into())),
                    ..self
                })
            }
            _ => None,
        }
    }

    fn value(self) -> Option<i64> {
        self.size
            .map(|size| if self.negative { -size } else { size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[u8]) -> Command {
        let mut input = line;
        read_command(&mut input).unwrap().unwrap_or(Command::Quit)
    }

    fn play(row: i64, column: i64) -> Command {
        Command::Play { row, column }
    }

    #[test]
    fn commands_are_read() {
        for (line, command) in [
            ("1 2", play(1, 2)),
            ("1 2\n", play(1, 2)),
            ("1 2\r\n", play(1, 2)),
            ("11 10\n", play(11, 10)),
            ("007 00\n", play(7, 0)),
            ("-1 2\n", play(-1, 2)),
            ("-0 -0\n", play(0, 0)),
            ("99999999999999999999 0\n", play(i64::MAX, 0)),
            ("<<0\n", Command::Rewind(0)),
            ("<<12\n", Command::Rewind(12)),
            ("<<-1\n", Command::Rewind(-1)),
            ("<<007\n", Command::Rewind(7)),
            (":q\n", Command::Quit),
            (":q", Command::Quit),
            (":q\r\n", Command::Quit),
        ] {
            assert_eq!(read(line.as_bytes()), command, "{line:?}");
        }
    }

    #[test]
    fn anything_else_is_invalid() {
        for line in [
            "\n",
            "\r\n",
            " \n",
            "1\n",
            "1 \n",
            " 1 1\n",
            "1 1 \n",
            "1  1\n",
            "1\t1\n",
            "+1 1\n",
            "1 +1\n",
            "1 1 1\n",
            "1,1\n",
            "1-1\n",
            "--1 1\n",
            "- 1\n",
            "1 -\n",
            "-1- 1\n",
            "a b\n",
            "١ ١\n",
            "0x1 1\n",
            "1. 1\n",
            "<<\n",
            "<< 1\n",
            "<<1 \n",
            "<<+1\n",
            "<<-\n",
            "<<1 1\n",
            "<<<1\n",
            "<1\n",
            "<<a\n",
            ":\n",
            ":Q\n",
            ":q \n",
            " :q\n",
            ":qq\n",
            "q\n",
            "1 1\r\r\n",
            "1\r 1\n",
            "\u{feff}1 1\n",
            "1\u{a0}1\n",
            "1 1\0\n",
        ] {
            assert_eq!(read(line.as_bytes()), Command::Invalid, "{line:?}");
        }
        for line in ["help", "?", "help\r\n"] {
            assert_eq!(read(line.as_bytes()), Command::Help, "{line:?}");
        }
        for line in ["h", "hel", "helps", "help ", "??", "Help", " help"] {
            assert_eq!(read(line.as_bytes()), Command::Invalid, "{line:?}");
        }
        assert_eq!(read(b"\xff\xfe 1\n"), Command::Invalid);
        assert_eq!(read(b"1 \xc3\n"), Command::Invalid);
    }

    #[test]
    fn lines_follow_one_another_however_they_arrive() {
        let text: &[u8] = b"1 1\n\n<<1\r\n:q\n2 2";
        for size in 1..text.len() {
            let mut input = io::BufReader::with_capacity(size, text);
            let all: Vec<_> = std::iter::from_fn(|| read_command(&mut input).unwrap()).collect();
            let expected = [
                play(1, 1),
                Command::Invalid,
                Command::Rewind(1),
                Command::Quit,
                play(2, 2),
            ];
            assert_eq!(all, expected, "read {size} bytes at a time");
        }
    }
}
