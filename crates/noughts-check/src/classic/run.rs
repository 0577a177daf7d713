//! One run of a program with one scripted game.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use noughts_process::ProcessSet;

use super::case::Case;
use crate::process::{End, Program};

/// How a program gets its input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InputMode {
    /// One line after each prompt, as a person types. Some programs lose input that comes earlier.
    ByPrompt,
    /// The whole input at the start, without waiting for prompts. Some programs read all their input first,
    /// or do not flush their prompts.
    AtOnce,
}

/// The result of a run.
pub(super) struct Run {
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
    pub(super) end: End,
    pub(super) took: Duration,
}

impl Run {
    pub(super) fn end_words(&self) -> String {
        match self.end {
            End::Exit(code) => format!("the program ended with exit code {code}"),
            End::Signal(signal) => format!("the program was ended by signal {signal}"),
            End::TimedOut => "the program did not end".to_owned(),
            End::TooMuchOutput => "the program wrote more than 4 MiB".to_owned(),
        }
    }
}

/// Runs a case. If the program shows no further prompt within a quarter of `timeout`, the kit immediately
/// types the rest of the input. It also sets `input_mode` to `AtOnce`, so that later runs type all input at
/// the start.
pub(super) fn run(
    command: &[OsString],
    case: &Case,
    input_mode: &mut InputMode,
    timeout: Duration,
    processes: &ProcessSet,
) -> Result<Run, String> {
    let started = Instant::now();
    let mut program = Program::start(command, processes)?;
    let until = Instant::now() + timeout;
    let mut impatient = Instant::now() + timeout / 4;
    let (mut sent, mut looked) = (0, 0);
    let mut prompts = 0;
    if *input_mode == InputMode::AtOnce {
        program.write(&case.typed.concat());
        program.close_input();
        sent = case.typed.len();
    }
    let end = loop {
        if sent < case.typed.len() && prompts > sent {
            program.write(&case.typed[sent]);
            sent += 1;
            impatient = Instant::now() + timeout / 4;
        }
        if sent == case.typed.len() {
            program.close_input();
        }
        if sent < case.typed.len() && Instant::now() >= impatient {
            *input_mode = InputMode::AtOnce;
            program.write(&case.typed[sent..].concat());
            sent = case.typed.len();
        }
        if let Some(end) = program.read(until) {
            break end;
        }
        if Instant::now() >= until {
            break End::TimedOut;
        }
        // A prompt may be split between two reads.
        let from = looked.min(program.output.len());
        let (found, next) = count_prompts(&program.output, from);
        prompts += found;
        looked = next;
    };
    Ok(Run {
        output: std::mem::take(&mut program.output),
        errors: std::mem::take(&mut program.errors),
        end,
        took: started.elapsed(),
    })
}

const PROMPT: &[u8] = b"Enter your turn (";

/// Returns the number of prompts that start at or after the offset `from`, and the offset for the next
/// search.
fn count_prompts(output: &[u8], mut from: usize) -> (usize, usize) {
    let mut count = 0;
    while let Some(at) = output[from..]
        .windows(PROMPT.len())
        .position(|piece| piece == PROMPT)
    {
        count += 1;
        from += at + PROMPT.len();
    }
    (
        count,
        from.max(output.len().saturating_sub(PROMPT.len() - 1)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_prompts_are_counted_once() {
        let text = b"Enter your turn (x): ===\nEnter your turn (o): Enter your";
        for cut in 0..text.len() {
            let (first, next) = count_prompts(&text[..cut], 0);
            let (second, _) = count_prompts(text, next);
            assert_eq!(first + second, 2, "{cut}");
        }
    }
}
