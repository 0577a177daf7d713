//! Scores, error bars, Elo and the sequential test, compared with values computed by hand and with simulations.

use noughts_arena::{Encounter, ScoreSample, Sprt, SprtDecision, elo, expected_score, rate};
use noughts_engine::Random;

const HAND: &str = include_str!("../../../testdata/statistics/hand.txt");

fn scores(words: &[&str]) -> ScoreSample {
    let mut scores = ScoreSample::default();
    for word in words {
        let (value, count) = word.split_once('*').unwrap();
        for _ in 0..count.parse().unwrap() {
            scores.add(value.parse().unwrap());
        }
    }
    scores
}

fn close(found: f64, expected: &str, line: &str) {
    let expected: f64 = expected.parse().unwrap();
    assert!((found - expected).abs() < 1e-4, "{line}: {found}");
}

#[test]
fn values_computed_by_hand_are_reproduced() {
    let mut cases = 0;
    for line in HAND.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["bar", units @ .., "low", low, "high", high] => {
                let interval = scores(units).interval();
                close(interval.low, low, line);
                close(interval.high, high, line);
            }
            ["elo", points, expected] => {
                close(elo(points.parse().unwrap()), expected, line);
                close(expected_score(expected.parse().unwrap()), points, line);
            }
            ["sprt", test, units @ .., "ratio", ratio, verdict] => {
                let (test, scores) = (test.parse::<Sprt>().unwrap(), scores(units));
                close(test.llr(&scores), ratio, line);
                let expected = match *verdict {
                    "open" => SprtDecision::Continue,
                    "h0" => SprtDecision::AcceptH0,
                    "h1" => SprtDecision::AcceptH1,
                    other => panic!("{other}"),
                };
                assert_eq!(test.decide(&scores), expected, "{line}");
            }
            _ => panic!("{line}"),
        }
        cases += 1;
    }
    assert!(cases > 10);
    assert!((Sprt::bound() - 19f64.ln()).abs() < 1e-12);
    for text in ["", "0", "10,0", "5,5", "a,b", "0,10,20", "0,inf", "nan,1"] {
        assert!(text.parse::<Sprt>().is_err(), "{text}");
    }
}

/// A random model of two games per opening. The opening may favour one seat.
struct ResultModel {
    wins: f64,
    draws: f64,
    /// How much the better seat increases the probability to win.
    imbalance: f64,
}

impl ResultModel {
    fn truth(&self) -> f64 {
        self.wins + self.draws / 2.0
    }

    /// The mean score of two games of one opening, with seats swapped.
    fn pair(&self, random: &mut Random) -> f64 {
        let mut uniform = || random.below(1_000_000) as f64 / 1e6;
        let imbalance = if uniform() < 0.5 {
            self.imbalance
        } else {
            -self.imbalance
        };
        let mut game = |imbalance: f64| match uniform() {
            drawn if drawn < self.wins + imbalance => 1.0,
            drawn if drawn < self.wins + imbalance + self.draws => 0.5,
            _ => 0.0,
        };
        (game(imbalance) + game(-imbalance)) / 2.0
    }
}

const MODELS: [ResultModel; 6] = [
    ResultModel {
        wins: 0.5,
        draws: 0.0,
        imbalance: 0.0,
    },
    ResultModel {
        wins: 0.3,
        draws: 0.4,
        imbalance: 0.25,
    },
    ResultModel {
        wins: 0.6,
        draws: 0.2,
        imbalance: 0.1,
    },
    ResultModel {
        wins: 0.9,
        draws: 0.05,
        imbalance: 0.0,
    },
    ResultModel {
        wins: 0.1,
        draws: 0.1,
        imbalance: 0.1,
    },
    ResultModel {
        wins: 0.02,
        draws: 0.96,
        imbalance: 0.0,
    },
];

#[test]
fn interval_contains_the_true_mean_in_95_percent() {
    for (number, model) in MODELS.iter().enumerate() {
        let mut random = Random::new(number as u64);
        let mut covered = 0;
        for _ in 0..2000 {
            let mut scores = ScoreSample::default();
            for _ in 0..100 {
                scores.add(model.pair(&mut random));
            }
            let interval = scores.interval();
            covered += u32::from((interval.low..=interval.high).contains(&model.truth()));
        }
        // The rate of 2000 trials with 0.95 differs by more than 0.015 in about two of a thousand runs. For small
        // samples of rare results the interval itself is slightly inexact.
        let rate = f64::from(covered) / 2000.0;
        assert!((0.93..=0.97).contains(&rate), "model {number}: {rate}");
    }
}

#[test]
fn sequential_test_errs_in_at_most_5_percent() {
    let test = Sprt {
        elo0: 0.0,
        elo1: 60.0,
    };
    for (truth, wrong) in [
        (test.elo0, SprtDecision::AcceptH1),
        (test.elo1, SprtDecision::AcceptH0),
    ] {
        let draws = 0.3;
        let model = ResultModel {
            wins: expected_score(truth) - draws / 2.0,
            draws,
            imbalance: 0.1,
        };
        let mut random = Random::new(7);
        let mut errors = 0;
        for _ in 0..400 {
            let mut scores = ScoreSample::default();
            let verdict = loop {
                scores.add(model.pair(&mut random));
                match test.decide(&scores) {
                    SprtDecision::Continue => {}
                    verdict => break verdict,
                }
            };
            errors += u32::from(verdict == wrong);
        }
        // At most 20 errors are expected; 34 is about three standard deviations more.
        assert!(errors <= 34, "at {truth} Elo: {errors} of 400");
    }
}

#[test]
fn rating_intervals_contain_the_true_rating_in_95_percent() {
    let truth = [-150.0, -40.0, 40.0, 150.0];
    let mut random = Random::new(3);
    let (mut covered, mut all) = (0, 0);
    for _ in 0..400 {
        let mut encounters = Vec::new();
        for first in 0..truth.len() {
            for second in first + 1..truth.len() {
                let expected = expected_score(truth[first] - truth[second]);
                let draws = 0.2f64.min(expected).min(1.0 - expected);
                let model = ResultModel {
                    wins: expected - draws / 2.0,
                    draws,
                    imbalance: 0.05,
                };
                for _ in 0..30 {
                    let score = model.pair(&mut random);
                    encounters.push(Encounter {
                        first,
                        second,
                        games: 2,
                        score,
                    });
                }
            }
        }
        for (rating, truth) in rate(truth.len(), &encounters).iter().zip(truth) {
            all += 1;
            covered += u32::from((rating.elo - truth).abs() <= rating.error);
        }
    }
    let rate = f64::from(covered) / f64::from(all);
    assert!((0.93..=0.97).contains(&rate), "{rate}");
}

#[test]
fn rating_of_two_players_follows_from_their_score() {
    let encounter = |score| Encounter {
        first: 0,
        second: 1,
        games: 2,
        score,
    };
    let mut encounters = vec![encounter(1.0); 60];
    encounters.extend(vec![encounter(0.0); 20]);
    let ratings = rate(2, &encounters);
    // Three quarters of the points are 190.8 Elo. The prior changes this only slightly.
    let apart = ratings[0].elo - ratings[1].elo;
    assert!((apart - 190.8).abs() < 3.0, "{apart}");
    assert!((ratings[0].elo + ratings[1].elo).abs() < 1e-6);
    // A player who won all games has a finite rating with an error bar.
    let ratings = rate(2, &vec![encounter(1.0); 20]);
    assert!(
        ratings[0].elo > 200.0 && ratings[0].elo < 2000.0,
        "{ratings:?}"
    );
    assert!(ratings[0].error > 50.0, "{ratings:?}");
}
