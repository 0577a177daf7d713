//! The view of a table.

use noughts_rules::{
    Action, BoardState, Conclusion, NestedView, Side, Turn, Variant, View as GameView,
    WinReason as GameWinReason,
};
use serde::{Deserialize, Serialize};

use crate::run_length::encode_row;

/// Everything that may be seen of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct View {
    /// The game's id.
    pub id: String,
    /// The variant.
    #[cfg_attr(feature = "openapi", schema(example = "3x3k3"))]
    pub variant: String,
    /// The history size: a rewind takes back fewer marks than this. 0 means no rewind.
    pub history: u16,
    /// The number of completed turns plus one, also when the game is over.
    pub turn: usize,
    /// The number of the latest log entry, which is the id of the latest event.
    #[serde(default)]
    pub entry: u32,
    /// The seat to move; null when the game is over.
    pub to_move: Option<u8>,
    /// The seats, in turn order.
    pub seats: Vec<SeatView>,
    /// The marks on the board.
    pub marks: Marks,
    /// The legal moves.
    pub legal: Legal,
    /// The maximum number of marks that may be taken back now; null without rewind or when the game is over.
    pub rewind: Option<u16>,
    /// The latest turn.
    pub last: Option<TurnView>,
    /// On nine boards: the state of each board, the score, and the active board.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub nine: Option<NineBoards>,
    /// The outcome; null while the game runs.
    pub outcome: Option<Outcome>,
    /// The id of the rematch, if there is one.
    pub rematch: Option<String>,
}

/// One seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatView {
    /// The person's name or the robot's strategy.
    pub name: String,
    /// Who holds the seat.
    pub kind: SeatKind,
    /// The symbol of its marks.
    pub symbol: char,
    /// Whether the player is connected.
    pub present: bool,
}

/// Who holds the seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SeatKind {
    /// A person.
    Human,
    /// A robot.
    Robot,
    /// The seat is open.
    Open,
}

/// The cells, row by row; on nine boards board by board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Marks {
    /// The side of each cell; null if empty.
    Cells(Vec<Option<u8>>),
    /// Above 1 024 cells: one run-length text per row, with `.` for empty cells.
    Rows(Vec<String>),
}

/// The legal moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Legal {
    /// The moves as text.
    Moves(Vec<String>),
    /// Above 1 024 cells the word `empty`: all empty cells, with gravity those on which a mark would rest.
    All(Empty),
}

/// The word `empty`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Empty {
    /// All empty cells.
    Empty,
}

/// A completed turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct TurnView {
    /// The seat.
    pub by: u8,
    /// The move played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub play: Option<String>,
    /// The number of marks taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewind: Option<u16>,
    /// `true` if the seat resigned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<bool>,
}

/// The state of nine boards.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct NineBoards {
    /// The state of each board.
    pub boards: Vec<BoardView>,
    /// The number of boards won by each side.
    pub score: [usize; 2],
    /// The active board; null if any open board may be played, or the game is over.
    pub active: Option<u8>,
}

/// The state of one of nine boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum BoardView {
    /// Open.
    Open,
    /// Full without a winner.
    Drawn,
    /// Won by this side.
    Won(u8),
}

/// The outcome of a game: `{"draw":true}`, `{"won":[0],"line":[…],"by":"line"}` or `{"abandoned":true}`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Outcome {
    /// A draw.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draw: bool,
    /// All players left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub abandoned: bool,
    /// The sides that won.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub won: Vec<u8>,
    /// The cells of the completed lines, or the boards if boards form the line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
    /// The reason of the win.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<WinReason>,
}

/// The reason of a win.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum WinReason {
    /// A line.
    Line,
    /// More boards than the opponent.
    Points,
    /// All others resigned.
    Resignation,
    /// All others left.
    Leaving,
}

/// The part of a view that is not in the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableInfo {
    /// The game's id.
    pub id: String,
    /// The number of the latest log entry.
    pub entry: u32,
    /// The seats; their symbols are filled in.
    pub seats: Vec<SeatView>,
    /// The id of the rematch, if there is one.
    pub rematch: Option<String>,
}

/// Boards with more cells are sent as run-length rows.
pub const MAX_LISTED_CELLS: usize = 1_024;

impl View {
    /// The view of a table from the view of its game. Takes time proportional to the number of cells.
    pub fn new(game: &GameView, table: TableInfo) -> View {
        let is_large = game.variant.cells() > MAX_LISTED_CELLS;
        let mut seats = table.seats;
        for (seat, side) in seats.iter_mut().zip(&game.order) {
            seat.symbol = side.symbol();
        }
        View {
            id: table.id,
            variant: game.variant.to_string(),
            history: game.history,
            turn: game.turn,
            to_move: game.to_move.map(|seat| seat.0),
            seats,
            entry: table.entry,
            marks: marks(game, is_large),
            legal: match is_large && game.outcome.is_none() {
                true => Legal::All(Empty::Empty),
                false => Legal::Moves(written(&game.variant, &game.legal)),
            },
            rewind: game.longest_rewind,
            last: game.last.map(|turn| TurnView::new(&game.variant, turn)),
            nine: game.nested.map(NineBoards::from),
            outcome: game
                .outcome
                .as_ref()
                .map(|end| Outcome::new(&game.variant, end)),
            rematch: table.rematch,
        }
    }
}

fn marks(seen: &GameView, is_large: bool) -> Marks {
    match (&seen.variant, is_large) {
        (Variant::Grid(spec), true) => {
            Marks::Rows(seen.marks.chunks(spec.columns()).map(encode_row).collect())
        }
        (Variant::Grid(_) | Variant::Nested(_), _) => {
            let number = |side: Side| side.index() as u8;
            Marks::Cells(seen.marks.iter().map(|mark| mark.map(number)).collect())
        }
    }
}

fn written(variant: &Variant, moves: &[noughts_rules::Move]) -> Vec<String> {
    moves.iter().map(|at| variant.format_move(*at)).collect()
}

impl TurnView {
    /// A turn of a game of this variant.
    pub fn new(variant: &Variant, turn: Turn) -> TurnView {
        let mut last = TurnView {
            by: turn.by.0,
            play: None,
            rewind: None,
            resign: None,
        };
        match turn.action {
            Action::Play(at) => last.play = Some(variant.format_move(at)),
            Action::Rewind(count) => last.rewind = Some(count),
            Action::Resign => last.resign = Some(true),
        }
        last
    }
}

impl Outcome {
    /// The outcome of a game of this variant.
    pub fn new(variant: &Variant, conclusion: &Conclusion) -> Outcome {
        let (sides, by) = match conclusion {
            Conclusion::Draw => {
                return Outcome {
                    draw: true,
                    ..Outcome::default()
                };
            }
            Conclusion::Abandoned => {
                return Outcome {
                    abandoned: true,
                    ..Outcome::default()
                };
            }
            Conclusion::Won { sides, by } => (sides, by),
        };
        let (why, line) = match by {
            GameWinReason::Line(cells) => (WinReason::Line, written(variant, cells)),
            GameWinReason::Boards(boards) => {
                let boards = boards.iter().map(|board| board.index().to_string());
                (WinReason::Line, boards.collect())
            }
            GameWinReason::Points => (WinReason::Points, Vec::new()),
            GameWinReason::Resignation => (WinReason::Resignation, Vec::new()),
            GameWinReason::Leaving => (WinReason::Leaving, Vec::new()),
        };
        Outcome {
            won: sides.iter().map(|side| side.index() as u8).collect(),
            line,
            by: Some(why),
            ..Outcome::default()
        }
    }
}

impl From<NestedView> for NineBoards {
    fn from(nested: NestedView) -> NineBoards {
        NineBoards {
            boards: nested.boards.map(BoardView::from).to_vec(),
            score: nested.score,
            active: nested.active.map(|board| board.index() as u8),
        }
    }
}

impl From<BoardState> for BoardView {
    fn from(state: BoardState) -> BoardView {
        match state {
            BoardState::Open => BoardView::Open,
            BoardState::Drawn => BoardView::Drawn,
            BoardState::Won(side) => BoardView::Won(side.index() as u8),
        }
    }
}
