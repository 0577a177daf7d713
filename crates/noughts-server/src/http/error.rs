//! Errors as responses: `application/problem+json`, each with its status.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use noughts_api::{Problem, ProblemKind};
use noughts_rules::{IllegalMove, Refusal};

use crate::store::StoreError;
use crate::table::TableRefusal;
use crate::tables::SubmitError;

/// Why a request was not served.
#[derive(Debug)]
pub(crate) struct ApiError {
    pub(crate) kind: ProblemKind,
    pub(crate) problem: Problem,
    /// For statuses 429 and 503: when to try again.
    pub(crate) retry_after_s: u64,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.problem.status).expect("every kind has a valid status");
        let body = serde_json::to_string(&self.problem).expect("the types of the API are JSON");
        let mut response = (status, body).into_response();
        // The middleware counts it.
        response.extensions_mut().insert(self.kind);
        let headers = response.headers_mut();
        let content_type = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, content_type);
        if let StatusCode::UNAUTHORIZED = status {
            let scheme = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if let StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS = status {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(self.retry_after_s));
        }
        response
    }
}

/// An error of this kind; `detail` says what was wrong and what would be allowed.
pub(crate) fn api_error(kind: ProblemKind, detail: impl ToString) -> ApiError {
    ApiError {
        kind,
        problem: kind.because(detail.to_string()),
        retry_after_s: 1,
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        tracing::warn!(%error, "a request could not be served");
        unavailable(&error)
    }
}

/// Says what is wrong with the store, without details of this machine.
fn unavailable(error: &StoreError) -> ApiError {
    let detail = match error {
        StoreError::Unavailable(_) | StoreError::TooNew { .. } | StoreError::Invalid(_) => {
            "the store does not reply now; try again in a moment"
        }
        StoreError::NotWritable(_) => "the store cannot write now; the operator must make room",
        StoreError::Corrupt(_) => {
            "this game cannot be read from the store; trying again does not help"
        }
    };
    api_error(ProblemKind::Unavailable, detail)
}

impl From<SubmitError> for ApiError {
    fn from(error: SubmitError) -> ApiError {
        match error {
            SubmitError::Refused(refusal) => refusal.into(),
            SubmitError::NoSuchGame => super::extract::no_such_game(),
            // It was logged where it happened.
            SubmitError::Unavailable(error) => unavailable(&error),
            SubmitError::Busy => api_error(
                ProblemKind::Unavailable,
                "too many requests wait for this table; try again in a moment",
            ),
            SubmitError::Closed => api_error(
                ProblemKind::Unavailable,
                "the table is being loaded again; try again in a moment",
            ),
        }
    }
}

impl From<TableRefusal> for ApiError {
    fn from(refusal: TableRefusal) -> ApiError {
        let mut refused = api_error(kind_of_table_refusal(refusal), refusal);
        if let TableRefusal::Stale { turn } = refusal {
            refused.problem.turn = Some(turn);
        }
        refused
    }
}

/// The kind of a refusal by a table.
pub(crate) fn kind_of_table_refusal(refusal: TableRefusal) -> ProblemKind {
    match refusal {
        TableRefusal::Stale { .. } => ProblemKind::Stale,
        TableRefusal::Rules(refusal) => kind_of_refusal(refusal),
        TableRefusal::KeyReused => ProblemKind::KeyReused,
        TableRefusal::SeatTaken => ProblemKind::SeatTaken,
        TableRefusal::NotOver => ProblemKind::NotOver,
    }
}

/// The kind of a refusal by the rules.
fn kind_of_refusal(refusal: Refusal) -> ProblemKind {
    match refusal {
        Refusal::Over => ProblemKind::Over,
        Refusal::NoSuchSeat { .. } => ProblemKind::NoToken,
        Refusal::NotYourTurn { .. } => ProblemKind::NotYourTurn,
        Refusal::NoRewind => ProblemKind::NoRewind,
        Refusal::RewindTooFar { .. } => ProblemKind::RewindTooFar,
        Refusal::MustPlay => ProblemKind::MustPlay,
        Refusal::Illegal(illegal) => kind_of(illegal),
    }
}

fn kind_of(illegal: IllegalMove) -> ProblemKind {
    match illegal {
        IllegalMove::GameOver => ProblemKind::Over,
        IllegalMove::OffBoard => ProblemKind::OffBoard,
        IllegalMove::Occupied => ProblemKind::Occupied,
        IllegalMove::Floating => ProblemKind::Floating,
        IllegalMove::WrongBoard { .. } => ProblemKind::WrongBoard,
        IllegalMove::ClosedBoard => ProblemKind::ClosedBoard,
    }
}
