//! Deletes old games.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tracing::{info, warn};

use crate::matchmaking::Matchmaking;
use crate::tables::Tables;

/// Interval between searches for old games.
const SEARCH_INTERVAL: Duration = Duration::from_secs(60);

/// Deletes each game whose creation and latest entry are both more than `age` ago. Runs for as long as the
/// server runs.
pub(crate) async fn forget_after(
    tables: Arc<Tables>,
    matchmaking: Arc<Matchmaking>,
    age: Duration,
) {
    loop {
        let now_ms = tables.clock().now_ms();
        let before_ms = now_ms.saturating_sub(age.as_millis() as u64);
        match tables.store().forget(before_ms).await {
            Ok(games) if games.is_empty() => sleep(SEARCH_INTERVAL).await,
            // There may be more games to delete.
            Ok(games) => {
                info!(games = games.len(), "deleted old games");
                for game in games {
                    matchmaking.forget(game);
                    if let Some(live) = tables.in_memory(game) {
                        tables.remove(&live);
                    }
                }
                tokio::task::yield_now().await;
            }
            Err(error) => {
                warn!(%error, "cannot delete old games now");
                sleep(SEARCH_INTERVAL).await;
            }
        }
    }
}
