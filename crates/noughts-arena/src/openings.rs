//! Openings: random and balanced, or from a file.

use std::fmt;
use std::sync::Arc;

use noughts_engine::{Limits, Random, Stop, SystemClock, Value, analyze};
use noughts_rules::{Action, Game, Move, Options, Placement, Variant};

/// The maximum number of random openings from which the most balanced one is chosen.
const CANDIDATES: usize = 8;

/// The number of search nodes that evaluate one candidate opening.
const NODES: u64 = 2_000;

/// Maximum distance, in rows and in columns, between a random move and the nearest mark on a large board. If
/// the board is empty, the distance is measured from the middle.
const REACH: usize = 2;

/// Boards with more than this number of cells are large. On large boards random moves stay close together,
/// because moves near the edges would be wasted.
const LARGE: usize = 64;

/// The openings of a tournament.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Openings {
    /// Random openings. With two sides, a short search chooses the most balanced of several openings.
    #[default]
    Balanced,
    /// Given openings. The rounds use them in order, and start again after the last opening. Each opening is
    /// a list of moves from the empty board.
    Given(Vec<Vec<Move>>),
}

impl Openings {
    /// Parses one opening per line, with spaces between moves. `#` begins a comment.
    pub fn read(variant: &Variant, text: &str) -> Result<Openings, OpeningError> {
        let mut all = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            if line.trim().is_empty() {
                continue;
            }
            let plays = read(variant, line).map_err(|reason| OpeningError {
                line: number + 1,
                reason,
            })?;
            all.push(plays);
        }
        match all.is_empty() {
            true => Err(OpeningError {
                line: 1,
                reason: "there is no opening in it".to_owned(),
            }),
            false => Ok(Openings::Given(all)),
        }
    }

    /// Returns the moves of the opening of `round`. The same arguments always give the same opening.
    pub fn of_round(&self, variant: &Variant, seed: u64, round: u32) -> Vec<Move> {
        match self {
            Openings::Balanced => balanced(variant, seed, round),
            Openings::Given(all) => all[round as usize % all.len().max(1)].clone(),
        }
    }
}

fn read(variant: &Variant, line: &str) -> Result<Vec<Move>, String> {
    let mut game = new_game(variant);
    let mut plays = Vec::new();
    for word in line.split_whitespace() {
        let action = game.parse_action(word).map_err(|error| error.to_string())?;
        let Action::Play(at) = action else {
            return Err(format!("{word:?} is no play"));
        };
        let seat = game
            .to_move()
            .ok_or("the game is over before the end of the opening")?;
        game.act(seat, action)
            .map_err(|refusal| format!("{word}: {refusal}"))?;
        plays.push(at);
    }
    match game.to_move() {
        Some(_) => Ok(plays),
        None => Err("the opening ends the game".to_owned()),
    }
}

/// Returns the most balanced of `CANDIDATES` random openings. The first opening with an imbalance of 0 ends
/// the search.
fn balanced(variant: &Variant, seed: u64, round: u32) -> Vec<Move> {
    let mut random = Random::new(seed ^ u64::from(round + 1).wrapping_mul(0xA24B_AED4_963E_E407));
    let mut best: Option<(i64, Vec<Move>)> = None;
    for _ in 0..CANDIDATES {
        let Some(game) = random_opening(variant, &mut random) else {
            continue;
        };
        let plays = game.plays().iter().map(|play| play.at).collect();
        let imbalance = imbalance(&game);
        if best.as_ref().is_none_or(|(least, _)| imbalance < *least) {
            best = Some((imbalance, plays));
        }
        if imbalance == 0 {
            break;
        }
    }
    best.map(|(_, plays)| plays).unwrap_or_default()
}

/// Returns how unbalanced the position is; 0 means balanced. With more than two sides, the result is always
/// 0, because the evaluation cannot compare more than two sides.
fn imbalance(game: &Game) -> i64 {
    if game.order().len() > 2 {
        return 0;
    }
    let limits = Limits {
        nodes: Some(NODES),
        ..Limits::default()
    };
    let clock = Arc::new(SystemClock::default());
    match analyze(game, limits, &Stop::new(), clock).value {
        Value::Draw => 0,
        Value::Estimate(points) => i64::from(points).abs(),
        // A win in many plies is more balanced than a win in few plies.
        Value::Win { plies } | Value::Loss { plies } => 1_000_000_000 - i64::from(plies),
    }
}

/// Plays random moves in a new game, and returns the game. Returns `None` if these moves end the game.
fn random_opening(variant: &Variant, random: &mut Random) -> Option<Game> {
    let count = match variant {
        Variant::Nested(_) => 3 + random.below(3),
        Variant::Grid(spec) => match spec.cells() {
            0..=9 => 1 + random.below(2),
            10..=LARGE => 2 + random.below(3),
            _ => 3 + random.below(3),
        },
    };
    let mut game = new_game(variant);
    for _ in 0..count {
        let choices = choices(&game);
        let at = choices[random.below(choices.len())];
        game.act(game.to_move()?, Action::Play(at)).ok()?;
    }
    game.to_move().map(|_| game)
}

/// Returns the moves from which the next random move is chosen. Usually, these are all legal moves. On a
/// large board without gravity, these are only the legal moves near other marks, or near the middle if the
/// board is empty.
fn choices(game: &Game) -> Vec<Move> {
    let legal = game.legal();
    let Variant::Grid(spec) = game.variant() else {
        return legal;
    };
    if spec.cells() <= LARGE || spec.placement == Placement::Gravity {
        return legal;
    }
    let place = |at: Move| game.variant().coordinates(at);
    let middle = (spec.rows() / 2, spec.columns() / 2);
    let mut marks: Vec<(usize, usize)> = game.plays().iter().map(|play| place(play.at)).collect();
    if marks.is_empty() {
        marks.push(middle);
    }
    let is_near = |at: &Move| {
        let (row, column) = place(*at);
        let near = |mark: &(usize, usize)| {
            row.abs_diff(mark.0) <= REACH && column.abs_diff(mark.1) <= REACH
        };
        marks.iter().any(near)
    };
    let near: Vec<Move> = legal.iter().copied().filter(is_near).collect();
    if near.is_empty() { legal } else { near }
}

pub(crate) fn new_game(variant: &Variant) -> Game {
    Game::new(variant, Options::default()).expect("a game with one seat per side is always valid")
}

/// Why a text is not a list of openings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningError {
    line: usize,
    reason: String,
}

impl fmt::Display for OpeningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for OpeningError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_balanced_and_reproducible() {
        for name in ["3x3k3", "15x15k5", "7x6k4+gravity", "ultimate", "4x4k3p3"] {
            let variant: Variant = name.parse().unwrap();
            let opening = |seed, round| Openings::Balanced.of_round(&variant, seed, round);
            assert_eq!(opening(1, 0), opening(1, 0));
            let some: Vec<_> = (0..6).map(|round| opening(1, round)).collect();
            assert!(some.iter().any(|one| *one != some[0]), "{name}");
            for plays in &some {
                let mut game = new_game(&variant);
                for at in plays {
                    game.act(game.to_move().unwrap(), Action::Play(*at))
                        .unwrap();
                }
                assert!(game.to_move().is_some());
                if name == "3x3k3" {
                    assert_eq!(imbalance(&game), 0);
                }
            }
        }
    }

    #[test]
    fn file_has_one_opening_per_line() {
        let variant: Variant = "15x15k5".parse().unwrap();
        let read = |text| Openings::read(&variant, text);
        let Ok(Openings::Given(all)) = read("# two\n7-7 8-8 # a start\n\n0-0\n") else {
            panic!("they are openings");
        };
        assert_eq!(all, [vec![Move::at(112), Move::at(128)], vec![Move::at(0)]]);
        for (text, message) in [
            ("", "line 1: there is no opening"),
            ("7-7\n7-7 7-7", "line 2: 7-7: that cell is taken"),
            ("15-0", "line 1: there is no such cell"),
            ("resign", "line 1: \"resign\" is no play"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
