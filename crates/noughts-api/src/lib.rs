//! The JSON types of the service: requests, responses and problems.
//!
//! A client needs no rules: a [`View`] contains everything a screen shows, the legal moves included.
//!
//! | feature | adds |
//! |---|---|
//! | `client` | `Client`: a blocking client over HTTP and HTTPS |
//! | `openapi` | schemas of all types (`utoipa::ToSchema`) |

mod action;
mod analysis;
mod catalog;
#[cfg(feature = "client")]
mod client;
mod problem;
mod record;
mod run_length;
mod stream;
mod table;
mod view;

pub use action::{ActionError, ActionRequest, RequestedAction};
pub use analysis::{Evaluation, GameAnalysis, GameValue, Mistake, TurnAnalysis};
pub use catalog::{
    GameListing, GameStatus, GamesPage, ImportedGame, OfferedStrategy, OfferedVariant, SeatListing,
};
#[cfg(feature = "client")]
pub use client::{Client, ClientError, EventStream, Scheme, ServerUrl, UrlError};
pub use problem::{Problem, ProblemKind};
pub use record::{GameRecord, GameRecordError, SeatRecord};
pub use run_length::{decode_row, encode_row};
pub use stream::{Change, Hello, Presence, StreamMessage};
pub use table::{
    CreatedTable, NewTable, OpenSeat, RematchView, SeatRequest, StartFrom, TakeSeat, TakenSeat,
};
pub use view::{
    BoardView, Empty, Legal, MAX_LISTED_CELLS, Marks, NineBoards, Outcome, SeatKind, SeatView,
    TableInfo, TurnView, View, WinReason,
};
