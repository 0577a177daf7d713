//! Short texts for positions on nine boards.

/// Expands a text with one letter for each of nine boards to the text of a position: `X` won by x, `O` won by o, `D`
/// drawn, `.` empty. Any other word is the cells of a board. `None` if the text has fewer than nine words.
pub(crate) fn nine(position: &str) -> Option<String> {
    let board = |word: &str| match word {
        "X" => "xxxoo....".to_owned(),
        "O" => "oooxx....".to_owned(),
        "D" => "xoxxoxoxo".to_owned(),
        "." => "{9.}".to_owned(),
        cells => cells.to_owned(),
    };
    let words: Vec<&str> = position.split(' ').collect();
    let (boards, rest) = words.split_at_checked(9)?;
    let boards: Vec<String> = boards.iter().map(|word| board(word)).collect();
    Some(format!("{} {}", boards.join("/"), rest.join(" ")))
}
