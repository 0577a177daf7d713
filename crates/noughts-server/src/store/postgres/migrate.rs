//! Migrations of a PostgreSQL database.

use sqlx::{Connection, PgConnection, query, query_as, raw_sql};
use tokio::time::sleep;

use super::read;
use crate::store::StoreError;
use crate::store::codec::{id_bytes, read_id, signed};
use crate::store::migrations::{
    self, OldNodes, OldSeat, Opening, SCHEMA, TABLES, another_program, check_version, deadline_of,
    rematch_ids, seats_now,
};
use crate::store::shared_sql::shared_migration;

/// The schema of the database; 0 if the database has no tables of this program. Refuses newer versions and other
/// programs.
async fn version(from: &mut PgConnection) -> Result<i64, StoreError> {
    // This query does not use to_regclass, which may miss a table that another node created while this node
    // waited.
    let (is_ours, is_taken): (bool, bool) = query_as(
        "SELECT coalesce(bool_or(relname = 'schema_steps'), false), \
         coalesce(bool_or(relname = ANY ($1)), false) FROM pg_class JOIN pg_namespace \
         ON pg_namespace.oid = relnamespace AND nspname = ANY (current_schemas(false))",
    )
    .bind(TABLES)
    .fetch_one(&mut *from)
    .await?;
    match (is_ours, is_taken) {
        (false, false) => return Ok(0),
        (false, true) => return Err(another_program()),
        (true, _) => {}
    }
    let (version,): (i64,) = query_as("SELECT coalesce(max(version), 0) FROM schema_steps")
        .fetch_one(from)
        .await?;
    check_version(version)?;
    Ok(version)
}

/// Refuses a database of a newer version or of another program. [`Opening::RefuseOlder`] also refuses a
/// database without tables and a database of an older version.
pub(super) async fn check(from: &mut PgConnection, opening: Opening) -> Result<(), StoreError> {
    opening.check(version(from).await?)
}

shared_migration!(PgConnection, "BIGINT", "BYTEA", migrations::POSTGRES);

/// Begins the transaction of a migration. If several nodes start at the same time, one migrates and the
/// others wait.
async fn begin_migration(
    connection: &mut PgConnection,
) -> Result<sqlx::Transaction<'_, sqlx::Postgres>, sqlx::Error> {
    let mut at = connection.begin().await?;
    // The timeouts are raised, because the migration of a million games takes minutes. The number of the lock is an
    // arbitrary constant.
    raw_sql(
        "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10min'; \
         SET LOCAL idle_in_transaction_session_timeout = '1min'; \
         SELECT pg_advisory_xact_lock(7031786)",
    )
    .execute(&mut *at)
    .await?;
    Ok(at)
}

/// The remaining time of the longest lease of a node of schema 1, by the database's clock.
async fn longest_lease_ms(at: &mut PgConnection) -> Result<i64, sqlx::Error> {
    // Until this transaction ends, the lock keeps nodes of schema 1 from renewing their leases.
    raw_sql("LOCK TABLE nodes IN EXCLUSIVE MODE")
        .execute(&mut *at)
        .await?;
    let (lease_ms,): (i64,) = query_as(
        "SELECT coalesce(max(until_ms), 0) - (extract(epoch FROM clock_timestamp()) * 1000)::int8 \
         FROM nodes",
    )
    .fetch_one(at)
    .await?;
    Ok(lease_ms)
}

/// Maximum number of rows per statement.
const MAX_ROWS: usize = 10_000;

async fn insert_pairs(
    at: &mut PgConnection,
    table: &str,
    pairs: Vec<(Vec<u8>, String)>,
) -> Result<(), sqlx::Error> {
    for piece in pairs.chunks(MAX_ROWS) {
        let (games, texts): (Vec<Vec<u8>>, Vec<String>) = piece.iter().cloned().unzip();
        let insert = format!("INSERT INTO {table} SELECT * FROM unnest($1::bytea[], $2::text[])");
        query(sqlx::AssertSqlSafe(insert))
            .bind(games)
            .bind(texts)
            .execute(&mut *at)
            .await?;
    }
    Ok(())
}
