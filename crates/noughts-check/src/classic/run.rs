//! One run of a program with one scripted game.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use super::case::Case;
use crate::process::{End, Program, RunningPrograms};

/// How a program is given its input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Feeding {
    /// A line when it asks for one, as people do: some lose what comes before they ask.
    ByPrompt,
    /// Everything, and then the end: some read all before they answer, or keep their prompts in a buffer.
    AtOnce,
}

/// What came of it.
pub(super) struct Run {
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
    pub(super) end: End,
}

impl Run {
    pub(super) fn end_words(&self) -> String {
        match self.end {
            End::Exit(code) => format!("the program ended with exit code {code}"),
            End::Signal(signal) => format!("the program was ended by signal {signal}"),
            End::TimedOut => "the program did not end".to_owned(),
            End::Flooded => "the program wrote without end".to_owned(),
        }
    }
}

/// Runs it. A program that does not ask for its first line in a quarter of the time is given everything,
/// and those after it at once.
pub(super) fn run(
    command: &[OsString],
    case: &Case,
    feeding: &mut Feeding,
    timeout: Duration,
    running: &RunningPrograms,
) -> Result<Run, String> {
    let mut program = Program::start(command, running)?;
    let until = Instant::now() + timeout;
    let mut impatient = Instant::now() + timeout / 4;
    let (mut sent, mut looked) = (0, 0);
    let mut prompts = 0;
    if *feeding == Feeding::AtOnce {
        program.write(&case.typed.concat());
        program.close();
        sent = case.typed.len();
    }
    let end = loop {
        if sent < case.typed.len() && prompts > sent {
            program.write(&case.typed[sent]);
            sent += 1;
            impatient = Instant::now() + timeout / 4;
        }
        if sent == case.typed.len() {
            program.close();
        }
        if sent < case.typed.len() && Instant::now() >= impatient {
            *feeding = Feeding::AtOnce;
            program.write(&case.typed[sent..].concat());
            sent = case.typed.len();
        }
        if let Some(end) = program.listen(until) {
            break end;
        }
        if Instant::now() >= until {
            break End::TimedOut;
        }
        // A prompt may be cut between two pieces.
        let from = looked.min(program.output.len());
        let (found, next) = count_prompts(&program.output, from);
        prompts += found;
        looked = next;
    };
    Ok(Run {
        output: std::mem::take(&mut program.output),
        errors: std::mem::take(&mut program.errors),
        end,
    })
}

const PROMPT: &[u8] = b"Enter your turn (";

/// How many prompts begin at or behind a place, and where to look next.
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
    fn prompts_are_counted_however_they_are_cut() {
        let text = b"Enter your turn (x): ===\nEnter your turn (o): Enter your";
        for cut in 0..text.len() {
            let (first, next) = count_prompts(&text[..cut], 0);
            let (second, _) = count_prompts(text, next);
            assert_eq!(first + second, 2, "{cut}");
        }
    }
}
