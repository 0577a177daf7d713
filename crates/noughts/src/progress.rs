//! Shows the progress of long commands on standard error, if standard error is a terminal.

use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A command that takes less time than this shows no progress.
const DELAY: Duration = Duration::from_secs(1);

const TICK: Duration = Duration::from_millis(100);

/// A progress bar that counts `unit`, such as games. `length` may be 0 while the total is not known.
pub(crate) fn bar(length: u64, unit: &str) -> ProgressBar {
    let template = format!("{{bar:24}} {{pos}} of {{len}} {unit}, {{eta}} left  {{wide_msg}}");
    shown_later(ProgressBar::new(length), &template)
}

/// A spinner with the elapsed time and a message.
pub(crate) fn spinner() -> ProgressBar {
    shown_later(
        ProgressBar::new_spinner(),
        "{spinner} {elapsed}  {wide_msg}",
    )
}

fn shown_later(bar: ProgressBar, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    bar.set_style(style.expect("the template is valid"));
    bar.set_draw_target(ProgressDrawTarget::hidden());
    let later = bar.downgrade();
    thread::spawn(move || {
        thread::sleep(DELAY);
        if let Some(bar) = later.upgrade().filter(|bar| !bar.is_finished()) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(TICK);
        }
    });
    bar
}
