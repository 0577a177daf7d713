//! What is written, as statements. Rows come in arrays, so that one statement fits any number.

use std::collections::HashSet;

use noughts_rules::Seat;
use sqlx::{Connection, PgConnection, query, query_as};

use crate::id::{GameId, NodeId};
use crate::store::row::{
    NewTurn, OLD, TABLES_OF_GAMES, archived_turns, family_name, holders_now, id_bytes, is_tied,
    key_columns, missing, player_name, player_names, read_id, signed, status_word,
};
use crate::store::text::{
    read_node, row_length, write_conclusion, write_holder, write_holders, write_node,
};
use crate::store::writer::firsts;
use crate::store::{Appended, Created, Ending, NewGame, Sitting, StoreError, StoredGame};
use crate::table::Holder;

type Each<T> = Vec<(usize, Result<T, StoreError>)>;

pub(super) async fn create_all(
    to: &mut PgConnection,
    mut games: Vec<(usize, &NewGame)>,
) -> Result<Each<Created>, sqlx::Error> {
    // Two processes that insert the same keys in two orders would wait for one another.
    games.sort_by(|(_, a), (_, b)| {
        let key = |game: &NewGame| game.key.as_ref().map(|key| key.text.clone());
        key(a).cmp(&key(b))
    });
    let (firsts, repeats) = firsts(games, |(_, game)| game.setting.id);
    let mut outcomes = Vec::with_capacity(firsts.len() + repeats.len());
    let new: Vec<&NewGame> = firsts.iter().map(|(_, game)| *game).collect();
    let stored = match new.is_empty() {
        true => HashSet::new(),
        false => insert_games(to, &new).await?,
    };
    // Those are stored: whatever fails from here on fails for one row alone.
    for (at, game) in firsts {
        let outcome = match stored.contains(&game.setting.id) {
            true => Ok(Created::Stored),
            false => before(to, game).await,
        };
        outcomes.push((at, outcome));
    }
    for (at, game) in repeats {
        outcomes.push((at, create(to, game).await));
    }
    Ok(outcomes)
}

async fn create(to: &mut PgConnection, game: &NewGame) -> Result<Created, StoreError> {
    match insert_games(to, &[game]).await?.is_empty() {
        false => Ok(Created::Stored),
        true => before(to, game).await,
    }
}

/// Inserts games, and gives those that were not there.
async fn insert_games(
    to: &mut PgConnection,
    games: &[&NewGame],
) -> Result<HashSet<GameId>, sqlx::Error> {
    let settings = || games.iter().map(|game| &game.setting);
    let (keys, bodies): (Vec<Option<String>>, Vec<Option<i64>>) = games
        .iter()
        .map(|game| key_columns(game.key.as_ref()))
        .unzip();
    let starts = settings().map(|s| s.start.as_ref().map(|start| start.write(&s.variant)));
    let players = settings().flat_map(|setting| {
        let names = player_names(&setting.holders).into_iter();
        names.map(|name| (name, id_bytes(setting.id)))
    });
    let (names, of_games): (Vec<String>, Vec<Vec<u8>>) = players.unzip();
    let rows: Vec<(Vec<u8>,)> = query_as(
        "WITH new AS (\
             INSERT INTO games (id, variant, family, row_length, history, start, holders, \
                 created_ms, key, body, status, tied) \
             SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[], $4::int4[], $5::int4[], \
                 $6::text[], $7::text[], $8::int8[], $9::text[], $10::int8[], $11::text[], $12::bool[]) \
             ON CONFLICT DO NOTHING RETURNING id, created_ms, family\
         ), named AS (\
             INSERT INTO players (name, created_ms, game, family) \
             SELECT name, created_ms, id, family \
             FROM unnest($13::text[], $14::bytea[]) AS player (name, game) JOIN new ON id = game \
             ON CONFLICT DO NOTHING\
         ) SELECT id FROM new",
    )
    .bind(settings().map(|s| id_bytes(s.id)).collect::<Vec<_>>())
    .bind(settings().map(|s| s.variant.to_string()).collect::<Vec<_>>())
    .bind(settings().map(|s| family_name(&s.variant)).collect::<Vec<_>>())
    .bind(settings().map(|s| row_length(&s.variant) as i32).collect::<Vec<_>>())
    .bind(settings().map(|s| i32::from(s.history)).collect::<Vec<_>>())
    .bind(starts.collect::<Vec<_>>())
    .bind(settings().map(|s| write_holders(&s.holders)).collect::<Vec<_>>())
    .bind(settings().map(|s| signed(s.created_ms)).collect::<Vec<_>>())
    .bind(keys)
    .bind(bodies)
    .bind(settings().map(|s| status_word(&s.holders).to_owned()).collect::<Vec<_>>())
    .bind(settings().map(|s| is_tied(&s.holders)).collect::<Vec<_>>())
    .bind(names)
    .bind(of_games)
    .fetch_all(to)
    .await?;
    Ok(rows.iter().filter_map(|(id,)| read_id(id).ok()).collect())
}

/// Why a game was not stored: its key was used before, or its id.
async fn before(to: &mut PgConnection, game: &NewGame) -> Result<Created, StoreError> {
    let found: Option<(Vec<u8>,)> = match &game.key {
        None => None,
        Some(key) => {
            query_as("SELECT id FROM games WHERE key = $1")
                .bind(key.text.clone())
                .fetch_optional(to)
                .await?
        }
    };
    match found {
        Some((id,)) => read_id(&id).map(Created::Before),
        None => {
            let id = game.setting.id;
            Err(StoreError(format!("there is another game {id}")))
        }
    }
}

/// A game with all its turns and its end, or nothing of it.
pub(super) async fn archive(
    to: &mut PgConnection,
    game: &StoredGame,
    ending: &Ending,
) -> Result<Created, StoreError> {
    let new = NewGame {
        setting: game.setting.clone(),
        key: game.key.clone(),
    };
    let mut at = to.begin().await?;
    if insert_games(&mut at, &[&new]).await?.is_empty() {
        return before(&mut at, &new).await;
    }
    let turns = archived_turns(game);
    let turns = || turns.iter();
    query(
        "INSERT INTO turns (game, number, seat, action, at_ms, key, body) \
         SELECT $1, * FROM unnest($2::int4[], $3::int2[], $4::text[], $5::int8[], $6::text[], $7::int8[])",
    )
    .bind(id_bytes(game.setting.id))
    .bind(turns().map(|t| t.number).collect::<Vec<_>>())
    .bind(turns().map(|t| t.seat).collect::<Vec<_>>())
    .bind(turns().map(|t| t.word.clone()).collect::<Vec<_>>())
    .bind(turns().map(|t| t.at_ms).collect::<Vec<_>>())
    .bind(turns().map(|t| t.key.clone()).collect::<Vec<_>>())
    .bind(turns().map(|t| t.body).collect::<Vec<_>>())
    .execute(&mut *at)
    .await?;
    finish_all(&mut at, vec![(game.setting.id, ending)]).await?;
    at.commit().await?;
    Ok(Created::Stored)
}

pub(super) async fn append_all(
    to: &mut PgConnection,
    turns: Vec<(usize, &NewTurn)>,
) -> Result<Each<Appended>, sqlx::Error> {
    let (firsts, repeats) = firsts(turns, |(_, turn)| turn.place());
    let mut outcomes = Vec::with_capacity(firsts.len() + repeats.len());
    let new: Vec<&NewTurn> = firsts.iter().map(|(_, turn)| *turn).collect();
    let stored = match new.is_empty() {
        true => HashSet::new(),
        false => insert_turns(to, &new).await?,
    };
    // Those are stored: whatever fails from here on fails for one row alone.
    for (at, turn) in firsts {
        let outcome = match stored.contains(&turn.place()) {
            true => Ok(Appended::Stored),
            false => taken(to, turn.game).await,
        };
        outcomes.push((at, outcome));
    }
    for (at, turn) in repeats {
        outcomes.push((at, append(to, turn).await));
    }
    Ok(outcomes)
}

async fn append(to: &mut PgConnection, turn: &NewTurn) -> Result<Appended, StoreError> {
    match insert_turns(to, &[turn]).await?.is_empty() {
        false => Ok(Appended::Stored),
        true => taken(to, turn.game).await,
    }
}

/// What is said of a row that was not stored.
async fn taken(to: &mut PgConnection, game: GameId) -> Result<Appended, StoreError> {
    match exists(to, game).await? {
        true => Ok(Appended::Taken),
        false => Err(missing(game)),
    }
}

/// Inserts turns whose predecessor is there, and gives those that were not there themselves. In
/// order: two processes that insert the same turns in two orders would wait for one another. What
/// ends a game by being stored lists it as over, by the same statement.
async fn insert_turns(
    to: &mut PgConnection,
    turns: &[&NewTurn],
) -> Result<HashSet<(GameId, i32)>, sqlx::Error> {
    let turns = || turns.iter();
    let rows: Vec<(Vec<u8>, i32)> = query_as(
        "WITH new AS (\
             SELECT * FROM unnest($1::bytea[], $2::int4[], $3::int2[], $4::int4[], $5::text[], \
                 $6::int8[], $7::text[], $8::int8[], $9::int8[], $10::text[]) \
             AS turn (game, number, seat, cell, word, at_ms, key, body, ended_ms, conclusion)\
         ), stored AS (\
         INSERT INTO turns (game, number, seat, action, at_ms, key, body) \
         SELECT new.game, new.number, new.seat, coalesce(new.word, \
             (new.cell / games.row_length) || '-' || (new.cell % games.row_length)), \
             new.at_ms, new.key, new.body \
         FROM new JOIN games ON games.id = new.game \
         WHERE new.number = 1 OR EXISTS (SELECT 1 FROM turns AS previous WHERE \
             previous.game = new.game AND previous.number = new.number - 1 \
             AND previous.seat IS NOT NULL) \
         ORDER BY new.game, new.number \
         ON CONFLICT DO NOTHING RETURNING game, number\
         ), ended AS (\
         UPDATE games SET ended_ms = new.ended_ms, conclusion = new.conclusion, status = 'over' \
         FROM new JOIN stored ON stored.game = new.game AND stored.number = new.number \
         WHERE games.id = new.game AND new.conclusion IS NOT NULL AND games.ended_ms IS NULL\
         ) SELECT game, number FROM stored",
    )
    .bind(turns().map(|t| id_bytes(t.game)).collect::<Vec<_>>())
    .bind(turns().map(|t| t.number).collect::<Vec<_>>())
    .bind(turns().map(|t| t.seat).collect::<Vec<_>>())
    .bind(turns().map(|t| t.cell).collect::<Vec<_>>())
    .bind(turns().map(|t| t.word.clone()).collect::<Vec<_>>())
    .bind(turns().map(|t| t.at_ms).collect::<Vec<_>>())
    .bind(turns().map(|t| t.key.clone()).collect::<Vec<_>>())
    .bind(turns().map(|t| t.body).collect::<Vec<_>>())
    .bind(
        turns()
            .map(|t| t.ending.as_ref().map(|(ms, _)| *ms))
            .collect::<Vec<_>>(),
    )
    .bind(
        turns()
            .map(|t| t.ending.as_ref().map(|(_, how)| how.clone()))
            .collect::<Vec<_>>(),
    )
    .fetch_all(to)
    .await?;
    let place = |(id, number): &(Vec<u8>, i32)| Some((read_id(id).ok()?, *number));
    Ok(rows.iter().filter_map(place).collect())
}

async fn exists(to: &mut PgConnection, game: GameId) -> Result<bool, sqlx::Error> {
    let found: Option<(i32,)> = query_as("SELECT 1 FROM games WHERE id = $1")
        .bind(id_bytes(game))
        .fetch_optional(to)
        .await?;
    Ok(found.is_some())
}

pub(super) async fn finish_all(
    to: &mut PgConnection,
    endings: Vec<(GameId, &Ending)>,
) -> Result<(), sqlx::Error> {
    let (endings, _) = firsts(endings, |(game, _)| *game);
    if endings.is_empty() {
        return Ok(());
    }
    let endings = || endings.iter();
    // The rows are locked in order before any is changed.
    query(
        "UPDATE games SET ended_ms = new.ended_ms, conclusion = new.conclusion, status = 'over' \
         FROM unnest($1::bytea[], $2::int8[], $3::text[]) AS new (id, ended_ms, conclusion), \
         (SELECT id FROM games WHERE id = ANY ($1) AND ended_ms IS NULL ORDER BY id FOR UPDATE) AS free \
         WHERE games.id = new.id AND games.id = free.id",
    )
    .bind(endings().map(|(game, _)| id_bytes(*game)).collect::<Vec<_>>())
    .bind(endings().map(|(_, e)| signed(e.at_ms)).collect::<Vec<_>>())
    .bind(endings().map(|(_, e)| write_conclusion(&e.conclusion)).collect::<Vec<_>>())
    .execute(to)
    .await?;
    Ok(())
}

pub(super) async fn sit(
    to: &mut PgConnection,
    game: GameId,
    seat: Seat,
    sitting: &Sitting,
) -> Result<Appended, StoreError> {
    let mut at = to.begin().await?;
    type Row = (String, i64, String, String, bool);
    let found: Option<Row> = query_as(
        "SELECT status, created_ms, family, holders, EXISTS (SELECT 1 FROM turns WHERE game = id \
         AND seat IS NULL) FROM games WHERE id = $1 FOR UPDATE",
    )
    .bind(id_bytes(game))
    .fetch_optional(&mut *at)
    .await?;
    let Some((status, created_ms, family, holders, has_left)) = found else {
        return Err(missing(game));
    };
    let sat: Vec<(i16, String)> = query_as("SELECT seat, holder FROM sittings WHERE game = $1")
        .bind(id_bytes(game))
        .fetch_all(&mut *at)
        .await?;
    let mut holders = holders_now(game, &holders, &sat)?;
    let holder = sitting.holder();
    match holders.get_mut(usize::from(seat.0)) {
        Some(open @ Holder::Open(_)) if status != "over" && !has_left => *open = holder.clone(),
        Some(_) | None => return Ok(Appended::Taken),
    }
    let (key, body) = key_columns(sitting.key.as_ref());
    query("INSERT INTO sittings (game, seat, holder, key, body) VALUES ($1, $2, $3, $4, $5)")
        .bind(id_bytes(game))
        .bind(i16::from(seat.0))
        .bind(write_holder(&holder))
        .bind(key)
        .bind(body)
        .execute(&mut *at)
        .await?;
    query("UPDATE games SET status = $2, tied = $3 WHERE id = $1")
        .bind(id_bytes(game))
        .bind(status_word(&holders))
        .bind(is_tied(&holders))
        .execute(&mut *at)
        .await?;
    query(
        "INSERT INTO players (name, created_ms, game, family) VALUES ($1, $2, $3, $4) \
         ON CONFLICT DO NOTHING",
    )
    .bind(player_name(&holder))
    .bind(created_ms)
    .bind(id_bytes(game))
    .bind(family)
    .execute(&mut *at)
    .await?;
    at.commit().await?;
    Ok(Appended::Stored)
}

pub(super) async fn rematch(
    to: &mut PgConnection,
    game: GameId,
    seat: Seat,
    next: Option<&NewGame>,
) -> Result<Appended, StoreError> {
    let mut at = to.begin().await?;
    let found: Option<(i32,)> = query_as("SELECT 1 FROM games WHERE id = $1 FOR UPDATE")
        .bind(id_bytes(game))
        .fetch_optional(&mut *at)
        .await?;
    found.ok_or_else(|| missing(game))?;
    // A statement of its own: the one before may have waited, and saw the time before that.
    let made: Option<(i32,)> = query_as("SELECT 1 FROM rematches WHERE game = $1")
        .bind(id_bytes(game))
        .fetch_optional(&mut *at)
        .await?;
    if made.is_some() {
        return Ok(Appended::Taken);
    }
    if let Some(next) = next {
        if insert_games(&mut at, &[next]).await?.is_empty() {
            let created = before(&mut at, next).await?;
            return Err(StoreError(format!(
                "the rematch is another game: {created:?}"
            )));
        }
        query("INSERT INTO rematches (game, next) VALUES ($1, $2)")
            .bind(id_bytes(game))
            .bind(id_bytes(next.setting.id))
            .execute(&mut *at)
            .await?;
    }
    query("INSERT INTO wishes (game, seat) VALUES ($1, $2) ON CONFLICT DO NOTHING")
        .bind(id_bytes(game))
        .bind(i16::from(seat.0))
        .execute(&mut *at)
        .await?;
    at.commit().await?;
    Ok(Appended::Stored)
}

pub(super) async fn keep_analysis(
    to: &mut PgConnection,
    game: GameId,
    analysis: &str,
) -> Result<(), StoreError> {
    if !exists(to, game).await? {
        return Err(missing(game));
    }
    query("INSERT INTO analyses (game, analysis) VALUES ($1, $2) ON CONFLICT DO NOTHING")
        .bind(id_bytes(game))
        .bind(analysis.to_owned())
        .execute(to)
        .await?;
    Ok(())
}

/// How many games are forgotten at once: their rows are some thousands.
const FORGOTTEN_AT_ONCE: i64 = 200;

/// Forgets some of the games that nothing happened at since. One process at a time: what another one
/// is about to forget need not be waited for.
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
    type Row = (Vec<u8>, i64, String, Vec<i16>, Vec<String>);
    let mut rows: Vec<Row> = Vec::new();
    for old in OLD {
        let found: Vec<Row> = query_as(sqlx::AssertSqlSafe(format!(
            "SELECT id, created_ms, holders, \
             ARRAY(SELECT seat FROM sittings WHERE game = id ORDER BY seat), \
             ARRAY(SELECT holder FROM sittings WHERE game = id ORDER BY seat) \
             FROM games WHERE created_ms < $1 AND {old} ORDER BY created_ms, id LIMIT $2"
        )))
        .bind(signed(before_ms))
        .bind(FORGOTTEN_AT_ONCE)
        .fetch_all(&mut *at)
        .await?;
        rows.extend(found);
    }
    let ids: Vec<Vec<u8>> = rows.iter().map(|row| row.0.clone()).collect();
    let (mut names, mut times, mut games) = (Vec::new(), Vec::new(), Vec::new());
    for (id, created_ms, holders, seats, sitters) in rows {
        let sat: Vec<(i16, String)> = seats.into_iter().zip(sitters).collect();
        for name in player_names(&holders_now(read_id(&id)?, &holders, &sat)?) {
            names.push(name);
            times.push(created_ms);
            games.push(id.clone());
        }
    }
    query(
        "DELETE FROM players USING unnest($1::text[], $2::int8[], $3::bytea[]) AS old (n, c, g) \
         WHERE name = n AND created_ms = c AND game = g",
    )
    .bind(names)
    .bind(times)
    .bind(games)
    .execute(&mut *at)
    .await?;
    for (table, column) in TABLES_OF_GAMES {
        let delete = format!("DELETE FROM {table} WHERE {column} = ANY ($1)");
        query(sqlx::AssertSqlSafe(delete))
            .bind(ids.clone())
            .execute(&mut *at)
            .await?;
    }
    at.commit().await?;
    ids.iter().map(|id| read_id(id)).collect()
}

/// By the database's clock, since those of the processes may differ.
pub(super) async fn renew(
    to: &mut PgConnection,
    node: NodeId,
    lasts_ms: u64,
) -> Result<Vec<NodeId>, StoreError> {
    let lapsed: Vec<(String,)> = query_as(
        "WITH clock AS (SELECT (extract(epoch FROM now()) * 1000)::int8 AS now_ms), renewed AS (\
             INSERT INTO nodes (node, until_ms) SELECT $1, now_ms + $2 FROM clock \
             ON CONFLICT (node) DO UPDATE SET until_ms = excluded.until_ms\
         ) SELECT node FROM nodes, clock WHERE node <> $1 AND until_ms <= now_ms ORDER BY node",
    )
    .bind(write_node(node))
    .bind(signed(lasts_ms.min(u32::MAX.into())))
    .fetch_all(to)
    .await?;
    Ok(lapsed
        .iter()
        .filter_map(|(node,)| read_node(node))
        .collect())
}

pub(super) async fn bury(to: &mut PgConnection, node: NodeId) -> Result<(), StoreError> {
    query("DELETE FROM nodes WHERE node = $1")
        .bind(write_node(node))
        .execute(to)
        .await?;
    Ok(())
}
