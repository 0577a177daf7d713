//! `noughts play`: a table of a server on standard input and output.

mod clock_option;
mod connection;
mod find_table;
mod quick_match;
mod saved_seats;

use std::io::{self, BufReader, BufWriter, IsTerminal, Write};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

use noughts_engine::{EngineSetup, StrategyName};
use noughts_rules::Side;
use noughts_terminal::play::{self, Keyboard, PlayEnd, PlayError, PlayEvent, PlaySettings};

use crate::args::Play;
use crate::signals::on_end_signal;
use crate::{Failure, robot_setup};
use connection::RemoteTable;
use find_table::{Finder, Found};
use saved_seats::{SavedSeat, SavedSeats};

pub(crate) use find_table::{connect, failure};

pub(crate) fn run(task: Play) -> Result<(), Failure> {
    let robot = task.robot.as_deref().map(str::parse::<StrategyName>);
    let robot = robot.transpose().map_err(Failure::invalid)?;
    let engine_setup = robot_setup::from_seed(task.seed.as_deref())?;
    let saved = SavedSeats::of_user();
    let finder = Finder::new(&task, robot.as_ref(), saved.clone())?;
    let Some(found) = finder.find()? else {
        return Ok(());
    };
    let input = robot.is_none().then(|| BufReader::new(io::stdin()));
    let (keyboard, mut events) = Keyboard::new(input);
    let ending = Ending::on_signal()?;
    let mut table = match found {
        Found::Table(table) => table,
        Found::Match(wanted) => {
            let cancelled = wanted.clone();
            ending.set(move || {
                cancelled.cancel();
                String::new()
            });
            match wanted.wait(&events)? {
                Some(table) => table,
                None => return Ok(()),
            }
        }
    };
    if table.seat.is_none() && robot.is_some() {
        return Err(Failure::invalid(
            "this table has no open seat for the robot; without --robot you can watch it",
        ));
    }
    loop {
        let settings = PlaySettings {
            seat: table.seat,
            robot: robot.clone(),
            is_interactive: io::stdin().is_terminal(),
        };
        let recorder = SeatRecorder::new(&table, saved.clone())?;
        let on_signal = recorder.clone();
        ending.set(move || on_signal.how_to_resume());
        match play_at(&table, &settings, &engine_setup, &keyboard, &events)? {
            PlayEnd::Over => {
                recorder.forget();
                if settings.is_interactive && table.seat.is_some() && robot.is_none() {
                    println!("Its mistakes: noughts analyze --record {}", table.url());
                }
                return Ok(());
            }
            PlayEnd::Left => {
                if table.seat.is_some() {
                    table.leave();
                    println!("{}", recorder.how_to_resume());
                }
                return Ok(());
            }
            PlayEnd::Rematch => {
                recorder.forget();
                // Lines that are typed from now on belong to the rematch.
                events = keyboard.next_game();
                table = table.rematch().map_err(failure)?;
                println!("\nThe rematch: {}", table.url());
            }
        }
    }
}

fn play_at(
    table: &RemoteTable,
    settings: &PlaySettings,
    engine_setup: &EngineSetup,
    keyboard: &Keyboard,
    events: &Receiver<PlayEvent>,
) -> Result<PlayEnd, Failure> {
    let requests = connection::open(table, keyboard.sender(), settings.robot.is_some());
    let output = BufWriter::new(io::stdout());
    play::play(settings, engine_setup, requests, events, output).map_err(|error| match error {
        PlayError::UnsupportedGame(error) => Failure::invalid(error),
        PlayError::Remote(why) => Failure::Invalid(why),
        PlayError::Terminal(error) => Failure::Output(error),
    })
}

/// A function that runs when a signal, such as the signal of Ctrl-C, ends the program. The function returns a
/// line to print. The line may be empty.
#[derive(Clone)]
struct Ending(Arc<Mutex<Box<dyn Fn() -> String + Send>>>);

impl Ending {
    fn on_signal() -> io::Result<Ending> {
        let ending = Ending(Arc::new(Mutex::new(Box::new(String::new))));
        let on_signal = ending.clone();
        on_end_signal(move |signal| {
            let text = on_signal.0.lock().unwrap_or_else(PoisonError::into_inner)();
            let _ = writeln!(io::stdout(), "\n{text}");
            std::process::exit(128 + signal);
        })?;
        Ok(ending)
    }

    fn set(&self, end: impl Fn() -> String + Send + 'static) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(end);
    }
}

/// Saves the player's seat in the file of saved seats until the game is over.
#[derive(Clone)]
struct SeatRecorder {
    file: Option<SavedSeats>,
    /// The seat. `None` if the user only watches the game.
    seat: Option<SavedSeat>,
}

impl SeatRecorder {
    /// Stores the seat in the file immediately, so that a crash of the program does not lose the seat.
    fn new(table: &RemoteTable, file: Option<SavedSeats>) -> Result<SeatRecorder, Failure> {
        let Some((seat, token)) = table.seat.zip(table.token.clone()) else {
            return Ok(SeatRecorder { file, seat: None });
        };
        let view = table.client.view(&table.game).map_err(failure)?;
        let holder = view.seats.get(usize::from(seat.0));
        let saved = SavedSeat {
            url: table.url(),
            seat,
            symbol: holder.map_or(Side::FIRST.symbol(), |holder| holder.symbol),
            variant: view.variant,
            token,
        };
        let file = file.filter(|file| match file.add(&saved) {
            Ok(()) => true,
            Err(error) => {
                let _ = writeln!(
                    io::stderr(),
                    "The seat cannot be kept for --resume: {error}"
                );
                false
            }
        });
        let seat = Some(saved);
        Ok(SeatRecorder { file, seat })
    }

    /// Returns the line that is printed when the player leaves. The line is empty if the user only watches the game.
    fn how_to_resume(&self) -> String {
        match (&self.seat, &self.file) {
            (Some(_), Some(_)) => "The seat stays yours: noughts play --resume".to_owned(),
            (Some(saved), None) => format!(
                "The seat stays yours: noughts play {} --seat {} --token {}",
                saved.url, saved.seat.0, saved.token
            ),
            (None, _) => String::new(),
        }
    }

    /// Removes the seat from the file, because the game is over.
    fn forget(&self) {
        if let Some((file, saved)) = self.file.as_ref().zip(self.seat.as_ref()) {
            let _ = file.remove(saved);
        }
    }
}
