//! Players that wait for an opponent, at any node.

use sqlx::{Connection, PgConnection, query, query_as};

use super::write::insert_games;
use crate::id::NodeId;
use crate::store::StoreError;
use crate::store::codec::text::{read_holder, read_node, write_holder, write_node};
use crate::store::codec::{GameRow, id_bytes, read_id, signed, unsigned};
use crate::store::waiting::{
    Matches, WaitingId, WaitingList, WaitingPlayer, WaitingRow, WaitingRows, update,
};
use noughts_rules::Seat;

type Columns = (
    Vec<u8>,
    String,
    String,
    String,
    i64,
    i64,
    Option<Vec<u8>>,
    Option<i16>,
);

/// Takes a node's list and pairs who fits, one node at a time.
pub(super) async fn match_waiting(
    to: &mut PgConnection,
    node: NodeId,
    list: &WaitingList,
) -> Result<Matches, StoreError> {
    let mut at = to.begin().await?;
    // The number of the lock is arbitrary; it is always the same.
    query("SELECT pg_advisory_xact_lock(7031788)")
        .execute(&mut *at)
        .await?;
    let Some(now_ms) = take_version(&mut at, node, list.version).await? else {
        // The node has sent a later list since, and does not wait for this reply.
        return Ok(Matches::default());
    };
    let mut rows = load(&mut at).await?;
    let before = rows.clone();
    let (matches, games) = update(&mut rows, node, list, now_ms);
    let games: Vec<GameRow> = games
        .iter()
        .map(|(new, summary)| GameRow::new(new, summary))
        .collect();
    let stored = insert_games(&mut at, &games.iter().collect::<Vec<_>>()).await?;
    if let Some(lost) = games.iter().find(|game| !stored.contains(&game.id)) {
        return Err(StoreError::another_game(lost.id));
    }
    save(&mut at, &before, &rows).await?;
    at.commit().await?;
    Ok(matches)
}

/// The database's clock, unless the node sent a later list before. The others watch from now on whether
/// the node is alive: its players may get seats.
async fn take_version(
    at: &mut PgConnection,
    node: NodeId,
    version: u64,
) -> Result<Option<u64>, sqlx::Error> {
    query("INSERT INTO nodes (node, counter) VALUES ($1, 0) ON CONFLICT DO NOTHING")
        .bind(write_node(node))
        .execute(&mut *at)
        .await?;
    let taken: Option<(i64,)> = query_as(
        "INSERT INTO waiting_lists AS list (node, version) VALUES ($1, $2) \
         ON CONFLICT (node) DO UPDATE SET version = excluded.version \
         WHERE list.version < excluded.version \
         RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::int8",
    )
    .bind(write_node(node))
    .bind(signed(version))
    .fetch_optional(at)
    .await?;
    Ok(taken.map(|(now_ms,)| unsigned(now_ms)))
}

/// Rows that this version cannot read are left out, and stay as they are.
async fn load(at: &mut PgConnection) -> Result<WaitingRows, sqlx::Error> {
    let rows: Vec<Columns> = query_as(
        "SELECT id, node, variant, holder, since_ms, listed_ms, game, seat FROM waiting ORDER BY id",
    )
    .fetch_all(at)
    .await?;
    Ok(rows.into_iter().filter_map(read).collect())
}

fn read(columns: Columns) -> Option<(WaitingId, WaitingRow)> {
    let (id, node, variant, holder, since_ms, listed_ms, game, seat) = columns;
    let id = WaitingId(read_id(&id).ok()?.number());
    let matched = match (game, seat) {
        (Some(game), Some(seat)) => Some((read_id(&game).ok()?, Seat(u8::try_from(seat).ok()?))),
        _ => None,
    };
    let row = WaitingRow {
        node: read_node(&node)?,
        player: WaitingPlayer {
            id,
            variant: variant.parse().ok()?,
            holder: read_holder(&holder)?,
            since_ms: unsigned(since_ms),
        },
        listed_ms: unsigned(listed_ms),
        matched,
    };
    Some((id, row))
}

async fn save(
    at: &mut PgConnection,
    before: &WaitingRows,
    after: &WaitingRows,
) -> Result<(), sqlx::Error> {
    let removed = before.keys().filter(|id| !after.contains_key(id));
    let removed: Vec<Vec<u8>> = removed.map(|id| bytes(*id)).collect();
    if !removed.is_empty() {
        query("DELETE FROM waiting WHERE id = ANY ($1)")
            .bind(removed)
            .execute(&mut *at)
            .await?;
    }
    let changed = after.iter().filter(|(id, row)| before.get(id) != Some(row));
    for (id, row) in changed {
        query(
            "INSERT INTO waiting (id, node, variant, holder, since_ms, listed_ms, game, seat) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE \
             SET listed_ms = excluded.listed_ms, game = excluded.game, seat = excluded.seat",
        )
        .bind(bytes(*id))
        .bind(write_node(row.node))
        .bind(row.player.variant.to_string())
        .bind(write_holder(&row.player.holder))
        .bind(signed(row.player.since_ms))
        .bind(signed(row.listed_ms))
        .bind(row.matched.map(|(game, _)| id_bytes(game)))
        .bind(row.matched.map(|(_, seat)| i16::from(seat.0)))
        .execute(&mut *at)
        .await?;
    }
    Ok(())
}

fn bytes(id: WaitingId) -> Vec<u8> {
    id.0.to_be_bytes().to_vec()
}
