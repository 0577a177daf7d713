//! The server's side of one connection as a state machine.

mod event;

pub use event::{CloseReason, MoveRefusal, ReceivedError, SessionEvent, SessionRequest};

use crate::cell::Cell;
use crate::decode::FrameError;
use crate::error_code::ErrorCode;
use crate::message::{Admission, FromClient, FromServer, GameResult, NO_CELL};
use crate::opcode::Dialect;
use crate::receive_buffer::ReceiveBuffer;
use crate::text::Name;

/// After this many errors in a row the session closes the connection. An error is an ERROR or ADMIT 0 that the session
/// sends, or an ERROR that the client sends. READY, a valid move of either player, and the start or end of a game reset
/// the count.
pub const MAX_ERRORS: u8 = 50;

/// Valid session ids: five digits.
pub const SESSION_IDS: std::ops::RangeInclusive<u32> = 10_000..=99_999;

/// The kind of opponent that the clients of a listener play against.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameMode {
    /// The computer.
    Computer,
    /// Another client.
    Pairs,
}

/// The server's side of one connection.
///
/// The session checks whether the current state allows a frame, whether PLAY and ACTION have the session's
/// id, and whether ACTION has a valid cell. The session itself answers every frame that it can decide. For
/// every other frame, it returns a request. Pass bytes to [`receive`](Session::receive). Then call
/// [`next_request`](Session::next_request) until it returns `None`, and carry out each request. Report the
/// result of a request with [`handle`](Session::handle), and then call `next_request` again until it returns
/// `None`, because frames may be waiting. The session appends all answers to `out`, as whole frames.
///
/// Requests and answers do not depend on how the received bytes are divided among calls of `receive`. While a
/// request has no result yet, frames wait in the buffer. Exception: in [`GameMode::Pairs`], a client may wait
/// long for an opponent or for the opponent's move. Frames that arrive during this time are answered
/// immediately.
///
/// Memory and work are bounded. A session buffers at most [`MAX_BUFFERED_BYTES`](crate::MAX_BUFFERED_BYTES).
/// When all received bytes are processed, the buffer uses at most 64 bytes of heap memory. One call of
/// `next_request` appends at most 100 frames of at most 28 bytes each.
///
/// ```
/// use noughts_wire::{SessionRequest, Cell, GameMode, SessionEvent, Session};
///
/// let (mut session, mut out) = (Session::new(GameMode::Computer, false), Vec::new());
/// session.receive(b"\x01\0\0\x30\x39Ann\0\0\x03\0\0\x30\x39");
/// assert_eq!(session.next_request(&mut out, || 10_000), Some(SessionRequest::Seat));
/// session.handle(SessionEvent::Admitted { first: true }, &mut out);
/// assert_eq!(session.next_request(&mut out, || 10_000), None);
/// assert_eq!(out, b"\x02\0\0\x30\x39\x04\0\0\x30\x39\x01");
///
/// session.receive(b"\x05\0\0\x30\x391-1");
/// assert_eq!(session.next_request(&mut out, || 10_000), Cell::new(1, 1).map(SessionRequest::Move));
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    buffer: ReceiveBuffer,
    name: Name,
    /// The session's id; 0 before READY.
    id: u32,
    state: State,
    mode: GameMode,
    dialect: Dialect,
    is_full: bool,
    errors: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Before READY: the session accepts HELLO.
    New,
    /// No game is in progress: the session accepts PLAY.
    Ready,
    /// The server has not answered `SessionRequest::Seat` yet.
    Seating,
    /// It is the client's turn: the session accepts ACTION.
    ItsTurn,
    /// The server has not answered `SessionRequest::Move` yet.
    Moving,
    /// It is the opponent's turn.
    OpponentsTurn,
    /// The next request is `SessionRequest::Close`.
    Closing(CloseReason),
    /// `SessionRequest::Close` was returned.
    Closed,
}

impl Session {
    /// A session that has not received HELLO yet. `is_full` means that the server has reached its connection limit. In
    /// this case the session answers HELLO with ERROR 9 and closes.
    pub fn new(mode: GameMode, is_full: bool) -> Session {
        Session {
            buffer: ReceiveBuffer::default(),
            name: Name::default(),
            id: 0,
            state: State::New,
            mode,
            dialect: Dialect::Seed,
            is_full,
            errors: 0,
        }
    }

    /// Passes received bytes to the session. Returns how many bytes it accepted, at most
    /// [`room`](Session::room). When there is room again, pass the remaining bytes.
    pub fn receive(&mut self, bytes: &[u8]) -> usize {
        if self.is_closed() {
            return 0;
        }
        self.buffer.push(bytes)
    }

    /// The number of bytes that the session accepts now. If it is 0, the server should not read: either the session
    /// is closed, or its buffer is full until a request is answered.
    pub fn room(&self) -> usize {
        if self.is_closed() {
            0
        } else {
            self.buffer.room()
        }
    }

    /// Processes received frames until one of them leads to a request, and appends the answers to `out`.
    /// `None` means that more bytes or an event are needed, or that the session is closed. `new_id` is called
    /// at most once per session, and only in the dialect `later`. If the result of `new_id` does not have
    /// five digits, the session derives an id of five digits from the result.
    pub fn next_request(
        &mut self,
        out: &mut Vec<u8>,
        mut new_id: impl FnMut() -> u32,
    ) -> Option<SessionRequest> {
        while !self.is_blocked() {
            if let State::Closing(why) = self.state {
                self.state = State::Closed;
                self.buffer.clear();
                return Some(SessionRequest::Close(why));
            }
            let request = match FromClient::decode(self.buffer.unread()) {
                Ok(Some((message, length))) => {
                    self.buffer.consume(length);
                    self.process(message, out, &mut new_id)
                }
                Ok(None) => break,
                Err(error) => {
                    if !self.reject(error, out) {
                        break;
                    }
                    None
                }
            };
            if request.is_some() {
                return request;
            }
        }
        self.buffer.compact();
        None
    }

    /// Handles an event that the server reports. If the event needs a frame for the client, appends this
    /// frame to `out`. If the state does not allow the event, returns false and changes nothing. So a late
    /// event does no harm, for example an answer to a move after the opponent has left.
    pub fn handle(&mut self, event: SessionEvent, out: &mut Vec<u8>) -> bool {
        match (self.state, event) {
            (State::Seating, SessionEvent::Admitted { first }) => {
                let (flag, turn) = if first {
                    (Admission::First, State::ItsTurn)
                } else {
                    (Admission::Second, State::OpponentsTurn)
                };
                self.progress(turn);
                FromServer::Admit { id: self.id, flag }.encode(out);
            }
            (State::Seating, SessionEvent::NotSeated) => {
                self.state = State::Ready;
                self.refuse_play(out);
            }
            (State::Moving, SessionEvent::Refused(refused)) => {
                self.state = State::ItsTurn;
                self.send_error(refused.error_code(), self.id, out);
            }
            (State::Moving, SessionEvent::Accepted) => self.progress(State::OpponentsTurn),
            (State::Moving | State::OpponentsTurn, SessionEvent::Played(cell)) => {
                self.progress(State::ItsTurn);
                FromServer::Action {
                    id: self.id,
                    cell: cell.to_bytes(),
                }
                .encode(out);
            }
            (
                State::ItsTurn | State::Moving | State::OpponentsTurn,
                SessionEvent::Over {
                    result,
                    opponent_cell,
                },
            ) => {
                self.progress(State::Ready);
                self.result(result, opponent_cell).encode(out);
            }
            _ => return false,
        }
        true
    }

    /// Whether the session waits for the client. If so, the server's idle timeout should run. Only an answer
    /// or a request of the session should restart the timeout, because every client that makes progress
    /// causes an answer or a request. Received bytes alone should not restart the timeout.
    pub fn waits_for_client(&self) -> bool {
        matches!(self.state, State::New | State::Ready | State::ItsTurn)
    }

    /// Whether a game is in progress. If so, the server must report the end of the game to this session.
    pub fn is_playing(&self) -> bool {
        matches!(
            self.state,
            State::ItsTurn | State::Moving | State::OpponentsTurn
        )
    }

    /// Whether a [`SessionRequest::Move`] still waits for the server's answer.
    pub fn is_moving(&self) -> bool {
        self.state == State::Moving
    }

    /// Whether [`SessionRequest::Close`] was returned. After that, the session accepts and answers nothing.
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// The kind of opponent in this session's games.
    pub fn mode(&self) -> GameMode {
        self.mode
    }

    /// The session's id; `None` before READY.
    pub fn id(&self) -> Option<u32> {
        (self.id != 0).then_some(self.id)
    }

    /// The dialect; `None` before READY.
    pub fn dialect(&self) -> Option<Dialect> {
        self.id().map(|_| self.dialect)
    }

    /// The name in the accepted HELLO; empty before READY.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Whether the session must not process received frames now. Either the session is closed, or an event
    /// must come first, because otherwise the answers would depend on timing.
    fn is_blocked(&self) -> bool {
        match self.state {
            State::Moving | State::Closed => true,
            State::Seating | State::OpponentsTurn => self.mode == GameMode::Computer,
            State::New | State::Ready | State::ItsTurn | State::Closing(_) => false,
        }
    }

    /// Processes a whole frame. ERROR is accepted in every state, and each state accepts at most one other kind of
    /// frame (see `State`). Any other frame gets ERROR 2, and the session goes on.
    fn process(
        &mut self,
        message: FromClient,
        out: &mut Vec<u8>,
        new_id: &mut impl FnMut() -> u32,
    ) -> Option<SessionRequest> {
        match (self.state, message) {
            (_, FromClient::Error { code, text, .. }) => {
                self.count_error();
                return Some(SessionRequest::ClientError(ReceivedError { code, text }));
            }
            (State::New, FromClient::Hello { id, name }) => {
                self.accept_hello(id, name, out, new_id);
            }
            (State::Ready, FromClient::Play { id }) if id == self.id => {
                self.state = State::Seating;
                return Some(SessionRequest::Seat);
            }
            (State::Ready, FromClient::Play { .. }) => self.refuse_play(out),
            (State::ItsTurn, FromClient::Action { id, .. }) if id != self.id => {
                let code = match self.dialect {
                    Dialect::Seed => ErrorCode::WrongSession,
                    Dialect::Later => ErrorCode::WrongSessionLater,
                };
                self.send_error(code, id, out);
            }
            (State::ItsTurn, FromClient::Action { id, cell }) => match Cell::try_from(cell) {
                Ok(cell) => {
                    self.state = State::Moving;
                    return Some(SessionRequest::Move(cell));
                }
                Err(_) => self.send_error(ErrorCode::UnknownMove, id, out),
            },
            (
                _,
                FromClient::Hello { id, .. }
                | FromClient::Play { id }
                | FromClient::Action { id, .. },
            ) => self.send_error(ErrorCode::Unexpected, id, out),
        }
        None
    }

    fn accept_hello(
        &mut self,
        id: u32,
        name: Name,
        out: &mut Vec<u8>,
        new_id: &mut impl FnMut() -> u32,
    ) {
        if self.is_full {
            self.send_error(ErrorCode::WrongSession, id, out);
            self.state = State::Closing(CloseReason::Full);
            return;
        }
        (self.id, self.dialect) = match id {
            0 => (five_digits(new_id()), Dialect::Later),
            id if SESSION_IDS.contains(&id) => (id, Dialect::Seed),
            id => return self.send_error(ErrorCode::WrongSession, id, out),
        };
        self.name = name;
        self.progress(State::Ready);
        FromServer::Ready { id: self.id }.encode(out);
    }

    /// Answers bytes that the decoder has rejected. Returns false if more bytes are needed to find the end of the
    /// frame.
    fn reject(&mut self, error: FrameError, out: &mut Vec<u8>) -> bool {
        let (code, id, why) = match error {
            FrameError::WrongDirection(opcode) => {
                let length = opcode.frame_length(self.dialect).unwrap_or(usize::MAX);
                let Some(frame) = self.buffer.unread().get(..length) else {
                    return false;
                };
                let id = frame[1..]
                    .first_chunk()
                    .map_or(0, |id| u32::from_be_bytes(*id));
                self.buffer.consume(length);
                self.send_error(ErrorCode::Unexpected, id, out);
                return true;
            }
            FrameError::NameTooLong { id } if self.state == State::New => {
                (ErrorCode::WrongSession, id, CloseReason::NameTooLong)
            }
            FrameError::NameTooLong { id } => (ErrorCode::Unexpected, id, CloseReason::NameTooLong),
            FrameError::TextTooLong { id } => (ErrorCode::Unexpected, id, CloseReason::TextTooLong),
            FrameError::UnknownOpcode(byte)
            | FrameError::UnknownAdmission(byte)
            | FrameError::UnknownResult(byte) => {
                (ErrorCode::Unexpected, 0, CloseReason::UnknownOpcode(byte))
            }
        };
        self.send_error(code, id, out);
        self.state = State::Closing(why);
        true
    }

    /// Answers PLAY with ADMIT 0 and the session's id.
    fn refuse_play(&mut self, out: &mut Vec<u8>) {
        FromServer::Admit {
            id: self.id,
            flag: Admission::Refused,
        }
        .encode(out);
        self.count_error();
    }

    /// Appends an ERROR with the session's id or, before READY, the frame's id.
    fn send_error(&mut self, code: ErrorCode, frame_id: u32, out: &mut Vec<u8>) {
        code.encode(self.id().unwrap_or(frame_id), out);
        self.count_error();
    }

    fn count_error(&mut self) {
        self.errors += 1;
        if self.errors >= MAX_ERRORS {
            self.state = State::Closing(CloseReason::TooManyErrors);
        }
    }

    fn progress(&mut self, state: State) {
        self.state = state;
        self.errors = 0;
    }

    fn result(&self, result: GameResult, opponent_cell: Option<Cell>) -> FromServer {
        let cell = match self.dialect {
            Dialect::Seed => None,
            Dialect::Later => Some(opponent_cell.map_or(NO_CELL, Cell::to_bytes)),
        };
        FromServer::Result {
            id: self.id,
            cell,
            flag: result,
        }
    }
}

fn five_digits(id: u32) -> u32 {
    if SESSION_IDS.contains(&id) {
        id
    } else {
        SESSION_IDS.start() + id % (SESSION_IDS.end() - SESSION_IDS.start() + 1)
    }
}

#[cfg(test)]
mod tests;
