//! The options of the TCP client, checked before it connects.

use std::fmt;
use std::time::Duration;

use noughts_engine::{Engines, RobotName, StrategyError, UnsupportedGame};
use noughts_rules::{Game, GridSpec, Options, Quoted, Variant};
use noughts_wire::{Dialect, MAX_TEXT_BYTES, Name};

/// The name to send if the user name is unknown or cannot be sent.
const DEFAULT_NAME: &str = "player";

/// Maximum of `--games`.
const MAX_GAMES: u32 = 1_000_000;

/// The options as typed. An option that was not given is `None`.
#[derive(Clone, Default, Debug)]
pub struct ConnectOptions {
    /// The value of `--name`.
    pub name: Option<String>,
    /// The user name, the default of `--name`.
    pub user: Option<String>,
    /// The value of `--robot`.
    pub robot: Option<String>,
    /// The value of `--games`.
    pub games: Option<String>,
    /// Whether `--pairs` is given.
    pub is_pair: bool,
    /// Whether `--dialect later` is given.
    pub is_later: bool,
    /// The external engines that `--robot` may name.
    pub engines: Engines,
}

/// Checked options.
#[derive(Clone, Debug)]
pub struct ConnectSettings {
    pub(super) name: Name,
    pub(super) robot: Option<RobotName>,
    pub(super) games: u32,
    pub(super) is_pair: bool,
    pub(super) dialect: Dialect,
    /// If the server does not answer within this time, the client prints a message and keeps waiting.
    pub(super) pause: Duration,
    /// The client leaves if the server does not send a required answer within this time.
    pub(super) patience: Duration,
}

impl ConnectSettings {
    /// Checks the options.
    pub fn new(options: &ConnectOptions) -> Result<ConnectSettings, OptionError> {
        let robot = options.robot.as_deref();
        let robot = robot
            .map(|text| read_robot(text, &options.engines))
            .transpose()?;
        Ok(ConnectSettings {
            name: match &options.name {
                Some(text) => name(text)?,
                None => user(options.user.as_deref()),
            },
            robot,
            games: options.games.as_deref().map_or(Ok(1), games)?,
            is_pair: options.is_pair,
            dialect: match options.is_later {
                true => Dialect::Later,
                false => Dialect::Seed,
            },
            pause: Duration::from_secs(2),
            patience: Duration::from_secs(10),
        })
    }

    /// Returns these settings with other time limits, for tests.
    pub fn with_times(self, pause: Duration, patience: Duration) -> ConnectSettings {
        ConnectSettings {
            pause,
            patience,
            ..self
        }
    }
}

/// Creates the game that the protocol plays: tic-tac-toe.
pub(super) fn game() -> Game {
    Game::new(&Variant::Grid(GridSpec::TIC_TAC_TOE), Options::default())
        .expect("tic-tac-toe is for two players")
}

fn name(text: &str) -> Result<Name, OptionError> {
    let length = text.chars().count();
    match (Name::new(text), text.chars().find(|sign| sign.is_control())) {
        (Ok(name), None) if length > 0 => Ok(name),
        (_, Some(sign)) => Err(OptionError::NameCharacter(sign)),
        _ => match text.chars().find(|sign| u8::try_from(*sign).is_err()) {
            Some(sign) => Err(OptionError::NameCharacter(sign)),
            None => Err(OptionError::NameLength(length)),
        },
    }
}

/// Returns the user name, or `DEFAULT_NAME` if the user name cannot be sent.
fn user(text: Option<&str>) -> Name {
    text.and_then(|text| name(text).ok())
        .or_else(|| name(DEFAULT_NAME).ok())
        .unwrap_or_default()
}

fn read_robot(text: &str, engines: &Engines) -> Result<RobotName, OptionError> {
    let robot = engines.parse(text).map_err(OptionError::Strategy)?;
    robot.check(&game()).map_err(OptionError::UnsupportedGame)?;
    Ok(robot)
}

fn games(text: &str) -> Result<u32, OptionError> {
    let number = text.parse().ok();
    number
        .filter(|number| (1..=MAX_GAMES).contains(number))
        .ok_or_else(|| OptionError::Games(text.into()))
}

/// An invalid option. The error message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// `--name` is empty or too long. Contains the length of the name in characters.
    NameLength(usize),
    /// `--name` contains this character, which cannot be sent.
    NameCharacter(char),
    /// The value of `--robot` is not allowed.
    Strategy(StrategyError),
    /// A robot does not play tic-tac-toe.
    UnsupportedGame(UnsupportedGame),
    /// The value of `--games` is not allowed.
    Games(Quoted),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format_args!("the name (--name) must be 1 to {MAX_TEXT_BYTES} characters");
        match self {
            OptionError::NameLength(length) => write!(f, "{name}, not {length}"),
            OptionError::NameCharacter(sign) => write!(
                f,
                "{name} of Latin-1, the letters of western Europe, and {sign:?} is none of them"
            ),
            OptionError::Strategy(error) => error.fmt(f),
            OptionError::UnsupportedGame(error) => error.fmt(f),
            OptionError::Games(text) => write!(
                f,
                "the number of games (--games) must be from 1 to {MAX_GAMES}, not {text}"
            ),
        }
    }
}

impl std::error::Error for OptionError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent_name(name: Option<&str>, user: Option<&str>) -> Result<String, OptionError> {
        let options = ConnectOptions {
            name: name.map(str::to_owned),
            user: user.map(str::to_owned),
            ..ConnectOptions::default()
        };
        ConnectSettings::new(&options).map(|settings| settings.name.to_string())
    }

    #[test]
    fn default_name_is_the_user_name_if_it_can_be_sent() {
        let sent = |name, user| sent_name(name, user).unwrap();
        assert_eq!(sent(Some("Núria"), Some("root")), "Núria");
        assert_eq!(sent(None, Some("root")), "root");
        for user in [None, Some(""), Some("Łucja"), Some("a\u{1b}[2J")] {
            assert_eq!(sent(None, user), "player", "{user:?}");
        }
        let long = "é".repeat(256);
        assert_eq!(sent(None, Some(&long)), "player");
        assert_eq!(sent(Some(&long[2..]), None), long[2..]);
    }

    #[test]
    fn invalid_names_are_explained() {
        let long = "é".repeat(256);
        for (name, told) in [
            ("", "must be 1 to 255 characters, not 0"),
            (&*long, "must be 1 to 255 characters, not 256"),
            ("Łucja", "'Ł' is none of them"),
            ("a\0b", "'\\0' is none of them"),
            ("a\nb", "'\\n' is none of them"),
            ("a\u{9b}b", "'\\u{9b}' is none of them"),
        ] {
            let error = sent_name(Some(name), None).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
