//! Refusals as problem details (RFC 9457). Each refusal has a stable type and says what would have been allowed.

use serde::{Deserialize, Serialize};

/// Why a request was refused. If `status` is below 500, nothing has changed. Otherwise the server may have executed the
/// request, or a part of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(example = json!({
    "type": "/problems/out-of-range", "title": "A number is too small or too large", "status": 422,
    "detail": "\"history\" must be 0 to 8, not 9",
    "errors": [{"in": "body", "pointer": "/history", "detail": "\"history\" must be 0 to 8, not 9"}]
})))]
#[non_exhaustive]
pub struct Problem {
    /// The stable type, such as `/problems/occupied`. The type is also the path of a page that explains the
    /// problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// A short title.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong, and what would have been allowed.
    pub detail: String,
    /// The game's current turn, if the refusal concerns a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub turn: Option<usize>,
    /// The fields that are wrong, if the refusal concerns fields. The `detail` of the problem describes the
    /// first of these fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
}

/// A field that is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FieldError {
    /// The part of the request that has the field.
    #[serde(rename = "in")]
    pub location: FieldLocation,
    /// The field: a JSON pointer (RFC 6901) in the body, or a slash and the name of a parameter or header.
    #[cfg_attr(feature = "openapi", schema(example = "/seats/0/robot"))]
    pub pointer: String,
    /// What is wrong, and what would have been allowed.
    pub detail: String,
}

/// A part of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FieldLocation {
    /// The body, or a message of a WebSocket.
    Body,
    /// The path.
    Path,
    /// The query.
    Query,
    /// The headers.
    Header,
}

/// The texts of a kind of refusal.
#[derive(Clone, Copy, Debug)]
struct Explanation {
    status: u16,
    name: &'static str,
    title: &'static str,
    cause: &'static str,
    remedy: &'static str,
}

/// Defines [`ProblemKind`]: the status, name, title, cause and remedy of each kind. The name is the last part
/// of the type.
macro_rules! problem_kinds {
    ($($kind:ident $status:literal $name:literal $title:literal $cause:literal $remedy:literal)*) => {
        /// The kinds of refusal.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum ProblemKind {
            $(#[doc = $title] $kind,)*
        }

        impl ProblemKind {
            /// All kinds, ordered by status.
            pub const ALL: &[ProblemKind] = &[$(ProblemKind::$kind,)*];

            fn explanation(self) -> Explanation {
                match self {
                    $(ProblemKind::$kind => Explanation {
                        status: $status,
                        name: $name,
                        title: $title,
                        cause: $cause,
                        remedy: $remedy,
                    },)*
                }
            }
        }
    };
}

problem_kinds! {
    BadJson 400 "bad-json" "The body is not valid JSON"
        "The body is empty, is not UTF-8, breaks the syntax of JSON, or has more than 32 levels of lists and objects."
        "Correct the JSON at the line and column that the answer names."
    NotAnObject 400 "not-an-object" "The body must be a JSON object"
        "The body is valid JSON, but a list, a text, a number or null."
        "Send an object, such as {\"variant\":\"3x3k3\"}."
    UnknownField 400 "unknown-field" "There is no such field"
        "The body has a field, or the query has a parameter, that this call does not know. Usually its name is misspelled."
        "Remove the field, or use one of those that the answer lists."
    MissingField 400 "missing-field" "A field is missing"
        "The call needs a field that the request does not have."
        "Add the field that the answer names."
    RepeatedField 400 "repeated-field" "A field appears twice"
        "An object in the body has the same field twice, or the query has the same parameter twice, so it is not clear which one counts."
        "Send each field once."
    WrongType 400 "wrong-type" "A field has the wrong type"
        "A field has a value of another type, such as a text where a number belongs."
        "Send a value of the type that the answer names. /api/openapi.json has the types of all fields."
    UnknownValue 400 "unknown-value" "A word is not one of those allowed"
        "A field takes one of a few words, and the request has another one."
        "Use one of the words that the answer lists."
    WrongFormat 400 "wrong-format" "A text has the wrong form"
        "A field or header must have a certain form, such as an id that the server gave, and has another one."
        "Send the value in the form that the answer describes."
    NotOneOf 400 "not-one-of" "Exactly one of several fields is needed"
        "The object must have exactly one of several fields, such as an action, which is one of \"play\", \"rewind\" and \"resign\". It has none of them, or more than one."
        "Send exactly one of the fields that the answer lists."
    UnreadableMove 400 "unreadable-move" "That is not a move"
        "The text in \"play\" is not written like a move of this variant."
        "Write row and column such as 1-0, or on nine boards board and cell such as 4-0. The view's \"legal\" lists the legal moves."
    UnreadableRecord 400 "unreadable-record" "That is not a record of a game"
        "The text is not a record, or its turns break the rules of the game, or its result is not that of its turns."
        "Correct the line that the answer names. docs/notation.md describes records."
    InvalidKey 400 "invalid-key" "The Idempotency-Key is not valid"
        "An Idempotency-Key has visible ASCII characters without spaces, at most 128. Where a repeat returns a token, it has at least 16, so that nobody can guess it."
        "Use a random key, such as 32 hexadecimal digits."
    IncompleteBody 400 "incomplete-body" "The body ended too early"
        "The connection or the chunked encoding broke before the whole body arrived."
        "Send the request again."
    WrongHost 400 "wrong-host" "A request needs exactly one Host"
        "An HTTP/1.1 request had no Host header, or several. If there are several, a proxy and this server may use different ones."
        "Send one Host header."
    NoToken 401 "no-token" "A token is needed"
        "This call acts for a seat or a player, and the request has no token."
        "Send the token as Authorization: Bearer TOKEN. A seat's token is in the answer to POST /api/games or to the request that took the seat, a player's in the answer to POST /api/players."
    WrongToken 401 "wrong-token" "That token is not valid"
        "This server did not issue the token, or the token was changed on its way."
        "Send the token exactly as the server gave it. A lost token cannot be recovered."
    WrongGame 403 "wrong-game" "That token is for another game"
        "A seat's token is valid for one game, and this one belongs to another game; or it is the token of a player who has no seat in this game."
        "Use the token that this game gave, or take an open seat first. A rematch is a new game with its own tokens."
    ForeignOrigin 403 "foreign-origin" "Pages of other servers may not do this"
        "A browser sent the request from a page of another origin, and the operator has not allowed that origin."
        "Use a page of this server, or ask the operator to start it with --origin and your page's origin."
    Banned 403 "banned" "This address is banned"
        "The operator of this server refuses requests from your network, for some time."
        "Ask the operator."
    NoSuchGame 404 "no-such-game" "There is no such game"
        "No game has this id. It may be misspelled, or the game was deleted because nobody used it for a long time."
        "Check the id. Ids are in the answer to POST /api/games and in the list GET /api/games."
    NoSuchPage 404 "no-such-page" "There is nothing at this address"
        "The server has no page and no call with this path."
        "See /api/docs for all calls."
    NoSuchPlayer 404 "no-such-player" "There is no such player"
        "No player has this id. It may be misspelled, or the player was deleted."
        "Check the id. A player's id is in the views of their games."
    NoSuchCode 404 "no-such-code" "That code is not valid"
        "The code is unknown, was used already, or is older than ten minutes. A code works only once."
        "Make a new code with POST /api/me/links, on a device that has the player's token."
    NoSuchMatch 404 "no-such-match" "There is no such quick match"
        "The player has no quick match with this id: it was cancelled, found an opponent long ago, or was dropped because no event stream of the player was open."
        "Ask again with POST /api/matches, and keep GET /api/me/events open."
    NoSuchMethod 405 "no-such-method" "This path does not support the method"
        "The path exists, but not for this method, such as DELETE where only GET works."
        "Use a method of the Allow header."
    TooSlow 408 "too-slow" "The body took too long"
        "The body of a request must arrive within 10 seconds."
        "Send the request again, over a faster connection or with a smaller body."
    Over 409 "over" "The game is over"
        "The game has ended, so nobody can act any more."
        "Read the view's \"outcome\". Ask for a rematch, or create a new table."
    Stale 409 "stale" "That turn is over"
        "The request is for an earlier turn than the current one: somebody has acted since the client read the view."
        "Read the view again and decide anew; its \"turn\" is the number to send."
    FutureTurn 409 "future-turn" "That turn has not begun"
        "The request is for a later turn than the current one."
        "Send the \"turn\" of the latest view."
    NotYourTurn 409 "not-your-turn" "It is not your turn"
        "Another seat is to move."
        "Wait until the view's \"to_move\" is your seat. Event streams and WebSockets tell when."
    OffBoard 409 "off-board" "There is no such cell"
        "The move is written correctly, but the board has no such cell."
        "Choose a move from the view's \"legal\"."
    Occupied 409 "occupied" "That cell is taken"
        "A mark is on this cell."
        "Choose a move from the view's \"legal\"."
    Floating 409 "floating" "A mark would not rest there"
        "With gravity a mark falls to the lowest empty cell of its column."
        "Name only the column, or choose a move from the view's \"legal\"."
    WrongBoard 409 "wrong-board" "Another board must be played on"
        "On nine boards the previous move decides the board of the next one."
        "Play on the board that the view names as \"active\"."
    ClosedBoard 409 "closed-board" "That board is closed"
        "The board is won or full."
        "Choose a move from the view's \"legal\"."
    NoRewind 409 "no-rewind" "This game has no rewind"
        "The table was created with the history 0, so no marks can be taken back."
        "Create a table with a larger \"history\" to play with rewinds."
    RewindTooFar 409 "rewind-too-far" "That many marks cannot be taken back"
        "A rewind takes back fewer marks than the history size, and not more than are on the board."
        "Take back at most as many marks as the view's \"rewind\" says."
    MustPlay 409 "must-play" "A rewind must take back at least one mark here"
        "On nine boards a rewind of 0 marks is not allowed, because it would only pass the turn."
        "Take back at least one mark, or play."
    NothingToTakeBack 409 "nothing-to-take-back" "There is nothing to take back"
        "A takeback returns to before the last play of the seat that asks, and no such play is on the board."
        "Play first, or go on without a takeback."
    SeatTaken 409 "seat-taken" "That seat is taken"
        "Somebody holds this seat already, or the game is over."
        "Choose a seat whose \"kind\" is \"open\", or another table. GET /api/games?status=waiting lists tables with open seats."
    NotOver 409 "not-over" "The game is not over yet"
        "A rematch and an analysis are for games that are over."
        "Wait until the view has an \"outcome\"."
    TimeIsOver 409 "time-is-over" "Your time has run out"
        "The turn arrived after the clock of your seat had run out."
        "Nothing: the game ends by time. A late turn does not count."
    ConsentNeeded 409 "consent-needed" "A takeback needs consent"
        "A player cannot take a move back alone: the other players must agree."
        "Offer it with {\"offer\":\"takeback\"}."
    NotStarted 409 "not-started" "The game has not started"
        "A seat is still open, so there is nobody to ask or to claim against."
        "Wait until the seat is taken, or cancel the table with {\"abort\":true}."
    NoOtherPlayer 409 "no-other-player" "There is no other person"
        "Robots hold all other seats. They do not accept a draw, and they are never away."
        "Play on, or resign."
    NoOffer 409 "no-offer" "There is no such offer"
        "The offer was answered or withdrawn, or it lapsed because a turn was played."
        "Look at the view's \"offers\" for those that wait for an answer."
    DrawTooEarly 409 "draw-too-early" "It is too early to offer a draw"
        "A seat may offer a draw only after it has completed its first turn."
        "Play your first turn first."
    DrawRefused 409 "draw-refused" "The draw was declined a few turns ago"
        "A seat whose draw offer was declined may offer a draw again after ten more turns."
        "Wait for the turn that the answer names."
    TooLateToAbort 409 "too-late-to-abort" "The game can no longer be aborted"
        "Every side has played, so the game counts."
        "Offer a draw, or resign."
    ClaimTooEarly 409 "claim-too-early" "Not every side has played"
        "Claims are possible only after every side has played."
        "Abort it with {\"abort\":true}."
    NoClaims 409 "no-claims" "There are no claims in correspondence games"
        "With days for each turn, only the clock decides."
        "Wait for the clock."
    OpponentPresent 409 "opponent-present" "Another player is present"
        "A claim is for a game in which every other player is away."
        "Wait for the others to play."
    OpponentJustLeft 409 "opponent-just-left" "The other players have not been away for long enough"
        "They may come back: a claim is possible after 60 seconds in a game with a clock, after 5 minutes without one, and after 10 seconds if they said that they leave."
        "Claim again after the time that the answer names."
    TooManyOffers 409 "too-many-offers" "This game has had too many offers"
        "The log of this game has 850 or more entries that are not turns, so it takes no more offers of a draw or a takeback. From 930 entries on, it takes no more answers to offers either."
        "Play on."
    AlreadyMatched 409 "already-matched" "An opponent was found"
        "The quick match has found an opponent, so it can no longer be cancelled."
        "Play the game, or resign."
    TooLarge 413 "too-large" "The body is too large"
        "A JSON body has at most 64 KiB, a record at most 1 MiB, and a message of a WebSocket at most 4 KiB."
        "Send less."
    WrongContentType 415 "wrong-content-type" "The Content-Type is not supported here"
        "The header Content-Type is missing, or names a format that this call does not read."
        "Send Content-Type: application/json. A record may also be text/plain."
    OutOfRange 422 "out-of-range" "A number is too small or too large"
        "A number, or the length of a text or list, is outside the range that is possible here. The range may depend on the game."
        "Send a value in the range that the answer names."
    UnknownVariant 422 "unknown-variant" "There is no such variant"
        "The text is not the name of a variant."
        "Write WxHkK such as 3x3k3 with optional suffixes, or multi or ultimate. GET /api/variants lists well-known ones."
    ImpossibleVariant 422 "impossible-variant" "That variant cannot exist"
        "The name has the right form, but a size is out of range: 3 to 255 columns and rows, a line of 3 up to the longer side, 2 to 64 sides, boards 0 to 8."
        "Choose sizes in the range that the answer names."
    OtherVariant 422 "other-variant" "The variant is not that of the game in \"from\""
        "A table that starts from a position of another game has the variant of that game."
        "Leave out \"variant\", or send that of the other game."
    NoSuchSeat 422 "no-such-seat" "There is no such seat"
        "The seats of a game are numbered from 0, one per side, and the request names another number."
        "Use a seat in the range that the answer names."
    WrongSeatCount 422 "wrong-seat-count" "The number of seats is not that of the game"
        "\"seats\" must have one object per side of the variant."
        "Send as many seats as the answer says."
    SeatConflict 422 "seat-conflict" "The fields about seats contradict each other"
        "The caller takes the seats in \"take\", and these must be {\"human\":NAME}; all others must be robots or open."
        "Leave out \"take\", or make it match \"seats\"."
    UnknownStrategy 422 "unknown-strategy" "There is no such strategy"
        "The text is not the name of a robot's strategy. Programs (engine:COMMAND) are not accepted over the network."
        "Use a strategy that GET /api/strategies lists."
    ExpensiveStrategy 422 "expensive-strategy" "That strategy computes too long"
        "The strategy exists, but this server limits how long robots may think."
        "Use at most the largest parameter that GET /api/strategies lists for it."
    UnfitStrategy 422 "unfit-strategy" "That strategy does not play this game"
        "The strategy exists, but cannot play this variant or this position."
        "Use a strategy that GET /api/strategies?variant=NAME lists."
    InvalidName 422 "invalid-name" "That name is not allowed"
        "A name has at most 64 characters, all of them visible characters or spaces."
        "Shorten the name, or remove the character that the answer names."
    StartIsOver 422 "start-is-over" "The game in \"from\" is over at that turn"
        "A table cannot start from a position in which the game has ended."
        "Start from an earlier turn."
    ImpossibleRecord 422 "impossible-record" "That record cannot be imported"
        "The record is valid, but its game is not finished, or a side has several seats, or a table would have ended the game differently."
        "Import finished games with one seat per side."
    TooManyDevices 422 "too-many-devices" "The player has too many devices"
        "A player may use a limited number of devices at the same time."
        "DELETE /api/me/tokens signs the other devices out."
    NotForTwo 422 "not-for-two" "A quick match is for two players"
        "The variant has more than two sides."
        "Ask for a variant with two sides, or create a table with open seats."
    KeyReused 422 "key-reused" "That Idempotency-Key was used for another request"
        "A key belongs to one request. The same key came before with another body or path."
        "Use a new key for each request, and the same key only to repeat it unchanged."
    NotAWebSocket 426 "not-a-websocket" "This address is for WebSockets"
        "The request is not the beginning of a WebSocket connection, version 13."
        "Connect with a WebSocket client, or use GET /api/games/{id}/events instead."
    TooManyRequests 429 "too-many-requests" "Too many requests from this address"
        "The requests per second of one address are limited. An analysis counts as 50 requests."
        "Wait for the seconds in Retry-After. The header RateLimit says how many requests are left."
    TooManyTables 429 "too-many-tables" "Too many unfinished tables of this address"
        "The number of unfinished tables of one address is limited."
        "Finish, resign or cancel some games."
    TooManyStreams 429 "too-many-streams" "Too many open streams of this address"
        "The number of event streams and WebSockets of one address is limited."
        "Close some of them."
    TooManyConnections 429 "too-many-connections" "Too many connections of this address"
        "The open connections and the new connections per second of one address are limited, HTTP and TCP together."
        "Close some connections, or send several requests over one connection, and wait for the seconds in Retry-After."
    TooManyBytes 429 "too-many-bytes" "Too much was stored by this address"
        "The bytes of imported records per address and day are limited. Games that only robots play count too."
        "Wait for the seconds in Retry-After."
    TooManyPlayers 429 "too-many-players" "Too many players were created by this address"
        "The number of new players per address and day is limited."
        "Wait for the seconds in Retry-After, or use a player that you have."
    TooManyMatches 429 "too-many-matches" "Too many quick matches"
        "The number of quick matches that a player waits for, and the number of requests per address and minute, are limited."
        "Cancel some with DELETE /api/matches/{id}, or wait for the seconds in Retry-After."
    TooManyCodes 429 "too-many-codes" "The player has too many unused codes"
        "The number of unused codes for other devices is limited. They expire after ten minutes."
        "Use one of the codes, or wait until they have expired."
    DamagedGame 500 "damaged-game" "This game cannot be read"
        "The store has the game, but the stored data is damaged. Trying again does not help."
        "Tell the operator the game's id. Other games are not affected."
    StoreUnavailable 503 "store-unavailable" "The store does not reply"
        "The server cannot reach its database, or the database did not reply in time. It is not known whether the request was stored."
        "Try again after the seconds in Retry-After. Repeating an action is safe; repeat other requests with an Idempotency-Key."
    StoreNotWritable 503 "store-not-writable" "The store cannot write"
        "The disk of the server is full or read-only, or the file of the store is gone."
        "Try again later. The operator must free disk space, or make the store writable."
    ServerFull 503 "server-full" "The server has too many connections"
        "All connections that the server may have are in use."
        "Try again after the seconds in Retry-After."
    ServerBusy 503 "server-busy" "The server is busy"
        "Too many requests wait for the same table or for an analysis, or the answer took too long."
        "Try again after the seconds in Retry-After."
    Restarting 503 "restarting" "The server restarts"
        "The server is being stopped or restarted."
        "Try again after the seconds in Retry-After."
}

/// The path with which every type begins.
const TYPE_PREFIX: &str = "/problems/";

impl ProblemKind {
    /// The kind with this name; `None` if no kind has it.
    ///
    /// ```
    /// use noughts_api::ProblemKind;
    ///
    /// assert_eq!(ProblemKind::named("occupied"), Some(ProblemKind::Occupied));
    /// ```
    pub fn named(name: &str) -> Option<ProblemKind> {
        let mut all = ProblemKind::ALL.iter().copied();
        all.find(|kind| kind.name() == name)
    }

    /// The last part of the type, such as `occupied`.
    pub fn name(self) -> &'static str {
        self.explanation().name
    }

    /// The HTTP status.
    pub fn status(self) -> u16 {
        self.explanation().status
    }

    /// A short title.
    pub fn title(self) -> &'static str {
        self.explanation().title
    }

    /// The cause of the refusal, in a sentence.
    pub fn cause(self) -> &'static str {
        self.explanation().cause
    }

    /// What a client can do after the refusal.
    pub fn remedy(self) -> &'static str {
        self.explanation().remedy
    }

    /// Whether a problem is of this kind.
    pub fn is(self, problem: &Problem) -> bool {
        problem.kind() == Some(self)
    }

    /// A problem of this kind. `detail` says what is wrong and what would have been allowed.
    pub fn because(self, detail: impl Into<String>) -> Problem {
        let Explanation {
            status,
            name,
            title,
            ..
        } = self.explanation();
        Problem {
            kind: format!("{TYPE_PREFIX}{name}"),
            title: title.to_owned(),
            status,
            detail: detail.into(),
            turn: None,
            errors: Vec::new(),
        }
    }
}

impl Problem {
    /// The kind; `None` if this version of the library does not know the kind, for example because the server
    /// is newer.
    pub fn kind(&self) -> Option<ProblemKind> {
        ProblemKind::named(self.kind.strip_prefix(TYPE_PREFIX)?)
    }

    /// Whether the same request may succeed later: the server is busy or does not reach its store, or the client has
    /// reached a limit.
    pub fn is_temporary(&self) -> bool {
        matches!(self.status, 429 | 503)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_name() {
        for kind in ProblemKind::ALL {
            assert_eq!(ProblemKind::named(kind.name()), Some(*kind));
            assert_eq!(kind.because("").kind(), Some(*kind));
            let is_plain = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(kind.name().chars().all(is_plain), "{kind:?}");
        }
    }

    #[test]
    fn the_documentation_lists_every_kind() {
        const DOCUMENT: &str = include_str!("../../../docs/api.md");
        let listed = ProblemKind::ALL.iter().map(|kind| {
            let (status, name, title) = (kind.status(), kind.name(), kind.title());
            format!("| {status} | `{name}` | {title} |\n")
        });
        let table: String = listed.collect();
        let table = format!("| status | `type` | meaning |\n|---|---|---|\n{table}\n");
        assert!(DOCUMENT.contains(&table), "docs/api.md must have:\n{table}");
    }

    #[test]
    fn kinds_are_ordered_by_status_and_explained_in_sentences() {
        let statuses: Vec<u16> = ProblemKind::ALL.iter().map(|kind| kind.status()).collect();
        assert!(statuses.is_sorted());
        for kind in ProblemKind::ALL {
            assert!(!kind.title().ends_with('.'), "{kind:?}");
            for text in [kind.cause(), kind.remedy()] {
                assert!(text.ends_with('.'), "{kind:?}: {text}");
            }
        }
    }
}
