//! Who holds a seat: a person or a robot.

use std::fmt;
use std::str::FromStr;

use noughts_engine::{StrategyError, StrategyName};
use noughts_rules::{Player, RecordSeat};

/// Who holds a seat. Written `human`, `human Ann`, or as a strategy is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Holder {
    /// Somebody at this keyboard; the name may be empty.
    Human(String),
    /// A strategy.
    Robot(StrategyName),
}

impl Holder {
    /// The holder that a record names; a strategy that is not known here is left to a person.
    pub(super) fn of_record(seat: &RecordSeat) -> Result<Holder, StrategyError> {
        match &seat.player {
            Player::Human(name) => Ok(Holder::Human(name.clone())),
            Player::Robot(strategy) => strategy.parse().map(Holder::Robot),
        }
    }

    pub(super) fn player(&self) -> Player {
        match self {
            Holder::Human(name) => Player::Human(name.clone()),
            Holder::Robot(strategy) => Player::Robot(strategy.to_string()),
        }
    }

    pub(super) fn is_human(&self) -> bool {
        matches!(self, Holder::Human(_))
    }
}

impl FromStr for Holder {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<Holder, StrategyError> {
        let text = text.trim();
        match text.split_once(' ').unwrap_or((text, "")) {
            ("human", name) => Ok(Holder::Human(name.trim().to_owned())),
            _ => text.parse().map(Holder::Robot),
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Holder::Human(name) if name.is_empty() => f.write_str("human"),
            Holder::Human(name) => write!(f, "human {name}"),
            Holder::Robot(strategy) => strategy.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_reads_back() {
        for text in ["human", "human Ann B.", "random"] {
            assert_eq!(text.parse::<Holder>().unwrap().to_string(), text);
        }
        assert!("nobody".parse::<Holder>().is_err());
    }
}
