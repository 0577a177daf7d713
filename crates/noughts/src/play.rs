//! `noughts play`: a table of a server on standard input and output.

use std::fs;
use std::io::{self, BufReader, BufWriter};
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use noughts_api::{
    ActionRequest, Client, ClientError, NewTable, OpenSeat, ProblemKind, SeatKind, SeatRequest,
    ServerUrl, View,
};
use noughts_engine::StrategyName;
use noughts_rules::{Quoted, Record, Seat, Variant};
use noughts_terminal::play::{
    self, PlayEnd, PlayError, PlayEvent, PlaySettings, RemoteError, RemoteGame,
};

use crate::args::Play;
use crate::{Failure, robot_setup};

pub(crate) fn run(task: Play) -> Result<(), Failure> {
    let url: ServerUrl = task.url.parse().map_err(Failure::invalid)?;
    let robot = task.robot.as_deref().map(str::parse::<StrategyName>);
    let robot = robot.transpose().map_err(Failure::invalid)?;
    let engine_setup = robot_setup::from_seed(task.seed.as_deref())?;
    let client = client(&url, task.cacert.as_deref())?;
    let name = match (&task.name, &robot) {
        (Some(name), _) => name.clone(),
        (None, Some(robot)) => robot.to_string(),
        (None, None) => std::env::var("USER").unwrap_or_default(),
    };
    let place = match url.game.clone() {
        Some(game) => take_seat(&client, game, &task, &name)?,
        None => create_table(&client, &task, &name)?,
    };
    if place.seat.is_none() && robot.is_some() {
        return Err(Failure::invalid(
            "this table has no open seat for the robot",
        ));
    }
    let settings = PlaySettings {
        seat: place.seat,
        robot,
    };
    let input = settings
        .robot
        .is_none()
        .then(|| BufReader::new(io::stdin()));
    let (sender, events) = play::event_channel(input);
    let remote = RemoteTable { client, place };
    let watched = remote.clone();
    thread::spawn(move || watch(&watched, &sender));
    let output = BufWriter::new(io::stdout().lock());
    match play::play(&settings, &engine_setup, &remote, events, output) {
        Ok(PlayEnd::Over) => Ok(()),
        Ok(PlayEnd::Left) => {
            if let Some((seat, token)) = remote.place.seat.zip(remote.place.token) {
                let game = Some(remote.place.game);
                let url = ServerUrl { game, ..url };
                println!(
                    "The seat stays yours: noughts play {url} --seat {} --token {token}",
                    seat.0
                );
            }
            Ok(())
        }
        Err(PlayError::Unfit(unfit)) => Err(Failure::invalid(unfit)),
        Err(PlayError::Remote(why)) => Err(Failure::Invalid(why)),
        Err(PlayError::Terminal(error)) => Err(Failure::Output(error)),
    }
}

fn client(url: &ServerUrl, cacert: Option<&str>) -> Result<Client, Failure> {
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

/// A game, and the seat held there.
#[derive(Clone)]
struct Place {
    game: String,
    seat: Option<Seat>,
    token: Option<String>,
}

/// Creates a table and prints its address.
fn create_table(client: &Client, task: &Play, name: &str) -> Result<Place, Failure> {
    let variant = task.variant.as_deref().unwrap_or("3x3k3");
    let sides = variant
        .parse::<Variant>()
        .map_err(Failure::invalid)?
        .sides();
    let opponent = match task.against.as_deref().unwrap_or("level:8") {
        "link" => SeatRequest::Open(OpenSeat::Link),
        "lobby" => SeatRequest::Open(OpenSeat::Lobby),
        strategy => SeatRequest::Robot(strategy.to_owned()),
    };
    let own = task.seat.unwrap_or(0);
    let holder = |seat: u8| match seat == own {
        true => SeatRequest::Human(name.to_owned()),
        false => opponent.clone(),
    };
    let created = client.create_table(&NewTable {
        variant: Some(variant.to_owned()),
        seats: Some((0..sides).map(holder).collect()),
        take: Some(vec![own]),
        ..NewTable::default()
    });
    let created = created.map_err(failure)?;
    let url = ServerUrl {
        game: Some(created.id.clone()),
        ..client.url().clone()
    };
    println!("{url}");
    Ok(Place {
        game: created.id,
        seat: Some(Seat(own)),
        token: created.tokens.get(&own.to_string()).cloned(),
    })
}

/// Takes a seat if one is open; otherwise the game is only watched.
fn take_seat(client: &Client, game: String, task: &Play, name: &str) -> Result<Place, Failure> {
    if let (Some(seat), Some(token)) = (task.seat, task.token.clone()) {
        let (seat, token) = (Some(Seat(seat)), Some(token));
        return Ok(Place { game, seat, token });
    }
    let view = client.view(&game).map_err(failure)?;
    let Some(seat) = task.seat.or_else(|| first_open(&view)) else {
        let (seat, token) = (None, None);
        return Ok(Place { game, seat, token });
    };
    let taken = client.take_seat(&game, seat, name).map_err(failure)?;
    Ok(Place {
        game,
        seat: Some(Seat(seat)),
        token: Some(taken.token),
    })
}

fn first_open(view: &View) -> Option<u8> {
    let seats = (0..).zip(&view.seats);
    let mut open = seats.filter(|(_, seat)| seat.kind == SeatKind::Open);
    open.next().map(|(seat, _)| seat)
}

fn failure(error: ClientError) -> Failure {
    match error {
        ClientError::Tls(_) => Failure::invalid(format_args!(
            "{error}; --cacert FILE adds a certificate to those that are trusted"
        )),
        error => Failure::invalid(error),
    }
}

/// A table of a server.
#[derive(Clone)]
struct RemoteTable {
    client: Client,
    place: Place,
}

impl RemoteGame for RemoteTable {
    fn record(&self) -> Result<Record, RemoteError> {
        self.client.record(&self.place.game).map_err(remote_error)
    }

    fn act(&self, turn: usize, action: &str) -> Result<(), RemoteError> {
        let mut request = ActionRequest {
            turn,
            ..ActionRequest::default()
        };
        match action.strip_prefix("<<") {
            Some(count) => request.rewind = count.parse().ok(),
            None if action == "resign" => request.resign = Some(true),
            None => request.play = Some(action.to_owned()),
        }
        let token = self.place.token.as_deref().unwrap_or_default();
        let done = self.client.act(&self.place.game, token, &request);
        done.map(drop).map_err(remote_error)
    }
}

/// Server errors and rate limits pass; a wrong token or an unknown game does not.
fn remote_error(error: ClientError) -> RemoteError {
    let text = error.to_string();
    match error {
        ClientError::Unreachable(_) => RemoteError::Unreachable(text),
        ClientError::Refused(problem)
            if problem.status >= 500 || ProblemKind::TooMany.is(&problem) =>
        {
            RemoteError::Unreachable(text)
        }
        ClientError::Refused(problem) if !matches!(problem.status, 401 | 403 | 404) => {
            RemoteError::Refused(text)
        }
        _ => RemoteError::Fatal(text),
    }
}

/// The pause before the first attempt to reconnect; it doubles with every attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(8);

/// Consecutive attempts to reconnect.
const MAX_ATTEMPTS: u32 = 30;

/// Follows the table's event stream until the receiver is dropped, and reconnects when it is lost.
fn watch(table: &RemoteTable, sender: &SyncSender<PlayEvent>) {
    let place = &table.place;
    let (mut last_id, mut attempts, mut pause) = (None, 0, FIRST_PAUSE);
    loop {
        match table
            .client
            .events(&place.game, place.token.as_deref(), last_id)
        {
            Ok(mut stream) => {
                if attempts > 0 && sender.send(PlayEvent::Reconnected).is_err() {
                    return;
                }
                (attempts, pause) = (0, FIRST_PAUSE);
                while let Some(event) = stream.next() {
                    last_id = stream.last_id();
                    if event.is_err() {
                        break;
                    }
                    if sender.send(PlayEvent::Changed).is_err() {
                        return;
                    }
                }
            }
            Err(error) => {
                if let RemoteError::Fatal(why) = remote_error(error) {
                    let _ = sender.send(PlayEvent::Failed(why));
                    return;
                }
            }
        }
        if attempts == 0 && sender.send(PlayEvent::Disconnected).is_err() {
            return;
        }
        attempts += 1;
        if attempts > MAX_ATTEMPTS {
            let why = "the server did not come back".to_owned();
            let _ = sender.send(PlayEvent::Failed(why));
            return;
        }
        thread::sleep(pause);
        pause = (2 * pause).min(MAX_PAUSE);
    }
}
