//! Every implementation of the rules keeps all properties and agrees with the reference implementation.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noughts_rules::properties::check_properties;
use noughts_rules::{Board, Goal, GridSpec, NestedSpec, Overline, Placement, Variant};

fuzz_target!(|bytes: &[u8]| {
    let [columns, rows, line, sides, flags, choices @ ..] = bytes else {
        return;
    };
    let variant = match flags >> 6 {
        0 => Variant::Nested(NestedSpec::MULTI.starting_on(Board::new(flags & 15))),
        1 => Variant::Nested(NestedSpec::ULTIMATE.starting_on(Board::new(flags & 15))),
        _ => Variant::Grid(grid(*columns, *rows, *line, *sides, *flags)),
    };
    let choices: Vec<u16> = choices.iter().map(|byte| u16::from(*byte)).collect();
    check_properties(&variant, &choices);
});

/// A grid that is small enough for the reference implementation. The sizes cover every type of bit set up to 256
/// bits.
fn grid(columns: u8, rows: u8, line: u8, sides: u8, flags: u8) -> GridSpec {
    let (columns, rows) = (3 + columns % 14, 3 + rows % 8);
    let line = 3 + line % (columns.max(rows) - 2);
    let mut spec = GridSpec::new(columns, rows, line)
        .and_then(|spec| spec.with_sides(2 + sides % 3))
        .expect("numbers in range");
    spec.goal = if flags & 1 == 0 {
        Goal::Make
    } else {
        Goal::Avoid
    };
    spec.placement = if flags & 2 == 0 {
        Placement::Anywhere
    } else {
        Placement::Gravity
    };
    spec.overline = if flags & 4 == 0 {
        Overline::Counts
    } else {
        Overline::Ignored
    };
    spec
}
