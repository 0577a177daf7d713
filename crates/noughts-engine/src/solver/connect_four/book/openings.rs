//! The scores of all positions with nine marks in which the side to move cannot win immediately, with one
//! byte per position. A position and its mirror image share a score.

use std::borrow::Cow;

use super::super::Score;
use super::super::board::{Geometry, Marks};

/// Number of marks in each position of an openings file.
pub(crate) const OPENING_MARKS: u32 = 9;

/// The scores of positions with the same number of marks on one board.
pub(super) struct Openings {
    pub(super) mark_count: u32,
    /// Canonical keys in ascending order.
    keys: Vec<u64>,
    /// For each key, the score as a signed byte.
    scores: Cow<'static, [u8]>,
}

impl Openings {
    /// The positions with [`OPENING_MARKS`] marks, in the order of [`keys`]. `scores` has the score of each
    /// position.
    pub(super) fn new(geometry: &Geometry, scores: &'static [u8]) -> Openings {
        let keys = keys(geometry, OPENING_MARKS);
        debug_assert_eq!(scores.len(), keys.len());
        Openings {
            mark_count: OPENING_MARKS,
            keys,
            scores: Cow::Borrowed(scores),
        }
    }

    /// The scores of `positions`, which all have `mark_count` marks and are sorted by key.
    #[cfg(feature = "book")]
    pub(super) fn of_sorted(mark_count: u32, positions: &[(u64, Score)]) -> Openings {
        let scores: Vec<Score> = positions.iter().map(|(_, score)| *score).collect();
        Openings {
            mark_count,
            keys: positions.iter().map(|(key, _)| *key).collect(),
            scores: Cow::Owned(pack(&scores)),
        }
    }

    /// The score of the position with this canonical key. `None` if the position is missing.
    pub(super) fn score(&self, key: u64) -> Option<Score> {
        let at = self.keys.binary_search(&key).ok()?;
        let score = self.scores.get(at)?.cast_signed();
        Some(Score(i32::from(score)))
    }
}

/// The bytes of a file with these scores.
#[cfg(any(test, feature = "book"))]
pub(super) fn pack(scores: &[Score]) -> Vec<u8> {
    let byte = |score: &Score| (score.0 as i8).cast_unsigned();
    scores.iter().map(byte).collect()
}

/// The canonical keys of positions with this many marks, in ascending order: all positions that occur in
/// games and in which the side to move cannot win immediately.
pub(super) fn keys(geometry: &Geometry, mark_count: u32) -> Vec<u64> {
    let can_win = |marks: &Marks| {
        let completing = geometry.completing::<0>(marks.mine, marks.mask);
        completing & geometry.playable(marks.mask) != 0
    };
    let mut positions = vec![Marks { mine: 0, mask: 0 }];
    for _ in 0..mark_count {
        let children = positions.iter().flat_map(|marks| {
            let playable = geometry.playable(marks.mask);
            let columns =
                (0..geometry.columns).map(move |column| playable & geometry.column(column));
            columns
                .filter(|cell| *cell != 0)
                .map(|cell| marks.after(cell))
        });
        let is_open = |child: &Marks| !geometry.has_line::<0>(child.mine ^ child.mask);
        let mut next: Vec<Marks> = children
            .filter(is_open)
            .map(|child| geometry.canonical(child))
            .collect();
        next.sort_unstable_by_key(|marks| geometry.key(*marks));
        next.dedup();
        positions = next;
    }
    positions.retain(|marks| !can_win(marks));
    positions.iter().map(|marks| geometry.key(*marks)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::Book;
    use super::*;
    use crate::analysis::Value;
    use crate::reference::connect_four::PlainAlphaBeta;
    use crate::rng::Random;

    #[test]
    fn enumeration_has_the_published_number_of_positions() {
        let geometry = Geometry::new(7, 6);
        let keys = keys(&geometry, 8);
        let is_forced = |key: &&u64| {
            let marks = geometry.position(**key);
            let threats = geometry.completing::<0>(marks.mine ^ marks.mask, marks.mask);
            threats & geometry.playable(marks.mask) != 0
        };
        let forced = keys.iter().filter(is_forced).count();
        // John Tromp's database of positions with eight marks "in which the next move is not forced".
        assert_eq!(keys.len() - forced, 67_557);
        assert!(keys.is_sorted_by(|one, next| one < next));
    }

    #[test]
    #[ignore = "long: the plain alpha-beta takes up to half an hour"]
    fn samples_agree_with_a_plain_alpha_beta() {
        let geometry = Geometry::new(7, 6);
        let openings = Book::of(&geometry).unwrap().openings.as_ref().unwrap();
        let (mut plain, mut random) = (PlainAlphaBeta::new(), Random::new(8));
        for _ in 0..20 {
            let key = openings.keys[random.below(openings.keys.len())];
            let marks = geometry.position(key);
            let sign = plain.sign(marks.mine, marks.mask);
            let score = openings.score(key).unwrap();
            assert_eq!(score.0.signum(), sign, "{key:x}");
        }
    }

    #[test]
    fn packed_scores_are_read_back() {
        let geometry = Geometry::new(4, 4);
        let scores: Vec<Score> = (0..keys(&geometry, OPENING_MARKS).len())
            .map(|at| Score([-17, -1, 0, 2, 17][at % 5]))
            .collect();
        let openings = Openings::new(&geometry, pack(&scores).leak());
        let read: Vec<Option<Score>> = openings
            .keys
            .iter()
            .map(|key| openings.score(*key))
            .collect();
        assert_eq!(read, scores.into_iter().map(Some).collect::<Vec<_>>());
        assert_eq!(openings.score(0), None);
    }

    /// The first player wins by starting in the middle column, draws by starting in a column next to the
    /// middle, and loses by starting in any other column (Allen 1988; Allis 1988). For the empty board,
    /// Pascal Pons' solver shows the scores -2, -1, 0 and 1, which give the numbers of plies below. Here the
    /// values follow only from the stored scores.
    #[test]
    fn stored_scores_give_the_published_values_of_the_first_moves() {
        let geometry = Geometry::new(7, 6);
        let openings = Book::of(&geometry).unwrap().openings.as_ref().unwrap();
        let empty = Marks { mine: 0, mask: 0 };
        let first_moves: Vec<Value> = (0..7)
            .map(|column| {
                let cell = geometry.playable(0) & geometry.column(column);
                let reply = minimax(&geometry, openings, empty.after(cell), &mut HashMap::new());
                Score(-reply).value(42)
            })
            .collect();
        let loss = |plies| Value::Loss { plies };
        let win = Value::Win { plies: 41 };
        assert_eq!(
            first_moves,
            [
                loss(40),
                loss(42),
                Value::Draw,
                win,
                Value::Draw,
                loss(42),
                loss(40)
            ]
        );
    }

    fn minimax(
        geometry: &Geometry,
        openings: &Openings,
        marks: Marks,
        known: &mut HashMap<u64, i32>,
    ) -> i32 {
        let key = geometry.canonical_key(marks);
        if let Some(score) = known.get(&key) {
            return *score;
        }
        let playable = geometry.playable(marks.mask);
        let wins = geometry.completing::<0>(marks.mine, marks.mask) & playable != 0;
        let mark_count = marks.mask.count_ones();
        let score = match mark_count {
            _ if wins => (43 - mark_count as i32) / 2,
            OPENING_MARKS => openings.score(key).unwrap().0,
            _ => (0..geometry.columns)
                .map(|column| playable & geometry.column(column))
                .filter(|cell| *cell != 0)
                .map(|cell| -minimax(geometry, openings, marks.after(cell), known))
                .max()
                .unwrap(),
        };
        known.insert(key, score);
        score
    }
}
