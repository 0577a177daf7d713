//! Refusals as problem details (RFC 9457), with a stable type and what would have been allowed.

use serde::{Deserialize, Serialize};

/// Why a request was refused. Nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Problem {
    /// The stable type, such as `/problems/occupied`.
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
    pub turn: Option<usize>,
}

/// The kinds of refusal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "`title` describes each")]
#[non_exhaustive]
pub enum ProblemKind {
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

impl ProblemKind {
    /// All kinds.
    pub const ALL: [ProblemKind; 28] = [
        ProblemKind::Unreadable,
        ProblemKind::NoToken,
        ProblemKind::WrongGame,
        ProblemKind::NoSuchGame,
        ProblemKind::NoSuchPage,
        ProblemKind::NoSuchMethod,
        ProblemKind::TooSlow,
        ProblemKind::ForeignOrigin,
        ProblemKind::Over,
        ProblemKind::Stale,
        ProblemKind::NotYourTurn,
        ProblemKind::OffBoard,
        ProblemKind::Occupied,
        ProblemKind::Floating,
        ProblemKind::WrongBoard,
        ProblemKind::ClosedBoard,
        ProblemKind::NoRewind,
        ProblemKind::RewindTooFar,
        ProblemKind::MustPlay,
        ProblemKind::SeatTaken,
        ProblemKind::StillRunning,
        ProblemKind::NotOver,
        ProblemKind::TooLarge,
        ProblemKind::WrongMedium,
        ProblemKind::Impossible,
        ProblemKind::KeyReused,
        ProblemKind::TooMany,
        ProblemKind::Unavailable,
    ];

    /// The status, the last part of the type, and the title.
    fn parts(self) -> (u16, &'static str, &'static str) {
        match self {
            ProblemKind::Unreadable => (400, "unreadable", "That can't be understood"),
            ProblemKind::NoToken => (401, "no-token", "A seat's token is needed"),
            ProblemKind::WrongGame => (403, "wrong-game", "That token is for another game"),
            ProblemKind::NoSuchGame => (404, "no-such-game", "There is no such game"),
            ProblemKind::NoSuchPage => (404, "no-such-page", "There is nothing here"),
            ProblemKind::NoSuchMethod => (405, "no-such-method", "That can't be done here"),
            ProblemKind::TooSlow => (408, "too-slow", "That took too long"),
            ProblemKind::ForeignOrigin => {
                (403, "foreign-origin", "That page is not of this server")
            }
            ProblemKind::Over => (409, "over", "The game is over"),
            ProblemKind::Stale => (409, "stale", "The game has gone on"),
            ProblemKind::NotYourTurn => (409, "not-your-turn", "It is not your turn"),
            ProblemKind::OffBoard => (409, "off-board", "There is no such cell"),
            ProblemKind::Occupied => (409, "occupied", "That cell is taken"),
            ProblemKind::Floating => (409, "floating", "A mark would not rest there"),
            ProblemKind::WrongBoard => (409, "wrong-board", "Another board must be played on"),
            ProblemKind::ClosedBoard => (409, "closed-board", "That board is closed"),
            ProblemKind::NoRewind => (409, "no-rewind", "This game has no rewind"),
            ProblemKind::RewindTooFar => (409, "rewind-too-far", "That many can't be taken back"),
            ProblemKind::MustPlay => (409, "must-play", "A rewind takes back at least one here"),
            ProblemKind::SeatTaken => (409, "seat-taken", "That seat is taken"),
            ProblemKind::StillRunning => (409, "still-running", "The game still runs"),
            ProblemKind::NotOver => (409, "not-over", "The game is not over yet"),
            ProblemKind::TooLarge => (413, "too-large", "That is too large"),
            ProblemKind::WrongMedium => (415, "wrong-medium", "Another medium is wanted here"),
            ProblemKind::Impossible => (422, "impossible", "There can be no such table"),
            ProblemKind::KeyReused => (422, "key-reused", "That key was used for something else"),
            ProblemKind::TooMany => (429, "too-many", "Too much at once"),
            ProblemKind::Unavailable => (503, "unavailable", "Not now"),
        }
    }

    /// The last part of the type, such as `occupied`.
    pub fn name(self) -> &'static str {
        self.parts().1
    }

    /// Whether a problem is of this kind.
    pub fn is(self, problem: &Problem) -> bool {
        problem.kind.strip_prefix("/problems/") == Some(self.name())
    }

    /// The HTTP status.
    pub fn status(self) -> u16 {
        self.parts().0
    }

    /// A problem of this kind. `detail` says what is wrong and what would have been allowed.
    pub fn because(self, detail: impl Into<String>) -> Problem {
        let (status, name, title) = self.parts();
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
    fn every_kind_has_its_own_type() {
        let mut types: Vec<String> = ProblemKind::ALL
            .iter()
            .map(|kind| kind.because("").kind)
            .collect();
        types.sort();
        types.dedup();
        assert_eq!(types.len(), ProblemKind::ALL.len());
    }
}
