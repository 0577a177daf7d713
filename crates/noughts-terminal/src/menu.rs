//! The menu game: one board, two players, questions for row and column.
//!
//! [`Game`] is the model. `screen` and `messages` are the view. This file contains the control flow.

mod messages;
mod screen;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use noughts_engine::{EngineSetup, Random, StrategyName, UnsupportedGame};
use noughts_rules::{Action, Game, GridSpec, Move, Options, Seat, Variant};

use crate::console::{Console, Exit, sentence};
use crate::holder::Holder;
use crate::robots::Robots;

/// Checked options of the menu game.
#[derive(Clone, Debug)]
pub struct MenuSettings {
    spec: GridSpec,
    /// The strategies for X and O. A strategy is used only if a robot plays this side.
    robots: [StrategyName; 2],
}

impl MenuSettings {
    /// Creates settings. Fails if the robot cannot play on this board.
    pub fn new(spec: GridSpec, robot: StrategyName) -> Result<MenuSettings, UnsupportedGame> {
        MenuSettings::with_robots(spec, [robot.clone(), robot])
    }

    /// Creates settings with this board and these robots for X and O. Fails if a robot cannot play on this
    /// board.
    pub fn with_robots(
        spec: GridSpec,
        robots: [StrategyName; 2],
    ) -> Result<MenuSettings, UnsupportedGame> {
        let settings = MenuSettings { spec, robots };
        let robots = settings.holders(Mode::Robots);
        Robots::new(&settings.game(), &robots, &EngineSetup::with_seed(0))?;
        Ok(settings)
    }

    fn game(&self) -> Game {
        Game::new(&Variant::Grid(self.spec), Options::default())
            .expect("every board is for two players")
    }

    fn holders(&self, mode: Mode) -> [Holder; 2] {
        let [x, o] = &self.robots;
        let robot = |name: &StrategyName| Holder::Robot(name.clone().into());
        match mode {
            Mode::Humans => [Holder::HUMAN, Holder::HUMAN],
            Mode::Mixed => [Holder::HUMAN, robot(o)],
            Mode::Robots => [robot(x), robot(o)],
        }
    }
}

/// The choices of the menu.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Humans,
    Mixed,
    Robots,
}

/// Plays games until the user quits or the input ends.
///
/// Returns an error if reading or writing fails. The error for a closed output is
/// [`BrokenPipe`](io::ErrorKind::BrokenPipe).
pub fn play(
    settings: &MenuSettings,
    engine_setup: &EngineSetup,
    input: impl BufRead,
    output: impl Write,
) -> io::Result<()> {
    let mut console = Console::new(input, output);
    match visit(settings, engine_setup, &mut console) {
        Ok(()) | Err(Exit::Quit) => {}
        Err(Exit::Failed(error)) => return Err(error),
    }
    console.tell(messages::GOODBYE)?;
    console.flush()
}

fn visit(
    settings: &MenuSettings,
    engine_setup: &EngineSetup,
    console: &mut Console<impl BufRead, impl Write>,
) -> Result<(), Exit> {
    let mut seeds = Random::new(engine_setup.seed);
    console.tell(messages::welcome(&settings.spec))?;
    loop {
        console.tell(messages::MENU)?;
        let Some(mode) = choose_mode(console)? else {
            return Ok(());
        };
        // Each game gets its own seed, so that games differ. The same session seed gives the same games.
        let engine_setup = EngineSetup {
            seed: seeds.draw(),
            clock: Arc::clone(&engine_setup.clock),
        };
        Match::new(settings, mode, &engine_setup).play(console)?;
        if !wants_another(console)? {
            return Ok(());
        }
    }
}

/// Asks who plays. Returns `None` if the user wants to quit.
fn choose_mode(console: &mut Console<impl BufRead, impl Write>) -> Result<Option<Mode>, Exit> {
    loop {
        match console.ask(messages::CHOICE)?.as_str() {
            "1" => return Ok(Some(Mode::Humans)),
            "2" => return Ok(Some(Mode::Mixed)),
            "3" => return Ok(Some(Mode::Robots)),
            "4" => return Ok(None),
            _ => console.tell(messages::NO_CHOICE)?,
        }
    }
}

fn wants_another(console: &mut Console<impl BufRead, impl Write>) -> Result<bool, Exit> {
    loop {
        match console.ask(messages::PLAY_AGAIN)?.to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => console.tell(messages::NO_ANSWER)?,
        }
    }
}

/// One game between two players.
struct Match {
    spec: GridSpec,
    game: Game,
    holders: [Holder; 2],
    seats: Robots,
}

impl Match {
    fn new(settings: &MenuSettings, mode: Mode, engine_setup: &EngineSetup) -> Match {
        let game = settings.game();
        let holders = settings.holders(mode);
        Match {
            spec: settings.spec,
            seats: Robots::new(&game, &holders, engine_setup).expect("the robots were checked"),
            game,
            holders,
        }
    }

    fn play(&mut self, console: &mut Console<impl BufRead, impl Write>) -> Result<(), Exit> {
        console.tell(messages::opening(&self.holders))?;
        console.tell(screen::board(&self.spec, &self.game.view()))?;
        match self.take_turns(console) {
            Ok(()) => Ok(console.tell(messages::end(&self.game.view(), &self.holders))?),
            Err(Exit::Quit) => {
                console.tell(messages::unfinished(self.game.plays().len()))?;
                Err(Exit::Quit)
            }
            Err(failed) => Err(failed),
        }
    }

    fn take_turns(&mut self, console: &mut Console<impl BufRead, impl Write>) -> Result<(), Exit> {
        while let Some(seat) = self.game.to_move() {
            console.flush()?;
            match self.seats.think(seat, &self.game) {
                None => self.ask_for_play(seat, console)?,
                // This cannot happen: only external engines fail, and the menu game has none.
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
                    let (row, column) = self.game.variant().coordinates(thought.at);
                    console.tell(messages::robot_plays(seat, row, column))?;
                }
            }
            console.tell(screen::board(&self.spec, &self.game.view()))?;
        }
        Ok(())
    }

    /// Asks until the player has made a legal move.
    fn ask_for_play(
        &mut self,
        seat: Seat,
        console: &mut Console<impl BufRead, impl Write>,
    ) -> Result<(), Exit> {
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
    ) -> Result<Move, Exit> {
        let row = ask_for_number(messages::ROW, seat, self.spec.rows(), console)?;
        let column = ask_for_number(messages::COLUMN, seat, self.spec.columns(), console)?;
        let at = self.game.variant().move_at(row, column);
        Ok(at.expect("a row and a column that there are have a cell"))
    }
}

/// Asks until the player types a number that is less than `count`.
fn ask_for_number(
    what: &str,
    seat: Seat,
    count: usize,
    console: &mut Console<impl BufRead, impl Write>,
) -> Result<usize, Exit> {
    loop {
        let line = console.ask(messages::question(what, seat, count))?;
        match line.parse() {
            Ok(number) if number < count => return Ok(number),
            Ok(_) | Err(_) => console.tell(messages::no_such(what, &line, count))?,
        }
    }
}
