//! Finds the table to play at: a new one, the table of a link, a table in the lobby, or the table of a kept
//! seat.

use std::fs;
use std::io;

use noughts_api::{
    Client, ClientError, GameListing, GameStatus, NewTable, OpenSeat, SeatKind, SeatRequest,
    ServerUrl, View,
};
use noughts_rules::{Quoted, Seat, Side, Variant};
use noughts_terminal::play::{self, Choice, Lobby};
use noughts_terminal::{DEFAULT_LEVEL, DEFAULT_ROBOT};

use super::connection::RemoteTable;
use super::kept_seats::{KeptSeat, KeptSeats};
use crate::Failure;
use crate::args::Play;

/// How many games a list shows.
const MAX_LISTED: usize = 20;

const DEFAULT_VARIANT: &str = "3x3k3";

/// Finds the table that the command line or the menu names.
pub(super) struct Finder<'t> {
    pub(super) task: &'t Play,
    pub(super) name: String,
    pub(super) kept: Option<KeptSeats>,
    /// Whether the user can answer questions.
    pub(super) is_interactive: bool,
}

impl Finder<'_> {
    /// The table; `None` if the player left the menu or only wanted a list.
    pub(super) fn find(&self) -> Result<Option<RemoteTable>, Failure> {
        let url: ServerUrl = self.task.url.parse().map_err(Failure::invalid)?;
        if self.task.resume {
            return self.resume(&url);
        }
        let client = self.client(&url)?;
        if self.task.list {
            return list(&client).map(|()| None);
        }
        if self.task.watch && url.game.is_none() {
            return Err(Failure::invalid(
                "--watch needs the link of a game: noughts play URL --list shows the games of a server",
            ));
        }
        let variant = self.task.variant.clone();
        match (&url.game, self.task.against.as_deref()) {
            (Some(game), _) => self.open_link(client, game).map(Some),
            (None, Some(opponent)) => self.play_against(client, variant, opponent).map(Some),
            (None, None) if self.is_interactive && self.task.robot.is_none() => self.ask(client),
            (None, None) => self.play_against(client, variant, DEFAULT_ROBOT).map(Some),
        }
    }

    fn client(&self, url: &ServerUrl) -> Result<Client, Failure> {
        let Some(path) = &self.task.cacert else {
            return Ok(Client::new(url.clone()));
        };
        let failed = |why: &dyn std::fmt::Display| {
            let path = Quoted::from(path.as_str());
            Failure::invalid(format_args!("cannot use {path} (--cacert): {why}"))
        };
        let pem = fs::read(path).map_err(|error| failed(&error))?;
        Client::with_ca(url.clone(), &pem).map_err(|error| failed(&error))
    }

    /// Shows the menu with everything that the server offers.
    fn ask(&self, client: Client) -> Result<Option<RemoteTable>, Failure> {
        let waiting = games(&client, GameStatus::Waiting, None)?;
        let running = games(&client, GameStatus::Playing, None)?;
        let kept = self.kept_at(client.url());
        let lines = |games: &[GameListing]| games.iter().map(describe).collect();
        let lobby = Lobby {
            server: client.url().to_string(),
            waiting: lines(&waiting),
            running: lines(&running),
            kept: kept.iter().map(KeptSeat::describe).collect(),
            variant: self.task.variant.clone(),
            level: DEFAULT_LEVEL,
        };
        let choice = play::choose(&lobby, io::stdin().lock(), io::stdout().lock())?;
        let table = match choice {
            Choice::Computer { variant, level } => {
                self.play_against(client, Some(variant), &format!("level:{level}"))
            }
            Choice::Friend { variant } => self.play_against(client, Some(variant), "link"),
            Choice::Wait { variant } => self.play_against(client, Some(variant), "lobby"),
            Choice::Join(number) => self.open_link(client, &waiting[number].id),
            Choice::Watch(number) => Ok(seatless(client, &running[number].id)),
            Choice::Resume(number) => self.take_kept(&kept[number]),
            Choice::Quit => return Ok(None),
        };
        table.map(Some)
    }

    /// A new table or, for `lobby`, the table that has waited longest.
    fn play_against(
        &self,
        client: Client,
        variant: Option<String>,
        opponent: &str,
    ) -> Result<RemoteTable, Failure> {
        let variant = variant.as_deref().unwrap_or(DEFAULT_VARIANT);
        let variant = variant.parse::<Variant>().map_err(Failure::invalid)?;
        let opponent = match opponent {
            "link" => SeatRequest::Open(OpenSeat::Link),
            "lobby" => SeatRequest::Open(OpenSeat::Lobby),
            strategy => SeatRequest::Robot(strategy.to_owned()),
        };
        if opponent == SeatRequest::Open(OpenSeat::Lobby) && self.task.seat.is_none() {
            // The list is newest first.
            for game in games(&client, GameStatus::Waiting, Some(&variant))?
                .iter()
                .rev()
            {
                let taken = self.take_open_seat(&client, &game.id);
                if let Some(table) = taken.map_err(failure)? {
                    return Ok(table);
                }
            }
        }
        self.create(client, &variant, &opponent)
    }

    fn create(
        &self,
        client: Client,
        variant: &Variant,
        opponent: &SeatRequest,
    ) -> Result<RemoteTable, Failure> {
        let own = self.task.seat.unwrap_or(0);
        let holder = |seat: u8| match seat == own {
            true => SeatRequest::Human(self.name.clone()),
            false => opponent.clone(),
        };
        let created = client.create_table(&NewTable {
            variant: Some(variant.to_string()),
            seats: Some((0..variant.sides()).map(holder).collect()),
            take: Some(vec![own]),
            ..NewTable::default()
        });
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
                "Send this link to your opponent: {url}\n\
                 It opens in a browser; in a terminal: noughts play {url}"
            ),
            SeatRequest::Open(OpenSeat::Lobby) => {
                println!("You wait in the lobby. This table: {url}");
            }
            SeatRequest::Robot(_) | SeatRequest::Human(_) => println!("This game: {url}"),
        }
        Ok(table)
    }

    /// Takes an open seat of a game, or returns to a kept one, or watches.
    fn open_link(&self, client: Client, game: &str) -> Result<RemoteTable, Failure> {
        if self.task.watch {
            client.view(game).map_err(failure)?;
            return Ok(seatless(client, game));
        }
        if let (Some(seat), Some(token)) = (self.task.seat, self.task.token.clone()) {
            return with_token(client, game, Seat(seat), token);
        }
        if let Some(seat) = self.task.seat {
            let taken = client.take_seat(game, seat, &self.name).map_err(failure)?;
            return Ok(RemoteTable {
                client,
                game: game.to_owned(),
                seat: Some(Seat(seat)),
                token: Some(taken.token),
            });
        }
        if let Some(table) = self.take_open_seat(&client, game).map_err(failure)? {
            return Ok(table);
        }
        // A seat that no other terminal of this user is using.
        let view = client.view(game).map_err(failure)?;
        let is_absent = |kept: &KeptSeat| {
            let seat = view.seats.get(usize::from(kept.seat.0));
            seat.is_some_and(|seat| !seat.present)
        };
        let mut kept = self.kept_at(client.url()).into_iter();
        let kept = kept.find(|kept| kept.url.game.as_deref() == Some(game) && is_absent(kept));
        match kept.filter(|_| view.outcome.is_none()) {
            Some(kept) => {
                println!("You are back at your seat.");
                self.take_kept(&kept)
            }
            None => Ok(seatless(client, game)),
        }
    }

    /// Takes the first open seat; `None` if there is none or somebody else was faster.
    fn take_open_seat(
        &self,
        client: &Client,
        game: &str,
    ) -> Result<Option<RemoteTable>, ClientError> {
        let view = client.view(game)?;
        let Some(seat) = first_open(&view) else {
            return Ok(None);
        };
        match client.take_seat(game, seat, &self.name) {
            Ok(taken) => Ok(Some(RemoteTable {
                client: client.clone(),
                game: game.to_owned(),
                seat: Some(Seat(seat)),
                token: Some(taken.token),
            })),
            Err(ClientError::Refused(problem)) if problem.status == 409 => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// `--resume`: a kept seat, at the server or in the game that the command line names.
    fn resume(&self, url: &ServerUrl) -> Result<Option<RemoteTable>, Failure> {
        let kept = match (&url.game, self.task.url == crate::args::LOCAL_SERVER) {
            (None, true) => self.all_kept(),
            (None, false) => self.kept_at(url),
            (Some(_), _) => {
                let all = self.kept_at(url).into_iter();
                all.filter(|kept| kept.url == *url).collect()
            }
        };
        // Finished games are forgotten. A server that does not answer may come back, so its games are kept.
        let kept: Vec<KeptSeat> = kept
            .into_iter()
            .filter(|seat| !self.is_over(seat))
            .collect();
        let seat = match kept.as_slice() {
            [] => {
                return Err(Failure::invalid(
                    "no game to continue: noughts play URL starts one, and it can be continued until it is over",
                ));
            }
            [seat] => seat,
            [newest, ..] if !self.is_interactive => newest,
            several => {
                let lines: Vec<String> = several.iter().map(KeptSeat::describe).collect();
                match play::choose_line(&lines, io::stdin().lock(), io::stdout().lock())? {
                    Some(number) => &several[number],
                    None => return Ok(None),
                }
            }
        };
        self.take_kept(seat).map(Some)
    }

    /// Whether the game of a kept seat is over or gone. Then the seat is forgotten.
    fn is_over(&self, seat: &KeptSeat) -> bool {
        let Ok(client) = self.client(&seat.url) else {
            return false;
        };
        let view = client.view(seat.url.game.as_deref().unwrap_or_default());
        let is_over = match view {
            Ok(view) => view.outcome.is_some(),
            Err(ClientError::Refused(problem)) => problem.status == 404,
            Err(_) => false,
        };
        if let (true, Some(kept)) = (is_over, &self.kept) {
            let _ = kept.remove(seat);
        }
        is_over
    }

    fn take_kept(&self, kept: &KeptSeat) -> Result<RemoteTable, Failure> {
        let client = self.client(&kept.url)?;
        let game = kept.url.game.clone().unwrap_or_default();
        with_token(client, &game, kept.seat, kept.token.clone())
    }

    fn all_kept(&self) -> Vec<KeptSeat> {
        let kept = self.kept.as_ref().and_then(|kept| kept.read().ok());
        kept.unwrap_or_default()
    }

    /// The kept seats at this server, newest first.
    fn kept_at(&self, server: &ServerUrl) -> Vec<KeptSeat> {
        let mut kept = self.all_kept();
        kept.retain(|kept| {
            let url = &kept.url;
            (url.scheme, &url.host, url.port) == (server.scheme, &server.host, server.port)
        });
        kept
    }
}

/// The table of a seat with a known token. A wrong token is refused here, before the first move.
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
            println!("  {url}  {}", describe(&game));
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

/// Describes a game in a list: `7x6k4+gravity  Ann against an open seat`.
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

pub(super) fn failure(error: ClientError) -> Failure {
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
