//! A table of proof numbers in bounded memory. Threads share it without locks.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use super::dfpn::{NEVER, Numbers};

/// Number of entries in a bucket. Four entries of two words fill a cache line.
const ENTRIES: usize = 4;

/// Size of an entry in a checkpoint, in bytes.
const ENTRY: usize = 16;

/// The table grows when more than this many thousandths of its entries are used.
pub(crate) const CROWDED: u64 = 600;

/// A table of proof numbers. An entry is two words: the key xor the numbers, and the numbers. Two threads
/// that write at the same time may each leave one word in the entry. Then the words do not match, and no
/// lookup finds the entry.
pub(crate) struct ProofNumberTable {
    buckets: Vec<Bucket>,
}

#[repr(align(64))]
#[derive(Default)]
struct Bucket([[AtomicU64; 2]; ENTRIES]);

impl ProofNumberTable {
    /// A table of at most `bytes` bytes, rounded down to a power of two, but at least one bucket.
    pub(crate) fn new(bytes: usize) -> ProofNumberTable {
        let max_buckets = (bytes / size_of::<Bucket>()).max(1);
        let count = 1 << max_buckets.ilog2();
        ProofNumberTable {
            buckets: (0..count).map(|_| Bucket::default()).collect(),
        }
    }

    /// A larger table with the same entries, of at most `max_bytes` bytes. `None` if `max_bytes` or the free
    /// memory does not allow a larger table.
    pub(crate) fn grown(&self, max_bytes: usize) -> Option<ProofNumberTable> {
        let room = (max_bytes / size_of::<Bucket>() / self.buckets.len()).min(8);
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

    /// Whether a table of twice the size takes at most `max_bytes` bytes.
    pub(crate) fn can_grow(&self, max_bytes: usize) -> bool {
        self.buckets.len() * size_of::<Bucket>() * 2 <= max_bytes
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

    /// Loads the buckets of all keys into the processor's cache together, so that the cache misses overlap.
    /// When the buckets were loaded one by one, loading took a quarter of the time of a search.
    #[inline]
    pub(crate) fn fetch(&self, keys: impl Iterator<Item = u64>) {
        let words = keys.map(|key| self.bucket(key).0[0][0].load(Ordering::Relaxed));
        std::hint::black_box(words.fold(0, |all, word| all | word));
    }

    /// Stores numbers in the entry of the same key or in a free entry. If the bucket has no such entry,
    /// replaces the entry whose numbers took the least work.
    pub(crate) fn put(&self, key: u64, numbers: Numbers) {
        let entries = &self.bucket(key).0;
        let mut chosen = (0, u64::MAX);
        for (index, [mixed, data]) in entries.iter().enumerate() {
            let data = data.load(Ordering::Relaxed);
            if data == 0 || mixed.load(Ordering::Relaxed) ^ data == key {
                chosen.0 = index;
                break;
            }
            let work = effort(unpack(data));
            if work < chosen.1 {
                chosen = (index, work);
            }
        }
        let data = pack(numbers);
        let [mixed, stored] = &entries[chosen.0];
        mixed.store(key ^ data, Ordering::Relaxed);
        stored.store(data, Ordering::Relaxed);
    }

    /// The used part of the table in thousandths, estimated from the first buckets.
    pub(crate) fn fill(&self) -> u64 {
        let seen = &self.buckets[..self.buckets.len().min(128)];
        let used = seen.iter().flat_map(|bucket| &bucket.0);
        let used = used.filter(|place| place[1].load(Ordering::Relaxed) != 0);
        used.count() as u64 * 1000 / (seen.len() * ENTRIES) as u64
    }

    /// Writes every entry, and an empty entry at the end. If the empty entry is missing, `load` reports a
    /// truncated file.
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

    /// Reads what [`save`](ProofNumberTable::save) wrote. The table grows up to `max_bytes` bytes. In a full
    /// bucket, a new entry replaces the entry whose numbers took the least work.
    pub(crate) fn load(&mut self, from: &mut dyn Read, max_bytes: usize) -> io::Result<()> {
        let mut entry = [0; ENTRY];
        for count in 1u64.. {
            if count.is_multiple_of(1 << 16)
                && self.fill() > CROWDED
                && let Some(larger) = self.grown(max_bytes)
            {
                *self = larger;
            }
            match from.read_exact(&mut entry) {
                Ok(()) if entry == [0; ENTRY] => break,
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    let what = "the checkpoint is truncated";
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

/// An estimate of the work that the numbers took. Decided positions have the highest value, so the table
/// keeps them longest.
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
