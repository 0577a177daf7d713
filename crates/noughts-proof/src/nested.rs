//! What the score of nine boards says before the game is over.
//!
//! - A board that is closed matters only for whose it is; in Multi, only for the difference of the points.
//! - A side can still get the boards that it has won and the open ones with a line free of the other's marks. Who
//!   can't get enough of them can't win, and who has more points than the other can get has won.

use noughts_rules::{BoardState, Diagram, LINES_3X3, NestedSpec, Scoring, Side};

/// Whether the attacker has won, or can't win any more; `None` while the score does not tell.
pub(crate) fn settled(spec: NestedSpec, position: &Diagram, attacker: Side) -> Option<bool> {
    let boards = position.boards();
    let has = |side: Side, board: usize| boards[board] == BoardState::Won(side);
    let has_room = |side: Side, board: usize| {
        let is_free = |line: &u16| {
            members(*line).all(|cell| position.marks[9 * board + cell] != Some(side.next(2)))
        };
        boards[board] == BoardState::Open && LINES_3X3.iter().any(is_free)
    };
    let can_get = |side: Side, board: usize| has(side, board) || has_room(side, board);
    let defender = attacker.next(2);
    let count = |is_it: &dyn Fn(usize) -> bool| (0..9).filter(|board| is_it(*board)).count();
    match spec.scoring() {
        Scoring::MostBoards => {
            let mine = count(&|board| has(attacker, board));
            let theirs = count(&|board| has(defender, board));
            if count(&|board| can_get(attacker, board)) <= theirs {
                Some(false)
            } else if count(&|board| can_get(defender, board)) < mine {
                Some(true)
            } else {
                None
            }
        }
        Scoring::MetaLine => {
            let within = |line: &u16| members(*line).all(|board| can_get(attacker, board));
            (!LINES_3X3.iter().any(within)).then_some(false)
        }
    }
}

fn members(line: u16) -> impl Iterator<Item = usize> {
    (0..9).filter(move |at| line >> at & 1 == 1)
}

/// What matters of closed boards, written over their marks; and the lead of the first side where only that
/// matters. `bytes` has one for each cell, below 3.
pub(crate) fn close(spec: NestedSpec, position: &Diagram, bytes: &mut [u8]) -> u8 {
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
