//! What is seen of a table, made once and shared by all who look.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use noughts_api::{Change, Last, Live, Presence, SeatKind, SeatView, View, Who, view_of};
use noughts_rules::{Side, View as GameView};

use crate::id::GameId;
use crate::table::{Holder, Table};

/// A table as it stood at one moment.
#[derive(Debug)]
pub struct Sight {
    table: Table,
    present: Vec<bool>,
    rematch: Option<GameId>,
    json: OnceLock<Bytes>,
    live: OnceLock<Utf8Bytes>,
}

/// Where the latest sight of a table lies for everybody who looks, so that they need not ask. Empty
/// where nobody did yet, and when the table is not kept any more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latest(Arc<Mutex<Option<Arc<Sight>>>>);

impl Latest {
    pub(crate) fn get(&self) -> Option<Arc<Sight>> {
        self.hold().clone()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.hold().is_none()
    }

    pub(crate) fn set(&self, sight: Option<Arc<Sight>>) {
        // The old one is dropped after the lock.
        let _old = std::mem::replace(&mut *self.hold(), sight);
    }

    fn hold(&self) -> MutexGuard<'_, Option<Arc<Sight>>> {
        // Nothing is half done in here, whoever panicked while holding it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something that happened at a table.
#[derive(Debug)]
pub struct Happening {
    /// The table after it.
    pub sight: Arc<Sight>,
    /// Completed turns where it was a turn, which a stream names it by; `None` for comings and goings.
    pub turn: Option<usize>,
    /// What it is called: `change`, `view` or `presence`.
    pub name: &'static str,
    /// The message of a live stream, as JSON.
    pub json: Utf8Bytes,
}

impl Sight {
    pub(crate) fn new(table: Table, present: Vec<bool>, rematch: Option<GameId>) -> Sight {
        Sight {
            table,
            present,
            rematch,
            json: OnceLock::new(),
            live: OnceLock::new(),
        }
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The game that was made when everybody wanted to play again.
    pub fn rematch(&self) -> Option<GameId> {
        self.rematch
    }

    /// The view of it.
    pub fn view(&self) -> View {
        view_of(self.table.game(), self.who())
    }

    /// The view as it was after so many completed turns.
    pub fn view_after(&self, turns: usize) -> View {
        view_of(&self.table.game().after(turns), self.who())
    }

    /// The view as JSON, written once however many look.
    pub fn json(&self) -> Bytes {
        let json = self.json.get_or_init(|| to_json(&self.view()).into());
        json.clone()
    }

    /// The view as a message of a live stream, written once however many hear it.
    pub fn live_view(&self) -> Utf8Bytes {
        let live = self
            .live
            .get_or_init(|| to_json(&Live::View(self.view())).into());
        live.clone()
    }

    fn who(&self) -> Who {
        let seats = self.table.setting().holders.iter().enumerate();
        let seat = |(seat, holder): (usize, &Holder)| {
            let present = self.present.get(seat).copied().unwrap_or_default();
            let (name, kind, present) = match holder {
                Holder::Open(_) => (String::new(), SeatKind::Open, false),
                Holder::Human { name, .. } => (name.clone(), SeatKind::Human, present),
                Holder::Robot(strategy) => (strategy.to_string(), SeatKind::Robot, true),
            };
            SeatView {
                name,
                kind,
                symbol: ' ',
                present,
            }
        };
        Who {
            id: self.table.id().to_string(),
            seats: seats.map(seat).collect(),
            rematch: self.rematch.map(|id| id.to_string()),
        }
    }

    /// Who is there.
    pub fn presence(&self) -> Presence {
        let seats = self.who().seats;
        Presence {
            present: seats.iter().map(|seat| seat.present).collect(),
            names: seats.into_iter().map(|seat| seat.name).collect(),
        }
    }

    /// What turn `number` changed, counted from 1.
    pub fn change(&self, number: usize) -> Option<Change> {
        let game = self.table.game();
        let turn = *game.turns().get(number.checked_sub(1)?)?;
        let before = game.after(number - 1).view();
        // What ended the game without a turn shows only in the game itself.
        let after = match number == game.turns().len() {
            true => game.clone(),
            false => game.after(number),
        };
        let view = after.view();
        let whole = view_of(&after, self.who());
        Some(Change {
            turn: view.turn,
            to_move: whole.to_move,
            last: Last::new(&after, turn),
            cells: changed_cells(&before, &view),
            legal: whole.legal,
            rewind: whole.rewind,
            nine: whole.nine,
            outcome: whole.outcome,
        })
    }
}

fn changed_cells(before: &GameView, after: &GameView) -> Vec<(String, Option<u8>)> {
    let pairs = before.marks.iter().zip(&after.marks).enumerate();
    let number = |side: Side| side.index() as u8;
    let cell = |(index, (old, new)): (usize, (&Option<Side>, &Option<Side>))| {
        let at = noughts_rules::Move::at(index);
        (old != new).then(|| (after.variant.write_move(at), new.map(number)))
    };
    pairs.filter_map(cell).collect()
}

impl Happening {
    /// A turn, the latest of this sight.
    pub(crate) fn turn(sight: Arc<Sight>) -> Option<Happening> {
        let number = sight.table.game().turns().len();
        let json = to_json(&Live::Change(sight.change(number)?)).into();
        Some(Happening {
            sight,
            turn: Some(number),
            name: "change",
            json,
        })
    }

    /// The whole table anew: it ended without a turn, or there is a new one for who plays again.
    pub(crate) fn anew(sight: Arc<Sight>) -> Happening {
        let json = sight.live_view();
        Happening {
            sight,
            turn: None,
            name: "view",
            json,
        }
    }

    /// Somebody came, went or sat down.
    pub(crate) fn presence(sight: Arc<Sight>) -> Happening {
        let json = to_json(&Live::Presence(sight.presence())).into();
        Happening {
            sight,
            turn: None,
            name: "presence",
            json,
        }
    }
}

/// Shapes of ours are always JSON.
fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("a shape of ours is JSON")
}
