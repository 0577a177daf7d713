//! What anybody may see of a game: everything that a screen needs, so that no screen needs rules.

use crate::diagram::{BoardState, PlayIn};
use crate::game::{Conclusion, Game, Seat, Turn};
use crate::place::{Board, Move};
use crate::side::Side;
use crate::variant::{Scoring, Variant};

/// A game as it stands, plain data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Which game.
    pub variant: Variant,
    /// The size of its history.
    pub history: u16,
    /// Completed turns plus one, also when it is over.
    pub turn: usize,
    /// Whose turn it is; `None` when it is over.
    pub to_move: Option<Seat>,
    /// The side of each seat.
    pub order: Vec<Side>,
    /// Every cell, row by row; on nine boards board by board.
    pub marks: Vec<Option<Side>>,
    /// Every legal move, ascending.
    pub legal: Vec<Move>,
    /// The latest turn.
    pub last: Option<Turn>,
    /// How many marks may be taken back now; `None` where there is no rewind at all, or it is
    /// over.
    pub longest_rewind: Option<u16>,
    /// The nine boards, where there are nine.
    pub nested: Option<NestedView>,
    /// How it ended; `None` while it goes on.
    pub outcome: Option<Conclusion>,
}

/// What there is to see only on nine boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NestedView {
    /// How each board stands.
    pub boards: [BoardState; 9],
    /// How many boards each side has won.
    pub score: [usize; 2],
    /// How many boards nobody won.
    pub drawn: usize,
    /// The board that must be played in; `None`: any open one, or the game is over.
    pub active: Option<Board>,
    /// Whether the result can no longer change; the game goes on all the same.
    pub decided: bool,
}

impl Game {
    /// The game as it stands. Costs no more than a look at every cell.
    pub fn view(&self) -> View {
        let diagram = self.diagram();
        let nested = match self.variant() {
            Variant::Grid(_) => None,
            Variant::Nested(spec) => {
                let active = match (self.conclusion(), diagram.play_in) {
                    (None, Some(PlayIn::Board(board))) => Some(board),
                    (Some(_), _) | (_, None | Some(PlayIn::AnyOpen)) => None,
                };
                Some(NestedView::new(diagram.boards(), spec.scoring(), active))
            }
        };
        View {
            variant: *self.variant(),
            history: self.history(),
            turn: self.turns().len() + 1,
            to_move: self.to_move(),
            order: self.order().to_vec(),
            marks: diagram.marks,
            legal: self.legal(),
            last: self.turns().last().copied(),
            longest_rewind: self.longest_rewind(),
            nested,
            outcome: self.conclusion().cloned(),
        }
    }
}

impl NestedView {
    fn new(boards: [BoardState; 9], scoring: Scoring, active: Option<Board>) -> NestedView {
        let count = |state| boards.iter().filter(|board| **board == state).count();
        let score = [Side::FIRST, Side::SECOND].map(|side| count(BoardState::Won(side)));
        let open = count(BoardState::Open);
        let decided = match scoring {
            Scoring::MostBoards => score[0].abs_diff(score[1]) > open || open == 0,
            Scoring::MetaLine => open == 0 || !line_is_possible(&boards) || line_is_made(&boards),
        };
        NestedView {
            boards,
            score,
            drawn: count(BoardState::Drawn),
            active,
            decided,
        }
    }
}

/// Whether some side can still win, or has won, all three boards of a line.
fn line_is_possible(boards: &[BoardState; 9]) -> bool {
    any_line(boards, |state, side| {
        state == BoardState::Won(side) || state == BoardState::Open
    })
}

fn line_is_made(boards: &[BoardState; 9]) -> bool {
    any_line(boards, |state, side| state == BoardState::Won(side))
}

fn any_line(boards: &[BoardState; 9], fits: impl Fn(BoardState, Side) -> bool) -> bool {
    [Side::FIRST, Side::SECOND].into_iter().any(|side| {
        crate::nested::LINES_3X3
            .iter()
            .any(|line| (0..9).all(|board| line >> board & 1 == 0 || fits(boards[board], side)))
    })
}
