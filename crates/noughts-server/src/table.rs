//! A table: a game with its seats. The state of a table is computed from the entries of its log.
//!
//! This module does no I/O, does not read the time, and does not know the store. Therefore a test can
//! simulate thousands of games per second. [`decide`](Table::decide) returns the entries that a command leads
//! to. [`apply`](Table::apply) applies an entry: in a live game, when a game is loaded, and in a replay.

mod clock;
mod decide;
mod entry;
mod offers;
mod view;

use std::collections::HashMap;
use std::sync::Arc;

use noughts_rules::{
    Action, ClockSettings, Conclusion, Diagram, DrawReason, Game, GameError, Move, Options, Seat,
    Side, Termination, Turn, Variant, WinReason,
};

use crate::id::GameId;

use clock::Clock;
pub use clock::{ClockView, FIRST_TURN_MS, Outage};
pub use decide::{
    Command, CreationKey, Decision, Ending, NewGame, Status, Summary, TOO_LONG, TableRefusal,
};
pub use entry::{
    Answer, EndReason, Entry, Holder, KEY_LIFETIME_MS, Key, LogEntry, Offer, OpenTo, RequestKey,
    SeatSet,
};
use offers::Offers;
pub use offers::{Absence, Claim, Context, DRAW_OFFER_PAUSE, MAX_OTHER_ENTRIES, OpenOffer};
pub use view::{Change, MAX_LISTED_CELLS, Snapshot, TurnChange, Update};

/// The settings of a table: its state before the first entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The game's id.
    pub id: GameId,
    /// The variant.
    pub variant: Variant,
    /// The limit of a rewind: a rewind takes back fewer marks than this number. With 0 the game has no
    /// rewind.
    pub history: u16,
    /// The position in which the game starts; `None` for the usual start position of the variant.
    pub start: Option<Diagram>,
    /// The holder of each seat at the start.
    pub holders: Vec<Holder>,
    /// How much time the players have; `None` means no limit.
    pub clock: Option<ClockSettings>,
    /// Whether lists show the game before it is over. While a seat is open to [`OpenTo::Link`], lists never
    /// show the game. A rematch takes over this setting.
    pub is_listed: bool,
    /// When the table was created, in milliseconds since 1970.
    pub created_ms: u64,
}

/// Time after an entry in which only the node that stored the entry computes the robot's move, in
/// milliseconds. After this time, any node may compute the move. See [`Table::robot_deadline_ms`] for robots
/// without a deadline.
pub const ROBOT_DEADLINE_MS: u64 = 15_000;

/// A game with its seats, in the state after all entries of its log.
#[derive(Clone, Debug)]
pub struct Table {
    settings: Arc<Settings>,
    holders: Vec<Holder>,
    game: Game,
    /// The entries that are not turns. Turns are in the game.
    other_entries: Vec<OtherEntry>,
    offers: Offers,
    clock: Option<Clock>,
    /// When each turn was stored, in milliseconds since 1970. Empty at a table without a clock.
    turns_at_ms: Vec<u64>,
    /// The milliseconds that each turn took. Empty at a table without a clock.
    used_ms: Vec<u64>,
    rematch: Option<GameId>,
    /// The idempotency keys that were used so far, by seat and text. Each value has the hash of the request
    /// and the time of its entry.
    keys: HashMap<(Seat, String), (u64, u64)>,
    /// The time of the latest entry; before the first entry, the time at which the table was created.
    last_ms: u64,
    /// When the game ended, in milliseconds since 1970; `None` if it is not over.
    ended_ms: Option<u64>,
    /// Seats of robots that may need more than microseconds for a move.
    thinking_robots: SeatSet,
    max_turns: usize,
    /// A copy of the table at the latest multiple of [`COPY_INTERVAL`] entries. The field `earlier` of that copy is
    /// the previous copy.
    earlier: Option<Arc<Table>>,
}

/// Number of turns for which a table with a clock reserves memory at its first turn. Without this
/// reservation, a list of 32 turns would need four allocations.
const SHORT_GAME: usize = 32;

/// The number of entries between two copies of the table. With the latest two copies, the latest changes of a long
/// game can be computed without replaying the whole game.
const COPY_INTERVAL: u32 = 1_000;

/// An entry that is not a turn.
#[derive(Clone, Debug)]
struct OtherEntry {
    number: u32,
    at_ms: u64,
    entry: Entry,
}

/// The error for a log with an entry that cannot follow the entries before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidLog {
    /// The number of the first invalid entry; 0 if the settings of the table are invalid.
    pub entry: u32,
}

impl Table {
    /// A new table. Returns an error if the settings are invalid, for example if they do not have one holder
    /// per seat.
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
            Holder::Robot(_) | Holder::Human { .. } | Holder::Player(_) | Holder::Open(_) => None,
        };
        let thinking_robots = (0..).map(Seat).zip(&settings.holders).filter_map(thinks);
        let is_complete = !settings.holders.iter().any(Holder::is_open);
        let started_ms = is_complete.then_some(settings.created_ms);
        let seats = settings.holders.len();
        let clock = settings.clock;
        Ok(Table {
            clock: clock.map(|clock| Clock::new(clock, seats, started_ms)),
            turns_at_ms: Vec::new(),
            used_ms: Vec::new(),
            offers: Offers::default(),
            thinking_robots: thinking_robots.collect(),
            max_turns: 4 * settings.variant.cells() + 100,
            earlier: None,
            holders: settings.holders.clone(),
            game,
            other_entries: Vec::new(),
            rematch: None,
            keys: HashMap::new(),
            last_ms: settings.created_ms,
            ended_ms: None,
            settings: Arc::new(settings),
        })
    }

    /// The table after all `entries`. Returns an error at the first invalid entry.
    pub fn replay<'e>(
        settings: Settings,
        entries: impl IntoIterator<Item = &'e LogEntry>,
    ) -> Result<Table, InvalidLog> {
        let mut table = Table::new(settings).map_err(|_| InvalidLog { entry: 0 })?;
        for entry in entries {
            table.apply(entry)?;
            table.keep_copy_if_due();
        }
        Ok(table)
    }

    /// Keeps a copy of the table if the number of entries is a multiple of [`COPY_INTERVAL`].
    pub(crate) fn keep_copy_if_due(&mut self) {
        if !self.entry().is_multiple_of(COPY_INTERVAL) {
            return;
        }
        if let Some(earlier) = &mut self.earlier {
            Arc::make_mut(earlier).earlier = None;
        }
        // No command is decided on a copy, so copies need no keys.
        let keys = std::mem::take(&mut self.keys);
        let copy = Arc::new(self.clone());
        (self.keys, self.earlier) = (keys, Some(copy));
    }

    /// The latest copy with at most `entry` entries, or a new table if there is no such copy.
    fn copy_before(&self, entry: u32) -> Option<Table> {
        let mut earlier = self.earlier.as_ref();
        while let Some(copy) = earlier {
            if copy.entry() <= entry {
                let mut copy = Table::clone(copy);
                copy.earlier = None;
                return Some(copy);
            }
            earlier = copy.earlier.as_ref();
        }
        Table::new(self.settings().clone()).ok()
    }

    /// Applies the next entry of the log. On an error nothing has changed.
    pub fn apply(&mut self, logged: &LogEntry) -> Result<(), InvalidLog> {
        #[cfg(test)]
        APPLIED.with(|count| count.set(count.get() + 1));
        let number = self.entry() + 1;
        let to_move = self.game.to_move();
        let at_ms = logged.at_ms.max(self.last_ms);
        self.apply_entry(number, &logged.entry, at_ms)
            .ok_or(InvalidLog { entry: number })?;
        if self.is_over()
            && let Some(to_move) = to_move
        {
            self.offers.end_game();
            if let Some(clock) = &mut self.clock {
                clock.stop(to_move, at_ms);
            }
        }
        if let (Some(key), Some(seat)) = (&logged.key, logged.entry.seat()) {
            let seat_key = (seat, key.text.clone());
            self.keys.insert(seat_key, (key.request, logged.at_ms));
        }
        self.last_ms = at_ms;
        if self.is_over() {
            self.ended_ms.get_or_insert(self.last_ms);
        }
        Ok(())
    }

    fn apply_entry(&mut self, number: u32, entry: &Entry, at_ms: u64) -> Option<()> {
        match entry {
            Entry::Turn(turn) => {
                let to_move = self.game.to_move();
                self.game.act(turn.by, turn.action).ok()?;
                if self.game.turns().len() >= self.max_turns {
                    // If this turn has already ended the game by the rules, that conclusion stays.
                    let _ = self.game.terminate(Termination::Draw(DrawReason::Limit));
                }
                if let (Some(clock), Some(to_move)) = (&mut self.clock, to_move) {
                    if self.used_ms.is_empty() {
                        self.used_ms.reserve(SHORT_GAME);
                        self.turns_at_ms.reserve(SHORT_GAME);
                    }
                    self.used_ms.push(clock.end_turn(to_move, *turn, at_ms));
                    self.turns_at_ms.push(at_ms);
                }
                let is_human = self.holder(turn.by).is_some_and(Holder::is_human);
                let turns = self.game.turns().len();
                self.offers.after_turn(*turn, is_human, turns);
                return Some(());
            }
            Entry::Seated { seat, holder } => {
                let held = self.holders.get_mut(usize::from(seat.0))?;
                *held = holder.clone();
                if let (Some(clock), false) =
                    (&mut self.clock, self.holders.iter().any(Holder::is_open))
                {
                    clock.start(at_ms);
                }
            }
            Entry::Offered { seat, offer } => {
                self.holder(*seat)?;
                self.offers.add(*offer, *seat, number);
            }
            Entry::Answered { seat, answer } => {
                self.holder(*seat)?;
                let turns = self.game.turns().len();
                self.offers.answer(*seat, *answer, turns);
            }
            Entry::TimeAdded { ms, until_ms } => {
                let clock = self.clock.as_mut()?;
                clock.add_time(*ms, *until_ms, at_ms);
            }
            Entry::Ended { reason, seats } => {
                let end = self.termination(*reason, *seats)?;
                self.game.terminate(end).ok()?;
            }
            Entry::RematchCreated(game) => {
                self.rematch = Some(*game);
                self.offers.clear();
            }
        }
        self.other_entries.push(OtherEntry {
            number,
            at_ms,
            entry: entry.clone(),
        });
        Some(())
    }

    /// How the game ends if `seats` end it for `reason`. `None` if `seats` has no seat of this table.
    fn termination(&self, reason: EndReason, seats: SeatSet) -> Option<Termination> {
        let first = self.first_of(seats)?;
        Some(match reason {
            EndReason::Leaving if self.is_everybody(seats) => Termination::Abandoned,
            EndReason::Leaving => Termination::Left(first),
            EndReason::Agreement => Termination::Draw(DrawReason::Agreement),
            EndReason::Time => Termination::TimeOut(first),
            EndReason::Aborted => Termination::Aborted,
            EndReason::WinClaimed => Termination::WinClaimed(first),
            EndReason::DrawClaimed => Termination::Draw(DrawReason::Claim),
        })
    }

    /// Whether `seats` contains all seats of the table.
    fn is_everybody(&self, seats: SeatSet) -> bool {
        self.seats().all(|seat| seats.contains(seat))
    }

    /// The first seat of the table that is in `seats`.
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

    /// The settings of the table.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The game that is played at this table, with all its turns.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Who holds each seat now.
    pub fn holders(&self) -> &[Holder] {
        &self.holders
    }

    /// Who holds this seat now; `None` if there is no such seat.
    pub fn holder(&self, seat: Seat) -> Option<&Holder> {
        self.holders.get(usize::from(seat.0))
    }

    /// The number of completed turns plus one, also when the game is over.
    pub fn turn(&self) -> usize {
        self.game.turns().len() + 1
    }

    /// The number of the latest entry; 0 before the first entry.
    pub fn entry(&self) -> u32 {
        (self.game.turns().len() + self.other_entries.len()) as u32
    }

    /// The latest entry; `None` before the first entry.
    pub fn latest_entry(&self) -> Option<Entry> {
        match self.other_entries.last() {
            Some(other) if other.number == self.entry() => Some(other.entry.clone()),
            Some(_) | None => self.game.turns().last().map(|turn| Entry::Turn(*turn)),
        }
    }

    /// Maximum number of turns. After this number of turns the game is a draw. Without this limit, rewinds
    /// could prolong a game for ever.
    pub fn max_turns(&self) -> usize {
        self.max_turns
    }

    /// The time of the latest entry; before the first entry, the time at which the table was created.
    pub fn last_ms(&self) -> u64 {
        self.last_ms
    }

    /// When the game ended, in milliseconds since 1970; `None` if it is not over.
    pub fn ended_ms(&self) -> Option<u64> {
        self.ended_ms
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.game.conclusion().is_some()
    }

    /// The game that was created for a rematch; `None` if there is no rematch.
    pub fn rematch(&self) -> Option<GameId> {
        self.rematch
    }

    /// The seat to move, if a robot holds it.
    pub fn robot_to_move(&self) -> Option<Seat> {
        let seat = self.game.to_move()?;
        self.holder(seat)?.is_robot().then_some(seat)
    }

    /// The time after which any node may compute the robot's move, if a robot is to move. `None` if no robot
    /// is to move, or if this robot needs only microseconds. Exception: if robots hold all seats, the result
    /// is never `None` during the game, because no client would notice that the game has stopped.
    pub fn robot_deadline_ms(&self) -> Option<u64> {
        let next = self.game.to_move()?;
        self.robot_deadline_if_next(next, self.last_ms)
    }

    /// The time at which a node must check this table, because a robot's computation may have stopped or a
    /// clock may have run out. `None` if there is nothing to check: no clock runs, and the robot to move has
    /// no [deadline](Table::robot_deadline_ms). The time is never later than the moment at which the clock of
    /// the seat to move runs out.
    pub fn deadline_ms(&self) -> Option<u64> {
        self.deadline_after(self.last_ms)
    }

    /// Like [`deadline_ms`](Table::deadline_ms), for a caller who knows that the table has no new entry until
    /// `now_ms`. The result may be later than `deadline_ms`, because the clocks of the other seats cannot
    /// start before `now_ms`.
    pub fn deadline_after(&self, now_ms: u64) -> Option<u64> {
        let next = self.game.to_move()?;
        let clock = self.clock.as_ref();
        let clock_ms = clock.and_then(|clock| clock.earliest_deadline_ms(next, now_ms));
        [self.robot_deadline_ms(), clock_ms]
            .into_iter()
            .flatten()
            .min()
    }

    fn robot_deadline_if_next(&self, next: Seat, at_ms: u64) -> Option<u64> {
        let is_watched = self.thinking_robots.contains(next) || !self.has_people();
        let is_robot = self.holder(next)?.is_robot();
        (is_robot && is_watched).then_some(at_ms + ROBOT_DEADLINE_MS)
    }

    /// Whether a person holds a seat, or may take one.
    fn has_people(&self) -> bool {
        !self.holders.iter().all(Holder::is_robot)
    }

    fn has_robots(&self) -> bool {
        self.holders.iter().any(Holder::is_robot)
    }

    /// How the game ended for a seat; `None` while the game goes on, or if there is no such seat.
    pub fn result(&self, seat: Seat) -> Option<SeatResult> {
        let side = self.game.order().get(usize::from(seat.0))?;
        Some(match self.game.conclusion()? {
            Conclusion::Won { sides, .. } if sides.contains(*side) => SeatResult::Won,
            Conclusion::Won { .. } => SeatResult::Lost,
            Conclusion::Draw { .. } => SeatResult::Draw,
            Conclusion::Abandoned => SeatResult::Abandoned,
            Conclusion::Aborted => SeatResult::Aborted,
        })
    }

    /// Whether the latest turn ended the game. False if, for example, a player left.
    pub fn is_ended_by_turn(&self) -> bool {
        let is_end = |other: &OtherEntry| matches!(other.entry, Entry::Ended { .. });
        self.is_over() && !self.other_entries.iter().any(is_end)
    }

    /// The move that ended the game, if another seat than `seat` made this move. Otherwise `None`.
    pub fn opponent_move_that_ended(&self, seat: Seat) -> Option<Move> {
        match self.game.turns().last()? {
            Turn {
                by,
                action: Action::Play(at),
            } if *by != seat && self.is_ended_by_turn() => Some(*at),
            Turn { .. } => None,
        }
    }

    /// How the game ended, in words for the server's log; `unfinished` while the game goes on.
    pub fn outcome_in_words(&self) -> String {
        self.game
            .conclusion()
            .map_or("unfinished".to_owned(), conclusion_in_words)
    }
}

/// How a game ended, such as `x won by a line`.
pub fn conclusion_in_words(conclusion: &Conclusion) -> String {
    let (sides, by) = match conclusion {
        Conclusion::Draw { reason } => {
            return match reason {
                DrawReason::Full => "draw",
                DrawReason::Agreement => "draw by agreement",
                DrawReason::Claim => "draw by claim",
                DrawReason::Time => "draw by time",
                DrawReason::Limit => "draw after too many turns",
            }
            .to_owned();
        }
        Conclusion::Abandoned => return "abandoned".to_owned(),
        Conclusion::Aborted => return "aborted".to_owned(),
        Conclusion::Won { sides, by } => (sides, by),
    };
    let winners: String = sides.iter().map(Side::symbol).collect();
    let by = match by {
        WinReason::Line(_) | WinReason::Boards(_) => "a line",
        WinReason::Points => "points",
        WinReason::Resignation => "resignation",
        WinReason::Leaving => "leaving",
        WinReason::Time => "time",
        WinReason::Claim => "claim",
    };
    format!("{winners} won by {by}")
}

impl Entry {
    /// The seat of the player who took a seat, completed a turn, made an offer or answered an offer. `None` for all
    /// other entries.
    pub fn seat(&self) -> Option<Seat> {
        match self {
            Entry::Seated { seat, .. }
            | Entry::Offered { seat, .. }
            | Entry::Answered { seat, .. } => Some(*seat),
            Entry::Turn(turn) => Some(turn.by),
            Entry::TimeAdded { .. } | Entry::Ended { .. } | Entry::RematchCreated(_) => None,
        }
    }
}

/// How a game ended for one seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatResult {
    /// The seat's side won.
    Won,
    /// Another side won.
    Lost,
    /// The game is a draw.
    Draw,
    /// All players left.
    Abandoned,
    /// The game ended without a result.
    Aborted,
}

#[cfg(test)]
thread_local! {
    /// The number of entries that this thread has applied, to any table.
    static APPLIED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latest_changes_of_a_long_game_cost_a_short_replay() {
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
            clock: None,
            is_listed: true,
            created_ms: 0,
        })
        .unwrap();
        for number in 0..TURNS {
            // Alternates between a play and a rewind that takes the play back.
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
            table.keep_copy_if_due();
        }
        let before = APPLIED.get();
        let changes = table.changes_after(TURNS as u32 - MISSED, SeatSet::EMPTY, &Arc::default());
        assert_eq!(changes.len(), MISSED as usize);
        assert!(APPLIED.get() - before <= 2 * COPY_INTERVAL as usize);
        // No change contains the whole board.
        let cells = |update: &Update| match &update.change {
            Change::Turn(change) => change.cells.len() + change.legal.iter().flatten().count(),
            Change::View(_) | Change::Seats { .. } | Change::Offers { .. } => panic!("{update:?}"),
        };
        assert_eq!(changes.iter().map(cells).sum::<usize>(), MISSED as usize);
    }
}
