//! Two strategies, many games.

use noughts_engine::{Random, Setup, Stop, Strategy, StrategyName, Unfit};
use noughts_rules::{Action, Board, Conclusion, Game, Options, Seat, Variant};

use crate::score::Score;

/// A match between two: every game is played twice, with colours swapped.
#[derive(Clone, Debug)]
pub struct Bout {
    /// The game. On nine boards the first board of each pair of games is drawn by the seed.
    pub variant: Variant,
    /// Whose score it is.
    pub first: StrategyName,
    /// Against whom.
    pub second: StrategyName,
    /// How many games, an even number.
    pub games: u32,
    /// How many plays at random each pair of games begins with, so that those who always answer the
    /// same play different games.
    pub random_plays: u32,
    /// The same seed, the same match, but where a clock decides.
    pub seed: u64,
}

impl Bout {
    /// Plays all games and calls `after_each` with each game and the score so far.
    pub fn play(&self, mut after_each: impl FnMut(&Game, &Score)) -> Result<Score, Unfit> {
        let mut score = Score::default();
        for number in 0..self.games {
            let seed = self
                .seed
                .wrapping_add(u64::from(number / 2).wrapping_mul(0x9E37_79B9));
            let swapped = number % 2 == 1;
            let names = if swapped {
                [&self.second, &self.first]
            } else {
                [&self.first, &self.second]
            };
            let fresh = self.opened(seed);
            let mut seats = Vec::new();
            for (seat, name) in names.into_iter().enumerate() {
                // Not the same numbers for both, or `random` would mirror itself.
                let setup = Setup::with_seed(seed ^ (seat as u64 + 1) << 32);
                seats.push(name.build(&fresh, &setup)?);
            }
            let game = play_game(fresh, &mut seats);
            let ours = usize::from(swapped);
            match game.conclusion() {
                Some(Conclusion::Won { sides, .. }) if sides.contains(game.order()[ours]) => {
                    score.wins += 1;
                }
                Some(Conclusion::Won { .. }) => score.losses += 1,
                Some(Conclusion::Draw | Conclusion::Abandoned) | None => score.draws += 1,
            }
            after_each(&game, &score);
        }
        Ok(score)
    }

    /// The game that a pair begins with.
    fn opened(&self, seed: u64) -> Game {
        let mut random = Random::new(seed);
        let variant = match self.variant {
            Variant::Nested(spec) if spec.first().is_none() => {
                let board = Board::new(random.below(9) as u8);
                Variant::Nested(spec.starting_on(board))
            }
            Variant::Grid(_) | Variant::Nested(_) => self.variant,
        };
        let mut game = Game::new(&variant, Options::default()).expect("two sides, two seats");
        for _ in 0..self.random_plays {
            if let Some(seat) = game.to_move() {
                let legal = game.legal();
                let at = legal[random.below(legal.len())];
                game.act(seat, Action::Play(at)).expect("a legal move");
            }
        }
        game
    }
}

/// Plays a game to its end, each seat by its strategy.
pub fn play_game(mut game: Game, seats: &mut [Box<dyn Strategy>]) -> Game {
    let stop = Stop::new();
    while let Some(Seat(seat)) = game.to_move() {
        let decision = seats[usize::from(seat)].choose(&game, &stop);
        game.act(Seat(seat), Action::Play(decision.at))
            .expect("strategies play legal moves");
    }
    game
}
