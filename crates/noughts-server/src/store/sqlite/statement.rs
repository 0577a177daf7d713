//! Statements with many rows of values. One statement for a thousand rows is thirty times faster than a thousand
//! statements for one row each.

use std::sync::OnceLock;

/// The binary logarithm of [`MAX_ROWS`].
const MAX_POWER: u32 = 10;

/// Maximum number of rows in one statement.
pub(super) const MAX_ROWS: usize = 1 << MAX_POWER;

/// A statement with a list of rows in the middle. The number of rows is a power of two, so that few different
/// statements are prepared. The values of unused rows are null.
#[derive(Debug)]
pub(super) struct Statement {
    head: &'static str,
    columns: usize,
    tail: &'static str,
    by_power: [OnceLock<String>; MAX_POWER as usize + 1],
}

impl Statement {
    /// The statement `head VALUES (…), (…) tail`.
    pub(super) const fn new(head: &'static str, columns: usize, tail: &'static str) -> Statement {
        Statement {
            head,
            columns,
            tail,
            by_power: [const { OnceLock::new() }; MAX_POWER as usize + 1],
        }
    }

    /// The statement for `rows` rows, at most [`MAX_ROWS`], and the number of unused values, which must be null.
    pub(super) fn for_rows(&'static self, rows: usize) -> (&'static str, usize) {
        let size = rows.next_power_of_two().min(MAX_ROWS);
        let sql = self.by_power[size.ilog2() as usize].get_or_init(|| {
            let row = format!("({})", vec!["?"; self.columns].join(", "));
            let rows = vec![row; size].join(", ");
            format!("{} VALUES {rows} {}", self.head, self.tail)
        });
        (sql, size.saturating_sub(rows) * self.columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_padded_to_a_power_of_two() {
        static PAIRS: Statement = Statement::new("INSERT INTO t", 2, "RETURNING a");
        let (sql, nulls) = PAIRS.for_rows(3);
        let rows = "(?, ?), (?, ?), (?, ?), (?, ?)";
        assert_eq!(sql, format!("INSERT INTO t VALUES {rows} RETURNING a"));
        assert_eq!(nulls, 2);
        assert_eq!(
            PAIRS.for_rows(1),
            ("INSERT INTO t VALUES (?, ?) RETURNING a", 0)
        );
        assert_eq!(PAIRS.for_rows(MAX_ROWS).1, 0);
    }
}
