//! `noughts player`: manages the registered player of this user at a server.

pub(crate) mod saved_players;

use std::time::{Duration, SystemTime};

use noughts_api::{Client, ClientError, Me, NewPlayer, PlayerToken, ServerUrl};
use noughts_rules::Quoted;

use crate::Failure;
use crate::args::{Player, PlayerTask};
use crate::play::{connect, failure};
use saved_players::{SavedPlayer, SavedPlayers, server_of};

/// Number of characters of an id that are shown, to distinguish players with the same name.
const SHORT_ID: usize = 8;

pub(crate) fn run(task: &Player) -> Result<(), Failure> {
    let url: ServerUrl = task.server.parse().map_err(Failure::invalid)?;
    let server = server_of(&url);
    let client = connect(&server, task.cacert.as_deref())?;
    let saved = SavedPlayers::of_user().ok_or_else(|| {
        Failure::invalid("a player is kept in the home directory, and HOME is not set: set HOME or XDG_STATE_HOME")
    })?;
    let found = saved.find(&server, false)?;
    let what = task.what.as_ref().unwrap_or(&PlayerTask::Show);
    if let PlayerTask::Accept { code, replace } = what {
        return accept(&client, &saved, found, code, *replace);
    }
    let player = found.ok_or_else(|| {
        Failure::invalid(format_args!(
            "you have no player at {server} yet: noughts play {server} --name NAME creates one, \
             noughts player accept CODE takes over the one of another device"
        ))
    })?;
    match what {
        PlayerTask::Show | PlayerTask::Accept { .. } => show(&client, &saved, &player),
        PlayerTask::Rename { name } => rename(&client, &saved, player, name),
        PlayerTask::Link => link(&client, &player),
        PlayerTask::Delete { yes } => delete(&client, &saved, &player, *yes),
    }
}

fn show(client: &Client, saved: &SavedPlayers, player: &SavedPlayer) -> Result<(), Failure> {
    let me = me(client, player)?;
    let my_turn = me.running.iter().filter(|game| game.is_my_turn()).count();
    println!("{} at {}", me.player.name.escape_debug(), player.server);
    println!("id        {}", player.id);
    println!(
        "games     {} running, your turn in {my_turn}",
        me.running.len()
    );
    println!(
        "backup    copy {}: anyone who has it can play as you",
        saved.path().display()
    );
    Ok(())
}

fn me(client: &Client, player: &SavedPlayer) -> Result<Me, Failure> {
    client.me(&player.token).map_err(|error| match error {
        ClientError::Refused(problem) if problem.status == 401 => Failure::invalid(format_args!(
            "{} does not know the player of this device any more: noughts play creates a new one",
            player.server
        )),
        error => failure(error),
    })
}

fn rename(
    client: &Client,
    saved: &SavedPlayers,
    player: SavedPlayer,
    name: &str,
) -> Result<(), Failure> {
    let renamed = client.rename_player(&player.token, name).map_err(failure)?;
    let name = renamed.name;
    println!("You are {} now.", name.escape_debug());
    Ok(saved.put(&SavedPlayer { name, ..player })?)
}

fn link(client: &Client, player: &SavedPlayer) -> Result<(), Failure> {
    let link = client.create_link(&player.token).map_err(failure)?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let left = Duration::from_millis(link.expires_ms).saturating_sub(now.unwrap_or_default());
    let server = &player.server;
    println!(
        "On the other device, within {} minutes and once:",
        left.as_secs().div_ceil(60)
    );
    println!(
        "  in a terminal  noughts player accept {} --server {server}",
        link.code
    );
    println!("  in a browser   {}", link.link);
    Ok(())
}

fn accept(
    client: &Client,
    saved: &SavedPlayers,
    known: Option<SavedPlayer>,
    code: &str,
    may_replace: bool,
) -> Result<(), Failure> {
    if let Some(known) = known.filter(|_| !may_replace) {
        return Err(Failure::invalid(format_args!(
            "this device plays as {} ({}) at {}: --replace forgets that player, who cannot be recovered without a copy of {}",
            Quoted::from(known.name.as_str()),
            known.id.get(..SHORT_ID).unwrap_or(&known.id),
            known.server,
            saved.path().display(),
        )));
    }
    saved.check_writable()?;
    let PlayerToken { id, token } = client.redeem_link(code).map_err(failure)?;
    let name = client.me(&token).map_err(failure)?.player.name;
    println!("You are {} at {} now.", name.escape_debug(), client.url());
    Ok(saved.put(&SavedPlayer {
        server: server_of(client.url()),
        is_bot: false,
        id,
        token,
        name,
    })?)
}

fn delete(
    client: &Client,
    saved: &SavedPlayers,
    player: &SavedPlayer,
    is_sure: bool,
) -> Result<(), Failure> {
    if !is_sure {
        return Err(Failure::invalid(format_args!(
            "this deletes {} at {} and resigns the running games; it cannot be undone: repeat it with --yes",
            Quoted::from(player.name.as_str()),
            player.server
        )));
    }
    client.delete_player(&player.token).map_err(failure)?;
    println!("The player is deleted. Finished games stay, without the name.");
    Ok(saved.remove(player)?)
}

/// Returns the user's player at this server. If no player is saved, or if the server does not recognize the
/// saved player, creates a player. If `name` is given, renames the saved player.
///
/// Returns `None` if no player can be stored on this machine. Also returns `None` if the server refuses to create a
/// player and `name` is `None`. The user's seats are then anonymous.
pub(crate) fn of_user(
    client: &Client,
    name: Option<&str>,
    default_name: &str,
    is_bot: bool,
) -> Result<Option<SavedPlayer>, Failure> {
    let Some(saved) = SavedPlayers::of_user().filter(|saved| saved.check_writable().is_ok()) else {
        return Ok(None);
    };
    if let Some(player) = saved.find(client.url(), is_bot)? {
        let known = match name.filter(|name| *name != player.name) {
            Some(name) => client.rename_player(&player.token, name),
            None => client.me(&player.token).map(|me| me.player),
        };
        match known {
            Ok(known) => {
                let name = known.name;
                let player = SavedPlayer { name, ..player };
                saved.put(&player)?;
                return Ok(Some(player));
            }
            // The server has deleted or lost the player, or it runs with another store.
            Err(ClientError::Refused(problem)) if problem.status == 401 => {
                saved.set_aside(&player)?;
            }
            Err(error) => return Err(failure(error)),
        }
    }
    let created = client.create_player(&NewPlayer {
        name: name.unwrap_or(default_name).to_owned(),
        bot: is_bot,
    });
    let PlayerToken { id, token } = match created {
        Ok(created) => created,
        Err(error @ ClientError::Refused(_)) if name.is_some() => return Err(failure(error)),
        // The server is an older version without players, or does not create players now.
        Err(ClientError::Refused(_)) => return Ok(None),
        Err(error) => return Err(failure(error)),
    };
    let player = SavedPlayer {
        server: server_of(client.url()),
        is_bot,
        id,
        token,
        name: name.unwrap_or(default_name).to_owned(),
    };
    saved.put(&player)?;
    Ok(Some(player))
}
