//! Tests of the search for sequences of fours: hand-made positions, and a comparison with brute force.

use noughts_rules::{Action, Diagram, Game, GridSpec, Move, Options, Side, Variant};

use super::VcfSearch;
use crate::features::windows::Windows;
use crate::reference;
use crate::rng::Random;

const X: Side = Side::FIRST;
const O: Side = Side::SECOND;

/// A node limit that is enough for every position of these tests.
const PLENTY: u64 = 100_000;

fn windows(spec: GridSpec, diagram: &Diagram) -> Windows {
    let mut windows = Windows::new(spec, true);
    for (cell, mark) in diagram.marks.iter().enumerate() {
        if let Some(side) = mark {
            windows.change(*side, Move::at(cell), true, |_, _, _, _| ());
        }
    }
    windows
}

/// The defences of o against the sequence of x.
fn defences(rows: &str) -> Vec<String> {
    let (variant, mut windows) = drawn("", rows);
    let mut threats = VcfSearch::new();
    assert!(threats.wins(&mut windows, X, PLENTY).is_some());
    let mut defences = Vec::new();
    threats.defences(&windows, X, &mut defences);
    defences.sort_unstable();
    defences.dedup();
    let texts = defences.into_iter().map(|at| variant.format_move(at));
    texts.collect()
}

/// The variant (lines of five) and the windows of a drawn board.
fn drawn(suffix: &str, rows: &str) -> (Variant, Windows) {
    let rows: Vec<String> = rows.lines().map(|row| row.replace(' ', "")).collect();
    let rows: Vec<String> = rows.into_iter().filter(|row| !row.is_empty()).collect();
    let variant: Variant = format!("{}x{}k5{suffix}", rows[0].len(), rows.len())
        .parse()
        .unwrap();
    let diagram = Diagram::parse(&variant, &format!("{} x", rows.join("/"))).unwrap();
    let Variant::Grid(spec) = variant else {
        unreachable!("a grid's name");
    };
    (variant, windows(spec, &diagram))
}

/// The number of plies in which x wins by fours, and the first move of x.
fn found(rows: &str) -> Option<(u32, String)> {
    found_in("", rows)
}

fn found_in(suffix: &str, rows: &str) -> Option<(u32, String)> {
    let (variant, mut windows) = drawn(suffix, rows);
    let mut threats = VcfSearch::new();
    let plies = threats.wins(&mut windows, X, PLENTY)?;
    Some((plies, variant.format_move(threats.first()?)))
}

#[test]
fn a_four_is_completed_at_once() {
    let wins = found(
        "
        . o . . . . . .
        . x x x x o . .
        x o o . o . . .
        . . . . . . . .
        . . . . . . . .
        ",
    );
    assert_eq!(wins, Some((1, "1-0".into())));
}

#[test]
fn an_open_three_wins_in_three() {
    let wins = found(
        "
        . . . . . . . . .
        . . . . . . . . .
        . . . x x x . . .
        . . . o . o . . .
        . . . . . . . . .
        ",
    );
    assert_eq!(wins.map(|wins| wins.0), Some(3));
}

#[test]
fn two_closed_threes_make_a_double_four() {
    let wins = found(
        "
        . . . . . . . . .
        o x x x . . . . .
        . . . . x . . . .
        . . . . x . . . .
        . . . . x . . . .
        . . . . o . . . .
        ",
    );
    assert_eq!(wins, Some((3, "1-4".into())));
}

#[test]
fn with_exact_a_line_that_would_be_too_long_is_not_a_four() {
    let row = |row: &str| {
        let rest = ". . . . . . . . .\n".repeat(4);
        found_in("+exact", &format!("{row}\n{rest}"))
    };
    // The move would make six or seven in a line.
    assert_eq!(row("x x x . x x . . ."), None);
    assert_eq!(row("x x x . x x x . ."), None);
    assert_eq!(row("x x x x . x . . o"), None);
    // One move makes exactly five.
    assert_eq!(row("o x x x . x . . ."), Some((1, "0-4".into())));
    assert_eq!(row(". x x x x . x . ."), Some((1, "0-0".into())));
    // Only one cell completes the four at 0-4. A mark in the other cell would make six in a line.
    assert_eq!(row(". x x x . . x . ."), None);
    assert_eq!(row(". x x x . . . . ."), Some((3, "0-4".into())));
}

/// x makes a four at 1-4, which o must stop at 1-5. The move at 1-4 also adds a third mark to its column.
const PREPARED: &str = "
    . . . . . . . .
    o x x x . . . .
    . . . . x . . .
    . . . . x . . .
    . . . . . . . .
    . . . . . . . .
    . . . . . . . .
    ";

#[test]
fn a_four_prepares_a_straight_four() {
    assert_eq!(found(PREPARED), Some((5, "1-4".into())));
}

/// In this position o's reply at 1-5 also makes a four for o.
#[test]
fn a_reply_that_makes_a_four_stops_the_sequence() {
    let wins = found(
        "
        . . . . . . . .
        o x x x . . . .
        . . . . x o . .
        . . . . x o . .
        . . . . . o . .
        . . . . . x . .
        . . . . . . . .
        ",
    );
    assert_eq!(wins, None);
}

#[test]
fn defences_are_the_cells_of_the_sequence() {
    assert_eq!(defences(PREPARED), ["0-4", "1-4", "1-5", "4-4", "5-4"]);
}

/// A third o in the column of the reply would make that reply a four.
#[test]
fn a_move_that_turns_the_reply_into_a_four_is_a_defence() {
    let defences = defences(
        "
        . . . . . . . .
        o x x x . . . .
        . . . . x o . .
        . . . . x o . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        ",
    );
    assert_eq!(
        defences,
        ["0-4", "0-5", "1-4", "1-5", "4-4", "4-5", "5-4", "5-5"]
    );
}

/// A game that is not over after `plays` random plays.
fn random_game(variant: &Variant, plays: usize, random: &mut Random) -> Game {
    loop {
        let mut game = Game::new(variant, Options::default()).unwrap();
        for _ in 0..plays {
            let Some(seat) = game.to_move() else { break };
            let legal = game.legal();
            let at = legal[random.below(legal.len())];
            game.act(seat, Action::Play(at)).unwrap();
        }
        if game.to_move().is_some() {
            return game;
        }
    }
}

/// Calls `f` with random positions in which x is to move.
fn each_position(
    name: &str,
    plays: usize,
    positions: usize,
    mut f: impl FnMut(&Game, &mut Windows),
) {
    let variant: Variant = name.parse().unwrap();
    let Variant::Grid(spec) = variant else {
        unreachable!("a grid's name");
    };
    let mut random = Random::new(4);
    for _ in 0..positions {
        let game = random_game(&variant, plays, &mut random);
        f(&game, &mut windows(spec, &game.diagram()));
    }
}

#[test]
fn wins_by_fours_are_wins_by_brute_force() {
    for (name, plays, least) in [
        ("6x6k4", 14, 50),
        ("7x7k4", 14, 50),
        ("7x7k5", 24, 20),
        ("6x6k4+exact", 14, 50),
        ("7x7k4+exact", 20, 50),
        ("8x8k5+exact", 34, 20),
    ] {
        let mut wins = 0;
        each_position(name, plays, 300, |game, windows| {
            let plies = VcfSearch::new().wins(windows, X, PLENTY);
            if let Some(plies) = plies.filter(|plies| *plies <= 5) {
                let value = reference::alpha_beta(game, plies).value;
                let position = game.diagram().format(game.variant());
                assert!(
                    value >= 1_000_000 - plies as i32,
                    "{name} {position}: {value}"
                );
                wins += 1;
            }
        });
        assert!(wins >= least, "{name}: only {wins} to compare");
    }
}

#[test]
fn the_search_leaves_the_board_unchanged() {
    for name in ["7x7k4", "7x7k4+exact"] {
        each_position(name, 14, 100, assert_unchanged);
    }
}

fn assert_unchanged(game: &Game, windows: &mut Windows) {
    let before = windows.hash();
    VcfSearch::new().wins(windows, X, PLENTY);
    let Variant::Grid(spec) = *game.variant() else {
        unreachable!("a grid's name");
    };
    let fresh = self::windows(spec, &game.diagram());
    assert_eq!(windows.hash(), before);
    for (side, missing) in [(X, 1), (X, 2), (O, 1), (O, 2)] {
        let sorted = |windows: &Windows| {
            let mut list = windows.lacking(side, missing).to_vec();
            list.sort_unstable();
            list
        };
        assert_eq!(sorted(windows), sorted(&fresh));
    }
}

/// x is to move, and o threatens to win by fours. After every move of x that is not a defence, o wins.
#[test]
fn moves_that_are_not_defences_lose() {
    for (name, plays) in [
        ("6x6k4", 12),
        ("7x7k4", 14),
        ("8x8k5", 30),
        ("7x7k4+exact", 14),
        ("8x8k5+exact", 30),
    ] {
        let mut compared = 0;
        each_position(name, plays, 300, |game, windows| {
            if !windows.lacking(X, 1).is_empty() || !windows.lacking(O, 1).is_empty() {
                return;
            }
            let mut threats = VcfSearch::new();
            if threats.wins(windows, O, PLENTY).is_none() {
                return;
            }
            let mut defences = Vec::new();
            threats.defences(windows, O, &mut defences);
            for at in game.legal().into_iter().filter(|at| !defences.contains(at)) {
                windows.change(X, at, true, |_, _, _, _| ());
                let wins = VcfSearch::new().wins(windows, O, PLENTY).is_some();
                windows.change(X, at, false, |_, _, _, _| ());
                let position = game.diagram().format(game.variant());
                let at = game.variant().format_move(at);
                assert!(wins, "{at} defends in {name} {position}");
                compared += 1;
            }
        });
        assert!(compared >= 100, "{name}: only {compared} to compare");
    }
}

/// A win that a search with few nodes finds is also found with many nodes.
#[test]
fn a_small_budget_never_gives_a_wrong_result() {
    each_position("7x7k4", 12, 100, |_, windows| {
        let mut threats = VcfSearch::new();
        for max_nodes in [1, 2, 4, 8] {
            if threats.wins(windows, X, max_nodes).is_some() {
                assert!(VcfSearch::new().wins(windows, X, PLENTY).is_some());
            }
            assert!(threats.take_nodes() <= max_nodes + 24);
        }
    });
}
