//! What is damaged, or lies, is refused with its place; and nothing makes the checker panic.

use noughts_engine::Random;
use noughts_proof::{Proved, verify};
use noughts_rules::Variant;

use crate::{prove, same};

/// Whatever is accepted must be true: the truth is found by the solver, whose agreement with minimax on
/// boards like these is tested elsewhere.
fn check_true(proved: &Proved) {
    let (worth, _) = prove(&proved.variant, Some(proved.position.clone()));
    let place = proved.position.write(&proved.variant);
    assert!(same(worth, proved.value), "{} {place}", proved.variant);
}

fn change(proof: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(proof.len());
    let letters = b"xo.  -0123456789\n/{}playsirwndcm#";
    let letter = letters[random.below(letters.len())];
    match random.below(6) {
        0 => proof[at] = letter,
        1 => proof[at] = random.below(256) as u8,
        2 => proof.insert(at, letter),
        3 => drop(proof.remove(at)),
        4 => proof.truncate(at),
        _ => {
            // A line that is left out, or stands twice.
            let mut lines: Vec<&[u8]> = proof.split_inclusive(|byte| *byte == b'\n').collect();
            let line = random.below(lines.len());
            match random.below(2) {
                0 => drop(lines.remove(line)),
                _ => lines.insert(random.below(lines.len()), lines[line]),
            }
            *proof = lines.concat();
        }
    }
}

#[test]
fn ten_thousand_damaged_proofs_are_refused_or_still_true() {
    let mut random = Random::new(2026);
    let names = ["3x3k3", "4x3k3", "3x3k3+misere", "4x4k3", "5x4k4", "6x5k4"];
    let whole: Vec<Vec<u8>> = names
        .iter()
        .map(|name| prove(&name.parse::<Variant>().unwrap(), None).1)
        .collect();
    let mut accepted = 0;
    for number in 0..10_000 {
        let mut proof = whole[number % whole.len()].clone();
        for _ in 0..=random.below(2) {
            change(&mut proof, &mut random);
            if proof.is_empty() {
                proof.push(b'\n');
            }
        }
        if let Ok(proved) = verify(&proof[..]) {
            accepted += 1;
            check_true(&proved);
        }
    }
    // A line twice, or another move that is as good: few, but some.
    assert!((1..2000).contains(&accepted), "{accepted}");
}

/// The solver writes nothing that is not needed, so without any one line it is no proof.
#[test]
fn every_line_of_a_proof_is_needed() {
    for name in [
        "3x3k3",
        "4x3k3",
        "3x3k3+misere",
        "3x3k3+gravity",
        "5x4k4",
        "6x5k4",
    ] {
        let (_, proof) = prove(&name.parse::<Variant>().unwrap(), None);
        let lines: Vec<&[u8]> = proof.split_inclusive(|byte| *byte == b'\n').collect();
        for left_out in 0..lines.len() {
            let rest = [&lines[..left_out], &lines[left_out + 1..]].concat();
            let line = String::from_utf8_lossy(lines[left_out]);
            let checked = verify(&rest.concat()[..]);
            assert!(
                checked.is_err(),
                "{name} without line {}: {line}",
                left_out + 1
            );
        }
    }
}

#[track_caller]
fn refused(proof: &str, line: u64, reason: &str) {
    let fault = verify(proof.as_bytes()).expect_err(proof);
    assert_eq!(
        (fault.line, fault.reason.as_str()),
        (line, reason),
        "{proof}"
    );
}

#[test]
fn lies_are_refused_with_their_place() {
    let head = |variant: &str, position: &str, rest: &str| {
        format!("noughts proof 1\nvariant {variant}\nposition {position}\n{rest}")
    };
    let empty = ".../.../... x";
    refused("", 1, "a proof begins with `noughts proof 1`");
    refused(
        &head("3x3k3", empty, "value win\nclaim x wins\n"),
        6,
        "what was claimed is not proved by the lines before",
    );
    refused(
        &head("3x3k3", empty, "value win\nclaim x cannot win\n"),
        5,
        "it should be `claim x wins`",
    );
    // Pairs that leave the middle column: tic-tac-toe has no pairing that holds.
    refused(
        &head(
            "3x3k3",
            empty,
            "value draw\nclaim x cannot win\n.../.../... x pairs 0-0 0-1 1-0 2-0 1-2 2-2\n",
        ),
        6,
        "the pairs leave too many lines",
    );
    refused(
        &head(
            "3x3k3",
            empty,
            "value draw\nclaim x cannot win\n.../.../... x pairs 0-0 0-0\n",
        ),
        6,
        "0-0 0-0 is no pair of cells that are free",
    );
    refused(
        &head(
            "3x3k3",
            empty,
            "value draw\nclaim x cannot win\n.../.../... x pairs 0-0 0-1 0-1 0-2\n",
        ),
        6,
        "0-1 0-2 is no pair of cells that are free",
    );
    refused(
        &head(
            "3x3k3",
            empty,
            "value draw\nclaim x cannot win\n.../.../... x all\n",
        ),
        6,
        "what follows 0-0 is not proved",
    );
    refused(
        &head(
            "3x3k3",
            empty,
            "value draw\nclaim x cannot win\nx../.../... o plays 0-0\n",
        ),
        6,
        "the cell that is played is taken",
    );
    for (variant, record, reason) in [
        (
            "3x3k3",
            ".../.../... x plays 1-1",
            "what follows 1-1 is not proved",
        ),
        (
            "3x3k3",
            "x../.../... o plays 1-1",
            "the other side is to move there",
        ),
        ("3x3k3", ".../.../... x all", "one move must be named there"),
        (
            "3x3k3",
            "xxx/oo./... o all",
            "the game is over there, it needs no reason",
        ),
        (
            "3x3k3",
            ".../.../... x pairs",
            "pairs hold a position, they do not win it",
        ),
        ("3x3k3", "xoo/oxx/xxo o all", "nobody can make a line there"),
        (
            "3x3k3+misere",
            ".../.../... x plays 1-1",
            "what follows 1-1 is not proved",
        ),
        (
            "3x3k3+misere",
            "x../.../... o plays 1-1",
            "the other side is to move there",
        ),
        (
            "3x3k3+misere",
            "x../.../... o all",
            "what follows 0-1 is not proved",
        ),
        (
            "3x3k3+misere",
            ".../.../... x all",
            "one move must be named there",
        ),
        (
            "3x3k3+misere",
            "xxx/oo./... o all",
            "the game is over there, it needs no reason",
        ),
    ] {
        let rest = format!("value win\nclaim x wins\n{record}\n");
        refused(&head(variant, empty, &rest), 6, reason);
    }
    refused(
        &head(
            "3x3k3",
            "x../.../... o",
            "value draw\nclaim o cannot win\nstealing\n",
        ),
        7,
        "a strategy can be stolen only on an empty board",
    );
    refused(
        &head(
            "3x3k3+misere",
            empty,
            "value draw\nclaim x cannot win\n.../.../... x pairs\n",
        ),
        6,
        "pairs hold only where any empty cell may be played and lines win",
    );
    refused(
        &head(
            "3x3k3+misere",
            empty,
            "value draw\nclaim x cannot win\nstealing\n",
        ),
        7,
        "a strategy can be stolen only where a mark more never hurts",
    );
    refused(
        &head("3x3k3", "xxx/oo./... o", "value draw\n"),
        5,
        "the game is over, and a loss, not a draw",
    );
    refused(
        &head(
            "3x3k3",
            "xx./oo./... x",
            "value win\nclaim x wins\nclaim x wins\n",
        ),
        6,
        "the proof is complete, nothing may follow",
    );
    refused(
        &head("4x4k3p3", "", ""),
        2,
        "only games for two on up to 256 cells have proofs",
    );
    refused(
        &format!("noughts proof 1\nvariant {}\n", "x".repeat(5000)),
        2,
        "it has more than 4096 bytes",
    );
}

/// Each theorem that the checker uses is needed, and its limits are kept: positions at which it is just
/// not true are refused.
#[test]
fn what_is_nearly_a_proof_is_none() {
    let claim = |position: &str, rest: &str| {
        format!("noughts proof 1\nvariant 3x3k3\nposition {position}\nvalue draw\n{rest}")
    };
    // Two lines lack one cell each: counting alone says eight of eight, which is too much.
    refused(
        &claim("xx./x../oo. o", "claim o cannot win\n"),
        6,
        "what was claimed is not proved by the lines before",
    );
    // With x to move the sum is four of eight and a cell has two lines of it.
    refused(
        &claim("x../.o./... x", "claim x cannot win\nx../.o./... x pairs\n"),
        6,
        "the pairs leave too many lines",
    );
    // A fork is no win while the other side completes a line.
    let fork = "noughts proof 1\nvariant 3x3k3\nposition x.x/oo./..x o\nvalue loss\nclaim x wins\n";
    refused(
        fork,
        6,
        "what was claimed is not proved by the lines before",
    );
}
