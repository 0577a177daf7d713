//! The rules for clients.

use crate::tcp::document;
use crate::verdict::Weight;

/// One rule for clients.
#[derive(Clone, Copy, Debug)]
pub struct ClientRule {
    /// The rule's short name.
    pub name: &'static str,
    /// What the rule says.
    pub claim: &'static str,
    /// The sentence of the course document that demands the rule. If the document does not demand the rule,
    /// this is the reason for the rule.
    pub source: &'static str,
    /// How much the rule counts. Breaking the rule is a fault if the course document demands it.
    pub weight: Weight,
}

/// All rules for clients.
pub const CLIENT_RULES: [ClientRule; 21] = [
    demanded("hello", "the client starts with HELLO", document::HELLO),
    demanded(
        "id",
        "the id in HELLO has five digits, and the first is not zero (in the later dialect it is 0)",
        document::FIVE_DIGITS,
    ),
    demanded(
        "ids-differ",
        "the id is random: the sessions do not all have the same id",
        document::FIVE_DIGITS,
    ),
    demanded(
        "name-end",
        "the name in HELLO ends with two zero bytes",
        document::STRINGS,
    ),
    demanded(
        "waits-ready",
        "the client sends nothing more before READY",
        document::PLAY,
    ),
    demanded(
        "play",
        "after READY the client sends PLAY with the id of READY",
        document::PLAY,
    ),
    demanded(
        "waits-admit",
        "the client makes no move before ADMIT",
        document::ACTION,
    ),
    demanded(
        "action",
        "after ADMIT 1 the client moves: ACTION",
        document::ACTION,
    ),
    demanded(
        "action-id",
        "ACTION carries the session's id",
        document::IDS,
    ),
    demanded(
        "action-cell",
        "ACTION names a cell: row, hyphen, column, as the three characters 0-0 to 2-2",
        document::POSITION,
    ),
    demanded(
        "action-once",
        "the client makes one move, and waits for the answer",
        document::ACTION_OR_RESULT,
    ),
    demanded(
        "refused-hello",
        "after an ERROR to HELLO the client does not send PLAY",
        document::SESSION_ERROR,
    ),
    demanded(
        "refused-play",
        "after ADMIT 0 the client makes no move",
        document::ADMIT,
    ),
    demanded(
        "over",
        "after RESULT the client makes no more moves: it sends PLAY, or disconnects",
        document::PLAY_AGAIN,
    ),
    demanded(
        "leaving",
        "when the server disconnects, in a game or after HELLO, the client ends without a stack trace",
        document::DISCONNECTION,
    ),
    demanded(
        "frame-size",
        "every frame of the client has the size in its figure",
        document::FIGURES,
    ),
    ClientRule {
        name: "split",
        claim: "frames that arrive byte by byte are understood",
        source: "TCP is a stream: it may split a frame anywhere",
        weight: Weight::Advice,
    },
    open(
        "action-free",
        "the client marks only free cells",
        "the document does not say that a client checks the cell itself; the server has ERROR 1 for it",
    ),
    open(
        "error-retry",
        "after error 1 the client makes another move, or disconnects",
        "the document does not say what a client does after an ERROR",
    ),
    open(
        "complains",
        "if the server plays an occupied cell, the client sends ERROR 1; if the cell does not exist, ERROR 0",
        "the table of frames lets clients send ERROR, but does not say when",
    ),
    open(
        "no-trace",
        "the client prints no stack trace while the server is connected either",
        "the document mentions stack traces only after disconnections",
    ),
];

const fn demanded(name: &'static str, claim: &'static str, source: &'static str) -> ClientRule {
    ClientRule {
        name,
        claim,
        source,
        weight: Weight::Demanded,
    }
}

const fn open(name: &'static str, claim: &'static str, source: &'static str) -> ClientRule {
    ClientRule {
        name,
        claim,
        source,
        weight: Weight::Open,
    }
}
