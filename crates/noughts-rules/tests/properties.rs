//! The properties hold in random games of random variants.

use noughts_rules::properties::check_properties;
use noughts_rules::{Goal, GridSpec, Overline, Placement, Variant};
use proptest::prelude::*;

/// A random grid that is small enough for the reference implementation.
fn any_grid(max_size: u8) -> impl Strategy<Value = Variant> {
    let numbers = (3..=max_size, 3..=max_size, 2..=5u8);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (numbers, flags, any::<u8>()).prop_map(
        |((columns, rows, sides), (misere, gravity, exact), line)| {
            let line = 3 + line % (columns.max(rows) - 2);
            let mut spec = GridSpec::new(columns, rows, line).unwrap();
            // At least half of the games have two sides, because most bit-set implementations are for two sides.
            if columns % 2 == 0 {
                spec = spec.with_sides(sides).unwrap();
            }
            spec.goal = if misere { Goal::Avoid } else { Goal::Make };
            spec.placement = if gravity {
                Placement::Gravity
            } else {
                Placement::Anywhere
            };
            spec.overline = if exact {
                Overline::Ignored
            } else {
                Overline::Counts
            };
            Variant::Grid(spec)
        },
    )
}

fn any_nested() -> impl Strategy<Value = Variant> {
    let names = vec![
        "multi",
        "multi@0",
        "multi@4",
        "multi@8",
        "ultimate",
        "ultimate@3",
    ];
    prop::sample::select(names).prop_map(|name| name.parse().unwrap())
}

fn choices(max_length: usize) -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..=max_length)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn small_grids_have_the_properties(variant in any_grid(6), choices in choices(36)) {
        check_properties(&variant, &choices);
    }

    #[test]
    fn nine_boards_have_the_properties(variant in any_nested(), choices in choices(81)) {
        check_properties(&variant, &choices);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn grids_of_several_words_have_the_properties(variant in any_grid(16), choices in choices(60)) {
        check_properties(&variant, &choices);
    }
}

/// Boards close to the limit of each bit width, where a wrong shift or bound would show first.
#[test]
fn largest_boards_of_each_width_have_the_properties() {
    for name in [
        "3x3k3",
        "4x3k3",
        "3x4k4",
        "4x3k4+exact", // 16 bits
        "7x8k4",
        "15x4k15",
        "3x16k16",
        "20x3k20",
        "7x7k4p3", // 64 bits
        "10x11k5",
        "15x8k5+gravity",
        "31x4k4",
        "41x3k41",
        "11x10k5+exact", // 128 bits
        "15x16k5+gravity",
        "63x4k4",
        "15x15k5+exact", // 256 bits
        "22x22k5",
        "127x4k4+gravity", // 512 bits
        "3x3k3p64",
        "5x4k3p5+misere", // bytes
    ] {
        let variant: Variant = name.parse().unwrap();
        // Fixed choices that spread the marks over the whole board, including edges and corners: the
        // step shares no factor with small numbers of moves.
        let spread: Vec<u16> = (0..24u16).map(|n| n.wrapping_mul(10_007)).collect();
        let first: Vec<u16> = vec![0; 24];
        let last: Vec<u16> = vec![u16::MAX; 24];
        for choices in [spread, first, last] {
            check_properties(&variant, &choices);
        }
    }
}
