//! Numbers that others counted too: games, positions, and positions up to symmetry.

use std::collections::HashSet;

use noughts_rules::twin::{SlowGrid, SlowNested};
use noughts_rules::{
    AnyTimeline, Board, Diagram, Game, Move, NestedSpec, Options, Rules, Seat, Symmetry, Variant,
    dispatch, perft,
};

fn variant(name: &str) -> Variant {
    name.parse().unwrap()
}

/// How many different ways there are to play to the end.
fn games<R: Rules>(rules: &R, position: &R::Position) -> u64 {
    if rules.outcome(position).is_some() {
        return 1;
    }
    let play = |at| {
        let mut next = position.clone();
        rules.play(&mut next, at);
        games(rules, &next)
    };
    rules.moves(position).map(play).sum()
}

/// Positions that can be reached, and how many of them are left when symmetric ones count once.
/// Only one ply is kept at a time: positions with different numbers of marks differ.
fn positions<R: Rules>(rules: &R) -> (usize, usize) {
    let symmetries = Symmetry::all(&rules.variant());
    let mut ply = HashSet::from([rules.start()]);
    let (mut all, mut different) = (0, 0);
    while !ply.is_empty() {
        all += ply.len();
        different += ply
            .iter()
            .filter(|p| is_least(&rules.diagram(p), &symmetries))
            .count();
        let mut next_ply = HashSet::new();
        for position in &ply {
            for at in rules.moves(position) {
                let mut next = position.clone();
                rules.play(&mut next, at);
                next_ply.insert(next);
            }
        }
        ply = next_ply;
    }
    (all, different)
}

/// Whether no way to lay this board gives a lower number: true of one in each symmetric set.
fn is_least(diagram: &Diagram, symmetries: &[Symmetry]) -> bool {
    let digit = |at: usize| diagram.marks[at].map_or(0, |side| side.index() as u64 + 1);
    let number = |place: &dyn Fn(usize) -> usize| {
        (0..diagram.marks.len()).fold(0, |sum, at| sum + (digit(at) << (2 * place(at))))
    };
    let own = number(&|at| at);
    symmetries
        .iter()
        .all(|symmetry| own <= number(&|at| symmetry.cell(Move::at(at)).index()))
}

fn check(name: &str, known_games: Option<u64>, known_positions: (usize, usize)) {
    dispatch!(&AnyTimeline::new(&variant(name)), timeline => {
        let rules = timeline.rules();
        if let Some(known) = known_games {
            assert_eq!(games(rules, timeline.present()), known, "games of {name}");
        }
        assert_eq!(positions(rules), known_positions, "positions of {name}");
    });
}

#[test]
fn tic_tac_toe_has_255_168_games_and_765_different_positions() {
    check("3x3k3", Some(255_168), (5_478, 765));
}

#[test]
fn four_by_three_has_151_188_768_games_and_28_275_different_positions() {
    check("4x3k3", Some(151_188_768), (111_973, 28_275));
}

#[test]
fn four_in_a_line_of_four_has_1_217_977_different_positions() {
    check("4x4k4", None, (9_722_011, 1_217_977));
}

#[test]
fn the_twin_counts_the_games_of_tic_tac_toe_too() {
    let Variant::Grid(spec) = variant("3x3k3") else {
        unreachable!()
    };
    let twin = SlowGrid(spec);
    assert_eq!(games(&twin, &twin.start()), 255_168);
    assert_eq!(positions(&twin), (5_478, 765));
}

#[test]
fn the_twin_confirms_multi_and_ultimate() {
    let multi = SlowNested(NestedSpec::MULTI);
    assert_eq!(perft(&multi, &multi.start(), 5), 473_256);
    assert_eq!(perft(&multi, &multi.start(), 6), 4_018_018);
    let ultimate = SlowNested(NestedSpec::ULTIMATE);
    assert_eq!(perft(&ultimate, &ultimate.start(), 6), 4_020_960);
}

#[test]
#[ignore = "long: the twin walks 313 million positions"]
fn the_twin_confirms_multi_to_eight_plays() {
    let multi = SlowNested(NestedSpec::MULTI);
    assert_eq!(perft(&multi, &multi.start(), 7), 33_704_980);
    assert_eq!(perft(&multi, &multi.start(), 8), 279_303_416);
}

#[test]
fn the_six_plays_of_the_multi_document_lead_to_board_5() {
    let mut game = Game::new(&variant("multi@4"), Options::default()).unwrap();
    for (turn, text) in ["4-0", "0-2", "2-8", "8-2", "2-2", "2-5"]
        .iter()
        .enumerate()
    {
        let action = game.read(text).unwrap();
        game.act(Seat(turn as u8 % 2), action).unwrap();
    }
    assert_eq!(game.view().nested.unwrap().active, Board::new(5));
}
