//! Statements about players, the same for SQLite and PostgreSQL; see [`shared_sql`](super::shared_sql).

/// Defines functions that read and write players on a connection. The functions that write must run in an open
/// transaction.
macro_rules! shared_players {
    ($connection:ty, $database:ty) => {
        type PlayerColumns = (Vec<u8>, String, bool, i64);

        fn read_player(columns: PlayerColumns) -> Result<StoredPlayer, StoreError> {
            let (id, name, is_bot, created_ms) = columns;
            Ok(StoredPlayer {
                id: read_player_id(&id)?,
                name,
                is_bot,
                created_ms: unsigned(created_ms),
            })
        }

        pub(super) async fn create_player(
            to: &mut $connection,
            player: &StoredPlayer,
            token: SecretHash,
        ) -> Result<(), StoreError> {
            query(
                "INSERT INTO players (id, name, is_bot, created_ms, checked_ms) \
                 VALUES ($1, $2, $3, $4, $4)",
            )
            .bind(player_bytes(player.id))
            .bind(&*player.name)
            .bind(player.is_bot)
            .bind(signed(player.created_ms))
            .execute(&mut *to)
            .await?;
            insert_token(to, player.id, token).await
        }

        async fn insert_token(
            to: &mut $connection,
            player: PlayerId,
            token: SecretHash,
        ) -> Result<(), StoreError> {
            query("INSERT INTO player_tokens (hash, player) VALUES ($1, $2)")
                .bind(token.bytes())
                .bind(player_bytes(player))
                .execute(to)
                .await?;
            Ok(())
        }

        pub(super) async fn player_of_token(
            from: &mut $connection,
            token: SecretHash,
        ) -> Result<Option<StoredPlayer>, StoreError> {
            let found: Option<PlayerColumns> = query_as(
                "SELECT id, name, is_bot, created_ms FROM player_tokens \
                 JOIN players ON id = player WHERE hash = $1",
            )
            .bind(token.bytes())
            .fetch_optional(from)
            .await?;
            found.map(read_player).transpose()
        }

        pub(super) async fn players(
            from: &mut $connection,
            ids: &[PlayerId],
        ) -> Result<Vec<StoredPlayer>, StoreError> {
            let mut found = Vec::with_capacity(ids.len());
            for ids in ids.chunks(MAX_PLAYERS_READ) {
                let mut select = QueryBuilder::<$database>::new(
                    "SELECT id, name, is_bot, created_ms FROM players WHERE id IN (",
                );
                let mut list = select.separated(", ");
                for id in ids {
                    list.push_bind(player_bytes(*id));
                }
                select.push(")");
                let rows: Vec<PlayerColumns> =
                    select.build_query_as().fetch_all(&mut *from).await?;
                for row in rows {
                    found.push(read_player(row)?);
                }
            }
            Ok(found)
        }

        pub(super) async fn rename_player(
            to: &mut $connection,
            player: PlayerId,
            name: &str,
        ) -> Result<bool, StoreError> {
            let renamed = query("UPDATE players SET name = $1 WHERE id = $2")
                .bind(name)
                .bind(player_bytes(player))
                .execute(to)
                .await?;
            Ok(renamed.rows_affected() > 0)
        }

        pub(super) async fn delete_player(
            to: &mut $connection,
            player: PlayerId,
        ) -> Result<Deletion, StoreError> {
            let running = query("SELECT 1 FROM seat_names WHERE name = $1 AND is_running LIMIT 1")
                .bind(write_player(player))
                .fetch_optional(&mut *to)
                .await?;
            if running.is_some() {
                return Ok(Deletion::HasRunningGames);
            }
            match delete_rows(to, player).await? {
                true => Ok(Deletion::Deleted),
                false => Ok(Deletion::NoSuchPlayer),
            }
        }

        async fn delete_rows(to: &mut $connection, player: PlayerId) -> Result<bool, sqlx::Error> {
            for delete in [
                "DELETE FROM player_tokens WHERE player = $1",
                "DELETE FROM player_links WHERE player = $1",
            ] {
                query(delete)
                    .bind(player_bytes(player))
                    .execute(&mut *to)
                    .await?;
            }
            let deleted = query("DELETE FROM players WHERE id = $1")
                .bind(player_bytes(player))
                .execute(to)
                .await?;
            Ok(deleted.rows_affected() > 0)
        }

        pub(super) async fn revoke_other_tokens(
            to: &mut $connection,
            player: PlayerId,
            kept: SecretHash,
        ) -> Result<u64, StoreError> {
            let revoked = query("DELETE FROM player_tokens WHERE player = $1 AND hash <> $2")
                .bind(player_bytes(player))
                .bind(kept.bytes())
                .execute(to)
                .await?;
            Ok(revoked.rows_affected())
        }

        async fn count(
            from: &mut $connection,
            select: &'static str,
            player: PlayerId,
        ) -> Result<usize, sqlx::Error> {
            let (count,): (i64,) = query_as(select)
                .bind(player_bytes(player))
                .fetch_one(from)
                .await?;
            Ok(usize::try_from(count).unwrap_or(0))
        }

        pub(super) async fn create_link(
            to: &mut $connection,
            player: PlayerId,
            code: SecretHash,
            now_ms: u64,
        ) -> Result<LinkCreation, StoreError> {
            query("DELETE FROM player_links WHERE player = $1 AND expires_ms <= $2")
                .bind(player_bytes(player))
                .bind(signed(now_ms))
                .execute(&mut *to)
                .await?;
            let players = "SELECT count(*) FROM players WHERE id = $1";
            if count(to, players, player).await? == 0 {
                return Ok(LinkCreation::NoSuchPlayer);
            }
            let links = "SELECT count(*) FROM player_links WHERE player = $1";
            if count(to, links, player).await? >= MAX_LINKS {
                return Ok(LinkCreation::TooMany);
            }
            query("INSERT INTO player_links (hash, player, expires_ms) VALUES ($1, $2, $3)")
                .bind(code.bytes())
                .bind(player_bytes(player))
                .bind(signed(now_ms.saturating_add(LINK_LIFETIME_MS)))
                .execute(to)
                .await?;
            Ok(LinkCreation::Created)
        }

        pub(super) async fn redeem_link(
            to: &mut $connection,
            code: SecretHash,
            token: SecretHash,
            now_ms: u64,
        ) -> Result<Redemption, StoreError> {
            let found: Option<PlayerColumns> = query_as(
                "SELECT id, name, is_bot, created_ms FROM player_links \
                 JOIN players ON id = player WHERE hash = $1 AND expires_ms > $2",
            )
            .bind(code.bytes())
            .bind(signed(now_ms))
            .fetch_optional(&mut *to)
            .await?;
            let Some(player) = found.map(read_player).transpose()? else {
                return Ok(Redemption::NoSuchCode);
            };
            let tokens = "SELECT count(*) FROM player_tokens WHERE player = $1";
            if count(to, tokens, player.id).await? >= MAX_TOKENS {
                return Ok(Redemption::TooManyTokens);
            }
            // If two requests use the same code, only one of them deletes the code.
            let used = query("DELETE FROM player_links WHERE hash = $1")
                .bind(code.bytes())
                .execute(&mut *to)
                .await?;
            if used.rows_affected() == 0 {
                return Ok(Redemption::NoSuchCode);
            }
            insert_token(to, player.id, token).await?;
            Ok(Redemption::Linked(player))
        }

        pub(super) async fn expire_players(
            to: &mut $connection,
            before_ms: u64,
            now_ms: u64,
        ) -> Result<usize, StoreError> {
            let old: Vec<(Vec<u8>,)> = query_as(
                "SELECT id FROM players WHERE checked_ms < $1 ORDER BY checked_ms LIMIT $2",
            )
            .bind(signed(before_ms))
            .bind(MAX_EXPIRED as i64)
            .fetch_all(&mut *to)
            .await?;
            for (id,) in &old {
                let player = read_player_id(id)?;
                let seat = query("SELECT 1 FROM seat_names WHERE name = $1 LIMIT 1")
                    .bind(write_player(player))
                    .fetch_optional(&mut *to)
                    .await?;
                match seat {
                    None => {
                        delete_rows(to, player).await?;
                    }
                    Some(_) => {
                        query("UPDATE players SET checked_ms = $1 WHERE id = $2")
                            .bind(signed(now_ms))
                            .bind(&**id)
                            .execute(&mut *to)
                            .await?;
                    }
                }
            }
            Ok(old.len())
        }
    };
}

/// Defines the methods of `Store` for players. The module that uses this macro must define the macros `on_connection`
/// and `in_transaction`.
macro_rules! player_operations {
    () => {
        fn create_player(&self, player: StoredPlayer, token: SecretHash) -> Reply<'_, ()> {
            in_transaction!(self, players::create_player, &player, token)
        }

        fn player_of_token(&self, token: SecretHash) -> Reply<'_, Option<StoredPlayer>> {
            on_connection!(self, players::player_of_token, token)
        }

        fn players(&self, ids: Vec<PlayerId>) -> Reply<'_, Vec<StoredPlayer>> {
            on_connection!(self, players::players, &ids)
        }

        fn rename_player(&self, player: PlayerId, name: String) -> Reply<'_, bool> {
            in_transaction!(self, players::rename_player, player, &name)
        }

        fn delete_player(&self, player: PlayerId) -> Reply<'_, Deletion> {
            in_transaction!(self, players::delete_player, player)
        }

        fn revoke_other_tokens(&self, player: PlayerId, kept: SecretHash) -> Reply<'_, u64> {
            in_transaction!(self, players::revoke_other_tokens, player, kept)
        }

        fn create_link(
            &self,
            player: PlayerId,
            code: SecretHash,
            now_ms: u64,
        ) -> Reply<'_, LinkCreation> {
            in_transaction!(self, players::create_link, player, code, now_ms)
        }

        fn redeem_link(
            &self,
            code: SecretHash,
            token: SecretHash,
            now_ms: u64,
        ) -> Reply<'_, Redemption> {
            in_transaction!(self, players::redeem_link, code, token, now_ms)
        }

        fn expire_players(&self, before_ms: u64, now_ms: u64) -> Reply<'_, usize> {
            in_transaction!(self, players::expire_players, before_ms, now_ms)
        }
    };
}

pub(super) use {player_operations, shared_players};
