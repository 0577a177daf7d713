//! Draws the board of the TCP client with row and column numbers. The last play is in brackets.

use noughts_rules::{Action, Side, Turn, View};

use super::messages;

const SIZE: usize = 3;

/// Draws the board, without a newline after the last line.
pub(super) fn board(view: &View) -> String {
    let rule = format!("\n  {}", "-".repeat(4 * SIZE + 1));
    let mut drawing = "    0   1   2".to_owned() + &rule;
    for (number, row) in view.marks.chunks(SIZE).enumerate() {
        drawing += &format!("\n{number} ");
        for (column, mark) in row.iter().enumerate() {
            drawing.push('|');
            drawing += &cell(*mark, is_last(view, SIZE * number + column));
        }
        drawing.push('|');
        drawing += &rule;
    }
    drawing
}

fn is_last(view: &View, cell: usize) -> bool {
    matches!(
        view.last,
        Some(Turn { action: Action::Play(at), .. }) if at.index() == cell
    )
}

fn cell(mark: Option<Side>, is_last: bool) -> String {
    let mark = mark.map_or(" ", messages::symbol);
    match is_last {
        true => format!("[{mark}]"),
        false => format!(" {mark} "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_rules::{Game, GridSpec, Options, Seat, Variant};

    #[test]
    fn the_last_play_stands_in_brackets() {
        let variant = Variant::Grid(GridSpec::TIC_TAC_TOE);
        let mut game = Game::new(&variant, Options::default()).unwrap();
        for (seat, text) in [(0, "0-0"), (1, "1-2")] {
            game.act(Seat(seat), game.parse_action(text).unwrap())
                .unwrap();
        }
        let expected = "    0   1   2
  -------------
0 | X |   |   |
  -------------
1 |   |   |[O]|
  -------------
2 |   |   |   |
  -------------";
        assert_eq!(board(&game.view()), expected);
    }
}
