//! The JSON shapes of the service: what is asked for, what is answered, and how a refusal looks.
//!
//! A client needs no rules: a [`View`] has everything that a screen needs, the legal moves too.
//!
//! No tables, no SQL, and no sockets but the client's own.

mod action;
mod live;
mod problem;
mod rows;
mod table;
mod view;

pub use action::{Act, BadAct, Deed};
pub use live::{Change, Live, Presence};
pub use problem::{Kind, Problem};
pub use rows::{read_row, write_row};
pub use table::{From, Laid, NewTable, Openness, SeatWish, Seated, TakeSeat};
pub use view::{
    BoardView, Boards, Empty, Last, Legal, Marks, Outcome, SeatKind, SeatView, View, Who, Why,
    view_of,
};
