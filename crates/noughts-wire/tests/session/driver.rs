//! A session, bytes in pieces, and an outside that answers by a plan: what came of it, in order.

use noughts_wire::{Ask, Cell, Dialect, Door, FromServer, News, Refused, Session, Verdict};

/// What the session did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// It sent one frame.
    Sent(Vec<u8>),
    /// It asked for something.
    Asked(Ask),
}

/// Gives the bytes in pieces of the lengths in `cuts`, again and again, and answers each ask only when
/// `delay` more pieces came; on the door for pairs a seat is not answered late, since there the time
/// makes a difference.
pub(crate) fn drive(
    door: Door,
    is_full: bool,
    bytes: &[u8],
    cuts: &[usize],
    delay: usize,
) -> Vec<Entry> {
    let mut session = Session::new(door, is_full);
    let mut outside = Outside::new(door);
    let mut log = Vec::new();
    let mut rest = bytes;
    let mut due: Option<(Ask, usize)> = None;
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
                for news in outside.answer(&ask) {
                    tell(&mut session, news, &mut out);
                }
                log_frames(&mut log, &out, &session);
            }
        }
        let mut out = Vec::new();
        while let Some(ask) = session.next(&mut out, || 54_321) {
            log_frames(&mut log, &out, &session);
            out.clear();
            log.push(Entry::Asked(ask.clone()));
            let waits = matches!(ask, Ask::Move(_)) || (ask == Ask::Seat && door == Door::Computer);
            if waits && delay > 0 {
                due = Some((ask, delay));
                continue;
            }
            for news in outside.answer(&ask) {
                tell(&mut session, news, &mut out);
            }
        }
        log_frames(&mut log, &out, &session);
        if session.is_closed() || (rest.is_empty() && due.is_none()) {
            return log;
        }
    }
}

/// All news of the plan fits, but where the client has just used up its errors.
fn tell(session: &mut Session, news: News, out: &mut Vec<u8>) {
    if !session.tell(news, out) {
        let next = session.clone().next(&mut Vec::new(), || 0);
        assert!(
            matches!(next, Some(Ask::Close(_))),
            "{news:?} should fit {session:?}"
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

/// The opponents, seats and rules, as a short plan. On the door for pairs things happen when the client
/// sends an ERROR, so that they happen at the same byte however the bytes come.
pub(crate) struct Outside {
    door: Door,
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
    pub(crate) fn new(door: Door) -> Outside {
        Outside {
            door,
            seatings: 0,
            plays: 0,
            marks: 0,
            pair: Pair::None,
        }
    }

    /// The news that answer an ask.
    pub(crate) fn answer(&mut self, ask: &Ask) -> Vec<News> {
        match (ask, self.door) {
            (Ask::Seat, Door::Computer) => {
                self.seat();
                let full = self.seatings.is_multiple_of(4);
                vec![if full {
                    News::NotSeated
                } else {
                    News::Admitted { first: true }
                }]
            }
            (Ask::Seat, Door::Pairs) => {
                self.pair = Pair::Waits;
                Vec::new()
            }
            (Ask::Move(cell), _) => vec![self.play(*cell)],
            (Ask::Heard(heard), Door::Pairs) => self.pair_goes_on(heard.code),
            (Ask::Heard(_), Door::Computer) | (Ask::Close(_), _) => Vec::new(),
        }
    }

    fn seat(&mut self) {
        (self.seatings, self.plays, self.marks) = (self.seatings + 1, 0, 0);
    }

    fn play(&mut self, cell: Cell) -> News {
        if self.marks >> cell.index() & 1 == 1 {
            return News::Refused(Refused::Occupied);
        }
        self.marks |= 1 << cell.index();
        self.plays += 1;
        if self.plays == 3 {
            self.pair = Pair::None;
            return News::Over {
                verdict: self.verdict(),
                opponent_cell: None,
            };
        }
        if self.door == Door::Pairs {
            self.pair = Pair::OpponentMoves;
            return News::Accepted;
        }
        let reply = self.reply();
        if self.plays == 2 && self.seatings % 2 == 1 {
            return News::Over {
                verdict: Verdict::Lost,
                opponent_cell: Some(reply),
            };
        }
        News::Played(reply)
    }

    fn pair_goes_on(&mut self, code: u8) -> Vec<News> {
        let news = match self.pair {
            Pair::None => return Vec::new(),
            Pair::Waits => {
                self.seat();
                let first = self.seatings % 2 == 1;
                self.pair = if first {
                    Pair::ClientMoves
                } else {
                    Pair::OpponentMoves
                };
                News::Admitted { first }
            }
            Pair::ClientMoves | Pair::OpponentMoves if code == 77 => {
                self.pair = Pair::None;
                News::Over {
                    verdict: Verdict::Won,
                    opponent_cell: None,
                }
            }
            Pair::ClientMoves => return Vec::new(),
            Pair::OpponentMoves => {
                self.pair = Pair::ClientMoves;
                News::Played(self.reply())
            }
        };
        vec![news]
    }

    fn reply(&mut self) -> Cell {
        let free = Cell::all().find(|cell| self.marks >> cell.index() & 1 == 0);
        let cell = free.expect("three plays each leave cells");
        self.marks |= 1 << cell.index();
        cell
    }

    fn verdict(&self) -> Verdict {
        [Verdict::Won, Verdict::Draw, Verdict::Lost][self.seatings as usize % 3]
    }
}
