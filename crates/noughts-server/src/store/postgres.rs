//! Games in PostgreSQL, for any number of processes at once.
//!
//! A turn is one statement, which commits by itself: its keys decide who was first, in whichever
//! process. Everything that must look before it writes locks the game's row first.

mod ledger;
mod notify;
mod read;
mod write;

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use noughts_rules::Seat;
use sqlx::ConnectOptions;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use self::ledger::{PostgresLedger, migrate};
use super::row::NewTurn;
use super::writer::{Request, Tally, Writer};
use super::{
    Answer, Appended, Created, Ending, Last, Listed, NewGame, Query, Sitting, Store, StoreError,
    StoreFigures, StoredGame, StoredTurn,
};
use crate::bus::Bus;
use crate::id::{GameId, NodeId};
use crate::table::Leavers;

/// Games in PostgreSQL.
#[derive(Debug)]
pub struct Postgres {
    pool: PgPool,
    // One queue a kind, so that each batch is one statement.
    games: Writer,
    turns: Writer,
    endings: Writer,
    tally: Arc<Tally>,
}

/// A server takes a hundred connections unless it is told otherwise: ten processes have room.
const CONNECTIONS: u32 = 10;

/// How many statements that append turns may be under way. While one waits for the disk, the next
/// is on its way.
const LANES: u32 = 2;

/// How long a connection is waited for, while all are in use or the database is away.
const CONNECT: Duration = Duration::from_secs(3);

/// How long the database may work on one statement.
const STATEMENT: &str = "5s";

/// How long an answer is waited for, when not even the database's own bound is heard of.
const ANSWER: Duration = Duration::from_secs(8);

impl Postgres {
    /// Connects to `postgres://user@host/database`, and brings its schema to what this program knows.
    /// Takes as long with a million games as with none. A database that goes away later is an error
    /// for whoever asks meanwhile, and is connected to again when it is back.
    pub async fn open(url: &str) -> Result<Postgres, StoreError> {
        let told = |why: &dyn std::fmt::Display| {
            // The address may hold a password.
            StoreError(format!("the PostgreSQL database can't be opened: {why}"))
        };
        let options = PgConnectOptions::from_str(url).map_err(|error| told(&error))?;
        let options = options.application_name("noughts").options([
            ("statement_timeout", STATEMENT),
            ("lock_timeout", STATEMENT),
            ("idle_in_transaction_session_timeout", STATEMENT),
        ]);
        // Asked alone first: a pool would only say that it waited, and not what for.
        match timeout(CONNECT, options.connect()).await {
            Ok(Ok(connection)) => drop(connection),
            Ok(Err(error)) => return Err(told(&error)),
            Err(_) => return Err(told(&LATE)),
        }
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(CONNECT)
            .connect_with(options)
            .await
            .map_err(|error| told(&error))?;
        let mut connection = pool.acquire().await?;
        let migrated = timeout(ANSWER, migrate(&mut connection)).await;
        let late = || StoreError(LATE.to_owned());
        let migrated = migrated.unwrap_or_else(|_| Err(late()));
        migrated.map_err(|error| told(&error.0))?;
        drop(connection);
        let tally = Arc::new(Tally::default());
        let writer = |lanes| {
            let ledger = PostgresLedger { pool: pool.clone() };
            Writer::start(Arc::new(ledger), lanes, Arc::clone(&tally))
        };
        Ok(Postgres {
            games: writer(1),
            turns: writer(LANES),
            endings: writer(1),
            tally,
            pool,
        })
    }
}

const LATE: &str = "it took too long";

/// What became of work on a connection. One that did not answer in time is thrown away: its answer
/// might still come, to somebody else's question.
fn settled<T, E: Into<StoreError>>(
    connection: PoolConnection<sqlx::Postgres>,
    answer: Result<Result<T, E>, Elapsed>,
) -> Result<T, StoreError> {
    match answer {
        Ok(answer) => answer.map_err(Into::into),
        Err(_) => {
            drop(connection.detach());
            Err(StoreError(LATE.to_owned()))
        }
    }
}

/// Does something on a connection of its own, in bounded time.
macro_rules! on_connection {
    ($self:ident, $work:path $(, $argument:expr)*) => {
        Box::pin(async move {
            let mut connection = $self.pool.acquire().await?;
            let answer = timeout(ANSWER, $work(&mut connection $(, $argument)*)).await;
            settled(connection, answer)
        })
    };
}

/// The same, for what is durable when it is done.
macro_rules! written {
    ($self:ident, $work:path $(, $argument:expr)*) => {
        Box::pin(async move {
            let done = on_connection!($self, $work $(, $argument)*);
            $self.tally.count(1, done).await
        })
    };
}

impl Store for Postgres {
    fn create(&self, game: NewGame) -> Answer<'_, Created> {
        Box::pin(self.games.create(game))
    }

    fn created_with(&self, key: String) -> Answer<'_, Option<GameId>> {
        on_connection!(self, read::created_with, key)
    }

    fn sit(&self, game: GameId, seat: Seat, sitter: Sitting) -> Answer<'_, Appended> {
        written!(self, write::sit, game, seat, &sitter)
    }

    fn append(&self, game: GameId, number: usize, turn: StoredTurn) -> Answer<'_, Appended> {
        let turn = NewTurn::acted(game, number, &turn);
        Box::pin(self.turns.append(Request::Turn(turn)))
    }

    fn leave(&self, game: GameId, number: usize, leavers: Leavers) -> Answer<'_, Appended> {
        let turn = NewTurn::left(game, number, leavers);
        Box::pin(self.turns.append(Request::Turn(turn)))
    }

    fn conclude(&self, game: GameId, last: Last, ending: Ending) -> Answer<'_, Appended> {
        let turn = NewTurn::last(game, &last, &ending);
        Box::pin(self.turns.append(Request::Turn(turn)))
    }

    fn finish(&self, game: GameId, ending: Ending) -> Answer<'_, ()> {
        Box::pin(self.endings.note(Request::Finish(game, ending)))
    }

    fn rematch(&self, game: GameId, seat: Seat, next: Option<NewGame>) -> Answer<'_, Appended> {
        written!(self, write::rematch, game, seat, next.as_ref())
    }

    fn load(&self, game: GameId) -> Answer<'_, Option<StoredGame>> {
        on_connection!(self, read::load, game)
    }

    fn archive(&self, game: StoredGame, ending: Ending) -> Answer<'_, Created> {
        written!(self, write::archive, &game, &ending)
    }

    fn list(&self, query: Query) -> Answer<'_, Vec<Listed>> {
        on_connection!(self, read::list, query)
    }

    fn analysis(&self, game: GameId) -> Answer<'_, Option<String>> {
        on_connection!(self, read::analysis, game)
    }

    fn keep_analysis(&self, game: GameId, analysis: String) -> Answer<'_, ()> {
        written!(self, write::keep_analysis, game, &analysis)
    }

    fn figures(&self) -> StoreFigures {
        self.tally.figures()
    }

    fn secret(&self) -> Answer<'_, [u8; 32]> {
        on_connection!(self, read::secret)
    }

    fn renew(&self, node: NodeId, lasts_ms: u64) -> Answer<'_, Vec<NodeId>> {
        written!(self, write::renew, node, lasts_ms)
    }

    fn tied_to(&self, node: NodeId) -> Answer<'_, Vec<(GameId, Leavers)>> {
        on_connection!(self, read::tied_to, node)
    }

    fn bury(&self, node: NodeId) -> Answer<'_, ()> {
        written!(self, write::bury, node)
    }

    fn entries(&self, games: Vec<GameId>) -> Answer<'_, Vec<(GameId, usize)>> {
        on_connection!(self, read::entries, games)
    }

    fn forget(&self, before_ms: u64) -> Answer<'_, Vec<GameId>> {
        written!(self, write::forget, before_ms)
    }

    fn bus(&self, node: NodeId) -> Bus {
        notify::bus(self.pool.clone(), node)
    }
}
