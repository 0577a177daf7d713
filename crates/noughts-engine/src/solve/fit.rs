//! Which field a position is hunted in: the plain game in words that are as small as they can be, every other by
//! its rules.

use noughts_rules::{Bits, Diagram, Goal, GridSpec, Overline, Placement, Side, Variant};

use super::plain::{self, Plain};
use super::proof::Told;

/// Whether a mark more never hurts here, any empty cell may be played, and lines of K or more win.
pub(crate) fn is_plain(spec: &GridSpec) -> bool {
    spec.sides() == 2
        && spec.goal == Goal::Make
        && spec.placement == Placement::Anywhere
        && spec.overline == Overline::Counts
}

/// How a plain game fits into words.
pub(crate) enum Fit {
    /// Up to 64 cells and 64 lines, and four ways to lay it.
    Rectangle,
    /// Up to 64 cells and 64 lines.
    Small,
    /// Up to 64 cells and 128 lines.
    Middle,
    /// Up to 128 cells and 256 lines.
    Large,
    /// By its rules alone.
    Rules,
}

impl Fit {
    pub(crate) fn of(variant: &Variant) -> Fit {
        let Variant::Grid(spec) = variant else {
            return Fit::Rules;
        };
        if !is_plain(spec) {
            return Fit::Rules;
        }
        match (spec.cells(), plain::lines(spec).len()) {
            (..=64, ..=64) if spec.columns() != spec.rows() => Fit::Rectangle,
            (..=64, ..=64) => Fit::Small,
            (..=64, ..=128) => Fit::Middle,
            (..=128, ..=256) => Fit::Large,
            _ => Fit::Rules,
        }
    }
}

/// Binds the field for this position and attacker and evaluates the expression for its static type.
macro_rules! with_field {
    ($variant:expr, $diagram:expr, $attacker:expr, $field:ident => $value:expr) => {{
        let (variant, diagram, attacker): (&noughts_rules::Variant, &noughts_rules::Diagram, noughts_rules::Side) = ($variant, $diagram, $attacker);
        match $crate::solve::fit::Fit::of(variant) {
            $crate::solve::fit::Fit::Rectangle => {
                let $field = $crate::solve::fit::plain::<u64, u64, 4>(variant, diagram, attacker);
                $value
            }
            $crate::solve::fit::Fit::Small => {
                let $field = $crate::solve::fit::plain::<u64, u64, 8>(variant, diagram, attacker);
                $value
            }
            $crate::solve::fit::Fit::Middle => {
                let $field = $crate::solve::fit::plain::<u64, u128, 8>(variant, diagram, attacker);
                $value
            }
            $crate::solve::fit::Fit::Large => {
                let $field = $crate::solve::fit::plain::<u128, noughts_rules::Wide<4>, 8>(variant, diagram, attacker);
                $value
            }
            $crate::solve::fit::Fit::Rules => noughts_rules::dispatch!(&noughts_rules::AnyTimeline::new(variant), timeline => {
                let rules = timeline.rules().clone();
                let position = rules.set_up(diagram);
                let $field = $crate::solve::proof::Told::general($crate::solve::general::General::new(rules, position, attacker));
                $value
            }),
        }
    }};
}
pub(crate) use with_field;

pub(crate) fn plain<B: Bits, L: Bits, const W: usize>(
    variant: &Variant,
    diagram: &Diagram,
    attacker: Side,
) -> Told<Plain<B, L, W>> {
    let Variant::Grid(spec) = variant else {
        unreachable!("nine boards are no plain game");
    };
    let of = |side: Side| -> Vec<usize> {
        let cells = 0..diagram.marks.len();
        cells
            .filter(|at| diagram.marks[*at] == Some(side))
            .collect()
    };
    let (mine, theirs) = (of(attacker), of(attacker.next(2)));
    let attacks = diagram.to_move == attacker;
    Told::plain(Plain::new(spec, [&mine, &theirs], attacks), attacker)
}
