//! The server of Noughts: tables, matchmaking, the store, TCP and HTTP.
//!
//! The path of a turn:
//!
//! ```text
//!  bytes ─► tcp or http ─► Tables::submit ─► Table::decide   entries, or a refusal
//!                               │
//!                               ├─► Store::append            stores them, or fails: another node was first
//!                               ├─► Table::apply
//!                               └─► watchers, other nodes, robots
//! ```
//!
//! [`Table`] is pure: it does no I/O and reads no clock. The caller of [`Server::start`] provides the listeners, the
//! clock, the random seed and the store.

mod admin;
mod background_tasks;
mod backup;
mod bus;
mod clock;

mod http;
mod huge_pages;
mod id;
mod liveness;
mod matchmaking;
mod metrics;
mod net;
mod operator;
mod players;
mod presence;
mod records;
mod retention;
mod robots;
mod runtime;
mod server;
mod store;
mod table;
mod tables;
mod tcp;

pub use backup::{BackupCounts, BackupError, back_up, check_backup, copy_store, restore};
pub use bus::{Bus, Hint, Hints};
pub use clock::ServerClock;
pub use http::HttpLimits;
pub use huge_pages::disable_huge_pages;
pub use id::{GameId, IdSource, InvalidId, NodeId, PlayerId};
pub use matchmaking::{Matchmaking, WaitingClient};
pub use net::{
    ConnectionLimits, InvalidNetwork, Network, Tls, TlsError, TlsFiles, listen, listen_for_http,
    raise_descriptor_limit,
};
pub use players::{PlayerInfo, PlayerNames};
pub use records::{NotStorable, game_from_record, game_to_record};
pub use runtime::build_runtime;
pub use server::{HttpConfig, Server, ServerConfig, TlsListeners};
pub use store::{
    ATTENDED_MS, Append, Appended, Ban, ColumnKind, Created, DUMPED, Deletion, DumpItem, DumpTable,
    DumpValue, LINK_LIFETIME_MS, LinkCreation, ListQuery, ListedGame, LogPosition, LogTail,
    MAX_LINKS, MAX_QUICK_MATCHES, MAX_TOKENS, Match, MatchRequest, Matches, Memory,
    OperatorSettings, PlayerFilter, Postgres, QUICK_MATCH_LASTS_MS, QuickMatch, Redemption, Reply,
    SecretHash, Sqlite, Store, StoreError, StoredGame, StoredPlayer, Sweep, SyncMode, WaitingCount,
    WaitingId, WaitingList, WaitingPlayer, WriteCounts, family, open_current_store, open_store,
};
pub use table::{
    Absence, Answer, Change, Claim, ClockView, Command, Context, CreationKey, DRAW_OFFER_PAUSE,
    Decision, EndReason, Ending, Entry, FIRST_TURN_MS, Holder, InvalidLog, KEY_LIFETIME_MS, Key,
    LogEntry, MAX_LISTED_CELLS, MAX_OTHER_ENTRIES, NewGame, Offer, OpenOffer, OpenTo, Outage,
    ROBOT_DEADLINE_MS, RequestKey, SeatResult, SeatSet, Settings, Snapshot, Status, Summary,
    TOO_LONG, Table, TableRefusal, TurnChange, Update, conclusion_in_words,
};
pub use tables::{
    ConnectedSeat, Creation, GameEnd, LiveTable, Progress, SubmitError, Tables, Watch,
};
pub use tcp::{InjectedFault, UnknownFault, inject_fault};
