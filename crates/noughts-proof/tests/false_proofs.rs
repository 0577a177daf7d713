//! Lies, each refused with its place: what is left out of the checker lets one of them through.

use noughts_proof::verify;

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
    // One line lacks one cell, and x is to move: four and four make eight of eight, and a win.
    refused(
        &claim("xx./oo./..o x", "claim x cannot win\n"),
        6,
        "what was claimed is not proved by the lines before",
    );
    // Two lines lack one cell each, and o can stop only one: four are left and four more are eight of eight.
    refused(
        &claim("x.x/.o./x.o o", "claim o cannot win\nclaim x cannot win\n"),
        7,
        "what was claimed is not proved by the lines before",
    );
    // A fork is no win while the other side completes a line, whoever is to move.
    for (position, value) in [("x.x/oo./..x o", "loss"), ("x../oo./..x x", "win")] {
        let fork = format!(
            "noughts proof 1\nvariant 3x3k3\nposition {position}\nvalue {value}\nclaim x wins\n"
        );
        refused(
            &fork,
            6,
            "what was claimed is not proved by the lines before",
        );
    }
}

/// On nine boards the score decides where it can't be turned any more, and only there.
#[test]
fn a_score_that_can_be_turned_proves_nothing() {
    let [x, o, full, empty] = ["xxx......", "ooo......", "xoxxoooxx", "........."];
    let head = |variant: &str, boards: [&str; 9], turn: &str, rest: &str| {
        let boards = boards.join("/");
        format!("noughts proof 1\nvariant {variant}\nposition {boards} {turn}\n{rest}")
    };
    let unproved = "what was claimed is not proved by the lines before";
    // With a board to come, four points to three may become four to four; five to three may not.
    let leads = head(
        "multi",
        [x, x, x, x, o, o, o, full, empty],
        "x 8",
        "value win\nclaim x wins\n",
    );
    refused(&leads, 6, unproved);
    let won = head(
        "multi",
        [x, x, x, x, x, o, o, o, empty],
        "x 8",
        "value win\nclaim x wins\n",
    );
    assert!(verify(won.as_bytes()).is_ok());
    // With two boards to come, three points to four may become five; with one they may not.
    let draw = "value draw\nclaim o cannot win\n";
    let behind = head("multi", [x, x, x, x, o, o, o, empty, empty], "o 7", draw);
    refused(&behind, 6, unproved);
    let draw = "value draw\nclaim o cannot win\nclaim x cannot win\n";
    let lost = head("multi", [x, x, x, x, o, o, o, full, empty], "o 8", draw);
    refused(&lost, 7, unproved);
    // All lines of boards are open, or one of each is gone for x.
    let draw = "value draw\nclaim x cannot win\n";
    refused(&head("ultimate", [empty; 9], "x *", draw), 6, unproved);
    let draw = "value draw\nclaim x cannot win\nclaim o cannot win\n";
    let blocked = [empty, o, empty, o, full, o, empty, o, empty];
    refused(&head("ultimate", blocked, "x *", draw), 7, unproved);
}
