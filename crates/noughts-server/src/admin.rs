//! The operators' interface: a Unix socket that takes one command per connection.
//!
//! A command is one line of words, separated by tabs. The answer begins with a line `ok` or `refused`; text for the
//! operator follows.

use std::fmt::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use tracing::info;

use crate::id::{GameId, PlayerId};
use crate::matchmaking::Matchmaking;
use crate::net::{Connections, Network};
use crate::operator::Operator;
use crate::players::{PlayerNames, Players};
use crate::store::{Ban, Deletion, ListQuery, ListedGame, PlayerFilter, StoreError, StoredPlayer};
use crate::table::{Command, Holder, Status, Table, conclusion_in_words};
use crate::tables::{SubmitError, Tables};

/// Maximum length of a command, in bytes.
const MAX_COMMAND: u64 = 8 * 1024;

/// Maximum time for a client to send its command. The client has the same time again to read the answer.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of games or players in a list.
const MAX_LISTED: usize = 1_000;

/// Maximum length of an announcement, and of the reason for a ban, in characters.
const MAX_TEXT: usize = 500;

/// Maximum number of attempts to delete a player. Each attempt first ends the player's running games.
const MAX_ATTEMPTS: usize = 3;

/// Executes the commands of operators.
pub(crate) struct Admin {
    tables: Arc<Tables>,
    matchmaking: Arc<Matchmaking>,
    players: Arc<Players>,
    connections: Arc<Connections>,
    operator: Arc<Operator>,
}

impl fmt::Debug for Admin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admin").finish_non_exhaustive()
    }
}

/// The reason why a command was not executed.
type Refused = String;

fn failed(error: StoreError) -> Refused {
    error.to_string()
}

impl Admin {
    pub(crate) fn new(
        (tables, matchmaking, players): (&Arc<Tables>, &Arc<Matchmaking>, &Arc<Players>),
        connections: Arc<Connections>,
        operator: Arc<Operator>,
    ) -> Arc<Admin> {
        Arc::new(Admin {
            tables: Arc::clone(tables),
            matchmaking: Arc::clone(matchmaking),
            players: Arc::clone(players),
            connections,
            operator,
        })
    }

    /// Serves one command per connection, for as long as the server runs.
    #[cfg(unix)]
    pub(crate) async fn serve(self: Arc<Admin>, listener: tokio::net::UnixListener) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let admin = Arc::clone(&self);
                    tokio::spawn(async move {
                        // An error means that the operator disconnected or was too slow.
                        let _ = admin.answer(stream).await;
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept operator connections");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }

    /// Reads a command, executes it and sends the answer. The execution has no timeout, because a submission
    /// must not be cancelled halfway.
    #[cfg(unix)]
    async fn answer(&self, stream: tokio::net::UnixStream) -> std::io::Result<()> {
        use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
        use tokio::time::timeout;
        let (reader, mut writer) = stream.into_split();
        let mut line = String::new();
        let mut reader = BufReader::new(reader.take(MAX_COMMAND));
        timeout(CLIENT_TIMEOUT, reader.read_line(&mut line)).await??;
        let words: Vec<&str> = line.trim_end_matches('\n').split('\t').collect();
        let answer = match self.run(&words).await {
            Ok(text) => format!("ok\n{text}"),
            Err(reason) => format!("refused\n{reason}\n"),
        };
        timeout(CLIENT_TIMEOUT, writer.write_all(answer.as_bytes())).await??;
        writer.shutdown().await
    }

    async fn run(&self, words: &[&str]) -> Result<String, Refused> {
        match words {
            ["load"] => Ok(self.load()),
            ["games", status, limit] => self.games(status, limit).await,
            ["game", id] => self.game(read_game(id)?).await,
            ["end-game", id] => self.end_game(read_game(id)?).await,
            ["delete-game", id] => self.delete_game(read_game(id)?).await,
            ["players", limit] => self.list_players(limit).await,
            ["player", id] => self.player(read_player(id)?).await,
            ["delete-player", id] => self.delete_player(read_player(id)?).await,
            ["bans"] => self.bans().await,
            ["ban", network, until_ms, reason] => self.ban(network, until_ms, reason).await,
            ["unban", network] => self.unban(network).await,
            ["announce", text] => self.announce(text).await,
            ["drain", "on"] => Ok(self.drain(true)),
            ["drain", "off"] => Ok(self.drain(false)),
            _ => Err("the server does not know this command; it may be another version".to_owned()),
        }
    }

    fn load(&self) -> String {
        let (running, queued) = self.tables.robots().busy();
        let state = match self.operator.is_draining() {
            true => "draining",
            false => "serving",
        };
        let memory = memory_kib().map_or("unknown".to_owned(), |kib| {
            format!("{} MB", kib * 1_024 / 1_000_000)
        });
        let lines = [
            ("state", state.to_owned()),
            ("connections open", self.connections.open().to_string()),
            (
                "connections refused",
                self.connections.refused_total().to_string(),
            ),
            ("tables in memory", self.tables.len().to_string()),
            (
                "waiting for opponents",
                self.matchmaking.waiting().to_string(),
            ),
            (
                "quick matches",
                self.matchmaking.quick_match_players().to_string(),
            ),
            ("computations running", running.to_string()),
            ("computations queued", queued.to_string()),
            ("bans in force", self.connections.bans().len().to_string()),
            ("memory", memory),
        ];
        lines
            .map(|(name, value)| format!("{name:<24}{value}\n"))
            .concat()
    }

    async fn games(&self, status: &str, limit: &str) -> Result<String, Refused> {
        let status = match status {
            "all" => None,
            "waiting" => Some(Status::Waiting),
            "playing" => Some(Status::Playing),
            "over" => Some(Status::Over),
            _ => return Err("the status is all, waiting, playing or over".to_owned()),
        };
        let games = self.listed(status, None, read_limit(limit)?).await?;
        let holders = games.iter().flat_map(|game| &game.summary.holders);
        let names = PlayerNames::load(self.tables.store(), holders);
        let names = names.await.map_err(failed)?;
        let mut text = String::new();
        for game in &games {
            let players = game.summary.holders.iter();
            let players: Vec<String> = players.map(|holder| player(holder, &names)).collect();
            let state = match game.ending() {
                Some(ending) => conclusion_in_words(&ending.conclusion),
                None => status_word(game.summary.status).to_owned(),
            };
            let _ = writeln!(
                text,
                "{}  {}  {state}  {}",
                game.id,
                game.variant,
                players.join(", ")
            );
        }
        Ok(text)
    }

    async fn listed(
        &self,
        status: Option<Status>,
        player: Option<PlayerFilter>,
        limit: usize,
    ) -> Result<Vec<ListedGame>, Refused> {
        let query = ListQuery {
            player,
            status,
            ..ListQuery::all(limit)
        };
        self.tables.store().list(query).await.map_err(failed)
    }

    async fn game(&self, id: GameId) -> Result<String, Refused> {
        let live = self.tables.get(id).await.map_err(failed)?;
        let live = live.ok_or_else(|| no_such_game(id))?;
        let names = live.names();
        Ok(live.read(|table| {
            let settings = table.settings();
            let mut text = format!("{id}  {}\n", settings.variant);
            for (side, holder) in table.game().order().iter().zip(table.holders()) {
                let _ = writeln!(text, "{}: {}", side.symbol(), player(holder, &names));
            }
            let diagram = table.game().diagram().draw(&settings.variant);
            let turns = table.game().turns().len();
            let _ = writeln!(text, "\n{}\n", diagram.trim_end());
            let _ = writeln!(text, "{}, after {turns} turns", table.outcome_in_words());
            text
        }))
    }

    async fn end_game(&self, id: GameId) -> Result<String, Refused> {
        let live = self.tables.get(id).await.map_err(failed)?;
        let live = live.ok_or_else(|| no_such_game(id))?;
        if live.read(Table::is_over) {
            return Err(format!("game {id} is over"));
        }
        match self.tables.submit(&live, &Command::Terminate).await {
            Ok(_) => {}
            Err(SubmitError::NoSuchGame) => return Err(no_such_game(id)),
            Err(SubmitError::Unavailable(error)) => return Err(failed(error)),
            Err(SubmitError::Refused(_)) => return Err(format!("game {id} is over")),
            Err(SubmitError::Busy | SubmitError::Closed) => {
                return Err("the table is busy; try again".to_owned());
            }
        }
        info!(game = %id, "an operator ended a game");
        Ok(format!("game {id} ended without a result\n"))
    }

    async fn delete_game(&self, id: GameId) -> Result<String, Refused> {
        let store = self.tables.store();
        if !store.delete_game(id).await.map_err(failed)? {
            return Err(no_such_game(id));
        }
        self.matchmaking.forget(id);
        if let Some(live) = self.tables.in_memory(id) {
            self.tables.remove(&live);
        }
        info!(game = %id, "an operator deleted a game");
        Ok(format!("game {id} is deleted\n"))
    }

    async fn list_players(&self, limit: &str) -> Result<String, Refused> {
        let store = self.tables.store();
        let players = store.list_players(None, read_limit(limit)?).await;
        let players = players.map_err(failed)?;
        let line = |player: &StoredPlayer| format!("{}  {}\n", player.id, describe(player));
        Ok(players.iter().map(line).collect())
    }

    async fn player(&self, id: PlayerId) -> Result<String, Refused> {
        let found = self
            .tables
            .store()
            .players(vec![id])
            .await
            .map_err(failed)?;
        let found = found.first().ok_or_else(|| no_such_player(id))?;
        let running = self
            .listed(None, Some(PlayerFilter::Running(id)), MAX_LISTED)
            .await?;
        let finished = Some(PlayerFilter::Player(id));
        let finished = self
            .listed(Some(Status::Over), finished, MAX_LISTED)
            .await?;
        let mut text = format!("{id}  {}\n", describe(found));
        for game in &running {
            let _ = writeln!(text, "running: {}  {}", game.id, game.variant);
        }
        let more = match finished.len() {
            MAX_LISTED => " or more",
            _ => "",
        };
        let _ = writeln!(text, "finished games: {}{more}", finished.len());
        Ok(text)
    }

    async fn delete_player(&self, id: PlayerId) -> Result<String, Refused> {
        for _ in 0..MAX_ATTEMPTS {
            for game in self
                .listed(None, Some(PlayerFilter::Running(id)), MAX_LISTED)
                .await?
            {
                // Errors are ignored: the game may have ended in the meantime.
                let _ = self.end_game(game.id).await;
            }
            match self
                .tables
                .store()
                .delete_player(id)
                .await
                .map_err(failed)?
            {
                Deletion::Deleted => {
                    self.tables.metrics().players_deleted.inc();
                    self.players.publish(id).await;
                    info!(player = %id, "an operator deleted a player");
                    return Ok(format!("player {id} is deleted\n"));
                }
                Deletion::NoSuchPlayer => return Err(no_such_player(id)),
                Deletion::HasRunningGames => {}
            }
        }
        Err("the player keeps starting new games; try again".to_owned())
    }

    async fn bans(&self) -> Result<String, Refused> {
        let settings = self.operator.refresh().await.map_err(failed)?;
        let now_ms = self.tables.clock().now_ms();
        let mut text = String::new();
        for ban in &settings.bans {
            let minutes = ban.until_ms.saturating_sub(now_ms).div_ceil(60_000);
            let rest = match minutes {
                0 => "ended".to_owned(),
                minutes => format!("{minutes} more minutes"),
            };
            let _ = writeln!(text, "{}  {rest}  {}", ban.network, ban.reason);
        }
        Ok(text)
    }

    async fn ban(&self, network: &str, until_ms: &str, reason: &str) -> Result<String, Refused> {
        let network = read_network(network)?;
        let wrong = "the end of a ban is a time in milliseconds since 1970";
        let until_ms: u64 = until_ms.parse().map_err(|_| wrong.to_owned())?;
        if until_ms <= self.tables.clock().now_ms() {
            return Err("the end of the ban has passed already".to_owned());
        }
        let ban = Ban {
            network: network.to_string(),
            until_ms,
            reason: read_text("the reason", reason)?,
        };
        self.tables.store().set_ban(ban).await.map_err(failed)?;
        self.operator.refresh().await.map_err(failed)?;
        info!(%network, "an operator banned a network");
        Ok(format!("{network} is banned\n"))
    }

    async fn unban(&self, network: &str) -> Result<String, Refused> {
        let network = read_network(network)?;
        let removed = self.tables.store().remove_ban(network.to_string()).await;
        if !removed.map_err(failed)? {
            return Err(format!(
                "{network} is not banned; `noughts admin bans` lists the bans"
            ));
        }
        self.operator.refresh().await.map_err(failed)?;
        info!(%network, "an operator removed a ban");
        Ok(format!("{network} is no longer banned\n"))
    }

    async fn announce(&self, text: &str) -> Result<String, Refused> {
        let text = read_text("the announcement", text)?;
        let announcement = Some(text).filter(|text| !text.is_empty());
        let told = match announcement {
            Some(_) => "the announcement is shown\n",
            None => "the announcement is removed\n",
        };
        let announced = self.tables.store().announce(announcement).await;
        announced.map_err(failed)?;
        self.operator.refresh().await.map_err(failed)?;
        Ok(told.to_owned())
    }

    fn drain(&self, is_draining: bool) -> String {
        self.operator.set_draining(is_draining);
        info!(
            is_draining,
            "an operator changed whether this server drains"
        );
        match is_draining {
            true => "new tables and quick matches are refused, and /readyz answers 503; running games go on\n",
            false => "new tables and quick matches are accepted\n",
        }
        .to_owned()
    }
}

fn describe(player: &StoredPlayer) -> String {
    let bot = match player.is_bot {
        true => " (bot)",
        false => "",
    };
    format!("{}{bot}", player.name.escape_debug())
}

/// Describes the holder of a seat. Names are escaped, because they may contain terminal control sequences.
fn player(holder: &Holder, names: &PlayerNames) -> String {
    match holder {
        Holder::Open(_) => "open".to_owned(),
        Holder::Player(id) => format!("{} ({id})", names.name(holder).escape_debug()),
        Holder::Human { .. } | Holder::Robot(_) => names.name(holder).escape_debug().to_string(),
    }
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Unlisted => "unlisted",
        Status::Waiting => "waiting",
        Status::Playing => "playing",
        Status::Over => "over",
    }
}

fn no_such_game(id: GameId) -> Refused {
    format!("there is no game {id}")
}

fn no_such_player(id: PlayerId) -> Refused {
    format!("there is no player {id}")
}

fn read_game(text: &str) -> Result<GameId, Refused> {
    let wrong = |error| format!("{error}, not {text:?}; `noughts admin games` lists the ids");
    text.parse().map_err(wrong)
}

fn read_player(text: &str) -> Result<PlayerId, Refused> {
    let wrong = |error| format!("{error}, not {text:?}; `noughts admin players` lists the ids");
    text.parse().map_err(wrong)
}

fn read_network(text: &str) -> Result<Network, Refused> {
    text.parse()
        .map_err(|error| format!("{error}, not {text:?}"))
}

fn read_limit(text: &str) -> Result<usize, Refused> {
    let limit = text
        .parse()
        .ok()
        .filter(|limit| (1..=MAX_LISTED).contains(limit));
    limit.ok_or_else(|| format!("the limit is a number from 1 to {MAX_LISTED}, not {text:?}"))
}

fn read_text(what: &str, text: &str) -> Result<String, Refused> {
    match text.chars().count() <= MAX_TEXT && !text.chars().any(char::is_control) {
        true => Ok(text.trim().to_owned()),
        false => Err(format!(
            "{what} must have at most {MAX_TEXT} characters, on one line"
        )),
    }
}

/// The memory of this process, in KiB; `None` if the system does not report it.
fn memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}
