//! `noughts arena`: tournaments between strategies and external engines.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use noughts_arena::{
    Format, GameResult, Openings, ResultsFolder, SequentialTest, Sprt, Standings, Tournament,
    TournamentOptions, report,
};
use noughts_engine::{Limits, RobotName, Stop};
use noughts_gomocup::ExternalEngines;
use noughts_rules::{Quoted, Record, Variant};

use crate::Failure;
use crate::args::Arena;
use crate::robot_setup;
use crate::signals::on_end_signal;

/// Time per move for engines when nodes are limited instead.
const MAX_MOVE_TIME: Duration = Duration::from_secs(60);

/// How often the progress line is updated.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Minimum and maximum width of the progress bar.
const BAR_WIDTHS: (usize, usize) = (8, 24);

pub(crate) fn run(task: &Arena) -> Result<(), Failure> {
    let variant: Variant = task.variant.parse().map_err(Failure::invalid)?;
    let limits = Limit::read(task)?;
    let sprt = read_sprt(task)?;
    let tournament = Tournament::new(TournamentOptions {
        robots: robots(task, &limits)?,
        format: match task.gauntlet {
            true => Format::Gauntlet,
            false => Format::RoundRobin,
        },
        games: task.games,
        seed: match &task.seed {
            Some(text) => robot_setup::from_seed(Some(text))?.seed,
            None => 1,
        },
        openings: openings(task.openings.as_deref(), &variant)?,
        variant,
    });
    let tournament = tournament.map_err(Failure::invalid)?;
    let folder = task
        .out
        .as_deref()
        .map(|folder| ResultsFolder::open(Path::new(folder), &tournament, &limits.to_string()));
    let folder = folder.transpose().map_err(Failure::invalid)?;
    let stop = Stop::new();
    let stopped = stop.clone();
    on_end_signal(move |_| stopped.set())?;
    let mut run = TournamentRun {
        results: match &folder {
            Some(folder) => folder.results().clone(),
            None => BTreeMap::new(),
        },
        tournament: &tournament,
        folder,
        test: sprt.map(SequentialTest::new),
        progress: Progress::new(),
    };
    let was_stopped = run.play(task.threads.into(), &stop)?;
    run.finish(was_stopped)
}

/// A tournament with its results so far.
struct TournamentRun<'a> {
    tournament: &'a Tournament,
    folder: Option<ResultsFolder>,
    results: BTreeMap<u32, GameResult>,
    test: Option<SequentialTest>,
    progress: Progress,
}

impl TournamentRun<'_> {
    /// Plays the remaining games; returns whether a signal stopped it.
    fn play(&mut self, threads: usize, stop: &Stop) -> Result<bool, Failure> {
        // The folder may have more games than are requested now.
        let games = self.tournament.games();
        self.results.retain(|number, _| *number < games);
        let is_left = |number: &u32| !self.results.contains_key(number);
        let left: Vec<u32> = (0..games).filter(is_left).collect();
        let (mut is_decided, tournament) = (self.is_decided(), self.tournament);
        if is_decided || left.is_empty() {
            return Ok(false);
        }
        let before = self.results.len();
        self.progress
            .show(before, games, before, &self.results, tournament);
        // A decision of the test stops the threads too.
        let enough = stop.clone();
        tournament.play(
            &left,
            threads,
            stop,
            |result, record: &Record| -> io::Result<()> {
                if let Some(folder) = &mut self.folder {
                    folder.add(tournament, result.clone(), record)?;
                }
                self.results.insert(result.game.number, result);
                is_decided = self.is_decided();
                if is_decided {
                    enough.set();
                }
                let played = self.results.len();
                self.progress
                    .show(played, games, before, &self.results, tournament);
                Ok(())
            },
        )?;
        self.progress.clear();
        Ok(stop.is_set() && !is_decided)
    }

    fn is_decided(&mut self) -> bool {
        let test = self.test.as_mut();
        test.is_some_and(|test| test.update(self.tournament, &self.results))
    }

    fn standings(&self) -> Standings {
        Standings::new(self.tournament, &self.results, self.test.as_ref())
    }

    /// Writes the reports.
    fn finish(&self, was_stopped: bool) -> Result<(), Failure> {
        let standings = self.standings();
        if let Some(folder) = &self.folder {
            folder.write_reports(self.tournament, &standings, &self.results)?;
        }
        let mut output = io::stdout().lock();
        output.write_all(report(self.tournament, &standings, &self.results).as_bytes())?;
        output.flush()?;
        if !was_stopped {
            return Ok(());
        }
        let (played, games) = (self.results.len(), self.tournament.games());
        Err(Failure::Stopped(match &self.folder {
            Some(_) => format!(
                "Stopped after {played} of {games} games; the same command goes on where it was."
            ),
            None => format!(
                "Stopped after {played} of {games} games; with --out DIR it could go on later."
            ),
        }))
    }
}

/// The limit per move of `search` and of programs.
struct Limit {
    limits: Limits,
    text: String,
    tolerance: Duration,
}

impl Limit {
    fn read(task: &Arena) -> Result<Limit, Failure> {
        let text = match (&task.nodes, &task.time) {
            (Some(nodes), _) => format!("{}n", nodes.trim_end_matches('n')),
            (None, time) => time.clone().unwrap_or_else(|| "100ms".to_owned()),
        };
        let limits: Limits = text.parse().map_err(|_| {
            Failure::invalid(match &task.nodes {
                Some(nodes) => format!(
                    "the positions (--nodes) are a number such as 20000, not {}",
                    Quoted::from(nodes.as_str())
                ),
                None => format!(
                    "the time (--time) is written 100ms or 2s, not {}",
                    Quoted::from(text.as_str())
                ),
            })
        })?;
        let tolerance = task
            .tolerance
            .parse()
            .ok()
            .and_then(|limits: Limits| limits.time);
        let tolerance = tolerance.ok_or_else(|| {
            Failure::invalid(format_args!(
                "the tolerance (--tolerance) is written 500ms or 2s, not {}",
                Quoted::from(task.tolerance.as_str())
            ))
        })?;
        Ok(Limit {
            limits,
            text,
            tolerance,
        })
    }

    fn external_engines(&self) -> ExternalEngines {
        ExternalEngines {
            move_time: self.limits.time.unwrap_or(MAX_MOVE_TIME),
            nodes: self.limits.nodes,
            tolerance: self.tolerance,
            ..ExternalEngines::default()
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} and {} ms", self.text, self.tolerance.as_millis())
    }
}

fn robots(task: &Arena, limit: &Limit) -> Result<Vec<RobotName>, Failure> {
    let engines = limit.external_engines().engines();
    let read = |text: &String| match text.as_str() {
        // `search` has the limit of all players.
        "search" => engines
            .parse(&format!("search:{}", limit.text))
            .map_err(Failure::invalid),
        text => engines
            .parse(text)
            .map_err(|error| match text.contains(':') {
                true => Failure::invalid(error),
                false => Failure::invalid(format_args!(
                    "{error}; and here search, within --time or --nodes, and engine:COMMAND"
                )),
            }),
    };
    task.players.iter().map(read).collect()
}

fn read_sprt(task: &Arena) -> Result<Option<Sprt>, Failure> {
    let Some(text) = &task.sprt else {
        return Ok(None);
    };
    if task.players.len() != 2 {
        return Err(Failure::invalid(
            "the test (--sprt) is for two players: it says which is better",
        ));
    }
    text.parse().map(Some).map_err(Failure::invalid)
}

fn openings(file: Option<&str>, variant: &Variant) -> Result<Openings, Failure> {
    let Some(file) = file else {
        return Ok(Openings::Balanced);
    };
    let text = noughts_terminal::tui::read(file, std::fs::File::open(file));
    let text = text.map_err(Failure::Invalid)?;
    Openings::read(variant, &text)
        .map_err(|error| Failure::invalid(format_args!("'{file}' (--openings): {error}")))
}

/// A progress line on standard error, if it is a terminal.
struct Progress {
    is_shown: bool,
    started: Instant,
    last: Option<Instant>,
}

impl Progress {
    fn new() -> Progress {
        Progress {
            is_shown: io::stderr().is_terminal(),
            started: Instant::now(),
            last: None,
        }
    }

    fn show(
        &mut self,
        played: usize,
        games: u32,
        before: usize,
        results: &BTreeMap<u32, GameResult>,
        tournament: &Tournament,
    ) {
        // It costs time in proportion to the number of games, so it is updated less often with more games.
        let pause = PROGRESS_INTERVAL * (1 + results.len() as u32 / 1000);
        let is_due = self.last.is_none_or(|last| last.elapsed() >= pause);
        if !self.is_shown || !is_due {
            return;
        }
        self.last = Some(Instant::now());
        let games = games as usize;
        let left = match played - before {
            0 => String::new(),
            done => {
                let each = self.started.elapsed().as_secs_f64() / done as f64;
                format!(", {} left", write_time(each * (games - played) as f64))
            }
        };
        let standings = Standings::new(tournament, results, None);
        let best = standings.standings.first();
        // Nothing is known until an opening has been played from all seats.
        let best = best.filter(|one| !one.scores.is_empty()).map(|one| {
            let bar = one.scores.interval();
            format!(
                "  {} {:.1} % ({:.0} … {:.0})",
                tournament.participants()[one.participant].label,
                100.0 * one.scores.mean(),
                100.0 * bar.low,
                100.0 * bar.high
            )
        });
        let texts = [
            format!("{played} of {games}"),
            left,
            best.unwrap_or_default(),
        ];
        let line = progress_line(
            terminal_width(),
            played as f64 / games.max(1) as f64,
            &texts,
        );
        let _ = write!(io::stderr(), "\r{line}\x1b[K");
        let _ = io::stderr().flush();
    }

    fn clear(&self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// A bar, and behind it as much as the terminal has room for, what matters most first: a line that
/// is broken can't be written over.
fn progress_line(width: usize, share: f64, texts: &[String; 3]) -> String {
    // The last column stays free, since some terminals go on to the next line there.
    let room = width.saturating_sub(1);
    for count in (1..=texts.len()).rev() {
        let text = texts[..count].concat();
        let free = room.checked_sub(text.chars().count() + 1);
        let Some(bar) = free.filter(|free| *free >= BAR_WIDTHS.0) else {
            continue;
        };
        let bar = bar.min(BAR_WIDTHS.1);
        let filled = ((bar as f64 * share) as usize).min(bar);
        return format!("{}{} {text}", "█".repeat(filled), "░".repeat(bar - filled));
    }
    texts[0].chars().take(room).collect()
}

/// The width of the terminal.
fn terminal_width() -> usize {
    #[cfg(unix)]
    let columns = rustix::termios::tcgetwinsize(io::stderr()).map_or(0, |size| size.ws_col);
    #[cfg(not(unix))]
    let columns = 0;
    match columns {
        0 => 80,
        columns => columns.into(),
    }
}

fn write_time(seconds: f64) -> String {
    match seconds as u64 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_fits_into_the_terminal() {
        let texts = ["15 of 60", ", 20 s left", "  level:8 66.7 % (16 … 98)"].map(str::to_owned);
        let line = |width| progress_line(width, 0.25, &texts);
        let bar = |filled: usize, rest: usize| "█".repeat(filled) + &"░".repeat(rest);
        assert_eq!(
            line(100),
            bar(6, 18) + " 15 of 60, 20 s left  level:8 66.7 % (16 … 98)"
        );
        // The whole text has 45 columns, a space and the last one are taken too: 8 are left.
        assert_eq!(
            line(55),
            bar(2, 6) + " 15 of 60, 20 s left  level:8 66.7 % (16 … 98)"
        );
        assert_eq!(line(54), bar(6, 18) + " 15 of 60, 20 s left");
        assert_eq!(line(29), bar(2, 6) + " 15 of 60, 20 s left");
        assert_eq!(line(28), bar(4, 14) + " 15 of 60");
        assert_eq!(line(17), "15 of 60");
        assert_eq!(line(5), "15 o");
        for width in 0..120 {
            assert!(line(width).chars().count() < width.max(1), "{width}");
        }
    }
}
