//! One connection: its bytes, its session, and its seat.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use noughts_rules::{Action, Move, Refusal};
use noughts_wire::{
    Ask, Cell, Door as Protocol, MOST_HELD, News, Refused as NotTaken, Session, Verdict, Why,
};
use tokio::io::{AsyncRead, AsyncWriteExt, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::coop;
use tokio::time::{Duration, Instant, sleep_until, timeout_at};
use tracing::info;

use super::{Admitted, Door, Opponent, socket};
use crate::guest::Guest;
use crate::room::{Asked, Chair, Notice};
use crate::table;

/// One connection. It is one task that never waits for anything while it could do something else:
/// neither for a client that does not read nor for a table that thinks.
pub(super) struct Connection {
    door: Arc<Door>,
    stream: TcpStream,
    session: Session,
    /// Bytes that the client has not taken yet.
    out: Vec<u8>,
    guest: Option<Guest>,
    chair: Option<Chair>,
    /// The turn of the game, as this client knows it.
    turn: usize,
    /// Since when nothing has gone forward.
    since: Instant,
    /// Something went forward this moment.
    goes_forward: bool,
    games: u32,
    /// The client will say no more.
    has_ended: bool,
    _admitted: Admitted,
}

/// How long one who will say no more is waited with for the computer's last answer.
const LAST_ANSWER: Duration = Duration::from_secs(1);

/// Beyond so many bytes that the client does not read, nothing more is read from it.
const MOST_UNREAD: usize = 4096;

/// Enough for any frame.
const READ_AT_ONCE: usize = 512;

/// How a connection ended, for the log.
#[derive(Clone, Copy, Debug)]
enum End {
    /// The client went.
    Left,
    /// The client was silent for too long.
    Idle,
    /// The client was put out, and told why in the protocol.
    PutOut(Why),
    /// The table is gone without a word.
    NoTable,
}

impl Connection {
    pub(super) fn new(door: Arc<Door>, stream: TcpStream, admitted: Admitted) -> Connection {
        let protocol = match door.opponent {
            Opponent::Robot(_) => Protocol::Computer,
            Opponent::Anybody => Protocol::Pairs,
        };
        Connection {
            door,
            stream,
            session: Session::new(protocol, admitted.full),
            out: Vec::new(),
            guest: None,
            chair: None,
            turn: 1,
            since: Instant::now(),
            goes_forward: false,
            games: 0,
            has_ended: false,
            _admitted: admitted,
        }
    }

    /// Serves the client until one of the two has enough.
    pub(super) async fn serve(&mut self) {
        // Here and not before, so that the door can turn to the next one.
        socket::prepare(&self.stream);
        let begun = Instant::now();
        let end = match self.converse().await {
            Ok(end) => end,
            // A disconnection at any moment is ordinary.
            Err(_) => End::Left,
        };
        // Whoever sits opposite need not wait for the last bytes.
        (self.chair, self.guest) = (None, None);
        info!(
            door = self.door.name(),
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
        let idle = self.door.guests.limits().idle;
        let mut alarm = pin!(sleep_until(self.since + idle));
        loop {
            if let Some(end) = self.proceed()? {
                return Ok(end);
            }
            if self.has_ended && !self.is_owed_something() {
                return Ok(End::Left);
            }
            if std::mem::take(&mut self.goes_forward) {
                self.since = Instant::now();
            }
            // Whatever wakes this loop without end, others on the same thread have their turn.
            coop::consume_budget().await;
            let reads = self.reads();
            tokio::select! {
                biased;
                notice = next_notice(&mut self.guest) => match notice {
                    Some(notice) => {
                        self.hear(notice);
                        while let Some(notice) = self.guest.as_mut().and_then(Guest::next_now) {
                            self.hear(notice);
                        }
                    }
                    // No table could be laid, and it may be tried again; or one was lost.
                    None => {
                        self.guest = None;
                        if !self.session.tell(News::NotSeated, &mut self.out) {
                            return Ok(End::NoTable);
                        }
                    }
                },
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

    /// Judges what was read, asks for what is wanted, writes what can be written: until nothing
    /// more can be done before something happens.
    fn proceed(&mut self) -> io::Result<Option<End>> {
        loop {
            if self.out.len() > MOST_UNREAD {
                self.write()?;
                if self.out.len() > MOST_UNREAD {
                    return Ok(None);
                }
            }
            let before = self.out.len();
            let ask = self
                .session
                .next(&mut self.out, || self.door.house.session_id());
            self.goes_forward |= ask.is_some() || self.out.len() != before;
            match ask {
                None => break,
                Some(Ask::Seat) => self.sit_down(),
                Some(Ask::Move(cell)) => self.play(cell),
                Some(Ask::Heard(heard)) => {
                    let text = heard.text.to_string();
                    info!(code = heard.code, text, "a client complains");
                    socket::acknowledge_quickly(&self.stream);
                }
                Some(Ask::Close(why)) => return Ok(Some(End::PutOut(why))),
            }
        }
        self.write()?;
        let is_half_read = self.session.room() < MOST_HELD;
        if is_half_read {
            socket::acknowledge_quickly(&self.stream);
        }
        Ok(None)
    }

    /// Whether somebody who will say no more is still to be answered: what was said to the computer
    /// before is. In pairs whoever says no more has left.
    fn is_owed_something(&self) -> bool {
        let is_answered = match self.door.opponent {
            Opponent::Robot(_) => self.session.waits_for_client(),
            Opponent::Anybody => !self.session.is_moving(),
        };
        !is_answered || !self.out.is_empty()
    }

    /// Whether more is wanted from the client now.
    fn reads(&self) -> bool {
        !self.has_ended && self.out.len() <= MOST_UNREAD && self.session.room() > 0
    }

    /// Whether it is the client who must do something.
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
            self.goes_forward = true;
        }
        Ok(())
    }

    fn sit_down(&mut self) {
        self.guest = Some(self.door.seat(self.session.name().to_string()));
    }

    fn play(&mut self, cell: Cell) {
        let at = Move::at(3 * usize::from(cell.row()) + usize::from(cell.column()));
        if let Some(guest) = &self.guest {
            guest.is_about_to_listen();
        }
        let asked = match &self.chair {
            Some(chair) => chair.act(Action::Play(at), self.turn),
            None => Asked::Gone,
        };
        match asked {
            Asked::Waits => {}
            // The table was closed this moment: how it ended is heard next.
            Asked::Gone => {}
            Asked::Full => {
                let refused = News::Refused(NotTaken::NotNow);
                self.session.tell(refused, &mut self.out);
            }
        }
    }

    fn hear(&mut self, notice: Notice) {
        let me = self.chair.as_ref().map(Chair::seat);
        let news = match notice {
            Notice::Seated(chair) => {
                let first = chair.seat().0 == 0;
                self.chair = Some(chair);
                self.turn = 1;
                self.games += 1;
                News::Admitted { first }
            }
            Notice::Turned { number, turn } => {
                self.turn = number + 1;
                match (turn.by, turn.action) {
                    (by, Action::Play(at)) if Some(by) != me => News::Played(cell(at)),
                    (_, Action::Play(_) | Action::Rewind(_) | Action::Resign) => News::Accepted,
                }
            }
            Notice::Refused(refused) => News::Refused(not_taken(refused)),
            Notice::Unavailable => News::Refused(NotTaken::NotNow),
            Notice::Over { verdict, answer } => {
                (self.chair, self.guest) = (None, None);
                News::Over {
                    verdict: match verdict {
                        table::Verdict::Won => Verdict::Won,
                        table::Verdict::Lost => Verdict::Lost,
                        table::Verdict::Draw | table::Verdict::Abandoned => Verdict::Draw,
                    },
                    opponent_cell: answer.map(cell),
                }
            }
        };
        self.goes_forward = true;
        self.session.tell(news, &mut self.out);
    }

    /// The last bytes must reach the client: a socket closed with something unread in it throws
    /// away what was written.
    async fn see_out(&mut self) {
        let patience = Instant::now() + Duration::from_secs(1);
        let farewell = async {
            self.stream.write_all(&self.out).await?;
            self.stream.shutdown().await?;
            let mut unread = 0;
            while unread < MOST_UNREAD {
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

/// What a guest hears next; one who is none hears nothing.
async fn next_notice(guest: &mut Option<Guest>) -> Option<Notice> {
    match guest {
        Some(guest) => guest.next().await,
        None => std::future::pending().await,
    }
}

fn cell(at: Move) -> Cell {
    let (row, column) = (at.index() / 3, at.index() % 3);
    Cell::new(row as u8, column as u8).expect("tic-tac-toe has three rows and columns")
}

fn not_taken(refused: table::Refused) -> NotTaken {
    match refused {
        table::Refused::Rules(Refusal::Illegal(_)) => NotTaken::Occupied,
        table::Refused::Stale { .. } | table::Refused::Rules(_) => NotTaken::NotNow,
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Left => f.write_str("the client left"),
            End::Idle => f.write_str("the client was silent for too long"),
            End::PutOut(why) => why.fmt(f),
            End::NoTable => f.write_str("the table was closed"),
        }
    }
}
