//! Records faults that can occur in any frame, during the check of any rule: frames that answer no request,
//! frames of the wrong size, and flags that are characters.

use std::io::Read;
use std::time::Duration;

use noughts_wire::{Dialect, FromServer, Opcode};

use super::{Connection, Expected, SHORT};
use crate::frame::{hex, result_words, server_words};
use crate::framing::Deviation;
use crate::verdict::{Finding, Stop};

/// What the kit observed on all connections in one dialect. Only `waited` is a sum over all dialects. Each
/// kind of fault has one rule that reports it.
#[derive(Default)]
pub(crate) struct Observations {
    /// A frame that is longer or shorter than the course document or the later dialect says.
    pub(crate) size: Option<Finding>,
    /// A flag that is a character.
    pub(crate) flag_character: Option<Finding>,
    /// A frame that answers no request.
    pub(crate) unasked: Option<Finding>,
    /// Whether the server stops reading a name at its first zero byte. If so, all further names end with one zero byte,
    /// so that this fault does not hide other faults.
    pub(crate) one_zero: bool,
    /// Whether the server leaves connections open that the client has closed.
    pub(super) keeps_connections: bool,
    /// For each answered frame of the client: its opcode, and how long the answer took.
    pub(crate) answer_times: Vec<(u8, Duration)>,
    /// How long the kit has waited. A fixed pause counts with its length. A wait that timed out counts with its time
    /// limit. Other waits do not count, so the sum hardly depends on the speed of the machine.
    pub(crate) waited: Duration,
}

impl Connection {
    /// Removes bytes that came after the last answer, and records them. A whole frame counts for the rule
    /// `one-answer`, and other bytes count for the rule `frame-size`.
    pub(crate) fn remove_unasked(&mut self) {
        if self.sent.is_empty() || self.last_frame.is_empty() {
            return;
        }
        if self.stream.set_nonblocking(true).is_ok() {
            let mut bytes = [0; 512];
            if let Ok(count @ 1..) = self.stream.read(&mut bytes) {
                self.buffer.bytes.extend(&bytes[..count]);
            }
            let _ = self.stream.set_nonblocking(false);
        }
        if !self.buffer.bytes.is_empty() {
            let bytes = std::mem::take(&mut self.buffer.bytes);
            self.observe_unasked(&bytes);
        }
    }

    /// Records bytes after a whole answer: another frame, or the rest of a frame that is too long.
    pub(super) fn observe_unasked(&mut self, bytes: &[u8]) {
        let frame = server_words(&self.last_frame, self.dialect);
        let line = format!("server → {}   (not asked for)", hex(bytes));
        self.note(line);
        let is_frame = matches!(FromServer::decode(bytes, self.dialect), Ok(Some(_)));
        self.has_unasked |= is_frame;
        let mut observations = self.observations.borrow_mut();
        if is_frame {
            let words = server_words(bytes, self.dialect);
            let expected = Expected::new("", "nothing more until the client sends its next frame");
            let problem = format!("after {frame}, the server sent one more frame");
            let stop = self.found(problem, &expected, &hex(bytes), &words);
            remember(&mut observations.unasked, stop);
        } else {
            let length = self.last_frame.len();
            let name = frame.split(',').next().unwrap_or_default().to_owned();
            let problem = format!(
                "{name} has {} bytes instead of {length}: {} follow its last field",
                length + bytes.len(),
                hex(bytes)
            );
            let expected =
                Expected::new(hex(&self.last_frame), format!("{frame}, and nothing more"));
            let all = [&self.last_frame[..], bytes].concat();
            let words = format!("{frame}, and {} more bytes", bytes.len());
            let stop = self.found(problem, &expected, &hex(&all), &words);
            remember(&mut observations.size, stop);
        }
    }

    /// Records a fault in a frame that the kit could still parse.
    pub(super) fn observe(&mut self, deviation: &Deviation, frame: &FromServer, bytes: &[u8]) {
        let name = Opcode::try_from(bytes[0]).map_or(String::new(), |opcode| opcode.to_string());
        let (problem, words, is_size) = match deviation {
            Deviation::Size(problem) => {
                (problem, format!("{name} with {} bytes", bytes.len()), true)
            }
            Deviation::FlagCharacter(problem) => (
                problem,
                format!("{name} with a character for its flag"),
                false,
            ),
        };
        let expected = match (frame, self.dialect) {
            (
                FromServer::Result {
                    id,
                    cell: None,
                    flag,
                },
                Dialect::Later,
            ) => Expected::new(
                format!("06 {} .. .. .. {:02x}", hex(&id.to_be_bytes()), *flag as u8),
                format!(
                    "RESULT, id {id}, a cell or ---, flag {}",
                    result_words(*flag)
                ),
            ),
            _ => Expected::frame(frame),
        };
        let mut stop = self.found(problem.clone(), &expected, &hex(bytes), &words);
        if let Stop::Broken(finding) = &mut stop {
            let line = format!("server → {}   {words}", hex(bytes));
            finding.conversation.push(line);
        }
        let mut observations = self.observations.borrow_mut();
        match is_size {
            true => remember(&mut observations.size, stop),
            false => remember(&mut observations.flag_character, stop),
        }
    }

    /// How long the kit waits for the rest of a frame before it treats the frame as too short. The time is shorter once
    /// a frame of the wrong size or a flag that is a character was found. The kit may then mistake a slow frame for a
    /// short frame, but this adds no new fault to the report.
    pub(super) fn quiet_time(&self) -> Duration {
        let observations = self.observations.borrow();
        match observations.size.is_some() || observations.flag_character.is_some() {
            true => SHORT / 2,
            false => self.timeouts.answer * 3 / 4,
        }
    }

    /// Whether the received bytes may be the rest of a frame that was too long. If so, the next frame may follow
    /// them.
    pub(super) fn may_be_excess(&self) -> bool {
        const MAX_EXCESS: usize = 9;
        !self.last_frame.is_empty()
            && !self.buffer.has_ended
            && self.buffer.bytes.len() < MAX_EXCESS
    }

    /// Skips the rest of a frame that was too long. Returns whether something was skipped.
    pub(super) fn skip_excess(&mut self) -> bool {
        if self.last_frame.is_empty() {
            return false;
        }
        let is_next = |skipped: &usize| {
            let rest = &self.buffer.bytes[*skipped..];
            matches!(FromServer::decode(rest, self.dialect), Ok(Some(_)))
                && rest[1..5] == self.id.to_be_bytes()
        };
        let last = self.buffer.bytes.len().min(9);
        let Some(skipped) = (1..last).find(is_next) else {
            return false;
        };
        let excess: Vec<u8> = self.buffer.bytes.drain(..skipped).collect();
        self.observe_unasked(&excess);
        true
    }
}

/// Stores a finding in `place` if `place` is still empty.
fn remember(place: &mut Option<Finding>, stop: Stop) {
    if let (None, Stop::Broken(finding)) = (&place, stop) {
        *place = Some(*finding);
    }
}
