//! Encoding a decoded frame gives the same bytes, and more input never changes a decision.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noughts_wire::{Decoded, Dialect, FrameError, FromClient, FromServer};

fuzz_target!(|bytes: &[u8]| {
    check(bytes, FromClient::decode, FromClient::encode);
    for dialect in [Dialect::Seed, Dialect::Later] {
        check(
            bytes,
            |bytes| FromServer::decode(bytes, dialect),
            FromServer::encode,
        );
    }
});

fn check<M: PartialEq + std::fmt::Debug>(
    bytes: &[u8],
    decode: impl Fn(&[u8]) -> Decoded<M>,
    encode: impl Fn(&M, &mut Vec<u8>),
) {
    let mut rest = bytes;
    while let Some((message, length)) = decided(rest, &decode).unwrap_or(None) {
        let mut written = Vec::new();
        encode(&message, &mut written);
        assert_eq!(written, rest[..length]);
        rest = &rest[length..];
    }
}

/// The result for these bytes. Asserts that the first half of the bytes gives the same result or no result.
fn decided<M: PartialEq + std::fmt::Debug>(
    bytes: &[u8],
    decode: &impl Fn(&[u8]) -> Decoded<M>,
) -> Result<Option<(M, usize)>, FrameError> {
    let whole = decode(bytes);
    let half = decode(&bytes[..bytes.len() / 2]);
    assert!(
        half == Ok(None) || half == whole,
        "{half:?} became {whole:?}"
    );
    whole
}
