//! Faults that repeat from case to case, such as an extra line of debug output. A separate rule reports each kind of
//! fault once. The kit removes the extra lines from the output before it checks the cases.

use std::collections::BTreeMap;

use super::screen::{Screen, Word};
use crate::verdict::{Fact, Finding, Verdict, Weight};

/// A rule about all cases.
#[derive(Clone, Copy, Debug)]
pub struct RecurringRule {
    /// The rule's short name.
    pub name: &'static str,
    /// What the rule says.
    pub claim: &'static str,
    /// The sentence of the course document that demands the rule, or why the document leaves the rule open.
    pub source: &'static str,
    /// How much the rule counts. Breaking the rule is a fault if the course document demands it.
    pub weight: Weight,
}

const SEQUENCE: &str = "User interface: \"The exact sequence of the output printed to stdout in each turn should thus be as \
     follows: Message.TURN_COUNTER, formatted board output, Message.TURN_PROMPT, Message.TURN_DELIMITER\"";

/// The rules about all cases.
pub const RECURRING_RULES: [RecurringRule; 3] = [
    RecurringRule {
        name: "extra-lines",
        claim: "the program prints nothing but turns, boards, prompts, messages and the end",
        source: SEQUENCE,
        weight: Weight::Demanded,
    },
    RecurringRule {
        name: "delimiter",
        claim: "=== follows every turn",
        source: SEQUENCE,
        weight: Weight::Demanded,
    },
    RecurringRule {
        name: "redraw",
        claim: "after an error the turn is shown again: its number, the board and the prompt",
        source: "the document says that the turn is repeated, but has no example of it",
        weight: Weight::Open,
    },
];

/// The deviations that repeat from case to case, counted over all cases.
#[derive(Default)]
pub(super) struct Recurring {
    /// For each form of extra lines (see `form`): an example, and the number of cases that have a line of this form.
    extra: BTreeMap<String, (String, usize)>,
    /// The number of outputs that show a game.
    games: usize,
    pub(super) without_delimiter: usize,
    pub(super) without_redraw: usize,
}

impl Recurring {
    /// Finds the extra lines: lines that are not part of a game, and that repeat. The form of an extra line
    /// occurs in at least three outputs, and in at least 60 % (rounded down) of the outputs that show a game.
    pub(super) fn of(outputs: &[&[u8]]) -> Recurring {
        let mut recurring = Recurring::default();
        for output in outputs {
            let screen = Screen::read(output);
            if !screen.shows_a_game() {
                continue;
            }
            recurring.games += 1;
            let mut seen: BTreeMap<String, String> = BTreeMap::new();
            for word in screen.words {
                if let Word::Line(line) = word
                    && !belongs_to_game(&line)
                {
                    seen.entry(form(&line)).or_insert(line);
                }
            }
            for (form, line) in seen {
                recurring.extra.entry(form).or_insert((line, 0)).1 += 1;
            }
        }
        let least = (recurring.games * 3 / 5).max(3);
        recurring.extra.retain(|_, (_, count)| *count >= least);
        recurring
    }

    /// Returns `output` without the extra lines.
    pub(super) fn remove_from(&self, output: &[u8]) -> Vec<u8> {
        if self.extra.is_empty() {
            return output.to_vec();
        }
        let text = String::from_utf8_lossy(output);
        let mut kept = String::new();
        for line in text.split_inclusive('\n') {
            let is_extra = |text: &str| self.extra.contains_key(&form(text.trim()));
            // Typed text is not part of the output, so an extra line may follow the prompt directly.
            match super::screen::split_prompt(line) {
                _ if is_extra(line) => {}
                Some((prompt, rest)) if is_extra(rest) => {
                    kept.push_str(prompt);
                    kept.push(' ');
                }
                _ => kept.push_str(line),
            }
        }
        kept.into_bytes()
    }

    pub(super) fn verdict(&self, rule: &RecurringRule) -> Verdict {
        let finding = |problem: String, received: String, expected: &str| {
            Verdict::Broken(Finding {
                problem,
                facts: vec![
                    Fact::new("received", received),
                    Fact::new("expected", expected),
                ],
                conversation: Vec::new(),
            })
        };
        match rule.name {
            _ if self.games == 0 => Verdict::NotTried("the program shows no game".to_owned()),
            "extra-lines" if !self.extra.is_empty() => {
                let lines: Vec<String> = self
                    .extra
                    .values()
                    .map(|(line, count)| {
                        format!("\"{}\" in {count} cases", super::diff::safe(line))
                    })
                    .collect();
                finding(
                    "the program prints lines that belong to no turn; the cases below are checked without them"
                        .to_owned(),
                    lines.join(", "),
                    "no such lines on standard output (debug output belongs on standard error)",
                )
            }
            "delimiter" if self.without_delimiter > 0 => finding(
                format!(
                    "the program does not print === in {} cases; they are checked without it",
                    self.without_delimiter
                ),
                "the next turn without === before it".to_owned(),
                "=== and an empty line after every turn",
            ),
            "redraw" if self.without_redraw > 0 => finding(
                format!(
                    "after an error the program asks again without showing the turn, in {} cases",
                    self.without_redraw
                ),
                "the prompt alone".to_owned(),
                "Turn: N, the board, and the prompt",
            ),
            _ => Verdict::holds(),
        }
    }
}

fn belongs_to_game(line: &str) -> bool {
    let starts = [
        "Turn:",
        "===",
        "|",
        "Invalid command",
        "Illegal play",
        "Unable to rewind",
        "Game over after",
        "Winner is",
    ];
    line.chars().all(|sign| sign == '-') || starts.iter().any(|start| line.starts_with(start))
}

/// Returns a line without the parts that change from turn to turn. If the first word has at least three
/// letters, returns only the first word. Otherwise, returns the line with placeholders for numbers and single
/// letters: `x 12 moves` becomes `? # moves`.
fn form(line: &str) -> String {
    // Debug output often repeats the typed text, so only the first word of the line is compared.
    let first = line.split_whitespace().next().unwrap_or_default();
    if first.chars().filter(|sign| sign.is_alphabetic()).count() >= 3 {
        return first.to_owned();
    }
    let mut form = String::new();
    let mut was_digit = false;
    for sign in line.chars() {
        if !sign.is_ascii_digit() {
            form.push(sign);
        } else if !was_digit {
            form.push('#');
        }
        was_digit = sign.is_ascii_digit();
    }
    let is_letter = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric())
            .chars()
            .count()
            == 1
    };
    form.split(' ')
        .map(|word| if is_letter(word) { "?" } else { word })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_line_is_found_and_removed_also_after_a_prompt() {
        let game = "Turn: 1\nEnter your turn (x): DEBUG 1 1 by x\n===\n\nTurn: 2\n";
        let outputs = [game.as_bytes(); 4];
        let recurring = Recurring::of(&outputs);
        let left = recurring.remove_from(b"Turn: 1\nEnter your turn (o): DEBUG 22 0 by o\n===\n");
        assert_eq!(left, b"Turn: 1\nEnter your turn (o): ===\n");
        let own = [
            "Turn: 1\nonce\n".as_bytes(),
            b"Turn: 1\n",
            b"Turn: 1\n",
            b"Turn: 1\n",
        ];
        assert!(Recurring::of(&own).extra.is_empty());
    }
}
