//! The same games full-screen, for people: keyboard and mouse, from 64 x 20 characters up.
//!
//! [`App`] is everything that is on the screen: events go into [`App::handle`], [`draw`] shows it,
//! and there is no terminal in either, so tests play whole games. Thinking is asked for by
//! [`App::request_id`] and [`App::robot_request`]; answers come back as events, and those to an earlier
//! question are ignored. [`play`] is the loop around it: it owns the terminal, starts the robots'
//! thread, and reads and writes files.

mod app;
mod board;
mod canvas;
mod cell_grid;
mod dialog;
mod game_screen;
mod grid_layout;
mod keys;
mod labels;
mod local_game;
mod marks;
mod mouse;
mod nine_boards;
mod panel;
mod record_files;
mod robot_thread;
mod screen;
mod session;
mod start_form;
mod start_screen;
mod theme;

pub(crate) use canvas::wrap;

pub use app::{App, Effect, Event, TuiSettings};
pub use record_files::{SaveError, load, perform, read};
pub use robot_thread::{Purpose, RequestId, RobotReply, RobotRequest, evaluate};
pub use screen::draw;
pub use session::{Screen, TuiEnd, play};
pub use start_form::{StartError, TuiOptions};
pub use theme::Theme;
