//! False proofs. The checker rejects each of them, and reports the wrong line and a reason. Most of the false proofs
//! break only one rule, so that no other check rejects them.

use noughts_proof::verify;

#[track_caller]
fn rejected(proof: &str, line: u64, reason: &str) {
    let error = verify(proof.as_bytes()).expect_err(proof);
    assert_eq!(
        (error.line, error.reason.as_str()),
        (line, reason),
        "{proof}"
    );
}

#[test]
fn false_proofs_are_rejected_with_line_and_reason() {
    let head = |variant: &str, position: &str, rest: &str| {
        format!("noughts proof 1\nvariant {variant}\nposition {position}\n{rest}")
    };
    let empty = ".../.../... x";
    rejected("", 1, "a proof begins with `noughts proof 1`");
    rejected(
        &head("3x3k3", empty, "value win\nclaim x wins\n"),
        6,
        "the lines before do not prove the claim",
    );
    rejected(
        &head("3x3k3", empty, "value win\nclaim x cannot win\n"),
        5,
        "expected `claim x wins`",
    );
    // These pairs do not stop the middle column. Tic-tac-toe has no sufficient pairing.
    rejected(
        &head(
            "3x3k3",
            empty,
            "value draw\nclaim x cannot win\n.../.../... x pairs 0-0 0-1 1-0 2-0 1-2 2-2\n",
        ),
        6,
        "the lines that the pairs leave weigh too much",
    );
    rejected(
        &head(
            "3x3k3",
            empty,
            "value draw\nclaim x cannot win\n.../.../... x pairs 0-0 0-0\n",
        ),
        6,
        "0-0 0-0 is not a pair of free cells",
    );
    rejected(
        &head(
            "3x3k3",
            empty,
            "value draw\nclaim x cannot win\n.../.../... x pairs 0-0 0-1 0-1 0-2\n",
        ),
        6,
        "0-1 0-2 is not a pair of free cells",
    );
    rejected(
        &head(
            "3x3k3",
            empty,
            "value draw\nclaim x cannot win\n.../.../... x all\n",
        ),
        6,
        "the position after 0-0 is not proved",
    );
    rejected(
        &head(
            "3x3k3",
            empty,
            "value draw\nclaim x cannot win\nx../.../... o plays 0-0\n",
        ),
        6,
        "the cell is taken",
    );
    for (variant, record, reason) in [
        (
            "3x3k3",
            ".../.../... x plays 1-1",
            "the position after 1-1 is not proved",
        ),
        (
            "3x3k3",
            "x../.../... o plays 1-1",
            "`plays` is wrong here: the other side is to move",
        ),
        (
            "3x3k3",
            ".../.../... x all",
            "`all` is wrong here: name one move with `plays`",
        ),
        (
            "3x3k3",
            "xxx/oo./... o all",
            "the game is over in this position",
        ),
        ("3x3k3", ".../.../... x pairs", "pairs cannot prove a win"),
        (
            "3x3k3",
            "xoo/oxx/xxo o all",
            "no side can make a line any more",
        ),
        (
            "3x3k3+misere",
            ".../.../... x plays 1-1",
            "the position after 1-1 is not proved",
        ),
        (
            "3x3k3+misere",
            "x../.../... o plays 1-1",
            "`plays` is wrong here: the other side is to move",
        ),
        (
            "3x3k3+misere",
            "x../.../... o all",
            "the position after 0-1 is not proved",
        ),
        (
            "3x3k3+misere",
            ".../.../... x all",
            "`all` is wrong here: name one move with `plays`",
        ),
        (
            "3x3k3+misere",
            "xxx/oo./... o all",
            "the game is over in this position",
        ),
    ] {
        let rest = format!("value win\nclaim x wins\n{record}\n");
        rejected(&head(variant, empty, &rest), 6, reason);
    }
    rejected(
        &head(
            "3x3k3",
            "x../.../... o",
            "value draw\nclaim o cannot win\nstealing\n",
        ),
        7,
        "strategy stealing holds only on an empty board",
    );
    rejected(
        &head(
            "3x3k3+misere",
            empty,
            "value draw\nclaim x cannot win\n.../.../... x pairs\n",
        ),
        6,
        "pairs are allowed only on grids without a suffix",
    );
    rejected(
        &head(
            "3x3k3+misere",
            empty,
            "value draw\nclaim x cannot win\nstealing\n",
        ),
        7,
        "strategy stealing holds only on grids without a suffix",
    );
    rejected(
        &head("3x3k3", "xxx/oo./... o", "value draw\n"),
        5,
        "the game is over: it is a loss, not a draw",
    );
    rejected(
        &head(
            "3x3k3",
            "xx./oo./... x",
            "value win\nclaim x wins\nclaim x wins\n",
        ),
        6,
        "the proof is complete, nothing may follow",
    );
    rejected(
        &head("4x4k3p3", "", ""),
        2,
        "only games for two sides on at most 256 cells have proofs",
    );
    rejected(
        &format!("noughts proof 1\nvariant {}\n", "x".repeat(5000)),
        2,
        "the line has more than 4096 bytes",
    );
}

/// Positions that only just fail the condition of a theorem.
#[test]
fn theorems_are_not_applied_beyond_their_conditions() {
    let claim = |position: &str, rest: &str| {
        format!("noughts proof 1\nvariant 3x3k3\nposition {position}\nvalue draw\n{rest}")
    };
    // o is to move. The lines weigh 7, less than a complete line (8), but o completes a line with 2-2.
    rejected(
        &claim("xx./x../oo. o", "claim o cannot win\n"),
        6,
        "the lines before do not prove the claim",
    );
    // x is to move. The lines weigh 6, but after 0-2 they weigh 9, and no reply of o makes them light enough.
    rejected(
        &claim("x../.o./... x", "claim x cannot win\nx../.o./... x pairs\n"),
        6,
        "the lines that the pairs leave weigh too much",
    );
    // One line lacks one cell, and x is to move: 4 + 4 is 8, and x wins.
    rejected(
        &claim("xx./oo./..o x", "claim x cannot win\n"),
        6,
        "the lines before do not prove the claim",
    );
    // Two lines lack one cell each, and o can stop only one. 4 remain, and 4 + 4 is 8.
    rejected(
        &claim("x.x/.o./x.o o", "claim o cannot win\nclaim x cannot win\n"),
        7,
        "the lines before do not prove the claim",
    );
    // A fork does not win while the other side can complete a line.
    for (position, value) in [("x.x/oo./..x o", "loss"), ("x../oo./..x x", "win")] {
        let fork = format!(
            "noughts proof 1\nvariant 3x3k3\nposition {position}\nvalue {value}\nclaim x wins\n"
        );
        rejected(&fork, 6, "the lines before do not prove the claim");
    }
}

/// On nine boards the score proves something only if the result can no longer change.
#[test]
fn undecided_score_proves_nothing() {
    let [x, o, full, empty] = ["xxx......", "ooo......", "xoxxoooxx", "........."];
    let head = |variant: &str, boards: [&str; 9], turn: &str, rest: &str| {
        let boards = boards.join("/");
        format!("noughts proof 1\nvariant {variant}\nposition {boards} {turn}\n{rest}")
    };
    let unproved = "the lines before do not prove the claim";
    // With one open board, four points to three can become four to four, but five points to three cannot become equal.
    let leads = head(
        "multi",
        [x, x, x, x, o, o, o, full, empty],
        "x 8",
        "value win\nclaim x wins\n",
    );
    rejected(&leads, 6, unproved);
    let won = head(
        "multi",
        [x, x, x, x, x, o, o, o, empty],
        "x 8",
        "value win\nclaim x wins\n",
    );
    assert!(verify(won.as_bytes()).is_ok());
    // With two open boards, a side with three points can still get more than four; with one open board it cannot.
    let draw = "value draw\nclaim o cannot win\n";
    let behind = head("multi", [x, x, x, x, o, o, o, empty, empty], "o 7", draw);
    rejected(&behind, 6, unproved);
    let draw = "value draw\nclaim o cannot win\nclaim x cannot win\n";
    let lost = head("multi", [x, x, x, x, o, o, o, full, empty], "o 8", draw);
    rejected(&lost, 7, unproved);
    // In the first position every line of boards is open. In the second, x can get none of these lines.
    let draw = "value draw\nclaim x cannot win\n";
    rejected(&head("ultimate", [empty; 9], "x *", draw), 6, unproved);
    let draw = "value draw\nclaim x cannot win\nclaim o cannot win\n";
    let blocked = [empty, o, empty, o, full, o, empty, o, empty];
    rejected(&head("ultimate", blocked, "x *", draw), 7, unproved);
}

#[test]
fn following_proves_nothing_where_a_line_is_possible() {
    let head = |position: &str, rest: &str| {
        format!("noughts proof 1\nvariant 4x4k4+gravity\nposition {position}\n{rest}")
    };
    let unproved = "the lines before do not prove the claim";
    // o follows, but x can get the whole bottom row.
    let empty = "..../..../..../.... x";
    rejected(
        &head(empty, "value draw\nclaim x cannot win\n"),
        6,
        unproved,
    );
    // x follows, but would complete its row too late: o can complete the row below first.
    let open = "..../..../xxx./ooo. o";
    rejected(&head(open, "value loss\nclaim x wins\n"), 6, unproved);
    // x is to move and blocks the bottom row. If o then follows, x can get a whole row of lower cells.
    let closed = "..../..../xxx./ooo. x";
    rejected(&head(closed, "value loss\nclaim o wins\n"), 6, unproved);
}
