//! Who sits where: the same at every door.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{
    Clock, Engines, Fault, Random, Robot, RobotName, Setup, Stop, StrategyError, Unfit,
};
use noughts_rules::{Game, Move, Seat};

/// Who holds a seat, as it is written: `human`, or the name of a strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// Somebody who types.
    Human,
    /// A robot that plays so.
    Robot(RobotName),
}

impl Holder {
    /// Reads who is meant; programs may be named if these engines allow it.
    pub fn read(text: &str, engines: &Engines) -> Result<Holder, HolderError> {
        match text {
            "human" => Ok(Holder::Human),
            _ => engines.read(text).map(Holder::Robot).map_err(HolderError),
        }
    }

    /// Why whoever is meant can't sit down at this game. A program is started to find that out.
    pub fn fits(&self, game: &Game) -> Result<(), Unfit> {
        match self {
            Holder::Human => Ok(()),
            Holder::Robot(name) => name.fits(game),
        }
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
            Holder::Human => f.write_str("human"),
            Holder::Robot(name) => name.fmt(f),
        }
    }
}

/// Why a text says nobody who could hold a seat. Displays who could.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HolderError(StrategyError);

impl fmt::Display for HolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; a person is human", self.0)
    }
}

impl std::error::Error for HolderError {}

/// The seats of one game, its robots ready to play.
pub struct Seats {
    /// By seat; none where a person sits.
    robots: Vec<Option<Box<dyn Robot>>>,
    clock: Arc<dyn Clock>,
}

/// What a robot chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thought {
    /// Its move.
    pub at: Move,
    /// How long it thought.
    pub took: Duration,
}

impl Seats {
    /// Seats these holders at a game, or says which of them does not play it. The same seed seats
    /// the same robots, each with a seed of its own.
    pub fn new(game: &Game, holders: &[Holder], outside: &Setup) -> Result<Seats, Unfit> {
        let mut seeds = Random::new(outside.seed);
        let mut sit_down = |holder: &Holder| {
            let own = Setup {
                seed: seeds.draw(),
                clock: Arc::clone(&outside.clock),
            };
            match holder {
                Holder::Human => Ok(None),
                Holder::Robot(name) => name.build(game, &own).map(Some),
            }
        };
        Ok(Seats {
            robots: holders
                .iter()
                .map(&mut sit_down)
                .collect::<Result<_, _>>()?,
            clock: Arc::clone(&outside.clock),
        })
    }

    /// Whether a robot sits there.
    pub fn is_robot(&self, seat: Seat) -> bool {
        self.robots
            .get(usize::from(seat.0))
            .is_some_and(Option::is_some)
    }

    /// Lets the robot at this seat, whose turn it is, choose its move; `None` where a person sits.
    /// Only a program from outside fails to.
    pub fn think(&mut self, seat: Seat, game: &Game) -> Option<Result<Thought, Fault>> {
        let robot = self.robots.get_mut(usize::from(seat.0))?.as_mut()?;
        let start = self.clock.now();
        let decision = robot.choose(game, &Stop::new());
        Some(decision.map(|decision| Thought {
            at: decision.at,
            took: self.clock.now().saturating_sub(start),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(holders: &[&str], seed: u64) -> (Game, Seats) {
        let game = Game::new(&"9x9k5".parse().unwrap(), Default::default()).unwrap();
        let holders: Vec<Holder> = holders.iter().map(|text| text.parse().unwrap()).collect();
        let seats = Seats::new(&game, &holders, &Setup::with_seed(seed)).unwrap();
        (game, seats)
    }

    #[test]
    fn robots_think_and_people_do_not() {
        let (game, mut seats) = seats(&["first", "human"], 1);
        assert!(seats.is_robot(Seat(0)) && !seats.is_robot(Seat(1)) && !seats.is_robot(Seat(2)));
        assert_eq!(
            seats.think(Seat(0), &game).unwrap().unwrap().at,
            Move::at(0)
        );
        assert_eq!(seats.think(Seat(1), &game), None);
        assert_eq!(seats.think(Seat(2), &game), None);
    }

    #[test]
    fn the_same_seed_seats_the_same_robots_and_no_two_alike() {
        let moves = |seed| {
            let (game, mut seats) = seats(&["random", "random"], seed);
            [Seat(0), Seat(1)].map(|seat| seats.think(seat, &game).unwrap().unwrap().at)
        };
        assert_eq!(moves(7), moves(7));
        assert_ne!(moves(7), moves(8));
        assert_ne!(moves(7)[0], moves(7)[1]);
    }

    #[test]
    fn who_is_nobody_is_told_who_there_is() {
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
