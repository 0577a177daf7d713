//! Converts errors to responses with a status and a body of type `application/problem+json`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use noughts_api::{FieldError, FieldLocation, Problem, ProblemKind};
use noughts_rules::{IllegalMove, Move, Refusal, Variant};

use crate::store::StoreError;
use crate::table::TableRefusal;
use crate::tables::SubmitError;

/// Why a request was not served.
#[derive(Debug)]
pub(crate) struct ApiError {
    pub(crate) kind: ProblemKind,
    pub(crate) problem: Box<Problem>,
    /// For statuses 429 and 503: the number of seconds after which the client may try again.
    pub(crate) retry_after_s: u64,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.problem.status).expect("every kind has a valid status");
        let body = serde_json::to_string(&self.problem).expect("the types of the API are JSON");
        let mut response = (status, body).into_response();
        // The middleware counts problems by this value.
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

/// Creates an error of this kind. `detail` says what was wrong, and what would be allowed.
pub(crate) fn api_error(kind: ProblemKind, detail: impl ToString) -> ApiError {
    ApiError {
        kind,
        problem: Box::new(kind.because(detail.to_string())),
        retry_after_s: 1,
    }
}

/// The error for requests that are refused because the server stops soon.
pub(super) fn restarting() -> ApiError {
    api_error(
        ProblemKind::Restarting,
        "the server restarts; try again in a moment",
    )
}

impl ApiError {
    /// Adds to the error which field of the request is wrong. `pointer` is a JSON pointer such as `/seats/0`.
    /// For a parameter or a header, `pointer` is a slash and the name, such as `/before`.
    pub(crate) fn at(mut self, location: FieldLocation, pointer: impl Into<String>) -> ApiError {
        let detail = self.problem.detail.clone();
        self.problem.errors.push(FieldError {
            location,
            pointer: pointer.into(),
            detail,
        });
        self
    }

    /// Adds to the error which field of the body is wrong. `pointer` is a JSON pointer such as `/seats/0`.
    pub(crate) fn in_body(self, pointer: impl Into<String>) -> ApiError {
        self.at(FieldLocation::Body, pointer)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        tracing::warn!(%error, "a request could not be served");
        unavailable(&error)
    }
}

/// The error for a request that failed because of the store. The message of `error` is left out, because it
/// may contain details about the server's machine.
fn unavailable(error: &StoreError) -> ApiError {
    match error {
        StoreError::Unavailable(_) | StoreError::TooNew { .. } | StoreError::Invalid(_) => {
            api_error(
                ProblemKind::StoreUnavailable,
                "the store does not reply now; try again in a moment",
            )
        }
        StoreError::NotWritable(_) => api_error(
            ProblemKind::StoreNotWritable,
            "the store cannot write now; the operator must free disk space, or make the store writable",
        ),
        StoreError::Corrupt(_) => api_error(
            ProblemKind::DamagedGame,
            "this game cannot be read from the store; trying again does not help",
        ),
    }
}

impl From<SubmitError> for ApiError {
    fn from(error: SubmitError) -> ApiError {
        match error {
            SubmitError::Refused(refusal) => refusal.into(),
            SubmitError::NoSuchGame => super::extract::no_such_game(),
            // The error was already logged.
            SubmitError::Unavailable(error) => unavailable(&error),
            SubmitError::Busy => api_error(
                ProblemKind::ServerBusy,
                "too many requests wait for this table; try again in a moment",
            ),
            SubmitError::Closed => api_error(
                ProblemKind::ServerBusy,
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

/// The error for a refused action that the client sent for turn `turn`.
pub(super) fn refused_action(error: SubmitError, turn: usize, variant: &Variant) -> ApiError {
    match error {
        SubmitError::Refused(TableRefusal::Stale { turn: current }) => {
            let (kind, why) = match turn < current {
                true => (ProblemKind::Stale, "is over"),
                false => (ProblemKind::FutureTurn, "has not begun"),
            };
            let detail = format!("turn {turn} {why}; the next is {current}");
            let mut refused = api_error(kind, detail).in_body("/turn");
            refused.problem.turn = Some(current);
            refused
        }
        SubmitError::Refused(TableRefusal::Rules(refusal)) => refused_by_rules(refusal, variant),
        SubmitError::Refused(_)
        | SubmitError::NoSuchGame
        | SubmitError::Unavailable(_)
        | SubmitError::Busy
        | SubmitError::Closed => error.into(),
    }
}

fn refused_by_rules(refusal: Refusal, variant: &Variant) -> ApiError {
    let kind = kind_of_refusal(refusal);
    match refusal {
        Refusal::Illegal(IllegalMove::GameOver) | Refusal::Over => {
            let detail =
                "the game is over, so nobody can act; ask for a rematch or create a new table";
            api_error(kind, detail)
        }
        Refusal::Illegal(IllegalMove::OffBoard) => {
            let last = variant.format_move(Move::at(variant.cells() - 1));
            let detail = format!("there is no such cell on the board: the cells are 0-0 to {last}");
            api_error(kind, detail).in_body("/play")
        }
        Refusal::Illegal(_) => api_error(kind, refusal).in_body("/play"),
        Refusal::NoRewind | Refusal::RewindTooFar { .. } | Refusal::MustPlay => {
            api_error(kind, refusal).in_body("/rewind")
        }
        Refusal::NoSuchSeat { .. }
        | Refusal::NotYourTurn { .. }
        | Refusal::NothingToTakeBack
        | Refusal::TakebackOf { .. } => api_error(kind, refusal),
    }
}

/// The kind of problem that a client gets if a table refuses a command.
pub(crate) fn kind_of_table_refusal(refusal: TableRefusal) -> ProblemKind {
    match refusal {
        TableRefusal::Stale { .. } => ProblemKind::Stale,
        TableRefusal::Rules(refusal) => kind_of_refusal(refusal),
        TableRefusal::KeyReused => ProblemKind::KeyReused,
        TableRefusal::SeatTaken => ProblemKind::SeatTaken,
        TableRefusal::NotOver => ProblemKind::NotOver,
        TableRefusal::TimeIsOver => ProblemKind::TimeIsOver,
        TableRefusal::ConsentNeeded => ProblemKind::ConsentNeeded,
        TableRefusal::NotStarted => ProblemKind::NotStarted,
        TableRefusal::NoOtherPlayer => ProblemKind::NoOtherPlayer,
        TableRefusal::NoOffer { .. } => ProblemKind::NoOffer,
        TableRefusal::DrawTooEarly => ProblemKind::DrawTooEarly,
        TableRefusal::DrawRefused { .. } => ProblemKind::DrawRefused,
        TableRefusal::TooLateToAbort => ProblemKind::TooLateToAbort,
        TableRefusal::ClaimTooEarly => ProblemKind::ClaimTooEarly,
        TableRefusal::NoClaimInCorrespondence => ProblemKind::NoClaims,
        TableRefusal::OpponentIsPresent { .. } => ProblemKind::OpponentPresent,
        TableRefusal::OpponentJustLeft { .. } => ProblemKind::OpponentJustLeft,
        TableRefusal::LogFull => ProblemKind::TooManyOffers,
    }
}

/// The kind of problem that a client gets if the rules refuse an action.
fn kind_of_refusal(refusal: Refusal) -> ProblemKind {
    match refusal {
        Refusal::Over => ProblemKind::Over,
        Refusal::NoSuchSeat { .. } => ProblemKind::NoSuchSeat,
        Refusal::NotYourTurn { .. } => ProblemKind::NotYourTurn,
        Refusal::NoRewind => ProblemKind::NoRewind,
        Refusal::RewindTooFar { .. } => ProblemKind::RewindTooFar,
        Refusal::MustPlay => ProblemKind::MustPlay,
        Refusal::NothingToTakeBack | Refusal::TakebackOf { .. } => ProblemKind::NothingToTakeBack,
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
