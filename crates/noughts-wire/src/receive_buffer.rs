//! Received bytes that were not processed yet.

/// Maximum number of bytes that a session buffers. This is more than the longest frame, so a session that processes
/// its input always has room for the next frame.
pub const MAX_BUFFERED_BYTES: usize = 4096;

/// An empty buffer keeps at most this number of bytes of heap memory. A frame usually fits into it, so that
/// most frames need no allocation.
const SMALL: usize = 64;

/// A bounded queue of bytes. After [`compact`](ReceiveBuffer::compact), an empty queue uses at most [`SMALL`] bytes of
/// heap memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReceiveBuffer {
    bytes: Vec<u8>,
    /// Number of leading bytes that were already consumed.
    consumed: u16,
}

impl ReceiveBuffer {
    /// Appends `bytes` until the buffer is full, and returns the number of appended bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> usize {
        self.compact();
        let accepted = bytes.len().min(self.room());
        self.bytes.extend(&bytes[..accepted]);
        accepted
    }

    pub(crate) fn room(&self) -> usize {
        MAX_BUFFERED_BYTES - self.unread().len()
    }

    pub(crate) fn unread(&self) -> &[u8] {
        &self.bytes[usize::from(self.consumed)..]
    }

    pub(crate) fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.unread().len());
        self.consumed += count as u16;
    }

    /// Removes the consumed bytes, and frees memory that is no longer needed.
    pub(crate) fn compact(&mut self) {
        if self.consumed > 0 {
            self.bytes.drain(..usize::from(self.consumed));
            self.bytes.shrink_to(SMALL);
            self.consumed = 0;
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = ReceiveBuffer::default();
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
    fn bytes_keep_their_order_and_stay_within_the_bound() {
        let mut buffer = ReceiveBuffer::default();
        assert_eq!(buffer.push(b"abcdef"), 6);
        buffer.consume(2);
        assert_eq!(buffer.unread(), b"cdef");
        assert_eq!(buffer.room(), MAX_BUFFERED_BYTES - 4);
        assert_eq!(
            buffer.push(&[7; 2 * MAX_BUFFERED_BYTES]),
            MAX_BUFFERED_BYTES - 4
        );
        assert_eq!((buffer.room(), buffer.push(b"x")), (0, 0));
        assert!(buffer.unread().starts_with(b"cdef\x07"));
        buffer.consume(MAX_BUFFERED_BYTES);
        buffer.compact();
        assert!((1..=SMALL).contains(&buffer.capacity()));
        assert_eq!(buffer.room(), MAX_BUFFERED_BYTES);
    }
}
