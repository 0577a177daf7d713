//! What watchers see of a table: a snapshot, and then what each entry changed.
//!
//! Both are typed. The interface that sends them encodes them, once for all watchers.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use noughts_rules::{
    Action, Conclusion, Game, Move, NestedView, Seat, Side, Turn, Variant, View as GameView,
};

use super::{Entry, Holder, LogEntry, SeatSet, Table};
use crate::id::GameId;

/// On boards with more cells a change does not list the legal moves: they are all free cells.
pub const MAX_LISTED_CELLS: usize = 1_024;

/// An immutable state of a table, shared by all readers.
#[derive(Debug)]
pub struct Snapshot {
    /// The game's name.
    pub id: GameId,
    /// The number of the latest entry.
    pub entry: u32,
    /// The game.
    pub game: GameView,
    /// Who holds each seat.
    pub holders: Vec<Holder>,
    /// The seats whose players are connected.
    pub present: SeatSet,
    /// The game that was created for a rematch.
    pub rematch: Option<GameId>,
    /// The view as an interface encodes it, once for all readers.
    pub encoded_view: OnceLock<Bytes>,
    /// The message of a stream that carries the view.
    pub encoded_message: OnceLock<Bytes>,
}

/// A message to watchers.
#[derive(Debug)]
pub struct Update {
    /// The number of its entry; `None` if a player connected or disconnected.
    pub entry: Option<u32>,
    /// What changed.
    pub change: Change,
    /// The message as an interface encodes it, once for all watchers.
    pub encoded: OnceLock<Bytes>,
}

/// What changed at a table.
#[derive(Clone, Debug)]
pub enum Change {
    /// A turn was completed.
    Turn(Box<TurnChange>),
    /// Who holds a seat, or whose player is connected.
    Seats {
        /// Who holds each seat.
        holders: Vec<Holder>,
        /// The seats whose players are connected.
        present: SeatSet,
    },
    /// More than the others can express: the whole table as it is now.
    View(Arc<Snapshot>),
}

/// What a turn changed. Together with the view before it, it is the view after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnChange {
    /// Which game.
    pub variant: Variant,
    /// Completed turns, this one included.
    pub number: usize,
    /// Who did what.
    pub turn: Turn,
    /// The cells that changed, ascending, with the mark that is there now.
    pub cells: Vec<(Move, Option<Side>)>,
    /// Whose turn it is now.
    pub to_move: Option<Seat>,
    /// Every legal move now; `None` on boards above [`MAX_LISTED_CELLS`] while the game goes on.
    pub legal: Option<Vec<Move>>,
    /// How many marks may be taken back now.
    pub longest_rewind: Option<u16>,
    /// The nine boards, where there are nine.
    pub nested: Option<NestedView>,
    /// How the game ended, if it did.
    pub outcome: Option<Conclusion>,
}

impl Update {
    /// An update that no interface has encoded yet.
    pub fn new(entry: Option<u32>, change: Change) -> Update {
        Update {
            entry,
            change,
            encoded: OnceLock::new(),
        }
    }
}

impl Table {
    /// The current state. The cost is proportional to the number of cells.
    pub fn snapshot(&self, present: SeatSet) -> Snapshot {
        Snapshot {
            id: self.id(),
            entry: self.entry(),
            game: self.game.view(),
            holders: self.holders.clone(),
            present,
            rematch: self.rematch,
            encoded_view: OnceLock::new(),
            encoded_message: OnceLock::new(),
        }
    }

    /// The table after its first `turns` turns, with the current players.
    pub fn snapshot_after(&self, turns: usize, present: SeatSet) -> Snapshot {
        Snapshot {
            game: self.game.after(turns).view(),
            ..self.snapshot(present)
        }
    }

    /// The cells that a turn will change, with their new marks. Call it before the turn is applied.
    pub fn cells_changed_by(&self, turn: Turn) -> Vec<(Move, Option<Side>)> {
        match turn.action {
            Action::Play(at) => {
                let side = self.game.order().get(usize::from(turn.by.0));
                vec![(at, side.copied())]
            }
            Action::Rewind(count) => {
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

    /// What the latest turn changed, given its [cells](Table::cells_changed_by).
    pub fn turn_change(&self, turn: Turn, cells: Vec<(Move, Option<Side>)>) -> TurnChange {
        let game: &Game = &self.game;
        let variant = *game.variant();
        let is_large = variant.cells() > MAX_LISTED_CELLS;
        TurnChange {
            variant,
            number: game.turns().len(),
            turn,
            cells,
            to_move: game.to_move(),
            legal: (!is_large || self.is_over()).then(|| game.legal()),
            longest_rewind: game.longest_rewind(),
            nested: match variant {
                Variant::Nested(_) => game.view().nested,
                Variant::Grid(_) => None,
            },
            outcome: game.conclusion().cloned(),
        }
    }

    /// What each entry after number `after` changed, oldest first, computed by one replay. Entries
    /// that no small change can express end the list with the whole table.
    pub fn changes_after(&self, after: u32, present: SeatSet) -> Vec<Update> {
        let mut updates = Vec::new();
        let Ok(mut past) = Table::new(self.settings().clone()) else {
            return updates;
        };
        for entry in self.entries() {
            let number = past.entry() + 1;
            let cells = match &entry {
                Entry::Turn(turn) if number > after => past.cells_changed_by(*turn),
                _ => Vec::new(),
            };
            let (at_ms, key) = (0, None);
            let logged = LogEntry { at_ms, entry, key };
            if past.apply(&logged).is_err() {
                return updates;
            }
            if number <= after {
                continue;
            }
            let change = match logged.entry {
                Entry::Turn(turn) => Change::Turn(Box::new(past.turn_change(turn, cells))),
                Entry::Seated { .. } => Change::Seats {
                    holders: past.holders.clone(),
                    present,
                },
                Entry::Offered { .. } | Entry::Ended { .. } | Entry::RematchCreated(_) => {
                    let snapshot = Arc::new(self.snapshot(present));
                    updates.push(Update::new(Some(self.entry()), Change::View(snapshot)));
                    return updates;
                }
            };
            updates.push(Update::new(Some(number), change));
        }
        updates
    }

    /// Every entry so far, oldest first.
    fn entries(&self) -> impl Iterator<Item = Entry> {
        let mut turns = self.game.turns().iter();
        let mut others = self.other_entries.iter().peekable();
        (1..=self.entry()).filter_map(move |number| {
            match others.next_if(|(other, _)| *other == number) {
                Some((_, entry)) => Some(entry.clone()),
                None => turns.next().map(|turn| Entry::Turn(*turn)),
            }
        })
    }
}
