//! The one connection that writes.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, SqliteConnection, query, query_as, raw_sql};
use tokio::sync::Mutex;

use super::write::write_batch;
use crate::store::StoreError;
use crate::store::schema::steps_from;
use crate::store::writer::{Failed, Ledger, Outcome, Request};

/// Forward only: a step that anybody has run is never changed again.
const STEPS: &[&str] = &[include_str!("0001.sql")];

/// The one connection that writes.
#[derive(Debug)]
pub(super) struct SqliteLedger {
    options: SqliteConnectOptions,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    /// None after a failure that left it in an unknown state.
    connection: Option<SqliteConnection>,
    most_pages: Option<u32>,
}

impl SqliteLedger {
    pub(super) async fn open(options: SqliteConnectOptions) -> Result<SqliteLedger, StoreError> {
        let mut connection = options.connect().await?;
        migrate(&mut connection).await?;
        let open = Open {
            connection: Some(connection),
            most_pages: None,
        };
        Ok(SqliteLedger {
            options,
            open: Mutex::new(open),
        })
    }

    pub(super) async fn limit_pages(&self, pages: u32) -> Result<u32, StoreError> {
        let mut open = self.open.lock().await;
        open.most_pages = Some(pages);
        let connection = self.connection(&mut open).await?;
        limit_pages(connection, pages).await
    }

    /// What is still beside the file goes into it.
    pub(super) async fn tidy(&self) -> Result<(), StoreError> {
        let mut open = self.open.lock().await;
        let connection = self.connection(&mut open).await?;
        raw_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(connection)
            .await?;
        Ok(())
    }

    async fn connection<'o>(
        &self,
        open: &'o mut Open,
    ) -> Result<&'o mut SqliteConnection, StoreError> {
        if open.connection.is_none() {
            let mut connection = self.options.connect().await?;
            if let Some(pages) = open.most_pages {
                limit_pages(&mut connection, pages).await?;
            }
            open.connection = Some(connection);
        }
        let lost = || StoreError("there is no connection".to_owned());
        open.connection.as_mut().ok_or_else(lost)
    }
}

async fn limit_pages(connection: &mut SqliteConnection, pages: u32) -> Result<u32, StoreError> {
    let set = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
    let (most,): (i64,) = query_as(set).fetch_one(connection).await?;
    Ok(u32::try_from(most).unwrap_or(u32::MAX))
}

/// Brings the file to the schema that this program knows.
async fn migrate(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    raw_sql("BEGIN IMMEDIATE").execute(&mut *connection).await?;
    let (others,): (i64,) = query_as(
        "SELECT count(*) FROM sqlite_schema WHERE NOT EXISTS \
         (SELECT 1 FROM sqlite_schema WHERE name = 'schema_steps')",
    )
    .fetch_one(&mut *connection)
    .await?;
    if others > 0 {
        return Err(StoreError(
            "it is the database of something else".to_owned(),
        ));
    }
    raw_sql("CREATE TABLE IF NOT EXISTS schema_steps (version INTEGER NOT NULL PRIMARY KEY)")
        .execute(&mut *connection)
        .await?;
    let (version,): (i64,) = query_as("SELECT coalesce(max(version), 0) FROM schema_steps")
        .fetch_one(&mut *connection)
        .await?;
    for (number, step) in (version + 1..).zip(steps_from(version, STEPS)?) {
        raw_sql(*step).execute(&mut *connection).await?;
        query("INSERT INTO schema_steps VALUES (?)")
            .bind(number)
            .execute(&mut *connection)
            .await?;
    }
    raw_sql("COMMIT").execute(connection).await?;
    Ok(())
}

impl Ledger for SqliteLedger {
    async fn write(&self, batch: &[Request]) -> Result<Vec<Outcome>, Failed> {
        let mut open = self.open.lock().await;
        let failed = |error, may_be_one| Failed { error, may_be_one };
        let connection = match self.connection(&mut open).await {
            Ok(connection) => connection,
            Err(error) => return Err(failed(error, false)),
        };
        let written = async {
            raw_sql("BEGIN IMMEDIATE").execute(&mut *connection).await?;
            write_batch(connection, batch).await
        };
        let error = match written.await {
            Ok(outcomes) => match raw_sql("COMMIT").execute(&mut *connection).await {
                Ok(_) => return Ok(outcomes),
                // Nobody knows what the disk has.
                Err(error) => failed(error.into(), false),
            },
            Err(error) => failed(StoreError(error.to_string()), may_be_one_row(&error)),
        };
        // Some errors end the transaction by themselves; then there is nothing to roll back.
        if let Err(error) = raw_sql("ROLLBACK").execute(connection).await
            && !error.to_string().contains("no transaction is active")
        {
            open.connection = None;
        }
        Err(error)
    }
}

/// Whether an error may be about one row, so that the others would do without it. Where the file is
/// locked or can't be read or written, each would only wait as long for the same answer.
fn may_be_one_row(error: &sqlx::Error) -> bool {
    const BUSY: i32 = 5;
    const LOCKED: i32 = 6;
    const IO: i32 = 10;
    match error {
        sqlx::Error::Database(error) => {
            let code = error.code().and_then(|code| code.parse::<i32>().ok());
            // The low byte is the kind, the others say more of it.
            code.is_some_and(|code| ![BUSY, LOCKED, IO].contains(&(code & 0xff)))
        }
        _ => false,
    }
}
