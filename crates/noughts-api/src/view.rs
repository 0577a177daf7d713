//! What anybody may see of a table, as JSON.

use noughts_rules::{
    Action, BoardState, Conclusion, NestedView, Side, Turn, Variant, View as GameView,
    WinReason as GameWinReason,
};
use serde::{Deserialize, Serialize};

use crate::run_length::encode_row;

/// Everything that a screen needs of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct View {
    /// The game's name.
    pub id: String,
    /// Which game.
    #[cfg_attr(feature = "openapi", schema(example = "3x3k3"))]
    pub variant: String,
    /// A rewind takes back fewer marks than this; 0: there is none.
    pub history: u16,
    /// Completed turns plus one, also when it is over.
    pub turn: usize,
    /// The number of the latest entry of the game's log: what a stream names its events by.
    #[serde(default)]
    pub entry: u32,
    /// The seat whose turn it is; null when it is over.
    pub to_move: Option<u8>,
    /// Who sits where, in turn order.
    pub seats: Vec<SeatView>,
    /// Every cell.
    pub marks: Marks,
    /// Every legal move.
    pub legal: Legal,
    /// How many marks may be taken back now; null where there is no rewind, or it is over.
    pub rewind: Option<u16>,
    /// The latest turn.
    pub last: Option<TurnView>,
    /// On nine boards: how each stands, the score and where to play.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub nine: Option<NineBoards>,
    /// How it ended; null while it goes on.
    pub outcome: Option<Outcome>,
    /// The game that was made when everybody wanted to play again.
    pub rematch: Option<String>,
}

/// One seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatView {
    /// Whoever sits there; a robot's strategy.
    pub name: String,
    /// What sits there.
    pub kind: SeatKind,
    /// How its marks are shown.
    pub symbol: char,
    /// Whether somebody listens there now.
    pub present: bool,
}

/// What sits there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SeatKind {
    /// Somebody.
    Human,
    /// A robot.
    Robot,
    /// Nobody yet.
    Open,
}

/// Every cell, row by row; on nine boards board by board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Marks {
    /// The side of each cell, or null.
    Cells(Vec<Option<u8>>),
    /// Above 1 024 cells: a text per row, runs of equal cells as length and symbol, `.` for free ones.
    Rows(Vec<String>),
}

/// Every legal move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Legal {
    /// As they are written.
    Moves(Vec<String>),
    /// Above 1 024 cells the word `empty`: every free cell, with gravity every one that rests.
    All(Empty),
}

/// The word `empty`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Empty {
    /// Every free cell.
    Empty,
}

/// A turn: who did what.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TurnView {
    /// The seat.
    pub by: u8,
    /// The move that was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub play: Option<String>,
    /// How many marks were taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewind: Option<u16>,
    /// Whether the seat gave up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<bool>,
}

/// What there is to see only on nine boards.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NineBoards {
    /// How each stands: `open`, `drawn`, or the side that won it.
    pub boards: Vec<BoardView>,
    /// How many boards each side has won.
    pub score: [usize; 2],
    /// The board that must be played in; null: any open one, or it is over.
    pub active: Option<u8>,
}

/// How a small board stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum BoardView {
    /// It can be played on.
    Open,
    /// Nobody won it.
    Drawn,
    /// This side won it.
    Won(u8),
}

/// How a game ended: `{"draw":true}`, `{"won":[0],"line":[…],"by":"line"}` or `{"abandoned":true}`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Outcome {
    /// Nobody won.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draw: bool,
    /// Everybody left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub abandoned: bool,
    /// The sides that won.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub won: Vec<u8>,
    /// The cells of the lines just completed; the boards where boards make the line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
    /// What won it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<WinReason>,
}

/// What won a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum WinReason {
    /// A line.
    Line,
    /// More boards than the other.
    Points,
    /// All others gave up.
    Resignation,
    /// All others left.
    Leaving,
}

/// What a table knows that its game does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableInfo {
    /// Its name.
    pub id: String,
    /// The number of the latest entry of its log.
    pub entry: u32,
    /// Who sits where; the symbols are put in.
    pub seats: Vec<SeatView>,
    /// The game that was made when everybody wanted to play again.
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
    /// How a game of this variant ended.
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
