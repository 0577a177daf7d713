//! `noughts play`: a table of a server, from standard input and output.

use std::io::{self, BufReader, BufWriter};
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use noughts_api::{
    ActionRequest, Client, ClientError, NewTable, OpenSeat, ProblemKind, SeatKind, SeatRequest,
    ServerUrl, View,
};
use noughts_engine::StrategyName;
use noughts_rules::{Record, Seat, Variant};
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
    let client = Client::new(url.clone());
    let user = || std::env::var("USER").unwrap_or_default();
    let name = match (&task.name, &robot) {
        (Some(name), _) => name.clone(),
        (None, Some(robot)) => robot.to_string(),
        (None, None) => user(),
    };
    let place = match url.game.clone() {
        Some(game) => sit(&client, game, &task, &name)?,
        None => lay(&client, &task, &name)?,
    };
    if place.seat.is_none() && robot.is_some() {
        return Err(Failure::invalid(
            "no seat is open at this table, and a robot does not watch",
        ));
    }
    let setup = PlaySettings {
        seat: place.seat,
        robot,
    };
    let input = setup.robot.is_none().then(|| BufReader::new(io::stdin()));
    let (sender, heard) = play::hear(input);
    let watch = (client.clone(), place.clone());
    thread::spawn(move || listen(&watch.0, &watch.1, &sender));
    let output = BufWriter::new(io::stdout().lock());
    let table = Remote {
        client,
        place: place.clone(),
    };
    match play::play(&setup, &engine_setup, &table, heard, output) {
        Ok(PlayEnd::Over) => Ok(()),
        Ok(PlayEnd::Left) => {
            if let Some((seat, token)) = place.seat.zip(place.token) {
                let url = ServerUrl {
                    game: Some(place.game),
                    ..url
                };
                println!(
                    "The seat stays yours: noughts play {url} --seat {} --token {token}",
                    seat.0
                );
            }
            Ok(())
        }
        Err(PlayError::Unfit(unfit)) => Err(Failure::invalid(unfit)),
        Err(PlayError::Table(why)) => Err(Failure::Invalid(why)),
        Err(PlayError::Terminal(error)) => Err(Failure::Output(error)),
    }
}

/// Which game, and where one sits there.
#[derive(Clone)]
struct Place {
    game: String,
    seat: Option<Seat>,
    token: Option<String>,
}

/// Lays a table, and says where it is.
fn lay(client: &Client, task: &Play, name: &str) -> Result<Place, Failure> {
    let variant = task.variant.as_deref().unwrap_or("3x3k3");
    let sides = variant
        .parse::<Variant>()
        .map_err(Failure::invalid)?
        .sides();
    let against = match task.against.as_deref().unwrap_or("level:8") {
        "link" => SeatRequest::Open(OpenSeat::Link),
        "lobby" => SeatRequest::Open(OpenSeat::Lobby),
        strategy => SeatRequest::Robot(strategy.to_owned()),
    };
    let seat = task.seat.unwrap_or(0);
    let wish = |other: u8| match other == seat {
        true => SeatRequest::Human(name.to_owned()),
        false => against.clone(),
    };
    let laid = client.create_table(&NewTable {
        variant: Some(variant.to_owned()),
        seats: Some((0..sides).map(wish).collect()),
        take: Some(vec![seat]),
        ..NewTable::default()
    });
    let laid = laid.map_err(Failure::invalid)?;
    let url = ServerUrl {
        game: Some(laid.id.clone()),
        ..client.url().clone()
    };
    println!("{url}");
    Ok(Place {
        game: laid.id,
        seat: Some(Seat(seat)),
        token: laid.tokens.get(&seat.to_string()).cloned(),
    })
}

/// Sits down at a table where there is a seat, or watches.
fn sit(client: &Client, game: String, task: &Play, name: &str) -> Result<Place, Failure> {
    if let (Some(seat), Some(token)) = (task.seat, task.token.clone()) {
        let (seat, token) = (Some(Seat(seat)), Some(token));
        return Ok(Place { game, seat, token });
    }
    let view = client.view(&game).map_err(Failure::invalid)?;
    let open = match task.seat {
        Some(seat) => Some(seat),
        None => first_open(&view),
    };
    let Some(seat) = open else {
        let (seat, token) = (None, None);
        return Ok(Place { game, seat, token });
    };
    let seated = client
        .take_seat(&game, seat, name)
        .map_err(Failure::invalid)?;
    Ok(Place {
        game,
        seat: Some(Seat(seat)),
        token: Some(seated.token),
    })
}

fn first_open(view: &View) -> Option<u8> {
    let seats = (0..).zip(&view.seats);
    let mut open = seats.filter(|(_, seat)| seat.kind == SeatKind::Open);
    open.next().map(|(seat, _)| seat)
}

/// A table of a server.
struct Remote {
    client: Client,
    place: Place,
}

impl RemoteGame for Remote {
    fn look(&self) -> Result<Record, RemoteError> {
        self.client.record(&self.place.game).map_err(trouble)
    }

    fn act(&self, turn: usize, action: &str) -> Result<(), RemoteError> {
        let mut act = ActionRequest {
            turn,
            ..ActionRequest::default()
        };
        match action.strip_prefix("<<") {
            Some(count) => act.rewind = count.parse().ok(),
            None if action == "resign" => act.resign = Some(true),
            None => act.play = Some(action.to_owned()),
        }
        let token = self.place.token.as_deref().unwrap_or_default();
        let done = self.client.act(&self.place.game, token, &act);
        done.map(|_| ()).map_err(trouble)
    }
}

fn trouble(trouble: ClientError) -> RemoteError {
    let words = trouble.to_string();
    match trouble {
        ClientError::Lost(_) => RemoteError::Lost(words),
        ClientError::Foreign(_) => RemoteError::Gone(words),
        // It may do in a moment.
        ClientError::Refused(problem)
            if problem.status >= 500 || ProblemKind::TooMany.is(&problem) =>
        {
            RemoteError::Lost(words)
        }
        ClientError::Refused(problem) if matches!(problem.status, 401 | 403 | 404) => {
            RemoteError::Gone(words)
        }
        ClientError::Refused(_) => RemoteError::Refused(words),
    }
}

/// How long to wait before the server is called again, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// How often in a row it is called.
const MOST_CALLS: u32 = 30;

/// Listens to the table until nobody wants to know any more, and calls again when it is lost.
fn listen(client: &Client, place: &Place, sender: &SyncSender<PlayEvent>) {
    let (mut seen, mut calls, mut pause) = (None, 0, FIRST_PAUSE);
    loop {
        match client.events(&place.game, place.token.as_deref(), seen) {
            Ok(mut follow) => {
                if calls > 0 && sender.send(PlayEvent::Back).is_err() {
                    return;
                }
                (calls, pause) = (0, FIRST_PAUSE);
                while let Ok(Some(_)) = follow.next() {
                    seen = follow.seen();
                    if sender.send(PlayEvent::News).is_err() {
                        return;
                    }
                }
            }
            Err(error) => {
                if let RemoteError::Gone(why) = trouble(error) {
                    let _ = sender.send(PlayEvent::Gone(why));
                    return;
                }
            }
        }
        if calls == 0 && sender.send(PlayEvent::Lost).is_err() {
            return;
        }
        calls += 1;
        if calls > MOST_CALLS {
            let why = "the server did not come back".to_owned();
            let _ = sender.send(PlayEvent::Gone(why));
            return;
        }
        thread::sleep(pause);
        pause = (2 * pause).min(LONGEST_PAUSE);
    }
}
