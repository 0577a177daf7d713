//! `GET /api/games/{id}/analysis`: computed once per game, and stored with it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use noughts_api::{
    Evaluation, GameAnalysis, GameValue, Mistake, Problem, ProblemKind, TurnAnalysis, TurnView,
};
use noughts_engine::{Analysis, Stop, Value};
use noughts_rules::{Action, Game};
use tokio::sync::{OnceCell, watch};

use super::AppState;
use super::error::{ApiError, api_error};
use super::extract::{PathParams, read_id};
use super::games::table;
use super::rate_limit::Client;
use crate::id::GameId;
use crate::store::StoreError;
use crate::table::Table;
use crate::tables::{LiveTable, Tables};

/// Analyses a finished game, turn by turn. The server computes this once, within a few seconds, and stores it.
#[utoipa::path(
    get, path = "/api/games/{id}/analysis", tag = "records",
    params(("id" = String, Path, description = "the game")),
    responses(
        (status = 200, body = GameAnalysis),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "it is still being played"),
        (status = 429, body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn analysis(
    State(app): State<Arc<AppState>>,
    PathParams([id]): PathParams<1>,
    client: Client,
) -> Result<Response, ApiError> {
    let id = read_id(&id)?;
    let live = table(&app, id).await?;
    if !live.read(Table::is_over) {
        return Err(api_error(
            ProblemKind::StillRunning,
            "the game is still running; it can be analysed when it is over",
        ));
    }
    let json = match app.tables.store().analysis(id).await? {
        Some(json) => json,
        None => app.analyses.find(&app.tables, &live, &client).await?,
    };
    let medium = [(header::CONTENT_TYPE, "application/json")];
    Ok((medium, json).into_response())
}

/// Analyses in progress. Requests for the same game share one.
pub(super) struct Analyses {
    running: Arc<Mutex<HashMap<GameId, Running>>>,
    closing: watch::Receiver<bool>,
}

type Running = Arc<OnceCell<Result<String, StoreError>>>;

/// How many games may wait to be analysed.
const MAX_RUNNING: usize = 32;

impl Analyses {
    pub(super) fn new(closing: watch::Receiver<bool>) -> Analyses {
        Analyses {
            running: Arc::default(),
            closing,
        }
    }

    async fn find(
        &self,
        tables: &Arc<Tables>,
        live: &Arc<LiveTable>,
        client: &Client,
    ) -> Result<String, ApiError> {
        let id = live.id();
        let running = {
            let mut all = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            if all.len() >= MAX_RUNNING && !all.contains_key(&id) {
                return Err(api_error(
                    ProblemKind::TooMany,
                    "many games wait to be analysed; try again in a moment",
                ));
            }
            Arc::clone(all.entry(id).or_default())
        };
        let (all, tables) = (Arc::clone(&self.running), Arc::clone(tables));
        let (mut closing, owner) = (self.closing.clone(), client.network());
        let game = live.read(|table| table.game().clone());
        // A separate task, so that the result is stored even if every client disconnects.
        let found = tokio::spawn(async move {
            let stop = Stop::new();
            let compute = || analyse(&tables, id, &game, owner, stop.clone());
            let found = tokio::select! {
                found = running.get_or_init(compute) => found.clone(),
                // An analysis must not delay shutdown.
                _ = closing.changed() => {
                    stop.set();
                    Err(StoreError::Unavailable("the server restarts".to_owned()))
                }
            };
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.remove(&id);
            found
        });
        let panicked = |_| StoreError::Unavailable("the analysis failed".to_owned());
        Ok(found.await.map_err(panicked)??)
    }
}

async fn analyse(
    tables: &Tables,
    id: GameId,
    game: &Game,
    owner: Option<IpAddr>,
    stop: Stop,
) -> Result<String, StoreError> {
    let failed = || StoreError::Unavailable("the analysis failed".to_owned());
    let found = tables.robots().analyze(owner, game.clone(), stop).await;
    let study = GameAnalysis {
        id: id.to_string(),
        variant: game.variant().to_string(),
        turns: judge(game, &found.ok_or_else(failed)?),
    };
    let json = serde_json::to_string(&study).expect("the types of the API are JSON");
    tables.store().store_analysis(id, json.clone()).await?;
    Ok(json)
}

/// A turn is a mistake if the value after it is known to be less than the value before it.
fn judge(game: &Game, found: &[Option<Analysis>]) -> Vec<TurnAnalysis> {
    let two = game.variant().sides() == 2;
    let turn = |(number, (turn, before)): (usize, (&noughts_rules::Turn, &Option<Analysis>))| {
        let had = before.as_ref().map(|before| prospect(before.value));
        let after = found.get(number + 1).and_then(Option::as_ref);
        let after = after.map(|after| prospect(after.value).for_the_other());
        let left = match turn.action {
            Action::Resign => Some(GameValue::Loss),
            Action::Play(_) if two && number + 1 == found.len() => ending(game, turn.by),
            Action::Play(_) if two => after,
            // With more than two sides, the value for the next side says nothing about this one. Rewinds
            // are not judged.
            Action::Play(_) | Action::Rewind(_) => None,
        };
        let mistake = had.zip(left).filter(|(had, left)| {
            *had != GameValue::Unknown && *left != GameValue::Unknown && left < had
        });
        TurnAnalysis {
            turn: number + 1,
            done: TurnView::new(game.variant(), *turn),
            worth: before.as_ref().map(|before| worth(before.value)),
            best: before
                .as_ref()
                .and_then(|before| before.line.first())
                .map(|at| game.variant().format_move(*at)),
            mistake: mistake.map(|(had, left)| Mistake { had, left }),
        }
    };
    let turns = game.turns().iter().zip(found);
    turns.enumerate().map(turn).collect()
}

/// The value of the last turn for its player, if the turn ended the game.
fn ending(game: &Game, by: noughts_rules::Seat) -> Option<GameValue> {
    use noughts_rules::{Conclusion, WinReason};
    let side = game.order().get(usize::from(by.0))?;
    match game.conclusion()? {
        Conclusion::Won {
            by: WinReason::Leaving,
            ..
        } => None,
        Conclusion::Won { sides, .. } if sides.contains(*side) => Some(GameValue::Win),
        Conclusion::Won { .. } => Some(GameValue::Loss),
        Conclusion::Draw => Some(GameValue::Draw),
        Conclusion::Abandoned => None,
    }
}

trait OtherSide {
    fn for_the_other(self) -> Self;
}

impl OtherSide for GameValue {
    fn for_the_other(self) -> GameValue {
        match self {
            GameValue::Win => GameValue::Loss,
            GameValue::Loss => GameValue::Win,
            GameValue::Draw | GameValue::Unknown => self,
        }
    }
}

fn prospect(value: Value) -> GameValue {
    match value {
        Value::Win { .. } => GameValue::Win,
        Value::Loss { .. } => GameValue::Loss,
        Value::Draw => GameValue::Draw,
        Value::Estimate(_) => GameValue::Unknown,
    }
}

fn worth(value: Value) -> Evaluation {
    let (plies, estimate) = match value {
        Value::Win { plies } | Value::Loss { plies } => (Some(plies), None),
        Value::Draw => (None, None),
        Value::Estimate(points) => (None, Some(points)),
    };
    Evaluation {
        value: prospect(value),
        plies,
        estimate,
    }
}
