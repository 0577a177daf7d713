//! The solver agrees with plain minimax: in every position of the smallest boards, and in many random positions of
//! larger boards, with any number of marks per side and either side to move.

use std::collections::HashMap;

use noughts_engine::{Budget, GameValue, Random, Solver, Stop, SystemClock};
use noughts_rules::{AnyTimeline, BoardState, Diagram, Outcome, Rules, Side, Variant, dispatch};

/// Minimax that stores the value of every position for the side to move.
struct Minimax<R: Rules> {
    rules: R,
    known: HashMap<R::Position, GameValue>,
}

impl<R: Rules> Minimax<R> {
    fn value(&mut self, position: &R::Position) -> GameValue {
        if let Some(value) = self.known.get(position) {
            return *value;
        }
        let mover = self.rules.to_move(position);
        let value = match self.rules.outcome(position) {
            Some(Outcome::Draw) => GameValue::Draw,
            Some(Outcome::Won(sides)) if sides.contains(mover) => GameValue::Win,
            Some(Outcome::Won(_)) => GameValue::Loss,
            None => {
                let moves: Vec<_> = self.rules.moves(position).collect();
                let after = moves.into_iter().map(|at| {
                    let mut next = position.clone();
                    self.rules.play(&mut next, at);
                    match self.value(&next) {
                        GameValue::Loss => GameValue::Win,
                        GameValue::Draw => GameValue::Draw,
                        GameValue::Win => GameValue::Loss,
                    }
                });
                after.max().unwrap()
            }
        };
        self.known.insert(position.clone(), value);
        value
    }
}

fn solved(
    variant: &Variant,
    diagram: &Diagram,
) -> (Option<GameValue>, Option<noughts_rules::Move>) {
    let budget = Budget {
        memory: 1 << 14,
        ..Budget::default()
    };
    let mut solver = Solver::new(variant, Some(diagram.clone()), budget).unwrap();
    let found = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
    (found.value(), found.best)
}

fn compare<R: Rules>(minimax: &mut Minimax<R>, diagram: &Diagram) {
    let variant = minimax.rules.variant();
    let position = minimax.rules.set_up(diagram);
    let value = minimax.value(&position);
    let (found, best) = solved(&variant, diagram);
    let place = format!("{variant} {}", diagram.format(&variant));
    assert_eq!(found, Some(value), "{place}");
    let over = minimax.rules.outcome(&position).is_some();
    assert_eq!(best.is_none(), over, "{place}");
    if let Some(at) = best {
        let mut next = position;
        minimax.rules.play(&mut next, at);
        let then = minimax.value(&next);
        let kept = matches!(
            (value, then),
            (GameValue::Win, GameValue::Loss)
                | (GameValue::Draw, GameValue::Draw)
                | (GameValue::Loss, GameValue::Win)
        );
        assert!(kept, "{} in {place}", variant.format_move(at));
    }
}

/// Compares all reachable positions, and returns their number.
fn compare_all(variant: &str) -> usize {
    let variant: Variant = variant.parse().unwrap();
    dispatch!(AnyTimeline::new(&variant), timeline => {
        let rules = timeline.rules().clone();
        let mut minimax = Minimax { rules: rules.clone(), known: HashMap::new() };
        minimax.value(timeline.present());
        let all: Vec<_> = minimax.known.keys().cloned().collect();
        for position in &all {
            compare(&mut minimax, &rules.diagram(position));
        }
        all.len()
    })
}

/// Compares `count` random positions with at most `free` empty cells, any marks and either side to move.
fn compare_some(variant: &str, count: usize, free: usize) {
    let variant: Variant = variant.parse().unwrap();
    let mut random = Random::new(0x50_1733);
    dispatch!(AnyTimeline::new(&variant), timeline => {
        let rules = timeline.rules().clone();
        let mut compared = 0;
        while compared < count {
            let empty = 1 + random.below(free);
            let cells = variant.cells();
            let mut marks: Vec<Option<Side>> = (0..cells)
                .map(|at| (at >= empty).then(|| Side::new(random.below(2) as u8).unwrap()))
                .collect();
            for at in (1..cells).rev() {
                marks.swap(at, random.below(at + 1));
            }
            let to_move = Side::new(random.below(2) as u8).unwrap();
            let diagram = Diagram { marks, to_move, play_in: None };
            let over = || rules.outcome(&rules.set_up(&diagram)).is_some();
            if diagram.check(&variant).is_err() || over() {
                continue;
            }
            let mut minimax = Minimax { rules: rules.clone(), known: HashMap::new() };
            compare(&mut minimax, &diagram);
            compared += 1;
        }
    });
}

#[test]
fn every_position_of_tic_tac_toe_has_its_minimax_value() {
    assert_eq!(compare_all("3x3k3"), 5478);
}

#[test]
fn every_position_of_4x3k3_has_its_minimax_value() {
    assert_eq!(compare_all("4x3k3"), 111_973);
}

#[test]
fn every_position_with_misere_gravity_or_exact_has_its_minimax_value() {
    compare_all("3x3k3+misere");
    compare_all("3x3k3+gravity");
    compare_all("4x3k3+gravity");
    compare_all("3x3k3+misere+gravity");
}

#[test]
fn positions_with_unequal_marks_have_their_minimax_value_3x3k3() {
    compare_some("3x3k3", 10_000, 8);
    compare_some("4x3k3", 10_000, 8);
}

#[test]
fn positions_with_unequal_marks_have_their_minimax_value_4x4k3() {
    compare_some("4x4k3", 10_000, 7);
}

#[test]
fn positions_with_unequal_marks_have_their_minimax_value_4x4k4() {
    compare_some("4x4k4", 10_000, 8);
}

#[test]
fn positions_with_unequal_marks_have_their_minimax_value_5x4k4() {
    compare_some("5x4k4", 10_000, 8);
}

#[test]
fn random_positions_with_suffixes_have_their_minimax_value() {
    compare_some("4x4k3+misere", 2000, 6);
    compare_some("5x4k4+exact", 2000, 6);
    compare_some("5x3k3+exact", 2000, 6);
}

/// Compares random endgames on nine boards with at most `free` free cells.
fn compare_endgames(variant: &str, count: usize, free: usize) {
    let variant: Variant = variant.parse().unwrap();
    let mut random = Random::new(0x9_0A2D);
    let mut compared = 0;
    while compared < count {
        dispatch!(AnyTimeline::new(&variant), timeline => {
            let mut timeline = timeline;
            let rules = timeline.rules().clone();
            loop {
                let moves: Vec<_> = rules.moves(timeline.present()).collect();
                if moves.is_empty() {
                    break;
                }
                let diagram = rules.diagram(timeline.present());
                if open_cells(&diagram) <= free {
                    let mut minimax = Minimax { rules: rules.clone(), known: HashMap::new() };
                    compare(&mut minimax, &diagram);
                    compared += 1;
                    break;
                }
                timeline.play(moves[random.below(moves.len())]);
            }
        });
    }
}

fn open_cells(diagram: &Diagram) -> usize {
    let boards = diagram.boards();
    let cells = diagram.marks.iter().enumerate();
    cells
        .filter(|(at, mark)| mark.is_none() && boards[at / 9] == BoardState::Open)
        .count()
}

#[test]
fn endgames_on_nine_boards_have_their_minimax_value() {
    for variant in ["multi", "ultimate"] {
        compare_endgames(variant, 400, 9);
        compare_endgames(variant, 30, 13);
    }
}
