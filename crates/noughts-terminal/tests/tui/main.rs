//! The full screen, driven by events and compared as text.

mod files;
mod games;
mod large;
mod nine_boards;
mod random_events;
mod screens;
mod start;
mod terminal;
mod test_app;
