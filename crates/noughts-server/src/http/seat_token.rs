//! Seat tokens: derived from the store's secret, never stored.

use hmac::{Hmac, Mac};
use noughts_rules::Seat;
use sha2::Sha256;

use crate::id::GameId;
use crate::table::Key;

/// Issues and verifies seat tokens. A token names a game and a seat, with a message authentication code. The
/// repeat of a request, recognized by its key, gets the same token.
#[derive(Clone)]
pub(crate) struct SeatTokens {
    /// Has taken in the secret, and nothing else.
    keyed: Hmac<Sha256>,
}

/// The seat that a token is valid for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GameSeat {
    pub(crate) game: GameId,
    pub(crate) seat: Seat,
}

/// The parts of a token: game, seat, request, and authentication code.
const PARTS: usize = 4;

impl SeatTokens {
    pub(crate) fn new(secret: [u8; 32]) -> SeatTokens {
        let keyed = Hmac::new_from_slice(&secret).expect("a key of any length does");
        SeatTokens { keyed }
    }

    /// The token for a seat that was taken by a request with this key.
    pub(crate) fn issue(&self, at: GameSeat, key: Option<&Key>) -> String {
        let request = match key {
            Some(key) => self.sign(&["request", &key.text]),
            None => GameId::new(0),
        };
        let (game, seat) = (at.game.to_string(), at.seat.0.to_string());
        let request = request.to_string();
        let code = self.sign(&["seat", &game, &seat, &request]);
        format!("{game}.{seat}.{request}.{code}")
    }

    /// The seat that a token is valid for; `None` if this server did not issue it.
    pub(crate) fn verify(&self, token: &str) -> Option<GameSeat> {
        let parts: Vec<&str> = token.splitn(PARTS + 1, '.').collect();
        let [game, seat, request, code] = parts[..] else {
            return None;
        };
        let code: GameId = code.parse().ok()?;
        // In constant time, so that response times tell nothing about the code.
        let known = self.mac(&["seat", game, seat, request]);
        let verified = known.verify_truncated_left(&code.number().to_be_bytes());
        let at = GameSeat {
            game: game.parse().ok()?,
            seat: Seat(seat.parse().ok()?),
        };
        verified.is_ok().then_some(at)
    }

    /// The first 128 bits of the authentication code.
    fn sign(&self, parts: &[&str]) -> GameId {
        let bytes = self.mac(parts).finalize().into_bytes();
        let first = bytes.first_chunk::<16>().expect("SHA-256 has 32 bytes");
        GameId::new(u128::from_be_bytes(*first))
    }

    fn mac(&self, parts: &[&str]) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        for part in parts {
            // The length separates the parts.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Key {
        Key {
            text: text.to_owned(),
            request: 0,
        }
    }

    #[test]
    fn token_names_its_seat_and_is_reproducible() {
        let tokens = SeatTokens::new([7; 32]);
        let at = GameSeat {
            game: GameId::new(1 << 100),
            seat: Seat(1),
        };
        for key in [None, Some(key("a")), Some(key("b"))] {
            let token = tokens.issue(at, key.as_ref());
            assert_eq!(tokens.verify(&token), Some(at));
            assert_eq!(tokens.issue(at, key.as_ref()), token);
            assert_eq!(SeatTokens::new([8; 32]).verify(&token), None);
        }
        assert_ne!(
            tokens.issue(at, Some(&key("a"))),
            tokens.issue(at, Some(&key("b")))
        );
    }

    #[test]
    fn changed_token_is_invalid() {
        let tokens = SeatTokens::new([7; 32]);
        let at = GameSeat {
            game: GameId::new(12_345),
            seat: Seat(0),
        };
        let token = tokens.issue(at, None);
        for index in 0..token.len() {
            for letter in ["0", "1", "."] {
                let mut other = token.clone();
                other.replace_range(index..=index, letter);
                assert_eq!(tokens.verify(&other).is_some(), other == token, "{other}");
            }
        }
        for text in ["", "...", "a.b.c.d", &token[1..], &format!("{token}.")] {
            assert_eq!(tokens.verify(text), None, "{text}");
        }
    }
}
