//! One game on the screen: its seats, the focus, and the turn that is shown.

use noughts_rules::{
    Action, Board, Game, Move, PlaceError, Record, RecordError, RecordSeat, Refusal, Seat, Side,
    Turn, View,
};

use super::cell_grid::{CellGrid, GridPoint};
use crate::holder::{Holder, RecordRobotError};

/// A game with its seats, and the information about which state of the game the screen shows.
#[derive(Debug)]
pub(super) struct LocalGame {
    game: Game,
    holders: Vec<Holder>,
    /// The symbol of each side.
    symbols: Vec<char>,
    /// The view that the screen shows: the view of the current state or of an earlier state.
    view: View,
    /// If an earlier state is shown, the number of turns before that state. `None` if the current state is
    /// shown.
    looking_at: Option<usize>,
    /// The focused cell.
    pub(super) focus: GridPoint,
    /// The cell in the upper left corner if the board is larger than the screen.
    pub(super) origin: GridPoint,
    /// A partly typed move.
    pub(super) typed: String,
    /// Whether the game has not changed since it was started, loaded or saved.
    pub(super) is_saved: bool,
}

impl LocalGame {
    /// Creates a game with one holder per seat.
    pub(super) fn new(game: Game, holders: Vec<Holder>) -> LocalGame {
        let symbols = (0..game.variant().sides()).filter_map(Side::new);
        let symbols = symbols.map(Side::symbol).collect();
        LocalGame::with_symbols(game, holders, symbols)
    }

    fn with_symbols(game: Game, holders: Vec<Holder>, symbols: Vec<char>) -> LocalGame {
        let mut local = LocalGame {
            view: game.view(),
            focus: CellGrid::new(game.variant()).middle(),
            game,
            holders,
            symbols,
            looking_at: None,
            origin: GridPoint::default(),
            typed: String::new(),
            is_saved: true,
        };
        local.focus_where_play_goes();
        local
    }

    /// Returns the game of a record, and an error for each robot that cannot play. A person takes the seat of such a
    /// robot.
    pub(super) fn of_record(record: &Record) -> (LocalGame, Vec<RecordRobotError>) {
        let game = record.game().clone();
        let mut errors = Vec::new();
        let holders = record.seats().iter().map(|seat| {
            Holder::of_record(seat, &game).unwrap_or_else(|error| {
                errors.push(error);
                Holder::Human(String::new())
            })
        });
        let holders = holders.collect();
        let mut symbols: Vec<char> = (0..game.variant().sides())
            .filter_map(Side::new)
            .map(Side::symbol)
            .collect();
        for (side, seat) in game.order().iter().zip(record.seats()) {
            symbols[side.index()] = seat.symbol;
        }
        (LocalGame::with_symbols(game, holders, symbols), errors)
    }

    /// The game as a record.
    pub(super) fn record(&self) -> Result<Record, RecordError> {
        let seats = self.game.order().iter().zip(&self.holders);
        let seats = seats.map(|(side, holder)| RecordSeat {
            symbol: self.symbols[side.index()],
            player: holder.player(),
        });
        Record::new(self.game.clone(), seats.collect())
    }

    /// A new game with the same settings and holders.
    pub(super) fn again(&self) -> LocalGame {
        let symbols = self.symbols.clone();
        LocalGame::with_symbols(self.game.after(0), self.holders.clone(), symbols)
    }

    /// Performs an action for the seat to move. An error changes nothing.
    pub(super) fn act(&mut self, action: Action) -> Result<(), Refusal> {
        let by = self.game.to_move().ok_or(Refusal::Over)?;
        self.act_for(by, action)
    }

    /// Performs an action for the seat `by`.
    pub(super) fn act_for(&mut self, by: Seat, action: Action) -> Result<(), Refusal> {
        self.game.act(by, action)?;
        self.is_saved = false;
        self.typed.clear();
        if self.looking_at.is_none() {
            self.view = self.game.view();
            self.focus_where_play_goes();
        }
        Ok(())
    }

    /// The number of turns before the person's last turn. `None` if no person or several persons play, or if the
    /// only person has not moved yet.
    pub(super) fn undo_to(&self) -> Option<usize> {
        let people = self.holders.iter().filter(|holder| holder.is_human());
        let is_person = |turn: &Turn| self.holder(turn.by).is_human();
        let last = self.game.turns().iter().rposition(is_person);
        last.filter(|_| people.count() == 1)
    }

    /// Returns to the state after the first `turns` turns and removes the later turns.
    pub(super) fn undo(&mut self, turns: usize) {
        self.game = self.game.after(turns);
        self.is_saved = false;
        self.typed.clear();
        self.looking_at = None;
        self.view = self.game.view();
        self.focus_where_play_goes();
    }

    /// Shows the state after the first `turns` turns.
    pub(super) fn look_at(&mut self, turns: usize) {
        let all = self.game.turns().len();
        if turns >= all {
            self.looking_at = None;
            self.view = self.game.view();
        } else {
            self.looking_at = Some(turns);
            self.view = self.game.after(turns).view();
        }
    }

    /// The number of turns before the shown state.
    pub(super) fn turns_shown(&self) -> usize {
        self.looking_at.unwrap_or(self.game.turns().len())
    }

    /// Whether the current state is shown.
    pub(super) fn shows_present(&self) -> bool {
        self.looking_at.is_none()
    }

    /// The view that is shown.
    pub(super) fn view(&self) -> &View {
        &self.view
    }

    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    pub(super) fn turns(&self) -> &[Turn] {
        self.game.turns()
    }

    pub(super) fn holders(&self) -> &[Holder] {
        &self.holders
    }

    pub(super) fn grid(&self) -> CellGrid {
        CellGrid::new(self.game.variant())
    }

    pub(super) fn symbol(&self, side: Side) -> char {
        self.symbols[side.index()]
    }

    pub(super) fn side(&self, seat: Seat) -> Side {
        self.game.order()[usize::from(seat.0)]
    }

    pub(super) fn holder(&self, seat: Seat) -> &Holder {
        &self.holders[usize::from(seat.0)]
    }

    /// The seat to move, if a person holds it.
    pub(super) fn person_to_move(&self) -> Option<Seat> {
        let seat = self.game.to_move()?;
        self.holder(seat).is_human().then_some(seat)
    }

    /// The seat that may resign: the person to move, or the first person if a robot is to move.
    pub(super) fn person(&self) -> Option<Seat> {
        self.game.to_move()?;
        let first = self.holders.iter().position(Holder::is_human);
        self.person_to_move().or(first.map(|seat| Seat(seat as u8)))
    }

    pub(super) fn has_people(&self) -> bool {
        self.holders.iter().any(Holder::is_human)
    }

    /// The move for the cell at `point`: the cell itself or, with gravity, the cell where the mark lands.
    pub(super) fn landing(&self, point: GridPoint) -> Move {
        let cell = self.grid().cell(point);
        if self.view.legal.binary_search(&cell).is_ok() {
            return cell;
        }
        // A column alone is valid only with gravity.
        match self.game.parse_action(&point.column.to_string()) {
            Ok(Action::Play(at)) => at,
            Ok(Action::Rewind(_) | Action::Takeback(_) | Action::Resign) | Err(_) => cell,
        }
    }

    /// Parses a typed move. On nine boards, a cell without a board is on the active board.
    pub(super) fn read(&self, text: &str) -> Result<Action, PlaceError> {
        let board = self.view.nested.and_then(|nested| nested.active);
        match board {
            Some(board) if !text.contains('-') => {
                self.game.parse_action(&format!("{board}-{text}"))
            }
            Some(_) | None => self.game.parse_action(text),
        }
    }

    /// Whether `text` is a cell without a board while several boards are open.
    pub(super) fn lacks_board(&self, text: &str) -> bool {
        let is_nine = self
            .view
            .nested
            .is_some_and(|nested| nested.active.is_none());
        is_nine && matches!(text.as_bytes(), [b'0'..=b'8'])
    }

    /// On nine boards, returns where the opponent would play next if the player to move played at the focus.
    /// Returns `None` if this play is illegal, or if an earlier state is shown.
    pub(super) fn next_board(&self) -> Option<NextBoard> {
        self.view.nested?;
        if !self.shows_present() {
            return None;
        }
        let mut after = self.game.clone();
        let cell = self.grid().cell(self.focus);
        after.act(after.to_move()?, Action::Play(cell)).ok()?;
        let view = after.view();
        Some(match (view.outcome, view.nested?.active) {
            (Some(_), _) => NextBoard::GameOver,
            (None, Some(board)) => NextBoard::Board(board),
            (None, None) => NextBoard::Any,
        })
    }

    /// Moves the focus. On nine boards, the focus stays within the active board while the current state is shown.
    pub(super) fn move_focus(&mut self, rows: isize, columns: isize) {
        let active = self.view.nested.and_then(|nested| nested.active);
        let moved = self.grid().moved(self.focus, rows, columns);
        let (board, _) = self.game.variant().coordinates(self.grid().cell(moved));
        if active.is_none_or(|active| active.index() == board) || !self.shows_present() {
            self.focus = moved;
        } else {
            self.focus_where_play_goes();
        }
    }

    /// On nine boards, moves the focus to the same cell of the active board.
    fn focus_where_play_goes(&mut self) {
        let Some(board) = self.view.nested.and_then(|nested| nested.active) else {
            return;
        };
        let variant = self.game.variant();
        let (_, cell) = variant.coordinates(self.grid().cell(self.focus));
        if let Some(cell) = variant.move_at(board.index(), cell) {
            self.focus = self.grid().point(cell);
        }
    }
}

/// Where the next play goes on nine boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NextBoard {
    /// On this board.
    Board(Board),
    /// On any open board.
    Any,
    /// Nowhere: the game is over.
    GameOver,
}
