//! Games in files.

use std::fs;
use std::path::PathBuf;

use crate::test_app::{FULL, PLAIN, TestApp};

/// A temporary directory.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("noughts-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn save(app: &mut TestApp, path: &str) {
    app.keys("s").sees("Save as: noughts-3x3k3.txt_");
    app.keys("del").type_in(path).keys("enter");
}

fn load(app: &mut TestApp, path: &str) {
    app.keys("l").type_in(path).keys("enter");
}

#[test]
fn a_saved_game_is_loaded_again() {
    let scratch = Scratch::new("round-trip");
    let path = scratch.file("game.txt");
    let mut app = TestApp::with("3x3k3 human first", "3", FULL);
    app.play("1-1 2-2");
    save(&mut app, &path);
    app.sees("Saved as ");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(
        text,
        "noughts 1\nvariant 3x3k3\nhistory 3\nseat 0 x human\nseat 1 o robot first\n\
         1 0 1-1\n2 1 0-0\n3 0 2-2\n4 1 0-1\nresult unfinished\n"
    );
    let mut other = TestApp::new("7x6k4+gravity human human");
    load(&mut other, &path);
    other
        .sees("Noughts  3x3k3, history 3")
        .sees("Loaded ")
        .sees("Your turn.")
        .sees("4 ○ 0-1");
    // The robot continues.
    other.play("2-0");
    other.sees("6 ○ 0-2").sees("first wins.");
}

#[test]
fn a_file_is_replaced_only_when_asked() {
    let scratch = Scratch::new("replace");
    let path = scratch.file("game.txt");
    fs::write(&path, "something dear").unwrap();
    let mut app = TestApp::new("3x3k3 human human");
    app.play("1-1");
    save(&mut app, &path);
    app.sees("Replace it?").keys("n").sees("Nothing was saved.");
    assert_eq!(fs::read_to_string(&path).unwrap(), "something dear");
    save(&mut app, &path);
    app.keys("y").sees("Saved as");
    assert!(fs::read_to_string(&path).unwrap().contains("1 0 1-1"));
    // A saved game is left without a question.
    app.keys("q");
    assert_eq!(app.effect, noughts_terminal::tui::Effect::Quit);
}

#[test]
fn invalid_records_are_refused_with_the_reason() {
    let scratch = Scratch::new("refused");
    let path = scratch.file("a");
    fs::write(&path, "noughts 1\nvariant 3x3\n").unwrap();
    let mut app = TestApp::new("3x3k3 human human");
    app.play("1-1");
    app.resize(200, 40);
    load(&mut app, &path);
    app.sees("is no record: line 2 of the record:")
        .sees("turn 2");
    load(&mut app, &scratch.file("none"));
    app.sees("can't be read: there is no such file.");
    load(&mut app, scratch.0.to_str().unwrap());
    app.sees("can't be read: it is not a file.");
    fs::write(&path, [0xff, 0xfe]).unwrap();
    load(&mut app, &path);
    app.sees("can't be read: it is not text.");
    save(&mut app, &scratch.file("none/game.txt"));
    app.sees("can't be written: there is no such file.");
    // Cancelled.
    app.keys("s esc l esc").sees("turn 2");
}

#[test]
fn record_is_loaded_from_the_start_screen() {
    let scratch = Scratch::new("first-screen");
    let path = scratch.file("game.txt");
    let mut app = TestApp::new("");
    app.keys("up up up enter").type_in(&path).keys("enter");
    app.sees("can't be read: there is no such");
    fs::write(
        &path,
        "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 🦀 human Zoë\nseat 1 ż robot wizard\n\
         1 0 1-1\nresult unfinished\n",
    )
    .unwrap();
    app.keys("enter").type_in(&path).keys("enter");
    app.sees("🦀 human Zoë")
        .sees("1 🦀 1-1")
        .sees("\"wizard\" is not a strategy");
    app.keys("enter up enter").sees("2 ż 0-1");
    // An ASCII terminal shows the default letters.
    let mut plain = TestApp::with("3x3k3 human human", "0", PLAIN);
    load(&mut plain, &path);
    plain.sees("x human Zo?").sees("1 x 1-1");
}

#[test]
fn a_robot_that_does_not_play_the_game_leaves_its_seat_to_a_person() {
    let scratch = Scratch::new("unfit");
    let path = scratch.file("game.txt");
    let text = "noughts 1\nvariant 15x15k5\nhistory 0\nseat 0 x human Ann\n\
                seat 1 o robot perfect\nresult unfinished\n";
    fs::write(&path, text).unwrap();
    let mut app = TestApp::new("3x3k3 human human");
    load(&mut app, &path);
    app.sees("That seat is yours: perfect does not play this game");
    app.play("7-7").does_not_see("thinking");
    app.play("7-8").sees("2 ○ 7-8").sees("Ann to play.");
}

#[test]
fn a_wide_mark_is_the_letter_of_its_side_where_cells_are_one_column() {
    let scratch = Scratch::new("wide");
    let path = scratch.file("game.txt");
    for (variant, shown) in [("19x19k5", " x o "), ("9x9k5", "x │ o")] {
        let text = format!(
            "noughts 1\nvariant {variant}\nhistory 0\nseat 0 中 human\nseat 1 🦀 human\n\
             1 0 3-3\n2 1 3-4\n3 0 4-3\nresult unfinished\n"
        );
        fs::write(&path, text).unwrap();
        let mut app = TestApp::new("3x3k3 human human");
        load(&mut app, &path);
        app.sees(shown).sees("中 human").sees("3 中 4-3");
        app.sees("(x)").play("5-5").sees("4 🦀 5-5");
    }
    let text = "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 中 human\nseat 1 🦀 human\n\
                1 0 0-0\nresult unfinished\n";
    fs::write(&path, text).unwrap();
    let mut app = TestApp::new("3x3k3 human human");
    load(&mut app, &path);
    assert_eq!(app.screen().matches('中').count(), 3);
}

#[test]
fn a_side_may_have_several_seats() {
    let scratch = Scratch::new("seats");
    let path = scratch.file("game.txt");
    let text = "noughts 1\nvariant 3x3k3\nhistory 0\nseat 0 x human\nseat 1 x human\nseat 2 o human\n\
                1 0 0-0\n2 1 0-1\n3 2 1-1\n4 0 0-2\nresult won x by line\n";
    fs::write(&path, text).unwrap();
    let mut app = TestApp::new("3x3k3 human human");
    load(&mut app, &path);
    app.sees("× wins.")
        .sees("over after 4 turns")
        .keys(",")
        .sees("After turn 3 of 4.");
}
