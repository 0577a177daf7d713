//! One TCP connection: its bytes, its protocol session, and its seat.

use std::fmt;
use std::future::{pending, poll_fn};
use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use noughts_rules::{Action, Move, Refusal};
use noughts_wire::{
    Cell, CloseReason, GameMode, GameResult, MAX_BUFFERED_BYTES, MoveRefusal, Session,
    SessionEvent, SessionRequest,
};
use tokio::io::{AsyncRead, AsyncWriteExt, Interest, ReadBuf};
use tokio::task::coop;
use tokio::time::{Duration, Instant, sleep_until, timeout_at};
use tracing::info;

use super::{Opponent, TcpServer};
use crate::background_tasks::poll_once;
use crate::matchmaking::WaitingClient;
use crate::net::{self, NetStream, Permit};
use crate::table::{SeatResult, TableRefusal};
use crate::tables::{BoxFuture, ConnectedSeat, GameEnd, SubmitError};

/// One connection, served by one task. The task waits for the client and the table at the same time.
pub(super) struct Connection {
    server: Arc<TcpServer>,
    stream: NetStream,
    peer: IpAddr,
    session: Session,
    /// Bytes that were not sent to the client yet.
    out: Vec<u8>,
    stage: Stage,
    /// When the current idle time began. The idle time starts again after progress. It also starts again if
    /// the server is not waiting for the client when the idle limit is checked.
    idle_since: Instant,
    /// Whether there was progress after `idle_since`.
    has_progress: bool,
    games: u32,
    /// Whether the client has closed its sending direction.
    has_ended: bool,
    permit: Permit,
}

/// The state of the client's game.
enum Stage {
    /// The client has no game, and does not wait for one.
    Idle,
    /// A table against the computer is being created.
    Seating(BoxFuture<ConnectedSeat>),
    /// The client waits for an opponent.
    Waiting(WaitingClient),
    Playing {
        seat: ConnectedSeat,
        /// The client's move while the server stores it, and the time at which its submission began.
        submission: Option<(Submission, Instant)>,
    },
}

type Submission = BoxFuture<Result<(), SubmitError>>;

/// What happened to the client's game.
enum GameEvent {
    Seated(ConnectedSeat),
    NotSeated,
    /// The client's move was stored or refused.
    Submitted(Result<(), SubmitError>),
    /// Something changed at the table.
    Changed,
    /// The table was closed.
    TableGone,
}

/// Maximum time during which the server sends answers to a client that has closed its sending direction.
const LAST_ANSWER: Duration = Duration::from_secs(1);

/// Maximum number of bytes that wait to be sent. While more bytes wait, the server reads nothing from the
/// client.
const MAX_UNSENT_BYTES: usize = 4096;

/// Maximum capacity of the output buffer while nothing is to be sent. Most answers fit, so that they need no
/// allocation.
const MAX_IDLE_CAPACITY: usize = 64;

/// Maximum number of bytes per read. Every frame is shorter.
const READ_AT_ONCE: usize = 512;

/// How a connection ended, for the log. The server sends the remaining bytes only after `Error`.
#[derive(Clone, Copy, Debug)]
enum End {
    /// The client left.
    Left,
    /// The client made no progress for too long.
    Idle,
    /// The session closed the connection because of errors of the client, or because the server refuses new clients.
    Error(CloseReason),
    /// The table was closed.
    NoTable,
    /// The store was unavailable for too long.
    StoreUnavailable,
}

impl Stage {
    /// The next event of the client's game. Cancel safe.
    async fn next(&mut self) -> GameEvent {
        match self {
            Stage::Idle => pending().await,
            Stage::Seating(seating) => GameEvent::Seated(seating.await),
            Stage::Waiting(waiting) => match waiting.seat().await {
                Some(seat) => GameEvent::Seated(seat),
                None => GameEvent::NotSeated,
            },
            Stage::Playing { seat, submission } => {
                let submitted = async {
                    match submission {
                        Some((submission, _)) => submission.await,
                        None => pending().await,
                    }
                };
                tokio::select! {
                    biased;
                    result = submitted => GameEvent::Submitted(result),
                    is_there = seat.changed() => match is_there {
                        true => GameEvent::Changed,
                        false => GameEvent::TableGone,
                    },
                }
            }
        }
    }
}

impl Connection {
    pub(super) fn new(
        server: Arc<TcpServer>,
        stream: NetStream,
        peer: IpAddr,
        permit: Permit,
    ) -> Connection {
        let protocol = match server.opponent {
            Opponent::Robot(_) => GameMode::Computer,
            Opponent::Players => GameMode::Pairs,
        };
        let is_refused = !permit.is_served() || server.operator.is_draining();
        Connection {
            server,
            stream,
            peer,
            session: Session::new(protocol, is_refused),
            out: Vec::new(),
            stage: Stage::Idle,
            idle_since: Instant::now(),
            has_progress: false,
            games: 0,
            has_ended: false,
            permit,
        }
    }

    /// Serves the client until the client or the server ends the connection.
    pub(super) async fn serve(&mut self) {
        let begun = Instant::now();
        let end = match self.run().await {
            Ok(end) => end,
            // A disconnection at any time is normal.
            Err(_) => End::Left,
        };
        // The client leaves its game first, so that the opponent need not wait until the last bytes are sent.
        self.leave_game();
        info!(
            listener = self.server.kind().name(),
            name = ?self.session.name().to_string(),
            games = self.games,
            seconds = begun.elapsed().as_secs(),
            %end,
            "connection closed"
        );
        if let End::Error(_) = end {
            self.flush_and_close().await;
        }
    }

    async fn run(&mut self) -> io::Result<End> {
        let idle = self.permit.idle_limit();
        let mut alarm = pin!(sleep_until(self.idle_since + idle));
        loop {
            if let Some(end) = self.proceed()? {
                return Ok(end);
            }
            if self.has_ended && !self.has_pending_answer() {
                return Ok(End::Left);
            }
            if std::mem::take(&mut self.has_progress) {
                self.idle_since = Instant::now();
            }
            // Lets other tasks run, even if this loop always has something to do.
            coop::consume_budget().await;
            let (reads, writes) = (self.wants_input(), self.has_output());
            tokio::select! {
                biased;
                event = self.stage.next() => {
                    if let Some(end) = self.handle(event) {
                        return Ok(end);
                    }
                }
                event = wait_for_client(&mut self.stream, &mut self.session, reads, writes) => {
                    match event? {
                        ClientEvent::Ready => {}
                        ClientEvent::Broken => return Ok(End::Left),
                        ClientEvent::Ended => {
                            self.has_ended = true;
                            alarm.as_mut().reset(Instant::now() + LAST_ANSWER);
                        }
                    }
                }
                () = &mut alarm => {
                    if self.has_ended {
                        return Ok(End::Left);
                    }
                    if self.is_store_unavailable(idle) {
                        return Ok(End::StoreUnavailable);
                    }
                    if !self.is_waiting_for_client() {
                        self.idle_since = Instant::now();
                    }
                    if self.idle_since + idle <= Instant::now() {
                        return Ok(End::Idle);
                    }
                    alarm.as_mut().reset(self.idle_since + idle);
                }
            }
        }
    }

    /// Handles input, submits requests and writes output, until nothing is left to do. `Some` if the
    /// connection must end.
    fn proceed(&mut self) -> io::Result<Option<End>> {
        loop {
            if self.out.len() > MAX_UNSENT_BYTES {
                self.write()?;
                if self.out.len() > MAX_UNSENT_BYTES {
                    return Ok(None);
                }
            }
            let before = self.out.len();
            let request = self.session.next_request(&mut self.out, session_id);
            self.has_progress |= request.is_some() || self.out.len() != before;
            match request {
                None => break,
                Some(SessionRequest::Seat) => self.ask_for_game(),
                Some(SessionRequest::Move(cell)) => self.play(cell),
                Some(SessionRequest::ClientError(error)) => {
                    let text = error.text.to_string();
                    info!(code = error.code, text, "a client sent an error");
                    net::acknowledge_quickly(self.stream.socket());
                }
                Some(SessionRequest::Close(why)) => return Ok(Some(End::Error(why))),
            }
        }
        self.write()?;
        let is_half_read = self.session.room() < MAX_BUFFERED_BYTES;
        if is_half_read {
            net::acknowledge_quickly(self.stream.socket());
        }
        Ok(None)
    }

    /// Whether a client that has closed its sending direction must still get an answer. A client that plays against
    /// another client gets an answer only to a move that is being stored.
    fn has_pending_answer(&self) -> bool {
        let is_answered = match self.server.opponent {
            Opponent::Robot(_) => self.session.waits_for_client(),
            Opponent::Players => !self.session.is_moving(),
        };
        !is_answered || self.has_output()
    }

    /// Whether to read from the client now.
    fn wants_input(&self) -> bool {
        !self.has_ended && self.out.len() <= MAX_UNSENT_BYTES && self.session.room() > 0
    }

    /// Whether the server waits for the client: to send the next frame, or to read the output.
    fn is_waiting_for_client(&self) -> bool {
        self.session.waits_for_client() || self.has_output()
    }

    /// Whether some output was not sent to the client yet.
    fn has_output(&self) -> bool {
        !self.out.is_empty() || self.stream.has_unsent()
    }

    fn write(&mut self) -> io::Result<()> {
        while !self.out.is_empty() {
            match self.stream.try_write(&self.out) {
                Ok(count) if count == self.out.len() => {
                    self.out.clear();
                    self.out.shrink_to(MAX_IDLE_CAPACITY);
                }
                Ok(count) => {
                    self.out.drain(..count);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
            self.has_progress = true;
        }
        self.stream.try_flush()?;
        Ok(())
    }

    fn ask_for_game(&mut self) {
        if self.server.operator.is_draining() {
            return self.send(SessionEvent::NotSeated);
        }
        let name = self.session.name().to_string();
        let matchmaking = Arc::clone(&self.server.matchmaking);
        let address = (!net::is_exempt(self.peer)).then(|| net::network(self.peer));
        match &self.server.opponent {
            Opponent::Players => self.stage = Stage::Waiting(matchmaking.join(name)),
            Opponent::Robot(strategy) => {
                let strategy = strategy.clone();
                let mut seating: BoxFuture<ConnectedSeat> = Box::pin(async move {
                    let seat = matchmaking.play_robot(name, strategy, address);
                    seat.await
                });
                match poll_once(seating.as_mut()) {
                    Poll::Ready(seat) => self.begin_game(seat),
                    Poll::Pending => self.stage = Stage::Seating(seating),
                }
            }
        }
    }

    fn begin_game(&mut self, seat: ConnectedSeat) {
        let first = seat.seat().0 == 0;
        self.stage = Stage::Playing {
            seat,
            submission: None,
        };
        self.games += 1;
        self.send(SessionEvent::Admitted { first });
        self.send_progress();
    }

    fn play(&mut self, cell: Cell) {
        let at = Move::at(3 * usize::from(cell.row()) + usize::from(cell.column()));
        let Stage::Playing { seat, submission } = &mut self.stage else {
            self.send(SessionEvent::Refused(MoveRefusal::NotNow));
            return;
        };
        let mut act = seat.act(Action::Play(at), seat.turn());
        match poll_once(act.as_mut()) {
            Poll::Ready(result) => self.submitted(result),
            Poll::Pending => *submission = Some((act, Instant::now())),
        }
    }

    fn handle(&mut self, event: GameEvent) -> Option<End> {
        match event {
            GameEvent::Seated(seat) => self.begin_game(seat),
            GameEvent::NotSeated => {
                self.stage = Stage::Idle;
                self.send(SessionEvent::NotSeated);
            }
            GameEvent::Submitted(result) => {
                if let Stage::Playing { submission, .. } = &mut self.stage {
                    *submission = None;
                }
                match result {
                    Err(SubmitError::NoSuchGame | SubmitError::Closed) => {
                        return Some(End::NoTable);
                    }
                    result => self.submitted(result),
                }
            }
            GameEvent::Changed => self.send_progress(),
            GameEvent::TableGone => return Some(End::NoTable),
        }
        None
    }

    /// Handles the result of the client's move, which was stored or refused.
    fn submitted(&mut self, result: Result<(), SubmitError>) {
        self.send_progress();
        let Err(error) = result else { return };
        self.server.tables.metrics().count_tcp_refusal(&error);
        if let Stage::Playing { .. } = self.stage {
            self.send(SessionEvent::Refused(match error {
                SubmitError::Refused(refusal) => move_refusal(refusal),
                _ => MoveRefusal::NotNow,
            }));
        }
    }

    /// Sends the new turns of the client's game, and its end.
    fn send_progress(&mut self) {
        let Stage::Playing { seat, .. } = &mut self.stage else {
            return;
        };
        // If the game ends because the server stops, the client is not told a result.
        if self.server.tables.is_stopping() {
            return;
        }
        let me = seat.seat();
        let progress = seat.progress();
        for turn in progress.turns {
            self.send(match turn.action {
                Action::Play(at) if turn.by != me => SessionEvent::Played(cell(at)),
                Action::Play(_) | Action::Rewind(_) | Action::Takeback(_) | Action::Resign => {
                    SessionEvent::Accepted
                }
            });
        }
        if let Some(GameEnd {
            result,
            opponent_move,
        }) = progress.end
        {
            self.leave_game();
            self.send(SessionEvent::Over {
                result: match result {
                    SeatResult::Won => GameResult::Won,
                    SeatResult::Lost => GameResult::Lost,
                    SeatResult::Draw | SeatResult::Abandoned | SeatResult::Aborted => {
                        GameResult::Draw
                    }
                },
                opponent_cell: opponent_move.map(cell),
            });
        }
    }

    fn send(&mut self, event: SessionEvent) {
        self.has_progress = true;
        self.session.handle(event, &mut self.out);
    }

    /// Leaves the game. A move that is being stored is still stored.
    fn leave_game(&mut self) {
        let stage = std::mem::replace(&mut self.stage, Stage::Idle);
        if let Stage::Playing {
            seat,
            submission: Some((submission, _)),
        } = stage
        {
            self.server.tables.background().spawn(async move {
                let _ = submission.await;
                drop(seat);
            });
        }
    }

    /// Whether the client's move has been waiting for the store for at least `limit`.
    fn is_store_unavailable(&self, limit: Duration) -> bool {
        match &self.stage {
            Stage::Playing {
                submission: Some((_, since)),
                ..
            } => since.elapsed() >= limit,
            _ => false,
        }
    }

    /// Sends the last bytes, and then reads until the client closes, because closing a socket with unread input would
    /// discard the output. Ends after a second, or after [`MAX_UNSENT_BYTES`] bytes of input.
    async fn flush_and_close(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(1);
        let flush = async {
            self.stream.write_all(&self.out).await?;
            self.stream.shutdown().await?;
            let mut unread = 0;
            while unread < MAX_UNSENT_BYTES {
                self.stream.socket().readable().await?;
                match self.stream.socket().try_read(&mut [0; READ_AT_ONCE]) {
                    Ok(0) => break,
                    Ok(count) => unread += count,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        };
        // The connection is closed after the deadline, also if the client has not read the last bytes.
        let _ = timeout_at(deadline, flush).await;
    }
}

/// What happened on the client's connection.
enum ClientEvent {
    /// Bytes were received, or more bytes can be sent.
    Ready,
    /// The client has closed its sending direction.
    Ended,
    /// The connection is broken.
    Broken,
}

/// Waits until there is input (if `reads` is true), output is possible (if `writes` is true), or the connection is
/// broken.
async fn wait_for_client(
    stream: &mut NetStream,
    session: &mut Session,
    reads: bool,
    writes: bool,
) -> io::Result<ClientEvent> {
    if !reads {
        let interest = match writes {
            true => Interest::WRITABLE | Interest::ERROR,
            false => Interest::ERROR,
        };
        // While the server does not read, it can detect a broken connection. It cannot detect that the client has
        // closed its sending direction.
        let ready = stream.socket().ready(interest).await?;
        return Ok(match ready.is_error() || ready.is_write_closed() {
            true => ClientEvent::Broken,
            false => ClientEvent::Ready,
        });
    }
    poll_fn(|context| {
        // The buffer is on the stack, so that idle connections have no buffer. The buffer is larger than most
        // input. After a read that does not fill the buffer, Tokio knows that nothing is left to read. This
        // saves a system call.
        let mut bytes = [0; READ_AT_ONCE];
        let room = session.room().min(READ_AT_ONCE);
        let mut bytes = ReadBuf::new(&mut bytes[..room]);
        if let Poll::Ready(read) = Pin::new(&mut *stream).poll_read(context, &mut bytes) {
            session.receive(bytes.filled());
            let ended = bytes.filled().is_empty();
            return Poll::Ready(read.map(|()| match ended {
                true => ClientEvent::Ended,
                false => ClientEvent::Ready,
            }));
        }
        match writes {
            true => stream
                .poll_write_ready(context)
                .map_ok(|()| ClientEvent::Ready),
            false => Poll::Pending,
        }
    })
    .await
}

/// A random five-digit session id. The server uses it if the client lets the server choose the id. The id is
/// only a label; two sessions may have the same id.
fn session_id() -> u32 {
    10_000 + u32::from_ne_bytes(crate::id::random_bytes()) % 90_000
}

fn cell(at: Move) -> Cell {
    let (row, column) = (at.index() / 3, at.index() % 3);
    Cell::new(row as u8, column as u8).expect("tic-tac-toe has three rows and columns")
}

fn move_refusal(refusal: TableRefusal) -> MoveRefusal {
    match refusal {
        TableRefusal::Rules(Refusal::Illegal(_)) => MoveRefusal::Occupied,
        TableRefusal::Rules(_)
        | TableRefusal::Stale { .. }
        | TableRefusal::TimeIsOver
        | TableRefusal::KeyReused
        | TableRefusal::SeatTaken
        | TableRefusal::NotOver
        | TableRefusal::ConsentNeeded
        | TableRefusal::NotStarted
        | TableRefusal::NoOtherPlayer
        | TableRefusal::NoOffer { .. }
        | TableRefusal::DrawTooEarly
        | TableRefusal::DrawRefused { .. }
        | TableRefusal::TooLateToAbort
        | TableRefusal::ClaimTooEarly
        | TableRefusal::NoClaimInCorrespondence
        | TableRefusal::OpponentIsPresent { .. }
        | TableRefusal::OpponentJustLeft { .. }
        | TableRefusal::LogFull => MoveRefusal::NotNow,
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.leave_game();
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Left => f.write_str("the client left"),
            End::Idle => f.write_str("the client was idle for too long"),
            End::Error(why) => why.fmt(f),
            End::NoTable => f.write_str("the table was closed"),
            End::StoreUnavailable => f.write_str("the store was unavailable for too long"),
        }
    }
}
