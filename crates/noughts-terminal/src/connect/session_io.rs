//! Reads from the server and from the keyboard at the same time.

use std::collections::VecDeque;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use noughts_wire::{ClientSession, Event, WrongStage, is_disconnect};

use super::disconnect::{Disconnect, Exit};
use crate::console::read_line;

/// Maximum number of inputs in the queue, and also of kept lines. When the queue is full, senders block.
const MAX_QUEUED_INPUTS: usize = 16;

/// The session with the server, and lines from the keyboard.
///
/// One thread reads from the server, and another thread reads from the keyboard. So the client notices a
/// disconnection while a person thinks. A line is read only on request. Otherwise the next line of a script
/// could answer an earlier question. The thread for the server ends with the connection. The thread for the
/// keyboard ends after this value is dropped. A thread that waits in a read ends only after the read returns.
pub(super) struct SessionIo<W> {
    session: ClientSession,
    writer: W,
    inputs: Receiver<Input>,
    line_requests: Sender<()>,
    /// Whether a line was requested and has not arrived yet.
    is_requested: bool,
    /// Lines that were typed ahead. They answer later questions.
    kept: VecDeque<String>,
    has_ended: bool,
}

/// A line without its newline. `None` at the end of input.
type Line = Option<String>;

enum Input {
    Bytes(Vec<u8>),
    /// The server's stream ended, perhaps with an error.
    End(Option<io::Error>),
    Line(io::Result<Line>),
}

/// Which typed input to wait for, in addition to data from the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wants {
    Nothing,
    /// A line: the oldest kept line or, if there is none, a new line.
    Line,
    /// A new line. Kept lines stay for later questions.
    NewLine,
}

#[derive(Debug)]
pub(super) enum Next {
    Event(Event),
    Line(Line),
    /// Nothing arrived within the time limit.
    Nothing,
}

impl<W: Write> SessionIo<W> {
    pub(super) fn new(
        reader: impl Read + Send + 'static,
        writer: W,
        input: impl BufRead + Send + 'static,
    ) -> SessionIo<W> {
        let (sender, inputs) = sync_channel(MAX_QUEUED_INPUTS);
        let (line_requests, requests) = channel();
        let lines = sender.clone();
        thread::spawn(move || listen(reader, &sender));
        thread::spawn(move || read(input, &requests, &lines));
        SessionIo {
            session: ClientSession::new(),
            writer,
            inputs,
            line_requests,
            is_requested: false,
            kept: VecDeque::new(),
            has_ended: false,
        }
    }

    pub(super) fn session(&self) -> &ClientSession {
        &self.session
    }

    /// Sends a frame. A closed connection is not an error here: the server may have sent a reason before it
    /// disconnected, so the caller reads until the end of the stream.
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

    /// Waits at most `limit` for an event from the server or for the input that `wants` names.
    pub(super) fn next(&mut self, wants: Wants, limit: Duration) -> Result<Next, Exit> {
        loop {
            let mut frame = Vec::new();
            if let Some(event) = self.session.next_event(&mut frame) {
                // If the server broke the protocol, `frame` is an ERROR. The server may be gone, so a failed write is
                // ignored.
                let _ = self.write(&frame);
                return Ok(Next::Event(event));
            }
            match wants {
                Wants::Line if self.has_kept() || self.has_ended => {
                    return Ok(Next::Line(self.kept.pop_front()));
                }
                Wants::Line | Wants::NewLine => self.request_line(),
                Wants::Nothing => {}
            }
            match self.inputs.recv_timeout(limit) {
                Ok(Input::Bytes(bytes)) => drop(self.session.receive(&bytes)),
                Ok(Input::End(None)) | Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Next::Event(self.session.end()));
                }
                Ok(Input::End(Some(error))) => return Err(Disconnect::Lost(error).into()),
                Ok(Input::Line(line)) => {
                    self.is_requested = false;
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

    /// Keeps a line for a later question. Returns what to wait for next: `Wants::Nothing` if no more lines
    /// can be kept, and `Wants::NewLine` otherwise.
    pub(super) fn keep(&mut self, line: String) -> Wants {
        self.kept.push_back(line);
        match self.kept.len() < MAX_QUEUED_INPUTS {
            true => Wants::NewLine,
            false => Wants::Nothing,
        }
    }

    /// Whether a line was typed ahead.
    pub(super) fn has_kept(&self) -> bool {
        !self.kept.is_empty()
    }

    /// Whether the input has ended and no kept line is left.
    pub(super) fn is_input_exhausted(&self) -> bool {
        self.has_ended && self.kept.is_empty()
    }

    fn request_line(&mut self) {
        if !self.is_requested && !self.has_ended {
            self.is_requested = self.line_requests.send(()).is_ok();
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

/// Sends the server's bytes into the channel until the stream ends.
fn listen(mut reader: impl Read, sender: &SyncSender<Input>) {
    let mut bytes = [0; 512];
    loop {
        let input = match reader.read(&mut bytes) {
            Ok(0) => Input::End(None),
            Ok(count) => Input::Bytes(bytes[..count].to_vec()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if is_disconnect(&error) => Input::End(None),
            Err(error) => Input::End(Some(error)),
        };
        let is_last = matches!(input, Input::End(_));
        if sender.send(input).is_err() || is_last {
            return;
        }
    }
}

/// Sends one line per request into the channel.
fn read(mut input: impl BufRead, requests: &Receiver<()>, sender: &SyncSender<Input>) {
    for () in requests {
        if sender.send(Input::Line(read_line(&mut input))).is_err() {
            return;
        }
    }
}
