//! What comes with a request: its body, its key and its token, each read with a bound.

use std::future::poll_fn;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::{HeaderMap, header, request::Parts};
use futures_core::Stream;
use noughts_api::ProblemKind;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use super::AppState;
use super::error::{ApiError, api_error};
use super::seat_token::GameSeat;
use crate::id::GameId;
use crate::table::{Key, RequestKey};

/// A body, read to its end and with a bound.
pub(super) struct Body<const MOST: usize> {
    /// What it says it is, in lower case and without parameters.
    pub(super) medium: String,
    pub(super) bytes: Vec<u8>,
    /// Identifies the request by its path and body.
    pub(super) hash: RequestHash,
}

/// Hashes of a request: the same for the same request, in any process and release.
#[derive(Clone, Copy)]
pub(super) struct RequestHash {
    /// The first bytes of SHA-256.
    current: u64,
    /// As versions before the log computed it, for the keys that they stored.
    former: u64,
}

impl RequestHash {
    fn new(path: &str, body: &[u8]) -> RequestHash {
        let mut sha = Sha256::new();
        // With its length, so that no two requests are the same bytes.
        sha.update((path.len() as u64).to_be_bytes());
        sha.update(path.as_bytes());
        sha.update(body);
        let hash = sha.finalize();
        let first = hash.first_chunk::<8>().expect("SHA-256 has 32 bytes");
        let mut sip = DefaultHasher::new();
        (path, body).hash(&mut sip);
        RequestHash {
            current: u64::from_be_bytes(*first),
            former: sip.finish(),
        }
    }
}

/// How long a body may take.
const SLOWEST: Duration = Duration::from_secs(10);

/// Of a body that is too large so much is read and thrown away: who is still sending would not hear
/// the refusal.
const MOST_DISCARDED: usize = 16 * 1024 * 1024;

impl<const MOST: usize, S: Send + Sync> FromRequest<S> for Body<MOST> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Body<MOST>, ApiError> {
        let headers = request.headers();
        let medium = headers.get(header::CONTENT_TYPE);
        let medium = medium.and_then(|value| value.to_str().ok());
        let medium = medium.unwrap_or_default().split(';').next();
        let medium = medium.unwrap_or_default().trim().to_ascii_lowercase();
        let length = headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        let waits = headers.contains_key(header::EXPECT);
        if length.is_some_and(|length| length > MOST && (waits || length > MOST_DISCARDED)) {
            return Err(too_large(MOST));
        }
        let path = request.uri().path().to_owned();
        let read = timeout(SLOWEST, read::<MOST>(request.into_body())).await;
        let bytes = read.map_err(|_| {
            let detail = format!("a body must be sent within {} seconds", SLOWEST.as_secs());
            api_error(ProblemKind::TooSlow, detail)
        })??;
        let hash = RequestHash::new(&path, &bytes);
        Ok(Body {
            medium,
            bytes,
            hash,
        })
    }
}

async fn read<const MOST: usize>(body: axum::body::Body) -> Result<Vec<u8>, ApiError> {
    let mut stream = body.into_data_stream();
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(piece) = poll_fn(|context| Pin::new(&mut stream).poll_next(context)).await {
        let unreadable = |_| {
            api_error(
                ProblemKind::Unreadable,
                "the body could not be read to its end",
            )
        };
        let piece = piece.map_err(unreadable)?;
        length += piece.len();
        match length <= MOST {
            true => bytes.extend_from_slice(&piece),
            false => bytes = Vec::new(),
        }
        if length > MOST_DISCARDED {
            break;
        }
    }
    match length <= MOST {
        true => Ok(bytes),
        false => Err(too_large(MOST)),
    }
}

fn too_large(most: usize) -> ApiError {
    api_error(
        ProblemKind::TooLarge,
        format!("a body has at most {most} bytes here"),
    )
}

impl<const MOST: usize> Body<MOST> {
    /// What it says as JSON.
    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        read_object(&self.bytes).map_err(|error| {
            let detail = format!("the body is not the JSON that is wanted here: {error}");
            api_error(ProblemKind::Unreadable, detail)
        })
    }
}

/// Reads a shape from an object. By itself it could be read from a list of its values too.
pub(super) fn read_object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    match bytes.trim_ascii_start().first() {
        Some(b'[') => Err(serde::de::Error::custom("it is a list, not an object")),
        _ => serde_json::from_slice(bytes),
    }
}

/// A body of JSON, and its hash.
pub(super) struct Json<T> {
    pub(super) value: T,
    pub(super) hash: RequestHash,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Json<T>, ApiError> {
        let body = Body::<MAX_BYTES>::from_request(request, state).await?;
        if body.medium != "application/json" {
            return Err(api_error(
                ProblemKind::WrongMedium,
                "the Content-Type of the body must be application/json",
            ));
        }
        let (value, hash) = (body.json()?, body.hash);
        Ok(Json { value, hash })
    }
}

/// The most that a body may have.
const MAX_BYTES: usize = 64 * 1024;

/// The variable parts of the path.
pub(super) struct PathParams<const N: usize>(pub(super) [String; N]);

impl<const N: usize, S: Send + Sync> FromRequestParts<S> for PathParams<N> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PathParams<N>, ApiError> {
        let nothing = || api_error(ProblemKind::NoSuchPage, "there is nothing at this address");
        let path = RawPathParams::from_request_parts(parts, state).await;
        let path = path.map_err(|_| nothing())?;
        let values: Vec<String> = path.iter().map(|(_, value)| value.to_owned()).collect();
        values.try_into().map(PathParams).map_err(|_| nothing())
    }
}

/// What stands behind the `?`.
pub(super) struct QueryParams<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<QueryParams<T>, ApiError> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(value)) => Ok(QueryParams(value)),
            Err(error) => Err(api_error(ProblemKind::Unreadable, error.body_text())),
        }
    }
}

/// The `Idempotency-Key` of a request, if it has one.
pub(super) fn key(
    headers: &HeaderMap,
    hash: RequestHash,
    least: usize,
) -> Result<Option<RequestKey>, ApiError> {
    let Some(value) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default();
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_visible || !(least..=MAX_KEY_LENGTH).contains(&text.len()) {
        return Err(api_error(
            ProblemKind::Unreadable,
            format!("an Idempotency-Key is {least} to {MAX_KEY_LENGTH} visible ASCII characters"),
        ));
    }
    let key = Key {
        text: text.to_owned(),
        request: hash.current,
    };
    Ok(Some(RequestKey {
        key,
        former_hash: hash.former,
    }))
}

const MAX_KEY_LENGTH: usize = 128;

/// A key that gives back a token must be one that nobody guesses.
pub(super) const MIN_SECRET_KEY_LENGTH: usize = 16;

/// The game in the path, and the seat that the token is for.
pub(super) struct AuthorizedSeat(pub(super) GameSeat);

impl FromRequestParts<Arc<AppState>> for AuthorizedSeat {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &Arc<AppState>,
    ) -> Result<AuthorizedSeat, ApiError> {
        let game = game_in(parts.uri.path())?;
        // First whether there is such a game, then whose token it is.
        super::games::table(app, game).await?;
        let token = bearer(&parts.headers).unwrap_or_default();
        app.pass(game, token).map(AuthorizedSeat)
    }
}

impl AppState {
    /// The seat of this game that a token is for.
    pub(super) fn pass(&self, game: GameId, token: &str) -> Result<GameSeat, ApiError> {
        let pass = self.tokens.read(token).ok_or_else(|| {
            api_error(
                ProblemKind::NoToken,
                "send the token of a seat as Authorization: Bearer TOKEN",
            )
        })?;
        match pass.game == game {
            true => Ok(pass),
            false => Err(api_error(
                ProblemKind::WrongGame,
                "this token is for a seat at another table; each table gives its own",
            )),
        }
    }
}

pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then_some(token.trim())
}

/// `/api/games/{id}/…`
fn game_in(path: &str) -> Result<GameId, ApiError> {
    read_id(path.split('/').nth(3).unwrap_or_default())
}

/// A game's id; what can't be one is no game's.
pub(super) fn read_id(text: &str) -> Result<GameId, ApiError> {
    text.parse().map_err(|_| no_such_game())
}

pub(super) fn no_such_game() -> ApiError {
    api_error(
        ProblemKind::NoSuchGame,
        "no game has this id; ids come from POST /api/games",
    )
}
