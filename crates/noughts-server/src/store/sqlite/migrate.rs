//! Migrations of a SQLite file.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection, query, query_as, raw_sql};
use tokio::time::sleep;

use super::read;
use super::statement::{MAX_ROWS, Statement};
use crate::store::StoreError;
use crate::store::codec::{id_bytes, read_id, signed};
use crate::store::migrations::{
    self, OldNodes, SCHEMA, Sitting, another_program, check_version, deadline_of, rematch_ids,
    seats_now,
};

/// Refuses a file of a newer version or of another program, without writing to it.
pub(super) async fn check(options: &SqliteConnectOptions) -> Result<(), StoreError> {
    let mut connection = options.clone().read_only(true).connect().await?;
    let checked = version(&mut connection).await;
    connection.close().await?;
    checked.map(drop)
}

/// The schema of the file; 0 where it is empty.
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

/// Brings the file to the schema of this program, in one transaction. Of several processes that open
/// it at once one migrates; the others wait for as long as for any lock.
pub(super) async fn migrate(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    if version(connection).await? == SCHEMA {
        return Ok(());
    }
    let old_nodes = OldNodes::new();
    loop {
        let mut at = connection.begin_with("BEGIN IMMEDIATE").await?;
        // Another process may have migrated it meanwhile.
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

/// For how long the longest lease of a node of schema 1 still holds.
async fn longest_lease_ms(at: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    let (lease_ms,): (i64,) = query_as(
        "SELECT coalesce(max(until_ms), 0) - CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM nodes",
    )
    .fetch_one(at)
    .await?;
    Ok(lease_ms)
}

async fn run_steps(at: &mut SqliteConnection, version: i64) -> Result<(), StoreError> {
    raw_sql("CREATE TABLE IF NOT EXISTS schema_steps (version INTEGER NOT NULL PRIMARY KEY)")
        .execute(&mut *at)
        .await?;
    for (number, sql) in (1..).zip(migrations::SQLITE) {
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
        query("INSERT INTO schema_steps VALUES (?)")
            .bind(number)
            .execute(&mut *at)
            .await?;
    }
    Ok(())
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

/// Makes the temporary tables that the second step needs.
async fn prepare_entries(at: &mut SqliteConnection) -> Result<(), StoreError> {
    raw_sql(
        "CREATE TABLE temp.seats_now (game BLOB PRIMARY KEY, seats TEXT NOT NULL); \
         CREATE TABLE temp.rematch_ids (game BLOB PRIMARY KEY, data TEXT NOT NULL)",
    )
    .execute(&mut *at)
    .await?;
    let sittings: Vec<Sitting> = query_as(
        "SELECT game, seat, holder, holders FROM sittings JOIN games ON id = game ORDER BY game, seat",
    )
    .fetch_all(&mut *at)
    .await?;
    insert_pairs(at, &INSERT_SEATS, seats_now(sittings)).await?;
    let rematches: Vec<(Vec<u8>, Vec<u8>)> = query_as("SELECT game, next FROM rematches")
        .fetch_all(&mut *at)
        .await?;
    insert_pairs(at, &INSERT_REMATCHES, rematch_ids(rematches)).await?;
    Ok(())
}

async fn insert_pairs(
    at: &mut SqliteConnection,
    statement: &'static Statement,
    pairs: Vec<(Vec<u8>, String)>,
) -> Result<(), sqlx::Error> {
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

async fn set_deadlines(at: &mut SqliteConnection) -> Result<(), StoreError> {
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
            Err(error) => {
                tracing::error!(game = %id, %error, "a migrated game cannot be read");
                continue;
            }
        };
        if let Some(deadline_ms) = deadline_of(game) {
            query("UPDATE games SET deadline_ms = ? WHERE id = ?")
                .bind(signed(deadline_ms))
                .bind(id_bytes(id))
                .execute(&mut *at)
                .await?;
        }
    }
    Ok(())
}
