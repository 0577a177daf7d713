//! The trait that the rules of every game implement.

use std::fmt;
use std::hash::Hash;

use crate::diagram::Diagram;
use crate::place::{Board, Move};
use crate::side::{Side, Sides};
use crate::variant::Variant;

/// The rules of a variant: positions, legal moves, outcomes.
///
/// The functions for moves differ in how much they trust the caller. [`check`](Rules::check) explains why a
/// move is illegal. [`Game::act`](crate::Game::act) checks a move and then plays it. [`play`](Rules::play)
/// assumes that the move is legal. The module `properties` (feature `testing`) checks that the methods of an
/// implementation agree with each other.
///
/// ```
/// use noughts_rules::{GridSpec, Move, ByteGrid, Rules};
///
/// let rules = ByteGrid::new(GridSpec::TIC_TAC_TOE);
/// let mut position = rules.start();
/// rules.play(&mut position, Move::at(4));
/// assert_eq!(rules.moves(&position).count(), 8);
/// assert!(rules.check(&position, Move::at(4)).is_err());
/// ```
pub trait Rules: Clone + Send + Sync + 'static {
    /// The marks, the side to move and, on nine boards, the board to play in.
    type Position: Clone + Eq + Hash + fmt::Debug + Send + Sync;
    /// An iterator over the legal moves. The iterator borrows the position, so a search on a large board
    /// needs no list of moves for each node.
    type Moves<'p>: Iterator<Item = Move>
    where
        Self: 'p;

    /// The variant of these rules.
    fn variant(&self) -> Variant;

    /// The number of sides.
    fn sides(&self) -> u8;

    /// The position before the first play.
    fn start(&self) -> Self::Position;

    /// The side to move; after the end of a game, the side that would be next.
    fn to_move(&self, position: &Self::Position) -> Side;

    /// How the game ended; `None` while the game goes on.
    fn outcome(&self, position: &Self::Position) -> Option<Outcome>;

    /// All legal moves in ascending order. The list is empty if and only if the position has an outcome.
    fn moves<'p>(&'p self, position: &'p Self::Position) -> Self::Moves<'p>;

    /// Checks a move. Returns `Ok` exactly for the moves in [`moves`](Rules::moves). Also returns an error
    /// for a cell that is not on the board.
    fn check(&self, position: &Self::Position, at: Move) -> Result<(), IllegalMove>;

    /// Plays a legal move, and passes the turn to the next side. An illegal move leads to a wrong position or a panic.
    /// In debug builds, all implementations except the reference assert that [`check`](Rules::check) allows the move.
    fn play(&self, position: &mut Self::Position, at: Move);

    /// Takes back the latest play, `at`. `before` is the play before `at`; on nine boards `before` decides
    /// the board of the next play. The first play has no `before`, so callers cannot take it back with this
    /// function. The caller must then set the side to move with [`set_turn`](Rules::set_turn).
    fn take_back(&self, position: &mut Self::Position, at: Move, before: Move);

    /// Sets the side to move. Callers use this function after [`take_back`](Rules::take_back), and for turn
    /// orders in which a side has several seats.
    fn set_turn(&self, position: &mut Self::Position, side: Side);

    /// The position as plain data.
    fn diagram(&self, position: &Self::Position) -> Diagram;

    /// The position that the diagram describes. The diagram must pass [`Diagram::check`] for this variant.
    fn set_up(&self, diagram: &Diagram) -> Self::Position;
}

/// How a game ended by the rules. [`Conclusion`](crate::Conclusion) adds the other ways in which a game can
/// end, such as resignation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Nobody won.
    Draw,
    /// These sides won. In a misère game of three sides, two sides win.
    Won(Sides),
}

/// Why a move is illegal. The error message explains the reason to the player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IllegalMove {
    /// The game is over.
    GameOver,
    /// The board has no such cell.
    OffBoard,
    /// The cell has a mark.
    Occupied,
    /// With gravity, the cell below is empty.
    Floating,
    /// The move must be on another board.
    WrongBoard {
        /// The board to play in.
        play_in: Board,
    },
    /// The board of the move is won or full. The player may play on any open board.
    ClosedBoard,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IllegalMove::GameOver => f.write_str("the game is over"),
            IllegalMove::OffBoard => f.write_str("there is no such cell on the board"),
            IllegalMove::Occupied => f.write_str("that cell is taken, choose an empty one"),
            IllegalMove::Floating => f.write_str(
                "a mark would fall from there, choose the lowest empty cell of a column",
            ),
            IllegalMove::WrongBoard { play_in } => {
                write!(f, "this turn must be played on board {play_in}")
            }
            IllegalMove::ClosedBoard => f.write_str("that board is closed, choose an open one"),
        }
    }
}

impl std::error::Error for IllegalMove {}

/// Whether a game on one board is over, and how it ended. Each position stores this state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum GridState {
    /// The game goes on.
    Open,
    /// All cells are taken, and there is no line.
    Full,
    /// This side completed a line.
    Line(Side),
}
