//! Game records: games as text. docs/notation.md describes the format.

mod offers;
mod result;

use std::fmt;
use std::str::FromStr;

use crate::clock_settings::{ClockError, ClockSettings};
use crate::diagram::{Diagram, DiagramError};
use crate::game::{Action, Game, GameError, Options, Refusal, Seat};
use crate::notation::{PlaceError, number};
use crate::quote::Quoted;
use crate::side::{MAX_SIDES, Side};
use crate::variant::Variant;
use crate::variant_name::VariantError;

pub use offers::{MAX_RECORDED_OFFERS, OfferEvent, OfferKind, OfferStep};
use offers::{check_offers, read_offer};
use result::{is_in_version_1, read_result, write_result};

/// Maximum length of a name in characters.
const MAX_NAME_CHARS: usize = 255;

const MAX_SEATS: usize = MAX_SIDES as usize;

/// Maximum time of one turn in milliseconds, about 31 years.
const MAX_USED_MS: u64 = 1_000_000_000_000;

/// The number of the line `history …` in a record. If there is a start position, it is on the next line.
const HISTORY_LINE: usize = 3;

/// A game with the players of its seats. Parsing a record replays the game, so every turn of a record is legal.
///
/// ```
/// use noughts_rules::Record;
///
/// let text = "\
/// noughts 1
/// variant 3x3k3
/// history 3
/// seat 0 x human Ann
/// seat 1 o robot perfect
/// 1 0 0-0
/// 2 1 1-2
/// 3 0 2-0
/// 4 1 <<2
/// result unfinished
/// ";
/// let record: Record = text.parse()?;
/// assert_eq!(record.game().plays().len(), 1);
/// assert_eq!(record.to_string(), text);
/// # Ok::<(), noughts_rules::RecordError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Record {
    seats: Vec<RecordSeat>,
    game: Game,
    clock: Option<ClockSettings>,
    /// The time that each turn took, in milliseconds. Empty in a game without a clock.
    used_ms: Vec<u64>,
    offers: Vec<OfferEvent>,
}

/// One seat of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordSeat {
    /// The symbol of the seat's marks. All seats of one side have the same symbol.
    pub symbol: char,
    /// The player.
    pub player: Player,
}

/// The player of a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Player {
    /// A human, or a program that is not a built-in strategy. The value is the player's name, which may be empty.
    Human(String),
    /// A robot. The value is the name of its strategy, such as `minimax:7`.
    Robot(String),
}

impl Record {
    /// A record of `game`. Fails if the seats do not match the game, or if a symbol or a name is invalid.
    pub fn new(game: Game, seats: Vec<RecordSeat>) -> Result<Record, RecordError> {
        let fail = |reason| Err(RecordError { line: None, reason });
        if seats.len() != game.order().len() {
            return fail(Reason::Seats);
        }
        if order_of(&seats) != game.order() {
            return fail(Reason::Symbols);
        }
        for seat in &seats {
            if let Err(reason) = seat.check() {
                return fail(reason);
            }
        }
        Ok(Record {
            seats,
            game,
            clock: None,
            used_ms: Vec::new(),
            offers: Vec::new(),
        })
    }

    /// Adds the clock of the game, and the milliseconds that each turn took. Fails if the number of times
    /// differs from the number of turns, or if a turn took longer than about 31 years.
    pub fn with_clock(
        mut self,
        clock: ClockSettings,
        used_ms: Vec<u64>,
    ) -> Result<Record, RecordError> {
        let fits = used_ms.len() == self.game.turns().len();
        if !fits || used_ms.iter().any(|ms| *ms > MAX_USED_MS) {
            let reason = Reason::Times;
            return Err(RecordError { line: None, reason });
        }
        (self.clock, self.used_ms) = (Some(clock), used_ms);
        Ok(self)
    }

    /// Adds the offers and the answers to them. Fails if there are more than [`MAX_RECORDED_OFFERS`], if they
    /// are not in the order of the turns, or if a turn or a seat does not exist.
    pub fn with_offers(mut self, offers: Vec<OfferEvent>) -> Result<Record, RecordError> {
        check_offers(&offers, self.game.turns().len(), self.seats.len())
            .map_err(|reason| RecordError { line: None, reason })?;
        self.offers = offers;
        Ok(self)
    }

    /// The clock of the game, if it had one.
    pub fn clock(&self) -> Option<ClockSettings> {
        self.clock
    }

    /// The milliseconds that each turn took. Empty in a game without a clock.
    pub fn used_ms(&self) -> &[u64] {
        &self.used_ms
    }

    /// The offers and the answers to them, in order.
    pub fn offers(&self) -> &[OfferEvent] {
        &self.offers
    }

    /// The lowest version of the record format that can express this record: 1 or 2.
    fn version(&self) -> u8 {
        let is_takeback = |turn: &crate::Turn| matches!(turn.action, Action::Takeback(_));
        let is_plain = self.clock.is_none()
            && self.offers.is_empty()
            && is_in_version_1(self.game.conclusion())
            && !self.game.turns().iter().any(is_takeback);
        if is_plain { 1 } else { 2 }
    }

    /// The game after its last turn.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The seats, in turn order.
    pub fn seats(&self) -> &[RecordSeat] {
        &self.seats
    }
}

/// Parses and replays a record. Lines may end with `\r\n`; the last line may have no line break. Blank lines may follow
/// the record, because they separate the records of a file.
impl FromStr for Record {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Record, RecordError> {
        let mut lines = Lines {
            text: text.lines(),
            number: 0,
        };
        let version = lines.version()?;
        let variant = lines.field("variant", "variant NAME")?;
        let variant: Variant = variant
            .parse()
            .map_err(|e| lines.fail(Reason::Variant(e)))?;
        let history = lines.field("history", "history NUMBER")?;
        let history =
            number(history).ok_or_else(|| lines.fail(Reason::History(Quoted::from(history))))?;
        let history = u16::try_from(history).unwrap_or(u16::MAX);
        let mut line = lines.next()?;
        let mut start = None;
        if let Some(position) = line.strip_prefix("start ") {
            let read = Diagram::parse(&variant, position);
            start = Some(read.map_err(|e| lines.fail(Reason::Position(e)))?);
            line = lines.next()?;
        }
        let mut clock = None;
        if let Some(text) = line.strip_prefix("clock ") {
            let read: Result<ClockSettings, ClockError> = text.parse();
            clock = Some(read.map_err(|e| lines.fail(Reason::Clock(e)))?);
            line = lines.next()?;
        }
        let mut seats = Vec::new();
        while line.starts_with("seat ") {
            let seat = RecordSeat::read(seats.len(), line).map_err(|reason| lines.fail(reason))?;
            seats.push(seat);
            if seats.len() > MAX_SEATS {
                return Err(lines.fail(Reason::Game(GameError::Seats(seats.len()))));
            }
            line = lines.next()?;
        }
        let options = Options {
            history,
            order: order_of(&seats),
        };
        let made = match (seats.len(), start) {
            (0 | 1, _) => return Err(lines.fail(Reason::Game(GameError::Seats(seats.len())))),
            (_, None) => Game::new(&variant, options),
            (_, Some(start)) => Game::from_diagram(&variant, options, start),
        };
        let mut game = made.map_err(|error| RecordError {
            line: Some(match error {
                GameError::History { .. } => HISTORY_LINE,
                GameError::Position(_) | GameError::NobodyToMove(_) => HISTORY_LINE + 1,
                // Report these errors with the line of the last seat.
                GameError::Seats(_) | GameError::Sides { .. } | GameError::Order => {
                    lines.number - 1
                }
            }),
            reason: Reason::Game(error),
        })?;
        let (mut used_ms, mut offers) = (Vec::new(), Vec::new());
        while !line.starts_with("result ") {
            match read_offer(line, game.turns().len(), seats.len()) {
                Some(_) if offers.len() == MAX_RECORDED_OFFERS => {
                    return Err(lines.fail(Reason::TooManyOffers));
                }
                Some(offer) => offers.push(offer.map_err(|reason| lines.fail(reason))?),
                None => {
                    let used = replay(&mut game, line, clock.is_some());
                    used_ms.extend(used.map_err(|reason| lines.fail(reason))?);
                }
            }
            line = lines.next()?;
        }
        read_result(&mut game, &seats, clock.is_some(), line)
            .map_err(|reason| lines.fail(reason))?;
        while let Some(surplus) = lines.text.next() {
            lines.number += 1;
            if !surplus.is_empty() {
                return Err(lines.fail(Reason::Surplus(Quoted::from(surplus))));
            }
        }
        let record = Record {
            seats,
            game,
            clock,
            used_ms,
            offers,
        };
        if record.version() > version {
            lines.number = 1;
            return Err(lines.fail(Reason::Version));
        }
        Ok(record)
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let game = &self.game;
        writeln!(
            f,
            "noughts {}\nvariant {}\nhistory {}",
            self.version(),
            game.variant(),
            game.history()
        )?;
        if let Some(start) = game.start() {
            writeln!(f, "start {}", start.format(game.variant()))?;
        }
        if let Some(clock) = self.clock {
            writeln!(f, "clock {clock}")?;
        }
        for (number, seat) in self.seats.iter().enumerate() {
            writeln!(f, "seat {number} {seat}")?;
        }
        let mut offers = self.offers.iter().peekable();
        for (number, turn) in game.turns().iter().enumerate() {
            while let Some(offer) = offers.next_if(|offer| offer.after_turns <= number) {
                writeln!(f, "{offer}")?;
            }
            let action = game.format_action(turn.action);
            write!(f, "{} {} {action}", number + 1, turn.by.0)?;
            match self.used_ms.get(number) {
                Some(ms) => writeln!(f, " {ms}ms")?,
                None => writeln!(f)?,
            }
        }
        for offer in offers {
            writeln!(f, "{offer}")?;
        }
        writeln!(
            f,
            "result {}",
            write_result(game.conclusion(), game.order(), &self.seats)
        )
    }
}

impl fmt::Display for RecordSeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.player {
            Player::Human(name) if name.is_empty() => write!(f, "{} human", self.symbol),
            Player::Human(name) => write!(f, "{} human {name}", self.symbol),
            Player::Robot(strategy) => write!(f, "{} robot {strategy}", self.symbol),
        }
    }
}

impl RecordSeat {
    /// Parses a line such as `seat 0 x human Ann`.
    fn read(number: usize, line: &str) -> Result<RecordSeat, Reason> {
        let words = || {
            let rest = line.strip_prefix(&format!("seat {number} "))?;
            let symbol = rest.chars().next()?;
            let rest = rest[symbol.len_utf8()..].strip_prefix(' ')?;
            let (kind, name) = rest.split_once(' ').unwrap_or((rest, ""));
            let player = match kind {
                "human" => Player::Human(name.to_owned()),
                "robot" => Player::Robot(name.to_owned()),
                _ => return None,
            };
            Some(RecordSeat { symbol, player })
        };
        let seat = words().ok_or_else(|| Reason::Seat {
            number,
            text: Quoted::from(line),
        })?;
        seat.check()?;
        Ok(seat)
    }

    fn check(&self) -> Result<(), Reason> {
        if !is_visible(self.symbol) {
            return Err(Reason::Symbols);
        }
        let name = match &self.player {
            Player::Human(name) => name,
            Player::Robot(strategy) if strategy.is_empty() => return Err(Reason::Name),
            // The text after `engine:` is a command. Records come from untrusted sources, so a command in a record must
            // never be run.
            Player::Robot(strategy) if strategy.starts_with("engine:") => {
                return Err(Reason::Command);
            }
            Player::Robot(strategy) => strategy,
        };
        let clean = name.trim() == name && !name.chars().any(char::is_control);
        if clean && name.chars().count() <= MAX_NAME_CHARS {
            Ok(())
        } else {
            Err(Reason::Name)
        }
    }
}

/// Whether a character is visible on its own. `escape_debug` escapes combining characters and all characters that are
/// not printable. It also escapes quotes and backslashes, which are visible.
fn is_visible(symbol: char) -> bool {
    let plain = symbol.escape_debug().len() == 1 || matches!(symbol, '\'' | '"' | '\\');
    plain && !symbol.is_whitespace()
}

/// The side of each seat. Seats with equal symbols belong to one side; sides are numbered in the order of their first
/// seats.
fn order_of(seats: &[RecordSeat]) -> Vec<Side> {
    let mut symbols = Vec::new();
    let mut side = |symbol: char| {
        let known = symbols
            .iter()
            .position(|s| *s == symbol)
            .unwrap_or_else(|| {
                symbols.push(symbol);
                symbols.len() - 1
            });
        u8::try_from(known).ok().and_then(Side::new)
    };
    seats.iter().filter_map(|seat| side(seat.symbol)).collect()
}

/// Parses and plays a turn such as `3 0 2-0`: turn number, seat, action. With a clock, the used time follows, as in
/// `3 0 2-0 1500ms`. Returns this time in milliseconds.
fn replay(game: &mut Game, line: &str, has_clock: bool) -> Result<Option<u64>, Reason> {
    let next = game.turns().len() + 1;
    let words = || {
        let rest = line.strip_prefix(&format!("{next} "))?;
        let (seat, action) = rest.split_once(' ')?;
        let seat = u8::try_from(number(seat)?).unwrap_or(u8::MAX);
        let (action, used_ms) = match has_clock {
            false => (action, None),
            true => {
                let (action, used) = action.rsplit_once(' ')?;
                let ms = number(used.strip_suffix("ms")?)? as u64;
                (action, Some(Some(ms).filter(|ms| *ms <= MAX_USED_MS)?))
            }
        };
        Some((Seat(seat), action, used_ms))
    };
    let (seat, action, used_ms) = words().ok_or_else(|| Reason::Turn {
        next,
        has_clock,
        text: Quoted::from(line),
    })?;
    let takeback = action.strip_prefix("takeback ").and_then(number);
    let action = match takeback {
        Some(count) => Action::Takeback(u16::try_from(count).unwrap_or(u16::MAX)),
        None => game.parse_action(action).map_err(Reason::Place)?,
    };
    game.act(seat, action).map_err(Reason::Refused)?;
    Ok(used_ms)
}

/// The lines of a text, and the number of the current line.
struct Lines<'t> {
    text: std::str::Lines<'t>,
    number: usize,
}

impl<'t> Lines<'t> {
    fn next(&mut self) -> Result<&'t str, RecordError> {
        self.number += 1;
        self.text.next().ok_or_else(|| self.fail(Reason::Ends))
    }

    fn version(&mut self) -> Result<u8, RecordError> {
        match self.next()? {
            "noughts 1" => Ok(1),
            "noughts 2" => Ok(2),
            line => Err(self.fail(Reason::Expected {
                words: "noughts 1' or 'noughts 2",
                text: Quoted::from(line),
            })),
        }
    }

    fn field(&mut self, name: &str, words: &'static str) -> Result<&'t str, RecordError> {
        let line = self.next()?;
        let value = line
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix(' '));
        value.ok_or_else(|| {
            self.fail(Reason::Expected {
                words,
                text: Quoted::from(line),
            })
        })
    }

    fn fail(&self, reason: Reason) -> RecordError {
        RecordError {
            line: Some(self.number),
            reason,
        }
    }
}

/// Why a record is not valid. If a text was parsed, the error message begins with the number of the wrong
/// line. The error message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordError {
    line: Option<usize>,
    reason: Reason,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Reason {
    Ends,
    Expected {
        words: &'static str,
        text: Quoted,
    },
    Variant(VariantError),
    History(Quoted),
    Clock(ClockError),
    Version,
    Times,
    Offer {
        step: &'static str,
        text: Quoted,
    },
    TooManyOffers,
    OffersOutOfOrder,
    Position(DiagramError),
    Seat {
        number: usize,
        text: Quoted,
    },
    Seats,
    Symbols,
    Name,
    Command,
    Game(GameError),
    Turn {
        next: usize,
        has_clock: bool,
        text: Quoted,
    },
    Place(PlaceError),
    Refused(Refusal),
    Result {
        is: String,
    },
    Surplus(Quoted),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line} of the record: ")?;
        }
        match &self.reason {
            Reason::Ends => f.write_str("the record ends here, before its line 'result …'"),
            Reason::Expected { words, text } => {
                write!(f, "this line must be '{words}', not {text}")
            }
            Reason::Variant(error) => error.fmt(f),
            Reason::History(text) => {
                write!(f, "the history is a number such as 0 or 3, not {text}")
            }
            Reason::Clock(error) => error.fmt(f),
            Reason::Version => f.write_str(
                "a record with a clock, offers, takebacks or a result by agreement, claim or time, or aborted, begins \
                 with 'noughts 2'",
            ),
            Reason::Times => write!(
                f,
                "every turn of a game with a clock has a time of at most {MAX_USED_MS} milliseconds"
            ),
            Reason::Offer { step, text } => {
                write!(f, "an offer is written '{step} SEAT draw' or '{step} SEAT takeback', with a seat of the game, not {text}")
            }
            Reason::TooManyOffers => {
                write!(f, "a record has at most {MAX_RECORDED_OFFERS} offers and answers")
            }
            Reason::OffersOutOfOrder => {
                f.write_str("offers come in the order of the turns, by seats of the game")
            }
            Reason::Position(error) => error.fmt(f),
            Reason::Seat { number, text } => write!(
                f,
                "a seat is written 'seat {number} x human NAME' or 'seat {number} x robot STRATEGY', not {text}"
            ),
            Reason::Seats => f.write_str("every seat of the game needs a line"),
            Reason::Symbols => f.write_str(
                "a symbol is one visible character, and every side has its own symbol",
            ),
            Reason::Name => write!(
                f,
                "a name has at most {MAX_NAME_CHARS} characters, no control characters and no space at its ends; the name of \
                 a robot is not empty"
            ),
            Reason::Command => f.write_str("a record can't name a command to run"),
            Reason::Game(error) => error.fmt(f),
            Reason::Turn {
                next,
                has_clock,
                text,
            } => {
                let time = if *has_clock { " TIMEms" } else { "" };
                write!(
                    f,
                    "a turn is written '{next} SEAT ACTION{time}', the result 'result …', not {text}"
                )
            }
            Reason::Place(error) => error.fmt(f),
            Reason::Refused(refusal) => refusal.fmt(f),
            Reason::Result { is } => write!(f, "the result of these turns is '{is}'"),
            Reason::Surplus(text) => write!(f, "nothing may follow the result, not {text}"),
        }
    }
}

impl std::error::Error for RecordError {}
