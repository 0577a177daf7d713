//! The view of a table.

use noughts_rules::{
    Action, BoardState, Conclusion, DrawReason as GameDrawReason, NestedView, Side, Turn, Variant,
    View as GameView, WinReason as GameWinReason,
};
use serde::{Deserialize, Serialize};

use crate::clock::ClockView;
use crate::run_length::{decode_row, encode_row};
use crate::table::OpenSeat;

/// The public state of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct View {
    /// The game's id.
    pub id: String,
    /// The variant.
    #[cfg_attr(feature = "openapi", schema(example = "3x3k3"))]
    pub variant: String,
    /// The history size. A rewind must take back fewer marks than this number. With 0, the game has no
    /// rewind.
    pub history: u16,
    /// The number of completed turns plus one, also when the game is over.
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub turn: usize,
    /// The number of the latest log entry, which is the id of the latest event.
    pub entry: u32,
    /// The seat to move; null when the game is over.
    #[cfg_attr(feature = "openapi", schema(required, maximum = 63))]
    pub to_move: Option<u8>,
    /// The seats, in turn order.
    pub seats: Vec<SeatView>,
    /// The side of the mark in each cell, null for an empty cell. The cells are in order, row by row; on nine boards,
    /// board by board. On a board with more than 1 024 cells, the whole field is null, and `rows` has the cells.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub marks: Option<Vec<Option<u8>>>,
    /// The rows of a board with more than 1 024 cells; absent on other boards. Each row is a run-length text such as
    /// `3. 1x 2o`, with `.` for empty cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub rows: Option<Vec<String>>,
    /// The legal moves. Null while a game runs on a board with more than 1 024 cells. Then every empty cell is legal
    /// or, with gravity, the lowest empty cell of each column.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub legal: Option<Vec<String>>,
    /// The maximum number of marks that may be taken back now; null if the game has no rewind or is over.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub rewind: Option<u16>,
    /// The latest turn; null before the first turn.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub last: Option<TurnView>,
    /// The offers that wait for an answer, oldest first.
    pub offers: Vec<OfferView>,
    /// The clock; null at a table without a clock.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub clock: Option<ClockView>,
    /// On nine boards: the state of each board, the score, and the board to play in.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub nine: Option<NineBoards>,
    /// The outcome; null while the game runs.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub outcome: Option<Outcome>,
    /// The id of the rematch; null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub rematch: Option<String>,
    /// The caller's seat, if the request had the token of the seat or of its player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, maximum = 63))]
    pub you: Option<u8>,
}

/// One seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct SeatView {
    /// The player's name, which may be empty, or the robot's strategy.
    pub name: String,
    /// Who holds the seat.
    pub kind: SeatKind,
    /// The symbol of the seat's marks.
    pub symbol: char,
    /// Whether the player is connected; always true for a robot, and false for an open seat.
    pub present: bool,
    /// The id of the registered player who holds the seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub player: Option<String>,
    /// Whether the registered player who holds the seat is a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// How an open seat is offered; absent if the seat is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub open: Option<OpenSeat>,
}

impl SeatView {
    /// Creates the view of a seat that a human holds. The symbol is correct if each side has one seat: it is
    /// the symbol of the side with the same number as the seat.
    pub fn human(seat: u8, name: impl Into<String>, present: bool) -> SeatView {
        SeatView::new(seat, SeatKind::Human, name.into(), present)
    }

    /// Creates the view of a seat that a robot holds.
    pub fn robot(seat: u8, strategy: impl Into<String>) -> SeatView {
        SeatView::new(seat, SeatKind::Robot, strategy.into(), true)
    }

    /// Creates the view of an open seat.
    pub fn open(seat: u8, open: OpenSeat) -> SeatView {
        SeatView {
            open: Some(open),
            ..SeatView::new(seat, SeatKind::Open, String::new(), false)
        }
    }

    fn new(seat: u8, kind: SeatKind, name: String, present: bool) -> SeatView {
        SeatView {
            name,
            kind,
            symbol: Side::new(seat).map_or(' ', Side::symbol),
            present,
            player: None,
            bot: false,
            open: None,
        }
    }
}

/// Who holds the seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SeatKind {
    /// A person, or a program that plays through the API.
    Human,
    /// A robot of the server.
    Robot,
    /// The seat is open.
    Open,
}

/// A completed turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum TurnView {
    /// The seat played a move.
    #[cfg_attr(feature = "openapi", schema(title = "PlayTurn"))]
    Play {
        /// The seat.
        #[cfg_attr(feature = "openapi", schema(maximum = 63))]
        seat: u8,
        /// The move, such as `1-0`.
        #[serde(rename = "move")]
        #[cfg_attr(feature = "openapi", schema(example = "1-0"))]
        at: String,
    },
    /// The seat took marks back and passed the turn to the next seat.
    #[cfg_attr(feature = "openapi", schema(title = "RewindTurn"))]
    Rewind {
        /// The seat.
        #[cfg_attr(feature = "openapi", schema(maximum = 63))]
        seat: u8,
        /// The number of marks that were removed.
        count: u16,
    },
    /// The other players let the seat take back its latest move, with all later moves. The seat is to move again.
    #[cfg_attr(feature = "openapi", schema(title = "TakebackTurn"))]
    Takeback {
        /// The seat.
        #[cfg_attr(feature = "openapi", schema(maximum = 63))]
        seat: u8,
        /// The number of marks that were removed.
        count: u16,
    },
    /// The seat resigned.
    #[cfg_attr(feature = "openapi", schema(title = "ResignTurn"))]
    Resign {
        /// The seat.
        #[cfg_attr(feature = "openapi", schema(maximum = 63))]
        seat: u8,
    },
}

/// An offer that waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OfferView {
    /// What is offered.
    pub kind: OfferKind,
    /// The seat that made the offer.
    #[cfg_attr(feature = "openapi", schema(maximum = 63))]
    pub seat: u8,
    /// The number of the offer's log entry.
    pub entry: u32,
}

/// What a seat may offer to the other players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum OfferKind {
    /// To end the game as a draw.
    Draw,
    /// To take back the seat's latest move and all later moves.
    Takeback,
    /// To play again. In the new game, each player has the next seat in turn order.
    Rematch,
}

impl OfferKind {
    /// The name of the kind in JSON.
    pub fn name(self) -> &'static str {
        match self {
            OfferKind::Draw => "draw",
            OfferKind::Takeback => "takeback",
            OfferKind::Rematch => "rematch",
        }
    }
}

/// The state of the nine boards of a variant such as `ultimate`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct NineBoards {
    /// The state of each board.
    #[cfg_attr(feature = "openapi", schema(min_items = 9, max_items = 9))]
    pub boards: Vec<BoardView>,
    /// The number of boards won by each side.
    #[cfg_attr(feature = "openapi", schema(min_items = 2, max_items = 2))]
    pub score: [usize; 2],
    /// The board on which the next move must be played; null if any open board may be played, or the game is
    /// over.
    #[cfg_attr(feature = "openapi", schema(required, maximum = 8))]
    pub active: Option<u8>,
}

/// The state of one of nine boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum BoardView {
    /// The board is neither won nor full.
    #[cfg_attr(feature = "openapi", schema(title = "OpenBoard"))]
    Open,
    /// A side has won the board.
    #[cfg_attr(feature = "openapi", schema(title = "WonBoard"))]
    Won {
        /// The side.
        #[cfg_attr(feature = "openapi", schema(maximum = 1))]
        side: u8,
    },
    /// The board is full without a winner.
    #[cfg_attr(feature = "openapi", schema(title = "DrawnBoard"))]
    Drawn,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Outcome {
    /// One or several sides won.
    #[cfg_attr(feature = "openapi", schema(title = "WonOutcome"))]
    Won {
        /// The winners.
        sides: Vec<u8>,
        /// Why they won.
        reason: WinReason,
        /// The cells of the completed lines. If a line of boards decided the game, the list has the numbers
        /// of these boards instead. The list is empty if no line decided the game.
        line: Vec<String>,
    },
    /// Nobody won.
    #[cfg_attr(feature = "openapi", schema(title = "DrawOutcome"))]
    Draw {
        /// Why it is a draw.
        reason: DrawReason,
    },
    /// All players left.
    #[cfg_attr(feature = "openapi", schema(title = "AbandonedOutcome"))]
    Abandoned,
    /// The game has no result. There are three possible causes: a player aborted the game before each side
    /// had played or while a seat was open; the first turn of a seat did not come in time; or an operator
    /// ended the game.
    #[cfg_attr(feature = "openapi", schema(title = "AbortedOutcome"))]
    Aborted,
}

/// Why a side won.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum WinReason {
    /// A completed line decided the game.
    Line,
    /// The winner won more boards than the opponent.
    Points,
    /// Another player resigned.
    Resignation,
    /// Another player left.
    Leaving,
    /// Another player's time ran out.
    Time,
    /// The other players were away, and the winner claimed the game.
    Claim,
}

/// Why a game is a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DrawReason {
    /// No further move is possible.
    Full,
    /// All players agreed.
    Agreement,
    /// The other players were away, and the only present player claimed a draw.
    Claim,
    /// A clock ran out, and the opponent could no longer complete a line.
    Time,
    /// The table reached its maximum number of turns.
    Limit,
}

/// The parts of a view that do not come from the game itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableInfo {
    /// The game's id.
    pub id: String,
    /// The number of the latest log entry.
    pub entry: u32,
    /// The seats.
    pub seats: Vec<SeatView>,
    /// The offers that wait for an answer.
    pub offers: Vec<OfferView>,
    /// The clock, if the table has one.
    pub clock: Option<ClockView>,
    /// The id of the rematch, if there is one.
    pub rematch: Option<String>,
}

/// Maximum number of cells of a board whose view lists the marks and the legal moves. The view of a larger
/// board has run-length rows and, while the game runs, no legal moves.
pub const MAX_LISTED_CELLS: usize = 1_024;

impl View {
    /// Creates the view of a table from the view of its game. Takes time proportional to the number of cells.
    pub fn new(game: &GameView, table: TableInfo) -> View {
        let variant = &game.variant;
        let is_large = variant.cells() > MAX_LISTED_CELLS;
        let number = |side: Side| side.index() as u8;
        let marks = || game.marks.iter().map(|mark| mark.map(number)).collect();
        let legal = || {
            game.legal
                .iter()
                .map(|at| variant.format_move(*at))
                .collect()
        };
        let rows = match variant {
            Variant::Grid(spec) if is_large => {
                Some(game.marks.chunks(spec.columns()).map(encode_row).collect())
            }
            Variant::Grid(_) | Variant::Nested(_) => None,
        };
        let outcome = game.outcome.as_ref();
        View {
            id: table.id,
            variant: variant.to_string(),
            history: game.history,
            turn: game.turn,
            entry: table.entry,
            to_move: game.to_move.map(|seat| seat.0),
            seats: table.seats,
            marks: rows.is_none().then(marks),
            rows,
            legal: (!is_large || outcome.is_some()).then(legal),
            rewind: game.longest_rewind,
            last: game.last.map(|turn| TurnView::new(variant, turn)),
            offers: table.offers,
            clock: table.clock,
            nine: game.nested.map(NineBoards::from),
            outcome: outcome.map(|end| Outcome::new(variant, end)),
            rematch: table.rematch,
            you: None,
        }
    }

    /// The side of the mark in each cell, from `marks` or `rows`. A row that cannot be decoded is left out.
    pub fn cells(&self) -> Vec<Option<u8>> {
        match (&self.marks, &self.rows) {
            (Some(marks), _) => marks.clone(),
            (None, rows) => {
                let rows = rows.iter().flatten();
                let sides = rows.filter_map(|row| decode_row(row)).flatten();
                sides
                    .map(|side| side.map(|side| side.index() as u8))
                    .collect()
            }
        }
    }
}

impl TurnView {
    /// Converts `turn`, which is a turn of a game of this `variant`.
    pub fn new(variant: &Variant, turn: Turn) -> TurnView {
        let seat = turn.by.0;
        match turn.action {
            Action::Play(at) => TurnView::Play {
                seat,
                at: variant.format_move(at),
            },
            Action::Rewind(count) => TurnView::Rewind { seat, count },
            Action::Takeback(count) => TurnView::Takeback { seat, count },
            Action::Resign => TurnView::Resign { seat },
        }
    }
}

impl Outcome {
    /// Converts `conclusion`, which is the conclusion of a game of this `variant`.
    pub fn new(variant: &Variant, conclusion: &Conclusion) -> Outcome {
        let (sides, by) = match conclusion {
            Conclusion::Draw { reason } => {
                let reason = DrawReason::from(*reason);
                return Outcome::Draw { reason };
            }
            Conclusion::Abandoned => return Outcome::Abandoned,
            Conclusion::Aborted => return Outcome::Aborted,
            Conclusion::Won { sides, by } => (sides, by),
        };
        let (reason, line) = match by {
            GameWinReason::Line(cells) => {
                let cells = cells.iter().map(|at| variant.format_move(*at));
                (WinReason::Line, cells.collect())
            }
            GameWinReason::Boards(boards) => {
                let boards = boards.iter().map(|board| board.index().to_string());
                (WinReason::Line, boards.collect())
            }
            GameWinReason::Points => (WinReason::Points, Vec::new()),
            GameWinReason::Resignation => (WinReason::Resignation, Vec::new()),
            GameWinReason::Leaving => (WinReason::Leaving, Vec::new()),
            GameWinReason::Time => (WinReason::Time, Vec::new()),
            GameWinReason::Claim => (WinReason::Claim, Vec::new()),
        };
        Outcome::Won {
            sides: sides.iter().map(|side| side.index() as u8).collect(),
            reason,
            line,
        }
    }

    /// The sides that won; empty if nobody won.
    pub fn winners(&self) -> &[u8] {
        match self {
            Outcome::Won { sides, .. } => sides,
            Outcome::Draw { .. } | Outcome::Abandoned | Outcome::Aborted => &[],
        }
    }

    /// The cells or boards of the completed lines.
    pub fn line(&self) -> &[String] {
        match self {
            Outcome::Won { line, .. } => line,
            Outcome::Draw { .. } | Outcome::Abandoned | Outcome::Aborted => &[],
        }
    }
}

impl From<GameDrawReason> for DrawReason {
    fn from(reason: GameDrawReason) -> DrawReason {
        match reason {
            GameDrawReason::Full => DrawReason::Full,
            GameDrawReason::Agreement => DrawReason::Agreement,
            GameDrawReason::Claim => DrawReason::Claim,
            GameDrawReason::Time => DrawReason::Time,
            GameDrawReason::Limit => DrawReason::Limit,
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
            BoardState::Won(side) => BoardView::Won {
                side: side.index() as u8,
            },
        }
    }
}
