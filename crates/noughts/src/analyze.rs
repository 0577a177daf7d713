//! `noughts analyze`: evaluates a position, or finds the mistakes of a finished game.

use std::io::{self, Write};
use std::sync::Arc;

use noughts_engine::{
    Analysis, GameValue, IterativeDeepening, Limits, MoveValue, SystemClock, Value,
};
use noughts_rules::Game;

use crate::Failure;
use crate::args::Analyze;
use crate::position;
use crate::progress;
use crate::review::Review;
use crate::signals::stop_on_signal;

pub(crate) fn run(task: &Analyze) -> Result<(), Failure> {
    let game = position::game(&task.position)?;
    let limits: Limits = task.time.parse().map_err(|_| {
        let time = task.time.escape_debug();
        Failure::Invalid(format!(
            "the time is written 200ms, 2s or 500000n, not '{time}'"
        ))
    })?;
    let stop = stop_on_signal()?;
    let threads = task.threads.into();
    if game.to_move().is_none() {
        return review(&game, Review::new(&game, limits, threads, &stop), task.json);
    }
    let spinner = progress::spinner();
    let analysis = IterativeDeepening::new(limits, Arc::new(SystemClock::default()))
        .with_threads(threads)
        .analyze(&game, &stop);
    spinner.finish_and_clear();
    let text = if task.json {
        json(&game, &analysis)
    } else {
        words(&game, &analysis)
    };
    io::stdout().write_all(text.as_bytes())?;
    match stop.is_set() {
        true => Err(Failure::Interrupted),
        false => Ok(()),
    }
}

/// Prints the mistakes of a finished game.
fn review(game: &Game, review: Review<'_>, is_json: bool) -> Result<(), Failure> {
    let text = match is_json {
        true => review.json(),
        false => review.words(),
    };
    io::stdout().write_all(text.as_bytes())?;
    let (analyzed, turns) = (review.analyzed(), game.turns().len());
    match analyzed < turns {
        true => Err(Failure::Stopped(format!(
            "Stopped after {analyzed} of {turns} turns."
        ))),
        false => Ok(()),
    }
}

fn moves(game: &Game, analysis: &Analysis) -> Vec<String> {
    analysis
        .line
        .iter()
        .map(|at| game.variant().format_move(*at))
        .collect()
}

fn words(game: &Game, analysis: &Analysis) -> String {
    let variant = game.variant();
    let line = moves(game, analysis);
    let value = match analysis.exact() {
        Some((value, plies)) => outcome(value, plies),
        None => format!("stands {}", analysis.value),
    };
    let move_text = |known: &MoveValue| {
        let place = variant.format_move(known.at);
        format!("{place} {}\n", outcome(known.value, known.distance))
    };
    let moves: Vec<String> = analysis.moves.iter().map(move_text).collect();
    let moves = match moves.is_empty() {
        true => String::new(),
        false => format!("moves     {}", moves.join("          ")),
    };
    let diagram = game.diagram();
    format!(
        "{}\n\n{} to move {value}\nbest      {}\nline      {}\n{moves}depth     {}\nnodes     {}\ntime      {:.3} s\n",
        diagram.draw(variant),
        diagram.to_move.symbol(),
        line[0],
        line.join(" "),
        analysis.depth,
        analysis.nodes,
        analysis.time.as_secs_f64(),
    )
}

/// Describes a value, such as `wins in 7 plays`.
fn outcome(value: GameValue, plies: Option<u32>) -> String {
    let verb = match value {
        GameValue::Win => "wins",
        GameValue::Draw => return "draws".to_owned(),
        GameValue::Loss => "loses",
    };
    match plies {
        Some(plies) => format!("{verb} in {}", plays(plies)),
        None => verb.to_owned(),
    }
}

fn plays(plies: u32) -> String {
    match plies {
        1 => "1 play".to_owned(),
        _ => format!("{plies} plays"),
    }
}

/// Writes JSON without a library. No text in the JSON comes from a user, so nothing needs escapes.
fn json(game: &Game, analysis: &Analysis) -> String {
    let known = |value: GameValue, plies: Option<u32>| {
        let plies = plies.filter(|_| value != GameValue::Draw);
        let plies = plies.map_or("null".to_owned(), |plies| plies.to_string());
        format!("\"value\":\"{value}\",\"plies\":{plies}")
    };
    let value = match (analysis.exact(), analysis.value) {
        (Some((value, plies)), _) => known(value, plies),
        (None, Value::Estimate(points)) => {
            format!("\"value\":\"unknown\",\"estimate\":{points}")
        }
        (None, Value::Win { .. } | Value::Loss { .. } | Value::Draw) => {
            "\"value\":\"unknown\"".to_owned()
        }
    };
    let move_value = |one: &MoveValue| {
        let place = game.variant().format_move(one.at);
        format!(
            "{{\"move\":\"{place}\",{}}}",
            known(one.value, one.distance)
        )
    };
    let values: Vec<String> = analysis.moves.iter().map(move_value).collect();
    let line = moves(game, analysis);
    format!(
        "{{\"variant\":\"{}\",\"position\":\"{}\",{value},\"best\":\"{}\",\"line\":[{}],\"moves\":[{}],\"depth\":{},\"nodes\":{},\"seconds\":{:.6}}}\n",
        game.variant(),
        game.diagram().format(game.variant()),
        line[0],
        line.iter()
            .map(|at| format!("\"{at}\""))
            .collect::<Vec<_>>()
            .join(","),
        values.join(","),
        analysis.depth,
        analysis.nodes,
        analysis.time.as_secs_f64(),
    )
}
