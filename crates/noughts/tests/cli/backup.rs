//! `noughts backup`, `restore` and `migrate`: what they refuse. Whole backups are tested with servers under load.

use std::fs;
use std::path::Path;

use crate::transcript::run;

const RECORD: &str = "\
noughts 1
variant 3x3k3
history 0
seat 0 x human Ann
seat 1 o robot perfect
1 0 0-0
2 1 1-1
3 0 resign
result won o by resignation
";

/// Runs the program with `RECORD` on standard input. Returns the exit code, the output, and the errors.
fn noughts(words: &[&str]) -> (i32, String, String) {
    let run = run(words, RECORD.as_bytes());
    (run.exit, String::from_utf8(run.output).unwrap(), run.errors)
}

#[track_caller]
fn refused(words: &[&str], reason: &str) {
    let (exit, output, errors) = noughts(words);
    assert_eq!((exit, output.as_str()), (1, ""), "{errors}");
    assert!(
        errors.starts_with("Error: ") && errors.contains(reason),
        "{errors}"
    );
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

#[test]
fn a_backup_is_restored_and_wrong_ones_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_string_lossy().into_owned();
    let store = |name: &str| format!("sqlite:{}", path(name));
    let (games, file) = (store("games.db"), path("games.backup"));
    assert_eq!(noughts(&["games", "--store", &games, "import", "-"]).0, 0);
    let (exit, told, _) = noughts(&["backup", &file, "--store", &games]);
    let expected = format!("{file} is complete: 1 game with 3 entries, 0 players\n");
    assert_eq!((exit, told), (0, expected));
    let (_, told, _) = noughts(&["restore", &file, "--store", &store("copy.db")]);
    assert_eq!(
        told,
        "the backup is restored: 1 game with 3 entries, 0 players\n"
    );
    let exported = |store: &str| noughts(&["games", "--store", store, "export"]).1;
    assert_eq!(exported(&store("copy.db")), exported(&games));

    refused(
        &["backup", &file, "--store", &games],
        "the file exists already; give another name",
    );
    let missing = path("missing/games.backup");
    refused(
        &["backup", &missing, "--store", &games],
        "No such file or directory",
    );
    refused(
        &["backup", &path("b"), "--store", &store("none.db")],
        "there is no such file",
    );
    refused(
        &["backup", &path("b"), "--store", "memory:"],
        "exists only inside its server",
    );
    refused(
        &["restore", &file, "--store", &games],
        "the store is not empty: it has games",
    );
    refused(
        &["restore", &file, "--store", "memory:"],
        "are lost when this command ends",
    );
    refused(
        &["restore", &file, "--store", "mysql:x"],
        "a store is memory:, sqlite:FILE or",
    );
    refused(
        &["restore", &path("none"), "--store", &store("new.db")],
        "No such file or directory",
    );
    let migrate = ["migrate", "--from", &games, "--to", &games];
    refused(&migrate, "the store is not empty");

    let whole = fs::read(&file).unwrap();
    let newer = String::from_utf8(whole.clone())
        .unwrap()
        .replace("schema ", "schema 9");
    let mut changed = whole.clone();
    let name = changed
        .windows(3)
        .position(|bytes| bytes == b"Ann")
        .unwrap();
    changed[name] = b'B';
    for (bytes, reason) in [
        (
            &whole[..whole.len() / 2],
            "the backup is incomplete: its end is missing",
        ),
        (
            &whole[..whole.len() - 1],
            "the backup is incomplete: its end is missing",
        ),
        (b"", "this file is not a backup of noughts"),
        (
            b"noughts 1\nvariant 3x3k3\n",
            "this file is not a backup of noughts",
        ),
        (
            newer.as_bytes(),
            "the backup was made by a newer version of noughts: its schema is 9",
        ),
        (
            &changed,
            "the backup is damaged: its content does not match its checksum",
        ),
    ] {
        fs::write(&file, bytes).unwrap();
        refused(&["restore", &file, "--store", &store("new.db")], reason);
        assert!(!Path::new(&path("new.db")).exists(), "nothing is created");
    }
}
