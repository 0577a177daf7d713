//! Who holds a seat: a person or a robot.

use std::fmt;
use std::str::FromStr;

use noughts_engine::{Engines, RobotName, StrategyError, Unfit};
use noughts_rules::{Game, Player, RecordSeat};

/// Who holds a seat. Written `human`, `human Ann`, or as a strategy is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Holder {
    /// Somebody at this keyboard; the name may be empty.
    Human(String),
    /// A strategy, or a program.
    Robot(RobotName),
}

impl Holder {
    /// The holder that a record of this game names.
    pub(super) fn of_record(seat: &RecordSeat, game: &Game) -> Result<Holder, Stranger> {
        let holder = match &seat.player {
            Player::Human(name) => Holder::Human(name.clone()),
            // A record names no program: whoever wrote it is a stranger.
            Player::Robot(strategy) => {
                Holder::Robot(Engines::none().read(strategy).map_err(Stranger::Unknown)?)
            }
        };
        holder.check(game).map_err(Stranger::Unfit)?;
        Ok(holder)
    }

    /// Refuses a robot that does not play this game.
    pub(super) fn check(&self, game: &Game) -> Result<(), Unfit> {
        match self {
            Holder::Human(_) => Ok(()),
            Holder::Robot(robot) => robot.fits(game),
        }
    }

    pub(super) fn player(&self) -> Player {
        match self {
            Holder::Human(name) => Player::Human(name.clone()),
            Holder::Robot(RobotName::Strategy(name)) => Player::Robot(name.to_string()),
            // A record has no place for commands, and a name for everybody's program.
            Holder::Robot(robot @ RobotName::Engine(_)) => Player::Human(robot.label()),
        }
    }

    /// Reads who is meant; programs may be named if these engines allow it.
    pub(super) fn read(text: &str, engines: &Engines) -> Result<Holder, StrategyError> {
        let text = text.trim();
        match text.split_once(' ').unwrap_or((text, "")) {
            ("human", name) => Ok(Holder::Human(name.trim().to_owned())),
            _ => engines.read(text).map(Holder::Robot),
        }
    }

    pub(super) fn is_human(&self) -> bool {
        matches!(self, Holder::Human(_))
    }
}

impl FromStr for Holder {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<Holder, StrategyError> {
        Holder::read(text, &Engines::none())
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

/// Why the robot that a record names can't sit down here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stranger {
    /// A strategy that there is not.
    Unknown(StrategyError),
    /// One that does not play this game.
    Unfit(Unfit),
}

impl fmt::Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stranger::Unknown(error) => error.fmt(f),
            Stranger::Unfit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Stranger {}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use noughts_engine::{Host, Robot};

    use super::*;

    #[test]
    fn a_holder_reads_back() {
        for text in ["human", "human Ann B.", "random"] {
            assert_eq!(text.parse::<Holder>().unwrap().to_string(), text);
        }
        assert!("nobody".parse::<Holder>().is_err());
    }

    struct Nobody;

    impl Host for Nobody {
        fn try_out(&self, _: &str, _: &Game) -> Result<(), String> {
            Ok(())
        }

        fn seat(&self, _: &str) -> Box<dyn Robot> {
            unreachable!("nobody plays")
        }
    }

    #[test]
    fn a_program_is_a_name_in_a_record_and_never_a_command() {
        let engines = Engines::hosted_by(Arc::new(Nobody));
        let holder = Holder::read("engine:python3 a/mine.py", &engines).unwrap();
        assert_eq!(holder.player(), Player::Human("mine.py".to_owned()));
        assert!("engine:python3 a/mine.py".parse::<Holder>().is_err());
    }
}
