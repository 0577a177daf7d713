//! Strategies by name: `random`, `minimax:7`, `level:3`.

use std::fmt;
use std::str::FromStr;

use noughts_rules::{Game, Quoted};

use crate::strategy::{EngineSetup, Strategy};

/// One way to choose moves, with everything that the registry must know of it.
pub struct StrategyKind {
    /// The word before the colon.
    pub name: &'static str,
    /// How it is written: `minimax:N`.
    pub syntax: &'static str,
    /// What it does, in a few words.
    pub description: &'static str,
    /// The text behind the colon as it is printed, or `None` where it can't be; an empty text
    /// where there is no colon.
    pub(crate) parameter: fn(&str) -> Option<String>,
    /// Why it does not play such a game.
    pub(crate) refuses: fn(&Game) -> Option<String>,
    /// Whether it answers in microseconds, every time: then it need not be asked in a thread of its
    /// own, and one may serve many games.
    pub(crate) instant: fn(&Game) -> bool,
    /// Makes one, for a parameter that was checked.
    pub(crate) make: fn(&str, &EngineSetup) -> Box<dyn Strategy>,
}

/// Every strategy there is. A new one is a file and a line here.
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

/// A strategy by name, checked: `minimax:7`.
#[derive(Clone)]
pub struct StrategyName {
    kind: &'static StrategyKind,
    parameter: String,
}

impl StrategyName {
    /// Makes the strategy for this game, or says in a sentence why it does not play it.
    pub fn build(&self, game: &Game, setup: &EngineSetup) -> Result<Box<dyn Strategy>, Unfit> {
        self.fits(game)?;
        Ok((self.kind.make)(&self.parameter, setup))
    }

    /// Why [`build`](StrategyName::build) would refuse.
    pub fn fits(&self, game: &Game) -> Result<(), Unfit> {
        match (self.kind.refuses)(game) {
            Some(reason) => Err(Unfit {
                name: self.to_string(),
                reason,
            }),
            None => Ok(()),
        }
    }

    /// Whether it answers this game in microseconds, every time, and remembers nothing of one game
    /// that another should not know: then one may serve many.
    pub fn is_instant(&self, game: &Game) -> bool {
        (self.kind.instant)(game)
    }

    /// Which kind it is.
    pub fn kind(&self) -> &'static StrategyKind {
        self.kind
    }
}

impl FromStr for StrategyName {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<StrategyName, StrategyError> {
        let (word, parameter) = match text.split_once(':') {
            // `random:` is not `random`.
            Some((_, "")) => return Err(StrategyError::new(text, None)),
            // No strategy: see `Engines`.
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

/// Why a text names no strategy. Displays those there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrategyError {
    text: Quoted,
    reason: Reason,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reason {
    /// No kind has this word.
    Unknown,
    /// The parameter was wrong: how it is written.
    Form(&'static str),
    /// A program, where none may be named.
    Program,
}

impl StrategyError {
    fn new(text: &str, kind: Option<&StrategyKind>) -> StrategyError {
        StrategyError {
            text: Quoted::from(text),
            reason: kind.map_or(Reason::Unknown, |kind| Reason::Form(kind.syntax)),
        }
    }

    /// A program without a command.
    pub(crate) fn engine(text: &str) -> StrategyError {
        StrategyError {
            text: Quoted::from(text),
            reason: Reason::Form("engine:COMMAND, such as \"engine:python3 mine.py\""),
        }
    }

    /// A program where none may be named.
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
                "{} is not a strategy: programs may be named on the command line alone, and not for this",
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

/// Why a strategy does not play a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfit {
    name: String,
    reason: String,
}

impl Unfit {
    pub(crate) fn new(name: String, reason: String) -> Unfit {
        Unfit { name, reason }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not play this game: {}", self.name, self.reason)
    }
}

impl std::error::Error for Unfit {}

/// For kinds without a parameter.
pub(crate) fn no_parameter(text: &str) -> Option<String> {
    text.is_empty().then(String::new)
}

/// For kinds whose parameter is a number, without leading zeros.
pub(crate) fn number(text: &str, range: std::ops::RangeInclusive<u64>) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    text.parse()
        .ok()
        .filter(|number| plain && range.contains(number))
}

/// For kinds that play every game.
pub(crate) fn plays_all(_: &Game) -> Option<String> {
    None
}

/// For kinds that look at each cell once or less.
pub(crate) fn always(_: &Game) -> bool {
    true
}

/// For kinds that think.
pub(crate) fn never(_: &Game) -> bool {
    false
}
