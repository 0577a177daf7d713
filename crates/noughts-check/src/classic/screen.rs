//! What a program has shown, taken apart where the document does not care.

/// What is on the screen, without blank lines and what stands around lines.
pub(super) struct Screen {
    pub(super) words: Vec<Word>,
}

/// A line, or the prompt, which may share its line with what follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Word {
    Line(String),
    Prompt(String),
}

const PROMPT: &str = "Enter your turn (";
const DELIMITER: &str = "===";

impl Screen {
    pub(super) fn read(output: &[u8]) -> Screen {
        let text = String::from_utf8_lossy(output);
        let mut words = Vec::new();
        for line in text.lines() {
            let mut rest = line.trim();
            if let Some((prompt, after)) = split_prompt(rest) {
                words.push(Word::Prompt(prompt.to_owned()));
                rest = after.trim();
            }
            if !rest.is_empty() {
                words.push(Word::Line(rest.to_owned()));
            }
        }
        Screen { words }
    }

    pub(super) fn shows_a_game(&self) -> bool {
        let is_turn = |word: &Word| matches!(word, Word::Line(line) if line.starts_with("Turn:"));
        self.words.iter().any(is_turn)
    }

    /// Where what follows begins if here stand the delimiter and, before or behind it, the message.
    pub(super) fn reply(&self, at: usize, message: Option<&str>) -> Option<usize> {
        let delimiter = Word::Line(DELIMITER.to_owned());
        let rest = self.words.get(at..)?;
        match message {
            None => (rest.first() == Some(&delimiter)).then_some(at + 1),
            Some(message) => {
                let message = Word::Line(message.to_owned());
                let [one, other] = rest.first_chunk()?;
                let fits = (one, other) == (&message, &delimiter)
                    || (one, other) == (&delimiter, &message);
                fits.then_some(at + 2)
            }
        }
    }
}

/// The prompt with its colon, and what stands behind it.
fn split_prompt(line: &str) -> Option<(&str, &str)> {
    let symbol = line.strip_prefix(PROMPT)?;
    // The symbol may be a parenthesis itself.
    let end = symbol.char_indices().nth(1)?.0;
    let after = symbol[end..].strip_prefix("):")?;
    Some((&line[..line.len() - after.len()], after))
}

/// The lines as on a terminal, where what is typed stands behind its prompt.
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

/// A typed line, with what can't be seen written out.
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
    fn a_prompt_is_found_wherever_its_line_ends() {
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
    fn whatever_a_program_shows_can_be_shown_again() {
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
