//! Seeded random numbers.

/// A random number generator: SplitMix64 (Steele, Lea and Flood, 2014). It is small, fast, and good enough to
/// choose moves.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator that yields the same numbers for the same seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 random bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// The number that [`draw`](Random::draw) would return after `index` earlier calls.
    pub(crate) fn nth(&self, index: u64) -> u64 {
        mix(self
            .0
            .wrapping_add(STEP.wrapping_mul(index.wrapping_add(1))))
    }

    /// A random number below `count`, which must not be 0. The bias is below 2^-32 for counts below 2^32.
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
    fn nth_equals_the_nth_draw() {
        let first = Random::new(7);
        let mut random = first.clone();
        for index in 0..100 {
            assert_eq!(random.draw(), first.nth(index));
        }
    }
}
