//! The values of all positions with eight marks, two bits each.

use super::super::board::{Geometry, Marks};

/// Number of marks in these positions.
pub(crate) const OPENING_MARKS: u32 = 8;

/// The values of all positions with [`OPENING_MARKS`] marks on one board.
pub(super) struct Openings {
    /// See [`keys`].
    keys: Vec<u64>,
    /// Two bits per key, lowest bits first: the sign of the score plus 1.
    signs: &'static [u8],
}

impl Openings {
    pub(super) fn new(geometry: &Geometry, signs: &'static [u8]) -> Openings {
        let keys = keys(geometry, OPENING_MARKS);
        debug_assert_eq!(signs.len(), keys.len().div_ceil(4));
        Openings { keys, signs }
    }

    /// The sign of the score of the position with this canonical key. `None` if it is not one of the [`keys`].
    pub(super) fn sign(&self, key: u64) -> Option<i32> {
        let at = self.keys.binary_search(&key).ok()?;
        let bits = self.signs.get(at / 4)? >> (at % 4 * 2) & 3;
        Some(i32::from(bits) - 1)
    }
}

/// The bytes of a file with these signs.
#[cfg(any(test, feature = "book"))]
pub(super) fn pack(signs: &[i32]) -> Vec<u8> {
    let byte = |four: &[i32]| {
        four.iter()
            .rfold(0, |byte, sign| byte << 2 | (sign + 1) as u8)
    };
    signs.chunks(4).map(byte).collect()
}

/// The canonical keys of positions with this many marks, in ascending order: all positions that occur in games and in
/// which the side to move cannot win at once.
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
    use crate::reference::connect_four::PlainAlphaBeta;
    use crate::rng::Random;

    #[test]
    fn enumeration_has_the_published_number_of_positions() {
        let geometry = Geometry::new(7, 6);
        let keys = keys(&geometry, OPENING_MARKS);
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
            assert_eq!(openings.sign(key), Some(sign), "{key:x}");
        }
    }

    #[test]
    fn packed_signs_are_read_back() {
        let geometry = Geometry::new(4, 4);
        let signs: Vec<i32> = (0..keys(&geometry, OPENING_MARKS).len())
            .map(|at| [-1, 0, 0, 1, 1][at % 5])
            .collect();
        let openings = Openings::new(&geometry, pack(&signs).leak());
        let read: Vec<Option<i32>> = openings
            .keys
            .iter()
            .map(|key| openings.sign(*key))
            .collect();
        assert_eq!(read, signs.into_iter().map(Some).collect::<Vec<_>>());
        assert_eq!(openings.sign(0), None);
    }

    /// The first player wins by starting in the middle column, draws from the columns next to it, and loses from the
    /// others (Allen 1988; Allis 1988). Here the values of the first moves follow from the stored values alone.
    #[test]
    fn stored_values_give_the_published_values_of_the_first_moves() {
        let geometry = Geometry::new(7, 6);
        let openings = Book::of(&geometry).unwrap().openings.as_ref().unwrap();
        let empty = Marks { mine: 0, mask: 0 };
        let first_moves: Vec<i32> = (0..7)
            .map(|column| {
                let cell = geometry.playable(0) & geometry.column(column);
                -minimax(&geometry, openings, empty.after(cell), &mut HashMap::new())
            })
            .collect();
        assert_eq!(first_moves, [-1, -1, 0, 1, 0, -1, -1]);
    }

    fn minimax(
        geometry: &Geometry,
        openings: &Openings,
        marks: Marks,
        known: &mut HashMap<u64, i32>,
    ) -> i32 {
        let key = geometry.canonical_key(marks);
        if let Some(sign) = known.get(&key) {
            return *sign;
        }
        let playable = geometry.playable(marks.mask);
        let wins = geometry.completing::<0>(marks.mine, marks.mask) & playable != 0;
        let sign = match marks.mask.count_ones() {
            _ if wins => 1,
            OPENING_MARKS => openings.sign(key).unwrap(),
            _ => (0..geometry.columns)
                .map(|column| playable & geometry.column(column))
                .filter(|cell| *cell != 0)
                .map(|cell| -minimax(geometry, openings, marks.after(cell), known))
                .max()
                .unwrap(),
        };
        known.insert(key, sign);
        sign
    }
}
