//! Transcripts: a session with the program as a terminal would show it, replayed on a pipe.
//!
//! ```text
//! # a comment
//! $ noughts -h 3
//! Turn: 1
//! …
//! Enter your turn (x): «0 0»
//! ===
//! ! what is said on standard error
//! ? 0
//! ```
//!
//! `$` starts the program. Text between `«` and `»` is typed. The typed text and its newline are not part of the
//! output, because a pipe has no echo. `\c` at the end of a typed text omits the newline; `\r \t \0 \xHH \u{…}` are
//! bytes and characters. `?` is the exit code, by default 0. `‹ms›` is any number (a time), `‹n›` any number that may
//! change with a better engine.

use std::io::Write;
use std::process::{Command, Stdio};

/// One run of the program and its expected result.
#[derive(Default, Debug)]
pub(crate) struct Case {
    /// The line number of the command in the transcript.
    pub(crate) line: usize,
    pub(crate) words: Vec<String>,
    pub(crate) input: Vec<u8>,
    pub(crate) output: String,
    pub(crate) errors: String,
    pub(crate) exit: i32,
}

/// The result of a run.
pub(crate) struct Run {
    pub(crate) output: Vec<u8>,
    pub(crate) errors: String,
    pub(crate) exit: i32,
}

/// Runs the program, with its input on a pipe that is closed at its end.
pub(crate) fn run(words: &[impl AsRef<std::ffi::OsStr>], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_noughts"))
        .args(words)
        // The seats of the user who runs the tests are not touched.
        .env("XDG_STATE_HOME", "/dev/null/none")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // In a thread, because the program may write before it has read everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let done = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run {
        output: done.stdout,
        errors: String::from_utf8(done.stderr).unwrap(),
        exit: done.status.code().unwrap_or(-1),
    }
}

/// All cases of a text.
pub(crate) fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.starts_with('#') {
            continue;
        }
        if let Some(command) = line.strip_prefix("$ noughts") {
            let words = words(command);
            cases.push(Case {
                line: number + 1,
                words,
                ..Case::default()
            });
            continue;
        }
        let case = cases
            .last_mut()
            .expect("a transcript starts with a comment or a command");
        if let Some(code) = line.strip_prefix("? ") {
            case.exit = code.parse().unwrap();
        } else if let Some(said) = line.strip_prefix("! ") {
            case.errors.push_str(said);
            case.errors.push('\n');
        } else if let Some((shown, typed)) = line.split_once('«') {
            case.output.push_str(shown);
            case.input.extend(typed_bytes(
                typed.strip_suffix('»').expect("» ends what is typed"),
            ));
        } else {
            case.output.push_str(line);
            case.output.push('\n');
        }
    }
    cases
}

/// Replays every case, and returns the number of cases. Panics with the expected and the found text at the first
/// difference.
pub(crate) fn check(name: &str, text: &str) -> usize {
    let cases = read(text);
    for case in &cases {
        let run = run(&case.words, &case.input);
        let place = format!("{name}:{}: noughts {}", case.line, case.words.join(" "));
        let output = String::from_utf8_lossy(&run.output);
        assert!(
            is_as_expected(&output, &case.output.replace("‹n›", "‹ms›")),
            "{place}\nexpected:\n{}\nfound:\n{output}",
            case.output
        );
        assert_eq!(run.errors, case.errors, "{place}: standard error");
        assert_eq!(run.exit, case.exit, "{place}: exit code");
    }
    cases.len()
}

/// Whether the texts are equal, with any digits for `‹ms›`.
fn is_as_expected(found: &str, expected: &str) -> bool {
    let Some((before, after)) = expected.split_once("‹ms›") else {
        return found == expected;
    };
    let number = found.strip_prefix(before);
    let rest = number.map(|number| number.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest != number && rest.is_some_and(|rest| is_as_expected(rest, after))
}

#[test]
fn durations_are_numbers_in_transcripts() {
    for (found, is_one) in [
        ("took 7 ms, 12 ms.", true),
        ("took 7 ms, 012345 ms.", true),
        ("took 7 ms,  ms.", false),
        ("took 7 ms, x ms.", false),
        ("took 7 ms, 12 ms..", false),
        ("took 7 ms", false),
        ("", false),
    ] {
        let expected = "took ‹ms› ms, ‹ms› ms.";
        assert_eq!(is_as_expected(found, expected), is_one, "{found}");
    }
}

/// Splits words like a shell, with single quotes and escapes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let plain = |word: String| String::from_utf8(escaped(&word)).unwrap();
    words.into_iter().map(plain).collect()
}

fn typed_bytes(typed: &str) -> Vec<u8> {
    match typed.strip_suffix("\\c") {
        Some(unended) => escaped(unended),
        None => [escaped(typed), b"\n".to_vec()].concat(),
    }
}

fn escaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend(before.as_bytes());
        let (byte, used): (Vec<u8>, usize) = match after.as_bytes()[0] {
            b'r' => (b"\r".to_vec(), 1),
            b't' => (b"\t".to_vec(), 1),
            b'0' => (b"\0".to_vec(), 1),
            b'x' => (vec![u8::from_str_radix(&after[1..3], 16).unwrap()], 3),
            b'u' => {
                let code = &after[2..after.find('}').unwrap()];
                let character = char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap();
                (character.to_string().into_bytes(), code.len() + 3)
            }
            other => panic!("no such escape: \\{}", other as char),
        };
        bytes.extend(byte);
        rest = &after[used..];
    }
    bytes.extend(rest.as_bytes());
    bytes
}
