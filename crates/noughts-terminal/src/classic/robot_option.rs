//! Parses the option `--robot`, such as `o`, `o=perfect` or `1=random`.

use std::fmt;

use noughts_engine::{Engines, StrategyError};
use noughts_rules::Quoted;

use crate::holder::Holder;
use crate::symbols::Symbols;

/// The default strategy.
const DEFAULT: &str = "level:8";

/// Returns the holder of each seat from the values of `--robot`.
pub(super) fn holders(
    symbols: &Symbols,
    robots: &[String],
    engines: &Engines,
) -> Result<Vec<Holder>, RobotOptionError> {
    let strategies = strategies(symbols, robots, DEFAULT)?;
    let holders = strategies.into_iter().map(|strategy| match strategy {
        Some(strategy) => engines.parse(strategy).map(Holder::Robot),
        None => Ok(Holder::HUMAN),
    });
    let holders: Result<Vec<Holder>, StrategyError> = holders.collect();
    holders.map_err(RobotOptionError::Strategy)
}

/// Returns the holder of each seat (`human` or a strategy) from the values of `--robot`, in a game with the default
/// symbols. If a value names no strategy, such as `o`, the robot gets the strategy `default`.
pub fn robot_seats(
    sides: u8,
    robots: &[String],
    default: &str,
) -> Result<Vec<String>, RobotOptionError> {
    let seats = strategies(&Symbols::usual(sides), robots, default)?;
    let holder = |strategy: Option<&str>| strategy.unwrap_or("human").to_owned();
    Ok(seats.into_iter().map(holder).collect())
}

/// The strategy of each seat. `None` for people.
fn strategies<'t>(
    symbols: &Symbols,
    robots: &'t [String],
    default: &'t str,
) -> Result<Vec<Option<&'t str>>, RobotOptionError> {
    let mut seats = vec![None; symbols.seats().len()];
    for text in robots {
        let (who, strategy) = split(text);
        let seat = &mut seats[find(symbols, who)?];
        if seat.is_some() {
            return Err(RobotOptionError::Twice { who: who.into() });
        }
        *seat = Some(strategy.unwrap_or(default));
    }
    Ok(seats)
}

/// Splits `PLAYER[=STRATEGY]`. The symbol may be any visible character, including `=`.
fn split(text: &str) -> (&str, Option<&str>) {
    let symbol = text.chars().next().map_or(0, char::len_utf8);
    let (who, rest) = text.split_at(symbol);
    match (rest.strip_prefix('='), text.split_once('=')) {
        (Some(strategy), _) => (who, Some(strategy)),
        (None, Some((who, strategy))) if !rest.is_empty() => (who, Some(strategy)),
        (None, _) => (text, None),
    }
}

/// Finds a seat by its symbol or number. Symbols have precedence, because players may have the symbols `1` and `0`.
fn find(symbols: &Symbols, who: &str) -> Result<usize, RobotOptionError> {
    let seats = symbols.seats();
    let is_named = |symbol: &char| who.chars().eq([*symbol]);
    let named: Vec<usize> = (0..seats.len())
        .filter(|&seat| is_named(&seats[seat]))
        .collect();
    let number = who.bytes().all(|byte| byte.is_ascii_digit());
    let number = who
        .parse()
        .ok()
        .filter(|&seat| number && seat < seats.len());
    match (named.as_slice(), number) {
        ([seat], _) => Ok(*seat),
        (_, Some(seat)) => Ok(seat),
        ([], None) => Err(RobotOptionError::Nobody {
            who: who.into(),
            symbols: symbols.sides().into_iter().collect(),
            last: seats.len() - 1,
        }),
        (several, None) => Err(RobotOptionError::Several {
            who: who.into(),
            seats: several.to_vec(),
        }),
    }
}

/// Why a robot cannot take the seat. The error message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RobotOptionError {
    /// No seat has this symbol or number.
    Nobody {
        /// The value given.
        who: Quoted,
        /// The symbols of this game.
        symbols: String,
        /// The number of the last seat.
        last: usize,
    },
    /// Several seats have this symbol.
    Several {
        /// The value given.
        who: Quoted,
        /// The seats with this symbol.
        seats: Vec<usize>,
    },
    /// The seat already has a robot.
    Twice {
        /// The value given.
        who: Quoted,
    },
    /// The strategy is unknown.
    Strategy(StrategyError),
}

impl fmt::Display for RobotOptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RobotOptionError::Nobody { who, symbols, last } => write!(
                f,
                "no player (--robot) is {who}: the symbols are {symbols}, the seats 0 to {last}"
            ),
            RobotOptionError::Several { who, seats } => {
                let seats: Vec<String> = seats.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "several players (--robot) are {who}: say which by its seat, {}",
                    seats.join(" or ")
                )
            }
            RobotOptionError::Twice { who } => {
                write!(f, "the player (--robot) {who} is already a robot")
            }
            RobotOptionError::Strategy(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RobotOptionError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first letter of each robot's strategy, and `.` for each person.
    fn seated(players: &str, robots: &[&str]) -> Result<String, String> {
        let symbols = Symbols::read(players).unwrap();
        let robots: Vec<String> = robots.iter().map(|text| (*text).to_owned()).collect();
        let holders =
            holders(&symbols, &robots, &Engines::none()).map_err(|error| error.to_string())?;
        let letter = |holder: &Holder| match holder {
            Holder::Human(_) => '.',
            Holder::Robot(name) => name.to_string().chars().next().unwrap(),
        };
        Ok(holders.iter().map(letter).collect())
    }

    #[test]
    fn robots_sit_by_symbol_or_by_seat() {
        for (players, robots, expected) in [
            ("xo", &[][..], ".."),
            ("xo", &["o=random"], ".r"),
            ("xo", &["0=first", "o=random"], "fr"),
            ("xxo", &["1=random"], ".r."),
            ("xxo", &["o=random", "0=first"], "f.r"),
            ("ż🦀", &["🦀=first"], ".f"),
            // A symbol has precedence over a number if only one seat has this symbol.
            ("10", &["1=random"], "r."),
            ("110", &["1=random"], ".r."),
            ("x=", &["==random"], ".r"),
        ] {
            assert_eq!(
                seated(players, robots).as_deref(),
                Ok(expected),
                "{robots:?}"
            );
        }
    }

    #[test]
    fn invalid_robot_seats_are_explained() {
        for (players, robots, expected) in [
            (
                "xo",
                &["a=random"][..],
                "no player (--robot) is \"a\": the symbols are xo, the seats 0 to 1",
            ),
            (
                "xo",
                &["2=random"],
                "no player (--robot) is \"2\": the symbols are xo, the seats 0 to 1",
            ),
            (
                "xo",
                &["+1=random"],
                "no player (--robot) is \"+1\": the symbols are xo, the seats 0 to 1",
            ),
            (
                "xo",
                &["=random"],
                "no player (--robot) is \"\": the symbols are xo, the seats 0 to 1",
            ),
            (
                "xo",
                &[""],
                "no player (--robot) is \"\": the symbols are xo, the seats 0 to 1",
            ),
            (
                "xxo",
                &["x=random"],
                "several players (--robot) are \"x\": say which by its seat, 0 or 1",
            ),
            (
                "xo",
                &["o=random", "1=first"],
                "the player (--robot) \"1\" is already a robot",
            ),
        ] {
            assert_eq!(
                seated(players, robots),
                Err(expected.to_owned()),
                "{robots:?}"
            );
        }
        let error = seated("xo", &["o=nobody"]).unwrap_err();
        assert!(
            error.starts_with("\"nobody\" is not a strategy: there are "),
            "{error}"
        );
    }
}
