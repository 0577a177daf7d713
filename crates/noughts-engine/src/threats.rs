//! Immediate threats, to explain moves in words.

use noughts_rules::{Action, Conclusion, Game, Goal, Move, Options, Turn, Variant, WinReason};

/// On boards with more cells, [`threats`] finds nothing, because its time grows with the square of the number of cells.
const MAX_CELLS: usize = 1_024;

/// The moves with which the side that played `at` would complete a line if it could move again, in ascending
/// order. Two or more of these moves are a fork: the opponent cannot prevent all of them with one move.
///
/// `after` is the game after the play. The list is empty for finished games, on nine boards, on boards with more than
/// 1 024 cells, and in misère games, where the side that completes a line loses.
pub fn threats(after: &Game, at: Move) -> Vec<Move> {
    let variant = after.variant();
    let Variant::Grid(spec) = variant else {
        return Vec::new();
    };
    if after.conclusion().is_some() || spec.goal == Goal::Avoid || spec.cells() > MAX_CELLS {
        return Vec::new();
    }
    let mut position = after.diagram();
    let Some(side) = position.marks.get(at.index()).copied().flatten() else {
        return Vec::new();
    };
    position.to_move = side;
    let options = Options {
        order: after.order().to_vec(),
        ..Options::default()
    };
    let Ok(again) = Game::from_diagram(variant, options, position) else {
        return Vec::new();
    };
    let Some(by) = again.to_move() else {
        return Vec::new();
    };
    let mut moves = again.legal();
    moves.retain(|at| {
        let action = Action::Play(*at);
        let end = again.conclusion_after(Turn { by, action });
        matches!(
            end,
            Some(Conclusion::Won {
                by: WinReason::Line(_),
                ..
            })
        )
    });
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the threats after the last of `moves`.
    fn check(variant: &str, moves: &str, expected: &str) {
        let mut game = Game::new(&variant.parse().unwrap(), Options::default()).unwrap();
        let mut last = None;
        for text in moves.split_whitespace() {
            let action = game.parse_action(text).unwrap();
            game.act(game.to_move().unwrap(), action).unwrap();
            if let Action::Play(at) = action {
                last = Some(at);
            }
        }
        let found = threats(&game, last.unwrap());
        let found: Vec<_> = found
            .into_iter()
            .map(|at| game.variant().format_move(at))
            .collect();
        assert_eq!(found.join(" "), expected, "{variant} {moves}");
    }

    #[test]
    fn threats_are_moves_that_would_complete_a_line() {
        check("3x3k3", "1-1", "");
        check("3x3k3", "1-1 0-0 0-2", "2-0");
        // A fork: two corners and the centre.
        check("3x3k3", "1-1 0-1 0-0 2-2 2-0", "0-2 1-0");
        // The game is over.
        check("3x3k3", "0-0 1-0 0-1 1-1 0-2", "");
        check("3x3k3+misere", "1-1 0-0 0-2", "");
        // Only the cell on which a mark can be placed is a threat.
        check("7x6k4+gravity", "5-0 5-6 5-1 4-6 5-2", "5-3");
        check("7x6k4+gravity", "5-1 5-6 5-2 4-6 5-3", "5-0 5-4");
        check("7x6k4+gravity", "5-0 5-1 5-2 4-0 5-3 4-1 4-2 4-3", "");
        // With +exact, four in a row do not win.
        check("9x3k3+exact", "0-0 2-0 0-1 2-8 0-3", "");
        check("9x3k3", "0-0 2-0 0-1 2-8 0-3", "0-2");
        check("multi", "4-0 0-2", "");
    }
}
