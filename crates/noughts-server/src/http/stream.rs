//! Snapshots and updates as JSON, and a watcher's way through them.

use std::sync::Arc;

use bytes::Bytes;
use noughts_api::{
    Change as ChangeJson, Empty, Legal, NineBoards, Outcome, Presence, SeatKind, SeatView,
    StreamMessage, TableInfo, TurnView, View,
};
use noughts_rules::{Move, Seat, Side};
use tokio::sync::broadcast::error::RecvError;

use super::AppState;
use super::error::ApiError;
use super::games::table;
use crate::id::GameId;
use crate::presence::Connected;
use crate::table::{Change, Holder, MAX_LISTED_CELLS, SeatSet, Snapshot, TurnChange, Update};
use crate::tables::{LiveTable, Watch};

// A change and a view say in the same way which moves are legal.
const _: () = assert!(MAX_LISTED_CELLS == noughts_api::MAX_LISTED_CELLS);

/// A snapshot as the API shows it.
pub(super) fn view_of(snapshot: &Snapshot) -> View {
    let who = TableInfo {
        id: snapshot.id.to_string(),
        entry: snapshot.entry,
        seats: seats(&snapshot.holders, snapshot.present),
        rematch: snapshot.rematch.map(|id| id.to_string()),
    };
    View::new(&snapshot.game, who)
}

/// A snapshot as JSON, encoded once for all readers.
pub(super) fn view_json(snapshot: &Snapshot) -> Bytes {
    let encode = || to_json(&view_of(snapshot));
    snapshot.encoded_view.get_or_init(encode).clone()
}

/// The message that carries a snapshot, encoded once for all watchers.
pub(super) fn view_message(snapshot: &Snapshot) -> Bytes {
    let encode = || to_json(&StreamMessage::View(view_of(snapshot)));
    snapshot.encoded_message.get_or_init(encode).clone()
}

/// The message that carries an update, encoded once for all watchers.
pub(super) fn update_message(update: &Update) -> Bytes {
    let encode = || match &update.change {
        Change::Turn(change) => to_json(&StreamMessage::Change(change_json(change))),
        Change::Seats { holders, present } => {
            to_json(&StreamMessage::Presence(presence_json(holders, *present)))
        }
        Change::View(snapshot) => view_message(snapshot),
    };
    update.encoded.get_or_init(encode).clone()
}

/// What streams call an update.
pub(super) fn update_name(update: &Update) -> &'static str {
    match update.change {
        Change::Turn(_) => "change",
        Change::Seats { .. } => "presence",
        Change::View(_) => "view",
    }
}

fn change_json(change: &TurnChange) -> ChangeJson {
    let write = |at: &Move| change.variant.format_move(*at);
    let cell = |(at, side): &(Move, Option<Side>)| (write(at), side.map(|side| side.index() as u8));
    ChangeJson {
        turn: change.number + 1,
        to_move: change.to_move.map(|seat| seat.0),
        last: TurnView::new(&change.variant, change.turn),
        cells: change.cells.iter().map(cell).collect(),
        legal: match &change.legal {
            Some(moves) => Legal::Moves(moves.iter().map(write).collect()),
            None => Legal::All(Empty::Empty),
        },
        rewind: change.longest_rewind,
        nine: change.nested.map(NineBoards::from),
        outcome: change
            .outcome
            .as_ref()
            .map(|outcome| Outcome::new(&change.variant, outcome)),
    }
}

fn presence_json(holders: &[Holder], present: SeatSet) -> Presence {
    let seats = seats(holders, present);
    Presence {
        present: seats.iter().map(|seat| seat.present).collect(),
        names: seats.into_iter().map(|seat| seat.name).collect(),
    }
}

fn seats(holders: &[Holder], present: SeatSet) -> Vec<SeatView> {
    let seat = |(seat, holder): (Seat, &Holder)| {
        let (name, kind, present) = match holder {
            Holder::Open(_) => (String::new(), SeatKind::Open, false),
            Holder::Human { name, .. } => (name.clone(), SeatKind::Human, present.contains(seat)),
            Holder::Robot(strategy) => (strategy.to_string(), SeatKind::Robot, true),
        };
        SeatView {
            name,
            kind,
            symbol: ' ',
            present,
        }
    };
    (0..).map(Seat).zip(holders).map(seat).collect()
}

fn to_json(value: &impl serde::Serialize) -> Bytes {
    let json = serde_json::to_vec(value);
    json.expect("the types of the API are JSON").into()
}

/// A watcher of a table: one snapshot, and then every update in order.
pub(super) struct Follow {
    live: Arc<LiveTable>,
    watch: Watch,
    /// The latest entry that the watcher was sent.
    entry: u32,
    /// The watcher was too slow, and needs a new snapshot.
    has_missed: bool,
    /// Where the watcher plays.
    _connected: Option<Connected>,
}

/// What a watcher is sent.
pub(super) enum Followed {
    /// What happened next.
    Update(Arc<Update>),
    /// The watcher was too slow: the table as it stands now.
    Snapshot(Arc<Snapshot>),
}

impl Follow {
    /// Begins to follow a game, as the player of a seat or from outside.
    pub(super) async fn begin(
        app: &Arc<AppState>,
        id: GameId,
        seat: Option<Seat>,
    ) -> Result<Follow, ApiError> {
        let live = table(app, id).await?;
        let connected = seat.map(|seat| app.presence.connect(&live, seat));
        let watch = live.watch()?;
        Ok(Follow {
            entry: watch.snapshot.entry,
            live,
            watch,
            has_missed: false,
            _connected: connected,
        })
    }

    /// The table as it was when this began.
    pub(super) fn snapshot(&self) -> &Arc<Snapshot> {
        &self.watch.snapshot
    }

    /// The updates after an entry that the watcher has seen, closed by who is present now; `None` where
    /// a snapshot serves it better.
    pub(super) fn resume(&mut self, entry: u32) -> Option<Vec<Update>> {
        let mut updates = self.live.changes_after(entry)?;
        let last = updates.iter().filter_map(|update| update.entry).next_back();
        self.entry = last.unwrap_or(entry);
        let now = self.live.snapshot();
        let (holders, present) = (now.holders.clone(), now.present);
        updates.push(Update::new(None, Change::Seats { holders, present }));
        Some(updates)
    }

    /// The watcher was sent this snapshot by other means.
    pub(super) fn has_sent(&mut self, snapshot: &Snapshot) {
        self.entry = self.entry.max(snapshot.entry);
    }

    /// What happens next; `None` when the table leaves memory. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<Followed> {
        loop {
            if self.has_missed {
                self.has_missed = false;
                let snapshot = self.live.snapshot();
                self.entry = snapshot.entry;
                return Some(Followed::Snapshot(snapshot));
            }
            match self.watch.updates.recv().await {
                Ok(update) => {
                    if self.takes(&update) {
                        return Some(Followed::Update(update));
                    }
                }
                Err(RecvError::Lagged(_)) => {
                    self.watch.updates = self.watch.updates.resubscribe();
                    self.has_missed = true;
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// Whether an update is the next one for this watcher.
    fn takes(&mut self, update: &Update) -> bool {
        match (&update.change, update.entry) {
            (Change::View(snapshot), _) => {
                self.entry = snapshot.entry;
                true
            }
            (_, None) => true,
            (_, Some(number)) if number <= self.entry => false,
            (_, Some(number)) => {
                self.has_missed = number > self.entry + 1;
                self.entry = number;
                !self.has_missed
            }
        }
    }
}
