//! The robots of one game.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{Clock, EngineSetup, Random, Robot, RobotFault, Stop, UnsupportedGame};

use noughts_rules::{Game, Move, Seat};

use crate::holder::Holder;

/// The robots of one game.
pub struct Robots {
    /// One entry per seat. `None` for people.
    robots: Vec<Option<Box<dyn Robot>>>,
    clock: Arc<dyn Clock>,
}

/// A robot's move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RobotMove {
    /// The move.
    pub at: Move,
    /// The time that the robot took.
    pub took: Duration,
}

impl Robots {
    /// Builds a robot for each seat that a robot holds, each with its own seed. Fails if a robot cannot play the
    /// game.
    pub fn new(
        game: &Game,
        holders: &[Holder],
        engine_setup: &EngineSetup,
    ) -> Result<Robots, UnsupportedGame> {
        let mut seeds = Random::new(engine_setup.seed);
        let mut build_robot = |holder: &Holder| {
            let own = EngineSetup {
                seed: seeds.draw(),
                clock: Arc::clone(&engine_setup.clock),
            };
            match holder {
                Holder::Human(_) => Ok(None),
                Holder::Robot(name) => name.build(game, &own).map(Some),
            }
        };
        Ok(Robots {
            robots: holders
                .iter()
                .map(&mut build_robot)
                .collect::<Result<_, _>>()?,
            clock: Arc::clone(&engine_setup.clock),
        })
    }

    /// Whether a robot holds this seat.
    pub fn is_robot(&self, seat: Seat) -> bool {
        self.robots
            .get(usize::from(seat.0))
            .is_some_and(Option::is_some)
    }

    /// Lets the robot of `seat` choose a move. Returns `None` if a person holds the seat. Only external engines can
    /// fail.
    pub fn think(&mut self, seat: Seat, game: &Game) -> Option<Result<RobotMove, RobotFault>> {
        let robot = self.robots.get_mut(usize::from(seat.0))?.as_mut()?;
        let start = self.clock.now();
        let decision = robot.choose(game, &Stop::new());
        Some(decision.map(|decision| RobotMove {
            at: decision.at,
            took: self.clock.now().saturating_sub(start),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(holders: &[&str], seed: u64) -> (Game, Robots) {
        let game = Game::new(&"9x9k5".parse().unwrap(), Default::default()).unwrap();
        let holders: Vec<Holder> = holders.iter().map(|text| text.parse().unwrap()).collect();
        let seats = Robots::new(&game, &holders, &EngineSetup::with_seed(seed)).unwrap();
        (game, seats)
    }

    #[test]
    fn only_robots_choose_moves() {
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
}
