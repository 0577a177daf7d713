//! Compares the Connect Four solver with published positions and boards, with a slow, obvious solver, and with a plain
//! alpha-beta.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use noughts_engine::reference::connect_four::PlainAlphaBeta;
use noughts_engine::{
    Budget, GameValue, Limits, Random, Solution, Solver, Stop, SystemClock, Unsolvable, Value,
    analyze,
};
use noughts_rules::{Diagram, Game, Options, Side, Variant};

fn solver(variant: &str) -> Solver {
    let variant: Variant = variant.parse().unwrap();
    let mut solver = Solver::new(&variant, None, Budget::default()).unwrap();
    solver.find_distance().unwrap();
    solver
}

fn solve(solver: &mut Solver, position: Diagram) -> Solution {
    solver.set_position(position).unwrap();
    solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {})
}

fn play(variant: &str, columns: impl IntoIterator<Item = u8>) -> Game {
    let mut game = Game::new(&variant.parse().unwrap(), Options::default()).unwrap();
    for column in columns {
        let action = game.parse_action(&column.to_string()).unwrap();
        game.act(game.to_move().unwrap(), action).unwrap();
    }
    game
}

/// Value and distance of a published score. Score 1 means that the winner wins with its last mark, score 2 with the
/// mark before, and so on.
fn published(score: i32, free: u32) -> (GameValue, u32) {
    let marks_left = match score {
        0 => return (GameValue::Draw, free),
        1.. => free.div_ceil(2),
        ..0 => free / 2,
    };
    let winner_marks = marks_left + 1 - score.unsigned_abs();
    match score {
        1.. => (GameValue::Win, 2 * winner_marks - 1),
        _ => (GameValue::Loss, 2 * winner_marks),
    }
}

#[test]
fn published_positions_have_the_published_value_and_distance() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/connect-four");
    let mut solver = solver("7x6k4+gravity");
    let mut positions = 0;
    for set in ["begin-easy", "middle-easy", "middle-medium", "end-easy"] {
        for line in fs::read_to_string(folder.join(set)).unwrap().lines() {
            let (columns, score) = line.split_once(' ').unwrap();
            let game = play("7x6k4+gravity", columns.bytes().map(|digit| digit - b'1'));
            let free = 42 - columns.len() as u32;
            let found = solve(&mut solver, game.diagram());
            let expected = published(score.parse().unwrap(), free);
            let value = found.value().zip(found.distance);
            assert_eq!(value, Some(expected), "{set}: {line}");
            positions += 1;
        }
    }
    assert_eq!(positions, 3_500);
}

/// A slow solver. Rows are stored from the top, as in a diagram.
struct Reference {
    columns: usize,
    rows: usize,
    known: HashMap<(Vec<u8>, u8), i32>,
}

impl Reference {
    fn has_line(&self, marks: &[u8], cell: usize) -> bool {
        let (row, column) = ((cell / self.columns) as i32, (cell % self.columns) as i32);
        let is_same = |row: i32, column: i32| {
            let is_inside =
                (0..self.rows as i32).contains(&row) && (0..self.columns as i32).contains(&column);
            is_inside && marks[row as usize * self.columns + column as usize] == marks[cell]
        };
        [(0, 1), (1, 0), (1, 1), (1, -1)]
            .iter()
            .any(|(down, right)| {
                let run = |sign: i32| {
                    (1..4)
                        .take_while(|step| {
                            is_same(row + sign * step * down, column + sign * step * right)
                        })
                        .count()
                };
                1 + run(1) + run(-1) >= 4
            })
    }

    /// A win in n plies is `1000 - n`, a loss in n plies `n - 1000`, a draw 0.
    fn score(&mut self, marks: &mut Vec<u8>, side: u8) -> i32 {
        if let Some(score) = self.known.get(&(marks.clone(), side)) {
            return *score;
        }
        let mut best: Option<i32> = None;
        for column in 0..self.columns {
            let cells = (0..self.rows).map(|row| row * self.columns + column);
            let Some(cell) = cells.rev().find(|cell| marks[*cell] == 0) else {
                continue;
            };
            marks[cell] = side;
            let score = match self.has_line(marks, cell) {
                true => 999,
                false => match -self.score(marks, 3 - side) {
                    0 => 0,
                    later => later - later.signum(),
                },
            };
            marks[cell] = 0;
            best = Some(best.map_or(score, |best| best.max(score)));
        }
        let score = best.unwrap_or(0);
        self.known.insert((marks.clone(), side), score);
        score
    }
}

/// Compares both solvers at random positions with at most `max_free` free cells. Either side may be to move at any
/// number of marks, as after rewinds.
fn compare_with_reference(variant: &str, max_free: usize, positions: usize) {
    let parsed: Variant = variant.parse().unwrap();
    let Variant::Grid(spec) = &parsed else {
        panic!("{variant} has one board");
    };
    let (columns, rows) = (spec.columns(), spec.rows());
    let cells = columns * rows;
    let mut reference = Reference {
        columns,
        rows,
        known: HashMap::new(),
    };
    let mut fast = solver(variant);
    let mut random = Random::new(4);
    let mut compared = 0;
    while compared < positions {
        let mark_count = cells - max_free + random.below(max_free);
        let mut marks = vec![0; cells];
        let is_open = (0..mark_count).all(|_| {
            let free: Vec<usize> = (0..columns).filter(|column| marks[*column] == 0).collect();
            let column = free[random.below(free.len())];
            let column = (0..rows).map(|row| row * columns + column);
            let cell = column.rev().find(|cell| marks[*cell] == 0).unwrap();
            marks[cell] = 1 + random.below(2) as u8;
            !reference.has_line(&marks, cell)
        });
        if !is_open {
            continue;
        }
        let side = 1 + random.below(2) as u8;
        let expected = reference.score(&mut marks, side);
        let free = marks.iter().filter(|mark| **mark == 0).count() as u32;
        let expected = match expected {
            0 => (GameValue::Draw, free),
            1.. => (GameValue::Win, (1000 - expected) as u32),
            ..0 => (GameValue::Loss, (1000 + expected) as u32),
        };
        let side_of = |number: u8| [Side::FIRST, Side::SECOND][usize::from(number) - 1];
        let mut diagram = Game::new(&parsed, Options::default()).unwrap().diagram();
        diagram.marks = marks
            .iter()
            .map(|mark| (*mark != 0).then(|| side_of(*mark)))
            .collect();
        diagram.to_move = side_of(side);
        let found = solve(&mut fast, diagram.clone());
        let text = diagram.format(&parsed);
        assert_eq!(
            found.value().zip(found.distance),
            Some(expected),
            "{variant} {text}"
        );
        assert_line_is_best(&parsed, &diagram, &found, &text);
        compared += 1;
    }
}

/// Asserts that the line ends the game after exactly the distance, and that the right side wins.
fn assert_line_is_best(variant: &Variant, diagram: &Diagram, found: &Solution, text: &str) {
    let mut game = Game::from_diagram(variant, Options::default(), diagram.clone()).unwrap();
    let first = diagram.to_move;
    for at in &found.line {
        let seat = game.to_move().unwrap();
        game.act(seat, noughts_rules::Action::Play(*at)).unwrap();
    }
    assert_eq!(found.line.len() as u32, found.distance.unwrap(), "{text}");
    let winner = match game.conclusion().unwrap() {
        noughts_rules::Conclusion::Won { sides, .. } => Some(sides.contains(first)),
        _ => None,
    };
    let expected = match found.value().unwrap() {
        GameValue::Win => Some(true),
        GameValue::Loss => Some(false),
        GameValue::Draw => None,
    };
    assert_eq!(winner, expected, "{text}");
}

#[test]
fn random_positions_of_small_boards_have_the_value_of_the_reference() {
    compare_with_reference("4x4k4+gravity", 16, 4_000);
    compare_with_reference("5x4k4+gravity", 12, 2_000);
    compare_with_reference("4x5k4+gravity", 12, 2_000);
    compare_with_reference("3x5k4+gravity", 12, 1_000);
    compare_with_reference("6x4k4+gravity", 10, 1_000);
    compare_with_reference("7x6k4+gravity", 9, 1_000);
    // This board uses all 64 bits.
    compare_with_reference("8x7k4+gravity", 8, 500);
    compare_with_reference("3x20k4+gravity", 9, 500);
    compare_with_reference("16x3k4+gravity", 7, 500);
}

/// Checks that the solver and a plain alpha-beta find the same score in random positions of 7x6, for each number of
/// marks in `marks`.
fn compare_with_plain_alpha_beta(marks: std::ops::Range<usize>, positions: usize) {
    let mut solver = solver("7x6k4+gravity");
    let (mut plain, mut random) = (PlainAlphaBeta::new(), Random::new(76));
    for marks in marks {
        let mut compared = 0;
        while compared < positions {
            let mut game = play("7x6k4+gravity", []);
            let mut columns = Vec::new();
            while let (true, Some(seat)) = (columns.len() < marks, game.to_move()) {
                let at = game.legal()[random.below(game.legal().len())];
                columns.push((at.index() % 7) as u8);
                game.act(seat, noughts_rules::Action::Play(at)).unwrap();
            }
            if game.to_move().is_none() {
                continue;
            }
            let expected = published(plain.score(columns.clone()), 42 - marks as u32);
            let found = solve(&mut solver, game.diagram());
            let found = found.value().zip(found.distance);
            assert_eq!(found, Some(expected), "{columns:?}");
            compared += 1;
        }
    }
}

#[test]
fn random_positions_of_7x6_have_the_score_of_a_plain_alpha_beta() {
    compare_with_plain_alpha_beta(16..42, 40);
}

#[test]
#[ignore = "takes minutes"]
fn many_random_positions_of_7x6_have_the_score_of_a_plain_alpha_beta() {
    compare_with_plain_alpha_beta(14..42, 360);
    // With fewer marks, the plain alpha-beta takes seconds per position.
    compare_with_plain_alpha_beta(10..14, 20);
}

/// Columns, rows, value for the first player and plies to the end. From the table in the README of the repository
/// ChristopheSteininger/c4 (12 June 2022 and later), which has the values of John Tromp's table
/// (tromp.github.io/c4/c4.html) and adds the distances. Draws end with the last mark.
const PUBLISHED_BOARDS: [(u32, u32, GameValue, u32); 12] = [
    (4, 4, GameValue::Draw, 16),
    (5, 4, GameValue::Draw, 20),
    (6, 4, GameValue::Loss, 24),
    (7, 4, GameValue::Draw, 28),
    (4, 5, GameValue::Draw, 20),
    (5, 5, GameValue::Draw, 25),
    (6, 5, GameValue::Draw, 30),
    (7, 5, GameValue::Draw, 35),
    (4, 6, GameValue::Draw, 24),
    (5, 6, GameValue::Draw, 30),
    (6, 6, GameValue::Loss, 36),
    (7, 6, GameValue::Win, 41),
];

fn compare_with_published_boards(cells: std::ops::RangeInclusive<u32>) {
    for (columns, rows, value, plies) in PUBLISHED_BOARDS {
        if !cells.contains(&(columns * rows)) {
            continue;
        }
        let variant: Variant = format!("{columns}x{rows}k4+gravity").parse().unwrap();
        let budget = Budget {
            memory: 1 << 30,
            ..Budget::default()
        };
        let mut solver = Solver::new(&variant, None, budget).unwrap();
        solver.find_distance().unwrap();
        let found = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
        let found = found.value().zip(found.distance);
        assert_eq!(found, Some((value, plies)), "{variant}");
    }
}

#[test]
fn small_boards_have_the_published_value_and_distance() {
    compare_with_published_boards(0..=25);
}

#[test]
#[ignore = "takes minutes"]
fn large_boards_have_the_published_value_and_distance() {
    compare_with_published_boards(26..=42);
}

#[test]
fn analysis_has_the_exact_value_of_every_move() {
    let mut random = Random::new(22);
    for variant in ["4x4k4+gravity", "5x4k4+gravity", "7x6k4+gravity"] {
        let mut solver = solver(variant);
        for _ in 0..20 {
            let parsed: Variant = variant.parse().unwrap();
            let mut game = Game::new(&parsed, Options::default()).unwrap();
            while let (true, Some(seat)) =
                (game.plays().len() + 12 < parsed.cells(), game.to_move())
            {
                let legal = game.legal();
                let at = legal[random.below(legal.len())];
                game.act(seat, noughts_rules::Action::Play(at)).unwrap();
            }
            if game.to_move().is_none() {
                continue;
            }
            let limits = "10000000n".parse().unwrap();
            let clock = std::sync::Arc::new(SystemClock::default());
            let found = analyze(&game, limits, &Stop::new(), clock);
            let text = game.diagram().format(&parsed);
            assert_eq!(found.moves.len(), game.legal().len(), "{text}");
            for known in &found.moves {
                let mut next = game.clone();
                let seat = next.to_move().unwrap();
                next.act(seat, noughts_rules::Action::Play(known.at))
                    .unwrap();
                let expected = solve(&mut solver, next.diagram());
                let value = match expected.value().unwrap() {
                    GameValue::Win => GameValue::Loss,
                    GameValue::Draw => GameValue::Draw,
                    GameValue::Loss => GameValue::Win,
                };
                let distance = expected.distance.unwrap() + 1;
                assert_eq!(
                    (known.value, known.distance),
                    (value, Some(distance)),
                    "{text}"
                );
            }
            // The position has the value of its best move.
            let expected = solve(&mut solver, game.diagram());
            assert_eq!(
                found.exact(),
                expected.value().map(|value| (value, expected.distance)),
                "{text}"
            );
            assert_eq!(found.line.first(), Some(&found.moves[0].at), "{text}");
        }
    }
}

#[test]
fn solver_agrees_with_proof_number_search_on_whole_boards() {
    for variant in ["4x4", "5x4", "4x5", "3x6", "5x5", "6x4", "4x6"] {
        let variant: Variant = format!("{variant}k4+gravity").parse().unwrap();
        let mut solver = Solver::new(&variant, None, Budget::default()).unwrap();
        let found = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
        let mut other = Solver::new(&variant, None, Budget::default()).unwrap();
        other.use_proof_number_search();
        let expected = other.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
        assert!(expected.value().is_some());
        assert_eq!(found.value(), expected.value(), "{variant}");
    }
}

#[test]
fn distance_is_refused_for_other_games() {
    for variant in [
        "3x3k3",
        "7x6k5+gravity",
        "9x7k4+gravity",
        "7x6k4+gravity+misere",
        "multi",
    ] {
        let mut solver = Solver::new(&variant.parse().unwrap(), None, Budget::default()).unwrap();
        assert_eq!(
            solver.find_distance(),
            Err(Unsolvable::Distance),
            "{variant}"
        );
    }
}

#[test]
fn a_search_stopped_by_its_budget_reports_no_wrong_value() {
    let mut solver = solver("8x7k4+gravity");
    solver.set_budget(Budget {
        nodes: Some(10_000),
        ..Budget::default()
    });
    let found = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
    assert_eq!(
        (found.value(), found.distance, found.best),
        (None, None, None)
    );
    assert!(found.nodes < 20_000, "{} nodes", found.nodes);
}

#[test]
fn analysis_of_connect_four_is_exact_near_the_end() {
    // The first line of "middle-medium" is a draw after 15 marks.
    let game = play(
        "7x6k4+gravity",
        "274552224131661".bytes().map(|digit| digit - b'1'),
    );
    let limits = Limits {
        nodes: Some(1_000_000),
        ..Limits::default()
    };
    let clock = std::sync::Arc::new(SystemClock::default());
    let found = analyze(&game, limits, &Stop::new(), clock);
    assert_eq!(found.value, Value::Draw);
}
