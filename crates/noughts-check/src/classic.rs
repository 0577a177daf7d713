//! Judging somebody's classic program: the judge types scripted games.

mod case;
mod diff;
mod model;
mod run;
mod screen;

use std::ffi::OsString;
use std::time::{Duration, Instant};

pub use case::{Aim, Case, CaseError, read_cases};

use crate::process::{End, RunningPrograms};
use crate::report::{Entry, Report};
use crate::verdict::{Fact, Finding, Verdict, Weight};
use model::{Command, INVALID, Model, UNABLE};
use run::{Feeding, Run, run};
use screen::{Screen, Word};

/// What to judge.
#[derive(Clone, Debug)]
pub struct ClassicTask {
    /// How the program is started; options of the game are added.
    pub command: Vec<OsString>,
    /// The games to type.
    pub cases: Vec<Case>,
    /// Byte for byte, also where the document leaves it open.
    pub strict: bool,
    /// How long one game may take.
    pub timeout: Duration,
}

/// The kit's own games.
pub fn classic_cases() -> Vec<Case> {
    let text = include_str!("../cases/classic.txt");
    read_cases(text).expect("the kit's own cases can be read")
}

/// Judges a classic program, or says why it can't be judged at all. Nothing that it starts outlives its game.
pub fn check_classic(task: &ClassicTask, running: &RunningPrograms) -> Result<Report, String> {
    for case in &task.cases {
        if case.aim == Aim::Game && Model::new(&case.options, true).is_none() {
            return Err(format!(
                "the case {} asks for options that the document does not allow ({}): write = refused if that is what it is about",
                case.name,
                case.options.join(" ")
            ));
        }
    }
    let mut feeding = Feeding::ByPrompt;
    let mut entries = Vec::new();
    for case in &task.cases {
        let begun = Instant::now();
        let mut command = task.command.clone();
        command.extend(case.options.iter().map(OsString::from));
        let run = run(&command, case, &mut feeding, task.timeout, running)?;
        let (verdict, is_serious) = judge(case, &run, task);
        let weight = match (task.strict, is_serious) {
            (true, _) | (_, true) => Weight::Demanded,
            (false, false) => case.weight,
        };
        entries.push(Entry {
            part: String::new(),
            rule: case.name.clone(),
            claim: case.claim.clone(),
            source: case.source.clone(),
            weight,
            verdict,
            took: begun.elapsed(),
        });
    }
    let words: Vec<_> = task
        .command
        .iter()
        .map(|word| word.to_string_lossy())
        .collect();
    let mut notes = Vec::new();
    if feeding == Feeding::AtOnce {
        notes.push(
            "the program shows no prompt before it has all its input, so it was given all at once"
                .to_owned(),
        );
    }
    Ok(Report {
        kind: "classic",
        subject: format!("The classic program {}", words.join(" ")),
        document: match task.strict {
            true => {
                "the document \"Homework assignment no. 1, Tic-Tac-Toe\", byte for byte as the examples"
            }
            false => {
                "the document \"Homework assignment no. 1, Tic-Tac-Toe\"; where it is open, any way will do"
            }
        },
        notes,
        entries,
    })
}

/// The verdict, and whether it is one that no open question excuses.
fn judge(case: &Case, run: &Run, task: &ClassicTask) -> (Verdict, bool) {
    let trouble = match run.end {
        End::TimedOut => Some(format!(
            "the program did not end within {} s and was killed",
            task.timeout.as_secs_f64()
        )),
        End::Flooded => Some("the program wrote without end and was killed".to_owned()),
        End::Signal(signal) => Some(format!("the program crashed (signal {signal})")),
        End::Exit(_) => None,
    };
    if let Some(wrong) = trouble {
        let mut found = finding(wrong, case, run);
        let seen = screen::as_seen(&run.output[..run.output.len().min(SHOWN)], &case.typed);
        found
            .log
            .push(format!("what it showed at last, of {} lines:", seen.len()));
        found
            .log
            .extend_from_slice(&seen[seen.len().saturating_sub(6)..]);
        return (Verdict::Broken(found), true);
    }
    let verdict = match (case.aim, task.strict) {
        (Aim::Game, false) => judge_game(case, run),
        (Aim::Game, true) => judge_exactly(case, run),
        (Aim::Refusal, strict) => judge_refusal(case, run, strict),
        (Aim::Usage, strict) => judge_usage(case, run, strict),
    };
    // What is not answered but died of is no question of style.
    let has_crashed = matches!(verdict, Verdict::Broken(_))
        && shows_a_trace(&run.errors)
        && case.aim == Aim::Game;
    (verdict, has_crashed)
}

/// Of a program that had to be killed only the beginning of its output is looked at.
const SHOWN: usize = 1 << 16;

/// Whether somebody's run-time system has told of an error that nobody caught.
pub(crate) fn shows_a_trace(errors: &[u8]) -> bool {
    let errors = String::from_utf8_lossy(errors);
    [
        "Exception in thread",
        "\tat ",
        "Traceback (most recent call last)",
        "panicked at",
        "Unhandled exception",
    ]
    .iter()
    .any(|sign| errors.contains(sign))
}

/// One way in which the program may be going on.
#[derive(Clone)]
struct Track {
    model: Model,
    at: usize,
    notes: Vec<String>,
}

/// Follows what is shown, word by word; where the document is open, along every way that it leaves.
fn judge_game(case: &Case, run: &Run) -> Verdict {
    let screen = Screen::read(&run.output);
    let mut tracks: Vec<Track> = Vec::new();
    for equal_is_one in [true, false] {
        if let Some(model) = Model::new(&case.options, equal_is_one) {
            tracks.push(Track {
                model,
                at: 0,
                notes: Vec::new(),
            });
        }
    }
    if case.weight == Weight::Open && !screen.shows_a_game() && has_equal_symbols(case) {
        let note = "players with equal symbols are refused".to_owned();
        return Verdict::Holds { notes: vec![note] };
    }
    if !has_equal_symbols(case) {
        tracks.truncate(1);
    }
    let mut ended = None;
    for line in case.typed.iter().map(Some).chain([None]) {
        let mut next = Vec::new();
        for track in tracks {
            if track.model.is_over() {
                ended = ended.or_else(|| track.over(&screen));
                continue;
            }
            let Some(track) = track.shown(&screen) else {
                continue;
            };
            match line {
                Some(line) => next.extend(track.after(line, &screen)),
                // What the end of input means is open.
                None => ended = ended.or(Some(track.notes)),
            }
        }
        tracks = next;
        for track in &tracks {
            if track.has_quit(&screen) {
                ended = ended.or(Some(track.notes.clone()));
            }
        }
        if ended.is_some() {
            break;
        }
    }
    match ended {
        Some(mut notes) => {
            if notes.is_empty() && !is_exact(case, run) {
                notes.push("the words are right, but not byte for byte as in the document's examples (--strict says where)".to_owned());
            }
            if let End::Exit(code @ 1..) = run.end {
                notes.push(format!(
                    "the program ended with exit code {code}, and most end with 0"
                ));
            }
            Verdict::Holds { notes }
        }
        None => Verdict::Broken(differences(case, run)),
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
    /// The turn, the board and the prompt.
    fn shown(mut self, screen: &Screen) -> Option<Track> {
        let mut expected = vec![Word::Line(self.model.turn_line())];
        expected.extend(self.model.board_lines().into_iter().map(Word::Line));
        expected.push(Word::Prompt(self.model.prompt()));
        let found = screen.words.get(self.at..self.at + expected.len())?;
        self.at += expected.len();
        (found == expected).then_some(self)
    }

    /// Every way on that fits what is shown after a line.
    fn after(self, line: &[u8], screen: &Screen) -> Vec<Track> {
        let exact = Command::read(line);
        let typed = String::from_utf8_lossy(line)
            .trim_end_matches(['\r', '\n'])
            .to_owned();
        let mut tracks = Vec::new();
        for command in std::iter::once(exact).chain(Command::others(line)) {
            for (model, message) in outcomes(&self.model, command) {
                let is_usual = tracks.is_empty() && command == exact;
                let quits = command == Command::Quit;
                let message = if quits { None } else { message };
                if let Some(at) = screen.reply(self.at, message) {
                    let mut track = Track {
                        model,
                        at,
                        ..self.clone()
                    };
                    let (mut strict, mut strict_message) = (self.model.clone(), None);
                    if exact != Command::Quit {
                        strict_message = strict.obey(exact);
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

    fn has_quit(&self, screen: &Screen) -> bool {
        self.model.has_quit() && self.clone().over(screen).is_some()
    }

    /// The end of the game, with nothing behind it.
    fn over(self, screen: &Screen) -> Option<Vec<String>> {
        let expected: Vec<Word> = self.model.end_lines().into_iter().map(Word::Line).collect();
        (screen.words.get(self.at..) == Some(&expected)).then_some(self.notes)
    }
}

fn told(message: Option<&str>, quits: bool) -> String {
    match message {
        Some(message) => format!("\"{message}\""),
        None if quits => "the end of the game".to_owned(),
        None => "the next turn".to_owned(),
    }
}

/// What a command may come to; the usual first.
fn outcomes(model: &Model, command: Command) -> Vec<(Model, Option<&'static str>)> {
    let mut usual = model.clone();
    let message = usual.obey(command);
    let mut all = vec![(usual, message)];
    if let Command::Rewind(count) = command {
        if count == 0 {
            // It takes nothing back, and "it is not possible to rewind at all" with a history of 1.
            let mut passed = model.clone();
            if message.is_some() && passed.obey(command).is_none() {
                all.push((passed, None));
            }
            all.push((model.clone(), Some(UNABLE)));
            all.push((model.clone(), Some(INVALID)));
        }
        if count > model.marks() && count < model.history() {
            let mut emptied = model.clone();
            if emptied.obey(Command::Rewind(model.marks())).is_none() {
                all.push((emptied, None));
            }
        }
    }
    all
}

/// All that should be on the output, byte for byte.
fn exact_output(case: &Case) -> String {
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
        } else if let Some(message) = model.obey(command) {
            text += &format!("{message}\n");
        }
        text += "===\n\n";
    }
    text + &model.end_lines().join("\n") + "\n"
}

fn is_exact(case: &Case, run: &Run) -> bool {
    run.output == exact_output(case).as_bytes()
}

fn judge_exactly(case: &Case, run: &Run) -> Verdict {
    if !is_exact(case, run) {
        return Verdict::Broken(differences(case, run));
    }
    if run.end != End::Exit(0) {
        let wrong = format!("the output is right, but {}", run.end_words());
        return Verdict::Broken(finding(wrong, case, run));
    }
    Verdict::Holds { notes: Vec::new() }
}

fn judge_refusal(case: &Case, run: &Run, strict: bool) -> Verdict {
    let plays = Screen::read(&run.output).shows_a_game();
    if plays {
        let wrong = format!(
            "a game was begun with the options {}",
            case.options.join(" ")
        );
        return Verdict::Broken(finding(wrong, case, run));
    }
    if strict {
        let is_said = run.output.is_empty() && !run.errors.is_empty() && run.end == End::Exit(1);
        if !is_said {
            let wrong = "expected are nothing on standard output, a message on standard error, and exit code 1";
            return Verdict::Broken(finding(wrong.to_owned(), case, run));
        }
    }
    let mut notes = Vec::new();
    if run.output.is_empty() && run.errors.is_empty() {
        notes.push("nobody is told what was wrong".to_owned());
    }
    if shows_a_trace(&run.errors) {
        notes.push("the user is shown a stack trace".to_owned());
    }
    Verdict::Holds { notes }
}

fn judge_usage(case: &Case, run: &Run, strict: bool) -> Verdict {
    let screen = Screen::read(&run.output);
    if screen.shows_a_game() {
        return Verdict::Broken(finding("a game was begun instead".to_owned(), case, run));
    }
    let printed = if strict {
        run.output.is_empty()
    } else {
        run.output.is_empty() && run.errors.is_empty()
    };
    if printed {
        return Verdict::Broken(finding("nothing was printed".to_owned(), case, run));
    }
    if strict && run.end != End::Exit(0) {
        return Verdict::Broken(finding(run.end_words(), case, run));
    }
    Verdict::Holds { notes: Vec::new() }
}

/// Both texts as a terminal would show them, with what differs first.
fn differences(case: &Case, run: &Run) -> Finding {
    let expected = screen::as_seen(exact_output(case).as_bytes(), &case.typed);
    let received = screen::as_seen(&run.output, &case.typed);
    let mut log = diff::around_the_first(&expected, &received);
    let wrong = if run.output.is_empty() {
        "the program showed nothing".to_owned()
    } else if log.is_empty() {
        log = diff::around_the_first(
            &diff::lines_exactly(exact_output(case).as_bytes()),
            &diff::lines_exactly(&run.output),
        );
        "the words are right, but the bytes are not: blank lines, spaces or line ends".to_owned()
    } else {
        "the program shows something else".to_owned()
    };
    log.insert(0, "- is expected, + is what the program showed".to_owned());
    let mut found = finding(wrong, case, run);
    found.log = log;
    found
}

fn finding(wrong: String, case: &Case, run: &Run) -> Finding {
    let fact = |label, words: String| Fact {
        label,
        hex: String::new(),
        words,
    };
    let mut facts = Vec::new();
    if !case.options.is_empty() {
        facts.push(fact("options", case.options.join(" ")));
    }
    if !case.typed.is_empty() {
        let typed: Vec<String> = case
            .typed
            .iter()
            .map(|line| screen::typed_words(line))
            .collect();
        facts.push(fact("typed", shortened(&typed.join(" ⏎ "))));
    }
    let errors = String::from_utf8_lossy(&run.errors);
    if let Some(line) = errors.lines().find(|line| !line.trim().is_empty()) {
        facts.push(fact("stderr", shortened(&diff::safe(line))));
    }
    if run.end != End::Exit(0) {
        facts.push(fact("end", run.end_words()));
    }
    Finding {
        wrong,
        facts,
        log: Vec::new(),
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 160;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
