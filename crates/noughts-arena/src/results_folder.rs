//! The results folder of a tournament. It contains the reports and the finished games, so that an interrupted
//! tournament can continue.
//!
//! `tournament.txt` identifies the tournament. `games.csv` has one line per finished game. The line is
//! written after the record of the game. If a crash has cut off the last line, [`ResultsFolder::open`] drops
//! this line, and the game is played again.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use noughts_engine::RobotFaultKind;
use noughts_rules::Record;

use crate::openings::Openings;
use crate::plot::plot;
use crate::report::report;
use crate::standings::Standings;
use crate::tournament::{GameResult, Tournament};

const HEAD: &str = "game,opening,players,winners,plays,fault,by,stubborn,detail,names";

/// Maximum size of `games.csv` in bytes.
const MAX_FILE_SIZE: u64 = 1 << 30;

/// An open results folder. It is locked against other processes if the file system supports locks.
#[derive(Debug)]
pub struct ResultsFolder {
    path: PathBuf,
    games: File,
    results: BTreeMap<u32, GameResult>,
}

impl ResultsFolder {
    /// Opens or creates the folder, and reads the results in it. `limits` describes the limits of the robots. A
    /// tournament can be continued only with the same limits.
    pub fn open(
        folder: &Path,
        tournament: &Tournament,
        limits: &str,
    ) -> Result<ResultsFolder, ResultsFolderError> {
        let failed = |error| ResultsFolderError::Failed {
            folder: folder.to_owned(),
            error,
        };
        fs::create_dir_all(folder.join("records")).map_err(failed)?;
        let mut games = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(folder.join("games.csv"))
            .map_err(failed)?;
        match games.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(ResultsFolderError::Busy(folder.to_owned()));
            }
            // The file system does not support locks, so the folder is used without a lock.
            Err(TryLockError::Error(_)) => {}
        }
        let described = describe(tournament, limits);
        let file = folder.join("tournament.txt");
        // Older versions used this file name.
        let _ = fs::rename(folder.join("contest.txt"), &file);
        match fs::read_to_string(&file) {
            Ok(before) if before == described => {}
            Ok(before) => {
                let (there, here) = first_difference(&before, &described);
                return Err(ResultsFolderError::Other {
                    folder: folder.to_owned(),
                    there,
                    here,
                });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::write(&file, described).map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
        }
        let results = read(&mut games, tournament).map_err(failed)?;
        Ok(ResultsFolder {
            path: folder.to_owned(),
            games,
            results,
        })
    }

    /// The results, by game number.
    pub fn results(&self) -> &BTreeMap<u32, GameResult> {
        &self.results
    }

    /// Stores the result and the record of a finished game.
    pub fn add(
        &mut self,
        tournament: &Tournament,
        result: GameResult,
        record: &Record,
    ) -> io::Result<()> {
        let number = result.game.number + 1;
        let file = self.path.join("records").join(format!("{number:06}.txt"));
        fs::write(file, record.to_string())?;
        // One write call per line, so a crash rarely cuts off a line.
        let line = write_line(tournament, &result) + "\n";
        self.games.write_all(line.as_bytes())?;
        self.results.insert(result.game.number, result);
        Ok(())
    }

    /// Writes the reports `report.txt`, `standings.csv` and `plot.svg`.
    pub fn write_reports(
        &self,
        tournament: &Tournament,
        standings: &Standings,
        results: &BTreeMap<u32, GameResult>,
    ) -> io::Result<()> {
        self.games.sync_data()?;
        let write = |name: &str, text: String| fs::write(self.path.join(name), text);
        write("report.txt", report(tournament, standings, results))?;
        write("standings.csv", table(tournament, standings))?;
        write("plot.svg", plot(tournament, standings))
    }
}

/// Returns the text of `tournament.txt`: the options that must stay the same when a tournament is continued.
/// The number of games may change.
fn describe(tournament: &Tournament, limits: &str) -> String {
    let mut lines = vec![
        "noughts arena 1".to_owned(),
        format!("variant {}", tournament.variant()),
        format!("seed {}", tournament.seed()),
        format!("limits {limits}"),
    ];
    let players = tournament.participants().iter().enumerate();
    lines.extend(players.map(|(number, one)| format!("player {number} {}", one.robot)));
    let pairings = tournament.pairings().iter().map(|one| write_numbers(one));
    lines.push(format!(
        "tables {}",
        pairings.collect::<Vec<_>>().join("; ")
    ));
    match tournament.openings() {
        Openings::Balanced => lines.push("openings balanced".to_owned()),
        Openings::Given(all) => lines.extend(all.iter().map(|plays| {
            let plays = plays.iter().map(|at| tournament.variant().format_move(*at));
            format!("opening {}", plays.collect::<Vec<_>>().join(" "))
        })),
    }
    lines.join("\n") + "\n"
}

fn first_difference(there: &str, here: &str) -> (String, String) {
    let short =
        |line: Option<&str>| -> String { line.unwrap_or("nothing").chars().take(80).collect() };
    // The folder's list of players may be longer or shorter than the list of this tournament.
    let is_player = |line: Option<&str>| line.is_some_and(|line| line.starts_with("player "));
    let none = |line: Option<&str>| {
        let words = line.unwrap_or_default().split(' ').take(2);
        format!("no {}", words.collect::<Vec<_>>().join(" "))
    };
    let (mut a, mut b) = (there.lines(), here.lines());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return (String::new(), String::new()),
            (a, b) if a == b => {}
            (a, b) => {
                return match (is_player(a), is_player(b)) {
                    (true, false) => (short(a), none(a)),
                    (false, true) => (none(b), short(b)),
                    (true, true) | (false, false) => (short(a), short(b)),
                };
            }
        }
    }
}

/// Reads the results from `games.csv`, and truncates the file after its last complete line.
fn read(games: &mut File, tournament: &Tournament) -> io::Result<BTreeMap<u32, GameResult>> {
    let length = games.metadata()?.len();
    if length > MAX_FILE_SIZE {
        return Err(io::Error::other("games.csv is too large"));
    }
    games.rewind()?;
    let mut bytes = Vec::new();
    io::Read::read_to_end(games, &mut bytes)?;
    let whole = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    games.set_len(whole as u64)?;
    if whole == 0 {
        games.write_all(format!("{HEAD}\n").as_bytes())?;
        return Ok(BTreeMap::new());
    }
    let text = String::from_utf8_lossy(&bytes[..whole]);
    let mut results = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        if number == 0 && line == HEAD {
            continue;
        }
        let result = read_line(tournament, line).ok_or_else(|| {
            io::Error::other(format!(
                "line {} of games.csv does not belong to this tournament",
                number + 1
            ))
        })?;
        results.insert(result.game.number, result);
    }
    Ok(results)
}

fn write_line(tournament: &Tournament, result: &GameResult) -> String {
    let names = result
        .game
        .seats
        .iter()
        .map(|one| tournament.participants()[*one].label.as_str());
    let (fault, by, detail) = match &result.fault {
        Some((seat, kind, reason)) => (kind.as_str(), seat.to_string(), reason.as_str()),
        None => ("", String::new(), ""),
    };
    [
        (result.game.number + 1).to_string(),
        (result.game.round + 1).to_string(),
        write_numbers(&result.game.seats),
        write_numbers(&result.winners),
        result.plies.to_string(),
        fault.to_owned(),
        by,
        write_numbers(&result.did_not_exit),
        quote(detail),
        quote(&names.collect::<Vec<_>>().join(" | ")),
    ]
    .join(",")
}

fn read_line(tournament: &Tournament, line: &str) -> Option<GameResult> {
    let fields = split(line);
    let [
        game,
        _,
        seats,
        winners,
        plies,
        fault,
        by,
        did_not_exit,
        detail,
        _,
    ] = fields.as_slice()
    else {
        return None;
    };
    let scheduled = tournament.scheduled_game(game.parse::<u32>().ok()?.checked_sub(1)?);
    if read_numbers(seats)? != scheduled.seats {
        return None;
    }
    let is_seat = |seat: &usize| *seat < scheduled.seats.len();
    let kinds = [
        RobotFaultKind::Illegal,
        RobotFaultKind::Time,
        RobotFaultKind::Crash,
    ];
    let fault = match fault.as_str() {
        "" => None,
        word => {
            let kind = kinds.into_iter().find(|kind| kind.as_str() == word)?;
            let seat = by.parse().ok().filter(is_seat)?;
            Some((seat, kind, detail.clone()))
        }
    };
    let seats = |text: &str| read_numbers(text).filter(|all| all.iter().all(is_seat));
    Some(GameResult {
        winners: seats(winners)?,
        plies: plies.parse().ok()?,
        did_not_exit: seats(did_not_exit)?,
        fault,
        game: scheduled,
    })
}

fn write_numbers(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(" ")
}

fn read_numbers(text: &str) -> Option<Vec<usize>> {
    text.split_whitespace()
        .map(|word| word.parse().ok())
        .collect()
}

/// Formats a text as a quoted CSV field. Replaces control characters with spaces.
fn quote(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|sign| if sign.is_control() { ' ' } else { sign })
        .collect();
    format!("\"{}\"", line.replace('"', "\"\""))
}

/// Splits a line of CSV into its fields.
fn split(line: &str) -> Vec<String> {
    let (mut fields, mut field) = (Vec::new(), String::new());
    let (mut is_quoted, mut signs) = (false, line.chars().peekable());
    while let Some(sign) = signs.next() {
        match sign {
            '"' if is_quoted && signs.peek() == Some(&'"') => {
                signs.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(std::mem::take(&mut field)),
            _ => field.push(sign),
        }
    }
    fields.push(field);
    fields
}

/// The standings as CSV.
fn table(tournament: &Tournament, standings: &Standings) -> String {
    let mut text = String::from(
        "rank,player,games,won,drawn,lost,place,points,points_low,points_high,elo,elo_low,elo_high,illegal,time,crash,stubborn\n",
    );
    for (number, one) in standings.standings.iter().enumerate() {
        let is_known = !one.scores.is_empty();
        let elo = match &one.rating {
            Some((elo, bar)) if is_known => format!("{elo:.2},{:.2},{:.2}", bar.low, bar.high),
            Some(_) | None => ",,".to_owned(),
        };
        let bar = one.scores.interval();
        let points = match is_known {
            true => format!("{:.5},{:.5},{:.5}", one.scores.mean(), bar.low, bar.high),
            false => ",,".to_owned(),
        };
        let faults = [
            RobotFaultKind::Illegal,
            RobotFaultKind::Time,
            RobotFaultKind::Crash,
            RobotFaultKind::DidNotExit,
        ]
        .map(|kind| {
            one.faults
                .get(&kind)
                .copied()
                .unwrap_or_default()
                .to_string()
        });
        text.push_str(&format!(
            "{},{},{},{},{},{},{:.3},{points},{elo},{}\n",
            number + 1,
            quote(&tournament.participants()[one.participant].label),
            one.all.games(),
            one.all.wins,
            one.all.draws,
            one.all.losses,
            one.place,
            faults.join(",")
        ));
    }
    text
}

/// Why a folder cannot be used.
#[derive(Debug)]
pub enum ResultsFolderError {
    /// The folder belongs to another tournament.
    Other {
        /// The folder.
        folder: PathBuf,
        /// The first line that differs, as it is in the folder's `tournament.txt`.
        there: String,
        /// The same line, as the requested tournament would write it.
        here: String,
    },
    /// Another process uses the folder.
    Busy(PathBuf),
    /// Reading or writing failed.
    Failed {
        /// The folder.
        folder: PathBuf,
        /// The error.
        error: io::Error,
    },
}

impl fmt::Display for ResultsFolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultsFolderError::Other {
                folder,
                there,
                here,
            } => write!(
                f,
                "'{}' contains another tournament with '{there}' instead of '{here}'; choose another folder (--out)",
                folder.display()
            ),
            ResultsFolderError::Busy(folder) => {
                write!(f, "another arena is writing to '{}' now", folder.display())
            }
            ResultsFolderError::Failed { folder, error } => {
                write!(f, "'{}' can't be used: {error}", folder.display())
            }
        }
    }
}

impl std::error::Error for ResultsFolderError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_read_back() {
        for fields in [["a", "b"], ["a,b", ""], ["say \"no\"", ","], ["", ""]] {
            let line = fields.map(quote).join(",");
            assert_eq!(split(&line), fields, "{line}");
        }
        assert_eq!(split("1,,x"), ["1", "", "x"]);
        assert_eq!(quote("a\nb"), "\"a b\"");
    }
}
