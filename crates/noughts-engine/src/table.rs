//! What was found out about positions, by their keys: a table of fixed size that forgets.

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
    pub(crate) bound: Bound,
}

/// Positions by their keys. Where two want the same place the deeper stays, but for one in four:
/// else what an earlier search found would stay for ever.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    entries: Vec<Option<Entry>>,
    mask: usize,
}

impl Table {
    /// A table of 2^`bits` places, 16 bytes each.
    pub(crate) fn new(bits: u32) -> Table {
        Table {
            entries: vec![None; 1 << bits],
            mask: (1 << bits) - 1,
        }
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
        let depth = depth.min(255) as u8;
        let place = &mut self.entries[key as usize & self.mask];
        let keep = place
            .as_ref()
            .is_some_and(|old| old.depth > depth && old.key != key);
        if !keep || key >> 62 == 0 {
            *place = Some(Entry {
                key,
                value,
                best,
                depth,
                bound,
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
}
