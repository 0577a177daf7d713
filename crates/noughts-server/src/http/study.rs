//! What a finished game was worth, turn by turn. Found once, and kept with the game.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use noughts_api::{Kind, Last, Mistake, Problem, Prospect, StudiedTurn, Study, Worth};
use noughts_engine::{Analysis, Value};
use noughts_rules::{Action, Game};
use tokio::sync::OnceCell;

use super::Web;
use super::body::{InPath, read_id};
use super::refusal::{Refuse, refuse};
use super::tables::look_at;
use crate::house::House;
use crate::id::GameId;
use crate::room::Sight;
use crate::store::StoreError;

/// What each turn of a finished game was worth: found once, in at most a few seconds, and kept.
#[utoipa::path(
    get, path = "/api/games/{id}/analysis", tag = "records",
    params(("id" = String, Path, description = "the game")),
    responses(
        (status = 200, body = Study),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "it is still being played"),
        (status = 429, body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn analysis(
    State(web): State<Arc<Web>>,
    InPath([id]): InPath<1>,
) -> Result<Response, Refuse> {
    let id = read_id(&id)?;
    let sight = look_at(&web, id).await?;
    if sight.table().game().conclusion().is_none() {
        return Err(refuse(
            Kind::StillRunning,
            "the game goes on; it is analysed when it is over, so that nobody is told what to play",
        ));
    }
    let json = match web.house.store().analysis(id).await? {
        Some(json) => json,
        None => web.studies.find(&web.house, id, sight).await?,
    };
    let medium = [(header::CONTENT_TYPE, "application/json")];
    Ok((medium, json).into_response())
}

/// Those that are being found out now: whoever asks for the same one waits for the same.
#[derive(Default)]
pub(super) struct Studies(Arc<Mutex<HashMap<GameId, Finding>>>);

type Finding = Arc<OnceCell<Result<String, StoreError>>>;

/// So many games may wait to be studied.
const MOST_STUDIED: usize = 32;

impl Studies {
    async fn find(
        &self,
        house: &Arc<House>,
        id: GameId,
        sight: Arc<Sight>,
    ) -> Result<String, Refuse> {
        let finding = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if all.len() >= MOST_STUDIED && !all.contains_key(&id) {
                return Err(refuse(
                    Kind::TooMany,
                    "many games wait to be analysed; try again in a moment",
                ));
            }
            Arc::clone(all.entry(id).or_default())
        };
        let (all, house) = (Arc::clone(&self.0), Arc::clone(house));
        // On its own, so that what was begun is kept even if nobody waits for it any more.
        let found = tokio::spawn(async move {
            let found = finding.get_or_init(|| study(&house, id, &sight)).await;
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.remove(&id);
            found.clone()
        });
        let lost = |_| StoreError("nobody could think".to_owned());
        Ok(found.await.map_err(lost)??)
    }
}

async fn study(house: &House, id: GameId, sight: &Sight) -> Result<String, StoreError> {
    let game = sight.table().game();
    let lost = || StoreError("nobody could think".to_owned());
    let found = house.robots().study(game.clone()).await.ok_or_else(lost)?;
    let study = Study {
        id: id.to_string(),
        variant: game.variant().to_string(),
        turns: judge(game, &found),
    };
    let json = serde_json::to_string(&study).expect("a shape of ours is JSON");
    house.store().keep_analysis(id, json.clone()).await?;
    Ok(json)
}

/// A turn is a mistake where what it left is known to be less than what there was.
fn judge(game: &Game, found: &[Option<Analysis>]) -> Vec<StudiedTurn> {
    let two = game.variant().sides() == 2;
    let turn = |(number, (turn, before)): (usize, (&noughts_rules::Turn, &Option<Analysis>))| {
        let had = before.as_ref().map(|before| prospect(before.value));
        let after = found.get(number + 1).and_then(Option::as_ref);
        let after = after.map(|after| prospect(after.value).for_the_other());
        let left = match turn.action {
            Action::Resign => Some(Prospect::Loss),
            Action::Play(_) if two && number + 1 == found.len() => ending(game, turn.by),
            Action::Play(_) if two => after,
            // With more sides the next one's prospects say nothing of this one's, and a rewind is
            // not judged.
            Action::Play(_) | Action::Rewind(_) => None,
        };
        let mistake = had.zip(left).filter(|(had, left)| {
            *had != Prospect::Unknown && *left != Prospect::Unknown && left < had
        });
        StudiedTurn {
            turn: number + 1,
            done: Last::new(game, *turn),
            worth: before.as_ref().map(|before| worth(before.value)),
            best: before
                .as_ref()
                .and_then(|before| before.line.first())
                .map(|at| game.variant().write_move(*at)),
            mistake: mistake.map(|(had, left)| Mistake { had, left }),
        }
    };
    let turns = game.turns().iter().zip(found);
    turns.enumerate().map(turn).collect()
}

/// What the last turn made of it for who did it, where it was that which ended the game.
fn ending(game: &Game, by: noughts_rules::Seat) -> Option<Prospect> {
    use noughts_rules::{By, Conclusion};
    let side = game.order().get(usize::from(by.0))?;
    match game.conclusion()? {
        Conclusion::Won {
            by: By::Leaving, ..
        } => None,
        Conclusion::Won { sides, .. } if sides.contains(*side) => Some(Prospect::Win),
        Conclusion::Won { .. } => Some(Prospect::Loss),
        Conclusion::Draw => Some(Prospect::Draw),
        Conclusion::Abandoned => None,
    }
}

trait OtherSide {
    fn for_the_other(self) -> Self;
}

impl OtherSide for Prospect {
    fn for_the_other(self) -> Prospect {
        match self {
            Prospect::Win => Prospect::Loss,
            Prospect::Loss => Prospect::Win,
            Prospect::Draw | Prospect::Unknown => self,
        }
    }
}

fn prospect(value: Value) -> Prospect {
    match value {
        Value::Win { .. } => Prospect::Win,
        Value::Loss { .. } => Prospect::Loss,
        Value::Draw => Prospect::Draw,
        Value::Estimate(_) => Prospect::Unknown,
    }
}

fn worth(value: Value) -> Worth {
    let (plies, estimate) = match value {
        Value::Win { plies } | Value::Loss { plies } => (Some(plies), None),
        Value::Draw => (None, None),
        Value::Estimate(points) => (None, Some(points)),
    };
    Worth {
        value: prospect(value),
        plies,
        estimate,
    }
}
