//! Training data: positions with the result of their game, and positions with the move that was played.

use std::fmt;

use noughts_engine::Random;
use noughts_engine::patterns::Patterns;
use noughts_rules::{Conclusion, Game, GridSpec, Move, Record, Side, Variant, WinReason};

/// Positions with fewer moves are skipped, because they are openings, and many games have the same opening.
const FIRST: usize = 6;

/// One in this many positions is used for values (`EVERY_POSITION`) and for moves (`EVERY_CHOICE`), because positions
/// of one game are similar.
const EVERY_POSITION: usize = 2;
const EVERY_CHOICE: usize = 4;

/// One in this many openings belongs to the test set.
const APART: usize = 10;

/// Maximum distance of a considered move from a mark.
const NEAR: usize = 2;

/// The number of features. The module `patterns` of `noughts-engine` explains reaches and combinations. The features of
/// a combination are the combination itself, its two largest reaches, and each single reach, so that rare combinations
/// learn from common ones. The features of the mover have the first numbers, those of the opponent follow.
pub(crate) const FEATURE_COUNT: usize = 2 * FEATURES_PER_SIDE;
const FEATURES_PER_SIDE: usize = COMBINATIONS + 64 + 8;
const COMBINATIONS: usize = 8 * 8 * 8 * 8;

/// The numbers of the features of a combination; none if all reaches are 0.
pub(crate) fn features_of(reaches: [u8; 4], is_own: bool) -> impl Iterator<Item = u32> {
    let [a, b, c, d] = reaches.map(u32::from);
    let first = if is_own { 0 } else { FEATURES_PER_SIDE as u32 };
    let itself = ((a * 8 + b) * 8 + c) * 8 + d;
    let furthest = COMBINATIONS as u32 + 8 * c + d;
    let each = [a, b, c, d].map(|reach| (reach > 0).then_some(COMBINATIONS as u32 + 64 + reach));
    let all = [(d > 0).then_some(itself), (d > 0).then_some(furthest)];
    let all = all.into_iter().chain(each).flatten();
    all.map(move |number| first + number)
}

/// Whether a feature belongs to a single combination. Such features are rare and get more weight decay.
pub(crate) fn is_special(feature: usize) -> bool {
    feature % FEATURES_PER_SIDE < COMBINATIONS
}

/// A position in which no side lacks only one mark in a line of five.
pub(crate) struct Position {
    /// Features with their number of occurrences.
    pub(crate) features: Vec<(u32, f32)>,
    /// The mover's score in the game: 1, 0.5 or 0.
    pub(crate) score: f32,
}

/// A move that was played, and the moves that were considered.
pub(crate) struct Choice {
    /// The reaches of the mover and of the opponent for each cell near marks.
    pub(crate) cells: Vec<[[u8; 4]; 2]>,
    /// The index of the played cell in `cells`.
    pub(crate) taken: usize,
}

#[derive(Default)]
pub(crate) struct Part {
    pub(crate) positions: Vec<Position>,
    pub(crate) choices: Vec<Choice>,
}

#[derive(Default)]
pub(crate) struct Samples {
    games: usize,
    training: Part,
    test: Part,
}

impl fmt::Display for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [positions, choices] = [
            self.training.positions.len() + self.test.positions.len(),
            self.training.choices.len() + self.test.choices.len(),
        ];
        write!(f, "{positions} positions and {choices} moves")
    }
}

impl Samples {
    pub(crate) fn games(&self) -> usize {
        self.games
    }

    /// The training set in a reproducible random order, and the test set.
    pub(crate) fn divide(mut self) -> (Part, Part) {
        let mut random = Random::new(1);
        let positions = &mut self.training.positions;
        for last in (1..positions.len()).rev() {
            positions.swap(last, random.below(last + 1));
        }
        let choices = &mut self.training.choices;
        for last in (1..choices.len()).rev() {
            choices.swap(last, random.below(last + 1));
        }
        (self.training, self.test)
    }

    /// Adds positions and moves of a finished game, if it began with an empty board, each side had one seat, and it
    /// ended by a line or a draw.
    pub(crate) fn take(&mut self, record: &Record) {
        let game = record.game();
        let Variant::Grid(spec) = game.variant() else {
            return;
        };
        let winner = match game.conclusion() {
            Some(Conclusion::Draw { .. }) => None,
            Some(Conclusion::Won {
                sides,
                by: WinReason::Line(_),
            }) => sides.iter().next(),
            _ => return,
        };
        let is_in_turn = |(number, side): (usize, &Side)| number == side.index();
        let Some(mut patterns) = Patterns::new(spec) else {
            return;
        };
        if game.start().is_some() || !game.order().iter().enumerate().all(is_in_turn) {
            return;
        }
        let part = match (self.games / 2).is_multiple_of(APART) {
            true => &mut self.test,
            false => &mut self.training,
        };
        self.games += 1;
        let mut board = Marks::new(spec);
        let last = quiet_plays(game, spec, winner);
        let mut random = Random::new(self.games as u64);
        for (number, play) in game.plays().iter().enumerate().take(last) {
            if number >= FIRST && !board.has_four() {
                if random.below(EVERY_POSITION) == 0 {
                    part.positions
                        .push(position(&board, &patterns, play.by, winner));
                }
                if random.below(EVERY_CHOICE) == 0 {
                    part.choices
                        .extend(choice(&board, &patterns, play.by, play.at));
                }
            }
            board.marks[play.at.index()] = Some(play.by);
            patterns.play(play.by, play.at);
        }
    }
}

fn position(board: &Marks, patterns: &Patterns, mover: Side, winner: Option<Side>) -> Position {
    let mut all: Vec<u32> = Vec::new();
    for cell in (0..board.marks.len()).map(Move::at) {
        for (side, reaches) in patterns.reaches(cell).into_iter().flatten().enumerate() {
            all.extend(features_of(reaches, side == mover.index()));
        }
    }
    all.sort_unstable();
    let alike = all.chunk_by(|one, other| one == other);
    Position {
        features: alike.map(|all| (all[0], all.len() as f32)).collect(),
        score: match winner {
            None => 0.5,
            Some(winner) if winner == mover => 1.0,
            Some(_) => 0.0,
        },
    }
}

fn choice(board: &Marks, patterns: &Patterns, mover: Side, at: Move) -> Option<Choice> {
    let cells = (0..board.marks.len()).filter(|cell| board.is_near(*cell));
    let free: Vec<(Move, [[u8; 4]; 2])> = cells
        .map(Move::at)
        .filter_map(|cell| Some((cell, patterns.reaches(cell)?)))
        .collect();
    let own_first = |[first, second]: [[u8; 4]; 2]| match mover {
        Side::FIRST => [first, second],
        _ => [second, first],
    };
    Some(Choice {
        taken: free.iter().position(|one| one.0 == at)?,
        cells: free.into_iter().map(|one| own_first(one.1)).collect(),
    })
}

/// The number of moves before the sequence of fours that ended the game. Later boards are not used, because a search
/// finds the sequence and does not evaluate its boards.
fn quiet_plays(game: &Game, spec: &GridSpec, winner: Option<Side>) -> usize {
    let plays = game.plays();
    let Some(winner) = winner else {
        return plays.len();
    };
    let mut board = Marks::new(spec);
    for play in plays {
        board.marks[play.at.index()] = Some(play.by);
    }
    // The last play completed a line. Go back as long as the winner's previous play had made a four.
    let mut last = plays.len().saturating_sub(1);
    board.marks[plays[last].at.index()] = None;
    while last >= 2 {
        board.marks[plays[last - 1].at.index()] = None;
        if !board.fours().any(|side| side == winner) {
            break;
        }
        last -= 2;
        board.marks[plays[last].at.index()] = None;
    }
    last
}

/// The marks of a board.
struct Marks {
    columns: usize,
    rows: usize,
    marks: Vec<Option<Side>>,
}

impl Marks {
    fn new(spec: &GridSpec) -> Marks {
        Marks {
            columns: spec.columns(),
            rows: spec.rows(),
            marks: vec![None; spec.cells()],
        }
    }

    fn has_four(&self) -> bool {
        self.fours().next().is_some()
    }

    /// The sides that lack one mark in a line of five, once per line.
    fn fours(&self) -> impl Iterator<Item = Side> {
        let directions: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];
        let lines = (0..self.marks.len()).flat_map(move |cell| {
            directions.map(|(down, right)| {
                let line: [Option<Option<Side>>; 5] = std::array::from_fn(|n| {
                    let row = (cell / self.columns) as isize + n as isize * down;
                    let column = (cell % self.columns) as isize + n as isize * right;
                    let row = usize::try_from(row).ok().filter(|row| *row < self.rows)?;
                    let column = usize::try_from(column)
                        .ok()
                        .filter(|at| *at < self.columns)?;
                    Some(self.marks[row * self.columns + column])
                });
                line
            })
        });
        lines.filter_map(|line| {
            let inside: Vec<Option<Side>> = line.into_iter().flatten().collect();
            let mut marks = inside.iter().flatten();
            let first = *marks.next()?;
            let others = marks.clone().count();
            (inside.len() == 5 && others == 3 && marks.all(|side| *side == first)).then_some(first)
        })
    }

    fn is_near(&self, cell: usize) -> bool {
        let (row, column) = (cell / self.columns, cell % self.columns);
        let rows = row.saturating_sub(NEAR)..=(row + NEAR).min(self.rows - 1);
        rows.into_iter().any(|row| {
            let last = (column + NEAR).min(self.columns - 1);
            let columns = &self.marks[row * self.columns..][column.saturating_sub(NEAR)..=last];
            columns.iter().any(Option::is_some)
        })
    }
}
