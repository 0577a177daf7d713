//! The registry of strategies, and their names: `random`, `minimax:7`, `level:3`.

use std::fmt;
use std::str::FromStr;

use noughts_rules::{Game, Quoted};

use crate::strategy::{EngineSetup, Strategy};

/// A kind of strategy, as listed in [`STRATEGY_KINDS`].
#[non_exhaustive]
pub struct StrategyKind {
    /// The part of a strategy name before the colon, such as `minimax`.
    pub name: &'static str,
    /// The syntax, such as `minimax:N`.
    pub syntax: &'static str,
    /// A short description.
    pub description: &'static str,
    /// Normalizes the parameter after the colon; `None` if the parameter is invalid. A name without a colon has an
    /// empty parameter.
    pub(crate) parameter: fn(&str) -> Option<String>,
    /// Returns the reason why the strategy cannot play a game; `None` if it can play the game.
    pub refuses: fn(&Game) -> Option<String>,
    /// See [`StrategyName::is_instant`].
    pub(crate) instant: fn(&Game) -> bool,
    /// Builds a strategy from a normalized parameter.
    pub(crate) make: fn(&str, &EngineSetup) -> Box<dyn Strategy>,
}

/// Every kind of strategy. To add a kind, add a file in `strategies/`, its `mod` line in `strategies.rs`, and a line
/// here.
pub const STRATEGY_KINDS: &[&StrategyKind] = &[
    &crate::strategies::random::KIND,
    &crate::strategies::first::KIND,
    &crate::strategies::greedy::KIND,
    &crate::strategies::minimax::KIND,
    &crate::strategies::iterative_deepening::KIND,
    &crate::strategies::mcts::KIND,
    &crate::strategies::perfect::KIND,
    &crate::strategies::level::KIND,
];

/// The name of a strategy, such as `minimax:7`.
///
/// ```
/// use noughts_engine::StrategyName;
///
/// let name: StrategyName = "search:2000ms".parse()?;
/// assert_eq!(name.to_string(), "search:2s");
/// assert!("minimax:100".parse::<StrategyName>().is_err());
/// # Ok::<(), noughts_engine::StrategyError>(())
/// ```
#[derive(Clone)]
pub struct StrategyName {
    kind: &'static StrategyKind,
    parameter: String,
}

impl StrategyName {
    /// Builds the strategy for this game, or fails if the strategy cannot play this game.
    pub fn build(
        &self,
        game: &Game,
        setup: &EngineSetup,
    ) -> Result<Box<dyn Strategy>, UnsupportedGame> {
        self.check(game)?;
        Ok((self.kind.make)(&self.parameter, setup))
    }

    /// Checks whether the strategy can play this game, as [`build`](StrategyName::build) does.
    pub fn check(&self, game: &Game) -> Result<(), UnsupportedGame> {
        match (self.kind.refuses)(game) {
            Some(reason) => Err(UnsupportedGame {
                name: self.to_string(),
                reason,
            }),
            None => Ok(()),
        }
    }

    /// Whether the strategy chooses every move of this game in almost no time, and without regard to the
    /// earlier moves of the game. If so, the strategy needs no separate thread, and one instance can serve
    /// many games.
    pub fn is_instant(&self, game: &Game) -> bool {
        (self.kind.instant)(game)
    }

    /// The kind of the strategy.
    pub fn kind(&self) -> &'static StrategyKind {
        self.kind
    }
}

impl FromStr for StrategyName {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<StrategyName, StrategyError> {
        let (word, parameter) = match text.split_once(':') {
            // `random:` is invalid; only `random` without the colon is a name.
            Some((_, "")) => return Err(StrategyError::new(text, None)),
            // Only `Engines` parses `engine:COMMAND`.
            Some(("engine", _)) => return Err(StrategyError::no_engines(text)),
            Some(parts) => parts,
            None => (text, ""),
        };
        let kind = STRATEGY_KINDS.iter().find(|kind| kind.name == word);
        let kind = kind.ok_or_else(|| StrategyError::new(text, None))?;
        match (kind.parameter)(parameter) {
            Some(parameter) => Ok(StrategyName { kind, parameter }),
            None => Err(StrategyError::new(text, Some(kind))),
        }
    }
}

impl fmt::Display for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parameter.as_str() {
            "" => f.write_str(self.kind.name),
            parameter => write!(f, "{}:{parameter}", self.kind.name),
        }
    }
}

impl fmt::Debug for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StrategyName({self})")
    }
}

impl PartialEq for StrategyName {
    fn eq(&self, other: &StrategyName) -> bool {
        (self.kind.name, &self.parameter) == (other.kind.name, &other.parameter)
    }
}

impl Eq for StrategyName {}

/// Why a text is not the name of a strategy. The error message lists the valid forms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrategyError {
    text: Quoted,
    reason: Reason,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reason {
    /// No kind has this name.
    Unknown,
    /// The parameter is invalid. The value is the correct syntax, such as `minimax:N`.
    Form(&'static str),
    /// The name is `engine:…`, but this caller allows no external programs.
    Program,
}

impl StrategyError {
    fn new(text: &str, kind: Option<&StrategyKind>) -> StrategyError {
        StrategyError {
            text: Quoted::from(text),
            reason: kind.map_or(Reason::Unknown, |kind| Reason::Form(kind.syntax)),
        }
    }

    /// The error for `engine:` without a command.
    pub(crate) fn engine(text: &str) -> StrategyError {
        StrategyError {
            text: Quoted::from(text),
            reason: Reason::Form("engine:COMMAND, such as \"engine:python3 mine.py\""),
        }
    }

    /// The error for `engine:…` if the caller allows no external programs.
    pub(crate) fn no_engines(text: &str) -> StrategyError {
        StrategyError {
            text: Quoted::from(text),
            reason: Reason::Program,
        }
    }
}

impl fmt::Display for StrategyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::Program => write!(
                f,
                "{} is not a strategy: external programs are allowed only on the command line, and not here",
                self.text
            ),
            Reason::Form(form) => {
                write!(f, "{} is not a strategy: it is written {form}", self.text)
            }
            Reason::Unknown => {
                let forms: Vec<&str> = STRATEGY_KINDS.iter().map(|kind| kind.syntax).collect();
                write!(
                    f,
                    "{} is not a strategy: there are {}",
                    self.text,
                    forms.join("; ")
                )
            }
        }
    }
}

impl std::error::Error for StrategyError {}

/// Why a robot cannot play a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnsupportedGame {
    name: String,
    reason: String,
}

impl UnsupportedGame {
    pub(crate) fn new(name: String, reason: String) -> UnsupportedGame {
        UnsupportedGame { name, reason }
    }
}

impl fmt::Display for UnsupportedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not play this game: {}", self.name, self.reason)
    }
}

impl std::error::Error for UnsupportedGame {}

/// Implements [`StrategyKind::parameter`] for strategies without a parameter.
pub(crate) fn no_parameter(text: &str) -> Option<String> {
    text.is_empty().then(String::new)
}

/// Parses a number in `range`, without leading zeros.
pub(crate) fn number(text: &str, range: std::ops::RangeInclusive<u64>) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    text.parse()
        .ok()
        .filter(|number| plain && range.contains(number))
}

/// Implements [`StrategyKind::refuses`] for strategies that play every game.
pub(crate) fn plays_all(_: &Game) -> Option<String> {
    None
}

/// Implements [`StrategyKind::instant`] for strategies that need almost no time.
pub(crate) fn always(_: &Game) -> bool {
    true
}

/// Implements [`StrategyKind::instant`] for strategies that may need more time.
pub(crate) fn never(_: &Game) -> bool {
    false
}
