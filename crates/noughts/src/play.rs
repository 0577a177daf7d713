//! `noughts play`: a table of a server on standard input and output.

mod connection;
mod find_table;
mod kept_seats;

use std::io::{self, BufReader, BufWriter, IsTerminal, Write};

use noughts_engine::StrategyName;
use noughts_rules::Side;
use noughts_terminal::play::{self, PlayEnd, PlayError, PlaySettings};

use crate::args::Play;
use crate::signals::on_end_signal;
use crate::{Failure, robot_setup};
use connection::RemoteTable;
use find_table::{Finder, failure};
use kept_seats::{KeptSeat, KeptSeats};

pub(crate) fn run(task: Play) -> Result<(), Failure> {
    let robot = task.robot.as_deref().map(str::parse::<StrategyName>);
    let robot = robot.transpose().map_err(Failure::invalid)?;
    let engine_setup = robot_setup::from_seed(task.seed.as_deref())?;
    let kept = KeptSeats::of_user();
    let finder = Finder {
        name: match (&task.name, &robot) {
            (Some(name), _) => name.clone(),
            (None, Some(robot)) => robot.to_string(),
            (None, None) => std::env::var("USER").unwrap_or_default(),
        },
        task: &task,
        kept: kept.clone(),
        is_interactive: io::stdin().is_terminal() && io::stdout().is_terminal(),
    };
    let Some(table) = finder.find()? else {
        return Ok(());
    };
    if table.seat.is_none() && robot.is_some() {
        return Err(Failure::invalid(
            "this table has no open seat for the robot; without --robot you can watch it",
        ));
    }
    let settings = PlaySettings {
        seat: table.seat,
        robot,
        is_interactive: io::stdin().is_terminal(),
    };
    let place = SeatKeeper::new(&table, kept)?;
    let on_signal = place.clone();
    on_end_signal(move |signal| {
        let _ = writeln!(io::stdout(), "\n{}", on_signal.how_to_resume());
        std::process::exit(128 + signal);
    })?;
    let input = settings
        .robot
        .is_none()
        .then(|| BufReader::new(io::stdin()));
    let (sender, events) = play::event_channel(input);
    let requests = connection::open(&table, sender, settings.robot.is_some());
    let output = BufWriter::new(io::stdout());
    match play::play(&settings, &engine_setup, requests, events, output) {
        Ok(PlayEnd::Over) => {
            place.forget();
            Ok(())
        }
        Ok(PlayEnd::Left) => {
            if table.seat.is_some() {
                println!("{}", place.how_to_resume());
            }
            Ok(())
        }
        Err(PlayError::Unfit(unfit)) => Err(Failure::invalid(unfit)),
        Err(PlayError::Remote(why)) => Err(Failure::Invalid(why)),
        Err(PlayError::Terminal(error)) => Err(Failure::Output(error)),
    }
}

/// The seat of this game in the file of kept seats.
#[derive(Clone)]
struct SeatKeeper {
    file: Option<KeptSeats>,
    /// The seat; `None` if the game is only watched.
    seat: Option<KeptSeat>,
}

impl SeatKeeper {
    /// Stores the seat at once, so that it is not lost however the program ends.
    fn new(table: &RemoteTable, file: Option<KeptSeats>) -> Result<SeatKeeper, Failure> {
        let Some((seat, token)) = table.seat.zip(table.token.clone()) else {
            return Ok(SeatKeeper { file, seat: None });
        };
        let view = table.client.view(&table.game).map_err(failure)?;
        let holder = view.seats.get(usize::from(seat.0));
        let kept = KeptSeat {
            url: table.url(),
            seat,
            symbol: holder.map_or(Side::FIRST.symbol(), |holder| holder.symbol),
            variant: view.variant,
            token,
        };
        let file = file.filter(|file| match file.add(&kept) {
            Ok(()) => true,
            Err(error) => {
                let _ = writeln!(
                    io::stderr(),
                    "The seat cannot be kept for --resume: {error}"
                );
                false
            }
        });
        let seat = Some(kept);
        Ok(SeatKeeper { file, seat })
    }

    /// Printed when the player leaves.
    fn how_to_resume(&self) -> String {
        match (&self.seat, &self.file) {
            (Some(_), Some(_)) => "The seat stays yours: noughts play --resume".to_owned(),
            (Some(kept), None) => format!(
                "The seat stays yours: noughts play {} --seat {} --token {}",
                kept.url, kept.seat.0, kept.token
            ),
            (None, _) => String::new(),
        }
    }

    /// Forgets the seat, because the game is over.
    fn forget(&self) {
        if let Some((file, kept)) = self.file.as_ref().zip(self.seat.as_ref()) {
            let _ = file.remove(kept);
        }
    }
}
