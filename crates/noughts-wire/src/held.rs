//! Bytes that came and were not judged yet.

/// The most bytes that a session keeps. More than any frame, so that a session which judges what it is
/// given always has room.
pub const MOST_HELD: usize = 4096;

/// A bounded queue of bytes, which costs nothing while it is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    bytes: Vec<u8>,
    /// How many of them were judged; never more than there are.
    judged: u16,
}

impl Held {
    /// Keeps as many of the bytes as there is room for, and says how many.
    pub(crate) fn receive(&mut self, bytes: &[u8]) -> usize {
        self.settle();
        let taken = bytes.len().min(self.room());
        self.bytes.extend(&bytes[..taken]);
        taken
    }

    pub(crate) fn room(&self) -> usize {
        MOST_HELD - self.rest().len()
    }

    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[usize::from(self.judged)..]
    }

    /// The next so many bytes are judged.
    pub(crate) fn judge(&mut self, count: usize) {
        debug_assert!(count <= self.rest().len());
        self.judged += count as u16;
    }

    /// Gives back the memory of what was judged.
    pub(crate) fn settle(&mut self) {
        if self.judged > 0 {
            self.bytes = self.rest().to_vec();
            self.judged = 0;
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Held::default();
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in_and_never_too_many() {
        let mut held = Held::default();
        assert_eq!(held.receive(b"abcdef"), 6);
        held.judge(2);
        assert_eq!((held.rest(), held.room()), (&b"cdef"[..], MOST_HELD - 4));
        assert_eq!(held.receive(&[7; 2 * MOST_HELD]), MOST_HELD - 4);
        assert_eq!((held.room(), held.receive(b"x")), (0, 0));
        assert!(held.rest().starts_with(b"cdef\x07"));
        held.judge(MOST_HELD);
        held.settle();
        assert_eq!((held.capacity(), held.room()), (0, MOST_HELD));
    }
}
