//! A game with its seats: a pure fold over the entries of its log.
//!
//! No I/O, no clock, no store: [`decide`](Table::decide) says which entries a command leads to,
//! and [`apply`](Table::apply) makes an entry happen, live, when a game is loaded and in a replay.
//! So a table can be simulated, thousands of games per second, under a seed.

mod decide;
mod entry;
mod view;

use std::collections::HashMap;
use std::sync::Arc;

use noughts_rules::{
    Action, Conclusion, Diagram, Game, GameError, Move, Options, Seat, Side, Turn, Variant,
    WinReason,
};

use crate::id::GameId;

pub use decide::{Command, CreationKey, Decision, Ending, NewGame, Status, Summary, TableRefusal};
pub use entry::{
    EndReason, Entry, Holder, KEY_LIFETIME_MS, Key, LogEntry, Offer, OpenTo, RequestKey, SeatSet,
};
pub use view::{Change, MAX_LISTED_CELLS, Snapshot, TurnChange, Update};

/// The settings of a table: its state before the first entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Its id.
    pub id: GameId,
    /// The variant.
    pub variant: Variant,
    /// The size of its history.
    pub history: u16,
    /// The first position, if it is not the variant's own.
    pub start: Option<Diagram>,
    /// Who holds each seat at first.
    pub holders: Vec<Holder>,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: u64,
}

/// Time for the node that stored a turn to store the robot's reply. After that any node may move for the robot.
pub const ROBOT_DEADLINE_MS: u64 = 15_000;

/// A game with its seats.
#[derive(Clone, Debug)]
pub struct Table {
    settings: Arc<Settings>,
    holders: Vec<Holder>,
    game: Game,
    /// The entries that are not turns, with their numbers. Turns are in the game.
    other_entries: Vec<(u32, Entry)>,
    /// The seats that offered a rematch.
    rematch_offers: SeatSet,
    rematch: Option<GameId>,
    /// The idempotency keys used so far, by seat and text, with their times.
    keys: HashMap<(Seat, String), (u64, u64)>,
    /// When the latest entry was stored.
    last_ms: u64,
    /// When the game ended.
    ended_ms: Option<u64>,
    /// Robots that may need more than microseconds for a move.
    thinking_robots: SeatSet,
    max_turns: usize,
}

/// A log contains an entry that is not valid at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidLog {
    /// The number of the first invalid entry.
    pub entry: u32,
}

impl Table {
    /// A new table: one holder per seat, one seat per side.
    pub fn new(settings: Settings) -> Result<Table, GameError> {
        let options = Options {
            history: settings.history,
            ..Options::default()
        };
        let game = match &settings.start {
            None => Game::new(&settings.variant, options),
            Some(start) => Game::from_diagram(&settings.variant, options, start.clone()),
        }?;
        if settings.holders.len() != game.order().len() {
            return Err(GameError::Seats(settings.holders.len()));
        }
        let thinks = |(seat, holder): (Seat, &Holder)| match holder {
            Holder::Robot(strategy) if !strategy.is_instant(&game) => Some(seat),
            Holder::Robot(_) | Holder::Human { .. } | Holder::Open(_) => None,
        };
        let thinking_robots = (0..).map(Seat).zip(&settings.holders).filter_map(thinks);
        Ok(Table {
            thinking_robots: thinking_robots.collect(),
            max_turns: 4 * settings.variant.cells() + 100,
            holders: settings.holders.clone(),
            game,
            other_entries: Vec::new(),
            rematch_offers: SeatSet::EMPTY,
            rematch: None,
            keys: HashMap::new(),
            last_ms: settings.created_ms,
            ended_ms: None,
            settings: Arc::new(settings),
        })
    }

    /// The table after these entries, or the first invalid entry.
    pub fn replay<'e>(
        settings: Settings,
        entries: impl IntoIterator<Item = &'e LogEntry>,
    ) -> Result<Table, InvalidLog> {
        let mut table = Table::new(settings).map_err(|_| InvalidLog { entry: 0 })?;
        for entry in entries {
            table.apply(entry)?;
        }
        Ok(table)
    }

    /// Applies the next entry of the log. On an error nothing has changed.
    pub fn apply(&mut self, logged: &LogEntry) -> Result<(), InvalidLog> {
        #[cfg(test)]
        APPLIED.with(|count| count.set(count.get() + 1));
        let number = self.entry() + 1;
        self.apply_entry(number, &logged.entry)
            .ok_or(InvalidLog { entry: number })?;
        if let (Some(key), Some(seat)) = (&logged.key, logged.entry.seat()) {
            let place = (seat, key.text.clone());
            self.keys.insert(place, (key.request, logged.at_ms));
        }
        self.last_ms = self.last_ms.max(logged.at_ms);
        if self.is_over() {
            self.ended_ms.get_or_insert(self.last_ms);
        }
        Ok(())
    }

    fn apply_entry(&mut self, number: u32, entry: &Entry) -> Option<()> {
        match entry {
            Entry::Turn(turn) => {
                self.game.act(turn.by, turn.action).ok()?;
                if self.game.turns().len() >= self.max_turns {
                    // A game that a turn has ended keeps that end.
                    let _ = self.game.call_draw();
                }
                return Some(());
            }
            Entry::Seated { seat, holder } => {
                let held = self.holders.get_mut(usize::from(seat.0))?;
                *held = holder.clone();
            }
            Entry::Offered {
                seat,
                offer: Offer::Rematch,
            } => self.rematch_offers = self.rematch_offers.with(*seat),
            Entry::Ended {
                reason: EndReason::Leaving,
                seats,
            } => match self.is_everybody(*seats) {
                true => self.game.abandon().ok()?,
                false => self.game.leave(self.first_of(*seats)?).ok()?,
            },
            Entry::RematchCreated(game) => self.rematch = Some(*game),
        }
        self.other_entries.push((number, entry.clone()));
        Some(())
    }

    /// Whether these are all seats of the table.
    fn is_everybody(&self, seats: SeatSet) -> bool {
        self.seats().all(|seat| seats.contains(seat))
    }

    /// The first seat of this table among these.
    fn first_of(&self, seats: SeatSet) -> Option<Seat> {
        self.seats().find(|seat| seats.contains(*seat))
    }

    fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.holders.len()).map(|seat| Seat(seat as u8))
    }

    /// The game's id.
    pub fn id(&self) -> GameId {
        self.settings.id
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Who holds each seat now.
    pub fn holders(&self) -> &[Holder] {
        &self.holders
    }

    /// Who holds this seat now.
    pub fn holder(&self, seat: Seat) -> Option<&Holder> {
        self.holders.get(usize::from(seat.0))
    }

    /// Completed turns plus one, also when the game is over.
    pub fn turn(&self) -> usize {
        self.game.turns().len() + 1
    }

    /// The number of the latest entry; 0 before the first.
    pub fn entry(&self) -> u32 {
        (self.game.turns().len() + self.other_entries.len()) as u32
    }

    /// The latest entry.
    pub fn latest_entry(&self) -> Option<Entry> {
        match self.other_entries.last() {
            Some((number, entry)) if *number == self.entry() => Some(entry.clone()),
            Some(_) | None => self.game.turns().last().map(|turn| Entry::Turn(*turn)),
        }
    }

    /// Maximum number of turns. Then the game is a draw, so that rewinds cannot prolong it for ever.
    pub fn max_turns(&self) -> usize {
        self.max_turns
    }

    /// When the latest entry was stored.
    pub fn last_ms(&self) -> u64 {
        self.last_ms
    }

    /// When the game ended, if it did.
    pub fn ended_ms(&self) -> Option<u64> {
        self.ended_ms
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.game.conclusion().is_some()
    }

    /// The seats that offered a rematch.
    pub fn rematch_offers(&self) -> SeatSet {
        self.rematch_offers
    }

    /// The game that was created for a rematch.
    pub fn rematch(&self) -> Option<GameId> {
        self.rematch
    }

    /// The seat to move, if a robot holds it.
    pub fn robot_to_move(&self) -> Option<Seat> {
        let seat = self.game.to_move()?;
        matches!(self.holder(seat)?, Holder::Robot(_)).then_some(seat)
    }

    /// When another node may act for the node that stored the latest entry. Set while a robot is to move that thinks
    /// long, or while only robots play: nobody else would notice that they stopped.
    pub fn deadline_ms(&self) -> Option<u64> {
        let next = self.game.to_move()?;
        self.deadline_if_next(next, self.last_ms)
    }

    fn deadline_if_next(&self, next: Seat, at_ms: u64) -> Option<u64> {
        let is_watched = self.thinking_robots.contains(next) || !self.has_people();
        let is_robot = matches!(self.holder(next)?, Holder::Robot(_));
        (is_robot && is_watched).then_some(at_ms + ROBOT_DEADLINE_MS)
    }

    /// Whether a person holds a seat, or may take one.
    fn has_people(&self) -> bool {
        let is_robot = |holder: &Holder| matches!(holder, Holder::Robot(_));
        !self.holders.iter().all(is_robot)
    }

    /// How the game ended for a seat; `None` while it goes on.
    pub fn result(&self, seat: Seat) -> Option<SeatResult> {
        let side = self.game.order().get(usize::from(seat.0))?;
        Some(match self.game.conclusion()? {
            Conclusion::Won { sides, .. } if sides.contains(*side) => SeatResult::Won,
            Conclusion::Won { .. } => SeatResult::Lost,
            Conclusion::Draw => SeatResult::Draw,
            Conclusion::Abandoned => SeatResult::Abandoned,
        })
    }

    /// Whether the latest turn ended the game (and not a seat that left).
    pub fn is_ended_by_turn(&self) -> bool {
        let is_end = |(_, entry): &(u32, Entry)| matches!(entry, Entry::Ended { .. });
        self.is_over() && !self.other_entries.iter().any(is_end)
    }

    /// The move of another seat that ended the game, if one did.
    pub fn opponent_move_that_ended(&self, seat: Seat) -> Option<Move> {
        match self.game.turns().last()? {
            Turn {
                by,
                action: Action::Play(at),
            } if *by != seat && self.is_ended_by_turn() => Some(*at),
            Turn { .. } => None,
        }
    }

    /// How the game ended, for the log.
    pub fn outcome_in_words(&self) -> String {
        let (sides, by) = match self.game.conclusion() {
            None => return "unfinished".to_owned(),
            Some(Conclusion::Draw) => return "draw".to_owned(),
            Some(Conclusion::Abandoned) => return "abandoned".to_owned(),
            Some(Conclusion::Won { sides, by }) => (sides, by),
        };
        let winners: String = sides.iter().map(Side::symbol).collect();
        let by = match by {
            WinReason::Line(_) | WinReason::Boards(_) => "a line",
            WinReason::Points => "points",
            WinReason::Resignation => "resignation",
            WinReason::Leaving => "leaving",
        };
        format!("{winners} won by {by}")
    }
}

impl Entry {
    /// The seat that caused it, where one did.
    pub fn seat(&self) -> Option<Seat> {
        match self {
            Entry::Seated { seat, .. } | Entry::Offered { seat, .. } => Some(*seat),
            Entry::Turn(turn) => Some(turn.by),
            Entry::Ended { .. } | Entry::RematchCreated(_) => None,
        }
    }
}

/// How a game ended for one seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatResult {
    /// Its side won.
    Won,
    /// Another side won.
    Lost,
    /// Nobody won.
    Draw,
    /// Everybody left.
    Abandoned,
}

#[cfg(test)]
thread_local! {
    /// How many entries this thread has applied, to any table.
    static APPLIED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resuming costs one replay, however many turns were missed.
    #[test]
    fn changes_of_a_long_game_cost_one_replay() {
        const TURNS: usize = 52_000;
        const MISSED: u32 = 990;
        let human = |name: &str| Holder::Human {
            name: name.to_owned(),
            node: None,
        };
        let mut table = Table::new(Settings {
            id: GameId::new(1),
            variant: "255x255k5".parse().unwrap(),
            history: 2,
            start: None,
            holders: vec![human("Ann"), human("Bob")],
            created_ms: 0,
        })
        .unwrap();
        for number in 0..TURNS {
            // A play that is taken back in the next turn, and again.
            let action = match number % 2 {
                0 => Action::Play(Move::at(number)),
                _ => Action::Rewind(1),
            };
            let by = Seat((number % 2) as u8);
            let logged = LogEntry {
                at_ms: 0,
                entry: Entry::Turn(Turn { by, action }),
                key: None,
            };
            table.apply(&logged).unwrap();
        }
        let before = APPLIED.get();
        let changes = table.changes_after(TURNS as u32 - MISSED, SeatSet::EMPTY);
        assert_eq!(changes.len(), MISSED as usize);
        assert!(APPLIED.get() - before <= TURNS);
        // No change holds the whole board.
        let cells = |update: &Update| match &update.change {
            Change::Turn(change) => change.cells.len() + change.legal.iter().flatten().count(),
            Change::View(_) | Change::Seats { .. } => panic!("{update:?}"),
        };
        assert_eq!(changes.iter().map(cells).sum::<usize>(), MISSED as usize);
    }
}
