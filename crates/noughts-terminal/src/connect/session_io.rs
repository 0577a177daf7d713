//! Two to listen to at once: the server, and the person at the keyboard.

use std::collections::VecDeque;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use noughts_wire::{ClientSession, Event, WrongStage, is_disconnect};

use super::disconnect::{Disconnect, Exit};
use crate::console::read_line;

/// What may wait until it is looked at; then who brings more must wait.
const MOST_WAITING: usize = 16;

/// A session with the server, and lines from a person.
///
/// Both are read by threads of their own, so that a person who thinks reader at once that the server
/// left. A line is read only when one is asked for: what a script typed ahead is not taken for the
/// answer to an earlier question. The threads end when their streams do, or with the process.
pub(super) struct SessionIo<W> {
    session: ClientSession,
    writer: W,
    heard: Receiver<Heard>,
    wishes: Sender<()>,
    /// A line was wished for and has not come.
    is_asked: bool,
    /// Lines that came when nobody wanted them, for the next questions.
    kept: VecDeque<String>,
    has_ended: bool,
}

/// A line without its end; `None`: the input has ended.
type Line = Option<String>;

enum Heard {
    Bytes(Vec<u8>),
    /// The server's stream has ended, with an error if it failed.
    End(Option<io::Error>),
    Line(io::Result<Line>),
}

/// What is waited for besides the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wants {
    Nothing,
    /// The answer to a question; what was typed ahead is one.
    Line,
    /// What is typed from now on.
    NewLine,
}

/// What happened next.
#[derive(Debug)]
pub(super) enum Next {
    Event(Event),
    Line(Line),
    /// Nothing did, for as long as was agreed.
    Nothing,
}

impl<W: Write> SessionIo<W> {
    pub(super) fn new(
        reader: impl Read + Send + 'static,
        writer: W,
        input: impl BufRead + Send + 'static,
    ) -> SessionIo<W> {
        let (sender, heard) = sync_channel(MOST_WAITING);
        let (wishes, wished) = channel();
        let lines = sender.clone();
        thread::spawn(move || listen(reader, &sender));
        thread::spawn(move || read(input, &wished, &lines));
        SessionIo {
            session: ClientSession::new(),
            writer,
            heard,
            wishes,
            is_asked: false,
            kept: VecDeque::new(),
            has_ended: false,
        }
    }

    /// Where the client stands.
    pub(super) fn session(&self) -> &ClientSession {
        &self.session
    }

    /// Says something to the server. That it is gone is heard, not noticed here: it may have said why.
    pub(super) fn say(
        &mut self,
        words: impl FnOnce(&mut ClientSession, &mut Vec<u8>) -> Result<(), WrongStage>,
    ) -> Result<(), Exit> {
        let mut frame = Vec::new();
        words(&mut self.session, &mut frame).expect("the stage was looked at");
        match self.write(&frame) {
            Ok(()) => Ok(()),
            Err(error) if is_disconnect(&error) => Ok(()),
            Err(error) => Err(Disconnect::Lost(error).into()),
        }
    }

    /// Waits for the server, and for a person if wanted, at most this long.
    pub(super) fn next(&mut self, wants: Wants, limit: Duration) -> Result<Next, Exit> {
        loop {
            let mut frame = Vec::new();
            if let Some(event) = self.session.next_event(&mut frame) {
                // The last words to a server that broke the protocol; it may have gone.
                let _ = self.write(&frame);
                return Ok(Next::Event(event));
            }
            match wants {
                Wants::Line if self.has_kept() || self.has_ended => {
                    return Ok(Next::Line(self.kept.pop_front()));
                }
                Wants::Line | Wants::NewLine => self.wish(),
                Wants::Nothing => {}
            }
            match self.heard.recv_timeout(limit) {
                Ok(Heard::Bytes(bytes)) => drop(self.session.receive(&bytes)),
                Ok(Heard::End(None)) | Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Next::Event(self.session.end()));
                }
                Ok(Heard::End(Some(error))) => return Err(Disconnect::Lost(error).into()),
                Ok(Heard::Line(line)) => {
                    self.is_asked = false;
                    let line = line?;
                    self.has_ended = line.is_none();
                    match wants {
                        Wants::Nothing => self.kept.extend(line),
                        Wants::Line | Wants::NewLine => return Ok(Next::Line(line)),
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Ok(Next::Nothing),
            }
        }
    }

    /// Keeps a line for the next question; whether more should be read now.
    pub(super) fn keep(&mut self, line: String) -> Wants {
        self.kept.push_back(line);
        match self.kept.len() < MOST_WAITING {
            true => Wants::NewLine,
            false => Wants::Nothing,
        }
    }

    /// Something was typed for the next question.
    pub(super) fn has_kept(&self) -> bool {
        !self.kept.is_empty()
    }

    /// Nothing was typed for the next question, and nothing will be.
    pub(super) fn is_alone(&self) -> bool {
        self.has_ended && self.kept.is_empty()
    }

    fn wish(&mut self) {
        if !self.is_asked && !self.has_ended {
            self.is_asked = self.wishes.send(()).is_ok();
        }
    }

    fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        if frame.is_empty() {
            return Ok(());
        }
        self.writer.write_all(frame)?;
        self.writer.flush()
    }
}

/// Brings bytes from the server until there are no more.
fn listen(mut reader: impl Read, sender: &SyncSender<Heard>) {
    let mut bytes = [0; 512];
    loop {
        let heard = match reader.read(&mut bytes) {
            Ok(0) => Heard::End(None),
            Ok(count) => Heard::Bytes(bytes[..count].to_vec()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if is_disconnect(&error) => Heard::End(None),
            Err(error) => Heard::End(Some(error)),
        };
        let is_last = matches!(heard, Heard::End(_));
        if sender.send(heard).is_err() || is_last {
            return;
        }
    }
}

/// Brings a line for each wish.
fn read(mut input: impl BufRead, wished: &Receiver<()>, sender: &SyncSender<Heard>) {
    for () in wished {
        if sender.send(Heard::Line(read_line(&mut input))).is_err() {
            return;
        }
    }
}
