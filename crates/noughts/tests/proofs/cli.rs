//! `noughts solve` and `noughts verify` as processes.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn noughts(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_noughts"));
    command.args(words).stdin(Stdio::null()).output().unwrap()
}

fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// A name for a file that no other test uses.
fn place(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn solved_game_is_printed_as_json_with_a_proof() {
    let file = place("4x3k3.proof");
    let name = file.to_str().unwrap();
    let (code, out, err) = said(&noughts(&["solve", "4x3k3", "--json", "--proof", name]));
    assert_eq!((code, err.as_str()), (0, ""));
    let start = r#"{"variant":"4x3k3","value":"win","nodes":"#;
    assert!(
        out.starts_with(start) && out.contains(r#","best":"1-"#),
        "{out}"
    );
    let (code, out, err) = said(&noughts(&["verify", name]));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.starts_with("4x3k3 ..../..../.... x\nx to move: win\n"),
        "{out}"
    );
    let damaged = std::fs::read_to_string(&file)
        .unwrap()
        .replace("value win", "value draw");
    std::fs::write(&file, damaged).unwrap();
    let (code, out, err) = said(&noughts(&["verify", name]));
    assert_eq!((code, out.as_str()), (1, ""));
    let expected = format!("Error: {name} is no proof: line 5: expected `claim x cannot win`\n");
    assert_eq!(err, expected);
}

#[test]
fn limit_exits_with_3_and_a_checkpoint_continues() {
    let file = place("5x5k4.checkpoint");
    let name = file.to_str().unwrap();
    let _ = std::fs::remove_file(&file);
    let limited = [
        "solve",
        "5x5k4",
        "--json",
        "--time",
        "1024n",
        "--checkpoint",
        name,
    ];
    let (code, out, _) = said(&noughts(&limited));
    assert_eq!(code, 3);
    assert!(
        out.starts_with(r#"{"variant":"5x5k4","value":"unknown","nodes":"#),
        "{out}"
    );
    let mut codes = vec![code];
    while codes.last() == Some(&3) && codes.len() < 20 {
        codes.push(said(&noughts(&limited)).0);
    }
    assert_eq!(codes.last(), Some(&0), "{codes:?}");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() - 8]).unwrap();
    let (code, _, err) = said(&noughts(&limited));
    assert_eq!(code, 1);
    let reason = "the checkpoint is truncated";
    assert_eq!(
        err,
        format!("Error: cannot continue from {name}: {reason}\n")
    );
    std::fs::write(&file, &whole).unwrap();
    let (code, _, err) = said(&noughts(&["solve", "4x4k4", "--checkpoint", name]));
    assert_eq!(code, 1);
    let reason = "not a checkpoint of this position, made by this version";
    assert_eq!(
        err,
        format!("Error: cannot continue from {name}: {reason}\n")
    );
}

#[test]
fn several_threads_find_the_same() {
    let (code, out, _) = said(&noughts(&["solve", "5x5k4", "--threads", "3"]));
    assert_eq!(code, 0);
    assert!(out.contains("x to move: draw\n"), "{out}");
}

#[test]
fn unsolvable_variant_is_refused() {
    for (words, sentence) in [
        (
            &["solve", "4x4k3p3"][..],
            "only games for two sides can be solved, and this is for 3",
        ),
        (
            &["solve", "30x30k5"],
            "only boards of up to 256 cells can be solved, and this has 900",
        ),
        (
            &["solve", "3x3k3", "--time", "soon"],
            "the time is written 200ms, 2s or 500000n, not 'soon'",
        ),
        (
            &["verify", "nowhere.proof"],
            "nowhere.proof can't be read: No such file or directory (os error 2)",
        ),
    ] {
        let (code, out, err) = said(&noughts(words));
        assert_eq!((code, out.as_str()), (1, ""), "{words:?}");
        assert_eq!(err, format!("Error: {sentence}\n"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn interrupt_prints_the_progress() {
    use std::io::{BufRead, BufReader};
    // As under `nohup`: SIGHUP is ignored.
    let solve = concat!(
        "trap '' HUP; exec ",
        env!("CARGO_BIN_EXE_noughts"),
        " solve 8x8k5 --json"
    );
    let mut child = Command::new("sh")
        .args(["-c", solve])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = child.id().to_string();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let send = |signal: &str| {
        let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(sent.success());
    };
    for signal in ["-HUP", "-TERM"] {
        // Too much to solve between two progress lines.
        let mut progress = String::new();
        stderr.read_line(&mut progress).unwrap();
        assert!(progress.contains("can x win? so far unknown"), "{progress}");
        send(signal);
    }
    // A repeated SIGTERM does not suppress the report.
    send("-TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(
        out.starts_with(r#"{"variant":"8x8k5","value":"unknown""#),
        "{out}"
    );
}
