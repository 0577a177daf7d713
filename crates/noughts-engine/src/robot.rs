//! Whoever may hold a robot's seat: a strategy, which never fails, or a program from outside, which may.
//!
//! Nothing here starts a program. Whoever may do so brings a [`EngineHost`]; without one no text names a
//! program, so that nobody can name one over the network or in a record.

use std::fmt;
use std::sync::Arc;

use noughts_rules::{Game, Quoted};

use crate::registry::{StrategyError, StrategyName, Unfit};
use crate::strategy::{Decision, EngineSetup, Stop, Strategy};

/// What stands before a command.
const PREFIX: &str = "engine:";

/// Somebody who is asked for moves and may fail to give one.
pub trait Robot: Send {
    /// Chooses a move for the seat to move, in a game that goes on: a legal one, or why there is none.
    fn choose(&mut self, game: &Game, stop: &Stop) -> Result<Decision, RobotFault>;

    /// The game is over: lets go of everything, or says what would not go by itself. Asked once.
    fn finish(&mut self) -> Result<(), RobotFault> {
        Ok(())
    }
}

impl Robot for Box<dyn Strategy> {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Result<Decision, RobotFault> {
        Ok(self.as_mut().choose(game, stop))
    }
}

/// What a robot did wrong. Displays it as a sentence about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RobotFault {
    /// Of which kind.
    pub kind: RobotFaultKind,
    /// In words, without the robot's name: `played 7,7, which is taken`.
    pub reason: String,
}

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RobotFaultKind {
    /// It answered with what is no legal move.
    Illegal,
    /// It did not answer in time.
    Time,
    /// It ended, could not be started, refused to play, or said more than can be heard.
    Crash,
    /// It did not end when it was told to. The game stands.
    Stubborn,
    /// It was told to stop before it had a move: nobody's fault.
    Stopped,
}

impl RobotFaultKind {
    /// A word for tables.
    pub fn as_str(self) -> &'static str {
        match self {
            RobotFaultKind::Illegal => "illegal",
            RobotFaultKind::Time => "time",
            RobotFaultKind::Crash => "crash",
            RobotFaultKind::Stubborn => "stubborn",
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

/// Starts programs from outside and speaks with them.
pub trait EngineHost: Send + Sync {
    /// Tries whether this command is a program that plays such a game, and says in a sentence why
    /// not. What was started for it is ended.
    fn check(&self, command: &str, game: &Game) -> Result<(), String>;

    /// A robot for one game that plays as this program does. It is started when it is first asked.
    fn create_robot(&self, command: &str) -> Box<dyn Robot>;
}

/// The right to name programs, or its absence.
#[derive(Clone, Default)]
pub struct Engines(Option<Arc<dyn EngineHost>>);

impl Engines {
    /// Nobody may name a program.
    pub fn none() -> Engines {
        Engines(None)
    }

    /// Programs are started by this host.
    pub fn hosted_by(host: Arc<dyn EngineHost>) -> Engines {
        Engines(Some(host))
    }

    /// Reads `minimax:7`, or where there is a host also `engine:COMMAND`.
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

/// A robot by name: a strategy, or a program from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RobotName {
    /// One of ours.
    Strategy(StrategyName),
    /// A program.
    Engine(EngineName),
}

/// A program by its command, with who starts it.
#[derive(Clone)]
pub struct EngineName {
    command: String,
    host: Arc<dyn EngineHost>,
}

impl RobotName {
    /// Makes the robot for this game, or says in a sentence why it does not play it. A program is
    /// not tried here, but by [`fits`](RobotName::fits).
    pub fn build(&self, game: &Game, setup: &EngineSetup) -> Result<Box<dyn Robot>, Unfit> {
        match self {
            RobotName::Strategy(name) => Ok(Box::new(name.build(game, setup)?)),
            RobotName::Engine(name) => Ok(name.host.create_robot(&name.command)),
        }
    }

    /// Why it does not play this game. A program is started to find that out, and ended again.
    pub fn fits(&self, game: &Game) -> Result<(), Unfit> {
        match self {
            RobotName::Strategy(name) => name.fits(game),
            RobotName::Engine(name) => name
                .host
                .check(&name.command, game)
                .map_err(|reason| Unfit::new(self.to_string(), reason)),
        }
    }

    /// What it does, in a few words.
    pub fn description(&self) -> &'static str {
        match self {
            RobotName::Strategy(name) => name.kind().description,
            RobotName::Engine(_) => "a program of yours",
        }
    }

    /// How it is called where commands have no place, such as in a record.
    pub fn label(&self) -> String {
        match self {
            RobotName::Strategy(name) => name.to_string(),
            RobotName::Engine(name) => name.label(),
        }
    }
}

impl EngineName {
    /// The program's file without its folder; of `python3 engines/one.py --fast` it is `one.py`. Where
    /// one feeds another, it is the last that answers.
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

    struct Nobody;

    impl EngineHost for Nobody {
        fn check(&self, _: &str, _: &Game) -> Result<(), String> {
            Err("nobody is there".to_owned())
        }

        fn create_robot(&self, _: &str) -> Box<dyn Robot> {
            unreachable!("nobody sits down")
        }
    }

    fn hosted() -> Engines {
        Engines::hosted_by(Arc::new(Nobody))
    }

    #[test]
    fn a_program_can_be_named_only_where_somebody_hosts_it() {
        let error = Engines::none()
            .parse("engine:true")
            .unwrap_err()
            .to_string();
        assert!(error.contains("on the command line alone"), "{error}");
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
    fn a_label_says_no_path_and_no_option() {
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
