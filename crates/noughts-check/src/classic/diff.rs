//! Compares two texts line by line.

/// Maximum number of equal lines that are shown before and after a difference.
const CONTEXT: usize = 3;

/// Maximum number of lines that are shown, without the `…` at the end.
const MAX_SHOWN_LINES: usize = 24;

/// Maximum number of lines of each text that are compared, counted from the first difference. Later lines are
/// ignored.
const MAX_COMPARED_LINES: usize = 400;

/// Returns the lines around the first difference. `- ` marks an expected line, and `+ ` marks a received
/// line. The result is empty if there is no difference.
pub(super) fn around_the_first(expected: &[String], received: &[String]) -> Vec<String> {
    let same = expected
        .iter()
        .zip(received)
        .take_while(|(a, b)| a == b)
        .count();
    if same == expected.len() && same == received.len() {
        return Vec::new();
    }
    let from = same.saturating_sub(CONTEXT);
    let mut lines = Vec::new();
    if from > 0 {
        lines.push(format!("  … {from} lines as expected …"));
    }
    lines.extend(expected[from..same].iter().map(|line| format!("  {line}")));
    let (expected, received) = (&expected[same..], &received[same..]);
    let expected = &expected[..expected.len().min(MAX_COMPARED_LINES)];
    let received = &received[..received.len().min(MAX_COMPARED_LINES)];
    let mut agreed = 0;
    for step in steps(expected, received) {
        if agreed == CONTEXT || lines.len() >= MAX_SHOWN_LINES {
            lines.push("  …".to_owned());
            break;
        }
        agreed = match step {
            Step::Both(_) => agreed + 1,
            Step::Expected(_) | Step::Received(_) => 0,
        };
        lines.push(match step {
            Step::Both(line) => format!("  {line}"),
            Step::Expected(line) => format!("- {line}"),
            Step::Received(line) => format!("+ {line}"),
        });
    }
    lines
}

enum Step<'t> {
    Both(&'t str),
    Expected(&'t str),
    Received(&'t str),
}

/// Returns the shortest list of edits that turns `expected` into `received`. The lines that stay are the
/// longest common subsequence.
fn steps<'t>(expected: &'t [String], received: &'t [String]) -> Vec<Step<'t>> {
    let (rows, columns) = (expected.len(), received.len());
    let mut common = vec![vec![0u16; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            common[row][column] = match expected[row] == received[column] {
                true => common[row + 1][column + 1] + 1,
                false => common[row + 1][column].max(common[row][column + 1]),
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut steps = Vec::new();
    while row < rows || column < columns {
        if row < rows && column < columns && expected[row] == received[column] {
            steps.push(Step::Both(&expected[row]));
            (row, column) = (row + 1, column + 1);
        } else if column == columns
            || row < rows && common[row + 1][column] >= common[row][column + 1]
        {
            steps.push(Step::Expected(&expected[row]));
            row += 1;
        } else {
            steps.push(Step::Received(&received[column]));
            column += 1;
        }
    }
    steps
}

/// The lines of an output, in quotes and with invisible characters escaped.
pub(super) fn lines_exactly(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    text.split_inclusive('\n')
        .map(|line| format!("{line:?}"))
        .collect()
}

/// Makes a line of untrusted output safe to print: without control characters, and shortened to 200 characters.
pub(super) fn safe(line: &str) -> String {
    const MAX_CHARS: usize = 200;
    let shown = |char: char| if char.is_control() { '\u{fffd}' } else { char };
    let mut text: String = line.chars().take(MAX_CHARS).map(shown).collect();
    if line.chars().nth(MAX_CHARS).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: &str, received: &str, shown: &str) {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let diff = around_the_first(&lines(expected), &lines(received));
        assert_eq!(diff.join("|"), shown, "{expected} / {received}");
    }

    #[test]
    fn the_first_difference_is_shown_with_what_is_around_it() {
        check("a b c", "a b c", "");
        check("a b c", "a x c", "  a|- b|+ x|  c");
        check("a b", "a b c", "  a|  b|+ c");
        check(
            "a b c d e f g h",
            "a b c d e x g h",
            "  … 2 lines as expected …|  c|  d|  e|- f|+ x|  g|  h",
        );
        check("a b", "", "- a|- b|+ ");
    }
}
