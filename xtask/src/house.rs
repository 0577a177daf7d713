//! The rules about the sources themselves.
//!
//! Each is a function from a [`Tree`](tree::Tree) to sentences about what is wrong in it, so that
//! a made-up tree shows that the rule can fail, and the real one that it holds.

pub mod arrows;
pub mod links;
pub mod lints;
pub mod manifest;
pub mod names;
pub mod reach;
pub mod tokens;
pub mod tree;
