//! `noughts games`.

use crate::transcript::run;

const TWO: &str = "\
noughts 1
variant 3x3k3
history 0
seat 0 x human Ann
seat 1 o robot perfect
1 0 0-0
2 1 1-1
3 0 resign
result won o by resignation

noughts 1
variant 7x6k4+gravity
history 3
seat 0 x human Ann
seat 1 o human Bob
1 0 5-3
2 1 <<1
result won x by leaving

";

#[test]
fn games_are_imported_listed_shown_and_exported() {
    let directory = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", directory.path().join("games.db").display());
    let games = |words: &[&str], input: &str| {
        let words = [&["games", "--store", &store][..], words].concat();
        let run = run(&words, input.as_bytes());
        (run.exit, String::from_utf8(run.output).unwrap(), run.errors)
    };
    let (exit, output, errors) = games(&[], "");
    assert_eq!((exit, output.as_str()), (1, ""));
    assert!(errors.contains("--store selects another store"), "{errors}");
    let (exit, ids, errors) = games(&["import", "-"], TWO);
    assert_eq!((exit, errors.as_str()), (0, ""));
    let ids: Vec<&str> = ids.lines().collect();
    assert_eq!(ids.len(), 2);

    let (_, listed, _) = games(&[], "");
    assert_eq!(listed.lines().count(), 3);
    // The first line is the header.
    for (words, count) in [
        (&["list", "--player", "Bob"][..], 2),
        (&["list", "--variant", "3x3k3"], 2),
        (&["list", "--status", "over", "--limit", "1"], 2),
        (&["list", "--status", "playing"], 0),
    ] {
        assert_eq!(games(words, "").1.lines().count(), count, "{words:?}");
    }
    let (header, rows) = listed.split_once('\n').unwrap();
    assert!(header.starts_with("id        created           status  variant        result"));
    let row = rows.lines().find(|row| row.contains("perfect")).unwrap();
    assert!(
        row.ends_with("over    3x3k3          o won by resignation  Ann, perfect"),
        "{listed}"
    );
    for (at, id) in [(header, "players"), (row, "Ann, perfect")] {
        assert_eq!(at.find(id), header.find("players"), "{listed}");
    }
    // The short id of the list is enough.
    let short = row.split(' ').next().unwrap();
    assert_eq!(short.len(), 8);
    let (exit, shown, _) = games(&["show", short], "");
    assert_eq!(exit, 0);
    assert!(shown.starts_with(ids[0]), "{shown}");

    let (_, shown, _) = games(&["show", ids[0]], "");
    assert!(shown.contains("x: Ann\no: perfect\n"), "{shown}");
    assert!(
        shown.ends_with("o won by resignation, after 3 turns\n"),
        "{shown}"
    );

    assert_eq!(
        games(&["export", ids[0], ids[1]], ""),
        (0, TWO.to_owned(), String::new())
    );
    let (_, all, _) = games(&["export"], "");
    let sorted = |text: &str| {
        let mut records: Vec<String> = text.split("\n\n").map(str::to_owned).collect();
        records.sort();
        records
    };
    assert_eq!(sorted(&all), sorted(TWO));

    // An exported game can be opened as it is.
    let file = directory.path().join("game.txt");
    std::fs::write(&file, games(&["export", ids[0]], "").1).unwrap();
    let opened = run(&["tui", "--load", file.to_str().unwrap()], b"");
    assert!(
        opened.errors.contains("needs a terminal"),
        "{}",
        opened.errors
    );

    for (words, input, told) in [
        (
            &["show", "whatu"][..],
            "",
            "a game's id is 26 small letters and digits",
        ),
        // Every id begins with the empty text.
        (&["show", ""], "", "2 games have an id that begins with"),
        (&["show", "00000000"], "", "no listed game has an id"),
        (
            &["show", "00000000000000000000000001"],
            "",
            "there is no game",
        ),
        (&["list", "--variant", "2x2k2"], "", "3"),
        (&["import", "/no/such/file"], "", "cannot read"),
        (&["import", "-"], "", "there is no record"),
        (
            &["import", "-"],
            "noughts 1\nvariant 3x3k3\n",
            "record 1 of",
        ),
        (
            &["import", "-"],
            "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 x human Ann\nseat 1 o human Bob\nresult unfinished\n",
            "only finished games are archived",
        ),
    ] {
        let (exit, output, errors) = games(words, input);
        assert_eq!((exit, output.as_str()), (1, ""), "{words:?}");
        let is_sentence = errors.starts_with("Error: ") && errors.lines().count() == 1;
        assert!(is_sentence && errors.contains(told), "{words:?}: {errors}");
    }
}
