//! Nine boards: results that are certain before the end of a game, and equivalent positions.
//!
//! A side *can get* the boards that it has won, and every open board with a line that has no mark of the
//! other side. In Multi, a side is certain to win if it has won more boards than the other side can get. In
//! Multi, a side can still win only if it can get more boards than the other side has won. In Ultimate, a
//! side can still win only if it can get all three boards of some line.

use noughts_rules::{BoardState, Diagram, LINES_3X3, NestedSpec, Scoring, Side};

/// Whether the attacker is certain to win (`true`) or cannot win (`false`); `None` if neither follows from the boards
/// that each side has won or can get.
pub(crate) fn decided(spec: NestedSpec, position: &Diagram, attacker: Side) -> Option<bool> {
    let boards = position.boards();
    let won = |side: Side| members(|board| boards[board] == BoardState::Won(side));
    let within_reach = |side: Side| {
        let has_room = |board: usize| {
            let theirs = |cell: usize| position.marks[9 * board + cell] == Some(side.next(2));
            let theirs = members(theirs);
            boards[board] == BoardState::Open && LINES_3X3.iter().any(|line| line & theirs == 0)
        };
        won(side) | members(has_room)
    };
    let defender = attacker.next(2);
    match spec.scoring() {
        Scoring::MostBoards => {
            let can_get = |side: Side| within_reach(side).count_ones();
            if can_get(attacker) <= won(defender).count_ones() {
                Some(false)
            } else {
                (can_get(defender) < won(attacker).count_ones()).then_some(true)
            }
        }
        Scoring::MetaLine => {
            let mine = within_reach(attacker);
            let can_win = LINES_3X3.iter().any(|line| line & !mine == 0);
            (!can_win).then_some(false)
        }
    }
}

/// The set of the boards (or cells) from 0 to 8 for which `is_in` is true.
fn members(is_in: impl Fn(usize) -> bool) -> u16 {
    let found = (0..9).filter(|member| is_in(*member));
    found.fold(0, |set, member| set | 1 << member)
}

/// Overwrites the cells of closed boards, so that equivalent positions become equal. In Ultimate, only the owner of a
/// closed board counts. In Multi, only the lead counts: how many boards the first side has won minus how many the
/// second side has won. In Multi, returns the lead plus 9. In Ultimate, returns 9.
pub(crate) fn merge_closed(spec: NestedSpec, position: &Diagram, bytes: &mut [u8]) -> u8 {
    let mut lead = 9;
    for (board, state) in position.boards().into_iter().enumerate() {
        let owner = match state {
            BoardState::Open => continue,
            BoardState::Drawn => 0,
            BoardState::Won(side) => 1 + side.index() as u8,
        };
        let code = match spec.scoring() {
            Scoring::MostBoards => {
                lead = match owner {
                    0 => lead,
                    1 => lead + 1,
                    _ => lead - 1,
                };
                3
            }
            Scoring::MetaLine => 3 + owner,
        };
        bytes[9 * board..9 * board + 9].fill(code);
    }
    lead
}
