//! A refusal as JSON: RFC 9457, with a type that never changes and what would have been allowed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why something was not done. Nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// A name for this kind of refusal that never changes, such as `/problems/occupied`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The same in a few words.
    pub title: String,
    /// The status of the answer.
    pub status: u16,
    /// What was wrong here, and what would be right.
    pub detail: String,
    /// The game's present turn, where the refusal is about a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
}

/// The kinds of refusal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "each says itself in `title`")]
pub enum Kind {
    Unreadable,
    NoToken,
    WrongGame,
    NoSuchGame,
    NoSuchPage,
    NoSuchMethod,
    TooSlow,
    ForeignOrigin,
    Over,
    Stale,
    NotYourTurn,
    OffBoard,
    Occupied,
    Floating,
    WrongBoard,
    ClosedBoard,
    NoRewind,
    RewindTooFar,
    MustPlay,
    SeatTaken,
    StillRunning,
    NotOver,
    TooLarge,
    WrongMedium,
    Impossible,
    KeyReused,
    TooMany,
    Unavailable,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 28] = [
        Kind::Unreadable,
        Kind::NoToken,
        Kind::WrongGame,
        Kind::NoSuchGame,
        Kind::NoSuchPage,
        Kind::NoSuchMethod,
        Kind::TooSlow,
        Kind::ForeignOrigin,
        Kind::Over,
        Kind::Stale,
        Kind::NotYourTurn,
        Kind::OffBoard,
        Kind::Occupied,
        Kind::Floating,
        Kind::WrongBoard,
        Kind::ClosedBoard,
        Kind::NoRewind,
        Kind::RewindTooFar,
        Kind::MustPlay,
        Kind::SeatTaken,
        Kind::StillRunning,
        Kind::NotOver,
        Kind::TooLarge,
        Kind::WrongMedium,
        Kind::Impossible,
        Kind::KeyReused,
        Kind::TooMany,
        Kind::Unavailable,
    ];

    /// The status, the last part of the type, and the title.
    fn said(self) -> (u16, &'static str, &'static str) {
        match self {
            Kind::Unreadable => (400, "unreadable", "That can't be understood"),
            Kind::NoToken => (401, "no-token", "A seat's token is needed"),
            Kind::WrongGame => (403, "wrong-game", "That token is for another game"),
            Kind::NoSuchGame => (404, "no-such-game", "There is no such game"),
            Kind::NoSuchPage => (404, "no-such-page", "There is nothing here"),
            Kind::NoSuchMethod => (405, "no-such-method", "That can't be done here"),
            Kind::TooSlow => (408, "too-slow", "That took too long"),
            Kind::ForeignOrigin => (403, "foreign-origin", "That page is not of this server"),
            Kind::Over => (409, "over", "The game is over"),
            Kind::Stale => (409, "stale", "The game has gone on"),
            Kind::NotYourTurn => (409, "not-your-turn", "It is not your turn"),
            Kind::OffBoard => (409, "off-board", "There is no such cell"),
            Kind::Occupied => (409, "occupied", "That cell is taken"),
            Kind::Floating => (409, "floating", "A mark would not rest there"),
            Kind::WrongBoard => (409, "wrong-board", "Another board must be played on"),
            Kind::ClosedBoard => (409, "closed-board", "That board is closed"),
            Kind::NoRewind => (409, "no-rewind", "This game has no rewind"),
            Kind::RewindTooFar => (409, "rewind-too-far", "That many can't be taken back"),
            Kind::MustPlay => (409, "must-play", "A rewind takes back at least one here"),
            Kind::SeatTaken => (409, "seat-taken", "That seat is taken"),
            Kind::StillRunning => (409, "still-running", "The game still runs"),
            Kind::NotOver => (409, "not-over", "The game is not over yet"),
            Kind::TooLarge => (413, "too-large", "That is too large"),
            Kind::WrongMedium => (415, "wrong-medium", "Another medium is wanted here"),
            Kind::Impossible => (422, "impossible", "There can be no such table"),
            Kind::KeyReused => (422, "key-reused", "That key was used for something else"),
            Kind::TooMany => (429, "too-many", "Too much at once"),
            Kind::Unavailable => (503, "unavailable", "Not now"),
        }
    }

    /// The last part of its type, such as `occupied`.
    pub fn name(self) -> &'static str {
        self.said().1
    }

    /// Whether this refusal is of this kind.
    pub fn is(self, problem: &Problem) -> bool {
        problem.kind.strip_prefix("/problems/") == Some(self.name())
    }

    /// The status of the answer.
    pub fn status(self) -> u16 {
        self.said().0
    }

    /// A refusal of this kind, with what was wrong here and what would be right.
    pub fn because(self, detail: impl Into<String>) -> Problem {
        let (status, name, title) = self.said();
        Problem {
            kind: format!("/problems/{name}"),
            title: title.to_owned(),
            status,
            detail: detail.into(),
            turn: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_type_of_its_own() {
        let mut types: Vec<String> = Kind::ALL.iter().map(|kind| kind.because("").kind).collect();
        types.sort();
        types.dedup();
        assert_eq!(types.len(), Kind::ALL.len());
    }
}
