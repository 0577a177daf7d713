//! Writes batches of one kind of request. Nearly all requests of a batch are written by one statement.

use sqlx::error::DatabaseError;
use sqlx::postgres::PgPool;
use tokio::time::timeout;

use super::{REPLY_TIMEOUT, late, write};
use crate::store::StoreError;
use crate::store::codec::{AppendRows, GameRow};
use crate::store::group_commit::{BatchError, Outcomes, WriteBatch};

/// Writes batches on connections of the pool.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) pool: PgPool,
}

impl WriteBatch for Writer {
    /// A batch has either new games or appends. With both, there would be two statements, and one of them
    /// might succeed alone.
    async fn write(
        &self,
        creates: &[GameRow],
        appends: &[AppendRows],
    ) -> Result<Outcomes, BatchError> {
        debug_assert!(creates.is_empty() || appends.is_empty());
        let acquired = self.pool.acquire().await;
        let mut connection = acquired.map_err(|error| batch_error(&error))?;
        let written = async {
            let to = &mut *connection;
            Ok(Outcomes {
                created: write::create_all(to, creates).await?,
                appended: write::append_all(to, appends).await?,
            })
        };
        match timeout(REPLY_TIMEOUT, written).await {
            Ok(written) => written.map_err(|error: sqlx::Error| batch_error(&error)),
            Err(_) => {
                drop(connection.detach());
                Err(BatchError {
                    error: late(),
                    may_be_one_row: false,
                })
            }
        }
    }
}

fn batch_error(error: &sqlx::Error) -> BatchError {
    BatchError {
        error: StoreError::from_ref(error),
        may_be_one_row: may_be_one_row(error),
    }
}

/// Whether one row may have caused the error, so that the other rows would be written without this row. True
/// for invalid data, a violated constraint and a deadlock.
fn may_be_one_row(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    let classes = ["22", "23", "40"];
    code.is_some_and(|code| classes.iter().any(|class| code.starts_with(class)))
}
