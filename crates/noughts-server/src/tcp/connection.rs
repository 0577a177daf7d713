//! One connection: its bytes, its session, and its seat.

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
use tokio::net::TcpStream;
use tokio::task::coop;
use tokio::time::{Duration, Instant, sleep_until, timeout_at};
use tracing::info;

use super::{Opponent, TcpServer};
use crate::background_tasks::poll_once;
use crate::matchmaking::WaitingClient;
use crate::net::{self, Permit};
use crate::table::{SeatResult, TableRefusal};
use crate::tables::{BoxFuture, ConnectedSeat, GameEnd, SubmitError};

/// One connection: one task that waits neither for a client that does not read nor for a table that
/// is slow while it could do something else.
pub(super) struct Connection {
    server: Arc<TcpServer>,
    stream: TcpStream,
    peer: IpAddr,
    session: Session,
    /// Bytes that the client has not taken yet.
    out: Vec<u8>,
    stage: Stage,
    /// Since when nothing has made progress.
    since: Instant,
    /// Something made progress this moment.
    has_progress: bool,
    games: u32,
    /// The client will send no more.
    has_ended: bool,
    permit: Permit,
}

/// How far the client is on its way to a game and through it.
enum Stage {
    /// It has not asked for a game.
    Idle,
    /// A table against the computer is being created.
    Seating(BoxFuture<ConnectedSeat>),
    /// It waits for an opponent.
    Waiting(WaitingClient),
    Playing {
        seat: ConnectedSeat,
        /// The client's move, while it is being stored, and since when.
        submission: Option<(Submission, Instant)>,
    },
}

type Submission = BoxFuture<Result<(), SubmitError>>;

/// What happened to the client's game.
enum GameEvent {
    Seated(ConnectedSeat),
    NotSeated,
    /// The client's move was decided.
    Submitted(Result<(), SubmitError>),
    /// Something changed at the table.
    Changed,
    /// The table is gone.
    TableGone,
}

/// How long a client that will send no more is still answered.
const LAST_ANSWER: Duration = Duration::from_secs(1);

/// Beyond this many bytes that the client does not read, nothing more is read from it.
const MAX_UNREAD: usize = 4096;

/// Enough for any frame.
const READ_AT_ONCE: usize = 512;

/// How a connection ended, for the log.
#[derive(Clone, Copy, Debug)]
enum End {
    /// The client left.
    Left,
    /// The client was silent for too long.
    Idle,
    /// The client was told why in the protocol.
    PutOut(CloseReason),
    /// The table is gone.
    NoTable,
    /// The store was away for too long.
    StoreAway,
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
        stream: TcpStream,
        peer: IpAddr,
        permit: Permit,
    ) -> Connection {
        let protocol = match server.opponent {
            Opponent::Robot(_) => GameMode::Computer,
            Opponent::Anybody => GameMode::Pairs,
        };
        Connection {
            server,
            stream,
            peer,
            session: Session::new(protocol, !permit.is_served()),
            out: Vec::new(),
            stage: Stage::Idle,
            since: Instant::now(),
            has_progress: false,
            games: 0,
            has_ended: false,
            permit,
        }
    }

    /// Serves the client until one of the two ends the connection.
    pub(super) async fn serve(&mut self) {
        // Here, so that the accept loop can go on.
        net::prepare(&self.stream);
        let begun = Instant::now();
        let end = match self.converse().await {
            Ok(end) => end,
            // A disconnection at any moment is normal.
            Err(_) => End::Left,
        };
        // The opponent need not wait for the last bytes.
        self.leave_game();
        info!(
            listener = self.server.kind().name(),
            name = ?self.session.name().to_string(),
            games = self.games,
            seconds = begun.elapsed().as_secs(),
            %end,
            "connection closed"
        );
        if let End::PutOut(_) = end {
            self.see_out().await;
        }
    }

    async fn converse(&mut self) -> io::Result<End> {
        let idle = self.permit.idle_limit();
        let mut alarm = pin!(sleep_until(self.since + idle));
        loop {
            if let Some(end) = self.proceed()? {
                return Ok(end);
            }
            if self.has_ended && !self.is_owed_something() {
                return Ok(End::Left);
            }
            if std::mem::take(&mut self.has_progress) {
                self.since = Instant::now();
            }
            // If something wakes this loop without end, others on the same thread have their turn.
            coop::consume_budget().await;
            let reads = self.reads();
            tokio::select! {
                biased;
                event = self.stage.next() => {
                    if let Some(end) = self.handle(event) {
                        return Ok(end);
                    }
                }
                stirred = stir(&mut self.stream, &mut self.session, reads, !self.out.is_empty()) => {
                    match stirred? {
                        Stirred::GoesOn => {}
                        Stirred::Broken => return Ok(End::Left),
                        Stirred::Ended => {
                            self.has_ended = true;
                            alarm.as_mut().reset(Instant::now() + LAST_ANSWER);
                        }
                    }
                }
                () = &mut alarm => {
                    if self.has_ended {
                        return Ok(End::Left);
                    }
                    if self.is_store_away(idle) {
                        return Ok(End::StoreAway);
                    }
                    if !self.waits() {
                        self.since = Instant::now();
                    }
                    if self.since + idle <= Instant::now() {
                        return Ok(End::Idle);
                    }
                    alarm.as_mut().reset(self.since + idle);
                }
            }
        }
    }

    /// Handles what was read, submits what is requested and writes what can be written, until there
    /// is nothing to do before something happens.
    fn proceed(&mut self) -> io::Result<Option<End>> {
        loop {
            if self.out.len() > MAX_UNREAD {
                self.write()?;
                if self.out.len() > MAX_UNREAD {
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
                    info!(code = error.code, text, "a client complains");
                    net::acknowledge_quickly(&self.stream);
                }
                Some(SessionRequest::Close(why)) => return Ok(Some(End::PutOut(why))),
            }
        }
        self.write()?;
        let is_half_read = self.session.room() < MAX_BUFFERED_BYTES;
        if is_half_read {
            net::acknowledge_quickly(&self.stream);
        }
        Ok(None)
    }

    /// Whether a client that will send no more is still to be answered. The computer answers what was
    /// sent before; in pairs a client that sends no more has left.
    fn is_owed_something(&self) -> bool {
        let is_answered = match self.server.opponent {
            Opponent::Robot(_) => self.session.waits_for_client(),
            Opponent::Anybody => !self.session.is_moving(),
        };
        !is_answered || !self.out.is_empty()
    }

    /// Whether more is wanted from the client now.
    fn reads(&self) -> bool {
        !self.has_ended && self.out.len() <= MAX_UNREAD && self.session.room() > 0
    }

    /// Whether the server waits for the client.
    fn waits(&self) -> bool {
        self.session.waits_for_client() || !self.out.is_empty()
    }

    fn write(&mut self) -> io::Result<()> {
        while !self.out.is_empty() {
            match self.stream.try_write(&self.out) {
                Ok(count) if count == self.out.len() => self.out = Vec::new(),
                Ok(count) => {
                    self.out.drain(..count);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
            self.has_progress = true;
        }
        Ok(())
    }

    fn ask_for_game(&mut self) {
        let name = self.session.name().to_string();
        let matchmaking = Arc::clone(&self.server.matchmaking);
        let address = (!net::is_exempt(self.peer)).then(|| net::network(self.peer));
        match &self.server.opponent {
            Opponent::Anybody => self.stage = Stage::Waiting(matchmaking.join(name, address)),
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
        self.tell(SessionEvent::Admitted { first });
        self.tell_progress();
    }

    fn play(&mut self, cell: Cell) {
        let at = Move::at(3 * usize::from(cell.row()) + usize::from(cell.column()));
        let Stage::Playing { seat, submission } = &mut self.stage else {
            self.tell(SessionEvent::Refused(MoveRefusal::NotNow));
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
                self.tell(SessionEvent::NotSeated);
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
            GameEvent::Changed => self.tell_progress(),
            GameEvent::TableGone => return Some(End::NoTable),
        }
        None
    }

    /// The client's move was stored or refused.
    fn submitted(&mut self, result: Result<(), SubmitError>) {
        self.tell_progress();
        let Err(error) = result else { return };
        self.server.tables.metrics().count_tcp_refusal(&error);
        if let Stage::Playing { .. } = self.stage {
            self.tell(SessionEvent::Refused(match error {
                SubmitError::Refused(refusal) => move_refusal(refusal),
                _ => MoveRefusal::NotNow,
            }));
        }
    }

    /// Tells the client what it does not know yet of its game.
    fn tell_progress(&mut self) {
        let Stage::Playing { seat, .. } = &mut self.stage else {
            return;
        };
        // Whose game ends because the server stops is told no result.
        if self.server.tables.is_stopping() {
            return;
        }
        let me = seat.seat();
        let progress = seat.progress();
        for turn in progress.turns {
            self.tell(match turn.action {
                Action::Play(at) if turn.by != me => SessionEvent::Played(cell(at)),
                Action::Play(_) | Action::Rewind(_) | Action::Resign => SessionEvent::Accepted,
            });
        }
        if let Some(GameEnd {
            result,
            opponent_move,
        }) = progress.end
        {
            self.leave_game();
            self.tell(SessionEvent::Over {
                result: match result {
                    SeatResult::Won => GameResult::Won,
                    SeatResult::Lost => GameResult::Lost,
                    SeatResult::Draw | SeatResult::Abandoned => GameResult::Draw,
                },
                opponent_cell: opponent_move.map(cell),
            });
        }
    }

    fn tell(&mut self, event: SessionEvent) {
        self.has_progress = true;
        self.session.handle(event, &mut self.out);
    }

    /// Gives up the seat. A move that is being stored is stored to the end.
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

    /// Whether the client's move could not be stored for this long.
    fn is_store_away(&self, limit: Duration) -> bool {
        match &self.stage {
            Stage::Playing {
                submission: Some((_, since)),
                ..
            } => since.elapsed() >= limit,
            _ => false,
        }
    }

    /// The last bytes must reach the client: a socket closed with something unread in it throws
    /// away what was written.
    async fn see_out(&mut self) {
        let patience = Instant::now() + Duration::from_secs(1);
        let farewell = async {
            self.stream.write_all(&self.out).await?;
            self.stream.shutdown().await?;
            let mut unread = 0;
            while unread < MAX_UNREAD {
                self.stream.readable().await?;
                match self.stream.try_read(&mut [0; READ_AT_ONCE]) {
                    Ok(0) => break,
                    Ok(count) => unread += count,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        };
        // Who does not want to hear it need not.
        let _ = timeout_at(patience, farewell).await;
    }
}

/// What a client did.
enum Stirred {
    /// It said something, which the session has; or it takes more.
    GoesOn,
    /// It will say no more.
    Ended,
    /// Nothing can be said to it any more either.
    Broken,
}

/// Waits for the client: for its words where it `reads`, and until it takes some where it `writes`.
async fn stir(
    stream: &mut TcpStream,
    session: &mut Session,
    reads: bool,
    writes: bool,
) -> io::Result<Stirred> {
    if !reads {
        let interest = match writes {
            true => Interest::WRITABLE | Interest::ERROR,
            false => Interest::ERROR,
        };
        // Even of one who is not read from, it is noticed when the connection breaks; that it was
        // ended in order only when there is room to read so.
        let ready = stream.ready(interest).await?;
        return Ok(match ready.is_error() || ready.is_write_closed() {
            true => Stirred::Broken,
            false => Stirred::GoesOn,
        });
    }
    poll_fn(|context| {
        // On the stack, so that ten thousand who say nothing do not each have one. Not filled, it
        // shows that there is no more, which saves asking.
        let mut bytes = [0; READ_AT_ONCE];
        let room = session.room().min(READ_AT_ONCE);
        let mut bytes = ReadBuf::new(&mut bytes[..room]);
        if let Poll::Ready(read) = Pin::new(&mut *stream).poll_read(context, &mut bytes) {
            session.receive(bytes.filled());
            let ended = bytes.filled().is_empty();
            return Poll::Ready(read.map(|()| match ended {
                true => Stirred::Ended,
                false => Stirred::GoesOn,
            }));
        }
        match writes {
            true => stream
                .poll_write_ready(context)
                .map_ok(|()| Stirred::GoesOn),
            false => Poll::Pending,
        }
    })
    .await
}

/// A five-digit id for a session whose client leaves the choice to the server. It is a label, and two
/// sessions may have the same.
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
        | TableRefusal::KeyReused
        | TableRefusal::SeatTaken
        | TableRefusal::NotOver => MoveRefusal::NotNow,
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
            End::Idle => f.write_str("the client was silent for too long"),
            End::PutOut(why) => why.fmt(f),
            End::NoTable => f.write_str("the table was closed"),
            End::StoreAway => f.write_str("the store was away for too long"),
        }
    }
}
