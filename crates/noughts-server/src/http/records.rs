//! Exports the record of a game, and imports a finished game from its record.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use noughts_api::{GameRecord, ImportedGame, ProblemKind};
use noughts_rules::{Player, Record, RecordSeat};

use super::AppState;
use super::create_table::read_name;
use super::error::{ApiError, api_error};
use super::extract::{Body, MIN_SECRET_KEY_LENGTH, PathParams, idempotency_key};
use super::games::{creation_key, snapshot, table};
use super::openapi::{ImportErrors, RecordErrors};
use super::rate_limit::Client;
use super::strategies::read_strategy;
use super::stream::view_of;
use crate::records::{game_from_record, game_to_record, stored_size};
use crate::store::{Created, StoredGame};
use crate::table::{RequestKey, Summary, TableRefusal};

/// Reads the record of a game.
///
/// The answer is text, or JSON if `Accept` names JSON first.
#[utoipa::path(
    get, path = "/api/games/{id}/record", tag = "records", operation_id = "getRecord",
    params(("id" = String, Path, description = "the game")),
    responses(
        (status = 200, description = "The record", content((GameRecord = "application/json"), (String = "text/plain"))),
        RecordErrors,
    )
)]
pub(super) async fn record(
    State(app): State<Arc<AppState>>,
    PathParams([id]): PathParams<1>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let live = table(&app, super::extract::read_id(&id)?).await?;
    let names = live.names();
    let record = live.read(|table| game_to_record(table, &names));
    let record = record.map_err(|error| api_error(ProblemKind::DamagedGame, error))?;
    if prefers_json(&headers) {
        return Ok(axum::Json(GameRecord::new(&record)).into_response());
    }
    let medium = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((medium, record.to_string()).into_response())
}

/// Whether `Accept` names JSON, and names it before plain text.
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

/// Imports a finished game from its record.
///
/// The body is JSON or text. A request with an `Idempotency-Key` is safe to repeat. The number of bytes per address
/// and day is limited.
#[utoipa::path(
    post, path = "/api/records", tag = "records", operation_id = "importRecord",
    params(("Idempotency-Key" = Option<String>, Header, description = "16 to 128 visible characters")),
    request_body(content((GameRecord = "application/json"), (String = "text/plain"))),
    responses(
        (status = 201, body = ImportedGame, description = "The imported game", headers(("Location" = String))),
        (status = 200, body = ImportedGame, description = "The same game again, for a repeated request", headers(("Location" = String))),
        ImportErrors,
    )
)]
pub(super) async fn archive(
    State(app): State<Arc<AppState>>,
    client: Client,
    headers: HeaderMap,
    body: Body<RECORD_BYTES>,
) -> Result<Response, ApiError> {
    let key = idempotency_key(&headers, body.hash, MIN_SECRET_KEY_LENGTH)?;
    let record = match body.content_type.as_str() {
        "application/json" => {
            let record = body.json::<GameRecord>()?.read();
            record.map_err(|error| api_error(ProblemKind::UnreadableRecord, error))?
        }
        "text/plain" => {
            let text = std::str::from_utf8(&body.bytes)
                .map_err(|_| api_error(ProblemKind::UnreadableRecord, "a record is UTF-8"))?;
            text.parse::<Record>()
                .map_err(|error| api_error(ProblemKind::UnreadableRecord, error))?
        }
        _ => {
            return Err(api_error(
                ProblemKind::WrongContentType,
                "the Content-Type of a record is application/json or text/plain",
            ));
        }
    };
    let now_ms = app.tables.clock().now_ms();
    record.seats().iter().try_for_each(check_seat)?;
    let stored = game_from_record(&record, app.tables.ids().game(), now_ms);
    let (mut stored, summary) =
        stored.map_err(|error| api_error(ProblemKind::ImpossibleRecord, error))?;
    stored.key = key.as_ref().map(|request| creation_key(&client, request));
    let new_id = stored.settings.id;
    let (id, status) = match import(&app, &client, stored, summary).await? {
        Created::Stored => (new_id, StatusCode::CREATED),
        Created::Existing(id, before) => {
            let is_repeat = |request: &RequestKey| request.is_repeat_of(&before.key);
            if !key.as_ref().is_some_and(is_repeat) {
                return Err(TableRefusal::KeyReused.into());
            }
            (id, StatusCode::OK)
        }
    };
    let view = view_of(&*snapshot(&app, id).await?);
    let id = id.to_string();
    let place = [(header::LOCATION, format!("/api/games/{id}"))];
    Ok((status, place, axum::Json(ImportedGame { id, view })).into_response())
}

/// Stores a game, unless the client's address would import more bytes than its limit allows. A repeated request stores
/// nothing, so the server answers it even if the limit is reached.
async fn import(
    app: &AppState,
    client: &Client,
    game: StoredGame,
    summary: Summary,
) -> Result<Created, ApiError> {
    let bytes = stored_size(&game);
    let (store, clock) = (app.tables.store(), app.tables.clock());
    let now = clock.now();
    if let Err(too_many) = app.rate_limiter.count_stored(client, bytes, now) {
        let before = match game.key {
            Some(key) => store.created_with(key, clock.now_ms()).await?,
            None => None,
        };
        let (id, key) = before.ok_or(too_many)?;
        return Ok(Created::Existing(id, key));
    }
    let created = store.import(game, summary).await;
    if !matches!(created, Ok(Created::Stored)) {
        app.rate_limiter.refund_stored(client, bytes, now);
    }
    Ok(created?)
}

/// Maximum size of a record, in bytes. This size is enough for a game on a large board.
const RECORD_BYTES: usize = 1024 * 1024;

/// Checks that the name or the strategy at a seat of a record is allowed at a table.
fn check_seat(seat: &RecordSeat) -> Result<(), ApiError> {
    match &seat.player {
        Player::Human(name) => read_name(name).map(drop),
        Player::Robot(strategy) => read_strategy(strategy).map(drop),
    }
}
