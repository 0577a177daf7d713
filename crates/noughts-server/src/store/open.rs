//! Opens the store that an address names.

use std::path::Path;

use super::migrations::Opening;
use super::{Memory, Postgres, Sqlite, Store, StoreError, SyncMode};

/// Opens `memory:`, `sqlite:FILE` or `postgres://…`. `sync` applies only to SQLite; PostgreSQL has its own setting.
pub async fn open_store(address: &str, sync: SyncMode) -> Result<Box<dyn Store>, StoreError> {
    open_as(address, sync, Opening::Migrate).await
}

/// Opens an existing store with the schema of this program. Any other store is refused and not changed.
pub async fn open_current_store(address: &str) -> Result<Box<dyn Store>, StoreError> {
    open_as(address, SyncMode::Full, Opening::RefuseOlder).await
}

async fn open_as(
    address: &str,
    sync: SyncMode,
    opening: Opening,
) -> Result<Box<dyn Store>, StoreError> {
    match address.split_once(':') {
        Some(("memory", "")) => Ok(Box::<Memory>::default()),
        Some(("sqlite", path)) if !path.is_empty() => Ok(Box::new(
            Sqlite::open_as(Path::new(path), sync, opening).await?,
        )),
        Some(("postgres" | "postgresql", _)) => {
            Ok(Box::new(Postgres::open_as(address, opening).await?))
        }
        // The message does not repeat the address, because it may contain a password.
        _ => Err(StoreError::Invalid(
            "a store is memory:, sqlite:FILE or postgres://USER@HOST/DATABASE".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn address_selects_the_store() {
        let directory = tempfile::tempdir().unwrap();
        let file = format!("sqlite:{}", directory.path().join("a ?.db").display());
        for address in ["memory:", &file] {
            let store = open_store(address, SyncMode::Full).await.unwrap();
            assert!(store.secret().await.is_ok(), "{address}");
        }
        assert!(directory.path().join("a ?.db").exists());
        for wrong in [
            "",
            "memory",
            "memory:x",
            "sqlite:",
            "mysql://ann:sesame@host/db",
        ] {
            let opened = open_store(wrong, SyncMode::Full).await;
            let error = opened.map(drop).unwrap_err().to_string();
            assert!(
                error.contains("sqlite:FILE") && !error.contains("sesame"),
                "{error}"
            );
        }
    }
}
