//! What the games of a contest add up to.

use std::collections::BTreeMap;

use noughts_engine::FaultKind;

use crate::contest::{Contest, Outcome};
use crate::evidence::{Evidence, Interval, Sprt, Verdict, elo};
use crate::ratings::{Encounter, rate};

/// Wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games won, alone or with others.
    pub won: u32,
    /// Games in which nobody won.
    pub drawn: u32,
    /// Games that others won.
    pub lost: u32,
}

impl Tally {
    /// All games.
    pub fn games(&self) -> u32 {
        self.won + self.drawn + self.lost
    }
}

/// What one entrant did.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// Which entrant.
    pub entrant: usize,
    /// All games.
    pub all: Tally,
    /// The same by seat.
    pub by_seat: Vec<Tally>,
    /// The mean of its places, 1 for the first; those with equal merit share theirs.
    pub place: f64,
    /// Openings played from all seats.
    pub evidence: Evidence,
    /// Elo and its bar, where games are between two.
    pub rating: Option<(f64, Interval)>,
    /// How often it played what is not legal, was too slow, ended or could not be heard, and did
    /// not end when it should.
    pub faults: BTreeMap<FaultKind, u32>,
}

/// All that came of a contest so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Standings {
    /// The best first.
    pub standings: Vec<Standing>,
    /// Games that count.
    pub games: u32,
    /// Games that were played when the test had decided already.
    pub surplus: u32,
    /// The test's logarithm of likelihoods and its verdict.
    pub sprt: Option<(Sprt, f64, Verdict)>,
    /// The first entrant's evidence after each complete opening, for the plot: share by entrant.
    pub course: Vec<Vec<f64>>,
    /// Games of two who met: the first's tally, by entrants.
    pub encounters: BTreeMap<(usize, usize), Tally>,
}

/// The place of winners and of the others, among so many, when so many won.
fn place(seats: usize, winners: usize, has_won: bool) -> f64 {
    let (seats, winners) = (seats as f64, winners as f64);
    match has_won {
        true => (1.0 + winners) / 2.0,
        false => (winners + 1.0 + seats) / 2.0,
    }
}

/// Points for a place: 1 for the first alone, 0 for the last alone.
fn points(seats: usize, place: f64) -> f64 {
    (seats as f64 - place) / (seats as f64 - 1.0)
}

impl Standings {
    /// Adds up these outcomes, by number; with a test only those to its decision count.
    pub fn new(
        contest: &Contest,
        outcomes: &BTreeMap<u32, Outcome>,
        referee: Option<&Referee>,
    ) -> Standings {
        let seats = contest.seats();
        let mut count = Counting::new(contest, seats);
        let end = referee
            .and_then(|referee| referee.decided)
            .map(|(end, _)| end);
        let counted = outcomes.range(..end.unwrap_or(u32::MAX));
        for (number, outcome) in counted {
            count.add(outcome);
            if *number as usize % seats == seats - 1 {
                count.close_block(contest, outcomes, *number);
            }
        }
        let mut standings = count.standings(contest);
        let merit = |one: &Standing| match &one.rating {
            Some((elo, _)) if contest.entrants().len() > 2 => *elo,
            _ => one.evidence.share(),
        };
        standings.sort_by(|a, b| merit(b).total_cmp(&merit(a)));
        Standings {
            standings,
            games: count.games,
            surplus: outcomes.len() as u32 - count.games,
            sprt: referee.map(Referee::finding),
            course: count.course,
            encounters: count.tallies,
        }
    }
}

/// Follows a contest of two until a test decides. It counts only as far as no game is missing, or it
/// would matter who was quicker.
#[derive(Clone, Debug)]
pub struct Referee {
    test: Sprt,
    /// Of the first entrant.
    evidence: Evidence,
    /// The first game of the next opening.
    next: u32,
    /// How many games it took, and what they show.
    decided: Option<(u32, Verdict)>,
}

impl Referee {
    /// One that has seen nothing yet.
    pub fn new(test: Sprt) -> Referee {
        Referee {
            test,
            evidence: Evidence::default(),
            next: 0,
            decided: None,
        }
    }

    /// Looks at what is new; whether it has decided.
    pub fn follow(&mut self, contest: &Contest, outcomes: &BTreeMap<u32, Outcome>) -> bool {
        let seats = contest.seats() as u32;
        while self.decided.is_none() {
            let mut block = (self.next..self.next + seats).map(|number| outcomes.get(&number));
            let shares = block.try_fold(0.0, |sum, outcome| Some(sum + merit(outcome?, 0)));
            let Some(shares) = shares else { return false };
            self.next += seats;
            self.evidence.add(shares / f64::from(seats));
            match self.test.verdict(&self.evidence) {
                Verdict::Open => {}
                verdict => self.decided = Some((self.next, verdict)),
            }
        }
        true
    }

    fn finding(&self) -> (Sprt, f64, Verdict) {
        let verdict = self.decided.map_or(Verdict::Open, |(_, verdict)| verdict);
        (self.test, self.test.log_ratio(&self.evidence), verdict)
    }
}

/// The points of an entrant in a game that it took part in.
fn merit(outcome: &Outcome, entrant: usize) -> f64 {
    let seats = outcome.fixture.seats.len();
    let seat = outcome.fixture.seats.iter().position(|one| *one == entrant);
    let has_won = seat.is_some_and(|seat| outcome.winners.contains(&seat));
    points(seats, place(seats, outcome.winners.len(), has_won))
}

struct Counting {
    games: u32,
    all: Vec<Tally>,
    by_seat: Vec<Vec<Tally>>,
    places: Vec<f64>,
    evidence: Vec<Evidence>,
    faults: Vec<BTreeMap<FaultKind, u32>>,
    encounters: Vec<Encounter>,
    tallies: BTreeMap<(usize, usize), Tally>,
    course: Vec<Vec<f64>>,
}

impl Counting {
    fn new(contest: &Contest, seats: usize) -> Counting {
        let entrants = contest.entrants().len();
        Counting {
            games: 0,
            all: vec![Tally::default(); entrants],
            by_seat: vec![vec![Tally::default(); seats]; entrants],
            places: vec![0.0; entrants],
            evidence: vec![Evidence::default(); entrants],
            faults: vec![BTreeMap::new(); entrants],
            encounters: Vec::new(),
            tallies: BTreeMap::new(),
            course: Vec::new(),
        }
    }

    fn add(&mut self, outcome: &Outcome) {
        self.games += 1;
        let seats = outcome.fixture.seats.len();
        for (seat, entrant) in outcome.fixture.seats.iter().copied().enumerate() {
            let mut tallies = [&mut self.all[entrant], &mut self.by_seat[entrant][seat]];
            for tally in &mut tallies {
                count(tally, outcome, seat);
            }
            let has_won = outcome.winners.contains(&seat);
            self.places[entrant] += place(seats, outcome.winners.len(), has_won);
        }
        if let [first, second] = outcome.fixture.seats[..] {
            let (pair, seat) = if first < second {
                ((first, second), 0)
            } else {
                ((second, first), 1)
            };
            count(self.tallies.entry(pair).or_default(), outcome, seat);
        }
        if let Some((seat, kind, _)) = &outcome.fault {
            let entrant = outcome.fixture.seats[*seat];
            *self.faults[entrant].entry(*kind).or_default() += 1;
        }
        for seat in &outcome.stubborn {
            let entrant = outcome.fixture.seats[*seat];
            *self.faults[entrant].entry(FaultKind::Stubborn).or_default() += 1;
        }
    }

    /// The games of one opening at one table, the last of which has this number, if all were played.
    fn close_block(&mut self, contest: &Contest, outcomes: &BTreeMap<u32, Outcome>, last: u32) {
        let seats = contest.seats();
        let first = last + 1 - seats as u32;
        let block: Vec<&Outcome> = outcomes.range(first..=last).map(|(_, one)| one).collect();
        if block.len() < seats {
            return;
        }
        let table = &contest.tables()[block[0].fixture.table];
        let mut shares = Vec::new();
        for entrant in table {
            let sum: f64 = block.iter().map(|outcome| merit(outcome, *entrant)).sum();
            let share = sum / seats as f64;
            self.evidence[*entrant].add(share);
            shares.push(share);
        }
        if let [first, second] = table[..] {
            self.encounters.push(Encounter {
                first,
                second,
                games: 2,
                share: shares[0],
            });
        }
        self.course
            .push(self.evidence.iter().map(Evidence::share).collect());
    }

    fn standings(&self, contest: &Contest) -> Vec<Standing> {
        let entrants = contest.entrants().len();
        let ratings = match (contest.seats(), entrants) {
            (2, 2) => {
                let rating = |evidence: &Evidence| {
                    let bar = evidence.interval();
                    let bar = Interval {
                        low: elo(bar.low),
                        high: elo(bar.high),
                    };
                    Some((elo(evidence.share()), bar))
                };
                self.evidence.iter().map(rating).collect()
            }
            (2, _) => {
                let ratings = rate(entrants, &self.encounters);
                let rating = |one: &crate::ratings::Rating| {
                    let bar = Interval {
                        low: one.elo - one.error,
                        high: one.elo + one.error,
                    };
                    Some((one.elo, bar))
                };
                ratings.iter().map(rating).collect()
            }
            _ => vec![None; entrants],
        };
        let standing = |(entrant, rating): (usize, Option<(f64, Interval)>)| Standing {
            entrant,
            all: self.all[entrant],
            by_seat: self.by_seat[entrant].clone(),
            place: self.places[entrant] / f64::from(self.all[entrant].games().max(1)),
            evidence: self.evidence[entrant].clone(),
            rating,
            faults: self.faults[entrant].clone(),
        };
        ratings.into_iter().enumerate().map(standing).collect()
    }
}

fn count(tally: &mut Tally, outcome: &Outcome, seat: usize) {
    if outcome.winners.is_empty() {
        tally.drawn += 1;
    } else if outcome.winners.contains(&seat) {
        tally.won += 1;
    } else {
        tally.lost += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_shared_by_those_with_equal_merit() {
        // One of two, of three; a draw of three; two of three in a misère game.
        assert_eq!((place(2, 1, true), place(2, 1, false)), (1.0, 2.0));
        assert_eq!((place(3, 1, true), place(3, 1, false)), (1.0, 2.5));
        assert_eq!(place(3, 0, false), 2.0);
        assert_eq!((place(3, 2, true), place(3, 2, false)), (1.5, 3.0));
        assert_eq!(points(2, 1.0), 1.0);
        assert_eq!(points(2, 1.5), 0.5);
        assert_eq!(points(3, 2.5), 0.25);
    }
}
