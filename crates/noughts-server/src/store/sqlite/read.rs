//! Reads from SQLite, on separate connections. Each read sees the latest commit and does not wait for the writer.

use sqlx::{AssertSqlSafe, FromRow, Row, Sqlite, SqliteConnection, query_as};

use crate::id::{GameId, NodeId};
use crate::store::codec::text::{read_node, write_node};
use crate::store::codec::{
    EntryColumns, EntryRow, ListedColumns, SETTINGS_COLUMNS, SettingsColumns, id_bytes,
    read_creation_key, read_entries, read_game, read_id, read_seats_of_node, read_variant, signed,
    unsigned,
};
use crate::store::listing::{ListInProgress, PageRow, select_page, statuses};
use crate::store::shared_sql::shared_reads;
use crate::store::unreadable_games::UnreadableGames;
use crate::store::{
    ListQuery, ListedGame, LogTail, MAX_OUTAGES, MAX_OVERDUE, StoreError, StoredGame, Sweep,
};
use crate::table::{CreationKey, KEY_LIFETIME_MS, Outage, SeatSet};

shared_reads!(SqliteConnection, Sqlite, "tied = 1", false);

/// Reads a game. `from` must be in a transaction, so that the parts are consistent.
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

/// Reads the entries after number `after`. `from` must be in a transaction.
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

#[cfg(test)]
mod tests {
    use sqlx::{ConnectOptions, raw_sql};

    use super::*;
    use crate::id::PlayerId;
    use crate::store::{PlayerFilter, migrations};
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
        raw_sql(migrations::SQLITE[0])
            .execute(&mut at)
            .await
            .unwrap();
        raw_sql(temporary).execute(&mut at).await.unwrap();
        for sql in &migrations::SQLITE[1..] {
            raw_sql(*sql).execute(&mut at).await.unwrap();
        }
        let every = ListQuery::all(20);
        let before = Some((7, GameId::new(7)));
        let variant = Some("multi".parse().unwrap());
        let player = Some(PlayerFilter::Name("Ann".to_owned()));
        let running = Some(PlayerFilter::Running(PlayerId::new(7)));
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
                selects.push(select_page::<Sqlite>(&query, status, false).into_string());
                let player = running.clone();
                let query = ListQuery { player, ..query };
                selects.push(select_page::<Sqlite>(&query, status, false).into_string());
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
