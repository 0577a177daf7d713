//! The same games full-screen, for people: keyboard and mouse, from 64 x 20 characters up.
//!
//! [`App`] is everything that is on the screen: events go into [`App::handle`], [`draw`] shows it,
//! and there is no terminal in either, so tests play whole games. Thinking is asked for by
//! [`App::ticket`] and [`App::question`]; answers come back as events, and those to an earlier
//! question are ignored. [`play`] is the loop around it: it owns the terminal, starts the robots'
//! thread, and reads and writes files.

mod app;
mod board;
mod dialog;
mod field;
mod holder;
mod keys;
mod look;
mod marks;
mod mouse;
mod names;
mod nine;
mod page;
mod panel;
mod play;
mod records;
mod robots;
mod screen;
mod session;
mod sheet;
mod start;
mod start_page;
mod table;

pub use app::{App, Effect, Event, Setup};
pub use look::Look;
pub use records::{SaveError, load, perform, read};
pub use robots::{Answer, Purpose, Question, Ticket};
pub use screen::draw;
pub use session::{Screen, play};
pub use start::{Asked, StartError};
