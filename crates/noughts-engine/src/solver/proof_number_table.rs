//! What was found, in fixed memory: a table that several threads share without locks.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use super::dfpn::{NEVER, Numbers};

/// Entries that may take one another's place; with their two words they fill a cache line.
const PLACES: usize = 4;

/// The bytes of an entry that is written down.
const ENTRY: usize = 16;

/// How much of a table may be used before a larger one is taken, of a thousand.
pub(crate) const CROWDED: u64 = 600;

/// A table of proof numbers by key. An entry is two words, the second of them mixed into the first: what
/// two threads wrote half each is recognised, and is nothing.
pub(crate) struct ProofNumberTable {
    buckets: Vec<Bucket>,
}

#[repr(align(64))]
#[derive(Default)]
struct Bucket([[AtomicU64; 2]; PLACES]);

impl ProofNumberTable {
    /// A table of at most so many bytes, of a size that is a power of two.
    pub(crate) fn new(bytes: usize) -> ProofNumberTable {
        let most = (bytes / size_of::<Bucket>()).max(1);
        let count = 1 << most.ilog2();
        ProofNumberTable {
            buckets: (0..count).map(|_| Bucket::default()).collect(),
        }
    }

    /// A larger one with all that this one knows; `None` when it would be larger than so many bytes, or there
    /// is no room for it.
    pub(crate) fn grown(&self, most: usize) -> Option<ProofNumberTable> {
        let room = (most / size_of::<Bucket>() / self.buckets.len()).min(8);
        if room < 2 {
            return None;
        }
        let count = 1 << (self.buckets.len() * room).ilog2();
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).ok()?;
        buckets.extend((0..count).map(|_| Bucket::default()));
        let larger = ProofNumberTable { buckets };
        for [mixed, data] in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            let data = data.load(Ordering::Relaxed);
            if data != 0 {
                larger.put(mixed.load(Ordering::Relaxed) ^ data, unpack(data));
            }
        }
        Some(larger)
    }

    /// Whether it could grow within so many bytes.
    pub(crate) fn can_grow(&self, most: usize) -> bool {
        self.buckets.len() * size_of::<Bucket>() * 2 <= most
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[key as usize & (self.buckets.len() - 1)]
    }

    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<Numbers> {
        for [mixed, data] in &self.bucket(key).0 {
            let data = data.load(Ordering::Relaxed);
            if mixed.load(Ordering::Relaxed) ^ data == key && data != 0 {
                return Some(unpack(data));
            }
        }
        None
    }

    /// Lets the processor fetch what [`get`](ProofNumberTable::get) will want, for all keys at once: one after the
    /// other took a quarter of the time.
    #[inline]
    pub(crate) fn fetch(&self, keys: impl Iterator<Item = u64>) {
        let words = keys.map(|key| self.bucket(key).0[0][0].load(Ordering::Relaxed));
        std::hint::black_box(words.fold(0, |all, word| all | word));
    }

    /// Keeps it, in the place of what was known before, of nothing, or of what is soonest found again.
    pub(crate) fn put(&self, key: u64, numbers: Numbers) {
        let places = &self.bucket(key).0;
        let mut chosen = (0, u64::MAX);
        for (place, [mixed, data]) in places.iter().enumerate() {
            let data = data.load(Ordering::Relaxed);
            if data == 0 || mixed.load(Ordering::Relaxed) ^ data == key {
                chosen.0 = place;
                break;
            }
            let worth = effort(unpack(data));
            if worth < chosen.1 {
                chosen = (place, worth);
            }
        }
        let data = pack(numbers);
        let [mixed, place] = &places[chosen.0];
        mixed.store(key ^ data, Ordering::Relaxed);
        place.store(data, Ordering::Relaxed);
    }

    /// How much of it is used, of a thousand: judged by its beginning.
    pub(crate) fn fill(&self) -> u64 {
        let seen = &self.buckets[..self.buckets.len().min(128)];
        let used = seen.iter().flat_map(|bucket| &bucket.0);
        let used = used.filter(|place| place[1].load(Ordering::Relaxed) != 0);
        used.count() as u64 * 1000 / (seen.len() * PLACES) as u64
    }

    /// Writes every entry, and then one of nothing: what ends without it was cut off.
    pub(crate) fn save(&self, into: &mut dyn Write) -> io::Result<()> {
        for [mixed, data] in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            let data = data.load(Ordering::Relaxed);
            if data != 0 {
                let key = mixed.load(Ordering::Relaxed) ^ data;
                into.write_all(&key.to_le_bytes())?;
                into.write_all(&data.to_le_bytes())?;
            }
        }
        into.write_all(&[0; ENTRY])
    }

    /// Reads what [`save`](ProofNumberTable::save) wrote, to its end, and grows to so many bytes if it must; what does
    /// not fit is forgotten.
    pub(crate) fn load(&mut self, from: &mut dyn Read, most: usize) -> io::Result<()> {
        let mut entry = [0; ENTRY];
        for count in 1u64.. {
            if count.is_multiple_of(1 << 16)
                && self.fill() > CROWDED
                && let Some(larger) = self.grown(most)
            {
                *self = larger;
            }
            match from.read_exact(&mut entry) {
                Ok(()) if entry == [0; ENTRY] => break,
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    let what = "it is cut off, its end is missing";
                    return Err(io::Error::new(error.kind(), what));
                }
                Err(error) => return Err(error),
            }
            let (key, data) = entry.split_at(8);
            let word = |half: &[u8]| half.iter().rev().fold(0, |sum, b| sum << 8 | u64::from(*b));
            self.put(word(key), unpack(word(data)));
        }
        Ok(())
    }
}

/// How dear a result is: what is decided is kept longest.
fn effort(numbers: Numbers) -> u64 {
    if numbers.is_decided() {
        return u64::from(NEVER);
    }
    u64::from(numbers.proof.min(100) + numbers.refutation.min(100))
}

fn pack(numbers: Numbers) -> u64 {
    u64::from(numbers.proof) << 32 | u64::from(numbers.refutation)
}

fn unpack(data: u64) -> Numbers {
    Numbers {
        proof: (data >> 32) as u32,
        refutation: data as u32,
    }
}
