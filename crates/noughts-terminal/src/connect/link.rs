//! Two to listen to at once: the server, and the person at the keyboard.

use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use noughts_wire::{ClientSession, Event, NotNow, is_end};

use super::parting::{Leave, Parting};
use crate::console::read_line;

/// What may wait until it is looked at; then who brings more must wait.
const MOST_WAITING: usize = 16;

/// A session with the server, and lines from a person.
///
/// Both are read by threads of their own, so that a person who thinks hears at once that the server
/// left. A line is read only when one is asked for: what a script typed ahead is not taken for the
/// answer to an earlier question. The threads end when their streams do, or with the process.
pub(super) struct Link<W> {
    session: ClientSession,
    says: W,
    heard: Receiver<Heard>,
    wishes: Sender<()>,
    /// A line was wished for and has not come.
    is_asked: bool,
    /// A line that came when nobody wanted it.
    kept: Option<Line>,
}

/// A line without its end; `None`: the input has ended.
type Line = Option<String>;

enum Heard {
    Bytes(Vec<u8>),
    /// The server's stream has ended, with an error if it failed.
    End(Option<io::Error>),
    Line(io::Result<Line>),
}

/// What happened next.
#[derive(Debug)]
pub(super) enum Next {
    Event(Event),
    Line(Line),
    /// Nothing did, for as long as was agreed.
    Nothing,
}

impl<W: Write> Link<W> {
    pub(super) fn new(
        hears: impl Read + Send + 'static,
        says: W,
        input: impl BufRead + Send + 'static,
    ) -> Link<W> {
        let (sender, heard) = sync_channel(MOST_WAITING);
        let (wishes, wished) = channel();
        let lines = sender.clone();
        thread::spawn(move || listen(hears, &sender));
        thread::spawn(move || read(input, &wished, &lines));
        Link {
            session: ClientSession::new(),
            says,
            heard,
            wishes,
            is_asked: false,
            kept: None,
        }
    }

    /// Where the client stands.
    pub(super) fn session(&self) -> &ClientSession {
        &self.session
    }

    /// Says something to the server. That it is gone is heard, not noticed here: it may have said why.
    pub(super) fn say(
        &mut self,
        words: impl FnOnce(&mut ClientSession, &mut Vec<u8>) -> Result<(), NotNow>,
    ) -> Result<(), Leave> {
        let mut frame = Vec::new();
        words(&mut self.session, &mut frame).expect("the stage was looked at");
        match self.write(&frame) {
            Ok(()) => Ok(()),
            Err(error) if is_end(&error) => Ok(()),
            Err(error) => Err(Parting::Lost(error).into()),
        }
    }

    /// Waits for the server, and if `wants_line` for a person, at most this long.
    pub(super) fn next(&mut self, wants_line: bool, limit: Duration) -> Result<Next, Leave> {
        loop {
            let mut frame = Vec::new();
            if let Some(event) = self.session.next(&mut frame) {
                // The last words to a server that broke the protocol; it may have gone.
                let _ = self.write(&frame);
                return Ok(Next::Event(event));
            }
            if wants_line {
                if let Some(line) = self.kept.take() {
                    return Ok(Next::Line(line));
                }
                self.wish();
            }
            match self.heard.recv_timeout(limit) {
                Ok(Heard::Bytes(bytes)) => drop(self.session.receive(&bytes)),
                Ok(Heard::End(None)) | Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Next::Event(self.session.end()));
                }
                Ok(Heard::End(Some(error))) => return Err(Parting::Lost(error).into()),
                Ok(Heard::Line(line)) => {
                    self.is_asked = false;
                    self.kept = Some(line?);
                }
                Err(RecvTimeoutError::Timeout) => return Ok(Next::Nothing),
            }
        }
    }

    /// Puts a line back, for the next who wants one.
    pub(super) fn keep(&mut self, line: Line) {
        self.kept = Some(line);
    }

    fn wish(&mut self) {
        if !self.is_asked {
            // After the end of input nobody is there to be asked; that end was told, and is kept.
            self.is_asked = self.wishes.send(()).is_ok();
        }
    }

    fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        if frame.is_empty() {
            return Ok(());
        }
        self.says.write_all(frame)?;
        self.says.flush()
    }
}

/// Brings bytes from the server until there are no more.
fn listen(mut hears: impl Read, sender: &SyncSender<Heard>) {
    let mut bytes = [0; 512];
    loop {
        let heard = match hears.read(&mut bytes) {
            Ok(0) => Heard::End(None),
            Ok(count) => Heard::Bytes(bytes[..count].to_vec()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if is_end(&error) => Heard::End(None),
            Err(error) => Heard::End(Some(error)),
        };
        let is_last = matches!(heard, Heard::End(_));
        if sender.send(heard).is_err() || is_last {
            return;
        }
    }
}

/// Brings a line for each wish; after the end of input, that again.
fn read(mut input: impl BufRead, wished: &Receiver<()>, sender: &SyncSender<Heard>) {
    for () in wished {
        if sender.send(Heard::Line(read_line(&mut input))).is_err() {
            return;
        }
    }
}
