//! The statement that reads one page of a game list, for both databases.

use sqlx::{Database, Encode, QueryBuilder, Type};

use super::codec::text::{write_name, write_player, write_status};
use super::codec::{
    LISTED_COLUMNS, ListedColumns, id_bytes, read_id, read_listed, signed, unsigned,
};
use super::unreadable_games::UnreadableGames;
use super::{ATTENDED_MS, ListQuery, ListedGame, PlayerFilter, StoreError};
use crate::id::GameId;
use crate::table::Status;

/// The statuses of listed games. The index orders the games of each status separately. So one statement per
/// status reads the newest games, and a page merges the results.
const LISTED_STATUSES: [Status; 3] = [Status::Waiting, Status::Playing, Status::Over];

/// The statuses that a query needs; one statement per status reads the games. For the running games of a
/// player, a single statement reads the games of all statuses. In this case the result is only `Playing`,
/// which stands for all statuses.
pub(super) fn statuses(query: &ListQuery) -> impl Iterator<Item = Status> {
    let wanted = match query.player {
        Some(PlayerFilter::Running(_)) => Some(Status::Playing),
        Some(PlayerFilter::Name(_) | PlayerFilter::Player(_)) | None => query.status,
    };
    let statuses = LISTED_STATUSES.into_iter();
    statuses.filter(move |status| wanted.is_none_or(|wanted| wanted == *status))
}

/// A row of a page. `sort_key` is `None` if the game's id or time of creation is unreadable.
#[derive(Debug)]
pub(super) struct PageRow {
    sort_key: Option<(u64, GameId)>,
    columns: Result<ListedColumns, StoreError>,
}

impl PageRow {
    pub(super) fn new(
        id: Result<Vec<u8>, sqlx::Error>,
        created_ms: Result<i64, sqlx::Error>,
        columns: Result<ListedColumns, sqlx::Error>,
    ) -> PageRow {
        let id = id.ok().and_then(|id| read_id(&id).ok());
        PageRow {
            sort_key: created_ms.ok().map(unsigned).zip(id),
            columns: columns.map_err(StoreError::from),
        }
    }
}

/// Maximum number of pages that are read for one list; see [`ListInProgress`].
const MAX_PAGES: usize = 100;

/// A list that is filled page by page. Unreadable rows are left out. If the query has a time
/// `attended_at_ms`, unattended waiting games are left out too. Another page replaces the rows that were left
/// out.
#[derive(Debug)]
pub(super) struct ListInProgress<'u> {
    query: ListQuery,
    listed: Vec<ListedGame>,
    pages: usize,
    unreadable: &'u UnreadableGames,
}

impl ListInProgress<'_> {
    pub(super) fn new(query: ListQuery, unreadable: &UnreadableGames) -> ListInProgress<'_> {
        ListInProgress {
            query,
            listed: Vec::new(),
            pages: 0,
            unreadable,
        }
    }

    /// The query for the next page.
    pub(super) fn query(&self) -> &ListQuery {
        &self.query
    }

    /// Adds the next page. `rows` has the rows of all statuses, in any order. Returns the list when it is complete.
    pub(super) fn add(
        &mut self,
        mut rows: Vec<PageRow>,
        is_present: impl Fn(GameId) -> bool,
    ) -> Option<Vec<ListedGame>> {
        rows.sort_by_key(|row| std::cmp::Reverse(row.sort_key));
        rows.truncate(self.query.limit);
        let is_last = rows.len() < self.query.limit;
        let last = rows.last().and_then(|row| row.sort_key);
        let before = self.listed.len();
        let count = rows.len();
        for row in rows {
            match row.columns.and_then(read_listed) {
                Ok(listed) if self.query.leaves_out(&listed, &is_present) => {}
                Ok(listed) => self.listed.push(listed),
                Err(error) => self.unreadable.log(row.sort_key.map(|(_, id)| id), &error),
            }
        }
        let is_full = self.listed.len() - before == count;
        self.pages += 1;
        if is_last || is_full || last.is_none() || self.pages >= MAX_PAGES {
            return Some(std::mem::take(&mut self.listed));
        }
        self.query.before = last;
        self.query.limit -= self.listed.len() - before;
        None
    }
}

/// Selects the games of one status, newest first. The statement always uses an index. `has_presence` tells whether the
/// database has the table `presence`; only shared databases have it.
pub(super) fn select_page<D: Database>(
    query: &ListQuery,
    status: Status,
    has_presence: bool,
) -> QueryBuilder<D>
where
    String: Encode<'static, D> + Type<D>,
    &'static str: Encode<'static, D> + Type<D>,
    Vec<u8>: Encode<'static, D> + Type<D>,
    i64: Encode<'static, D> + Type<D>,
{
    let mut select = QueryBuilder::<D>::new("SELECT ");
    select.push(LISTED_COLUMNS).push(" FROM ");
    let by_name = (
        "seat_names.created_ms, seat_names.game",
        " AND seat_names.family = ",
    );
    let by_game = ("games.created_ms, games.id", " AND games.family = ");
    let name = query.player.as_ref().map(|player| match player {
        PlayerFilter::Name(name) => write_name(name),
        PlayerFilter::Player(player) | PlayerFilter::Running(player) => write_player(*player),
    });
    let is_running = matches!(query.player, Some(PlayerFilter::Running(_)));
    // SQLite executes a cross join in the written order.
    const NAMES_FIRST: &str =
        "seat_names CROSS JOIN games WHERE games.id = seat_names.game AND name = ";
    let (keys, of_family) = match (status, name) {
        (_, Some(name)) if is_running => {
            select.push(NAMES_FIRST).push_bind(name);
            select.push(" AND is_running");
            by_name
        }
        // Nearly all games of a player are over, so the search begins with the player's name.
        (Status::Over, Some(name)) => {
            select.push(NAMES_FIRST).push_bind(name);
            by_name
        }
        // Few games are not over, so the search begins with these games.
        (Status::Unlisted | Status::Waiting | Status::Playing, Some(name)) => {
            select.push("games WHERE EXISTS (SELECT 1 FROM seat_names WHERE name = ");
            select.push_bind(name);
            select.push(
                " AND seat_names.created_ms = games.created_ms AND seat_names.game = games.id)",
            );
            by_game
        }
        (_, None) => {
            select.push("games WHERE true");
            by_game
        }
    };
    if !is_running {
        select.push(" AND status = ");
        select.push_bind(write_status(status));
    }
    if let Some(at_ms) = query.attended_at_ms.filter(|_| status == Status::Waiting)
        && has_presence
    {
        select.push(" AND (games.created_ms > ");
        select.push_bind(signed(at_ms.saturating_sub(ATTENDED_MS)));
        select.push(" OR EXISTS (SELECT 1 FROM presence WHERE presence.game = games.id))");
    }
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
