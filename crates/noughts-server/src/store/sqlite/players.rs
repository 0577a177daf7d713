//! Registered players in SQLite.

use sqlx::{QueryBuilder, Sqlite, SqliteConnection, query, query_as};

use crate::id::PlayerId;
use crate::store::codec::text::write_player;
use crate::store::codec::{player_bytes, read_player_id, signed, unsigned};
use crate::store::player_sql::shared_players;
use crate::store::players::{
    Deletion, LINK_LIFETIME_MS, LinkCreation, MAX_LINKS, MAX_TOKENS, Redemption, SecretHash,
    StoredPlayer,
};
use crate::store::{MAX_EXPIRED, MAX_PLAYERS_READ, StoreError};

shared_players!(SqliteConnection, Sqlite);
