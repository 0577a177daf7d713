//! Who holds a seat: a person or a robot.

use std::fmt;
use std::str::FromStr;

use noughts_engine::{Engines, RobotName, StrategyError, UnsupportedGame};
use noughts_rules::{Game, Player, RecordSeat};

/// The computer's default level in `noughts play` and `noughts tui`.
pub const DEFAULT_LEVEL: u8 = 4;

/// The strategy of `DEFAULT_LEVEL`.
pub const DEFAULT_ROBOT: &str = "level:4";

/// The robots that start screens and shell completions offer. The user can also type other strategies.
pub const ROBOTS: [&str; 15] = [
    "level:1",
    "level:2",
    "level:3",
    "level:4",
    "level:5",
    "level:6",
    "level:7",
    "level:8",
    "perfect",
    "search:1s",
    "mcts:10000",
    "minimax:7",
    "greedy",
    "random",
    "first",
];

/// Who holds a seat. The text form is `human`, `human Ann`, or the name of a strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// A person at this terminal. The name may be empty.
    Human(String),
    /// A strategy or an external engine.
    Robot(RobotName),
}

impl Holder {
    /// A human without a name.
    pub const HUMAN: Holder = Holder::Human(String::new());

    /// Returns the holder that a game record names for a seat. Returns an error if the record names a robot
    /// that cannot play.
    pub(crate) fn of_record(seat: &RecordSeat, game: &Game) -> Result<Holder, RecordRobotError> {
        let holder = match &seat.player {
            Player::Human(name) => Holder::Human(name.clone()),
            // Records come from untrusted sources, so they must not start an external program.
            Player::Robot(strategy) => Holder::Robot(
                Engines::none()
                    .parse(strategy)
                    .map_err(RecordRobotError::Unknown)?,
            ),
        };
        holder
            .check(game)
            .map_err(RecordRobotError::UnsupportedGame)?;
        Ok(holder)
    }

    /// Returns an error if the holder is a robot that does not play this game.
    pub fn check(&self, game: &Game) -> Result<(), UnsupportedGame> {
        match self {
            Holder::Human(_) => Ok(()),
            Holder::Robot(robot) => robot.check(game),
        }
    }

    pub(crate) fn player(&self) -> Player {
        match self {
            Holder::Human(name) => Player::Human(name.clone()),
            Holder::Robot(RobotName::Strategy(name)) => Player::Robot(name.to_string()),
            // A record must not contain the command of an external engine, so it contains the engine's label.
            Holder::Robot(robot @ RobotName::Engine(_)) => Player::Human(robot.label()),
        }
    }

    /// Parses `human`, `human NAME`, a strategy, or an external engine that `engines` allows.
    pub fn read(text: &str, engines: &Engines) -> Result<Holder, HolderError> {
        let text = text.trim();
        match text.split_once(' ').unwrap_or((text, "")) {
            ("human", name) => Ok(Holder::Human(name.trim().to_owned())),
            _ => engines.parse(text).map(Holder::Robot).map_err(HolderError),
        }
    }

    /// Like `read`, but without `human NAME`, for interfaces that do not show names.
    pub fn read_unnamed(text: &str, engines: &Engines) -> Result<Holder, HolderError> {
        match text {
            "human" => Ok(Holder::HUMAN),
            _ => engines.parse(text).map(Holder::Robot).map_err(HolderError),
        }
    }

    /// Whether a human holds the seat.
    pub fn is_human(&self) -> bool {
        matches!(self, Holder::Human(_))
    }
}

impl FromStr for Holder {
    type Err = HolderError;

    fn from_str(text: &str) -> Result<Holder, HolderError> {
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

/// A text that is neither `human` nor a strategy. The error message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HolderError(StrategyError);

impl HolderError {
    /// What is wrong with the strategy's name.
    pub fn strategy_error(&self) -> &StrategyError {
        &self.0
    }
}

impl fmt::Display for HolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; a person is human", self.0)
    }
}

impl std::error::Error for HolderError {}

/// Why a robot that a record names cannot play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RecordRobotError {
    /// The strategy is unknown.
    Unknown(StrategyError),
    /// The strategy does not play this game.
    UnsupportedGame(UnsupportedGame),
}

impl fmt::Display for RecordRobotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordRobotError::Unknown(error) => error.fmt(f),
            RecordRobotError::UnsupportedGame(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RecordRobotError {}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use noughts_engine::{EngineHost, Robot};

    use super::*;

    #[test]
    fn holders_round_trip() {
        for text in ["human", "human Ann B.", "random"] {
            assert_eq!(text.parse::<Holder>().unwrap().to_string(), text);
        }
        assert!("nobody".parse::<Holder>().is_err());
    }

    struct Nobody;

    impl EngineHost for Nobody {
        fn check(&self, _: &str, _: &Game) -> Result<(), String> {
            Ok(())
        }

        fn create_robot(&self, _: &str) -> Box<dyn Robot> {
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

    #[test]
    fn unknown_holder_error_lists_strategies() {
        let error = "humna".parse::<Holder>().unwrap_err().to_string();
        assert!(
            error.contains("\"humna\" is not a strategy: there are "),
            "{error}"
        );
        assert!(
            error.contains("random") && error.ends_with("; a person is human"),
            "{error}"
        );
    }
}
