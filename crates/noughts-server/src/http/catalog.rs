//! Handlers that list variants and games, and the handler that returns the operator's announcement.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use noughts_api::{
    Announcement, ClockForm, FieldLocation, GameListing, GameStatus, GamesPage, OfferedVariant,
    Outcome, ProblemKind, SeatKind, SeatListing,
};
use noughts_rules::{CATALOG, Seat, Variant};
use serde::Deserialize;
use utoipa::IntoParams;

use super::AppState;
use super::create_table::read_variant;
use super::error::{ApiError, api_error};
use super::extract::QueryParams;
use super::openapi::{CatalogErrors, ListErrors};
use super::stream::open_seat;
use crate::id::GameId;
use crate::players::PlayerNames;
use crate::store::{ListQuery, ListedGame, PlayerFilter, StoreError, family};
use crate::table::{Holder, Status};
use crate::tables::{Attendance, Tables};

/// Lists the variants of the catalog.
///
/// Any other valid variant can be played too.
#[utoipa::path(
    get, path = "/api/variants", tag = "catalog", operation_id = "listVariants",
    responses((status = 200, body = [OfferedVariant], description = "The variants"), CatalogErrors)
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

/// Reads the operator's message to everybody.
#[utoipa::path(
    get, path = "/api/announcement", tag = "catalog", operation_id = "getAnnouncement",
    responses((status = 200, body = Announcement, description = "The message, or null"), CatalogErrors)
)]
pub(super) async fn announcement(State(app): State<Arc<AppState>>) -> Response {
    let text = app.operator.announcement();
    axum::Json(Announcement { text }).into_response()
}

/// The query parameters of the list of games.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListFilters {
    /// Only games of this variant. Games of `multi@4` count as games of `multi`.
    variant: Option<String>,
    /// Only games of this player: the id of a registered player, or the exact name of an anonymous player.
    player: Option<String>,
    /// Only games with this status.
    #[param(inline)]
    status: Option<GameStatus>,
    /// Where the page begins: the value of `before` in the previous page.
    before: Option<String>,
    /// Maximum number of games on the page.
    #[param(minimum = 1, maximum = 100, default = 20)]
    limit: Option<usize>,
}

/// Maximum number of games on a page. The schema of the parameter `limit` has the same number.
pub(super) const MAX_LISTED: usize = 100;

/// Lists waiting, running and finished games, newest first.
#[utoipa::path(
    get, path = "/api/games", tag = "catalog", operation_id = "listGames",
    params(ListFilters),
    responses(
        (status = 200, body = GamesPage, description = "One page"),
        ListErrors,
    )
)]
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    QueryParams(filters): QueryParams<ListFilters>,
) -> Result<Response, ApiError> {
    let status = filters.status.map(|status| match status {
        GameStatus::Waiting => Status::Waiting,
        GameStatus::Playing => Status::Playing,
        GameStatus::Over => Status::Over,
    });
    let variant = match &filters.variant {
        Some(name) => {
            let variant = read_variant(name);
            let variant = variant.map_err(|error| error.at(FieldLocation::Query, "/variant"))?;
            Some(family(&variant))
        }
        None => None,
    };
    let limit = filters.limit.unwrap_or(20).clamp(1, MAX_LISTED);
    let before = read_before("before", filters.before.as_deref())?;
    let query = ListQuery {
        variant,
        player: filters.player.map(|text| match text.parse() {
            Ok(id) => PlayerFilter::Player(id),
            Err(_) => PlayerFilter::Name(text),
        }),
        status,
        attended_at_ms: Some(app.tables.clock().now_ms()),
        before,
        limit,
    };
    Ok(axum::Json(page(&app, query).await?).into_response())
}

/// Reads a page of games from the store.
pub(super) async fn page(app: &AppState, query: ListQuery) -> Result<GamesPage, ApiError> {
    let limit = query.limit;
    let listed = app.tables.store().list(query).await?;
    let last = listed.last().filter(|_| listed.len() == limit);
    let before = last.map(|game| format!("{}.{}", game.created_ms, game.id));
    let games = listings(&app.tables, &listed).await?;
    Ok(GamesPage { before, games })
}

/// Converts listed games to the form of the API. Adds the players' names, and which players are present.
pub(super) async fn listings(
    tables: &Tables,
    listed: &[ListedGame],
) -> Result<Vec<GameListing>, StoreError> {
    let holders = listed.iter().flat_map(|game| &game.summary.holders);
    let names = PlayerNames::load(tables.store(), holders).await?;
    let attendance = tables.attendance(listed).await?;
    let games = listed.iter().zip(attendance);
    Ok(games
        .map(|(game, attendance)| listing(game, &names, attendance))
        .collect())
}

/// Parses the query parameter `name`, such as `before`. Its value, `text`, says where a page begins. Returns `None` if
/// the query does not have this parameter.
pub(super) fn read_before(
    name: &str,
    text: Option<&str>,
) -> Result<Option<(u64, GameId)>, ApiError> {
    let Some(text) = text else {
        return Ok(None);
    };
    let place = text
        .split_once('.')
        .and_then(|(ms, id)| Some((ms.parse().ok()?, id.parse().ok()?)));
    let wrong = || {
        let detail = format!("\"{name}\" must be the \"{name}\" of the previous page");
        let wrong = api_error(ProblemKind::WrongFormat, detail);
        wrong.at(FieldLocation::Query, format!("/{name}"))
    };
    place.map(Some).ok_or_else(wrong)
}

/// Converts one listed game to the form of the API.
pub(super) fn listing(
    game: &ListedGame,
    names: &PlayerNames,
    attendance: Attendance,
) -> GameListing {
    let seat = |(seat, holder): (Seat, &Holder)| {
        let registered = holder.player_id().and_then(|id| Some((id, names.get(id)?)));
        SeatListing {
            kind: match holder {
                Holder::Open(_) => SeatKind::Open,
                Holder::Human { .. } | Holder::Player(_) => SeatKind::Human,
                Holder::Robot(_) => SeatKind::Robot,
            },
            name: names.name(holder),
            present: match holder {
                Holder::Open(_) => false,
                Holder::Human { .. } | Holder::Player(_) => attendance.present.contains(seat),
                Holder::Robot(_) => true,
            },
            player: registered.map(|(id, _)| id.to_string()),
            bot: registered.is_some_and(|(_, info)| info.is_bot),
            open: match holder {
                Holder::Open(to) => Some(open_seat(*to)),
                Holder::Human { .. } | Holder::Player(_) | Holder::Robot(_) => None,
            },
        }
    };
    let ending = game.ending();
    let seats = (0..).map(Seat).zip(&game.summary.holders);
    GameListing {
        id: game.id.to_string(),
        variant: game.variant.to_string(),
        history: game.history,
        status: match game.summary.status {
            Status::Unlisted if !game.summary.holders.iter().any(Holder::is_open) => {
                GameStatus::Playing
            }
            Status::Unlisted | Status::Waiting => GameStatus::Waiting,
            Status::Playing => GameStatus::Playing,
            Status::Over => GameStatus::Over,
        },
        seats: seats.map(seat).collect(),
        clock: game.clock.map(ClockForm::from),
        spectators: attendance.spectators,
        entry: attendance.entry,
        created_ms: game.created_ms,
        ended_ms: ending.map(|ending| ending.at_ms),
        outcome: ending.map(|ending| Outcome::new(&game.variant, &ending.conclusion)),
    }
}
