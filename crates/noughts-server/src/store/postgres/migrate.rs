//! Migrations of a PostgreSQL database.

use sqlx::{Connection, PgConnection, query, query_as, raw_sql};
use tokio::time::sleep;

use super::read;
use crate::store::StoreError;
use crate::store::codec::{id_bytes, read_id, signed};
use crate::store::migrations::{
    self, OldNodes, SCHEMA, Sitting, TABLES, another_program, check_version, deadline_of,
    rematch_ids, seats_now,
};

/// The schema of the database; 0 where there is none. Refuses a newer version and other programs.
async fn version(from: &mut PgConnection) -> Result<i64, StoreError> {
    // Not to_regclass: that may miss a table that another node created while this one waited.
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

/// Brings the database to the schema of this program, in one transaction. Of several nodes that start
/// at once, one migrates and the others wait.
pub(super) async fn migrate(connection: &mut PgConnection) -> Result<(), StoreError> {
    if version(connection).await? == SCHEMA {
        return Ok(());
    }
    let old_nodes = OldNodes::new();
    loop {
        let mut at = connection.begin().await?;
        // A million games take minutes. The number of the lock is arbitrary; it is always the same.
        raw_sql(
            "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10min'; \
             SET LOCAL idle_in_transaction_session_timeout = '1min'; \
             SELECT pg_advisory_xact_lock(7031786)",
        )
        .execute(&mut *at)
        .await?;
        // Another node may have migrated it meanwhile.
        let version = version(&mut at).await?;
        if version == 1
            && let Some(wait) = old_nodes.wait(longest_lease_ms(&mut at).await?)?
        {
            at.rollback().await?;
            sleep(wait).await;
            continue;
        }
        run_steps(&mut at, version).await?;
        at.commit().await?;
        return Ok(());
    }
}

/// For how long the longest lease of a node of schema 1 still holds, by the database's clock.
async fn longest_lease_ms(at: &mut PgConnection) -> Result<i64, sqlx::Error> {
    // No node of schema 1 renews its lease until this transaction ends.
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

async fn run_steps(at: &mut PgConnection, version: i64) -> Result<(), StoreError> {
    raw_sql("CREATE TABLE IF NOT EXISTS schema_steps (version BIGINT NOT NULL PRIMARY KEY)")
        .execute(&mut *at)
        .await?;
    for (number, sql) in (1..).zip(migrations::POSTGRES) {
        if number <= version {
            continue;
        }
        if number == 2 {
            prepare_entries(at).await?;
        }
        raw_sql(sql).execute(&mut *at).await?;
        if number == 2 {
            set_deadlines(at).await?;
        }
        query("INSERT INTO schema_steps VALUES ($1)")
            .bind(number)
            .execute(&mut *at)
            .await?;
    }
    Ok(())
}

/// How many rows are written by one statement.
const MAX_ROWS: usize = 10_000;

/// Makes the temporary tables that the second step needs.
async fn prepare_entries(at: &mut PgConnection) -> Result<(), StoreError> {
    raw_sql(
        "CREATE TEMPORARY TABLE seats_now (game BYTEA PRIMARY KEY, seats TEXT NOT NULL); \
         CREATE TEMPORARY TABLE rematch_ids (game BYTEA PRIMARY KEY, data TEXT NOT NULL)",
    )
    .execute(&mut *at)
    .await?;
    let sittings: Vec<Sitting> = query_as(
        "SELECT game, seat, holder, holders FROM sittings JOIN games ON id = game ORDER BY game, seat",
    )
    .fetch_all(&mut *at)
    .await?;
    for piece in seats_now(sittings).chunks(MAX_ROWS) {
        let (games, texts): (Vec<Vec<u8>>, Vec<String>) = piece.iter().cloned().unzip();
        query("INSERT INTO seats_now SELECT * FROM unnest($1::bytea[], $2::text[])")
            .bind(games)
            .bind(texts)
            .execute(&mut *at)
            .await?;
    }
    let rematches: Vec<(Vec<u8>, Vec<u8>)> = query_as("SELECT game, next FROM rematches")
        .fetch_all(&mut *at)
        .await?;
    for piece in rematch_ids(rematches).chunks(MAX_ROWS) {
        let (games, texts): (Vec<Vec<u8>>, Vec<String>) = piece.iter().cloned().unzip();
        query("INSERT INTO rematch_ids SELECT * FROM unnest($1::bytea[], $2::text[])")
            .bind(games)
            .bind(texts)
            .execute(&mut *at)
            .await?;
    }
    Ok(())
}

async fn set_deadlines(at: &mut PgConnection) -> Result<(), StoreError> {
    let unfinished: Vec<(Vec<u8>,)> =
        query_as("SELECT id FROM games WHERE ended_ms IS NULL AND seats LIKE '%robot %'")
            .fetch_all(&mut *at)
            .await?;
    for (id,) in unfinished {
        let Ok(id) = read_id(&id) else {
            continue;
        };
        let game = match read::load(at, id).await {
            Ok(Some(game)) => game,
            Ok(None) => continue,
            // An error of the database ends its transaction.
            Err(error @ StoreError::Corrupt(_)) => {
                tracing::error!(game = %id, %error, "a migrated game cannot be read");
                continue;
            }
            Err(error) => return Err(error),
        };
        if let Some(deadline_ms) = deadline_of(game) {
            query("UPDATE games SET deadline_ms = $1 WHERE id = $2")
                .bind(signed(deadline_ms))
                .bind(id_bytes(id))
                .execute(&mut *at)
                .await?;
        }
    }
    Ok(())
}
