//! The variant and the marks that a manager has sent.

use noughts_rules::{Action, Board, Diagram, Game, Move, Options, PlayIn, Seat, Side, Variant};

use crate::protocol;

/// The supported bits of `INFO rule`: "exactly five in a row" and "continuous game". Only the manager uses the second
/// bit.
const KNOWN_RULES: i64 = 0b11;

/// The variant, and the marks in the order of arrival.
#[derive(Clone, Default)]
pub(super) struct Position {
    /// The variant of `INFO variant`.
    named: Option<Variant>,
    /// Columns and rows, from `START` or `RECTSTART`.
    size: Option<(usize, usize)>,
    rule: i64,
    /// Each mark with its owner: 1 is this engine, 2 is the side that moves after this engine, and so on.
    marks: Vec<(Move, u8)>,
    /// The number of marks in the last `BOARD` command. The other marks came later.
    set_up_marks: usize,
    /// In Ultimate and Multi: the board to play in after the last `BOARD` command, if the command named this
    /// board.
    play_in: Option<PlayIn>,
}

impl Position {
    /// Handles `INFO variant NAME`: sets the variant for the next `START`, and ends the current game. An
    /// empty name removes the variant.
    pub(super) fn set_variant(&mut self, text: &str) -> Result<(), String> {
        self.named = match text {
            "" => None,
            _ => Some(text.parse().map_err(|error| format!("{error}"))?),
        };
        self.size = None;
        self.clear();
        Ok(())
    }

    /// Sets the rule (`INFO rule N`).
    pub(super) fn set_rule(&mut self, rule: i64) {
        self.rule = rule;
    }

    /// Starts a game on a board of this size (`START`, `RECTSTART`).
    pub(super) fn start(&mut self, columns: usize, rows: usize) -> Result<(), String> {
        match self.named {
            Some(variant) if protocol::size(&variant) != (columns, rows) => {
                let (columns, rows) = protocol::size(&variant);
                return Err(format!(
                    "{variant} is a board of {columns} columns and {rows} rows"
                ));
            }
            None if protocol::standard(columns, rows, false).is_none() => {
                let sizes = protocol::SIZES;
                return Err(format!(
                    "unsupported size: boards have {} to {} columns and rows, other games are named by INFO variant",
                    sizes.start(),
                    sizes.end()
                ));
            }
            Some(_) | None => {}
        }
        self.size = Some((columns, rows));
        self.clear();
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.set_up(Vec::new(), None);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// The variant of the game. Returns an error before `START`. Also returns an error if `INFO rule` asked for an
    /// unsupported rule, and no `INFO variant` replaces the rule.
    pub(super) fn variant(&self) -> Result<Variant, String> {
        let (columns, rows) = self
            .size
            .ok_or("there is no game yet: START 15 begins one")?;
        if let Some(variant) = self.named {
            return Ok(variant);
        }
        if self.rule & !KNOWN_RULES != 0 {
            return Err(format!(
                "rule {} is not played here: 0 is freestyle, 1 exact five",
                self.rule
            ));
        }
        protocol::standard(columns, rows, self.rule & 1 == 1)
            .ok_or_else(|| "unsupported size".to_owned())
    }

    /// Adds a mark.
    pub(super) fn push(&mut self, at: Move, owner: u8) {
        self.marks.push((at, owner));
    }

    /// Removes the latest mark, which must be at `at`.
    pub(super) fn take_back(&mut self, at: Move) -> Result<(), String> {
        match self.marks.last() {
            Some((last, _)) if *last == at => {
                self.marks.pop();
                if self.marks.len() < self.set_up_marks {
                    // `play_in` is the board to play in after this mark. Without the mark, the board is not known.
                    self.set_up_marks = self.marks.len();
                    self.play_in = None;
                }
                Ok(())
            }
            Some(_) | None => Err("only the latest mark can be taken back".to_owned()),
        }
    }

    /// Replaces the position (`BOARD`).
    pub(super) fn set_up(&mut self, marks: Vec<(Move, u8)>, play_in: Option<PlayIn>) {
        self.set_up_marks = marks.len();
        self.marks = marks;
        self.play_in = play_in;
    }

    /// The game, with this engine to move. The error says why the engine cannot move.
    pub(super) fn game(&self) -> Result<Game, String> {
        let variant = self.variant()?;
        let game = match self.play_in {
            None if self.is_in_turn(&variant) => self.game_from_moves(&variant)?,
            _ => self.game_from_marks(&variant)?,
        };
        match game.to_move() {
            Some(_) => Ok(game),
            None => Err("the game is over".to_owned()),
        }
    }

    /// Whether the sides moved in turn and this engine is next.
    fn is_in_turn(&self, variant: &Variant) -> bool {
        let sides = usize::from(variant.sides());
        let back = |index: usize| (self.marks.len() - index) % sides;
        let owner = |index: usize| (sides - back(index)) % sides + 1;
        let mut marks = self.marks.iter().enumerate();
        marks.all(|(index, mark)| usize::from(mark.1) == owner(index))
    }

    fn game_from_moves(&self, variant: &Variant) -> Result<Game, String> {
        let mut game = Game::new(variant, Options::default()).map_err(|error| error.to_string())?;
        for (turn, (at, _)) in self.marks.iter().enumerate() {
            let seat = Seat((turn % game.order().len()) as u8);
            act(&mut game, seat, *at)?;
        }
        Ok(game)
    }

    /// Creates a game that starts with all marks on the board. On nine boards, the game starts with the marks
    /// of the `BOARD` command only, because the later moves determine the board to play in. This engine is
    /// always the first side, because only the order of the sides matters.
    fn game_from_marks(&self, variant: &Variant) -> Result<Game, String> {
        const NOT_IN_TURN: &str = "the marks are not in the order of turns: a line such as \"in 4\" before DONE says where to play";
        let (start, moves) = match (variant, self.play_in) {
            (Variant::Grid(_), _) => (&self.marks[..], &[][..]),
            (Variant::Nested(_), Some(_)) => self.marks.split_at(self.set_up_marks),
            (Variant::Nested(_), None) => return Err(NOT_IN_TURN.to_owned()),
        };
        let mut marks = vec![None; variant.cells()];
        for (at, owner) in start {
            let cell = &mut marks[at.index()];
            if cell.is_some() {
                let at = protocol::format_move(variant, *at);
                return Err(format!("{at} has two marks"));
            }
            *cell = Side::new(owner - 1);
        }
        let diagram = Diagram {
            marks,
            to_move: Side::new(0).ok_or("nobody is to move")?,
            play_in: self.play_in,
        };
        let mut game = Game::from_diagram(variant, Options::default(), diagram)
            .map_err(|error| error.to_string())?;
        for (at, owner) in moves {
            let by = Seat(owner - 1);
            if game.to_move().is_some_and(|next| next != by) {
                return Err(NOT_IN_TURN.to_owned());
            }
            act(&mut game, by, *at)?;
        }
        Ok(game)
    }
}

/// Plays a move. The error names the move.
fn act(game: &mut Game, by: Seat, at: Move) -> Result<(), String> {
    game.act(by, Action::Play(at))
        .map_err(|refusal| format!("{}: {refusal}", protocol::format_move(game.variant(), at)))
}

/// Parses `in 4` or `in any`: the line before `DONE` in Ultimate and Multi.
pub(super) fn read_play_in(line: &str) -> Option<PlayIn> {
    match line.strip_prefix("in ")?.trim() {
        "any" => Some(PlayIn::AnyOpen),
        text => Some(PlayIn::Board(Board::new(text.parse().ok()?)?)),
    }
}
