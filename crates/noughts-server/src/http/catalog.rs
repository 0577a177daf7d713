//! What can be played, by whom; and the lobby and the archive.

use std::sync::Arc;

use axum::extract::{Path, Query as Asked, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use noughts_api::Kind;
use noughts_engine::KINDS;
use noughts_rules::{Record, RecordSeat, Variant};
use serde::{Deserialize, Serialize};

use super::Web;
use super::body::read_id;
use super::refusal::{Refuse, refuse};
use super::tables::look_at;
use crate::store::{Listed, Query, Status};
use crate::table::Holder;

/// The variants that are offered by name; every other that can be written can be played too.
const OFFERED: [(&str, &str); 8] = [
    ("3x3k3", "tic-tac-toe"),
    ("3x3k3+misere", "who completes a line loses"),
    ("4x4k3p3", "three sides on four by four"),
    ("7x7k4", "four in a line"),
    ("7x6k4+gravity", "Connect Four"),
    ("15x15k5", "five in a line"),
    ("multi", "nine boards, most boards win"),
    ("ultimate", "nine boards, three in a line win"),
];

#[derive(Serialize)]
struct Offered {
    name: &'static str,
    about: &'static str,
    sides: u8,
    cells: usize,
}

/// `GET /api/variants`
pub(super) async fn variants() -> Response {
    let offered = OFFERED.map(|(name, about)| {
        let variant: Variant = name.parse().expect("an offered variant is one");
        Offered {
            name,
            about,
            sides: variant.sides(),
            cells: variant.cells(),
        }
    });
    axum::Json(offered).into_response()
}

#[derive(Serialize)]
struct Plays {
    form: &'static str,
    about: &'static str,
}

/// `GET /api/strategies`
pub(super) async fn strategies() -> Response {
    let kinds = KINDS.iter().map(|kind| Plays {
        form: kind.form,
        about: kind.about,
    });
    axum::Json(kinds.collect::<Vec<_>>()).into_response()
}

/// What to list.
#[derive(Deserialize)]
pub(super) struct Wanted {
    variant: Option<String>,
    player: Option<String>,
    status: Option<String>,
    before: Option<String>,
    limit: Option<usize>,
}

#[derive(Serialize)]
struct Page {
    games: Vec<Line>,
    /// What to ask for the next page with; null on the last.
    before: Option<String>,
}

#[derive(Serialize)]
struct Line {
    id: String,
    variant: String,
    history: u16,
    status: &'static str,
    seats: Vec<Sits>,
    created_ms: u64,
}

#[derive(Serialize)]
struct Sits {
    kind: &'static str,
    name: String,
}

/// The most games on a page.
const MOST_LISTED: usize = 100;

/// `GET /api/games`
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    Asked(wanted): Asked<Wanted>,
) -> Result<Response, Refuse> {
    let unreadable = |detail: String| refuse(Kind::Unreadable, detail);
    let status = match wanted.status.as_deref() {
        None => None,
        Some("waiting") => Some(Status::Waiting),
        Some("playing") => Some(Status::Playing),
        Some("over") => Some(Status::Over),
        Some(_) => return Err(unreadable("status is waiting, playing or over".to_owned())),
    };
    let variant = wanted
        .variant
        .map(|name| name.parse::<Variant>())
        .transpose();
    let limit = wanted.limit.unwrap_or(20);
    if !(1..=MOST_LISTED).contains(&limit) {
        return Err(unreadable(format!("limit is 1 to {MOST_LISTED}")));
    }
    let before = match &wanted.before {
        None => None,
        Some(text) => {
            let place = text
                .split_once('.')
                .and_then(|(ms, id)| Some((ms.parse().ok()?, id.parse().ok()?)));
            let wrong = || unreadable("before is what the page before it said".to_owned());
            Some(place.ok_or_else(wrong)?)
        }
    };
    let query = Query {
        variant: variant.map_err(|error| unreadable(error.to_string()))?,
        player: wanted.player,
        status,
        before,
        limit,
    };
    let listed = web.house.store().list(query).await?;
    let last = listed.last().filter(|_| listed.len() == limit);
    let page = Page {
        before: last.map(|game| format!("{}.{}", game.created_ms, game.id)),
        games: listed.iter().map(line).collect(),
    };
    Ok(axum::Json(page).into_response())
}

fn line(game: &Listed) -> Line {
    let sits = |holder: &Holder| match holder {
        Holder::Open(_) => Sits {
            kind: "open",
            name: String::new(),
        },
        Holder::Human { name, .. } => Sits {
            kind: "human",
            name: name.clone(),
        },
        Holder::Robot(name) => Sits {
            kind: "robot",
            name: name.to_string(),
        },
    };
    Line {
        id: game.id.to_string(),
        variant: game.variant.to_string(),
        history: game.history,
        status: match game.status {
            Status::Waiting => "waiting",
            Status::Playing => "playing",
            Status::Over => "over",
        },
        seats: game.holders.iter().map(sits).collect(),
        created_ms: game.created_ms,
    }
}

/// `GET /api/games/{id}/record`
pub(super) async fn record(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refuse> {
    let sight = look_at(&web, read_id(&id)?).await?;
    let game = sight.table().game().clone();
    let seat = |(holder, side): (&Holder, &noughts_rules::Side)| RecordSeat {
        symbol: side.symbol(),
        player: holder.player(),
    };
    let order = game.order().to_vec();
    let seats = sight.table().setting().holders.iter().zip(&order).map(seat);
    let record = Record::new(game, seats.collect());
    let record = record.map_err(|error| refuse(Kind::Unavailable, error))?;
    let wants = headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok());
    let text = record.to_string();
    if wants.is_some_and(|wants| wants.contains("application/json")) {
        let lines: Vec<&str> = text.lines().collect();
        return Ok(axum::Json(lines).into_response());
    }
    let medium = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((medium, text).into_response())
}
