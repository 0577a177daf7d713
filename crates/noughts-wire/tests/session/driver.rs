//! Drives a session with bytes in pieces and with scripted answers, and logs what the session does.

use noughts_wire::{
    Cell, Dialect, FromServer, GameMode, GameResult, MoveRefusal, Session, SessionEvent,
    SessionRequest,
};

/// What the session did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// The session sent one frame.
    Sent(Vec<u8>),
    /// The session made a request.
    Asked(SessionRequest),
}

/// Passes the bytes in pieces with the lengths in `cuts` (repeated). Answers a request for a move, and in computer mode
/// a request for a seat, only after `delay` more pieces. Answers all other requests at once. In pairs mode, a delay of
/// the answer to a seat request would change the result.
pub(crate) fn drive(
    mode: GameMode,
    is_full: bool,
    bytes: &[u8],
    cuts: &[usize],
    delay: usize,
) -> Vec<Entry> {
    let mut session = Session::new(mode, is_full);
    let mut outside = Outside::new(mode);
    let mut log = Vec::new();
    let mut rest = bytes;
    let mut due: Option<(SessionRequest, usize)> = None;
    let mut cuts = cuts.iter().copied().cycle();
    loop {
        let wanted = cuts
            .next()
            .unwrap_or(usize::MAX)
            .clamp(1, rest.len().max(1));
        let taken = session.receive(&rest[..wanted.min(rest.len())]);
        rest = &rest[taken..];
        if let Some((ask, left)) = due.take() {
            if left > 0 && taken > 0 {
                due = Some((ask, left - 1));
            } else {
                let mut out = Vec::new();
                for event in outside.answer(&ask) {
                    handle(&mut session, event, &mut out);
                }
                log_frames(&mut log, &out, &session);
            }
        }
        let mut out = Vec::new();
        while let Some(ask) = session.next_request(&mut out, || 54_321) {
            log_frames(&mut log, &out, &session);
            out.clear();
            log.push(Entry::Asked(ask.clone()));
            let waits = matches!(ask, SessionRequest::Move(_))
                || (ask == SessionRequest::Seat && mode == GameMode::Computer);
            if waits && delay > 0 {
                due = Some((ask, delay));
                continue;
            }
            for event in outside.answer(&ask) {
                handle(&mut session, event, &mut out);
            }
        }
        log_frames(&mut log, &out, &session);
        if session.is_closed() || (rest.is_empty() && due.is_none()) {
            return log;
        }
    }
}

/// Asserts that the session accepts a scripted event, unless the session is about to close.
fn handle(session: &mut Session, event: SessionEvent, out: &mut Vec<u8>) {
    if !session.handle(event, out) {
        let next = session.clone().next_request(&mut Vec::new(), || 0);
        assert!(
            matches!(next, Some(SessionRequest::Close(_))),
            "{event:?} should fit {session:?}"
        );
    }
}

fn log_frames(log: &mut Vec<Entry>, out: &[u8], session: &Session) {
    let dialect = session.dialect().unwrap_or(Dialect::Seed);
    let mut rest = out;
    while let Some((_, length)) = FromServer::decode(rest, dialect).expect("a server's frame") {
        log.push(Entry::Sent(rest[..length].to_vec()));
        rest = &rest[length..];
    }
    assert!(rest.is_empty(), "half a frame was written: {rest:?}");
}

/// Scripted opponents, seats and rules. In pairs mode, an opponent arrives, moves or leaves when the client sends an
/// ERROR. So each event happens at the same byte, however the bytes are split.
pub(crate) struct Outside {
    mode: GameMode,
    seatings: u32,
    plays: u32,
    marks: u16,
    pair: Pair,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pair {
    None,
    Waits,
    ClientMoves,
    OpponentMoves,
}

impl Outside {
    pub(crate) fn new(mode: GameMode) -> Outside {
        Outside {
            mode,
            seatings: 0,
            plays: 0,
            marks: 0,
            pair: Pair::None,
        }
    }

    /// The events that answer a request.
    pub(crate) fn answer(&mut self, ask: &SessionRequest) -> Vec<SessionEvent> {
        match (ask, self.mode) {
            (SessionRequest::Seat, GameMode::Computer) => {
                self.seat();
                let full = self.seatings.is_multiple_of(4);
                vec![if full {
                    SessionEvent::NotSeated
                } else {
                    SessionEvent::Admitted { first: true }
                }]
            }
            (SessionRequest::Seat, GameMode::Pairs) => {
                self.pair = Pair::Waits;
                Vec::new()
            }
            (SessionRequest::Move(cell), _) => vec![self.play(*cell)],
            (SessionRequest::ClientError(heard), GameMode::Pairs) => self.pair_goes_on(heard.code),
            (SessionRequest::ClientError(_), GameMode::Computer)
            | (SessionRequest::Close(_), _) => Vec::new(),
        }
    }

    fn seat(&mut self) {
        (self.seatings, self.plays, self.marks) = (self.seatings + 1, 0, 0);
    }

    fn play(&mut self, cell: Cell) -> SessionEvent {
        if self.marks >> cell.index() & 1 == 1 {
            return SessionEvent::Refused(MoveRefusal::Occupied);
        }
        self.marks |= 1 << cell.index();
        self.plays += 1;
        if self.plays == 3 {
            self.pair = Pair::None;
            return SessionEvent::Over {
                result: self.result(),
                opponent_cell: None,
            };
        }
        if self.mode == GameMode::Pairs {
            self.pair = Pair::OpponentMoves;
            return SessionEvent::Accepted;
        }
        let reply = self.reply();
        if self.plays == 2 && self.seatings % 2 == 1 {
            return SessionEvent::Over {
                result: GameResult::Lost,
                opponent_cell: Some(reply),
            };
        }
        SessionEvent::Played(reply)
    }

    fn pair_goes_on(&mut self, code: u8) -> Vec<SessionEvent> {
        let event = match self.pair {
            Pair::None => return Vec::new(),
            Pair::Waits => {
                self.seat();
                let first = self.seatings % 2 == 1;
                self.pair = if first {
                    Pair::ClientMoves
                } else {
                    Pair::OpponentMoves
                };
                SessionEvent::Admitted { first }
            }
            Pair::ClientMoves | Pair::OpponentMoves if code == 77 => {
                self.pair = Pair::None;
                SessionEvent::Over {
                    result: GameResult::Won,
                    opponent_cell: None,
                }
            }
            Pair::ClientMoves => return Vec::new(),
            Pair::OpponentMoves => {
                self.pair = Pair::ClientMoves;
                SessionEvent::Played(self.reply())
            }
        };
        vec![event]
    }

    fn reply(&mut self) -> Cell {
        let free = Cell::all().find(|cell| self.marks >> cell.index() & 1 == 0);
        let cell = free.expect("three plays each leave cells");
        self.marks |= 1 << cell.index();
        cell
    }

    fn result(&self) -> GameResult {
        [GameResult::Won, GameResult::Draw, GameResult::Lost][self.seatings as usize % 3]
    }
}
