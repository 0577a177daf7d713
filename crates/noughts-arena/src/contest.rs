//! Who meets whom in which game, and how one game goes.
//!
//! Everything about a game follows from the contest and the game's number, so that games may be played
//! in any order, on any number of threads, today or tomorrow.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;

use noughts_engine::{Decision, Fault, FaultKind, Random, Robot, RobotName, Setup, Stop, Unfit};
use noughts_rules::{Action, Conclusion, Game, Move, Player, Record, RecordSeat, Seat, Variant};

use crate::opening::{Openings, new_game};

/// Openings that are remembered, for the other games of their round.
const MOST_REMEMBERED: usize = 64;

/// The most tables.
const MOST_TABLES: u128 = 100_000;

/// The most games: each is remembered.
const MOST_GAMES: u64 = 10_000_000;

/// Who takes part.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// How it is called in reports; no two alike.
    pub label: String,
    /// How it plays.
    pub robot: RobotName,
}

/// A contest between strategies and programs.
#[derive(Debug)]
pub struct Contest {
    variant: Variant,
    entrants: Vec<Entrant>,
    /// Who sit down together.
    tables: Vec<Vec<usize>>,
    /// How many openings each table plays, from every seat.
    rounds: u32,
    seed: u64,
    openings: Openings,
    remembered: Mutex<BTreeMap<u32, Vec<Move>>>,
}

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Everybody everybody else.
    RoundRobin,
    /// The first everybody else.
    Gauntlet,
    /// Everybody their neighbours, this far away at most: for those who stand in order of strength.
    Ladder(usize),
}

/// A contest as it is asked for.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The game.
    pub variant: Variant,
    /// Who takes part, as many as the game has sides or more.
    pub robots: Vec<RobotName>,
    /// Who meets whom.
    pub format: Format,
    /// Games of each table; rounded up so that every opening is played from every seat.
    pub games: u32,
    /// The same seed, the same games, but where a clock decides.
    pub seed: u64,
    /// How games begin.
    pub openings: Openings,
}

/// One game of a contest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// Its number, from 0.
    pub number: u32,
    /// Its opening's.
    pub round: u32,
    /// Which table.
    pub table: usize,
    /// The entrants by seat.
    pub seats: Vec<usize>,
}

/// What came of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Which game.
    pub fixture: Fixture,
    /// Seats that won; none in a draw.
    pub winners: Vec<usize>,
    /// How many plays, the opening's too.
    pub plies: usize,
    /// The seat that failed, how, and in words.
    pub fault: Option<(usize, FaultKind, String)>,
    /// Seats whose program did not end when it was told to.
    pub stubborn: Vec<usize>,
}

impl Contest {
    /// Plans a contest, or says which robot does not play the game, or that there are too few.
    pub fn new(plan: Plan) -> Result<Contest, ContestError> {
        let sides = usize::from(plan.variant.sides());
        if plan.robots.len() < sides || plan.robots.len() < 2 {
            return Err(ContestError::TooFew {
                needed: sides.max(2),
                found: plan.robots.len(),
            });
        }
        let game = new_game(&plan.variant);
        for (index, robot) in plan.robots.iter().enumerate() {
            if !plan.robots[..index].contains(robot) {
                robot.fits(&game).map_err(ContestError::Unfit)?;
            }
        }
        if choices(plan.robots.len(), sides) > MOST_TABLES {
            return Err(ContestError::TooMany);
        }
        let tables = tables(plan.robots.len(), sides, plan.format);
        let rounds = plan.games.max(1).div_ceil(sides as u32);
        if tables.len() as u64 * u64::from(rounds) * sides as u64 > MOST_GAMES {
            return Err(ContestError::TooMany);
        }
        Ok(Contest {
            entrants: entrants(plan.robots),
            variant: plan.variant,
            tables,
            rounds,
            seed: plan.seed,
            openings: plan.openings,
            remembered: Mutex::default(),
        })
    }

    /// The game.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Who takes part.
    pub fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How games begin.
    pub fn openings(&self) -> &Openings {
        &self.openings
    }

    /// Who sit down together.
    pub fn tables(&self) -> &[Vec<usize>] {
        &self.tables
    }

    /// Seats a game.
    pub fn seats(&self) -> usize {
        usize::from(self.variant.sides())
    }

    /// How many games there are.
    pub fn games(&self) -> u32 {
        self.rounds * (self.tables.len() * self.seats()) as u32
    }

    /// The game with this number. Games go round by round, so that whenever one stops all tables
    /// have played as much.
    pub fn fixture(&self, number: u32) -> Fixture {
        let seats = self.seats();
        let (of_block, block) = (number as usize % seats, number as usize / seats);
        let (table, round) = (
            block % self.tables.len(),
            (block / self.tables.len()) as u32,
        );
        let mut order = self.tables[table].clone();
        if seats > 2 {
            // With two, turning round is all there is.
            let mut random =
                Random::new(self.seed ^ u64::from(round + 1).wrapping_mul(0x9E6C_63D0));
            for last in (1..order.len()).rev() {
                order.swap(last, random.below(last + 1));
            }
        }
        order.rotate_left(of_block);
        Fixture {
            number,
            round,
            table,
            seats: order,
        }
    }

    /// Plays these games on so many threads and hands each outcome over as it comes, until all are
    /// played, somebody says stop, or `heard` breaks off.
    pub fn play<E>(
        &self,
        numbers: &[u32],
        threads: usize,
        stop: &Stop,
        mut heard: impl FnMut(Outcome, &Record) -> Result<(), E>,
    ) -> Result<(), E> {
        let next = AtomicUsize::new(0);
        let (sender, outcomes) = sync_channel(threads.max(1));
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
            let mut result = Ok(());
            for (outcome, record) in &outcomes {
                if result.is_ok() {
                    result = heard(outcome, &record);
                }
                if result.is_err() {
                    stop.set();
                }
            }
            result
        })
    }

    /// Plays one game; `None` when told to stop before its end.
    pub fn play_one(&self, number: u32, stop: &Stop) -> Option<(Outcome, Record)> {
        let fixture = self.fixture(number);
        let mut game = self.opened(fixture.round);
        let mut robots = self.robots(&fixture, &game);
        let mut fault = None;
        while let Some(Seat(seat)) = game.to_move() {
            let at = usize::from(seat);
            let chosen = ask(robots[at].as_mut(), &game, stop);
            if stop.is_set() {
                return None;
            }
            let played = chosen.and_then(|decision| {
                let played = game.act(Seat(seat), Action::Play(decision.at));
                played.map_err(|refusal| Fault {
                    kind: FaultKind::Illegal,
                    reason: format!("played what is not legal: {refusal}"),
                })
            });
            if let Err(wrong) = played {
                fault = Some((at, wrong.kind, wrong.reason));
                game.leave(Seat(seat))
                    .expect("a seat of a game that goes on");
            }
        }
        let stubborn = (0..robots.len())
            .filter(|seat| robots[*seat].part().is_err())
            .collect();
        let outcome = Outcome {
            winners: winners(&game),
            plies: game.plays().len(),
            fault,
            stubborn,
            fixture,
        };
        let record = self.record(game, &outcome.fixture);
        Some((outcome, record))
    }

    /// The game with its opening played.
    fn opened(&self, round: u32) -> Game {
        let known = self
            .remembered
            .lock()
            .ok()
            .and_then(|known| known.get(&round).cloned());
        let plays = known.unwrap_or_else(|| {
            let plays = self.openings.of_round(&self.variant, self.seed, round);
            if let Ok(mut known) = self.remembered.lock() {
                known.insert(round, plays.clone());
                while known.len() > MOST_REMEMBERED {
                    known.pop_first();
                }
            }
            plays
        });
        let mut game = new_game(&self.variant);
        for at in plays {
            let seat = game.to_move().expect("an opening is no whole game");
            game.act(seat, Action::Play(at))
                .expect("openings were checked");
        }
        game
    }

    fn robots(&self, fixture: &Fixture, game: &Game) -> Vec<Box<dyn Robot>> {
        let mut seeds = Random::new(
            self.seed ^ u64::from(fixture.number + 1).wrapping_mul(0xD1B5_4A32_D192_ED03),
        );
        let mut sit_down = |entrant: &usize| {
            let setup = Setup::with_seed(seeds.draw());
            let robot = self.entrants[*entrant].robot.build(game, &setup);
            robot.expect("robots that were tried sit down again")
        };
        fixture.seats.iter().map(&mut sit_down).collect()
    }

    fn record(&self, game: Game, fixture: &Fixture) -> Record {
        let seats = game
            .order()
            .iter()
            .zip(&fixture.seats)
            .map(|(side, entrant)| {
                let entrant = &self.entrants[*entrant];
                RecordSeat {
                    symbol: side.symbol(),
                    player: match &entrant.robot {
                        RobotName::Strategy(name) => Player::Robot(name.to_string()),
                        RobotName::Engine(_) => Player::Human(entrant.label.clone()),
                    },
                }
            });
        let seats = seats.collect();
        Record::new(game, seats).expect("a label is a name")
    }
}

/// A strategy that panics has failed in this game, and not the contest.
fn ask(robot: &mut dyn Robot, game: &Game, stop: &Stop) -> Result<Decision, Fault> {
    let asked = catch_unwind(AssertUnwindSafe(|| robot.choose(game, stop)));
    asked.unwrap_or_else(|_| {
        Err(Fault {
            kind: FaultKind::Crash,
            reason: "failed and gave no move".to_owned(),
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
        Some(Conclusion::Draw | Conclusion::Abandoned) | None => Vec::new(),
    }
}

/// How many ways there are to choose so many of them.
fn choices(players: usize, sides: usize) -> u128 {
    let step = |ways: u128, taken: usize| {
        ways.saturating_mul((players - taken) as u128) / (taken as u128 + 1)
    };
    (0..sides.min(players)).fold(1, step)
}

/// Every choice of so many players, in order.
fn tables(players: usize, sides: usize, format: Format) -> Vec<Vec<usize>> {
    let mut tables: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..sides {
        let grow = |table: &Vec<usize>| -> Vec<Vec<usize>> {
            let from = table.last().map_or(0, |last| last + 1);
            let with = |player| table.iter().copied().chain([player]).collect();
            // Enough must be left for the seats behind.
            let to = players + table.len() + 1 - sides;
            (from..to).map(with).collect()
        };
        tables = tables.iter().flat_map(grow).collect();
    }
    let is_wanted = |table: &Vec<usize>| match format {
        Format::RoundRobin => true,
        Format::Gauntlet => table[0] == 0,
        Format::Ladder(far) => table[sides - 1] - table[0] <= far.max(sides - 1),
    };
    tables.retain(is_wanted);
    tables
}

/// Labels that differ: `level:3`, `level:3 #2`.
fn entrants(robots: Vec<RobotName>) -> Vec<Entrant> {
    let mut entrants: Vec<Entrant> = Vec::new();
    for robot in robots {
        let label = robot.label();
        let is_taken = |label: &str| entrants.iter().any(|one| one.label == label);
        let numbered = (2..).map(|number| format!("{label} #{number}"));
        let label = std::iter::once(label.clone())
            .chain(numbered)
            .find(|label| !is_taken(label))
            .unwrap_or_default();
        entrants.push(Entrant { label, robot });
    }
    entrants
}

/// Why there is no contest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ContestError {
    /// Fewer players than the game has sides.
    TooFew {
        /// As many as it takes.
        needed: usize,
        /// As many as there are.
        found: usize,
    },
    /// More games than a contest may have.
    TooMany,
    /// A robot that does not play the game.
    Unfit(Unfit),
}

impl std::fmt::Display for ContestError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ContestError::TooFew { needed, found } => write!(
                f,
                "this game needs {needed} players or more, not {found}; the same may be named twice"
            ),
            ContestError::TooMany => write!(f, "a contest has at most {MOST_GAMES} games"),
            ContestError::Unfit(unfit) => unfit.fmt(f),
        }
    }
}

impl std::error::Error for ContestError {}
