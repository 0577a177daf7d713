//! The options of the classic game, checked before it starts.

use std::fmt;

use noughts_engine::{Engines, UnsupportedGame};
use noughts_rules::{Game, GridSpec, Options, OutOfRange, Quoted, Variant, VariantError};

use super::robot_option::{self, RobotOptionError};
use crate::holder::Holder;
use crate::symbols::{SymbolError, Symbols};

/// The options as typed. An option that was not given is `None`.
#[derive(Clone, Default, Debug)]
pub struct ClassicOptions {
    /// The value of `-s`.
    pub size: Option<String>,
    /// The value of `-w`.
    pub win: Option<String>,
    /// The value of `-h`.
    pub history: Option<String>,
    /// The value of `-p`.
    pub players: Option<String>,
    /// `--variant`, which replaces `-s` and `-w`.
    pub variant: Option<String>,
    /// All values of `--robot`.
    pub robots: Vec<String>,
    /// The external engines that `--robot` may name.
    pub engines: Engines,
}

/// Checked options.
#[derive(Clone, Debug)]
pub struct ClassicSettings {
    spec: GridSpec,
    history: u16,
    symbols: Symbols,
    holders: Vec<Holder>,
}

impl ClassicSettings {
    /// Checks the options.
    pub fn new(options: &ClassicOptions) -> Result<ClassicSettings, OptionError> {
        let symbols = options.players.as_deref().map(Symbols::read).transpose();
        let symbols = symbols.map_err(OptionError::Players)?;
        let (spec, symbols) = match &options.variant {
            Some(name) => {
                let spec = grid(name)?;
                (
                    spec,
                    symbols.unwrap_or_else(|| Symbols::usual(spec.sides())),
                )
            }
            None => {
                let symbols = symbols.unwrap_or_else(|| Symbols::usual(2));
                let (size, win) = (options.size.as_deref(), options.win.as_deref());
                (square(size, win, symbols.sides().len().max(2))?, symbols)
            }
        };
        let sides = symbols.sides().len();
        if sides != usize::from(spec.sides()) && !(sides == 1 && spec.sides() == 2) {
            return Err(OptionError::Sides {
                variant: spec,
                sides,
            });
        }
        let max = spec.cells() - 1;
        let history = match &options.history {
            None => 1,
            Some(text) => number(text, 1, max).ok_or_else(|| OptionError::History {
                max,
                text: Quoted::from(text.as_str()),
            })?,
        };
        let holders = robot_option::holders(&symbols, &options.robots, &options.engines);
        let holders = holders.map_err(OptionError::Robot)?;
        let settings = ClassicSettings {
            spec,
            history: history as u16,
            symbols,
            holders,
        };
        let game = settings.game();
        for holder in &settings.holders {
            holder.check(&game).map_err(OptionError::UnsupportedGame)?;
        }
        Ok(settings)
    }

    /// The game before its first turn.
    pub(super) fn game(&self) -> Game {
        let options = Options {
            history: self.history,
            order: self.symbols.order(),
        };
        Game::new(&self.variant(), options).expect("checked settings make a game")
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        Variant::Grid(self.spec)
    }

    /// The history setting. A rewind must take back fewer marks than this number.
    pub fn history(&self) -> u16 {
        self.history
    }

    /// The symbols of the seats.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The holders of the seats.
    pub fn holders(&self) -> &[Holder] {
        &self.holders
    }
}

/// Returns the square board that `-s` and `-w` describe.
pub fn square(
    size: Option<&str>,
    win: Option<&str>,
    sides: usize,
) -> Result<GridSpec, OptionError> {
    let size = match size {
        None => 3,
        Some(text) => number(text, 3, 255).ok_or_else(|| OptionError::Size(text.into()))?,
    };
    let win = match win {
        None => 3,
        Some(text) => number(text, 3, size).ok_or_else(|| OptionError::Win {
            max: size,
            text: text.into(),
        })?,
    };
    GridSpec::new(size as u8, size as u8, win as u8)
        .and_then(|spec| spec.with_sides(sides as u8))
        .map_err(OptionError::OutOfRange)
}

fn grid(name: &str) -> Result<GridSpec, OptionError> {
    match name.parse().map_err(OptionError::Variant)? {
        Variant::Grid(spec) => Ok(spec),
        Variant::Nested(_) => Err(OptionError::NineBoards(name.into())),
    }
}

/// Parses a decimal number from `min` to `max`.
fn number(text: &str, min: usize, max: usize) -> Option<usize> {
    text.parse()
        .ok()
        .filter(|number| (min..=max).contains(number))
}

/// An invalid option. The error message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// The value of `-s` is not allowed.
    Size(Quoted),
    /// The value of `-w` is not allowed.
    Win {
        /// The maximum length of a winning line on this board.
        max: usize,
        /// The value given.
        text: Quoted,
    },
    /// The value of `-h` is not allowed.
    History {
        /// The maximum history setting on this board.
        max: usize,
        /// The value given.
        text: Quoted,
    },
    /// The value of `-p` is not allowed.
    Players(SymbolError),
    /// `--variant` and `-p` have different numbers of sides.
    Sides {
        /// The variant.
        variant: GridSpec,
        /// The number of different symbols in `-p`.
        sides: usize,
    },
    /// The value of `--variant` is not allowed.
    Variant(VariantError),
    /// `--variant` names a game on nine boards.
    NineBoards(Quoted),
    /// A number is outside the allowed range.
    OutOfRange(OutOfRange),
    /// The value of `--robot` is not allowed.
    Robot(RobotOptionError),
    /// A robot does not play this game.
    UnsupportedGame(UnsupportedGame),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Size(text) => {
                write!(
                    f,
                    "the size (-s) must be a number from 3 to 255, not {text}"
                )
            }
            OptionError::Win { max: 3, text } => {
                write!(f, "the win size (-w) must be 3 on this board, not {text}")
            }
            OptionError::Win { max, text } => {
                write!(
                    f,
                    "the win size (-w) must be a number from 3 to {max}, the size, not {text}"
                )
            }
            OptionError::History { max, text } => {
                write!(
                    f,
                    "the history size (-h) must be a number from 1 to {max}, not {text}"
                )
            }
            OptionError::Players(error) => write!(f, "the players (-p) must be {error}"),
            OptionError::Sides { variant, sides } => write!(
                f,
                "{variant} is for {} players with different symbols, but -p has {sides}",
                variant.sides()
            ),
            OptionError::Variant(error) => error.fmt(f),
            OptionError::NineBoards(name) => {
                write!(
                    f,
                    "{name} has nine boards, and this game shows one: choose one such as 4x4k3p3"
                )
            }
            OptionError::OutOfRange(error) => error.fmt(f),
            OptionError::Robot(error) => error.fmt(f),
            OptionError::UnsupportedGame(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OptionError {}
