//! The full screen, played by events and looked at as text.

mod files;
mod games;
mod large;
mod nine;
mod player;
mod screens;
mod start;
mod storm;
mod terminal;
