//! Writes to PostgreSQL. Rows are passed as arrays, so that one statement takes any number of rows.

use std::collections::HashSet;

use sqlx::postgres::PgArguments;
use sqlx::query::QueryAs;
use sqlx::{Connection, PgConnection, Row, query, query_as};

use super::read;
use crate::id::{GameId, NodeId};
use crate::store::codec::text::{names_in, write_node, write_seats};
use crate::store::codec::{
    AppendRows, EntryRow, GameRow, SummaryRow, entry_rows, id_bytes, read_id, signed, unsigned,
};
use crate::store::group_commit::{Outcome, split_repeats};
use crate::store::shared_sql::shared_writes;
use crate::store::{
    Appended, Created, MIN_OUTAGE_MS, OLD_GAMES, StoreError, StoredGame, Sweep, TABLES_OF_GAMES,
};
use crate::table::{SeatSet, Summary};

/// Inserts the first entry of each append if its predecessor exists and its number is free. Returns the games and
/// numbers of the inserted entries. Entry 1 has no predecessor; instead, its game must exist. The rows are sorted,
/// because two nodes that insert in different orders could deadlock.
macro_rules! insert_first_entries {
    () => {
        "INSERT INTO entries (game, number, at_ms, seat, kind, data, key, request) \
         SELECT * FROM unnest($1::bytea[], $2::int4[], $3::int8[], $4::int2[], $5::text[], \
             $6::text[], $7::text[], $8::int8[]) \
             AS new (game, number, at_ms, seat, kind, data, key, request) \
         WHERE CASE new.number WHEN 1 THEN EXISTS (SELECT 1 FROM games WHERE id = new.game) \
             ELSE EXISTS (SELECT 1 FROM entries AS previous WHERE previous.game = new.game \
             AND previous.number = new.number - 1) END \
         ORDER BY new.game, new.number ON CONFLICT DO NOTHING RETURNING game, number"
    };
}

/// The statement for appends that consist of one entry and change no other row.
const APPEND_PLAIN: &str = insert_first_entries!();

/// The statement for appends of any kind. It does not insert the game that an append may create.
const APPEND: &str = concat!(
    "WITH stored AS (",
    insert_first_entries!(),
    "), rest AS (\
     INSERT INTO entries (game, number, at_ms, seat, kind, data, key, request) \
     SELECT new.game, new.number, at_ms, seat, kind, data, key, request \
     FROM unnest($9::bytea[], $10::int4[], $11::int4[], $12::int8[], $13::int2[], $14::text[], \
         $15::text[], $16::text[], $17::int8[]) \
         AS new (game, first, number, at_ms, seat, kind, data, key, request) \
     JOIN stored ON stored.game = new.game AND stored.number = new.first\
     ), updated AS (\
     UPDATE games SET status = new.status, seats = new.seats, tied = new.tied, \
         deadline_ms = new.deadline_ms, ended_ms = new.ended_ms, outcome = new.outcome \
     FROM unnest($18::bytea[], $19::int4[], $20::text[], $21::text[], $22::bool[], $23::int8[], \
         $24::int8[], $25::text[]) \
         AS new (game, first, status, seats, tied, deadline_ms, ended_ms, outcome) \
     JOIN stored ON stored.game = new.game AND stored.number = new.first \
     WHERE games.id = new.game\
     ), named AS (\
     INSERT INTO seat_names (name, created_ms, game, family, is_running) \
     SELECT new.name, games.created_ms, games.id, games.family, \
         substr(new.name, 1, 8) = '\\player ' AND games.ended_ms IS NULL \
     FROM unnest($26::bytea[], $27::int4[], $28::text[]) AS new (game, first, name) \
     JOIN stored ON stored.game = new.game AND stored.number = new.first \
     JOIN games ON games.id = new.game ON CONFLICT DO NOTHING\
     ), ended AS (\
     UPDATE seat_names SET is_running = false \
     FROM unnest($29::bytea[], $30::int4[], $31::text[]) AS old (game, first, name) \
     JOIN stored ON stored.game = old.game AND stored.number = old.first \
     JOIN games ON games.id = old.game WHERE seat_names.name = old.name \
         AND seat_names.created_ms = games.created_ms AND seat_names.game = old.game\
     ) SELECT game, number FROM stored"
);

/// Inserts games whose id and key are free, with the names of their players, and returns the ids of these games. Keys
/// have a scope, except keys of older versions, which apply to all clients for 24 hours (86 400 000 ms).
const INSERT_GAMES: &str = "\
    WITH stored AS (\
    INSERT INTO games (id, variant, family, history, start, holders, created_ms, key_scope, key, \
        request, status, seats, tied, deadline_ms, ended_ms, outcome, clock, listed) \
    SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[], $4::int4[], $5::text[], $6::text[], \
        $7::int8[], $8::text[], $9::text[], $10::int8[], $11::text[], $12::text[], $13::bool[], \
        $14::int8[], $15::int8[], $16::text[], $17::text[], $18::bool[]) \
        AS new (id, variant, family, history, start, holders, created_ms, key_scope, key, request, \
        status, seats, tied, deadline_ms, ended_ms, outcome, clock, listed) \
    WHERE new.key IS NULL OR NOT EXISTS (SELECT 1 FROM games AS older WHERE older.key = new.key \
        AND older.key_scope = '' AND older.created_ms > new.created_ms - 86400000) \
    ON CONFLICT DO NOTHING RETURNING id, created_ms, family, ended_ms\
    ), named AS (\
    INSERT INTO seat_names (name, created_ms, game, family, is_running) \
    SELECT name, created_ms, id, family, substr(name, 1, 8) = '\\player ' AND ended_ms IS NULL \
    FROM unnest($19::text[], $20::bytea[]) AS player (name, game) JOIN stored ON id = game \
    ON CONFLICT DO NOTHING\
    ) SELECT id FROM stored";

type PlacesQuery = QueryAs<'static, sqlx::Postgres, (Vec<u8>, i32), PgArguments>;

/// Binds one array for each column. An array has the values of this column in all rows, in the order of the rows.
macro_rules! bind_columns {
    ($query:expr, $rows:expr, |$row:pat_param| $($column:expr),+ $(,)?) => {
        $query$(.bind({
            let mut values = Vec::with_capacity($rows.len());
            #[allow(unused_variables, reason = "a column needs a part of its row")]
            for $row in $rows.iter() {
                values.push($column);
            }
            values
        }))+
    };
}

fn bind_first_entries(insert: PlacesQuery, appends: &[&AppendRows]) -> PlacesQuery {
    bind_columns!(
        insert,
        appends,
        |append| id_bytes(append.game),
        append.first.number,
        append.first.at_ms,
        append.first.seat,
        append.first.kind.to_string(),
        append.first.data.clone(),
        append.first.key.clone(),
        append.first.request,
    )
}

/// Pairs each part of each append with its append. `parts` returns the parts of one append, for example its names.
fn parts_of<'a, P>(
    appends: &[&'a AppendRows],
    parts: impl Fn(&'a AppendRows) -> &'a [P],
) -> Vec<(&'a AppendRows, &'a P)> {
    let pairs = appends
        .iter()
        .flat_map(|append| parts(append).iter().map(|part| (*append, part)));
    pairs.collect()
}

fn bind_rest(insert: PlacesQuery, appends: &[&AppendRows]) -> PlacesQuery {
    let rest = parts_of(appends, |append| &append.rest);
    let insert = bind_columns!(
        insert,
        rest,
        |(append, entry)| id_bytes(append.game),
        append.first.number,
        entry.number,
        entry.at_ms,
        entry.seat,
        entry.kind.to_string(),
        entry.data.clone(),
        entry.key.clone(),
        entry.request,
    );
    let summaries: Vec<(&AppendRows, &SummaryRow)> = appends
        .iter()
        .filter_map(|append| Some((*append, append.summary.as_ref()?)))
        .collect();
    let insert = bind_columns!(
        insert,
        summaries,
        |(append, summary)| id_bytes(append.game),
        append.first.number,
        summary.status,
        summary.seats.clone(),
        summary.has_tcp_seat,
        summary.deadline_ms,
        summary.ended_ms,
        summary.outcome.clone(),
    );
    let names = parts_of(appends, |append| &append.names);
    let insert = bind_columns!(
        insert,
        names,
        |(append, name)| id_bytes(append.game),
        append.first.number,
        (*name).clone(),
    );
    let ended = parts_of(appends, |append| &append.ended_names);
    bind_columns!(
        insert,
        ended,
        |(append, name)| id_bytes(append.game),
        append.first.number,
        (*name).clone(),
    )
}

/// Writes appends. One statement writes all appends without a new game, except further appends at the same
/// place. Each append with a new game is separate, so that an error affects only its own request.
pub(super) async fn append_all(
    to: &mut PgConnection,
    appends: &[AppendRows],
) -> Result<Vec<Outcome<Appended>>, sqlx::Error> {
    let has_game = |(_, append): &(usize, &AppendRows)| append.new_game.is_some();
    let numbered = appends.iter().enumerate();
    let (with_games, others): (Vec<_>, Vec<_>) = numbered.partition(has_game);
    let (firsts, repeats) = split_repeats(others, |(_, append)| append.place());
    let mut outcomes = vec![Ok(Appended::Stored); appends.len()];
    let rows: Vec<&AppendRows> = firsts.iter().map(|(_, append)| *append).collect();
    let stored = insert_appends(to, &rows).await?;
    for (at, append) in firsts {
        if !stored.contains(&append.place()) {
            outcomes[at] = refusal(to, append.game).await;
        }
    }
    for (at, append) in repeats {
        outcomes[at] = append_one(to, append).await;
    }
    for (at, append) in with_games {
        outcomes[at] = append_with_game(to, append).await;
    }
    Ok(outcomes)
}

/// Writes appends, each at a different place in the logs. Returns the places of the appends that were stored.
async fn insert_appends(
    to: &mut PgConnection,
    appends: &[&AppendRows],
) -> Result<HashSet<(GameId, i32)>, sqlx::Error> {
    if appends.is_empty() {
        return Ok(HashSet::new());
    }
    let insert = match appends.iter().all(|append| append.is_plain()) {
        true => bind_first_entries(query_as(APPEND_PLAIN), appends),
        false => bind_rest(bind_first_entries(query_as(APPEND), appends), appends),
    };
    let rows = insert.fetch_all(to).await?;
    let place = |(id, number): &(Vec<u8>, i32)| Some((read_id(id).ok()?, *number));
    Ok(rows.iter().filter_map(place).collect())
}

async fn append_one(to: &mut PgConnection, append: &AppendRows) -> Result<Appended, StoreError> {
    match insert_appends(to, &[append]).await?.is_empty() {
        false => Ok(Appended::Stored),
        true => refusal(to, append.game).await,
    }
}

async fn append_with_game(
    to: &mut PgConnection,
    append: &AppendRows,
) -> Result<Appended, StoreError> {
    let mut at = to.begin().await?;
    let appended = append_one(&mut at, append).await?;
    if let Some(game) = append.new_game.as_deref()
        && appended == Appended::Stored
        && insert_games(&mut at, &[game]).await?.is_empty()
    {
        return Err(StoreError::another_game(game.id));
    }
    at.commit().await?;
    Ok(appended)
}

/// Why entries were not stored.
async fn refusal(to: &mut PgConnection, game: GameId) -> Result<Appended, StoreError> {
    Ok(match read::exists(to, game).await? {
        true => Appended::Conflict,
        false => Appended::NoSuchGame,
    })
}

/// Creates games with one statement. Games that the statement did not insert are created one by one, so that an error
/// affects only its own request.
pub(super) async fn create_all(
    to: &mut PgConnection,
    games: &[GameRow],
) -> Result<Vec<Outcome<Created>>, sqlx::Error> {
    let mut numbered: Vec<(usize, &GameRow)> = games.iter().enumerate().collect();
    // The games are sorted, because two nodes that insert the same keys in different orders could deadlock.
    numbered.sort_by_key(|(_, game)| (&game.key, &game.key_scope, game.id));
    let (firsts, repeats) = split_repeats(numbered, |(_, game)| game.id);
    let mut outcomes = vec![Ok(Created::Stored); games.len()];
    let rows: Vec<&GameRow> = firsts.iter().map(|(_, game)| *game).collect();
    let stored = insert_games(to, &rows).await?;
    for (at, game) in firsts {
        if !stored.contains(&game.id) {
            outcomes[at] = create_again(to, game).await;
        }
    }
    for (at, game) in repeats {
        outcomes[at] = create_one(to, game).await;
    }
    Ok(outcomes)
}

async fn create_one(to: &mut PgConnection, game: &GameRow) -> Result<Created, StoreError> {
    match insert_games(to, &[game]).await?.is_empty() {
        false => Ok(Created::Stored),
        true => create_again(to, game).await,
    }
}

/// Inserts the games whose id and key are free, and returns the ids of these games.
pub(super) async fn insert_games(
    to: &mut PgConnection,
    games: &[&GameRow],
) -> Result<HashSet<GameId>, sqlx::Error> {
    if games.is_empty() {
        return Ok(HashSet::new());
    }
    let insert = bind_columns!(
        query_as(INSERT_GAMES),
        games,
        |game| id_bytes(game.id),
        game.variant.clone(),
        game.family.clone(),
        game.history,
        game.start.clone(),
        game.holders.clone(),
        game.created_ms,
        game.key_scope.clone(),
        game.key.clone(),
        game.request,
        game.summary.status,
        game.summary.seats.clone(),
        game.summary.has_tcp_seat,
        game.summary.deadline_ms,
        game.summary.ended_ms,
        game.summary.outcome.clone(),
        game.clock.clone(),
        game.listed,
    );
    let names: Vec<(&String, GameId)> = games
        .iter()
        .flat_map(|game| game.names.iter().map(|name| (name, game.id)))
        .collect();
    let insert = bind_columns!(insert, names, |(name, id)| (*name).clone(), id_bytes(*id));
    let rows: Vec<(Vec<u8>,)> = insert.fetch_all(to).await?;
    Ok(rows.iter().filter_map(|(id,)| read_id(id).ok()).collect())
}

/// Handles a game that was not inserted because its key or id exists. If the key is still valid, returns the
/// game that has the key. If the key has expired, takes the key from the older game and creates the new game.
/// Fails if another game has the id.
async fn create_again(to: &mut PgConnection, game: &GameRow) -> Result<Created, StoreError> {
    let another = || Err(StoreError::another_game(game.id));
    let Some(key) = &game.key else {
        return another();
    };
    let now_ms = unsigned(game.created_ms);
    // Another node may take the same expired key. The second attempt then finds the game of the other node.
    for _ in 0..2 {
        if let Some((id, key)) = read::created_with(to, &game.key_scope, key, now_ms).await? {
            return Ok(Created::Existing(id, key));
        }
        if read::exists(to, game.id).await? {
            return another();
        }
        let mut at = to.begin().await?;
        query(
            "UPDATE games SET key = NULL WHERE key = $1 AND key_scope = $2 \
             AND created_ms <= $3 - 86400000",
        )
        .bind(key)
        .bind(&*game.key_scope)
        .bind(game.created_ms)
        .execute(&mut *at)
        .await?;
        if !insert_games(&mut at, &[game]).await?.is_empty() {
            at.commit().await?;
            return Ok(Created::Stored);
        }
        at.rollback().await?;
    }
    Err(StoreError::Unavailable(
        "another node creates a game with the same key".to_owned(),
    ))
}

/// Stores a finished game with all its entries.
pub(super) async fn import(
    to: &mut PgConnection,
    game: &StoredGame,
    summary: &Summary,
) -> Result<Created, StoreError> {
    let row = GameRow::with_key(&game.settings, game.key.as_ref(), summary);
    let mut at = to.begin().await?;
    let created = create_one(&mut at, &row).await?;
    if created == Created::Stored {
        let entries: Vec<EntryRow> = entry_rows(&game.settings.variant, 1, &game.entries).collect();
        let insert = query(
            "INSERT INTO entries (game, number, at_ms, seat, kind, data, key, request) \
             SELECT $1, * FROM unnest($2::int4[], $3::int8[], $4::int2[], $5::text[], $6::text[], \
             $7::text[], $8::int8[])",
        );
        let insert = bind_columns!(
            insert.bind(id_bytes(row.id)),
            entries,
            |entry| entry.number,
            entry.at_ms,
            entry.seat,
            entry.kind.to_string(),
            entry.data.clone(),
            entry.key.clone(),
            entry.request,
        );
        insert.execute(&mut *at).await?;
    }
    at.commit().await?;
    Ok(created)
}

shared_writes!(PgConnection);

pub(super) async fn sweep(
    to: &mut PgConnection,
    node: NodeId,
    grace_ms: u64,
) -> Result<Sweep, StoreError> {
    let (now_ms,): (i64,) = query_as(
        "WITH counted AS (\
             INSERT INTO nodes AS node (node, counter) VALUES ($1, 1) \
             ON CONFLICT (node) DO UPDATE SET counter = node.counter + 1\
         ) SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8",
    )
    .bind(write_node(node))
    .fetch_one(&mut *to)
    .await?;
    // If two nodes sweep at the same time after an outage, the row lock lets only one of them record the outage.
    query(
        "WITH beat AS (UPDATE heartbeat SET at_ms = greatest(heartbeat.at_ms, $1) \
         FROM (SELECT at_ms FROM heartbeat WHERE id = 1 FOR UPDATE) AS before WHERE id = 1 \
         RETURNING before.at_ms) \
         INSERT INTO outages (until_ms, from_ms) SELECT $1, at_ms FROM beat \
         WHERE at_ms > 0 AND at_ms < $1 - $2 ON CONFLICT DO NOTHING",
    )
    .bind(now_ms)
    .bind(signed(MIN_OUTAGE_MS))
    .execute(&mut *to)
    .await?;
    let before_ms = now_ms.saturating_sub(signed(grace_ms));
    Ok(Sweep {
        now_ms: Some(unsigned(now_ms)),
        ..read::nodes_and_overdue(to, node, before_ms).await?
    })
}

pub(super) async fn remove_node(to: &mut PgConnection, node: NodeId) -> Result<(), StoreError> {
    query(
        "WITH absent AS (DELETE FROM presence WHERE node = $1), \
         silent AS (DELETE FROM waiting_lists WHERE node = $1) DELETE FROM nodes WHERE node = $1",
    )
    .bind(write_node(node))
    .execute(to)
    .await?;
    Ok(())
}

pub(super) async fn set_presence(
    to: &mut PgConnection,
    node: NodeId,
    seats: &[(GameId, SeatSet)],
) -> Result<(), StoreError> {
    // If a game appears twice, its last value counts.
    let (mut games, _) = split_repeats(seats.iter().rev(), |(game, _)| *game);
    games.sort_by_key(|(game, _)| *game);
    let (absent, present): (Vec<_>, Vec<_>) =
        games.into_iter().partition(|(_, seats)| seats.is_empty());
    let absent: Vec<Vec<u8>> = absent.iter().map(|(game, _)| id_bytes(*game)).collect();
    // The DELETE and the INSERT concern different games, so their order does not matter.
    let set = query(
        "WITH absent AS (DELETE FROM presence WHERE node = $1 AND game = ANY ($2)) \
         INSERT INTO presence (node, game, seats) \
         SELECT $1, * FROM unnest($3::bytea[], $4::text[]) \
         ON CONFLICT (game, node) DO UPDATE SET seats = excluded.seats",
    )
    .bind(write_node(node))
    .bind(absent);
    let set = bind_columns!(
        set,
        present,
        |(game, seats)| id_bytes(*game),
        write_seats(*seats)
    );
    set.execute(to).await?;
    Ok(())
}

/// Maximum number of games of each status that one call of `forget` deletes. Together these games have a few
/// thousand rows.
const MAX_FORGOTTEN: i64 = 200;

/// Deletes some old games. Does nothing while another node deletes games.
pub(super) async fn forget(
    to: &mut PgConnection,
    before_ms: u64,
) -> Result<Vec<GameId>, StoreError> {
    let mut at = to.begin().await?;
    let (is_mine,): (bool,) = query_as("SELECT pg_try_advisory_xact_lock(7031787)")
        .fetch_one(&mut *at)
        .await?;
    if !is_mine {
        return Ok(Vec::new());
    }
    let mut ids: Vec<Vec<u8>> = Vec::new();
    let mut seats: Vec<(String, i64, Vec<u8>)> = Vec::new();
    for status in ["over", "playing", "waiting", "unlisted"] {
        let rows = query(OLD_GAMES)
            .bind(status)
            .bind(signed(before_ms))
            .bind(MAX_FORGOTTEN)
            .fetch_all(&mut *at)
            .await?;
        for row in rows {
            let (id, created_ms): (Vec<u8>, i64) = (row.try_get(0)?, row.try_get(1)?);
            let names = names_in(row.try_get(2)?).into_iter();
            seats.extend(names.map(|name| (name, created_ms, id.clone())));
            ids.push(id);
        }
    }
    let delete = query(
        "DELETE FROM seat_names USING unnest($1::text[], $2::int8[], $3::bytea[]) AS old (n, c, g) \
         WHERE name = n AND created_ms = c AND game = g",
    );
    let delete = bind_columns!(
        delete,
        seats,
        |(name, created_ms, id)| name.clone(),
        *created_ms,
        id.clone(),
    );
    delete.execute(&mut *at).await?;
    for (table, column) in TABLES_OF_GAMES.into_iter().chain([("presence", "game")]) {
        let delete = format!("DELETE FROM {table} WHERE {column} = ANY ($1)");
        query(sqlx::AssertSqlSafe(delete))
            .bind(&ids)
            .execute(&mut *at)
            .await?;
    }
    at.commit().await?;
    Ok(ids.iter().flat_map(|id| read_id(id)).collect())
}

/// Makes a small write: inserts a row and deletes it again.
pub(super) async fn probe(to: &mut PgConnection) -> Result<(), StoreError> {
    let mut at = to.begin().await?;
    query("INSERT INTO probes (data) VALUES ('\\x00')")
        .execute(&mut *at)
        .await?;
    query("DELETE FROM probes").execute(&mut *at).await?;
    at.commit().await?;
    Ok(())
}
