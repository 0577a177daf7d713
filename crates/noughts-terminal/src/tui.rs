//! The full-screen interface, with keyboard and mouse, from 60 x 18 characters up.
//!
//! [`App`] is the state of the screen. [`App::handle`] changes the state, and [`draw`] draws it. Neither uses a
//! terminal, so tests can play whole games. [`App::request_id`] and [`App::robot_request`] say which robot move is
//! needed. The move comes back as an event. Replies to earlier requests are ignored. [`play`] is the main loop: it owns
//! the terminal, starts the thread of the robots, and reads and writes files.

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

pub use canvas::wrap;

pub use app::{App, Effect, Event, TuiSettings};
pub use record_files::{SaveError, load, perform, read};
pub use robot_thread::{Purpose, RequestId, RobotReply, RobotRequest, evaluate};
pub use screen::draw;
pub use session::{Screen, TuiEnd, play};
pub use start_form::{StartError, TuiOptions};
pub use theme::Theme;
