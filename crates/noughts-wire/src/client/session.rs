//! The client's side of one connection: questions in, bytes out; bytes in, events out.

use crate::cell::Cell;
use crate::client::event::{Event, Fault, Greeting, NotNow, Stage};
use crate::complaint::Complaint;
use crate::held::Held;
use crate::message::{Admission, FromClient, FromServer, Verdict};
use crate::opcode::{Dialect, Opcode};
use crate::text::{Name, Text};

/// The client's side of one connection.
///
/// It says HELLO, PLAY and ACTION when asked to, if the moment is right, and makes events of what it
/// [`receive`](ClientSession::receive)s; after each call of that, ask [`next`](ClientSession::next)
/// until it gives `None`. All that is to be sent is appended to `out`, whole frames.
///
/// It knows which cells are taken, and answers a cell that can't be with ERROR 0 or 1, after which the
/// session is over. It knows no other rule: who won is the server's word. Ids in the server's frames are
/// not looked at but in READY.
#[derive(Clone, Debug)]
pub struct ClientSession {
    held: Held,
    id: u32,
    dialect: Dialect,
    stage: Stage,
    /// The marks of both, one bit a cell.
    taken: u16,
    /// The move under way; after a refusal the one refused, until the next.
    asked: Option<Cell>,
    /// The game was won while a move was under way: the opponent may have left before the server saw the
    /// move, which it will then call unexpected.
    may_be_late: bool,
}

impl ClientSession {
    /// A client that has said nothing yet.
    pub fn new() -> ClientSession {
        ClientSession {
            held: Held::default(),
            id: 0,
            dialect: Dialect::Seed,
            stage: Stage::New,
            taken: 0,
            asked: None,
            may_be_late: false,
        }
    }

    /// Says HELLO.
    pub fn hello(
        &mut self,
        name: &Name,
        greeting: Greeting,
        out: &mut Vec<u8>,
    ) -> Result<(), NotNow> {
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

    /// Says PLAY.
    pub fn play(&mut self, out: &mut Vec<u8>) -> Result<(), NotNow> {
        self.step(Opcode::Play, Stage::Ready, Stage::Joining)?;
        FromClient::Play { id: self.id }.encode(out);
        Ok(())
    }

    /// Says ACTION. That the cell is free is the server's to judge.
    pub fn act(&mut self, cell: Cell, out: &mut Vec<u8>) -> Result<(), NotNow> {
        self.step(Opcode::Action, Stage::ItsTurn, Stage::Moving)?;
        self.asked = Some(cell);
        FromClient::Action {
            id: self.id,
            cell: cell.bytes(),
        }
        .encode(out);
        Ok(())
    }

    /// Gives bytes to the session, and says how many it took: all of them, if `next` was asked until it
    /// gave `None` and there are no more than a few kilobytes.
    pub fn receive(&mut self, bytes: &[u8]) -> usize {
        self.held.receive(bytes)
    }

    /// The next event; `None`: more bytes are needed, or the session is over.
    pub fn next(&mut self, out: &mut Vec<u8>) -> Option<Event> {
        while self.stage != Stage::Ended {
            match FromServer::decode(self.held.rest(), self.dialect) {
                Ok(None) => break,
                Ok(Some((message, length))) => {
                    self.held.judge(length);
                    let event = self
                        .judge(message)
                        .unwrap_or_else(|fault| Some(self.fail(fault, out)));
                    if event.is_some() {
                        return event;
                    }
                }
                Err(malformed) => return Some(self.fail(Fault::Malformed(malformed), out)),
            }
        }
        self.held.settle();
        None
    }

    /// The stream ended: the session is over.
    pub fn end(&mut self) -> Event {
        self.stage = Stage::Ended;
        self.held.clear();
        Event::Left
    }

    /// Where the client stands.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The id that frames carry; 0 before HELLO, and before READY in the later dialect.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The dialect that HELLO chose.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn step(&mut self, opcode: Opcode, from: Stage, to: Stage) -> Result<(), NotNow> {
        if self.stage != from {
            return Err(NotNow {
                opcode,
                stage: self.stage,
            });
        }
        self.stage = to;
        Ok(())
    }

    fn judge(&mut self, message: FromServer) -> Result<Option<Event>, Fault> {
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
            (_, FromServer::Error { code, text, .. }) => return Ok(self.hear(code, text)),
            (stage, message) => return Err(Fault::Unexpected(opcode(&message), stage)),
        };
        Ok(Some(event))
    }

    fn confirm(&mut self, id: u32) -> Result<Event, Fault> {
        if self.dialect == Dialect::Seed && id != self.id {
            return Err(Fault::OtherId(id));
        }
        self.id = id;
        self.stage = Stage::Ready;
        Ok(Event::Ready { id })
    }

    fn admit(&mut self, id: u32, flag: Admission) -> Event {
        (self.taken, self.asked, self.may_be_late) = (0, None, false);
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

    fn mark(&mut self, bytes: [u8; 3]) -> Result<Event, Fault> {
        if let Some(own) = self.asked.take() {
            self.taken |= bit(own);
        }
        let cell = Cell::read(bytes).ok_or(Fault::NotACell(bytes))?;
        if self.taken & bit(cell) != 0 {
            return Err(Fault::Occupied(cell));
        }
        self.taken |= bit(cell);
        self.stage = Stage::ItsTurn;
        Ok(Event::Played(cell))
    }

    fn finish(&mut self, verdict: Verdict, cell: Option<[u8; 3]>) -> Event {
        self.may_be_late = self.stage == Stage::Moving && verdict == Verdict::Won;
        self.stage = Stage::Ready;
        Event::Over {
            verdict,
            opponent_cell: cell.and_then(Cell::read),
        }
    }

    fn hear(&mut self, code: u8, text: Text) -> Option<Event> {
        let is_between = matches!(self.stage, Stage::Ready | Stage::Joining);
        if self.may_be_late && is_between && code == Complaint::Unexpected.code() {
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

    fn fail(&mut self, fault: Fault, out: &mut Vec<u8>) -> Event {
        match fault {
            Fault::NotACell(_) => Complaint::UnknownMove.encode(self.id, out),
            Fault::Occupied(_) => Complaint::InvalidMove.encode(self.id, out),
            Fault::OtherId(_) | Fault::Unexpected(..) | Fault::Malformed(_) => {}
        }
        self.stage = Stage::Ended;
        self.held.clear();
        Event::Broken(fault)
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
