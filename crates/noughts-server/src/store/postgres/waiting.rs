//! Players that wait for an opponent at any node, and quick matches that were paired.

use sqlx::{Connection, PgConnection, query, query_as};

use super::write::insert_games;
use crate::id::NodeId;
use crate::store::StoreError;
use crate::store::codec::text::{read_holder, read_node, write_holder, write_node};
use crate::store::codec::{
    GameRow, id_bytes, player_bytes, read_id, read_player_id, signed, unsigned,
};
use crate::store::waiting::{
    Matches, PairedMatches, QUICK_MATCH_KEPT_MS, QuickMatch, WaitingCount, WaitingId, WaitingList,
    WaitingPlayer, WaitingRow, WaitingRows, update,
};
use noughts_rules::{ClockSettings, Seat};

type Columns = (
    Vec<u8>,
    Option<String>,
    String,
    String,
    i64,
    i64,
    Option<Vec<u8>>,
    Option<i16>,
    Option<String>,
);

/// The columns `id, player, game, seat` of a paired quick match.
type PairedColumns = (Vec<u8>, Vec<u8>, Vec<u8>, i16);

/// Stores a node's list of waiting players, and pairs players of all nodes who want the same game. A lock
/// ensures that only one node at a time pairs players. Ignores a list if a newer list of the same node has
/// already arrived.
pub(super) async fn match_waiting(
    to: &mut PgConnection,
    node: NodeId,
    list: &WaitingList,
) -> Result<Matches, StoreError> {
    let mut at = to.begin().await?;
    // The number of the lock is an arbitrary constant.
    query("SELECT pg_advisory_xact_lock(7031788)")
        .execute(&mut *at)
        .await?;
    let Some(now_ms) = take_version(&mut at, node, list.version).await? else {
        // A newer list of the node has already arrived, and the node does not wait for this reply.
        return Ok(Matches::default());
    };
    let mut rows = load(&mut at).await?;
    let before = rows.clone();
    let paired = load_paired(&mut at, &list.requests).await?;
    let (matches, games) = update(&mut rows, node, list, &paired, now_ms);
    let games: Vec<GameRow> = games
        .iter()
        .map(|(new, summary)| GameRow::new(new, summary))
        .collect();
    let stored = insert_games(&mut at, &games.iter().collect::<Vec<_>>()).await?;
    if let Some(lost) = games.iter().find(|game| !stored.contains(&game.id)) {
        return Err(StoreError::another_game(lost.id));
    }
    save(&mut at, &before, &rows).await?;
    save_paired(&mut at, &matches, now_ms).await?;
    at.commit().await?;
    Ok(matches)
}

/// Stores the quick matches that have a game now. If `matches` has such quick matches, also deletes the rows that were
/// stored more than [`QUICK_MATCH_KEPT_MS`] ago.
async fn save_paired(
    at: &mut PgConnection,
    matches: &Matches,
    now_ms: u64,
) -> Result<(), sqlx::Error> {
    if matches.quick.is_empty() {
        return Ok(());
    }
    let paired = || matches.quick.iter();
    query(
        "WITH old AS (DELETE FROM quick_matches WHERE at_ms < $6) \
         INSERT INTO quick_matches (id, player, game, seat, at_ms) \
         SELECT id, player, game, seat, $5 FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], \
         $4::int2[]) AS new (id, player, game, seat) ON CONFLICT DO NOTHING",
    )
    .bind(
        paired()
            .map(|(_, new_match)| bytes(new_match.player))
            .collect::<Vec<_>>(),
    )
    .bind(
        paired()
            .map(|(player, _)| player_bytes(*player))
            .collect::<Vec<_>>(),
    )
    .bind(
        paired()
            .map(|(_, new_match)| id_bytes(new_match.game))
            .collect::<Vec<_>>(),
    )
    .bind(
        paired()
            .map(|(_, new_match)| i16::from(new_match.seat.0))
            .collect::<Vec<_>>(),
    )
    .bind(signed(now_ms))
    .bind(signed(now_ms.saturating_sub(QUICK_MATCH_KEPT_MS)))
    .execute(at)
    .await?;
    Ok(())
}

/// Reads those quick matches in `requests` that were already paired.
async fn load_paired(
    at: &mut PgConnection,
    requests: &[WaitingPlayer],
) -> Result<PairedMatches, StoreError> {
    if requests.is_empty() {
        return Ok(PairedMatches::new());
    }
    let ids: Vec<Vec<u8>> = requests.iter().map(|request| bytes(request.id)).collect();
    let rows: Vec<PairedColumns> =
        query_as("SELECT id, player, game, seat FROM quick_matches WHERE id = ANY ($1)")
            .bind(ids)
            .fetch_all(at)
            .await?;
    let mut paired = PairedMatches::with_capacity(rows.len());
    for (id, player, game, seat) in rows {
        let id = WaitingId(read_id(&id)?.number());
        paired.insert(id, read_paired(&player, &game, seat)?);
    }
    Ok(paired)
}

fn read_paired(player: &[u8], game: &[u8], seat: i16) -> Result<QuickMatch, StoreError> {
    let seat = Seat(u8::try_from(seat).unwrap_or(0));
    Ok(QuickMatch {
        player: read_player_id(player)?,
        matched: Some((read_id(game)?, seat)),
    })
}

pub(super) async fn quick_match(
    from: &mut PgConnection,
    id: WaitingId,
) -> Result<Option<QuickMatch>, StoreError> {
    let waits: Option<(String,)> =
        query_as("SELECT holder FROM waiting WHERE id = $1 AND node IS NULL")
            .bind(bytes(id))
            .fetch_optional(&mut *from)
            .await?;
    if let Some((holder,)) = waits {
        let player = read_holder(&holder).and_then(|holder| holder.player_id());
        let matched = None;
        return Ok(player.map(|player| QuickMatch { player, matched }));
    }
    let paired: Option<(Vec<u8>, Vec<u8>, i16)> =
        query_as("SELECT player, game, seat FROM quick_matches WHERE id = $1")
            .bind(bytes(id))
            .fetch_optional(from)
            .await?;
    let paired = paired.map(|(player, game, seat)| read_paired(&player, &game, seat));
    paired.transpose()
}

/// The number of waiting quick matches, by variant and clock. Rows that this version cannot read are left out.
pub(super) async fn counts(from: &mut PgConnection) -> Result<Vec<WaitingCount>, StoreError> {
    let rows: Vec<(String, Option<String>, i64)> = query_as(
        "SELECT variant, clock, count(*) FROM waiting WHERE node IS NULL GROUP BY variant, clock \
         ORDER BY variant, clock",
    )
    .fetch_all(from)
    .await?;
    let count = |(variant, clock, players): (String, Option<String>, i64)| {
        Some(WaitingCount {
            variant: variant.parse().ok()?,
            clock: read_clock(clock)?,
            players: unsigned(players),
        })
    };
    Ok(rows.into_iter().filter_map(count).collect())
}

/// Stores the version of a node's list and returns the database's time; `None` if a newer list of the node
/// has already arrived. Also adds the node to the table `nodes`. The players of the node may get seats, so
/// the other nodes must detect if the node dies.
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

/// Reads all rows of the table `waiting`. Rows that this version cannot read are left out and stay unchanged.
async fn load(at: &mut PgConnection) -> Result<WaitingRows, sqlx::Error> {
    let rows: Vec<Columns> = query_as(
        "SELECT id, node, variant, holder, since_ms, listed_ms, game, seat, clock FROM waiting ORDER BY id",
    )
    .fetch_all(at)
    .await?;
    Ok(rows.into_iter().filter_map(read).collect())
}

fn read(columns: Columns) -> Option<(WaitingId, WaitingRow)> {
    let (id, node, variant, holder, since_ms, listed_ms, game, seat, clock) = columns;
    let id = WaitingId(read_id(&id).ok()?.number());
    let matched = match (game, seat) {
        (Some(game), Some(seat)) => Some((read_id(&game).ok()?, Seat(u8::try_from(seat).ok()?))),
        _ => None,
    };
    let row = WaitingRow {
        node: match node {
            Some(node) => Some(read_node(&node)?),
            None => None,
        },
        player: WaitingPlayer {
            id,
            variant: variant.parse().ok()?,
            clock: read_clock(clock)?,
            holder: read_holder(&holder)?,
            since_ms: unsigned(since_ms),
        },
        listed_ms: unsigned(listed_ms),
        matched,
    };
    Some((id, row))
}

/// Parses a clock. Returns `None` if the text is invalid, and `Some(None)` if there is no clock.
fn read_clock(text: Option<String>) -> Option<Option<ClockSettings>> {
    text.map(|text| text.parse()).transpose().ok()
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
            "INSERT INTO waiting (id, node, variant, holder, since_ms, listed_ms, game, seat, clock) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO UPDATE \
             SET listed_ms = excluded.listed_ms, game = excluded.game, seat = excluded.seat",
        )
        .bind(bytes(*id))
        .bind(row.node.map(write_node))
        .bind(row.player.variant.to_string())
        .bind(write_holder(&row.player.holder))
        .bind(signed(row.player.since_ms))
        .bind(signed(row.listed_ms))
        .bind(row.matched.map(|(game, _)| id_bytes(game)))
        .bind(row.matched.map(|(_, seat)| i16::from(seat.0)))
        .bind(row.player.clock.map(|clock| clock.to_string()))
        .execute(&mut *at)
        .await?;
    }
    Ok(())
}

fn bytes(id: WaitingId) -> Vec<u8> {
    id.0.to_be_bytes().to_vec()
}
