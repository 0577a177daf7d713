//! Checks a program of the classic game: the kit types scripted games.

mod case;
mod diff;
mod game;
mod model;
mod recurring;
mod run;
mod screen;

use std::ffi::OsString;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use noughts_process::ProcessSet;

pub use case::{Case, CaseError, Expectation, read_cases};
pub use recurring::{RECURRING_RULES, RecurringRule};

use crate::process::{End, command_text, stack_trace};
use crate::report::{Entry, Report};
use crate::verdict::{Fact, Finding, Verdict, Weight};
use game::{Deviations, check_game, exact_output, is_exact};
use model::Model;
use recurring::Recurring;
use run::{Feeding, Run, run};
use screen::Screen;

/// What to check.
#[derive(Clone, Debug)]
pub struct ClassicTask {
    /// How to start the program. The options of each game are added.
    pub command: Vec<OsString>,
    /// The games to type.
    pub cases: Vec<Case>,
    /// Compare byte for byte, also where the document is open.
    pub strict: bool,
    /// The time for one game.
    pub timeout: Duration,
}

/// The kit's own games.
pub fn classic_cases() -> Vec<Case> {
    let text = include_str!("../cases/classic.txt");
    read_cases(text).expect("the kit's own cases can be read")
}

/// Cases that run at the same time: most of a case is the program's start.
const MAX_PARALLEL: usize = 4;

/// Checks a classic program, or says why it cannot be checked at all. No process outlives its game.
pub fn check_classic(task: &ClassicTask, processes: &ProcessSet) -> Result<Report, String> {
    for case in &task.cases {
        if case.expectation == Expectation::Game && Model::new(&case.options, true).is_none() {
            return Err(format!(
                "the case {} has options that the document does not allow ({}): write = refused if it is about them",
                case.name,
                case.options.join(" ")
            ));
        }
    }
    let (mut runs, feeding) = run_all(task, processes)?;
    let games = task.cases.iter().zip(&runs);
    let outputs: Vec<&[u8]> = games
        .filter(|(case, run)| case.expectation == Expectation::Game && is_finite(run.end))
        .map(|(_, run)| &run.output[..])
        .collect();
    let mut recurring = Recurring::of(&outputs);
    let mut entries = Vec::new();
    for (case, run) in task.cases.iter().zip(&mut runs) {
        run.output = recurring.remove_from(&run.output);
        let (verdict, deviations, is_serious) = check_case(case, run, task);
        recurring.without_delimiter += usize::from(deviations.no_delimiter);
        recurring.without_redraw += usize::from(deviations.no_redraw);
        let weight = match task.strict || is_serious {
            true => Weight::Demanded,
            false => case.weight,
        };
        entries.push(Entry {
            dialect: String::new(),
            rule: case.name.clone(),
            claim: case.claim.clone(),
            source: case.source.clone(),
            weight,
            verdict,
            took: run.took,
        });
    }
    let general = RECURRING_RULES.iter().map(|rule| Entry {
        dialect: String::new(),
        rule: rule.name.to_owned(),
        claim: rule.claim.to_owned(),
        source: rule.source.to_owned(),
        weight: rule.weight,
        verdict: recurring.verdict(rule),
        took: Duration::ZERO,
    });
    let entries = general.chain(entries).collect();
    let mut notes = Vec::new();
    if feeding == Feeding::AtOnce {
        notes.push(
            "the program shows no prompt before it has read all its input, so it got all input at once"
                .to_owned(),
        );
    }
    Ok(Report {
        kind: "classic",
        subject: format!("The classic program {}", command_text(&task.command)),
        document: match task.strict {
            true => {
                "the document \"Homework assignment no. 1, Tic-Tac-Toe\", byte for byte as in its examples"
            }
            false => {
                "the document \"Homework assignment no. 1, Tic-Tac-Toe\"; where it is open, every reading is accepted"
            }
        },
        notes,
        entries,
        hide_differences: false,
    })
}

/// Runs the first case, which shows how the program takes its input, and then the others in parallel.
fn run_all(task: &ClassicTask, processes: &ProcessSet) -> Result<(Vec<Run>, Feeding), String> {
    let feeding = Mutex::new(Feeding::ByPrompt);
    let run_case = |case: &Case| {
        let mut command = task.command.clone();
        command.extend(case.options.iter().map(OsString::from));
        let lock = || {
            feeding
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
        };
        let mut own = *lock();
        let result = run(&command, case, &mut own, task.timeout, processes);
        if own == Feeding::AtOnce {
            *lock() = own;
        }
        result
    };
    let Some((first, others)) = task.cases.split_first() else {
        return Ok((Vec::new(), Feeding::ByPrompt));
    };
    let mut runs = vec![run_case(first)?];
    let waiting = Mutex::new(others.iter().enumerate());
    let next = || {
        let mut waiting = waiting
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        waiting.next()
    };
    let mut done: Vec<(usize, Result<Run, String>)> = thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            while let Some((place, case)) = next() {
                done.push((place, run_case(case)));
            }
            done
        };
        let workers: Vec<_> = (0..MAX_PARALLEL).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_default())
            .collect()
    });
    done.sort_by_key(|(place, _)| *place);
    for (_, run) in done {
        runs.push(run?);
    }
    let feeding = feeding.into_inner().unwrap_or(Feeding::ByPrompt);
    Ok((runs, feeding))
}

fn is_finite(end: End) -> bool {
    matches!(end, End::Exit(_))
}

/// The verdict, deviations that another rule reports, and whether the verdict is a fault even if the case is
/// open: the program crashed or did not end.
fn check_case(case: &Case, run: &Run, task: &ClassicTask) -> (Verdict, Deviations, bool) {
    let problem = match run.end {
        End::TimedOut => Some(format!(
            "the program did not end within {} s and was killed",
            task.timeout.as_secs_f64()
        )),
        End::TooMuchOutput => Some("the program wrote more than 4 MiB and was killed".to_owned()),
        End::Signal(signal) => Some(format!("the program crashed (signal {signal})")),
        End::Exit(_) => None,
    };
    if let Some(problem) = problem {
        let mut found = finding(problem, case, run);
        let seen = screen::as_seen(&run.output[..run.output.len().min(MAX_SHOWN)], &case.typed);
        found
            .conversation
            .push(format!("the last of {} lines that it showed:", seen.len()));
        found
            .conversation
            .extend_from_slice(&seen[seen.len().saturating_sub(6)..]);
        return (Verdict::Broken(found), Deviations::default(), true);
    }
    let (verdict, deviations) = match (case.expectation, task.strict) {
        (Expectation::Game, false) => check_game(case, run),
        (Expectation::Game, true) => (check_exactly(case, run), Deviations::default()),
        (Expectation::Refusal, strict) => (check_refusal(case, run, strict), Deviations::default()),
        (Expectation::Usage, strict) => (check_usage(case, run, strict), Deviations::default()),
    };
    let has_crashed = matches!(verdict, Verdict::Broken(_))
        && !stack_trace(&run.errors).is_empty()
        && case.expectation == Expectation::Game;
    (verdict, deviations, has_crashed)
}

/// Of a program that had to be killed only the start of its output is shown.
const MAX_SHOWN: usize = 1 << 16;

fn check_exactly(case: &Case, run: &Run) -> Verdict {
    if !is_exact(case, run) {
        return Verdict::Broken(differences(case, run));
    }
    if run.end != End::Exit(0) {
        let wrong = format!("the output is right, but {}", run.end_words());
        return Verdict::Broken(finding(wrong, case, run));
    }
    Verdict::holds()
}

fn check_refusal(case: &Case, run: &Run, strict: bool) -> Verdict {
    let plays = Screen::read(&run.output).shows_a_game();
    if plays {
        let wrong = format!(
            "the program starts a game with the options {}",
            case.options.join(" ")
        );
        return Verdict::Broken(finding(wrong, case, run));
    }
    if strict {
        let is_said = run.output.is_empty() && !run.errors.is_empty() && run.end == End::Exit(1);
        if !is_said {
            let wrong = "expected: nothing on standard output, a message on standard error, and exit code 1";
            return Verdict::Broken(finding(wrong.to_owned(), case, run));
        }
    }
    let mut notes = Vec::new();
    if run.output.is_empty() && run.errors.is_empty() {
        notes.push("the program does not say what is wrong with the options".to_owned());
    }
    if !stack_trace(&run.errors).is_empty() {
        notes.push("the user sees a stack trace".to_owned());
    }
    Verdict::Holds { notes }
}

fn check_usage(case: &Case, run: &Run, strict: bool) -> Verdict {
    let screen = Screen::read(&run.output);
    if screen.shows_a_game() {
        return Verdict::Broken(finding(
            "the program starts a game instead".to_owned(),
            case,
            run,
        ));
    }
    let printed = if strict {
        run.output.is_empty()
    } else {
        run.output.is_empty() && run.errors.is_empty()
    };
    if printed {
        return Verdict::Broken(finding("the program prints nothing".to_owned(), case, run));
    }
    if strict && run.end != End::Exit(0) {
        return Verdict::Broken(finding(run.end_words(), case, run));
    }
    Verdict::holds()
}

/// The expected and the shown text side by side, with the first difference in words.
fn differences(case: &Case, run: &Run) -> Finding {
    let expected = screen::as_seen(exact_output(case).as_bytes(), &case.typed);
    let received = screen::as_seen(&run.output, &case.typed);
    let mut lines = diff::around_the_first(&expected, &received);
    let first = |sign: &str| {
        let line = lines.iter().find_map(|line| line.strip_prefix(sign));
        line.map_or("the end of the output".to_owned(), |line| {
            format!("\"{line}\"")
        })
    };
    let (mut facts, problem) = if run.output.is_empty() {
        (Vec::new(), "the program shows nothing".to_owned())
    } else if lines.is_empty() {
        lines = diff::around_the_first(
            &diff::lines_exactly(exact_output(case).as_bytes()),
            &diff::lines_exactly(&run.output),
        );
        let problem =
            "the words are right, but the bytes are not: blank lines, spaces or line ends";
        (Vec::new(), problem.to_owned())
    } else {
        let (wanted, shown) = (first("- "), first("+ "));
        let problem = format!("the program shows {shown} instead of {wanted}");
        let facts = vec![Fact::new("received", shown), Fact::new("expected", wanted)];
        (facts, problem)
    };
    lines.insert(0, "- expected, + shown by the program".to_owned());
    let mut found = finding(problem, case, run);
    found.facts.append(&mut facts);
    found.conversation = lines;
    found
}

fn finding(problem: String, case: &Case, run: &Run) -> Finding {
    let mut facts = Vec::new();
    if !case.options.is_empty() {
        facts.push(Fact::new("options", case.options.join(" ")));
    }
    if !case.typed.is_empty() {
        let typed: Vec<String> = case
            .typed
            .iter()
            .map(|line| screen::typed_words(line))
            .collect();
        facts.push(Fact::new("typed", shortened(&typed.join(" ⏎ "))));
    }
    let errors = String::from_utf8_lossy(&run.errors);
    if let Some(line) = errors.lines().find(|line| !line.trim().is_empty()) {
        facts.push(Fact::new("stderr", shortened(&diff::safe(line))));
    }
    if run.end != End::Exit(0) {
        facts.push(Fact::new("end", run.end_words()));
    }
    Finding {
        problem,
        facts,
        conversation: Vec::new(),
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 160;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
