//! Server-sent events of a table or a player.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use ureq::{Body, BodyReader};

use super::{ClientError, MAX_RESPONSE_BYTES};
use crate::stream::StreamMessage;

/// The event stream of a table, or of a player. When the connection is lost, open another stream. The new stream of a
/// table can continue after [`EventStream::last_id`].
pub struct EventStream<M = StreamMessage> {
    lines: BufReader<BodyReader<'static>>,
    last_id: Option<usize>,
    message: PhantomData<fn() -> M>,
}

impl<M: DeserializeOwned> EventStream<M> {
    pub(super) fn new(body: Body) -> EventStream<M> {
        EventStream {
            lines: BufReader::new(body.into_reader()),
            last_id: None,
            message: PhantomData,
        }
    }

    /// The id of the latest event, if the id is a number. In the stream of a table, this is the number of a
    /// log entry. In the stream of a player, ids have another form, so do not use this method.
    pub fn last_id(&self) -> Option<usize> {
        self.last_id
    }

    /// Reads the next line, without its newline. `None` at the end of the stream, or if the line is longer
    /// than 4 MiB. A last line without a newline is dropped.
    fn read_line(&mut self) -> Result<Option<String>, ClientError> {
        let mut bytes = Vec::new();
        let mut bounded = (&mut self.lines).take(MAX_RESPONSE_BYTES);
        bounded.read_until(b'\n', &mut bytes)?;
        if bytes.pop() != Some(b'\n') {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&bytes);
        Ok(Some(line.trim_end_matches('\r').to_owned()))
    }

    fn read_event(&mut self) -> Result<Option<M>, ClientError> {
        let (mut data, mut id) = (None, None);
        while let Some(line) = self.read_line()? {
            match line.split_once(':') {
                Some(("data", value)) => data = Some(value.trim().to_owned()),
                Some(("id", value)) => id = value.trim().parse().ok(),
                Some(_) => {}
                // An empty line ends an event.
                None => {
                    let Some(data) = data.take() else {
                        continue;
                    };
                    self.last_id = id.or(self.last_id);
                    return serde_json::from_str(&data)
                        .map(Some)
                        .map_err(ClientError::unexpected);
                }
            }
        }
        Ok(None)
    }
}

impl<M: DeserializeOwned> Iterator for EventStream<M> {
    type Item = Result<M, ClientError>;

    /// Waits for the next event; `None` when the server has ended the stream, or has sent a line of more than 4 MiB.
    fn next(&mut self) -> Option<Self::Item> {
        self.read_event().transpose()
    }
}

impl<M> fmt::Debug for EventStream<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("EventStream");
        debug
            .field("last_id", &self.last_id)
            .finish_non_exhaustive()
    }
}
