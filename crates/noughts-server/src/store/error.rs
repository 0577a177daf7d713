//! Converts errors of the databases to errors of a store.

use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;

use super::StoreError;

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        StoreError::from_ref(&error)
    }
}

impl StoreError {
    /// The store error for a database error.
    pub(super) fn from_ref(error: &sqlx::Error) -> StoreError {
        match error {
            sqlx::Error::Database(database) => {
                let why = database.message().to_owned();
                if let Some(sqlite) = database.try_downcast_ref::<SqliteError>() {
                    from_sqlite(primary_code(sqlite), why)
                } else if let Some(postgres) = database.try_downcast_ref::<PgDatabaseError>() {
                    from_postgres(postgres.code(), why)
                } else {
                    StoreError::Unavailable(why)
                }
            }
            sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::Decode(_)
            | sqlx::Error::RowNotFound
            | sqlx::Error::ColumnNotFound(_)
            | sqlx::Error::TypeNotFound { .. } => StoreError::Corrupt(error.to_string()),
            sqlx::Error::PoolTimedOut => {
                StoreError::Unavailable("no connection became free in time".to_owned())
            }
            _ => StoreError::Unavailable(error.to_string()),
        }
    }
}

/// SQLite's primary result codes: the low byte of an extended code.
pub(super) mod sqlite_code {
    pub(in crate::store) const PERM: i32 = 3;
    pub(in crate::store) const BUSY: i32 = 5;
    pub(in crate::store) const LOCKED: i32 = 6;
    pub(in crate::store) const READONLY: i32 = 8;
    pub(in crate::store) const IOERR: i32 = 10;
    pub(in crate::store) const CORRUPT: i32 = 11;
    pub(in crate::store) const FULL: i32 = 13;
    pub(in crate::store) const CANTOPEN: i32 = 14;
    pub(in crate::store) const CONSTRAINT: i32 = 19;
    pub(in crate::store) const NOTADB: i32 = 26;
}

/// The primary result code of an SQLite error; 0 if there is none.
pub(super) fn primary_code(error: &SqliteError) -> i32 {
    use sqlx::error::DatabaseError;
    let code = error.code().and_then(|code| code.parse::<i32>().ok());
    code.unwrap_or(0) & 0xff
}

fn from_sqlite(code: i32, why: String) -> StoreError {
    use sqlite_code::{CANTOPEN, CORRUPT, FULL, IOERR, NOTADB, PERM, READONLY};
    match code {
        FULL | READONLY | CANTOPEN | IOERR | PERM => StoreError::NotWritable(why),
        CORRUPT | NOTADB => StoreError::Corrupt(why),
        // BUSY, LOCKED and other codes: a retry may succeed.
        _ => StoreError::Unavailable(why),
    }
}

fn from_postgres(code: &str, why: String) -> StoreError {
    /// `read_only_sql_transaction`: the server is a standby, or `default_transaction_read_only` is set.
    const READ_ONLY: &str = "25006";
    /// A code of class 53 after which a retry may succeed. Other codes of this class mean, for example, that
    /// the disk is full.
    const TOO_MANY_CONNECTIONS: &str = "53300";
    match code {
        TOO_MANY_CONNECTIONS => StoreError::Unavailable(why),
        READ_ONLY => StoreError::NotWritable(why),
        code if code.starts_with("53") => StoreError::NotWritable(why),
        _ => StoreError::Unavailable(why),
    }
}

impl StoreError {
    /// Adds to the message that `what` could not be opened, and converts the error to [`StoreError::Invalid`].
    /// [`StoreError::TooNew`] stays as it is.
    pub(super) fn on_opening(self, what: &str) -> StoreError {
        match self {
            StoreError::Unavailable(why)
            | StoreError::NotWritable(why)
            | StoreError::Corrupt(why)
            | StoreError::Invalid(why) => StoreError::Invalid(format!("cannot open {what}: {why}")),
            StoreError::TooNew { .. } => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_map_to_reasons() {
        use sqlite_code::{BUSY, CORRUPT, FULL, LOCKED};
        let why = || String::from("why");
        for code in [BUSY, LOCKED] {
            assert_eq!(from_sqlite(code, why()), StoreError::Unavailable(why()));
        }
        assert_eq!(from_sqlite(FULL, why()), StoreError::NotWritable(why()));
        assert_eq!(from_sqlite(CORRUPT, why()), StoreError::Corrupt(why()));
        for (code, error) in [
            ("53100", StoreError::NotWritable(why())),
            ("53300", StoreError::Unavailable(why())),
            ("25006", StoreError::NotWritable(why())),
            ("57P01", StoreError::Unavailable(why())),
        ] {
            assert_eq!(from_postgres(code, why()), error, "{code}");
        }
    }
}
