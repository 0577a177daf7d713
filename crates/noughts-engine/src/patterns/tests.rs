use super::*;
use crate::seed::Random;

fn board(columns: u8, rows: u8) -> GridSpec {
    let name = format!("{columns}x{rows}k5");
    let Ok(noughts_rules::Variant::Grid(spec)) = name.parse() else {
        panic!("{name} is one board");
    };
    spec
}

/// The reach of `x` in the middle of a line such as `.x._.x..`, which has an edge or an `o` beyond it.
fn reach(line: &str) -> Reach {
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
    reaches_of_first()[around.sum::<usize>()]
}

#[test]
fn lines_reach_what_players_call_them() {
    for (line, expected) in [
        ("xxxx_....", Reach::OpenFour),
        ("oxxx_xooo", Reach::OpenFour),
        (".xxx_....", Reach::OpenFour),
        ("oxxx_....", Reach::Four),
        ("#xxx_.o..", Reach::Four),
        ("x.xx_....", Reach::Four),
        ("..xx_....", Reach::OpenThree),
        (".x.x_.o..", Reach::OpenThree),
        // The four that it makes can be completed at one end only.
        ("o.xx_.o..", Reach::Three),
        ("ooxx_....", Reach::Three),
        ("...x_....", Reach::OpenTwo),
        ("ooox_....", Reach::Two),
        ("...._....", Reach::One),
        ("oooo_....", Reach::Nothing),
        ("oooo_....", Reach::Nothing),
    ] {
        assert!(reach(line) == expected, "{line}");
        let mirrored: String = line.chars().rev().collect();
        assert!(reach(&mirrored) == expected, "{mirrored}");
    }
}

/// Whether a line of nine cells, the middle one the side's own, can be completed by so many more marks of
/// it, whatever the other does between: the reach, found by playing.
#[test]
fn reaches_are_what_playing_on_finds() {
    // A line as digits: 0 free, 1 own, 2 not to be had.
    fn best(line: &mut [u8; 9], completes: &mut usize) -> u8 {
        let five = |line: &[u8; 9]| {
            (0..5).any(|first| line[first..first + 5].iter().all(|cell| *cell == 1))
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
                let reach = best(line, &mut its);
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
    let all = reaches_of_first();
    let mut random = Random::new(5);
    for _ in 0..300 {
        let around = random.below(1 << 16);
        let mut line = [1; 9];
        for n in 0..8 {
            let cell = match around >> (2 * n) & 3 {
                3 => 2,
                cell => cell as u8,
            };
            line[if n < 4 { n } else { n + 1 }] = cell;
        }
        assert_eq!(all[around] as u8, best(&mut line, &mut 0), "{line:?}");
    }
}

#[test]
fn what_is_kept_play_by_play_is_what_a_new_board_has() {
    let mut random = Random::new(7);
    for (columns, rows) in [(15, 15), (24, 5), (5, 9), (6, 6)] {
        let spec = board(columns, rows);
        let mut kept = Patterns::new(&spec);
        let mut marks: Vec<(Side, Move)> = Vec::new();
        for _ in 0..300 {
            let at = Move::at(random.below(spec.cells()));
            let by = Side::new(random.below(2) as u8).unwrap();
            let is_taken = marks.iter().any(|mark| mark.1 == at);
            if is_taken || random.below(3) == 0 {
                if let Some((by, at)) = marks.pop() {
                    kept.take_back(by, at);
                }
            } else {
                let foretold = kept.after(by, at);
                kept.play(by, at);
                marks.push((by, at));
                assert_eq!(foretold, kept.estimate(by.next(2)));
            }
            let mut new = Patterns::new(&spec);
            marks.iter().for_each(|(by, at)| new.play(*by, *at));
            for side in [Side::FIRST, Side::SECOND] {
                assert_eq!(kept.estimate(side), new.estimate(side));
                for at in (0..spec.cells()).map(Move::at) {
                    assert_eq!(kept.promise(side, at), new.promise(side, at));
                }
            }
            for at in (0..spec.cells()).map(Move::at) {
                assert_eq!(kept.reaches(at), new.reaches(at));
            }
        }
    }
}

#[test]
fn a_board_is_worth_the_same_however_it_is_laid_and_whoever_is_called_first() {
    let spec = board(15, 15);
    let cells = |turn: fn(usize, usize) -> (usize, usize), swap: bool| {
        let mut patterns = Patterns::new(&spec);
        for (number, (row, column)) in [(7, 7), (8, 8), (6, 7), (5, 7), (7, 3), (0, 1)]
            .into_iter()
            .enumerate()
        {
            let (row, column) = turn(row, column);
            let by = Side::new((number + usize::from(swap)) as u8 % 2).unwrap();
            patterns.play(by, Move::at(15 * row + column));
        }
        let mover = if swap { Side::SECOND } else { Side::FIRST };
        patterns.estimate(mover)
    };
    let plain = cells(|row, column| (row, column), false);
    assert_ne!(plain, cells(|row, column| (row, (column + 1) % 15), false));
    for turn in [
        |row, column| (column, row),
        |row, column| (14 - row, column),
        |row, column| (column, 14 - row),
    ] {
        assert_eq!(cells(turn, false), plain);
        assert_eq!(cells(turn, true), plain);
    }
}

#[test]
fn the_numbers_are_complete_and_others_are_refused() {
    let text = include_str!("five.txt");
    assert_eq!(sorted_sets().len(), 330);
    assert!(Learned::read(text).is_some());
    let cut = &text[..text.len() / 2];
    assert!(Learned::read(cut).is_none());
    assert!(Learned::read(&text.replacen("start", "begin", 1)).is_none());
}
