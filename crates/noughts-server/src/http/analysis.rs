//! `GET /api/games/{id}/analysis`: computes an analysis once per game, and stores it with the game.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use noughts_api::{
    Evaluation, GameAnalysis, GameValue, Mistake, MoveEvaluation, ProblemKind, TurnAnalysis,
    TurnView,
};
use noughts_engine::{Analysis, Stop, Value, find_mistakes, threats};
use noughts_rules::{Action, Game, Move, Variant};
use serde_json::json;
use tokio::sync::{OnceCell, watch};

use super::AppState;
use super::error::{ApiError, api_error, restarting};
use super::extract::{PathParams, read_id};
use super::games::table;
use super::openapi::AnalysisErrors;
use super::rate_limit::Client;
use crate::id::GameId;
use crate::store::StoreError;
use crate::table::Table;
use crate::tables::{LiveTable, Tables};

/// Analyzes a finished game, turn by turn.
///
/// At the first request, the server computes the analysis and stores it. The computation takes a few seconds.
#[utoipa::path(
    get, path = "/api/games/{id}/analysis", tag = "records", operation_id = "getAnalysis",
    params(("id" = String, Path, description = "the game")),
    responses(
        (status = 200, body = GameAnalysis, description = "The analysis"),
        AnalysisErrors,
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
            ProblemKind::NotOver,
            "the game is still running; it can be analysed when it is over",
        ));
    }
    let json = match app.tables.store().analysis(id).await? {
        Some(json) => in_current_form(json),
        None => app.analyses.find(&app.tables, &live, &client).await?,
    };
    let medium = [(header::CONTENT_TYPE, "application/json")];
    Ok((medium, json).into_response())
}

/// Converts a stored analysis to the current form. Versions before 1.0 stored turns such as `{"by":0,"play":"1-0"}`. An
/// analysis in the current form is returned unchanged.
fn in_current_form(json: String) -> String {
    if !json.contains(r#""done":{"by":"#) {
        return json;
    }
    let Ok(mut analysis) = serde_json::from_str::<serde_json::Value>(&json) else {
        return json;
    };
    for turn in analysis["turns"].as_array_mut().into_iter().flatten() {
        let done = turn["done"].take();
        let seat = &done["by"];
        turn["done"] = match (&done["play"], &done["rewind"]) {
            (serde_json::Value::String(at), _) => json!({"kind": "play", "seat": seat, "move": at}),
            (_, serde_json::Value::Number(count)) => {
                json!({"kind": "rewind", "seat": seat, "count": count})
            }
            _ => json!({"kind": "resign", "seat": seat}),
        };
    }
    analysis.to_string()
}

/// Analyses in progress. Requests for the same game share one analysis.
pub(super) struct Analyses {
    running: Arc<Mutex<HashMap<GameId, Running>>>,
    closing: watch::Receiver<bool>,
}

type Running = Arc<OnceCell<Result<String, StoreError>>>;

/// Maximum number of analyses that run or wait.
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
                    ProblemKind::ServerBusy,
                    "many games wait to be analysed; try again in a moment",
                ));
            }
            Arc::clone(all.entry(id).or_default())
        };
        let (all, tables) = (Arc::clone(&self.running), Arc::clone(tables));
        let (mut closing, owner) = (self.closing.clone(), client.network());
        let game = live.read(|table| table.game().clone());
        // The analysis runs in a separate task, so that its result is stored even if every client disconnects.
        let found = tokio::spawn(async move {
            let stop = Stop::new();
            let compute = || analyze(&tables, id, &game, owner, stop.clone());
            let found = tokio::select! {
                found = running.get_or_init(compute) => found.clone(),
                // A running analysis must not delay shutdown.
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
        match found.await.map_err(panicked)? {
            Err(_) if *self.closing.borrow() => Err(restarting()),
            found => Ok(found?),
        }
    }
}

async fn analyze(
    tables: &Tables,
    id: GameId,
    game: &Game,
    owner: Option<IpAddr>,
    stop: Stop,
) -> Result<String, StoreError> {
    let failed = || StoreError::Unavailable("the analysis failed".to_owned());
    let found = tables.robots().analyze(owner, game.clone(), stop).await;
    let analysis = GameAnalysis {
        id: id.to_string(),
        variant: game.variant().to_string(),
        turns: analyze_turns(game, &found.ok_or_else(failed)?),
    };
    let json = serde_json::to_string(&analysis).expect("the types of the API are JSON");
    tables.store().store_analysis(id, json.clone()).await?;
    Ok(json)
}

/// Builds the analysis of each turn. `found` has one item per turn: the search result for the position before that
/// turn, or `None` if that position was not searched.
fn analyze_turns(game: &Game, found: &[Option<Analysis>]) -> Vec<TurnAnalysis> {
    let mistakes = find_mistakes(game, found).into_iter();
    let mut past = game.after(0);
    let turns = game.turns().iter().zip(found).zip(mistakes).enumerate();
    let variant = game.variant();
    turns
        .map(|(number, ((turn, before), mistake))| {
            let before = before.as_ref();
            let best = before.and_then(|before| before.line.first());
            let best_threats = best.map(|best| threats_after(&past, *best));
            // A recorded turn is legal, so `act` cannot fail.
            let _ = past.act(turn.by, turn.action);
            let threats = match turn.action {
                Action::Play(at) => threats(&past, at),
                Action::Rewind(_) | Action::Takeback(_) | Action::Resign => Vec::new(),
            };
            TurnAnalysis {
                turn: number + 1,
                done: TurnView::new(variant, *turn),
                worth: before.map(worth),
                best: best.map(|at| variant.format_move(*at)),
                line: before
                    .map(|before| write_moves(variant, &before.line))
                    .unwrap_or_default(),
                threats: write_moves(variant, &threats),
                best_threats: write_moves(variant, &best_threats.unwrap_or_default()),
                moves: before
                    .map(|before| moves(variant, before))
                    .unwrap_or_default(),
                mistake: mistake.map(|mistake| Mistake {
                    had: game_value(mistake.before),
                    left: game_value(mistake.after),
                }),
            }
        })
        .collect()
}

/// The [`threats`] on the board after the side to move has played `at`. The list is empty if that move is illegal.
fn threats_after(game: &Game, at: Move) -> Vec<Move> {
    let mut after = game.clone();
    match after.to_move().map(|by| after.act(by, Action::Play(at))) {
        Some(Ok(())) => threats(&after, at),
        Some(Err(_)) | None => Vec::new(),
    }
}

fn write_moves(variant: &Variant, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|at| variant.format_move(*at)).collect()
}

fn prospect(analysis: &Analysis) -> GameValue {
    match analysis.exact() {
        Some((value, _)) => game_value(value),
        None => GameValue::Unknown,
    }
}

fn game_value(value: noughts_engine::GameValue) -> GameValue {
    match value {
        noughts_engine::GameValue::Win => GameValue::Win,
        noughts_engine::GameValue::Draw => GameValue::Draw,
        noughts_engine::GameValue::Loss => GameValue::Loss,
    }
}

fn worth(analysis: &Analysis) -> Evaluation {
    let (plies, estimate) = match (analysis.exact(), analysis.value) {
        (Some((value, plies)), _) => (plies_of(value, plies), None),
        (None, Value::Estimate(points)) => (None, Some(points)),
        (None, Value::Win { .. } | Value::Loss { .. } | Value::Draw) => (None, None),
    };
    Evaluation {
        value: prospect(analysis),
        plies,
        estimate,
    }
}

fn moves(variant: &Variant, analysis: &Analysis) -> Vec<MoveEvaluation> {
    let moves = analysis.moves.iter().map(|known| MoveEvaluation {
        at: variant.format_move(known.at),
        value: game_value(known.value),
        plies: plies_of(known.value, known.distance),
    });
    moves.collect()
}

/// Returns `plies`, the number of plies to the end of the game, if the value is a win or a loss. Returns `None` for a
/// draw.
fn plies_of(value: noughts_engine::GameValue, plies: Option<u32>) -> Option<u32> {
    plies.filter(|_| value != noughts_engine::GameValue::Draw)
}
