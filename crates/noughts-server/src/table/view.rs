//! The data for watchers of a table: a snapshot first, and then one change per entry.
//!
//! Snapshots and changes are Rust types. The HTTP interface encodes each value once for all watchers.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use noughts_rules::{
    Action, Conclusion, Game, Move, NestedView, Seat, Side, Turn, Variant, View as GameView,
};

use super::{ClockView, Entry, Holder, LogEntry, OpenOffer, SeatSet, Table};
use crate::id::GameId;
use crate::players::PlayerNames;

/// On boards with more cells than this, snapshots and changes do not list the legal moves while the game goes on. The
/// legal moves are then all empty cells or, with gravity, the lowest empty cell of each column.
pub const MAX_LISTED_CELLS: usize = 1_024;

/// An immutable snapshot of a table, shared by all readers.
#[derive(Debug)]
pub struct Snapshot {
    /// The game's id.
    pub id: GameId,
    /// The number of the latest entry.
    pub entry: u32,
    /// What user interfaces show of the game, such as the marks and the legal moves.
    pub game: GameView,
    /// Who holds each seat.
    pub holders: Vec<Holder>,
    /// The names of the registered players among the holders.
    pub names: Arc<PlayerNames>,
    /// The seats whose players are connected.
    pub present: SeatSet,
    /// The offers that wait for an answer.
    pub offers: Vec<OpenOffer>,
    /// The clocks at the time of this snapshot; `None` at a table without a clock.
    pub clock: Option<ClockView>,
    /// The game that was created for a rematch; `None` if there is no rematch.
    pub rematch: Option<GameId>,
    /// The encoded view. The HTTP interface encodes it at the first use, once for all readers.
    pub encoded_view: OnceLock<Bytes>,
    /// The encoded message that event streams send for the view. It is encoded at the first use, once for all
    /// watchers.
    pub encoded_message: OnceLock<Bytes>,
}

/// A change of a table. The server sends it to all watchers.
#[derive(Debug)]
pub struct Update {
    /// The number of the log entry that made the change; `None` if only the connected players or the names of players
    /// changed.
    pub entry: Option<u32>,
    /// What changed.
    pub change: Change,
    /// The encoded message. The HTTP interface encodes it at the first use, once for all watchers.
    pub encoded: OnceLock<Bytes>,
}

/// What changed at a table.
#[derive(Clone, Debug)]
pub enum Change {
    /// A turn was completed.
    Turn(Box<TurnChange>),
    /// The holders of seats, the connected players, or the names of players have changed.
    Seats {
        /// Who holds each seat.
        holders: Vec<Holder>,
        /// The seats whose players are connected.
        present: SeatSet,
        /// The names of the registered players among the holders.
        names: Arc<PlayerNames>,
    },
    /// The open offers have changed.
    Offers {
        /// The number of the latest entry.
        entry: u32,
        /// The offers, oldest first.
        offers: Vec<OpenOffer>,
    },
    /// The whole table as it is now, for a change that no other kind of [`Change`] can express.
    View(Arc<Snapshot>),
}

/// What a turn changed: the difference between the views before and after the turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnChange {
    /// The number of the turn's entry.
    pub entry: u32,
    /// The variant of the game, which determines the notation of moves.
    pub variant: Variant,
    /// The number of completed turns, including this turn.
    pub number: usize,
    /// The seat that completed the turn, and its action.
    pub turn: Turn,
    /// The cells that changed, in ascending order. Each cell has its mark after the turn, or `None` if it is
    /// empty now.
    pub cells: Vec<(Move, Option<Side>)>,
    /// Whose turn it is now; `None` if the game is over.
    pub to_move: Option<Seat>,
    /// Every legal move now; `None` on boards with more than [`MAX_LISTED_CELLS`] cells while the game goes on.
    pub legal: Option<Vec<Move>>,
    /// The maximum number of marks that a rewind may take back now; `None` if the game has no rewind or is over.
    pub longest_rewind: Option<u16>,
    /// The nine boards; `None` for a grid.
    pub nested: Option<NestedView>,
    /// How the game ended; `None` if it is not over.
    pub outcome: Option<Conclusion>,
    /// The offers that wait for an answer now.
    pub offers: Vec<OpenOffer>,
    /// The clocks when the turn was completed; `None` at a table without a clock.
    pub clock: Option<ClockView>,
}

impl Update {
    /// Creates an update that is not encoded yet.
    pub fn new(entry: Option<u32>, change: Change) -> Update {
        Update {
            entry,
            change,
            encoded: OnceLock::new(),
        }
    }
}

impl Table {
    /// The current state, without the names of registered players. The clocks are as they were at the latest
    /// entry. Creating a snapshot takes time proportional to the number of cells.
    pub fn snapshot(&self, present: SeatSet) -> Snapshot {
        Snapshot {
            id: self.id(),
            entry: self.entry(),
            game: game_view(&self.game),
            holders: self.holders.clone(),
            names: Arc::default(),
            present,
            offers: self.offers().to_vec(),
            clock: self.clock(self.last_ms()),
            rematch: self.rematch,
            encoded_view: OnceLock::new(),
            encoded_message: OnceLock::new(),
        }
    }

    /// A snapshot with the game as it was after the first `turns` turns, and without offers. All other
    /// values, such as the players and the clocks, are current.
    pub fn snapshot_after(&self, turns: usize, present: SeatSet) -> Snapshot {
        Snapshot {
            game: game_view(&self.game.after(turns)),
            offers: Vec::new(),
            ..self.snapshot(present)
        }
    }

    /// The cells that a turn will change, with their new marks. This function must be called before the turn is
    /// applied.
    pub fn cells_changed_by(&self, turn: Turn) -> Vec<(Move, Option<Side>)> {
        match turn.action {
            Action::Play(at) => {
                let side = self.game.order().get(usize::from(turn.by.0));
                vec![(at, side.copied())]
            }
            Action::Rewind(count) | Action::Takeback(count) => {
                let plays = self.game.plays();
                let kept = plays.len().saturating_sub(count.into());
                let removed = plays[kept..].iter().map(|play| (play.at, None));
                let mut cells: Vec<_> = removed.collect();
                cells.sort_unstable_by_key(|(at, _)| at.index());
                cells
            }
            Action::Resign => Vec::new(),
        }
    }

    /// What the latest turn `turn` changed. `cells` are the [cells that this turn
    /// changed](Table::cells_changed_by).
    pub fn turn_change(&self, turn: Turn, cells: Vec<(Move, Option<Side>)>) -> TurnChange {
        let game: &Game = &self.game;
        let variant = *game.variant();
        TurnChange {
            entry: self.entry(),
            variant,
            number: game.turns().len(),
            turn,
            cells,
            to_move: game.to_move(),
            legal: lists_legal(game).then(|| game.legal()),
            longest_rewind: game.longest_rewind(),
            nested: match variant {
                Variant::Nested(_) => game.view().nested,
                Variant::Grid(_) => None,
            },
            outcome: game.conclusion().cloned(),
            offers: self.offers().to_vec(),
            clock: self.clock(self.last_ms()),
        }
    }

    /// An earlier state of the table, and all entries after this state. The caller replays these entries to
    /// get the changes after the entry `after`. The earlier state has at most `after` entries. It is a copy
    /// that this table keeps, or the table before its first entry.
    pub(crate) fn missed_after(&self, after: u32) -> Option<MissedEntries> {
        let past = self.copy_before(after)?;
        let entries = self.entries_after(&past).collect();
        Some(MissedEntries {
            past,
            entries,
            after,
        })
    }

    /// The changes of all entries after number `after`, oldest first. If an entry cannot be expressed as a
    /// small change, a snapshot of the current table replaces this entry and all later entries.
    pub fn changes_after(
        &self,
        after: u32,
        present: SeatSet,
        names: &Arc<PlayerNames>,
    ) -> Vec<Update> {
        let now = || {
            Arc::new(Snapshot {
                names: Arc::clone(names),
                ..self.snapshot(present)
            })
        };
        let missed = self.missed_after(after);
        missed.map_or(Vec::new(), |missed| missed.updates(present, names, now))
    }

    /// Every entry after `past`, an earlier state of this table: oldest first, with its time. In a game without a clock
    /// the time of turns is 0.
    fn entries_after(&self, past: &Table) -> impl Iterator<Item = (u64, Entry)> + use<'_> {
        let (turns, others) = (past.game.turns().len(), past.other_entries.len());
        let times = self.turns_at_ms.iter().copied().skip(turns);
        let times = times.chain(std::iter::repeat(0));
        let mut turns = self.game.turns()[turns..].iter().zip(times);
        let mut others = self.other_entries[others..].iter().peekable();
        (past.entry() + 1..=self.entry()).filter_map(move |number| {
            match others.next_if(|other| other.number == number) {
                Some(other) => Some((other.at_ms, other.entry.clone())),
                None => turns
                    .next()
                    .map(|(turn, at_ms)| (at_ms, Entry::Turn(*turn))),
            }
        })
    }
}

/// Whether snapshots and changes list the legal moves of this game.
fn lists_legal(game: &Game) -> bool {
    game.variant().cells() <= MAX_LISTED_CELLS || game.conclusion().is_some()
}

fn game_view(game: &Game) -> GameView {
    match lists_legal(game) {
        true => game.view(),
        false => game.view_without_legal(),
    }
}

/// The entries that a watcher has missed, with their times, and an earlier state of the table from which the
/// replay starts.
pub(crate) struct MissedEntries {
    /// The table before `entries`. A kept copy may be older than the entry `after`, so `entries` may begin with entries
    /// that the watcher has seen.
    past: Table,
    entries: Vec<(u64, Entry)>,
    /// The number of entries that the watcher has seen.
    after: u32,
}

impl MissedEntries {
    /// The changes of the missed entries, oldest first, computed by a replay. If an entry cannot be expressed
    /// as a small change, the snapshot `now` of the current table replaces this entry and all later entries.
    pub(crate) fn updates(
        self,
        present: SeatSet,
        names: &Arc<PlayerNames>,
        now: impl FnOnce() -> Arc<Snapshot>,
    ) -> Vec<Update> {
        let (mut past, mut updates) = (self.past, Vec::with_capacity(self.entries.len()));
        for (at_ms, entry) in self.entries {
            let number = past.entry() + 1;
            let cells = match &entry {
                Entry::Turn(turn) if number > self.after => past.cells_changed_by(*turn),
                _ => Vec::new(),
            };
            let key = None;
            let logged = LogEntry { at_ms, entry, key };
            if past.apply(&logged).is_err() {
                return updates;
            }
            if number <= self.after {
                continue;
            }
            let change = match logged.entry {
                Entry::Turn(turn) => Change::Turn(Box::new(past.turn_change(turn, cells))),
                Entry::Seated { .. } => Change::Seats {
                    holders: past.holders.clone(),
                    present,
                    names: Arc::clone(names),
                },
                Entry::Offered { .. } | Entry::Answered { .. } => Change::Offers {
                    entry: number,
                    offers: past.offers().to_vec(),
                },
                Entry::TimeAdded { .. } | Entry::Ended { .. } | Entry::RematchCreated(_) => {
                    let now = now();
                    updates.push(Update::new(Some(now.entry), Change::View(now)));
                    return updates;
                }
            };
            updates.push(Update::new(Some(number), change));
        }
        updates
    }
}
