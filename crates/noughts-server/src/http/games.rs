//! Handlers that create tables, read them, seat players, and perform actions.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use noughts_api::{
    ActionError, ActionRequest, ClaimKind, CreatedTable, FieldLocation, NewTable, OfferKind,
    ProblemKind, RematchView, RequestedAction, TakeSeat, TakenSeat, View,
};
use noughts_rules::{Game, Placement, Seat, Variant};
use serde::Deserialize;
use utoipa::IntoParams;

use super::AppState;
use super::caching::{is_known, not_modified, weak_tag};
use super::create_table::{TablePlan, no_such_seat, no_such_turn, read_name, start_position};
use super::error::{ApiError, api_error, refused_action, restarting};
use super::extract::{
    AuthorizedSeat, Json, MIN_SECRET_KEY_LENGTH, PathParams, QueryParams, TableInPath,
    idempotency_key, no_such_game, read_id,
};
use super::openapi::{
    ActionErrors, CreateErrors, LeaveErrors, RematchErrors, SeatErrors, ViewErrors,
};
use super::rate_limit::Client;
use super::seat_token::GameSeat;
use super::stream::{view_json, view_of};
use crate::id::GameId;
use crate::table::{
    Answer, Claim, Command, CreationKey, Holder, NewGame, Offer, RequestKey, Snapshot, Table,
    TableRefusal,
};
use crate::tables::{Creation, LiveTable, SubmitError};

/// Creates a table.
///
/// Only `variant` or `from` is required: by default the caller takes seat 0, and robots of level 8 take the other
/// seats. With the token of a player, that player takes the caller's seats. A request with an `Idempotency-Key` is safe
/// to repeat.
#[utoipa::path(
    post, path = "/api/games", tag = "tables", operation_id = "createGame",
    params(("Idempotency-Key" = Option<String>, Header, description = "16 to 128 visible characters")),
    request_body = NewTable,
    responses(
        (status = 201, body = CreatedTable, description = "The table and the tokens of the seats taken", headers(("Location" = String))),
        (status = 200, body = CreatedTable, description = "The same table again, for a repeated request", headers(("Location" = String))),
        CreateErrors,
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
            let id = read_id(&from.game);
            let live = match id {
                Ok(id) => table(&app, id).await,
                Err(error) => Err(error),
            };
            let live = live.map_err(|error| error.in_body("/from/game"))?;
            let turns = live.read(Table::turn) - 1;
            let now = app.tables.clock().now();
            app.rate_limiter
                .count_replay(&client, from.after.min(turns), now)?;
            let game = live.read(|table| table.game().after(from.after));
            Some(start_position(&game, from.after, turns)?)
        }
        None => None,
    };
    let (id, now_ms) = (app.tables.ids().game(), app.tables.clock().now_ms());
    let mut plan = TablePlan::new(&new_table, from, (id, now_ms))?;
    if let Some(player) = app.caller(&headers).await? {
        plan.seat_player(player.id);
    }
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
        // A repeated request creates no further table, so the server answers it even if the limit is reached.
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
    let mut view = view_of(&live.snapshot());
    if let [seat] = plan.taken[..] {
        view.you = Some(seat.0);
    }
    let created = CreatedTable {
        id: id.to_string(),
        tokens: plan.taken.iter().map(token).collect::<BTreeMap<_, _>>(),
        view,
    };
    let place = format!("/api/games/{id}");
    Ok((status, [(header::LOCATION, place)], axum::Json(created)).into_response())
}

/// The approximate number of bytes that a turn takes in the store.
const TURN_BYTES: usize = 64;

/// The approximate number of bytes that the store needs for a table even if no player acts. If only robots
/// play, this is the size of one turn for each cell. Otherwise it is 0.
fn bytes_without_players(settings: &crate::table::Settings) -> usize {
    match settings.holders.iter().all(Holder::is_robot) {
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
            // The detached task counts the table, so the table is counted even if the client has
            // disconnected.
            let now = app.tables.clock().now();
            app.rate_limiter.add_table(&client, live.id(), now);
            // The creator gets the table's id, so the table counts as requested by this client.
            live.set_requested(owner);
        }
        Ok::<_, crate::store::StoreError>(created)
    });
    Ok(created.await.ok_or(SubmitError::Closed)??)
}

/// The creation key of a request: its `Idempotency-Key` together with the client's address. So two clients
/// may use the same `Idempotency-Key`.
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

/// The query parameter that selects a turn.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct At {
    /// The table as it was after this many completed turns.
    after: Option<usize>,
    /// The former name of `after`.
    turn: Option<usize>,
}

/// Reads a table.
///
/// With the token of a seat, or of a player who has a seat, the view has the caller's seat in `you`.
#[utoipa::path(
    get, path = "/api/games/{id}", tag = "tables", operation_id = "getGame",
    params(("id" = String, Path, description = "the game"), At),
    security((), ("seat" = [])),
    responses(
        (status = 200, body = View, description = "The table"),
        ViewErrors,
    )
)]
pub(super) async fn get(
    State(app): State<Arc<AppState>>,
    PathParams([id]): PathParams<1>,
    QueryParams(at): QueryParams<At>,
    client: Client,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let live = table(&app, read_id(&id)?).await?;
    let you = app.seat_in_header(&live, &headers).await?;
    if let Some(seat) = you {
        app.presence.request(&live, seat);
    }
    let Some(turns) = at.after.or(at.turn) else {
        // The tag is computed before the snapshot is taken. So the tag may be older than the view, which does no harm.
        // With a newer tag, the client would keep an old view.
        let tag = view_tag(&live, you);
        if is_known(&headers, &tag) {
            return Ok(not_modified(tag));
        }
        let mut response = view(&live.snapshot(), you);
        response.headers_mut().insert(header::ETAG, tag);
        return Ok(response);
    };
    let (all, now) = (live.read(Table::turn) - 1, app.tables.clock().now());
    app.rate_limiter
        .count_replay(&client, turns.min(all), now)?;
    match live.snapshot_after(turns) {
        Some(snapshot) => Ok(view(&snapshot, you)),
        None => {
            let name = if at.after.is_some() {
                "/after"
            } else {
                "/turn"
            };
            Err(no_such_turn(turns, all).at(FieldLocation::Query, name))
        }
    }
}

/// Takes an open seat.
///
/// With the token of a player, the seat belongs to that player. A request with an `Idempotency-Key` is safe to repeat.
#[utoipa::path(
    post, path = "/api/games/{id}/seats/{seat}", tag = "tables", operation_id = "joinSeat",
    params(
        ("id" = String, Path, description = "the game"),
        ("seat" = u8, Path, description = "the seat, from 0"),
        ("Idempotency-Key" = Option<String>, Header, description = "16 to 128 visible characters"),
    ),
    request_body = TakeSeat,
    responses(
        (status = 200, body = TakenSeat, description = "The seat's token"),
        SeatErrors,
    )
)]
pub(super) async fn take_seat(
    State(app): State<Arc<AppState>>,
    TableInPath(live): TableInPath,
    PathParams([_, seat]): PathParams<2>,
    headers: HeaderMap,
    body: Json<TakeSeat>,
) -> Result<Response, ApiError> {
    let game = live.id();
    let request = idempotency_key(&headers, body.hash, MIN_SECRET_KEY_LENGTH)?;
    let seats = live.read(|table| table.holders().len());
    let seat = read_seat(&seat, seats).map_err(|error| error.at(FieldLocation::Path, "/seat"))?;
    let holder = match app.caller(&headers).await? {
        Some(player) => Holder::Player(player.id),
        None => Holder::Human {
            name: read_name(&body.value.name).map_err(|error| error.in_body("/name"))?,
            node: None,
        },
    };
    let command = Command::TakeSeat {
        seat,
        holder,
        key: request.clone().map(Box::new),
    };
    let live = submit(&app, live, command).await?;
    let key = request.as_ref().map(|request| &request.key);
    let token = app.tokens.issue(GameSeat { game, seat }, key);
    let mut view = view_of(&live.snapshot());
    view.you = Some(seat.0);
    Ok(axum::Json(TakenSeat { token, view }).into_response())
}

/// Parses the number of a seat at a table with `seats` seats.
fn read_seat(text: &str, seats: usize) -> Result<Seat, ApiError> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        let detail = "a seat is a whole number, from 0";
        return Err(api_error(ProblemKind::WrongType, detail));
    }
    let seat = text.parse().ok().filter(|seat| usize::from(*seat) < seats);
    seat.map(Seat).ok_or_else(|| no_such_seat(seats))
}

/// Performs an action: play, rewind, resign, offer, answer, abort or claim.
///
/// Needs the token of a seat, or of a player who has a seat. The answer is the view, which may already contain a
/// robot's reply. Offers and answers to offers are safe to repeat only with an `Idempotency-Key`. All other actions are
/// always safe to repeat.
#[utoipa::path(
    post, path = "/api/games/{id}/actions", tag = "tables", operation_id = "act",
    params(
        ("id" = String, Path, description = "the game"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 128 visible characters"),
    ),
    request_body = ActionRequest,
    security(("seat" = [])),
    responses(
        (status = 200, body = View, description = "The table after the action"),
        ActionErrors,
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
    Ok(view(&snapshot, Some(seat)))
}

/// Performs an action, and returns the state of the table after the action.
pub(super) async fn act_at(
    app: &Arc<AppState>,
    (live, seat): (Arc<LiveTable>, Seat),
    act: &ActionRequest,
    key: Option<RequestKey>,
    client: &Client,
) -> Result<Arc<Snapshot>, ApiError> {
    live.set_requested(client.network());
    let unreadable = |error: ActionError| match error {
        ActionError::NotOne => api_error(ProblemKind::NotOneOf, error),
        ActionError::Place(_) => api_error(ProblemKind::UnreadableMove, error).in_body("/play"),
    };
    let requested = act.requested_action().map_err(unreadable)?;
    if act.turn.is_none() && requested.needs_turn() {
        let detail = "\"turn\" is missing; send the \"turn\" of the view to which this responds";
        return Err(api_error(ProblemKind::MissingField, detail).in_body("/turn"));
    }
    if act.turn == Some(0) {
        let detail = "\"turn\" must be 1 or more: turns are numbered from 1";
        return Err(api_error(ProblemKind::OutOfRange, detail).in_body("/turn"));
    }
    if let Some(command) = table_command(app, seat, &requested, &key) {
        if let Command::OfferRematch { .. } | Command::AcceptRematch { .. } = command {
            check_rematch(app, &live)?;
        }
        return Ok(submit(app, live, command).await?.snapshot());
    }
    let variant = live.read(|table| table.settings().variant);
    for _ in 0..MAX_TURNS_TRIED {
        let turn = act.turn.unwrap_or_else(|| live.read(latest_turn));
        if live.read(|table| marks_fall(table) && turn < table.turn()) {
            let now = app.tables.clock().now();
            app.rate_limiter.count_replay(client, turn, now)?;
        }
        let action = live.read(|table| requested.action(&seen_in_turn(turn, table)));
        let command = Command::Act {
            seat,
            action: action.map_err(unreadable)?,
            turn,
            key: key.clone().map(Box::new),
        };
        match submit(app, Arc::clone(&live), command).await {
            Ok(live) => return Ok(live.snapshot()),
            Err(SubmitError::Refused(TableRefusal::Stale { .. })) if act.turn.is_none() => {}
            Err(error) => return Err(refused_action(error, turn, &variant)),
        }
    }
    Err(SubmitError::Busy.into())
}

/// Refuses a request for a rematch if the server is draining, unless the rematch already exists.
fn check_rematch(app: &AppState, live: &LiveTable) -> Result<(), ApiError> {
    match app.operator.is_draining() && live.read(|table| table.rematch().is_none()) {
        true => Err(restarting()),
        false => Ok(()),
    }
}

/// The command for an offer, an answer to an offer, an abort or a claim. `None` for a play, a rewind or a resignation,
/// because these are actions of the rules.
fn table_command(
    app: &Arc<AppState>,
    seat: Seat,
    requested: &RequestedAction,
    key: &Option<RequestKey>,
) -> Option<Command> {
    let key = key.clone().map(Box::new);
    let offer = |kind: &OfferKind| Offer::from_word(kind.name());
    Some(match requested {
        RequestedAction::Play(_) | RequestedAction::Rewind(_) | RequestedAction::Resign => {
            return None;
        }
        RequestedAction::Offer(OfferKind::Rematch) => {
            let next = app.tables.ids().game();
            Command::OfferRematch { seat, next }
        }
        RequestedAction::Accept(OfferKind::Rematch) => {
            let next = app.tables.ids().game();
            Command::AcceptRematch { seat, next }
        }
        RequestedAction::Offer(kind) => {
            let offer = offer(kind)?;
            Command::Offer { seat, offer, key }
        }
        RequestedAction::Accept(kind) => {
            let answer = Answer::Accept(offer(kind)?);
            Command::Answer { seat, answer, key }
        }
        RequestedAction::Decline(kind) => {
            let answer = Answer::Decline(offer(kind)?);
            Command::Answer { seat, answer, key }
        }
        RequestedAction::Abort => Command::Abort { seat },
        RequestedAction::Claim(ClaimKind::Win) => {
            let claim = Claim::Win;
            Command::Claim { seat, claim }
        }
        RequestedAction::Claim(ClaimKind::Draw) => {
            let claim = Claim::Draw;
            Command::Claim { seat, claim }
        }
    })
}

/// Maximum number of attempts for an action without the field `turn`. An attempt fails if another seat acts
/// at the same time.
const MAX_TURNS_TRIED: usize = 8;

/// The turn of an action without the field `turn`: the current turn, or the last completed turn if the game
/// is over. So a repeated resignation gets the same turn as the first resignation, and the server recognizes
/// the repetition.
fn latest_turn(table: &Table) -> usize {
    match table.is_over() {
        true => table.turn().saturating_sub(1),
        false => table.turn(),
    }
}

/// Whether the variant has gravity.
fn marks_fall(table: &Table) -> bool {
    match table.settings().variant {
        Variant::Grid(spec) => spec.placement == Placement::Gravity,
        Variant::Nested(_) => false,
    }
}

/// The game with which a move for turn `turn` is parsed. With gravity, a move is a column, and its cell
/// depends on the turn: the result is the game as it was before turn `turn`. Without gravity, the result is
/// the current game.
fn seen_in_turn(turn: usize, table: &Table) -> Cow<'_, Game> {
    match marks_fall(table) && turn < table.turn() {
        true => Cow::Owned(table.game().after(turn.saturating_sub(1))),
        false => Cow::Borrowed(table.game()),
    }
}

/// Requests a rematch.
///
/// Needs a seat's token, or a player's token if this player has a seat. The request of the last human player
/// creates the new game: then the view's `rematch` is its id, and the answer has the caller's seat and token in
/// it. In the new game, each player has the next seat in turn order.
#[utoipa::path(
    post, path = "/api/games/{id}/rematch", tag = "tables", operation_id = "offerRematch",
    params(("id" = String, Path, description = "the game")),
    security(("seat" = [])),
    responses(
        (status = 200, body = RematchView, description = "The table, and the caller's seat at the new one"),
        RematchErrors,
    )
)]
pub(super) async fn rematch(
    State(app): State<Arc<AppState>>,
    AuthorizedSeat(live, seat): AuthorizedSeat,
) -> Result<Response, ApiError> {
    check_rematch(&app, &live)?;
    let command = Command::OfferRematch {
        seat,
        next: app.tables.ids().game(),
    };
    let live = submit(&app, live, command).await?;
    let snapshot = live.snapshot();
    // A player who requested the rematch earlier repeats the request to get the token.
    let seats = snapshot.holders.len();
    let next = snapshot.rematch.map(|game| GameSeat {
        game,
        seat: Seat(((usize::from(seat.0) + 1) % seats) as u8),
    });
    let mut view = view_of(&snapshot);
    view.you = Some(seat.0);
    let rematch_view = RematchView {
        view,
        seat: next.map(|at| at.seat.0),
        token: next.map(|at| app.tokens.issue(at, None)),
    };
    Ok(axum::Json(rematch_view).into_response())
}

/// Says that the player of a seat leaves.
///
/// Needs the token of the seat or of its player. A client sends this request, for example, when its page is
/// closed. If the player does not come back, the other players may claim the game after 10 seconds. After a
/// lost connection, they must wait one or five minutes.
#[utoipa::path(
    post, path = "/api/games/{id}/leave", tag = "tables", operation_id = "leaveTable",
    params(("id" = String, Path, description = "the game")),
    security(("seat" = [])),
    responses(
        (status = 204, description = "The others may claim the game after 10 seconds"),
        LeaveErrors,
    )
)]
pub(super) async fn leave(
    State(app): State<Arc<AppState>>,
    AuthorizedSeat(live, seat): AuthorizedSeat,
) -> StatusCode {
    app.presence.leave(&live, seat);
    StatusCode::NO_CONTENT
}

pub(super) async fn table(app: &Arc<AppState>, id: GameId) -> Result<Arc<LiveTable>, ApiError> {
    app.tables.get(id).await?.ok_or_else(no_such_game)
}

pub(super) async fn snapshot(app: &Arc<AppState>, id: GameId) -> Result<Arc<Snapshot>, ApiError> {
    Ok(table(app, id).await?.snapshot())
}

/// Submits a command. The command is executed even if the client disconnects.
pub(super) async fn submit(
    app: &Arc<AppState>,
    mut live: Arc<LiveTable>,
    command: Command,
) -> Result<Arc<LiveTable>, SubmitError> {
    /// Maximum number of attempts. An attempt fails if the table was removed from memory in the meantime. The next
    /// attempt loads the table again.
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

/// Runs a future to its end even if the caller is dropped. A future that is not ready at its first poll
/// continues in its own task. Returns `None` if the future panics in that task. A panic in the first poll
/// reaches the caller.
async fn detach<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Option<T> {
    let mut work = Box::pin(work);
    // No waker is needed: the spawned task polls again.
    let polled = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    match polled {
        Poll::Ready(value) => Some(value),
        Poll::Pending => tokio::spawn(work).await.ok(),
    }
}

fn view(snapshot: &Snapshot, you: Option<Seat>) -> Response {
    let content_type = [(header::CONTENT_TYPE, "application/json")];
    (content_type, view_json(snapshot, you)).into_response()
}

/// The `ETag` of the current view for the seat `you`. Each seat has its own tag, because the field `you` of the view
/// differs.
fn view_tag(live: &LiveTable, you: Option<Seat>) -> HeaderValue {
    let seat = you.map_or(0, |seat| u64::from(seat.0) + 1);
    weak_tag(live.view_version().wrapping_add(seat))
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
