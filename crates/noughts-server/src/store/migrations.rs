//! Numbered migrations, from each schema to the next. There are no migrations to an earlier schema.
//!
//! A store is migrated when it is opened, in one transaction, so a crash leaves the older schema. The table
//! `schema_steps` has the numbers of the applied migrations.

use std::time::{Duration, Instant};

use super::codec::read_id;
use super::{StoreError, StoredGame};
use crate::table::Table;

/// The number of the schema that this program reads and writes.
pub(crate) const SCHEMA: i64 = 7;

/// The statements that lead to each schema, starting with schema 1. They never change after a release.
pub(super) const SQLITE: [&str; SCHEMA as usize] = [
    include_str!("migrations/sqlite_0001.sql"),
    include_str!("migrations/sqlite_0002.sql"),
    include_str!("migrations/sqlite_0003.sql"),
    include_str!("migrations/sqlite_0004.sql"),
    include_str!("migrations/sqlite_0005.sql"),
    include_str!("migrations/sqlite_0006.sql"),
    include_str!("migrations/sqlite_0007.sql"),
];

/// The same as [`SQLITE`], for PostgreSQL.
pub(super) const POSTGRES: [&str; SCHEMA as usize] = [
    include_str!("migrations/postgres_0001.sql"),
    include_str!("migrations/postgres_0002.sql"),
    include_str!("migrations/postgres_0003.sql"),
    include_str!("migrations/postgres_0004.sql"),
    include_str!("migrations/postgres_0005.sql"),
    include_str!("migrations/postgres_0006.sql"),
    include_str!("migrations/postgres_0007.sql"),
];

/// All tables that any schema has used. If a database has one of these tables but no table `schema_steps`, it belongs
/// to another program.
pub(super) const TABLES: [&str; 22] = [
    "games",
    "entries",
    "players",
    "analyses",
    "nodes",
    "presence",
    "secrets",
    "probes",
    "sittings",
    "turns",
    "wishes",
    "rematches",
    "waiting",
    "waiting_lists",
    "seat_names",
    "player_tokens",
    "player_links",
    "quick_matches",
    "heartbeat",
    "outages",
    "bans",
    "announcements",
];

/// Refuses a store of a newer version of this program.
pub(super) fn check_version(schema: i64) -> Result<(), StoreError> {
    match schema > SCHEMA {
        true => Err(StoreError::TooNew {
            schema,
            known: SCHEMA,
        }),
        false => Ok(()),
    }
}

/// What to do with a store that is empty or has an older schema than this program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Opening {
    /// Create or migrate the store.
    Migrate,
    /// Refuse the store, so that it stays as it is.
    RefuseOlder,
}

impl Opening {
    /// With [`Opening::RefuseOlder`], returns an error if the store is empty (`schema` is 0) or has an older
    /// schema.
    pub(super) fn check(self, schema: i64) -> Result<(), StoreError> {
        match (self, schema) {
            (Opening::Migrate, _) | (Opening::RefuseOlder, SCHEMA) => Ok(()),
            (Opening::RefuseOlder, 0) => Err(StoreError::Invalid("it is empty".to_owned())),
            (Opening::RefuseOlder, _) => Err(StoreError::Invalid(format!(
                "it was made by an older version of noughts: its schema is {schema}, and this version uses schema \
                 {SCHEMA}; use the version that made it, or start `noughts serve` once, which migrates it"
            ))),
        }
    }
}

pub(super) fn another_program() -> StoreError {
    StoreError::Invalid("it is the database of another program".to_owned())
}

/// How long a migration waits for nodes of schema 1 to end. While such a node runs, it renews a lease of 10 s.
const MAX_WAIT: Duration = Duration::from_secs(15);

/// Waits for nodes of the older version to end, because they write tables that the migration removes.
#[derive(Debug)]
pub(super) struct OldNodes {
    give_up: Instant,
}

impl OldNodes {
    pub(super) fn new() -> OldNodes {
        OldNodes {
            give_up: Instant::now() + MAX_WAIT,
        }
    }

    /// How long to wait before the next check. `lease_ms` is the remaining time of the longest lease. Returns `None` if
    /// all leases have ended. Returns an error if the wait would be too long: in this case, a node of the older version
    /// still renews its lease.
    pub(super) fn wait(&self, lease_ms: i64) -> Result<Option<Duration>, StoreError> {
        if lease_ms <= 0 {
            return Ok(None);
        }
        let wait = Duration::from_millis(lease_ms.unsigned_abs());
        if Instant::now() + wait > self.give_up {
            return Err(StoreError::Invalid(
                "it has to be migrated, and a server of the older version is using it; stop every \
                 server that uses it and start this one again"
                    .to_owned(),
            ));
        }
        Ok(Some(wait))
    }
}

/// A seat of schema 1 that a player has taken: the game's id, the seat, the new holder, and the game's column
/// `holders`.
pub(super) type OldSeat = (Vec<u8>, i16, String, String);

/// For each game in `sittings`, the text of its holders after the seats were taken. In `sittings` the rows of a game
/// must be adjacent.
pub(super) fn seats_now(sittings: Vec<OldSeat>) -> Vec<(Vec<u8>, String)> {
    let mut games: Vec<(Vec<u8>, String)> = Vec::new();
    for (game, seat, holder, holders) in sittings {
        match games.last_mut() {
            Some((last, seats)) if *last == game => *seats = take_seat(seats, seat, &holder),
            Some(_) | None => games.push((game, take_seat(&holders, seat, &holder))),
        }
    }
    games
}

/// Replaces the line of one seat in the text `holders`. The other lines are not parsed, so unreadable lines stay
/// unchanged.
fn take_seat(holders: &str, seat: i16, holder: &str) -> String {
    let mut lines: Vec<&str> = holders.lines().collect();
    let line = usize::try_from(seat).ok().and_then(|s| lines.get_mut(s));
    if let Some(line) = line {
        *line = holder;
    }
    lines.join("\n")
}

/// For each pair of a game and its rematch: the id of the game, and the id of the rematch as text. A pair
/// with an unreadable rematch id is left out.
pub(super) fn rematch_ids(rematches: Vec<(Vec<u8>, Vec<u8>)>) -> Vec<(Vec<u8>, String)> {
    let text = |(game, next): (Vec<u8>, Vec<u8>)| Some((game, read_id(&next).ok()?.to_string()));
    rematches.into_iter().filter_map(text).collect()
}

/// The deadline of an unfinished game of schema 1. Schema 1 stored no deadlines. The sweep needs the deadline to resume
/// robots whose server stopped.
pub(super) fn deadline_of(game: StoredGame) -> Option<u64> {
    let id = game.settings.id;
    match Table::replay(game.settings, &game.entries) {
        Ok(table) => table.deadline_ms(),
        Err(invalid) => {
            tracing::error!(game = %id, entry = invalid.entry, "cannot replay a migrated game");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_seats_replace_lines() {
        let holders = "human Ann\nopen link\nnonsense";
        let sat =
            |game: u8, seat, who: &str| (vec![game], seat, who.to_owned(), holders.to_owned());
        let sittings = vec![
            sat(1, 1, "human Bob"),
            sat(1, 0, "human Cyd"),
            sat(2, 7, "human Dan"),
        ];
        let expected = [
            (vec![1], "human Cyd\nhuman Bob\nnonsense".to_owned()),
            (vec![2], holders.to_owned()),
        ];
        assert_eq!(seats_now(sittings), expected);
    }

    #[test]
    fn only_short_leases_are_waited_for() {
        let nodes = OldNodes::new();
        assert_eq!(nodes.wait(0), Ok(None));
        assert_eq!(nodes.wait(-5), Ok(None));
        assert_eq!(nodes.wait(1_000), Ok(Some(Duration::from_secs(1))));
        assert!(nodes.wait(60_000).is_err());
    }
}
