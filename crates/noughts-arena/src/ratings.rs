//! Ratings of many players from two-player games: the Elo model, fitted to the results of all games together.

/// Standard deviation of the prior distribution of ratings, in Elo. Because of the prior, a player who won
/// all games has a finite rating.
const SPREAD: f64 = 1200.0;

/// The factor that converts Elo to natural units (the logarithm of the odds).
const SCALE: f64 = std::f64::consts::LN_10 / 400.0;

/// The result of one opening that two players played from both seats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Encounter {
    /// The index of the player whose score is counted.
    pub first: usize,
    /// The index of the opponent.
    pub second: usize,
    /// The number of games.
    pub games: u32,
    /// The first player's mean score.
    pub score: f64,
}

/// A rating, relative to the mean of all players.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// The rating in Elo.
    pub elo: f64,
    /// The half-width of the 95 % error bar, in Elo.
    pub error: f64,
}

/// Computes the ratings of the players 0 to `players - 1`.
pub fn rate(players: usize, encounters: &[Encounter]) -> Vec<Rating> {
    let mut elo = vec![0.0; players];
    // Newton's method. It converges because the likelihood is concave.
    for _ in 0..50 {
        let (slope, curve) = derivatives(&elo, encounters);
        let Some(inverse) = invert(&curve) else { break };
        let mut largest = 0.0f64;
        for player in 0..players {
            let step: f64 = (0..players)
                .map(|other| inverse[player][other] * slope[other])
                .sum();
            let step = step.clamp(-300.0, 300.0);
            elo[player] += step;
            largest = largest.max(step.abs());
        }
        if largest < 1e-9 {
            break;
        }
    }
    let errors = errors(&elo, encounters);
    let mean = elo.iter().sum::<f64>() / players.max(1) as f64;
    let ratings = elo.iter().zip(errors);
    ratings
        .map(|(elo, error)| Rating {
            elo: elo - mean,
            error,
        })
        .collect()
}

fn expected(elo: &[f64], one: &Encounter) -> f64 {
    crate::statistics::expected_score(elo[one.first] - elo[one.second])
}

/// Returns the gradient and the negative Hessian of the log-likelihood at the ratings `elo`. Both include the
/// prior.
fn derivatives(elo: &[f64], encounters: &[Encounter]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let prior = 1.0 / (SPREAD * SPREAD);
    let mut slope: Vec<f64> = elo.iter().map(|elo| -elo * prior).collect();
    let mut curve = vec![vec![0.0; elo.len()]; elo.len()];
    for (player, row) in curve.iter_mut().enumerate() {
        row[player] = prior;
    }
    for one in encounters {
        let expected = expected(elo, one);
        let pull = f64::from(one.games) * (one.score - expected) * SCALE;
        slope[one.first] += pull;
        slope[one.second] -= pull;
        let weight = f64::from(one.games) * expected * (1.0 - expected) * SCALE * SCALE;
        add_difference(&mut curve, one, weight);
    }
    (slope, curve)
}

fn add_difference(matrix: &mut [Vec<f64>], one: &Encounter, weight: f64) {
    matrix[one.first][one.first] += weight;
    matrix[one.second][one.second] += weight;
    matrix[one.first][one.second] -= weight;
    matrix[one.second][one.first] -= weight;
}

/// Computes the error bars from the differences between the results and the model (White's "sandwich"
/// estimator). Adds the variance of one imaginary game for each pair of opponents. Otherwise results without
/// variance would have error bars of zero.
fn errors(elo: &[f64], encounters: &[Encounter]) -> Vec<f64> {
    let players = elo.len();
    let (_, curve) = derivatives(elo, encounters);
    let Some(bread) = invert(&curve) else {
        return vec![f64::INFINITY; players];
    };
    let mut filling = vec![vec![0.0; players]; players];
    let mut seen: Vec<(usize, usize)> = Vec::new();
    for one in encounters {
        let expected = expected(elo, one);
        let off = f64::from(one.games) * (one.score - expected) * SCALE;
        add_difference(&mut filling, one, off * off);
        if !seen.contains(&(one.first, one.second)) {
            seen.push((one.first, one.second));
            let unseen = expected * (1.0 - expected) * SCALE * SCALE;
            add_difference(&mut filling, one, unseen);
        }
    }
    // Ratings are relative to the mean. Subtracting the mean removes the uncertainty that all players share.
    let centred = |player: usize| -> Vec<f64> {
        let part = |other: usize| {
            let mean: f64 = (0..players).map(|row| bread[row][other]).sum::<f64>() / players as f64;
            bread[player][other] - mean
        };
        (0..players).map(part).collect()
    };
    let variance = |player: usize| {
        let row = centred(player);
        let mut sum = 0.0;
        for (a, filling) in filling.iter().enumerate() {
            for (b, value) in filling.iter().enumerate() {
                sum += row[a] * value * row[b];
            }
        }
        sum
    };
    (0..players)
        .map(|player| 1.96 * variance(player).max(0.0).sqrt())
        .collect()
}

/// The inverse of a matrix by Gauss-Jordan elimination. `None` if the matrix is singular.
fn invert(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let mut left: Vec<Vec<f64>> = matrix.to_vec();
    let mut right: Vec<Vec<f64>> = (0..size)
        .map(|row| {
            (0..size)
                .map(|column| f64::from(u8::from(row == column)))
                .collect()
        })
        .collect();
    for column in 0..size {
        let by_size =
            |a: &usize, b: &usize| left[*a][column].abs().total_cmp(&left[*b][column].abs());
        let pivot = (column..size).max_by(by_size)?;
        if left[pivot][column].abs() < 1e-300 {
            return None;
        }
        left.swap(column, pivot);
        right.swap(column, pivot);
        let scale = left[column][column];
        for value in left[column].iter_mut().chain(&mut right[column]) {
            *value /= scale;
        }
        for row in 0..size {
            if row == column {
                continue;
            }
            let factor = left[row][column];
            for at in 0..size {
                left[row][at] -= factor * left[column][at];
                right[row][at] -= factor * right[column][at];
            }
        }
    }
    Some(right)
}
