//! Functions that are the same for SQLite and PostgreSQL, written once as macros.
//!
//! In sqlx each database has its own connection type. A function that is generic over both types would need
//! many trait bounds. Therefore each store expands these macros for its connection type.

/// Defines the functions that read and are the same in both databases. `$has_tcp_seat` is the condition of
/// the index `games_tied`; `$has_presence` tells whether the table `presence` exists.
macro_rules! shared_reads {
    ($connection:ty, $database:ty, $has_tcp_seat:literal, $has_presence:literal) => {
        /// The latest game with this key, unless the key has expired.
        pub(super) async fn created_with(
            from: &mut $connection,
            scope: &str,
            key: &str,
            now_ms: u64,
        ) -> Result<Option<(GameId, CreationKey)>, StoreError> {
            type Columns = (Vec<u8>, String, Option<String>, Option<i64>);
            let found: Option<Columns> = query_as(
                "SELECT id, key_scope, key, request FROM games WHERE key = $1 \
                 AND key_scope IN ($2, '') AND created_ms > $3 \
                 ORDER BY created_ms DESC, id DESC LIMIT 1",
            )
            .bind(key)
            .bind(scope)
            .bind(signed(now_ms) - signed(KEY_LIFETIME_MS))
            .fetch_optional(from)
            .await?;
            let Some((id, scope, key, request)) = found else {
                return Ok(None);
            };
            let id = read_id(&id)?;
            Ok(read_creation_key(scope, key, request).map(|key| (id, key)))
        }

        /// Reads a list of games inside the open transaction.
        pub(super) async fn list_in_transaction(
            from: &mut $connection,
            query: ListQuery,
            unreadable: &UnreadableGames,
            is_present: impl Fn(GameId) -> bool,
        ) -> Result<Vec<ListedGame>, StoreError> {
            let mut list = ListInProgress::new(query, unreadable);
            loop {
                let mut rows = Vec::new();
                for status in statuses(list.query()) {
                    let mut select = select_page::<$database>(list.query(), status, $has_presence);
                    for row in select.build().fetch_all(&mut *from).await? {
                        let columns = ListedColumns::from_row(&row);
                        rows.push(PageRow::new(row.try_get(0), row.try_get(1), columns));
                    }
                }
                if let Some(listed) = list.add(rows, &is_present) {
                    return Ok(listed);
                }
            }
        }

        pub(super) async fn analysis(
            from: &mut $connection,
            game: GameId,
        ) -> Result<Option<String>, StoreError> {
            let found: Option<(String,)> =
                query_as("SELECT analysis FROM analyses WHERE game = $1")
                    .bind(id_bytes(game))
                    .fetch_optional(from)
                    .await?;
            Ok(found.map(|(analysis,)| analysis))
        }

        pub(super) async fn secret(from: &mut $connection) -> Result<[u8; 32], StoreError> {
            let (secret,): (Vec<u8>,) = query_as("SELECT secret FROM secrets")
                .fetch_one(from)
                .await?;
            let wrong = |_| StoreError::Corrupt("the secret does not have 32 bytes".to_owned());
            secret.try_into().map_err(wrong)
        }

        pub(super) async fn seats_of_node(
            from: &mut $connection,
            node: NodeId,
            unreadable: &UnreadableGames,
        ) -> Result<Vec<(GameId, SeatSet)>, StoreError> {
            let select = concat!(
                "SELECT id, seats FROM games WHERE ",
                $has_tcp_seat,
                " AND ended_ms IS NULL ORDER BY id"
            );
            let mut found = Vec::new();
            for row in sqlx::query(select).fetch_all(from).await? {
                let id: Vec<u8> = row.try_get(0).unwrap_or_default();
                let seats = row.try_get::<&str, _>(1).map_err(StoreError::from);
                match seats.and_then(|seats| read_seats_of_node(node, &id, seats)) {
                    Ok(seats) => found.extend(seats),
                    Err(error) => unreadable.log(read_id(&id).ok(), &error),
                }
            }
            Ok(found)
        }

        /// The other nodes with their counters, some games whose deadline passed before `before_ms`, and the latest
        /// outages.
        pub(super) async fn nodes_and_overdue(
            from: &mut $connection,
            node: NodeId,
            before_ms: i64,
        ) -> Result<Sweep, sqlx::Error> {
            let nodes: Vec<(String, i64)> =
                query_as("SELECT node, counter FROM nodes WHERE node <> $1 ORDER BY node")
                    .bind(write_node(node))
                    .fetch_all(&mut *from)
                    .await?;
            let overdue: Vec<(Vec<u8>,)> = query_as(
                "SELECT id FROM games WHERE deadline_ms IS NOT NULL AND deadline_ms < $1 \
                 ORDER BY deadline_ms, id LIMIT $2",
            )
            .bind(before_ms)
            .bind(MAX_OVERDUE as i64)
            .fetch_all(&mut *from)
            .await?;
            let outages: Vec<(i64, i64)> =
                query_as("SELECT from_ms, until_ms FROM outages ORDER BY until_ms DESC LIMIT $1")
                    .bind(MAX_OUTAGES as i64)
                    .fetch_all(from)
                    .await?;
            let outage = |(from_ms, until_ms): &(i64, i64)| Outage {
                from_ms: unsigned(*from_ms),
                until_ms: unsigned(*until_ms),
            };
            let other =
                |(node, counter): &(String, i64)| Some((read_node(node)?, unsigned(*counter)));
            Ok(Sweep {
                others: nodes.iter().filter_map(other).collect(),
                now_ms: None,
                overdue: overdue.iter().flat_map(|(id,)| read_id(id)).collect(),
                outages: outages.iter().map(outage).collect(),
            })
        }

        pub(super) async fn exists(
            from: &mut $connection,
            game: GameId,
        ) -> Result<bool, sqlx::Error> {
            let found = sqlx::query("SELECT 1 FROM games WHERE id = $1")
                .bind(id_bytes(game))
                .fetch_optional(from)
                .await?;
            Ok(found.is_some())
        }
    };
}

/// Defines the functions that write and are the same in both databases.
macro_rules! shared_writes {
    ($connection:ty) => {
        pub(super) async fn store_analysis(
            to: &mut $connection,
            game: GameId,
            analysis: &str,
        ) -> Result<(), StoreError> {
            query(
                "INSERT INTO analyses (game, analysis) SELECT id, $1 FROM games WHERE id = $2 \
                 ON CONFLICT DO NOTHING",
            )
            .bind(analysis)
            .bind(id_bytes(game))
            .execute(to)
            .await?;
            Ok(())
        }

        pub(super) async fn postpone(
            to: &mut $connection,
            game: GameId,
            before_ms: u64,
            deadline_ms: u64,
        ) -> Result<(), StoreError> {
            query("UPDATE games SET deadline_ms = $1 WHERE id = $2 AND deadline_ms < $3")
                .bind(signed(deadline_ms))
                .bind(id_bytes(game))
                .bind(signed(before_ms))
                .execute(to)
                .await?;
            Ok(())
        }
    };
}

/// Migrates a database to the schema of this program, in one transaction.
///
/// The caller defines `version`, `begin_migration`, `longest_lease_ms` and `insert_pairs`, which differ between
/// databases. `$integer` and `$bytes` are column types, and `$steps` has the statements of each schema.
macro_rules! shared_migration {
    ($connection:ty, $integer:literal, $bytes:literal, $steps:expr) => {
        pub(super) async fn migrate(connection: &mut $connection) -> Result<(), StoreError> {
            if version(connection).await? == SCHEMA {
                return Ok(());
            }
            let old_nodes = OldNodes::new();
            loop {
                let mut at = begin_migration(connection).await?;
                // Another process may have migrated the database in the meantime.
                let version = version(&mut at).await?;
                if version == 1
                    && let Some(wait) = old_nodes.wait(longest_lease_ms(&mut at).await?)?
                {
                    at.rollback().await?;
                    sleep(wait).await;
                    continue;
                }
                run_steps(&mut at, version).await?;
                at.commit().await?;
                return Ok(());
            }
        }

        async fn run_steps(at: &mut $connection, version: i64) -> Result<(), StoreError> {
            const CREATE: &str = concat!(
                "CREATE TABLE IF NOT EXISTS schema_steps (version ",
                $integer,
                " NOT NULL PRIMARY KEY)"
            );
            raw_sql(CREATE).execute(&mut *at).await?;
            for (number, sql) in (1..).zip($steps) {
                if number <= version {
                    continue;
                }
                if number == 2 {
                    prepare_entries(at).await?;
                }
                raw_sql(sql).execute(&mut *at).await?;
                query("INSERT INTO schema_steps VALUES ($1)")
                    .bind(number)
                    .execute(&mut *at)
                    .await?;
            }
            // This is the last step, because games are read with the newest schema.
            match version {
                1 => set_deadlines(at).await,
                _ => Ok(()),
            }
        }

        /// Fills the temporary tables that the migration to schema 2 reads.
        async fn prepare_entries(at: &mut $connection) -> Result<(), StoreError> {
            const CREATE: &str = concat!(
                "CREATE TEMPORARY TABLE seats_now (game ",
                $bytes,
                " PRIMARY KEY, seats TEXT NOT NULL); \
                 CREATE TEMPORARY TABLE rematch_ids (game ",
                $bytes,
                " PRIMARY KEY, data TEXT NOT NULL)"
            );
            raw_sql(CREATE).execute(&mut *at).await?;
            let sittings: Vec<OldSeat> = query_as(
                "SELECT game, seat, holder, holders FROM sittings JOIN games ON id = game \
                 ORDER BY game, seat",
            )
            .fetch_all(&mut *at)
            .await?;
            insert_pairs(at, "seats_now", seats_now(sittings)).await?;
            let rematches: Vec<(Vec<u8>, Vec<u8>)> = query_as("SELECT game, next FROM rematches")
                .fetch_all(&mut *at)
                .await?;
            insert_pairs(at, "rematch_ids", rematch_ids(rematches)).await?;
            Ok(())
        }

        /// Sets the deadlines of games with robots. Schema 1 stored no deadlines.
        async fn set_deadlines(at: &mut $connection) -> Result<(), StoreError> {
            let unfinished: Vec<(Vec<u8>,)> =
                query_as("SELECT id FROM games WHERE ended_ms IS NULL AND seats LIKE '%robot %'")
                    .fetch_all(&mut *at)
                    .await?;
            for id in unfinished.iter().filter_map(|(id,)| read_id(id).ok()) {
                let game = match read::load(at, id).await {
                    Ok(Some(game)) => game,
                    Ok(None) => continue,
                    Err(error @ StoreError::Corrupt(_)) => {
                        tracing::error!(game = %id, %error, "cannot read a migrated game");
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                if let Some(deadline_ms) = deadline_of(game) {
                    query("UPDATE games SET deadline_ms = $1 WHERE id = $2")
                        .bind(signed(deadline_ms))
                        .bind(id_bytes(id))
                        .execute(&mut *at)
                        .await?;
                }
            }
            Ok(())
        }
    };
}

pub(super) use {shared_migration, shared_reads, shared_writes};
