//! Dumps of an SQLite file.

use futures_util::TryStreamExt;
use sqlx::{AssertSqlSafe, QueryBuilder, Row, Sqlite, SqliteConnection, query, query_as};
use tokio::sync::mpsc;

use crate::store::StoreError;
use crate::store::codec::unsigned;
use crate::store::dump::{
    ColumnKind, DUMPED, DumpItem, DumpValue, LoadStep, Loading, not_empty, push_values, shared_dump,
};

shared_dump!(SqliteConnection, Sqlite);
