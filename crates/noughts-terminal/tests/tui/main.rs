//! The full screen, played by events and looked at as text.

mod files;
mod games;
mod large;
mod nine_boards;
mod random_events;
mod screens;
mod start;
mod terminal;
mod test_app;
