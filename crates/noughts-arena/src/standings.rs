//! The standings of a tournament, computed from its games.

use std::collections::BTreeMap;

use noughts_engine::RobotFaultKind;

use crate::ratings::{Encounter, Rating, rate};
use crate::score::Score;
use crate::statistics::{Interval, ScoreSample, Sprt, SprtDecision, elo};
use crate::tournament::{GameResult, Tournament};

/// The results of one participant.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// The index of the participant.
    pub participant: usize,
    /// The score in all games that count.
    pub all: Score,
    /// The score by seat.
    pub by_seat: Vec<Score>,
    /// The mean place in all games that count. 1 is the best place. Participants with equal results in a game
    /// share a place.
    pub place: f64,
    /// The participant's mean score in each opening that was played from all seats.
    pub scores: ScoreSample,
    /// Elo with its error bar, only in two-player games. With two participants, the rating is the difference
    /// to the other participant. With more participants, the rating is the difference to the mean of all
    /// participants.
    pub rating: Option<(f64, Interval)>,
    /// The number of failures in games that count, by kind.
    pub faults: BTreeMap<RobotFaultKind, u32>,
}

/// The results of a tournament so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Standings {
    /// The standings, best participant first.
    pub standings: Vec<Standing>,
    /// The number of games that count.
    pub games: u32,
    /// The number of games whose opening was not played from all seats. These games do not count.
    pub unpaired: u32,
    /// The number of games that were played after the sequential test had decided. These games do not count.
    pub surplus: u32,
    /// The sequential test, its log-likelihood ratio and its decision, if there is a test.
    pub sprt: Option<(Sprt, f64, SprtDecision)>,
    /// After each opening that was played from all seats: the mean score of each participant so far.
    pub history: Vec<Vec<f64>>,
    /// In two-player games: the score of participant `a` against participant `b`, with the key `(a, b)`, where `a` is
    /// less than `b`.
    pub encounters: BTreeMap<(usize, usize), Score>,
}

/// Returns the place (mean rank) of a seat in one game. All winners share a place, and all other seats share
/// a place. With three seats and one winner, the places are 1, 2.5 and 2.5.
fn place(seats: usize, winners: usize, has_won: bool) -> f64 {
    let (seats, winners) = (seats as f64, winners as f64);
    match has_won {
        true => (1.0 + winners) / 2.0,
        false => (winners + 1.0 + seats) / 2.0,
    }
}

/// Returns the points for a place: from 1 for the first place to 0 for the last place. Participants who share
/// a place get points in between.
fn points(seats: usize, place: f64) -> f64 {
    (seats as f64 - place) / (seats as f64 - 1.0)
}

impl Standings {
    /// Computes the standings. Only openings that were played from all seats count. If a sequential test has
    /// decided, later games do not count.
    pub fn new(
        tournament: &Tournament,
        results: &BTreeMap<u32, GameResult>,
        test: Option<&SequentialTest>,
    ) -> Standings {
        let seats = tournament.seats();
        let mut count = Counting::new(tournament, seats);
        let end = test.and_then(|test| test.decided).map(|(end, _)| end);
        let counted = results.range(..end.unwrap_or(u32::MAX));
        let (mut counted_games, seats) = (0, seats as u32);
        for (number, result) in counted {
            counted_games += 1;
            let first = number - number % seats;
            let opening = first..first + seats;
            if results.range(opening).count() == seats as usize {
                count.add(result);
                if *number == first + seats - 1 {
                    count.close_block(tournament, results, *number);
                }
            }
        }
        let mut standings = count.standings(tournament);
        let strength = |one: &Standing| match &one.rating {
            Some((elo, _)) if tournament.participants().len() > 2 => *elo,
            _ => one.scores.mean(),
        };
        standings.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
        Standings {
            standings,
            games: count.games,
            unpaired: counted_games - count.games,
            surplus: results.len() as u32 - counted_games,
            sprt: test.map(SequentialTest::state),
            history: count.history,
            encounters: count.pair_scores,
        }
    }
}

/// A sequential test during a tournament of two participants. The test adds games in the order of their numbers and
/// waits at the first missing game. Otherwise short games, which finish first, would have too much weight.
#[derive(Clone, Debug)]
pub struct SequentialTest {
    test: Sprt,
    /// The first participant's scores.
    scores: ScoreSample,
    /// The number of the first game of the next opening.
    next: u32,
    /// The number of games that the test used, and its decision. `None` before the decision.
    decided: Option<(u32, SprtDecision)>,
}

impl SequentialTest {
    /// Creates a test without results.
    pub fn new(test: Sprt) -> SequentialTest {
        SequentialTest {
            test,
            scores: ScoreSample::default(),
            next: 0,
            decided: None,
        }
    }

    /// Adds new results. Returns whether the test has accepted one of the two Elo differences.
    pub fn update(&mut self, tournament: &Tournament, results: &BTreeMap<u32, GameResult>) -> bool {
        let seats = tournament.seats() as u32;
        while self.decided.is_none() {
            let mut block = (self.next..self.next + seats).map(|number| results.get(&number));
            let points = block.try_fold(0.0, |sum, result| Some(sum + points_of(result?, 0)));
            let Some(points) = points else { return false };
            self.next += seats;
            self.scores.add(points / f64::from(seats));
            match self.test.decide(&self.scores) {
                SprtDecision::Continue => {}
                decision => self.decided = Some((self.next, decision)),
            }
        }
        true
    }

    fn state(&self) -> (Sprt, f64, SprtDecision) {
        let (_, decision) = self.decided.unwrap_or((0, SprtDecision::Continue));
        (self.test, self.test.llr(&self.scores), decision)
    }
}

/// The points of a participant in a game.
fn points_of(result: &GameResult, participant: usize) -> f64 {
    let seats = result.game.seats.len();
    let seat = result.game.seats.iter().position(|one| *one == participant);
    let has_won = seat.is_some_and(|seat| result.winners.contains(&seat));
    points(seats, place(seats, result.winners.len(), has_won))
}

struct Counting {
    games: u32,
    all: Vec<Score>,
    by_seat: Vec<Vec<Score>>,
    places: Vec<f64>,
    scores: Vec<ScoreSample>,
    faults: Vec<BTreeMap<RobotFaultKind, u32>>,
    encounters: Vec<Encounter>,
    pair_scores: BTreeMap<(usize, usize), Score>,
    history: Vec<Vec<f64>>,
}

impl Counting {
    fn new(tournament: &Tournament, seats: usize) -> Counting {
        let participants = tournament.participants().len();
        Counting {
            games: 0,
            all: vec![Score::default(); participants],
            by_seat: vec![vec![Score::default(); seats]; participants],
            places: vec![0.0; participants],
            scores: vec![ScoreSample::default(); participants],
            faults: vec![BTreeMap::new(); participants],
            encounters: Vec::new(),
            pair_scores: BTreeMap::new(),
            history: Vec::new(),
        }
    }

    fn add(&mut self, result: &GameResult) {
        self.games += 1;
        let seats = result.game.seats.len();
        for (seat, participant) in result.game.seats.iter().copied().enumerate() {
            let mut scores = [
                &mut self.all[participant],
                &mut self.by_seat[participant][seat],
            ];
            for score in &mut scores {
                count(score, result, seat);
            }
            let has_won = result.winners.contains(&seat);
            self.places[participant] += place(seats, result.winners.len(), has_won);
        }
        if let [first, second] = result.game.seats[..] {
            let (pair, seat) = if first < second {
                ((first, second), 0)
            } else {
                ((second, first), 1)
            };
            count(self.pair_scores.entry(pair).or_default(), result, seat);
        }
        if let Some((seat, kind, _)) = &result.fault {
            let participant = result.game.seats[*seat];
            *self.faults[participant].entry(*kind).or_default() += 1;
        }
        for seat in &result.did_not_exit {
            let participant = result.game.seats[*seat];
            *self.faults[participant]
                .entry(RobotFaultKind::DidNotExit)
                .or_default() += 1;
        }
    }

    /// Adds the score of the opening whose last game has the number `last`. All games of this opening must have been
    /// played.
    fn close_block(
        &mut self,
        tournament: &Tournament,
        results: &BTreeMap<u32, GameResult>,
        last: u32,
    ) {
        let seats = tournament.seats();
        let first = last + 1 - seats as u32;
        let block: Vec<&GameResult> = results.range(first..=last).map(|(_, one)| one).collect();
        let pairing = &tournament.pairings()[block[0].game.pairing];
        let mut scores = Vec::new();
        for participant in pairing {
            let sum: f64 = block
                .iter()
                .map(|result| points_of(result, *participant))
                .sum();
            let score = sum / seats as f64;
            self.scores[*participant].add(score);
            scores.push(score);
        }
        if let [first, second] = pairing[..] {
            self.encounters.push(Encounter {
                first,
                second,
                games: 2,
                score: scores[0],
            });
        }
        self.history
            .push(self.scores.iter().map(ScoreSample::mean).collect());
    }

    fn standings(&self, tournament: &Tournament) -> Vec<Standing> {
        let participants = tournament.participants().len();
        let ratings = match (tournament.seats(), participants) {
            (2, 2) => {
                let rating = |scores: &ScoreSample| {
                    let bar = scores.interval();
                    let bar = Interval {
                        low: elo(bar.low),
                        high: elo(bar.high),
                    };
                    Some((elo(scores.mean()), bar))
                };
                self.scores.iter().map(rating).collect()
            }
            (2, _) => {
                let ratings = rate(participants, &self.encounters);
                let rating = |one: &Rating| {
                    let bar = Interval {
                        low: one.elo - one.error,
                        high: one.elo + one.error,
                    };
                    Some((one.elo, bar))
                };
                ratings.iter().map(rating).collect()
            }
            _ => vec![None; participants],
        };
        let standing = |(participant, rating): (usize, Option<(f64, Interval)>)| Standing {
            participant,
            all: self.all[participant],
            by_seat: self.by_seat[participant].clone(),
            place: self.places[participant] / f64::from(self.all[participant].games().max(1)),
            scores: self.scores[participant].clone(),
            rating,
            faults: self.faults[participant].clone(),
        };
        ratings.into_iter().enumerate().map(standing).collect()
    }
}

fn count(score: &mut Score, result: &GameResult, seat: usize) {
    if result.winners.is_empty() {
        score.draws += 1;
    } else if result.winners.contains(&seat) {
        score.wins += 1;
    } else {
        score.losses += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_results_share_a_place() {
        // The cases are: one winner of two seats, one winner of three, a draw of three, and two winners of three in a
        // misère game.
        assert_eq!((place(2, 1, true), place(2, 1, false)), (1.0, 2.0));
        assert_eq!((place(3, 1, true), place(3, 1, false)), (1.0, 2.5));
        assert_eq!(place(3, 0, false), 2.0);
        assert_eq!((place(3, 2, true), place(3, 2, false)), (1.5, 3.0));
        assert_eq!(points(2, 1.0), 1.0);
        assert_eq!(points(2, 1.5), 0.5);
        assert_eq!(points(3, 2.5), 0.25);
    }
}
