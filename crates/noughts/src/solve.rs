//! `noughts solve`: proves the value of a position.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::time::Duration;

use indicatif::ProgressBar;
use noughts_engine::{
    Budget, Clock, GameValue, Limits, Progress, Solution, Solver, Stop, SystemClock,
};
use noughts_rules::{AnyTimeline, Diagram, Variant};

use crate::Failure;
use crate::args::{Position, Solve};
use crate::position;
use crate::progress;
use crate::signals::stop_on_signal;

/// Time between two checkpoints.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(300);

pub(crate) fn run(task: &Solve) -> Result<(), Failure> {
    let game = position::game(&task.position)?;
    let variant = *game.variant();
    let Position {
        moves,
        position,
        record,
        ..
    } = &task.position;
    let is_start = moves.is_none() && position.is_none() && record.is_none();
    let position = (!is_start).then(|| game.diagram());
    let budget = budget(task)?;
    let mut solver = Solver::new(&variant, position, budget).map_err(Failure::invalid)?;
    if task.distance {
        solver.find_distance().map_err(Failure::invalid)?;
    }
    if task.checkpoint.is_some() {
        // Only the transposition table of proof-number search can be saved to a checkpoint.
        solver.use_proof_number_search();
    }
    if let Some(name) = &task.checkpoint {
        load(&mut solver, name)?;
    }
    let stop = stop_on_signal()?;
    if let Some(name) = &task.positions {
        return solve_lines(&mut solver, &variant, name, budget, &stop);
    }
    let found = solve(&mut solver, task, budget, &stop)?;
    let text = match task.json {
        true => json(&variant, &found),
        false => words(&variant, solver.position(), &found),
    };
    io::stdout().write_all(text.as_bytes())?;
    if found.value().is_none() {
        return Err(Failure::Unsolved);
    }
    let Some(name) = &task.proof else {
        return Ok(());
    };
    solver.set_budget(Budget {
        time: budget.time.map(|max| max.saturating_sub(found.time)),
        nodes: budget.nodes.map(|max| max.saturating_sub(found.nodes)),
        ..budget
    });
    let clock = SystemClock::default();
    let mut is_complete = true;
    let proof = |file: &mut BufWriter<File>| {
        let written = solver.prove_within_budget(&stop, &clock, file).map(|_| ());
        is_complete = !matches!(&written, Err(error) if error.kind() == io::ErrorKind::TimedOut);
        written
    };
    match write_whole(name, proof) {
        Err(error) if !is_complete => {
            eprintln!("{error}");
            Err(Failure::Unsolved)
        }
        written => written,
    }
}

fn budget(task: &Solve) -> Result<Budget, Failure> {
    let limits = match &task.time {
        None => None,
        Some(text) => Some(text.parse::<Limits>().map_err(|_| {
            let text = text.escape_debug();
            Failure::Invalid(format!(
                "the time is written 200ms, 2s or 500000n, not '{text}'"
            ))
        })?),
    };
    Ok(Budget {
        memory: task.memory as usize * (1 << 20),
        time: limits.and_then(|limits| limits.time),
        nodes: limits.and_then(|limits| limits.nodes),
        threads: task.threads.into(),
    })
}

/// Solves the position. With `--checkpoint`, solves in time slices and writes the file after each slice.
fn solve(
    solver: &mut Solver,
    task: &Solve,
    budget: Budget,
    stop: &Stop,
) -> Result<Solution, Failure> {
    let clock = SystemClock::default();
    let mut ticker = Ticker::new();
    let mut nodes = 0;
    loop {
        let left = Budget {
            time: match (&task.checkpoint, budget.time) {
                (None, time) => time,
                (Some(_), None) => Some(BETWEEN_CHECKPOINTS),
                (Some(_), Some(max)) => {
                    Some(BETWEEN_CHECKPOINTS.min(max.saturating_sub(clock.now())))
                }
            },
            nodes: budget.nodes.map(|max| max.saturating_sub(nodes)),
            ..budget
        };
        solver.set_budget(left);
        let mut found = solver.solve(stop, &clock, &mut |progress| ticker.tick(progress));
        nodes += found.nodes;
        found.nodes = nodes;
        found.time = clock.now();
        if let Some(name) = &task.checkpoint {
            write_whole(name, |file| solver.save(file))?;
        }
        let is_over = found.value().is_some()
            || stop.is_set()
            || task.checkpoint.is_none()
            || budget.time.is_some_and(|max| clock.now() >= max)
            || budget.nodes.is_some_and(|max| nodes >= max);
        if is_over {
            ticker.clear();
            return Ok(found);
        }
    }
}

/// Solves each line of a file with one solver, and prints one line of JSON for each position. Skips empty
/// lines.
fn solve_lines(
    solver: &mut Solver,
    variant: &Variant,
    name: &str,
    budget: Budget,
    stop: &Stop,
) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::Invalid(format!("cannot read {name}: {error}"));
    let reader: Box<dyn BufRead> = match name {
        "-" => Box::new(io::stdin().lock()),
        _ => Box::new(BufReader::new(File::open(name).map_err(failed)?)),
    };
    let clock = SystemClock::default();
    let mut is_complete = true;
    for (number, line) in (1..).zip(reader.lines()) {
        let line = line.map_err(failed)?;
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        let invalid =
            |reason: &dyn Display| Failure::Invalid(format!("{name}, line {number}: {reason}"));
        let position = position_or_moves(variant, text).map_err(|error| invalid(&error))?;
        let set = solver.set_position(position);
        set.map_err(|error| invalid(&error))?;
        solver.set_budget(budget);
        let found = solver.solve(stop, &clock, &mut |_| {});
        is_complete &= found.value().is_some();
        io::stdout().write_all(json(variant, &found).as_bytes())?;
        if stop.is_set() {
            return Err(Failure::Unsolved);
        }
    }
    match is_complete {
        true => Ok(()),
        false => Err(Failure::Unsolved),
    }
}

/// Parses a position in the format of `--position`, or moves in the format of `--moves`.
fn position_or_moves(variant: &Variant, text: &str) -> Result<Diagram, Failure> {
    match text.contains('/') {
        true => Diagram::parse(variant, text).map_err(Failure::invalid),
        false => position::after_moves(variant, text).map(|game| game.diagram()),
    }
}

fn load(solver: &mut Solver, name: &str) -> Result<(), Failure> {
    let told = |error: io::Error| Failure::Invalid(format!("cannot continue from {name}: {error}"));
    match File::open(name) {
        Ok(file) => solver.load(&mut BufReader::new(file)).map_err(told),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(told(error)),
    }
}

/// Writes a temporary file, and renames it to `name` when it is complete.
fn write_whole(
    name: &str,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), Failure> {
    let told = |error: io::Error| Failure::Invalid(format!("cannot write {name}: {error}"));
    let beside = format!("{name}.part");
    let mut file = BufWriter::new(File::create(&beside).map_err(told)?);
    let written = write(&mut file).and_then(|()| file.flush());
    drop(file);
    match written.and_then(|()| fs::rename(&beside, name)) {
        Ok(()) => Ok(()),
        Err(error) => {
            let _ = fs::remove_file(&beside);
            Err(told(error))
        }
    }
}

/// Shows progress. On a terminal, changes one line. Otherwise, prints a new line about every five seconds.
struct Ticker {
    is_terminal: bool,
    spinner: ProgressBar,
    next: Duration,
}

impl Ticker {
    fn new() -> Ticker {
        let is_terminal = io::stderr().is_terminal();
        Ticker {
            is_terminal,
            spinner: progress::spinner(),
            next: Ticker::pause(is_terminal),
        }
    }

    fn pause(is_terminal: bool) -> Duration {
        Duration::from_millis(if is_terminal { 200 } else { 5000 })
    }

    fn tick(&mut self, progress: &Progress) {
        if progress.time < self.next {
            return;
        }
        self.next = progress.time + Ticker::pause(self.is_terminal);
        let seconds = progress.time.as_secs_f64();
        let line = format!(
            "{} nodes  {:.0} per second  table {}%  can {} win? so far {}",
            progress.nodes,
            progress.nodes as f64 / seconds.max(0.001),
            progress.fill / 10,
            progress.attacker.symbol(),
            known(progress.at_least, progress.at_most),
        );
        match self.is_terminal {
            true => self.spinner.set_message(line),
            false => drop(writeln!(io::stderr(), "{line}")),
        }
    }

    fn clear(&self) {
        self.spinner.finish_and_clear();
    }
}

fn known(at_least: GameValue, at_most: GameValue) -> &'static str {
    match (at_least, at_most) {
        (GameValue::Win, _) => "win",
        (_, GameValue::Loss) => "loss",
        (GameValue::Draw, GameValue::Draw) => "draw",
        (GameValue::Draw, GameValue::Win) => "no loss",
        (GameValue::Loss, GameValue::Draw) => "no win",
        (GameValue::Loss, GameValue::Win) => "unknown",
    }
}

fn words(variant: &Variant, position: &Diagram, found: &Solution) -> String {
    let line: Vec<String> = found
        .line
        .iter()
        .map(|at| variant.format_move(*at))
        .collect();
    let is_over = AnyTimeline::new(variant).outcome_of(position).is_some();
    let mut text = format!(
        "{}\n\n{} to move: {}{}\n",
        position.draw(variant),
        position.to_move.symbol(),
        known(found.at_least, found.at_most),
        if is_over { ", the game is over" } else { "" },
    );
    if let Some(plies) = found.distance {
        text += &format!("distance  {plies}\n");
    }
    if let Some(best) = line.first() {
        text += &format!("best      {best}\nline      {}\n", line.join(" "));
    }
    text += &format!(
        "nodes     {}\ntime      {:.3} s\n",
        found.nodes,
        found.time.as_secs_f64()
    );
    text
}

/// Writes JSON without a library. No text in the JSON comes from a user, so nothing needs escapes.
fn json(variant: &Variant, found: &Solution) -> String {
    let value = found
        .value()
        .map_or("unknown".to_owned(), |value| value.to_string());
    let distance = match found.distance {
        Some(plies) => format!("\"distance\":{plies},"),
        None => String::new(),
    };
    let write = |at: &noughts_rules::Move| format!("\"{}\"", variant.format_move(*at));
    format!(
        "{{\"variant\":\"{variant}\",\"value\":\"{value}\",{distance}\"nodes\":{},\"seconds\":{:.6},\"best\":{},\"line\":[{}]}}\n",
        found.nodes,
        found.time.as_secs_f64(),
        found.best.as_ref().map_or("null".to_owned(), write),
        found.line.iter().map(write).collect::<Vec<_>>().join(","),
    )
}
