//! Randomness that comes in as a seed.

/// SplitMix64 (Steele, Lea and Flood, 2014): small, fast, and good enough to choose moves.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The same numbers for the same seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Any number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// The number that would be drawn after `index` others.
    pub(crate) fn nth(&self, index: u64) -> u64 {
        mix(self
            .0
            .wrapping_add(STEP.wrapping_mul(index.wrapping_add(1))))
    }

    /// A number below `count`, which is not 0: each as likely as any other, but for one in 2^32.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.draw()) * count as u128) >> 64) as usize
    }
}

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nth_is_what_is_drawn_after_so_many() {
        let first = Random::new(7);
        let mut random = first.clone();
        for index in 0..100 {
            assert_eq!(random.draw(), first.nth(index));
        }
    }
}
