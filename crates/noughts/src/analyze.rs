//! `noughts analyze`: evaluates a position.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use noughts_engine::{Analysis, IterativeDeepening, Limits, Stop, SystemClock, Value};
use noughts_rules::{Game, Options, Record, Variant};
use noughts_terminal::tui;

use crate::Failure;
use crate::args::Analyze;

pub(crate) fn run(task: &Analyze) -> Result<(), Failure> {
    let game = game(task)?;
    let limits: Limits = task.time.parse().map_err(|_| {
        let time = task.time.escape_debug();
        Failure::Invalid(format!(
            "the time is written 200ms, 2s or 500000n, not '{time}'"
        ))
    })?;
    if game.to_move().is_none() {
        return Err(Failure::invalid(
            "the game is over, there is nothing to think about",
        ));
    }
    let analysis = IterativeDeepening::new(limits, Arc::new(SystemClock::default()))
        .with_threads(task.threads.into())
        .analyze(&game, &Stop::new());
    let text = if task.json {
        json(&game, &analysis)
    } else {
        words(&game, &analysis)
    };
    Ok(io::stdout().write_all(text.as_bytes())?)
}

fn game(task: &Analyze) -> Result<Game, Failure> {
    if let Some(file) = &task.record {
        let text = read(file)?;
        let record = text.parse::<Record>().map_err(Failure::invalid)?;
        return Ok(record.game().clone());
    }
    let name = task.variant.as_deref().unwrap_or_default();
    let variant: Variant = name.parse().map_err(Failure::invalid)?;
    play(&variant, task.moves.as_deref().unwrap_or_default())
}

/// A game after these moves, which are separated by spaces.
pub(crate) fn play(variant: &Variant, moves: &str) -> Result<Game, Failure> {
    // The largest history, so that every rewind in the turns is legal.
    let history = u16::try_from(variant.cells() - 1).unwrap_or(u16::MAX);
    let options = Options {
        history,
        ..Options::default()
    };
    let mut game = Game::new(variant, options).map_err(Failure::invalid)?;
    for (number, text) in moves.split_whitespace().enumerate() {
        let turn = number + 1;
        let action = game
            .parse_action(text)
            .map_err(|error| Failure::Invalid(format!("turn {turn}: {error}")))?;
        let seat = game.to_move().ok_or_else(|| {
            Failure::Invalid(format!(
                "turn {turn}: the game is over after {number} turns"
            ))
        })?;
        game.act(seat, action)
            .map_err(|refusal| Failure::Invalid(format!("turn {turn}: {refusal}")))?;
    }
    Ok(game)
}

/// Also reads pipes, for `--record <(…)`.
fn read(file: &str) -> Result<String, Failure> {
    let text = match file {
        "-" => tui::read(file, Ok(io::stdin().lock())),
        _ => tui::read(file, File::open(file)),
    };
    text.map_err(Failure::Invalid)
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
    let value = match analysis.value {
        Value::Win { plies } => format!("wins in {}", plays(plies)),
        Value::Loss { plies } => format!("loses in {}", plays(plies)),
        Value::Draw => "draws".to_owned(),
        Value::Estimate(_) => format!("stands {}", analysis.value),
    };
    let diagram = game.diagram();
    format!(
        "{}\n\n{} to move {value}\nbest      {}\nline      {}\ndepth     {}\nnodes     {}\ntime      {:.3} s\n",
        diagram.draw(variant),
        diagram.to_move.symbol(),
        line[0],
        line.join(" "),
        analysis.depth,
        analysis.nodes,
        analysis.time.as_secs_f64(),
    )
}

fn plays(plies: u32) -> String {
    match plies {
        1 => "1 play".to_owned(),
        _ => format!("{plies} plays"),
    }
}

/// JSON by hand: all texts are ours and need no escapes.
fn json(game: &Game, analysis: &Analysis) -> String {
    let (value, number) = match analysis.value {
        Value::Win { plies } => ("win", format!("\"plies\":{plies}")),
        Value::Loss { plies } => ("loss", format!("\"plies\":{plies}")),
        Value::Draw => ("draw", "\"plies\":null".to_owned()),
        Value::Estimate(points) => ("unknown", format!("\"estimate\":{points}")),
    };
    let line = moves(game, analysis);
    format!(
        "{{\"variant\":\"{}\",\"position\":\"{}\",\"value\":\"{value}\",{number},\"best\":\"{}\",\"line\":[{}],\"depth\":{},\"nodes\":{},\"seconds\":{:.6}}}\n",
        game.variant(),
        game.diagram().format(game.variant()),
        line[0],
        line.iter()
            .map(|at| format!("\"{at}\""))
            .collect::<Vec<_>>()
            .join(","),
        analysis.depth,
        analysis.nodes,
        analysis.time.as_secs_f64(),
    )
}
