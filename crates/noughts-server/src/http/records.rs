//! Games as records: taken from a table, and put into the archive.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use noughts_api::{Archived, GameRecord, Kind, Problem};
use noughts_rules::{Player, Record, RecordSeat};

use super::Web;
use super::body::{Body, InPath, UNGUESSED, key};
use super::refusal::{Refuse, refuse};
use super::tables::look_at;
use super::wishes::{read_name, read_strategy};
use crate::archive::{record_of, stored_from};
use crate::store::Created;

/// The record of a game, as text or, where `Accept` asks for it, as JSON.
#[utoipa::path(
    get, path = "/api/games/{id}/record", tag = "records",
    params(("id" = String, Path, description = "the game")),
    responses(
        (status = 200, content((String = "text/plain"), (GameRecord = "application/json"))),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn record(
    State(web): State<Arc<Web>>,
    InPath([id]): InPath<1>,
    headers: HeaderMap,
) -> Result<Response, Refuse> {
    let sight = look_at(&web, super::body::read_id(&id)?).await?;
    let record = record_of(sight.table()).map_err(|error| refuse(Kind::Unavailable, error))?;
    if prefers_json(&headers) {
        return Ok(axum::Json(GameRecord::new(&record)).into_response());
    }
    let medium = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((medium, record.to_string()).into_response())
}

/// Whether JSON is asked for before any text.
fn prefers_json(headers: &HeaderMap) -> bool {
    let wants = headers.get(header::ACCEPT);
    let wants = wants.and_then(|value| value.to_str().ok());
    let media = wants.unwrap_or_default().split(',');
    let mut known = media.filter_map(|medium| match medium.split(';').next()?.trim() {
        "application/json" => Some(true),
        "text/plain" | "text/*" => Some(false),
        _ => None,
    });
    known.next().unwrap_or(false)
}

/// Puts a finished game into the archive, from its record as JSON or as text. A request with an
/// `Idempotency-Key` may be repeated.
#[utoipa::path(
    post, path = "/api/records", tag = "records",
    params(("Idempotency-Key" = Option<String>, Header, description = "16 to 128 visible characters")),
    request_body(content((GameRecord = "application/json"), (String = "text/plain"))),
    responses(
        (status = 201, body = Archived, headers(("Location" = String))),
        (status = 200, body = Archived, description = "a repeat"),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn archive(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    body: Body<RECORD_BYTES>,
) -> Result<Response, Refuse> {
    let key = key(&headers, body.hash, UNGUESSED)?;
    let record = match body.medium.as_str() {
        "application/json" => {
            let record = body.json::<GameRecord>()?.read();
            record.map_err(|error| refuse(Kind::Unreadable, error))?
        }
        "text/plain" => {
            let text = std::str::from_utf8(&body.bytes)
                .map_err(|_| refuse(Kind::Unreadable, "a record is UTF-8"))?;
            Record::read(text).map_err(|error| refuse(Kind::Unreadable, error))?
        }
        _ => {
            return Err(refuse(
                Kind::WrongMedium,
                "the Content-Type of a record is application/json or text/plain",
            ));
        }
    };
    let now_ms = web.house.now_ms();
    record.seats().iter().try_for_each(check_seat)?;
    let stored = stored_from(&record, web.house.new_id(), now_ms);
    let (mut stored, ending) = stored.map_err(|error| refuse(Kind::Impossible, error))?;
    stored.key.clone_from(&key);
    let new_id = stored.setting.id;
    let (id, status) = match web.house.store().archive(stored, ending).await? {
        Created::Stored => (new_id, StatusCode::CREATED),
        Created::Before(id) => {
            let before = web.house.store().load(id).await?;
            if before.and_then(|before| before.key) != key {
                return Err(crate::room::Denied::KeyReused.into());
            }
            (id, StatusCode::OK)
        }
    };
    let view = look_at(&web, id).await?.view();
    let id = id.to_string();
    let place = [(header::LOCATION, format!("/api/games/{id}"))];
    Ok((status, place, axum::Json(Archived { id, view })).into_response())
}

/// The largest record that is taken: a game on a large board.
const RECORD_BYTES: usize = 1024 * 1024;

/// What comes from outside may name nobody, and no robot, that a table would not let in.
fn check_seat(seat: &RecordSeat) -> Result<(), Refuse> {
    match &seat.player {
        Player::Human(name) => read_name(name).map(drop),
        Player::Robot(strategy) => read_strategy(strategy).map(drop),
    }
}
