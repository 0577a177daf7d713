//! The position that `analyze` and `solve` work on.

use std::fs::File;
use std::io;

use noughts_api::ServerUrl;
use noughts_rules::{Diagram, Game, IllegalMove, Options, Place, Record, Refusal, Variant};
use noughts_terminal::tui;

use crate::Failure;
use crate::args::{Position, VariantName};
use crate::play;

/// Returns the game that the options describe: the game of a record, a game that starts from a position, or the game
/// after some moves.
pub(crate) fn game(task: &Position) -> Result<Game, Failure> {
    if let Some(file) = &task.record {
        let record = match is_link(file) {
            true => fetch(file)?,
            false => read(file)?.parse::<Record>().map_err(Failure::invalid)?,
        };
        return Ok(record.game().clone());
    }
    let variant = variant(&task.variant)?;
    if let Some(text) = &task.position {
        let diagram = Diagram::parse(&variant, text).map_err(Failure::invalid)?;
        return Game::from_diagram(&variant, Options::default(), diagram).map_err(Failure::invalid);
    }
    after_moves(&variant, task.moves.as_deref().unwrap_or_default())
}

/// Parses the variant. Returns an error if the command line names no variant.
pub(crate) fn variant(name: &VariantName) -> Result<Variant, Failure> {
    let name = name.get().ok_or_else(|| {
        Failure::invalid("name a variant, such as 3x3k3: noughts variants lists them")
    })?;
    name.parse().map_err(Failure::invalid)
}

/// Returns the game after `moves`, which are separated by spaces.
pub(crate) fn after_moves(variant: &Variant, moves: &str) -> Result<Game, Failure> {
    // The largest history setting: it allows every rewind that any setting allows.
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
        game.act(seat, action).map_err(|refusal| {
            let is_column = variant
                .parse_place(text)
                .is_ok_and(|place| matches!(place, Place::Column(_)));
            Failure::Invalid(match refusal {
                Refusal::Illegal(IllegalMove::Occupied) if is_column => {
                    format!("turn {turn}: column {text} is full, choose another one")
                }
                refusal => format!("turn {turn}: {refusal}"),
            })
        })?;
    }
    Ok(game)
}

fn is_link(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// Fetches the record of a game from a server, by the link of the game.
fn fetch(link: &str) -> Result<Record, Failure> {
    let url: ServerUrl = link.parse().map_err(Failure::invalid)?;
    let Some(game) = &url.game else {
        return Err(Failure::invalid(
            "the link names a server and no game: noughts play URL --list shows games with their links",
        ));
    };
    let client = play::connect(&url, None)?;
    client.record(game).map_err(play::failure)
}

/// Reads a file, standard input (`-`) or a pipe, such as `--record <(…)`.
fn read(file: &str) -> Result<String, Failure> {
    let text = match file {
        "-" => tui::read(file, Ok(io::stdin().lock())),
        _ => tui::read(file, File::open(file)),
    };
    text.map_err(Failure::Invalid)
}
