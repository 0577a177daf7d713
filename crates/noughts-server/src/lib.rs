//! The server of Noughts: tables, matchmaking, the store, TCP and HTTP.
//!
//! The path of a turn:
//!
//! ```text
//!  bytes ─► tcp or http ─► Tables::submit ─► Table::decide   entries, or a refusal
//!                               │
//!                               ├─► Store::append            durable, or another node was first
//!                               ├─► Table::apply
//!                               └─► watchers, other nodes, robots
//! ```
//!
//! [`Table`] is pure. Listeners, clock, random seed and store are passed to [`Server::start`].

mod background_tasks;
mod bus;
mod clock;

mod http;
mod id;
mod liveness;
mod matchmaking;
mod metrics;
mod net;
mod presence;
mod records;
mod retention;
mod robots;
mod server;
mod store;
mod table;
mod tables;
mod tcp;

pub use bus::{Bus, Hint, Hints};
pub use clock::ServerClock;
pub use http::HttpLimits;
pub use id::{GameId, IdSource, InvalidId, NodeId};
pub use matchmaking::{Matchmaking, WaitingClient};
pub use net::{ConnectionLimits, listen, listen_for_http, raise_descriptor_limit};
pub use records::{NotStorable, game_from_record, game_to_record};
pub use server::{HttpConfig, Server, ServerConfig};
pub use store::{
    Append, Appended, Created, ListQuery, ListedGame, LogPosition, LogTail, Match, Matches, Memory,
    Postgres, Reply, Sqlite, Store, StoreError, StoredGame, Sweep, SyncMode, WaitingId,
    WaitingList, WaitingPlayer, WriteCounts, family, open_store,
};
pub use table::{
    Change, Command, CreationKey, Decision, EndReason, Ending, Entry, Holder, InvalidLog,
    KEY_LIFETIME_MS, Key, LogEntry, MAX_LISTED_CELLS, NewGame, Offer, OpenTo, ROBOT_DEADLINE_MS,
    RequestKey, SeatResult, SeatSet, Settings, Snapshot, Status, Summary, Table, TableRefusal,
    TurnChange, Update,
};
pub use tables::{
    ConnectedSeat, Creation, GameEnd, LiveTable, Progress, SubmitError, Tables, Watch,
};
pub use tcp::{Misbehaviour, UnknownMisbehaviour, misbehave};
