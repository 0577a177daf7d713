//! Checks proofs of what a position is worth.
//!
//! A proof is a text, described in `docs/solving.md`. Whoever made it need not be believed: everything in
//! it is checked here, with nothing but the rules of the game and the few theorems named in `plain`.
//!
//! ```
//! let proof = "\
//! noughts proof 1
//! variant 3x3k3
//! position xx./oo./... x
//! value win
//! claim x wins
//! ";
//! let proved = noughts_proof::verify(proof.as_bytes())?;
//! assert_eq!(proved.value, noughts_proof::GameValue::Win);
//! # Ok::<(), noughts_proof::ProofError>(())
//! ```

mod general;
mod nested;
mod plain_grid;
mod reader;

use std::fmt;
use std::io::BufRead;

use noughts_rules::{
    AnyTimeline, Diagram, Goal, Outcome, Overline, Placement, Side, Variant, dispatch,
};

use general::General;
use plain_grid::PlainGrid;
use reader::{Lines, Step};

/// What was proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proved {
    /// Which game.
    pub variant: Variant,
    /// The position.
    pub position: Diagram,
    /// What it is worth to the side to move.
    pub value: GameValue,
    /// How many positions the proof speaks of.
    pub positions: u64,
}

/// What a position is worth to the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameValue {
    /// It can force a win.
    Win,
    /// Neither side can.
    Draw,
    /// The other side can.
    Loss,
}

impl fmt::Display for GameValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameValue::Win => "win",
            GameValue::Draw => "draw",
            GameValue::Loss => "loss",
        })
    }
}

/// Why it is no proof, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofError {
    /// The line, counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for ProofError {}

/// Says that one side, the attacker, can force a win or can't.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    pub(crate) attacker: Side,
    pub(crate) wins: bool,
}

/// Judges the records of one claim.
pub(crate) trait Checker {
    /// Takes the position as proved for its reason, or says why not.
    fn record(&mut self, position: &Diagram, step: &Step) -> Result<(), String>;

    /// Whether this position was proved, or needs no proof.
    fn is_proved(&self, position: &Diagram) -> bool;
}

/// Reads a proof to its end and checks all of it.
pub fn verify(from: impl BufRead) -> Result<Proved, ProofError> {
    let mut lines = Lines::new(from);
    let (variant, position, value) = lines.heading()?;
    let me = position.to_move;
    let other = me.next(2);
    let over = outcome(&variant, &position);
    let claims = match (over, value) {
        (Some(worth), _) if worth == value => Vec::new(),
        (Some(worth), _) => {
            return Err(lines.error(format!("the game is over, and a {worth}, not a {value}")));
        }
        (None, GameValue::Win) => vec![(me, true)],
        (None, GameValue::Draw) => vec![(me, false), (other, false)],
        (None, GameValue::Loss) => vec![(other, true)],
    };
    let mut positions = 0;
    for (attacker, wins) in claims {
        let claim = Claim { attacker, wins };
        lines.claim(claim)?;
        if lines.takes_stealing()? {
            steals(&variant, &position, claim).map_err(|why| lines.error(why))?;
            continue;
        }
        positions += match plain_grid::spec(&variant) {
            Some(spec) => check(&mut lines, &variant, &position, PlainGrid::new(spec, claim))?,
            None => dispatch!(&AnyTimeline::new(&variant), timeline => {
                check(&mut lines, &variant, &position, General::new(timeline.rules(), claim))?
            }),
        };
    }
    lines.end()?;
    Ok(Proved {
        variant,
        position,
        value,
        positions,
    })
}

/// Checks the records of one claim, and that they prove this position.
fn check(
    lines: &mut Lines<impl BufRead>,
    variant: &Variant,
    start: &Diagram,
    mut checker: impl Checker,
) -> Result<u64, ProofError> {
    let mut count = 0;
    while let Some((position, step)) = lines.record(variant)? {
        checker
            .record(&position, &step)
            .map_err(|why| lines.error(why))?;
        lines.advance()?;
        count += 1;
    }
    if checker.is_proved(start) {
        Ok(count)
    } else {
        Err(lines.error("what was claimed is not proved by the lines before".to_owned()))
    }
}

/// What a game that is over is worth.
fn outcome(variant: &Variant, position: &Diagram) -> Option<GameValue> {
    let outcome = AnyTimeline::new(variant).outcome_of(position)?;
    Some(match outcome {
        Outcome::Draw => GameValue::Draw,
        Outcome::Won(sides) if sides.contains(position.to_move) => GameValue::Win,
        Outcome::Won(_) => GameValue::Loss,
    })
}

/// Who comes second on an empty board can't force a win where a mark more never hurts: who comes first
/// could take that strategy over.
fn steals(variant: &Variant, position: &Diagram, claim: Claim) -> Result<(), String> {
    let Variant::Grid(spec) = variant else {
        return Err("strategies can't be stolen on nine boards".to_owned());
    };
    let plain = spec.sides() == 2
        && spec.goal == Goal::Make
        && spec.placement == Placement::Anywhere
        && spec.overline == Overline::Counts;
    if !plain {
        return Err("a strategy can be stolen only where a mark more never hurts".to_owned());
    }
    if position.marks.iter().any(Option::is_some) {
        return Err("a strategy can be stolen only on an empty board".to_owned());
    }
    if claim.wins || claim.attacker == position.to_move {
        return Err("only from who comes second can a strategy be stolen".to_owned());
    }
    Ok(())
}
