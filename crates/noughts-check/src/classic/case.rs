//! Scripted games as text.
//!
//! ```text
//! # rewind: a rewind takes back marks and passes the turn
//! @ Rewind command: removes the last N symbols
//! $ -h 3
//! > 0 0
//! > 1 2
//! > <<1
//! > :q
//! ```
//!
//! - `#` starts a case. It has the name of the case and the rule that the case checks.
//! - `@` has the sentence of the course document that demands the rule.
//! - `?` instead of `@` marks a rule that the course document leaves open, and says why.
//! - `$` has the options. Single quotes work as in a shell.
//! - `>` has a typed line. `\t`, `\r`, `\\` and `\xHH` stand for bytes, and `\c` at the end omits the
//!   newline.
//! - `= refused` instead of typed lines means that the program must refuse the options.
//! - `= usage` instead of typed lines means that the program must print its usage.
//!
//! Other lines are comments. The kit computes the expected output from the rules of the game.

use std::fmt;

use crate::verdict::Weight;

/// One scripted game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The short name of the case.
    pub name: String,
    /// The rule that the case checks, as a sentence.
    pub claim: String,
    /// The sentence of the course document that demands the rule, or why the document leaves the rule open.
    /// If the case has no `@` line and no `?` line, the source is "a case of your own".
    pub source: String,
    /// How much the rule counts: the course document demands it, or leaves it open.
    pub weight: Weight,
    /// The program's options.
    pub options: Vec<String>,
    /// The typed lines. Each line includes its newline, unless the case omits the newline with `\c`.
    pub typed: Vec<Vec<u8>>,
    /// What the program should do.
    pub expectation: Expectation,
}

/// What a program should do with a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// Play the game.
    Game,
    /// Refuse the options.
    Refusal,
    /// Print the usage of the program.
    Usage,
}

/// An error in the text of scripted games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseError {
    /// The number of the line with the error, from 1.
    pub line: usize,
    /// What is wrong, or what is expected instead.
    pub problem: String,
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for CaseError {}

/// Parses scripted games. docs/conformance.md describes the format.
pub fn read_cases(text: &str) -> Result<Vec<Case>, CaseError> {
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let error = |problem: &str| CaseError {
            line: number + 1,
            problem: problem.to_owned(),
        };
        let (sign, rest) = match line.split_at_checked(1) {
            Some((sign, rest)) => (sign, rest.strip_prefix(' ').unwrap_or(rest)),
            None => continue,
        };
        if sign == "#" {
            let (name, claim) = rest
                .split_once(": ")
                .filter(|(name, _)| !name.is_empty() && !name.contains(' '))
                .ok_or_else(|| {
                    error("a case begins with # NAME: CLAIM, with a name without spaces")
                })?;
            if cases.iter().any(|case| case.name == name) {
                return Err(error("there is a case of this name already"));
            }
            cases.push(Case {
                name: name.to_owned(),
                claim: claim.to_owned(),
                source: "a case of your own".to_owned(),
                weight: Weight::Demanded,
                options: Vec::new(),
                typed: Vec::new(),
                expectation: Expectation::Game,
            });
            continue;
        }
        if !matches!(sign, "@" | "?" | "$" | ">" | "=") {
            continue;
        }
        let case = cases
            .last_mut()
            .ok_or_else(|| error("a case begins with # NAME: CLAIM"))?;
        match (sign, rest) {
            ("@", source) => source.clone_into(&mut case.source),
            ("?", source) => {
                source.clone_into(&mut case.source);
                case.weight = Weight::Open;
            }
            ("$", options) => case.options = words(options),
            (">", typed) => case
                .typed
                .push(typed_bytes(typed).map_err(|why| error(&why))?),
            (_, "refused") => case.expectation = Expectation::Refusal,
            (_, "usage") => case.expectation = Expectation::Usage,
            (_, _) => return Err(error("there is = refused and = usage")),
        }
    }
    Ok(cases)
}

/// Splits `text` into words at spaces. Single quotes work as in a shell. Other quotes and `\` have no special
/// meaning.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for sign in text.chars() {
        match sign {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}

fn typed_bytes(text: &str) -> Result<Vec<u8>, String> {
    let (text, end) = match text.strip_suffix("\\c") {
        Some(unended) => (unended, ""),
        None => (text, "\n"),
    };
    let mut bytes = Vec::new();
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            bytes.extend(sign.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        match signs.next() {
            Some('t') => bytes.push(b'\t'),
            Some('r') => bytes.push(b'\r'),
            Some('\\') => bytes.push(b'\\'),
            Some('x') => {
                let digits: String = signs.by_ref().take(2).collect();
                let byte = u8::from_str_radix(&digits, 16);
                bytes.push(byte.map_err(|_| "\\x is followed by two hexadecimal digits")?);
            }
            _ => return Err("after \\ there may be t, r, \\, xHH, or c at the end".to_owned()),
        }
    }
    bytes.extend(end.bytes());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_read() {
        let text = "words\n# a: b: c\n? open\n$ -p 'x o' -h 3\n> 1\\t1\\r\n>\n> \\xff\\c\n";
        let cases = read_cases(text).unwrap();
        assert_eq!(cases.len(), 1);
        assert_eq!((&*cases[0].name, &*cases[0].claim), ("a", "b: c"));
        assert_eq!(cases[0].weight, Weight::Open);
        assert_eq!(cases[0].options, ["-p", "x o", "-h", "3"]);
        assert_eq!(cases[0].typed, [&b"1\t1\r\n"[..], b"\n", b"\xff"]);
    }

    #[test]
    fn errors_name_their_line() {
        for (text, line) in [
            ("> 1 1", 1),
            ("# a: b\n> \\q", 2),
            ("# a b", 1),
            ("# a: b\n\n= won", 3),
            ("# a: b\n# a: c", 2),
        ] {
            assert_eq!(read_cases(text).unwrap_err().line, line, "{text}");
        }
    }
}
