//! What is read, on connections of their own: each sees the last commit, and waits for nobody.

use std::collections::HashMap;

use sqlx::sqlite::SqlitePool;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, query_as};

use crate::id::{GameId, NodeId};
use crate::store::page::{EVERY_STATUS, select_page};
use crate::store::row::{
    GameRow, GameRows, ListedRow, SittingRow, TurnRow, holders_now, id_bytes, read_id, seats_tied,
};
use crate::store::{Listed, Query, Status, StoreError, StoredGame};
use crate::table::Leavers;

pub(super) async fn load(
    readers: &SqlitePool,
    id: GameId,
) -> Result<Option<StoredGame>, StoreError> {
    // One transaction, so that all of it is of one moment.
    let mut at = readers.begin().await?;
    type Row = (
        String,
        i32,
        Option<String>,
        String,
        i64,
        Option<String>,
        Option<i64>,
        Option<Vec<u8>>,
        bool,
    );
    let found: Option<Row> = query_as(
        "SELECT variant, history, start, holders, created_ms, key, body, \
         (SELECT next FROM rematches WHERE game = id), ended_ms IS NOT NULL FROM games WHERE id = ?",
    )
    .bind(id_bytes(id))
    .fetch_optional(&mut *at)
    .await?;
    let Some(row) = found else {
        return Ok(None);
    };
    let (variant, history, start, holders, created_ms, key, body, rematch, is_finished) = row;
    let sittings: Vec<(i16, String, Option<String>, Option<i64>)> =
        query_as("SELECT seat, holder, key, body FROM sittings WHERE game = ? ORDER BY seat")
            .bind(id_bytes(id))
            .fetch_all(&mut *at)
            .await?;
    type Turn = (Option<i16>, String, i64, Option<String>, Option<i64>);
    let turns: Vec<Turn> =
        query_as("SELECT seat, action, at_ms, key, body FROM turns WHERE game = ? ORDER BY number")
            .bind(id_bytes(id))
            .fetch_all(&mut *at)
            .await?;
    let wishes: Vec<(i16,)> = query_as("SELECT seat FROM wishes WHERE game = ? ORDER BY seat")
        .bind(id_bytes(id))
        .fetch_all(&mut *at)
        .await?;
    at.commit().await?;
    let rows = GameRows {
        game: GameRow {
            variant,
            history,
            start,
            holders,
            created_ms,
            key,
            body,
            is_finished,
        },
        sittings: sittings
            .into_iter()
            .map(|(seat, holder, key, body)| SittingRow {
                seat,
                holder,
                key,
                body,
            })
            .collect(),
        turns: turns
            .into_iter()
            .map(|(seat, action, at_ms, key, body)| TurnRow {
                seat,
                action,
                at_ms,
                key,
                body,
            })
            .collect(),
        wishes: wishes.into_iter().map(|(seat,)| seat).collect(),
        rematch,
    };
    rows.read(id).map(Some)
}

/// The game that was created with this key.
pub(super) async fn created_with(
    readers: &SqlitePool,
    key: String,
) -> Result<Option<GameId>, StoreError> {
    let found: Option<(Vec<u8>,)> = query_as("SELECT id FROM games WHERE key = ?")
        .bind(key)
        .fetch_optional(readers)
        .await?;
    found.map(|(id,)| read_id(&id)).transpose()
}

pub(super) async fn list(readers: &SqlitePool, query: Query) -> Result<Vec<Listed>, StoreError> {
    let mut at = readers.begin().await?;
    let mut found = Vec::new();
    // Each status has its part of the index, in order: the page is the newest of all of them.
    for status in EVERY_STATUS {
        if query.status.is_none_or(|wanted| wanted == status) {
            found.extend(page(&mut at, &query, status).await?);
        }
    }
    found.sort_by(|a, b| (b.created_ms, &b.id).cmp(&(a.created_ms, &a.id)));
    found.truncate(query.limit);
    let ids = found.iter().map(|row| row.id.clone()).collect();
    let mut sat = sat(&mut at, ids).await?;
    at.commit().await?;
    for row in &mut found {
        row.sat = sat.remove(&row.id).unwrap_or_default();
    }
    found.into_iter().map(ListedRow::read).collect()
}

const COLUMNS: &str =
    "games.id, variant, history, holders, status, games.created_ms, ended_ms, conclusion";

async fn page(
    at: &mut SqliteConnection,
    query: &Query,
    status: Status,
) -> Result<Vec<ListedRow>, sqlx::Error> {
    type Row = (
        Vec<u8>,
        String,
        i32,
        String,
        String,
        i64,
        Option<i64>,
        Option<String>,
    );
    let mut select = select_page::<Sqlite>(COLUMNS, query, status);
    let rows: Vec<Row> = select.build_query_as().fetch_all(at).await?;
    let listed = |row: Row| {
        let (id, variant, history, holders, status, created_ms, ended_ms, conclusion) = row;
        ListedRow {
            id,
            variant,
            history,
            holders,
            status,
            created_ms,
            ended_ms,
            conclusion,
            sat: Vec::new(),
        }
    };
    Ok(rows.into_iter().map(listed).collect())
}

/// Who took open seats of these games.
async fn sat(
    at: &mut SqliteConnection,
    ids: Vec<Vec<u8>>,
) -> Result<HashMap<Vec<u8>, Vec<(i16, String)>>, sqlx::Error> {
    let mut found: HashMap<Vec<u8>, Vec<(i16, String)>> = HashMap::new();
    // A statement takes some ten thousand values, and no more.
    for some in ids.chunks(1_000) {
        let mut select =
            QueryBuilder::<Sqlite>::new("SELECT game, seat, holder FROM sittings WHERE game IN (");
        let mut values = select.separated(", ");
        for id in some {
            values.push_bind(id.clone());
        }
        select.push(")");
        let rows: Vec<(Vec<u8>, i16, String)> = select.build_query_as().fetch_all(&mut *at).await?;
        for (game, seat, holder) in rows {
            found.entry(game).or_default().push((seat, holder));
        }
    }
    Ok(found)
}

pub(super) async fn analysis(
    readers: &SqlitePool,
    game: GameId,
) -> Result<Option<String>, StoreError> {
    let found: Option<(String,)> = query_as("SELECT analysis FROM analyses WHERE game = ?")
        .bind(id_bytes(game))
        .fetch_optional(readers)
        .await?;
    Ok(found.map(|(analysis,)| analysis))
}

pub(super) async fn secret(readers: &SqlitePool) -> Result<[u8; 32], StoreError> {
    let (secret,): (Vec<u8>,) = query_as("SELECT secret FROM secrets")
        .fetch_one(readers)
        .await?;
    let wrong = |_| StoreError("its secret has not 32 bytes".to_owned());
    secret.try_into().map_err(wrong)
}

pub(super) async fn tied_to(
    readers: &SqlitePool,
    node: NodeId,
) -> Result<Vec<(GameId, Leavers)>, StoreError> {
    let mut at = readers.begin().await?;
    let rows: Vec<(Vec<u8>, String)> =
        query_as("SELECT id, holders FROM games WHERE tied = 1 AND ended_ms IS NULL ORDER BY id")
            .fetch_all(&mut *at)
            .await?;
    let ids = rows.iter().map(|(id, _)| id.clone()).collect();
    let mut sat = sat(&mut at, ids).await?;
    at.commit().await?;
    let mut tied = Vec::new();
    for (id, holders) in rows {
        let sat = sat.remove(&id).unwrap_or_default();
        let id = read_id(&id)?;
        let seats = seats_tied(node, &holders_now(id, &holders, &sat)?);
        tied.extend(seats.map(|seats| (id, seats)));
    }
    Ok(tied)
}

#[cfg(test)]
mod tests {
    use sqlx::{AssertSqlSafe, ConnectOptions, raw_sql};

    use super::*;

    #[tokio::test]
    async fn pages_are_read_by_an_index_and_need_no_sorting() {
        let mut at = sqlx::sqlite::SqliteConnectOptions::new()
            .in_memory(true)
            .connect()
            .await
            .unwrap();
        let schema = raw_sql(include_str!("0001.sql"));
        schema.execute(&mut at).await.unwrap();
        let every = Query {
            variant: None,
            player: None,
            status: None,
            before: None,
            limit: 20,
        };
        let before = Some((7, GameId::new(7)));
        let variant = Some("multi".parse().unwrap());
        let player = Some("Ann".to_owned());
        for status in EVERY_STATUS {
            for bits in 0..8 {
                let query = Query {
                    before: before.filter(|_| bits & 1 != 0),
                    variant: variant.filter(|_| bits & 2 != 0),
                    player: player.clone().filter(|_| bits & 4 != 0),
                    ..every.clone()
                };
                let select = select_page::<Sqlite>(COLUMNS, &query, status).into_string();
                let plan = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {select}"));
                let plan: Vec<(i64, i64, i64, String)> =
                    query_as(plan).fetch_all(&mut at).await.unwrap();
                assert!(!plan.is_empty());
                for (.., step) in plan {
                    let whole = step.starts_with("SCAN") || step.contains("TEMP B-TREE");
                    assert!(!whole, "{select}: {step}");
                }
            }
        }
    }
}
