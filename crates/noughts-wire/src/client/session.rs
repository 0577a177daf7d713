//! The state machine of the client's side of one connection. It turns calls into bytes to send, and received bytes
//! into events.

use crate::cell::Cell;
use crate::client::event::{Event, Greeting, ProtocolError, Stage, WrongStage};
use crate::error_code::ErrorCode;
use crate::message::{Admission, FromClient, FromServer, GameResult};
use crate::opcode::{Dialect, Opcode};
use crate::receive_buffer::ReceiveBuffer;
use crate::text::{Name, Text};

/// The client's side of one connection.
///
/// [`hello`](ClientSession::hello), [`play`](ClientSession::play) and [`act`](ClientSession::act) append
/// one frame to `out`, if the stage allows it. After each [`receive`](ClientSession::receive), call
/// [`next_event`](ClientSession::next_event) until it returns `None`.
///
/// The session stores which cells are taken. If the server plays a cell that does not exist or is occupied,
/// the session answers with ERROR 0 or 1 and ends. The server decides who won. The session checks the id of a
/// received frame only in READY, and only in the dialect `seed`.
#[derive(Clone, Debug)]
pub struct ClientSession {
    buffer: ReceiveBuffer,
    id: u32,
    dialect: Dialect,
    stage: Stage,
    /// The cells with a mark of either player, one bit per cell.
    taken: u16,
    /// The latest move that this client sent, if the server has not confirmed the move yet. The next move
    /// replaces a refused move.
    last_move: Option<Cell>,
    /// Whether an ERROR 2 may arrive that the client must ignore. This is possible after RESULT 1 (won)
    /// arrived in the stage `Moving`: if the opponent left before the server read the client's last move, the
    /// server answers this move with ERROR 2.
    may_be_late: bool,
}

impl ClientSession {
    /// Creates a session that has not sent HELLO yet.
    pub fn new() -> ClientSession {
        ClientSession {
            buffer: ReceiveBuffer::default(),
            id: 0,
            dialect: Dialect::Seed,
            stage: Stage::New,
            taken: 0,
            last_move: None,
            may_be_late: false,
        }
    }

    /// Appends HELLO.
    pub fn hello(
        &mut self,
        name: &Name,
        greeting: Greeting,
        out: &mut Vec<u8>,
    ) -> Result<(), WrongStage> {
        self.step(Opcode::Hello, Stage::New, Stage::Greeting)?;
        (self.id, self.dialect) = match greeting {
            Greeting::Seed(id) => (id, Dialect::Seed),
            Greeting::Later => (0, Dialect::Later),
        };
        FromClient::Hello {
            id: self.id,
            name: name.clone(),
        }
        .encode(out);
        Ok(())
    }

    /// Appends PLAY.
    pub fn play(&mut self, out: &mut Vec<u8>) -> Result<(), WrongStage> {
        self.step(Opcode::Play, Stage::Ready, Stage::Joining)?;
        FromClient::Play { id: self.id }.encode(out);
        Ok(())
    }

    /// Appends ACTION. The server checks whether the cell is free.
    pub fn act(&mut self, cell: Cell, out: &mut Vec<u8>) -> Result<(), WrongStage> {
        self.step(Opcode::Action, Stage::ItsTurn, Stage::Moving)?;
        self.last_move = Some(cell);
        FromClient::Action {
            id: self.id,
            cell: cell.to_bytes(),
        }
        .encode(out);
        Ok(())
    }

    /// Passes received bytes to the session and returns how many bytes it accepted. The session accepts at least 3
    /// kilobytes if `next_event` has returned `None` since the previous call.
    pub fn receive(&mut self, bytes: &[u8]) -> usize {
        self.buffer.push(bytes)
    }

    /// Returns the next event, or `None` if more bytes are needed or the session is over. Appends an ERROR to
    /// `out` if the server played a cell that does not exist or is occupied.
    pub fn next_event(&mut self, out: &mut Vec<u8>) -> Option<Event> {
        while self.stage != Stage::Ended {
            match FromServer::decode(self.buffer.unread(), self.dialect) {
                Ok(None) => break,
                Ok(Some((message, length))) => {
                    self.buffer.consume(length);
                    let event = self
                        .process(message)
                        .unwrap_or_else(|error| Some(self.fail(error, out)));
                    if event.is_some() {
                        return event;
                    }
                }
                Err(error) => return Some(self.fail(ProtocolError::Frame(error), out)),
            }
        }
        self.buffer.compact();
        None
    }

    /// Tells the session that the connection is closed. This ends the session.
    pub fn end(&mut self) -> Event {
        self.stage = Stage::Ended;
        self.buffer.clear();
        Event::Left
    }

    /// The current stage.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The session's id. It is 0 before HELLO and, in the dialect `later`, before READY.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The dialect selected by HELLO; [`Dialect::Seed`] before HELLO.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn step(&mut self, opcode: Opcode, from: Stage, to: Stage) -> Result<(), WrongStage> {
        if self.stage != from {
            return Err(WrongStage {
                opcode,
                stage: self.stage,
            });
        }
        self.stage = to;
        Ok(())
    }

    fn process(&mut self, message: FromServer) -> Result<Option<Event>, ProtocolError> {
        let event = match (self.stage, message) {
            (Stage::Greeting, FromServer::Ready { id }) => self.confirm(id)?,
            (Stage::Joining, FromServer::Admit { id, flag }) => self.admit(id, flag),
            (Stage::Moving | Stage::OpponentsTurn, FromServer::Action { cell, .. }) => {
                self.mark(cell)?
            }
            (
                Stage::ItsTurn | Stage::Moving | Stage::OpponentsTurn,
                FromServer::Result { cell, flag, .. },
            ) => self.finish(flag, cell),
            (_, FromServer::Error { code, text, .. }) => return Ok(self.refuse(code, text)),
            (stage, message) => return Err(ProtocolError::Unexpected(opcode(&message), stage)),
        };
        Ok(Some(event))
    }

    fn confirm(&mut self, id: u32) -> Result<Event, ProtocolError> {
        if self.dialect == Dialect::Seed && id != self.id {
            return Err(ProtocolError::OtherId(id));
        }
        self.id = id;
        self.stage = Stage::Ready;
        Ok(Event::Ready { id })
    }

    fn admit(&mut self, id: u32, flag: Admission) -> Event {
        (self.taken, self.last_move, self.may_be_late) = (0, None, false);
        let (stage, event) = match flag {
            Admission::First => (Stage::ItsTurn, Event::Admitted { first: true }),
            Admission::Second => (Stage::OpponentsTurn, Event::Admitted { first: false }),
            Admission::Refused => {
                self.id = id;
                (Stage::Ready, Event::NotAdmitted)
            }
        };
        self.stage = stage;
        event
    }

    fn mark(&mut self, bytes: [u8; 3]) -> Result<Event, ProtocolError> {
        if let Some(own) = self.last_move.take() {
            self.taken |= bit(own);
        }
        let cell = Cell::try_from(bytes).map_err(|_| ProtocolError::NotACell(bytes))?;
        if self.taken & bit(cell) != 0 {
            return Err(ProtocolError::Occupied(cell));
        }
        self.taken |= bit(cell);
        self.stage = Stage::ItsTurn;
        Ok(Event::Played(cell))
    }

    fn finish(&mut self, result: GameResult, cell: Option<[u8; 3]>) -> Event {
        self.may_be_late = self.stage == Stage::Moving && result == GameResult::Won;
        self.stage = Stage::Ready;
        Event::Over {
            result,
            opponent_cell: cell.and_then(|cell| Cell::try_from(cell).ok()),
        }
    }

    fn refuse(&mut self, code: u8, text: Text) -> Option<Event> {
        let is_between = matches!(self.stage, Stage::Ready | Stage::Joining);
        if self.may_be_late && is_between && code == ErrorCode::Unexpected.code() {
            self.may_be_late = false;
            return None;
        }
        self.stage = match self.stage {
            Stage::Greeting => Stage::New,
            Stage::Joining => Stage::Ready,
            Stage::Moving => Stage::ItsTurn,
            unchanged => unchanged,
        };
        Some(Event::Refused { code, text })
    }

    fn fail(&mut self, error: ProtocolError, out: &mut Vec<u8>) -> Event {
        match error {
            ProtocolError::NotACell(_) => ErrorCode::UnknownMove.encode(self.id, out),
            ProtocolError::Occupied(_) => ErrorCode::InvalidMove.encode(self.id, out),
            ProtocolError::OtherId(_) | ProtocolError::Unexpected(..) | ProtocolError::Frame(_) => {
            }
        }
        self.stage = Stage::Ended;
        self.buffer.clear();
        Event::Broken(error)
    }
}

impl Default for ClientSession {
    fn default() -> ClientSession {
        ClientSession::new()
    }
}

fn bit(cell: Cell) -> u16 {
    1 << cell.index()
}

fn opcode(message: &FromServer) -> Opcode {
    match message {
        FromServer::Ready { .. } => Opcode::Ready,
        FromServer::Admit { .. } => Opcode::Admit,
        FromServer::Action { .. } => Opcode::Action,
        FromServer::Result { .. } => Opcode::Result,
        FromServer::Error { .. } => Opcode::Error,
    }
}
