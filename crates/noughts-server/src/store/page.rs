//! The statement for a page of the lobby and the archive, the same in both databases.

use sqlx::{Database, Encode, QueryBuilder, Type};

use super::row::{id_bytes, signed, write_status};
use super::text::write_name;
use super::{Query, Status};

/// Each has its part of the index, in order: a page is the newest of all of them.
pub(super) const EVERY_STATUS: [Status; 3] = [Status::Waiting, Status::Playing, Status::Over];

/// The games that stand so, newest first. No statement reads more of the archive than what a page
/// and its filters need.
pub(super) fn select_page<D: Database>(
    columns: &str,
    query: &Query,
    status: Status,
) -> QueryBuilder<D>
where
    String: Encode<'static, D> + Type<D>,
    &'static str: Encode<'static, D> + Type<D>,
    Vec<u8>: Encode<'static, D> + Type<D>,
    i64: Encode<'static, D> + Type<D>,
{
    let mut select = QueryBuilder::<D>::new("SELECT ");
    select.push(columns).push(" FROM ");
    let (keys, of_family) = match (status, query.player.as_deref().map(write_name)) {
        // Nearly all games that somebody played are over: those are found by the name.
        (Status::Over, Some(name)) => {
            // SQLite does a cross join in the order in which it is written.
            select.push("players CROSS JOIN games WHERE games.id = players.game AND name = ");
            select.push_bind(name);
            ("players.created_ms, players.game", " AND players.family = ")
        }
        // Those that are not over are few, and are looked through for the name.
        (Status::Waiting | Status::Playing, Some(name)) => {
            select.push("games WHERE EXISTS (SELECT 1 FROM players WHERE name = ");
            select.push_bind(name);
            select.push(" AND players.created_ms = games.created_ms AND players.game = games.id)");
            ("games.created_ms, games.id", " AND games.family = ")
        }
        (_, None) => {
            select.push("games WHERE true");
            ("games.created_ms, games.id", " AND games.family = ")
        }
    };
    select.push(" AND status = ");
    select.push_bind(write_status(status));
    if let Some(variant) = query.variant {
        select.push(of_family).push_bind(variant.to_string());
    }
    if let Some((created_ms, id)) = query.before {
        select.push(" AND (").push(keys).push(") < (");
        select.push_bind(signed(created_ms)).push(", ");
        select.push_bind(id_bytes(id)).push(")");
    }
    let newest_first = keys.replace(',', " DESC,");
    select
        .push(" ORDER BY ")
        .push(newest_first)
        .push(" DESC LIMIT ");
    select.push_bind(signed(query.limit as u64));
    select
}
