//! The only connection that writes to the SQLite file.

use std::sync::Arc;

use sqlx::sqlite::{SqliteConnectOptions, SqliteError};
use sqlx::{ConnectOptions, SqliteConnection, query_as, raw_sql};
use tokio::sync::{Mutex, MutexGuard};

use super::file::DatabaseFile;
use super::{migrate, write};
use crate::store::StoreError;
use crate::store::codec::{AppendRows, GameRow};
use crate::store::error::{primary_code, sqlite_code};
use crate::store::group_commit::{BatchError, Outcomes, WriteBatch};

/// The connection that makes all writes. Only one caller uses the connection at a time.
#[derive(Debug)]
pub(super) struct Writer {
    options: SqliteConnectOptions,
    file: Arc<DatabaseFile>,
    state: Mutex<WriterState>,
}

#[derive(Debug)]
struct WriterState {
    /// `None` while a guard uses the connection, and after a failure that left the connection in an unknown
    /// state.
    connection: Option<SqliteConnection>,
    max_pages: Option<u32>,
}

impl Writer {
    pub(super) async fn open(
        options: SqliteConnectOptions,
        file: Arc<DatabaseFile>,
    ) -> Result<Writer, StoreError> {
        let mut connection = options.connect().await?;
        migrate::migrate(&mut connection).await?;
        let state = WriterState {
            connection: Some(connection),
            max_pages: None,
        };
        Ok(Writer {
            options,
            file,
            state: Mutex::new(state),
        })
    }

    pub(super) async fn limit_pages(&self, pages: u32) -> Result<u32, StoreError> {
        let mut guard = self.acquire().await?;
        guard.state.max_pages = Some(pages);
        let limit = set_max_pages(guard.connection(), pages).await;
        guard.is_clean = true;
        limit
    }

    /// Moves everything from the write-ahead log into the main file.
    pub(super) async fn checkpoint(&self) -> Result<(), StoreError> {
        let mut guard = self.acquire().await?;
        let done = raw_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(guard.connection())
            .await;
        guard.is_clean = true;
        done?;
        Ok(())
    }

    pub(super) async fn begin(&self) -> Result<Transaction<'_>, StoreError> {
        let mut guard = self.acquire().await?;
        let begun = raw_sql("BEGIN IMMEDIATE").execute(guard.connection()).await;
        guard.is_clean = begun.is_err();
        begun?;
        Ok(Transaction(guard))
    }

    /// Takes the connection, or opens a new connection if the previous connection was closed. Fails if the
    /// file was deleted or replaced, so that nothing is written to a deleted file.
    async fn acquire(&self) -> Result<ConnectionGuard<'_>, StoreError> {
        let mut state = self.state.lock().await;
        self.file.check()?;
        let connection = match state.connection.take() {
            Some(connection) => connection,
            None => {
                let mut connection = self.options.connect().await?;
                if let Some(pages) = state.max_pages {
                    set_max_pages(&mut connection, pages).await?;
                }
                connection
            }
        };
        Ok(ConnectionGuard {
            connection: Some(connection),
            state,
            file: &self.file,
            is_clean: false,
        })
    }
}

async fn set_max_pages(connection: &mut SqliteConnection, pages: u32) -> Result<u32, StoreError> {
    let set = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
    let (limit,): (i64,) = query_as(set).fetch_one(connection).await?;
    Ok(u32::try_from(limit).unwrap_or(u32::MAX))
}

/// The connection while it is in use. If this value is dropped during a transaction, for example because a
/// task is cancelled, the connection is closed. Closing the connection rolls back the transaction.
struct ConnectionGuard<'w> {
    /// `None` only while this value is being dropped.
    connection: Option<SqliteConnection>,
    state: MutexGuard<'w, WriterState>,
    file: &'w DatabaseFile,
    /// Whether no transaction is open.
    is_clean: bool,
}

impl ConnectionGuard<'_> {
    fn connection(&mut self) -> &mut SqliteConnection {
        self.connection
            .as_mut()
            .expect("a guard has its connection until it is dropped")
    }
}

impl Drop for ConnectionGuard<'_> {
    fn drop(&mut self) {
        if self.is_clean {
            self.state.connection = self.connection.take();
        }
    }
}

/// An open transaction of the writing connection.
pub(super) struct Transaction<'w>(ConnectionGuard<'w>);

impl Transaction<'_> {
    pub(super) fn connection(&mut self) -> &mut SqliteConnection {
        self.0.connection()
    }

    /// Commits if the work succeeded, otherwise rolls back.
    pub(super) async fn end<T, E>(self, done: Result<T, E>) -> Result<T, StoreError>
    where
        E: Into<StoreError>,
    {
        match done {
            Ok(done) => {
                self.commit().await?;
                Ok(done)
            }
            Err(error) => {
                self.roll_back().await;
                Err(error.into())
            }
        }
    }

    async fn commit(mut self) -> Result<(), StoreError> {
        match raw_sql("COMMIT").execute(self.connection()).await {
            Ok(_) => {
                self.0.is_clean = true;
                // If the file was deleted in the meantime, the write is lost.
                self.0.file.check()
            }
            Err(error) => {
                self.roll_back().await;
                Err(error.into())
            }
        }
    }

    async fn roll_back(mut self) {
        // Some errors end the transaction themselves. After such an error there is nothing to roll back.
        self.0.is_clean = match raw_sql("ROLLBACK").execute(self.connection()).await {
            Ok(_) => true,
            Err(error) => error.to_string().contains("no transaction is active"),
        };
    }
}

impl WriteBatch for Writer {
    async fn write(
        &self,
        creates: &[GameRow],
        appends: &[AppendRows],
    ) -> Result<Outcomes, BatchError> {
        match creates.is_empty() && write::is_one_statement(appends) {
            true => self.write_statement(appends).await,
            false => self.write_transaction(creates, appends).await,
        }
    }
}

impl Writer {
    /// Writes appends as a single statement, which is its own transaction. This saves two of three switches to the
    /// connection's thread.
    async fn write_statement(&self, appends: &[AppendRows]) -> Result<Outcomes, BatchError> {
        let mut guard = self.acquire().await.map_err(batch_error)?;
        let written = write::append_plain(guard.connection(), appends).await;
        guard.is_clean = true;
        let appended = written.map_err(|error| row_error(&error))?;
        self.file.check().map_err(batch_error)?;
        Ok(Outcomes {
            created: Vec::new(),
            appended,
        })
    }

    async fn write_transaction(
        &self,
        creates: &[GameRow],
        appends: &[AppendRows],
    ) -> Result<Outcomes, BatchError> {
        let mut transaction = self.begin().await.map_err(batch_error)?;
        let written = write::write_batch(transaction.connection(), creates, appends).await;
        match written {
            // After a failed commit it is unknown what is on disk, so nothing is retried.
            Ok(outcomes) => {
                transaction.commit().await.map_err(batch_error)?;
                Ok(outcomes)
            }
            Err(error) => {
                transaction.roll_back().await;
                Err(row_error(&error))
            }
        }
    }
}

fn batch_error(error: StoreError) -> BatchError {
    BatchError {
        error,
        may_be_one_row: false,
    }
}

fn row_error(error: &sqlx::Error) -> BatchError {
    BatchError {
        may_be_one_row: may_be_one_row(error),
        error: StoreError::from_ref(error),
    }
}

/// Whether one row may have caused the error, so that the other rows would be written without this row. False
/// for a locked file and for I/O errors, because then each row would cause the same error.
fn may_be_one_row(error: &sqlx::Error) -> bool {
    use sqlite_code::{BUSY, IOERR, LOCKED};
    let database = error.as_database_error();
    let sqlite = database.and_then(|error| error.try_downcast_ref::<SqliteError>());
    sqlite.is_some_and(|error| ![BUSY, LOCKED, IOERR].contains(&primary_code(error)))
}
