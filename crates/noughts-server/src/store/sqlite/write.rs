//! A batch of requests as statements: one for all games, one for all turns, one for all endings.
//!
//! A statement for each row would be a hundred times slower than one for a thousand rows.

use std::collections::HashSet;

use noughts_rules::Seat;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, query, query_as};

use crate::id::{GameId, NodeId};
use crate::store::row::{
    NewTurn, OLD, TABLES_OF_GAMES, archived_turns, family_name, holders_now, id_bytes, is_tied,
    key_columns, missing, player_name, player_names, read_id, signed, status_word,
};
use crate::store::text::{
    read_node, row_length, write_conclusion, write_holder, write_holders, write_node,
};
use crate::store::writer::{Done, Outcome, Request, firsts};
use crate::store::{Appended, Created, Ending, NewGame, Sitting, StoreError, StoredGame};
use crate::table::Holder;

/// Writes a batch inside the transaction that is open. Requests of different kinds are written kind
/// by kind: who asked for two things at once asked for them in any order.
pub(super) async fn write_batch(
    to: &mut SqliteConnection,
    batch: &[Request],
) -> Result<Vec<Outcome>, sqlx::Error> {
    let mut games = Vec::new();
    let mut turns = Vec::new();
    let mut endings = Vec::new();
    let mut others = Vec::new();
    for (at, request) in batch.iter().enumerate() {
        match request {
            Request::Create(game) => games.push((at, game)),
            Request::Turn(turn) => turns.push((at, turn)),
            Request::Finish(game, ending) => endings.push((*game, ending)),
            other => others.push((at, other)),
        }
    }
    let mut outcomes: Vec<Outcome> = vec![Ok(Done::Nothing); batch.len()];
    for (at, created) in create_all(to, games).await? {
        outcomes[at] = created.map(Done::Created);
    }
    for (at, other) in others {
        outcomes[at] = match other {
            Request::Sit(game, seat, sitting) => appended(sit(to, *game, *seat, sitting).await?),
            Request::Rematch(game, seat, next) => {
                appended(rematch(to, *game, *seat, next.as_ref()).await?)
            }
            Request::KeepAnalysis(game, analysis) => keep_analysis(to, *game, analysis).await?,
            Request::Renew(node, lasts_ms) => renew(to, *node, *lasts_ms).await?,
            Request::Bury(node) => bury(to, *node).await?,
            Request::Forget(before_ms) => forget(to, *before_ms).await?,
            Request::Archive(game, ending) => archive(to, game, ending).await?.map(Done::Created),
            Request::Create(_) | Request::Turn(_) | Request::Finish(..) => Ok(Done::Nothing),
        };
    }
    for (at, outcome) in append_all(to, turns).await? {
        outcomes[at] = appended(outcome);
    }
    finish_all(to, endings).await?;
    Ok(outcomes)
}

fn appended(outcome: Result<Appended, StoreError>) -> Outcome {
    outcome.map(Done::Appended)
}

/// Cuts rows into pieces of few different lengths, so that few different statements are prepared.
fn pieces<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    const LONGEST: usize = 512;
    std::iter::from_fn(move || {
        let length = (rows.len().checked_ilog2()?.min(LONGEST.ilog2())) as usize;
        let (piece, rest) = rows.split_at(1 << length);
        rows = rest;
        Some(piece)
    })
}

async fn create_all(
    to: &mut SqliteConnection,
    games: Vec<(usize, &NewGame)>,
) -> Result<Vec<(usize, Result<Created, StoreError>)>, sqlx::Error> {
    let (firsts, repeats) = firsts(games, |(_, game)| game.setting.id);
    let mut outcomes = Vec::with_capacity(firsts.len());
    let alone = repeats.chunks(1);
    for piece in pieces(&firsts).chain(alone) {
        let new: Vec<&NewGame> = piece.iter().map(|(_, game)| *game).collect();
        let stored = insert_games(to, &new).await?;
        for (at, game) in piece {
            let outcome = match stored.contains(&game.setting.id) {
                true => Ok(Created::Stored),
                false => before(to, game).await?,
            };
            outcomes.push((*at, outcome));
        }
    }
    Ok(outcomes)
}

/// Inserts games, and gives those that were not there.
async fn insert_games(
    to: &mut SqliteConnection,
    games: &[&NewGame],
) -> Result<HashSet<GameId>, sqlx::Error> {
    let mut insert = QueryBuilder::<Sqlite>::new(
        "INSERT INTO games (id, variant, family, row_length, history, start, holders, created_ms, \
         key, body, status, tied) ",
    );
    insert.push_values(games, |mut row, game| {
        let setting = &game.setting;
        let (key, body) = key_columns(game.key.as_ref());
        let start = setting.start.as_ref();
        row.push_bind(id_bytes(setting.id))
            .push_bind(setting.variant.to_string())
            .push_bind(family_name(&setting.variant))
            .push_bind(row_length(&setting.variant) as i64)
            .push_bind(i32::from(setting.history))
            .push_bind(start.map(|start| start.write(&setting.variant)))
            .push_bind(write_holders(&setting.holders))
            .push_bind(signed(setting.created_ms))
            .push_bind(key)
            .push_bind(body)
            .push_bind(status_word(&setting.holders))
            .push_bind(is_tied(&setting.holders));
    });
    insert.push(" ON CONFLICT DO NOTHING RETURNING id");
    let rows: Vec<(Vec<u8>,)> = insert.build_query_as().fetch_all(&mut *to).await?;
    let stored: HashSet<GameId> = rows.iter().filter_map(|(id,)| read_id(id).ok()).collect();
    let mut players = Vec::new();
    for game in games
        .iter()
        .filter(|game| stored.contains(&game.setting.id))
    {
        for name in player_names(&game.setting.holders) {
            players.push((name, *game));
        }
    }
    for piece in pieces(&players) {
        let mut insert =
            QueryBuilder::<Sqlite>::new("INSERT INTO players (name, created_ms, game, family) ");
        insert.push_values(piece, |mut row, (name, game)| {
            row.push_bind(name.clone())
                .push_bind(signed(game.setting.created_ms))
                .push_bind(id_bytes(game.setting.id))
                .push_bind(family_name(&game.setting.variant));
        });
        insert.push(" ON CONFLICT DO NOTHING");
        insert.build().execute(&mut *to).await?;
    }
    Ok(stored)
}

/// Why a game was not stored: its key was used before, or its id.
async fn before(
    to: &mut SqliteConnection,
    game: &NewGame,
) -> Result<Result<Created, StoreError>, sqlx::Error> {
    let found: Option<(Vec<u8>,)> = match &game.key {
        None => None,
        Some(key) => {
            query_as("SELECT id FROM games WHERE key = ?")
                .bind(key.text.clone())
                .fetch_optional(to)
                .await?
        }
    };
    Ok(match found {
        Some((id,)) => read_id(&id).map(Created::Before),
        None => {
            let id = game.setting.id;
            Err(StoreError(format!("there is another game {id}")))
        }
    })
}

/// A game with all its turns and its end.
async fn archive(
    to: &mut SqliteConnection,
    game: &StoredGame,
    ending: &Ending,
) -> Result<Result<Created, StoreError>, sqlx::Error> {
    let new = NewGame {
        setting: game.setting.clone(),
        key: game.key.clone(),
    };
    if insert_games(to, &[&new]).await?.is_empty() {
        return before(to, &new).await;
    }
    for piece in pieces(&archived_turns(game)) {
        let mut insert = QueryBuilder::<Sqlite>::new(
            "INSERT INTO turns (game, number, seat, action, at_ms, key, body) ",
        );
        insert.push_values(piece, |mut row, turn| {
            row.push_bind(id_bytes(turn.game))
                .push_bind(turn.number)
                .push_bind(turn.seat)
                .push_bind(turn.word.clone())
                .push_bind(turn.at_ms)
                .push_bind(turn.key.clone())
                .push_bind(turn.body);
        });
        insert.build().execute(&mut *to).await?;
    }
    finish_all(to, vec![(game.setting.id, ending)]).await?;
    Ok(Ok(Created::Stored))
}

async fn append_all(
    to: &mut SqliteConnection,
    mut turns: Vec<(usize, &NewTurn)>,
) -> Result<Vec<(usize, Result<Appended, StoreError>)>, sqlx::Error> {
    turns.sort_by_key(|(_, turn)| turn.place());
    let (firsts, repeats) = firsts(turns, |(_, turn)| turn.place());
    let mut outcomes = Vec::with_capacity(firsts.len() + repeats.len());
    let alone = repeats.chunks(1);
    for piece in pieces(&firsts).chain(alone) {
        let new: Vec<&NewTurn> = piece.iter().map(|(_, turn)| *turn).collect();
        let stored = insert_turns(to, &new).await?;
        // What ended games by being stored, they are listed with.
        let last = |turn: &&NewTurn| {
            let (ended_ms, conclusion) = turn.ending.clone()?;
            let is_stored = stored.contains(&turn.place());
            is_stored.then_some((turn.game, ended_ms, conclusion))
        };
        let endings: Vec<EndingRow> = new.iter().filter_map(last).collect();
        update_ended(to, &endings).await?;
        for (at, turn) in piece {
            let outcome = match stored.contains(&turn.place()) {
                true => Ok(Appended::Stored),
                false => taken(to, turn.game).await?,
            };
            outcomes.push((*at, outcome));
        }
    }
    Ok(outcomes)
}

/// Inserts turns whose predecessor is there, and gives those that were not there themselves.
async fn insert_turns(
    to: &mut SqliteConnection,
    turns: &[&NewTurn],
) -> Result<HashSet<(GameId, i32)>, sqlx::Error> {
    let mut insert = QueryBuilder::<Sqlite>::new(
        "INSERT INTO turns (game, number, seat, action, at_ms, key, body) \
         SELECT column1, column2, column3, coalesce(column5, \
         (column4 / games.row_length) || '-' || (column4 % games.row_length)), \
         column6, column7, column8 FROM (",
    );
    insert.push_values(turns, |mut row, turn| {
        row.push_bind(id_bytes(turn.game))
            .push_bind(turn.number)
            .push_bind(turn.seat)
            .push_bind(turn.cell)
            .push_bind(turn.word.clone())
            .push_bind(turn.at_ms)
            .push_bind(turn.key.clone())
            .push_bind(turn.body);
    });
    // A cross join is done in the order in which it is written.
    insert.push(
        ") CROSS JOIN games ON games.id = column1 WHERE column2 = 1 OR EXISTS (SELECT 1 FROM turns \
         AS previous WHERE previous.game = column1 AND previous.number = column2 - 1 \
         AND previous.seat IS NOT NULL) ON CONFLICT DO NOTHING RETURNING game, number",
    );
    let rows: Vec<(Vec<u8>, i32)> = insert.build_query_as().fetch_all(to).await?;
    let place = |(id, number): &(Vec<u8>, i32)| Some((read_id(id).ok()?, *number));
    Ok(rows.iter().filter_map(place).collect())
}

/// What is said of a row that was not stored.
async fn taken(
    to: &mut SqliteConnection,
    game: GameId,
) -> Result<Result<Appended, StoreError>, sqlx::Error> {
    Ok(match exists(to, game).await? {
        true => Ok(Appended::Taken),
        false => Err(missing(game)),
    })
}

async fn exists(to: &mut SqliteConnection, game: GameId) -> Result<bool, sqlx::Error> {
    let found: Option<(i64,)> = query_as("SELECT 1 FROM games WHERE id = ?")
        .bind(id_bytes(game))
        .fetch_optional(to)
        .await?;
    Ok(found.is_some())
}

async fn finish_all(
    to: &mut SqliteConnection,
    endings: Vec<(GameId, &Ending)>,
) -> Result<(), sqlx::Error> {
    let (mut firsts, _) = firsts(endings, |(game, _)| *game);
    firsts.sort_by_key(|(game, _)| *game);
    let row = |(game, ending): (GameId, &Ending)| {
        let conclusion = write_conclusion(&ending.conclusion);
        (game, signed(ending.at_ms), conclusion)
    };
    let rows: Vec<EndingRow> = firsts.into_iter().map(row).collect();
    update_ended(to, &rows).await
}

/// Which game, when it ended, and how.
type EndingRow = (GameId, i64, String);

/// Lists each of these as over, where it was not.
async fn update_ended(to: &mut SqliteConnection, rows: &[EndingRow]) -> Result<(), sqlx::Error> {
    for piece in pieces(rows) {
        let mut update = QueryBuilder::<Sqlite>::new(
            "UPDATE games SET ended_ms = column2, conclusion = column3, status = 'over' FROM (",
        );
        update.push_values(piece, |mut row, (game, ended_ms, conclusion)| {
            row.push_bind(id_bytes(*game))
                .push_bind(*ended_ms)
                .push_bind(conclusion.clone());
        });
        update.push(") WHERE games.id = column1 AND games.ended_ms IS NULL");
        update.build().execute(&mut *to).await?;
    }
    Ok(())
}

async fn sit(
    to: &mut SqliteConnection,
    game: GameId,
    seat: Seat,
    sitting: &Sitting,
) -> Result<Result<Appended, StoreError>, sqlx::Error> {
    type Row = (String, i64, String, String, Option<String>);
    let found: Option<Row> = query_as(
        "SELECT status, created_ms, family, holders, (SELECT action FROM turns WHERE game = id \
         AND seat IS NULL AND number = (SELECT max(number) FROM turns WHERE game = id)) \
         FROM games WHERE id = ?",
    )
    .bind(id_bytes(game))
    .fetch_optional(&mut *to)
    .await?;
    let Some((status, created_ms, family, holders, left)) = found else {
        return Ok(Err(missing(game)));
    };
    let sat: Vec<(i16, String)> = query_as("SELECT seat, holder FROM sittings WHERE game = ?")
        .bind(id_bytes(game))
        .fetch_all(&mut *to)
        .await?;
    let mut holders = match holders_now(game, &holders, &sat) {
        Ok(holders) => holders,
        Err(error) => return Ok(Err(error)),
    };
    let holder = sitting.holder();
    match holders.get_mut(usize::from(seat.0)) {
        Some(open @ Holder::Open(_)) if status != "over" && left.is_none() => {
            *open = holder.clone();
        }
        Some(_) | None => return Ok(Ok(Appended::Taken)),
    }
    let (key, body) = key_columns(sitting.key.as_ref());
    query("INSERT INTO sittings (game, seat, holder, key, body) VALUES (?, ?, ?, ?, ?)")
        .bind(id_bytes(game))
        .bind(i16::from(seat.0))
        .bind(write_holder(&holder))
        .bind(key)
        .bind(body)
        .execute(&mut *to)
        .await?;
    query("UPDATE games SET status = ?, tied = ? WHERE id = ?")
        .bind(status_word(&holders))
        .bind(is_tied(&holders))
        .bind(id_bytes(game))
        .execute(&mut *to)
        .await?;
    query("INSERT INTO players (name, created_ms, game, family) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
        .bind(player_name(&holder))
        .bind(created_ms)
        .bind(id_bytes(game))
        .bind(family)
        .execute(to)
        .await?;
    Ok(Ok(Appended::Stored))
}

async fn rematch(
    to: &mut SqliteConnection,
    game: GameId,
    seat: Seat,
    next: Option<&NewGame>,
) -> Result<Result<Appended, StoreError>, sqlx::Error> {
    if !exists(to, game).await? {
        return Ok(Err(missing(game)));
    }
    let made: Option<(i64,)> = query_as("SELECT 1 FROM rematches WHERE game = ?")
        .bind(id_bytes(game))
        .fetch_optional(&mut *to)
        .await?;
    if made.is_some() {
        return Ok(Ok(Appended::Taken));
    }
    if let Some(next) = next {
        if insert_games(to, &[next]).await?.is_empty() {
            return Ok(before(to, next).await?.and_then(|created| {
                Err(StoreError(format!(
                    "the rematch is another game: {created:?}"
                )))
            }));
        }
        query("INSERT INTO rematches (game, next) VALUES (?, ?)")
            .bind(id_bytes(game))
            .bind(id_bytes(next.setting.id))
            .execute(&mut *to)
            .await?;
    }
    query("INSERT INTO wishes (game, seat) VALUES (?, ?) ON CONFLICT DO NOTHING")
        .bind(id_bytes(game))
        .bind(i16::from(seat.0))
        .execute(to)
        .await?;
    Ok(Ok(Appended::Stored))
}

async fn keep_analysis(
    to: &mut SqliteConnection,
    game: GameId,
    analysis: &str,
) -> Result<Outcome, sqlx::Error> {
    if !exists(to, game).await? {
        return Ok(Err(missing(game)));
    }
    query("INSERT INTO analyses (game, analysis) VALUES (?, ?) ON CONFLICT DO NOTHING")
        .bind(id_bytes(game))
        .bind(analysis.to_owned())
        .execute(to)
        .await?;
    Ok(Ok(Done::Nothing))
}

async fn renew(
    to: &mut SqliteConnection,
    node: NodeId,
    lasts_ms: u64,
) -> Result<Outcome, sqlx::Error> {
    query(
        "INSERT INTO nodes (node, until_ms) VALUES (?, CAST(unixepoch('subsec') * 1000 AS INTEGER) + ?) \
         ON CONFLICT (node) DO UPDATE SET until_ms = excluded.until_ms",
    )
    .bind(write_node(node))
    .bind(signed(lasts_ms.min(u32::MAX.into())))
    .execute(&mut *to)
    .await?;
    let lapsed: Vec<(String,)> = query_as(
        "SELECT node FROM nodes WHERE node <> ? AND until_ms <= unixepoch('subsec') * 1000 ORDER BY node",
    )
    .bind(write_node(node))
    .fetch_all(to)
    .await?;
    let nodes = lapsed.iter().filter_map(|(node,)| read_node(node));
    Ok(Ok(Done::Lapsed(nodes.collect())))
}

/// How many games are forgotten at once: others wait meanwhile.
const FORGOTTEN_AT_ONCE: i64 = 200;

/// Forgets some of the games that nothing happened at since.
async fn forget(to: &mut SqliteConnection, before_ms: u64) -> Result<Outcome, sqlx::Error> {
    let mut forgotten = Vec::new();
    for old in OLD {
        let rows: Vec<(Vec<u8>, i64, String)> = query_as(sqlx::AssertSqlSafe(format!(
            "SELECT id, created_ms, holders FROM games WHERE created_ms < $1 AND {old} \
             ORDER BY created_ms, id LIMIT $2"
        )))
        .bind(signed(before_ms))
        .bind(FORGOTTEN_AT_ONCE)
        .fetch_all(&mut *to)
        .await?;
        for (id, created_ms, holders) in &rows {
            let sat: Vec<(i16, String)> =
                query_as("SELECT seat, holder FROM sittings WHERE game = ?")
                    .bind(id)
                    .fetch_all(&mut *to)
                    .await?;
            let read = read_id(id).and_then(|game| Ok((game, holders_now(game, holders, &sat)?)));
            let (game, names) = match read {
                Ok((game, holders)) => (game, player_names(&holders)),
                Err(error) => return Ok(Err(error)),
            };
            forgotten.push(game);
            for name in names {
                query("DELETE FROM players WHERE name = ? AND created_ms = ? AND game = ?")
                    .bind(name)
                    .bind(created_ms)
                    .bind(id)
                    .execute(&mut *to)
                    .await?;
            }
            for (table, column) in TABLES_OF_GAMES {
                let delete = format!("DELETE FROM {table} WHERE {column} = ?");
                query(sqlx::AssertSqlSafe(delete))
                    .bind(id)
                    .execute(&mut *to)
                    .await?;
            }
        }
    }
    Ok(Ok(Done::Forgotten(forgotten)))
}

async fn bury(to: &mut SqliteConnection, node: NodeId) -> Result<Outcome, sqlx::Error> {
    query("DELETE FROM nodes WHERE node = ?")
        .bind(write_node(node))
        .execute(to)
        .await?;
    Ok(Ok(Done::Nothing))
}
