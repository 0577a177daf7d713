//! Handlers for quick matches: a registered player asks for an opponent.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use noughts_api::{
    NewMatch, ProblemKind, QuickMatchStatus, QuickMatchView, WaitingMatches, WaitingVariant,
};

use super::AppState;
use super::create_table::{read_clock, read_variant};
use super::error::{ApiError, api_error};
use super::extract::{Json, PathParams};
use super::openapi::{CatalogErrors, CreateErrors, MeErrors};
use super::players::Caller;
use super::rate_limit::Client;
use crate::store::{MAX_QUICK_MATCHES, MatchRequest, QuickMatch, StoreError, WaitingId};
use crate::tables::Tables;

/// Asks for an opponent: a quick match, first come, first served.
///
/// The answer does not wait for an opponent. When an opponent is found, the event stream `GET /api/me/events`
/// sends the event `match`. `GET /api/matches/{id}` returns the quick match too. A quick match waits while
/// the player has an event stream open, and 20 seconds longer. While it waits, the same request returns the
/// same quick match.
#[utoipa::path(
    post, path = "/api/matches", operation_id = "requestMatch", tag = "players",
    request_body = NewMatch,
    security(("player" = [])),
    responses(
        (status = 202, body = QuickMatchView, headers(("Location" = String)), description = "The quick match"),
        CreateErrors,
    )
)]
pub(super) async fn create(
    State(app): State<Arc<AppState>>,
    Caller(player): Caller,
    client: Client,
    body: Json<NewMatch>,
) -> Result<Response, ApiError> {
    let variant = read_variant(&body.value.variant).map_err(|error| error.in_body("/variant"))?;
    if variant.sides() != 2 {
        let detail = format!(
            "a quick match is for two, and this variant has {} sides",
            variant.sides()
        );
        return Err(api_error(ProblemKind::NotForTwo, detail).in_body("/variant"));
    }
    let clock = read_clock(body.value.clock)?;
    app.rate_limiter
        .count_match(&client, app.tables.clock().now())?;
    let id = match app
        .matchmaking
        .request_match(player.id, variant, clock)
        .await?
    {
        MatchRequest::Accepted(id) | MatchRequest::Waits(id) => id,
        MatchRequest::TooMany => {
            return Err(api_error(
                ProblemKind::TooManyMatches,
                format!("a player may wait for at most {MAX_QUICK_MATCHES} quick matches at once"),
            ));
        }
    };
    app.tables.lists_changed();
    let found = app.matchmaking.quick_match(id).await?;
    let matched = found.and_then(|found| found.matched);
    let quick_match = view_of(id, matched.map(|(game, seat)| (game.to_string(), seat.0)));
    let place = [(header::LOCATION, format!("/api/matches/{id}"))];
    Ok((StatusCode::ACCEPTED, place, axum::Json(quick_match)).into_response())
}

fn view_of(id: WaitingId, matched: Option<(String, u8)>) -> QuickMatchView {
    let (game, seat) = matched.unzip();
    QuickMatchView {
        id: id.to_string(),
        status: match game {
            Some(_) => QuickMatchStatus::Matched,
            None => QuickMatchStatus::Waiting,
        },
        game,
        seat,
    }
}

/// The quick match with this id. Returns an error if the caller's player has no quick match with this id.
async fn own_match(
    app: &AppState,
    caller: &Caller,
    id: &str,
) -> Result<(WaitingId, QuickMatch), ApiError> {
    let none = || {
        api_error(
            ProblemKind::NoSuchMatch,
            "this player has no such quick match; it was cancelled, or removed because the player had no event stream open",
        )
    };
    let id: WaitingId = id.parse().map_err(|_| none())?;
    let found = app.matchmaking.quick_match(id).await?;
    let own = found.filter(|found| found.player == caller.0.id);
    own.map(|found| (id, found)).ok_or_else(none)
}

/// Reads a quick match of the caller's player.
#[utoipa::path(
    get, path = "/api/matches/{id}", operation_id = "getMatch", tag = "players",
    params(("id" = String, Path, description = "the quick match")),
    security(("player" = [])),
    responses(
        (status = 200, body = QuickMatchView, description = "The quick match"),
        MeErrors,
    )
)]
pub(super) async fn get(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    PathParams([id]): PathParams<1>,
) -> Result<Response, ApiError> {
    let (id, found) = own_match(&app, &caller, &id).await?;
    let matched = found.matched;
    let matched = matched.map(|(game, seat)| (game.to_string(), seat.0));
    Ok(axum::Json(view_of(id, matched)).into_response())
}

/// Cancels a quick match of the caller's player.
///
/// A quick match that has found an opponent cannot be cancelled.
#[utoipa::path(
    delete, path = "/api/matches/{id}", operation_id = "cancelMatch", tag = "players",
    params(("id" = String, Path, description = "the quick match")),
    security(("player" = [])),
    responses(
        (status = 204, description = "It no longer waits"),
        MeErrors,
    )
)]
pub(super) async fn cancel(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    PathParams([id]): PathParams<1>,
) -> Result<Response, ApiError> {
    let (id, _) = own_match(&app, &caller, &id).await?;
    if app.matchmaking.cancel_match(id, caller.0.id).await? {
        app.tables.lists_changed();
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    // The match has found an opponent in the meantime, or no longer exists.
    own_match(&app, &caller, &id.to_string()).await?;
    Err(api_error(
        ProblemKind::AlreadyMatched,
        "this quick match has found an opponent; play or resign the game",
    ))
}

/// Says how many players wait for a quick match.
#[utoipa::path(
    get, path = "/api/matches", operation_id = "listMatches", tag = "players",
    responses(
        (status = 200, body = WaitingMatches, description = "How many players wait, by game"),
        CatalogErrors,
    )
)]
pub(super) async fn list(State(app): State<Arc<AppState>>) -> Result<Response, ApiError> {
    Ok(axum::Json(waiting_matches(&app.tables).await?).into_response())
}

/// How many players wait, by variant and clock.
pub(super) async fn waiting_matches(tables: &Tables) -> Result<WaitingMatches, StoreError> {
    let counts = tables.store().waiting_counts().await?;
    Ok(WaitingMatches {
        waiting: counts.iter().map(|count| count.players).sum(),
        games: counts
            .iter()
            .map(|count| WaitingVariant {
                variant: count.variant.to_string(),
                clock: count.clock.map(Into::into),
                waiting: count.players,
            })
            .collect(),
    })
}
