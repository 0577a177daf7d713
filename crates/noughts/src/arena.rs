//! `noughts arena`: tournaments between strategies and external engines.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use noughts_arena::{
    Format, GameResult, Openings, ResultsFolder, SequentialTest, Sprt, Standings, Tournament,
    TournamentOptions, report,
};
use noughts_engine::{Limits, RobotName, Stop};
use noughts_gomocup::ExternalEngines;
use noughts_rules::{Quoted, Record, Variant};

use crate::Failure;
use crate::args::Arena;
use crate::progress;
use crate::robot_setup;
use crate::signals::stop_on_signal;

/// Maximum time per move for external engines if `--nodes` limits the search.
const MAX_MOVE_TIME: Duration = Duration::from_secs(60);

/// Minimum time between two updates of the progress bar's message, which names the best player. The minimum
/// grows by this time for every 1000 finished games.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

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
        games: games(task.games, &variant)?,
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
    let stop = stop_on_signal()?;
    let mut run = TournamentRun {
        results: match &folder {
            Some(folder) => folder.results().clone(),
            None => BTreeMap::new(),
        },
        tournament: &tournament,
        folder,
        test: sprt.map(SequentialTest::new),
        progress: Progress::new(tournament.games()),
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
    /// Plays the remaining games, until the sequential test has decided or a signal arrives. Returns whether a signal
    /// stopped the tournament.
    fn play(&mut self, threads: usize, stop: &Stop) -> Result<bool, Failure> {
        // The folder may have more games than this run requests.
        let games = self.tournament.games();
        self.results.retain(|number, _| *number < games);
        let is_left = |number: &u32| !self.results.contains_key(number);
        let left: Vec<u32> = (0..games).filter(is_left).collect();
        let (mut is_decided, tournament) = (self.is_decided(), self.tournament);
        if is_decided || left.is_empty() {
            return Ok(false);
        }
        self.progress.show(&self.results, tournament);
        // When the sequential test has decided, the threads are stopped, as after a signal.
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
                self.progress.show(&self.results, tournament);
                Ok(())
            },
        )?;
        self.progress.bar.finish_and_clear();
        // A signal that came after the last game did not stop the tournament.
        let is_complete = self.results.len() == games as usize;
        Ok(stop.is_set() && !is_decided && !is_complete)
    }

    fn is_decided(&mut self) -> bool {
        let test = self.test.as_mut();
        test.is_some_and(|test| test.update(self.tournament, &self.results))
    }

    fn standings(&self) -> Standings {
        Standings::new(self.tournament, &self.results, self.test.as_ref())
    }

    /// Writes the reports to the directory of `--out`, and prints a report. Returns an error if a signal stopped the
    /// tournament.
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
            Some(_) => {
                format!("Stopped after {played} of {games} games; the same command continues.")
            }
            None => format!(
                "Stopped after {played} of {games} games; with --out DIR it can be continued."
            ),
        }))
    }
}

/// The limit per move for `search` and for external engines.
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
        // `search` without a limit uses the limit of the tournament.
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

/// The default number of games per pairing. It is rounded up to a multiple of the number of seats.
const DEFAULT_GAMES: u32 = 100;

/// Returns the number of games per pairing: `games` or the default. Returns an error if `games` is not a
/// multiple of the number of seats, because each opening is played from every seat.
fn games(games: Option<u32>, variant: &Variant) -> Result<u32, Failure> {
    let seats = u32::from(variant.sides());
    match games {
        None => Ok(DEFAULT_GAMES.next_multiple_of(seats)),
        Some(games) if games % seats == 0 => Ok(games),
        Some(games) => {
            let more = games.next_multiple_of(seats);
            let fewer = if games > seats {
                format!("{} or ", more - seats)
            } else {
                String::new()
            };
            Err(Failure::invalid(format_args!(
                "the games (--games) must be a multiple of {seats}, because each opening is played from every seat: \
                 {fewer}{more}, not {games}"
            )))
        }
    }
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

/// A progress bar, and beside it the player with the best score so far.
struct Progress {
    bar: ProgressBar,
    is_terminal: bool,
    last: Option<Instant>,
}

impl Progress {
    fn new(games: u32) -> Progress {
        Progress {
            bar: progress::bar(games.into(), "games"),
            is_terminal: io::stderr().is_terminal(),
            last: None,
        }
    }

    fn show(&mut self, results: &BTreeMap<u32, GameResult>, tournament: &Tournament) {
        self.bar.set_position(results.len() as u64);
        // Standings cost time in proportion to the number of games, so they are computed less often with more games.
        let pause = PROGRESS_INTERVAL * (1 + results.len() as u32 / 1000);
        let is_due = self.last.is_none_or(|last| last.elapsed() >= pause);
        if !self.is_terminal || !is_due {
            return;
        }
        self.last = Some(Instant::now());
        let standings = Standings::new(tournament, results, None);
        let best = standings.standings.first();
        // A player has no score before an opening has been played from all seats.
        if let Some(best) = best.filter(|one| !one.scores.is_empty()) {
            let bar = best.scores.interval();
            self.bar.set_message(format!(
                "{} {:.1} % ({:.0} … {:.0})",
                tournament.participants()[best.participant].label,
                100.0 * best.scores.mean(),
                100.0 * bar.low,
                100.0 * bar.high
            ));
        }
    }
}
