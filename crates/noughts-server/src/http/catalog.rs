//! The offered variants and strategies, the lobby and the archive.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use noughts_api::{
    GameListing, GameStatus, GamesPage, OfferedStrategy, OfferedVariant, Outcome, Problem,
    ProblemKind, SeatKind, SeatListing,
};
use noughts_engine::STRATEGY_KINDS;
use noughts_rules::{CATALOG, Variant};
use serde::Deserialize;
use utoipa::IntoParams;

use super::AppState;
use super::error::{ApiError, api_error};
use super::extract::QueryParams;
use crate::store::{ListQuery, ListedGame, family};
use crate::table::{Holder, Status};

/// Lists variants with a name. Any other valid variant can be played too.
#[utoipa::path(
    get, path = "/api/variants", tag = "catalog",
    responses((status = 200, body = [OfferedVariant]))
)]
pub(super) async fn variants() -> Response {
    let offered = CATALOG.iter().map(|entry| {
        let variant: Variant = entry
            .name
            .parse()
            .expect("a catalogue entry names a variant");
        OfferedVariant {
            name: entry.name.to_owned(),
            about: format!("{}: {}", entry.title, entry.description),
            sides: variant.sides(),
            cells: variant.cells(),
        }
    });
    axum::Json(offered.collect::<Vec<_>>()).into_response()
}

/// Lists the robots.
#[utoipa::path(
    get, path = "/api/strategies", tag = "catalog",
    responses((status = 200, body = [OfferedStrategy]))
)]
pub(super) async fn strategies() -> Response {
    let kinds = STRATEGY_KINDS.iter().map(|kind| OfferedStrategy {
        form: kind.syntax.to_owned(),
        about: kind.description.to_owned(),
    });
    axum::Json(kinds.collect::<Vec<_>>()).into_response()
}

/// Filters for the list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Only games of this variant. `multi@4` counts as `multi`.
    variant: Option<String>,
    /// Only games of a player with exactly this name.
    player: Option<String>,
    /// Only games with this status.
    #[param(inline)]
    status: Option<GameStatus>,
    /// The `before` of the previous page.
    before: Option<String>,
    /// Maximum number of games.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<usize>,
}

/// Maximum number of games on a page.
const MOST_LISTED: usize = 100;

/// Lists the lobby and the archive, newest first.
#[utoipa::path(
    get, path = "/api/games", tag = "catalog",
    params(Wanted),
    responses(
        (status = 200, body = GamesPage),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    QueryParams(wanted): QueryParams<Wanted>,
) -> Result<Response, ApiError> {
    let unreadable = |detail: String| api_error(ProblemKind::Unreadable, detail);
    let status = wanted.status.map(|status| match status {
        GameStatus::Waiting => Status::Waiting,
        GameStatus::Playing => Status::Playing,
        GameStatus::Over => Status::Over,
    });
    let variant = wanted
        .variant
        .map(|name| name.parse::<Variant>().map(|variant| family(&variant)))
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
    let query = ListQuery {
        variant: variant.map_err(|error| unreadable(error.to_string()))?,
        player: wanted.player,
        status,
        before,
        limit,
    };
    let listed = app.tables.store().list(query).await?;
    let last = listed.last().filter(|_| listed.len() == limit);
    let page = GamesPage {
        before: last.map(|game| format!("{}.{}", game.created_ms, game.id)),
        games: listed.iter().map(line).collect(),
    };
    Ok(axum::Json(page).into_response())
}

fn line(game: &ListedGame) -> GameListing {
    let sits = |holder: &Holder| {
        let (kind, name) = match holder {
            Holder::Open(_) => (SeatKind::Open, String::new()),
            Holder::Human { name, .. } => (SeatKind::Human, name.clone()),
            Holder::Robot(name) => (SeatKind::Robot, name.to_string()),
        };
        SeatListing { kind, name }
    };
    let ending = game.ending();
    GameListing {
        id: game.id.to_string(),
        variant: game.variant.to_string(),
        history: game.history,
        status: match game.summary.status {
            // A list never contains unlisted games.
            Status::Unlisted | Status::Waiting => GameStatus::Waiting,
            Status::Playing => GameStatus::Playing,
            Status::Over => GameStatus::Over,
        },
        seats: game.summary.holders.iter().map(sits).collect(),
        created_ms: game.created_ms,
        outcome: ending.map(|ending| Outcome::new(&game.variant, &ending.conclusion)),
    }
}
