//! Checks a program's output in a scripted game.

use super::case::Case;
use super::cause::{Aspect, Cause, Trigger, causes};
use super::differences;
use super::model::{Command, ILLEGAL, INVALID, Model, UNABLE};
use super::run::Run;
use super::screen::{Screen, Word};
use crate::process::{End, stack_trace};
use crate::verdict::{Verdict, Weight};

/// One interpretation of the program's output. If the course document leaves a question open, the kit follows several
/// interpretations.
#[derive(Clone)]
struct Track {
    model: Model,
    at: usize,
    notes: Vec<String>,
    /// Whether the program refused the last command, so that the same player is asked again.
    is_repeated: bool,
    /// The kind of the last command.
    trigger: Trigger,
    /// Whether the options and all commands so far have their usual interpretation.
    is_usual: bool,
    deviations: Deviations,
}

/// The first place at which the output does not match an interpretation.
struct Mismatch {
    /// Whether the interpretation is the usual one.
    is_usual: bool,
    at: usize,
    trigger: Trigger,
    model: Model,
    expected: Next,
}

/// What the output should contain next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The turn, the board and the prompt.
    Turn,
    /// The reply to a command. It contains this error message, if there is one.
    Reply(Option<&'static str>),
    /// The end of the game.
    End,
}

/// The verdict on the output of a game.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) deviations: Deviations,
    /// What may have caused the first difference, if there is one.
    pub(super) causes: Vec<Cause>,
}

impl From<Verdict> for Judged {
    fn from(verdict: Verdict) -> Judged {
        Judged {
            verdict,
            deviations: Deviations::default(),
            causes: Vec::new(),
        }
    }
}

/// Deviations that do not break this case. The rules `delimiter` and `redraw` report them for all cases
/// together.
#[derive(Clone, Copy, Default)]
pub(super) struct Deviations {
    pub(super) no_delimiter: bool,
    pub(super) no_redraw: bool,
}

/// Compares the output with the model, without regard to blank lines and to spaces around lines. If the course document
/// leaves a question open, follows every interpretation that the document allows.
pub(super) fn check_game(case: &Case, run: &Run) -> Judged {
    let screen = Screen::read(&run.output);
    let mut tracks: Vec<Track> = Vec::new();
    for equal_is_one in [true, false] {
        if let Some(model) = Model::new(&case.options, equal_is_one) {
            tracks.push(Track {
                model,
                at: 0,
                notes: Vec::new(),
                is_repeated: false,
                trigger: Trigger::Start,
                is_usual: equal_is_one,
                deviations: Deviations::default(),
            });
        }
    }
    if case.weight == Weight::Open && !screen.shows_a_game() && has_equal_symbols(case) {
        let note = "players with equal symbols are refused".to_owned();
        return Verdict::Holds { notes: vec![note] }.into();
    }
    if !has_equal_symbols(case) {
        tracks.truncate(1);
    }
    let mut ended = None;
    let mut furthest: Option<Mismatch> = None;
    let mut mismatch = |track: &Track, trigger, expected| {
        let found = Mismatch {
            is_usual: track.is_usual,
            at: track.at,
            trigger,
            model: track.model.clone(),
            expected,
        };
        let rank = |mismatch: &Mismatch| (mismatch.is_usual, mismatch.at);
        if furthest
            .as_ref()
            .is_none_or(|other| rank(&found) > rank(other))
        {
            furthest = Some(found);
        }
    };
    for line in case.typed.iter().map(Some).chain([None]) {
        let mut next = Vec::new();
        for track in tracks {
            let before = track.clone();
            if track.model.is_over() || track.model.has_quit() {
                match track.over(&screen) {
                    Some(track) => ended = ended.or(Some(track)),
                    None => mismatch(&before, before.trigger, Next::End),
                }
                continue;
            }
            let Some(track) = track.shown(&screen) else {
                mismatch(&before, before.trigger, Next::Turn);
                continue;
            };
            let Some(line) = line else {
                // The document does not say what the end of input means, so the program may do anything now.
                ended = ended.or(Some(track));
                continue;
            };
            let before = track.clone();
            let tracks = track.after(line, &screen);
            if !tracks.iter().any(|track| track.is_usual) {
                let (trigger, message) = before.model.trigger(Command::read(line));
                mismatch(&before, trigger, Next::Reply(message));
            }
            next.extend(tracks);
        }
        tracks = next;
        if ended.is_some() {
            break;
        }
    }
    match ended {
        Some(track) => {
            let mut notes = track.notes;
            if notes.is_empty() && !is_exact(case, run) {
                notes.push("the words are right, but not byte for byte as in the document's examples (--strict shows where)".to_owned());
            }
            if let End::Exit(code @ 1..) = run.end {
                notes.push(format!(
                    "the program ended with exit code {code}, and most end with 0"
                ));
            }
            Judged {
                verdict: Verdict::Holds { notes },
                deviations: track.deviations,
                causes: Vec::new(),
            }
        }
        None => Judged {
            verdict: Verdict::Broken(differences(case, run)),
            deviations: Deviations::default(),
            causes: match &furthest {
                _ if !screen.shows_a_game() => vec![no_game(run)],
                Some(mismatch) => causes(mismatch.trigger, mismatch.aspect(&screen, run)),
                None => Vec::new(),
            },
        },
    }
}

/// Returns the cause for a program that shows no game.
fn no_game(run: &Run) -> Cause {
    match run.end {
        End::Exit(_) | End::Signal(_) | End::TooMuchOutput => Cause::NoGame,
        End::TimedOut => Cause::After(Trigger::Start, Aspect::Hangs),
    }
}

impl Mismatch {
    /// Returns what is wrong with the output at the position of this mismatch.
    fn aspect(&self, screen: &Screen, run: &Run) -> Aspect {
        let rest = screen.words.get(self.at..).unwrap_or_default();
        let Some(first) = rest.first() else {
            return how_it_stops(run);
        };
        let starts = |start: &str| matches!(first, Word::Line(line) if line.starts_with(start));
        let is_message = [INVALID, ILLEGAL, UNABLE].iter().any(|text| starts(text));
        match self.expected {
            Next::Turn if starts("Game over") => Aspect::Ends,
            Next::Turn if starts("Turn:") || matches!(first, Word::Prompt(_)) => {
                self.wrong_part_of_turn(rest, run)
            }
            Next::Reply(Some(_)) if is_message => Aspect::WrongMessage,
            Next::Reply(None) if is_message => Aspect::Refused,
            Next::Reply(Some(_)) if starts("Game over") => Aspect::Accepted,
            Next::Reply(Some(_)) if starts("===") || starts("Turn:") => {
                let turn = rest.iter().skip_while(
                    |word| !matches!(word, Word::Line(line) if line.starts_with("Turn:")),
                );
                match turn
                    .zip(self.turn_words())
                    .all(|(shown, own)| *shown == own)
                {
                    true => Aspect::NoMessage,
                    false => Aspect::Accepted,
                }
            }
            Next::Reply(Some(_)) if matches!(first, Word::Line(_)) => Aspect::Text,
            Next::End if starts("Turn:") => Aspect::GoesOn,
            Next::End if starts("Game over") => self.wrong_part_of_end(rest, run),
            Next::Turn | Next::Reply(_) | Next::End => Aspect::Other,
        }
    }

    fn turn_words(&self) -> Vec<Word> {
        let mut words = vec![Word::Line(self.model.turn_line())];
        words.extend(self.model.board_lines().into_iter().map(Word::Line));
        words.push(Word::Prompt(self.model.prompt()));
        words
    }

    fn wrong_part_of_turn(&self, rest: &[Word], run: &Run) -> Aspect {
        let expected = self.turn_words();
        match expected
            .iter()
            .zip(rest)
            .position(|(own, shown)| own != shown)
        {
            Some(0) => Aspect::Turn,
            Some(place) if place == expected.len() - 1 => Aspect::Player,
            Some(_) => Aspect::Board,
            None => how_it_stops(run),
        }
    }

    fn wrong_part_of_end(&self, rest: &[Word], run: &Run) -> Aspect {
        let expected = self.model.end_lines().into_iter().map(Word::Line);
        let expected: Vec<Word> = expected.collect();
        let board_ends = self.model.board_lines().len();
        let same = expected
            .iter()
            .zip(rest)
            .take_while(|(own, shown)| own == shown);
        match same.count() {
            0 => Aspect::Count,
            place if place > board_ends => Aspect::Winner,
            place if place == rest.len() => how_it_stops(run),
            _ => Aspect::Board,
        }
    }
}

/// Returns how the output ends too early: the program hangs, crashes, or just stops.
fn how_it_stops(run: &Run) -> Aspect {
    match run.end {
        End::TimedOut => Aspect::Hangs,
        End::Signal(_) => Aspect::Crash,
        End::Exit(_) if !stack_trace(&run.errors).is_empty() => Aspect::Crash,
        End::Exit(_) | End::TooMuchOutput => Aspect::Stops,
    }
}

fn has_equal_symbols(case: &Case) -> bool {
    match (
        Model::new(&case.options, true),
        Model::new(&case.options, false),
    ) {
        (Some(one), Some(other)) => one.sides() != other.sides(),
        _ => false,
    }
}

impl Track {
    /// Matches the turn line, the board and the prompt. Returns `None` if the output differs. After a refused
    /// command, the board may be missing, or both the board and the turn line.
    fn shown(mut self, screen: &Screen) -> Option<Track> {
        let prompt = Word::Prompt(self.model.prompt());
        let mut expected = vec![Word::Line(self.model.turn_line())];
        if self.is_repeated && self.is_prompt(screen, 0) {
            expected.clear();
            self.deviations.no_redraw = true;
        } else if self.is_repeated && self.is_prompt(screen, 1) {
            self.deviations.no_redraw = true;
        } else {
            expected.extend(self.model.board_lines().into_iter().map(Word::Line));
        }
        expected.push(prompt);
        let found = screen.words.get(self.at..self.at + expected.len())?;
        self.at += expected.len();
        (found == expected).then_some(self)
    }

    fn is_prompt(&self, screen: &Screen, offset: usize) -> bool {
        matches!(screen.words.get(self.at + offset), Some(Word::Prompt(_)))
    }

    /// Returns every interpretation that matches the output after the typed `line`.
    fn after(self, line: &[u8], screen: &Screen) -> Vec<Track> {
        let exact = Command::read(line);
        let typed = String::from_utf8_lossy(line)
            .trim_end_matches(['\r', '\n'])
            .to_owned();
        let mut tracks = Vec::new();
        for command in std::iter::once(exact).chain(Command::others(line)) {
            for (number, (model, message)) in (0..).zip(outcomes(&self.model, command)) {
                let is_usual = tracks.is_empty() && command == exact;
                let quits = command == Command::Quit;
                let message = if quits { None } else { message };
                if let Some(reply) = screen.reply(self.at, message) {
                    let trigger = self.model.trigger(command).0;
                    let mut track = Track {
                        model,
                        at: reply.next,
                        trigger,
                        is_usual: self.is_usual && command == exact && number == 0,
                        is_repeated: message.is_some(),
                        ..self.clone()
                    };
                    // The document has no example of a turn after an error. So a delimiter that is missing only after
                    // errors is treated like a missing board.
                    match (reply.has_delimiter, message) {
                        (true, _) => {}
                        (false, None) => track.deviations.no_delimiter = true,
                        (false, Some(_)) if !screen.has_delimiter() => {
                            track.deviations.no_delimiter = true;
                        }
                        (false, Some(_)) => track.deviations.no_redraw = true,
                    }
                    let (mut strict, mut strict_message) = (self.model.clone(), None);
                    if exact != Command::Quit {
                        strict_message = strict.execute(exact);
                    }
                    if !is_usual || message != strict_message {
                        track.notes.push(format!(
                            "\"{}\" is answered with {}; usual is {}",
                            typed.escape_debug(),
                            told(message, quits),
                            told(strict_message, exact == Command::Quit),
                        ));
                    }
                    if quits {
                        track.model.quit();
                    }
                    tracks.push(track);
                }
            }
        }
        tracks
    }

    /// Matches the end of the game. Nothing may follow the end. Returns `None` if the output differs.
    fn over(self, screen: &Screen) -> Option<Track> {
        let expected: Vec<Word> = self.model.end_lines().into_iter().map(Word::Line).collect();
        (screen.words.get(self.at..) == Some(&expected)).then_some(self)
    }
}

fn told(message: Option<&str>, quits: bool) -> String {
    match message {
        Some(message) => format!("\"{message}\""),
        None if quits => "the end of the game".to_owned(),
        None => "the next turn".to_owned(),
    }
}

/// All effects of `command` that the course document permits, each with its error message. The usual effect is first.
fn outcomes(model: &Model, command: Command) -> Vec<(Model, Option<&'static str>)> {
    let mut usual = model.clone();
    let message = usual.execute(command);
    let mut all = vec![(usual, message)];
    if let Command::Rewind(count) = command {
        if count == 0 {
            // `<<0` takes nothing back. Usually it is a turn, but it may also be an error, because with a history of 1
            // "it is not possible to rewind at all".
            all.push((model.clone(), Some(UNABLE)));
            all.push((model.clone(), Some(INVALID)));
        }
        // The limit "at most 2 turns back" may hold for all successive rewinds together.
        if model.has_just_rewound() && message.is_none() {
            all.push((model.clone(), Some(UNABLE)));
        }
        if count > model.marks() && count < model.history() {
            let mut emptied = model.clone();
            if emptied.execute(Command::Rewind(model.marks())).is_none() {
                all.push((emptied, None));
            }
        }
    }
    all
}

/// The expected output, byte for byte.
pub(super) fn exact_output(case: &Case) -> String {
    output(case, "\n")
}

/// The expected output. The text `after_message` follows each error message.
fn output(case: &Case, after_message: &str) -> String {
    let mut text = String::new();
    let Some(mut model) = Model::new(&case.options, true) else {
        return text;
    };
    let mut typed = case.typed.iter();
    while !model.is_over() && !model.has_quit() {
        text += &format!(
            "{}\n{}\n",
            model.turn_line(),
            model.board_lines().join("\n")
        );
        text += &format!("{} ", model.prompt());
        let command = typed
            .next()
            .map_or(Command::Quit, |line| Command::read(line));
        if command == Command::Quit {
            model.quit();
        } else if let Some(message) = model.execute(command) {
            text += &format!("{message}{after_message}");
        }
        text += "===\n\n";
    }
    text + &model.end_lines().join("\n") + "\n"
}

/// Whether the output is right byte for byte. The course's message constants have no newline. So a program
/// may omit the newlines after all error messages, and the newline after the winner.
pub(super) fn is_exact(case: &Case, run: &Run) -> bool {
    ["\n", ""].iter().any(|after_message| {
        let expected = output(case, after_message);
        let last = expected.lines().last().unwrap_or_default();
        run.output == expected.as_bytes()
            || last.starts_with("Winner") && run.output == expected.trim_end().as_bytes()
    })
}
