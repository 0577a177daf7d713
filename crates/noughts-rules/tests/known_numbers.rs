//! Published numbers: games, positions, and positions up to symmetry.

use noughts_rules::reference::{ReferenceGrid, ReferenceNested};
use noughts_rules::{
    AnyTimeline, Board, Diagram, Game, Move, NestedSpec, Options, Rules, Seat, Symmetry, Variant,
    dispatch, perft,
};

fn variant(name: &str) -> Variant {
    name.parse().unwrap()
}

/// The number of games: different sequences of moves to the end.
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

/// Counts the reachable positions of a small board (`all`), and the same positions with symmetric positions counted as
/// one (`different`). The number of a position has one digit to base 3 per cell. Without rewinds the marks determine
/// the side to move.
struct Census<'r, R: Rules> {
    rules: &'r R,
    symmetries: Vec<Symmetry>,
    seen: Vec<bool>,
    all: usize,
    different: usize,
}

impl<'r, R: Rules> Census<'r, R> {
    fn take(rules: &'r R) -> (usize, usize) {
        let cells = rules.variant().cells() as u32;
        let mut census = Census {
            symmetries: Symmetry::all(&rules.variant()),
            seen: vec![false; 3usize.pow(cells)],
            all: 0,
            different: 0,
            rules,
        };
        census.visit(&rules.start(), 0);
        (census.all, census.different)
    }

    fn visit(&mut self, position: &R::Position, number: usize) {
        self.all += 1;
        self.different += usize::from(is_least(&self.rules.diagram(position), &self.symmetries));
        let digit = self.rules.to_move(position).index() + 1;
        for at in self.rules.moves(position) {
            let after = number + digit * 3usize.pow(at.index() as u32);
            if !std::mem::replace(&mut self.seen[after], true) {
                let mut next = position.clone();
                self.rules.play(&mut next, at);
                self.visit(&next, after);
            }
        }
    }
}

/// Whether no symmetric image of the position has a lower number. This is true for exactly one position in each set of
/// symmetric positions.
fn is_least(diagram: &Diagram, symmetries: &[Symmetry]) -> bool {
    let digit = |at: usize| diagram.marks[at].map_or(0, |side| side.index() as u64 + 1);
    let number = |symmetry: &Symmetry| {
        let shift = |at: usize| 2 * symmetry.map_move(Move::at(at)).index();
        (0..diagram.marks.len()).fold(0, |sum, at| sum + (digit(at) << shift(at)))
    };
    let own = number(&symmetries[0]);
    symmetries.iter().all(|symmetry| own <= number(symmetry))
}

fn check(name: &str, known_games: Option<u64>, known_positions: (usize, usize)) {
    dispatch!(&AnyTimeline::new(&variant(name)), timeline => {
        let rules = timeline.rules();
        if let Some(known) = known_games {
            assert_eq!(games(rules, timeline.present()), known, "games of {name}");
        }
        assert_eq!(Census::take(rules), known_positions, "positions of {name}");
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
fn four_by_four_with_lines_of_four_has_1_217_977_different_positions() {
    check("4x4k4", None, (9_722_011, 1_217_977));
}

#[test]
fn reference_counts_tic_tac_toe() {
    let Variant::Grid(spec) = variant("3x3k3") else {
        unreachable!()
    };
    let reference = ReferenceGrid(spec);
    assert_eq!(games(&reference, &reference.start()), 255_168);
    assert_eq!(Census::take(&reference), (5_478, 765));
}

#[test]
fn reference_confirms_multi_and_ultimate() {
    let multi = ReferenceNested(NestedSpec::MULTI);
    assert_eq!(perft(&multi, &multi.start(), 5), 473_256);
    assert_eq!(perft(&multi, &multi.start(), 6), 4_018_018);
    let ultimate = ReferenceNested(NestedSpec::ULTIMATE);
    assert_eq!(perft(&ultimate, &ultimate.start(), 6), 4_020_960);
}

#[test]
#[ignore = "long: the reference visits 313 million positions"]
fn reference_confirms_multi_to_eight_plays() {
    let multi = ReferenceNested(NestedSpec::MULTI);
    assert_eq!(perft(&multi, &multi.start(), 7), 33_704_980);
    assert_eq!(perft(&multi, &multi.start(), 8), 279_303_416);
}

#[test]
fn documented_multi_example_leads_to_board_5() {
    let mut game = Game::new(&variant("multi@4"), Options::default()).unwrap();
    for (turn, text) in ["4-0", "0-2", "2-8", "8-2", "2-2", "2-5"]
        .iter()
        .enumerate()
    {
        let action = game.parse_action(text).unwrap();
        game.act(Seat(turn as u8 % 2), action).unwrap();
    }
    assert_eq!(game.view().nested.unwrap().active, Board::new(5));
}
