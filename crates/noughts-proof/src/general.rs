//! Checks claims about all games except plain grids of up to 128 cells. The checker uses the rules of the
//! game. On nine boards, the checker also uses the boards that each side has won or can still win. With
//! gravity, it also uses the lines that are still possible.

use std::collections::HashSet;

use noughts_rules::{Diagram, Move, NestedSpec, Outcome, PlayIn, Rules, Symmetry, Variant};

use crate::gravity::Gravity;
use crate::nested;
use crate::reader::{MOVE_NEEDED, OTHER_SIDE_MOVES, Reason};
use crate::{Checker, Claim};

pub(crate) struct General<'r, R: Rules> {
    rules: &'r R,
    claim: Claim,
    symmetries: Vec<Symmetry>,
    nested: Option<NestedSpec>,
    gravity: Option<Gravity>,
    proved: HashSet<Vec<u8>>,
}

impl<'r, R: Rules> General<'r, R> {
    pub(crate) fn new(rules: &'r R, claim: Claim) -> Self {
        General {
            symmetries: Symmetry::all(&rules.variant()),
            nested: match rules.variant() {
                Variant::Grid(_) => None,
                Variant::Nested(spec) => Some(spec),
            },
            gravity: Gravity::new(&rules.variant()),
            proved: HashSet::new(),
            claim,
            rules,
        }
    }

    /// A key that is equal for equivalent positions: the smallest key of all rotations and reflections of the
    /// position. On nine boards, the marks on closed boards do not matter: see `nested::merge_closed`.
    fn key(&self, position: &Diagram) -> Vec<u8> {
        let bytes = |symmetry: &Symmetry| {
            let image = symmetry.map_diagram(position);
            let marks = image.marks.iter();
            let mut bytes: Vec<u8> = marks
                .map(|mark| mark.map_or(0, |side| side.index() as u8 + 1))
                .collect();
            if let Some(spec) = self.nested {
                let lead = nested::merge_closed(spec, &image, &mut bytes);
                bytes.push(lead);
            }
            bytes.push(image.to_move.index() as u8);
            bytes.push(match image.play_in {
                None => 9,
                Some(PlayIn::AnyOpen) => 10,
                Some(PlayIn::Board(board)) => board.index() as u8,
            });
            bytes
        };
        self.symmetries.iter().map(bytes).min().unwrap_or_default()
    }

    /// Whether the proof's claim holds after the legal move `at`.
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
                    .and_then(|spec| nested::decided(spec, &diagram, self.claim.attacker));
                let is_obvious = |gravity: &Gravity| gravity.is_obvious(&diagram, self.claim);
                score == Some(self.claim.wins)
                    || self.gravity.as_ref().is_some_and(is_obvious)
                    || self.proved.contains(&self.key(&diagram))
            }
        }
    }
}

impl<R: Rules> Checker for General<'_, R> {
    fn record(&mut self, diagram: &Diagram, reason: &Reason) -> Result<(), String> {
        let position = self.rules.set_up(diagram);
        if self.rules.outcome(&position).is_some() {
            return Err("the game is over in this position".to_owned());
        }
        let claimant_moves = diagram.to_move == self.claim.claimant();
        let unproved = |at: Move| {
            let at = self.rules.variant().format_move(at);
            Err(format!("the position after {at} is not proved"))
        };
        match reason {
            Reason::Plays(_) if !claimant_moves => return Err(OTHER_SIDE_MOVES.to_owned()),
            Reason::All if claimant_moves => return Err(MOVE_NEEDED.to_owned()),
            Reason::Plays(at) => {
                self.rules
                    .check(&position, *at)
                    .map_err(|why| format!("{why}"))?;
                if !self.holds_after(&position, *at) {
                    return unproved(*at);
                }
            }
            Reason::All => {
                let mut moves = self.rules.moves(&position);
                if let Some(at) = moves.find(|at| !self.holds_after(&position, *at)) {
                    return unproved(at);
                }
            }
            Reason::Pairs(_) => {
                return Err("pairs are allowed only on grids without a suffix".to_owned());
            }
        }
        self.proved.insert(self.key(diagram));
        Ok(())
    }

    fn is_proved(&self, position: &Diagram) -> bool {
        self.holds(&self.rules.set_up(position))
    }
}
