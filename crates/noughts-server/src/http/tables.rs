//! Tables: laid, looked at, sat down at, played at.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use noughts_api::{Act, Kind, Laid, NewTable, Seated, TakeSeat};
use noughts_rules::Seat;
use serde::Deserialize;

use super::Web;
use super::body::{AtSeat, Json, UNGUESSED, key, no_such_game, read_id};
use super::refusal::{Refuse, refuse};
use super::tokens::Pass;
use super::wishes::{Plan, before, read_name};
use crate::house::Laying;
use crate::id::GameId;
use crate::room::{Denied, Room, Sight, Wish};
use crate::store::{NewGame, Sitting};

/// `POST /api/games`
pub(super) async fn lay(
    State(web): State<Arc<Web>>,
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
    let plan = Plan::new(&wish, from, (web.house.new_id(), web.house.now_ms()))?;
    let new = NewGame {
        setting: plan.setting,
        key: key.clone(),
    };
    let (id, status) = match web.house.lay(new).await? {
        Laying::Laid(id) => (id, StatusCode::CREATED),
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
#[derive(Deserialize)]
pub(super) struct At {
    turn: Option<usize>,
}

/// `GET /api/games/{id}`
pub(super) async fn look(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
    Query(at): Query<At>,
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

/// `POST /api/games/{id}/seats/{seat}`
pub(super) async fn sit(
    State(web): State<Arc<Web>>,
    Path((id, seat)): Path<(String, String)>,
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
        Err(Denied::SeatTaken) if key.is_some() && web.sat_before(game, seat, &sitting).await? => {
            look_at(&web, game).await?
        }
        sat => sat?,
    };
    let token = web.tokens.give(Pass { game, seat }, key.as_ref());
    let view = sight.view();
    Ok(axum::Json(Seated { token, view }).into_response())
}

/// `POST /api/games/{id}/actions`
pub(super) async fn act(
    State(web): State<Arc<Web>>,
    AtSeat(pass): AtSeat,
    headers: HeaderMap,
    body: Json<Act>,
) -> Result<Response, Refuse> {
    let key = key(&headers, body.hash, 1)?;
    let sight = look_at(&web, pass.game).await?;
    let unreadable = |error| refuse(Kind::Unreadable, error);
    let deed = body.value.deed().map_err(unreadable)?;
    let action = deed.action(sight.table().game()).map_err(unreadable)?;
    let wish = Wish {
        seat: pass.seat,
        action,
        at_turn: body.value.turn,
        key: key.map(Box::new),
    };
    let done = with_room(&web, pass.game, |room| {
        let wish = wish.clone();
        async move { room.act(wish).await }
    });
    Ok(view(&*done.await?))
}

/// `POST /api/games/{id}/rematch`
pub(super) async fn again(
    State(web): State<Arc<Web>>,
    AtSeat(pass): AtSeat,
) -> Result<Response, Refuse> {
    let done = with_room(&web, pass.game, |room| async move {
        room.again(pass.seat).await
    });
    Ok(view(&*done.await?))
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
    (medium, sight.json().to_owned()).into_response()
}

impl Web {
    /// Whether this very request took the seat before.
    async fn sat_before(
        &self,
        game: GameId,
        seat: Seat,
        sitting: &Sitting,
    ) -> Result<bool, Refuse> {
        let stored = self
            .house
            .store()
            .load(game)
            .await?
            .ok_or_else(no_such_game)?;
        let same = |(at, sat): &(Seat, Sitting)| *at == seat && sat == sitting;
        Ok(stored.sat.iter().any(same))
    }
}
