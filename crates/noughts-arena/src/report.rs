//! A contest's result for people: a table, and what went wrong.

use std::collections::BTreeMap;
use std::fmt::Write;

use noughts_engine::FaultKind;
use noughts_rules::Side;

use crate::contest::{Contest, Outcome};
use crate::evidence::{Sprt, Verdict, write_elo};
use crate::opening::Openings;
use crate::standings::{Standing, Standings, Tally};

/// Faults that lose a game, with what they are called.
const LOSING: [(FaultKind, &str); 3] = [
    (FaultKind::Illegal, "illegal"),
    (FaultKind::Time, "time"),
    (FaultKind::Crash, "crash"),
];

/// Faults that are told one by one.
const MOST_TOLD: usize = 20;

/// The whole result as text.
pub fn report(
    contest: &Contest,
    standings: &Standings,
    outcomes: &BTreeMap<u32, Outcome>,
) -> String {
    let openings = match contest.openings() {
        Openings::Balanced => "balanced openings".to_owned(),
        Openings::Given(all) => format!("{} given openings", all.len()),
    };
    let mut text = format!(
        "{}, {} of {} games, {openings}, seed {}\n\n",
        contest.variant(),
        standings.games,
        contest.games(),
        contest.seed()
    );
    text.push_str(&table(contest, standings));
    text.push_str(&side_table(contest, standings));
    text.push_str(&cross_table(contest, standings));
    if let Some((test, ratio, verdict)) = &standings.sprt {
        text.push_str(&sprt_line(*test, *ratio, *verdict, standings.surplus));
    }
    text.push_str(&faults(contest, outcomes));
    text
}

fn table(contest: &Contest, standings: &Standings) -> String {
    let seats = contest.seats();
    let mut head = vec!["".to_owned(), "player".to_owned()];
    head.extend(["games", "won", "drawn", "lost"].map(str::to_owned));
    if seats > 2 {
        head.push("place".to_owned());
    }
    head.push("points %".to_owned());
    if seats == 2 {
        head.push("Elo".to_owned());
    }
    let mut rows = vec![head];
    for (number, one) in standings.standings.iter().enumerate() {
        rows.push(row(contest, one, number + 1));
    }
    align(&rows)
}

/// How each fared in each seat, and by what it lost without being beaten. A table of its own: a terminal of 80
/// columns has no room for it beside the other.
fn side_table(contest: &Contest, standings: &Standings) -> String {
    // With many seats the columns would not fit.
    let seats = match contest.seats() {
        seats @ ..=4 => seats,
        _ => 0,
    };
    let mut head = vec!["".to_owned(), "as".to_owned()];
    head.extend((0..seats).map(|seat| {
        let symbol = Side::new(seat as u8).map_or('?', Side::symbol);
        symbol.to_string()
    }));
    // Mostly there are none.
    let has_faults = |one: &Standing| LOSING.iter().any(|(kind, _)| one.faults.contains_key(kind));
    let with_faults = standings.standings.iter().any(has_faults);
    if with_faults {
        head.extend(LOSING.map(|(_, name)| name.to_owned()));
    }
    if head.len() == 2 {
        return String::new();
    }
    let mut rows = vec![head];
    for (number, one) in standings.standings.iter().enumerate() {
        let label = contest.entrants()[one.entrant].label.clone();
        let mut row = vec![(number + 1).to_string(), label];
        row.extend(one.by_seat.iter().take(seats).map(write_tally));
        if with_faults {
            let count = |kind| one.faults.get(&kind).copied().unwrap_or_default();
            row.extend(LOSING.map(|(kind, _)| count(kind).to_string()));
        }
        rows.push(row);
    }
    format!("\n{}", align(&rows))
}

fn row(contest: &Contest, one: &Standing, rank: usize) -> Vec<String> {
    let mut row = vec![
        rank.to_string(),
        contest.entrants()[one.entrant].label.clone(),
        one.all.games().to_string(),
        one.all.won.to_string(),
        one.all.drawn.to_string(),
        one.all.lost.to_string(),
    ];
    if contest.seats() > 2 {
        row.push(format!("{:.2}", one.place));
    }
    // While no opening has been played from all seats, nothing is known.
    let is_known = one.evidence.units() > 0;
    let known = |text: String| if is_known { text } else { "–".to_owned() };
    let bar = one.evidence.interval();
    row.push(known(format!(
        "{:.1} ({:.1} … {:.1})",
        100.0 * one.evidence.share(),
        100.0 * bar.low,
        100.0 * bar.high
    )));
    if let Some((elo, bar)) = &one.rating {
        row.push(known(format!(
            "{} ({} … {})",
            write_elo(*elo),
            write_elo(bar.low),
            write_elo(bar.high)
        )));
    }
    row
}

/// Wins, draws and losses.
fn write_tally(tally: &Tally) -> String {
    format!("+{} ={} -{}", tally.won, tally.drawn, tally.lost)
}

/// Who fared how against whom, where there are more than two.
fn cross_table(contest: &Contest, standings: &Standings) -> String {
    let entrants = contest.entrants();
    if contest.seats() != 2 || entrants.len() < 3 {
        return String::new();
    }
    let order: Vec<usize> = standings.standings.iter().map(|one| one.entrant).collect();
    let mut head = vec!["".to_owned(), "against".to_owned()];
    head.extend((1..=order.len()).map(|number| number.to_string()));
    let mut rows = vec![head];
    for (number, entrant) in order.iter().enumerate() {
        let mut row = vec![(number + 1).to_string(), entrants[*entrant].label.clone()];
        for other in &order {
            let pair = (*entrant.min(other), *entrant.max(other));
            row.push(match standings.encounters.get(&pair) {
                Some(tally) if entrant < other => write_tally(tally),
                Some(tally) => write_tally(&Tally {
                    won: tally.lost,
                    drawn: tally.drawn,
                    lost: tally.won,
                }),
                None => "·".to_owned(),
            });
        }
        rows.push(row);
    }
    format!("\n{}", align(&rows))
}

fn sprt_line(test: Sprt, ratio: f64, verdict: Verdict, surplus: u32) -> String {
    let Sprt { elo0, elo1 } = test;
    let said = match verdict {
        Verdict::Open => "not decided yet".to_owned(),
        Verdict::Hoped => format!("decided: {elo1} Elo rather than {elo0}"),
        Verdict::Little => format!("decided: {elo0} Elo rather than {elo1}"),
    };
    let surplus = match surplus {
        0 => String::new(),
        1 => "; 1 game was played beyond it and does not count".to_owned(),
        _ => format!("; {surplus} games were played beyond it and do not count"),
    };
    let bound = Sprt::bound();
    format!("\nSPRT {elo0},{elo1}: {ratio:+.2} of -{bound:.2} … +{bound:.2}, {said}{surplus}\n")
}

fn faults(contest: &Contest, outcomes: &BTreeMap<u32, Outcome>) -> String {
    let mut lines = Vec::new();
    for outcome in outcomes.values() {
        let who = |seat: usize| {
            let label = &contest.entrants()[outcome.fixture.seats[seat]].label;
            format!("game {}: {label}", outcome.fixture.number + 1)
        };
        if let Some((seat, kind, reason)) = &outcome.fault {
            lines.push(format!("{} {reason} ({})", who(*seat), kind.word()));
        }
        for seat in &outcome.stubborn {
            lines.push(format!(
                "{} did not end after END, and was ended",
                who(*seat)
            ));
        }
    }
    if lines.is_empty() {
        return String::new();
    }
    let left = lines.len().saturating_sub(MOST_TOLD);
    lines.truncate(MOST_TOLD);
    let mut text = String::from("\n");
    for line in &lines {
        let _ = writeln!(text, "{line}");
    }
    if left > 0 {
        let _ = writeln!(text, "and {left} more");
    }
    text
}

/// Columns under one another: the first two to the left, numbers to the right.
fn align(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let _ = match column {
                0 => write!(line, "{cell:>width$} "),
                1 => write!(line, "{cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::{Format, Plan};
    use noughts_engine::StrategyName;

    #[test]
    fn who_has_not_played_has_no_points() {
        let robot = |name: &str| name.parse::<StrategyName>().unwrap().into();
        let contest = Contest::new(Plan {
            variant: "3x3k3".parse().unwrap(),
            robots: ["first", "greedy", "random"].map(robot).to_vec(),
            format: Format::RoundRobin,
            games: 2,
            seed: 1,
            openings: Openings::Balanced,
        })
        .unwrap();
        let outcomes = BTreeMap::new();
        let told = report(
            &contest,
            &Standings::new(&contest, &outcomes, None),
            &outcomes,
        );
        let rows: Vec<Vec<&str>> = told
            .lines()
            .filter(|line| line.contains('–'))
            .map(|line| line.split_whitespace().skip(2).collect())
            .collect();
        assert_eq!(rows, vec![vec!["0", "0", "0", "0", "–", "–"]; 3], "{told}");
    }
}
