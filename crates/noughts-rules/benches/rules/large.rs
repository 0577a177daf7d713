//! A turn of the largest game, beside drawing what came of it.

use std::hint::black_box;
use std::time::Instant;

use noughts_rules::{Action, Game, Move, Options, Seat, Side, View};

const ROUNDS: usize = 7;
const TURNS: usize = 100;
/// Nobody completes a line by marking cell after cell before the second last row.
const MARKS: usize = 60_000;

/// A game and the turn that is taken in it.
type Prepare = fn() -> (Game, Action);

pub(crate) const CASES: [(&str, Prepare); 4] = [
    ("turn-first", || (after(0), Action::Play(Move::at(0)))),
    ("turn-late", || {
        (after(MARKS), Action::Play(Move::at(MARKS)))
    }),
    ("rewind-1-late", || (after(MARKS), Action::Rewind(1))),
    ("rewind-all-late", || {
        (after(MARKS), Action::Rewind(MARKS as u16))
    }),
];

fn after(marks: usize) -> Game {
    let options = Options {
        history: u16::MAX - 511,
        ..Options::default()
    };
    let variant = "255x255k255".parse().expect("a variant");
    let mut game = Game::new(&variant, options).expect("a game");
    for at in 0..marks {
        take(&mut game, Action::Play(Move::at(at)));
    }
    game
}

fn take(game: &mut Game, action: Action) {
    let seat = game.to_move().unwrap_or(Seat(0));
    assert_eq!(game.act(seat, action), Ok(()));
}

/// The seconds of a turn with the view of it, and of drawing that view, in each round.
pub(crate) fn times(prepare: Prepare) -> (Vec<f64>, Vec<f64>) {
    let (game, action) = prepare();
    (0..ROUNDS)
        .map(|_| {
            let (mut turn, mut drawing) = (0.0, 0.0);
            for _ in 0..TURNS {
                let mut game = game.clone();
                let start = Instant::now();
                take(&mut game, action);
                let view = black_box(game.view());
                let seen = Instant::now();
                let drawn = black_box(draw(&view));
                let end = Instant::now();
                assert_eq!(drawn.len(), 512 * 511);
                turn += (seen - start).as_secs_f64();
                drawing += (end - seen).as_secs_f64();
            }
            (turn / TURNS as f64, drawing / TURNS as f64)
        })
        .unzip()
}

/// The board as the classic terminal shows it.
///
/// ```text
/// -------
/// |x| | |
/// -------
/// | |o| |
/// ```
fn draw(view: &View) -> String {
    let rows = view.marks.chunks(255);
    let line = "-".repeat(511) + "\n";
    let mut text = String::with_capacity(line.len() * 511);
    text.push_str(&line);
    for row in rows {
        for mark in row {
            text.push('|');
            text.push(mark.map_or(' ', Side::symbol));
        }
        text.push_str("|\n");
        text.push_str(&line);
    }
    text
}
