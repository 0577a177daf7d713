//! A contest's folder: what was played, so that it goes on where it was, and the reports.
//!
//! `contest.txt` says which contest it is, `games.csv` has a line a game. A line is written when its game
//! is over, after its record; one that was cut off by a crash is dropped, and its game played again.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use noughts_engine::FaultKind;
use noughts_rules::Record;

use crate::contest::{Contest, Outcome};
use crate::opening::Openings;
use crate::plot::plot;
use crate::report::report;
use crate::standings::Standings;

const HEAD: &str = "game,opening,players,winners,plays,fault,by,stubborn,detail,names";

/// The largest ledger that is read.
const LARGEST: u64 = 1 << 30;

/// The folder of a contest.
#[derive(Debug)]
pub struct Ledger {
    folder: PathBuf,
    games: File,
    outcomes: BTreeMap<u32, Outcome>,
}

impl Ledger {
    /// Opens a folder for this contest, or makes it. `limits` says what else makes games the same.
    pub fn open(folder: &Path, contest: &Contest, limits: &str) -> Result<Ledger, LedgerError> {
        let failed = |error| LedgerError::Failed {
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
            Err(TryLockError::WouldBlock) => return Err(LedgerError::Busy(folder.to_owned())),
            // Where files can't be locked, nobody is kept out.
            Err(TryLockError::Error(_)) => {}
        }
        let described = describe(contest, limits);
        let file = folder.join("contest.txt");
        match fs::read_to_string(&file) {
            Ok(before) if before == described => {}
            Ok(before) => {
                let (there, here) = first_difference(&before, &described);
                return Err(LedgerError::Other {
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
        let outcomes = read(&mut games, contest).map_err(failed)?;
        Ok(Ledger {
            folder: folder.to_owned(),
            games,
            outcomes,
        })
    }

    /// What was played, by number.
    pub fn outcomes(&self) -> &BTreeMap<u32, Outcome> {
        &self.outcomes
    }

    /// Keeps a game.
    pub fn keep(&mut self, contest: &Contest, outcome: Outcome, record: &Record) -> io::Result<()> {
        let number = outcome.fixture.number + 1;
        let file = self.folder.join("records").join(format!("{number:06}.txt"));
        fs::write(file, record.to_string())?;
        // One call, so that a line is there or is not.
        let line = write_line(contest, &outcome) + "\n";
        self.games.write_all(line.as_bytes())?;
        self.outcomes.insert(outcome.fixture.number, outcome);
        Ok(())
    }

    /// Writes the reports on these outcomes: `report.txt`, `standings.csv` and `plot.svg`.
    pub fn write_reports(
        &self,
        contest: &Contest,
        standings: &Standings,
        outcomes: &BTreeMap<u32, Outcome>,
    ) -> io::Result<()> {
        self.games.sync_data()?;
        let write = |name: &str, text: String| fs::write(self.folder.join(name), text);
        write("report.txt", report(contest, standings, outcomes))?;
        write("standings.csv", table(contest, standings))?;
        write("plot.svg", plot(contest, standings))
    }
}

/// Everything that two runs must agree in to be one contest. How many games it has may change.
fn describe(contest: &Contest, limits: &str) -> String {
    let mut lines = vec![
        "noughts arena 1".to_owned(),
        format!("variant {}", contest.variant()),
        format!("seed {}", contest.seed()),
        format!("limits {limits}"),
    ];
    let players = contest.entrants().iter().enumerate();
    lines.extend(players.map(|(number, one)| format!("player {number} {}", one.robot)));
    let tables = contest.tables().iter().map(|table| write_numbers(table));
    lines.push(format!("tables {}", tables.collect::<Vec<_>>().join("; ")));
    match contest.openings() {
        Openings::Balanced => lines.push("openings balanced".to_owned()),
        Openings::Given(all) => lines.extend(all.iter().map(|plays| {
            let plays = plays.iter().map(|at| contest.variant().format_move(*at));
            format!("opening {}", plays.collect::<Vec<_>>().join(" "))
        })),
    }
    lines.join("\n") + "\n"
}

fn first_difference(there: &str, here: &str) -> (String, String) {
    let short =
        |line: Option<&str>| -> String { line.unwrap_or("nothing").chars().take(80).collect() };
    // One has more players, where the other has something else.
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

/// The outcomes in the file, which is cut where its last whole line ends.
fn read(games: &mut File, contest: &Contest) -> io::Result<BTreeMap<u32, Outcome>> {
    let length = games.metadata()?.len();
    if length > LARGEST {
        return Err(io::Error::other("games.csv is larger than any contest"));
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
    let mut outcomes = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        if number == 0 && line == HEAD {
            continue;
        }
        let outcome = read_line(contest, line).ok_or_else(|| {
            io::Error::other(format!(
                "line {} of games.csv is none of this contest",
                number + 1
            ))
        })?;
        outcomes.insert(outcome.fixture.number, outcome);
    }
    Ok(outcomes)
}

fn write_line(contest: &Contest, outcome: &Outcome) -> String {
    let names = outcome
        .fixture
        .seats
        .iter()
        .map(|one| contest.entrants()[*one].label.as_str());
    let (fault, by, detail) = match &outcome.fault {
        Some((seat, kind, reason)) => (kind.word(), seat.to_string(), reason.as_str()),
        None => ("", String::new(), ""),
    };
    [
        (outcome.fixture.number + 1).to_string(),
        (outcome.fixture.round + 1).to_string(),
        write_numbers(&outcome.fixture.seats),
        write_numbers(&outcome.winners),
        outcome.plies.to_string(),
        fault.to_owned(),
        by,
        write_numbers(&outcome.stubborn),
        quote(detail),
        quote(&names.collect::<Vec<_>>().join(" | ")),
    ]
    .join(",")
}

fn read_line(contest: &Contest, line: &str) -> Option<Outcome> {
    let fields = split(line);
    let [
        game,
        _,
        seats,
        winners,
        plies,
        fault,
        by,
        stubborn,
        detail,
        _,
    ] = fields.as_slice()
    else {
        return None;
    };
    let fixture = contest.fixture(game.parse::<u32>().ok()?.checked_sub(1)?);
    if read_numbers(seats)? != fixture.seats {
        return None;
    }
    let is_seat = |seat: &usize| *seat < fixture.seats.len();
    let kinds = [FaultKind::Illegal, FaultKind::Time, FaultKind::Crash];
    let fault = match fault.as_str() {
        "" => None,
        word => {
            let kind = kinds.into_iter().find(|kind| kind.word() == word)?;
            let seat = by.parse().ok().filter(is_seat)?;
            Some((seat, kind, detail.clone()))
        }
    };
    let seats = |text: &str| read_numbers(text).filter(|all| all.iter().all(is_seat));
    Some(Outcome {
        winners: seats(winners)?,
        plies: plies.parse().ok()?,
        stubborn: seats(stubborn)?,
        fault,
        fixture,
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

/// A field between quotes, on one line.
fn quote(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|sign| if sign.is_control() { ' ' } else { sign })
        .collect();
    format!("\"{}\"", line.replace('"', "\"\""))
}

/// The fields of a line of CSV.
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
fn table(contest: &Contest, standings: &Standings) -> String {
    let mut text = String::from(
        "rank,player,games,won,drawn,lost,place,points,points_low,points_high,elo,elo_low,elo_high,illegal,time,crash,stubborn\n",
    );
    for (number, one) in standings.standings.iter().enumerate() {
        let is_known = one.evidence.units() > 0;
        let elo = match &one.rating {
            Some((elo, bar)) if is_known => format!("{elo:.2},{:.2},{:.2}", bar.low, bar.high),
            Some(_) | None => ",,".to_owned(),
        };
        let bar = one.evidence.interval();
        let points = match is_known {
            true => format!("{:.5},{:.5},{:.5}", one.evidence.share(), bar.low, bar.high),
            false => ",,".to_owned(),
        };
        let faults = [
            FaultKind::Illegal,
            FaultKind::Time,
            FaultKind::Crash,
            FaultKind::Stubborn,
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
            quote(&contest.entrants()[one.entrant].label),
            one.all.games(),
            one.all.won,
            one.all.drawn,
            one.all.lost,
            one.place,
            faults.join(",")
        ));
    }
    text
}

/// Why a folder can't be used.
#[derive(Debug)]
pub enum LedgerError {
    /// Another contest is in it.
    Other {
        /// Which folder.
        folder: PathBuf,
        /// What it says.
        there: String,
        /// What was asked for.
        here: String,
    },
    /// An arena is writing there now.
    Busy(PathBuf),
    /// Reading or writing failed.
    Failed {
        /// Which folder.
        folder: PathBuf,
        /// How.
        error: io::Error,
    },
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LedgerError::Other {
                folder,
                there,
                here,
            } => write!(
                f,
                "'{}' has another contest: it says '{there}', this one '{here}'; name another folder (--out)",
                folder.display()
            ),
            LedgerError::Busy(folder) => {
                write!(f, "another arena is writing to '{}' now", folder.display())
            }
            LedgerError::Failed { folder, error } => {
                write!(f, "'{}' can't be used: {error}", folder.display())
            }
        }
    }
}

impl std::error::Error for LedgerError {}

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
