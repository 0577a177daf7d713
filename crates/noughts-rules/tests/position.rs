//! Parsing, checking and formatting positions.

use noughts_rules::reference::{ReferenceGrid, ReferenceNested};
use noughts_rules::{
    Board, BoardState, Diagram, DiagramError, GridSpec, Move, Outcome, Overline, Placement, PlayIn,
    Rules, Side, Variant,
};
use proptest::prelude::*;

#[path = "game/cases.rs"]
mod cases;
#[path = "game/nine_letters.rs"]
mod nine_letters;

use cases::cases;
use nine_letters::nine;

fn read(variant: &str, text: &str) -> Result<Diagram, DiagramError> {
    Diagram::parse(&variant.parse().unwrap(), text)
}

/// Columns of the table: variant, text, formatted text.
fn check_texts(table: &str) {
    for [variant, text, written] in cases(table) {
        let diagram = read(variant, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let variant = variant.parse().unwrap();
        assert_eq!(diagram.format(&variant), written, "{variant} | {text}");
        assert_eq!(Diagram::parse(&variant, written), Ok(diagram));
    }
}

/// Columns of the table: variant and text. Formatting the parsed text gives the same text.
fn check_possible(table: &str) {
    for [variant, text] in cases(table) {
        check_texts(&format!("{variant} | {text} | {text}"));
    }
}

/// Columns of the table: variant, text, error message.
fn check_impossible(table: &str) {
    for [variant, text, error] in cases(table) {
        match read(variant, text) {
            Ok(_) => panic!("possible: {variant} | {text}"),
            Err(reason) => assert_eq!(reason.to_string(), error, "{variant} | {text}"),
        }
    }
}

// Texts.

#[test]
fn positions_round_trip() {
    check_possible(
        "
        3x3k3          | .../.../... x
        3x3k3          | .../.../... o
        3x3k3          | x.o/.x./..o o
        4x3k3          | xo../..../...x o
        3x4k3          | xo./.../.../..x o
        4x4k3p3        | xoa./..../..../.... x
        3x3k3p64       | xo#/@09/zZa #
        7x6k4+gravity  | {7.}/{7.}/{7.}/...o.../...x.../..oxx.. o
        multi          | {9.}/{9.}/{9.}/{9.}/{9.}/{9.}/{9.}/{9.}/{9.} x *
        multi@4        | {9.}/{9.}/{9.}/{9.}/{9.}/{9.}/{9.}/{9.}/{9.} x 4
        multi          | {9.}/{9.}/{9.}/{9.}/x{8.}/{9.}/{9.}/{9.}/{9.} o 0
        ",
    );
}

#[test]
fn five_equal_cells_are_formatted_as_a_run() {
    check_texts(
        "
        4x3k3            | {4.}/.{2.}./{1.}{3.} x               | ..../..../.... x
        5x3k3            | ...../..{2.}./x{4.} o                | {5.}/{5.}/x.... o
        6x6k6            | xxxx../xxxxx./{6.}/{6.}/{6.}/{6.} o  | xxxx../{5x}./{6.}/{6.}/{6.}/{6.} o
        7x6k6            | {3x}{2x}oo/{7.}/{7.}/{7.}/{7.}/{7.} o | {5x}oo/{7.}/{7.}/{7.}/{7.}/{7.} o
        3x3k3            | {2x}{1o}/{3.}/... x                  | xxo/.../... x
        ",
    );
}

#[test]
fn last_character_of_a_run_is_its_symbol_even_if_a_digit() {
    check_possible(
        "
        13x3k13p64 | {123}./{13.}/{13.} x
        13x3k13p64 | {100}.22/{13.}/{13.} x
        13x3k13p64 | {53}.{50}../{13.}/{13.} 9
        13x3k13p64 | 3333{55}0000/{13.}/{13.} 0
        ",
    );
    let diagram = read("13x3k13p64", "{123}./{13.}/{13.} x").unwrap();
    let three = Side::from_symbol('3');
    assert_eq!(diagram.marks[11..13], [three, None]);
}

#[test]
fn largest_board_round_trips() {
    let empty = format!("{} x", vec!["{255.}"; 255].join("/"));
    check_possible(&format!("255x255k255p64 | {empty}"));
    let checkered = |row: usize| ["xo", "ox"][row % 2].repeat(128)[..255].to_owned();
    let rows: Vec<String> = (0..255).map(checkered).collect();
    check_impossible(&format!(
        "255x255k5 | {} x | the lines on the board can't have been completed by one play",
        rows.join("/")
    ));
}

#[test]
fn draw_shows_rows_and_nine_boards() {
    let draw = |variant: &str, text: &str| {
        let diagram = read(variant, text).unwrap();
        diagram.draw(&variant.parse().unwrap())
    };
    assert_eq!(
        draw("4x3k3", "x.../.o../...x o"),
        "x . . .\n. o . .\n. . . x"
    );
    let nine = "x{7.}o/{9.}/{9.}/{9.}/....x..../{9.}/{9.}/{9.}/........x x 4";
    let drawn = "\
x . .   . . .   . . .
. . .   . . .   . . .
. . o   . . .   . . .

. . .   . . .   . . .
. . .   . x .   . . .
. . .   . . .   . . .

. . .   . . .   . . .
. . .   . . .   . . .
. . .   . . .   . . x";
    assert_eq!(draw("multi", nine), drawn);
}

#[test]
fn errors_say_what_is_allowed() {
    check_impossible(
        r#"
        3x3k3 |                    | row (or board) 0 of the position needs exactly 3 cells
        3x3k3 | ... x              | the position needs 3 rows (or boards), with / between
        3x3k3 | .../... x          | the position needs 3 rows (or boards), with / between
        3x3k3 | .../.../.../... x  | the position needs 3 rows (or boards), with / between
        3x3k3 | .../../... x       | row (or board) 1 of the position needs exactly 3 cells
        3x3k3 | .../.../.... x     | row (or board) 2 of the position needs exactly 3 cells
        3x3k3 | {9.}/.../... x     | row (or board) 0 of the position needs exactly 3 cells
        3x3k3 | {65535.}/.../... x | row (or board) 0 of the position needs exactly 3 cells
        3x3k3 | {3.}/{3.}/{3. x    | a run is written {12.}, a number and one symbol, not "{3."
        3x3k3 | {3}/.../... x      | a run is written {12.}, a number and one symbol, not "{3}"
        3x3k3 | {.}/.../... x      | a run is written {12.}, a number and one symbol, not "{.}"
        3x3k3 | {}/.../... x       | a run is written {12.}, a number and one symbol, not "{}"
        3x3k3 | {0x}.../.../... x  | a run is written {12.}, a number and one symbol, not "{0x}..."
        3x3k3 | {03.}/.../... x    | a run is written {12.}, a number and one symbol, not "{03.}"
        3x3k3 | {+3.}/.../... x    | a run is written {12.}, a number and one symbol, not "{+3.}"
        3x3k3 | {65536.}/.../... x | a run is written {12.}, a number and one symbol, not "{65536.}"
        3x3k3 | a../.../... x      | 'a' is no side of this game: empty cells are '.', the 2 sides are 'x' and 'o'
        3x3k3 | X../.../... x      | 'X' is no side of this game: empty cells are '.', the 2 sides are 'x' and 'o'
        3x3k3 | ż../.../... x      | 'ż' is no side of this game: empty cells are '.', the 2 sides are 'x' and 'o'
        3x3k3 | .../.../... a      | 'a' is no side of this game: empty cells are '.', the 2 sides are 'x' and 'o'
        3x3k3 | .../.../... .      | '.' is no side of this game: empty cells are '.', the 2 sides are 'x' and 'o'
        3x3k3p5 | d../.../... x    | 'd' is no side of this game: empty cells are '.', the 5 sides are 'x', 'o' and so on to 'c'
        3x3k3 | .../.../...        | the cells must be followed by a space and the side to move, such as 'x'
        3x3k3 | .../.../... xo     | the cells must be followed by a space and the side to move, such as 'x'
        3x3k3 | .../.../...  x     | the cells must be followed by a space and the side to move, such as 'x'
        3x3k3 | .../.../... x 4    | the position ends before "4"
        3x3k3 | .../.../... x -    | the position ends before "-"
        "#,
    );
    let empty = ["{9.}"; 9].join("/");
    let missing = "the position must end with the board to play in: 0 to 8, * for any open board, - when the game is over";
    for rest in ["x", "x 9", "x 04", "x any", "x -1", "x -"] {
        check_impossible(&format!("multi | {empty} {rest} | {missing}"));
    }
    check_impossible(&format!(
        "multi | {empty} x * 4 | the position ends before \"4\""
    ));
    check_impossible(
        "multi | .../.../... x * | row (or board) 0 of the position needs exactly 9 cells",
    );
}

#[test]
fn diagrams_are_checked_like_texts() {
    let check = |change: fn(&mut Diagram), reason: DiagramError| {
        let variant: Variant = "3x3k3".parse().unwrap();
        let mut diagram = Diagram::parse(&variant, ".../.../... x").unwrap();
        change(&mut diagram);
        assert_eq!(diagram.check(&variant), Err(reason));
    };
    check(
        |d| d.marks.truncate(8),
        DiagramError::Cells { have: 8, need: 9 },
    );
    check(
        |d| d.marks.push(None),
        DiagramError::Cells { have: 10, need: 9 },
    );
    check(|d| d.play_in = Some(PlayIn::AnyOpen), DiagramError::PlayIn);
    check(
        |d| d.marks[0] = Side::new(2),
        DiagramError::NoSuchSide('a', 2),
    );
    check(
        |d| d.to_move = Side::new(63).unwrap(),
        DiagramError::NoSuchSide('#', 2),
    );
}

// Possible and impossible on one board.

#[test]
fn unequal_counts_of_marks_are_possible() {
    check_possible(
        "
        3x3k3   | xx./.xo/... x
        3x3k3   | ooo/.../... o
        3x3k3   | x../.../... x
        4x4k3p3 | a.../..../..../.... a
        ",
    );
}

#[test]
fn won_and_full_boards_are_possible() {
    check_possible(
        "
        3x3k3         | xxx/oo./... o
        3x3k3         | xxx/oo./... x
        3x3k3         | xox/xxo/oxo o
        3x3k3         | xxx/x../x.. o
        3x3k3         | xox/oxo/xox o
        3x3k3+misere  | xxx/oo./... o
        7x3k3         | {5x}../{7.}/{7.} o
        7x3k3+exact   | {5x}../{7.}/{7.} o
        3x3k3+gravity | .../oo./xxx o
        3x3k3+gravity | .x./oxo/oxo o
        ",
    );
}

#[test]
fn with_gravity_marks_above_empty_cells_are_refused() {
    let table = "
        3x3k3+gravity     | x../.../...      | 0-0
        3x3k3+gravity     | .../.x./...      | 1-1
        3x3k3+gravity     | ..x/.../..o      | 0-2
        4x3k3p3+gravity   | ..../...a/xoa.   | 1-3
        ";
    for [variant, marks, cell] in cases(table) {
        let sentence = "with gravity no mark can be above an empty cell, as the mark at";
        check_impossible(&format!("{variant} | {marks} x | {sentence} {cell} is"));
    }
    check_possible("3x3k3+gravity | ..x/..o/..x o");
}

#[test]
fn lines_that_need_two_last_plays_are_refused() {
    let table = "
        3x3k3           | xxx/ooo/... x
        3x3k3           | xxx/.../xxx o
        3x3k3           | x.o/x.o/x.o x
        3x3k3           | xxx/xxx/xxx o
        3x3k3           | xxx/xox/xxx o
        3x3k3p3         | xxx/ooo/aaa o
        3x3k3+misere    | xxx/ooo/... x
        6x3k3           | {6x}/{6.}/{6.} o
        6x3k3           | xxx.../{6.}/...xxx o
        7x3k3+exact     | xxx.xxx/{7.}/{7.} o
        7x3k3+exact     | xxx.ooo/{7.}/{7.} o
        3x3k3+gravity   | .../oxo/xxx o
        4x3k3+gravity   | ..../oxo./xxxo o
        4x3k3+gravity   | .ox./oxox/oxxx x
        ";
    for [variant, text] in cases(table) {
        let sentence = "the lines on the board can't have been completed by one play";
        check_impossible(&format!("{variant} | {text} | {sentence}"));
    }
}

#[test]
fn board_full_of_lines_is_refused_quickly() {
    for variant in ["255x255k3", "255x255k100", "255x255k255", "255x255k3+exact"] {
        let full = format!("{} o", vec!["{255x}"; 255].join("/"));
        assert_eq!(
            read(variant, &full),
            Err(DiagramError::TwoLines),
            "{variant}"
        );
    }
}

/// A board of random marks, most of them x; with gravity no mark floats.
fn any_board() -> impl Strategy<Value = (GridSpec, Vec<Option<Side>>)> {
    let flags = (any::<bool>(), any::<bool>());
    let sizes = (3..=7u8, 3..=4u8, 3..=4u8);
    let cells = prop::collection::vec(prop::sample::select(vec!['x', 'x', 'x', 'o', '.']), 28);
    (sizes, flags, cells).prop_map(|((columns, rows, line), (gravity, exact), cells)| {
        let line = line.min(columns.max(rows));
        let mut spec = GridSpec::new(columns, rows, line).unwrap();
        if exact {
            spec.overline = Overline::Ignored;
        }
        let marks = cells.into_iter().map(Side::from_symbol);
        let mut marks: Vec<_> = marks.take(spec.cells()).collect();
        if gravity {
            spec.placement = Placement::Gravity;
            for at in spec.columns()..spec.cells() {
                if marks[at].is_none() {
                    let column = (0..at).rev().skip(spec.columns() - 1);
                    column
                        .step_by(spec.columns())
                        .for_each(|above| marks[above] = None);
                }
            }
        }
        (spec, marks)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn check_agrees_with_reference_on_lines((spec, marks) in any_board()) {
        let reference = ReferenceGrid(spec);
        let diagram = |marks| Diagram { marks, to_move: Side::FIRST, play_in: None };
        let whole = reference.set_up(&diagram(marks.clone()));
        let could_be_last = |at: usize| {
            let mut before = marks.clone();
            before[at] = None;
            let above = at.checked_sub(spec.columns()).and_then(|above| marks[above]);
            let buried = spec.placement == Placement::Gravity && above.is_some();
            let before = reference.set_up(&diagram(before));
            !buried && reference.outcome(&before).is_none()
        };
        let has_line = matches!(reference.outcome(&whole), Some(Outcome::Won(_)));
        let marked = || (0..spec.cells()).filter(|&at| marks[at].is_some());
        let possible = !has_line || marked().any(could_be_last);
        let checked = diagram(marks.clone()).check(&Variant::Grid(spec));
        let expected = if possible { Ok(()) } else { Err(DiagramError::TwoLines) };
        prop_assert_eq!(checked, expected, "{}", diagram(marks.clone()).draw(&Variant::Grid(spec)));
    }
}

// Possible and impossible on nine boards.

/// Columns of the table: variant, nine boards, `ok` or the reason.
fn check_nine(table: &str) {
    for [variant, position, expected] in cases(table) {
        let checked = match read(variant, &nine(position).unwrap()) {
            Ok(_) => "ok",
            Err(DiagramError::PlayIn) => "not sent there",
            Err(DiagramError::NoPlayIn) => "not over",
            Err(DiagramError::TwoLines) => "two lines",
            Err(other) => panic!("{variant} | {position}: {other}"),
        };
        assert_eq!(checked, expected, "{variant} | {position}");
    }
}

#[test]
fn first_play_is_where_the_variant_says() {
    check_nine(
        "
        multi    | . . . . . . . . . x * | ok
        multi    | . . . . . . . . . o * | ok
        multi    | . . . . . . . . . x 4 | not sent there
        multi@4  | . . . . . . . . . x 4 | ok
        multi@4  | . . . . . . . . . x * | not sent there
        multi@4  | . . . . . . . . . x 5 | not sent there
        ultimate | . . . . . . . . . x * | ok
        ultimate | . . . . . . . . . x - | not over
        ",
    );
}

#[test]
fn board_to_play_in_must_follow_from_a_play() {
    check_nine(
        "
        multi    | . . . . ..x...... . . . . o 2 | ok
        multi    | . . . . ..x...... . . . . x 2 | ok
        multi    | . . . . ..x...... . . . . o 3 | not sent there
        multi    | . . . . ..x...... . . . . o * | not sent there
        multi    | . . . . ..x...... . . . . o - | not over
        multi    | . . o........ . ..x...... . . . . o 0 | ok
        multi    | . . o........ . ..x...... . . . . o 2 | ok
        multi    | . . o........ . ..x...... . . . . o 4 | not sent there
        ultimate | . . . . ..x...... . . . . o 2 | ok
        ultimate | . . . . ..x...... . . . . o * | not sent there
        ",
    );
}

#[test]
fn closed_board_is_never_the_board_to_play_in() {
    check_nine(
        "
        multi    | X . . . . . . . x........ o 0 | not sent there
        multi    | X . . . . . . . x........ o 1 | ok
        multi    | X . . . . . . . x........ o * | not sent there
        multi    | x........ . . . . . . . X o 0 | ok
        multi    | D . . . . . . . x........ o 1 | ok
        ultimate | X . . . . . . . x........ o 0 | not sent there
        ultimate | X . . . . . . . x........ o * | ok
        ultimate | X X O O O X D O x........ o 8 | ok
        ultimate | X X O O O X D O x........ o * | not sent there
        ",
    );
}

#[test]
fn mark_placed_before_its_board_was_won_is_not_the_latest_play() {
    // If the latest mark is on a won board, then it won that board.
    check_nine(
        "
        multi    | xxx.oo... . . . . . . . . o 2 | ok
        multi    | xxx.oo... . . . . . . . . o 1 | ok
        multi    | xxx.oo... . . . . . . . . o 5 | not sent there
        multi    | xxx.oo... . . . . . . ....o.... . o 4 | ok
        ultimate | xxx.oo... . . . . . . . . o 4 | not sent there
        ultimate | xxx.oo... . . . . . . . . o * | ok
        multi    | xoxxoxoxo . . . . . . . . o 7 | ok
        ",
    );
}

#[test]
fn finished_game_has_no_board_to_play_in() {
    check_nine(
        "
        multi    | X X X X O O O O D x -         | ok
        multi    | X X X X O O O O D x *         | not sent there
        multi    | X X X X O O O O D x 8         | not sent there
        multi    | X X X O O . . . x........ o - | not over
        multi    | X X X O O . . . x........ o 5 | ok
        ultimate | X X X O O . . . . x -         | ok
        ultimate | X X X O O . . . . x *         | not sent there
        ultimate | X X X O O . . . . x 5         | not sent there
        ultimate | X O X X O X O X D x -         | ok
        ultimate | X O X X O X O X . x -         | not over
        ",
    );
}

#[test]
fn small_board_with_two_separate_lines_is_refused() {
    check_nine(
        "
        multi    | xxxooo... . . . . . . . . x 1 | two lines
        multi    | xxx...xxx . . . . . . . . o 1 | two lines
        multi    | xxxx..x.. . . . . . . . . o 1 | ok
        multi    | xxxxxxxxx . . . . . . . . o 1 | two lines
        ultimate | . . . xxxooo... . . . . . x 1 | two lines
        ",
    );
}

#[test]
fn two_separate_lines_of_boards_are_refused_only_in_ultimate() {
    check_nine(
        "
        ultimate | X X X O O O . . . x -         | two lines
        ultimate | X X X . . . X X X o -         | two lines
        ultimate | X X X X X X X X X o -         | two lines
        ultimate | X X X X . . X . . o -         | ok
        ultimate | X X X . X . X . X o -         | two lines
        multi    | X X X O O O . . x........ o 6 | ok
        multi    | X X X . . . X X X o 3         | ok
        multi    | X X X X X X X X X o -         | ok
        ",
    );
}

#[test]
fn board_states_follow_from_the_marks() {
    let diagram = read("multi", &nine("X O D . x........ . . . . o 3").unwrap()).unwrap();
    let (x, o) = (BoardState::Won(Side::FIRST), BoardState::Won(Side::SECOND));
    assert_eq!(
        diagram.boards()[..5],
        [x, o, BoardState::Drawn, BoardState::Open, BoardState::Open]
    );
}

/// A position of a random game with at most one random change.
fn any_nine() -> impl Strategy<Value = (&'static str, Diagram)> {
    let names = prop::sample::select(vec!["multi", "multi@4", "ultimate", "ultimate@0"]);
    let choices = prop::collection::vec(any::<u16>(), 0..70);
    (names, choices, 0..4u8, 0..81usize).prop_map(|(name, choices, change, at)| {
        let Ok(Variant::Nested(spec)) = name.parse() else {
            panic!("{name}")
        };
        let rules = ReferenceNested(spec);
        let mut position = rules.start();
        for choice in choices {
            let legal: Vec<Move> = rules.moves(&position).collect();
            if let Some(at) = legal.get(usize::from(choice) % legal.len().max(1)) {
                rules.play(&mut position, *at);
            }
        }
        let mut diagram = rules.diagram(&position);
        match change {
            0 => diagram.marks[at] = None,
            1 => diagram.marks[at] = Some(Side::FIRST),
            2 => diagram.play_in = Board::new((at % 9) as u8).map(PlayIn::Board),
            _ => {}
        }
        (name, diagram)
    })
}

/// Whether this is the first position of the variant, or one play by the reference rules leads to exactly this
/// position.
fn some_play_leads_to(variant: Variant, diagram: &Diagram) -> bool {
    let Variant::Nested(spec) = variant else {
        panic!("{variant}")
    };
    let rules = ReferenceNested(spec);
    let leads = |at: usize| {
        let Some(side) = diagram.marks[at] else {
            return false;
        };
        let mut before = diagram.clone();
        before.marks[at] = None;
        before.play_in = Board::new((at / 9) as u8).map(PlayIn::Board);
        before.to_move = side;
        let mut position = rules.set_up(&before);
        let closed = before.boards()[at / 9] != BoardState::Open;
        if closed || rules.check(&position, Move::at(at)).is_err() {
            return false;
        }
        rules.play(&mut position, Move::at(at));
        rules.diagram(&position).play_in == diagram.play_in
    };
    diagram == &rules.diagram(&rules.start()) || (0..81).any(leads)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn check_agrees_with_reference_on_nine_boards((name, diagram) in any_nine()) {
        let variant: Variant = name.parse().unwrap();
        let mut to_x = diagram.clone();
        to_x.to_move = Side::FIRST;
        match diagram.check(&variant) {
            Ok(()) => prop_assert!(some_play_leads_to(variant, &to_x), "{}", diagram.format(&variant)),
            // The reference starts at the position before the latest play. It cannot judge a board that was already
            // impossible then.
            Err(DiagramError::TwoLines) => {}
            Err(_) => prop_assert!(!some_play_leads_to(variant, &to_x), "{}", diagram.format(&variant)),
        }
    }
}
