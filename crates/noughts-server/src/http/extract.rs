//! Extractors for bodies, path and query parameters, idempotency keys, tables, and tokens. All sizes are limited.

use std::future::poll_fn;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::{HeaderMap, header, request::Parts};
use futures_core::Stream;
use noughts_api::{FieldLocation, ProblemKind};
use noughts_rules::Seat;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tokio::time::timeout;
use utoipa::{IntoParams, ToSchema};

use super::AppState;
use super::error::{ApiError, api_error};
use super::explain::{check_query, explain_json, unreadable_query};
use crate::id::GameId;
use crate::table::{Key, RequestKey};
use crate::tables::LiveTable;

/// A whole body of at most `MAX` bytes.
pub(super) struct Body<const MAX: usize> {
    /// The Content-Type, in lower case and without parameters.
    pub(super) content_type: String,
    pub(super) bytes: Vec<u8>,
    /// The hashes of the request's path and body; `None` if the request has no `Idempotency-Key`.
    pub(super) hash: Option<RequestHash>,
}

/// Two hashes of the path and the body of a request. A repeated request has the same hashes in every process.
#[derive(Clone, Copy)]
pub(super) struct RequestHash {
    /// The first eight bytes of the SHA-256 hash of the path's length, the path and the body.
    current: u64,
    /// The hash that older versions of the server used. The server needs it if an older version stored the key of the
    /// first request, and the client repeats the request now.
    former: u64,
}

impl RequestHash {
    fn new(path: &str, body: &[u8]) -> RequestHash {
        let mut sha = Sha256::new();
        // The length makes clear where the path ends and the body begins.
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

const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Maximum time for a client to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of bytes that the server reads and discards from a body that is too large. The server reads them
/// because a client usually reads the response only after it has sent its whole body.
const MAX_DISCARDED: usize = 16 * 1024 * 1024;

impl<const MAX: usize, S: Send + Sync> FromRequest<S> for Body<MAX> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Body<MAX>, ApiError> {
        let headers = request.headers();
        let content_type = headers.get(header::CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or_default().split(';').next();
        let content_type = content_type.unwrap_or_default().trim().to_ascii_lowercase();
        if let Some(coding) = headers.get(header::CONTENT_ENCODING)
            && !coding.as_bytes().eq_ignore_ascii_case(b"identity")
        {
            return Err(api_error(
                ProblemKind::WrongContentType,
                "a body must not be compressed; send it without Content-Encoding",
            ));
        }
        let length = headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        let expects_continue = headers.contains_key(header::EXPECT);
        if length.is_some_and(|length| length > MAX && (expects_continue || length > MAX_DISCARDED))
        {
            return Err(too_large(MAX));
        }
        let has_key = headers.contains_key(IDEMPOTENCY_KEY);
        let path = has_key.then(|| request.uri().path().to_owned());
        let read = timeout(BODY_TIMEOUT, read::<MAX>(request.into_body())).await;
        let bytes = read.map_err(|_| {
            let detail = format!(
                "a body must be sent within {} seconds",
                BODY_TIMEOUT.as_secs()
            );
            api_error(ProblemKind::TooSlow, detail)
        })??;
        let hash = path.map(|path| RequestHash::new(&path, &bytes));
        Ok(Body {
            content_type,
            bytes,
            hash,
        })
    }
}

async fn read<const MAX: usize>(body: axum::body::Body) -> Result<Vec<u8>, ApiError> {
    let mut stream = body.into_data_stream();
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(piece) = poll_fn(|context| Pin::new(&mut stream).poll_next(context)).await {
        let unreadable = |_| {
            api_error(
                ProblemKind::IncompleteBody,
                "the body could not be read to its end; send the request again",
            )
        };
        let piece = piece.map_err(unreadable)?;
        length += piece.len();
        match length <= MAX {
            true => bytes.extend_from_slice(&piece),
            false => bytes = Vec::new(),
        }
        if length > MAX_DISCARDED {
            break;
        }
    }
    match length <= MAX {
        true => Ok(bytes),
        false => Err(too_large(MAX)),
    }
}

fn too_large(max: usize) -> ApiError {
    api_error(
        ProblemKind::TooLarge,
        format!("a body has at most {max} bytes here"),
    )
}

impl<const MAX: usize> Body<MAX> {
    /// Parses the body as JSON.
    pub(super) fn json<T: DeserializeOwned + ToSchema>(&self) -> Result<T, ApiError> {
        read_object(&self.bytes, "body")
    }
}

/// Parses a struct from a JSON object. serde alone would also accept an array of the field values. Error messages call
/// the JSON text `subject`, for example `body`.
pub(super) fn read_object<T: DeserializeOwned + ToSchema>(
    bytes: &[u8],
    subject: &str,
) -> Result<T, ApiError> {
    let is_list = bytes.trim_ascii_start().first() == Some(&b'[');
    match serde_json::from_slice(bytes) {
        Ok(value) if !is_list => Ok(value),
        _ => Err(explain_json::<T>(bytes, subject)),
    }
}

/// A parsed JSON body, and the hashes of its request.
pub(super) struct Json<T> {
    pub(super) value: T,
    pub(super) hash: Option<RequestHash>,
}

impl<T: DeserializeOwned + ToSchema, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Json<T>, ApiError> {
        let body = Body::<MAX_BYTES>::from_request(request, state).await?;
        if body.content_type != "application/json" {
            return Err(api_error(
                ProblemKind::WrongContentType,
                "the Content-Type of the body must be application/json",
            ));
        }
        let (value, hash) = (body.json()?, body.hash);
        Ok(Json { value, hash })
    }
}

/// Maximum size of a JSON body, in bytes. Records have a larger limit.
const MAX_BYTES: usize = 64 * 1024;

/// The `N` parameters in the path of a request.
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

/// The query parameters of a request, parsed as a `T`.
pub(super) struct QueryParams<T>(pub(super) T);

impl<T: DeserializeOwned + IntoParams, S: Send + Sync> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<QueryParams<T>, ApiError> {
        if parts.uri.query().is_some_and(|query| !query.is_empty()) {
            let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
            check_query::<T>(&pairs.map_err(|_| unreadable_query())?)?;
        }
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(value)) => Ok(QueryParams(value)),
            Err(_) => Err(unreadable_query()),
        }
    }
}

/// The `Idempotency-Key` of a request. `hash` has the hashes of this request. Returns `None` if the request has no such
/// header. Returns an error if the key does not have `min_length` to [`MAX_KEY_LENGTH`] visible ASCII characters.
pub(super) fn idempotency_key(
    headers: &HeaderMap,
    hash: Option<RequestHash>,
    min_length: usize,
) -> Result<Option<RequestKey>, ApiError> {
    let (Some(value), Some(hash)) = (headers.get(IDEMPOTENCY_KEY), hash) else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default();
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_visible || !(min_length..=MAX_KEY_LENGTH).contains(&text.len()) {
        let detail = format!(
            "an Idempotency-Key is {min_length} to {MAX_KEY_LENGTH} visible ASCII characters"
        );
        let invalid = api_error(ProblemKind::InvalidKey, detail);
        return Err(invalid.at(FieldLocation::Header, "/Idempotency-Key"));
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

/// Minimum length of the key of a request that returns a seat token. Any client that repeats the request with
/// the same key gets the same token, so nobody must be able to guess the key.
pub(super) const MIN_SECRET_KEY_LENGTH: usize = 16;

/// The table whose id is in the path.
pub(super) struct TableInPath(pub(super) Arc<LiveTable>);

impl FromRequestParts<Arc<AppState>> for TableInPath {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &Arc<AppState>,
    ) -> Result<TableInPath, ApiError> {
        let game = game_in_path(parts.uri.path())?;
        Ok(TableInPath(super::games::table(app, game).await?))
    }
}

/// The table whose id is in the path, and the seat for which the request's token is valid.
pub(super) struct AuthorizedSeat(pub(super) Arc<LiveTable>, pub(super) Seat);

impl FromRequestParts<Arc<AppState>> for AuthorizedSeat {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &Arc<AppState>,
    ) -> Result<AuthorizedSeat, ApiError> {
        // If the game is unknown and the token is invalid, the client gets the error for the unknown game.
        let TableInPath(live) = TableInPath::from_request_parts(parts, app).await?;
        let token = bearer(&parts.headers)?.ok_or_else(no_token)?;
        let seat = app.seat_of_token(&live, token).await?;
        app.presence.request(&live, seat);
        Ok(AuthorizedSeat(live, seat))
    }
}

/// The token in the header `Authorization`; `None` if the header is missing or has no token. Returns an error if the
/// header is sent twice or has another scheme than `Bearer`.
pub(super) fn bearer(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let value = value.to_str().unwrap_or_default().trim();
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") || values.next().is_some() {
        let detail = "the header must be one Authorization: Bearer TOKEN";
        let wrong = api_error(ProblemKind::WrongToken, detail);
        return Err(wrong.at(FieldLocation::Header, "/Authorization"));
    }
    Ok(Some(token.trim()).filter(|token| !token.is_empty()))
}

pub(super) fn no_token() -> ApiError {
    api_error(
        ProblemKind::NoToken,
        "send a token as Authorization: Bearer TOKEN",
    )
}

/// The game's id in a path such as `/api/games/{id}/…`.
fn game_in_path(path: &str) -> Result<GameId, ApiError> {
    read_id(path.split('/').nth(3).unwrap_or_default())
}

/// Parses a game's id. Text that is not an id gets the same error as an unknown game.
pub(super) fn read_id(text: &str) -> Result<GameId, ApiError> {
    text.parse().map_err(|_| no_such_game())
}

pub(super) fn no_such_game() -> ApiError {
    api_error(
        ProblemKind::NoSuchGame,
        "no game has this id; ids come from POST /api/games",
    )
}
