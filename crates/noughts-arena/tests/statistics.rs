//! Shares, bars, Elo and the sequential test: by hand, and by simulation.

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
fn what_was_computed_by_hand_comes_out() {
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
                    "little" => SprtDecision::AcceptH0,
                    "hoped" => SprtDecision::AcceptH1,
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

/// A world in which results are drawn: how a player fares in an opening that may favour a seat.
struct World {
    wins: f64,
    draws: f64,
    /// What the better seat has more of winning, in either game of a pair.
    tilt: f64,
}

impl World {
    fn truth(&self) -> f64 {
        self.wins + self.draws / 2.0
    }

    /// Two games of one opening, with seats swapped.
    fn pair(&self, random: &mut Random) -> f64 {
        let mut uniform = || random.below(1_000_000) as f64 / 1e6;
        let tilt = if uniform() < 0.5 {
            self.tilt
        } else {
            -self.tilt
        };
        let mut game = |tilt: f64| match uniform() {
            drawn if drawn < self.wins + tilt => 1.0,
            drawn if drawn < self.wins + tilt + self.draws => 0.5,
            _ => 0.0,
        };
        (game(tilt) + game(-tilt)) / 2.0
    }
}

const WORLDS: [World; 6] = [
    World {
        wins: 0.5,
        draws: 0.0,
        tilt: 0.0,
    },
    World {
        wins: 0.3,
        draws: 0.4,
        tilt: 0.25,
    },
    World {
        wins: 0.6,
        draws: 0.2,
        tilt: 0.1,
    },
    World {
        wins: 0.9,
        draws: 0.05,
        tilt: 0.0,
    },
    World {
        wins: 0.1,
        draws: 0.1,
        tilt: 0.1,
    },
    World {
        wins: 0.02,
        draws: 0.96,
        tilt: 0.0,
    },
];

#[test]
fn the_bar_covers_the_truth_95_times_of_100() {
    for (number, world) in WORLDS.iter().enumerate() {
        let mut random = Random::new(number as u64);
        let mut covered = 0;
        for _ in 0..2000 {
            let mut scores = ScoreSample::default();
            for _ in 0..100 {
                scores.add(world.pair(&mut random));
            }
            let interval = scores.interval();
            covered += u32::from((interval.low..=interval.high).contains(&world.truth()));
        }
        // 2000 tries of 0.95 are off by more than 0.015 three times of a thousand; small samples of
        // rare results are a little off themselves.
        let rate = f64::from(covered) / 2000.0;
        assert!((0.93..=0.97).contains(&rate), "world {number}: {rate}");
    }
}

#[test]
fn the_test_is_wrong_one_time_of_twenty_at_most() {
    let test = Sprt {
        elo0: 0.0,
        elo1: 60.0,
    };
    for (truth, wrong) in [
        (test.elo0, SprtDecision::AcceptH1),
        (test.elo1, SprtDecision::AcceptH0),
    ] {
        let draws = 0.3;
        let world = World {
            wins: expected_score(truth) - draws / 2.0,
            draws,
            tilt: 0.1,
        };
        let mut random = Random::new(7);
        let mut errors = 0;
        for _ in 0..400 {
            let mut scores = ScoreSample::default();
            let verdict = loop {
                scores.add(world.pair(&mut random));
                match test.decide(&scores) {
                    SprtDecision::Continue => {}
                    verdict => break verdict,
                }
            };
            errors += u32::from(verdict == wrong);
        }
        // 20 are expected at most; 34 would be three times their spread more.
        assert!(errors <= 34, "at {truth} Elo: {errors} of 400");
    }
}

#[test]
fn ratings_of_many_cover_the_truth_too() {
    let truth = [-150.0, -40.0, 40.0, 150.0];
    let mut random = Random::new(3);
    let (mut covered, mut all) = (0, 0);
    for _ in 0..400 {
        let mut encounters = Vec::new();
        for first in 0..truth.len() {
            for second in first + 1..truth.len() {
                let expected = expected_score(truth[first] - truth[second]);
                let draws = 0.2f64.min(expected).min(1.0 - expected);
                let world = World {
                    wins: expected - draws / 2.0,
                    draws,
                    tilt: 0.05,
                };
                for _ in 0..30 {
                    let score = world.pair(&mut random);
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
fn two_who_met_are_rated_as_their_share_says() {
    let encounter = |score| Encounter {
        first: 0,
        second: 1,
        games: 2,
        score,
    };
    let mut encounters = vec![encounter(1.0); 60];
    encounters.extend(vec![encounter(0.0); 20]);
    let ratings = rate(2, &encounters);
    // Three quarters of the points are 190.8 Elo; the expectation of a spread takes little off.
    let apart = ratings[0].elo - ratings[1].elo;
    assert!((apart - 190.8).abs() < 3.0, "{apart}");
    assert!((ratings[0].elo + ratings[1].elo).abs() < 1e-6);
    // Who won everything has a rating too, and a bar.
    let ratings = rate(2, &vec![encounter(1.0); 20]);
    assert!(
        ratings[0].elo > 200.0 && ratings[0].elo < 2000.0,
        "{ratings:?}"
    );
    assert!(ratings[0].error > 50.0, "{ratings:?}");
}
