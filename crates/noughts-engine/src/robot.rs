//! Robots: a built-in strategy, which never fails, or an external program, which may fail.
//!
//! This crate starts no programs. A caller that may start programs passes an [`EngineHost`]. Without a host,
//! [`Engines`] refuses `engine:COMMAND`, so neither a network client nor a game record can start a program.

use std::fmt;
use std::sync::Arc;

use noughts_rules::{Game, Quoted};

use crate::registry::{StrategyError, StrategyName, UnsupportedGame};
use crate::strategy::{Decision, EngineSetup, Stop, Strategy};

/// The prefix of a robot name that contains a program's command.
const PREFIX: &str = "engine:";

/// A robot player, which chooses moves and may fail.
pub trait Robot: Send {
    /// Chooses a legal move for the seat to move. The game must not be over.
    fn choose(&mut self, game: &Game, stop: &Stop) -> Result<Decision, RobotFault>;

    /// Ends the robot. The caller calls this function once, after the game. Fails if an external program did
    /// not exit after the request to exit.
    fn finish(&mut self) -> Result<(), RobotFault> {
        Ok(())
    }
}

impl Robot for Box<dyn Strategy> {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Result<Decision, RobotFault> {
        Ok(self.as_mut().choose(game, stop))
    }
}

/// A failure of a robot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RobotFault {
    /// The kind of failure.
    pub kind: RobotFaultKind,
    /// What happened, without the robot's name: `played 7,7, which is taken`.
    pub reason: String,
}

/// The kinds of robot failures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RobotFaultKind {
    /// The robot answered with an illegal move.
    Illegal,
    /// The robot did not answer in time.
    Time,
    /// The program exited, could not be started, broke the protocol, refused to play, or sent too much output.
    Crash,
    /// The program did not exit after the request to exit. The result of the game still counts.
    DidNotExit,
    /// The caller stopped the robot before it had chosen a move. This is not a failure of the robot.
    Stopped,
}

impl RobotFaultKind {
    /// A lowercase word for reports.
    pub fn as_str(self) -> &'static str {
        match self {
            RobotFaultKind::Illegal => "illegal",
            RobotFaultKind::Time => "time",
            RobotFaultKind::Crash => "crash",
            // The result files of tournaments have a column with this name.
            RobotFaultKind::DidNotExit => "stubborn",
            RobotFaultKind::Stopped => "stopped",
        }
    }
}

impl fmt::Display for RobotFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it {}", self.reason)
    }
}

impl std::error::Error for RobotFault {}

/// Starts external programs and talks to them.
pub trait EngineHost: Send + Sync {
    /// Starts the program, checks whether the program can play this game, and ends the program. The error
    /// says why the program cannot play.
    fn check(&self, command: &str, game: &Game) -> Result<(), String>;

    /// Creates a robot that plays one game. The program starts at the robot's first move.
    fn create_robot(&self, command: &str) -> Box<dyn Robot>;
}

/// Parses robot names. `engine:COMMAND` is allowed only with a host.
#[derive(Clone, Default)]
pub struct Engines(Option<Arc<dyn EngineHost>>);

impl Engines {
    /// A parser that refuses external programs.
    pub fn none() -> Engines {
        Engines(None)
    }

    /// A parser that accepts external programs, which `host` starts.
    pub fn hosted_by(host: Arc<dyn EngineHost>) -> Engines {
        Engines(Some(host))
    }

    /// Parses a name such as `minimax:7`. With a host, also parses `engine:COMMAND`.
    pub fn parse(&self, text: &str) -> Result<RobotName, StrategyError> {
        match (text.strip_prefix(PREFIX), &self.0) {
            (Some(command), Some(host)) => match command.trim() {
                "" => Err(StrategyError::engine(text)),
                command => Ok(RobotName::Engine(EngineName {
                    command: command.to_owned(),
                    host: Arc::clone(host),
                })),
            },
            (Some(_), None) | (None, _) => text.parse().map(RobotName::Strategy),
        }
    }
}

impl fmt::Debug for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Engines({})", self.0.is_some())
    }
}

/// The name of a robot: a strategy or an external program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RobotName {
    /// A built-in strategy.
    Strategy(StrategyName),
    /// An external program.
    Engine(EngineName),
}

/// A program's command and the host that starts it.
#[derive(Clone)]
pub struct EngineName {
    command: String,
    host: Arc<dyn EngineHost>,
}

impl RobotName {
    /// Builds the robot for this game, or fails if a strategy cannot play this game. Does not start a
    /// program.
    pub fn build(
        &self,
        game: &Game,
        setup: &EngineSetup,
    ) -> Result<Box<dyn Robot>, UnsupportedGame> {
        match self {
            RobotName::Strategy(name) => Ok(Box::new(name.build(game, setup)?)),
            RobotName::Engine(name) => Ok(name.host.create_robot(&name.command)),
        }
    }

    /// Checks whether the robot can play this game. Starts an external program for this check, and ends the
    /// program afterwards.
    pub fn check(&self, game: &Game) -> Result<(), UnsupportedGame> {
        match self {
            RobotName::Strategy(name) => name.check(game),
            RobotName::Engine(name) => name
                .host
                .check(&name.command, game)
                .map_err(|reason| UnsupportedGame::new(self.to_string(), reason)),
        }
    }

    /// A short description.
    pub fn description(&self) -> &'static str {
        match self {
            RobotName::Strategy(name) => name.kind().description,
            RobotName::Engine(_) => "an external program",
        }
    }

    /// A name for game records and result tables. The name does not contain the command line.
    pub fn label(&self) -> String {
        match self {
            RobotName::Strategy(name) => name.to_string(),
            RobotName::Engine(name) => name.label(),
        }
    }
}

impl EngineName {
    /// The program's file name: `one.py` for `python3 engines/one.py --fast`. For a pipeline, the file name of its last
    /// program.
    fn label(&self) -> String {
        let last = self
            .command
            .rsplit('|')
            .find(|part| !part.trim().is_empty());
        let words = last.unwrap_or_default().split_whitespace();
        let mut words = words.filter(|word| !word.starts_with('-'));
        let first = words.next().unwrap_or(&self.command);
        let is_file = |word: &&str| word.contains(['.', '/']);
        let file = words.next().filter(is_file).unwrap_or(first);
        let file = file.trim_matches(['\'', '"']);
        let name = file.rsplit('/').next().unwrap_or(file);
        name.chars()
            .filter(|sign| !sign.is_control())
            .take(60)
            .collect()
    }
}

impl From<StrategyName> for RobotName {
    fn from(name: StrategyName) -> RobotName {
        RobotName::Strategy(name)
    }
}

impl fmt::Display for RobotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RobotName::Strategy(name) => name.fmt(f),
            RobotName::Engine(name) => write!(f, "{PREFIX}{}", name.command),
        }
    }
}

impl PartialEq for EngineName {
    fn eq(&self, other: &EngineName) -> bool {
        self.command == other.command
    }
}

impl Eq for EngineName {}

impl fmt::Debug for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EngineName({})", Quoted::from(self.command.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoHost;

    impl EngineHost for NoHost {
        fn check(&self, _: &str, _: &Game) -> Result<(), String> {
            Err("no host".to_owned())
        }

        fn create_robot(&self, _: &str) -> Box<dyn Robot> {
            unreachable!("no game is played")
        }
    }

    fn hosted() -> Engines {
        Engines::hosted_by(Arc::new(NoHost))
    }

    #[test]
    fn programs_need_a_host() {
        let error = Engines::none()
            .parse("engine:true")
            .unwrap_err()
            .to_string();
        assert!(error.contains("only on the command line"), "{error}");
        assert!("engine:true".parse::<StrategyName>().is_err());
        assert_eq!(
            hosted().parse("engine: ./one -x").unwrap().to_string(),
            "engine:./one -x"
        );
        assert_eq!(
            hosted().parse("minimax:7").unwrap().to_string(),
            "minimax:7"
        );
        for text in ["engine:", "engine:  "] {
            let error = hosted().parse(text).unwrap_err().to_string();
            assert!(error.contains("engine:COMMAND"), "{error}");
        }
    }

    #[test]
    fn labels_have_no_path_and_no_options() {
        for (command, label) in [
            ("./wine", "wine"),
            ("/opt/zen/pbrain-zen --fast", "pbrain-zen"),
            ("python3 engines/one.py", "one.py"),
            ("python3 -u engines/one.py --x", "one.py"),
            ("sed -u 's/a b/c d/' | ./one --x", "one"),
            ("||", "||"),
            ("'a", "a"),
            ("target/release/noughts engine level:3", "noughts"),
            ("java -jar five.jar", "five.jar"),
        ] {
            let name = hosted().parse(&format!("engine:{command}")).unwrap();
            assert_eq!(name.label(), label);
        }
    }
}
