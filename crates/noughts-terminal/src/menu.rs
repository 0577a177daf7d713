//! The menu game: one board, two players of either kind, asked for a row and a column.
//!
//! The model is [`Game`], the view `screen` and `words`, which has every
//! word; here is what happens when.

mod screen;
mod words;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use noughts_engine::{Random, Setup as Outside, StrategyName, Unfit};
use noughts_rules::{Action, Game, GridSpec, Move, Options, Seat, Variant};

use crate::console::{Console, Leave, sentence};
use crate::seats::{Holder, Seats};

/// A menu game that can be played.
#[derive(Clone, Debug)]
pub struct Setup {
    spec: GridSpec,
    robot: StrategyName,
}

impl Setup {
    /// This board, this robot; or why the robot does not play on it.
    pub fn new(spec: GridSpec, robot: StrategyName) -> Result<Setup, Unfit> {
        let setup = Setup { spec, robot };
        let robots = setup.holders(Mode::Robots);
        Seats::new(&setup.game(), &robots, &Outside::with_seed(0))?;
        Ok(setup)
    }

    fn game(&self) -> Game {
        Game::new(&Variant::Grid(self.spec), Options::default())
            .expect("two players can sit down at every board for two")
    }

    fn holders(&self, mode: Mode) -> [Holder; 2] {
        let robot = || Holder::Robot(self.robot.clone().into());
        match mode {
            Mode::Humans => [Holder::Human, Holder::Human],
            Mode::Mixed => [Holder::Human, robot()],
            Mode::Robots => [robot(), robot()],
        }
    }
}

/// What the menu offers to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Humans,
    Mixed,
    Robots,
}

/// Welcomes, plays as many games as are asked for, and says goodbye when somebody leaves or the
/// input ends.
///
/// An error is one of reading or writing; a closed output is one too, as
/// [`BrokenPipe`](io::ErrorKind::BrokenPipe).
pub fn play(
    setup: &Setup,
    outside: &Outside,
    input: impl BufRead,
    output: impl Write,
) -> io::Result<()> {
    let mut console = Console::new(input, output);
    match visit(setup, outside, &mut console) {
        Ok(()) | Err(Leave::Quit) => {}
        Err(Leave::Failed(error)) => return Err(error),
    }
    console.tell(words::GOODBYE)?;
    console.flush()
}

fn visit(
    setup: &Setup,
    outside: &Outside,
    console: &mut Console<impl BufRead, impl Write>,
) -> Result<(), Leave> {
    let mut seeds = Random::new(outside.seed);
    console.tell(words::welcome(&setup.spec))?;
    loop {
        console.tell(words::MENU)?;
        let Some(mode) = choose_mode(console)? else {
            return Ok(());
        };
        // Each game differs from the one before, and all are the same under the same seed.
        let outside = Outside {
            seed: seeds.draw(),
            clock: Arc::clone(&outside.clock),
        };
        Match::new(setup, mode, &outside).play(console)?;
        if !wants_another(console)? {
            return Ok(());
        }
    }
}

/// `None` is to quit.
fn choose_mode(console: &mut Console<impl BufRead, impl Write>) -> Result<Option<Mode>, Leave> {
    loop {
        match console.ask(words::CHOICE)?.as_str() {
            "1" => return Ok(Some(Mode::Humans)),
            "2" => return Ok(Some(Mode::Mixed)),
            "3" => return Ok(Some(Mode::Robots)),
            "4" => return Ok(None),
            _ => console.tell(words::NO_CHOICE)?,
        }
    }
}

fn wants_another(console: &mut Console<impl BufRead, impl Write>) -> Result<bool, Leave> {
    loop {
        match console.ask(words::PLAY_AGAIN)?.to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => console.tell(words::NO_ANSWER)?,
        }
    }
}

/// One game between two players.
struct Match {
    spec: GridSpec,
    game: Game,
    holders: [Holder; 2],
    seats: Seats,
}

impl Match {
    fn new(setup: &Setup, mode: Mode, outside: &Outside) -> Match {
        let game = setup.game();
        let holders = setup.holders(mode);
        Match {
            spec: setup.spec,
            seats: Seats::new(&game, &holders, outside)
                .expect("robots that were tried sit down again"),
            game,
            holders,
        }
    }

    fn play(&mut self, console: &mut Console<impl BufRead, impl Write>) -> Result<(), Leave> {
        console.tell(words::opening(&self.holders))?;
        console.tell(screen::board(&self.spec, &self.game.view()))?;
        match self.take_turns(console) {
            Ok(()) => Ok(console.tell(words::end(&self.game.view(), &self.holders))?),
            Err(Leave::Quit) => {
                console.tell(words::unfinished(self.game.plays().len()))?;
                Err(Leave::Quit)
            }
            Err(failed) => Err(failed),
        }
    }

    fn take_turns(&mut self, console: &mut Console<impl BufRead, impl Write>) -> Result<(), Leave> {
        while let Some(seat) = self.game.to_move() {
            console.flush()?;
            match self.seats.think(seat, &self.game) {
                None => self.ask_for_play(seat, console)?,
                // Only programs from outside do, and none is seated here.
                Some(Err(fault)) => {
                    console.tell(sentence(fault))?;
                    self.game
                        .leave(seat)
                        .expect("a seat of a game that goes on");
                }
                Some(Ok(thought)) => {
                    self.game
                        .act(seat, Action::Play(thought.at))
                        .expect("strategies choose legal moves");
                    let (row, column) = self.game.variant().split(thought.at);
                    console.tell(words::robot_plays(seat, row, column))?;
                }
            }
            console.tell(screen::board(&self.spec, &self.game.view()))?;
        }
        Ok(())
    }

    /// Asks until a cell was played.
    fn ask_for_play(
        &mut self,
        seat: Seat,
        console: &mut Console<impl BufRead, impl Write>,
    ) -> Result<(), Leave> {
        loop {
            let at = self.ask_for_cell(seat, console)?;
            match self.game.act(seat, Action::Play(at)) {
                Ok(()) => return Ok(console.tell("")?),
                Err(refusal) => console.tell(sentence(refusal))?,
            }
        }
    }

    fn ask_for_cell(
        &self,
        seat: Seat,
        console: &mut Console<impl BufRead, impl Write>,
    ) -> Result<Move, Leave> {
        let row = ask_for_number(words::ROW, seat, self.spec.rows(), console)?;
        let column = ask_for_number(words::COLUMN, seat, self.spec.columns(), console)?;
        let at = self.game.variant().join(row, column);
        Ok(at.expect("a row and a column that there are have a cell"))
    }
}

/// Asks until it is told a number below `count`.
fn ask_for_number(
    what: &str,
    seat: Seat,
    count: usize,
    console: &mut Console<impl BufRead, impl Write>,
) -> Result<usize, Leave> {
    loop {
        let line = console.ask(words::question(what, seat, count))?;
        match line.parse() {
            Ok(number) if number < count => return Ok(number),
            Ok(_) | Err(_) => console.tell(words::no_such(what, &line, count))?,
        }
    }
}
