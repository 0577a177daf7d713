//! Splits a program's output into lines, messages and prompts. Ignores blank lines and spaces around lines, because the
//! course document does not define them.

use super::model::{ILLEGAL, INVALID, UNABLE};

/// The output without blank lines and without spaces around lines.
pub(super) struct Screen {
    pub(super) words: Vec<Word>,
}

/// A line, a message, or a prompt. Several of them may be on one line of the output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Word {
    Line(String),
    Prompt(String),
}

const PROMPT: &str = "Enter your turn (";
const DELIMITER: &str = "===";

/// Texts that have no newline in the course's message constants, so that other text may follow on the same line.
const MESSAGES: [&str; 4] = [DELIMITER, INVALID, ILLEGAL, UNABLE];

/// Where a program's reply to a command ends, and whether the reply has a delimiter.
pub(super) struct Reply {
    /// The index of the word at which the next turn starts.
    pub(super) next: usize,
    pub(super) has_delimiter: bool,
}

impl Screen {
    pub(super) fn read(output: &[u8]) -> Screen {
        let text = String::from_utf8_lossy(output);
        let mut words = Vec::new();
        for line in text.lines() {
            let mut rest = line.trim();
            while !rest.is_empty() {
                if let Some((prompt, after)) = split_prompt(rest) {
                    words.push(Word::Prompt(prompt.to_owned()));
                    rest = after.trim();
                    continue;
                }
                let message = MESSAGES.iter().find(|message| rest.starts_with(**message));
                let (word, after) = rest.split_at(message.map_or(rest.len(), |one| one.len()));
                words.push(Word::Line(word.to_owned()));
                rest = after.trim();
            }
        }
        Screen { words }
    }

    pub(super) fn has_delimiter(&self) -> bool {
        self.words.contains(&Word::Line(DELIMITER.to_owned()))
    }

    pub(super) fn shows_a_game(&self) -> bool {
        let is_turn = |word: &Word| matches!(word, Word::Line(line) if line.starts_with("Turn:"));
        self.words.iter().any(is_turn)
    }

    /// Parses a reply, which starts at the word `at`. If a message is expected, the reply is this message with a
    /// delimiter before or after it, or without a delimiter. If no message is expected, the reply is a delimiter. The
    /// delimiter may then be missing only if the program never shows a delimiter. Returns `None` if the output differs.
    pub(super) fn reply(&self, at: usize, message: Option<&str>) -> Option<Reply> {
        let delimiter = Word::Line(DELIMITER.to_owned());
        let rest = self.words.get(at..).filter(|rest| !rest.is_empty())?;
        let reply = |words, has_delimiter| {
            Some(Reply {
                next: at + words,
                has_delimiter,
            })
        };
        let Some(message) = message else {
            return match rest.first() == Some(&delimiter) {
                true => reply(1, true),
                false if !self.has_delimiter() => reply(0, false),
                false => None,
            };
        };
        let message = Word::Line(message.to_owned());
        match rest {
            [one, other, ..]
                if (one, other) == (&message, &delimiter)
                    || (one, other) == (&delimiter, &message) =>
            {
                reply(2, true)
            }
            [one, ..] if *one == message => reply(1, false),
            _ => None,
        }
    }
}

/// Splits a line into the prompt with its colon and the text after it. Returns `None` if the line does not start with a
/// prompt.
pub(super) fn split_prompt(line: &str) -> Option<(&str, &str)> {
    let symbol = line.strip_prefix(PROMPT)?;
    // The symbol itself may be a parenthesis.
    let end = symbol.char_indices().nth(1)?.0;
    let after = symbol[end..].strip_prefix("):")?;
    Some((&line[..line.len() - after.len()], after))
}

/// Returns the lines, messages and prompts of the output, with the typed text after each prompt.
pub(super) fn as_seen(output: &[u8], typed: &[Vec<u8>]) -> Vec<String> {
    let mut typed = typed.iter();
    let mut lines = Vec::new();
    for word in Screen::read(output).words {
        lines.push(match word {
            Word::Line(line) => super::diff::safe(&line),
            Word::Prompt(prompt) => match typed.next() {
                Some(line) => format!("{} {}", super::diff::safe(&prompt), typed_words(line)),
                None => super::diff::safe(&prompt),
            },
        });
    }
    lines
}

/// Returns the typed text after the prompt in a line of [`as_seen`], in quotes.
pub(super) fn typed_after_prompt(line: &str) -> Option<String> {
    let (_, typed) = split_prompt(line)?;
    let typed = typed.trim_start();
    match (typed.is_empty(), typed.starts_with('"')) {
        (true, _) => None,
        (false, true) => Some(typed.to_owned()),
        (false, false) => Some(format!("\"{typed}\"")),
    }
}

/// A typed line without its newline. It is quoted and escaped if it is empty, or if characters in it would be
/// invisible.
pub(super) fn typed_words(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let plain = !text.is_empty() && text.trim() == text && !text.contains(char::is_control);
    match plain {
        true => text.to_owned(),
        false => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Word {
        Word::Line(text.to_owned())
    }

    #[test]
    fn prompts_and_messages_are_found_without_newlines() {
        let prompt = || Word::Prompt("Enter your turn (x):".to_owned());
        for (output, words) in [
            ("Enter your turn (x): ===\n\n", vec![prompt(), line("===")]),
            (
                "Enter your turn (x): \r\n===\r\n",
                vec![prompt(), line("===")],
            ),
            ("Enter your turn (x):", vec![prompt()]),
            ("Enter your turn (x)", vec![line("Enter your turn (x)")]),
            ("  Turn: 1  \n\n\n", vec![line("Turn: 1")]),
            (
                "Enter your turn (x): Illegal play===\n",
                vec![prompt(), line("Illegal play"), line("===")],
            ),
        ] {
            assert_eq!(Screen::read(output.as_bytes()).words, words, "{output:?}");
        }
        let odd = Screen::read("Enter your turn ()): ===".as_bytes()).words;
        assert_eq!(
            odd,
            [Word::Prompt("Enter your turn ()):".to_owned()), line("===")]
        );
    }

    #[test]
    fn any_output_can_be_shown() {
        let pieces: [&[u8]; 7] = [
            b"Enter your turn (",
            b"\xff\xfe\x00",
            "é🦀".as_bytes(),
            b"):",
            b"\n",
            b"\x1b[2J===",
            b"Turn: 99999999999999999999",
        ];
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let output = [first, second, third].concat();
                    let seen = as_seen(&output, &[b"\x00\xff".to_vec()]);
                    assert!(
                        seen.iter().all(|line| !line.contains(char::is_control)),
                        "{seen:?}"
                    );
                }
            }
        }
    }
}
