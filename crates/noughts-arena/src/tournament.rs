//! The schedule of a tournament, and the code that plays its games.
//!
//! The options of the tournament and the number of a game determine the players, their seats and seeds, and the opening
//! of the game. So games can be played in any order on any number of threads, and an interrupted tournament can
//! continue.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;

use noughts_engine::{
    Decision, EngineSetup, Random, Robot, RobotFault, RobotFaultKind, RobotName, Stop,
    UnsupportedGame,
};
use noughts_rules::{Action, Conclusion, Game, Move, Player, Record, RecordSeat, Seat, Variant};

use crate::openings::{Openings, new_game};

/// Maximum number of openings in the cache.
const MAX_CACHED_OPENINGS: usize = 64;

/// Maximum number of pairings, counted as if every participant played every other participant.
const MAX_PAIRINGS: u128 = 100_000;

/// Maximum number of games. The limit exists because all results are kept in memory.
const MAX_GAMES: u64 = 10_000_000;

/// A robot in a tournament.
#[derive(Clone, Debug)]
pub struct Participant {
    /// The participant's name in reports. No other participant has the same name.
    pub label: String,
    /// The robot.
    pub robot: RobotName,
}

/// A tournament between robots.
#[derive(Debug)]
pub struct Tournament {
    variant: Variant,
    participants: Vec<Participant>,
    /// The groups of participants that play each other, as indices in `participants`. In a two-player game a
    /// group has two participants.
    pairings: Vec<Vec<usize>>,
    /// Number of openings per pairing. Each opening is played from every seat.
    rounds: u32,
    seed: u64,
    openings: Openings,
    opening_cache: Mutex<BTreeMap<u32, Vec<Move>>>,
}

/// Which participants play each other. If a game has more than two seats, the format selects groups of participants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Each participant plays every other participant. In games with more than two seats, all possible groups
    /// play.
    RoundRobin,
    /// The first participant plays every other participant. In games with more than two seats, all groups
    /// with the first participant play.
    Gauntlet,
    /// Each participant plays only participants that are at most this number of entries away in the list. The
    /// list should be ordered by strength. With more than two seats, this number is the maximum distance
    /// between the first and the last participant of a group. A group of consecutive participants is always
    /// allowed.
    Ladder(usize),
}

/// Options of a tournament.
#[derive(Clone, Debug)]
pub struct TournamentOptions {
    /// The variant.
    pub variant: Variant,
    /// The robots that take part: at least two, and at least one per side of the variant.
    pub robots: Vec<RobotName>,
    /// Which participants play each other.
    pub format: Format,
    /// The number of games per pairing. It is rounded up, so that every opening is played from every seat.
    pub games: u32,
    /// The seed of the random numbers. The same seed gives the same games, unless a robot has a time limit.
    pub seed: u64,
    /// The openings.
    pub openings: Openings,
}

/// A game in the schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduledGame {
    /// The number of the game, from 0.
    pub number: u32,
    /// The round. All games of a round have the same opening.
    pub round: u32,
    /// The index of the game's pairing.
    pub pairing: usize,
    /// The participants by seat, as indices in the tournament's list of participants.
    pub seats: Vec<usize>,
}

/// The result of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameResult {
    /// The scheduled game.
    pub game: ScheduledGame,
    /// The seats that won. The list is empty in a draw.
    pub winners: Vec<usize>,
    /// The number of moves, including the opening.
    pub plies: usize,
    /// If a robot failed: its seat, the kind of failure and the reason.
    pub fault: Option<(usize, RobotFaultKind, String)>,
    /// The seats whose engine did not exit after `END`.
    pub did_not_exit: Vec<usize>,
}

impl Tournament {
    /// Creates a tournament. Checks that all robots can play the variant, and that the numbers of participants and
    /// games are within the limits.
    pub fn new(options: TournamentOptions) -> Result<Tournament, TournamentError> {
        let sides = usize::from(options.variant.sides());
        if options.robots.len() < sides || options.robots.len() < 2 {
            return Err(TournamentError::TooFew {
                needed: sides.max(2),
                found: options.robots.len(),
            });
        }
        let game = new_game(&options.variant);
        for (index, robot) in options.robots.iter().enumerate() {
            if !options.robots[..index].contains(robot) {
                robot
                    .check(&game)
                    .map_err(TournamentError::UnsupportedGame)?;
            }
        }
        if choices(options.robots.len(), sides) > MAX_PAIRINGS {
            return Err(TournamentError::TooManyPairings);
        }
        let pairings = pairings(options.robots.len(), sides, options.format);
        let rounds = options.games.max(1).div_ceil(sides as u32);
        if pairings.len() as u64 * u64::from(rounds) * sides as u64 > MAX_GAMES {
            return Err(TournamentError::TooManyGames);
        }
        Ok(Tournament {
            participants: participants(options.robots),
            variant: options.variant,
            pairings,
            rounds,
            seed: options.seed,
            openings: options.openings,
            opening_cache: Mutex::default(),
        })
    }

    /// The variant.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The participants.
    pub fn participants(&self) -> &[Participant] {
        &self.participants
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The openings.
    pub fn openings(&self) -> &Openings {
        &self.openings
    }

    /// The groups of participants that play each other, as indices in the list of participants.
    pub fn pairings(&self) -> &[Vec<usize>] {
        &self.pairings
    }

    /// Seats per game.
    pub fn seats(&self) -> usize {
        usize::from(self.variant.sides())
    }

    /// The number of games.
    pub fn games(&self) -> u32 {
        self.rounds * (self.pairings.len() * self.seats()) as u32
    }

    /// Returns the game with this number. Games are ordered by round, so at any time all pairings have played
    /// about the same number of games.
    pub fn scheduled_game(&self, number: u32) -> ScheduledGame {
        let seats = self.seats();
        let (of_block, block) = (number as usize % seats, number as usize / seats);
        let (pairing, round) = (
            block % self.pairings.len(),
            (block / self.pairings.len()) as u32,
        );
        let mut order = self.pairings[pairing].clone();
        if seats > 2 {
            let mut random =
                Random::new(self.seed ^ u64::from(round + 1).wrapping_mul(0x9E6C_63D0));
            for last in (1..order.len()).rev() {
                order.swap(last, random.below(last + 1));
            }
        }
        order.rotate_left(of_block);
        ScheduledGame {
            number,
            round,
            pairing,
            seats: order,
        }
    }

    /// Plays the games `numbers` on several threads and passes each result to `take`. Ends when all games are played or
    /// `stop` is set. If `take` fails, sets `stop` and returns the error. Unfinished games have no result.
    pub fn play<E>(
        &self,
        numbers: &[u32],
        threads: usize,
        stop: &Stop,
        mut take: impl FnMut(GameResult, &Record) -> Result<(), E>,
    ) -> Result<(), E> {
        let next = AtomicUsize::new(0);
        let (sender, results) = sync_channel(threads.max(1));
        thread::scope(|scope| {
            for _ in 0..threads.clamp(1, numbers.len().max(1)) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    while !stop.is_set()
                        && let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed))
                        && let Some(played) = self.play_one(*number, stop)
                        && sender.send(played).is_ok()
                    {}
                });
            }
            drop(sender);
            let mut outcome = Ok(());
            for (result, record) in &results {
                if outcome.is_ok() {
                    outcome = take(result, &record);
                }
                if outcome.is_err() {
                    stop.set();
                }
            }
            outcome
        })
    }

    /// Plays one game. Returns `None` if `stop` was set before the end of the game.
    pub fn play_one(&self, number: u32, stop: &Stop) -> Option<(GameResult, Record)> {
        let scheduled = self.scheduled_game(number);
        let mut game = self.opened(scheduled.round);
        let mut robots = self.robots(&scheduled, &game);
        let mut fault = None;
        while let Some(Seat(seat)) = game.to_move() {
            let at = usize::from(seat);
            let chosen = ask(robots[at].as_mut(), &game, stop);
            if stop.is_set() {
                return None;
            }
            let played = chosen.and_then(|decision| {
                let played = game.act(Seat(seat), Action::Play(decision.at));
                played.map_err(|refusal| RobotFault {
                    kind: RobotFaultKind::Illegal,
                    reason: format!("played an illegal move: {refusal}"),
                })
            });
            if let Err(wrong) = played {
                fault = Some((at, wrong.kind, wrong.reason));
                game.leave(Seat(seat))
                    .expect("a seat of a game that goes on");
            }
        }
        let did_not_exit = (0..robots.len())
            .filter(|seat| robots[*seat].finish().is_err())
            .collect();
        let result = GameResult {
            winners: winners(&game),
            plies: game.plays().len(),
            fault,
            did_not_exit,
            game: scheduled,
        };
        let record = self.record(game, &result.game);
        Some((result, record))
    }

    /// Returns a game in which the opening of `round` has been played.
    fn opened(&self, round: u32) -> Game {
        let known = self
            .opening_cache
            .lock()
            .ok()
            .and_then(|known| known.get(&round).cloned());
        let plays = known.unwrap_or_else(|| {
            let plays = self.openings.of_round(&self.variant, self.seed, round);
            if let Ok(mut known) = self.opening_cache.lock() {
                known.insert(round, plays.clone());
                while known.len() > MAX_CACHED_OPENINGS {
                    known.pop_first();
                }
            }
            plays
        });
        let mut game = new_game(&self.variant);
        for at in plays {
            let seat = game.to_move().expect("an opening does not end a game");
            game.act(seat, Action::Play(at))
                .expect("openings were checked");
        }
        game
    }

    fn robots(&self, scheduled: &ScheduledGame, game: &Game) -> Vec<Box<dyn Robot>> {
        let mut seeds = Random::new(
            self.seed ^ u64::from(scheduled.number + 1).wrapping_mul(0xD1B5_4A32_D192_ED03),
        );
        let mut build = |participant: &usize| {
            let setup = EngineSetup::with_seed(seeds.draw());
            let robot = self.participants[*participant].robot.build(game, &setup);
            robot.expect("the robot was checked")
        };
        scheduled.seats.iter().map(&mut build).collect()
    }

    fn record(&self, game: Game, scheduled: &ScheduledGame) -> Record {
        let seats = game
            .order()
            .iter()
            .zip(&scheduled.seats)
            .map(|(side, participant)| {
                let participant = &self.participants[*participant];
                RecordSeat {
                    symbol: side.symbol(),
                    player: match &participant.robot {
                        RobotName::Strategy(name) => Player::Robot(name.to_string()),
                        RobotName::Engine(_) => Player::Human(participant.label.clone()),
                    },
                }
            });
        let seats = seats.collect();
        Record::new(game, seats).expect("a label is a name")
    }
}

/// Asks a robot for a move. A strategy that panics loses the game, and the tournament continues.
fn ask(robot: &mut dyn Robot, game: &Game, stop: &Stop) -> Result<Decision, RobotFault> {
    let asked = catch_unwind(AssertUnwindSafe(|| robot.choose(game, stop)));
    asked.unwrap_or_else(|_| {
        Err(RobotFault {
            kind: RobotFaultKind::Crash,
            reason: "failed and chose no move".to_owned(),
        })
    })
}

fn winners(game: &Game) -> Vec<usize> {
    match game.conclusion() {
        Some(Conclusion::Won { sides, .. }) => {
            let seats = game.order().iter().enumerate();
            let won = seats.filter(|(_, side)| sides.contains(**side));
            won.map(|(seat, _)| seat).collect()
        }
        Some(Conclusion::Draw { .. } | Conclusion::Abandoned | Conclusion::Aborted) | None => {
            Vec::new()
        }
    }
}

/// Returns the number of ways to choose `sides` players from `players` players (the binomial coefficient).
fn choices(players: usize, sides: usize) -> u128 {
    let step = |ways: u128, taken: usize| {
        ways.saturating_mul((players - taken) as u128) / (taken as u128 + 1)
    };
    (0..sides.min(players)).fold(1, step)
}

/// All groups of `sides` players that the format allows, in ascending order.
fn pairings(players: usize, sides: usize, format: Format) -> Vec<Vec<usize>> {
    let mut pairings: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..sides {
        let grow = |pairing: &Vec<usize>| -> Vec<Vec<usize>> {
            let from = pairing.last().map_or(0, |last| last + 1);
            let with = |player| pairing.iter().copied().chain([player]).collect();
            // Leave enough players for the remaining seats.
            let to = players + pairing.len() + 1 - sides;
            (from..to).map(with).collect()
        };
        pairings = pairings.iter().flat_map(grow).collect();
    }
    let is_wanted = |pairing: &Vec<usize>| match format {
        Format::RoundRobin => true,
        Format::Gauntlet => pairing[0] == 0,
        Format::Ladder(far) => pairing[sides - 1] - pairing[0] <= far.max(sides - 1),
    };
    pairings.retain(is_wanted);
    pairings
}

/// Gives each robot a unique label, such as `level:3` and `level:3 #2`.
fn participants(robots: Vec<RobotName>) -> Vec<Participant> {
    let mut participants: Vec<Participant> = Vec::new();
    for robot in robots {
        let label = robot.label();
        let is_taken = |label: &str| participants.iter().any(|one| one.label == label);
        let numbered = (2..).map(|number| format!("{label} #{number}"));
        let label = std::iter::once(label.clone())
            .chain(numbered)
            .find(|label| !is_taken(label))
            .unwrap_or_default();
        participants.push(Participant { label, robot });
    }
    participants
}

/// Why the options of a tournament are refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TournamentError {
    /// There are fewer participants than the variant has sides, or fewer than two.
    TooFew {
        /// The minimum number of participants.
        needed: usize,
        /// The given number of participants.
        found: usize,
    },
    /// If every participant played every other participant, there would be more pairings than the limit
    /// allows.
    TooManyPairings,
    /// There are more games than the limit allows.
    TooManyGames,
    /// A robot cannot play the variant.
    UnsupportedGame(UnsupportedGame),
}

impl std::fmt::Display for TournamentError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TournamentError::TooFew { needed, found } => write!(
                f,
                "this game needs {needed} players or more, not {found}; a player may be named twice"
            ),
            TournamentError::TooManyPairings => write!(
                f,
                "too many players: if all of them played each other, there would be more than {MAX_PAIRINGS} pairings"
            ),
            TournamentError::TooManyGames => {
                write!(f, "a tournament has at most {MAX_GAMES} games")
            }
            TournamentError::UnsupportedGame(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TournamentError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(players: usize, games: u32) -> Option<String> {
        let options = TournamentOptions {
            variant: "3x3k3".parse().unwrap(),
            robots: vec![RobotName::Strategy("random".parse().unwrap()); players],
            format: Format::Gauntlet,
            games,
            seed: 1,
            openings: Openings::default(),
        };
        Tournament::new(options)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn errors_name_the_exceeded_limit() {
        assert_eq!(error(2, 10_000_000), None);
        let games = "a tournament has at most 10000000 games";
        assert_eq!(error(2, 10_000_001).as_deref(), Some(games));
        // 448 players have 100 128 pairings.
        let pairings = "too many players: if all of them played each other, there would be more than 100000 pairings";
        assert_eq!(error(448, 1).as_deref(), Some(pairings));
    }
}
