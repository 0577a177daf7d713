//! The connection to a table: one thread follows the table's events, and another sends the player's requests.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel};
use std::thread;
use std::time::Duration;

use noughts_api::{
    ActionRequest, ClaimKind, Client, ClientError, ClockForm, ClockView, OfferKind as ApiOffer,
    OfferView, SeatKind, SeatView, ServerUrl, View,
};
use noughts_rules::{ClockSettings, Seat};
use noughts_terminal::play::{
    Claim, Clocks, Offer, OfferKind, PlayEvent, PlayRequest, RequestError, TableState,
};

/// The pause before the second attempt to reach the server. The pause doubles with every attempt, up to
/// `MAX_PAUSE`.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(4);

/// If a robot plays, the program ends after this number of consecutive failed attempts to follow the table. The
/// attempts take more than four minutes. If a person plays, the program tries again until the person leaves.
const MAX_ROBOT_ATTEMPTS: u32 = 64;

/// If nothing arrives in the event stream for this long, a request checks whether the server still answers.
const SILENCE: Duration = Duration::from_secs(2);

/// Maximum time for the answer to the request that checks the server after a silence. A client notices a hanging server
/// within 5 s, which is `SILENCE` plus `PROBE_TIMEOUT`.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum number of attempts to read a view and a record of the same turn.
const MAX_READS: usize = 3;

/// Maximum time to tell the server that the player leaves.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);

/// Calls `run` in a new thread, and waits until `run` has ended, but at most `timeout`.
pub(super) fn within(timeout: Duration, run: impl FnOnce() + Send + 'static) {
    let (sender, done) = channel::<()>();
    thread::spawn(move || {
        run();
        drop(sender);
    });
    let _ = done.recv_timeout(timeout);
}

/// A table on a server, and the seat that this player holds at the table, if any.
#[derive(Clone)]
pub(super) struct RemoteTable {
    pub(super) client: Client,
    pub(super) game: String,
    pub(super) seat: Option<Seat>,
    pub(super) token: Option<String>,
}

/// Starts a thread that follows the table's events, and a thread that sends the requests. The threads end
/// when both the receiver of the events and the returned sender are dropped.
pub(super) fn open(
    table: &RemoteTable,
    events: SyncSender<PlayEvent>,
    is_robot: bool,
) -> Sender<PlayRequest> {
    let (sender, requests) = channel();
    let (follower, actor) = (table.clone(), table.clone());
    let attempts = is_robot.then_some(MAX_ROBOT_ATTEMPTS);
    let answers = events.clone();
    let has_ended = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&has_ended);
    thread::spawn(move || follow(&follower, &events, &has_ended, attempts));
    thread::spawn(move || {
        act(&actor, &requests, &answers);
        ended.store(true, Ordering::Relaxed);
    });
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

    /// Reads the view, then the record. In this order the record is at least as new as the view. If a turn
    /// was completed between the two reads, the view and the record are read again, at most `MAX_READS` times
    /// in total. So the clocks and offers of the view usually belong to the last turn of the record.
    fn state(&self) -> Result<TableState, ClientError> {
        let read = || -> Result<_, ClientError> {
            let view = self.client.view(&self.game)?;
            Ok((view, self.client.record(&self.game)?))
        };
        let (mut view, mut record) = read()?;
        for _ in 1..MAX_READS {
            if record.game().turns().len() + 1 == view.turn {
                break;
            }
            (view, record) = read()?;
        }
        Ok(TableState {
            entry: view.entry,
            record,
            open_seats: seats(&view, |seat| seat.kind == SeatKind::Open),
            absent: seats(&view, |seat| seat.kind == SeatKind::Human && !seat.present),
            offers: view.offers.iter().filter_map(offer).collect(),
            clocks: view.clock.as_ref().and_then(clocks),
            has_rematch: view.rematch.is_some(),
        })
    }

    /// Tells the server that the player leaves, as a browser does when the page is closed. The player keeps the seat.
    pub(super) fn leave(&self) {
        let Some(token) = self.token.clone() else {
            return;
        };
        let table = self.clone();
        within(LEAVE_TIMEOUT, move || {
            let _ = table.client.leave(&table.game, &token);
        });
    }

    /// Returns the table of the rematch that all players asked for, with the player's new seat.
    pub(super) fn rematch(&self) -> Result<RemoteTable, ClientError> {
        let token = self.token.as_deref().unwrap_or_default();
        let rematch = self.client.rematch(&self.game, token)?;
        let none = || ClientError::UnexpectedResponse("there is no rematch".to_owned());
        Ok(RemoteTable {
            client: self.client.clone(),
            game: rematch.view.rematch.ok_or_else(none)?,
            seat: rematch.seat.map(Seat),
            token: rematch.token,
        })
    }

    /// Sends a request once. The caller must use the same `key` for every attempt of one request.
    fn request(&self, request: &PlayRequest, key: &str) -> Result<(), ClientError> {
        let mut action = ActionRequest::default();
        match request {
            PlayRequest::Act { turn, action: text } => {
                action.turn = Some(*turn);
                match text.strip_prefix("<<") {
                    Some(count) => action.rewind = count.parse().ok(),
                    None if text == "resign" => action.resign = Some(true),
                    None => action.play = Some(text.clone()),
                }
            }
            PlayRequest::Offer(kind) => action.offer = Some(api_offer(*kind)),
            PlayRequest::Accept(kind) => action.accept = Some(api_offer(*kind)),
            PlayRequest::Decline(kind) => action.decline = Some(api_offer(*kind)),
            PlayRequest::Abort => action.abort = Some(true),
            PlayRequest::Claim(Claim::Win) => action.claim = Some(ClaimKind::Win),
            PlayRequest::Claim(Claim::Draw) => action.claim = Some(ClaimKind::Draw),
        }
        let token = self.token.as_deref().unwrap_or_default();
        self.client
            .act_once(&self.game, token, &action, key)
            .map(drop)
    }
}

fn seats(view: &View, is_listed: impl Fn(&SeatView) -> bool) -> Vec<Seat> {
    let seats = (0..).map(Seat).zip(&view.seats);
    let listed = seats.filter(|(_, seat)| is_listed(seat));
    listed.map(|(seat, _)| seat).collect()
}

/// Converts an offer. Returns `None` if this version of the program does not know the kind of the offer.
fn offer(offer: &OfferView) -> Option<Offer> {
    let kind = match offer.kind {
        ApiOffer::Draw => OfferKind::Draw,
        ApiOffer::Takeback => OfferKind::Takeback,
        ApiOffer::Rematch => OfferKind::Rematch,
        _ => return None,
    };
    let seat = Seat(offer.seat);
    Some(Offer { kind, seat })
}

fn api_offer(kind: OfferKind) -> ApiOffer {
    match kind {
        OfferKind::Draw => ApiOffer::Draw,
        OfferKind::Takeback => ApiOffer::Takeback,
        OfferKind::Rematch => ApiOffer::Rematch,
    }
}

fn clocks(clock: &ClockView) -> Option<Clocks> {
    let form = ClockForm {
        base: clock.base,
        increment: clock.increment,
        per_move: clock.per_move,
        days: clock.days,
    };
    let left = clock.left_ms.iter().copied();
    Some(Clocks {
        settings: ClockSettings::try_from(form).ok()?,
        left: left.map(Duration::from_millis).collect(),
        running: clock.running.map(Seat),
    })
}

/// Why a request failed.
enum Failed {
    /// A retry may succeed: the server is not reachable or overloaded.
    Temporary,
    Refused(String),
    /// A retry cannot succeed, for example because the token is wrong or the game is unknown.
    Permanent(String),
}

impl From<ClientError> for Failed {
    fn from(error: ClientError) -> Failed {
        let text = error.to_string();
        match error {
            ClientError::Unreachable(_) => Failed::Temporary,
            ClientError::Refused(problem) if problem.is_temporary() => Failed::Temporary,
            ClientError::Refused(problem) if !matches!(problem.status, 401 | 403 | 404 | 500) => {
                Failed::Refused(text)
            }
            _ => Failed::Permanent(text),
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

/// Sends each request to the server. Repeats the request until the server accepts or refuses it, or a retry cannot
/// succeed. Then sends two events: the state of the table, if it can be read, and the answer. Repeating a request is
/// safe, because the server recognizes its key.
fn act(table: &RemoteTable, requests: &Receiver<PlayRequest>, events: &SyncSender<PlayEvent>) {
    for request in requests {
        let mut backoff = Backoff::new();
        // A random key: the standard library seeds its hashers with random numbers of the system.
        let key = format!("{:016x}", RandomState::new().build_hasher().finish());
        let answer = loop {
            match table.request(&request, &key).map_err(Failed::from) {
                Ok(()) => break Ok(()),
                Err(Failed::Refused(why)) => break Err(RequestError::Refused(why)),
                Err(Failed::Permanent(why)) => break Err(RequestError::Fatal(why)),
                Err(Failed::Temporary) => backoff.wait(),
            }
        };
        // If reading the state fails, the thread that follows the events delivers the state later.
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

/// Follows the table's event stream. After each message, or after several messages that arrived together,
/// sends the state of the table as an event. A stream begins with a message, so the first state is sent
/// immediately. Reconnects when the stream is lost. Ends when the events are not needed any more, or when the
/// connection has failed permanently.
fn follow(
    table: &RemoteTable,
    events: &SyncSender<PlayEvent>,
    has_ended: &AtomicBool,
    max_attempts: Option<u32>,
) {
    let mut backoff = Backoff::new();
    while !has_ended.load(Ordering::Relaxed) {
        let is_reconnected = backoff.attempts > 0;
        let why = match follow_stream(table, events, has_ended, is_reconnected, &mut backoff) {
            Ok(()) => None,
            Err(StreamEnd::Lost) => None,
            Err(StreamEnd::Abandoned) => return,
            Err(StreamEnd::Failed(why)) => Some(why),
        };
        let why = match max_attempts {
            Some(max) if backoff.attempts >= max => {
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
    /// The connection was lost or could not be made.
    Lost,
    /// The events are not needed any more: their receiver is dropped, or the thread that sends the requests has ended.
    Abandoned,
    Failed(String),
}

impl From<ClientError> for StreamEnd {
    fn from(error: ClientError) -> StreamEnd {
        match Failed::from(error) {
            Failed::Temporary => StreamEnd::Lost,
            Failed::Refused(why) | Failed::Permanent(why) => StreamEnd::Failed(why),
        }
    }
}

fn follow_stream(
    table: &RemoteTable,
    events: &SyncSender<PlayEvent>,
    has_ended: &AtomicBool,
    is_reconnected: bool,
    backoff: &mut Backoff,
) -> Result<(), StreamEnd> {
    let send = |event| events.send(event).map_err(|_| StreamEnd::Abandoned);
    let changes = changes(table)?;
    let mut is_first = true;
    loop {
        match changes.recv_timeout(SILENCE) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) if has_ended.load(Ordering::Relaxed) => {
                return Err(StreamEnd::Abandoned);
            }
            // A server that hangs or that the network cuts off does not close its connections.
            Err(RecvTimeoutError::Timeout) if table.client.is_answering(PROBE_TIMEOUT) => continue,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                return Err(StreamEnd::Lost);
            }
        }
        // One state contains all changes so far, so the other waiting messages are dropped.
        while changes.try_recv().is_ok() {}
        let state = table.state()?;
        if std::mem::take(&mut is_first) {
            *backoff = Backoff::new();
            if is_reconnected {
                send(PlayEvent::Reconnected)?;
            }
        }
        send(PlayEvent::State(Box::new(state)))?;
    }
}

/// Opens the event stream, and reads it in a thread. The returned receiver gets `()` for each message. The thread ends
/// with the stream or when the receiver is dropped.
fn changes(table: &RemoteTable) -> Result<Receiver<()>, ClientError> {
    let stream = table
        .client
        .events(&table.game, table.token.as_deref(), None)?;
    let (sender, changes) = channel();
    thread::spawn(move || {
        for event in stream {
            // A message that this version cannot parse may also report a change of the table.
            let is_change = matches!(event, Ok(_) | Err(ClientError::UnexpectedResponse(_)));
            if !is_change || sender.send(()).is_err() {
                return;
            }
        }
    });
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::sync::mpsc::sync_channel;

    use super::*;

    #[test]
    fn follower_ends_after_the_game_even_if_the_server_stays_away() {
        // Nothing listens on the port of a closed listener.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let table = RemoteTable {
            client: Client::new(format!("http://{address}").parse().unwrap()),
            game: "0".repeat(26),
            seat: None,
            token: None,
        };
        let (sender, events) = sync_channel(1);
        let has_ended = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&has_ended);
        thread::spawn(move || follow(&table, &sender, &ended, None));
        let event = events.recv();
        assert!(matches!(event, Ok(PlayEvent::Disconnected)), "{event:?}");
        has_ended.store(true, Ordering::Relaxed);
        // The thread drops the sender when it ends.
        let event = events.recv_timeout(Duration::from_secs(10));
        assert!(
            matches!(event, Err(RecvTimeoutError::Disconnected)),
            "{event:?}"
        );
    }
}
