//! The server's side of one connection: bytes in, bytes and questions out.

mod ask;

pub use ask::{Ask, Heard, News, Refused, Why};

use crate::cell::Cell;
use crate::complaint::Complaint;
use crate::decode::Malformed;
use crate::held::Held;
use crate::message::{Admission, FromClient, FromServer, NO_CELL, Verdict};
use crate::opcode::Dialect;
use crate::text::Name;

/// How many frames in a row may come to nothing; after the last of them the session asks to be closed.
pub const MOST_ERRORS: u8 = 50;

/// The ids that a client or, in the later dialect, the server may make: five digits.
pub const IDS: std::ops::RangeInclusive<u32> = 10_000..=99_999;

/// What a connection came for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Door {
    /// A game against the computer.
    Computer,
    /// A game against another client.
    Pairs,
}

/// The server's side of one connection.
///
/// It reads frames, judges them by state, id and cell, and answers what needs nobody else's word. For
/// the rest it asks: [`receive`](Session::receive) bytes, then call [`next`](Session::next) until it
/// gives `None`, doing what it asks for; [`tell`](Session::tell) it what came of that, and call `next`
/// again until `None`, since frames may have waited. All answers are whole frames, appended to `out`.
///
/// However the bytes are cut or glued, the asks and the answers are the same: while an answer from
/// outside is due, frames are held and not judged. The exception is the door for pairs, where a
/// client hears at once that it is not its turn, and the opponent may take as long as it likes.
///
/// Everything is bounded. A session holds at most [`MOST_HELD`](crate::MOST_HELD) bytes, and none while
/// it has nothing half-read; between two asks it answers at most 100 frames of at most 28 bytes.
///
/// ```
/// use noughts_wire::{Ask, Cell, Door, News, Session};
///
/// let (mut session, mut out) = (Session::new(Door::Computer, false), Vec::new());
/// session.receive(b"\x01\0\0\x30\x39Ann\0\0\x03\0\0\x30\x39");
/// assert_eq!(session.next(&mut out, || 10_000), Some(Ask::Seat));
/// session.tell(News::Admitted { first: true }, &mut out);
/// assert_eq!(session.next(&mut out, || 10_000), None);
/// assert_eq!(out, b"\x02\0\0\x30\x39\x04\0\0\x30\x39\x01");
///
/// session.receive(b"\x05\0\0\x30\x391-1");
/// assert_eq!(session.next(&mut out, || 10_000), Cell::new(1, 1).map(Ask::Move));
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    held: Held,
    name: Name,
    /// 0 before READY.
    id: u32,
    state: State,
    door: Door,
    dialect: Dialect,
    is_full: bool,
    errors: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Before READY.
    New,
    /// No game: PLAY begins one.
    Ready,
    /// `Ask::Seat` was given.
    Seating,
    /// The client is to move.
    ItsTurn,
    /// `Ask::Move` was given.
    Moving,
    /// The opponent is to move.
    OpponentsTurn,
    /// `Ask::Close` is due.
    Closing(Why),
    /// `Ask::Close` was given.
    Closed,
}

impl Session {
    /// A connection that has said nothing yet. `is_full`: the server is above its limit, HELLO gets
    /// ERROR 9 and a close.
    pub fn new(door: Door, is_full: bool) -> Session {
        Session {
            held: Held::default(),
            name: Name::default(),
            id: 0,
            state: State::New,
            door,
            dialect: Dialect::Seed,
            is_full,
            errors: 0,
        }
    }

    /// Gives bytes to the session, and says how many it took: all of them, up to [`room`](Session::room).
    /// The others must be given again when there is room.
    pub fn receive(&mut self, bytes: &[u8]) -> usize {
        if self.is_closed() {
            return 0;
        }
        self.held.receive(bytes)
    }

    /// How many bytes the session would take now. While it is 0 the server should not read: an answer
    /// from outside is due, or the session is closed.
    pub fn room(&self) -> usize {
        if self.is_closed() {
            0
        } else {
            self.held.room()
        }
    }

    /// Judges what was received until something is needed from outside, and appends the answers that
    /// need nothing. `None`: more bytes or news are needed. `fresh_id` is called at most once in a
    /// session, for the later dialect; what is not five digits is folded into them.
    pub fn next(&mut self, out: &mut Vec<u8>, mut fresh_id: impl FnMut() -> u32) -> Option<Ask> {
        while !self.holds() {
            if let State::Closing(why) = self.state {
                self.state = State::Closed;
                self.held.clear();
                return Some(Ask::Close(why));
            }
            let asked = match FromClient::decode(self.held.rest()) {
                Ok(Some((message, length))) => {
                    self.held.judge(length);
                    self.judge(message, out, &mut fresh_id)
                }
                Ok(None) => break,
                Err(malformed) => {
                    if !self.refuse(malformed, out) {
                        break;
                    }
                    None
                }
            };
            if asked.is_some() {
                return asked;
            }
        }
        self.held.settle();
        None
    }

    /// Tells what happened outside, appends what the client is to hear of it, and says whether the news
    /// fitted. News that does not fit changes nothing: a late answer to a move, after the opponent left,
    /// can be told without harm.
    pub fn tell(&mut self, news: News, out: &mut Vec<u8>) -> bool {
        match (self.state, news) {
            (State::Seating, News::Admitted { first }) => {
                let (flag, turn) = if first {
                    (Admission::First, State::ItsTurn)
                } else {
                    (Admission::Second, State::OpponentsTurn)
                };
                self.progress(turn);
                FromServer::Admit { id: self.id, flag }.encode(out);
            }
            (State::Seating, News::NotSeated) => {
                self.state = State::Ready;
                self.refuse_play(out);
            }
            (State::Moving, News::Refused(refused)) => {
                self.state = State::ItsTurn;
                self.complain(refused.complaint(), self.id, out);
            }
            (State::Moving, News::Accepted) => self.progress(State::OpponentsTurn),
            (State::Moving | State::OpponentsTurn, News::Played(cell)) => {
                self.progress(State::ItsTurn);
                FromServer::Action {
                    id: self.id,
                    cell: cell.bytes(),
                }
                .encode(out);
            }
            (
                State::ItsTurn | State::Moving | State::OpponentsTurn,
                News::Over {
                    verdict,
                    opponent_cell,
                },
            ) => {
                self.progress(State::Ready);
                self.result(verdict, opponent_cell).encode(out);
            }
            _ => return false,
        }
        true
    }

    /// The client is the one who must speak now: the idle clock runs. It need not be wound up by bytes
    /// alone; a client that makes progress makes the session answer or ask.
    pub fn waits_for_client(&self) -> bool {
        matches!(self.state, State::New | State::Ready | State::ItsTurn)
    }

    /// A game is on, or being moved in: the outside owes this client an end.
    pub fn is_playing(&self) -> bool {
        matches!(
            self.state,
            State::ItsTurn | State::Moving | State::OpponentsTurn
        )
    }

    /// [`Ask::Move`] was given and is not answered yet.
    pub fn is_moving(&self) -> bool {
        self.state == State::Moving
    }

    /// [`Ask::Close`] was given: nothing more will be taken, asked or answered.
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// What the connection came for.
    pub fn door(&self) -> Door {
        self.door
    }

    /// The session's id, once it was confirmed by READY.
    pub fn id(&self) -> Option<u32> {
        (self.id != 0).then_some(self.id)
    }

    /// The dialect, once HELLO has chosen it.
    pub fn dialect(&self) -> Option<Dialect> {
        self.id().map(|_| self.dialect)
    }

    /// The name in the HELLO that was accepted; empty before.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Frames must wait for the outside, or what they are answered would depend on when they came.
    fn holds(&self) -> bool {
        match self.state {
            State::Moving | State::Closed => true,
            State::Seating | State::OpponentsTurn => self.door == Door::Computer,
            State::New | State::Ready | State::ItsTurn | State::Closing(_) => false,
        }
    }

    fn judge(
        &mut self,
        message: FromClient,
        out: &mut Vec<u8>,
        fresh_id: &mut impl FnMut() -> u32,
    ) -> Option<Ask> {
        match (self.state, message) {
            (_, FromClient::Error { code, text, .. }) => {
                self.count_error();
                return Some(Ask::Heard(Heard { code, text }));
            }
            (State::New, FromClient::Hello { id, name }) => self.greet(id, name, out, fresh_id),
            (State::Ready, FromClient::Play { id }) if id == self.id => {
                self.state = State::Seating;
                return Some(Ask::Seat);
            }
            (State::Ready, FromClient::Play { .. }) => self.refuse_play(out),
            (State::ItsTurn, FromClient::Action { id, .. }) if id != self.id => {
                let complaint = match self.dialect {
                    Dialect::Seed => Complaint::WrongSession,
                    Dialect::Later => Complaint::WrongSessionLater,
                };
                self.complain(complaint, id, out);
            }
            (State::ItsTurn, FromClient::Action { id, cell }) => match Cell::read(cell) {
                Some(cell) => {
                    self.state = State::Moving;
                    return Some(Ask::Move(cell));
                }
                None => self.complain(Complaint::UnknownMove, id, out),
            },
            (
                _,
                FromClient::Hello { id, .. }
                | FromClient::Play { id }
                | FromClient::Action { id, .. },
            ) => self.complain(Complaint::Unexpected, id, out),
        }
        None
    }

    fn greet(
        &mut self,
        id: u32,
        name: Name,
        out: &mut Vec<u8>,
        fresh_id: &mut impl FnMut() -> u32,
    ) {
        if self.is_full {
            self.complain(Complaint::WrongSession, id, out);
            self.state = State::Closing(Why::Full);
            return;
        }
        (self.id, self.dialect) = match id {
            0 => (five_digits(fresh_id()), Dialect::Later),
            id if IDS.contains(&id) => (id, Dialect::Seed),
            id => return self.complain(Complaint::WrongSession, id, out),
        };
        self.name = name;
        self.progress(State::Ready);
        FromServer::Ready { id: self.id }.encode(out);
    }

    /// Bytes that are no frame; false when more must come before they can be answered.
    fn refuse(&mut self, malformed: Malformed, out: &mut Vec<u8>) -> bool {
        let (complaint, id, why) = match malformed {
            Malformed::WrongWay(opcode) => {
                let length = opcode.length(self.dialect).unwrap_or(usize::MAX);
                let Some(frame) = self.held.rest().get(..length) else {
                    return false;
                };
                let id = frame[1..]
                    .first_chunk()
                    .map_or(0, |id| u32::from_be_bytes(*id));
                self.held.judge(length);
                self.complain(Complaint::Unexpected, id, out);
                return true;
            }
            Malformed::NameTooLong { id } if self.state == State::New => {
                (Complaint::WrongSession, id, Why::NameTooLong)
            }
            Malformed::NameTooLong { id } => (Complaint::Unexpected, id, Why::NameTooLong),
            Malformed::TextTooLong { id } => (Complaint::Unexpected, id, Why::TextTooLong),
            Malformed::UnknownOpcode(byte)
            | Malformed::UnknownAdmission(byte)
            | Malformed::UnknownVerdict(byte) => {
                (Complaint::Unexpected, 0, Why::UnknownOpcode(byte))
            }
        };
        self.complain(complaint, id, out);
        self.state = State::Closing(why);
        true
    }

    /// ADMIT 0 with the right id.
    fn refuse_play(&mut self, out: &mut Vec<u8>) {
        FromServer::Admit {
            id: self.id,
            flag: Admission::Refused,
        }
        .encode(out);
        self.count_error();
    }

    /// An ERROR with the session's id or, before READY, the frame's.
    fn complain(&mut self, complaint: Complaint, frame_id: u32, out: &mut Vec<u8>) {
        complaint.encode(self.id().unwrap_or(frame_id), out);
        self.count_error();
    }

    fn count_error(&mut self) {
        self.errors += 1;
        if self.errors >= MOST_ERRORS {
            self.state = State::Closing(Why::TooManyErrors);
        }
    }

    fn progress(&mut self, state: State) {
        self.state = state;
        self.errors = 0;
    }

    fn result(&self, verdict: Verdict, opponent_cell: Option<Cell>) -> FromServer {
        let cell = match self.dialect {
            Dialect::Seed => None,
            Dialect::Later => Some(opponent_cell.map_or(NO_CELL, Cell::bytes)),
        };
        FromServer::Result {
            id: self.id,
            cell,
            flag: verdict,
        }
    }
}

fn five_digits(id: u32) -> u32 {
    if IDS.contains(&id) {
        id
    } else {
        IDS.start() + id % (IDS.end() - IDS.start() + 1)
    }
}

#[cfg(test)]
mod tests;
