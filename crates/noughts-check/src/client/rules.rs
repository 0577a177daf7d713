//! The rules for clients.

use crate::verdict::Weight;

/// One rule for clients.
#[derive(Clone, Copy, Debug)]
pub struct ClientRule {
    /// Its short name.
    pub name: &'static str,
    /// What it says.
    pub claim: &'static str,
    /// What demands it.
    pub source: &'static str,
    /// How much it weighs.
    pub weight: Weight,
}

/// All of them.
pub const CLIENT_RULES: [ClientRule; 20] = [
    demanded(
        "hello",
        "the client begins with HELLO",
        "[1] Inici de sessió: the client begins with HELLO; figure 1",
    ),
    demanded(
        "id",
        "the id in HELLO has five digits, and the first is not zero (in the later dialect it is 0)",
        "[1] Inici de sessió: an idSessio of five digits that does not begin with zero",
    ),
    demanded(
        "ids-differ",
        "the id is made by chance: not every session has the same",
        "[1] Inici de sessió: the client makes the idSessio with Random()",
    ),
    demanded(
        "name-end",
        "the name in HELLO ends with two zero bytes",
        "Detalls dels missatges: two zero bytes end a string; figure 1",
    ),
    demanded(
        "waits-ready",
        "the client says nothing more before READY",
        "[2] Procés de joc: PLAY has the idSessio that was confirmed before",
    ),
    demanded(
        "play",
        "after READY the client says PLAY with the id of READY",
        "[2] Procés de joc: PLAY with the idSessio that was confirmed before; figure 3",
    ),
    demanded(
        "waits-admit",
        "the client makes no move before ADMIT",
        "[2] Procés de joc: the client sends its ACTION after ADMIT",
    ),
    demanded(
        "action",
        "after ADMIT 1 the client moves: ACTION",
        "[2] Procés de joc: then the client sends its ACTION; figure 5",
    ),
    demanded(
        "action-id",
        "ACTION has the session's id",
        "[2] Procés de joc: ACTION (idSessio, posició); figure 5",
    ),
    demanded(
        "action-cell",
        "ACTION names a cell: row, hyphen, column, as the three characters 0-0 to 2-2",
        "[2] Procés de joc: the position is the row, a hyphen and the column, each 0 to 2; figure 5",
    ),
    demanded(
        "action-free",
        "the client marks only cells that are free",
        "[2] Procés de joc: a cell that is filled already is an invalid move",
    ),
    demanded(
        "action-once",
        "the client makes one move, and waits for the answer",
        "[2] Procés de joc: client and server move in turn",
    ),
    demanded(
        "refused-hello",
        "after an ERROR to HELLO the client does not go on to PLAY",
        "[1] Inici de sessió: ERROR says that the session can't begin",
    ),
    demanded(
        "refused-play",
        "after ADMIT 0 the client makes no move",
        "[2] Procés de joc: flag 0 means that the client is not admitted",
    ),
    demanded(
        "over",
        "after RESULT the client makes no more moves: it says PLAY, or goes",
        "[2] Procés de joc: RESULT ends the game, and a new one begins with PLAY",
    ),
    demanded(
        "leaving",
        "when the server goes, in a game or after HELLO, the client ends without a stack trace",
        "[3] Forçar un final: a disconnection is handled at every moment, in the client too, without a stack trace",
    ),
    demanded(
        "no-trace",
        "the client never ends with a stack trace",
        "[3] Forçar un final: without a stack trace",
    ),
    ClientRule {
        name: "split",
        claim: "frames that arrive byte by byte are understood",
        source: "TCP is a stream: it may cut a frame anywhere",
        weight: Weight::Advice,
    },
    ClientRule {
        name: "error-retry",
        claim: "after error 1 the client makes another move, or goes",
        source: "the document does not say what a client does after an ERROR",
        weight: Weight::Open,
    },
    ClientRule {
        name: "complains",
        claim: "a cell of the server's that is taken gets ERROR 1, one that does not exist ERROR 0",
        source: "the table of frames lets clients send ERROR, and does not say when",
        weight: Weight::Open,
    },
];

const fn demanded(name: &'static str, claim: &'static str, source: &'static str) -> ClientRule {
    ClientRule {
        name,
        claim,
        source,
        weight: Weight::Demanded,
    }
}
