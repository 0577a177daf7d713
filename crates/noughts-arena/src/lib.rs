//! Program against program: matches between strategies and engines from outside, and what their
//! results prove.

mod bout;
mod contest;
mod engine;
mod evidence;
mod host;
mod ledger;
mod opening;
mod plot;
mod protocol;
mod ratings;
mod report;
mod score;
mod standings;

pub use bout::{Bout, play_game};
pub use contest::{Contest, ContestError, Entrant, Fixture, Format, Outcome, Plan};
pub use engine::serve;
pub use evidence::{Evidence, Interval, Sprt, SprtError, Verdict, elo, share};
pub use host::Terms;
pub use ledger::{Ledger, LedgerError};
pub use opening::{OpeningError, Openings};
pub use plot::plot;
pub use ratings::{Encounter, Rating, rate};
pub use report::report;
pub use score::Score;
pub use standings::{Referee, Standing, Standings, Tally};
