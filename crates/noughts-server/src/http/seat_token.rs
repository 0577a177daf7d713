//! SeatTokens of seats: made from the store's secret, never kept.

use hmac::{Hmac, Mac};
use noughts_rules::Seat;
use sha2::Sha256;

use crate::id::GameId;
use crate::table::Key;

/// Makes and knows tokens. A token says for which seat of which game it is, and proves it; the same
/// request, by its key, is given the same token again.
#[derive(Clone)]
pub(crate) struct SeatTokens {
    secret: [u8; 32],
}

/// What a token is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GameSeat {
    pub(crate) game: GameId,
    pub(crate) seat: Seat,
}

/// The parts of a token: the game, the seat, what makes it another than that of another request,
/// and the proof.
const PARTS: usize = 4;

impl SeatTokens {
    pub(crate) fn new(secret: [u8; 32]) -> SeatTokens {
        SeatTokens { secret }
    }

    /// The token of a seat that a request with this key took.
    pub(crate) fn give(&self, pass: GameSeat, key: Option<&Key>) -> String {
        let request = match key {
            Some(key) => self.prove(&["request", &key.text]),
            None => GameId::new(0),
        };
        let (game, seat) = (pass.game.to_string(), pass.seat.0.to_string());
        let request = request.to_string();
        let proof = self.prove(&["seat", &game, &seat, &request]);
        format!("{game}.{seat}.{request}.{proof}")
    }

    /// What a token is for; `None` where nobody gave it.
    pub(crate) fn read(&self, token: &str) -> Option<GameSeat> {
        let parts: Vec<&str> = token.splitn(PARTS + 1, '.').collect();
        let [game, seat, request, proof] = parts[..] else {
            return None;
        };
        let proof: GameId = proof.parse().ok()?;
        // In constant time: whoever guesses learns nothing from how long a refusal takes.
        let known = self.mac(&["seat", game, seat, request]);
        let proven = known.verify_truncated_left(&proof.number().to_be_bytes());
        let pass = GameSeat {
            game: game.parse().ok()?,
            seat: Seat(seat.parse().ok()?),
        };
        proven.is_ok().then_some(pass)
    }

    /// 128 bits that nobody else can make.
    fn prove(&self, parts: &[&str]) -> GameId {
        let bytes = self.mac(parts).finalize().into_bytes();
        let first = bytes.first_chunk::<16>().expect("SHA-256 has 32 bytes");
        GameId::new(u128::from_be_bytes(*first))
    }

    fn mac(&self, parts: &[&str]) -> Hmac<Sha256> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.secret).expect("a key of any length does");
        for part in parts {
            // With its length, so that no two lists of parts are the same bytes.
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
    fn a_token_is_for_its_seat_and_can_be_made_again() {
        let tokens = SeatTokens::new([7; 32]);
        let pass = GameSeat {
            game: GameId::new(1 << 100),
            seat: Seat(1),
        };
        for key in [None, Some(key("a")), Some(key("b"))] {
            let token = tokens.give(pass, key.as_ref());
            assert_eq!(tokens.read(&token), Some(pass));
            assert_eq!(tokens.give(pass, key.as_ref()), token);
            assert_eq!(SeatTokens::new([8; 32]).read(&token), None);
        }
        assert_ne!(
            tokens.give(pass, Some(&key("a"))),
            tokens.give(pass, Some(&key("b")))
        );
    }

    #[test]
    fn a_token_changed_anywhere_is_none() {
        let tokens = SeatTokens::new([7; 32]);
        let pass = GameSeat {
            game: GameId::new(12_345),
            seat: Seat(0),
        };
        let token = tokens.give(pass, None);
        for at in 0..token.len() {
            for letter in ["0", "1", "."] {
                let mut other = token.clone();
                other.replace_range(at..=at, letter);
                assert_eq!(tokens.read(&other).is_some(), other == token, "{other}");
            }
        }
        for text in ["", "...", "a.b.c.d", &token[1..], &format!("{token}.")] {
            assert_eq!(tokens.read(text), None, "{text}");
        }
    }
}
