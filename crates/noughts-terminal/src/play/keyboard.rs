//! The typed lines, for one game after the other.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::PlayEvent;
use crate::console::read_line;

/// Events that wait to be handled; further senders block.
const MAX_QUEUED_EVENTS: usize = 16;

/// A thread that reads lines and sends them to the current game. It may outlive the game if it waits for a line.
#[derive(Clone, Debug)]
pub struct Keyboard {
    current: Arc<Mutex<SyncSender<PlayEvent>>>,
}

impl Keyboard {
    /// Starts to read when the first channel is made; `None` reads nothing.
    pub fn new(input: Option<impl BufRead + Send + 'static>) -> (Keyboard, Receiver<PlayEvent>) {
        let (sender, events) = sync_channel(MAX_QUEUED_EVENTS);
        let keyboard = Keyboard {
            current: Arc::new(Mutex::new(sender)),
        };
        if let Some(mut input) = input {
            let lines = keyboard.clone();
            thread::spawn(move || {
                loop {
                    let line = read_line(&mut input).ok().flatten();
                    let has_ended = line.is_none();
                    if !lines.send(PlayEvent::Line(line)) || has_ended {
                        return;
                    }
                }
            });
        }
        (keyboard, events)
    }

    /// The channel to which lines are sent now. Other threads send events into it too.
    pub fn sender(&self) -> SyncSender<PlayEvent> {
        let current = self.current.lock();
        current.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A new channel, to which all further lines are sent.
    pub fn next_game(&self) -> Receiver<PlayEvent> {
        let (sender, events) = sync_channel(MAX_QUEUED_EVENTS);
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = sender;
        events
    }

    /// Whether somebody received the event: the game that was current, or the next one.
    fn send(&self, event: PlayEvent) -> bool {
        match self.sender().send(event) {
            Ok(()) => true,
            Err(returned) => self.sender().send(returned.0).is_ok(),
        }
    }
}
