//! `noughts engine`: this program as one of those that a manager of the Gomocup runs.
//!
//! It reads while it thinks: one thread reads lines, another thinks, and the loop here takes what
//! comes first.

mod pace;
mod sheet;

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use noughts_engine::{Decision, Deepening, Limits, Random, Setup, Stop, Strategy, StrategyName};
use noughts_process::{Line, read_lines};
use noughts_rules::{Game, Move, PlayIn, Quoted};

use self::pace::{Allowance, Pace};
use self::sheet::{Sheet, read_play_in};
use crate::protocol;

/// Lines that were read and not yet looked at.
const MOST_UNREAD: usize = 64;

/// What may wait for the end of a thought, in bytes: a `BOARD` of the largest board, twice.
const MOST_WAITING: usize = 2_000_000;

/// Speaks the protocol until `END` or the end of input. The strategy is asked for every move; without
/// one it is `search`, as long as the manager allows.
///
/// The input is read by a thread of its own, which outlives this call if it waits for a line then.
pub fn serve(
    strategy: Option<&StrategyName>,
    outside: &Setup,
    input: impl BufRead + Send + 'static,
    output: impl Write,
) -> io::Result<()> {
    let (sender, events) = sync_channel(MOST_UNREAD);
    let reader = sender.clone();
    thread::spawn(move || read_all(input, &reader));
    let desk = Desk {
        strategy,
        outside,
        seeds: Random::new(outside.seed),
        sheet: Sheet::default(),
        pace: Pace::default(),
        board: None,
        mind: None,
        thinking: None,
        waiting: VecDeque::new(),
        waiting_bytes: 0,
        input_ended: false,
        sender,
        output,
    };
    desk.run(&events)
}

/// What happens to the loop.
enum Event {
    Line(Line),
    InputEnded,
    Thought(Mind, Option<Decision>),
}

fn read_all(input: impl BufRead, events: &SyncSender<Event>) {
    let _ = read_lines(input, protocol::MAX_LINE, |line| {
        events.send(Event::Line(line)).is_ok()
    });
    let _ = events.send(Event::InputEnded);
}

/// Who thinks, with what it learned in this game.
enum Mind {
    /// The strategy that was asked for.
    Named(Box<dyn Strategy>),
    /// A search as the manager wants it.
    Search {
        search: Box<Deepening>,
        /// What the next move should take, where there is a clock for the whole game.
        usual: Option<Duration>,
    },
}

impl Mind {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision {
        match self {
            Mind::Named(strategy) => strategy.choose(game, stop),
            Mind::Search { search, usual } => {
                let analysis = search.find_move(game, *usual, stop);
                Decision {
                    at: analysis.line[0],
                    analysis: Some(analysis),
                }
            }
        }
    }
}

/// A thought under way.
struct Thinking {
    stop: Stop,
    /// When it is told to stop.
    until: Option<Instant>,
    /// For how the move is written.
    game: Game,
}

/// `BOARD` as far as it was read.
struct Dictation {
    marks: Vec<(Move, u8)>,
    play_in: Option<PlayIn>,
    /// The first line that is none.
    wrong: Option<String>,
}

struct Desk<'a, W> {
    strategy: Option<&'a StrategyName>,
    outside: &'a Setup,
    seeds: Random,
    sheet: Sheet,
    pace: Pace,
    board: Option<Dictation>,
    mind: Option<Mind>,
    thinking: Option<Thinking>,
    /// Commands for after the thought.
    waiting: VecDeque<String>,
    waiting_bytes: usize,
    input_ended: bool,
    sender: SyncSender<Event>,
    output: W,
}

/// Whether to go on.
#[derive(PartialEq, Eq)]
enum Go {
    On,
    End,
}

impl<W: Write> Desk<'_, W> {
    fn run(mut self, events: &Receiver<Event>) -> io::Result<()> {
        loop {
            while self.thinking.is_none() {
                let Some(line) = self.waiting.pop_front() else {
                    break;
                };
                self.waiting_bytes = self.waiting_bytes.saturating_sub(line.len());
                if self.obey(&line)? == Go::End {
                    return Ok(());
                }
            }
            if self.input_ended && self.thinking.is_none() {
                return Ok(());
            }
            let Some(event) = self.next(events) else {
                return Ok(());
            };
            let go = match event {
                Event::Line(Line::TooLong) => self.say("ERROR this line is too long"),
                Event::Line(Line::Text(line)) => self.hear(line),
                Event::InputEnded => {
                    self.input_ended = true;
                    Ok(Go::On)
                }
                Event::Thought(mind, decision) => self.answer(mind, decision),
            };
            if go? == Go::End {
                return Ok(());
            }
        }
    }

    /// What comes next. A thought whose time is over is told so.
    fn next(&mut self, events: &Receiver<Event>) -> Option<Event> {
        let until = self.thinking.as_ref().and_then(|thinking| thinking.until);
        let Some(until) = until else {
            return events.recv().ok();
        };
        match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                self.stop_thinking();
                events.recv().ok()
            }
        }
    }

    fn stop_thinking(&mut self) {
        if let Some(thinking) = &mut self.thinking {
            thinking.stop.set();
            thinking.until = None;
        }
    }

    /// A line while nobody may be thinking, or somebody may.
    fn hear(&mut self, line: String) -> io::Result<Go> {
        if self.thinking.is_none() {
            return self.obey(&line);
        }
        let word = first_word(&line).to_ascii_uppercase();
        match word.as_str() {
            "YXSTOP" | "STOP" => {
                self.stop_thinking();
                Ok(Go::On)
            }
            "INFO" | "ABOUT" => self.obey(&line),
            "END" if self.waiting.is_empty() => {
                // The move that it has is still said: a script may want it.
                self.stop_thinking();
                self.waiting.push_back(line);
                Ok(Go::On)
            }
            _ if self.waiting_bytes + line.len() > MOST_WAITING => {
                self.say("ERROR too much is said while this program thinks")
            }
            _ => {
                // Not less than what it takes in memory.
                self.waiting_bytes += line.len().max(64);
                self.waiting.push_back(line);
                Ok(Go::On)
            }
        }
    }

    fn obey(&mut self, line: &str) -> io::Result<Go> {
        let line = line.trim();
        if self.board.is_some() {
            return self.dictate(line);
        }
        let word = first_word(line);
        let rest = line[word.len()..].trim();
        match word.to_ascii_uppercase().as_str() {
            "" => Ok(Go::On),
            "START" => {
                let size = rest.parse().ok();
                self.start(size.map(|size| (size, size)), "START 15")
            }
            "RECTSTART" => self.start(protocol::pair(rest), "RECTSTART 20,15"),
            "RESTART" => match self.sheet.variant() {
                Ok(_) => {
                    self.sheet.clear();
                    self.prepare()
                }
                Err(reason) => self.refuse(&reason),
            },
            "BEGIN" if self.sheet.is_empty() => self.think(),
            "BEGIN" => self.refuse("the board is not empty: RESTART clears it"),
            "TURN" => self.turn(rest),
            "BOARD" => match self.sheet.variant() {
                Ok(_) => {
                    self.board = Some(Dictation {
                        marks: Vec::new(),
                        play_in: None,
                        wrong: None,
                    });
                    Ok(Go::On)
                }
                Err(reason) => self.refuse(&reason),
            },
            "TAKEBACK" => self.take_back(rest),
            "INFO" => self.learn(rest),
            "ABOUT" => self.say(&about()),
            // Nobody thinks now, so there is nothing to stop.
            "YXSTOP" | "STOP" => Ok(Go::On),
            "END" => Ok(Go::End),
            _ => self.say(&format!("UNKNOWN command {}", Quoted::from(word))),
        }
    }

    fn start(&mut self, size: Option<(usize, usize)>, example: &str) -> io::Result<Go> {
        let Some((columns, rows)) = size else {
            return self.refuse(&format!("it is written {example}"));
        };
        match self.sheet.start(columns, rows) {
            Ok(()) => self.prepare(),
            Err(reason) => self.refuse(&reason),
        }
    }

    fn turn(&mut self, text: &str) -> io::Result<Go> {
        let variant = match self.sheet.variant() {
            Ok(variant) if variant.sides() == 2 => variant,
            Ok(_) => return self.refuse("with more than two sides every turn is a BOARD"),
            Err(reason) => return self.refuse(&reason),
        };
        let Some(at) = protocol::read_move(&variant, text) else {
            return self.refuse(&format!("{} is no move", Quoted::from(text)));
        };
        self.sheet.push(at, 2);
        match self.sheet.game() {
            Ok(game) => self.think_about(game),
            Err(reason) => {
                let _ = self.sheet.take_back(at);
                self.refuse(&reason)
            }
        }
    }

    fn take_back(&mut self, text: &str) -> io::Result<Go> {
        let taken = self.sheet.variant().and_then(|variant| {
            let at = protocol::read_move(&variant, text);
            let at = at.ok_or_else(|| format!("{} is no move", Quoted::from(text)))?;
            self.sheet.take_back(at)
        });
        match taken {
            Ok(()) => self.say("OK"),
            Err(reason) => self.refuse(&reason),
        }
    }

    /// A line between `BOARD` and `DONE`.
    fn dictate(&mut self, line: &str) -> io::Result<Go> {
        let (Some(board), Ok(variant)) = (&mut self.board, self.sheet.variant()) else {
            self.board = None;
            return Ok(Go::On);
        };
        if line.eq_ignore_ascii_case("END") {
            return Ok(Go::End);
        }
        if !line.eq_ignore_ascii_case("DONE") {
            match (protocol::read_mark(&variant, line), read_play_in(line)) {
                (Some(mark), _) if board.marks.len() < variant.cells() => board.marks.push(mark),
                (None, Some(play_in)) => board.play_in = Some(play_in),
                (Some(_), _) | (None, None) => {
                    let line = Quoted::from(line);
                    let wrong = || format!("{line} is no mark of this board");
                    board.wrong.get_or_insert_with(wrong);
                }
            }
            return Ok(Go::On);
        }
        let Some(board) = self.board.take() else {
            return Ok(Go::On);
        };
        if let Some(reason) = board.wrong {
            return self.refuse(&reason);
        }
        self.sheet.set_up(board.marks, board.play_in);
        self.think()
    }

    fn learn(&mut self, rest: &str) -> io::Result<Go> {
        let key = first_word(rest);
        let value = rest[key.len()..].trim();
        let number: Option<i64> = value.parse().ok();
        match (key.to_ascii_lowercase().as_str(), number) {
            ("variant", _) if self.thinking.is_none() => {
                self.forget();
                if let Err(reason) = self.sheet.name(value) {
                    return self.refuse(&reason);
                }
            }
            ("rule", Some(rule)) if self.thinking.is_none() => {
                self.forget();
                self.sheet.set_rule(rule);
            }
            (key, Some(number)) => {
                self.pace.set(key, number);
                self.make_room();
            }
            // Whatever else there is to know: what is not known is not answered.
            (_, None) => {}
        }
        Ok(Go::On)
    }

    fn think(&mut self) -> io::Result<Go> {
        match self.sheet.game() {
            Ok(game) => self.think_about(game),
            Err(reason) => self.refuse(&reason),
        }
    }

    /// Begins to think; the answer comes back as an event.
    fn think_about(&mut self, game: Game) -> io::Result<Go> {
        let started = Instant::now();
        let allowance = self.pace.allowance();
        let is_timed = self.pace.is_timed() || (self.strategy.is_none() && !self.has_limits());
        let mut mind = match self.mind(&game, is_timed.then_some(allowance)) {
            Ok(mind) => mind,
            Err(reason) => return self.refuse(&reason),
        };
        let stop = Stop::new();
        self.thinking = Some(Thinking {
            stop: stop.clone(),
            until: is_timed.then(|| started + allowance.most),
            game: game.clone(),
        });
        let events = self.sender.clone();
        thread::spawn(move || {
            let thinker = std::panic::AssertUnwindSafe(&mut mind);
            // A strategy that fails must not leave a manager waiting.
            let decision = std::panic::catch_unwind(move || {
                let thinker = thinker;
                thinker.0.choose(&game, &stop)
            });
            let _ = events.send(Event::Thought(mind, decision.ok()));
        });
        Ok(Go::On)
    }

    fn has_limits(&self) -> bool {
        self.pace.nodes().is_some() || self.pace.depth().is_some()
    }

    /// Who thinks next: the one who thought before, unless other limits make another of it.
    fn mind(&mut self, game: &Game, time: Option<Allowance>) -> Result<Mind, String> {
        if let Some(name) = self.strategy {
            if let Some(mind @ Mind::Named(_)) = self.mind.take() {
                return Ok(mind);
            }
            let setup = Setup {
                seed: self.seeds.draw(),
                clock: Arc::clone(&self.outside.clock),
            };
            let strategy = name.build(game, &setup);
            return strategy.map(Mind::Named).map_err(|unfit| unfit.to_string());
        }
        Ok(Mind::Search {
            search: self.search(time.map(|time| time.most)),
            usual: time.and_then(|time| time.usual),
        })
    }

    /// A search as the manager wants it: the one from before, if it has the room that it should have.
    fn search(&mut self, time: Option<Duration>) -> Box<Deepening> {
        let memory = self.pace.memory();
        let limits = Limits {
            depth: self.pace.depth(),
            nodes: self.pace.nodes(),
            time,
        };
        let before = match self.mind.take() {
            Some(Mind::Search { search, .. }) => Some(search),
            Some(Mind::Named(_)) | None => None,
        };
        let before = before.filter(|search| search.is_as_large(&limits, memory));
        let mut search = before.unwrap_or_else(|| {
            let clock = Arc::clone(&self.outside.clock);
            Box::new(Deepening::in_memory(limits, memory, clock))
        });
        search.set_limits(limits);
        search.set_threads(self.pace.threads());
        search
    }

    /// Forgets the last game, for another one.
    fn prepare(&mut self) -> io::Result<Go> {
        self.forget();
        self.make_room();
        self.say("OK")
    }

    /// Makes as much room for what is found in a game as the manager allows, if it has said how much: that may
    /// take longer than a short thought, and nobody's clock runs now.
    fn make_room(&mut self) {
        let is_search = self.thinking.is_none() && self.strategy.is_none();
        if is_search && self.sheet.variant().is_ok() && self.pace.has_heard_of_memory() {
            self.mind = Some(Mind::Search {
                search: self.search(None),
                usual: None,
            });
        }
    }

    /// Forgets the last game.
    fn forget(&mut self) {
        self.mind = match self.mind.take() {
            Some(Mind::Search { mut search, usual }) => {
                search.forget();
                Some(Mind::Search { search, usual })
            }
            Some(Mind::Named(_)) | None => None,
        };
    }

    fn answer(&mut self, mind: Mind, decision: Option<Decision>) -> io::Result<Go> {
        let Some(thinking) = self.thinking.take() else {
            return Ok(Go::On);
        };
        let Some(decision) = decision else {
            return self.refuse("the strategy failed and gave no move");
        };
        self.mind = Some(mind);
        self.sheet.push(decision.at, 1);
        if let Some(analysis) = &decision.analysis {
            self.say(&format!(
                "MESSAGE depth {} nodes {} value {}",
                analysis.depth, analysis.nodes, analysis.value
            ))?;
        }
        let variant = *thinking.game.variant();
        self.say(&protocol::format_move(&variant, decision.at))
    }

    fn refuse(&mut self, reason: &str) -> io::Result<Go> {
        self.say(&format!("ERROR {reason}"))
    }

    fn say(&mut self, line: &str) -> io::Result<Go> {
        writeln!(self.output, "{line}")?;
        self.output.flush()?;
        Ok(Go::On)
    }
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

fn about() -> String {
    format!(
        "name=\"Noughts\", version=\"{}\", author=\"the authors of Noughts\", country=\"\"",
        env!("CARGO_PKG_VERSION")
    )
}
