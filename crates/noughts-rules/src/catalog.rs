//! The variants that user interfaces offer by name.

/// An entry of [`CATALOG`]: a well-known variant, or an example of a suffix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CatalogEntry {
    /// The name of the variant, such as `3x3k3`. This text parses as a [`Variant`](crate::Variant).
    pub name: &'static str,
    /// The name of the game in English.
    pub title: &'static str,
    /// A description in a few words, in lower case and without a full stop. It says how the variant differs
    /// from the others.
    pub description: &'static str,
}

/// The variants that user interfaces offer, in this order. Any other variant that [parses](crate::Variant)
/// can be played too.
///
/// ```
/// use noughts_rules::{CATALOG, Variant};
///
/// let first = CATALOG[0].name.parse::<Variant>()?;
/// assert_eq!(first.cells(), 9);
/// # Ok::<(), noughts_rules::VariantError>(())
/// ```
pub const CATALOG: &[CatalogEntry] = &[
    CatalogEntry {
        name: "3x3k3",
        title: "Tic-tac-toe",
        description: "three in a line",
    },
    CatalogEntry {
        name: "multi",
        title: "Nine boards",
        description: "the cell of a move selects the next board, most boards win",
    },
    CatalogEntry {
        name: "ultimate",
        title: "Ultimate",
        description: "the cell of a move selects the next board, three boards in a line win",
    },
    CatalogEntry {
        name: "7x6k4+gravity",
        title: "Connect Four",
        description: "marks fall to the lowest empty cell of a column, four in a line",
    },
    CatalogEntry {
        name: "15x15k5",
        title: "Five in a row",
        description: "five or more in a line",
    },
    CatalogEntry {
        name: "15x15k5+exact",
        title: "Exactly five in a row",
        description: "five in a line, a longer line does not win",
    },
    CatalogEntry {
        name: "3x3k3+misere",
        title: "Misère",
        description: "three in a line lose",
    },
    CatalogEntry {
        name: "4x4k3p3",
        title: "Three players",
        description: "three sides on a 4x4 board, three in a line",
    },
    CatalogEntry {
        name: "7x7k4",
        title: "Four in a row",
        description: "four in a line",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::Variant;

    #[test]
    fn every_entry_names_a_different_variant_in_its_printed_form() {
        for (number, entry) in CATALOG.iter().enumerate() {
            let variant: Variant = entry.name.parse().unwrap();
            assert_eq!(variant.to_string(), entry.name);
            assert!(
                CATALOG[..number]
                    .iter()
                    .all(|other| other.name != entry.name)
            );
        }
    }
}
