//! Finds the mistakes of a game from the analyses of its positions.

use noughts_rules::{Action, Conclusion, DrawReason, Game, Move, Seat, Side, WinReason};

use crate::analysis::Analysis;
use crate::solver::GameValue;

/// A turn that made the value worse for its player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// The value before the turn.
    pub before: GameValue,
    /// The value after the turn, for the same player.
    pub after: GameValue,
}

/// For each turn: the mistake, or `None` if the turn is no mistake or a value is not known. `found[n]` is the
/// analysis of the position before turn `n + 1`. A rewind or a takeback is never a mistake.
///
/// With more than two sides, the function judges only resignations, because the value for the next side says
/// nothing about the other sides.
pub fn find_mistakes(game: &Game, found: &[Option<Analysis>]) -> Vec<Option<Mistake>> {
    let has_two_sides = game.variant().sides() == 2;
    let analysis = |number: usize| found.get(number).and_then(Option::as_ref);
    let turns = game.turns().iter().enumerate();
    turns
        .map(|(number, turn)| {
            let analysis_before = analysis(number)?;
            let after = match turn.action {
                Action::Resign => Some(GameValue::Loss),
                Action::Play(_) if !has_two_sides => None,
                Action::Play(_) if number + 1 == game.turns().len() => ending(game, turn.by),
                Action::Play(at) => value_of_move(analysis_before, at).or_else(|| {
                    let next = analysis(number + 1).and_then(exact)?;
                    Some(match same_side_is_next(game.order(), turn.by) {
                        true => next,
                        false => next.for_opponent(),
                    })
                }),
                // A rewind or a takeback returns to an earlier position. The move that led to this position was already
                // judged.
                Action::Rewind(_) | Action::Takeback(_) => None,
            };
            let (before, after) = exact(analysis_before).zip(after)?;
            (after < before).then_some(Mistake { before, after })
        })
        .collect()
}

/// The value of a move, if the analysis has the values of all moves.
fn value_of_move(analysis: &Analysis, at: Move) -> Option<GameValue> {
    let known = analysis.moves.iter().find(|known| known.at == at)?;
    Some(known.value)
}

fn exact(analysis: &Analysis) -> Option<GameValue> {
    analysis.exact().map(|(value, _)| value)
}

/// Whether the seat after `by` has the same side, as in games with the seats `xxo`.
fn same_side_is_next(order: &[Side], by: Seat) -> bool {
    let by = usize::from(by.0);
    order.get(by) == order.get((by + 1) % order.len())
}

/// The value for the player of the last turn, if this turn ended the game; `None` if the game is not over, or
/// if it ended for another reason, such as time.
fn ending(game: &Game, by: Seat) -> Option<GameValue> {
    let side = game.order().get(usize::from(by.0))?;
    match game.conclusion()? {
        Conclusion::Won {
            by: WinReason::Leaving | WinReason::Time | WinReason::Claim,
            ..
        } => None,
        Conclusion::Won { sides, .. } if sides.contains(*side) => Some(GameValue::Win),
        Conclusion::Won { .. } => Some(GameValue::Loss),
        Conclusion::Draw {
            reason: DrawReason::Full,
        } => Some(GameValue::Draw),
        Conclusion::Draw { .. } | Conclusion::Abandoned | Conclusion::Aborted => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use noughts_rules::Options;

    use super::*;
    use crate::clock::SystemClock;
    use crate::search::Limits;
    use crate::strategies::iterative_deepening::analyze;
    use crate::strategy::Stop;

    /// The mistakes of a game, each with the number of its turn.
    fn mistakes(variant: &str, moves: &str) -> Vec<(usize, Mistake)> {
        mistakes_with(Options::default(), variant, moves)
    }

    fn mistakes_with(options: Options, variant: &str, moves: &str) -> Vec<(usize, Mistake)> {
        let mut game = Game::new(&variant.parse().unwrap(), options).unwrap();
        let mut found = Vec::new();
        let limits = Limits {
            nodes: Some(1_000_000),
            ..Limits::default()
        };
        for text in moves.split_whitespace() {
            let clock = Arc::new(SystemClock::default());
            found.push(Some(analyze(&game, limits, &Stop::new(), clock)));
            let action = game.parse_action(text).unwrap();
            game.act(game.to_move().unwrap(), action).unwrap();
        }
        let all = find_mistakes(&game, &found);
        let judged = (1..).zip(all);
        judged
            .filter_map(|(turn, mistake)| Some((turn, mistake?)))
            .collect()
    }

    #[test]
    fn mistakes_of_tic_tac_toe_are_found() {
        use GameValue::{Draw, Loss, Win};
        let mistake = |turn, before, after| (turn, Mistake { before, after });
        // x starts in a corner. o answers on an edge, which loses.
        assert_eq!(
            mistakes("3x3k3", "0-0 0-1 1-1 2-2 1-0"),
            [mistake(2, Draw, Loss)]
        );
        // x wins with 2-0. In the next game below, x plays 1-2 instead, so o can draw.
        assert_eq!(
            mistakes("3x3k3", "1-1 0-1 0-0 2-2 2-0 1-0 0-2"),
            [mistake(2, Draw, Loss)]
        );
        assert_eq!(
            mistakes("3x3k3", "1-1 0-1 0-0 2-2 1-2 1-0"),
            [mistake(2, Draw, Loss), mistake(5, Win, Draw)]
        );
        assert_eq!(
            mistakes("3x3k3", "1-1 0-0 resign"),
            [mistake(3, Draw, Loss)]
        );
        assert_eq!(mistakes("3x3k3p3", "0-0 0-1 0-2 2-2"), []);
    }

    #[test]
    fn same_side_may_move_next() {
        let side = |symbol| Side::new(if symbol == 'x' { 0 } else { 1 }).unwrap();
        for (order, moves) in [
            ("xxo", "0-0 0-1 0-2 1-0 2-0"),
            ("xoo", "0-0 0-1 1-1 2-2"),
            // After a rewind the next seat moves.
            ("xo", "0-0 <<1 1-1 <<0 0-1 0-0"),
        ] {
            let options = Options {
                history: 3,
                order: order.chars().map(side).collect(),
            };
            let found = mistakes_with(options, "3x3k3", moves);
            assert_eq!(found, [], "{order}: {moves}");
        }
    }
}
