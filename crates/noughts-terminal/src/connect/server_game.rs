//! The client's copy of the server's game.

use noughts_rules::{Action, Conclusion, Game, Move, Seat, View};
use noughts_wire::{Cell, GameResult};

use super::options::game;

/// A copy of the game with the plays of both sides. The client uses the copy to check input and to explain results. The
/// server decides who won.
pub(super) struct ServerGame {
    game: Game,
    own: Seat,
}

impl ServerGame {
    /// Starts with an empty board. The player who moves first is X.
    pub(super) fn new(is_first: bool) -> ServerGame {
        ServerGame {
            game: game(),
            own: Seat(u8::from(!is_first)),
        }
    }

    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    pub(super) fn view(&self) -> View {
        self.game.view()
    }

    /// This client's seat.
    pub(super) fn own(&self) -> Seat {
        self.own
    }

    fn other(&self) -> Seat {
        Seat(1 - self.own.0)
    }

    /// Whether the game is over in this copy.
    pub(super) fn is_over(&self) -> bool {
        self.game.conclusion().is_some()
    }

    /// Plays for this client. The play must be legal.
    pub(super) fn play_own(&mut self, at: Move) {
        let played = self.game.act(self.own, Action::Play(at));
        debug_assert_eq!(played, Ok(()));
    }

    /// Undoes this client's last play after the server refused it. Returns the undone play.
    pub(super) fn take_back(&mut self) -> Option<Move> {
        let last = self.game.plays().last()?.at;
        let turns = self.game.turns();
        if turns.last()?.by != self.own {
            return None;
        }
        self.game = self.game.after(turns.len() - 1);
        Some(last)
    }

    /// Plays for the opponent. If the play is illegal, returns `None` and changes nothing.
    pub(super) fn play_other(&mut self, cell: Cell) -> Option<Move> {
        let at = at(cell);
        self.game.act(self.other(), Action::Play(at)).ok()?;
        Some(at)
    }

    /// Completes the board after the server has sent the result. The opponent's last play may be missing on the board.
    /// If so, this function plays the cell that the server sent with the result. If the server sent no cell, or a cell
    /// that does not fit the result, this function plays the only cell that fits.
    ///
    /// Returns the cell that was played. Returns `None` if no play is missing, or if it is not known which cell fits.
    ///
    /// ```text
    /// X | O | X
    /// X | O |       the server says that O won: the missing play is 2-1
    ///   |   |
    /// ```
    pub(super) fn settle(&mut self, verdict: GameResult, sent: Option<Cell>) -> Option<Move> {
        if self.game.to_move() != Some(self.other()) || verdict == GameResult::Won {
            return None;
        }
        let lasts = self.lasts(verdict);
        let sent = sent.map(at).filter(|at| lasts.contains(at));
        let last = match (sent, lasts.as_slice()) {
            (Some(at), _) => at,
            (None, [only]) => *only,
            (None, _) => return None,
        };
        let played = self.game.act(self.other(), Action::Play(last));
        debug_assert_eq!(played, Ok(()));
        Some(last)
    }

    /// Returns the plays of the opponent that would end the game with the result `verdict`.
    pub(super) fn lasts(&self, verdict: GameResult) -> Vec<Move> {
        let ends = |at: &Move| {
            let mut after = self.game.clone();
            after.act(self.other(), Action::Play(*at)).is_ok()
                && after
                    .conclusion()
                    .is_some_and(|end| self.verdict(end) == verdict)
        };
        self.game.legal().into_iter().filter(ends).collect()
    }

    /// Converts the conclusion of the board into this client's result.
    pub(super) fn verdict(&self, end: &Conclusion) -> GameResult {
        match end {
            Conclusion::Won { sides, .. } => {
                let own = self.game.order()[usize::from(self.own.0)];
                match sides.contains(own) {
                    true => GameResult::Won,
                    false => GameResult::Lost,
                }
            }
            Conclusion::Draw { .. } | Conclusion::Abandoned | Conclusion::Aborted => {
                GameResult::Draw
            }
        }
    }
}

fn at(cell: Cell) -> Move {
    Move::at(usize::from(cell.index()))
}

/// Converts a move into a cell of the protocol.
pub(super) fn cell(at: Move) -> Cell {
    u8::try_from(at.index())
        .ok()
        .and_then(Cell::from_index)
        .expect("a board of three by three has nine cells")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a game after the given plays.
    fn server_game(is_first: bool, plays: &str) -> ServerGame {
        let mut server_game = ServerGame::new(is_first);
        for text in plays.split_whitespace() {
            let seat = server_game.game.to_move().unwrap();
            server_game
                .game
                .act(seat, server_game.game.parse_action(text).unwrap())
                .unwrap();
        }
        server_game
    }

    fn settled(is_first: bool, plays: &str, verdict: GameResult, sent: Option<&[u8; 3]>) -> String {
        let mut server_game = server_game(is_first, plays);
        let sent = sent.and_then(|bytes| Cell::try_from(*bytes).ok());
        let last = server_game.settle(verdict, sent);
        last.map_or("?".to_owned(), |at| cell(at).to_string())
    }

    #[test]
    fn the_last_play_is_known_where_there_is_only_one() {
        let lost = GameResult::Lost;
        assert_eq!(settled(true, "0-0 0-1 0-2 1-1 1-0", lost, None), "2-1");
        assert_eq!(settled(false, "0-0 1-1 0-1 2-2", lost, None), "0-2");
        // This client is the second player, and the opponent's ninth play fills the board.
        let full = "1-1 0-0 0-2 2-0 1-0 1-2 0-1 2-1";
        assert_eq!(settled(false, full, GameResult::Draw, None), "2-2");
    }

    #[test]
    fn server_chooses_between_two_possible_last_plays() {
        let fork = "0-1 0-0 1-2 2-0 2-1 2-2 0-2";
        let lost = GameResult::Lost;
        assert_eq!(settled(true, fork, lost, None), "?");
        assert_eq!(settled(true, fork, lost, Some(b"1-1")), "1-1");
        assert_eq!(settled(true, fork, lost, Some(b"1-0")), "1-0");
        // If the server names an occupied cell, the client ignores it.
        assert_eq!(settled(true, fork, lost, Some(b"0-0")), "?");
    }

    #[test]
    fn unknown_last_play_is_not_invented() {
        assert_eq!(settled(true, "0-0", GameResult::Lost, Some(b"1-1")), "?");
        assert_eq!(
            settled(true, "0-0 1-1 0-1 2-2", GameResult::Lost, None),
            "?"
        );
        assert_eq!(settled(true, "0-0 1-1 0-1", GameResult::Won, None), "?");
    }

    #[test]
    fn only_the_own_last_play_can_be_undone() {
        let mut server_game = server_game(true, "0-0 1-1 2-2");
        assert_eq!(server_game.take_back(), Some(Move::at(8)));
        assert_eq!(server_game.take_back(), None);
        assert_eq!(server_game.game.plays().len(), 2);
        assert_eq!(ServerGame::new(true).take_back(), None);
    }

    #[test]
    fn plays_out_of_turn_are_refused() {
        let cell = |bytes| Cell::try_from(bytes).unwrap();
        let other = |mut server_game: ServerGame, bytes| server_game.play_other(cell(bytes));
        assert_eq!(other(server_game(true, ""), *b"1-1"), None);
        assert_eq!(other(server_game(false, ""), *b"1-1"), Some(Move::at(4)));
        let over = server_game(true, "0-0 1-0 0-1 1-1 0-2");
        assert_eq!(other(over, *b"1-2"), None);
    }
}
