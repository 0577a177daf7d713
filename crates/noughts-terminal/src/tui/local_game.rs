//! One game on the screen: who sits there, where the focus is, which turn is looked at.

use noughts_rules::{
    Action, Board, Game, Move, PlaceError, Record, RecordError, RecordSeat, Refusal, Seat, Side,
    Turn, View,
};

use super::cell_grid::{CellGrid, Spot};
use crate::holder::{Holder, RecordRobotError};

/// A game with its seats, and what a person is looking at.
#[derive(Debug)]
pub(super) struct LocalGame {
    game: Game,
    holders: Vec<Holder>,
    /// By side.
    symbols: Vec<char>,
    /// The game as it is shown: the present, or an earlier turn.
    view: View,
    /// So many turns were completed in what is shown; `None`: the present.
    looking_at: Option<usize>,
    /// Where the keys are.
    pub(super) focus: Spot,
    /// The cell in the upper left corner, where the board does not fit.
    pub(super) origin: Spot,
    /// A move as far as it was typed.
    pub(super) typed: String,
    /// Whether the present was written to a file.
    pub(super) is_saved: bool,
}

impl LocalGame {
    /// A table for a game with as many holders as it has seats.
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
            origin: Spot::default(),
            typed: String::new(),
            is_saved: true,
        };
        local.focus_where_play_goes();
        local
    }

    /// The table of a record. Also the robots that can't play here: their seats are left to people.
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

    /// The same game from its first position on, with the same holders.
    pub(super) fn again(&self) -> LocalGame {
        let symbols = self.symbols.clone();
        LocalGame::with_symbols(self.game.after(0), self.holders.clone(), symbols)
    }

    /// Does what the seat to move asks for. A refusal has changed nothing.
    pub(super) fn act(&mut self, action: Action) -> Result<(), Refusal> {
        let by = self.game.to_move().ok_or(Refusal::Over)?;
        self.act_for(by, action)
    }

    /// Does what a seat asks for.
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

    /// Looks at the game as it was after so many turns.
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

    /// How many turns were completed in what is shown.
    pub(super) fn turns_shown(&self) -> usize {
        self.looking_at.unwrap_or(self.game.turns().len())
    }

    /// Whether what is shown is the present.
    pub(super) fn shows_present(&self) -> bool {
        self.looking_at.is_none()
    }

    /// What is shown.
    pub(super) fn view(&self) -> &View {
        &self.view
    }

    /// The game in the present.
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

    /// The seat whose turn it is now, where a person holds it.
    pub(super) fn person_to_move(&self) -> Option<Seat> {
        let seat = self.game.to_move()?;
        self.holder(seat).is_human().then_some(seat)
    }

    /// The person who can give up now: whose turn it is, or the first there is.
    pub(super) fn person(&self) -> Option<Seat> {
        self.game.to_move()?;
        let first = self.holders.iter().position(Holder::is_human);
        self.person_to_move().or(first.map(|seat| Seat(seat as u8)))
    }

    pub(super) fn has_people(&self) -> bool {
        self.holders.iter().any(Holder::is_human)
    }

    /// What playing at a spot means: the cell itself, or where a mark falls to from there.
    pub(super) fn landing(&self, spot: Spot) -> Move {
        let cell = self.grid().cell(spot);
        if self.view.legal.binary_search(&cell).is_ok() {
            return cell;
        }
        // A column alone can be read only where marks fall.
        match self.game.parse_action(&spot.column.to_string()) {
            Ok(Action::Play(at)) => at,
            Ok(Action::Rewind(_) | Action::Resign) | Err(_) => cell,
        }
    }

    /// A typed move. On nine boards the cell alone will do where the board is known.
    pub(super) fn read(&self, text: &str) -> Result<Action, PlaceError> {
        let board = self.view.nested.and_then(|nested| nested.active);
        match board {
            Some(board) if !text.contains('-') => {
                self.game.parse_action(&format!("{board}-{text}"))
            }
            Some(_) | None => self.game.parse_action(text),
        }
    }

    /// Whether a cell was typed alone where several of nine boards are open.
    pub(super) fn lacks_board(&self, text: &str) -> bool {
        let is_nine = self
            .view
            .nested
            .is_some_and(|nested| nested.active.is_none());
        is_nine && matches!(text.as_bytes(), [b'0'..=b'8'])
    }

    /// On nine boards, where the opponent would have to play after a legal play at the focus.
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

    /// Moves the focus; where only one of nine boards can be played in, not out of it.
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

    /// On nine boards, moves the focus to the same cell of the board that must be played in.
    fn focus_where_play_goes(&mut self) {
        let Some(board) = self.view.nested.and_then(|nested| nested.active) else {
            return;
        };
        let variant = self.game.variant();
        let (_, cell) = variant.coordinates(self.grid().cell(self.focus));
        if let Some(cell) = variant.move_at(board.index(), cell) {
            self.focus = self.grid().spot(cell);
        }
    }
}

/// Where a play on nine boards leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NextBoard {
    /// To this board.
    Board(Board),
    /// To any open board.
    Any,
    /// The game is over then.
    GameOver,
}
