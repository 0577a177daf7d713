//! Parsing, replaying and formatting records.

use noughts_rules::{
    Action, ClockSettings, DrawReason, Game, OfferEvent, OfferKind, OfferStep, Options, Player,
    Record, RecordError, RecordSeat, Seat, Side, Termination, Variant,
};

#[path = "game/cases.rs"]
mod cases;

use cases::cases;

const EXAMPLE: &str = "\
noughts 1
variant 3x3k3
history 3
seat 0 x human Ann
seat 1 o robot perfect
1 0 0-0
2 1 1-2
3 0 2-0
4 1 <<2
result unfinished
";

/// A record from the symbols of the seats and the turns. The seats take turns in order, except in a turn such as
/// `1:resign`, which names its seat.
fn record(variant: &str, symbols: &str, turns: &str, result: &str) -> String {
    let mut text = format!("noughts 1\nvariant {variant}\nhistory 5\n");
    let symbols: Vec<char> = symbols.chars().collect();
    for (seat, symbol) in symbols.iter().enumerate() {
        text += &format!("seat {seat} {symbol} human\n");
    }
    for (number, turn) in turns.split_whitespace().enumerate() {
        let in_order = (number % symbols.len()).to_string();
        let (seat, action) = turn.split_once(':').unwrap_or((&in_order, turn));
        text += &format!("{} {seat} {action}\n", number + 1);
    }
    format!("{text}result {result}\n")
}

/// The example in which `to` replaces the line with this number, counted from 1. `to` may have several lines.
fn changed(number: usize, to: &str) -> String {
    let mut lines: Vec<&str> = EXAMPLE.lines().collect();
    lines[number - 1] = to;
    lines.join("\n") + "\n"
}

#[track_caller]
fn check(text: &str) -> Record {
    check_written(text, text)
}

/// Checks that `text` parses, that the record is formatted as `written`, and that `written` parses to the same game.
#[track_caller]
fn check_written(text: &str, written: &str) -> Record {
    let record = text
        .parse::<Record>()
        .unwrap_or_else(|error| panic!("{error} in\n{text}"));
    assert_eq!(record.to_string(), written);
    let again = written.parse::<Record>().unwrap();
    assert_eq!(again.game().view(), record.game().view());
    assert_eq!(again.seats(), record.seats());
    record
}

#[track_caller]
fn check_refused(text: &str, sentence: &str) {
    match text.parse::<Record>() {
        Ok(_) => panic!("this is no record:\n{text}"),
        Err(error) => assert_eq!(error.to_string(), sentence, "in\n{text}"),
    }
}

// Accepted records.

#[test]
fn example_round_trips() {
    let record = check(EXAMPLE);
    let game = record.game();
    assert_eq!(game.diagram().format(game.variant()), "x../.../... x");
    assert_eq!((game.history(), game.to_move()), (3, Some(Seat(0))));
    let [ann, perfect] = record.seats() else {
        panic!("two seats")
    };
    assert_eq!(
        (ann.symbol, &ann.player),
        ('x', &Player::Human("Ann".to_owned()))
    );
    let robot = Player::Robot("perfect".to_owned());
    assert_eq!((perfect.symbol, &perfect.player), ('o', &robot));
}

#[test]
fn crlf_and_missing_last_line_end_are_accepted() {
    check_written(&EXAMPLE.replace('\n', "\r\n"), EXAMPLE);
    check_written(EXAMPLE.trim_end(), EXAMPLE);
    check_written(EXAMPLE.replace('\n', "\r\n").trim_end(), EXAMPLE);
}

#[test]
fn names_may_have_spaces_or_be_empty() {
    let name = |line: &str| check(&changed(4, line)).seats()[0].player.clone();
    let human = |name: &str| Player::Human(name.to_owned());
    assert_eq!(
        name("seat 0 x human Ann Lee  of  York"),
        human("Ann Lee  of  York")
    );
    assert_eq!(name("seat 0 x human"), human(""));
    assert_eq!(name("seat 0 x human human"), human("human"));
    assert_eq!(name("seat 0 x human Zażółć 🦀"), human("Zażółć 🦀"));
    assert_eq!(name("seat 0 x human engine:rm"), human("engine:rm"));
    assert_eq!(
        name("seat 0 x robot search:200ms"),
        Player::Robot("search:200ms".to_owned())
    );
    let longest = "ż".repeat(255);
    assert_eq!(name(&format!("seat 0 x human {longest}")), human(&longest));
}

#[test]
fn any_visible_character_is_a_symbol() {
    for symbol in ["ż", "🦀", "-", ".", "'", "\"", "\\", "0", "木", "א"] {
        let line = format!("seat 0 {symbol} human");
        let record = check(&changed(4, &line));
        assert_eq!(record.seats()[0].symbol.to_string(), symbol);
    }
}

#[test]
fn equal_symbols_are_one_side() {
    check(&record("3x3k3", "xx", "0-0 0-1 0-2", "won x by line"));
    check(&record("3x3k3", "xxo", "0-0 0-1 1-1 0-2", "won x by line"));
    check(&record(
        "3x3k3",
        "🦀🦀ż",
        "0-0 0-1 1-1 2-0 2-2 1-0 0-2",
        "won 🦀 by line",
    ));
    // Symbols are labels: the first seat belongs to the first side.
    check(&record(
        "3x3k3",
        "ox",
        "0-0 1-0 0-1 1-1 0-2",
        "won o by line",
    ));
}

#[test]
fn record_may_start_from_a_position() {
    let from = |start: &str| changed(3, &format!("history 3\nstart {start}"));
    let record = check(&from("..x/.o./... x").replace("0-0", "0-1"));
    let game = record.game();
    assert_eq!(game.diagram().format(game.variant()), ".xx/.o./... x");
    // A start line with the first position of the variant is kept.
    check(&from(".../.../... x"));
}

#[test]
fn finished_start_position_has_no_turns() {
    let record = |start: &str, result: &str| {
        format!(
            "noughts 1\nvariant 3x3k3\nhistory 0\nstart {start}\nseat 0 x human\nseat 1 o human\n{result}\n"
        )
    };
    check(&record("xxx/oo./... o", "result won x by line"));
    check(&record("xox/xxo/oxo o", "result draw"));
    let refused = "line 7 of the record: the result of these turns is 'won x by line'";
    check_refused(&record("xxx/oo./... o", "result unfinished"), refused);
    let refused = "line 7 of the record: the game is over";
    check_refused(
        &record("xxx/oo./... o", "1 1 2-2\nresult won x by line"),
        refused,
    );
}

#[test]
fn column_is_parsed_and_formatted_as_its_cell() {
    let text = |first: &str, second: &str| {
        record(
            "7x6k4+gravity",
            "xo",
            &format!("{first} {second}"),
            "unfinished",
        )
    };
    check_written(&text("3", "3"), &text("5-3", "4-3"));
}

#[test]
fn results_round_trip() {
    let table = "
        3x3k3            | xo  | 0-0 1-1                             | unfinished
        3x3k3            | xo  |                                     | unfinished
        3x3k3            | xo  | 0-0 1-0 0-1 1-1 0-2                 | won x by line
        3x3k3+misere     | xo  | 0-0 1-0 0-1 1-1 0-2                 | won o by line
        3x3k3            | xo  | 0-0 0-1 0-2 1-1 1-0 1-2 2-1 2-0 2-2 | draw
        3x3k3            | xo  | 0-0 resign                          | won x by resignation
        3x3k3            | xo  | 0-0 0:resign                        | won o by resignation
        3x3k3            | xx  | 0-0 resign                          | abandoned
        3x3k3            | xo  | 0-0                                 | won x by leaving
        3x3k3            | xo  | 0-0                                 | won o by leaving
        3x3k3            | xo  | 0-0                                 | abandoned
        3x3k3            | xo  | 0-0 <<0 <<1                         | draw
        4x4k3p3          | xoa | 0-0 1-0 2-0 0-1 1-1 3-3 0-2         | won x by line
        4x4k3p3+misere   | xoa | 0-0 1-0 2-0 0-1 1-1 3-3 0-2         | won o a by line
        4x4k3p3          | xoa | 0-0 2:resign                        | won x o by resignation
        4x4k3p3          | żoq | 0-0 2:resign                        | won ż o by resignation
        4x4k3p3          | xoa | 0-0                                 | won x a by leaving
        multi            | xo  | 4-0 0-2 2-8 8-2 2-2 2-5             | unfinished
        ultimate@4       | xo  | 4-0 <<1 4-4 4-0                     | unfinished
        ";
    for [variant, symbols, turns, result] in cases(table) {
        check(&record(variant, symbols, turns, result));
    }
}

#[test]
fn results_on_nine_boards_round_trip() {
    let (x, o, drawn) = ("xxxoo....", "oooxx....", "xoxxoxoxo");
    let text = |variant: &str, boards: [&str; 9], result: &str| {
        let start = format!("start {} x -", boards.join("/"));
        record(variant, "xo", "", result).replace("history 5", &format!("history 5\n{start}"))
    };
    let mostly_x = [x, x, x, o, o, drawn, drawn, drawn, drawn];
    check(&text("multi", mostly_x, "won x by points"));
    check(&text("ultimate", mostly_x, "won x by line"));
    let even = [x, x, o, o, drawn, drawn, drawn, drawn, drawn];
    check(&text("multi", even, "draw"));
    check(&text("ultimate", even, "draw"));
}

// Refused records.

#[test]
fn errors_name_the_line_and_what_is_allowed() {
    let name = "a name has at most 255 characters, no control characters and no space at its ends; the name of a robot is not empty";
    let symbol = "a symbol is one visible character, and every side has its own symbol";
    let seat = "a seat is written 'seat 0 x human NAME' or 'seat 0 x robot STRATEGY', not";
    let variant = "is not a variant: a variant is WxHkK such as 3x3k3, optionally followed by p3, +misere, +gravity or +exact, or multi, multi@4, ultimate, ultimate@4";
    let long = format!("seat 0 x human {}", "n".repeat(256));
    for (line, text, sentence) in [
        (
            1,
            "noughts 3",
            r#"this line must be 'noughts 1' or 'noughts 2', not "noughts 3""#.to_owned(),
        ),
        (
            1,
            "",
            r#"this line must be 'noughts 1' or 'noughts 2', not """#.to_owned(),
        ),
        (
            1,
            " noughts 1",
            r#"this line must be 'noughts 1' or 'noughts 2', not " noughts 1""#.to_owned(),
        ),
        (
            2,
            "3x3k3",
            r#"this line must be 'variant NAME', not "3x3k3""#.to_owned(),
        ),
        (
            2,
            "variant",
            r#"this line must be 'variant NAME', not "variant""#.to_owned(),
        ),
        (2, "variant chess", format!("\"chess\" {variant}")),
        (2, "variant 3x3k3 ", format!("\"3x3k3 \" {variant}")),
        (
            3,
            "seat 0 x human",
            r#"this line must be 'history NUMBER', not "seat 0 x human""#.to_owned(),
        ),
        (
            3,
            "history three",
            r#"the history is a number such as 0 or 3, not "three""#.to_owned(),
        ),
        (
            3,
            "history 03",
            r#"the history is a number such as 0 or 3, not "03""#.to_owned(),
        ),
        (
            3,
            "history -1",
            r#"the history is a number such as 0 or 3, not "-1""#.to_owned(),
        ),
        (
            3,
            "history 9",
            "the history of this game is 0 to 8".to_owned(),
        ),
        (
            3,
            "history 99999999999999999999",
            "the history of this game is 0 to 8".to_owned(),
        ),
        (
            4,
            "start .../... x",
            "the position needs 3 rows (or boards), with / between".to_owned(),
        ),
        (
            4,
            "seat 1 x human Ann",
            format!("{seat} \"seat 1 x human Ann\""),
        ),
        (
            4,
            "seat 00 x human Ann",
            format!("{seat} \"seat 00 x human Ann\""),
        ),
        (
            4,
            "seat 0 x alien Ann",
            format!("{seat} \"seat 0 x alien Ann\""),
        ),
        (
            4,
            "seat 0 xx human Ann",
            format!("{seat} \"seat 0 xx human Ann\""),
        ),
        (4, "seat 0 x", format!("{seat} \"seat 0 x\"")),
        (4, "seat 0 ", format!("{seat} \"seat 0 \"")),
        (4, "seat 0 x human  Ann", name.to_owned()),
        (4, "seat 0 x human Ann ", name.to_owned()),
        (4, "seat 0 x human Ann\tLee", name.to_owned()),
        (4, "seat 0 x human A\u{1b}[2Jnn", name.to_owned()),
        (4, "seat 0 x robot", name.to_owned()),
        (4, &long, name.to_owned()),
        (4, "seat 0 \u{a0} human", symbol.to_owned()),
        (4, "seat 0 \u{7} human", symbol.to_owned()),
        (4, "seat 0 \u{301} human", symbol.to_owned()),
        (4, "seat 0 \u{200b} human", symbol.to_owned()),
        (4, "seat 0 \u{202e} human", symbol.to_owned()),
        (4, "seat 0 \u{2066} human", symbol.to_owned()),
        (
            5,
            "seat 1 o robot engine:rm -rf",
            "a record can't name a command to run".to_owned(),
        ),
        (
            5,
            "seat 1 o robot engine:",
            "a record can't name a command to run".to_owned(),
        ),
    ] {
        let sentence = format!("line {line} of the record: {sentence}");
        check_refused(&changed(line, text), &sentence);
    }
}

#[test]
fn illegal_turns_are_refused_with_their_line() {
    let written = |number: usize| {
        format!("a turn is written '{number} SEAT ACTION', the result 'result …', not")
    };
    let action = "is not a move: a move is written row-column, such as 0-1";
    for (line, text, sentence) in [
        (6, "2 0 0-0", format!("{} \"2 0 0-0\"", written(1))),
        (6, "01 0 0-0", format!("{} \"01 0 0-0\"", written(1))),
        (6, "1  0 0-0", format!("{} \"1  0 0-0\"", written(1))),
        (6, "1 x 0-0", format!("{} \"1 x 0-0\"", written(1))),
        (6, "1 0", format!("{} \"1 0\"", written(1))),
        (6, "", format!("{} \"\"", written(1))),
        (6, "1 0 a-0", format!("\"a-0\" {action}")),
        (6, "1 0 0-0 ", format!("\"0-0 \" {action}")),
        (6, "1 0 <<x", format!("\"<<x\" {action}")),
        (
            6,
            "1 0 0-3",
            "there is no such cell on the board: they go from 0-0 to 2-2".to_owned(),
        ),
        (6, "1 1 0-0", "it is the turn of seat 0".to_owned()),
        (6, "1 2 0-0", "the seats of this game are 0 to 1".to_owned()),
        (
            6,
            "1 256 0-0",
            "the seats of this game are 0 to 1".to_owned(),
        ),
        (7, "1 1 1-2", format!("{} \"1 1 1-2\"", written(2))),
        (7, "2 0 1-2", "it is the turn of seat 1".to_owned()),
        (
            7,
            "2 1 0-0",
            "that cell is taken, choose an empty one".to_owned(),
        ),
        (7, "2 1 <<2", "at most 1 can be taken back now".to_owned()),
        (9, "4 1 <<3", "at most 2 can be taken back now".to_owned()),
        (9, "5 1 <<2", format!("{} \"5 1 <<2\"", written(4))),
        (10, "result", format!("{} \"result\"", written(5))),
        (
            10,
            "Result unfinished",
            format!("{} \"Result unfinished\"", written(5)),
        ),
    ] {
        let sentence = format!("line {line} of the record: {sentence}");
        check_refused(&changed(line, text), &sentence);
    }
}

#[test]
fn truncated_record_is_refused_with_its_line() {
    let lines: Vec<&str> = EXAMPLE.lines().collect();
    for count in 0..lines.len() {
        let sentence = format!(
            "line {} of the record: the record ends here, before its line 'result …'",
            count + 1
        );
        check_refused(&lines[..count].join("\n"), &sentence);
    }
}

#[test]
fn only_blank_lines_may_follow_the_result() {
    for (more, line, quoted) in [
        ("result draw\n", 11, "\"result draw\""),
        (" ", 11, "\" \""),
        ("\n\nnoughts 1\n", 13, "\"noughts 1\""),
    ] {
        let sentence =
            format!("line {line} of the record: nothing may follow the result, not {quoted}");
        check_refused(&format!("{EXAMPLE}{more}"), &sentence);
    }
    for more in ["\n", "\n\r\n"] {
        let record: Record = format!("{EXAMPLE}{more}").parse().unwrap();
        assert_eq!(record.to_string(), EXAMPLE);
    }
}

#[test]
fn nothing_may_follow_the_end_of_the_game() {
    let over = "the game is over";
    let won = "0-0 1-0 0-1 1-1 0-2";
    for (turns, line) in [
        (format!("{won} 2-2"), 11),
        (format!("{won} 0:resign"), 11),
        ("resign 1:0-0".to_owned(), 7),
    ] {
        let text = record("3x3k3", "xo", &turns, "won x by line");
        check_refused(&text, &format!("line {line} of the record: {over}"));
    }
}

#[test]
fn seats_must_fit_the_variant() {
    for (variant, symbols, line, sentence) in [
        ("3x3k3", "", 4, "a game has 2 to 64 seats, not 0"),
        ("3x3k3", "x", 5, "a game has 2 to 64 seats, not 1"),
        (
            "3x3k3",
            "xoa",
            6,
            "this game has 2 sides, but the seats have 3",
        ),
        (
            "4x4k3p3",
            "xo",
            5,
            "this game has 3 sides, but the seats have 2",
        ),
        (
            "4x4k3p3",
            "xxo",
            6,
            "this game has 3 sides, but the seats have 2",
        ),
    ] {
        let text = record(variant, symbols, "", "unfinished");
        check_refused(&text, &format!("line {line} of the record: {sentence}"));
    }
}

#[test]
fn there_are_at_most_64_seats() {
    let different: String = (0..65).filter_map(|n| char::from_u32(0x4e00 + n)).collect();
    let equal = "xo".repeat(40);
    for (variant, symbols) in [("3x3k3p64", &different), ("3x3k3", &equal)] {
        let allowed: String = symbols.chars().take(64).collect();
        check(&record(variant, &allowed, "", "unfinished"));
        let text = record(variant, symbols, "", "unfinished");
        check_refused(
            &text,
            "line 68 of the record: a game has 2 to 64 seats, not 65",
        );
    }
}

#[test]
fn side_to_move_must_have_a_seat() {
    let text = record("3x3k3", "xx", "", "unfinished");
    let text = text.replace("history 5", "history 5\nstart x../.../... o");
    check_refused(
        &text,
        "line 4 of the record: the side to move, o, has no seat",
    );
}

#[test]
fn result_must_follow_from_the_turns() {
    let table = "
        3x3k3    | xo  | 0-0 1-0 0-1 1-1 0-2 | unfinished                    | won x by line
        3x3k3    | xo  | 0-0 1-0 0-1 1-1 0-2 | won o by line                 | won x by line
        3x3k3    | xo  | 0-0 1-0 0-1 1-1 0-2 | draw                          | won x by line
        3x3k3    | xo  | 0-0 1-0 0-1 1-1 0-2 | won x by points               | won x by line
        3x3k3    | xo  | 0-0 1-0 0-1 1-1 0-2 | won x by leaving              | won x by line
        3x3k3    | xo  | 0-0 1-0 0-1 1-1 0-2 | abandoned                     | won x by line
        3x3k3    | xo  | 0-0 1-0 0-1 1-1 0-2 | won x o by line               | won x by line
        3x3k3    | xo  | 0-0 1-0             | won x by line                 | unfinished
        3x3k3    | xo  | 0-0 1-0             | won x by points               | unfinished
        3x3k3    | xo  | 0-0 1-0             | won x by resignation          | unfinished
        3x3k3    | xo  | 0-0 1-0             | won x o by leaving            | unfinished
        3x3k3    | xo  | 0-0 1-0             | won  by leaving               | unfinished
        3x3k3    | xo  | 0-0 1-0             | won a by leaving              | unfinished
        3x3k3    | xo  | 0-0 1-0             | lost                          | unfinished
        3x3k3    | xx  | 0-0 1-0             | won x by leaving              | unfinished
        3x3k3    | xx  | 0-0 1-0             | won  by leaving               | unfinished
        3x3k3    | xo  | 0-0 resign          | won o by resignation          | won x by resignation
        3x3k3    | xo  | 0-0 resign          | unfinished                    | won x by resignation
        4x4k3p3  | xoa | 0-0                 | won x by leaving              | unfinished
        4x4k3p3  | xoa | 0-0 resign          | won x by resignation          | won x a by resignation
        multi    | xo  | 4-0                 | won x by points               | unfinished
        ";
    for [variant, symbols, turns, lie, truth] in cases(table) {
        let text = record(variant, symbols, turns, lie);
        let line = text.lines().count();
        let sentence = format!("line {line} of the record: the result of these turns is '{truth}'");
        check_refused(&text, &sentence);
    }
}

// Records made from a game.

fn made(symbols: &str, players: &[Player]) -> Result<Record, RecordError> {
    let variant: Variant = "3x3k3".parse().unwrap();
    let game = Game::new(&variant, Options::default()).unwrap();
    let seat = |(symbol, player): (char, &Player)| RecordSeat {
        symbol,
        player: player.clone(),
    };
    Record::new(game, symbols.chars().zip(players).map(seat).collect())
}

#[test]
fn new_refuses_seats_that_do_not_parse() {
    let ann = Player::Human("Ann".to_owned());
    let robot = |name: &str| Player::Robot(name.to_owned());
    assert!(made("xo", &[ann.clone(), robot("first")]).is_ok());
    assert!(made("ox", &[ann.clone(), robot("first")]).is_ok());
    let refused = |symbols: &str, second: &Player, sentence: &str| {
        let third = ann.clone();
        let error = made(symbols, &[ann.clone(), second.clone(), third]).unwrap_err();
        assert!(error.to_string().starts_with(sentence), "{error}");
    };
    refused("x", &ann, "every seat of the game needs a line");
    refused("xoa", &ann, "every seat of the game needs a line");
    refused("xx", &ann, "a symbol is one visible character");
    refused("x ", &ann, "a symbol is one visible character");
    refused("xo", &robot("engine:rm"), "a record can't name a command");
    refused("xo", &robot(""), "a name has at most 255 characters");
    refused(
        "xo",
        &Player::Human("A\nresult draw".to_owned()),
        "a name has at most",
    );
    refused(
        "xo",
        &Player::Human(" Ann".to_owned()),
        "a name has at most",
    );
}

#[test]
fn abandoned_drawn_and_left_games_are_recorded() {
    let ann = Player::Human("Ann".to_owned());
    let record = made("xo", &[ann.clone(), ann.clone()]).unwrap();
    let result = |end: fn(&mut Game)| {
        let mut game = record.game().clone();
        end(&mut game);
        let text = Record::new(game, record.seats().to_vec())
            .unwrap()
            .to_string();
        check(&text);
        text.lines().last().unwrap().to_owned()
    };
    assert_eq!(result(|_| {}), "result unfinished");
    assert_eq!(
        result(|game| game.leave(Seat(0)).unwrap()),
        "result won o by leaving"
    );
    let ends = [
        (Termination::Draw(DrawReason::Limit), "draw"),
        (
            Termination::Draw(DrawReason::Agreement),
            "draw by agreement",
        ),
        (Termination::Draw(DrawReason::Claim), "draw by claim"),
        (Termination::WinClaimed(Seat(1)), "won o by claim"),
        (Termination::Abandoned, "abandoned"),
        (Termination::Aborted, "aborted"),
    ];
    for (end, expected) in ends {
        let mut game = record.game().clone();
        game.terminate(end).unwrap();
        let record = Record::new(game, record.seats().to_vec()).unwrap();
        let text = record.to_string();
        check(&text);
        assert_eq!(text.lines().last(), Some(&*format!("result {expected}")));
        let is_old = ["draw", "abandoned"].contains(&expected);
        let version = if is_old { "noughts 1\n" } else { "noughts 2\n" };
        assert!(text.starts_with(version), "{text}");
    }
}

#[test]
fn side_has_the_symbol_of_its_seats() {
    let options = Options {
        history: 0,
        order: vec![Side::FIRST, Side::SECOND, Side::SECOND],
    };
    let mut game = Game::new(&"3x3k3".parse().unwrap(), options).unwrap();
    game.leave(Seat(0)).unwrap();
    let seat = |symbol| RecordSeat {
        symbol,
        player: Player::Human(String::new()),
    };
    let record = Record::new(game.clone(), vec![seat('🦀'), seat('ż'), seat('ż')]).unwrap();
    assert!(
        record
            .to_string()
            .ends_with("seat 2 ż human\nresult won ż by leaving\n")
    );
    assert!(Record::new(game, vec![seat('🦀'), seat('ż'), seat('🦀')]).is_err());
}

/// A record with a clock, offers, a takeback and a result by time, which only version 2 allows.
const VERSION_2: &str = "\
noughts 2
variant 3x3k3
history 0
clock 180+2
seat 0 x human Ann
seat 1 o human Bob
1 0 0-0 2500ms
2 1 1-1 800ms
3 0 0-1 0ms
offer 0 takeback
accept 1 takeback
4 0 takeback 1 1200ms
offer 0 draw
decline 1 draw
5 0 0-2 17000ms
result won x by time
";

#[test]
fn clocks_offers_and_takebacks_round_trip() {
    let record = check(VERSION_2);
    assert_eq!(record.clock(), ClockSettings::fischer(180, 2).ok());
    assert_eq!(record.used_ms(), [2_500, 800, 0, 1_200, 17_000]);
    let game = record.game();
    assert_eq!(game.diagram().format(game.variant()), "x.x/.o./... o");
    assert_eq!(game.turns()[3].action, Action::Takeback(1));
    let offer = |after_turns, seat, step, kind| OfferEvent {
        after_turns,
        seat: Seat(seat),
        step,
        kind,
    };
    assert_eq!(
        record.offers(),
        [
            offer(3, 0, OfferStep::Offer, OfferKind::Takeback),
            offer(3, 1, OfferStep::Accept, OfferKind::Takeback),
            offer(4, 0, OfferStep::Offer, OfferKind::Draw),
            offer(4, 1, OfferStep::Decline, OfferKind::Draw),
        ]
    );
    let made = Record::new(game.clone(), record.seats().to_vec()).unwrap();
    let made = made.with_offers(record.offers().to_vec()).unwrap();
    let clock = record.clock().unwrap();
    let made = made.with_clock(clock, record.used_ms().to_vec()).unwrap();
    assert_eq!(made.to_string(), VERSION_2);
    for (from, to) in [
        ("180+2", "move 30"),
        ("180+2", "days 14"),
        ("x by time", "o by time"),
    ] {
        check(&VERSION_2.replace(from, to));
    }
    check(&VERSION_2.replace("won x by time", "unfinished"));
    // A record with the version 2 but without its additions is accepted, and is written as version 1.
    check_written(&changed(1, "noughts 2"), EXAMPLE);
}

#[test]
fn wrong_clocks_offers_and_takebacks_are_refused_with_their_line() {
    let turn = "a turn is written '1 SEAT ACTION TIMEms', the result 'result …', not";
    let offer = "an offer is written 'offer SEAT draw' or 'offer SEAT takeback', with a seat of the game, not";
    for (from, to, line, sentence) in [
        ("clock 180+2", "clock 5+0", 4, "a clock's base is 10 to 10800 seconds".to_owned()),
        ("clock 180+2", "clock days 15", 4, "a correspondence clock has 1 to 14 days".to_owned()),
        ("2500ms", "2500", 7, format!("{turn} \"1 0 0-0 2500\"")),
        (" 2500ms", "", 7, format!("{turn} \"1 0 0-0\"")),
        ("2500ms", "-1ms", 7, format!("{turn} \"1 0 0-0 -1ms\"")),
        ("2500ms", "1000000000001ms", 7, format!("{turn} \"1 0 0-0 1000000000001ms\"")),
        ("offer 0 takeback", "offer 2 takeback", 10, format!("{offer} \"offer 2 takeback\"")),
        ("offer 0 takeback", "offer 0 tea", 10, format!("{offer} \"offer 0 tea\"")),
        (
            "takeback 1 ",
            "takeback 2 ",
            12,
            "a takeback returns to before this seat's last play, which removes 1".to_owned(),
        ),
        (
            "noughts 2",
            "noughts 1",
            1,
            "a record with a clock, offers, takebacks or a result by agreement, claim or time, or aborted, begins with 'noughts 2'"
                .to_owned(),
        ),
    ] {
        let text = VERSION_2.replace(from, to);
        assert_ne!(text, VERSION_2, "{from}");
        check_refused(&text, &format!("line {line} of the record: {sentence}"));
    }
    let plain = changed(10, "result won x by time").replace("noughts 1", "noughts 2");
    let sentence = "line 10 of the record: the result of these turns is 'unfinished'";
    check_refused(&plain, sentence);
    let offers = "offer 0 draw\n".repeat(1_001);
    let text = changed(10, &format!("{offers}result unfinished"));
    let sentence = "line 1010 of the record: a record has at most 1000 offers and answers";
    check_refused(&text, sentence);
}
