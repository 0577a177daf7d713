//! A scripted server, and a client that plays against it.
//!
//! ```text
//! READY | ADMIT1 | 0-0 | 1-1+DRAW | !
//! ```
//!
//! The server answers each frame of the client with the text before the next `|`: messages joined by `+`. `1-1` is an
//! ACTION, `LOST@2-2` a RESULT with a cell, `ERROR9` an ERROR, `#00ff` any bytes; `~` is silence, and `!` disconnects.
//! After the last answer the server disconnects at the client's next frame. It does not answer a client's ERROR.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use noughts_engine::EngineSetup;
use noughts_terminal::connect::{self, ConnectError, ConnectOptions, ConnectSettings, Connection};
use noughts_wire::{Admission, FromServer, GameResult, Text};

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);

/// A client, ready to play.
pub(crate) struct ClientRun {
    pub(crate) options: ConnectOptions,
    pub(crate) seed: u64,
    pub(crate) pause: Duration,
    pub(crate) patience: Duration,
    pub(crate) answers: VecDeque<Vec<ScriptItem>>,
}

/// The output, the error and the sent frames of a run.
pub(crate) struct RunResult {
    pub(crate) output: String,
    /// The error, if any.
    pub(crate) error: Option<String>,
    /// Every frame sent to the server.
    pub(crate) frames: Vec<Vec<u8>>,
}

/// A part of an answer.
#[derive(Clone, Debug)]
pub(crate) enum ScriptItem {
    Frame(String),
    Bytes(Vec<u8>),
    Leaves,
}

impl ClientRun {
    /// A person against the server.
    pub(crate) fn against(script: &str) -> ClientRun {
        ClientRun {
            options: ConnectOptions {
                name: Some("Ann".to_owned()),
                ..ConnectOptions::default()
            },
            seed: 1,
            pause: LONG,
            patience: LONG,
            answers: script.split('|').map(read_answer).collect(),
        }
    }

    /// A server that answers with these bytes and then disconnects.
    pub(crate) fn against_bytes(answers: &[Vec<u8>]) -> ClientRun {
        let mut answers: VecDeque<Vec<ScriptItem>> = answers
            .iter()
            .map(|bytes| vec![ScriptItem::Bytes(bytes.clone())])
            .collect();
        match answers.back_mut() {
            Some(last) => last.push(ScriptItem::Leaves),
            None => answers.push_back(vec![ScriptItem::Leaves]),
        }
        ClientRun {
            answers,
            ..ClientRun::against("!")
        }
    }

    pub(crate) fn in_pairs(mut self) -> ClientRun {
        self.options.is_pair = true;
        self
    }

    pub(crate) fn by_robot(mut self, strategy: &str) -> ClientRun {
        self.options.robot = Some(strategy.to_owned());
        self
    }

    pub(crate) fn in_the_later_dialect(mut self) -> ClientRun {
        self.options.is_later = true;
        self
    }

    /// Plays with this input, which then ends.
    pub(crate) fn typed(self, input: &str) -> RunResult {
        self.run(Cursor::new(input.as_bytes().to_vec()))
    }

    /// Plays with this input, which then stays open.
    pub(crate) fn typed_and_silent(self, input: &str) -> RunResult {
        let (sender, nothing) = channel();
        // The sender is never dropped. Otherwise the input would end.
        std::mem::forget(sender);
        let input = Cursor::new(input.as_bytes().to_vec());
        self.run(BufReader::new(input.chain(ChannelReader::new(nothing))))
    }

    pub(crate) fn run(self, input: impl BufRead + Send + 'static) -> RunResult {
        let setup = ConnectSettings::new(&self.options)
            .unwrap()
            .with_times(self.pause, self.patience);
        let (to, from) = channel();
        let frames = Arc::default();
        let connection = Connection {
            peer: "the script".to_owned(),
            reader: ChannelReader::new(from),
            writer: Server {
                answers: self.answers,
                is_later: self.options.is_later,
                to: Some(to),
                frame: Vec::new(),
                frames: Arc::clone(&frames),
            },
        };
        let mut output = Vec::new();
        let engine_setup = EngineSetup::with_seed(self.seed);
        let result = connect::play(&setup, &engine_setup, connection, input, &mut output);
        let frames = frames.lock().unwrap().clone();
        RunResult {
            output: String::from_utf8(output).unwrap(),
            error: result.err().map(|error| match error {
                ConnectError::Server(parting) => parting.to_string(),
                ConnectError::Terminal(error) => panic!("{error}"),
            }),
            frames,
        }
    }
}

impl RunResult {
    /// The opcodes sent to the server.
    pub(crate) fn opcodes(&self) -> Vec<u8> {
        self.frames.iter().map(|frame| frame[0]).collect()
    }

    #[track_caller]
    pub(crate) fn shows(&self, words: &str) -> &RunResult {
        assert!(self.output.contains(words), "{words:?} in\n{}", self.output);
        self
    }

    #[track_caller]
    pub(crate) fn fails_with(&self, words: &str) -> &RunResult {
        let error = self.error.as_deref().unwrap_or_default();
        assert!(
            error.contains(words),
            "{words:?} in {error:?}, after\n{}",
            self.output
        );
        self
    }

    #[track_caller]
    pub(crate) fn ends_well(&self) -> &RunResult {
        assert_eq!(self.error, None, "{}", self.output);
        assert!(self.output.ends_with("Goodbye.\n"), "{}", self.output);
        self
    }
}

fn read_answer(text: &str) -> Vec<ScriptItem> {
    let item = |word: &str| match word {
        "~" => ScriptItem::Bytes(Vec::new()),
        "!" => ScriptItem::Leaves,
        _ => ScriptItem::Frame(word.to_owned()),
    };
    let words = text.split('+').map(str::trim);
    words.filter(|word| !word.is_empty()).map(item).collect()
}

/// The bytes of a message of a script.
pub(crate) fn bytes(word: &str, id: u32, is_later: bool) -> Vec<u8> {
    let cell = |text: &str| <[u8; 3]>::try_from(text.as_bytes()).unwrap();
    let result = |flag, text: &str| FromServer::Result {
        id,
        cell: is_later.then(|| cell(if text.is_empty() { "---" } else { text })),
        flag,
    };
    let admit = |flag| FromServer::Admit { id, flag };
    let (word, rest) = word.split_once('@').unwrap_or((word, ""));
    let message = match word {
        "READY" if is_later => FromServer::Ready { id: 12_345 },
        "READY" => FromServer::Ready { id },
        "OTHER" => FromServer::Ready { id: id + 1 },
        "ADMIT0" => admit(Admission::Refused),
        "ADMIT1" => admit(Admission::First),
        "ADMIT2" => admit(Admission::Second),
        "WON" => result(GameResult::Won, rest),
        "LOST" => result(GameResult::Lost, rest),
        "DRAW" => result(GameResult::Draw, rest),
        _ => match (word.strip_prefix("ERROR"), word.strip_prefix('#')) {
            (Some(code), _) => FromServer::Error {
                id,
                code: code.parse().unwrap(),
                text: Text::new("Moviment Invalid").unwrap(),
            },
            (None, Some(hex)) => {
                let byte = |pair: &[u8]| {
                    u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()
                };
                return hex.as_bytes().chunks(2).map(byte).collect();
            }
            (None, None) => FromServer::Action {
                id,
                cell: cell(word),
            },
        },
    };
    let mut bytes = Vec::new();
    message.encode(&mut bytes);
    bytes
}

/// The scripted server, to which the client writes. Every flush ends a frame.
struct Server {
    answers: VecDeque<Vec<ScriptItem>>,
    is_later: bool,
    /// `None` after it has disconnected.
    to: Option<Sender<Vec<u8>>>,
    frame: Vec<u8>,
    frames: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Server {
    fn answer(&mut self, frame: &[u8]) {
        let id = u32::from_be_bytes(frame[1..5].try_into().unwrap());
        for item in self.answers.pop_front().unwrap_or(vec![ScriptItem::Leaves]) {
            let bytes = match item {
                ScriptItem::Frame(word) => bytes(&word, id, self.is_later),
                ScriptItem::Bytes(bytes) => bytes,
                ScriptItem::Leaves => {
                    self.to = None;
                    return;
                }
            };
            if let Some(to) = &self.to {
                let _ = to.send(bytes);
            }
        }
    }
}

impl Write for Server {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.to.is_none() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.frame.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let frame = std::mem::take(&mut self.frame);
        self.frames.lock().unwrap().push(frame.clone());
        if frame[0] != 8 {
            self.answer(&frame);
        }
        Ok(())
    }
}

/// A reader of a channel.
struct ChannelReader {
    from: Receiver<Vec<u8>>,
    rest: Cursor<Vec<u8>>,
}

impl ChannelReader {
    fn new(from: Receiver<Vec<u8>>) -> ChannelReader {
        ChannelReader {
            from,
            rest: Cursor::default(),
        }
    }
}

impl Read for ChannelReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.rest.read(bytes)?;
            if count > 0 {
                return Ok(count);
            }
            match self.from.recv() {
                Ok(next) => self.rest = Cursor::new(next),
                Err(_) => return Ok(0),
            }
        }
    }
}
