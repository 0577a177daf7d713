//! The engine side of the protocol: a Gomocup manager sends commands, and this program answers with moves.
//!
//! One thread reads lines, and another thread searches. The session handles the events of both threads in the
//! order of arrival, so the session can receive commands during a search.

mod position;
mod time_management;

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use noughts_engine::{
    Decision, EngineSetup, IterativeDeepening, Limits, Random, Stop, Strategy, StrategyName,
};
use noughts_process::{Line, read_lines};
use noughts_rules::{Game, Move, PlayIn, Quoted, Variant};

use self::position::{Position, read_play_in};
use self::time_management::{MoveTime, SearchLimits};
use crate::protocol;

/// Maximum number of events that wait for the session.
const MAX_PENDING_EVENTS: usize = 64;

/// Maximum size of the commands that wait for the end of a search, in bytes. Each line counts as at least 64 bytes, so
/// about 31 000 lines of `BOARD` commands can wait.
const MAX_QUEUED_BYTES: usize = 2_000_000;

/// Runs the engine until `END` or the end of input. If `strategy` is `None`, an iterative-deepening search
/// chooses the moves within the manager's limits.
///
/// A separate thread reads `input`. This thread may still wait for a line after the function has returned.
pub fn serve(
    strategy: Option<&StrategyName>,
    setup: &EngineSetup,
    input: impl BufRead + Send + 'static,
    output: impl Write,
) -> io::Result<()> {
    let (sender, events) = sync_channel(MAX_PENDING_EVENTS);
    let reader = sender.clone();
    thread::spawn(move || read_all(input, &reader));
    let session = Session {
        strategy,
        setup,
        seeds: Random::new(setup.seed),
        position: Position::default(),
        limits: SearchLimits::default(),
        board: None,
        player: None,
        thinking: None,
        queue: VecDeque::new(),
        queued_bytes: 0,
        input_ended: false,
        sender,
        output,
    };
    session.run(&events)
}

/// An event of the session.
enum Event {
    Line(Line),
    InputEnded,
    /// The end of a search. `None` means that the strategy panicked.
    Chosen(Player, Option<Decision>),
}

fn read_all(input: impl BufRead, events: &SyncSender<Event>) {
    let _ = read_lines(input, protocol::MAX_LINE, |line| {
        events.send(Event::Line(line)).is_ok()
    });
    let _ = events.send(Event::InputEnded);
}

/// Chooses the moves of this engine. A player keeps its state from move to move.
enum Player {
    /// The strategy from the command line.
    Strategy(Box<dyn Strategy>),
    /// A search with the manager's limits.
    Search {
        search: Box<IterativeDeepening>,
        /// How long the next move should usually take. `None` if the whole game has no time limit.
        target: Option<Duration>,
    },
}

impl Player {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision {
        match self {
            Player::Strategy(strategy) => strategy.choose(game, stop),
            Player::Search { search, target } => {
                let analysis = search.find_move(game, *target, stop);
                Decision {
                    at: analysis.line[0],
                    analysis: Some(analysis),
                }
            }
        }
    }
}

/// A running search.
struct Thinking {
    stop: Stop,
    /// The time at which the search must stop.
    deadline: Option<Instant>,
    variant: Variant,
}

/// The lines of a `BOARD` command that were read so far.
struct BoardCommand {
    marks: Vec<(Move, u8)>,
    play_in: Option<PlayIn>,
    /// The error in the first invalid line.
    error: Option<String>,
}

struct Session<'a, W> {
    strategy: Option<&'a StrategyName>,
    setup: &'a EngineSetup,
    seeds: Random,
    position: Position,
    limits: SearchLimits,
    board: Option<BoardCommand>,
    player: Option<Player>,
    thinking: Option<Thinking>,
    /// Commands that wait for the end of the search.
    queue: VecDeque<String>,
    queued_bytes: usize,
    input_ended: bool,
    sender: SyncSender<Event>,
    output: W,
}

/// Whether the session continues.
#[derive(PartialEq, Eq)]
enum Flow {
    Continue,
    End,
}

impl<W: Write> Session<'_, W> {
    fn run(mut self, events: &Receiver<Event>) -> io::Result<()> {
        loop {
            while self.thinking.is_none() {
                let Some(line) = self.queue.pop_front() else {
                    break;
                };
                self.queued_bytes -= queued_size(&line);
                if self.execute(&line)? == Flow::End {
                    return Ok(());
                }
            }
            if self.input_ended && self.thinking.is_none() {
                return Ok(());
            }
            let Some(event) = self.next_event(events) else {
                return Ok(());
            };
            let flow = match event {
                Event::Line(Line::TooLong) => self.say("ERROR this line is too long"),
                Event::Line(Line::Text(line)) => self.receive(line),
                Event::InputEnded => {
                    self.input_ended = true;
                    Ok(Flow::Continue)
                }
                Event::Chosen(player, decision) => self.answer(player, decision),
            };
            if flow? == Flow::End {
                return Ok(());
            }
        }
    }

    /// Waits for the next event. At the deadline of the search, stops the search and continues to wait.
    /// Returns `None` if no further events can arrive.
    fn next_event(&mut self, events: &Receiver<Event>) -> Option<Event> {
        let deadline = self
            .thinking
            .as_ref()
            .and_then(|thinking| thinking.deadline);
        let Some(deadline) = deadline else {
            return events.recv().ok();
        };
        match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
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
            thinking.deadline = None;
        }
    }

    /// Executes or queues a command.
    fn receive(&mut self, line: String) -> io::Result<Flow> {
        if self.thinking.is_none() {
            return self.execute(&line);
        }
        let word = first_word(&line).to_ascii_uppercase();
        match word.as_str() {
            "YXSTOP" | "STOP" => {
                self.stop_thinking();
                Ok(Flow::Continue)
            }
            "INFO" | "ABOUT" => self.execute(&line),
            "END" if self.queue.is_empty() => {
                // A running search still answers with its best move so far, because a script may want this answer.
                self.stop_thinking();
                self.enqueue(line);
                Ok(Flow::Continue)
            }
            _ if self.queued_bytes + queued_size(&line) > MAX_QUEUED_BYTES => {
                self.say("ERROR too many commands during the search")
            }
            _ => {
                self.enqueue(line);
                Ok(Flow::Continue)
            }
        }
    }

    fn enqueue(&mut self, line: String) {
        self.queued_bytes += queued_size(&line);
        self.queue.push_back(line);
    }

    fn execute(&mut self, line: &str) -> io::Result<Flow> {
        let line = line.trim();
        if self.board.is_some() {
            return self.read_board_line(line);
        }
        let word = first_word(line);
        let rest = line[word.len()..].trim();
        match word.to_ascii_uppercase().as_str() {
            "" => Ok(Flow::Continue),
            "START" => {
                let size = rest.parse().ok();
                self.start(size.map(|size| (size, size)), "START 15")
            }
            "RECTSTART" => self.start(protocol::pair(rest), "RECTSTART 20,15"),
            "RESTART" => match self.position.variant() {
                Ok(_) => {
                    self.position.clear();
                    self.prepare()
                }
                Err(reason) => self.refuse(&reason),
            },
            "BEGIN" if self.position.is_empty() => self.think(),
            "BEGIN" => self.refuse("the board is not empty: RESTART clears it"),
            "TURN" => self.turn(rest),
            "BOARD" => match self.position.variant() {
                Ok(_) => {
                    self.board = Some(BoardCommand {
                        marks: Vec::new(),
                        play_in: None,
                        error: None,
                    });
                    Ok(Flow::Continue)
                }
                Err(reason) => self.refuse(&reason),
            },
            "TAKEBACK" => self.take_back(rest),
            "INFO" => self.info(rest),
            "ABOUT" => self.say(&about()),
            // No search is running, so there is nothing to stop.
            "YXSTOP" | "STOP" => Ok(Flow::Continue),
            "END" => Ok(Flow::End),
            _ => self.say(&format!("UNKNOWN command {}", Quoted::from(word))),
        }
    }

    fn start(&mut self, size: Option<(usize, usize)>, example: &str) -> io::Result<Flow> {
        let Some((columns, rows)) = size else {
            return self.refuse(&format!("it is written {example}"));
        };
        match self.position.start(columns, rows) {
            Ok(()) => self.prepare(),
            Err(reason) => self.refuse(&reason),
        }
    }

    fn turn(&mut self, text: &str) -> io::Result<Flow> {
        let variant = match self.position.variant() {
            Ok(variant) if variant.sides() == 2 => variant,
            Ok(_) => return self.refuse("with more than two sides every turn is a BOARD"),
            Err(reason) => return self.refuse(&reason),
        };
        let Some(at) = protocol::read_move(&variant, text) else {
            return self.refuse(&format!("{} is no move", Quoted::from(text)));
        };
        self.position.push(at, 2);
        match self.position.game() {
            Ok(game) => self.think_about(game),
            Err(reason) => {
                let _ = self.position.take_back(at);
                self.refuse(&reason)
            }
        }
    }

    fn take_back(&mut self, text: &str) -> io::Result<Flow> {
        let taken = self.position.variant().and_then(|variant| {
            let at = protocol::read_move(&variant, text);
            let at = at.ok_or_else(|| format!("{} is no move", Quoted::from(text)))?;
            self.position.take_back(at)
        });
        match taken {
            Ok(()) => self.say("OK"),
            Err(reason) => self.refuse(&reason),
        }
    }

    /// Handles a line between `BOARD` and `DONE`.
    fn read_board_line(&mut self, line: &str) -> io::Result<Flow> {
        let (Some(board), Ok(variant)) = (&mut self.board, self.position.variant()) else {
            self.board = None;
            return Ok(Flow::Continue);
        };
        if line.eq_ignore_ascii_case("END") {
            return Ok(Flow::End);
        }
        if !line.eq_ignore_ascii_case("DONE") {
            match (protocol::read_mark(&variant, line), read_play_in(line)) {
                (Some(mark), _) if board.marks.len() < variant.cells() => board.marks.push(mark),
                (None, Some(play_in)) => board.play_in = Some(play_in),
                (Some(_), _) | (None, None) => {
                    let line = Quoted::from(line);
                    let error = || format!("{line} is not a mark on this board");
                    board.error.get_or_insert_with(error);
                }
            }
            return Ok(Flow::Continue);
        }
        let Some(board) = self.board.take() else {
            return Ok(Flow::Continue);
        };
        if let Some(reason) = board.error {
            return self.refuse(&reason);
        }
        let before = self.position.clone();
        self.position.set_up(board.marks, board.play_in);
        match self.position.game() {
            Ok(game) => self.think_about(game),
            Err(reason) => {
                self.position = before;
                self.refuse(&reason)
            }
        }
    }

    fn info(&mut self, rest: &str) -> io::Result<Flow> {
        let key = first_word(rest);
        let value = rest[key.len()..].trim();
        let number: Option<i64> = value.parse().ok();
        match (key.to_ascii_lowercase().as_str(), number) {
            ("variant", _) if self.thinking.is_none() => {
                if let Err(reason) = self.position.set_variant(value) {
                    return self.refuse(&reason);
                }
                self.forget();
            }
            ("rule", Some(rule)) if self.thinking.is_none() => {
                self.forget();
                self.position.set_rule(rule);
            }
            (key, Some(number)) => {
                self.limits.set(key, number);
                self.allocate();
            }
            // The protocol requires engines to ignore unknown keys.
            (_, None) => {}
        }
        Ok(Flow::Continue)
    }

    fn think(&mut self) -> io::Result<Flow> {
        match self.position.game() {
            Ok(game) => self.think_about(game),
            Err(reason) => self.refuse(&reason),
        }
    }

    /// Starts a search, which ends with [`Event::Chosen`].
    fn think_about(&mut self, game: Game) -> io::Result<Flow> {
        let started = Instant::now();
        let time = self.limits.move_time();
        let is_timed = self.limits.is_timed() || (self.strategy.is_none() && !self.has_limits());
        let mut player = match self.take_player(&game, is_timed.then_some(time)) {
            Ok(player) => player,
            Err(reason) => return self.refuse(&reason),
        };
        let stop = Stop::new();
        self.thinking = Some(Thinking {
            stop: stop.clone(),
            deadline: is_timed.then(|| started + time.maximum),
            variant: *game.variant(),
        });
        let events = self.sender.clone();
        thread::spawn(move || {
            let thinker = std::panic::AssertUnwindSafe(&mut player);
            // If the strategy panics, the manager gets an error.
            let decision = std::panic::catch_unwind(move || {
                let thinker = thinker;
                thinker.0.choose(&game, &stop)
            });
            let _ = events.send(Event::Chosen(player, decision.ok()));
        });
        Ok(Flow::Continue)
    }

    fn has_limits(&self) -> bool {
        self.limits.nodes().is_some() || self.limits.depth().is_some()
    }

    /// Returns the player that chose the previous move, or creates a player.
    fn take_player(&mut self, game: &Game, time: Option<MoveTime>) -> Result<Player, String> {
        if let Some(name) = self.strategy {
            if let Some(player @ Player::Strategy(_)) = self.player.take() {
                return Ok(player);
            }
            let setup = EngineSetup {
                seed: self.seeds.draw(),
                clock: Arc::clone(&self.setup.clock),
            };
            let strategy = name.build(game, &setup);
            return strategy
                .map(Player::Strategy)
                .map_err(|error| error.to_string());
        }
        Ok(Player::Search {
            search: self.search(time.map(|time| time.maximum)),
            target: time.and_then(|time| time.target),
        })
    }

    /// Returns the search that chose the previous move, if its transposition table has the right size for the
    /// limits. Otherwise creates a search.
    fn search(&mut self, time: Option<Duration>) -> Box<IterativeDeepening> {
        let memory = self.limits.memory();
        let limits = Limits {
            depth: self.limits.depth(),
            nodes: self.limits.nodes(),
            time,
        };
        let before = match self.player.take() {
            Some(Player::Search { search, .. }) => Some(search),
            Some(Player::Strategy(_)) | None => None,
        };
        let before = before.filter(|search| search.has_size_for(&limits, memory));
        let mut search = before.unwrap_or_else(|| {
            let clock = Arc::clone(&self.setup.clock);
            Box::new(IterativeDeepening::with_memory(limits, memory, clock))
        });
        search.set_limits(limits);
        search.set_threads(self.limits.threads());
        search
    }

    /// Prepares for a new game and answers `OK`.
    fn prepare(&mut self) -> io::Result<Flow> {
        self.forget();
        self.allocate();
        self.say("OK")
    }

    /// Allocates the transposition table before the clock runs, if the manager has sent `max_memory`. Allocation may
    /// take longer than a short search.
    fn allocate(&mut self) {
        let is_search = self.thinking.is_none() && self.strategy.is_none();
        if is_search && self.position.variant().is_ok() && self.limits.has_memory_limit() {
            self.player = Some(Player::Search {
                search: self.search(None),
                target: None,
            });
        }
    }

    /// Drops the state of the last game. The memory of the transposition table stays allocated.
    fn forget(&mut self) {
        self.player = match self.player.take() {
            Some(Player::Search { mut search, target }) => {
                search.clear();
                Some(Player::Search { search, target })
            }
            Some(Player::Strategy(_)) | None => None,
        };
    }

    fn answer(&mut self, player: Player, decision: Option<Decision>) -> io::Result<Flow> {
        let Some(thinking) = self.thinking.take() else {
            return Ok(Flow::Continue);
        };
        let Some(decision) = decision else {
            return self.refuse("the strategy failed and gave no move");
        };
        self.player = Some(player);
        self.position.push(decision.at, 1);
        if let Some(analysis) = &decision.analysis {
            self.say(&format!(
                "MESSAGE depth {} nodes {} value {}",
                analysis.depth, analysis.nodes, analysis.value
            ))?;
        }
        self.say(&protocol::format_move(&thinking.variant, decision.at))
    }

    fn refuse(&mut self, reason: &str) -> io::Result<Flow> {
        self.say(&format!("ERROR {reason}"))
    }

    fn say(&mut self, line: &str) -> io::Result<Flow> {
        writeln!(self.output, "{line}")?;
        self.output.flush()?;
        Ok(Flow::Continue)
    }
}

/// Returns how many bytes a line counts against [`MAX_QUEUED_BYTES`]. A line counts at least 64 bytes,
/// because short lines also take memory.
fn queued_size(line: &str) -> usize {
    line.len().max(64)
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
