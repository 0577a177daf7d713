//! Frames written by hand: hexadecimal digits in groups, and texts in quotes.

/// Returns the bytes that a text such as `01 00003039 "Ann" 0000` describes. `#` outside quotes begins a comment.
pub(crate) fn bytes(picture: &str) -> Vec<u8> {
    let mut all = Vec::new();
    for (at, piece) in picture.split('"').enumerate() {
        if at % 2 == 1 {
            all.extend(piece.chars().map(|sign| sign as u8));
            continue;
        }
        let (hex, comment) = piece
            .split_once('#')
            .map_or((piece, None), |(hex, rest)| (hex, Some(rest)));
        let digits: Vec<u32> = hex
            .chars()
            .filter(|sign| !sign.is_whitespace())
            .map(|sign| {
                sign.to_digit(16)
                    .unwrap_or_else(|| panic!("no digit: {sign:?} in {picture}"))
            })
            .collect();
        assert!(digits.len().is_multiple_of(2), "half a byte in {picture}");
        all.extend(digits.chunks(2).map(|pair| (16 * pair[0] + pair[1]) as u8));
        if comment.is_some() {
            break;
        }
    }
    all
}
