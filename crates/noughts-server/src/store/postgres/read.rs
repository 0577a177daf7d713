//! What is read. One statement sees one moment, so a game is read by one.

use sqlx::{Connection, PgConnection, Row, query, query_as};

use crate::id::{GameId, NodeId};
use crate::store::page::{EVERY_STATUS, select_page};
use crate::store::row::{
    GameRow, GameRows, ListedRow, SittingRow, TurnRow, holders_now, id_bytes, read_id, seats_tied,
};
use crate::store::{Listed, Query, Status, StoreError, StoredGame};
use crate::table::Leavers;

const GAME: &str = "\
    SELECT variant, history, start, holders, created_ms, key, body, \
        ended_ms IS NOT NULL AS is_finished, (SELECT next FROM rematches WHERE game = id) AS next, \
        ARRAY(SELECT seat FROM wishes WHERE game = id ORDER BY seat) AS wishes, \
        sat.*, turned.* \
    FROM games, LATERAL (\
        SELECT array_agg(seat ORDER BY seat) AS sat_seats, \
            array_agg(holder ORDER BY seat) AS sat_holders, \
            array_agg(key ORDER BY seat) AS sat_keys, \
            array_agg(body ORDER BY seat) AS sat_bodies \
        FROM sittings WHERE game = id\
    ) AS sat, LATERAL (\
        SELECT array_agg(seat ORDER BY number) AS turn_seats, \
            array_agg(action ORDER BY number) AS turn_actions, \
            array_agg(at_ms ORDER BY number) AS turn_times, \
            array_agg(key ORDER BY number) AS turn_keys, \
            array_agg(body ORDER BY number) AS turn_bodies \
        FROM turns WHERE game = id\
    ) AS turned WHERE id = $1";

pub(super) async fn load(
    from: &mut PgConnection,
    id: GameId,
) -> Result<Option<StoredGame>, StoreError> {
    let found = query(GAME).bind(id_bytes(id)).fetch_optional(from).await?;
    let Some(row) = found else {
        return Ok(None);
    };
    let game = GameRow {
        variant: row.try_get("variant")?,
        history: row.try_get("history")?,
        start: row.try_get("start")?,
        holders: row.try_get("holders")?,
        created_ms: row.try_get("created_ms")?,
        key: row.try_get("key")?,
        body: row.try_get("body")?,
        is_finished: row.try_get("is_finished")?,
    };
    let sittings = zip4(
        column::<i16>(&row, "sat_seats")?,
        column::<String>(&row, "sat_holders")?,
        column(&row, "sat_keys")?,
        column(&row, "sat_bodies")?,
    );
    let sittings = sittings.map(|(seat, holder, key, body)| SittingRow {
        seat,
        holder,
        key,
        body,
    });
    let seats: Vec<Option<i16>> = column(&row, "turn_seats")?;
    let turns = zip4(
        column::<String>(&row, "turn_actions")?,
        column::<i64>(&row, "turn_times")?,
        column(&row, "turn_keys")?,
        column(&row, "turn_bodies")?,
    );
    let turns = seats.into_iter().zip(turns);
    let turns = turns.map(|(seat, (action, at_ms, key, body))| TurnRow {
        seat,
        action,
        at_ms,
        key,
        body,
    });
    let rows = GameRows {
        game,
        sittings: sittings.collect(),
        turns: turns.collect(),
        wishes: row.try_get("wishes")?,
        rematch: row.try_get("next")?,
    };
    rows.read(id).map(Some)
}

/// A column of arrays, which is null where there are no rows.
fn column<T>(row: &sqlx::postgres::PgRow, name: &str) -> Result<Vec<T>, sqlx::Error>
where
    Option<Vec<T>>: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
{
    let found: Option<Vec<T>> = row.try_get(name)?;
    Ok(found.unwrap_or_default())
}

/// Columns of the same rows.
fn zip4<A, B, C, D>(
    a: Vec<A>,
    b: Vec<B>,
    c: Vec<C>,
    d: Vec<D>,
) -> impl Iterator<Item = (A, B, C, D)> {
    let zipped = a.into_iter().zip(b).zip(c.into_iter().zip(d));
    zipped.map(|((a, b), (c, d))| (a, b, c, d))
}

pub(super) async fn list(from: &mut PgConnection, query: Query) -> Result<Vec<Listed>, StoreError> {
    // One moment for all statuses, lest a game that changes its own be listed twice or not at all.
    let mut at = from
        .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .await?;
    let mut found = Vec::new();
    for status in EVERY_STATUS {
        if query.status.is_none_or(|wanted| wanted == status) {
            found.extend(page(&mut at, &query, status).await?);
        }
    }
    at.commit().await?;
    found.sort_by(|a, b| (b.created_ms, &b.id).cmp(&(a.created_ms, &a.id)));
    found.truncate(query.limit);
    found.into_iter().map(ListedRow::read).collect()
}

const COLUMNS: &str = "games.id, variant, history, holders, status, games.created_ms, ended_ms, \
    conclusion, ARRAY(SELECT seat FROM sittings WHERE game = games.id ORDER BY seat), \
    ARRAY(SELECT holder FROM sittings WHERE game = games.id ORDER BY seat)";

async fn page(
    from: &mut PgConnection,
    query: &Query,
    status: Status,
) -> Result<Vec<ListedRow>, sqlx::Error> {
    let mut select = select_page::<sqlx::Postgres>(COLUMNS, query, status);
    let rows = select.build().fetch_all(from).await?;
    let listed = |row: &sqlx::postgres::PgRow| {
        let (seats, holders): (Vec<i16>, Vec<String>) = (row.try_get(8)?, row.try_get(9)?);
        Ok(ListedRow {
            id: row.try_get(0)?,
            variant: row.try_get(1)?,
            history: row.try_get(2)?,
            holders: row.try_get(3)?,
            status: row.try_get(4)?,
            created_ms: row.try_get(5)?,
            ended_ms: row.try_get(6)?,
            conclusion: row.try_get(7)?,
            sat: seats.into_iter().zip(holders).collect(),
        })
    };
    rows.iter().map(listed).collect()
}

pub(super) async fn analysis(
    from: &mut PgConnection,
    game: GameId,
) -> Result<Option<String>, StoreError> {
    let found: Option<(String,)> = query_as("SELECT analysis FROM analyses WHERE game = $1")
        .bind(id_bytes(game))
        .fetch_optional(from)
        .await?;
    Ok(found.map(|(analysis,)| analysis))
}

pub(super) async fn secret(from: &mut PgConnection) -> Result<[u8; 32], StoreError> {
    let (secret,): (Vec<u8>,) = query_as("SELECT secret FROM secrets")
        .fetch_one(from)
        .await?;
    let wrong = |_| StoreError("its secret has not 32 bytes".to_owned());
    secret.try_into().map_err(wrong)
}

/// The game that was created with this key.
pub(super) async fn created_with(
    from: &mut PgConnection,
    key: String,
) -> Result<Option<GameId>, StoreError> {
    let found: Option<(Vec<u8>,)> = query_as("SELECT id FROM games WHERE key = $1")
        .bind(key)
        .fetch_optional(from)
        .await?;
    found.map(|(id,)| read_id(&id)).transpose()
}

/// How much there is of each of these games.
pub(super) async fn entries(
    from: &mut PgConnection,
    games: Vec<GameId>,
) -> Result<Vec<(GameId, usize)>, StoreError> {
    let ids: Vec<Vec<u8>> = games.into_iter().map(id_bytes).collect();
    let rows: Vec<(Vec<u8>, i64)> = query_as(
        "SELECT id, (SELECT count(*) FROM turns WHERE game = id) \
         + (SELECT count(*) FROM sittings WHERE game = id) \
         + (SELECT count(*) FROM wishes WHERE game = id) \
         + (SELECT count(*) FROM rematches WHERE game = id) \
         FROM games WHERE id = ANY ($1)",
    )
    .bind(ids)
    .fetch_all(from)
    .await?;
    let read =
        |(id, count): (Vec<u8>, i64)| Ok((read_id(&id)?, usize::try_from(count).unwrap_or(0)));
    rows.into_iter().map(read).collect()
}

pub(super) async fn tied_to(
    from: &mut PgConnection,
    node: NodeId,
) -> Result<Vec<(GameId, Leavers)>, StoreError> {
    type Row = (Vec<u8>, String, Vec<i16>, Vec<String>);
    let rows: Vec<Row> = query_as(
        "SELECT id, holders, ARRAY(SELECT seat FROM sittings WHERE game = id ORDER BY seat), \
         ARRAY(SELECT holder FROM sittings WHERE game = id ORDER BY seat) \
         FROM games WHERE tied AND ended_ms IS NULL ORDER BY id",
    )
    .fetch_all(from)
    .await?;
    let mut tied = Vec::new();
    for (id, holders, seats, sitters) in rows {
        let id = read_id(&id)?;
        let sat: Vec<(i16, String)> = seats.into_iter().zip(sitters).collect();
        let seats = seats_tied(node, &holders_now(id, &holders, &sat)?);
        tied.extend(seats.map(|seats| (id, seats)));
    }
    Ok(tied)
}
