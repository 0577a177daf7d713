//! Converts games to records, and records to stored games.

use std::fmt;

use noughts_rules::{
    Conclusion, Game, Player, Record, RecordError, RecordSeat, Seat, Side, WinReason,
};

use crate::id::GameId;
use crate::store::StoredGame;
use crate::table::{EndReason, Entry, Holder, LogEntry, SeatSet, Settings, Summary, Table};

/// The record of a table's game.
pub fn game_to_record(table: &Table) -> Result<Record, RecordError> {
    let game = table.game().clone();
    let seat = |(holder, side): (&Holder, &Side)| RecordSeat {
        symbol: side.symbol(),
        player: holder.player(),
    };
    let order = game.order().to_vec();
    let seats = table.holders().iter().zip(&order).map(seat);
    Record::new(game, seats.collect())
}

/// Why a record cannot be stored as a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotStorable(String);

impl fmt::Display for NotStorable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotStorable {}

/// A record as a stored game, for [`Store::import`](crate::Store::import).
pub fn game_from_record(
    record: &Record,
    id: GameId,
    now_ms: u64,
) -> Result<(StoredGame, Summary), NotStorable> {
    let no = |why: &str| NotStorable(why.to_owned());
    let game = record.game();
    let conclusion = game.conclusion().cloned();
    let conclusion = conclusion
        .ok_or_else(|| no("the game is unfinished, and only finished games are archived"))?;
    let holders = record.seats().iter().map(|seat| holder(seat, game));
    let settings = Settings {
        id,
        variant: *game.variant(),
        history: game.history(),
        start: game.start().cloned(),
        holders: holders.collect::<Result<_, _>>()?,
        created_ms: now_ms,
    };
    let turns = game.turns().iter().map(|turn| Entry::Turn(*turn));
    let ended = leavers(game, &conclusion).map(|seats| Entry::Ended {
        reason: EndReason::Leaving,
        seats,
    });
    let logged = |entry| LogEntry {
        at_ms: now_ms,
        entry,
        key: None,
    };
    let stored = StoredGame {
        settings,
        key: None,
        entries: turns.chain(ended).map(logged).collect(),
    };
    let table = Table::replay(stored.settings.clone(), &stored.entries);
    let table = table
        .ok()
        .filter(|table| table.game().order() == game.order());
    let table = table.ok_or_else(|| no("at a table every side has one seat"))?;
    if table.game().conclusion() != Some(&conclusion) {
        return Err(no(
            "no table would have ended so: it is a draw after four turns for each cell and a hundred more",
        ));
    }
    let summary = table.summary();
    Ok((stored, summary))
}

/// Upper bound of the bytes that a stored game takes on the disk. Measured with SQLite: 53 bytes per
/// turn of a game of 60 000 turns, 313 per game without turns, and 3.7 per byte of a name.
pub(crate) fn stored_size(game: &StoredGame) -> usize {
    const PER_GAME: usize = 700;
    const PER_SEAT: usize = 120;
    const PER_ENTRY: usize = 64;
    let name = |holder: &Holder| match holder {
        Holder::Human { name, .. } => name.len(),
        Holder::Robot(_) | Holder::Open(_) => 0,
    };
    let holders = &game.settings.holders;
    let names: usize = holders.iter().map(name).sum();
    let start = game.settings.start.as_ref();
    let start = start.map_or(0, |_| 2 * game.settings.variant.cells());
    PER_GAME + PER_SEAT * holders.len() + 4 * names + PER_ENTRY * game.entries.len() + start
}

/// The seats that left, if that ended the game.
fn leavers(game: &Game, conclusion: &Conclusion) -> Option<SeatSet> {
    let mut seats = (0..).map(Seat).zip(game.order());
    match conclusion {
        Conclusion::Abandoned => Some(seats.map(|(seat, _)| seat).collect()),
        Conclusion::Won {
            sides,
            by: WinReason::Leaving,
        } => seats
            .find(|(_, side)| !sides.contains(**side))
            .map(|(seat, _)| SeatSet::only(seat)),
        Conclusion::Won { .. } | Conclusion::Draw => None,
    }
}

fn holder(seat: &RecordSeat, game: &Game) -> Result<Holder, NotStorable> {
    match &seat.player {
        Player::Human(name) => Ok(Holder::Human {
            name: name.clone(),
            node: None,
        }),
        Player::Robot(strategy) => {
            let name: noughts_engine::StrategyName = strategy
                .parse()
                .map_err(|error: noughts_engine::StrategyError| NotStorable(error.to_string()))?;
            // A table with a robot that cannot play the game could not be loaded.
            let fits = name.fits(&game.after(0));
            fits.map_err(|error| NotStorable(error.to_string()))?;
            Ok(Holder::Robot(name))
        }
    }
}
