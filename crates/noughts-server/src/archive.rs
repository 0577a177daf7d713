//! Games as records: out of the store, and into its archive.

use std::fmt;

use noughts_rules::{
    By, Conclusion, Game, Player, Record, RecordError, RecordSeat, Seat, Side, Turn,
};

use crate::id::GameId;
use crate::store::{Ending, StoredGame, StoredTurn};
use crate::table::{Holder, Leavers, Setting, Table};

/// The record of a table's game.
pub fn record_of(table: &Table) -> Result<Record, RecordError> {
    let game = table.game().clone();
    let seat = |(holder, side): (&Holder, &Side)| RecordSeat {
        symbol: side.symbol(),
        player: holder.player(),
    };
    let order = game.order().to_vec();
    let seats = table.setting().holders.iter().zip(&order).map(seat);
    Record::new(game, seats.collect())
}

/// Why a record is no game of the archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoTable(String);

impl fmt::Display for NoTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoTable {}

/// A record as tables are stored, for [`Store::archive`](crate::Store::archive).
pub fn stored_from(
    record: &Record,
    id: GameId,
    now_ms: u64,
) -> Result<(StoredGame, Ending), NoTable> {
    let no = |why: &str| NoTable(why.to_owned());
    let game = record.game();
    let conclusion = game.conclusion().cloned();
    let conclusion = conclusion
        .ok_or_else(|| no("the game is unfinished, and only finished games are archived"))?;
    let holders = record.seats().iter().map(|seat| holder(seat, game));
    let setting = Setting {
        id,
        variant: *game.variant(),
        history: game.history(),
        start: game.start().cloned(),
        holders: holders.collect::<Result<_, _>>()?,
        created_ms: now_ms,
    };
    let turn = |turn: &Turn| StoredTurn {
        turn: *turn,
        key: None,
        at_ms: now_ms,
    };
    let stored = StoredGame {
        setting,
        key: None,
        sat: Vec::new(),
        turns: game.turns().iter().map(turn).collect(),
        left: left(game, &conclusion),
        again: Vec::new(),
        rematch: None,
        is_finished: true,
    };
    let table = Table::restore(stored.clone()).filter(|table| table.game().order() == game.order());
    let table = table.ok_or_else(|| no("at a table every side has one seat"))?;
    if table.game().conclusion() != Some(&conclusion) {
        return Err(no(
            "no table would have ended so: it is a draw after four turns for each cell and a hundred more",
        ));
    }
    let at_ms = now_ms;
    Ok((stored, Ending { conclusion, at_ms }))
}

/// Who left, where that is what ended it.
fn left(game: &Game, conclusion: &Conclusion) -> Option<Leavers> {
    let mut seats = (0..).map(Seat).zip(game.order());
    match conclusion {
        Conclusion::Abandoned => Some(seats.fold(Leavers::NONE, |all, (seat, _)| all.and(seat))),
        Conclusion::Won {
            sides,
            by: By::Leaving,
        } => seats
            .find(|(_, side)| !sides.contains(**side))
            .map(|(seat, _)| Leavers::one(seat)),
        Conclusion::Won { .. } | Conclusion::Draw => None,
    }
}

fn holder(seat: &RecordSeat, game: &Game) -> Result<Holder, NoTable> {
    match &seat.player {
        Player::Human(name) => Ok(Holder::Human {
            name: name.clone(),
            node: None,
        }),
        Player::Robot(strategy) => {
            let name: noughts_engine::StrategyName = strategy
                .parse()
                .map_err(|error: noughts_engine::StrategyError| NoTable(error.to_string()))?;
            // Only where it plays the game can its table be read back.
            let fits = name.fits(&game.after(0));
            fits.map_err(|error| NoTable(error.to_string()))?;
            Ok(Holder::Robot(name))
        }
    }
}
