//! The options of a game on nine boards, checked before it starts.

use std::fmt;

use noughts_engine::{Engines, Random, UnsupportedGame};
use noughts_rules::{Board, Game, NestedSpec, Options, Quoted, Variant};

use crate::holder::{Holder, HolderError};

/// The default opponent.
pub const DEFAULT_ROBOT: &str = "minimax:7";

/// The options as typed. An option that was not given is `None`.
#[derive(Clone, Debug)]
pub struct MultiOptions {
    /// The value of `--x`: `human`, or a strategy.
    pub x: Option<String>,
    /// The value of `--o`: `human`, or a strategy.
    pub o: Option<String>,
    /// The value of `--start`: `random`, `any`, or a board.
    pub start: Option<String>,
    /// The value of `--rules`. The first board comes from `start`.
    pub rules: NestedSpec,
    /// The value of `--history`.
    pub history: Option<String>,
    /// The external engines that `--x` and `--o` may name.
    pub engines: Engines,
}

impl Default for MultiOptions {
    fn default() -> MultiOptions {
        MultiOptions {
            x: None,
            o: None,
            start: None,
            rules: NestedSpec::MULTI,
            history: None,
            engines: Engines::none(),
        }
    }
}

/// Checked options.
#[derive(Clone, Debug)]
pub struct MultiSettings {
    spec: NestedSpec,
    history: u16,
    holders: [Holder; 2],
}

impl MultiSettings {
    /// Checks the options. If `start` is `random`, which is the default, `seed` selects the first board.
    pub fn new(options: &MultiOptions, seed: u64) -> Result<MultiSettings, OptionError> {
        let holder = |text: Option<&str>, usual| {
            Holder::read_unnamed(text.unwrap_or(usual), &options.engines)
                .map_err(OptionError::Holder)
        };
        let first = first_board(options.start.as_deref().unwrap_or("random"), seed)?;
        let settings = MultiSettings {
            spec: options.rules.starting_on(first),
            history: history(options.history.as_deref().unwrap_or("0"), &options.rules)?,
            holders: [
                holder(options.x.as_deref(), "human")?,
                holder(options.o.as_deref(), DEFAULT_ROBOT)?,
            ],
        };
        let game = settings.game();
        for holder in &settings.holders {
            holder.check(&game).map_err(OptionError::UnsupportedGame)?;
        }
        Ok(settings)
    }

    /// The variant, including the first board.
    pub fn variant(&self) -> Variant {
        Variant::Nested(self.spec)
    }

    /// The holders of X and O.
    pub fn holders(&self) -> &[Holder; 2] {
        &self.holders
    }

    pub(super) fn spec(&self) -> &NestedSpec {
        &self.spec
    }

    /// The game before its first turn.
    pub(super) fn game(&self) -> Game {
        let options = Options {
            history: self.history,
            ..Options::default()
        };
        Game::new(&self.variant(), options).expect("checked settings make a game")
    }
}

fn history(text: &str, rules: &NestedSpec) -> Result<u16, OptionError> {
    let max = Variant::Nested(*rules).cells() - 1;
    let number = text.parse().ok();
    number
        .filter(|number| usize::from(*number) <= max)
        .ok_or_else(|| OptionError::History {
            max,
            text: text.into(),
        })
}

/// Parses `--start`. `None` means that the first play may be on any board.
fn first_board(text: &str, seed: u64) -> Result<Option<Board>, OptionError> {
    match text {
        "any" => Ok(None),
        "random" => Ok(Board::new(Random::new(seed).below(9) as u8)),
        _ => Board::all()
            .find(|board| board.to_string() == text)
            .map(Some)
            .ok_or_else(|| OptionError::Start(text.into())),
    }
}

/// An invalid option. The error message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// The value of `--x` or `--o` is not allowed.
    Holder(HolderError),
    /// The value of `--start` is not allowed.
    Start(Quoted),
    /// The value of `--history` is not allowed.
    History {
        /// The maximum history setting.
        max: usize,
        /// The value given.
        text: Quoted,
    },
    /// A robot does not play this game.
    UnsupportedGame(UnsupportedGame),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Holder(error) => error.fmt(f),
            OptionError::Start(text) => write!(
                f,
                "the first board (--start) must be random, any or a number from 0 to 8, not {text}"
            ),
            OptionError::History { max, text } => write!(
                f,
                "the history (--history) must be a number from 0 to {max}, not {text}"
            ),
            OptionError::UnsupportedGame(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OptionError {}
