//! The values of all positions with eight marks, two bits each.

use super::super::board::{Geometry, Stones};

/// Number of marks in these positions.
pub(crate) const OPENING_MARKS: u32 = 8;

/// Two bits for a position whose value was not computed.
const UNKNOWN: u8 = 3;

/// The values of all positions with [`OPENING_MARKS`] marks on one board.
pub(super) struct Openings {
    /// See [`keys`].
    keys: Vec<u64>,
    /// Two bits per key, lowest bits first: the sign of the score plus 1, or [`UNKNOWN`].
    signs: &'static [u8],
    is_complete: bool,
}

impl Openings {
    pub(super) fn new(geometry: &Geometry, signs: &'static [u8]) -> Openings {
        let keys = keys(geometry, OPENING_MARKS);
        let mut openings = Openings {
            keys,
            signs,
            is_complete: false,
        };
        openings.is_complete = (0..openings.keys.len()).all(|at| openings.sign_at(at).is_some());
        openings
    }

    /// The sign of the score of the position with this canonical key.
    pub(super) fn sign(&self, key: u64) -> Option<i32> {
        self.sign_at(self.keys.binary_search(&key).ok()?)
    }

    fn sign_at(&self, at: usize) -> Option<i32> {
        match self.signs.get(at / 4)? >> (at % 4 * 2) & 3 {
            UNKNOWN => None,
            sign => Some(i32::from(sign) - 1),
        }
    }

    /// Whether the value of every position was computed.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }
}

/// The bytes of a file with these signs.
#[cfg(any(test, feature = "book"))]
pub(super) fn pack(signs: &[Option<i32>]) -> Vec<u8> {
    let bits = |sign: &Option<i32>| sign.map_or(UNKNOWN, |sign| (sign + 1) as u8);
    let byte = |four: &[Option<i32>]| four.iter().rfold(0, |byte, sign| byte << 2 | bits(sign));
    signs.chunks(4).map(byte).collect()
}

/// The canonical keys of all positions with this many marks that occur in games and in which the side to move cannot win
/// at once, in ascending order.
pub(super) fn keys(geometry: &Geometry, marks: u32) -> Vec<u64> {
    let can_win = |stones: &Stones| {
        let completing = geometry.completing::<0>(stones.mine, stones.mask);
        completing & geometry.playable(stones.mask) != 0
    };
    let mut positions = vec![Stones { mine: 0, mask: 0 }];
    for _ in 0..marks {
        let children = positions.iter().flat_map(|stones| {
            let playable = geometry.playable(stones.mask);
            let columns =
                (0..geometry.columns).map(move |column| playable & geometry.column(column));
            columns
                .filter(|cell| *cell != 0)
                .map(|cell| stones.after(cell))
        });
        let is_open = |child: &Stones| !geometry.has_line::<0>(child.mine ^ child.mask);
        let mut next: Vec<Stones> = children
            .filter(is_open)
            .map(|child| geometry.canonical(child))
            .collect();
        next.sort_unstable_by_key(|stones| geometry.key(*stones));
        next.dedup();
        positions = next;
    }
    positions.retain(|stones| !can_win(stones));
    positions
        .iter()
        .map(|stones| geometry.key(*stones))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Book;
    use super::*;
    use crate::reference::connect_four::PlainAlphaBeta;
    use crate::rng::Random;

    #[test]
    fn enumeration_has_the_published_number_of_positions() {
        let geometry = Geometry::new(7, 6);
        let keys = keys(&geometry, OPENING_MARKS);
        let is_forced = |key: &&u64| {
            let stones = geometry.position(**key);
            let threats = geometry.completing::<0>(stones.mine ^ stones.mask, stones.mask);
            threats & geometry.playable(stones.mask) != 0
        };
        let forced = keys.iter().filter(is_forced).count();
        // John Tromp's database of positions with eight marks "in which the next move is not forced".
        assert_eq!(keys.len() - forced, 67_557);
        assert!(keys.is_sorted_by(|one, next| one < next));
    }

    #[test]
    #[ignore = "takes minutes"]
    fn samples_agree_with_a_plain_alpha_beta() {
        let geometry = Geometry::new(7, 6);
        let openings = Book::of(&geometry).unwrap().openings.as_ref().unwrap();
        let keys = openings.keys.iter();
        let known: Vec<(u64, i32)> = keys
            .filter_map(|key| Some((*key, openings.sign(*key)?)))
            .collect();
        let (mut plain, mut random) = (PlainAlphaBeta::new(), Random::new(8));
        for _ in 0..20 {
            let (key, sign) = known[random.below(known.len())];
            let stones = geometry.position(key);
            assert_eq!(plain.sign(stones.mine, stones.mask), sign, "{key:x}");
        }
    }

    #[test]
    fn packed_signs_are_read_back() {
        let geometry = Geometry::new(4, 4);
        let signs: Vec<Option<i32>> = (0..keys(&geometry, OPENING_MARKS).len())
            .map(|at| [Some(-1), Some(0), None, Some(1), Some(1)][at % 5])
            .collect();
        let mut openings = Openings::new(&geometry, pack(&signs).leak());
        let read = |openings: &Openings| -> Vec<Option<i32>> {
            let keys = openings.keys.iter();
            keys.map(|key| openings.sign(*key)).collect()
        };
        assert_eq!(read(&openings), signs);
        assert!(!openings.is_complete());
        assert_eq!(openings.sign(0), None);
        let signs: Vec<Option<i32>> = signs.iter().map(|sign| sign.or(Some(0))).collect();
        openings = Openings::new(&geometry, pack(&signs).leak());
        assert_eq!(read(&openings), signs);
        assert!(openings.is_complete());
    }
}
