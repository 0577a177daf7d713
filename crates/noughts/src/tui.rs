//! `noughts tui`: the full screen.

use std::io::ErrorKind;

use noughts_terminal::tui::{self, App, Asked, Look, Setup};

use crate::Failure;
use crate::args::Tui;
use crate::outside;

pub(crate) fn run(options: Tui) -> Result<(), Failure> {
    let look = Look::from_environment(|name| std::env::var(name).ok());
    let seed = outside::read(options.seed.as_deref())?.seed;
    let asked = Asked {
        seats: seats(&options),
        variant: options.variant,
        history: options.history,
        first_board: options.start,
        engines: outside::engines(),
    };
    let mut app = App::new(&asked, Setup::new(look, seed)).map_err(Failure::asked)?;
    if let Some(path) = options.load {
        let text = tui::load(&path).map_err(Failure::asked)?;
        let opened = app.open_record(&text);
        opened.map_err(|reason| Failure::asked(format!("'{path}' is no record: {reason}")))?;
    }
    tui::play(app).map_err(|error| match error.kind() {
        ErrorKind::Unsupported => Failure::asked(error),
        _ => Failure::Output(error),
    })
}

/// `--seat` in turn order; or `--x` and `--o`, of which the other is as usual.
fn seats(options: &Tui) -> Vec<String> {
    match (&options.x, &options.o) {
        (None, None) => options.seat.clone(),
        (Some(x), None) => vec![x.clone()],
        (x, Some(o)) => vec![x.clone().unwrap_or_else(|| "human".to_owned()), o.clone()],
    }
}
