//! Sends typed lines to the current game. Several games may follow each other.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::PlayEvent;
use crate::console::read_line;

/// Maximum number of events in the queue. When the queue is full, senders block.
const MAX_QUEUED_EVENTS: usize = 16;

/// A thread that reads lines and sends them to the current game. If the thread waits for a line when the game
/// ends, it continues to wait, and sends the line to the next game.
#[derive(Clone, Debug)]
pub struct Keyboard {
    current: Arc<Mutex<SyncSender<PlayEvent>>>,
}

impl Keyboard {
    /// Starts the thread and returns the channel of the first game. If `input` is `None`, no thread is started.
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

    /// The channel of the current game. Other threads may also send events into this channel.
    pub fn sender(&self) -> SyncSender<PlayEvent> {
        let current = self.current.lock();
        current.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Creates the channel of the next game. The thread sends all further lines to this channel.
    pub fn next_game(&self) -> Receiver<PlayEvent> {
        let (sender, events) = sync_channel(MAX_QUEUED_EVENTS);
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = sender;
        events
    }

    /// Sends an event to the current game or, if that game has just ended, to the next game. Returns whether a game
    /// received the event.
    fn send(&self, event: PlayEvent) -> bool {
        match self.sender().send(event) {
            Ok(()) => true,
            Err(returned) => self.sender().send(returned.0).is_ok(),
        }
    }
}
