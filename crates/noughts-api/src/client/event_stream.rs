//! What happens at a table, as it happens.

use super::ClientError;
use super::http::Answer;
use crate::stream::StreamMessage;

/// A stream of what happens at a table. When it is lost, another goes on after the last turn that was
/// [seen](EventStream::seen).
pub struct EventStream {
    answer: Answer,
    seen: Option<usize>,
}

impl EventStream {
    pub(super) fn new(answer: Answer) -> EventStream {
        EventStream { answer, seen: None }
    }

    /// Waits for what happens next; `None` when the server has ended the stream.
    #[expect(clippy::should_implement_trait, reason = "it may fail")]
    pub fn next(&mut self) -> Result<Option<StreamMessage>, ClientError> {
        let (mut line, mut data, mut id) = (String::new(), None, None);
        while self.answer.line(&mut line)?.is_some() {
            match line.split_once(':') {
                Some(("data", value)) => data = Some(value.trim().to_owned()),
                Some(("id", value)) => id = value.trim().parse().ok(),
                Some(_) => {}
                // An empty line ends an event.
                None => {
                    let Some(data) = data.take() else {
                        continue;
                    };
                    self.seen = id.or(self.seen);
                    let live = serde_json::from_str(&data);
                    let foreign =
                        |error: serde_json::Error| ClientError::Foreign(error.to_string());
                    return live.map(Some).map_err(foreign);
                }
            }
        }
        Ok(None)
    }

    /// Completed turns that were seen.
    pub fn seen(&self) -> Option<usize> {
        self.seen
    }
}
