//! The server of Noughts: tables, the lobby, the store, and the doors.
//!
//! One move's way through it:
//!
//! ```text
//!  bytes ─► tcp: a connection, with its wire::Session ─► Chair::act
//!                                                           │ the room's mailbox, bounded
//!                                                           ▼
//!                                   Room ─► Table::handle ─► Game::act
//!                                    │           └ Refused: nothing has changed
//!                                    ▼
//!                                   Store::append: durable, or somebody was first
//!                                    │
//!                                    ▼
//!  bytes ◄─ tcp ◄─ Notice to everybody at the table; a robot next? ─► Robots, and again
//! ```
//!
//! [`Table`] and [`Lobby`] are pure; a room and a connection are the tasks around them. Listeners,
//! the clock, the seed and the end come in from outside.

mod archive;
mod bus;
mod counts;
mod descriptors;
mod guest;
mod house;
mod http;
mod id;
mod lobby;
mod robots;
mod room;
mod server;
mod store;
mod table;
mod tcp;
mod upkeep;

pub use archive::{NoTable, record_of, stored_from};
pub use bus::{Bus, Hints, News};
pub use descriptors::raise_descriptor_limit;
pub use guest::Guest;
pub use house::{House, Laying, Rooms};
pub use http::HttpLimits;
pub use id::{GameId, Ids, NodeId, NotAnId};
pub use lobby::{Entered, Lobby, Ticket};
pub use room::{Asked, Chair, Denied, Happening, MOST_NOTICES, Notice, Room, Sight, Watch, Wish};
pub use server::{Http, Server, Setup, listen, listen_for_http};
pub use store::{
    Answer, Appended, Created, Ending, Key, Last, Listed, Memory, NewGame, Postgres, Query,
    Sitting, Sqlite, Status, Store, StoreError, StoreFigures, StoredGame, StoredTurn, SyncMode,
    family, open_store,
};
pub use table::{Command, Event, Holder, Leavers, Opening, Refused, Setting, Table, Verdict};
pub use tcp::{Limits, Misbehaviour, NoMisbehaviour, misbehave};
