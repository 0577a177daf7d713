//! Matches and tournaments between robots: schedule, openings, results and statistics.

mod matches;
mod openings;
mod plot;
mod ratings;
mod report;
mod results_folder;
mod score;
mod standings;
mod statistics;
mod tournament;

pub use matches::{Match, play_game};
pub use openings::{OpeningError, Openings};
pub use plot::plot;
pub use ratings::{Encounter, Rating, rate};
pub use report::report;
pub use results_folder::{ResultsFolder, ResultsFolderError};
pub use score::Score;
pub use standings::{SequentialTest, Standing, Standings};
pub use statistics::{Interval, ScoreSample, Sprt, SprtDecision, SprtError, elo, expected_score};
pub use tournament::{
    Format, GameResult, Participant, ScheduledGame, Tournament, TournamentError, TournamentOptions,
};
