//! Operations for operators in SQLite.

use sqlx::{AssertSqlSafe, SqliteConnection, query, query_as};

use crate::id::{GameId, PlayerId};
use crate::store::codec::text::names_in;
use crate::store::codec::{id_bytes, player_bytes, read_player_id, signed, unsigned};
use crate::store::operator::{Ban, OperatorSettings, shared_operator_sql};
use crate::store::{StoreError, StoredPlayer, TABLES_OF_GAMES};

shared_operator_sql!(SqliteConnection);
