//! Matches between two strategies.

use noughts_engine::{EngineSetup, Random, Stop, Strategy, StrategyName, UnsupportedGame};
use noughts_rules::{Action, Board, Conclusion, Game, Options, Seat, Variant};

use crate::score::Score;

/// A match of two strategies. Every opening is played twice, with seats swapped.
#[derive(Clone, Debug)]
pub struct Match {
    /// The variant, which must have two sides. If Ultimate or Multi has no fixed first board, the seed chooses a first
    /// board for each pair of games.
    pub variant: Variant,
    /// The strategy whose score is counted.
    pub first: StrategyName,
    /// The opponent.
    pub second: StrategyName,
    /// The number of games. If the number is odd, the last opening is played only once.
    pub games: u32,
    /// The number of random moves at the start of each pair of games. Because of these moves, deterministic
    /// strategies play different games.
    pub random_moves: u32,
    /// The seed of the random numbers. The same seed gives the same match, unless a strategy has a time limit.
    pub seed: u64,
}

impl Match {
    /// Plays all games and calls `after_each` with each game and the score so far.
    pub fn play(
        &self,
        mut after_each: impl FnMut(&Game, &Score),
    ) -> Result<Score, UnsupportedGame> {
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
                // Each seat has its own seed. Otherwise two `random` robots would use the same random numbers.
                let setup = EngineSetup::with_seed(seed ^ (seat as u64 + 1) << 32);
                seats.push(name.build(&fresh, &setup)?);
            }
            let game = play_game(fresh, &mut seats);
            let ours = usize::from(swapped);
            match game.conclusion() {
                Some(Conclusion::Won { sides, .. }) if sides.contains(game.order()[ours]) => {
                    score.wins += 1;
                }
                Some(Conclusion::Won { .. }) => score.losses += 1,
                Some(Conclusion::Draw { .. } | Conclusion::Abandoned | Conclusion::Aborted)
                | None => score.draws += 1,
            }
            after_each(&game, &score);
        }
        Ok(score)
    }

    /// Creates a game and plays its random moves.
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
        for _ in 0..self.random_moves {
            if let Some(seat) = game.to_move() {
                let legal = game.legal();
                let at = legal[random.below(legal.len())];
                game.act(seat, Action::Play(at)).expect("a legal move");
            }
        }
        game
    }
}

/// Plays a game to its end, with one strategy per seat.
pub fn play_game(mut game: Game, seats: &mut [Box<dyn Strategy>]) -> Game {
    let stop = Stop::new();
    while let Some(Seat(seat)) = game.to_move() {
        let decision = seats[usize::from(seat)].choose(&game, &stop);
        game.act(Seat(seat), Action::Play(decision.at))
            .expect("strategies play legal moves");
    }
    game
}
