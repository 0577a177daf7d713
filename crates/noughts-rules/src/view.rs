//! The view of a game: everything that a user interface shows. With a view, a user interface does not have to
//! implement the rules.

use crate::diagram::{BoardState, PlayIn};
use crate::game::{Conclusion, Game, Seat, Turn};
use crate::place::{Board, Move};
use crate::side::Side;
use crate::variant::{Scoring, Variant};

/// The state of a game as plain data.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct View {
    /// The variant.
    pub variant: Variant,
    /// The limit of a rewind: see [`Options::history`](crate::Options::history).
    pub history: u16,
    /// The number of completed turns plus one, also when the game is over.
    pub turn: usize,
    /// The seat to move; `None` when the game is over.
    pub to_move: Option<Seat>,
    /// The side of each seat, in turn order.
    pub order: Vec<Side>,
    /// The mark in every cell, row by row. On nine boards, board by board.
    pub marks: Vec<Option<Side>>,
    /// All legal moves, ascending.
    pub legal: Vec<Move>,
    /// The last turn; `None` before the first turn.
    pub last: Option<Turn>,
    /// The maximum number of marks that a rewind may take back now; `None` if the game has no rewind or is over.
    pub longest_rewind: Option<u16>,
    /// The state of the nine boards; `None` for a grid.
    pub nested: Option<NestedView>,
    /// How the game ended; `None` while the game goes on.
    pub outcome: Option<Conclusion>,
}

/// The part of a view that only games on nine boards have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NestedView {
    /// The state of each board.
    pub boards: [BoardState; 9],
    /// The number of boards that each side has won.
    pub score: [usize; 2],
    /// The number of drawn boards.
    pub drawn: usize,
    /// The board to play in; `None` if the player may use any open board, or if the game is over.
    pub active: Option<Board>,
    /// Whether the states of the boards show that further plays cannot change the result. The value may be
    /// true before the game is over.
    pub decided: bool,
}

impl Game {
    /// The current state. Takes time proportional to the number of cells.
    pub fn view(&self) -> View {
        View {
            legal: self.legal(),
            ..self.view_without_legal()
        }
    }

    /// The current state with an empty list of legal moves. On a board of 255x255, this takes a twentieth of the time of
    /// [`view`](Game::view).
    pub fn view_without_legal(&self) -> View {
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
            legal: Vec::new(),
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

/// Whether at least one side can still win three boards in a line: each of the three boards is open or won by
/// this side.
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
