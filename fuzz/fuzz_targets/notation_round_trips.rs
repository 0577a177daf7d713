//! A text is refused with a short message, or is a variant that formats and parses to itself; the same for
//! positions and moves.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noughts_rules::{Diagram, Place, Variant};

fuzz_target!(|text: &str| {
    let (name, rest) = text.split_once('\n').unwrap_or((text, ""));
    let variant: Variant = match name.parse() {
        Ok(variant) => variant,
        Err(error) => return assert!(error.to_string().len() < 1_000),
    };
    let printed = variant.to_string();
    assert_eq!(printed.parse(), Ok(variant));
    assert!(
        printed.len() <= name.len(),
        "{name} was printed as {printed}"
    );
    match variant.parse_place(rest) {
        Ok(Place::Cell(at)) => assert_eq!(variant.format_move(at), rest),
        Ok(Place::Column(column)) => assert_eq!(column.to_string(), rest),
        Err(error) => assert!(error.to_string().len() < 1_000),
    }
    match Diagram::parse(&variant, rest) {
        Ok(diagram) => {
            let text = diagram.format(&variant);
            assert_eq!(Diagram::parse(&variant, &text), Ok(diagram), "{text}");
        }
        Err(error) => assert!(error.to_string().len() < 1_000),
    }
});
