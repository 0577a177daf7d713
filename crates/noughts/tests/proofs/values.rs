//! Published values, each with a proof.

use noughts_engine::{Budget, GameValue, Random, Solver, Stop, SystemClock};
use noughts_rules::{AnyTimeline, Diagram, Rules, Side, Variant, dispatch};

use crate::{prove, same};

fn check(name: &str, value: &str) {
    let variant: Variant = name.parse().unwrap();
    let (solved, proof) = prove(&variant, None);
    assert_eq!(solved.to_string(), value, "{name}");
    let proved =
        noughts_proof::verify(&proof[..]).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    assert_eq!(proved.variant, variant);
    assert_eq!(proved.value.to_string(), value, "{name}");
    assert!(proof.len() < 200_000_000, "{name}");
}

/// Checks every line that is not a comment, and returns the number of these lines.
fn check_all(list: &str) -> usize {
    let lines = list.lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let checked = lines.map(|line| {
        let (name, value) = line.split_once(' ').unwrap();
        check(name, value);
    });
    checked.count()
}

#[test]
fn every_known_value_is_found_and_proved() {
    let count = check_all(include_str!("../../../../testdata/solved/known.txt"));
    assert_eq!(count, 25);
}

#[test]
#[ignore = "long: what takes seconds to solve"]
fn every_slow_value_is_found_and_proved() {
    let count = check_all(include_str!("../../../../testdata/solved/slow.txt"));
    assert_eq!(count, 10);
}

/// On boards up to 6x6 the first player wins with lines of three on all except 3x3, with lines of four on 6x5
/// and 6x6, and with longer lines on none. The sources are in `testdata/solved/known.txt`.
#[test]
fn all_boards_up_to_6x6_are_as_published() {
    for line in 3..=6u8 {
        for columns in 3..=6u8 {
            for rows in 3..=columns {
                let wins = match line {
                    3 => (columns, rows) != (3, 3),
                    4 => columns == 6 && rows >= 5,
                    _ => false,
                };
                if line <= columns {
                    let value = if wins { "win" } else { "draw" };
                    check(&format!("{columns}x{rows}k{line}"), value);
                    check(&format!("{rows}x{columns}k{line}"), value);
                }
            }
        }
    }
}

/// Random unfinished positions. Some are wins, some draws and some losses for the side to move.
#[test]
fn positions_with_any_marks_are_proved() {
    let mut random = Random::new(77);
    let mut seen = [0; 3];
    for name in [
        "4x4k3",
        "5x4k4",
        "4x4k4",
        "3x3k3+misere",
        "4x4k3+gravity",
        "5x4k4+gravity",
        "4x4k3+exact",
        "multi",
    ] {
        let variant: Variant = name.parse().unwrap();
        for _ in 0..60 {
            let position = endgame(&variant, 8, &mut random);
            let text = position.format(&variant);
            let (solved, proof) = prove(&variant, Some(position));
            let proved = noughts_proof::verify(&proof[..]);
            let proved = proved.unwrap_or_else(|fault| panic!("{name} {text}: {fault}"));
            assert!(same(solved, proved.value), "{name} {text}");
            seen[solved as usize] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
    assert_eq!(GameValue::Loss as usize, 0);
}

/// A random unfinished position with about 1 to `free` empty cells. In half of the positions on one board, the first
/// side is to move, whatever the number of marks.
fn endgame(variant: &Variant, free: usize, random: &mut Random) -> Diagram {
    loop {
        let mut any = AnyTimeline::new(variant);
        let found = dispatch!(&mut any, timeline => {
            let plays = variant.cells() - 1 - random.below(free);
            for _ in 0..plays {
                let moves: Vec<_> = timeline.rules().moves(timeline.present()).collect();
                if moves.is_empty() {
                    break;
                }
                timeline.play(moves[random.below(moves.len())]);
            }
            if matches!(variant, Variant::Grid(_)) && random.below(2) == 0 {
                timeline.set_turn(Side::FIRST);
            }
            let rules = timeline.rules();
            let over = rules.outcome(timeline.present()).is_some();
            (!over).then(|| rules.diagram(timeline.present()))
        });
        if let Some(position) = found {
            return position;
        }
    }
}

/// With gravity the checker needs no records for some positions. The claims that it accepts there must be
/// true.
#[test]
fn positions_with_gravity_that_need_no_records_have_the_proved_value() {
    let mut random = Random::new(44);
    let mut accepted = [0; 3];
    for name in [
        "4x4k3+gravity",
        "4x4k4+gravity",
        "5x4k4+gravity",
        "4x5k4+gravity",
    ] {
        let variant: Variant = name.parse().unwrap();
        for _ in 0..400 {
            let plays = random.below(variant.cells());
            let mut any = AnyTimeline::new(&variant);
            let mut diagram = dispatch!(&mut any, timeline => {
                for _ in 0..plays {
                    let moves: Vec<_> = timeline.rules().moves(timeline.present()).collect();
                    if !moves.is_empty() {
                        timeline.play(moves[random.below(moves.len())]);
                    }
                }
                timeline.rules().diagram(timeline.present())
            });
            if any.outcome_of(&diagram).is_some() {
                continue;
            }
            if random.below(2) == 0 {
                diagram.to_move = diagram.to_move.next(2);
            }
            let (me, other) = (diagram.to_move.symbol(), diagram.to_move.next(2).symbol());
            let position = diagram.format(&variant);
            let claims = [
                (GameValue::Loss, format!("claim {other} wins\n")),
                (
                    GameValue::Draw,
                    format!("claim {me} cannot win\nclaim {other} cannot win\n"),
                ),
                (GameValue::Win, format!("claim {me} wins\n")),
            ];
            for (value, claim) in claims {
                let text = format!(
                    "noughts proof 1\nvariant {name}\nposition {position}\nvalue {value}\n{claim}"
                );
                if noughts_proof::verify(text.as_bytes()).is_ok() {
                    let mut solver =
                        Solver::new(&variant, Some(diagram.clone()), Budget::default()).unwrap();
                    solver.use_proof_number_search();
                    let found = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
                    assert_eq!(found.value(), Some(value), "{name} {position}");
                    accepted[value as usize] += 1;
                }
            }
        }
    }
    assert!(accepted.iter().all(|count| *count > 5), "{accepted:?}");
}
