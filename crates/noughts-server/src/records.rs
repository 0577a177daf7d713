//! Converts games to records, and records to stored games.

use std::fmt;

use noughts_rules::{
    Conclusion, DrawReason, Game, OfferEvent, OfferKind, OfferStep, Player, Record, RecordError,
    RecordSeat, Seat, Side, WinReason,
};

use crate::id::GameId;
use crate::players::PlayerNames;
use crate::store::StoredGame;
use crate::table::{
    Answer, EndReason, Entry, Holder, LogEntry, Offer, SeatSet, Settings, Summary, Table,
};

/// Converts the game of a table to a record.
pub fn game_to_record(table: &Table, names: &PlayerNames) -> Result<Record, RecordError> {
    let game = table.game().clone();
    let seat = |(holder, side): (&Holder, &Side)| RecordSeat {
        symbol: side.symbol(),
        player: names.player(holder),
    };
    let order = game.order().to_vec();
    let seats = table.holders().iter().zip(&order).map(seat);
    let record = Record::new(game, seats.collect())?;
    let record = record.with_offers(table.offer_events())?;
    match table.settings().clock {
        Some(clock) => record.with_clock(clock, table.used_ms().to_vec()),
        None => Ok(record),
    }
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

/// Converts the record of a finished game to a stored game and its summary, for
/// [`Store::import`](crate::Store::import).
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
    if record.used_ms().iter().sum::<u64>() > now_ms {
        return Err(no("the turns took longer than the time since 1970"));
    }
    let holders = record.seats().iter().map(|seat| holder(seat, game));
    let (began_ms, entries) = entries_of(record, now_ms);
    let settings = Settings {
        id,
        variant: *game.variant(),
        history: game.history(),
        start: game.start().cloned(),
        holders: holders.collect::<Result<_, _>>()?,
        clock: record.clock(),
        is_listed: true,
        created_ms: began_ms,
    };
    let stored = StoredGame {
        settings,
        key: None,
        entries,
    };
    let table = Table::replay(stored.settings.clone(), &stored.entries);
    let table = table
        .ok()
        .filter(|table| table.game().order() == game.order());
    let table = table.ok_or_else(|| no("at a table every side has one seat"))?;
    if table.game().conclusion() != Some(&conclusion) {
        return Err(no(
            "a table would have ended this game differently: it ends a game as a draw after exactly 4 turns per cell plus 100",
        ));
    }
    let summary = table.summary();
    Ok((stored, summary))
}

/// An upper bound of the bytes that a stored game takes on disk. Measured with SQLite: 53 bytes per turn of a
/// game of 60 000 turns, 313 bytes per game without turns, and 3.7 bytes per byte of a name.
pub(crate) fn stored_size(game: &StoredGame) -> usize {
    const PER_GAME: usize = 700;
    const PER_SEAT: usize = 120;
    const PER_ENTRY: usize = 64;
    let name = |holder: &Holder| match holder {
        Holder::Human { name, .. } => name.len(),
        Holder::Player(_) | Holder::Robot(_) | Holder::Open(_) => 0,
    };
    let holders = &game.settings.holders;
    let names: usize = holders.iter().map(name).sum();
    let start = game.settings.start.as_ref();
    let start = start.map_or(0, |_| 2 * game.settings.variant.cells());
    PER_GAME + PER_SEAT * holders.len() + 4 * names + PER_ENTRY * game.entries.len() + start
}

/// The time when a game began, and its entries: turns with their times, offers, and the end if it was not a turn. The
/// beginning is chosen so that the game ends now.
fn entries_of(record: &Record, now_ms: u64) -> (u64, Vec<LogEntry>) {
    let game = record.game();
    let used_ms: u64 = record.used_ms().iter().sum();
    let began_ms = now_ms.saturating_sub(used_ms);
    let mut at_ms = began_ms;
    let mut entries = Vec::with_capacity(game.turns().len() + record.offers().len() + 1);
    let mut offers = record.offers().iter().peekable();
    let logged = |entry, at_ms| LogEntry {
        at_ms,
        entry,
        key: None,
    };
    for number in 0..=game.turns().len() {
        while let Some(event) = offers.next_if(|event| event.after_turns == number) {
            entries.push(logged(offer_entry(event), at_ms));
        }
        if let Some(turn) = game.turns().get(number) {
            at_ms += record.used_ms().get(number).unwrap_or(&0);
            entries.push(logged(Entry::Turn(*turn), at_ms));
        }
    }
    let conclusion = game.conclusion();
    if let Some((reason, seats)) = conclusion.and_then(|end| end_of(game, end)) {
        entries.push(logged(Entry::Ended { reason, seats }, at_ms.max(now_ms)));
    }
    (began_ms, entries)
}

fn offer_entry(event: &OfferEvent) -> Entry {
    let offer = match event.kind {
        OfferKind::Draw => Offer::Draw,
        OfferKind::Takeback => Offer::Takeback,
    };
    let seat = event.seat;
    match event.step {
        OfferStep::Offer => Entry::Offered { seat, offer },
        OfferStep::Accept => Entry::Answered {
            seat,
            answer: Answer::Accept(offer),
        },
        OfferStep::Decline => Entry::Answered {
            seat,
            answer: Answer::Decline(offer),
        },
    }
}

/// The fields of [`Entry::Ended`] for an end that was not a turn. `None` if a turn ended the game.
fn end_of(game: &Game, conclusion: &Conclusion) -> Option<(EndReason, SeatSet)> {
    let seats = || (0..).map(Seat).zip(game.order());
    let all = || seats().map(|(seat, _)| seat).collect::<SeatSet>();
    let first = |is_it: &dyn Fn(Side) -> bool| {
        let found = seats().find(|(_, side)| is_it(**side));
        found.map(|(seat, _)| SeatSet::only(seat))
    };
    let (reason, seats) = match conclusion {
        Conclusion::Abandoned => (EndReason::Leaving, Some(all())),
        Conclusion::Aborted => (EndReason::Aborted, Some(all())),
        Conclusion::Draw { reason } => match reason {
            DrawReason::Full | DrawReason::Limit => return None,
            DrawReason::Agreement => (EndReason::Agreement, Some(all())),
            DrawReason::Claim => (EndReason::DrawClaimed, Some(all())),
            DrawReason::Time => (EndReason::Time, first(&|side| is_draw_on_time(game, side))),
        },
        Conclusion::Won { sides, by } => match by {
            WinReason::Line(_)
            | WinReason::Boards(_)
            | WinReason::Points
            | WinReason::Resignation => return None,
            WinReason::Leaving => (EndReason::Leaving, first(&|side| !sides.contains(side))),
            WinReason::Time => (EndReason::Time, first(&|side| !sides.contains(side))),
            WinReason::Claim => (EndReason::WinClaimed, first(&|side| sides.contains(side))),
        },
    };
    Some((reason, seats?))
}

/// Whether the game is a draw if the time of `side` runs out, because no other side can complete a line.
fn is_draw_on_time(game: &Game, side: Side) -> bool {
    let others = game.order().iter().filter(|other| **other != side);
    others
        .into_iter()
        .all(|other| !game.can_complete_line(*other))
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
            // The robot is checked now, because a rematch has the same robot, which must be able to play.
            let checked = name.check(&game.after(0));
            checked.map_err(|error| NotStorable(error.to_string()))?;
            Ok(Holder::Robot(name))
        }
    }
}
