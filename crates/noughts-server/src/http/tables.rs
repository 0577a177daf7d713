//! Tables: laid, looked at, sat down at, played at.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use noughts_api::{Act, Again, Kind, Laid, NewTable, Problem, Seated, TakeSeat, View};
use noughts_rules::{Game, Placement, Seat, Variant};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Web;
use super::body::{AtSeat, InPath, InQuery, Json, UNGUESSED, key, no_such_game, read_id};
use super::callers::Caller;
use super::refusal::{Refuse, refuse};
use super::tokens::Pass;
use super::wishes::{Plan, before, read_name};
use crate::house::Laying;
use crate::id::GameId;
use crate::room::{Denied, Room, Sight, Wish};
use crate::store::{Key, NewGame, Sitting};
use crate::table::Table;

/// Lays a table. Only `variant` is needed: then the caller takes seat 0, and robots of level 8 sit in
/// the others. A request with an `Idempotency-Key` may be repeated.
#[utoipa::path(
    post, path = "/api/games", tag = "tables",
    params(("Idempotency-Key" = Option<String>, Header, description = "16 to 128 visible characters")),
    request_body = NewTable,
    responses(
        (status = 201, body = Laid, headers(("Location" = String))),
        (status = 200, body = Laid, description = "a repeat"),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn lay(
    State(web): State<Arc<Web>>,
    caller: Caller,
    headers: HeaderMap,
    body: Json<NewTable>,
) -> Result<Response, Refuse> {
    let key = key(&headers, body.hash, UNGUESSED)?;
    let wish = body.value;
    let from = match &wish.from {
        Some(from) => {
            let sight = look_at(&web, read_id(&from.game)?).await?;
            Some(before(sight.table().game(), from.turn)?)
        }
        None => None,
    };
    let before = match web.callers.count_table(&caller, &web.house).await {
        Ok(()) => None,
        // A repeat asks for no further table.
        Err(too_many) => match &key {
            Some(key) => Some(web.house.laid_before(key).await?.ok_or(too_many)?),
            None => return Err(too_many),
        },
    };
    let plan = Plan::new(&wish, from, (web.house.new_id(), web.house.now_ms()))?;
    let laying = match before {
        Some(before) => before,
        None => {
            let (setting, key) = (plan.setting, key.clone());
            web.house.lay(NewGame { setting, key }).await?
        }
    };
    let (id, status) = match laying {
        Laying::Laid(id) => {
            web.callers.laid(&caller, id, web.house.now());
            (id, StatusCode::CREATED)
        }
        Laying::Before(id) => (id, StatusCode::OK),
        Laying::KeyReused => return Err(Denied::KeyReused.into()),
        Laying::Impossible => return Err(refuse(Kind::Impossible, "there can be no such table")),
    };
    let sight = look_at(&web, id).await?;
    let token = |seat: &Seat| {
        let pass = Pass {
            game: id,
            seat: *seat,
        };
        (seat.0.to_string(), web.tokens.give(pass, key.as_ref()))
    };
    let laid = Laid {
        id: id.to_string(),
        tokens: plan.taken.iter().map(token).collect::<BTreeMap<_, _>>(),
        view: sight.view(),
    };
    let place = format!("/api/games/{id}");
    Ok((status, [(header::LOCATION, place)], axum::Json(laid)).into_response())
}

/// Which turn to look at.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct At {
    /// The table as it was after so many completed turns.
    turn: Option<usize>,
}

/// A table as it stands.
#[utoipa::path(
    get, path = "/api/games/{id}", tag = "tables",
    params(("id" = String, Path, description = "the game"), At),
    responses(
        (status = 200, body = View),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn look(
    State(web): State<Arc<Web>>,
    InPath([id]): InPath<1>,
    InQuery(at): InQuery<At>,
) -> Result<Response, Refuse> {
    let sight = look_at(&web, read_id(&id)?).await?;
    match at.turn {
        None => Ok(view(&sight)),
        Some(turns) if turns < sight.table().turn() => {
            Ok(axum::Json(sight.view_after(turns)).into_response())
        }
        Some(_) => Err(refuse(
            Kind::Unreadable,
            format!(
                "this game has {} completed turns so far",
                sight.table().turn() - 1
            ),
        )),
    }
}

/// Takes an open seat. A request with an `Idempotency-Key` may be repeated.
#[utoipa::path(
    post, path = "/api/games/{id}/seats/{seat}", tag = "tables",
    params(
        ("id" = String, Path, description = "the game"),
        ("seat" = u8, Path, description = "the seat, from 0"),
        ("Idempotency-Key" = Option<String>, Header, description = "16 to 128 visible characters"),
    ),
    request_body = TakeSeat,
    responses(
        (status = 200, body = Seated),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn sit(
    State(web): State<Arc<Web>>,
    InPath([id, seat]): InPath<2>,
    headers: HeaderMap,
    body: Json<TakeSeat>,
) -> Result<Response, Refuse> {
    let game = read_id(&id)?;
    let sight = look_at(&web, game).await?;
    let key = key(&headers, body.hash, UNGUESSED)?;
    let seat = seat.parse().ok().map(Seat);
    let seat = seat.filter(|seat| sight.table().holder(*seat).is_some());
    let seat = seat.ok_or_else(|| {
        let last = sight.table().setting().holders.len() - 1;
        refuse(
            Kind::NoSuchPage,
            format!("the seats of this game are 0 to {last}"),
        )
    })?;
    let sitting = Sitting {
        name: read_name(&body.value.name)?,
        node: None,
        key: key.clone(),
    };
    let sat = with_room(&web, game, |room| {
        let sitting = sitting.clone();
        async move { room.sit(seat, sitting).await }
    });
    let sight = match sat.await {
        // The same request once more.
        Err(Denied::SeatTaken) if web.sat_before(game, seat, &sitting).await? => {
            look_at(&web, game).await?
        }
        sat => sat?,
    };
    let token = web.tokens.give(Pass { game, seat }, key.as_ref());
    let view = sight.view();
    Ok(axum::Json(Seated { token, view }).into_response())
}

/// Plays, takes back or gives up, with the token of a seat. The answer is the view, which may have a
/// robot's reply already. To repeat it is safe.
#[utoipa::path(
    post, path = "/api/games/{id}/actions", tag = "tables",
    params(
        ("id" = String, Path, description = "the game"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 128 visible characters"),
    ),
    request_body = Act,
    security(("seat" = [])),
    responses(
        (status = 200, body = View),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn act(
    State(web): State<Arc<Web>>,
    AtSeat(pass): AtSeat,
    headers: HeaderMap,
    body: Json<Act>,
) -> Result<Response, Refuse> {
    let key = key(&headers, body.hash, 1)?;
    let sight = act_at(&web, (pass.game, pass.seat), &body.value, key).await?;
    Ok(view(&sight))
}

/// Does what a seat asks for: the table after it.
pub(super) async fn act_at(
    web: &Arc<Web>,
    (game, seat): (GameId, Seat),
    act: &Act,
    key: Option<Key>,
) -> Result<Arc<Sight>, Refuse> {
    let sight = look_at(web, game).await?;
    let unreadable = |error| refuse(Kind::Unreadable, error);
    let deed = act.deed().map_err(unreadable)?;
    let action = deed
        .action(&seen_by(act, sight.table()))
        .map_err(unreadable)?;
    let wish = Wish {
        seat,
        action,
        at_turn: act.turn,
        key: key.map(Box::new),
    };
    let done = with_room(web, game, |room| {
        let wish = wish.clone();
        async move { room.act(wish).await }
    });
    Ok(done.await?)
}

/// The game as whoever asks saw it: where marks fall, a column is another cell in every turn, and a
/// repeat must be known as one.
fn seen_by<'t>(act: &Act, table: &'t Table) -> Cow<'t, Game> {
    let marks_fall = match table.setting().variant {
        Variant::Grid(spec) => spec.placement == Placement::Gravity,
        Variant::Nested(_) => false,
    };
    match marks_fall && act.turn < table.turn() {
        true => Cow::Owned(table.game().after(act.turn.saturating_sub(1))),
        false => Cow::Borrowed(table.game()),
    }
}

/// Wants to play again, with the token of a seat. When all people at the table do, the view's `rematch`
/// is a new game with everybody moved on by one seat, and the caller is given theirs.
#[utoipa::path(
    post, path = "/api/games/{id}/rematch", tag = "tables",
    params(("id" = String, Path, description = "the game")),
    security(("seat" = [])),
    responses(
        (status = 200, body = Again),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn again(
    State(web): State<Arc<Web>>,
    AtSeat(pass): AtSeat,
) -> Result<Response, Refuse> {
    let done = with_room(&web, pass.game, |room| async move {
        room.again(pass.seat).await
    });
    let sight = done.await?;
    // Everybody has moved on by one seat. Who asked first asks once more, when they see the new game.
    let seats = sight.table().setting().holders.len();
    let next = sight.rematch().map(|game| Pass {
        game,
        seat: Seat(((usize::from(pass.seat.0) + 1) % seats) as u8),
    });
    let again = Again {
        view: sight.view(),
        seat: next.map(|pass| pass.seat.0),
        token: next.map(|pass| web.tokens.give(pass, None)),
    };
    Ok(axum::Json(again).into_response())
}

/// The table as it stands.
pub(super) async fn look_at(web: &Arc<Web>, id: GameId) -> Result<Arc<Sight>, Refuse> {
    let looked = with_room(web, id, |room| async move { room.look().await });
    looked.await.map_err(Refuse::from)
}

/// Asks the room of a game. One that was just closed is looked for again, in the store.
async fn with_room<F>(
    web: &Arc<Web>,
    id: GameId,
    ask: impl Fn(Room) -> F,
) -> Result<Arc<Sight>, Denied>
where
    F: Future<Output = Result<Arc<Sight>, Denied>>,
{
    for _ in 0..3 {
        let room = web.house.room(id).await.map_err(|_| Denied::Unavailable)?;
        let Some(room) = room else {
            return Err(Denied::NoSuchGame);
        };
        match ask(room).await {
            Err(Denied::Gone) => {}
            answer => return answer,
        }
    }
    Err(Denied::Unavailable)
}

fn view(sight: &Sight) -> Response {
    let medium = [(header::CONTENT_TYPE, "application/json")];
    (medium, sight.json()).into_response()
}

impl Web {
    /// Whether this very request took the seat before; another with the same key is refused.
    async fn sat_before(
        &self,
        game: GameId,
        seat: Seat,
        sitting: &Sitting,
    ) -> Result<bool, Refuse> {
        let Some(key) = &sitting.key else {
            return Ok(false);
        };
        let stored = self
            .house
            .store()
            .load(game)
            .await?
            .ok_or_else(no_such_game)?;
        let mut sat = stored.sat.iter().filter(|(at, _)| *at == seat);
        let before = sat.find_map(|(_, sat)| sat.key.as_ref());
        match before.filter(|before| before.text == key.text) {
            Some(before) if before.body == key.body => Ok(true),
            Some(_) => Err(Denied::KeyReused.into()),
            None => Ok(false),
        }
    }
}
