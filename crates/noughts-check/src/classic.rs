//! Checks a program that plays the classic terminal game: the kit types scripted games into it.

mod case;
mod cause;
mod diff;
mod game;
mod model;
mod recurring;
mod run;
mod screen;

use std::ffi::OsString;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use noughts_process::ProcessSet;

pub use case::{Case, CaseError, Expectation, read_cases};
pub use recurring::{RECURRING_RULES, RecurringRule};

use crate::process::{End, command_text, stack_trace, trace_headline};
use crate::progress::{Step, Tell};
use crate::report::{Entry, Report};
use crate::verdict::{Fact, Finding, Verdict, Weight};
use cause::{BrokenCase, Cause, same_faults};
use game::{Judged, check_game, exact_output, is_exact};
use model::Model;
use recurring::Recurring;
use run::{InputMode, Run, run};
use screen::Screen;

/// A classic program to check, the games to type, and how to compare the output of the program.
#[derive(Clone, Debug)]
pub struct ClassicTask {
    /// The program and its arguments. The kit appends the options of each game.
    pub command: Vec<OsString>,
    /// The games to type.
    pub cases: Vec<Case>,
    /// If true, the output must equal the examples of the course document byte for byte. Every difference is
    /// then a fault, even where the document allows several outputs.
    pub strict: bool,
    /// Maximum time for one game.
    pub timeout: Duration,
}

/// Returns the scripted games that are part of the kit.
pub fn classic_cases() -> Vec<Case> {
    let text = include_str!("../cases/classic.txt");
    read_cases(text).expect("the kit's own cases can be read")
}

/// Maximum number of cases that run at the same time. Cases run in parallel, because starting the program
/// takes most of the time of a case.
const MAX_PARALLEL: usize = 4;

/// Checks a classic program. The kit calls `tell` before each case. After each game, the kit kills all processes that
/// the program has started.
///
/// Returns an error if the program cannot be checked at all: the program does not start, or a case expects a game but
/// has options that the course document does not allow.
pub fn check_classic(
    task: &ClassicTask,
    processes: &ProcessSet,
    tell: Tell<'_>,
) -> Result<Report, String> {
    for case in &task.cases {
        if case.expectation == Expectation::Game && Model::new(&case.options, true).is_none() {
            return Err(format!(
                "the case {} has options that the document does not allow ({}): write = refused if it is about them",
                case.name,
                case.options.join(" ")
            ));
        }
    }
    let (mut runs, input_mode) = run_all(task, processes, tell)?;
    let games = task.cases.iter().zip(runs.iter().flatten());
    let outputs: Vec<&[u8]> = games
        .filter(|(case, run)| case.expectation == Expectation::Game && is_finite(run.end))
        .map(|(_, run)| &run.output[..])
        .collect();
    let mut recurring = Recurring::of(&outputs);
    let hanging = runs
        .iter()
        .position(|run| run.as_ref().is_some_and(|run| run.end == End::TimedOut));
    let mut entries = Vec::new();
    let mut broken = Vec::new();
    let mut seen = Vec::new();
    for (place, (case, run)) in task.cases.iter().zip(&mut runs).enumerate() {
        let mut entry = Entry {
            dialect: String::new(),
            rule: case.name.clone(),
            claim: case.claim.clone(),
            source: case.source.clone(),
            weight: case.weight,
            verdict: Verdict::holds(),
            took: Duration::ZERO,
        };
        let Some(run) = run else {
            let name = hanging.map_or("", |place| &task.cases[place].name);
            let why = format!("prevented by {name}: the program does not end");
            entry.verdict = Verdict::NotTried(why);
            entries.push(entry);
            continue;
        };
        run.output = recurring.remove_from(&run.output);
        let (judged, is_serious) = check_case(case, run, task);
        recurring.without_delimiter += usize::from(judged.deviations.no_delimiter);
        recurring.without_redraw += usize::from(judged.deviations.no_redraw);
        if task.strict || is_serious {
            entry.weight = Weight::Demanded;
        }
        match &judged.verdict {
            Verdict::Broken(_) => broken.push(BrokenCase {
                place,
                name: &case.name,
                is_demanded: entry.weight == Weight::Demanded,
                causes: judged.causes,
            }),
            // Only a demanded case proves that the program recognizes a line. In other cases, a program that
            // continues the game may be right too.
            Verdict::Holds { .. } if entry.weight == Weight::Demanded => {
                let model = Model::new(&case.options, true);
                let line = model.and_then(|model| model.line_after(&case.typed));
                // A play that completes a line and also fills the board does not prove that the program recognizes the
                // line, because a full board ends the game anyway.
                seen.extend(line.filter(|line| !line.fills_board));
            }
            Verdict::Holds { .. } | Verdict::NotTried(_) => {}
        }
        (entry.verdict, entry.took) = (judged.verdict, run.took);
        entries.push(entry);
    }
    for (place, reporter) in same_faults(&broken, &seen) {
        let Verdict::Broken(finding) = &entries[reporter].verdict else {
            continue;
        };
        let why = format!(
            "the same fault as {}: {}",
            entries[reporter].rule, finding.problem
        );
        entries[place].verdict = Verdict::NotTried(why);
        if !task.strict {
            entries[place].weight = task.cases[place].weight;
        }
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
    if input_mode == InputMode::AtOnce {
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
        waited: Duration::ZERO,
    })
}

/// After this number of timeouts, the kit runs no further case. If a program shows nothing before its
/// timeout, one timeout is enough.
const MAX_TIMEOUTS: usize = MAX_PARALLEL;

/// Runs the first case, which shows how the program reads its input. Then runs the other cases in parallel. Returns
/// `None` for the cases that were not run because the program did not end in earlier cases.
fn run_all(
    task: &ClassicTask,
    processes: &ProcessSet,
    tell: Tell<'_>,
) -> Result<(Vec<Option<Run>>, InputMode), String> {
    let input_mode = Mutex::new(InputMode::ByPrompt);
    let timeouts = AtomicUsize::new(0);
    let started = AtomicUsize::new(0);
    let run_case = |case: &Case| {
        tell(Step {
            done: started.fetch_add(1, Ordering::Relaxed),
            total: task.cases.len(),
            name: &case.name,
        });
        if timeouts.load(Ordering::Relaxed) >= MAX_TIMEOUTS {
            return Ok(None);
        }
        let mut command = task.command.clone();
        command.extend(case.options.iter().map(OsString::from));
        let lock = || {
            input_mode
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
        };
        let mut own = *lock();
        let run = run(&command, case, &mut own, task.timeout, processes)?;
        if own == InputMode::AtOnce {
            *lock() = own;
        }
        if run.end == End::TimedOut {
            // A program that shows nothing at all probably shows nothing in the next case either.
            let count = if run.output.is_empty() {
                MAX_TIMEOUTS
            } else {
                1
            };
            timeouts.fetch_add(count, Ordering::Relaxed);
        }
        Ok(Some(run))
    };
    let Some((first, others)) = task.cases.split_first() else {
        return Ok((Vec::new(), InputMode::ByPrompt));
    };
    let mut runs = vec![run_case(first)?];
    if let Some(Some(run)) = runs.first()
        && shows_nothing(run)
    {
        check_start(task, processes)?;
    }
    let waiting = Mutex::new(others.iter().enumerate());
    let next = || {
        let mut waiting = waiting
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        waiting.next()
    };
    let mut done: Vec<(usize, Result<Option<Run>, String>)> = thread::scope(|scope| {
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
    let input_mode = input_mode.into_inner().unwrap_or(InputMode::ByPrompt);
    Ok((runs, input_mode))
}

/// Whether the program ended with an error and wrote nothing to standard output.
fn shows_nothing(run: &Run) -> bool {
    run.output.is_empty() && matches!(run.end, End::Exit(1..) | End::Signal(_))
}

/// Starts the program without options and types `:q`. Returns an error if the program ends with an error and writes
/// nothing to standard output.
fn check_start(task: &ClassicTask, processes: &ProcessSet) -> Result<(), String> {
    let case = Case {
        name: String::new(),
        claim: String::new(),
        source: String::new(),
        weight: Weight::Demanded,
        options: Vec::new(),
        typed: vec![b":q\n".to_vec()],
        expectation: Expectation::Game,
    };
    let mut input_mode = InputMode::ByPrompt;
    let run = run(
        &task.command,
        &case,
        &mut input_mode,
        task.timeout,
        processes,
    )?;
    if !shows_nothing(&run) {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&run.errors);
    let line = errors.lines().find(|line| !line.trim().is_empty());
    let line = line.map_or(String::new(), |line| {
        format!("; its output: {}", diff::safe(line))
    });
    Err(format!("{} before it showed a game{line}", run.end_words()))
}

fn is_finite(end: End) -> bool {
    matches!(end, End::Exit(_))
}

/// Returns the verdict, and true if the program crashed or had to be killed. A crash is a fault even if the
/// course document leaves the case open.
fn check_case(case: &Case, run: &Run, task: &ClassicTask) -> (Judged, bool) {
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
        let expected = "the program shows the game and ends by itself";
        found.facts.push(Fact::new("expected", expected));
        let seen = screen::as_seen(&run.output[..run.output.len().min(MAX_SHOWN)], &case.typed);
        found.conversation.push(match seen.len() {
            0 => "it showed nothing".to_owned(),
            lines => format!("the last of {lines} lines that it showed:"),
        });
        found
            .conversation
            .extend_from_slice(&seen[seen.len().saturating_sub(6)..]);
        let judged = Judged {
            causes: match case.expectation {
                Expectation::Game => check_game(case, run).causes,
                Expectation::Refusal | Expectation::Usage => Vec::new(),
            },
            ..Verdict::Broken(found).into()
        };
        return (judged, true);
    }
    let judged = match (case.expectation, task.strict) {
        (Expectation::Game, false) => check_game(case, run),
        (Expectation::Game, true) => check_exactly(case, run),
        (Expectation::Refusal, strict) => check_refusal(case, run, strict).into(),
        (Expectation::Usage, strict) => check_usage(case, run, strict).into(),
    };
    let has_crashed = matches!(judged.verdict, Verdict::Broken(_))
        && !stack_trace(&run.errors).is_empty()
        && case.expectation == Expectation::Game;
    (judged, has_crashed)
}

/// If a signal ended the program, or the kit killed it, the report shows the last lines of the first
/// `MAX_SHOWN` bytes of the program's output.
const MAX_SHOWN: usize = 1 << 16;

fn check_exactly(case: &Case, run: &Run) -> Judged {
    if !is_exact(case, run) {
        let by_words = check_game(case, run);
        return Judged {
            causes: match by_words.verdict {
                Verdict::Holds { .. } => vec![first_byte(case, run)],
                Verdict::Broken(_) | Verdict::NotTried(_) => by_words.causes,
            },
            ..Verdict::Broken(differences(case, run)).into()
        };
    }
    if run.end != End::Exit(0) {
        let wrong = format!("the output is right, but {}", run.end_words());
        return Judged {
            causes: vec![Cause::ExitCode],
            ..Verdict::Broken(finding(wrong, case, run)).into()
        };
    }
    Verdict::holds().into()
}

/// Returns a cause that describes the first wrong byte. The cause contains the byte that the program wrote. It also
/// contains the text before this byte, if that text is one of a few known texts.
fn first_byte(case: &Case, run: &Run) -> Cause {
    let expected = exact_output(case);
    let bytes = expected.bytes().zip(&run.output);
    let place = bytes.take_while(|(own, shown)| own == *shown).count();
    let before = expected.get(..place).unwrap_or_default();
    let texts = ["): ", "===\n", "command", "play", "rewind", "\n"];
    let after = texts.into_iter().find(|text| before.ends_with(text));
    Cause::Bytes {
        after: after.unwrap_or_default(),
        shown: run.output.get(place).copied(),
    }
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
        let mut found = finding("the program starts a game instead".to_owned(), case, run);
        found
            .facts
            .push(Fact::new("received", "\"Turn: 1\" and a board"));
        found
            .facts
            .push(Fact::new("expected", "how the program is used"));
        return Verdict::Broken(found);
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

/// Creates a finding about the first difference between the expected and the shown text.
fn differences(case: &Case, run: &Run) -> Finding {
    let expected = screen::as_seen(exact_output(case).as_bytes(), &case.typed);
    let received = screen::as_seen(&run.output, &case.typed);
    let mut lines = diff::around_the_first(&expected, &received);
    let mut facts = Vec::new();
    let problem = if run.output.is_empty() {
        facts.push(Fact::new("received", "no output"));
        let first = expected.first().map_or("", String::as_str);
        facts.push(Fact::new("expected", format!("\"{first}\"")));
        "the program shows nothing".to_owned()
    } else if lines.is_empty() {
        lines = diff::around_the_first(
            &diff::lines_exactly(exact_output(case).as_bytes()),
            &diff::lines_exactly(&run.output),
        );
        let line = |sign: &str| lines.iter().find_map(|line| line.strip_prefix(sign));
        let (wanted, shown) = (line("- "), line("+ "));
        facts.push(Fact::new(
            "received",
            shown.unwrap_or("the end of the output"),
        ));
        facts.push(Fact::new(
            "expected",
            wanted.unwrap_or("the end of the output"),
        ));
        "the words are right, but the bytes are not: blank lines, spaces or line ends".to_owned()
    } else {
        let pairs = expected.iter().zip(&received);
        let same = pairs.take_while(|(own, shown)| own == shown).count();
        let quoted = |line: Option<&String>| {
            line.map_or("the end of the output".to_owned(), |line| {
                format!("\"{line}\"")
            })
        };
        let (wanted, shown) = (expected.get(same), received.get(same));
        facts.push(Fact::new("received", quoted(shown)));
        facts.push(Fact::new("expected", quoted(wanted)));
        let what = match (wanted, shown) {
            (Some(wanted), None) => format!("the output ends where \"{wanted}\" should follow"),
            (None, Some(shown)) => format!("the program goes on with \"{shown}\" after the end"),
            (_, _) => format!(
                "the program shows {} instead of {}",
                quoted(shown),
                quoted(wanted)
            ),
        };
        let prompts = expected[..same].iter().rev();
        let typed = prompts
            .filter_map(|line| screen::typed_after_prompt(line))
            .next();
        match typed {
            Some(typed) => format!("after {typed} was typed, {what}"),
            None => what,
        }
    };
    let trace = stack_trace(&run.errors);
    let problem = match trace.is_empty() {
        true => problem,
        false => format!("{problem}; the program crashed: {}", trace_headline(&trace)),
    };
    lines.insert(
        0,
        "lines that start with - are expected, with + shown by the program".to_owned(),
    );
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
    let trace = stack_trace(&run.errors);
    let first = errors.lines().find(|line| !line.trim().is_empty());
    match (trace.is_empty(), first) {
        (false, _) => facts.push(Fact::new("stderr", trace_headline(&trace))),
        (true, Some(line)) => facts.push(Fact::new("stderr", shortened(&diff::safe(line)))),
        (true, None) => {}
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
    const MAX_CHARS: usize = 160;
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
