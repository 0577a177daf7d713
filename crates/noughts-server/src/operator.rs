//! The operator's settings. Bans and the announcement apply to all nodes; draining applies only to this node.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::time::sleep;
use tracing::warn;

use crate::net::Connections;
use crate::store::{OperatorSettings, StoreError};
use crate::tables::Tables;

/// Interval at which a node reads the settings from the store, because another node may have changed them.
const REFRESH_INTERVAL: Duration = Duration::from_secs(2);

/// The settings that this node applies now.
#[derive(Debug)]
pub(crate) struct Operator {
    tables: Arc<Tables>,
    connections: Arc<Connections>,
    announcement: RwLock<Option<String>>,
    is_draining: AtomicBool,
}

impl Operator {
    pub(crate) fn new(tables: &Arc<Tables>, connections: &Arc<Connections>) -> Arc<Operator> {
        Arc::new(Operator {
            tables: Arc::clone(tables),
            connections: Arc::clone(connections),
            announcement: RwLock::default(),
            is_draining: AtomicBool::new(false),
        })
    }

    /// Whether this node refuses new games, quick matches and TCP clients, because it will stop soon.
    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    pub(crate) fn set_draining(&self, is_draining: bool) {
        self.is_draining.store(is_draining, Ordering::Relaxed);
    }

    pub(crate) fn announcement(&self) -> Option<String> {
        let announcement = self.announcement.read();
        announcement.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the settings from the store, and applies them.
    pub(crate) async fn refresh(&self) -> Result<OperatorSettings, StoreError> {
        let settings = self.tables.store().operator_settings().await?;
        let now_ms = self.tables.clock().now_ms();
        let current = settings.bans.iter().filter(|ban| ban.until_ms > now_ms);
        let networks = current.filter_map(|ban| ban.network.parse().ok());
        self.connections.bans().set(networks.collect());
        let mut announcement = self
            .announcement
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        announcement.clone_from(&settings.announcement);
        Ok(settings)
    }

    /// Applies changes that other nodes make, for as long as the server runs.
    pub(crate) async fn run(self: Arc<Operator>) {
        let mut is_away = false;
        loop {
            match self.refresh().await {
                Ok(_) => is_away = false,
                // Only the first error of an outage is logged here; the sweeps report the outage too.
                Err(error) if !is_away => {
                    is_away = true;
                    warn!(%error, "cannot read bans and announcements; the latest ones stay in force");
                }
                Err(_) => {}
            }
            sleep(REFRESH_INTERVAL).await;
        }
    }
}
