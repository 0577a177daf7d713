//! The JSON shapes of the service: what is asked for, what is answered, and how a refusal looks.
//!
//! A client needs no rules: a [`View`] has everything that a screen needs, the legal moves too.
//!
//! No tables, no SQL, and no sockets but the client's own.

mod action;
mod archive;
mod client;
mod live;
mod problem;
mod record;
mod rows;
mod study;
mod table;
mod view;

pub use action::{Act, BadAct, Deed};
pub use archive::{
    Archived, Listing, OfferedStrategy, OfferedVariant, Page, SeatListing, Standing,
};
pub use client::{BadUrl, Client, Follow, Trouble, Url};
pub use live::{Change, Hello, Live, Presence};
pub use problem::{Kind, Problem};
pub use record::{GameRecord, NotARecord, SeatRecord};
pub use rows::{read_row, write_row};
pub use study::{Mistake, Prospect, StudiedTurn, Study, Worth};
pub use table::{Again, From, Laid, NewTable, Openness, SeatWish, Seated, TakeSeat};
pub use view::{
    BoardView, Boards, Empty, Last, Legal, MOST_CELLS, Marks, Outcome, SeatKind, SeatView, View,
    Who, Why, view_of,
};
