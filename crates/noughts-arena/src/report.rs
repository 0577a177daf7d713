//! The report of a tournament as text: result tables, the sequential test and the failures.

use std::collections::BTreeMap;
use std::fmt::Write;

use noughts_engine::RobotFaultKind;
use noughts_rules::Side;

use crate::openings::Openings;
use crate::score::Score;
use crate::standings::{Standing, Standings};
use crate::statistics::{Sprt, SprtDecision, write_elo};
use crate::tournament::{GameResult, Tournament};

/// The kinds of failures that lose a game, each with its column title.
const LOSING: [(RobotFaultKind, &str); 3] = [
    (RobotFaultKind::Illegal, "illegal"),
    (RobotFaultKind::Time, "time"),
    (RobotFaultKind::Crash, "crash"),
];

/// Maximum number of failures that are listed one by one.
const MAX_LISTED_FAULTS: usize = 20;

/// The report as text: result tables, the state of the sequential test, the number of games that do not count, and the
/// failures.
pub fn report(
    tournament: &Tournament,
    standings: &Standings,
    results: &BTreeMap<u32, GameResult>,
) -> String {
    let openings = match tournament.openings() {
        Openings::Balanced => "balanced openings".to_owned(),
        Openings::Given(all) => format!("{} given openings", all.len()),
    };
    let mut text = format!(
        "{}, {} of {} games, {openings}, seed {}\n\n",
        tournament.variant(),
        standings.games,
        tournament.games(),
        tournament.seed()
    );
    text.push_str(&table(tournament, standings));
    text.push_str(&side_table(tournament, standings));
    text.push_str(&cross_table(tournament, standings));
    if let Some((test, llr, decision)) = &standings.sprt {
        text.push_str(&sprt_line(*test, *llr, *decision, standings.surplus));
    }
    text.push_str(&unpaired(standings.unpaired));
    text.push_str(&faults(tournament, results));
    text
}

/// Returns the report line about `games` games that do not count, because their opening was not played from
/// all seats. Returns an empty text if `games` is 0.
fn unpaired(games: u32) -> String {
    match games {
        0 => String::new(),
        1 => "\n1 more game does not count: its opening was not played from all seats\n".to_owned(),
        _ => format!(
            "\n{games} more games do not count: their openings were not played from all seats\n"
        ),
    }
}

fn table(tournament: &Tournament, standings: &Standings) -> String {
    let seats = tournament.seats();
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
        rows.push(row(tournament, one, number + 1));
    }
    align(&rows)
}

/// Returns the table of results by seat and of failures. With more than four seats, it has no results by
/// seat. This table is separate, because with these columns the main table would be wider than 80 characters.
fn side_table(tournament: &Tournament, standings: &Standings) -> String {
    // With more than four seats the columns would not fit.
    let seats = match tournament.seats() {
        seats @ ..=4 => seats,
        _ => 0,
    };
    let mut head = vec!["".to_owned(), "as".to_owned()];
    head.extend((0..seats).map(|seat| {
        let symbol = Side::new(seat as u8).map_or('?', Side::symbol);
        symbol.to_string()
    }));
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
        let label = tournament.participants()[one.participant].label.clone();
        let mut row = vec![(number + 1).to_string(), label];
        row.extend(one.by_seat.iter().take(seats).map(write_score));
        if with_faults {
            let count = |kind| one.faults.get(&kind).copied().unwrap_or_default();
            row.extend(LOSING.map(|(kind, _)| count(kind).to_string()));
        }
        rows.push(row);
    }
    format!("\n{}", align(&rows))
}

fn row(tournament: &Tournament, one: &Standing, rank: usize) -> Vec<String> {
    let mut row = vec![
        rank.to_string(),
        tournament.participants()[one.participant].label.clone(),
        one.all.games().to_string(),
        one.all.wins.to_string(),
        one.all.draws.to_string(),
        one.all.losses.to_string(),
    ];
    if tournament.seats() > 2 {
        row.push(format!("{:.2}", one.place));
    }
    // There is no score until some opening was played from all seats.
    let is_known = !one.scores.is_empty();
    let known = |text: String| if is_known { text } else { "–".to_owned() };
    let bar = one.scores.interval();
    row.push(known(format!(
        "{:.1} ({:.1} … {:.1})",
        100.0 * one.scores.mean(),
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

fn write_score(score: &Score) -> String {
    format!("+{} ={} -{}", score.wins, score.draws, score.losses)
}

/// Returns the table of the results for each pair of participants. Returns an empty text if there are only
/// two participants, or if a game has more than two players.
fn cross_table(tournament: &Tournament, standings: &Standings) -> String {
    let participants = tournament.participants();
    if tournament.seats() != 2 || participants.len() < 3 {
        return String::new();
    }
    let order: Vec<usize> = standings
        .standings
        .iter()
        .map(|one| one.participant)
        .collect();
    let mut head = vec!["".to_owned(), "against".to_owned()];
    head.extend((1..=order.len()).map(|number| number.to_string()));
    let mut rows = vec![head];
    for (number, participant) in order.iter().enumerate() {
        let mut row = vec![
            (number + 1).to_string(),
            participants[*participant].label.clone(),
        ];
        for other in &order {
            let pair = (*participant.min(other), *participant.max(other));
            row.push(match standings.encounters.get(&pair) {
                Some(score) if participant < other => write_score(score),
                Some(score) => write_score(&Score {
                    wins: score.losses,
                    draws: score.draws,
                    losses: score.wins,
                }),
                None => "·".to_owned(),
            });
        }
        rows.push(row);
    }
    format!("\n{}", align(&rows))
}

fn sprt_line(test: Sprt, llr: f64, decision: SprtDecision, surplus: u32) -> String {
    let Sprt { elo0, elo1 } = test;
    let state = match decision {
        SprtDecision::Continue => "not decided yet".to_owned(),
        SprtDecision::AcceptH1 => format!("decided: {elo1} Elo rather than {elo0}"),
        SprtDecision::AcceptH0 => format!("decided: {elo0} Elo rather than {elo1}"),
    };
    let surplus = match surplus {
        0 => String::new(),
        1 => "; 1 game was played beyond it and does not count".to_owned(),
        _ => format!("; {surplus} games were played beyond it and do not count"),
    };
    let bound = Sprt::bound();
    format!("\nSPRT {elo0},{elo1}: {llr:+.2} of -{bound:.2} … +{bound:.2}, {state}{surplus}\n")
}

fn faults(tournament: &Tournament, results: &BTreeMap<u32, GameResult>) -> String {
    let mut lines = Vec::new();
    for result in results.values() {
        let who = |seat: usize| {
            let label = &tournament.participants()[result.game.seats[seat]].label;
            format!("game {}: {label}", result.game.number + 1)
        };
        if let Some((seat, kind, reason)) = &result.fault {
            lines.push(format!("{} {reason} ({})", who(*seat), kind.as_str()));
        }
        for seat in &result.did_not_exit {
            lines.push(format!(
                "{} did not exit after END and was killed",
                who(*seat)
            ));
        }
    }
    if lines.is_empty() {
        return String::new();
    }
    let left = lines.len().saturating_sub(MAX_LISTED_FAULTS);
    lines.truncate(MAX_LISTED_FAULTS);
    let mut text = String::from("\n");
    for line in &lines {
        let _ = writeln!(text, "{line}");
    }
    if left > 0 {
        let _ = writeln!(text, "and {left} more");
    }
    text
}

/// Aligns the columns of a table: the second column to the left, all others to the right.
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
    use crate::tournament::{Format, TournamentOptions};
    use noughts_engine::StrategyName;

    #[test]
    fn participant_without_games_has_no_points() {
        let robot = |name: &str| name.parse::<StrategyName>().unwrap().into();
        let tournament = Tournament::new(TournamentOptions {
            variant: "3x3k3".parse().unwrap(),
            robots: ["first", "greedy", "random"].map(robot).to_vec(),
            format: Format::RoundRobin,
            games: 2,
            seed: 1,
            openings: Openings::Balanced,
        })
        .unwrap();
        let results = BTreeMap::new();
        let text = report(
            &tournament,
            &Standings::new(&tournament, &results, None),
            &results,
        );
        let rows: Vec<Vec<&str>> = text
            .lines()
            .filter(|line| line.contains('–'))
            .map(|line| line.split_whitespace().skip(2).collect())
            .collect();
        assert_eq!(rows, vec![vec!["0", "0", "0", "0", "–", "–"]; 3], "{text}");
    }
}
