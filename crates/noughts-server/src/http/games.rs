//! Creates tables, and reads, joins and plays games.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use noughts_api::{
    ActionRequest, CreatedTable, NewTable, Problem, ProblemKind, RematchView, TakeSeat, TakenSeat,
    View,
};
use noughts_rules::{Game, Placement, Seat, Variant};
use serde::Deserialize;
use utoipa::IntoParams;

use super::AppState;
use super::create_table::{TablePlan, read_name, start_position};
use super::error::{ApiError, api_error};
use super::extract::{
    AuthorizedSeat, Json, MIN_SECRET_KEY_LENGTH, PathParams, QueryParams, idempotency_key,
    no_such_game, read_id,
};
use super::rate_limit::Client;
use super::seat_token::GameSeat;
use super::stream::{view_json, view_of};
use crate::id::GameId;
use crate::table::{
    Command, CreationKey, Holder, NewGame, RequestKey, Snapshot, Table, TableRefusal,
};
use crate::tables::{Creation, LiveTable, SubmitError};

/// Creates a table. Only `variant` is required: by default the caller takes seat 0, and robots of level
/// 8 take the others. A request with an `Idempotency-Key` is safe to repeat.
#[utoipa::path(
    post, path = "/api/games", tag = "tables",
    params(("Idempotency-Key" = Option<String>, Header, description = "16 to 128 visible characters")),
    request_body = NewTable,
    responses(
        (status = 201, body = CreatedTable, headers(("Location" = String))),
        (status = 200, body = CreatedTable, description = "a repeat"),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn create(
    State(app): State<Arc<AppState>>,
    client: Client,
    headers: HeaderMap,
    body: Json<NewTable>,
) -> Result<Response, ApiError> {
    let request = idempotency_key(&headers, body.hash, MIN_SECRET_KEY_LENGTH)?;
    let new_table = body.value;
    let from = match &new_table.from {
        Some(from) => {
            let live = table(&app, read_id(&from.game)?).await?;
            let game = live.read(|table| table.game().after(from.turn));
            let turns = live.read(Table::turn) - 1;
            Some(start_position(&game, from.turn, turns)?)
        }
        None => None,
    };
    let (id, now_ms) = (app.tables.ids().game(), app.tables.clock().now_ms());
    let plan = TablePlan::new(&new_table, from, (id, now_ms))?;
    let creation_key = request
        .as_ref()
        .map(|request| creation_key(&client, request));
    let now = app.tables.clock().now();
    let bytes = bytes_without_players(&plan.settings);
    let limiter = &app.rate_limiter;
    let limit = limiter.check_open_tables(&client, &app.tables).await;
    let limit = limit.and_then(|()| limiter.count_stored(&client, bytes, now));
    let is_counted = limit.is_ok();
    let creation = match (limit, &creation_key, &request) {
        (Ok(()), ..) => create_table(&app, &client, plan.settings, request.as_ref()).await,
        // A repeat creates no further table.
        (Err(too_many), Some(key), Some(request)) => {
            let before = app.tables.created_before(key, request).await?;
            before.ok_or(too_many)
        }
        (Err(too_many), ..) => return Err(too_many),
    };
    if is_counted && !matches!(creation, Ok(Creation::Created(_))) {
        limiter.refund_stored(&client, bytes, now);
    }
    let (live, status) = match creation? {
        Creation::Created(live) => (live, StatusCode::CREATED),
        Creation::Repeat(id) => (table(&app, id).await?, StatusCode::OK),
        Creation::KeyReused => return Err(TableRefusal::KeyReused.into()),
    };
    let id = live.id();
    let token = |seat: &Seat| {
        let at = GameSeat {
            game: id,
            seat: *seat,
        };
        let key = request.as_ref().map(|request| &request.key);
        (seat.0.to_string(), app.tokens.issue(at, key))
    };
    let created = CreatedTable {
        id: id.to_string(),
        tokens: plan.taken.iter().map(token).collect::<BTreeMap<_, _>>(),
        view: view_of(&live.snapshot()),
    };
    let place = format!("/api/games/{id}");
    Ok((status, [(header::LOCATION, place)], axum::Json(created)).into_response())
}

/// About how many bytes a turn takes in the store.
const TURN_BYTES: usize = 64;

/// How many bytes a table stores by itself when nobody plays there: one turn per cell, where only
/// robots sit.
fn bytes_without_players(settings: &crate::table::Settings) -> usize {
    let is_robot = |holder: &Holder| matches!(holder, Holder::Robot(_));
    match settings.holders.iter().all(is_robot) {
        true => settings.variant.cells() * TURN_BYTES,
        false => 0,
    }
}

async fn create_table(
    app: &Arc<AppState>,
    client: &Client,
    settings: crate::table::Settings,
    request: Option<&RequestKey>,
) -> Result<Creation, ApiError> {
    let key = request.map(|request| creation_key(client, request));
    let (app, client) = (Arc::clone(app), client.clone());
    let (new, request) = (NewGame { settings, key }, request.cloned());
    let created = detach(async move {
        let owner = client.network();
        let created = app.tables.create(new, request.as_ref(), owner).await?;
        if let Creation::Created(live) = &created {
            // Also if the client has disconnected meanwhile.
            let now = app.tables.clock().now();
            app.rate_limiter.add_table(&client, live.id(), now);
            // Its creator knows its id.
            live.set_requested(owner);
        }
        Ok::<_, crate::store::StoreError>(created)
    });
    Ok(created.await.ok_or(SubmitError::Closed)??)
}

/// A creation key, which belongs to the client's address.
pub(super) fn creation_key(client: &Client, request: &RequestKey) -> CreationKey {
    let scope = match client.network() {
        Some(network) => network.to_string(),
        None => "local".to_owned(),
    };
    CreationKey {
        scope,
        key: request.key.clone(),
    }
}

/// Which turn to show.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct At {
    /// The table as it was after this many completed turns.
    after: Option<usize>,
    /// The former name of `after`.
    turn: Option<usize>,
}

/// Reads a table.
#[utoipa::path(
    get, path = "/api/games/{id}", tag = "tables",
    params(("id" = String, Path, description = "the game"), At),
    responses(
        (status = 200, body = View),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn get(
    State(app): State<Arc<AppState>>,
    PathParams([id]): PathParams<1>,
    QueryParams(at): QueryParams<At>,
) -> Result<Response, ApiError> {
    let live = table(&app, read_id(&id)?).await?;
    let Some(turns) = at.after.or(at.turn) else {
        return Ok(view(&live.snapshot()));
    };
    match live.snapshot_after(turns) {
        Some(snapshot) => Ok(axum::Json(view_of(&snapshot)).into_response()),
        None => Err(api_error(
            ProblemKind::Unreadable,
            format!(
                "this game has {} completed turns so far",
                live.read(Table::turn) - 1
            ),
        )),
    }
}

/// Takes an open seat. A request with an `Idempotency-Key` is safe to repeat.
#[utoipa::path(
    post, path = "/api/games/{id}/seats/{seat}", tag = "tables",
    params(
        ("id" = String, Path, description = "the game"),
        ("seat" = u8, Path, description = "the seat, from 0"),
        ("Idempotency-Key" = Option<String>, Header, description = "16 to 128 visible characters"),
    ),
    request_body = TakeSeat,
    responses(
        (status = 200, body = TakenSeat),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn take_seat(
    State(app): State<Arc<AppState>>,
    PathParams([id, seat]): PathParams<2>,
    headers: HeaderMap,
    body: Json<TakeSeat>,
) -> Result<Response, ApiError> {
    let game = read_id(&id)?;
    let live = table(&app, game).await?;
    let request = idempotency_key(&headers, body.hash, MIN_SECRET_KEY_LENGTH)?;
    let seats = live.read(|table| table.holders().len());
    let seat = seat.parse().ok().filter(|seat| usize::from(*seat) < seats);
    let seat = seat.map(Seat).ok_or_else(|| {
        let last = seats - 1;
        let detail = format!("the seats of this game are 0 to {last}");
        api_error(ProblemKind::NoSuchPage, detail)
    })?;
    let (name, node) = (read_name(&body.value.name)?, None);
    let command = Command::TakeSeat {
        seat,
        holder: Holder::Human { name, node },
        key: request.clone().map(Box::new),
    };
    let live = submit(&app, live, command).await?;
    let key = request.as_ref().map(|request| &request.key);
    let token = app.tokens.issue(GameSeat { game, seat }, key);
    let view = view_of(&live.snapshot());
    Ok(axum::Json(TakenSeat { token, view }).into_response())
}

/// Plays, rewinds or resigns, with the token of a seat. The answer is the view, which may already
/// contain a robot's reply. The request is safe to repeat.
#[utoipa::path(
    post, path = "/api/games/{id}/actions", tag = "tables",
    params(
        ("id" = String, Path, description = "the game"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 128 visible characters"),
    ),
    request_body = ActionRequest,
    security(("seat" = [])),
    responses(
        (status = 200, body = View),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn act(
    State(app): State<Arc<AppState>>,
    AuthorizedSeat(live, seat): AuthorizedSeat,
    client: Client,
    headers: HeaderMap,
    body: Json<ActionRequest>,
) -> Result<Response, ApiError> {
    let key = idempotency_key(&headers, body.hash, 1)?;
    let snapshot = act_at(&app, (live, seat), &body.value, key, &client).await?;
    Ok(view(&snapshot))
}

/// Carries out an action, and returns the table after it.
pub(super) async fn act_at(
    app: &Arc<AppState>,
    (live, seat): (Arc<LiveTable>, Seat),
    act: &ActionRequest,
    key: Option<RequestKey>,
    client: &Client,
) -> Result<Arc<Snapshot>, ApiError> {
    live.set_requested(client.network());
    let unreadable = |error| api_error(ProblemKind::Unreadable, error);
    let requested = act.requested_action().map_err(unreadable)?;
    let action = live.read(|table| requested.action(&seen_by(act, table)));
    let command = Command::Act {
        seat,
        action: action.map_err(unreadable)?,
        turn: act.turn,
        key: key.map(Box::new),
    };
    let live = submit(app, live, command).await?;
    Ok(live.snapshot())
}

/// The game as the client saw it. With gravity a column means another cell in every turn, so a repeat can be
/// recognized only in the client's turn.
fn seen_by<'t>(act: &ActionRequest, table: &'t Table) -> Cow<'t, Game> {
    let marks_fall = match table.settings().variant {
        Variant::Grid(spec) => spec.placement == Placement::Gravity,
        Variant::Nested(_) => false,
    };
    match marks_fall && act.turn < table.turn() {
        true => Cow::Owned(table.game().after(act.turn.saturating_sub(1))),
        false => Cow::Borrowed(table.game()),
    }
}

/// Requests a rematch, with the token of a seat. When every human player has done so, the view's `rematch` is a
/// new game in which each player moves on by one seat, and the answer has the caller's seat and token there.
#[utoipa::path(
    post, path = "/api/games/{id}/rematch", tag = "tables",
    params(("id" = String, Path, description = "the game")),
    security(("seat" = [])),
    responses(
        (status = 200, body = RematchView),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn rematch(
    State(app): State<Arc<AppState>>,
    AuthorizedSeat(live, seat): AuthorizedSeat,
) -> Result<Response, ApiError> {
    let command = Command::OfferRematch {
        seat,
        next: app.tables.ids().game(),
    };
    let live = submit(&app, live, command).await?;
    let snapshot = live.snapshot();
    // A player who requested it before the last one sends the request again to get their token.
    let seats = snapshot.holders.len();
    let next = snapshot.rematch.map(|game| GameSeat {
        game,
        seat: Seat(((usize::from(seat.0) + 1) % seats) as u8),
    });
    let rematch_view = RematchView {
        view: view_of(&snapshot),
        seat: next.map(|at| at.seat.0),
        token: next.map(|at| app.tokens.issue(at, None)),
    };
    Ok(axum::Json(rematch_view).into_response())
}

pub(super) async fn table(app: &Arc<AppState>, id: GameId) -> Result<Arc<LiveTable>, ApiError> {
    app.tables.get(id).await?.ok_or_else(no_such_game)
}

pub(super) async fn snapshot(app: &Arc<AppState>, id: GameId) -> Result<Arc<Snapshot>, ApiError> {
    Ok(table(app, id).await?.snapshot())
}

/// Submits a command, and carries it out even if the client disconnects.
async fn submit(
    app: &Arc<AppState>,
    mut live: Arc<LiveTable>,
    command: Command,
) -> Result<Arc<LiveTable>, SubmitError> {
    /// How often a table that left memory meanwhile is loaded again.
    const MAX_LOADS: usize = 3;
    let tables = Arc::clone(&app.tables);
    let submitted = detach(async move {
        for _ in 0..MAX_LOADS {
            match tables.submit(&live, &command).await {
                Err(SubmitError::Closed) => {}
                submitted => return submitted.map(|()| live),
            }
            let again = tables.get(live.id()).await;
            let again = again.map_err(SubmitError::Unavailable)?;
            live = again.ok_or(SubmitError::NoSuchGame)?;
        }
        Err(SubmitError::Closed)
    });
    submitted.await.unwrap_or(Err(SubmitError::Closed))
}

/// Runs a future to its end even if the caller is dropped. A future that is ready at once costs no task.
/// `None` if it panicked.
async fn detach<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Option<T> {
    let mut work = Box::pin(work);
    // No waker is needed: the spawned task polls again.
    let polled = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    match polled {
        Poll::Ready(value) => Some(value),
        Poll::Pending => tokio::spawn(work).await.ok(),
    }
}

fn view(snapshot: &Snapshot) -> Response {
    let content_type = [(header::CONTENT_TYPE, "application/json")];
    (content_type, view_json(snapshot)).into_response()
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn detached_work_ends_without_its_caller() {
        let (begin, begun) = oneshot::channel::<()>();
        let (end, ended) = oneshot::channel();
        {
            let mut work = pin!(detach(async move {
                begun.await.ok();
                end.send(7).ok();
            }));
            let mut context = Context::from_waker(Waker::noop());
            assert!(work.as_mut().poll(&mut context).is_pending());
        }
        begin.send(()).ok();
        assert_eq!(ended.await, Ok(7));
        assert_eq!(detach(async { 5 }).await, Some(5));
    }
}
