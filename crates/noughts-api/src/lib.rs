//! The JSON types of the service: requests, responses and problems.
//!
//! A client needs no rules: a [`View`] contains everything that a screen shows, including the legal moves (except on
//! boards with more than [`MAX_LISTED_CELLS`] cells).
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
mod clock;
mod lobby;
mod player;
mod problem;
mod record;
mod run_length;
mod stream;
mod table;
mod view;

pub use action::{ActionError, ActionRequest, ClaimKind, RequestedAction};
pub use analysis::{Evaluation, GameAnalysis, GameValue, Mistake, MoveEvaluation, TurnAnalysis};
pub use catalog::{
    Announcement, GameListing, GameStatus, GamesPage, ImportedGame, OfferedStrategy,
    OfferedVariant, SeatListing,
};
#[cfg(feature = "client")]
pub use client::{Client, ClientError, EventStream, Scheme, ServerUrl, UrlError};
pub use clock::{ClockForm, ClockFormError, ClockView};
pub use lobby::LobbyMessage;
pub use player::{
    DeviceLink, LinkCode, Me, MyGame, NewMatch, NewPlayer, OpponentResults, PlayerMessage,
    PlayerToken, PlayerView, Profile, QuickMatchStatus, QuickMatchView, Rename, WaitingMatches,
    WaitingVariant,
};
pub use problem::{FieldError, FieldLocation, Problem, ProblemKind};
pub use record::{GameRecord, GameRecordError, OfferRecord, OfferStep, SeatRecord};
pub use run_length::{decode_row, encode_row};
pub use stream::{CellChange, Change, Hello, Offers, Presence, StreamMessage};
pub use table::{
    CreatedTable, NewTable, OpenSeat, RematchView, SeatRequest, StartFrom, TakeSeat, TakenSeat,
};
pub use view::{
    BoardView, DrawReason, MAX_LISTED_CELLS, NineBoards, OfferKind, OfferView, Outcome, SeatKind,
    SeatView, TableInfo, TurnView, View, WinReason,
};
