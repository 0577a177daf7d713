//! Migrations of a SQLite file.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection, query, query_as, raw_sql};
use tokio::time::sleep;

use super::read;
use super::statement::{MAX_ROWS, Statement};
use crate::store::StoreError;
use crate::store::codec::{id_bytes, read_id, signed};
use crate::store::migrations::{
    self, OldNodes, OldSeat, Opening, SCHEMA, another_program, check_version, deadline_of,
    rematch_ids, seats_now,
};
use crate::store::shared_sql::shared_migration;

/// Refuses a file of a newer version or of another program. [`Opening::RefuseOlder`] also refuses an empty file and a
/// file of an older version. Does not write to the file.
pub(super) async fn check(
    options: &SqliteConnectOptions,
    opening: Opening,
) -> Result<(), StoreError> {
    let mut connection = options.clone().read_only(true).connect().await?;
    let checked = version(&mut connection).await;
    connection.close().await?;
    opening.check(checked?)
}

/// The schema of the file; 0 if it is empty. Refuses newer versions and other programs.
async fn version(from: &mut SqliteConnection) -> Result<i64, StoreError> {
    let (is_empty, is_ours): (bool, bool) =
        query_as("SELECT count(*) = 0, coalesce(max(name = 'schema_steps'), 0) FROM sqlite_schema")
            .fetch_one(&mut *from)
            .await?;
    match (is_empty, is_ours) {
        (true, _) => return Ok(0),
        (false, false) => return Err(another_program()),
        (false, true) => {}
    }
    let (version,): (i64,) = query_as("SELECT coalesce(max(version), 0) FROM schema_steps")
        .fetch_one(from)
        .await?;
    check_version(version)?;
    Ok(version)
}

shared_migration!(SqliteConnection, "INTEGER", "BLOB", migrations::SQLITE);

/// Begins the transaction of a migration. If several processes open the file at the same time, one migrates
/// and the others wait for the lock.
async fn begin_migration(
    connection: &mut SqliteConnection,
) -> Result<sqlx::Transaction<'_, sqlx::Sqlite>, sqlx::Error> {
    connection.begin_with("BEGIN IMMEDIATE").await
}

/// The remaining time of the longest lease of a node of schema 1.
async fn longest_lease_ms(at: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    let (lease_ms,): (i64,) = query_as(
        "SELECT coalesce(max(until_ms), 0) - CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM nodes",
    )
    .fetch_one(at)
    .await?;
    Ok(lease_ms)
}

static INSERT_SEATS: Statement = Statement::new(
    "INSERT INTO temp.seats_now SELECT * FROM (",
    2,
    ") WHERE column1 IS NOT NULL",
);

static INSERT_REMATCHES: Statement = Statement::new(
    "INSERT INTO temp.rematch_ids SELECT * FROM (",
    2,
    ") WHERE column1 IS NOT NULL",
);

async fn insert_pairs(
    at: &mut SqliteConnection,
    table: &str,
    pairs: Vec<(Vec<u8>, String)>,
) -> Result<(), sqlx::Error> {
    let statement = match table {
        "seats_now" => &INSERT_SEATS,
        _ => &INSERT_REMATCHES,
    };
    for piece in pairs.chunks(MAX_ROWS) {
        let (sql, nulls) = statement.for_rows(piece.len());
        let values = piece.iter().fold(query(sql), |values, (game, text)| {
            values.bind(game.as_slice()).bind(text.as_str())
        });
        let values = (0..nulls).fold(values, |values, _| values.bind(None::<i64>));
        values.execute(&mut *at).await?;
    }
    Ok(())
}
