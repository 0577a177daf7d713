//! A game with its seats, pure: commands are judged, events happen.
//!
//! No socket, no store, no clock: whoever keeps a table stores what happens before it does. So it
//! can be simulated, thousands of games a second, under a seed.

use noughts_engine::StrategyName;
use noughts_rules::{
    Action, By, Conclusion, Diagram, Game, GameError, Move, Options, Player, Refusal, Seat, Side,
    Turn, Variant,
};

use crate::id::{GameId, NodeId};
use crate::store::StoredGame;

/// Who holds a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// Nobody yet.
    Open(Opening),
    /// Somebody, by the name that was given.
    Human {
        /// May be empty.
        name: String,
        /// Where the seat lives with its connection, as at the TCP doors, the process that has it.
        node: Option<NodeId>,
    },
    /// A robot, by its strategy.
    Robot(StrategyName),
}

/// For whom an open seat is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Opening {
    /// For whoever knows the game's id.
    Link,
    /// For everybody: it is listed.
    Lobby,
}

impl Holder {
    /// As records name it.
    pub fn player(&self) -> Player {
        match self {
            Holder::Open(_) => Player::Human(String::new()),
            Holder::Human { name, .. } => Player::Human(name.clone()),
            Holder::Robot(strategy) => Player::Robot(strategy.to_string()),
        }
    }
}

/// A game with its seats.
#[derive(Clone, Debug)]
pub struct Table {
    setting: Setting,
    game: Game,
    /// A game that goes round in rewinds is a draw after so many turns.
    most_turns: usize,
}

/// How a table was laid: all that there is of it before the first turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Its name.
    pub id: GameId,
    /// Which game.
    pub variant: Variant,
    /// The size of its history.
    pub history: u16,
    /// The position it begins from, where that is not the variant's first.
    pub start: Option<Diagram>,
    /// Who sits where, before anybody took an open seat.
    pub holders: Vec<Holder>,
    /// When, in milliseconds since 1970.
    pub created_ms: u64,
}

/// What a table is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// A seat wants something, in answer to the table as it was in turn `at_turn`.
    Act {
        /// Which seat.
        seat: Seat,
        /// What it wants.
        action: Action,
        /// The turn that it saw: completed turns plus one.
        at_turn: usize,
    },
    /// These seats' players are gone for good, all at once.
    Leave(Leavers),
}

/// A set of seats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leavers(u64);

impl Leavers {
    /// Nobody.
    pub const NONE: Leavers = Leavers(0);

    /// One seat alone.
    pub fn one(seat: Seat) -> Leavers {
        Leavers(1u64.checked_shl(seat.0.into()).unwrap_or(0))
    }

    /// These and one more.
    #[must_use]
    pub fn and(self, seat: Seat) -> Leavers {
        Leavers(self.0 | Leavers::one(seat).0)
    }

    /// Whether this one is among them.
    pub fn contains(self, seat: Seat) -> bool {
        self.0 & Leavers::one(seat).0 != 0
    }
}

/// What happens at a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A turn is completed.
    Turned {
        /// Completed turns, this one included.
        number: usize,
        /// Who did what.
        turn: Turn,
    },
    /// These left, and so ended the game.
    Left(Leavers),
}

/// Why a command was not taken; nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The answer was to a table that has gone on since.
    Stale {
        /// This is the turn now.
        turn: usize,
    },
    /// The rules say no.
    Rules(Refusal),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::Stale { turn } => write!(f, "the game has gone on: it is in turn {turn}"),
            Refused::Rules(refusal) => refusal.fmt(f),
        }
    }
}

impl std::error::Error for Refused {}

impl Table {
    /// Sets a table up: one holder a seat, one seat a side.
    pub fn new(setting: Setting) -> Result<Table, GameError> {
        let options = Options {
            history: setting.history,
            ..Options::default()
        };
        let game = match &setting.start {
            None => Game::new(&setting.variant, options),
            Some(start) => Game::from_diagram(&setting.variant, options, start.clone()),
        }?;
        if setting.holders.len() != game.order().len() {
            return Err(GameError::Seats(setting.holders.len()));
        }
        Ok(Table {
            most_turns: 4 * setting.variant.cells() + 100,
            game,
            setting,
        })
    }

    /// The table as it was left: who sat down, every turn again, and who left. `None` where the turns
    /// are not those of such a table, which no store has any business to say.
    pub fn restore(stored: StoredGame) -> Option<Table> {
        let mut table = Table::new(stored.setting).ok()?;
        for (seat, sitting) in &stored.sat {
            *table.setting.holders.get_mut(usize::from(seat.0))? = sitting.holder();
        }
        for (number, stored) in (1..).zip(stored.turns) {
            let turn = stored.turn;
            table.happen(Event::Turned { number, turn }).ok()?;
        }
        if let Some(leavers) = stored.left {
            table.happen(Event::Left(leavers)).ok()?;
        }
        Some(table)
    }

    /// What a command would make happen, or why nothing would. Nothing has changed yet: whoever
    /// keeps the table first stores the event, and then lets it [`happen`](Table::happen).
    pub fn check(&self, command: Command) -> Result<Event, Refused> {
        match command {
            Command::Act {
                seat,
                action,
                at_turn,
            } => {
                if self.game.conclusion().is_none() && at_turn != self.turn() {
                    return Err(Refused::Stale { turn: self.turn() });
                }
                self.game.check(seat, action).map_err(Refused::Rules)?;
                Ok(Event::Turned {
                    number: self.turn(),
                    turn: Turn { by: seat, action },
                })
            }
            Command::Leave(leavers) => {
                // To leave may be refused for the same reasons as to give up.
                let check = self.game.check(self.first(leavers), Action::Resign);
                check.map_err(Refused::Rules)?;
                Ok(Event::Left(leavers))
            }
        }
    }

    /// Lets happen what [`check`](Table::check) promised. What it did not is refused, and nothing
    /// has changed.
    pub fn happen(&mut self, event: Event) -> Result<(), Refused> {
        let done = match event {
            Event::Turned { number, .. } if number != self.turn() => {
                return Err(Refused::Stale { turn: self.turn() });
            }
            Event::Turned { number, turn } => {
                let done = self.game.act(turn.by, turn.action);
                if number >= self.most_turns {
                    // Whatever the turn itself ended stays as it is.
                    let _ = self.game.call_draw();
                }
                done
            }
            Event::Left(leavers) if self.is_all(leavers) => self.game.abandon(),
            Event::Left(leavers) => self.game.leave(self.first(leavers)),
        };
        done.map_err(Refused::Rules)
    }

    /// How the game ends by what [`check`](Table::check) promised; `None` where it goes on. So an end is
    /// known before it happens, and stored with it.
    pub fn conclusion_after(&self, event: Event) -> Option<Conclusion> {
        match event {
            Event::Turned { number, turn } => {
                let called = (number >= self.most_turns).then_some(Conclusion::Draw);
                self.game.conclusion_after(turn).or(called)
            }
            Event::Left(leavers) if self.is_all(leavers) => Some(Conclusion::Abandoned),
            Event::Left(leavers) => self.game.conclusion_without(self.first(leavers)),
        }
    }

    /// Whether these are all who sit here.
    fn is_all(&self, leavers: Leavers) -> bool {
        self.seats().all(|seat| leavers.contains(seat))
    }

    /// The one of them who sits first; where none of them does, a seat that no table has.
    fn first(&self, leavers: Leavers) -> Seat {
        let first = self.seats().find(|seat| leavers.contains(*seat));
        first.unwrap_or(Seat(u8::MAX))
    }

    fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.setting.holders.len()).map(|seat| Seat(seat as u8))
    }

    /// Somebody holds this seat from now on.
    pub(crate) fn sit(&mut self, seat: Seat, holder: Holder) {
        if let Some(held) = self.setting.holders.get_mut(usize::from(seat.0)) {
            *held = holder;
        }
    }

    /// Those who sit at the other sit here.
    pub(crate) fn seat_as(&mut self, other: &Table) {
        self.setting.holders.clone_from(&other.setting.holders);
    }

    /// The seat whose turn it is, if a robot holds it.
    pub fn robot_to_move(&self) -> Option<Seat> {
        let seat = self.game.to_move()?;
        match self.holder(seat)? {
            Holder::Open(_) | Holder::Human { .. } => None,
            Holder::Robot(_) => Some(seat),
        }
    }

    /// Its name.
    pub fn id(&self) -> GameId {
        self.setting.id
    }

    /// How it was laid.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Completed turns plus one, also when the game is over.
    pub fn turn(&self) -> usize {
        self.game.turns().len() + 1
    }

    /// The game on it.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Who holds this seat.
    pub fn holder(&self, seat: Seat) -> Option<&Holder> {
        self.setting.holders.get(usize::from(seat.0))
    }

    /// How the game ended for a seat; `None` while it goes on.
    pub fn result(&self, seat: Seat) -> Option<Verdict> {
        let side = self.game.order().get(usize::from(seat.0))?;
        Some(match self.game.conclusion()? {
            Conclusion::Won { sides, .. } if sides.contains(*side) => Verdict::Won,
            Conclusion::Won { .. } => Verdict::Lost,
            Conclusion::Draw => Verdict::Draw,
            Conclusion::Abandoned => Verdict::Abandoned,
        })
    }

    /// The play of another seat than this one that ended the game, if one did.
    pub fn answer_that_ended(&self, seat: Seat) -> Option<Move> {
        let by_turns = match self.game.conclusion()? {
            Conclusion::Won { by, .. } => !matches!(by, By::Leaving | By::Resignation),
            Conclusion::Draw => true,
            Conclusion::Abandoned => false,
        };
        match self.game.turns().last()? {
            Turn {
                by,
                action: Action::Play(at),
            } if *by != seat && by_turns => Some(*at),
            Turn { .. } => None,
        }
    }

    /// How the game ended, for a log.
    pub fn outcome_in_words(&self) -> String {
        let (sides, by) = match self.game.conclusion() {
            None => return "unfinished".to_owned(),
            Some(Conclusion::Draw) => return "draw".to_owned(),
            Some(Conclusion::Abandoned) => return "abandoned".to_owned(),
            Some(Conclusion::Won { sides, by }) => (sides, by),
        };
        let winners: String = sides.iter().map(Side::symbol).collect();
        let by = match by {
            By::Line(_) | By::Boards(_) => "a line",
            By::Points => "points",
            By::Resignation => "resignation",
            By::Leaving => "leaving",
        };
        format!("{winners} won by {by}")
    }
}

/// How a game ended for one seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Its side won.
    Won,
    /// Another did.
    Lost,
    /// Nobody did.
    Draw,
    /// Everybody left.
    Abandoned,
}
