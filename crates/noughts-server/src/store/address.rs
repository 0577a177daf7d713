//! Which store an address names.

use std::path::Path;

use super::{Memory, Postgres, Sqlite, Store, StoreError, SyncMode};
use crate::bus::Bus;
use crate::id::NodeId;

/// Opens `memory:`, `sqlite:FILE` or `postgres://…`, with the bus to the other processes that share it;
/// this one is called `node`. How a commit is synced is PostgreSQL's own affair.
pub async fn open_store(
    address: &str,
    sync: SyncMode,
    node: NodeId,
) -> Result<(Box<dyn Store>, Bus), StoreError> {
    match address.split_once(':') {
        Some(("memory", "")) => Ok((Box::new(Memory::default()), Bus::alone())),
        Some(("sqlite", path)) if !path.is_empty() => {
            let store = Sqlite::open(Path::new(path), sync).await?;
            Ok((Box::new(store), Bus::alone()))
        }
        Some(("postgres" | "postgresql", _)) => {
            let store = Postgres::open(address).await?;
            let bus = store.bus(node);
            Ok((Box::new(store), bus))
        }
        // Not repeated: what somebody mistyped may hold a password.
        _ => Err(StoreError(
            "a store is memory:, sqlite:FILE or postgres://USER@HOST/DATABASE".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_name_stores_or_say_how() {
        let directory = tempfile::tempdir().unwrap();
        let file = format!("sqlite:{}", directory.path().join("a ?.db").display());
        for address in ["memory:", &file] {
            let opened = open_store(address, SyncMode::Full, NodeId(1)).await;
            let (store, _) = opened.unwrap();
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
            let opened = open_store(wrong, SyncMode::Full, NodeId(1)).await;
            let error = opened.map(drop).unwrap_err().to_string();
            assert!(
                error.contains("sqlite:FILE") && !error.contains("sesame"),
                "{error}"
            );
        }
    }
}
