//! The classic game: one board, typed commands, and output that is specified byte for byte.

mod command;
mod options;
mod robot_option;
mod screen;

use std::io::{self, BufRead, Write};

use noughts_engine::{EngineSetup, RobotFault};
use noughts_rules::{Action, Conclusion, Game, Refusal, Seat};

pub use command::{Command, read_command};
pub use options::{ClassicOptions, ClassicSettings, OptionError, square};
pub use robot_option::{RobotOptionError, robot_seats};

use crate::robots::Robots;
use crate::symbols::Symbols;

/// Plays one game until it is over, the user quits, or the input ends. A robot's move is printed as if it had been
/// typed.
///
/// Returns an error if reading or writing fails. The error for a closed output is
/// [`BrokenPipe`](io::ErrorKind::BrokenPipe).
pub fn play(
    settings: &ClassicSettings,
    engine_setup: &EngineSetup,
    input: impl BufRead,
    output: impl Write,
) -> io::Result<()> {
    play_with_hints(settings, engine_setup, input, output, || {})
}

/// Like [`play`], but also calls `hint` after each answer to `help` or `?`.
pub fn play_with_hints(
    settings: &ClassicSettings,
    engine_setup: &EngineSetup,
    mut input: impl BufRead,
    mut output: impl Write,
    mut hint: impl FnMut(),
) -> io::Result<()> {
    let mut game = ClassicGame::new(settings);
    let mut seats =
        Robots::new(&game.game, settings.holders(), engine_setup).expect("the robots were checked");
    while let Some(seat) = game.game.to_move() {
        game.show_turn(seat, &mut output)?;
        output.flush()?;
        let command = match seats.think(seat, &game.game) {
            Some(Err(fault)) => {
                game.forfeit(seat, &fault, &mut output)?;
                continue;
            }
            Some(Ok(thought)) => {
                let (row, column) = game.game.variant().coordinates(thought.at);
                writeln!(output, "{row} {column}")?;
                Command::Play {
                    row: row as i64,
                    column: column as i64,
                }
            }
            // The end of the input means `:q`.
            None => read_command(&mut input)?.unwrap_or(Command::Quit),
        };
        if command == Command::Quit {
            screen::delimiter(&mut output)?;
            break;
        }
        if let Err(message) = game.execute(seat, command) {
            writeln!(output, "{message}")?;
        }
        screen::delimiter(&mut output)?;
        if command == Command::Help {
            output.flush()?;
            hint();
        }
    }
    game.show_end(&mut output)?;
    output.flush()
}

/// A game with the symbols of its seats and sides.
struct ClassicGame {
    game: Game,
    /// The symbol of each seat.
    symbols: Symbols,
    /// The symbol of each side.
    marks: Vec<char>,
}

impl ClassicGame {
    fn new(settings: &ClassicSettings) -> ClassicGame {
        ClassicGame {
            game: settings.game(),
            symbols: settings.symbols().clone(),
            marks: settings.symbols().sides(),
        }
    }

    fn show_turn(&self, seat: Seat, output: &mut impl Write) -> io::Result<()> {
        writeln!(output, "Turn: {}", self.game.turns().len() + 1)?;
        screen::board(&self.game, &self.marks, output)?;
        write!(
            output,
            "Enter your turn ({}): ",
            self.symbols.seats()[usize::from(seat.0)]
        )
    }

    /// Ends the game because an external engine failed, and prints the reason. The engine loses.
    fn forfeit(
        &mut self,
        seat: Seat,
        fault: &RobotFault,
        output: &mut impl Write,
    ) -> io::Result<()> {
        writeln!(output, "{fault}")?;
        screen::delimiter(output)?;
        self.game
            .leave(seat)
            .expect("a seat of a game that goes on");
        Ok(())
    }

    fn show_end(&self, output: &mut impl Write) -> io::Result<()> {
        writeln!(output, "Game over after {} turns", self.game.turns().len())?;
        screen::board(&self.game, &self.marks, output)?;
        match self.game.conclusion() {
            Some(Conclusion::Won { sides, .. }) => {
                for side in sides.iter() {
                    writeln!(output, "Winner is '{}'", self.marks[side.index()])?;
                }
                Ok(())
            }
            None | Some(Conclusion::Draw { .. } | Conclusion::Abandoned | Conclusion::Aborted) => {
                Ok(())
            }
        }
    }

    /// Executes a typed command. An error is the message to print.
    fn execute(&mut self, seat: Seat, command: Command) -> Result<(), &'static str> {
        let variant = self.game.variant();
        let action = match command {
            Command::Invalid | Command::Help | Command::Quit => return Err("Invalid command"),
            Command::Rewind(count) => {
                Action::Rewind(u16::try_from(count).map_err(|_| "Unable to rewind")?)
            }
            Command::Play { row, column } => {
                let cell = |row, column| {
                    variant.move_at(usize::try_from(row).ok()?, usize::try_from(column).ok()?)
                };
                Action::Play(cell(row, column).ok_or("Illegal play")?)
            }
        };
        self.game
            .act(seat, action)
            .map_err(|refusal| match refusal {
                Refusal::NoRewind | Refusal::RewindTooFar { .. } | Refusal::MustPlay => {
                    "Unable to rewind"
                }
                Refusal::Illegal(_)
                | Refusal::Over
                | Refusal::NoSuchSeat { .. }
                | Refusal::NotYourTurn { .. }
                | Refusal::NothingToTakeBack
                | Refusal::TakebackOf { .. } => "Illegal play",
            })
    }
}
