//! Games as text: see docs/notation.md.

use std::fmt;
use std::str::FromStr;

use crate::diagram::{Diagram, DiagramError};
use crate::game::{Conclusion, Game, GameError, Options, Refusal, Seat, WinReason};
use crate::notation::{PlaceError, number};
use crate::quote::Quoted;
use crate::side::{MAX_SIDES, Side, Sides};
use crate::variant::Variant;
use crate::variant_name::VariantError;

/// Maximum length of a name in characters.
const MAX_NAME_CHARS: usize = 255;

/// Maximum number of seats.
const MAX_SEATS: usize = MAX_SIDES as usize;

/// The line number of `history`; the start position is on the next line.
const HISTORY_LINE: usize = 3;

/// A game with the players of its seats. A parsed record has been replayed, so it is legal.
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
}

/// One seat of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordSeat {
    /// The symbol of its marks; the seats of one side share it.
    pub symbol: char,
    /// The player.
    pub player: Player,
}

/// The player of a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Player {
    /// A human or a remote program, by name; the name may be empty.
    Human(String),
    /// A robot, by the text of its strategy.
    Robot(String),
}

impl Record {
    /// A record of this game. Fails if the seats do not match the game, or have an invalid name.
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
        Ok(Record { seats, game })
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

/// Parses and replays a record. Lines may end in `\r\n`; the last may have no end.
impl FromStr for Record {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Record, RecordError> {
        let mut lines = Lines {
            text: text.lines(),
            number: 0,
        };
        lines.exactly("noughts 1")?;
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
                // The line of the last seat.
                GameError::Seats(_) | GameError::Sides { .. } | GameError::Order => {
                    lines.number - 1
                }
            }),
            reason: Reason::Game(error),
        })?;
        while !line.starts_with("result ") {
            replay(&mut game, line).map_err(|reason| lines.fail(reason))?;
            line = lines.next()?;
        }
        read_result(&mut game, &seats, line).map_err(|reason| lines.fail(reason))?;
        match lines.text.next() {
            Some(surplus) => {
                lines.number += 1;
                Err(lines.fail(Reason::Surplus(Quoted::from(surplus))))
            }
            None => Ok(Record { seats, game }),
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let game = &self.game;
        writeln!(
            f,
            "noughts 1\nvariant {}\nhistory {}",
            game.variant(),
            game.history()
        )?;
        if let Some(start) = game.start() {
            writeln!(f, "start {}", start.format(game.variant()))?;
        }
        for (number, seat) in self.seats.iter().enumerate() {
            writeln!(f, "seat {number} {seat}")?;
        }
        for (number, turn) in game.turns().iter().enumerate() {
            writeln!(
                f,
                "{} {} {}",
                number + 1,
                turn.by.0,
                game.format_action(turn.action)
            )?;
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
    /// `seat 0 x human Ann`.
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
            // Records come from untrusted sources: a command in one must never be run.
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

/// Whether a character is visible on its own. `escape_debug` escapes control, format and combining
/// characters, and besides these only quotes and backslashes.
fn is_visible(symbol: char) -> bool {
    let plain = symbol.escape_debug().len() == 1 || matches!(symbol, '\'' | '"' | '\\');
    plain && !symbol.is_whitespace()
}

/// The sides of the seats: equal symbols are one side, numbered in order of appearance.
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

/// Parses and plays `3 0 2-0`: turn number, seat, action.
fn replay(game: &mut Game, line: &str) -> Result<(), Reason> {
    let next = game.turns().len() + 1;
    let words = || {
        let rest = line.strip_prefix(&format!("{next} "))?;
        let (seat, action) = rest.split_once(' ')?;
        let seat = u8::try_from(number(seat)?).unwrap_or(u8::MAX);
        Some((Seat(seat), action))
    };
    let (seat, action) = words().ok_or_else(|| Reason::Turn {
        next,
        text: Quoted::from(line),
    })?;
    let action = game.parse_action(action).map_err(Reason::Place)?;
    game.act(seat, action).map_err(Reason::Refused)
}

fn write_result(conclusion: Option<&Conclusion>, order: &[Side], seats: &[RecordSeat]) -> String {
    let (sides, by) = match conclusion {
        None => return "unfinished".to_owned(),
        Some(Conclusion::Draw) => return "draw".to_owned(),
        Some(Conclusion::Abandoned) => return "abandoned".to_owned(),
        Some(Conclusion::Won { sides, by }) => (sides, by),
    };
    let by = match by {
        WinReason::Line(_) | WinReason::Boards(_) => "line",
        WinReason::Points => "points",
        WinReason::Resignation => "resignation",
        WinReason::Leaving => "leaving",
    };
    let symbol = |side| {
        let seat = order.iter().position(|s| *s == side);
        seat.map_or('?', |seat| seats[seat].symbol)
    };
    let symbols: Vec<String> = sides.iter().map(|side| symbol(side).to_string()).collect();
    format!("won {} by {by}", symbols.join(" "))
}

/// Checks the result, and applies one that is not due to a turn: leaving, abandoned, draw.
fn read_result(game: &mut Game, seats: &[RecordSeat], line: &str) -> Result<(), Reason> {
    let all: Sides = game.order().iter().copied().collect();
    let left = all.iter().map(|leaver| Conclusion::Won {
        sides: all.without(leaver),
        by: WinReason::Leaving,
    });
    let mut possible: Vec<Option<Conclusion>> = match game.conclusion() {
        Some(conclusion) => vec![Some(conclusion.clone())],
        None => vec![None, Some(Conclusion::Draw), Some(Conclusion::Abandoned)],
    };
    if game.conclusion().is_none() && all.len() > 1 {
        possible.extend(left.map(Some));
    }
    let write = |conclusion: Option<&Conclusion>| write_result(conclusion, game.order(), seats);
    let found = possible
        .iter()
        .find(|c| line.strip_prefix("result ") == Some(&write(c.as_ref())));
    let Some(found) = found else {
        return Err(Reason::Result {
            is: write(possible[0].as_ref()),
        });
    };
    match (game.conclusion(), found) {
        (None, Some(conclusion)) => {
            let conclusion = conclusion.clone();
            game.close(conclusion).map_err(Reason::Refused)
        }
        (Some(_), _) | (None, None) => Ok(()),
    }
}

/// The lines of a text, with the number of the current one.
struct Lines<'t> {
    text: std::str::Lines<'t>,
    number: usize,
}

impl<'t> Lines<'t> {
    fn next(&mut self) -> Result<&'t str, RecordError> {
        self.number += 1;
        self.text.next().ok_or_else(|| self.fail(Reason::Ends))
    }

    fn exactly(&mut self, words: &'static str) -> Result<(), RecordError> {
        let line = self.next()?;
        if line == words {
            return Ok(());
        }
        Err(self.fail(Reason::Expected {
            words,
            text: Quoted::from(line),
        }))
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

/// Why a text is not a record, and in which line. The message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordError {
    line: Option<usize>,
    reason: Reason,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Reason {
    Ends,
    Expected { words: &'static str, text: Quoted },
    Variant(VariantError),
    History(Quoted),
    Position(DiagramError),
    Seat { number: usize, text: Quoted },
    Seats,
    Symbols,
    Name,
    Command,
    Game(GameError),
    Turn { next: usize, text: Quoted },
    Place(PlaceError),
    Refused(Refusal),
    Result { is: String },
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
            Reason::Position(error) => error.fmt(f),
            Reason::Seat { number, text } => write!(
                f,
                "a seat is written 'seat {number} x human NAME' or 'seat {number} x robot STRATEGY', not {text}"
            ),
            Reason::Seats => f.write_str("every seat of the game needs a line"),
            Reason::Symbols => f.write_str(
                "seats of one side share a symbol, one visible character, and no others do",
            ),
            Reason::Name => write!(
                f,
                "a name has at most {MAX_NAME_CHARS} characters, none of them control characters, no space at its ends, \
                 and a robot's is not empty"
            ),
            Reason::Command => f.write_str("a record can't name a command to run"),
            Reason::Game(error) => error.fmt(f),
            Reason::Turn { next, text } => {
                write!(
                    f,
                    "a turn is written '{next} SEAT ACTION', the result 'result …', not {text}"
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
