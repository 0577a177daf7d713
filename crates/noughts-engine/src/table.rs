//! What was found out about positions, by their keys: a table of fixed size that forgets.

use std::num::NonZeroU8;

use noughts_rules::Move;

/// What a stored value says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// It is the value.
    Exact,
    /// The value is this or more.
    AtLeast,
    /// The value is this or less.
    AtMost,
}

/// What is known of one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    key: u64,
    pub(crate) value: i32,
    pub(crate) best: Option<Move>,
    /// How many plies it was searched, 255 standing for more too.
    pub(crate) depth: u8,
    tag: Tag,
}

impl Entry {
    pub(crate) fn bound(&self) -> Bound {
        match self.tag.0.get() & 3 {
            1 => Bound::Exact,
            2 => Bound::AtLeast,
            _ => Bound::AtMost,
        }
    }
}

/// The bound, and above it in which search it was found, in one byte that is never 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Tag(NonZeroU8);

impl Tag {
    fn new(generation: u8, bound: Bound) -> Tag {
        let bound = match bound {
            Bound::Exact => NonZeroU8::MIN,
            Bound::AtLeast => NonZeroU8::MIN.saturating_add(1),
            Bound::AtMost => NonZeroU8::MIN.saturating_add(2),
        };
        Tag(bound | generation << 2)
    }

    fn generation(self) -> u8 {
        self.0.get() >> 2
    }
}

/// Positions by their keys. Where two want the same place the deeper stays, but what an earlier
/// search found gives way.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    entries: Vec<Option<Entry>>,
    mask: usize,
    /// Of the present search, 0..64.
    generation: u8,
}

impl Table {
    /// A table of 2^`bits` places, 16 bytes each.
    pub(crate) fn new(bits: u32) -> Table {
        Table {
            entries: vec![None; 1 << bits],
            mask: (1 << bits) - 1,
            generation: 0,
        }
    }

    /// Begins another search.
    pub(crate) fn renew(&mut self) {
        self.generation = (self.generation + 1) % 64;
    }

    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<&Entry> {
        self.entries[key as usize & self.mask]
            .as_ref()
            .filter(|entry| entry.key == key)
    }

    #[inline]
    pub(crate) fn put(
        &mut self,
        key: u64,
        value: i32,
        depth: u32,
        bound: Bound,
        best: Option<Move>,
    ) {
        let (depth, generation) = (depth.min(255) as u8, self.generation);
        let place = &mut self.entries[key as usize & self.mask];
        let keep = place.as_ref().is_some_and(|old| {
            old.tag.generation() == generation && old.depth > depth && old.key != key
        });
        if !keep {
            *place = Some(Entry {
                key,
                value,
                best,
                depth,
                tag: Tag::new(generation, bound),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_takes_sixteen_bytes() {
        assert_eq!(size_of::<Option<Entry>>(), 16);
    }

    #[test]
    fn deeper_stays_until_the_next_search() {
        let mut table = Table::new(0);
        table.put(1, 10, 5, Bound::AtMost, None);
        table.put(2, 20, 4, Bound::Exact, None);
        assert_eq!(
            table.get(1).map(|entry| (entry.value, entry.bound())),
            Some((10, Bound::AtMost))
        );
        table.renew();
        table.put(2, 20, 1, Bound::AtLeast, Some(Move::at(7)));
        assert_eq!(table.get(1), None);
        let entry = table.get(2).unwrap();
        assert_eq!(
            (entry.bound(), entry.depth, entry.best),
            (Bound::AtLeast, 1, Some(Move::at(7)))
        );
    }
}
