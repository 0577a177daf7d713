//! What operators do with the store: settings for all nodes (bans and the announcement), lists and deletions.

/// A network whose clients are refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ban {
    /// The network in CIDR notation, such as `192.0.2.0/24`.
    pub network: String,
    /// When the ban ends, in milliseconds since 1970.
    pub until_ms: u64,
    /// The reason, for operators.
    pub reason: String,
}

/// The settings of the operator, which apply to all nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OperatorSettings {
    /// All bans, ordered by network. They include bans that have ended.
    pub bans: Vec<Ban>,
    /// The current announcement.
    pub announcement: Option<String>,
}

/// Defines functions for operators that are the same for SQLite and PostgreSQL; see [`shared_sql`](super::shared_sql).
macro_rules! shared_operator_sql {
    ($connection:ty) => {
        pub(super) async fn operator_settings(from: &mut $connection) -> Result<OperatorSettings, StoreError> {
            let bans: Vec<(String, i64, String)> =
                query_as("SELECT network, until_ms, reason FROM bans ORDER BY network")
                    .fetch_all(&mut *from)
                    .await?;
            let announcement: Option<(String,)> =
                query_as("SELECT text FROM announcements WHERE id = 1")
                    .fetch_optional(from)
                    .await?;
            let bans = bans.into_iter().map(|(network, until_ms, reason)| Ban {
                network,
                until_ms: unsigned(until_ms),
                reason,
            });
            Ok(OperatorSettings {
                bans: bans.collect(),
                announcement: announcement.map(|(text,)| text),
            })
        }

        pub(super) async fn set_ban(to: &mut $connection, ban: &Ban) -> Result<(), StoreError> {
            query(
                "INSERT INTO bans (network, until_ms, reason) VALUES ($1, $2, $3) \
                 ON CONFLICT (network) DO UPDATE SET until_ms = $2, reason = $3",
            )
            .bind(&*ban.network)
            .bind(signed(ban.until_ms))
            .bind(&*ban.reason)
            .execute(to)
            .await?;
            Ok(())
        }

        pub(super) async fn remove_ban(
            to: &mut $connection,
            network: &str,
        ) -> Result<bool, StoreError> {
            let removed = query("DELETE FROM bans WHERE network = $1")
                .bind(network)
                .execute(to)
                .await?;
            Ok(removed.rows_affected() > 0)
        }

        pub(super) async fn announce(
            to: &mut $connection,
            text: Option<&str>,
        ) -> Result<(), StoreError> {
            match text {
                Some(text) => {
                    query(
                        "INSERT INTO announcements (id, text) VALUES (1, $1) \
                         ON CONFLICT (id) DO UPDATE SET text = $1",
                    )
                    .bind(text)
                    .execute(to)
                    .await?;
                }
                None => {
                    query("DELETE FROM announcements").execute(to).await?;
                }
            }
            Ok(())
        }

        /// At most `limit` players whose ids are greater than `after`, ordered by id.
        pub(super) async fn list_players(
            from: &mut $connection,
            after: Option<PlayerId>,
            limit: usize,
        ) -> Result<Vec<StoredPlayer>, StoreError> {
            let after = after.map(player_bytes).unwrap_or_default();
            let rows: Vec<(Vec<u8>, String, bool, i64)> = query_as(
                "SELECT id, name, is_bot, created_ms FROM players WHERE id > $1 ORDER BY id LIMIT $2",
            )
            .bind(after)
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .fetch_all(from)
            .await?;
            let read = |(id, name, is_bot, created_ms): (Vec<u8>, String, bool, i64)| {
                Ok(StoredPlayer {
                    id: read_player_id(&id)?,
                    name,
                    is_bot,
                    created_ms: unsigned(created_ms),
                })
            };
            rows.into_iter().map(read).collect()
        }

        /// Deletes a game with everything that belongs to it. Returns whether the game existed.
        pub(super) async fn delete_game(
            to: &mut $connection,
            game: GameId,
        ) -> Result<bool, StoreError> {
            // The table seat_names has no index by game alone, so its rows are found by the names and the time of
            // creation.
            let found: Option<(i64, String)> =
                query_as("SELECT created_ms, seats FROM games WHERE id = $1")
                    .bind(id_bytes(game))
                    .fetch_optional(&mut *to)
                    .await?;
            let Some((created_ms, seats)) = found else {
                return Ok(false);
            };
            for name in names_in(&seats) {
                query("DELETE FROM seat_names WHERE name = $1 AND created_ms = $2 AND game = $3")
                    .bind(name)
                    .bind(created_ms)
                    .bind(id_bytes(game))
                    .execute(&mut *to)
                    .await?;
            }
            for (table, column) in TABLES_OF_GAMES {
                let delete = format!("DELETE FROM {table} WHERE {column} = $1");
                query(AssertSqlSafe(delete))
                    .bind(id_bytes(game))
                    .execute(&mut *to)
                    .await?;
            }
            Ok(true)
        }
    };
}

/// Defines the methods of `Store` for operators. The module that uses this macro must define the macros `on_connection`
/// and `in_transaction`.
macro_rules! operator_operations {
    () => {
        fn operator_settings(&self) -> Reply<'_, OperatorSettings> {
            on_connection!(self, operator::operator_settings)
        }

        fn set_ban(&self, ban: Ban) -> Reply<'_, ()> {
            in_transaction!(self, operator::set_ban, &ban)
        }

        fn remove_ban(&self, network: String) -> Reply<'_, bool> {
            in_transaction!(self, operator::remove_ban, &network)
        }

        fn announce(&self, text: Option<String>) -> Reply<'_, ()> {
            in_transaction!(self, operator::announce, text.as_deref())
        }

        fn list_players(
            &self,
            after: Option<PlayerId>,
            limit: usize,
        ) -> Reply<'_, Vec<StoredPlayer>> {
            on_connection!(self, operator::list_players, after, limit)
        }

        fn delete_game(&self, game: GameId) -> Reply<'_, bool> {
            in_transaction!(self, operator::delete_game, game)
        }
    };
}

pub(super) use {operator_operations, shared_operator_sql};
