//! Every rule against correct and faulty programs in another language.

mod classic;
mod client;
mod server;
mod verdicts;
