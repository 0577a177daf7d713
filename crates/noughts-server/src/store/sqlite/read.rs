//! What is read, on connections of their own: each sees the latest commit and waits for no writer.

use sqlx::{AssertSqlSafe, FromRow, Row, Sqlite, SqliteConnection, query, query_as};

use crate::id::{GameId, NodeId};
use crate::store::codec::{
    EntryColumns, EntryRow, ListedColumns, SETTINGS_COLUMNS, SettingsColumns, id_bytes,
    read_creation_key, read_entries, read_game, read_id, read_seats_of_node, read_variant, signed,
};
use crate::store::listing::{Filling, PageRow, select_page, statuses};
use crate::store::unreadable_games::Unreadable;
use crate::store::{ListQuery, ListedGame, LogTail, StoreError, StoredGame};
use crate::table::{CreationKey, KEY_LIFETIME_MS, SeatSet};

/// Reads a game. `from` is in a transaction, so that all of it is of one moment.
pub(super) async fn load(
    from: &mut SqliteConnection,
    id: GameId,
) -> Result<Option<StoredGame>, StoreError> {
    let select = format!("SELECT {SETTINGS_COLUMNS} FROM games WHERE id = ?");
    let found: Option<SettingsColumns> = query_as(AssertSqlSafe(select))
        .bind(id_bytes(id))
        .fetch_optional(&mut *from)
        .await?;
    let Some(columns) = found else {
        return Ok(None);
    };
    let entries = entry_rows(from, id, 0).await?;
    read_game(id, columns, entries).map(Some)
}

async fn entry_rows(
    from: &mut SqliteConnection,
    game: GameId,
    after: u32,
) -> Result<Vec<EntryRow>, sqlx::Error> {
    let rows: Vec<EntryColumns> = query_as(
        "SELECT number, at_ms, seat, kind, data, key, request FROM entries \
         WHERE game = ? AND number > ? ORDER BY number",
    )
    .bind(id_bytes(game))
    .bind(i64::from(after))
    .fetch_all(from)
    .await?;
    Ok(rows.into_iter().map(EntryRow::from_columns).collect())
}

/// Reads the end of a log. `from` is in a transaction.
pub(super) async fn entries_after(
    from: &mut SqliteConnection,
    id: GameId,
    after: u32,
) -> Result<Option<LogTail>, StoreError> {
    let found: Option<(String, i64)> = query_as(
        "SELECT variant, coalesce((SELECT max(number) FROM entries WHERE game = id), 0) \
         FROM games WHERE id = ?",
    )
    .bind(id_bytes(id))
    .fetch_optional(&mut *from)
    .await?;
    let Some((variant, last)) = found else {
        return Ok(None);
    };
    let variant = read_variant(id, &variant)?;
    let rows = entry_rows(from, id, after).await?;
    Ok(Some(LogTail {
        last: u32::try_from(last).unwrap_or(0),
        entries: read_entries(id, &variant, after, rows)?,
    }))
}

/// The latest game with this key that is not older than the lifetime of keys.
pub(super) async fn created_with(
    from: &mut SqliteConnection,
    scope: &str,
    key: &str,
    now_ms: u64,
) -> Result<Option<(GameId, CreationKey)>, StoreError> {
    type Row = (Vec<u8>, String, Option<String>, Option<i64>);
    let found: Option<Row> = query_as(
        "SELECT id, key_scope, key, request FROM games WHERE key = ? AND key_scope IN (?, '') \
         AND created_ms > ? ORDER BY created_ms DESC, id DESC LIMIT 1",
    )
    .bind(key)
    .bind(scope)
    .bind(signed(now_ms) - signed(KEY_LIFETIME_MS))
    .fetch_optional(from)
    .await?;
    let Some((id, scope, key, request)) = found else {
        return Ok(None);
    };
    Ok(read_creation_key(scope, key, request)
        .zip(Some(read_id(&id)?))
        .map(|(key, id)| (id, key)))
}

/// Reads a list. `from` is in a transaction.
pub(super) async fn list(
    from: &mut SqliteConnection,
    query: ListQuery,
    unreadable: &Unreadable,
) -> Result<Vec<ListedGame>, StoreError> {
    let mut filling = Filling::new(query, unreadable);
    loop {
        let mut rows = Vec::new();
        for status in statuses(filling.query()) {
            let mut select = select_page::<Sqlite>(filling.query(), status);
            for row in select.build().fetch_all(&mut *from).await? {
                let columns = ListedColumns::from_row(&row);
                rows.push(PageRow::new(row.try_get(0), row.try_get(1), columns));
            }
        }
        if let Some(listed) = filling.add(rows) {
            return Ok(listed);
        }
    }
}

pub(super) async fn analysis(
    from: &mut SqliteConnection,
    game: GameId,
) -> Result<Option<String>, StoreError> {
    let found: Option<(String,)> = query_as("SELECT analysis FROM analyses WHERE game = ?")
        .bind(id_bytes(game))
        .fetch_optional(from)
        .await?;
    Ok(found.map(|(analysis,)| analysis))
}

pub(super) async fn secret(from: &mut SqliteConnection) -> Result<[u8; 32], StoreError> {
    let (secret,): (Vec<u8>,) = query_as("SELECT secret FROM secrets")
        .fetch_one(from)
        .await?;
    let wrong = |_| StoreError::Corrupt("the secret does not have 32 bytes".to_owned());
    secret.try_into().map_err(wrong)
}

pub(super) async fn seats_of_node(
    from: &mut SqliteConnection,
    node: NodeId,
    unreadable: &Unreadable,
) -> Result<Vec<(GameId, SeatSet)>, StoreError> {
    let rows = query("SELECT id, seats FROM games WHERE tied = 1 AND ended_ms IS NULL ORDER BY id")
        .fetch_all(from)
        .await?;
    let mut found = Vec::new();
    for row in rows {
        let id: Vec<u8> = row.try_get(0).unwrap_or_default();
        let seats = row.try_get::<&str, _>(1).map_err(StoreError::from);
        match seats.and_then(|seats| read_seats_of_node(node, &id, seats)) {
            Ok(seats) => found.extend(seats),
            Err(error) => unreadable.log(read_id(&id).ok(), &error),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use sqlx::{ConnectOptions, raw_sql};

    use super::*;
    use crate::store::migrations;
    use crate::table::Status;

    async fn plan(from: &mut SqliteConnection, sql: &str) -> Vec<String> {
        let plan = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"));
        let plan: Vec<(i64, i64, i64, String)> = query_as(plan).fetch_all(from).await.unwrap();
        plan.into_iter().map(|(.., step)| step).collect()
    }

    #[tokio::test]
    async fn pages_and_overdue_games_are_read_by_an_index() {
        let mut at = sqlx::sqlite::SqliteConnectOptions::new()
            .in_memory(true)
            .connect()
            .await
            .unwrap();
        let temporary = "CREATE TABLE temp.seats_now (game, seats); \
                         CREATE TABLE temp.rematch_ids (game, data)";
        for sql in [migrations::SQLITE[0], temporary, migrations::SQLITE[1]] {
            raw_sql(sql).execute(&mut at).await.unwrap();
        }
        let every = ListQuery {
            variant: None,
            player: None,
            status: None,
            before: None,
            limit: 20,
        };
        let before = Some((7, GameId::new(7)));
        let variant = Some("multi".parse().unwrap());
        let player = Some("Ann".to_owned());
        let mut selects = vec![
            "SELECT id FROM games WHERE deadline_ms IS NOT NULL AND deadline_ms < 7 \
             ORDER BY deadline_ms, id LIMIT 100"
                .to_owned(),
        ];
        for status in [Status::Waiting, Status::Playing, Status::Over] {
            for bits in 0..8 {
                let query = ListQuery {
                    before: before.filter(|_| bits & 1 != 0),
                    variant: variant.filter(|_| bits & 2 != 0),
                    player: player.clone().filter(|_| bits & 4 != 0),
                    ..every.clone()
                };
                selects.push(select_page::<Sqlite>(&query, status).into_string());
            }
        }
        for select in selects {
            let plan = plan(&mut at, &select).await;
            assert!(!plan.is_empty());
            for step in plan {
                let is_whole = step.starts_with("SCAN") || step.contains("TEMP B-TREE");
                assert!(!is_whole, "{select}: {step}");
            }
        }
    }
}
