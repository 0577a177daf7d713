//! Finds the seat that a token acts for. Seat tokens are derived from the store's secret and never stored.
//! The token of a registered player acts for the player's seats.

use axum::http::HeaderMap;
use hmac::{Hmac, Mac};
use noughts_api::ProblemKind;
use noughts_rules::Seat;
use sha2::Sha256;

use super::AppState;
use super::error::{ApiError, api_error};
use super::extract::bearer;
use crate::id::{GameId, PlayerId};
use crate::players::is_player_token;
use crate::store::StoredPlayer;
use crate::table::{Holder, Key, Table};
use crate::tables::LiveTable;

/// Issues and verifies seat tokens. A token contains a game, a seat, a value that depends on the request's idempotency
/// key, and a message authentication code. A repeated request with the same key gets the same token.
#[derive(Clone)]
pub(crate) struct SeatTokens {
    /// The state of the HMAC, initialized with the secret.
    keyed: Hmac<Sha256>,
}

/// A seat of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GameSeat {
    pub(crate) game: GameId,
    pub(crate) seat: Seat,
}

/// The number of parts of a token: game, seat, request, and authentication code.
const PARTS: usize = 4;

impl SeatTokens {
    pub(crate) fn new(secret: [u8; 32]) -> SeatTokens {
        let keyed = Hmac::new_from_slice(&secret).expect("a key of any length does");
        SeatTokens { keyed }
    }

    /// The token for a seat. `key` is the idempotency key of the request that took the seat, if the request had a key.
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

    /// The seat that a token is valid for; `None` if the token was not issued with this secret.
    pub(crate) fn verify(&self, token: &str) -> Option<GameSeat> {
        let parts: Vec<&str> = token.splitn(PARTS + 1, '.').collect();
        let [game, seat, request, code] = parts[..] else {
            return None;
        };
        let code: GameId = code.parse().ok()?;
        // The comparison takes constant time, so that response times reveal nothing about the code.
        let known = self.mac(&["seat", game, seat, request]);
        let verified = known.verify_truncated_left(&code.number().to_be_bytes());
        let at = GameSeat {
            game: game.parse().ok()?,
            seat: Seat(seat.parse().ok()?),
        };
        verified.is_ok().then_some(at)
    }

    /// The first 128 bits of the authentication code. The return type is `GameId`, because a `GameId` has 128 bits and
    /// a text form.
    fn sign(&self, parts: &[&str]) -> GameId {
        let bytes = self.mac(parts).finalize().into_bytes();
        let first = bytes.first_chunk::<16>().expect("SHA-256 has 32 bytes");
        GameId::new(u128::from_be_bytes(*first))
    }

    fn mac(&self, parts: &[&str]) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        for part in parts {
            // The length makes clear where each part ends.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac
    }
}

impl AppState {
    /// The seat at this table that a token acts for. Returns an error if the token acts for no seat here.
    pub(super) async fn seat_of_token(
        &self,
        live: &LiveTable,
        token: &str,
    ) -> Result<Seat, ApiError> {
        let no_seat = || {
            api_error(
                ProblemKind::WrongGame,
                "this player has no seat at this table; take an open one first",
            )
        };
        self.watched_seat(live, token).await?.ok_or_else(no_seat)
    }

    /// Like [`seat_of_token`](AppState::seat_of_token), but returns `None` for a registered player without a
    /// seat at this table. Then the player is a spectator.
    pub(super) async fn watched_seat(
        &self,
        live: &LiveTable,
        token: &str,
    ) -> Result<Option<Seat>, ApiError> {
        if is_player_token(token) {
            let player = self.player_of_token(token).await?;
            return Ok(live.read(|table| seat_of_player(table, player.id)));
        }
        let at = self.tokens.verify(token).ok_or_else(|| {
            api_error(
                ProblemKind::WrongToken,
                "this server did not issue this token; send a token exactly as it was given",
            )
        })?;
        match at.game == live.id() {
            true => Ok(Some(at.seat)),
            false => Err(api_error(
                ProblemKind::WrongGame,
                "this token is for a seat at another table; each table gives its own",
            )),
        }
    }

    /// The caller's seat at this table; `None` for a request without a token, and for a registered player without a
    /// seat here.
    pub(super) async fn seat_in_header(
        &self,
        live: &LiveTable,
        headers: &HeaderMap,
    ) -> Result<Option<Seat>, ApiError> {
        match bearer(headers)? {
            Some(token) => self.watched_seat(live, token).await,
            None => Ok(None),
        }
    }

    /// The registered player to whom a token belongs. Returns an error if no player has this token.
    pub(super) async fn player_of_token(&self, token: &str) -> Result<StoredPlayer, ApiError> {
        let found = self.players.of_token(token).await?;
        found.ok_or_else(|| {
            api_error(
                ProblemKind::WrongToken,
                "no player has this token; POST /api/players gives one",
            )
        })
    }

    /// The registered player who makes a request; `None` if the request has no token.
    pub(super) async fn caller(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<StoredPlayer>, ApiError> {
        match bearer(headers)? {
            Some(token) => self.player_of_token(token).await.map(Some),
            None => Ok(None),
        }
    }
}

/// The player's seat; `None` if the player has no seat at this table. If the player has several seats, the
/// result is the one that is to move, or the first one while another player is to move.
pub(super) fn seat_of_player(table: &Table, player: PlayerId) -> Option<Seat> {
    let is_its = |seat: &Seat| {
        let holder = table.holder(*seat);
        holder.and_then(Holder::player_id) == Some(player)
    };
    let to_move = table.game().to_move().filter(is_its);
    let mut seats = (0..table.holders().len()).map(|seat| Seat(seat as u8));
    to_move.or_else(|| seats.find(is_its))
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
