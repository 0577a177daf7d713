//! Checks proofs of the value of a position under perfect play.
//!
//! `docs/solving.md` describes the text format and every rule. The checker trusts nothing in the text: it
//! uses the rules of the game and a few theorems (plain grids, gravity, the score on nine boards). Apart from the rules
//! of the game, it shares no code with the solver that writes proofs.
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
mod gravity;
mod nested;
mod pairing;
mod plain_grid;
mod reader;
mod strategy_stealing;

use std::fmt;
use std::io::BufRead;

use noughts_rules::{AnyTimeline, Diagram, Outcome, Side, Variant, dispatch};

use general::General;
use plain_grid::PlainGrid;
use reader::{Reader, Reason};

/// A statement that was proved.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Proved {
    /// The game.
    pub variant: Variant,
    /// The position.
    pub position: Diagram,
    /// The value of the position for the side to move.
    pub value: GameValue,
    /// Number of positions that the proof lists.
    pub positions: u64,
}

/// The value of a position for the side to move, with perfect play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameValue {
    /// The side to move can force a win.
    Win,
    /// Neither side can force a win.
    Draw,
    /// The other side can force a win.
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

/// The reason why a text is not a correct proof, and the number of the first wrong line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofError {
    /// Line number, from 1.
    pub line: u64,
    /// What is wrong with this line.
    pub reason: String,
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for ProofError {}

/// The statement that one side, the attacker, can or cannot force a win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    pub(crate) attacker: Side,
    pub(crate) wins: bool,
}

impl Claim {
    /// The side that the claim favours: the attacker if the claim says that the attacker wins, otherwise the defender.
    pub(crate) fn claimant(self) -> Side {
        if self.wins {
            self.attacker
        } else {
            self.attacker.next(2)
        }
    }
}

/// Checks the records of one claim. A record is a line of the proof: a position, and the reason why the claim
/// holds in this position.
pub(crate) trait Checker {
    /// Checks a record. If `reason` is right, adds the position to the proved positions. Otherwise returns what is
    /// wrong.
    fn record(&mut self, position: &Diagram, reason: &Reason) -> Result<(), String>;

    /// Whether the claim holds in `position`, because of an earlier record or because this position needs no record.
    fn is_proved(&self, position: &Diagram) -> bool;
}

/// Reads a proof to its end and checks every line.
///
/// The check needs memory for one line of the text and for the positions of one claim. An error names the first wrong
/// line:
///
/// ```
/// let text = "noughts proof 1\nvariant 3x3k3\nposition .../.../... x\nvalue win\nclaim x wins\n";
/// let error = noughts_proof::verify(text.as_bytes()).unwrap_err();
/// assert_eq!(error.line, 6);
/// ```
pub fn verify(proof: impl BufRead) -> Result<Proved, ProofError> {
    let mut reader = Reader::new(proof);
    let (variant, position, value) = reader.heading()?;
    let me = position.to_move;
    let other = me.next(2);
    let claims = match (final_value(&variant, &position), value) {
        (Some(is), _) if is == value => Vec::new(),
        (Some(is), _) => {
            return Err(reader.error(format!("the game is over: it is a {is}, not a {value}")));
        }
        (None, GameValue::Win) => vec![(me, true)],
        (None, GameValue::Draw) => vec![(me, false), (other, false)],
        (None, GameValue::Loss) => vec![(other, true)],
    };
    let mut positions = 0;
    for (attacker, wins) in claims {
        let claim = Claim { attacker, wins };
        reader.claim(claim)?;
        if reader.skip_stealing()? {
            strategy_stealing::check(&variant, &position, claim)
                .map_err(|why| reader.error(why))?;
            continue;
        }
        positions += match plain_grid::spec(&variant) {
            Some(spec) => check(
                &mut reader,
                &variant,
                &position,
                PlainGrid::new(spec, claim),
            )?,
            None => dispatch!(&AnyTimeline::new(&variant), timeline => {
                check(&mut reader, &variant, &position, General::new(timeline.rules(), claim))?
            }),
        };
    }
    reader.end()?;
    Ok(Proved {
        variant,
        position,
        value,
        positions,
    })
}

/// Checks the records of one claim, and checks that they prove the claim for `start`. Returns the number of records.
fn check(
    reader: &mut Reader<impl BufRead>,
    variant: &Variant,
    start: &Diagram,
    mut checker: impl Checker,
) -> Result<u64, ProofError> {
    let mut count = 0;
    while let Some((position, reason)) = reader.record(variant)? {
        checker
            .record(&position, &reason)
            .map_err(|why| reader.error(why))?;
        reader.next_line()?;
        count += 1;
    }
    if checker.is_proved(start) {
        Ok(count)
    } else {
        Err(reader.error("the lines before do not prove the claim".to_owned()))
    }
}

/// The value of a game that is over; `None` if the game is not over.
fn final_value(variant: &Variant, position: &Diagram) -> Option<GameValue> {
    let outcome = AnyTimeline::new(variant).outcome_of(position)?;
    Some(match outcome {
        Outcome::Draw => GameValue::Draw,
        Outcome::Won(sides) if sides.contains(position.to_move) => GameValue::Win,
        Outcome::Won(_) => GameValue::Loss,
    })
}
