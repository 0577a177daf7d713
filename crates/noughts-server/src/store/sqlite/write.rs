//! Writes to SQLite. The functions run inside an open transaction, except `append_plain`.

use std::collections::HashSet;

use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteError};
use sqlx::{Row, Sqlite, SqliteConnection, query};

use super::read;
use super::statement::{MAX_ROWS, Statement};
use crate::id::{GameId, NodeId};
use crate::store::codec::text::{names_in, write_node};
use crate::store::codec::{
    AppendRows, EntryRow, GameRow, SummaryRow, entry_rows, id_bytes, read_id, signed, unsigned,
};
use crate::store::error::{primary_code, sqlite_code};
use crate::store::group_commit::{Outcome, Outcomes, split_repeats};
use crate::store::shared_sql::shared_writes;
use crate::store::{
    Appended, Created, MIN_OUTAGE_MS, OLD_GAMES, StoreError, StoredGame, Sweep, TABLES_OF_GAMES,
};
use crate::table::Summary;

type Values<'q> = Query<'q, Sqlite, SqliteArguments>;

/// Inserts the first entry of each append if its predecessor exists and its number is free. Returns the games and
/// numbers of the inserted entries. Entry 1 has no predecessor; instead, its game must exist.
static INSERT_FIRST_ENTRIES: Statement = Statement::new(
    "INSERT INTO entries (game, number, at_ms, seat, kind, data, key, request) SELECT * FROM (",
    8,
    ") WHERE CASE column2 WHEN 1 THEN EXISTS (SELECT 1 FROM games WHERE id = column1) \
     ELSE EXISTS (SELECT 1 FROM entries AS previous WHERE previous.game = column1 \
     AND previous.number = column2 - 1) END ON CONFLICT DO NOTHING RETURNING game, number",
);

/// Inserts entries whose predecessors exist and whose numbers are free. If one of the entries cannot be
/// inserted, the statement fails and inserts nothing. Returns no rows, because returning a row takes as long
/// as inserting a row.
static INSERT_PLAIN_ENTRIES: Statement = Statement::new(
    "INSERT INTO entries (game, number, at_ms, seat, kind, data, key, request) SELECT column1, \
     CASE WHEN CASE column2 WHEN 1 THEN EXISTS (SELECT 1 FROM games WHERE id = column1) \
     ELSE EXISTS (SELECT 1 FROM entries AS previous WHERE previous.game = column1 \
     AND previous.number = column2 - 1) END THEN column2 END, \
     column3, column4, column5, column6, column7, column8 FROM (",
    8,
    ") WHERE column1 IS NOT NULL",
);

static INSERT_ENTRIES: Statement = Statement::new(
    "INSERT INTO entries (game, number, at_ms, seat, kind, data, key, request) SELECT * FROM (",
    8,
    ") WHERE column1 IS NOT NULL",
);

static UPDATE_SUMMARIES: Statement = Statement::new(
    "UPDATE games SET status = column2, seats = column3, tied = column4, deadline_ms = column5, \
     ended_ms = column6, outcome = column7 FROM (",
    7,
    ") WHERE games.id = column1",
);

// SQLite executes a cross join in the written order.
static INSERT_NAMES: Statement = Statement::new(
    "INSERT INTO seat_names (name, created_ms, game, family, is_running) \
     SELECT column1, games.created_ms, games.id, games.family, \
     substr(column1, 1, 8) = '\\player ' AND games.ended_ms IS NULL FROM (",
    2,
    ") CROSS JOIN games ON games.id = column2 WHERE true ON CONFLICT DO NOTHING",
);

/// Marks rows of the table `seat_names` as no longer running, because their game has ended.
static END_GAMES: Statement = Statement::new(
    "UPDATE seat_names SET is_running = 0 FROM (",
    2,
    ") CROSS JOIN games ON games.id = column2 WHERE seat_names.name = column1 \
     AND seat_names.created_ms = games.created_ms AND seat_names.game = column2",
);

/// Inserts games whose id and key are free. Keys have a scope, except keys of older versions, which apply to all
/// clients for 24 hours (86 400 000 ms).
static INSERT_GAMES: Statement = Statement::new(
    "INSERT INTO games (id, variant, family, history, start, holders, created_ms, key_scope, key, \
     request, status, seats, tied, deadline_ms, ended_ms, outcome, clock, listed) SELECT * FROM (",
    18,
    ") WHERE column1 IS NOT NULL AND (column9 IS NULL OR NOT EXISTS (SELECT 1 FROM games AS older \
     WHERE older.key = column9 AND older.key_scope = '' AND older.created_ms > column7 - 86400000)) \
     ON CONFLICT DO NOTHING RETURNING id",
);

fn bind_entry<'q>(values: Values<'q>, game: GameId, entry: &'q EntryRow) -> Values<'q> {
    values
        .bind(id_bytes(game))
        .bind(entry.number)
        .bind(entry.at_ms)
        .bind(entry.seat)
        .bind(&*entry.kind)
        .bind(&*entry.data)
        .bind(entry.key.as_deref())
        .bind(entry.request)
}

fn bind_summary<'q>(values: Values<'q>, summary: &'q SummaryRow) -> Values<'q> {
    values
        .bind(summary.status)
        .bind(&*summary.seats)
        .bind(summary.has_tcp_seat)
        .bind(summary.deadline_ms)
        .bind(summary.ended_ms)
        .bind(summary.outcome.as_deref())
}

fn bind_game<'q>(values: Values<'q>, game: &'q GameRow) -> Values<'q> {
    let values = values
        .bind(id_bytes(game.id))
        .bind(&*game.variant)
        .bind(&*game.family)
        .bind(game.history)
        .bind(game.start.as_deref())
        .bind(&*game.holders)
        .bind(game.created_ms)
        .bind(&*game.key_scope)
        .bind(game.key.as_deref())
        .bind(game.request);
    bind_summary(values, &game.summary)
        .bind(game.clock.as_deref())
        .bind(game.listed)
}

/// The statement for `rows`, with their values. `bind` binds the values of one row.
fn values_of<'q, T>(
    statement: &'static Statement,
    rows: &'q [T],
    bind: impl Fn(Values<'q>, &'q T) -> Values<'q>,
) -> Values<'q> {
    let (sql, nulls) = statement.for_rows(rows.len());
    let values = rows.iter().fold(query(sql), bind);
    (0..nulls).fold(values, |values, _| values.bind(None::<i64>))
}

/// Writes a batch inside the open transaction.
pub(super) async fn write_batch(
    to: &mut SqliteConnection,
    creates: &[GameRow],
    appends: &[AppendRows],
) -> Result<Outcomes, sqlx::Error> {
    Ok(Outcomes {
        created: create_all(to, creates).await?,
        appended: append_all(to, appends).await?,
    })
}

/// Whether [`append_plain`] can write these appends.
pub(super) fn is_one_statement(appends: &[AppendRows]) -> bool {
    let mut places = HashSet::with_capacity(appends.len());
    appends.len() <= MAX_ROWS
        && appends
            .iter()
            .all(|append| append.is_plain() && places.insert(append.place()))
}

/// Writes appends for which [`is_one_statement`] is true. Needs no open transaction. If one append cannot be
/// stored, the other appends are stored nevertheless.
pub(super) async fn append_plain(
    to: &mut SqliteConnection,
    appends: &[AppendRows],
) -> Result<Vec<Outcome<Appended>>, sqlx::Error> {
    let mut sorted: Vec<&AppendRows> = appends.iter().collect();
    sorted.sort_unstable_by_key(|append| append.place());
    let insert = values_of(&INSERT_PLAIN_ENTRIES, &sorted, |values, append| {
        bind_entry(values, append.game, &append.first)
    });
    match insert.execute(&mut *to).await {
        Ok(_) => return Ok(vec![Ok(Appended::Stored); appends.len()]),
        Err(error) if is_constraint(&error) => {}
        Err(error) => return Err(error),
    }
    let stored = insert_first_entries(to, &sorted).await?;
    let mut outcomes = Vec::with_capacity(appends.len());
    for append in appends {
        outcomes.push(Ok(outcome_of(to, append, &stored).await?));
    }
    Ok(outcomes)
}

/// Whether a statement violated a constraint, and so changed nothing.
fn is_constraint(error: &sqlx::Error) -> bool {
    let database = error.as_database_error();
    let sqlite = database.and_then(|error| error.try_downcast_ref::<SqliteError>());
    sqlite.is_some_and(|error| primary_code(error) == sqlite_code::CONSTRAINT)
}

async fn outcome_of(
    to: &mut SqliteConnection,
    append: &AppendRows,
    stored: &HashSet<(GameId, i32)>,
) -> Result<Appended, sqlx::Error> {
    if stored.contains(&append.place()) {
        return Ok(Appended::Stored);
    }
    Ok(match read::exists(to, append.game).await? {
        true => Appended::Conflict,
        false => Appended::NoSuchGame,
    })
}

async fn append_all(
    to: &mut SqliteConnection,
    appends: &[AppendRows],
) -> Result<Vec<Outcome<Appended>>, sqlx::Error> {
    let mut numbered: Vec<(usize, &AppendRows)> = appends.iter().enumerate().collect();
    numbered.sort_by_key(|(_, append)| append.place());
    let (firsts, repeats) = split_repeats(numbered, |(_, append)| append.place());
    let mut outcomes = vec![Ok(Appended::Conflict); appends.len()];
    for piece in firsts.chunks(MAX_ROWS).chain(repeats.chunks(1)) {
        let mut new = Vec::with_capacity(piece.len());
        for (at, append) in piece {
            match &append.new_game {
                Some(game) if read::exists(to, game.id).await? => {
                    outcomes[*at] = Err(StoreError::another_game(game.id));
                }
                Some(_) | None => new.push((*at, *append)),
            }
        }
        let rows: Vec<&AppendRows> = new.iter().map(|(_, append)| *append).collect();
        let stored = append_piece(to, &rows).await?;
        for (at, append) in new {
            outcomes[at] = Ok(outcome_of(to, append, &stored).await?);
        }
    }
    Ok(outcomes)
}

/// Writes `appends`. The caller ensures that there are at most [`MAX_ROWS`] appends, each at a different
/// [place](AppendRows::place).
async fn append_piece(
    to: &mut SqliteConnection,
    appends: &[&AppendRows],
) -> Result<HashSet<(GameId, i32)>, sqlx::Error> {
    let stored = insert_first_entries(to, appends).await?;
    let is_stored = |append: &&&AppendRows| stored.contains(&append.place());
    let written = || appends.iter().filter(is_stored);
    let rest = written().flat_map(|append| append.rest.iter().map(|entry| (append.game, entry)));
    insert_entries(to, &rest.collect::<Vec<_>>()).await?;
    let summary = |append: &&'_ AppendRows| Some((append.game, append.summary.clone()?));
    update_summaries(to, &written().filter_map(summary).collect::<Vec<_>>()).await?;
    let names = written().flat_map(|append| append.names.iter().map(|name| (name, append.game)));
    insert_names(to, &names.collect::<Vec<_>>()).await?;
    let ended =
        written().flat_map(|append| append.ended_names.iter().map(|name| (name, append.game)));
    for piece in ended.collect::<Vec<_>>().chunks(MAX_ROWS) {
        values_of(&END_GAMES, piece, bind_name)
            .execute(&mut *to)
            .await?;
    }
    let new_games = written().filter_map(|append| append.new_game.as_deref());
    insert_games(to, &new_games.collect::<Vec<_>>()).await?;
    Ok(stored)
}

async fn insert_first_entries(
    to: &mut SqliteConnection,
    appends: &[&AppendRows],
) -> Result<HashSet<(GameId, i32)>, sqlx::Error> {
    if appends.is_empty() {
        return Ok(HashSet::new());
    }
    let insert = values_of(&INSERT_FIRST_ENTRIES, appends, |values, append| {
        bind_entry(values, append.game, &append.first)
    });
    let rows = insert.fetch_all(to).await?;
    let mut stored = HashSet::with_capacity(rows.len());
    for row in rows {
        let (game, number): (&[u8], i32) = (row.try_get(0)?, row.try_get(1)?);
        stored.extend(read_id(game).map(|game| (game, number)));
    }
    Ok(stored)
}

async fn insert_entries(
    to: &mut SqliteConnection,
    entries: &[(GameId, &EntryRow)],
) -> Result<(), sqlx::Error> {
    for piece in entries.chunks(MAX_ROWS) {
        let insert = values_of(&INSERT_ENTRIES, piece, |values, (game, entry)| {
            bind_entry(values, *game, entry)
        });
        insert.execute(&mut *to).await?;
    }
    Ok(())
}

async fn update_summaries(
    to: &mut SqliteConnection,
    summaries: &[(GameId, SummaryRow)],
) -> Result<(), sqlx::Error> {
    for piece in summaries.chunks(MAX_ROWS) {
        let update = values_of(&UPDATE_SUMMARIES, piece, |values, (game, summary)| {
            bind_summary(values.bind(id_bytes(*game)), summary)
        });
        update.execute(&mut *to).await?;
    }
    Ok(())
}

async fn insert_names(
    to: &mut SqliteConnection,
    names: &[(&String, GameId)],
) -> Result<(), sqlx::Error> {
    for piece in names.chunks(MAX_ROWS) {
        let insert = values_of(&INSERT_NAMES, piece, bind_name);
        insert.execute(&mut *to).await?;
    }
    Ok(())
}

fn bind_name<'q>(values: Values<'q>, (name, game): &'q (&String, GameId)) -> Values<'q> {
    values.bind(name.as_str()).bind(id_bytes(*game))
}

async fn create_all(
    to: &mut SqliteConnection,
    games: &[GameRow],
) -> Result<Vec<Outcome<Created>>, sqlx::Error> {
    let numbered = games.iter().enumerate();
    let (firsts, repeats) = split_repeats(numbered, |(_, game)| game.id);
    let mut outcomes = vec![Ok(Created::Stored); games.len()];
    for piece in firsts.chunks(MAX_ROWS).chain(repeats.chunks(1)) {
        let new: Vec<&GameRow> = piece.iter().map(|(_, game)| *game).collect();
        let stored = insert_games(to, &new).await?;
        for (at, game) in piece {
            if !stored.contains(&game.id) {
                outcomes[*at] = create_again(to, game).await?;
            }
        }
    }
    Ok(outcomes)
}

/// Inserts the games whose id and key are free, and returns the ids of these games. `games` has at most [`MAX_ROWS`]
/// games.
async fn insert_games(
    to: &mut SqliteConnection,
    games: &[&GameRow],
) -> Result<HashSet<GameId>, sqlx::Error> {
    if games.is_empty() {
        return Ok(HashSet::new());
    }
    let insert = values_of(&INSERT_GAMES, games, |values, game| bind_game(values, game));
    let mut stored = HashSet::with_capacity(games.len());
    for row in insert.fetch_all(&mut *to).await? {
        stored.extend(read_id(row.try_get(0)?));
    }
    let written = games.iter().filter(|game| stored.contains(&game.id));
    let names = written.flat_map(|game| game.names.iter().map(|name| (name, game.id)));
    insert_names(to, &names.collect::<Vec<_>>()).await?;
    Ok(stored)
}

/// Creates the games of paired players. The id of such a game is computed from the ids of the two players. So if the
/// game already exists, an earlier attempt created it, and only the confirmation was lost.
pub(super) async fn create_pairs(
    to: &mut SqliteConnection,
    games: &[GameRow],
) -> Result<(), sqlx::Error> {
    for piece in games.chunks(MAX_ROWS) {
        insert_games(to, &piece.iter().collect::<Vec<_>>()).await?;
    }
    Ok(())
}

/// Handles a game that was not inserted because its key or id exists. If the key is still valid, returns the
/// game that has the key. If the key has expired, takes the key from the older game and creates the new game.
/// Fails if another game has the id.
async fn create_again(
    to: &mut SqliteConnection,
    game: &GameRow,
) -> Result<Outcome<Created>, sqlx::Error> {
    let another = || Err(StoreError::another_game(game.id));
    let Some(key) = &game.key else {
        return Ok(another());
    };
    let now_ms = unsigned(game.created_ms);
    match read::created_with(to, &game.key_scope, key, now_ms).await {
        Ok(Some((id, key))) => return Ok(Ok(Created::Existing(id, key))),
        Ok(None) => {}
        Err(error) => return Ok(Err(error)),
    }
    if read::exists(to, game.id).await? {
        return Ok(another());
    }
    query("UPDATE games SET key = NULL WHERE key = ? AND key_scope = ?")
        .bind(key)
        .bind(&*game.key_scope)
        .execute(&mut *to)
        .await?;
    Ok(match insert_games(to, &[game]).await?.is_empty() {
        false => Ok(Created::Stored),
        true => another(),
    })
}

/// Stores a finished game with all its entries.
pub(super) async fn import(
    to: &mut SqliteConnection,
    game: &StoredGame,
    summary: &Summary,
) -> Result<Created, StoreError> {
    let row = GameRow::with_key(&game.settings, game.key.as_ref(), summary);
    let mut outcomes = create_all(to, std::slice::from_ref(&row)).await?;
    let created = outcomes.swap_remove(0)?;
    if created == Created::Stored {
        let entries: Vec<EntryRow> = entry_rows(&game.settings.variant, 1, &game.entries).collect();
        let entries: Vec<(GameId, &EntryRow)> =
            entries.iter().map(|entry| (row.id, entry)).collect();
        insert_entries(to, &entries).await?;
    }
    Ok(created)
}

shared_writes!(SqliteConnection);

pub(super) async fn sweep(
    to: &mut SqliteConnection,
    node: NodeId,
    now_ms: u64,
    grace_ms: u64,
) -> Result<Sweep, sqlx::Error> {
    query(
        "INSERT INTO nodes (node, counter) VALUES (?, 1) \
         ON CONFLICT (node) DO UPDATE SET counter = counter + 1",
    )
    .bind(write_node(node))
    .execute(&mut *to)
    .await?;
    query(
        "INSERT INTO outages (until_ms, from_ms) SELECT ?1, at_ms FROM heartbeat \
         WHERE at_ms > 0 AND at_ms < ?1 - ?2 ON CONFLICT DO NOTHING",
    )
    .bind(signed(now_ms))
    .bind(signed(MIN_OUTAGE_MS))
    .execute(&mut *to)
    .await?;
    query("UPDATE heartbeat SET at_ms = max(at_ms, ?)")
        .bind(signed(now_ms))
        .execute(&mut *to)
        .await?;
    read::nodes_and_overdue(to, node, signed(now_ms.saturating_sub(grace_ms))).await
}

pub(super) async fn remove_node(
    to: &mut SqliteConnection,
    node: NodeId,
) -> Result<(), sqlx::Error> {
    query("DELETE FROM nodes WHERE node = ?")
        .bind(write_node(node))
        .execute(to)
        .await?;
    Ok(())
}

/// Maximum number of games of each status that one call of `forget` deletes. Other writes wait for the
/// deletion, which takes about 100 ms.
const MAX_FORGOTTEN: i64 = 50;

pub(super) async fn forget(
    to: &mut SqliteConnection,
    before_ms: u64,
) -> Result<Vec<GameId>, sqlx::Error> {
    let mut forgotten = Vec::new();
    for status in ["over", "playing", "waiting", "unlisted"] {
        let rows = query(OLD_GAMES)
            .bind(status)
            .bind(signed(before_ms))
            .bind(MAX_FORGOTTEN)
            .fetch_all(&mut *to)
            .await?;
        for row in rows {
            let Ok(id) = row.try_get::<Vec<u8>, _>(0) else {
                continue;
            };
            // The game is deleted even if its seats are unreadable.
            let seats: String = row.try_get(2).unwrap_or_default();
            for name in names_in(&seats) {
                query("DELETE FROM seat_names WHERE name = ? AND created_ms = ? AND game = ?")
                    .bind(name)
                    .bind(row.try_get::<i64, _>(1)?)
                    .bind(&*id)
                    .execute(&mut *to)
                    .await?;
            }
            for (table, column) in TABLES_OF_GAMES {
                let delete = format!("DELETE FROM {table} WHERE {column} = ?");
                query(sqlx::AssertSqlSafe(delete))
                    .bind(&*id)
                    .execute(&mut *to)
                    .await?;
            }
            forgotten.extend(read_id(&id));
        }
    }
    Ok(forgotten)
}

/// Makes a write that needs some free pages: inserts a row and deletes it again.
pub(super) async fn probe(to: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    query("INSERT INTO probes (data) VALUES (zeroblob(16384))")
        .execute(&mut *to)
        .await?;
    query("DELETE FROM probes").execute(to).await?;
    Ok(())
}
