//! What comes with a request: its body, its key and its token, each read with a bound.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{HeaderMap, header, request::Parts};
use noughts_api::Kind;
use serde::de::DeserializeOwned;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::Web;
use super::refusal::{Refuse, refuse};
use super::tokens::Pass;
use crate::id::GameId;
use crate::store::Key;

/// A body of JSON, and its hash.
pub(super) struct Json<T> {
    pub(super) value: T,
    /// The same for the same request, in any process.
    pub(super) hash: u64,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Refuse;

    async fn from_request(request: Request, state: &S) -> Result<Json<T>, Refuse> {
        let medium = request.headers().get(header::CONTENT_TYPE);
        let medium = medium
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let is_json = medium.split(';').next().unwrap_or_default().trim();
        let path = request.uri().path().to_owned();
        if !is_json.eq_ignore_ascii_case("application/json") {
            return Err(refuse(
                Kind::WrongMedium,
                "the Content-Type of the body must be application/json",
            ));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|error| {
            match error.into_response_status() {
                413 => refuse(
                    Kind::TooLarge,
                    format!("a body has at most {MOST_BYTES} bytes"),
                ),
                _ => refuse(Kind::Unreadable, "the body could not be read to its end"),
            }
        })?;
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            refuse(
                Kind::Unreadable,
                format!("the body is not the JSON that is wanted here: {error}"),
            )
        })?;
        // Not seeded: it is compared with what another process stored.
        let mut hasher = DefaultHasher::new();
        (path, bytes.as_ref()).hash(&mut hasher);
        Ok(Json {
            value,
            hash: hasher.finish(),
        })
    }
}

/// The most that a body may have.
pub(super) const MOST_BYTES: usize = 64 * 1024;

/// The status of a rejection of axum's.
trait Status {
    fn into_response_status(self) -> u16;
}

impl<R: axum::response::IntoResponse> Status for R {
    fn into_response_status(self) -> u16 {
        self.into_response().status().as_u16()
    }
}

/// The `Idempotency-Key` of a request, if it has one.
pub(super) fn key(headers: &HeaderMap, hash: u64, least: usize) -> Result<Option<Key>, Refuse> {
    let Some(value) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default();
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_visible || !(least..=LONGEST_KEY).contains(&text.len()) {
        return Err(refuse(
            Kind::Unreadable,
            format!("an Idempotency-Key is {least} to {LONGEST_KEY} visible ASCII characters"),
        ));
    }
    Ok(Some(Key {
        text: text.to_owned(),
        body: hash,
    }))
}

const LONGEST_KEY: usize = 128;

/// A key that gives back a token must be one that nobody guesses.
pub(super) const UNGUESSED: usize = 16;

/// The game in the path, and the seat that the token is for.
pub(super) struct AtSeat(pub(super) Pass);

impl FromRequestParts<Arc<Web>> for AtSeat {
    type Rejection = Refuse;

    async fn from_request_parts(parts: &mut Parts, web: &Arc<Web>) -> Result<AtSeat, Refuse> {
        let game = game_in(parts.uri.path())?;
        // First whether there is such a game, then whose token it is.
        if web.house.room(game).await?.is_none() {
            return Err(no_such_game());
        }
        let pass = bearer(&parts.headers).and_then(|token| web.tokens.read(token));
        let pass = pass.ok_or_else(|| {
            refuse(
                Kind::NoToken,
                "send the token of a seat as Authorization: Bearer TOKEN",
            )
        })?;
        if pass.game != game {
            return Err(refuse(
                Kind::WrongGame,
                "this token is for a seat at another table; each table gives its own",
            ));
        }
        Ok(AtSeat(pass))
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then_some(token.trim())
}

/// `/api/games/{id}/…`
fn game_in(path: &str) -> Result<GameId, Refuse> {
    read_id(path.split('/').nth(3).unwrap_or_default())
}

/// A game's id; what can't be one is no game's.
pub(super) fn read_id(text: &str) -> Result<GameId, Refuse> {
    text.parse().map_err(|_| no_such_game())
}

pub(super) fn no_such_game() -> Refuse {
    refuse(
        Kind::NoSuchGame,
        "no game has this id; ids come from POST /api/games",
    )
}
