//! Rows of the databases, and the games that they are.

use noughts_rules::{Diagram, Seat, Turn, Variant};

use super::text::{
    read_action, read_conclusion, read_holder, read_holders, read_leavers, row_length,
    write_action, write_conclusion, write_leavers, write_name,
};
use super::{
    Ending, Key, Last, Listed, Sitting, Status, StoreError, StoredGame, StoredTurn, family,
};
use crate::id::{GameId, NodeId};
use crate::table::{Holder, Leavers, Opening, Setting};

/// A row that nobody here wrote.
pub(super) fn unreadable(game: GameId, what: &str) -> StoreError {
    StoreError(format!("{what} of game {game} can't be read"))
}

pub(super) fn missing(game: GameId) -> StoreError {
    StoreError(format!("there is no game {game}"))
}

pub(super) fn id_bytes(game: GameId) -> Vec<u8> {
    game.number().to_be_bytes().to_vec()
}

pub(super) fn read_id(bytes: &[u8]) -> Result<GameId, StoreError> {
    let bytes: [u8; 16] = bytes
        .try_into()
        .map_err(|_| StoreError("a game's id has not 16 bytes".to_owned()))?;
    Ok(GameId::new(u128::from_be_bytes(bytes)))
}

/// Times and sizes, which both databases have with a sign. No clock stands where it matters.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The number of a turn as both databases have it. No game has as many turns.
pub(super) fn turn_number(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// A key's text and its body, bit by bit: the databases know no unsigned numbers.
pub(super) fn key_columns(key: Option<&Key>) -> (Option<String>, Option<i64>) {
    let text = key.map(|key| key.text.clone());
    (text, key.map(|key| key.body as i64))
}

fn read_key(text: Option<String>, body: Option<i64>) -> Option<Key> {
    let body = body.unwrap_or(0) as u64;
    text.map(|text| Key { text, body })
}

/// How a game with these holders stands while it goes on, as it is stored.
pub(super) fn status_word(holders: &[Holder]) -> &'static str {
    let has = |opening| holders.contains(&Holder::Open(opening));
    match (has(Opening::Link), has(Opening::Lobby)) {
        (true, _) => "unlisted",
        (false, true) => "waiting",
        (false, false) => "playing",
    }
}

/// The names that a game is found by, as they are stored, each once.
pub(super) fn player_names(holders: &[Holder]) -> Vec<String> {
    let mut names: Vec<String> = holders.iter().filter_map(player_name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

pub(super) fn player_name(holder: &Holder) -> Option<String> {
    match holder {
        Holder::Human { name, .. } => Some(write_name(name)),
        Holder::Open(_) | Holder::Robot(_) => None,
    }
}

pub(super) fn is_tied(holders: &[Holder]) -> bool {
    let tied = |holder: &Holder| matches!(holder, Holder::Human { node: Some(_), .. });
    holders.iter().any(tied)
}

/// Games that nothing happened at since `$1`, of those that were made before it: so each part is read
/// by an index, oldest first.
pub(super) const OLD: [&str; 4] = [
    "status = 'over' AND ended_ms < $1",
    "status = 'playing' AND NOT EXISTS (SELECT 1 FROM turns WHERE game = id AND at_ms >= $1)",
    "status = 'waiting' AND NOT EXISTS (SELECT 1 FROM turns WHERE game = id AND at_ms >= $1)",
    "status = 'unlisted' AND NOT EXISTS (SELECT 1 FROM turns WHERE game = id AND at_ms >= $1)",
];

/// Where rows of a game are, but for the players, and the column that names it.
pub(super) const TABLES_OF_GAMES: [(&str, &str); 6] = [
    ("sittings", "game"),
    ("turns", "game"),
    ("wishes", "game"),
    ("rematches", "game"),
    ("analyses", "game"),
    ("games", "id"),
];

/// The seats that end with this process.
pub(super) fn seats_tied(node: NodeId, holders: &[Holder]) -> Option<Leavers> {
    let tied =
        |holder: &Holder| matches!(holder, Holder::Human { node: Some(n), .. } if *n == node);
    let mut seats = (0..)
        .map(Seat)
        .zip(holders)
        .filter(|(_, holder)| tied(holder));
    let (first, _) = seats.next()?;
    Some(seats.fold(Leavers::one(first), |seats, (seat, _)| seats.and(seat)))
}

/// The name that games of this variant are listed under.
pub(super) fn family_name(variant: &Variant) -> String {
    family(variant).to_string()
}

/// A turn that is to be stored, or that seats left in its place.
#[derive(Clone, Debug)]
pub(super) struct NewTurn {
    pub(super) game: GameId,
    pub(super) number: i32,
    /// None where seats left.
    pub(super) seat: Option<i16>,
    /// A play, which the database writes as the board has it.
    pub(super) cell: Option<i32>,
    /// Everything else.
    pub(super) word: Option<String>,
    pub(super) at_ms: i64,
    pub(super) key: Option<String>,
    pub(super) body: Option<i64>,
    /// When the game ended by it and how, where it did.
    pub(super) ending: Option<(i64, String)>,
}

impl NewTurn {
    pub(super) fn acted(game: GameId, number: usize, stored: &StoredTurn) -> NewTurn {
        let (key, body) = key_columns(stored.key.as_ref());
        let written = write_action(stored.turn.action);
        NewTurn {
            game,
            number: turn_number(number),
            seat: Some(stored.turn.by.0.into()),
            cell: written.as_ref().ok().map(|at| at.index() as i32),
            word: written.err(),
            at_ms: signed(stored.at_ms),
            key,
            body,
            ending: None,
        }
    }

    pub(super) fn left(game: GameId, number: usize, leavers: Leavers) -> NewTurn {
        NewTurn {
            game,
            number: turn_number(number.saturating_add(1)),
            seat: None,
            cell: None,
            word: Some(write_leavers(leavers)),
            at_ms: 0,
            key: None,
            body: None,
            ending: None,
        }
    }

    /// The last of a game, with how it ended.
    pub(super) fn last(game: GameId, last: &Last, ending: &Ending) -> NewTurn {
        let turn = match last {
            Last::Turn(number, turn) => NewTurn::acted(game, *number, turn),
            Last::Leave(number, leavers) => NewTurn::left(game, *number, *leavers),
        };
        let ending = (signed(ending.at_ms), write_conclusion(&ending.conclusion));
        NewTurn {
            ending: Some(ending),
            ..turn
        }
    }

    pub(super) fn place(&self) -> (GameId, i32) {
        (self.game, self.number)
    }
}

/// Every row of a game that is over, and of who left it.
pub(super) fn archived_turns(game: &StoredGame) -> Vec<NewTurn> {
    let id = game.setting.id;
    let row_length = row_length(&game.setting.variant) as i32;
    let turns = (1..).zip(&game.turns);
    let turns = turns.map(|(number, turn)| NewTurn::acted(id, number, turn));
    let left = game
        .left
        .map(|leavers| NewTurn::left(id, game.turns.len(), leavers));
    let mut turns: Vec<NewTurn> = turns.chain(left).collect();
    for turn in &mut turns {
        let place = |cell: i32| format!("{}-{}", cell / row_length, cell % row_length);
        turn.word = turn.word.take().or(turn.cell.map(place));
    }
    turns
}

/// What a game is made of, as it was stored.
#[derive(Debug)]
pub(super) struct GameRow {
    pub(super) variant: String,
    pub(super) history: i32,
    pub(super) start: Option<String>,
    pub(super) holders: String,
    pub(super) created_ms: i64,
    pub(super) key: Option<String>,
    pub(super) body: Option<i64>,
    pub(super) is_finished: bool,
}

#[derive(Debug)]
pub(super) struct SittingRow {
    pub(super) seat: i16,
    pub(super) holder: String,
    pub(super) key: Option<String>,
    pub(super) body: Option<i64>,
}

#[derive(Debug)]
pub(super) struct TurnRow {
    pub(super) seat: Option<i16>,
    pub(super) action: String,
    pub(super) at_ms: i64,
    pub(super) key: Option<String>,
    pub(super) body: Option<i64>,
}

/// Everything of one game, turns in order.
#[derive(Debug)]
pub(super) struct GameRows {
    pub(super) game: GameRow,
    pub(super) sittings: Vec<SittingRow>,
    pub(super) turns: Vec<TurnRow>,
    pub(super) wishes: Vec<i16>,
    pub(super) rematch: Option<Vec<u8>>,
}

impl GameRows {
    pub(super) fn read(self, id: GameId) -> Result<StoredGame, StoreError> {
        let is_finished = self.game.is_finished;
        let (setting, key) = self.game.read(id)?;
        let mut stored = StoredGame {
            sat: Vec::with_capacity(self.sittings.len()),
            turns: Vec::with_capacity(self.turns.len()),
            left: None,
            again: Vec::with_capacity(self.wishes.len()),
            rematch: self.rematch.as_deref().map(read_id).transpose()?,
            setting,
            key,
            is_finished,
        };
        for row in self.sittings {
            stored.sat.push(row.read(id)?);
        }
        for row in self.turns {
            let bad = || unreadable(id, "a turn");
            if stored.left.is_some() {
                return Err(bad());
            }
            match row.seat {
                None => stored.left = Some(read_leavers(&row.action).ok_or_else(bad)?),
                Some(_) => {
                    let turn = row.read(&stored.setting.variant).ok_or_else(bad)?;
                    stored.turns.push(turn);
                }
            }
        }
        for seat in self.wishes {
            let seat = read_seat(seat).ok_or_else(|| unreadable(id, "a wish"))?;
            stored.again.push(seat);
        }
        Ok(stored)
    }
}

fn read_seat(number: i16) -> Option<Seat> {
    u8::try_from(number).ok().map(Seat)
}

impl GameRow {
    fn read(self, id: GameId) -> Result<(Setting, Option<Key>), StoreError> {
        let variant: Variant = self
            .variant
            .parse()
            .map_err(|_| unreadable(id, "the variant"))?;
        let start = self.start.map(|text| Diagram::read(&variant, &text));
        let start = start.transpose();
        let setting = Setting {
            id,
            variant,
            history: u16::try_from(self.history).map_err(|_| unreadable(id, "the history"))?,
            start: start.map_err(|_| unreadable(id, "the first position"))?,
            holders: read_holders(&self.holders).ok_or_else(|| unreadable(id, "a seat"))?,
            created_ms: unsigned(self.created_ms),
        };
        Ok((setting, read_key(self.key, self.body)))
    }
}

impl SittingRow {
    fn read(self, id: GameId) -> Result<(Seat, Sitting), StoreError> {
        let bad = || unreadable(id, "a seat");
        let seat = read_seat(self.seat).ok_or_else(bad)?;
        match read_holder(&self.holder).ok_or_else(bad)? {
            Holder::Human { name, node } => {
                let key = read_key(self.key, self.body);
                Ok((seat, Sitting { name, node, key }))
            }
            Holder::Open(_) | Holder::Robot(_) => Err(bad()),
        }
    }
}

impl TurnRow {
    fn read(self, variant: &Variant) -> Option<StoredTurn> {
        Some(StoredTurn {
            turn: Turn {
                by: read_seat(self.seat?)?,
                action: read_action(variant, &self.action)?,
            },
            key: read_key(self.key, self.body),
            at_ms: unsigned(self.at_ms),
        })
    }
}

/// A game as a page lists it.
#[derive(Debug)]
pub(super) struct ListedRow {
    pub(super) id: Vec<u8>,
    pub(super) variant: String,
    pub(super) history: i32,
    pub(super) holders: String,
    pub(super) status: String,
    pub(super) created_ms: i64,
    pub(super) ended_ms: Option<i64>,
    pub(super) conclusion: Option<String>,
    /// Who took an open seat: the seat, and the holder.
    pub(super) sat: Vec<(i16, String)>,
}

impl ListedRow {
    pub(super) fn read(self) -> Result<Listed, StoreError> {
        let id = read_id(&self.id)?;
        let holders = holders_now(id, &self.holders, &self.sat)?;
        let variant: Variant = self
            .variant
            .parse()
            .map_err(|_| unreadable(id, "the variant"))?;
        let ending = match (self.ended_ms, self.conclusion) {
            (Some(at_ms), Some(text)) => Some(Ending {
                conclusion: read_conclusion(&variant, &text)
                    .ok_or_else(|| unreadable(id, "the end"))?,
                at_ms: unsigned(at_ms),
            }),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => return Err(unreadable(id, "the end")),
        };
        Ok(Listed {
            id,
            variant,
            history: u16::try_from(self.history).map_err(|_| unreadable(id, "the history"))?,
            holders,
            status: read_status(&self.status).ok_or_else(|| unreadable(id, "the status"))?,
            created_ms: unsigned(self.created_ms),
            ending,
        })
    }
}

/// Who sits where, after these took open seats.
pub(super) fn holders_now(
    id: GameId,
    holders: &str,
    sat: &[(i16, String)],
) -> Result<Vec<Holder>, StoreError> {
    let bad = || unreadable(id, "a seat");
    let mut holders = read_holders(holders).ok_or_else(bad)?;
    for (seat, text) in sat {
        let place = usize::try_from(*seat).ok().and_then(|s| holders.get_mut(s));
        *place.ok_or_else(bad)? = read_holder(text).ok_or_else(bad)?;
    }
    Ok(holders)
}

pub(super) fn write_status(status: Status) -> &'static str {
    match status {
        Status::Waiting => "waiting",
        Status::Playing => "playing",
        Status::Over => "over",
    }
}

fn read_status(word: &str) -> Option<Status> {
    [Status::Waiting, Status::Playing, Status::Over]
        .into_iter()
        .find(|status| write_status(*status) == word)
}
