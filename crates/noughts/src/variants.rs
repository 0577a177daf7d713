//! `noughts variants`: what can be played.

use std::io::{self, Write};

use crate::Failure;

/// Names and what they are; every name on the left can be played as it stands.
const LIST: &str = "\
3x3k3           tic-tac-toe
WxHkK           W columns, H rows, K in a line: 3 to 255 a side, K from 3 to the longer side
4x4k3p3         for 3 sides, each for itself; up to p64
3x3k3+misere    who completes a line loses, all others win
7x6k4+gravity   marks fall to the last row: Connect Four
15x15k5         five in a line; a longer line wins too
15x15k5+exact   a line longer than K does not win
multi           nine boards: the cell played names the next board, most boards win
multi@4         the same, first play on board 4 (0 to 8)
ultimate        nine boards: three boards in a line win
ultimate@4      the same, first play on board 4 (0 to 8)

p, +misere, +gravity and +exact can be combined: 4x4k3p3+misere+gravity
";

pub(crate) fn run() -> Result<(), Failure> {
    Ok(io::stdout().write_all(LIST.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::LIST;

    #[test]
    fn every_name_in_the_list_is_a_variant() {
        let names = LIST.lines().take_while(|line| !line.is_empty());
        let names: Vec<&str> = names
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        for name in names.iter().filter(|name| **name != "WxHkK") {
            let variant: noughts_rules::Variant = name.parse().unwrap();
            assert_eq!(variant.to_string(), *name);
        }
        assert_eq!(names.len(), 11);
    }
}
