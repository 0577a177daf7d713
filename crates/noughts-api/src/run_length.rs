//! Run-length encoding of rows: `3. 1x 2o` is three empty cells, an x and two o.

use noughts_rules::Side;

/// Encodes a row as the length and the symbol of each run of equal cells. The symbol of empty cells is `.`.
pub fn encode_row(cells: &[Option<Side>]) -> String {
    let mut text = String::new();
    let mut rest = cells;
    while let Some(first) = rest.first() {
        let length = run_length(rest, *first);
        if !text.is_empty() {
            text.push(' ');
        }
        text += &length.to_string();
        text.push(first.map_or('.', Side::symbol));
        rest = &rest[length..];
    }
    text
}

/// The number of cells at the beginning of `cells` that are equal to `first`.
fn run_length(cells: &[Option<Side>], first: Option<Side>) -> usize {
    // Blocks of equal cells are compared without branches, so that the compiler uses vector instructions: most rows of
    // a large board are empty.
    let (blocks, _) = cells.as_chunks::<32>();
    let is_equal =
        |block: &&[Option<Side>; 32]| block.iter().fold(true, |all, cell| all & (*cell == first));
    let checked = 32 * blocks.iter().take_while(is_equal).count();
    let rest = cells[checked..].iter();
    checked + rest.take_while(|cell| **cell == first).count()
}

/// Decodes a text that [`encode_row`] has written; `None` if the text is invalid or has more than 255 cells.
pub fn decode_row(text: &str) -> Option<Vec<Option<Side>>> {
    let mut cells = Vec::new();
    for run in text.split(' ').filter(|run| !run.is_empty()) {
        let symbol = run.chars().next_back()?;
        let count: usize = run[..run.len() - symbol.len_utf8()].parse().ok()?;
        let side = match symbol {
            '.' => None,
            _ => Some(Side::from_symbol(symbol)?),
        };
        if cells.len() + count > usize::from(u8::MAX) {
            return None;
        }
        cells.resize(cells.len() + count, side);
    }
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_round_trip() {
        let (x, o) = (Some(Side::FIRST), Some(Side::SECOND));
        let row = [None, None, None, x, o, o, None];
        assert_eq!(encode_row(&row), "3. 1x 2o 1.");
        assert_eq!(encode_row(&[]), "");
        for length in [31, 32, 33, 64, 254] {
            let mut row = vec![None; length];
            row.push(x);
            assert_eq!(encode_row(&row), format!("{length}. 1x"));
        }
        assert_eq!(decode_row("3. 1x 2o 1.").as_deref(), Some(&row[..]));
        assert_eq!(decode_row("256x"), None);
        assert_eq!(decode_row("x"), None);
        assert_eq!(decode_row("1é"), None);
        // The symbol of this side is a digit.
        let seven = Side::from_symbol('7');
        assert_eq!(decode_row(&encode_row(&[seven; 12])), Some(vec![seven; 12]));
    }
}
