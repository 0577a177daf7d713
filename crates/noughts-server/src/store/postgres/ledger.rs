//! Batches of one kind, each one statement and so one transaction.

use sqlx::postgres::PgPool;
use sqlx::{Connection, PgConnection, query, query_as, raw_sql};
use tokio::time::timeout;

use super::write::{append_all, create_all, finish_all};
use super::{ANSWER, LATE};
use crate::store::StoreError;
use crate::store::schema::steps_from;
use crate::store::writer::{Done, Failed, Ledger, Outcome, Request};

/// Forward only: a step that anybody has run is never changed again.
const STEPS: &[&str] = &[include_str!("0001.sql")];

/// Brings the database to the schema that this program knows. Of several that start at once one
/// does it, and the others wait.
pub(super) async fn migrate(connection: &mut PgConnection) -> Result<(), StoreError> {
    let mut at = connection.begin().await?;
    // The number has no meaning, but that it is always the same.
    raw_sql("SELECT pg_advisory_xact_lock(7031786)")
        .execute(&mut *at)
        .await?;
    raw_sql("CREATE TABLE IF NOT EXISTS schema_steps (version BIGINT NOT NULL PRIMARY KEY)")
        .execute(&mut *at)
        .await?;
    let (version,): (i64,) = query_as("SELECT coalesce(max(version), 0) FROM schema_steps")
        .fetch_one(&mut *at)
        .await?;
    for (number, step) in (version + 1..).zip(steps_from(version, STEPS)?) {
        raw_sql(*step).execute(&mut *at).await?;
        query("INSERT INTO schema_steps VALUES ($1)")
            .bind(number)
            .execute(&mut *at)
            .await?;
    }
    at.commit().await?;
    Ok(())
}

/// Where batches go.
#[derive(Debug)]
pub(super) struct PostgresLedger {
    pub(super) pool: PgPool,
}

impl Ledger for PostgresLedger {
    async fn write(&self, batch: &[Request]) -> Result<Vec<Outcome>, Failed> {
        let failed = |error: StoreError, may_be_one| Failed { error, may_be_one };
        let mut connection = match self.pool.acquire().await {
            Ok(connection) => connection,
            Err(error) => return Err(failed(error.into(), false)),
        };
        match timeout(ANSWER, write_batch(&mut connection, batch)).await {
            Ok(Ok(outcomes)) => Ok(outcomes),
            Ok(Err(error)) => {
                let may_be_one = may_be_one_row(&error);
                Err(failed(error.into(), may_be_one))
            }
            Err(_) => {
                drop(connection.detach());
                Err(failed(StoreError(LATE.to_owned()), false))
            }
        }
    }
}

async fn write_batch(
    to: &mut PgConnection,
    batch: &[Request],
) -> Result<Vec<Outcome>, sqlx::Error> {
    let mut games = Vec::new();
    let mut turns = Vec::new();
    let mut endings = Vec::new();
    let mut outcomes: Vec<Outcome> = vec![Ok(Done::Nothing); batch.len()];
    for (at, request) in batch.iter().enumerate() {
        match request {
            Request::Create(game) => games.push((at, game)),
            Request::Turn(turn) => turns.push((at, turn)),
            Request::Finish(game, ending) => endings.push((*game, ending)),
            Request::Sit(..)
            | Request::Rematch(..)
            | Request::KeepAnalysis(..)
            | Request::Renew(..)
            | Request::Bury(_)
            | Request::Forget(_)
            | Request::Archive(..) => {
                outcomes[at] = Err(StoreError("this is not written in batches".to_owned()));
            }
        }
    }
    for (at, created) in create_all(to, games).await? {
        outcomes[at] = created.map(Done::Created);
    }
    for (at, appended) in append_all(to, turns).await? {
        outcomes[at] = appended.map(Done::Appended);
    }
    finish_all(to, endings).await?;
    Ok(outcomes)
}

/// Whether an error may be about one row, so that the others would do without it: data that can't
/// be stored, a constraint, a deadlock. Everything else would be said to each of them.
fn may_be_one_row(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            ["22", "23", "40"]
                .iter()
                .any(|class| code.starts_with(class))
        }
        _ => false,
    }
}
