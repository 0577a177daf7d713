//! Stores the players of this user: for each server, at most one person and one bot.
//!
//! The file has one line per player: the server, `person` or `bot`, the id, the token and the name, separated
//! by spaces. Anyone with the token can act for the player. A lost token cannot be recovered, so users should
//! keep a copy of this file. If the server does not recognize a player, the second word changes to
//! `former-person` or `former-bot`, and the line is not used. The line stays, because the server may run with
//! another store for a while.

use std::io;
use std::path::Path;

use noughts_api::ServerUrl;

use crate::state_file::StateFile;

/// A player at one server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SavedPlayer {
    pub(crate) server: ServerUrl,
    /// Whether robots play as this player.
    pub(crate) is_bot: bool,
    pub(crate) id: String,
    pub(crate) token: String,
    pub(crate) name: String,
}

impl SavedPlayer {
    fn read(line: &str) -> Option<SavedPlayer> {
        let mut words = line.splitn(5, ' ');
        let server = words.next()?.parse::<ServerUrl>().ok()?;
        let is_bot = match words.next()? {
            "person" => false,
            "bot" => true,
            _ => return None,
        };
        let mut text = || words.next().map(str::to_owned);
        Some(SavedPlayer {
            server,
            is_bot,
            id: text()?,
            token: text()?,
            name: text()?,
        })
    }

    fn is_at(&self, server: &ServerUrl, is_bot: bool) -> bool {
        self.is_bot == is_bot && is_same_server(&self.server, server)
    }
}

impl std::fmt::Display for SavedPlayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.is_bot { "bot" } else { "person" };
        let (server, name) = (server_of(&self.server), &self.name);
        write!(f, "{server} {kind} {} {} {name}", self.id, self.token)
    }
}

/// The address of the server, without a game.
pub(crate) fn server_of(url: &ServerUrl) -> ServerUrl {
    ServerUrl {
        game: None,
        ..url.clone()
    }
}

pub(crate) fn is_same_server(one: &ServerUrl, other: &ServerUrl) -> bool {
    server_of(one) == server_of(other)
}

/// The file of saved players: `noughts/players` in the user's state directory.
#[derive(Clone, Debug)]
pub(crate) struct SavedPlayers {
    file: StateFile,
}

impl SavedPlayers {
    /// The file of the current user. `None` if the user has no state directory.
    pub(crate) fn of_user() -> Option<SavedPlayers> {
        let file = StateFile::of_user("players")?;
        Some(SavedPlayers { file })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns all players. Returns no players if the file does not exist. Lines that cannot be parsed are skipped.
    pub(crate) fn read(&self) -> io::Result<Vec<SavedPlayer>> {
        let text = self.file.read()?;
        Ok(text.lines().filter_map(SavedPlayer::read).collect())
    }

    pub(crate) fn find(&self, server: &ServerUrl, is_bot: bool) -> io::Result<Option<SavedPlayer>> {
        let mut players = self.read()?.into_iter();
        Ok(players.find(|saved| saved.is_at(server, is_bot)))
    }

    /// Returns an error if the file cannot be written. Called before a player is created.
    pub(crate) fn check_writable(&self) -> io::Result<()> {
        self.file.change(str::to_owned)
    }

    /// Adds a player. Replaces the earlier person or bot at the same server: a person replaces a person, and
    /// a bot replaces a bot. Lines that cannot be parsed stay.
    pub(crate) fn put(&self, player: &SavedPlayer) -> io::Result<()> {
        self.change(player, &format!("{player}\n"))
    }

    /// Marks the line of a player that the server does not recognize, so that the line stays but is not used.
    pub(crate) fn set_aside(&self, player: &SavedPlayer) -> io::Result<()> {
        let line = player.to_string();
        // The first space is before `person` or `bot`.
        self.change(player, &format!("{}\n", line.replacen(' ', " former-", 1)))
    }

    pub(crate) fn remove(&self, player: &SavedPlayer) -> io::Result<()> {
        self.change(player, "")
    }

    /// Removes the line of the player with the same server and kind (person or bot), and appends `line`.
    fn change(&self, player: &SavedPlayer, line: &str) -> io::Result<()> {
        let is_same = |line: &str| {
            SavedPlayer::read(line).is_some_and(|saved| saved.is_at(&player.server, player.is_bot))
        };
        self.file.change(|text| {
            let others = text.lines().filter(|line| !is_same(line));
            let others: String = others.map(|line| format!("{line}\n")).collect();
            others + line
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(server: &str, is_bot: bool, name: &str) -> SavedPlayer {
        SavedPlayer {
            server: server.parse().unwrap(),
            is_bot,
            id: "ID".to_owned(),
            token: "secret".to_owned(),
            name: name.to_owned(),
        }
    }

    #[test]
    fn one_player_per_server_and_kind_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("noughts").join("players");
        let saved = SavedPlayers {
            file: StateFile::at(path.clone()),
        };
        let (here, there) = ("http://localhost:8080", "https://games.example.org");
        let ann = player(here, false, "Ann of the lake");
        for player in [
            &player(here, false, "Old"),
            &player(here, true, "perfect"),
            &player(there, false, "Ann"),
            &ann,
        ] {
            saved.put(player).unwrap();
        }
        let game = format!("{here}/game/{}", "A".repeat(26));
        let found = saved.find(&game.parse().unwrap(), false).unwrap();
        assert_eq!(found.as_ref(), Some(&ann));
        assert_eq!(saved.read().unwrap().len(), 3);
        // A copy of the file contains the same player.
        let copy = folder.path().join("copy");
        std::fs::copy(&path, &copy).unwrap();
        let copy = SavedPlayers {
            file: StateFile::at(copy),
        };
        saved.set_aside(&ann).unwrap();
        saved.put(&player(here, false, "New")).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let former = format!("{here} former-person ID secret Ann of the lake\n");
        assert!(text.contains(&former), "{text}");
        saved.remove(&ann).unwrap();
        let server = here.parse().unwrap();
        assert_eq!(saved.find(&server, false).unwrap(), None);
        assert_eq!(copy.find(&server, false).unwrap(), Some(ann));
    }
}
