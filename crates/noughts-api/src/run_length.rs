//! Run-length encoding of rows: `3. 1x 2o` is three empty cells, an x and two o.

use noughts_rules::Side;

/// Encodes a row as the length and the symbol of each run of equal cells. The symbol of empty cells is `.`.
pub fn encode_row(cells: &[Option<Side>]) -> String {
    let mut text = String::new();
    for run in cells.chunk_by(|a, b| a == b) {
        if !text.is_empty() {
            text.push(' ');
        }
        text += &run.len().to_string();
        text.push(run[0].map_or('.', Side::symbol));
    }
    text
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
        assert_eq!(decode_row("3. 1x 2o 1.").as_deref(), Some(&row[..]));
        assert_eq!(decode_row("256x"), None);
        assert_eq!(decode_row("x"), None);
        assert_eq!(decode_row("1é"), None);
        // The symbol of this side is a digit.
        let seven = Side::from_symbol('7');
        assert_eq!(decode_row(&encode_row(&[seven; 12])), Some(vec![seven; 12]));
    }
}
