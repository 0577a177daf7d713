//! The client under test as a process, and the text that the kit types into it.

use std::ffi::OsString;
use std::str::FromStr;
use std::time::Instant;

use noughts_process::ProcessSet;
use noughts_wire::Cell;

use crate::process::{End, Program, printable};

/// What to type when the client shows a prompt. If several answers have the same prompt, the kit types them
/// one after the other.
///
/// In the text, the kit replaces `{row}` and `{column}` by the row and the column of a free cell.
///
/// ```
/// let answer: noughts_check::Answer = "Your name:=Ann".parse()?;
/// assert_eq!((&*answer.prompt, &*answer.text), ("Your name:", "Ann"));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The text of the prompt. The kit looks for it in the client's output.
    pub prompt: String,
    /// The line to type, without its line break.
    pub text: String,
}

impl FromStr for Answer {
    type Err = String;

    fn from_str(text: &str) -> Result<Answer, String> {
        match text.split_once('=') {
            Some((prompt, text)) if !prompt.is_empty() => Ok(Answer {
                prompt: prompt.to_owned(),
                text: text.to_owned(),
            }),
            _ => Err("an answer is written PROMPT=TEXT, such as \"Your name:=Ann\"".to_owned()),
        }
    }
}

pub(super) struct ClientProgram {
    pub(super) program: Program,
    answers: Vec<Answer>,
    /// How often each answer was typed.
    given: Vec<usize>,
    /// Prompts before this offset of the output were answered.
    searched: usize,
    /// The free cell that replaces `{row}` and `{column}` in answers.
    pub(super) free_cell: Cell,
    pub(super) end: Option<End>,
}

impl ClientProgram {
    pub(super) fn start(
        command: &[OsString],
        input: &[u8],
        answers: &[Answer],
        processes: &ProcessSet,
    ) -> Result<ClientProgram, String> {
        let mut program = Program::start(command, processes)?;
        if !input.is_empty() {
            program.write(input);
        }
        if !input.is_empty() && answers.is_empty() {
            program.close_input();
        }
        Ok(ClientProgram {
            program,
            answers: answers.to_vec(),
            given: vec![0; answers.len()],
            searched: 0,
            free_cell: Cell::all().next().expect("there are nine cells"),
            end: None,
        })
    }

    /// Reads the client's output and answers its prompts, without waiting.
    pub(super) fn update(&mut self) {
        self.end = self.end.or_else(|| self.program.read_available());
        while let Some((place, text)) = self.next_answer() {
            self.searched = place;
            let line = text
                .replace("{row}", &self.free_cell.row().to_string())
                .replace("{column}", &self.free_cell.column().to_string());
            self.program.write(format!("{line}\n").as_bytes());
        }
    }

    /// Returns the offset at which the first unanswered prompt ends, and the text to type. Counts this answer
    /// as typed.
    fn next_answer(&mut self) -> Option<(usize, String)> {
        let output = &self.program.output[self.searched..];
        let find = |answer: &Answer| {
            let prompt = answer.prompt.as_bytes();
            let at = output.windows(prompt.len()).position(|one| one == prompt)?;
            Some(at + prompt.len())
        };
        let (end, prompt) = self
            .answers
            .iter()
            .filter_map(|answer| find(answer).map(|end| (end, answer.prompt.clone())))
            .min()?;
        let same = (0..self.answers.len()).filter(|at| self.answers[*at].prompt == prompt);
        let chosen = same.min_by_key(|at| self.given[*at])?;
        self.given[chosen] += 1;
        Some((self.searched + end, self.answers[chosen].text.clone()))
    }

    /// The prompt at which the client seems to wait for typed input. `None` if the client has ended or shows no prompt.
    pub(super) fn waiting_at(&mut self) -> Option<String> {
        self.update();
        if self.end.is_some() {
            return None;
        }
        let text = String::from_utf8_lossy(&self.program.output).into_owned();
        let last = text.lines().rev().find(|line| !line.trim().is_empty())?;
        let is_prompt = !text.ends_with('\n') || last.trim_end().ends_with([':', '?', '>']);
        is_prompt.then(|| printable(last.trim()))
    }

    pub(super) fn wait(&mut self, until: Instant) -> End {
        let end = self.end.unwrap_or_else(|| self.program.wait(until));
        self.end = Some(end);
        end
    }
}
