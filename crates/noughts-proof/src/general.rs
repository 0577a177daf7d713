//! Any game, by its rules alone, and on nine boards by the score.

use std::collections::HashSet;

use noughts_rules::{Diagram, Move, NestedSpec, Outcome, PlayIn, Rules, Symmetry, Variant};

use crate::nested;
use crate::reader::{Step, speaker};
use crate::{Checker, Claim};

pub(crate) struct General<'r, R: Rules> {
    rules: &'r R,
    claim: Claim,
    ways: Vec<Symmetry>,
    /// The numbers of nine boards, if they are.
    nested: Option<NestedSpec>,
    proved: HashSet<Vec<u8>>,
}

impl<'r, R: Rules> General<'r, R> {
    pub(crate) fn new(rules: &'r R, claim: Claim) -> Self {
        General {
            ways: Symmetry::all(&rules.variant()),
            nested: match rules.variant() {
                Variant::Grid(_) => None,
                Variant::Nested(spec) => Some(spec),
            },
            proved: HashSet::new(),
            claim,
            rules,
        }
    }

    /// What matters of the position as bytes, the same for all ways to lay the board.
    fn key(&self, position: &Diagram) -> Vec<u8> {
        let bytes = |way: &Symmetry| {
            let laid = way.map_diagram(position);
            let marks = laid.marks.iter();
            let mut bytes: Vec<u8> = marks
                .map(|mark| mark.map_or(0, |side| side.index() as u8 + 1))
                .collect();
            if let Some(spec) = self.nested {
                let lead = nested::close(spec, &laid, &mut bytes);
                bytes.push(lead);
            }
            bytes.push(laid.to_move.index() as u8);
            bytes.push(match laid.play_in {
                None => 9,
                Some(PlayIn::AnyOpen) => 10,
                Some(PlayIn::Board(board)) => board.index() as u8,
            });
            bytes
        };
        self.ways.iter().map(bytes).min().unwrap_or_default()
    }

    /// Whether the claim holds after this legal move.
    fn holds_after(&self, position: &R::Position, at: Move) -> bool {
        let mut next = position.clone();
        self.rules.play(&mut next, at);
        self.holds(&next)
    }

    fn holds(&self, position: &R::Position) -> bool {
        match self.rules.outcome(position) {
            Some(Outcome::Draw) => !self.claim.wins,
            Some(Outcome::Won(sides)) => sides.contains(self.claim.attacker) == self.claim.wins,
            None => {
                let diagram = self.rules.diagram(position);
                let score = self
                    .nested
                    .and_then(|spec| nested::settled(spec, &diagram, self.claim.attacker));
                score == Some(self.claim.wins) || self.proved.contains(&self.key(&diagram))
            }
        }
    }
}

impl<R: Rules> Checker for General<'_, R> {
    fn record(&mut self, diagram: &Diagram, step: &Step) -> Result<(), String> {
        let position = self.rules.set_up(diagram);
        if self.rules.outcome(&position).is_some() {
            return Err("the game is over there, it needs no reason".to_owned());
        }
        let speaks = diagram.to_move == speaker(self.claim);
        let write = |at: Move| self.rules.variant().format_move(at);
        match step {
            Step::Plays(_) if !speaks => return Err("the other side is to move there".to_owned()),
            Step::All if speaks => return Err("one move must be named there".to_owned()),
            Step::Plays(at) => {
                self.rules
                    .check(&position, *at)
                    .map_err(|why| format!("{why}"))?;
                if !self.holds_after(&position, *at) {
                    return Err(format!("what follows {} is not proved", write(*at)));
                }
            }
            Step::All => {
                let mut moves = self.rules.moves(&position);
                if let Some(at) = moves.find(|at| !self.holds_after(&position, *at)) {
                    return Err(format!("what follows {} is not proved", write(at)));
                }
            }
            Step::Pairs(_) => {
                let why = "pairs hold only where any empty cell may be played and lines win";
                return Err(why.to_owned());
            }
        }
        self.proved.insert(self.key(diagram));
        Ok(())
    }

    fn is_proved(&self, position: &Diagram) -> bool {
        self.holds(&self.rules.set_up(position))
    }
}
