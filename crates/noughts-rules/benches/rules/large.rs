//! The time of a turn on the largest board, compared with the time to print the board.

use std::hint::black_box;
use std::time::Instant;

use noughts_rules::{Action, Game, Move, Options, Side, View};

use crate::rounds::ROUNDS;
use crate::spread::Spread;

const REPEATS: usize = 100;
/// The number of marks, placed cell by cell; no line is completed.
const MARKS: usize = 60_000;

/// A turn of a game that has `marks` marks already.
pub(crate) struct LargeTurn {
    pub(crate) name: &'static str,
    marks: usize,
    action: Action,
}

pub(crate) const TURNS: [LargeTurn; 5] = [
    turn("play-2nd", 1, Action::Play(Move::at(1))),
    turn("play-60001st", MARKS, Action::Play(Move::at(MARKS))),
    turn("rewind-1", MARKS, Action::Rewind(1)),
    turn("rewind-59999", MARKS, Action::Rewind(MARKS as u16 - 1)),
    turn("rewind-60000", MARKS, Action::Rewind(MARKS as u16)),
];

const fn turn(name: &'static str, marks: usize, action: Action) -> LargeTurn {
    LargeTurn {
        name,
        marks,
        action,
    }
}

impl LargeTurn {
    /// For each round, the median time in seconds of the turn together with making the view, and of printing this view.
    pub(crate) fn times(&self) -> (Vec<f64>, Vec<f64>) {
        let before = game(self.marks - 1);
        let round = |_| {
            let (turns, drawings): (Vec<f64>, Vec<f64>) =
                (0..REPEATS).map(|_| self.time(before.clone())).unzip();
            (Spread::of(&turns).median, Spread::of(&drawings).median)
        };
        (0..ROUNDS).map(round).unzip()
    }

    fn time(&self, mut game: Game) -> (f64, f64) {
        // A clone has no spare capacity for turns; a game in progress nearly always has. This turn makes some.
        take(&mut game, Action::Play(Move::at(self.marks - 1)));
        let start = Instant::now();
        take(&mut game, self.action);
        let view = black_box(game.view());
        let seen = Instant::now();
        let drawn = black_box(draw(&view));
        let end = Instant::now();
        assert_eq!(drawn.len(), 512 * 511);
        ((seen - start).as_secs_f64(), (end - seen).as_secs_f64())
    }
}

/// A game on the largest board after plays in its first `marks` cells.
fn game(marks: usize) -> Game {
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
    let seat = game.to_move().expect("the game goes on");
    assert_eq!(game.act(seat, action), Ok(()));
}

/// The board as the classic game prints it.
///
/// ```text
/// -------
/// |x| | |
/// -------
/// | |o| |
/// ```
fn draw(view: &View) -> String {
    let line = "-".repeat(511) + "\n";
    let mut text = Vec::with_capacity(line.len() * 511);
    text.extend_from_slice(line.as_bytes());
    for row in view.marks.chunks(255) {
        for mark in row {
            text.extend_from_slice(&[b'|', mark.map_or(' ', Side::symbol) as u8]);
        }
        text.extend_from_slice(b"|\n");
        text.extend_from_slice(line.as_bytes());
    }
    String::from_utf8(text).expect("only ASCII")
}
