//! `--against anyone`: waits for an opponent.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use noughts_api::{Client, ClientError, ClockForm, NewMatch, QuickMatchView};
use noughts_rules::{ClockSettings, Seat, Variant};
use noughts_terminal::play::PlayEvent;

use super::connection::{RemoteTable, within};
use super::find_table::failure;
use crate::Failure;

/// How long to wait for a typed line before checking again whether an opponent was found.
const POLL: Duration = Duration::from_millis(100);

/// The pause before a lost event stream is opened again.
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);

/// Maximum time to cancel the request at the server. A request that is not cancelled ends 20 s after the player has
/// disconnected from the server.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);

/// A request for an opponent.
#[derive(Clone)]
pub(super) struct QuickMatch {
    client: Client,
    /// The player's token.
    token: String,
    id: String,
    variant: Variant,
}

impl QuickMatch {
    pub(super) fn request(
        client: Client,
        token: String,
        variant: Variant,
        clock: Option<ClockSettings>,
    ) -> Result<QuickMatch, Failure> {
        let wish = NewMatch {
            variant: variant.to_string(),
            clock: clock.map(ClockForm::from),
        };
        let requested = client.request_match(&token, &wish).map_err(failure)?;
        Ok(QuickMatch {
            client,
            token,
            id: requested.id,
            variant,
        })
    }

    /// Waits for an opponent. Returns `None` if the player leaves.
    pub(super) fn wait(
        &self,
        events: &Receiver<PlayEvent>,
    ) -> Result<Option<RemoteTable>, Failure> {
        println!("Looking for an opponent at {}. :q leaves.", self.variant);
        let (sender, found) = channel();
        let follower = self.clone();
        thread::spawn(move || {
            // The server keeps the request as long as this stream is open.
            loop {
                let stream = match follower.client.player_events(&follower.token) {
                    Err(error) if !is_temporary(&error) => {
                        let _ = sender.send(Err(error));
                        return;
                    }
                    stream => stream,
                };
                for _ in stream.into_iter().flatten().filter(Result::is_ok) {
                    let result = match follower.table() {
                        Ok(None) => continue,
                        // This stream may send no further event. Open a new stream, because a stream begins with an
                        // event.
                        Err(error) if is_temporary(&error) => break,
                        Ok(Some(table)) => Ok(table),
                        Err(error) => Err(error),
                    };
                    let _ = sender.send(result);
                    return;
                }
                thread::sleep(RECONNECT_PAUSE);
            }
        });
        loop {
            match found.try_recv() {
                Ok(Ok(table)) => return Ok(Some(table)),
                Ok(Err(error)) => {
                    self.cancel();
                    return Err(failure(error));
                }
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => {
                    return Err(Failure::invalid("the search for an opponent ended"));
                }
            }
            let line = match events.recv_timeout(POLL) {
                Ok(PlayEvent::Line(line)) => line,
                Ok(_) | Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => None,
            };
            match line.as_deref().map(str::trim) {
                None | Some(":q" | "q" | "leave") => {
                    self.cancel();
                    return Ok(None);
                }
                Some(_) => println!("Still looking for an opponent. :q leaves."),
            }
        }
    }

    pub(super) fn cancel(&self) {
        let cancelled = self.clone();
        within(CANCEL_TIMEOUT, move || {
            let _ = cancelled
                .client
                .cancel_match(&cancelled.token, &cancelled.id);
        });
    }

    /// Returns the table if the server has found an opponent.
    fn table(&self) -> Result<Option<RemoteTable>, ClientError> {
        let QuickMatchView { game, seat, .. } = self.client.quick_match(&self.token, &self.id)?;
        Ok(game.zip(seat).map(|(game, seat)| RemoteTable {
            client: self.client.clone(),
            game,
            seat: Some(Seat(seat)),
            token: Some(self.token.clone()),
        }))
    }
}

/// Whether a retry may succeed after this error.
fn is_temporary(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable(_) => true,
        ClientError::Refused(problem) => problem.is_temporary(),
        _ => false,
    }
}
