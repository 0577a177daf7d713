//! The transposition table: search results by position key, in fixed memory. Threads share it without locks.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use noughts_rules::Move;

/// What a stored value means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// The exact value.
    Exact,
    /// A lower bound.
    AtLeast,
    /// An upper bound.
    AtMost,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) value: i32,
    pub(crate) best: Option<Move>,
    /// Search depth in plies, at most 255.
    pub(crate) depth: u8,
    bound: Bound,
    /// The number of the search that stored the entry, 0..64.
    generation: u8,
}

impl Entry {
    pub(crate) fn bound(&self) -> Bound {
        self.bound
    }

    /// The entry as 64 bits, never 0: value, move plus one, depth, generation, bound.
    #[inline]
    fn pack(self) -> u64 {
        let best = self.best.map_or(0, |at| at.index() as u64 + 1);
        let bound = match self.bound {
            Bound::Exact => 1,
            Bound::AtLeast => 2,
            Bound::AtMost => 3,
        };
        let tag = u64::from(self.generation) << 2 | bound;
        u64::from(self.value as u32) << 32 | best << 16 | u64::from(self.depth) << 8 | tag
    }

    /// The inverse of `pack`; `None` for 0.
    #[inline]
    fn unpack(word: u64) -> Option<Entry> {
        let bound = match word & 3 {
            0 => return None,
            1 => Bound::Exact,
            2 => Bound::AtLeast,
            _ => Bound::AtMost,
        };
        let best = usize::from((word >> 16) as u16);
        Some(Entry {
            value: (word >> 32) as i32,
            best: best.checked_sub(1).map(Move::at),
            depth: (word >> 8) as u8,
            bound,
            generation: word as u8 >> 2,
        })
    }
}

/// Memory for one entry. `lock` is the key xor the entry. Two threads that write at the same time may each
/// leave one half in the slot. Then the halves do not match, and no lookup finds the entry.
#[derive(Default, Debug)]
struct Slot {
    lock: AtomicU64,
    entry: AtomicU64,
}

/// A transposition table. A new entry replaces the old entry of its slot. Exception: the old entry stays if
/// it is from the same search, is for another position, and has a greater depth.
#[derive(Debug)]
pub(crate) struct TranspositionTable {
    slots: Vec<Slot>,
    mask: usize,
    /// The number of the current search, 0..64.
    generation: AtomicU8,
}

impl TranspositionTable {
    /// A table of 2^`bits` slots of 16 bytes.
    pub(crate) fn new(bits: u32) -> TranspositionTable {
        let mut slots = Vec::new();
        slots.resize_with(1 << bits, Slot::default);
        TranspositionTable {
            slots,
            mask: (1 << bits) - 1,
            generation: AtomicU8::new(0),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.fill_with(Slot::default);
        self.generation = AtomicU8::new(0);
    }

    /// The largest value of `bits` for which a table fits into `bytes` bytes.
    pub(crate) fn largest(bytes: usize) -> u32 {
        (bytes / size_of::<Slot>()).max(1).ilog2()
    }

    /// The binary logarithm of the number of slots.
    pub(crate) fn bits(&self) -> u32 {
        self.slots.len().ilog2()
    }

    /// Starts a new search. From then on, a new entry replaces every entry of an earlier search in the same
    /// slot, even an entry with a greater depth.
    pub(crate) fn renew(&self) {
        let generation = self.generation.load(Ordering::Relaxed);
        self.generation
            .store((generation + 1) % 64, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<Entry> {
        let slot = &self.slots[key as usize & self.mask];
        let word = slot.entry.load(Ordering::Relaxed);
        if slot.lock.load(Ordering::Relaxed) ^ word != key {
            return None;
        }
        Entry::unpack(word)
    }

    #[inline]
    pub(crate) fn put(&self, key: u64, value: i32, depth: u32, bound: Bound, best: Option<Move>) {
        let depth = depth.min(255) as u8;
        let generation = self.generation.load(Ordering::Relaxed);
        let slot = &self.slots[key as usize & self.mask];
        let word = slot.entry.load(Ordering::Relaxed);
        let keep = Entry::unpack(word).is_some_and(|old| {
            let is_other = slot.lock.load(Ordering::Relaxed) ^ word != key;
            old.generation == generation && old.depth > depth && is_other
        });
        if keep {
            return;
        }
        let word = Entry {
            value,
            best,
            depth,
            bound,
            generation,
        }
        .pack();
        slot.entry.store(word, Ordering::Relaxed);
        slot.lock.store(key ^ word, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_have_sixteen_bytes() {
        assert_eq!(size_of::<Slot>(), 16);
    }

    #[test]
    fn entries_survive_packing() {
        let table = TranspositionTable::new(4);
        for _ in 0..63 {
            table.renew();
        }
        for value in [i32::MIN, -1, 0, 1, i32::MAX] {
            for bound in [Bound::Exact, Bound::AtLeast, Bound::AtMost] {
                for best in [None, Some(Move::at(0)), Some(Move::at(255 * 255 - 1))] {
                    table.put(7, value, 300, bound, best);
                    let entry = table.get(7).unwrap();
                    assert_eq!(
                        (entry.value, entry.bound(), entry.best, entry.depth),
                        (value, bound, best, 255)
                    );
                }
            }
        }
        assert_eq!(table.get(7 + 16), None);
    }

    #[test]
    fn torn_entries_are_ignored() {
        let table = TranspositionTable::new(0);
        table.put(1, 10, 5, Bound::Exact, None);
        let torn = table.slots[0].entry.load(Ordering::Relaxed);
        table.renew();
        table.put(2, 20, 4, Bound::AtMost, None);
        table.slots[0].entry.store(torn, Ordering::Relaxed);
        assert_eq!((table.get(1), table.get(2)), (None, None));
    }

    #[test]
    fn concurrent_writes_never_mix_entries() {
        let table = TranspositionTable::new(2);
        let work = |seed: u64| {
            let mut random = crate::rng::Random::new(seed);
            let mut found = 0;
            for _ in 0..50_000 {
                let number = random.draw() % 32;
                // The keys must differ in many bits, as real keys do. Otherwise two halves, written by different
                // searches for one key, could match a similar key.
                let key = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
                // The value follows from the key, so that every thread writes the same value for a key.
                let value = 1_000 * number as i32;
                if let Some(entry) = table.get(key) {
                    assert_eq!((entry.value, u64::from(entry.depth)), (value, number));
                    assert_eq!(entry.best, Some(Move::at(number as usize)));
                    found += 1;
                }
                let best = Some(Move::at(number as usize));
                table.renew();
                table.put(key, value, number as u32, Bound::Exact, best);
            }
            found
        };
        let found: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (1..=4)
                .map(|seed| scope.spawn(move || work(seed)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum()
        });
        assert!(found > 0);
    }

    #[test]
    fn deeper_entries_stay_until_the_next_search() {
        let table = TranspositionTable::new(0);
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
