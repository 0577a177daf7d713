//! A game in progress: its turns, actions and result.

mod rewind;
mod takeback;
mod termination;

use std::fmt;

use crate::diagram::{BoardState, Diagram, DiagramError};
use crate::dispatch;
use crate::nested::LINES_3X3;
use crate::notation::{Place, PlaceError, number};
use crate::place::{Board, Move};
use crate::rules::{IllegalMove, Outcome, Rules};
use crate::side::{MAX_SIDES, Side, Sides};
use crate::timeline::{AnyTimeline, Play, Timeline};
use crate::variant::{Scoring, Variant};

pub use termination::Termination;

/// A place in the turn order, counted from 0. Most games have one seat per side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Seat(pub u8);

/// An action of a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Put a mark on a cell.
    Play(Move),
    /// Take back the last marks. The value is their number. Afterwards the next seat is to move.
    Rewind(u16),
    /// Take back the seat's last play and all later plays, with the consent of the other seats. The value is the number
    /// of removed marks. Afterwards the same seat is to move.
    Takeback(u16),
    /// Resign. All other sides win.
    Resign,
}

/// A completed action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Turn {
    /// The seat that acted.
    pub by: Seat,
    /// The action.
    pub action: Action,
}

/// The settings of a game besides its variant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// A rewind may take back at most `history - 1` marks. With 0 the game has no rewind.
    pub history: u16,
    /// The side of each seat, in turn order. Empty means one seat per side.
    pub order: Vec<Side>,
}

/// How a game ended, with the reason. An [`Outcome`] is a result that the rules decide. A conclusion also covers
/// resignation, time, agreement, and games that players left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// Nobody won.
    Draw {
        /// Why nobody won.
        reason: DrawReason,
    },
    /// One or several sides won.
    Won {
        /// The winners.
        sides: Sides,
        /// Why they won.
        by: WinReason,
    },
    /// All players left. Or all seats belong to one side, and this side resigned, left or ran out of time.
    Abandoned,
    /// The game has no result. Usually a player aborted it before every side had played.
    Aborted,
}

/// Why nobody won.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DrawReason {
    /// No more play is possible, and no side with a seat has won.
    Full,
    /// The players agreed.
    Agreement,
    /// A player claimed a draw, because all other players were away.
    Claim,
    /// A clock ran out, but the opponent can no longer complete a line.
    Time,
    /// The game reached its maximum number of turns.
    Limit,
}

/// Why a side won.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WinReason {
    /// A line was completed. The value has the cells of all lines that the last play completed. In a misère game, the
    /// loser completed these lines.
    Line(Vec<Move>),
    /// A side won three boards in a line. The value has all boards of the lines that the last play completed.
    Boards(Vec<Board>),
    /// The side won more boards than the opponent, and all boards are closed.
    Points,
    /// Another side resigned.
    Resignation,
    /// A player of another side left.
    Leaving,
    /// Another side's clock ran out.
    Time,
    /// All other players were away, and this side claimed the win.
    Claim,
}

/// A game in progress: its position, its turns and whose turn it is. A `Game` has no player names and no clock.
///
/// ```
/// use noughts_rules::{Action, Game, Options, Refusal, Seat};
///
/// let mut game = Game::new(&"3x3k3".parse()?, Options::default())?;
/// game.act(Seat(0), game.parse_action("1-1")?)?;
/// assert!(matches!(game.act(Seat(0), Action::Resign), Ok(())));
/// assert!(matches!(game.act(Seat(1), game.parse_action("0-0")?), Err(Refusal::Over)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    variant: Variant,
    history: u16,
    order: Vec<Side>,
    start: Option<Diagram>,
    timeline: AnyTimeline,
    next: Seat,
    turns: Vec<Turn>,
    conclusion: Option<Conclusion>,
}

impl Game {
    /// A game that starts at the variant's first position.
    pub fn new(variant: &Variant, options: Options) -> Result<Game, GameError> {
        let order = match options.order.is_empty() {
            true => (0..variant.sides()).filter_map(Side::new).collect(),
            false => options.order,
        };
        let max = variant.cells() - 1;
        if usize::from(options.history) > max {
            return Err(GameError::History { max });
        }
        if !(2..=usize::from(MAX_SIDES)).contains(&order.len()) {
            return Err(GameError::Seats(order.len()));
        }
        check_order(variant, &order)?;
        let mut game = Game {
            variant: *variant,
            history: options.history,
            timeline: AnyTimeline::new(variant),
            start: None,
            order,
            next: Seat(0),
            turns: Vec::new(),
            conclusion: None,
        };
        game.pass_to(Seat(0));
        Ok(game)
    }

    /// A game that starts at the position `start`. The first seat of the side to move begins.
    pub fn from_diagram(
        variant: &Variant,
        options: Options,
        start: Diagram,
    ) -> Result<Game, GameError> {
        start.check(variant).map_err(GameError::Position)?;
        let mut game = Game::new(variant, options)?;
        let first = game.order.iter().position(|side| *side == start.to_move);
        let first = first.ok_or(GameError::NobodyToMove(start.to_move))?;
        dispatch!(&mut game.timeline, timeline => {
            let position = timeline.rules().set_up(&start);
            *timeline = Timeline::from_position(timeline.rules().clone(), position);
        });
        game.start = Some(start);
        game.pass_to(Seat(first as u8));
        game.conclude_by_rules(None);
        Ok(game)
    }

    /// Performs an action of a seat. On `Err` nothing has changed.
    pub fn act(&mut self, by: Seat, action: Action) -> Result<(), Refusal> {
        self.check(by, action)?;
        self.turns.push(Turn { by, action });
        let mut next = Seat((by.0 + 1) % self.order.len() as u8);
        match action {
            Action::Play(at) => {
                dispatch!(&mut self.timeline, timeline => timeline.play(at));
                self.conclude_by_rules(Some(at));
            }
            Action::Rewind(count) => {
                dispatch!(&mut self.timeline, timeline => timeline.take_back(count.into()));
            }
            Action::Takeback(count) => {
                dispatch!(&mut self.timeline, timeline => timeline.take_back(count.into()));
                next = by;
            }
            Action::Resign => self.conclusion = Some(self.without(by, WinReason::Resignation)),
        }
        self.pass_to(next);
        Ok(())
    }

    /// Returns the refusal that [`act`](Game::act) would return, without changing the game.
    pub fn check(&self, by: Seat, action: Action) -> Result<(), Refusal> {
        if self.conclusion.is_some() {
            return Err(Refusal::Over);
        }
        if usize::from(by.0) >= self.order.len() {
            return Err(Refusal::NoSuchSeat {
                seats: self.order.len(),
            });
        }
        match action {
            Action::Resign => Ok(()),
            Action::Play(_) | Action::Rewind(_) if by != self.next => {
                Err(Refusal::NotYourTurn { to_move: self.next })
            }
            Action::Play(at) => dispatch!(&self.timeline, timeline => {
                timeline.rules().check(timeline.present(), at).map_err(Refusal::Illegal)
            }),
            Action::Rewind(count) => self.check_rewind(count),
            Action::Takeback(count) => self.check_takeback(by, count),
        }
    }

    /// The conclusion that `turn` would lead to. `None` if the game would continue, or if [`check`](Game::check)
    /// refuses the turn. Copies the position at most once.
    pub fn conclusion_after(&self, turn: Turn) -> Option<Conclusion> {
        self.check(turn.by, turn.action).ok()?;
        match turn.action {
            Action::Play(_) if self.plays().len() + 1 < self.fewest_plays() => None,
            Action::Play(at) => dispatch!(&self.timeline, timeline => {
                self.conclusion_by_rules(timeline.rules(), &timeline.after(at), Some(at))
            }),
            Action::Rewind(_) | Action::Takeback(_) => None,
            Action::Resign => Some(self.without(turn.by, WinReason::Resignation)),
        }
    }

    /// A lower bound: with fewer marks on the board, the rules cannot have ended the game. On one board, the
    /// bound is K, the length of a line. On nine boards, it is 9: three boards in a line need three marks
    /// each. The bound is 0 if the game did not start at the variant's first position.
    fn fewest_plays(&self) -> usize {
        match (&self.start, &self.variant) {
            (Some(_), _) => 0,
            (None, Variant::Grid(spec)) => spec.line(),
            (None, Variant::Nested(_)) => 9,
        }
    }

    /// The game after its first `turns` turns, or after all turns if there are fewer.
    #[must_use]
    pub fn after(&self, turns: usize) -> Game {
        if turns >= self.turns.len() {
            return self.clone();
        }
        let options = Options {
            history: self.history,
            order: self.order.clone(),
        };
        let mut game = match &self.start {
            None => Game::new(&self.variant, options),
            Some(start) => Game::from_diagram(&self.variant, options, start.clone()),
        }
        .expect("a game that was set up can be set up again");
        for turn in &self.turns[..turns] {
            game.act(turn.by, turn.action)
                .expect("a turn that was legal is legal again");
        }
        game
    }

    /// Ends the game because the player of a seat has left: all other sides win. Adds no turn. On `Err` nothing has
    /// changed.
    pub fn leave(&mut self, seat: Seat) -> Result<(), Refusal> {
        self.terminate(Termination::Left(seat))
    }

    /// The variant.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The limit of a rewind: see [`Options::history`].
    pub fn history(&self) -> u16 {
        self.history
    }

    /// The side of each seat, in turn order.
    pub fn order(&self) -> &[Side] {
        &self.order
    }

    /// The start position, if the game did not start at the variant's first position.
    pub fn start(&self) -> Option<&Diagram> {
        self.start.as_ref()
    }

    /// Every completed turn, oldest first.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The plays whose marks are on the board, oldest first.
    pub fn plays(&self) -> &[Play] {
        dispatch!(&self.timeline, timeline => timeline.plays())
    }

    /// The seat to move; `None` when the game is over.
    pub fn to_move(&self) -> Option<Seat> {
        self.conclusion.is_none().then_some(self.next)
    }

    /// How the game ended; `None` if the game is not over.
    pub fn conclusion(&self) -> Option<&Conclusion> {
        self.conclusion.as_ref()
    }

    /// The position as plain data.
    pub fn diagram(&self) -> Diagram {
        dispatch!(&self.timeline, timeline => timeline.rules().diagram(timeline.present()))
    }

    /// The position with its rules, for search.
    pub fn timeline(&self) -> &AnyTimeline {
        &self.timeline
    }

    /// All legal moves in ascending order; none when the game is over.
    pub fn legal(&self) -> Vec<Move> {
        match self.conclusion {
            Some(_) => Vec::new(),
            None => dispatch!(&self.timeline, timeline => {
                let moves = timeline.rules().moves(timeline.present());
                let mut legal = Vec::with_capacity(moves.size_hint().0);
                // `for_each` takes half the time of `collect` on a 255x255 board, because `collect` calls `next`.
                moves.for_each(|at| legal.push(at));
                legal
            }),
        }
    }

    /// Parses an action, such as `1-0`, `3` (a column, with gravity), `<<2` or `resign`.
    pub fn parse_action(&self, text: &str) -> Result<Action, PlaceError> {
        if text == "resign" {
            return Ok(Action::Resign);
        }
        if let Some(count) = text.strip_prefix("<<").and_then(number) {
            return Ok(Action::Rewind(u16::try_from(count).unwrap_or(u16::MAX)));
        }
        Ok(Action::Play(match self.variant.parse_place(text)? {
            Place::Cell(at) => at,
            Place::Column(column) => self.lowest_free_cell(column),
        }))
    }

    /// The text of an action in game records. [`parse_action`](Game::parse_action) parses this text, except for
    /// takebacks. A takeback needs the consent of other players, so a player cannot type it.
    pub fn format_action(&self, action: Action) -> String {
        match action {
            Action::Play(at) => self.variant.format_move(at),
            Action::Rewind(count) => format!("<<{count}"),
            Action::Takeback(count) => format!("takeback {count}"),
            Action::Resign => "resign".to_owned(),
        }
    }

    /// The cell to which a mark in this column falls. If the column is full, the result is its top cell, and
    /// [`act`](Game::act) refuses the play.
    fn lowest_free_cell(&self, column: usize) -> Move {
        let mut cells = (0..).map_while(|row| self.variant.move_at(row, column));
        let rests = |at: &Move| {
            dispatch!(&self.timeline, timeline => {
                timeline.rules().check(timeline.present(), *at).is_ok()
            })
        };
        cells.find(rests).unwrap_or(Move::at(column))
    }

    fn pass_to(&mut self, seat: Seat) {
        self.next = seat;
        let side = self.order[usize::from(seat.0)];
        dispatch!(&mut self.timeline, timeline => timeline.set_turn(side));
    }

    fn seated(&self) -> Sides {
        self.order.iter().copied().collect()
    }

    fn without(&self, loser: Seat, by: WinReason) -> Conclusion {
        let sides = self.seated().without(self.order[usize::from(loser.0)]);
        match sides.is_empty() {
            true => Conclusion::Abandoned,
            false => Conclusion::Won { sides, by },
        }
    }

    fn conclude_by_rules(&mut self, last: Option<Move>) {
        self.conclusion = dispatch!(&self.timeline, timeline => {
            self.conclusion_by_rules(timeline.rules(), timeline.present(), last)
        });
    }

    /// The conclusion of a position by the rules, if the game is over. `last` is the play that led to the position,
    /// if any.
    fn conclusion_by_rules<R: Rules>(
        &self,
        rules: &R,
        position: &R::Position,
        last: Option<Move>,
    ) -> Option<Conclusion> {
        Some(match rules.outcome(position)? {
            Outcome::Draw => FULL,
            // In a game of two sides, all seats may belong to one side. The other side then has no seat and cannot
            // win, for example in a misère game.
            Outcome::Won(sides) => match sides.and(self.seated()) {
                Sides::NONE => FULL,
                sides => Conclusion::Won {
                    sides,
                    by: self.reason(&rules.diagram(position), sides, last),
                },
            },
        })
    }

    /// Why `winners` won. `last` is the play that completed the line. Without `last`, all lines on the board count.
    fn reason(&self, diagram: &Diagram, winners: Sides, last: Option<Move>) -> WinReason {
        let spec = match &self.variant {
            Variant::Grid(spec) => return WinReason::Line(diagram.line(spec, last)),
            Variant::Nested(spec) => spec,
        };
        if spec.scoring() == Scoring::MostBoards {
            return WinReason::Points;
        }
        let states = diagram.boards();
        let won = Board::all().filter(|board| match states[board.index()] {
            BoardState::Won(side) => winners.contains(side),
            BoardState::Open | BoardState::Drawn => false,
        });
        let won = won.fold(0u16, |set, board| set | 1 << board.index());
        let completed = |line: &&u16| {
            let has_last = last.is_none_or(|at| **line >> (at.index() / 9) & 1 == 1);
            won & **line == **line && has_last
        };
        let boards = LINES_3X3
            .iter()
            .filter(completed)
            .fold(0, |all, line| all | line);
        WinReason::Boards(
            Board::all()
                .filter(|board| boards >> board.index() & 1 == 1)
                .collect(),
        )
    }
}

/// A draw, because no play is possible and no side with a seat has won.
const FULL: Conclusion = Conclusion::Draw {
    reason: DrawReason::Full,
};

/// Checks that sides are numbered in the order of their first seats, and that every side has a seat.
/// Exception: in a game of two sides, all seats may belong to one side.
fn check_order(variant: &Variant, order: &[Side]) -> Result<(), GameError> {
    let mut seen = 0;
    for side in order {
        if side.index() > seen {
            return Err(GameError::Order);
        }
        seen = seen.max(side.index() + 1);
    }
    let sides = variant.sides();
    if seen == usize::from(sides) || seen == 1 && sides == 2 {
        Ok(())
    } else {
        Err(GameError::Sides {
            sides,
            seated: seen,
        })
    }
}

/// Why an action was refused. The error message says what is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The game is over.
    Over,
    /// The game has no such seat.
    NoSuchSeat {
        /// The number of seats.
        seats: usize,
    },
    /// It is another seat's turn.
    NotYourTurn {
        /// The seat to move.
        to_move: Seat,
    },
    /// The move is not legal.
    Illegal(IllegalMove),
    /// The game has no rewind.
    NoRewind,
    /// The rewind takes back more marks than the history allows, or more than are on the board.
    RewindTooFar {
        /// The maximum number of marks that may be taken back.
        max: u16,
    },
    /// A rewind of 0 marks on nine boards. Such a rewind would pass the turn, and on nine boards a player cannot pass.
    MustPlay,
    /// No play of this seat is on the board.
    NothingToTakeBack,
    /// The takeback has the wrong number of marks. It must remove the seat's last play and all later plays.
    TakebackOf {
        /// The number of marks that the takeback must remove.
        marks: u16,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Over => IllegalMove::GameOver.fmt(f),
            Refusal::NoSuchSeat { seats } => {
                write!(f, "the seats of this game are 0 to {}", seats - 1)
            }
            Refusal::NotYourTurn { to_move } => write!(f, "it is the turn of seat {}", to_move.0),
            Refusal::Illegal(illegal) => illegal.fmt(f),
            Refusal::NoRewind => {
                f.write_str("this game was started without a history, so nothing can be taken back")
            }
            Refusal::RewindTooFar { max } => write!(f, "at most {max} can be taken back now"),
            Refusal::MustPlay => f.write_str(
                "on nine boards each player must play, so a rewind takes back at least 1",
            ),
            Refusal::NothingToTakeBack => {
                f.write_str("this seat has no play on the board that could be taken back")
            }
            Refusal::TakebackOf { marks } => write!(
                f,
                "a takeback returns to before this seat's last play, which removes {marks}"
            ),
        }
    }
}

impl std::error::Error for Refusal {}

/// Why a game cannot be set up. The error message says what is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameError {
    /// The history is greater than the number of cells minus one.
    History {
        /// The largest allowed value.
        max: usize,
    },
    /// The number of seats is not 2 to 64. The value is the given number.
    Seats(usize),
    /// Sides are not numbered in the order of their first seats.
    Order,
    /// The number of sides with a seat differs from the number of sides of the variant.
    Sides {
        /// The number of sides in the variant.
        sides: u8,
        /// The number of sides with a seat.
        seated: usize,
    },
    /// The side to move in the start position has no seat.
    NobodyToMove(Side),
    /// The start position is impossible.
    Position(DiagramError),
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameError::History { max } => write!(f, "the history of this game is 0 to {max}"),
            GameError::Seats(count) => write!(f, "a game has 2 to 64 seats, not {count}"),
            GameError::Order => {
                f.write_str("sides must be numbered in the order of their first seats")
            }
            GameError::Sides { sides, seated } => {
                write!(
                    f,
                    "this game has {sides} sides, but the seats have {seated}"
                )
            }
            GameError::NobodyToMove(side) => {
                write!(f, "the side to move, {}, has no seat", side.symbol())
            }
            GameError::Position(impossible) => impossible.fmt(f),
        }
    }
}

impl std::error::Error for GameError {}
