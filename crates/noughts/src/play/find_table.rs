//! Finds the table to play at: a new table, the table of a link, a table in the lobby, the table of a saved
//! seat, or the table of a quick match.

use std::fs;
use std::io::{self, IsTerminal};

use noughts_api::{
    Client, ClientError, ClockForm, GameListing, GameStatus, MyGame, NewTable, OpenSeat, SeatKind,
    SeatRequest, ServerUrl, View,
};
use noughts_engine::StrategyName;
use noughts_rules::{ClockSettings, Quoted, Seat, Side, Variant};
use noughts_terminal::play::{self, Choice, Lobby};
use noughts_terminal::{DEFAULT_LEVEL, DEFAULT_ROBOT};

use super::clock_option;
use super::connection::RemoteTable;
use super::quick_match::QuickMatch;
use super::saved_seats::{SavedSeat, SavedSeats};
use crate::Failure;
use crate::args::Play;
use crate::player;
use crate::player::saved_players::{SavedPlayer, SavedPlayers, is_same_server, server_of};

/// Maximum number of games in a list.
const MAX_LISTED: usize = 20;

const DEFAULT_VARIANT: &str = "3x3k3";

/// The name of a player if neither the command line nor the environment has one.
const DEFAULT_NAME: &str = "player";

/// Finds the table that the command line or the menu asks for.
pub(super) struct Finder<'t> {
    task: &'t Play,
    url: ServerUrl,
    /// The variant that the command line names. `None` means the default.
    variant: Option<String>,
    clock: Option<ClockSettings>,
    /// The name of a new player or of an anonymous seat if `--name` is not given. If a robot plays, this is
    /// the name of its strategy. Otherwise it is the user name or, without a user name, `DEFAULT_NAME`.
    default_name: String,
    saved: Option<SavedSeats>,
    /// Whether the program can ask the user questions.
    is_interactive: bool,
}

/// The table, or a request for a quick match that will give a table.
pub(super) enum Found {
    Table(RemoteTable),
    /// A quick match with the next player who wants the same game.
    Match(QuickMatch),
}

impl From<RemoteTable> for Found {
    fn from(table: RemoteTable) -> Found {
        Found::Table(table)
    }
}

impl<'t> Finder<'t> {
    pub(super) fn new(
        task: &'t Play,
        robot: Option<&StrategyName>,
        saved: Option<SavedSeats>,
    ) -> Result<Finder<'t>, Failure> {
        let (url, variant) = task.place().map_err(Failure::invalid)?;
        let user = || std::env::var("USER").ok().filter(|name| !name.is_empty());
        Ok(Finder {
            task,
            url: url.parse().map_err(Failure::invalid)?,
            variant,
            clock: task.clock.as_deref().map(clock_option::parse).transpose()?,
            default_name: match robot {
                Some(robot) => robot.to_string(),
                None => user().unwrap_or_else(|| DEFAULT_NAME.to_owned()),
            },
            saved,
            is_interactive: io::stdin().is_terminal() && io::stdout().is_terminal(),
        })
    }

    /// Finds the table. Returns `None` if the user left a menu or only asked for a list.
    pub(super) fn find(&self) -> Result<Option<Found>, Failure> {
        let url = &self.url;
        if self.task.resume {
            return Ok(self.resume()?.map(Found::Table));
        }
        let client = self.client(url)?;
        if self.task.list {
            return list(&client).map(|()| None);
        }
        if self.task.watch && url.game.is_none() {
            return Err(Failure::invalid(
                "--watch needs the link of a game: noughts play URL --list shows the games of a server",
            ));
        }
        let variant = self.variant.clone();
        match (&url.game, self.task.against.as_deref()) {
            (Some(game), _) => Ok(Some(self.open_link(client, game)?.into())),
            (None, Some(opponent)) => self.play_against(client, variant, opponent).map(Some),
            (None, None) if self.is_interactive && self.task.robot.is_none() => self.ask(client),
            (None, None) => self.play_against(client, variant, DEFAULT_ROBOT).map(Some),
        }
    }

    fn client(&self, url: &ServerUrl) -> Result<Client, Failure> {
        connect(url, self.task.cacert.as_deref())
    }

    /// Returns the registered player of this user, and creates the player if necessary. Returns `None` if seats are
    /// anonymous.
    fn player(&self, client: &Client) -> Result<Option<SavedPlayer>, Failure> {
        if self.task.anonymous {
            return Ok(None);
        }
        let is_bot = self.task.robot.is_some();
        player::of_user(
            client,
            self.task.name.as_deref(),
            &self.default_name,
            is_bot,
        )
    }

    /// The name that the user has at an anonymous seat.
    fn name(&self) -> &str {
        self.task.name.as_deref().unwrap_or(&self.default_name)
    }

    /// Shows the menu with the newest waiting tables, the newest running games, and the user's own games at
    /// the server. Then carries out the user's choice. Returns `None` if the user quits.
    fn ask(&self, client: Client) -> Result<Option<Found>, Failure> {
        let waiting = games(&client, GameStatus::Waiting, None)?;
        let running = games(&client, GameStatus::Playing, None)?;
        let saved = self.own_games(|server| is_same_server(server, client.url()));
        let lines = |games: &[GameListing]| games.iter().map(describe).collect();
        let lobby = Lobby {
            server: client.url().to_string(),
            waiting: lines(&waiting),
            running: lines(&running),
            kept: saved.iter().map(SavedSeat::describe).collect(),
            variant: self.variant.clone(),
            level: DEFAULT_LEVEL,
        };
        let choice = play::choose(&lobby, io::stdin().lock(), io::stdout().lock())?;
        let table = match choice {
            Choice::Computer { variant, level } => {
                self.play_against(client, Some(variant), &format!("level:{level}"))
            }
            Choice::Friend { variant } => self.play_against(client, Some(variant), "link"),
            Choice::Wait { variant } => self.play_against(client, Some(variant), "anyone"),
            Choice::Join(number) => self.open_link(client, &waiting[number].id).map(Found::from),
            Choice::Watch(number) => Ok(seatless(client, &running[number].id).into()),
            Choice::Resume(number) => self.take_saved(&saved[number]).map(Found::from),
            Choice::Quit => return Ok(None),
        };
        table.map(Some)
    }

    /// Creates a table with this opponent.
    ///
    /// For `lobby`, first tries to take a seat at one of the newest `MAX_LISTED` waiting tables of the variant. Does
    /// not try this if the command line names a seat or a clock. For `anyone`, requests a quick match instead.
    fn play_against(
        &self,
        client: Client,
        variant: Option<String>,
        opponent: &str,
    ) -> Result<Found, Failure> {
        let variant = variant.as_deref().unwrap_or(DEFAULT_VARIANT);
        let variant = variant.parse::<Variant>().map_err(Failure::invalid)?;
        let opponent = match opponent {
            "anyone" => return self.quick_match(client, variant),
            "link" => SeatRequest::Open(OpenSeat::Link),
            "lobby" => SeatRequest::Open(OpenSeat::Lobby),
            strategy => SeatRequest::Robot(strategy.to_owned()),
        };
        let is_lobby = opponent == SeatRequest::Open(OpenSeat::Lobby);
        if is_lobby && self.task.seat.is_none() && self.clock.is_none() {
            // The list begins with the newest table. Try the tables in reverse order, oldest first.
            for game in games(&client, GameStatus::Waiting, Some(&variant))?
                .iter()
                .rev()
            {
                let taken = self.take_open_seat(&client, &game.id);
                if let Some(table) = taken? {
                    return Ok(table.into());
                }
            }
        }
        Ok(self.create(client, &variant, &opponent)?.into())
    }

    fn quick_match(&self, client: Client, variant: Variant) -> Result<Found, Failure> {
        if self.task.seat.is_some() {
            return Err(Failure::invalid(
                "--against anyone gives you a random seat: leave out --seat, or play --against lobby",
            ));
        }
        match self.player(&client)? {
            Some(player) => {
                QuickMatch::request(client, player.token, variant, self.clock).map(Found::Match)
            }
            None if self.task.against.as_deref() == Some("anyone") => Err(Failure::invalid(
                "--against anyone needs a player, which is kept in the home directory: \
                 set HOME and leave --anonymous out, or play --against lobby",
            )),
            // The user chose in the menu to wait for an opponent. A quick match needs a player. Without a player, the
            // user waits at a table in the lobby.
            None => self.play_against(client, Some(variant.to_string()), "lobby"),
        }
    }

    fn create(
        &self,
        client: Client,
        variant: &Variant,
        opponent: &SeatRequest,
    ) -> Result<RemoteTable, Failure> {
        let own = self.task.seat.unwrap_or(0);
        let holder = |seat: u8| match seat == own {
            true => SeatRequest::Human(self.name().to_owned()),
            false => opponent.clone(),
        };
        let table = NewTable {
            variant: Some(variant.to_string()),
            seats: Some((0..variant.sides()).map(holder).collect()),
            take: Some(vec![own]),
            clock: self.clock.map(ClockForm::from),
            ..NewTable::default()
        };
        let created = match self.player(&client)? {
            Some(player) => client.create_table_as(&player.token, &table),
            None => client.create_table(&table),
        };
        let created = created.map_err(failure)?;
        let table = RemoteTable {
            seat: Some(Seat(own)),
            token: created.tokens.get(&own.to_string()).cloned(),
            game: created.id,
            client,
        };
        let url = table.url();
        match opponent {
            SeatRequest::Open(OpenSeat::Link) => println!(
                "Send this link: {url}\n\
                 It opens in a browser; in a terminal: noughts play LINK"
            ),
            SeatRequest::Open(OpenSeat::Lobby) => {
                println!("You wait in the lobby. This table: {url}");
            }
            SeatRequest::Robot(_) | SeatRequest::Human(_) => println!("This game: {url}"),
        }
        Ok(table)
    }

    /// Opens the game of a link. The first case that applies decides:
    /// - With `--watch`: watches the game.
    /// - With `--seat` and `--token`: plays at a seat that the user already holds.
    /// - With `--seat`: takes this seat.
    /// - A seat is open: takes the first open seat.
    /// - The game is not over, and the user has a seat that is not connected: returns to this seat.
    /// - Otherwise: watches the game.
    fn open_link(&self, client: Client, game: &str) -> Result<RemoteTable, Failure> {
        if self.task.watch {
            client.view(game).map_err(failure)?;
            return Ok(seatless(client, game));
        }
        if let (Some(seat), Some(token)) = (self.task.seat, self.task.token.clone()) {
            return with_token(client, game, Seat(seat), token);
        }
        if let Some(seat) = self.task.seat {
            return self.take_seat(&client, game, seat)?.map_err(failure);
        }
        if let Some(table) = self.take_open_seat(&client, game)? {
            return Ok(table);
        }
        // Look for a seat of the user that no other terminal or device uses now.
        let view = client.view(game).map_err(failure)?;
        let is_absent = |saved: &SavedSeat| {
            let seat = view.seats.get(usize::from(saved.seat.0));
            seat.is_some_and(|seat| !seat.present)
        };
        let mut saved = self
            .own_games(|server| is_same_server(server, client.url()))
            .into_iter();
        let saved = saved.find(|saved| saved.url.game.as_deref() == Some(game) && is_absent(saved));
        match saved.filter(|_| view.outcome.is_none()) {
            Some(saved) => {
                println!("You are back at your seat.");
                self.take_saved(&saved)
            }
            None => Ok(seatless(client, game)),
        }
    }

    /// Takes the first open seat. Returns `None` if no seat is open, or if another player was faster.
    fn take_open_seat(&self, client: &Client, game: &str) -> Result<Option<RemoteTable>, Failure> {
        let view = client.view(game).map_err(failure)?;
        let Some(seat) = first_open(&view) else {
            return Ok(None);
        };
        match self.take_seat(client, game, seat)? {
            Ok(table) => Ok(Some(table)),
            Err(ClientError::Refused(problem)) if problem.status == 409 => Ok(None),
            Err(error) => Err(failure(error)),
        }
    }

    /// Takes a seat. The inner result is the result of the request for the seat. The outer result is an error if the
    /// user's player could not be found or created.
    fn take_seat(
        &self,
        client: &Client,
        game: &str,
        seat: u8,
    ) -> Result<Result<RemoteTable, ClientError>, Failure> {
        let taken = match self.player(client)? {
            Some(player) => client.take_seat_as(&player.token, game, seat),
            None => client.take_seat(game, seat, self.name()),
        };
        Ok(taken.map(|taken| RemoteTable {
            client: client.clone(),
            game: game.to_owned(),
            seat: Some(Seat(seat)),
            token: Some(taken.token),
        }))
    }

    /// Handles `--resume`: continues one of the user's games. If the command line names a server, only games at this
    /// server are considered. If the command line names a game, only that game is considered. Returns `None` if the
    /// user chooses no game.
    fn resume(&self) -> Result<Option<RemoteTable>, Failure> {
        let url = &self.url;
        let is_any = self.task.places.is_empty();
        let mut saved = self.own_games(|server| is_any || is_same_server(server, url));
        if url.game.is_some() {
            saved.retain(|saved| saved.url == *url);
        }
        // Games whose server does not answer are kept, because the server may come back.
        let saved: Vec<SavedSeat> = saved
            .into_iter()
            .filter(|seat| !self.forget_if_over(seat))
            .collect();
        let seat = match saved.as_slice() {
            [] => {
                return Err(Failure::invalid(
                    "no game to continue: noughts play URL starts one, and it can be continued until it is over",
                ));
            }
            [seat] => seat,
            [newest, ..] if !self.is_interactive => newest,
            several => {
                let lines: Vec<String> = several.iter().map(SavedSeat::describe).collect();
                match play::choose_line(&lines, io::stdin().lock(), io::stdout().lock())? {
                    Some(number) => &several[number],
                    None => return Ok(None),
                }
            }
        };
        self.take_saved(seat).map(Some)
    }

    /// Removes a saved seat from the file if its game is over or deleted. Returns whether the game is over or
    /// deleted. If the server does not answer, keeps the seat and returns false.
    fn forget_if_over(&self, seat: &SavedSeat) -> bool {
        let Ok(client) = self.client(&seat.url) else {
            return false;
        };
        let view = client.view(seat.url.game.as_deref().unwrap_or_default());
        let is_over = match view {
            Ok(view) => view.outcome.is_some(),
            Err(ClientError::Refused(problem)) => problem.status == 404,
            Err(_) => false,
        };
        if let (true, Some(saved)) = (is_over, &self.saved) {
            let _ = saved.remove(seat);
        }
        is_over
    }

    fn take_saved(&self, saved: &SavedSeat) -> Result<RemoteTable, Failure> {
        let client = self.client(&saved.url)?;
        let game = saved.url.game.clone().unwrap_or_default();
        with_token(client, &game, saved.seat, saved.token.clone())
    }

    /// Returns the user's games at the servers that `is_wanted` accepts. First come the saved seats, newest
    /// first. Then come the other running games of the user's saved players. The running games of bots are
    /// left out.
    fn own_games(&self, is_wanted: impl Fn(&ServerUrl) -> bool) -> Vec<SavedSeat> {
        let saved = self.saved.as_ref().and_then(|saved| saved.read().ok());
        let mut seats = saved.unwrap_or_default();
        seats.retain(|saved| is_wanted(&saved.url));
        let players = SavedPlayers::of_user().and_then(|players| players.read().ok());
        for player in players.into_iter().flatten() {
            if player.is_bot || !is_wanted(&player.server) {
                continue;
            }
            // If a server does not answer, the list lacks the running games of the player at this server.
            let me = self.client(&player.server).ok();
            let me = me.and_then(|client| client.me(&player.token).ok());
            for game in me.map(|me| me.running).into_iter().flatten() {
                let seat = saved_game(&player, &game);
                if !seats.iter().any(|known| known.url == seat.url) {
                    seats.push(seat);
                }
            }
        }
        seats
    }
}

/// Converts a running game of a player into a saved seat.
fn saved_game(player: &SavedPlayer, game: &MyGame) -> SavedSeat {
    SavedSeat {
        url: ServerUrl {
            game: Some(game.game.id.clone()),
            ..server_of(&player.server)
        },
        seat: Seat(game.seat),
        symbol: Side::new(game.seat).map_or('?', Side::symbol),
        variant: game.game.variant.clone(),
        token: player.token.clone(),
    }
}

/// Creates a client of the server `url` that also trusts the certificates of the PEM file `cacert`.
pub(crate) fn connect(url: &ServerUrl, cacert: Option<&str>) -> Result<Client, Failure> {
    let Some(path) = cacert else {
        return Ok(Client::new(url.clone()));
    };
    let failed = |why: &dyn std::fmt::Display| {
        let path = Quoted::from(path);
        Failure::invalid(format_args!("cannot use {path} (--cacert): {why}"))
    };
    let pem = fs::read(path).map_err(|error| failed(&error))?;
    Client::with_ca(url.clone(), &pem).map_err(|error| failed(&error))
}

/// Returns the table of a seat whose token is known. Checks the token now, so that a wrong token is refused before the
/// first move.
fn with_token(
    client: Client,
    game: &str,
    seat: Seat,
    token: String,
) -> Result<RemoteTable, Failure> {
    client
        .events(game, Some(&token), None)
        .map_err(|error| match error {
            ClientError::Refused(problem) if matches!(problem.status, 401 | 403) => {
                Failure::invalid(format_args!(
                    "{} (--token); without --token and --seat you can watch the game",
                    problem.detail
                ))
            }
            error => failure(error),
        })?;
    Ok(RemoteTable {
        client,
        game: game.to_owned(),
        seat: Some(seat),
        token: Some(token),
    })
}

fn seatless(client: Client, game: &str) -> RemoteTable {
    RemoteTable {
        client,
        game: game.to_owned(),
        seat: None,
        token: None,
    }
}

/// Prints the tables that wait and the games that can be watched.
fn list(client: &Client) -> Result<(), Failure> {
    for (title, status) in [
        ("Waiting for an opponent", GameStatus::Waiting),
        ("Playing", GameStatus::Playing),
    ] {
        let games = games(client, status, None)?;
        println!("{title}: {}", games.len());
        for game in games {
            let url = ServerUrl {
                game: Some(game.id.clone()),
                ..client.url().clone()
            };
            println!("  {}\n    {url}", describe(&game));
        }
    }
    Ok(())
}

fn games(
    client: &Client,
    status: GameStatus,
    variant: Option<&Variant>,
) -> Result<Vec<GameListing>, Failure> {
    let variant = variant.map(ToString::to_string);
    let page = client.games(status, variant.as_deref(), MAX_LISTED);
    Ok(page.map_err(failure)?.games)
}

/// Describes a game in a list, such as `7x6k4+gravity  x Ann, o open`.
fn describe(game: &GameListing) -> String {
    let seats = (0..).zip(&game.seats).map(|(seat, holder)| {
        let symbol = Side::new(seat).map_or('?', Side::symbol);
        match holder.kind {
            SeatKind::Open => format!("{symbol} open"),
            // A name may contain terminal control sequences.
            SeatKind::Human | SeatKind::Robot => {
                format!("{symbol} {}", holder.name.escape_debug())
            }
        }
    });
    let seats: Vec<String> = seats.collect();
    format!("{}  {}", game.variant, seats.join(", "))
}

fn first_open(view: &View) -> Option<u8> {
    let seats = (0..).zip(&view.seats);
    let mut open = seats.filter(|(_, seat)| seat.kind == SeatKind::Open);
    open.next().map(|(seat, _)| seat)
}

pub(crate) fn failure(error: ClientError) -> Failure {
    match error {
        ClientError::Tls(_) => Failure::invalid(format_args!(
            "{error}; --cacert FILE adds a certificate to those that are trusted"
        )),
        ClientError::Unreachable(_) => Failure::invalid(format_args!(
            "{error}; `noughts serve` starts a server on this machine"
        )),
        error => Failure::invalid(error),
    }
}
