//! Damaged and false proofs are refused, and the checker never panics.

use noughts_engine::Random;
use noughts_proof::{Proved, verify};
use noughts_rules::Variant;

use crate::{prove, same};

/// Asserts that an accepted proof is true, according to the solver. Other tests compare the solver with minimax on
/// these boards.
fn check_true(proved: &Proved) {
    let (solved, _) = prove(&proved.variant, Some(proved.position.clone()));
    let place = proved.position.format(&proved.variant);
    assert!(same(solved, proved.value), "{} {place}", proved.variant);
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
            // A missing or repeated line.
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
    // A few damaged proofs are still correct, such as a proof with a repeated line or with another good move.
    assert!((1..2000).contains(&accepted), "{accepted}");
}

/// The solver writes only needed lines, so a proof is invalid without any one of them. This does not hold with gravity,
/// where the general solver also writes records for positions that the checker accepts without a record.
#[test]
fn every_line_of_a_proof_is_needed() {
    for name in ["3x3k3", "4x3k3", "3x3k3+misere", "5x4k4", "6x5k4"] {
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
