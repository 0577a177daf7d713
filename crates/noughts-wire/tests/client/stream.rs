//! A stream whose other end is a session with a computer that plays the first free cell.

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use noughts_wire::{
    Cell, GameMode, GameResult, MoveRefusal, Session, SessionEvent, SessionRequest,
};

/// A stream in memory whose other end is a server session.
pub(crate) struct Computer {
    session: Session,
    marks: Vec<Cell>,
    answers: VecDeque<u8>,
    /// The bytes of each write. A test checks that each write is one frame.
    pub(crate) writes: Vec<Vec<u8>>,
    /// Maximum number of bytes per read.
    pub(crate) piece: usize,
}

impl Computer {
    pub(crate) fn new(piece: usize) -> Computer {
        Computer {
            session: Session::new(GameMode::Computer, false),
            marks: Vec::new(),
            answers: VecDeque::new(),
            writes: Vec::new(),
            piece,
        }
    }

    /// Marks the client's cell and the first free cell. Ignores completed lines: a full board is a draw.
    fn play(&mut self, cell: Cell) -> SessionEvent {
        if self.marks.contains(&cell) {
            return SessionEvent::Refused(MoveRefusal::Occupied);
        }
        self.marks.push(cell);
        match Cell::all().find(|cell| !self.marks.contains(cell)) {
            Some(reply) => {
                self.marks.push(reply);
                SessionEvent::Played(reply)
            }
            None => SessionEvent::Over {
                result: GameResult::Draw,
                opponent_cell: None,
            },
        }
    }
}

impl Write for Computer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes.push(bytes.to_vec());
        assert_eq!(self.session.receive(bytes), bytes.len());
        let mut out = Vec::new();
        while let Some(ask) = self.session.next_request(&mut out, || 54_321) {
            let event = match ask {
                SessionRequest::Seat => {
                    self.marks.clear();
                    SessionEvent::Admitted { first: true }
                }
                SessionRequest::Move(cell) => self.play(cell),
                other => panic!("{other:?}"),
            };
            assert!(self.session.handle(event, &mut out));
        }
        self.answers.extend(out);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Computer {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        assert!(
            !self.answers.is_empty(),
            "the client waits for an answer that will not come"
        );
        let count = bytes.len().min(self.piece).min(self.answers.len());
        for (place, byte) in bytes.iter_mut().zip(self.answers.drain(..count)) {
            *place = byte;
        }
        Ok(count)
    }
}
