//! Short texts for positions on nine boards.

/// A position on nine boards from one letter per board: `X` won by x, `O` won by o, `D` drawn, `.` empty.
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
