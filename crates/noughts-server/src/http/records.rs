//! Games as records: taken from a table, and put into the archive.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use noughts_api::{Archived, GameRecord, Kind, Problem};
use noughts_rules::{By, Conclusion, Game, Player, Record, RecordSeat, Seat, Side};

use super::Web;
use super::body::{Body, InPath, UNGUESSED, key};
use super::refusal::{Refuse, refuse};
use super::tables::look_at;
use super::wishes::{read_name, read_strategy};
use crate::id::GameId;
use crate::room::Sight;
use crate::store::{Created, Ending, StoredGame, StoredTurn};
use crate::table::{Holder, Leavers, Setting, Table};

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
    let record = record_of(&sight)?;
    if prefers_json(&headers) {
        return Ok(axum::Json(GameRecord::new(&record)).into_response());
    }
    let medium = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((medium, record.to_string()).into_response())
}

fn record_of(sight: &Sight) -> Result<Record, Refuse> {
    let game = sight.table().game().clone();
    let seat = |(holder, side): (&Holder, &Side)| RecordSeat {
        symbol: side.symbol(),
        player: holder.player(),
    };
    let order = game.order().to_vec();
    let seats = sight.table().setting().holders.iter().zip(&order).map(seat);
    Record::new(game, seats.collect()).map_err(|error| refuse(Kind::Unavailable, error))
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
    let (mut stored, ending) = stored(&record, web.house.new_id(), now_ms)?;
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

/// A record as tables are stored, or why it is none of a table.
fn stored(record: &Record, id: GameId, now_ms: u64) -> Result<(StoredGame, Ending), Refuse> {
    let impossible = |detail: String| refuse(Kind::Impossible, detail);
    let game = record.game();
    let Some(conclusion) = game.conclusion().cloned() else {
        return Err(impossible(
            "the game is unfinished, and only finished games are archived; a new table can go on \
             from any position of an archived game"
                .to_owned(),
        ));
    };
    let holders = record.seats().iter().map(|seat| holder(seat, game));
    let setting = Setting {
        id,
        variant: *game.variant(),
        history: game.history(),
        start: game.start().cloned(),
        holders: holders.collect::<Result<_, _>>()?,
        created_ms: now_ms,
    };
    let table = Table::new(setting.clone()).map_err(|error| impossible(error.to_string()))?;
    if table.game().order() != game.order() {
        return Err(impossible(
            "at a table every side has one seat; here one has several".to_owned(),
        ));
    }
    let turn = |turn: &noughts_rules::Turn| StoredTurn {
        turn: *turn,
        key: None,
        at_ms: now_ms,
    };
    let stored = StoredGame {
        setting,
        key: None,
        sat: Vec::new(),
        turns: game.turns().iter().map(turn).collect(),
        left: left(game, &conclusion),
        again: Vec::new(),
        rematch: None,
    };
    let restored = Table::restore(stored.clone());
    let ended = restored.and_then(|table| table.game().conclusion().cloned());
    if ended.as_ref() != Some(&conclusion) {
        return Err(impossible(
            "no table would have ended so: it is a draw after four turns for each cell and a \
             hundred more, and not before unless the rules say so"
                .to_owned(),
        ));
    }
    let at_ms = now_ms;
    Ok((stored, Ending { conclusion, at_ms }))
}

/// Who left, where that is what ended it.
fn left(game: &Game, conclusion: &Conclusion) -> Option<Leavers> {
    let seats = (0..).map(Seat).zip(game.order());
    match conclusion {
        Conclusion::Abandoned => Some(seats.fold(Leavers::NONE, |all, (seat, _)| all.and(seat))),
        Conclusion::Won {
            sides,
            by: By::Leaving,
        } => { seats }
            .find(|(_, side)| !sides.contains(**side))
            .map(|(seat, _)| Leavers::one(seat)),
        Conclusion::Won { .. } | Conclusion::Draw => None,
    }
}

fn holder(seat: &RecordSeat, game: &Game) -> Result<Holder, Refuse> {
    match &seat.player {
        Player::Human(name) => Ok(Holder::Human {
            name: read_name(name)?,
            node: None,
        }),
        Player::Robot(strategy) => {
            let name = read_strategy(strategy)?;
            // Only where it plays the game can its table be read back.
            let fits = name.fits(&game.after(0));
            fits.map_err(|error| refuse(Kind::Impossible, error))?;
            Ok(Holder::Robot(name))
        }
    }
}
