//! What every family of games promises.

use std::fmt;
use std::hash::Hash;

use crate::diagram::Diagram;
use crate::place::{Board, Move};
use crate::side::{Side, Sides};
use crate::variant::Variant;

/// A variant, executable: what may happen.
///
/// Three tiers of one act: [`check`](Rules::check) says why not, [`Game::act`](crate::Game::act)
/// does it or refuses, [`play`](Rules::play) trusts its caller. `laws` states in code what holds
/// between these methods, for every family.
pub trait Rules: Clone + Send + Sync + 'static {
    /// Bare data, with whose turn it is: a rewind passes the turn, so it can't be counted.
    type Position: Clone + Eq + Hash + fmt::Debug + Send + Sync;
    /// The legal moves. Borrows: a large board must not build a list per node.
    type Moves<'p>: Iterator<Item = Move>
    where
        Self: 'p;

    /// The game's name and numbers.
    fn variant(&self) -> Variant;

    /// How many sides play.
    fn sides(&self) -> u8;

    /// The position before the first play.
    fn start(&self) -> Self::Position;

    /// Whose turn it is; of a finished game, whose it would be.
    fn to_move(&self, position: &Self::Position) -> Side;

    /// How it ended, or `None` while it goes on.
    fn outcome(&self, position: &Self::Position) -> Option<Outcome>;

    /// Every legal move, in ascending order; none exactly when there is an outcome.
    fn moves<'p>(&'p self, position: &'p Self::Position) -> Self::Moves<'p>;

    /// Why a move is not legal. `Ok` exactly for those in [`moves`](Rules::moves); any index is
    /// answered, off the board too.
    fn check(&self, position: &Self::Position, at: Move) -> Result<(), IllegalMove>;

    /// Puts a mark of the side to move, and passes the turn to the next side. Trusts its caller:
    /// debug-asserts [`check`](Rules::check). An illegal move gives a wrong position or a panic,
    /// never anything worse.
    fn play(&self, position: &mut Self::Position, at: Move);

    /// Takes the mark at `at` off again, the latest one of a game that goes on or was just ended
    /// by it. `before` is the play before it, which on nine boards says where to play next. Whose
    /// turn it is then is for the caller to say.
    fn take_back(&self, position: &mut Self::Position, at: Move, before: Move);

    /// Makes it `side`'s turn: for rewind, and for a turn order in which a side has several seats.
    fn set_turn(&self, position: &mut Self::Position, side: Side);

    /// The position as plain data.
    fn diagram(&self, position: &Self::Position) -> Diagram;

    /// The position of a diagram that [`Diagram::check`] passed for this variant.
    fn set_up(&self, diagram: &Diagram) -> Self::Position;
}

/// How a game ended by its rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Nobody won.
    Draw,
    /// These won: in a misère game of three sides, two.
    Won(Sides),
}

/// Why a move can't be played. Displays what would be right.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IllegalMove {
    /// The game is over.
    GameOver,
    /// There is no such cell.
    OffBoard,
    /// There is a mark already.
    Occupied,
    /// It would not rest there.
    Floating,
    /// It must be played on another board.
    WrongBoard {
        /// On this one.
        play_in: Board,
    },
    /// That board is won or full; any open one will do.
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

/// How a game on one board stands; kept in the position, since only the latest play can end it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Standing {
    /// It goes on.
    Open,
    /// Every cell is taken and nobody has a line.
    Full,
    /// This side completed a line.
    Line(Side),
}
