//! Reads from PostgreSQL. A game is read by one statement, because a statement sees a consistent state.

use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Connection, FromRow, PgConnection, Row, query, query_as};

use crate::id::{GameId, NodeId};
use crate::store::codec::text::{read_node, read_seats, write_node};
use crate::store::codec::{
    EntryRow, ListedColumns, SETTINGS_COLUMNS, SettingsColumns, id_bytes, read_creation_key,
    read_entries, read_game, read_id, read_seats_of_node, read_variant, signed, unsigned,
};
use crate::store::listing::{ListInProgress, PageRow, select_page, statuses};
use crate::store::shared_sql::shared_reads;
use crate::store::unreadable_games::UnreadableGames;
use crate::store::{
    ListQuery, ListedGame, LogPosition, LogTail, MAX_OUTAGES, MAX_OVERDUE, StoreError, StoredGame,
    Sweep,
};
use crate::table::{CreationKey, KEY_LIFETIME_MS, Outage, SeatSet};

shared_reads!(PgConnection, sqlx::Postgres, "tied", true);

/// The SQL for the entries of a game after number `$2`, as one row of arrays.
const ENTRIES: &str = "LATERAL (\
    SELECT array_agg(number ORDER BY number) AS numbers, \
        array_agg(at_ms ORDER BY number) AS times, \
        array_agg(seat ORDER BY number) AS seats_of, \
        array_agg(kind ORDER BY number) AS kinds, \
        array_agg(data ORDER BY number) AS data, \
        array_agg(key ORDER BY number) AS keys, \
        array_agg(request ORDER BY number) AS requests \
    FROM entries WHERE entries.game = games.id AND number > $2) AS log";

/// The columns of [`ENTRIES`].
const ENTRY_ARRAYS: &str = "numbers, times, seats_of, kinds, log.data, keys, requests";

/// Reads a column that contains an array. A null column is read as an empty array.
fn array<T>(row: &PgRow, name: &str) -> Result<Vec<T>, sqlx::Error>
where
    Option<Vec<T>>: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
{
    let found: Option<Vec<T>> = row.try_get(name)?;
    Ok(found.unwrap_or_default())
}

fn entry_rows(row: &PgRow) -> Result<Vec<EntryRow>, sqlx::Error> {
    let numbers: Vec<i32> = array(row, "numbers")?;
    let (times, seats): (Vec<i64>, Vec<Option<i16>>) =
        (array(row, "times")?, array(row, "seats_of")?);
    let (kinds, data): (Vec<String>, Vec<String>) = (array(row, "kinds")?, array(row, "data")?);
    let (keys, requests): (Vec<Option<String>>, Vec<Option<i64>>) =
        (array(row, "keys")?, array(row, "requests")?);
    let places = numbers.into_iter().zip(times).zip(seats);
    let texts = kinds.into_iter().zip(data);
    let keys = keys.into_iter().zip(requests);
    let rows = places.zip(texts).zip(keys);
    Ok(rows
        .map(
            |((((number, at_ms), seat), (kind, data)), (key, request))| {
                EntryRow::from_columns((number, at_ms, seat, kind, data, key, request))
            },
        )
        .collect())
}

pub(super) async fn load(
    from: &mut PgConnection,
    id: GameId,
) -> Result<Option<StoredGame>, StoreError> {
    let columns = SETTINGS_COLUMNS
        .split(", ")
        .map(|column| format!("games.{column}"))
        .collect::<Vec<_>>()
        .join(", ");
    let select = format!("SELECT {columns}, {ENTRY_ARRAYS} FROM games, {ENTRIES} WHERE id = $1");
    let found = query(AssertSqlSafe(select))
        .bind(id_bytes(id))
        .bind(0i32)
        .fetch_optional(from)
        .await?;
    let Some(row) = found else {
        return Ok(None);
    };
    let columns = SettingsColumns::from_row(&row)?;
    read_game(id, columns, entry_rows(&row)?).map(Some)
}

pub(super) async fn entries_after(
    from: &mut PgConnection,
    id: GameId,
    after: u32,
) -> Result<Option<LogTail>, StoreError> {
    let select = format!(
        "SELECT variant, coalesce((SELECT max(number) FROM entries WHERE game = games.id), 0) \
         AS last, {ENTRY_ARRAYS} FROM games, {ENTRIES} WHERE id = $1"
    );
    let found = query(AssertSqlSafe(select))
        .bind(id_bytes(id))
        .bind(i32::try_from(after).unwrap_or(i32::MAX))
        .fetch_optional(from)
        .await?;
    let Some(row) = found else {
        return Ok(None);
    };
    let variant = read_variant(id, row.try_get("variant")?)?;
    let last: i32 = row.try_get("last")?;
    Ok(Some(LogTail {
        last: u32::try_from(last).unwrap_or(0),
        entries: read_entries(id, &variant, after, entry_rows(&row)?)?,
    }))
}

pub(super) async fn list(
    from: &mut PgConnection,
    query: ListQuery,
    unreadable: &UnreadableGames,
) -> Result<Vec<ListedGame>, StoreError> {
    // One transaction reads all statuses. Otherwise a game that changes its status could be listed twice or
    // not at all.
    let mut at = from
        .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .await?;
    let listed = list_in_transaction(&mut at, query, unreadable, |_| true).await?;
    at.commit().await?;
    Ok(listed)
}

pub(super) async fn positions(
    from: &mut PgConnection,
    node: NodeId,
    games: &[GameId],
) -> Result<Vec<LogPosition>, StoreError> {
    let ids: Vec<Vec<u8>> = games.iter().map(|game| id_bytes(*game)).collect();
    let rows: Vec<(Vec<u8>, i32, String)> = query_as(
        "SELECT id, coalesce((SELECT max(number) FROM entries WHERE game = id), 0), \
         coalesce((SELECT string_agg(presence.seats, ' ') FROM presence \
             WHERE game = id AND node <> $1), '') \
         FROM games WHERE id = ANY ($2)",
    )
    .bind(write_node(node))
    .bind(ids)
    .fetch_all(from)
    .await?;
    let position = |(id, entry, present): (Vec<u8>, i32, String)| {
        Some(LogPosition {
            game: read_id(&id).ok()?,
            entry: u32::try_from(entry).unwrap_or(0),
            present: read_seats(&present).unwrap_or_default(),
        })
    };
    Ok(rows.into_iter().filter_map(position).collect())
}
