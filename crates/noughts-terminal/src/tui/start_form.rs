//! The start form: variant, seats and history.

use std::fmt;

use noughts_engine::{Engines, Random, StrategyName, UnsupportedGame};
use noughts_rules::{
    Board, CATALOG, Game, GameError, MAX_SIDES, Options, Quoted, RecordError, Scoring, Seat, Side,
    Variant, VariantError,
};

use super::local_game::LocalGame;
use crate::holder::{DEFAULT_ROBOT, Holder, HolderError, ROBOTS};

/// The options as typed on the command line. A missing option has a default, which the user can change on the start
/// screen.
#[derive(Clone, Debug, Default)]
pub struct TuiOptions {
    /// The variant. If it is `None`, the start screen opens.
    pub variant: Option<String>,
    /// The holder of each seat, in turn order: `human`, `human Ann` or a strategy. Robots take all other seats. If the
    /// list is empty, a person takes the first seat.
    pub seats: Vec<String>,
    /// The history setting. A rewind must take back fewer marks than this number.
    pub history: Option<String>,
    /// On nine boards, the board of the first play: `random`, `any` or 0 to 8.
    pub first_board: Option<String>,
    /// The external engines that may hold a seat.
    pub engines: Engines,
}

impl TuiOptions {
    /// Checks the options before the start screen opens. Some checks need a game and follow when the game starts.
    pub(super) fn check(&self) -> Result<(), StartError> {
        let variant = self.variant.as_deref().map(str::parse).transpose();
        let variant: Option<Variant> = variant.map_err(StartError::Variant)?;
        let sides = variant.map_or(MAX_SIDES, |variant| variant.sides());
        match (self.seats.len(), variant) {
            (seats, _) if seats <= usize::from(sides) => {}
            (_, Some(_)) => return Err(StartError::Seats(sides)),
            (seats, None) => return Err(StartError::Game(GameError::Seats(seats))),
        }
        for text in &self.seats {
            check_name(&Holder::read(text, &self.engines).map_err(StartError::Seat)?)?;
        }
        if let Some(text) = &self.history {
            let max = variant.map_or(LONGEST_HISTORY, |variant| variant.cells() - 1);
            history(text, max)?;
        }
        if let Some(text) = &self.first_board {
            FirstBoard::read(text)?;
            match variant {
                Some(Variant::Grid(_)) => return Err(StartError::OneBoard),
                Some(Variant::Nested(spec)) if spec.first().is_some() => {
                    return Err(StartError::FirstBoardTwice(Variant::Nested(spec)));
                }
                Some(Variant::Nested(_)) | None => {}
            }
        }
        Ok(())
    }
}

/// The maximum history setting, which only the largest board, 255x255, allows.
const LONGEST_HISTORY: usize = 255 * 255 - 1;

const FIRST_BOARDS: [&str; 11] = ["random", "any", "0", "1", "2", "3", "4", "5", "6", "7", "8"];

/// Maximum length of a typed value in characters.
const LONGEST: usize = 40;

#[derive(Debug)]
pub(super) struct StartForm {
    game: String,
    /// The board of the first play, as text. `None` means the default of the variant.
    first_board: Option<String>,
    seats: Vec<String>,
    history: String,
    pub(super) at: Item,
    /// Whether the next typed character replaces the whole value.
    is_fresh: bool,
    pub(super) problem: Option<String>,
    engines: Engines,
}

/// A line of the start screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    Game,
    FirstBoard,
    Seat(usize),
    History,
    Begin,
    Load,
    Help,
    Quit,
}

impl StartForm {
    pub(super) fn new(options: &TuiOptions) -> StartForm {
        let mut start = StartForm {
            game: options
                .variant
                .clone()
                .unwrap_or_else(|| CATALOG[0].name.into()),
            first_board: options.first_board.clone(),
            seats: options.seats.clone(),
            history: options.history.clone().unwrap_or_else(|| "0".into()),
            at: Item::Game,
            is_fresh: true,
            problem: None,
            engines: options.engines.clone(),
        };
        if start.seats.is_empty() {
            start.seats.push("human".into());
        }
        start.seat_everybody();
        start
    }

    /// Creates the chosen game.
    pub(super) fn open(&self, random: &mut Random) -> Result<LocalGame, StartError> {
        let variant = self.variant().map_err(StartError::Variant)?;
        let variant = self.with_first_board(variant, random)?;
        let options = Options {
            history: history(&self.history, variant.cells() - 1)?,
            order: Vec::new(),
        };
        let game = Game::new(&variant, options).map_err(StartError::Game)?;
        let holders: Result<Vec<Holder>, StartError> = self.seats[..usize::from(variant.sides())]
            .iter()
            .map(|text| Holder::read(text, &self.engines).map_err(StartError::Seat))
            .collect();
        let holders = holders?;
        for holder in &holders {
            holder.check(&game).map_err(StartError::UnsupportedGame)?;
        }
        let local = LocalGame::new(game, holders);
        // Before the game starts, refuse a name that a record cannot contain.
        local.record().map_err(StartError::Name)?;
        Ok(local)
    }

    pub(super) fn items(&self) -> Vec<Item> {
        let mut items = vec![Item::Game];
        let variant = self.variant();
        if let Ok(Variant::Nested(spec)) = variant
            && spec.first().is_none()
        {
            items.push(Item::FirstBoard);
        }
        let sides = variant.map_or(2, |variant| usize::from(variant.sides()));
        items.extend((0..sides).map(Item::Seat));
        items.extend([
            Item::History,
            Item::Begin,
            Item::Load,
            Item::Help,
            Item::Quit,
        ]);
        items
    }

    /// Moves the selection down by `lines`, with wrap-around.
    pub(super) fn go(&mut self, lines: isize) {
        let items = self.items();
        let at = items.iter().position(|item| *item == self.at).unwrap_or(0);
        let next = (at as isize + lines).rem_euclid(items.len() as isize);
        self.go_to(items[next as usize]);
    }

    pub(super) fn go_to(&mut self, item: Item) {
        self.at = item;
        self.is_fresh = true;
    }

    /// Returns the value that the start screen shows on the line of `item`. Returns `None` if the line has no
    /// value.
    pub(super) fn text(&self, item: Item) -> Option<String> {
        match item {
            Item::Game => Some(self.game.clone()),
            Item::FirstBoard => Some(self.first_board().to_owned()),
            Item::Seat(seat) => self.seats.get(seat).cloned(),
            Item::History => Some(self.history.clone()),
            Item::Begin | Item::Load | Item::Help | Item::Quit => None,
        }
    }

    /// Returns a short description of the value on the line of `item`.
    pub(super) fn about(&self, item: Item) -> String {
        match item {
            Item::Game => match (
                CATALOG.iter().find(|entry| entry.name == self.game),
                self.variant(),
            ) {
                (Some(entry), _) => entry.title.to_owned(),
                (None, Ok(_)) => String::new(),
                (None, Err(_)) => "such as 5x5k4 or 6x6k4p3+misere".to_owned(),
            },
            Item::FirstBoard => match self.first_board() {
                "random" => "picked at random".to_owned(),
                "any" => "the first player chooses".to_owned(),
                _ => "of the first play".to_owned(),
            },
            Item::Seat(seat) => match Holder::read(&self.seats[seat], &self.engines) {
                Ok(Holder::Human(name)) if name.is_empty() => "a person here".to_owned(),
                Ok(Holder::Human(name)) => format!("{name}, here"),
                Ok(Holder::Robot(robot)) => robot.description().to_owned(),
                Err(_) => "human NAME, or a strategy".to_owned(),
            },
            Item::History => match self.history.as_str() {
                "0" => "nothing is taken back".to_owned(),
                "1" => "a turn can be passed".to_owned(),
                _ => "a rewind takes fewer marks".to_owned(),
            },
            Item::Begin | Item::Load | Item::Help | Item::Quit => String::new(),
        }
    }

    /// Selects the next or previous value.
    pub(super) fn change(&mut self, by: isize) {
        self.problem = None;
        let choices: Vec<&str> = match self.at {
            Item::Game => CATALOG.iter().map(|entry| entry.name).collect(),
            Item::FirstBoard => FIRST_BOARDS.to_vec(),
            Item::Seat(_) => ["human"].into_iter().chain(ROBOTS).collect(),
            Item::History => {
                let max = self.variant().map_or(0, |variant| variant.cells() - 1);
                let now: usize = self.history.parse().unwrap_or(0);
                self.history = now.saturating_add_signed(by).min(max).to_string();
                return;
            }
            Item::Begin | Item::Load | Item::Help | Item::Quit => return,
        };
        let Some(text) = self.text(self.at) else {
            return;
        };
        let now = choices.iter().position(|choice| *choice == text);
        let next = match now {
            Some(now) => (now as isize + by).rem_euclid(choices.len() as isize) as usize,
            None => 0,
        };
        self.set(choices[next].to_owned());
        self.is_fresh = true;
    }

    /// Appends a typed character to the value, or replaces the value if `is_fresh`.
    pub(super) fn enter(&mut self, letter: char) {
        let mut text = match self.is_fresh {
            true => String::new(),
            false => self.text(self.at).unwrap_or_default(),
        };
        if text.chars().count() < LONGEST {
            text.push(letter);
        }
        self.set(text);
    }

    /// Deletes the last character.
    pub(super) fn erase(&mut self) {
        if let Some(mut text) = self.text(self.at) {
            text.pop();
            self.set(text);
        }
    }

    fn set(&mut self, text: String) {
        self.problem = None;
        self.is_fresh = false;
        match self.at {
            Item::Game => {
                self.game = text;
                self.seat_everybody();
            }
            Item::FirstBoard => self.first_board = Some(text),
            Item::Seat(seat) => self.seats[seat] = text,
            Item::History => self.history = text,
            Item::Begin | Item::Load | Item::Help | Item::Quit => {}
        }
    }

    /// Gives the remaining seats to robots.
    fn seat_everybody(&mut self) {
        let sides = self.variant().map_or(2, |variant| variant.sides());
        while self.seats.len() < usize::from(sides) {
            self.seats.push(usual_robot().to_owned());
        }
    }

    fn variant(&self) -> Result<Variant, VariantError> {
        self.game.parse()
    }

    fn first_board(&self) -> &str {
        match (&self.first_board, self.variant()) {
            (Some(text), _) => text,
            (None, Ok(Variant::Nested(spec))) if spec.scoring() == Scoring::MetaLine => "any",
            (None, Ok(_) | Err(_)) => "random",
        }
    }

    fn with_first_board(
        &self,
        variant: Variant,
        random: &mut Random,
    ) -> Result<Variant, StartError> {
        let Variant::Nested(spec) = variant else {
            return Ok(variant);
        };
        if spec.first().is_some() {
            return Ok(variant);
        }
        let first = match FirstBoard::read(self.first_board())? {
            FirstBoard::Any => None,
            FirstBoard::Random => Board::new(random.below(9) as u8),
            FirstBoard::Said(board) => Some(board),
        };
        Ok(Variant::Nested(spec.starting_on(first)))
    }

    /// The side of a seat, for its label.
    pub(super) fn side(seat: usize) -> Option<Side> {
        Side::new(u8::try_from(seat).ok()?)
    }
}

/// The board of the first play on nine boards.
enum FirstBoard {
    Any,
    Random,
    Said(Board),
}

impl FirstBoard {
    fn read(text: &str) -> Result<FirstBoard, StartError> {
        match text {
            "any" => Ok(FirstBoard::Any),
            "random" => Ok(FirstBoard::Random),
            _ => Board::all()
                .find(|board| board.to_string() == text)
                .map(FirstBoard::Said)
                .ok_or_else(|| StartError::FirstBoard(text.into())),
        }
    }
}

/// The default opponent.
fn usual_robot() -> &'static str {
    let known = |text: &&str| text.parse::<StrategyName>().is_ok();
    [DEFAULT_ROBOT, "random"]
        .into_iter()
        .find(known)
        .unwrap_or("human")
}

/// Checks that a record can contain the name of `holder`. The result does not depend on the variant, which
/// may be unknown.
fn check_name(holder: &Holder) -> Result<(), StartError> {
    let variant = CATALOG[0].name.parse().map_err(StartError::Variant)?;
    let game = Game::new(&variant, Options::default()).map_err(StartError::Game)?;
    let local = LocalGame::new(game, vec![holder.clone(), holder.clone()]);
    local.record().map(drop).map_err(StartError::Name)
}

fn history(text: &str, max: usize) -> Result<u16, StartError> {
    let number = text.parse().ok();
    number
        .filter(|number| usize::from(*number) <= max)
        .ok_or_else(|| StartError::History {
            max,
            text: text.into(),
        })
}

/// Why a game cannot start. The error message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartError {
    /// The text is not a variant.
    Variant(VariantError),
    /// There are more seats than the game has sides. Contains the number of sides.
    Seats(u8),
    /// The text of a seat is neither `human` nor a strategy.
    Seat(HolderError),
    /// The text is not a valid history setting.
    History {
        /// The maximum history setting.
        max: usize,
        /// The value given.
        text: Quoted,
    },
    /// The first board is not `random`, `any` or the number of a board.
    FirstBoard(Quoted),
    /// A first board was given, although the variant has only one board.
    OneBoard,
    /// A first board was given, although the variant already names a first board.
    FirstBoardTwice(Variant),
    /// The game cannot be created.
    Game(GameError),
    /// The strategy does not play this variant.
    UnsupportedGame(UnsupportedGame),
    /// A name that a record cannot contain.
    Name(RecordError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Variant(error) => error.fmt(f),
            StartError::Seats(sides) => write!(f, "this game has {sides} seats, not more"),
            StartError::Seat(error) => write!(
                f,
                "{}; or human, with a name or without",
                error.strategy_error()
            ),
            StartError::History { max, text } => {
                write!(f, "the history is a number from 0 to {max}, not {text}")
            }
            StartError::FirstBoard(text) => {
                write!(f, "the first board is random, any, or 0 to 8, not {text}")
            }
            StartError::OneBoard => {
                f.write_str("this game has one board, there is no first to choose")
            }
            StartError::FirstBoardTwice(variant) => {
                write!(f, "the name {variant} says the first board already")
            }
            StartError::Game(error) => error.fmt(f),
            StartError::UnsupportedGame(error) => error.fmt(f),
            StartError::Name(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

/// The seed of a seat's robot, derived from the main seed.
pub(super) fn seed_of(seed: u64, local: u64, seat: Seat) -> u64 {
    Random::new(seed ^ (local << 8 | u64::from(seat.0))).draw()
}
