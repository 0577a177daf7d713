use super::*;
use crate::rng::Random;

fn board(columns: u8, rows: u8) -> GridSpec {
    named(&format!("{columns}x{rows}k5"))
}

fn named(name: &str) -> GridSpec {
    let Ok(noughts_rules::Variant::Grid(spec)) = name.parse() else {
        panic!("{name} is not a grid");
    };
    spec
}

/// The reach of `x` in the middle (`_`) of a line such as `.x.x_.o..`; `#` is a cell beyond the edge.
fn reach(is_complete: fn(usize) -> bool, line: &str) -> Reach {
    let cells = line.chars().filter(|cell| *cell != '_');
    let around = cells.enumerate().map(|(n, cell)| {
        let bits = match cell {
            '.' => 0,
            'x' => 1,
            'o' => 2,
            _ => 3,
        };
        bits << (2 * n)
    });
    reaches_of_first(is_complete)[around.sum::<usize>()]
}

#[test]
fn reaches_have_the_names_that_players_use() {
    for (line, expected) in [
        ("xxxx_....", Reach::OpenFour),
        ("oxxx_xooo", Reach::OpenFour),
        (".xxx_....", Reach::OpenFour),
        ("oxxx_....", Reach::Four),
        ("#xxx_.o..", Reach::Four),
        ("x.xx_....", Reach::Four),
        ("..xx_....", Reach::OpenThree),
        (".x.x_.o..", Reach::OpenThree),
        // This line can become a four, but not an open four.
        ("o.xx_.o..", Reach::Three),
        ("ooxx_....", Reach::Three),
        ("...x_....", Reach::OpenTwo),
        ("ooox_....", Reach::Two),
        ("...._....", Reach::One),
        ("oooo_....", Reach::Nothing),
        ("oo.._..oo", Reach::Nothing),
    ] {
        check_reach(is_five_or_more, line, expected);
    }
    for (line, expected) in [
        ("xxxx_....", Reach::OpenFour),
        ("oxxx_xooo", Reach::OpenFour),
        // Six in a line do not count.
        ("xxxx_x...", Reach::Nothing),
        (".xxx_....", Reach::OpenFour),
        (".xxx_.x..", Reach::Four),
        ("xxx._xxx.", Reach::Four),
        ("oxxx_.x..", Reach::Nothing),
        ("..xx_....", Reach::OpenThree),
        ("..xx_..x.", Reach::OpenThree),
        ("o.xx_..xo", Reach::Three),
        ("...._....", Reach::One),
    ] {
        check_reach(is_five, line, expected);
    }
}

fn check_reach(is_complete: fn(usize) -> bool, line: &str, expected: Reach) {
    let mirrored: String = line.chars().rev().collect();
    for line in [line, &mirrored] {
        let found = reach(is_complete, line);
        assert!(found == expected, "{line}: {}", found as u8);
    }
}

/// The reference tries all sequences of further marks.
#[test]
fn reaches_equal_those_of_an_exhaustive_search() {
    // A line as digits: 0 free, 1 own, 2 opponent or beyond the edge.
    fn best(is_exact: bool, line: &mut [u8; 9], completes: &mut usize) -> u8 {
        let five = |line: &[u8; 9]| {
            let mut runs = line.split(|cell| *cell != 1);
            runs.any(|run| run.len() == 5 || run.len() > 5 && !is_exact)
        };
        if five(line) {
            return Reach::OpenFour as u8;
        }
        let free: Vec<usize> = (0..9).filter(|n| line[*n] == 0).collect();
        *completes = 0;
        let mut next = 0;
        for n in free {
            line[n] = 1;
            *completes += usize::from(five(line));
            if !five(line) {
                let mut its = 0;
                let reach = best(is_exact, line, &mut its);
                next = next.max(reach.saturating_sub(2));
            }
            line[n] = 0;
        }
        match completes {
            0 => next,
            1 => Reach::Four as u8,
            _ => Reach::OpenFour as u8,
        }
    }
    for (is_exact, is_complete) in [
        (false, is_five_or_more as fn(usize) -> bool),
        (true, is_five),
    ] {
        let mut reached = [0; 8];
        for (around, reach) in reaches_of_first(is_complete).iter().enumerate() {
            // Only every seventh line is tested, to save time.
            if around % 7 != 0 {
                continue;
            }
            let mut line = [1; 9];
            for n in 0..8 {
                let cell = (around >> (2 * n) & 3) as u8;
                line[if n < 4 { n } else { n + 1 }] = cell.min(2);
            }
            assert_eq!(*reach as u8, best(is_exact, &mut line, &mut 0), "{line:?}");
            reached[*reach as usize] += 1;
        }
        assert!(reached.iter().all(|count| *count > 0), "{reached:?}");
    }
}

#[test]
fn incremental_patterns_equal_those_of_a_new_board() {
    let mut random = Random::new(7);
    for name in [
        "15x15k5",
        "24x24k5",
        "22x4k5",
        "5x9k5",
        "6x6k5",
        "9x9k5+exact",
    ] {
        let spec = named(name);
        let mut incremental = Patterns::new(&spec).unwrap();
        let mut marks: Vec<(Side, Move)> = Vec::new();
        for _ in 0..300 {
            let at = Move::at(random.below(spec.cells()));
            let by = Side::new(random.below(2) as u8).unwrap();
            let is_taken = marks.iter().any(|mark| mark.1 == at);
            if is_taken || random.below(3) == 0 {
                if let Some((by, at)) = marks.pop() {
                    incremental.take_back(by, at);
                }
            } else {
                let expected = incremental.after(by, at);
                incremental.play(by, at);
                marks.push((by, at));
                assert_eq!(expected, incremental.estimate(by.next(2)));
            }
            let mut new = Patterns::new(&spec).unwrap();
            marks.iter().for_each(|(by, at)| new.play(*by, *at));
            for side in [Side::FIRST, Side::SECOND] {
                assert_eq!(incremental.estimate(side), new.estimate(side));
                for at in (0..spec.cells()).map(Move::at) {
                    assert_eq!(incremental.move_score(side, at), new.move_score(side, at));
                }
            }
            for at in (0..spec.cells()).map(Move::at) {
                assert_eq!(incremental.reaches(at), new.reaches(at));
            }
        }
    }
}

#[test]
fn estimate_is_the_same_for_symmetric_boards_and_swapped_sides() {
    use noughts_rules::{Symmetry, Variant};
    let mut random = Random::new(9);
    for (columns, rows) in [(15, 15), (6, 6), (9, 5)] {
        let spec = board(columns, rows);
        let symmetries = Symmetry::all(&Variant::Grid(spec));
        assert!(symmetries.len() >= 4);
        for _ in 0..20 {
            let mut marks: Vec<(Side, Move)> = Vec::new();
            for number in 0..8 {
                let at = Move::at(random.below(spec.cells()));
                if marks.iter().all(|mark| mark.1 != at) {
                    marks.push((Side::new(number % 2).unwrap(), at));
                }
            }
            let estimate = |symmetry: &Symmetry, swaps: bool| {
                let mut patterns = Patterns::new(&spec).unwrap();
                let side = |side: Side| if swaps { side.next(2) } else { side };
                for (by, at) in &marks {
                    patterns.play(side(*by), symmetry.map_move(*at));
                }
                patterns.estimate(side(Side::FIRST))
            };
            let original = estimate(&symmetries[0], false);
            for symmetry in &symmetries {
                assert_eq!(estimate(symmetry, false), original);
                assert_eq!(estimate(symmetry, true), original);
            }
        }
    }
}

#[test]
fn cells_that_make_an_open_four_rank_highest() {
    let spec = board(15, 15);
    let mut patterns = Patterns::new(&spec).unwrap();
    let cell = |row: usize, column: usize| Move::at(15 * row + column);
    let (x, o) = (Side::FIRST, Side::SECOND);
    for (by, row, column) in [
        (x, 7, 5),
        (o, 3, 3),
        (x, 7, 6),
        (o, 11, 11),
        (x, 7, 7),
        (o, 4, 11),
    ] {
        patterns.play(by, cell(row, column));
    }
    let mut cells: Vec<Move> = (0..225).map(Move::at).collect();
    cells.retain(|at| patterns.reaches(*at).is_some());
    cells.sort_by_key(|at| std::cmp::Reverse(patterns.move_score(x, *at)));
    let first = &cells[..2];
    assert!(first.contains(&cell(7, 4)) && first.contains(&cell(7, 8)));
    // If x is to move, x makes an open four and almost wins. If o is to move, o must first stop x.
    assert!(patterns.estimate(x) > 2_000, "{}", patterns.estimate(x));
    assert!(patterns.estimate(o) < patterns.estimate(x));
}

#[test]
fn patterns_exist_only_for_two_sides_and_lines_of_five() {
    let learned = |name: &str| match name.parse().unwrap() {
        noughts_rules::Variant::Grid(spec) => Patterns::new(&spec).is_some(),
        noughts_rules::Variant::Nested(_) => false,
    };
    for name in [
        "15x15k5",
        "5x5k5",
        "24x24k5",
        "22x4k5",
        "4x24k5",
        "15x15k5+exact",
    ] {
        assert!(learned(name), "{name}");
    }
    for name in [
        "25x25k5",
        "25x5k5",
        "15x15k4",
        "15x15k6",
        "15x15k5p3",
        "15x15k5+exact+gravity",
        "15x15k5+misere",
        "15x15k5+gravity",
    ] {
        assert!(!learned(name), "{name}");
    }
}

#[test]
fn five_txt_is_complete_and_malformed_text_is_refused() {
    let text = include_str!("five.txt");
    assert_eq!(sorted_sets().len(), 330);
    assert!(Learned::read(text).is_some());
    let cut = &text[..text.len() / 2];
    assert!(Learned::read(cut).is_none());
    assert!(Learned::read(&text.replacen("start", "begin", 1)).is_none());
}
