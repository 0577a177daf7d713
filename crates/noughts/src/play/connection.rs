//! The connection to a table: one thread follows its events, one sends the player's actions.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::thread;
use std::time::Duration;

use noughts_api::{ActionRequest, Client, ClientError, SeatKind, ServerUrl};
use noughts_rules::Seat;
use noughts_terminal::play::{PlayEvent, PlayRequest, RequestError, TableState};

/// The pause before the second attempt to reach the server. It doubles with every attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(4);

/// After this many failed attempts, more than four minutes, a robot gives up. A person decides when to give
/// up.
const MAX_ROBOT_ATTEMPTS: u32 = 64;

/// A table of a server, and the seat held there.
#[derive(Clone)]
pub(super) struct RemoteTable {
    pub(super) client: Client,
    pub(super) game: String,
    pub(super) seat: Option<Seat>,
    pub(super) token: Option<String>,
}

/// Starts both threads. They end when the receiver of the events is dropped.
pub(super) fn open(
    table: &RemoteTable,
    events: SyncSender<PlayEvent>,
    is_robot: bool,
) -> Sender<PlayRequest> {
    let (sender, requests) = channel();
    let (follower, actor) = (table.clone(), table.clone());
    let attempts = is_robot.then_some(MAX_ROBOT_ATTEMPTS);
    let answers = events.clone();
    thread::spawn(move || follow(&follower, &events, attempts));
    thread::spawn(move || act(&actor, &requests, &answers));
    sender
}

impl RemoteTable {
    /// The link of the game.
    pub(super) fn url(&self) -> ServerUrl {
        ServerUrl {
            game: Some(self.game.clone()),
            ..self.client.url().clone()
        }
    }

    /// The state of the table. The view is read first, so that the record is at least as new and the entry
    /// number is never too large.
    fn state(&self) -> Result<TableState, ClientError> {
        let view = self.client.view(&self.game)?;
        let record = self.client.record(&self.game)?;
        let seats = (0..).map(Seat).zip(&view.seats);
        let open_seats = seats.filter(|(_, seat)| seat.kind == SeatKind::Open);
        Ok(TableState {
            entry: view.entry,
            record,
            open_seats: open_seats.map(|(seat, _)| seat).collect(),
        })
    }

    fn request(&self, request: &PlayRequest) -> Result<(), ClientError> {
        let mut action = ActionRequest {
            turn: Some(request.turn),
            ..ActionRequest::default()
        };
        match request.action.strip_prefix("<<") {
            Some(count) => action.rewind = count.parse().ok(),
            None if request.action == "resign" => action.resign = Some(true),
            None => action.play = Some(request.action.clone()),
        }
        let token = self.token.as_deref().unwrap_or_default();
        self.client.act(&self.game, token, &action).map(drop)
    }
}

/// Why a request failed.
enum Failed {
    /// A retry may succeed: the server is not reachable or overloaded.
    ForNow,
    Refused(String),
    /// A retry cannot succeed: the token is wrong, or the game is unknown.
    ForGood(String),
}

impl From<ClientError> for Failed {
    fn from(error: ClientError) -> Failed {
        let text = error.to_string();
        match error {
            ClientError::Unreachable(_) => Failed::ForNow,
            ClientError::Refused(problem) if problem.may_pass() => Failed::ForNow,
            ClientError::Refused(problem) if !matches!(problem.status, 401 | 403 | 404 | 500) => {
                Failed::Refused(text)
            }
            _ => Failed::ForGood(text),
        }
    }
}

/// Pauses between attempts.
struct Backoff {
    attempts: u32,
    pause: Duration,
}

impl Backoff {
    fn new() -> Backoff {
        Backoff {
            attempts: 0,
            pause: FIRST_PAUSE,
        }
    }

    fn wait(&mut self) {
        self.attempts += 1;
        thread::sleep(self.pause);
        self.pause = (2 * self.pause).min(MAX_PAUSE);
    }
}

/// Sends each request until the server answers, then sends the table and the answer as events. Repeating a
/// request is safe: the server recognizes the same seat, turn and action.
fn act(table: &RemoteTable, requests: &Receiver<PlayRequest>, events: &SyncSender<PlayEvent>) {
    for request in requests {
        let mut backoff = Backoff::new();
        let answer = loop {
            match table.request(&request).map_err(Failed::from) {
                Ok(()) => break Ok(()),
                Err(Failed::Refused(why)) => break Err(RequestError::Refused(why)),
                Err(Failed::ForGood(why)) => break Err(RequestError::Fatal(why)),
                Err(Failed::ForNow) => backoff.wait(),
            }
        };
        // If this fails, the event stream delivers the table.
        if let Ok(state) = table.state()
            && events.send(PlayEvent::State(Box::new(state))).is_err()
        {
            return;
        }
        if events.send(PlayEvent::Answer(answer)).is_err() {
            return;
        }
    }
}

/// Sends the table as an event, at the start and after every event of its stream. Reconnects when the stream
/// is lost.
fn follow(table: &RemoteTable, events: &SyncSender<PlayEvent>, max_attempts: Option<u32>) {
    let mut backoff = Backoff::new();
    loop {
        let is_reconnected = backoff.attempts > 0;
        let why = match follow_stream(table, events, is_reconnected, &mut backoff) {
            Ok(()) => None,
            Err(StreamEnd::Lost) => None,
            Err(StreamEnd::Abandoned) => return,
            Err(StreamEnd::Failed(why)) => Some(why),
        };
        let why = match max_attempts {
            Some(most) if backoff.attempts >= most => {
                why.or(Some("the server did not come back".to_owned()))
            }
            Some(_) | None => why,
        };
        if let Some(why) = why {
            let _ = events.send(PlayEvent::Failed(why));
            return;
        }
        if backoff.attempts == 0 && events.send(PlayEvent::Disconnected).is_err() {
            return;
        }
        backoff.wait();
    }
}

/// Why the event stream ended.
enum StreamEnd {
    /// The connection was lost or not made.
    Lost,
    /// The receiver of the events is gone.
    Abandoned,
    Failed(String),
}

impl From<ClientError> for StreamEnd {
    fn from(error: ClientError) -> StreamEnd {
        match Failed::from(error) {
            Failed::ForNow => StreamEnd::Lost,
            Failed::Refused(why) | Failed::ForGood(why) => StreamEnd::Failed(why),
        }
    }
}

fn follow_stream(
    table: &RemoteTable,
    events: &SyncSender<PlayEvent>,
    is_reconnected: bool,
    backoff: &mut Backoff,
) -> Result<(), StreamEnd> {
    let send = |event| events.send(event).map_err(|_| StreamEnd::Abandoned);
    let stream = table
        .client
        .events(&table.game, table.token.as_deref(), None)?;
    let mut is_first = true;
    for event in stream {
        match event {
            // A message that this version does not know may also have changed the table.
            Ok(_) | Err(ClientError::UnexpectedResponse(_)) => {}
            Err(_) => return Err(StreamEnd::Lost),
        }
        let state = table.state()?;
        if std::mem::take(&mut is_first) {
            *backoff = Backoff::new();
            if is_reconnected {
                send(PlayEvent::Reconnected)?;
            }
        }
        send(PlayEvent::State(Box::new(state)))?;
    }
    Ok(())
}
