//! Dumps of a PostgreSQL database.

use futures_util::TryStreamExt;
use sqlx::{
    AssertSqlSafe, Connection, PgConnection, Postgres, QueryBuilder, Row, query, query_as, raw_sql,
};
use tokio::sync::mpsc;

use crate::store::StoreError;
use crate::store::codec::unsigned;
use crate::store::dump::{
    ColumnKind, DUMPED, DumpItem, DumpValue, LoadStep, Loading, not_empty, push_values, shared_dump,
};

shared_dump!(PgConnection, Postgres);

/// Disables the timeouts, because a dump takes as long as its receiver needs, and a load as long as its
/// sender needs.
const WITHOUT_TIMEOUTS: &str =
    "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";

/// Dumps a consistent state while other connections write.
pub(super) async fn dump_snapshot(
    from: &mut PgConnection,
    to: &mpsc::Sender<DumpItem>,
) -> Result<(), StoreError> {
    let mut at = from
        .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .await?;
    raw_sql(WITHOUT_TIMEOUTS).execute(&mut *at).await?;
    dump(&mut at, to).await?;
    at.commit().await?;
    Ok(())
}

/// Loads a dump: all of it or nothing. A server that starts in the meantime can create no games and no players until
/// the load ends.
pub(super) async fn load_in_transaction(
    to: &mut PgConnection,
    from: mpsc::Receiver<DumpItem>,
) -> Result<(), StoreError> {
    let mut at = to.begin().await?;
    raw_sql(WITHOUT_TIMEOUTS).execute(&mut *at).await?;
    raw_sql("LOCK TABLE games, players, nodes IN EXCLUSIVE MODE")
        .execute(&mut *at)
        .await?;
    load_dump(&mut at, from).await?;
    at.commit().await?;
    Ok(())
}
