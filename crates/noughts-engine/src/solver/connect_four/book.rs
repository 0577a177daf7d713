//! Opening books. `cargo xtask book` computes the books with the Connect Four solver. See `docs/solving.md`
//! for the format.

mod openings;
#[cfg(feature = "book")]
pub mod writer;

use std::sync::LazyLock;

use super::Score;
use super::board::{Geometry, Marks};
use openings::Openings;

/// A board size for which there is a book.
struct Board {
    columns: u32,
    rows: u32,
    /// The entries of positions that occur in games of the strategy `perfect` and that take long to solve.
    entries: &'static [u8],
    /// The scores of the positions with nine marks: see the module `openings`.
    openings: Option<&'static [u8]>,
}

const BOARDS: [Board; 3] = [
    Board {
        columns: 7,
        rows: 6,
        entries: include_bytes!("book/7x6.bin"),
        openings: Some(include_bytes!("book/7x6-openings.bin")),
    },
    Board {
        columns: 7,
        rows: 5,
        entries: include_bytes!("book/7x5.bin"),
        openings: None,
    },
    Board {
        columns: 6,
        rows: 6,
        entries: include_bytes!("book/6x6.bin"),
        openings: None,
    },
];

/// Books are unpacked when they are first used.
static BOOKS: [LazyLock<Book>; 3] = [
    LazyLock::new(|| Book::read(&BOARDS[0])),
    LazyLock::new(|| Book::read(&BOARDS[1])),
    LazyLock::new(|| Book::read(&BOARDS[2])),
];

/// Maximum number of marks in a position of a book.
pub(crate) const MAX_MARKS: u32 = 16;

/// Size of an entry in bytes.
const BYTES: usize = 7;

/// The book of one board size: values and best moves of positions at the beginning of the game.
pub(crate) struct Book {
    /// Sorted entries. Each entry is a canonical key, then two bits for the sign of the score (stored plus
    /// 1), then three bits for the column of the best move.
    entries: Vec<u64>,
    openings: Option<Openings>,
}

/// A position's entry in a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct BookEntry {
    /// 1, 0 or -1: whether the side to move wins, draws or loses.
    sign: i32,
    /// The column of a best move in the position with the canonical key.
    column: u32,
}

impl Book {
    /// The book for this board, if there is one.
    pub(crate) fn of(geometry: &Geometry) -> Option<&'static Book> {
        let size = (geometry.columns, geometry.rows);
        let index = BOARDS
            .iter()
            .position(|board| (board.columns, board.rows) == size)?;
        BOOKS.get(index).map(|book| &**book)
    }

    /// Whether the book of a board of this size has the scores of all positions with nine marks.
    pub(super) fn has_openings(columns: usize, rows: usize) -> bool {
        let size = (columns as u32, rows as u32);
        let mut boards = BOARDS.iter();
        boards.any(|board| (board.columns, board.rows) == size && board.openings.is_some())
    }

    fn read(board: &Board) -> Book {
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .rfold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        let geometry = Geometry::new(board.columns, board.rows);
        let openings = board
            .openings
            .map(|scores| Openings::new(&geometry, scores));
        Book {
            entries: board.entries.chunks_exact(BYTES).map(number).collect(),
            openings,
        }
    }

    /// The lower and the upper bound of a position's score. `key` is the canonical key of the position, and
    /// `mark_count` is the number of its marks. `None` if the book does not have the position. If the book
    /// has the exact score, both bounds are this score.
    pub(super) fn bounds(&self, key: u64, mark_count: u32) -> Option<(i32, i32)> {
        let openings = self.openings.as_ref();
        let openings = openings.filter(|openings| openings.mark_count == mark_count);
        if let Some(Score(score)) = openings.and_then(|openings| openings.score(key)) {
            return Some((score, score));
        }
        self.get(key).map(|entry| match entry.sign {
            0 => (0, 0),
            1.. => (1, i32::MAX),
            ..0 => (i32::MIN, -1),
        })
    }

    /// Whether the score of this position follows from the scores of all positions with nine marks.
    pub(crate) fn has_all_after(&self, marks: Marks) -> bool {
        let mark_count = marks.mask.count_ones();
        // After a rewind the other side may be to move. The book has no such positions.
        let is_regular = marks.mine.count_ones() == mark_count / 2;
        let openings = self.openings.as_ref();
        is_regular && openings.is_some_and(|openings| mark_count <= openings.mark_count)
    }

    /// The entry of the position with this canonical key.
    fn get(&self, key: u64) -> Option<BookEntry> {
        let index = self.entries.partition_point(|entry| *entry < key << 5);
        let entry = self
            .entries
            .get(index)
            .filter(|entry| **entry >> 5 == key)?;
        Some(BookEntry {
            sign: (entry >> 3 & 3) as i32 - 1,
            column: (entry & 7) as u32,
        })
    }

    /// The cell of a best move, and the sign of the score. `None` if the book has no entry for the position.
    pub(crate) fn best(&self, geometry: &Geometry, marks: Marks) -> Option<(u64, i32)> {
        let key = geometry.canonical_key(marks);
        let entry = self.get(key)?;
        let column = match geometry.key(marks) == key {
            true => entry.column,
            false => geometry.columns - 1 - entry.column,
        };
        let cell = geometry.playable(marks.mask) & geometry.column(column);
        Some((cell, entry.sign))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::connect_four::PlainAlphaBeta;
    use crate::rng::Random;

    /// Checks the value and the best move of an entry of the 7x6 book with a plain alpha-beta. The best move
    /// must keep the value.
    fn compare(plain: &mut PlainAlphaBeta, entry: u64) {
        let geometry = Geometry::new(7, 6);
        let marks = geometry.position(entry >> 5);
        assert_eq!(geometry.canonical_key(marks), entry >> 5);
        let (cell, sign) = BOOKS[0].best(&geometry, marks).unwrap();
        assert_eq!(plain.sign(marks.mine, marks.mask), sign, "{entry:x}");
        let after = marks.after(cell);
        assert_eq!(cell.count_ones(), 1, "{entry:x}");
        assert_eq!(-plain.sign(after.mine, after.mask), sign, "{entry:x}");
    }

    /// Compares `samples` random entries with at least `min_marks` marks.
    fn compare_samples(min_marks: u32, samples: usize) {
        let geometry = Geometry::new(7, 6);
        let mark_count = |entry: &u64| geometry.position(entry >> 5).mask.count_ones();
        let entries = BOOKS[0].entries.iter().copied();
        let entries: Vec<u64> = entries
            .filter(|entry| mark_count(entry) >= min_marks)
            .collect();
        let (mut plain, mut random) = (PlainAlphaBeta::new(), Random::new(76));
        for _ in 0..samples {
            compare(&mut plain, entries[random.below(entries.len())]);
        }
    }

    #[test]
    fn entries_are_in_order_and_have_legal_moves() {
        for (board, book) in BOARDS.iter().zip(BOOKS.iter()) {
            let geometry = Geometry::new(board.columns, board.rows);
            assert!(book.entries.is_sorted_by(|one, next| one >> 5 < next >> 5));
            for entry in &book.entries {
                let marks = geometry.position(entry >> 5);
                let (cell, sign) = book.best(&geometry, marks).unwrap();
                assert!(cell.is_power_of_two() && sign.abs() <= 1, "{entry:x}");
                assert!(marks.mask.count_ones() <= MAX_MARKS, "{entry:x}");
                let mirror = geometry.mirror(marks);
                // A position that equals its mirror image has only one answer.
                let expected = match mirror == marks {
                    true => cell,
                    false => geometry.mirrored(cell),
                };
                assert_eq!(book.best(&geometry, mirror), Some((expected, sign)));
            }
        }
    }

    #[test]
    fn samples_agree_with_a_plain_alpha_beta() {
        compare_samples(12, 4);
    }

    #[test]
    #[ignore = "long: the plain alpha-beta takes up to half an hour"]
    fn many_samples_agree_with_a_plain_alpha_beta() {
        compare_samples(9, 100);
    }
}
