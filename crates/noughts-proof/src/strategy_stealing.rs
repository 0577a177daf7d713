//! Strategy stealing: on the empty board of a plain grid the second player cannot force a win, because the first
//! player could use the same strategy with an extra mark.

use noughts_rules::{Diagram, Variant};

use crate::Claim;
use crate::plain_grid::is_plain;

/// Checks whether strategy stealing proves `claim` for `position`. If it does not, the error says why.
pub(crate) fn check(variant: &Variant, position: &Diagram, claim: Claim) -> Result<(), String> {
    let why = if !matches!(variant, Variant::Grid(spec) if is_plain(spec)) {
        "strategy stealing holds only on grids without a suffix"
    } else if position.marks.iter().any(Option::is_some) {
        "strategy stealing holds only on an empty board"
    } else if claim.wins || claim.attacker == position.to_move {
        "strategy stealing shows only that the second player cannot win"
    } else {
        return Ok(());
    };
    Err(why.to_owned())
}
