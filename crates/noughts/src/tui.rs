//! `noughts tui`: the full screen.

use std::io::ErrorKind;

use noughts_rules::Variant;
use noughts_terminal::tui::{self, App, Theme, TuiEnd, TuiOptions, TuiSettings};
use noughts_terminal::{DEFAULT_ROBOT, robot_seats};

use crate::Failure;
use crate::args::Tui;
use crate::robot_setup;

pub(crate) fn run(args: Tui) -> Result<(), Failure> {
    let theme = Theme::from_environment(|name| std::env::var(name).ok());
    let seed = robot_setup::from_seed(args.seed.as_deref())?.seed;
    let options = TuiOptions {
        seats: seats(&args)?,
        variant: args.variant.get().map(str::to_owned),
        history: args.history,
        first_board: args.start,
        engines: robot_setup::engines(),
    };
    let mut app = App::new(&options, TuiSettings::new(theme, seed)).map_err(Failure::invalid)?;
    if let Some(path) = args.load {
        let text = tui::load(&path).map_err(Failure::invalid)?;
        let opened = app.open_record(&text);
        opened.map_err(|reason| Failure::invalid(format!("'{path}' is no record: {reason}")))?;
    }
    match tui::play(app) {
        Ok(TuiEnd::Quit) => Ok(()),
        Ok(TuiEnd::Interrupted) => Err(Failure::Interrupted),
        Err(error) if error.kind() == ErrorKind::Unsupported => Err(Failure::invalid(error)),
        Err(error) => Err(Failure::Output(error)),
    }
}

/// Returns the holders of the seats: from `--robot`, from `--seat` in turn order, or from `--x` and `--o`. If only
/// `--x` or only `--o` is given, the other seat has its default holder.
fn seats(args: &Tui) -> Result<Vec<String>, Failure> {
    if !args.robots.is_empty() {
        let variant = args
            .variant
            .get()
            .and_then(|name| name.parse::<Variant>().ok());
        let sides = variant.map_or(2, |variant| variant.sides());
        return robot_seats(sides, &args.robots, DEFAULT_ROBOT).map_err(Failure::invalid);
    }
    Ok(match (&args.x, &args.o) {
        (None, None) => args.seat.clone(),
        (Some(x), None) => vec![x.clone()],
        (x, Some(o)) => vec![x.clone().unwrap_or_else(|| "human".to_owned()), o.clone()],
    })
}
