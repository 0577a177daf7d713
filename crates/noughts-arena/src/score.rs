//! Wins, draws and losses.

use std::fmt;

/// Wins, draws and losses of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl Score {
    /// The number of games.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points per game, with half a point for a draw. 0.5 if there are no games.
    pub fn mean(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (f64::from(self.wins) + f64::from(self.draws) / 2.0) / f64::from(games),
        }
    }

    /// The half-width of the 95 % error bar of the mean: 1.96 standard errors.
    pub fn error(&self) -> f64 {
        let games = f64::from(self.games().max(1));
        let mean = self.mean();
        let spread = |count: u32, points: f64| f64::from(count) * (points - mean).powi(2);
        let variance = spread(self.wins, 1.0) + spread(self.draws, 0.5) + spread(self.losses, 0.0);
        1.96 * (variance / games).sqrt() / games.sqrt()
    }

    /// The lower end of the error bar.
    pub fn lower_bound(&self) -> f64 {
        self.mean() - self.error()
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |points: f64| 100.0 * points;
        write!(
            f,
            "+{} ={} -{}  {:.1} % ± {:.1}",
            self.wins,
            self.draws,
            self.losses,
            percent(self.mean()),
            percent(self.error())
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_error_bars_match_values_computed_by_hand() {
        let even = Score {
            wins: 50,
            draws: 0,
            losses: 50,
        };
        assert_eq!(even.mean(), 0.5);
        // Each result differs from the mean by half a point: 1.96 * 0.5 / 10.
        assert!((even.error() - 0.098).abs() < 1e-12);
        let drawn = Score {
            wins: 0,
            draws: 100,
            losses: 0,
        };
        assert_eq!((drawn.mean(), drawn.error()), (0.5, 0.0));
        // 0.75 ± 1.96 * sqrt((60*0.0625 + 30*0.0625 + 10*0.5625) / 100) / 10
        let mixed = Score {
            wins: 60,
            draws: 30,
            losses: 10,
        };
        assert_eq!(mixed.mean(), 0.75);
        assert!((mixed.lower_bound() - (0.75 - 0.196 * 0.1125f64.sqrt())).abs() < 1e-12);
    }
}
