//! Chooses the representation of a position in the solver. Plain grids use the smallest bit sets with enough room. All
//! other games, and plain grids that are too large for the bit sets, use the rules of the game.

use noughts_rules::{Bits, Diagram, Goal, GridSpec, Overline, Placement, Side, Variant};

use super::plain_grid::{self, PlainGrid};
use super::proof_writer::AttackedPosition;

/// Whether the game is a plain grid: two sides, every empty cell may be played, and a line of K or more wins.
pub(crate) fn is_plain(spec: &GridSpec) -> bool {
    spec.sides() == 2
        && spec.goal == Goal::Make
        && spec.placement == Placement::Anywhere
        && spec.overline == Overline::Counts
}

/// How the solver represents a position.
pub(crate) enum Representation {
    /// A plain grid that is not a square, so it has only four symmetries. It has up to 64 cells and 64 lines.
    Rectangle,
    /// A plain grid of up to 64 cells and 64 lines.
    Small,
    /// A plain grid of up to 64 cells and 128 lines.
    Middle,
    /// A plain grid of up to 128 cells and 256 lines.
    Large,
    /// Any other game, or a larger plain grid.
    Rules,
}

impl Representation {
    pub(crate) fn of(variant: &Variant) -> Representation {
        let Variant::Grid(spec) = variant else {
            return Representation::Rules;
        };
        if !is_plain(spec) {
            return Representation::Rules;
        }
        match (spec.cells(), plain_grid::lines(spec).len()) {
            (..=64, ..=64) if spec.columns() != spec.rows() => Representation::Rectangle,
            (..=64, ..=64) => Representation::Small,
            (..=64, ..=128) => Representation::Middle,
            (..=128, ..=256) => Representation::Large,
            _ => Representation::Rules,
        }
    }
}

/// Evaluates `$value`. In this expression, `$position` is the position of `$diagram` for `$attacker`, with
/// the static type that [`Representation`] selects.
macro_rules! with_position {
    ($variant:expr, $diagram:expr, $attacker:expr, $position:ident => $value:expr) => {{
        let (variant, diagram, attacker): (&noughts_rules::Variant, &noughts_rules::Diagram, noughts_rules::Side) = ($variant, $diagram, $attacker);
        match $crate::solver::dispatch::Representation::of(variant) {
            $crate::solver::dispatch::Representation::Rectangle => {
                let $position = $crate::solver::dispatch::plain::<u64, u64, 4>(variant, diagram, attacker);
                $value
            }
            $crate::solver::dispatch::Representation::Small => {
                let $position = $crate::solver::dispatch::plain::<u64, u64, 8>(variant, diagram, attacker);
                $value
            }
            $crate::solver::dispatch::Representation::Middle => {
                let $position = $crate::solver::dispatch::plain::<u64, u128, 8>(variant, diagram, attacker);
                $value
            }
            $crate::solver::dispatch::Representation::Large => {
                let $position = $crate::solver::dispatch::plain::<u128, noughts_rules::Wide<4>, 8>(variant, diagram, attacker);
                $value
            }
            $crate::solver::dispatch::Representation::Rules => noughts_rules::dispatch!(&noughts_rules::AnyTimeline::new(variant), timeline => {
                let rules = timeline.rules().clone();
                let position = rules.set_up(diagram);
                let $position = $crate::solver::proof_writer::AttackedPosition::general($crate::solver::general::General::new(rules, position, attacker));
                $value
            }),
        }
    }};
}
pub(crate) use with_position;

pub(crate) fn plain<B: Bits, L: Bits, const W: usize>(
    variant: &Variant,
    diagram: &Diagram,
    attacker: Side,
) -> AttackedPosition<PlainGrid<B, L, W>> {
    let Variant::Grid(spec) = variant else {
        unreachable!("plain games are grids");
    };
    let of = |side: Side| -> Vec<usize> {
        let cells = 0..diagram.marks.len();
        cells
            .filter(|at| diagram.marks[*at] == Some(side))
            .collect()
    };
    let (mine, theirs) = (of(attacker), of(attacker.next(2)));
    let attacks = diagram.to_move == attacker;
    AttackedPosition::plain(PlainGrid::new(spec, [&mine, &theirs], attacks), attacker)
}
