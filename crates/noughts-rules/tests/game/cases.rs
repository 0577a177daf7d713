//! Tables of test cases.

/// Splits a table of cases: one per line, columns separated by `|`.
pub(crate) fn cases<const N: usize>(table: &str) -> Vec<[&str; N]> {
    let mut cases = Vec::new();
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split('|').map(str::trim).collect();
        cases.push(words.try_into().expect(line));
    }
    cases
}
