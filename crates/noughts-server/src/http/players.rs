//! Registered players: their accounts, their games, and links to other devices.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use noughts_api::{
    DeviceLink, LinkCode, Me, MyGame, NewPlayer, OpponentResults, PlayerToken, PlayerView,
    ProblemKind, Profile, Rename,
};
use noughts_rules::{Action, Conclusion};
use serde::Deserialize;
use utoipa::IntoParams;

use super::AppState;
use super::catalog::{listing, page, read_before};
use super::create_table::read_name;
use super::error::{ApiError, api_error};
use super::extract::{Json, PathParams, QueryParams, bearer, no_token};
use super::link_preview::origin;
use super::openapi::{ChangeMeErrors, CreatePlayerErrors, LinkErrors, MeErrors, PlayerErrors};
use super::qr_code;
use super::rate_limit::Client;
use super::seat_token::seat_of_player;
use crate::id::PlayerId;
use crate::players::{PlayerNames, new_link_code, new_token};
use crate::store::{
    Deletion, LINK_LIFETIME_MS, LinkCreation, ListQuery, ListedGame, MAX_LINKS, MAX_TOKENS,
    PlayerFilter, Redemption, SecretHash, StoredPlayer,
};
use crate::table::{Command, Holder, Status, TableRefusal};
use crate::tables::{LiveTable, SubmitError};

/// Maximum number of games on a page.
const MAX_LISTED: usize = 50;

/// Maximum number of games from which a player's results are computed. The newest finished games count.
const MAX_COUNTED_GAMES: usize = 1_000;

/// Maximum number of attempts to delete a player. Each attempt first ends the player's running games. An attempt fails
/// if another device starts a new game in the meantime.
const MAX_DELETION_ATTEMPTS: usize = 5;

/// The registered player who makes a request.
pub(super) struct Caller(pub(super) StoredPlayer);

impl FromRequestParts<Arc<AppState>> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &Arc<AppState>,
    ) -> Result<Caller, ApiError> {
        let token = bearer(&parts.headers)?.ok_or_else(no_token)?;
        app.player_of_token(token).await.map(Caller)
    }
}

fn view_of(player: &StoredPlayer) -> PlayerView {
    PlayerView {
        id: player.id.to_string(),
        name: player.name.clone(),
        bot: player.is_bot,
        created_ms: player.created_ms,
    }
}

fn read_player_name(text: &str) -> Result<String, ApiError> {
    let name = read_name(text).map_err(|error| error.in_body("/name"))?;
    match name.is_empty() {
        true => {
            let detail = "a player needs a name of 1 to 64 characters";
            Err(api_error(ProblemKind::InvalidName, detail).in_body("/name"))
        }
        false => Ok(name),
    }
}

fn no_such_player() -> ApiError {
    api_error(
        ProblemKind::NoSuchPlayer,
        "no player has this id; it may have been deleted",
    )
}

/// Creates a player.
///
/// The answer has an id, and a token that acts for the player. There is no password; a lost token cannot be
/// recovered. The number of new players per address and day is limited.
#[utoipa::path(
    post, path = "/api/players", operation_id = "createPlayer", tag = "players",
    request_body = NewPlayer,
    responses(
        (status = 201, body = PlayerToken, description = "The player's id and token"),
        CreatePlayerErrors,
    )
)]
pub(super) async fn create(
    State(app): State<Arc<AppState>>,
    client: Client,
    body: Json<NewPlayer>,
) -> Result<Response, ApiError> {
    let player = StoredPlayer {
        id: app.tables.ids().player(),
        name: read_player_name(&body.value.name)?,
        is_bot: body.value.bot,
        created_ms: app.tables.clock().now_ms(),
    };
    app.rate_limiter
        .count_player(&client, app.tables.clock().now())?;
    let (id, token) = (player.id, new_token(app.tables.ids()));
    let hash = SecretHash::of(&token);
    app.tables.store().create_player(player, hash).await?;
    app.tables.metrics().players_created.inc();
    Ok((StatusCode::CREATED, axum::Json(player_token(id, token))).into_response())
}

fn player_token(id: PlayerId, token: String) -> PlayerToken {
    PlayerToken {
        id: id.to_string(),
        token,
    }
}

/// The query parameters that select the pages of two lists: running games and finished games.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Pages {
    /// The value of `finished.before` in the previous page.
    before: Option<String>,
    /// The value of `running_before` in the previous page.
    running_before: Option<String>,
    /// Maximum number of games on each page.
    #[param(minimum = 1, maximum = 50)]
    limit: Option<usize>,
}

impl Pages {
    fn limit(&self) -> usize {
        self.limit.unwrap_or(20).clamp(1, MAX_LISTED)
    }

    /// The query for finished games of a player.
    fn finished(&self, player: PlayerId) -> Result<ListQuery, ApiError> {
        Ok(ListQuery {
            player: Some(PlayerFilter::Player(player)),
            status: Some(Status::Over),
            before: read_before("before", self.before.as_deref())?,
            ..ListQuery::all(self.limit())
        })
    }

    /// The query for games of a player that are not over.
    fn running(&self, player: PlayerId) -> Result<ListQuery, ApiError> {
        Ok(ListQuery {
            player: Some(PlayerFilter::Running(player)),
            status: None,
            before: read_before("running_before", self.running_before.as_deref())?,
            ..self.finished(player)?
        })
    }
}

/// Reads the caller's player.
///
/// The answer has a page of the running games and a page of the finished games. Each running game says which
/// seat is to move.
#[utoipa::path(
    get, path = "/api/me", operation_id = "getMe", tag = "players",
    params(Pages),
    security(("player" = [])),
    responses(
        (status = 200, body = Me, description = "The player and the games"),
        MeErrors,
    )
)]
pub(super) async fn me(
    State(app): State<Arc<AppState>>,
    Caller(player): Caller,
    QueryParams(pages): QueryParams<Pages>,
) -> Result<Response, ApiError> {
    let query = pages.running(player.id)?;
    let limit = query.limit;
    let listed = app.tables.store().list(query).await?;
    let last = listed.last().filter(|_| listed.len() == limit);
    let running_before = last.map(|game| format!("{}.{}", game.created_ms, game.id));
    let mut running = Vec::with_capacity(listed.len());
    for game in &listed {
        if let Some(live) = app.tables.get(game.id).await? {
            running.extend(my_game(&live, player.id));
        }
    }
    let finished = page(&app, pages.finished(player.id)?).await?;
    let me = Me {
        player: view_of(&player),
        running,
        running_before,
        finished,
    };
    Ok(axum::Json(me).into_response())
}

/// A game in the list of a player; `None` if the player has no seat in this game.
pub(super) fn my_game(live: &LiveTable, player: PlayerId) -> Option<MyGame> {
    let (names, attendance) = (live.names(), live.attendance());
    live.read(|table| {
        let listed = ListedGame::new(table.settings(), table.summary());
        Some(MyGame {
            seat: seat_of_player(table, player)?.0,
            to_move: table.game().to_move().map(|seat| seat.0),
            turn: table.turn(),
            game: listing(&listed, &names, attendance),
        })
    })
}

/// Renames the caller's player, at every table.
#[utoipa::path(
    patch, path = "/api/me", operation_id = "renameMe", tag = "players",
    request_body = Rename,
    security(("player" = [])),
    responses(
        (status = 200, body = PlayerView, description = "The player"),
        ChangeMeErrors,
    )
)]
pub(super) async fn rename(
    State(app): State<Arc<AppState>>,
    Caller(player): Caller,
    body: Json<Rename>,
) -> Result<Response, ApiError> {
    let name = read_player_name(&body.value.name)?;
    let store = app.tables.store();
    if !store.rename_player(player.id, name.clone()).await? {
        return Err(no_such_player());
    }
    app.players.publish(player.id).await;
    let renamed = StoredPlayer { name, ..player };
    Ok(axum::Json(view_of(&renamed)).into_response())
}

/// Deletes the caller's player.
///
/// Resigns the running games, cancels waiting tables, and removes the name and all tokens. Finished games stay, without
/// the name.
#[utoipa::path(
    delete, path = "/api/me", operation_id = "deleteMe", tag = "players",
    security(("player" = [])),
    responses(
        (status = 204, description = "The player is gone"),
        MeErrors,
    )
)]
pub(super) async fn delete(
    State(app): State<Arc<AppState>>,
    Caller(player): Caller,
) -> Result<Response, ApiError> {
    for _ in 0..MAX_DELETION_ATTEMPTS {
        resign_all(&app, player.id).await?;
        match app.tables.store().delete_player(player.id).await? {
            Deletion::Deleted => {
                app.tables.metrics().players_deleted.inc();
                app.players.publish(player.id).await;
                return Ok(StatusCode::NO_CONTENT.into_response());
            }
            Deletion::NoSuchPlayer => return Err(no_such_player()),
            Deletion::HasRunningGames => {}
        }
    }
    Err(api_error(
        ProblemKind::ServerBusy,
        "another device begins new games for this player; try again in a moment",
    ))
}

/// Ends every running game of a player.
async fn resign_all(app: &Arc<AppState>, player: PlayerId) -> Result<(), ApiError> {
    let mut query = ListQuery {
        player: Some(PlayerFilter::Running(player)),
        ..ListQuery::all(MAX_LISTED)
    };
    loop {
        let games = app.tables.store().list(query.clone()).await?;
        let Some(last) = games.last() else {
            return Ok(());
        };
        query.before = Some((last.created_ms, last.id));
        for game in &games {
            if let Some(live) = app.tables.get(game.id).await? {
                resign(app, live, player).await?;
            }
        }
    }
}

async fn resign(
    app: &Arc<AppState>,
    live: Arc<LiveTable>,
    player: PlayerId,
) -> Result<(), ApiError> {
    /// Maximum number of attempts. An attempt fails if another turn is stored first.
    const MAX_ATTEMPTS: usize = 10;
    for _ in 0..MAX_ATTEMPTS {
        let command = live.read(|table| {
            let seat = seat_of_player(table, player)?;
            Some(match table.holders().iter().any(Holder::is_open) {
                // While a seat is open, no side can win by a resignation.
                true => Command::Abort { seat },
                false => Command::Act {
                    seat,
                    action: Action::Resign,
                    turn: table.turn(),
                    key: None,
                },
            })
        });
        let Some(command) = command else {
            return Ok(());
        };
        match super::games::submit(app, Arc::clone(&live), command).await {
            Err(SubmitError::Refused(TableRefusal::Stale { .. })) => {}
            Ok(_) | Err(SubmitError::Refused(_) | SubmitError::NoSuchGame) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
    Err(api_error(
        ProblemKind::ServerBusy,
        "a running game could not be resigned, because other turns were stored at the same time; try again in a moment",
    ))
}

/// Revokes the tokens of all other devices of the caller's player.
#[utoipa::path(
    delete, path = "/api/me/tokens", operation_id = "revokeTokens", tag = "players",
    security(("player" = [])),
    responses(
        (status = 204, description = "Only the caller's token is valid"),
        MeErrors,
    )
)]
pub(super) async fn revoke_tokens(
    State(app): State<Arc<AppState>>,
    Caller(player): Caller,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let kept = SecretHash::of(bearer(&headers)?.unwrap_or_default());
    let store = app.tables.store();
    store.revoke_other_tokens(player.id, kept).await?;
    app.players.publish(player.id).await;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Creates a code for another device.
///
/// Another device can exchange the code for a token of the caller's player. The code works once, for ten
/// minutes. The answer also has the code as a link and as a QR code.
#[utoipa::path(
    post, path = "/api/me/links", operation_id = "createLink", tag = "players",
    security(("player" = [])),
    responses(
        (status = 201, body = DeviceLink, description = "The code"),
        MeErrors,
    )
)]
pub(super) async fn create_link(
    State(app): State<Arc<AppState>>,
    Caller(player): Caller,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let code = new_link_code(app.tables.ids());
    // The code is after a `#`, so that it appears in no log of a server or proxy.
    let link = format!("{}/#link={code}", origin(&headers).unwrap_or_default());
    let now_ms = app.tables.clock().now_ms();
    let hash = SecretHash::of(&code);
    match app
        .tables
        .store()
        .create_link(player.id, hash, now_ms)
        .await?
    {
        LinkCreation::Created => {}
        LinkCreation::NoSuchPlayer => return Err(no_such_player()),
        LinkCreation::TooMany => {
            let detail = format!(
                "a player has at most {MAX_LINKS} unused codes; they expire after ten minutes"
            );
            return Err(api_error(ProblemKind::TooManyCodes, detail));
        }
    }
    let link = DeviceLink {
        qr: qr_code::svg(&link).unwrap_or_default(),
        code,
        link,
        expires_ms: now_ms + LINK_LIFETIME_MS,
    };
    Ok((StatusCode::CREATED, axum::Json(link)).into_response())
}

/// Exchanges a code from another device for a token.
///
/// The token acts for the player who created the code. A code can be used once.
#[utoipa::path(
    post, path = "/api/players/link", operation_id = "useLink", tag = "players",
    request_body = LinkCode,
    responses(
        (status = 201, body = PlayerToken, description = "The player's id and a token"),
        LinkErrors,
    )
)]
pub(super) async fn link(
    State(app): State<Arc<AppState>>,
    body: Json<LinkCode>,
) -> Result<Response, ApiError> {
    let code = SecretHash::of(body.value.code.trim());
    let token = new_token(app.tables.ids());
    let (store, now_ms) = (app.tables.store(), app.tables.clock().now_ms());
    match store
        .redeem_link(code, SecretHash::of(&token), now_ms)
        .await?
    {
        Redemption::Linked(player) => {
            let linked = player_token(player.id, token);
            Ok((StatusCode::CREATED, axum::Json(linked)).into_response())
        }
        Redemption::NoSuchCode => Err(api_error(
            ProblemKind::NoSuchCode,
            "this code is not valid: each works once, for ten minutes; \
             the other device makes a new one",
        )),
        Redemption::TooManyTokens => Err(api_error(
            ProblemKind::TooManyDevices,
            format!(
                "a player has at most {MAX_TOKENS} devices; \
                 DELETE /api/me/tokens signs the others out"
            ),
        )),
    }
}

/// Reads the public data of a player.
///
/// The answer has the name, a page of the finished games, and the results by opponent.
#[utoipa::path(
    get, path = "/api/players/{id}", operation_id = "getPlayer", tag = "players",
    params(
        ("id" = String, Path, description = "the player"),
        ("before" = Option<String>, Query, description = "the `finished.before` of the previous page"),
        ("limit" = Option<usize>, Query, description = "maximum number of games on a page, 1 to 50"),
    ),
    responses(
        (status = 200, body = Profile, description = "The player"),
        PlayerErrors,
    )
)]
pub(super) async fn profile(
    State(app): State<Arc<AppState>>,
    PathParams([id]): PathParams<1>,
    client: Client,
    QueryParams(pages): QueryParams<Pages>,
) -> Result<Response, ApiError> {
    /// For the rate limit, this request counts as this many additional requests, because it may read a
    /// thousand games.
    const COST: u32 = 10;
    let id: PlayerId = id.parse().map_err(|_| no_such_player())?;
    app.rate_limiter
        .count_request(&client, COST, app.tables.clock().now())?;
    let found = app.tables.store().players(vec![id]).await?;
    let player = found.first().ok_or_else(no_such_player)?;
    let finished = page(&app, pages.finished(id)?).await?;
    let query = ListQuery {
        before: None,
        limit: MAX_COUNTED_GAMES,
        ..pages.finished(id)?
    };
    let counted = app.tables.store().list(query).await?;
    let holders = counted.iter().flat_map(|game| &game.summary.holders);
    let names = PlayerNames::load(app.tables.store(), holders).await?;
    let profile = Profile {
        player: view_of(player),
        finished,
        results: results(&counted, id, &names),
    };
    Ok(axum::Json(profile).into_response())
}

/// The results of a player against each opponent. Opponents with more games come first.
fn results(games: &[ListedGame], player: PlayerId, names: &PlayerNames) -> Vec<OpponentResults> {
    let mut results: BTreeMap<(bool, Option<String>, String), OpponentResults> = BTreeMap::new();
    for game in games {
        let holders = &game.summary.holders;
        let is_player = |holder: &Holder| holder.player_id() == Some(player);
        let Some(seat) = holders.iter().position(is_player) else {
            continue;
        };
        let Some(ending) = game.ending() else {
            continue;
        };
        for opponent in holders.iter().filter(|holder| !is_player(holder)) {
            let known = opponent.player_id().filter(|id| names.get(*id).is_some());
            let (robot, name) = (opponent.is_robot(), names.name(opponent));
            let id = known.map(|id| id.to_string());
            let result =
                results
                    .entry((robot, id.clone(), name.clone()))
                    .or_insert(OpponentResults {
                        name,
                        player: id,
                        robot,
                        won: 0,
                        lost: 0,
                        drawn: 0,
                    });
            match &ending.conclusion {
                Conclusion::Won { sides, .. } => {
                    let mut winners = sides.iter();
                    match winners.any(|side| side.index() == seat) {
                        true => result.won += 1,
                        false => result.lost += 1,
                    }
                }
                Conclusion::Draw { .. } => result.drawn += 1,
                // These games have no result.
                Conclusion::Abandoned | Conclusion::Aborted => {}
            }
        }
    }
    let mut results: Vec<OpponentResults> = results.into_values().collect();
    results.sort_by_key(|one| std::cmp::Reverse(one.won + one.lost + one.drawn));
    results
}
