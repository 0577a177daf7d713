//! The transposition table of the Connect Four solver.

/// Bounds of scores by position. The table grows with the search, because a small table stays in the processor's cache:
/// 500 positions with 15 to 27 marks took 1.2 s with 512 KB and 2.8 s with 64 MB.
pub(super) struct Bounds {
    /// A slot has the low 56 bits of the mixed key in its high bits, and a bound in its low 8 bits. The high bits of
    /// the mixed key are the index of the slot.
    slots: Vec<u64>,
    pub(super) bits: u32,
    pub(super) max_bits: u32,
    /// Number of stores since the table grew or the search started. The table grows only if one search stores many
    /// entries.
    pub(super) stores: u64,
}

const MIN_BITS: u32 = 16;

impl Bounds {
    pub(super) fn new(bytes: usize) -> Bounds {
        Bounds {
            slots: vec![0; 1 << MIN_BITS],
            bits: MIN_BITS,
            max_bits: (bytes / 8).max(1).ilog2().max(MIN_BITS),
            stores: 0,
        }
    }

    /// Mixes the bits of a key. A multiplication by an odd factor is reversible, so the index of the slot and
    /// the low 56 bits of the mixed key together identify the key.
    fn mixed(key: u64) -> u64 {
        key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    pub(super) fn get(&self, key: u64) -> u8 {
        let mixed = Bounds::mixed(key);
        let slot = self.slots[(mixed >> (64 - self.bits)) as usize];
        match slot >> 8 == mixed & (u64::MAX >> 8) {
            true => slot as u8,
            false => 0,
        }
    }

    pub(super) fn put(&mut self, key: u64, bound: u8) {
        let mixed = Bounds::mixed(key);
        self.slots[(mixed >> (64 - self.bits)) as usize] = mixed << 8 | u64::from(bound);
        self.stores += 1;
        if self.stores > 2 << self.bits && self.bits < self.max_bits {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let bits = (self.bits + 2).min(self.max_bits);
        let mut slots = vec![0; 1 << bits];
        for (index, slot) in (0..).zip(&self.slots) {
            if *slot as u8 != 0 {
                let mixed: u64 = index << (64 - self.bits) | slot >> 8;
                slots[(mixed >> (64 - bits)) as usize] = *slot;
            }
        }
        (self.slots, self.bits, self.stores) = (slots, bits, 0);
    }
}
