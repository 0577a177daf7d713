//! Refusals as answers: problem+json, each with its status.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use noughts_api::{Kind, Problem};
use noughts_rules::{Illegal, Refusal};

use crate::room::Denied;
use crate::store::StoreError;
use crate::table::Refused;

/// Why a request was not served.
#[derive(Debug)]
pub(crate) struct Refuse {
    pub(crate) problem: Problem,
    /// Where it may do later: in so many seconds.
    pub(crate) wait_s: u64,
}

impl IntoResponse for Refuse {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.problem.status).expect("a status of ours");
        let body = serde_json::to_string(&self.problem).expect("a shape of ours is JSON");
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        let medium = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, medium);
        if let Some(kind) = Kind::ALL.iter().find(|kind| kind.is(&self.problem)) {
            // For whoever counts them.
            response.extensions_mut().insert(*kind);
        }
        let headers = response.headers_mut();
        if let StatusCode::UNAUTHORIZED = status {
            let scheme = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if let StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS = status {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(self.wait_s));
        }
        response
    }
}

/// A refusal of a kind, with what was wrong and what would be right.
pub(crate) fn refuse(kind: Kind, detail: impl ToString) -> Refuse {
    let problem = kind.because(detail.to_string());
    Refuse { problem, wait_s: 1 }
}

impl From<StoreError> for Refuse {
    fn from(error: StoreError) -> Refuse {
        tracing::warn!(%error, "a request could not be served");
        refuse(
            Kind::Unavailable,
            "the store does not answer now; try again in a moment",
        )
    }
}

impl From<Denied> for Refuse {
    fn from(denied: Denied) -> Refuse {
        match denied {
            Denied::Refused(refused) => refused.into(),
            Denied::KeyReused => refuse(
                Kind::KeyReused,
                "this Idempotency-Key was used for another request; take a new one for each",
            ),
            Denied::NoSuchGame => super::body::no_such_game(),
            Denied::SeatTaken => refuse(
                Kind::SeatTaken,
                "somebody sits there; only open seats can be taken",
            ),
            Denied::NotOver => refuse(
                Kind::NotOver,
                "the game goes on; a rematch is for games that are over",
            ),
            Denied::Unavailable | Denied::Gone => refuse(
                Kind::Unavailable,
                "the store does not answer now; try again in a moment",
            ),
        }
    }
}

impl From<Refused> for Refuse {
    fn from(refused: Refused) -> Refuse {
        let kind = match refused {
            Refused::Stale { turn } => {
                let mut problem = Kind::Stale.because(refused.to_string());
                problem.turn = Some(turn);
                return Refuse { problem, wait_s: 1 };
            }
            Refused::Rules(refusal) => kind_of_refusal(refusal),
        };
        refuse(kind, refused)
    }
}

/// The kind of a refusal by the rules.
pub(crate) fn kind_of_refusal(refusal: Refusal) -> Kind {
    match refusal {
        Refusal::Over => Kind::Over,
        Refusal::NoSuchSeat { .. } => Kind::NoToken,
        Refusal::NotYourTurn { .. } => Kind::NotYourTurn,
        Refusal::NoRewind => Kind::NoRewind,
        Refusal::RewindTooFar { .. } => Kind::RewindTooFar,
        Refusal::MustPlay => Kind::MustPlay,
        Refusal::Illegal(illegal) => kind_of(illegal),
    }
}

fn kind_of(illegal: Illegal) -> Kind {
    match illegal {
        Illegal::GameOver => Kind::Over,
        Illegal::OffBoard => Kind::OffBoard,
        Illegal::Occupied => Kind::Occupied,
        Illegal::Floating => Kind::Floating,
        Illegal::WrongBoard { .. } => Kind::WrongBoard,
        Illegal::ClosedBoard => Kind::ClosedBoard,
    }
}
