//! Converts between database rows and the types of a table.

pub(super) mod text;

use std::borrow::Cow;

use noughts_rules::{ClockSettings, Diagram, Seat, Turn, Variant};

use self::text::{
    names_of, players_of, read_action, read_added_time, read_answer, read_conclusion, read_end,
    read_holder, read_holders, read_status, write_action, write_added_time, write_answer,
    write_conclusion, write_end, write_holder, write_holders, write_status,
};
use super::{Append, ListedGame, StoreError, StoredGame, family};
use crate::id::{GameId, NodeId, PlayerId};
use crate::table::{
    CreationKey, Ending, Entry, Holder, Key, LogEntry, NewGame, Offer, SeatSet, Settings, Summary,
};

pub(super) fn id_bytes(game: GameId) -> Vec<u8> {
    game.number().to_be_bytes().to_vec()
}

pub(super) fn read_id(bytes: &[u8]) -> Result<GameId, StoreError> {
    let wrong = |_| StoreError::Corrupt(format!("a game's id has {} bytes", bytes.len()));
    let bytes: [u8; 16] = bytes.try_into().map_err(wrong)?;
    Ok(GameId::new(u128::from_be_bytes(bytes)))
}

pub(super) fn player_bytes(player: PlayerId) -> Vec<u8> {
    player.number().to_be_bytes().to_vec()
}

pub(super) fn read_player_id(bytes: &[u8]) -> Result<PlayerId, StoreError> {
    let wrong = |_| StoreError::Corrupt(format!("a player's id has {} bytes", bytes.len()));
    let bytes: [u8; 16] = bytes.try_into().map_err(wrong)?;
    Ok(PlayerId::new(u128::from_be_bytes(bytes)))
}

/// Converts a number for the databases, which have no unsigned numbers.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Converts the number of an entry for the databases. Every log has fewer than `i32::MAX` entries.
pub(super) fn entry_number(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn unreadable(game: GameId, what: &str) -> StoreError {
    StoreError::Corrupt(format!("{what} of game {game} cannot be read"))
}

/// A key's text, and the hash of its request. The databases have no unsigned numbers, so the bits of the hash
/// are read as a signed number.
fn key_columns(key: Option<&Key>) -> (Option<String>, Option<i64>) {
    let text = key.map(|key| key.text.clone());
    (text, key.map(|key| key.request as i64))
}

fn read_key(text: Option<String>, request: Option<i64>) -> Option<Key> {
    let request = request.unwrap_or(0) as u64;
    text.map(|text| Key { text, request })
}

/// A game as a row of the table `games`.
#[derive(Clone, Debug)]
pub(super) struct GameRow {
    pub(super) id: GameId,
    pub(super) variant: String,
    pub(super) family: String,
    pub(super) history: i32,
    pub(super) start: Option<String>,
    pub(super) holders: String,
    pub(super) created_ms: i64,
    pub(super) key_scope: String,
    pub(super) key: Option<String>,
    pub(super) request: Option<i64>,
    pub(super) summary: SummaryRow,
    pub(super) clock: Option<String>,
    pub(super) listed: bool,
    /// The names at the seats, in the form of the table `seat_names`.
    pub(super) names: Vec<String>,
}

/// The columns of a game that change with its log: its status, holders, deadline and end.
#[derive(Clone, Debug)]
pub(super) struct SummaryRow {
    pub(super) status: &'static str,
    pub(super) seats: String,
    /// Whether a seat belongs to a TCP connection. The player of such a seat leaves when the connection ends.
    pub(super) has_tcp_seat: bool,
    pub(super) deadline_ms: Option<i64>,
    pub(super) ended_ms: Option<i64>,
    pub(super) outcome: Option<String>,
}

impl GameRow {
    pub(super) fn new(game: &NewGame, summary: &Summary) -> GameRow {
        GameRow::with_key(&game.settings, game.key.as_ref(), summary)
    }

    pub(super) fn with_key(
        settings: &Settings,
        key: Option<&CreationKey>,
        summary: &Summary,
    ) -> GameRow {
        let scope = key.map(|key| key.scope.clone());
        let (key, request) = key_columns(key.map(|key| &key.key));
        let variant = &settings.variant;
        GameRow {
            id: settings.id,
            variant: variant.to_string(),
            family: family(variant).to_string(),
            history: settings.history.into(),
            start: settings.start.as_ref().map(|start| start.format(variant)),
            holders: write_holders(&settings.holders),
            created_ms: signed(settings.created_ms),
            key_scope: scope.unwrap_or_default(),
            key,
            request,
            summary: SummaryRow::new(summary),
            clock: settings.clock.map(|clock| clock.to_string()),
            listed: settings.is_listed,
            names: names_of(&summary.holders),
        }
    }
}

impl SummaryRow {
    pub(super) fn new(summary: &Summary) -> SummaryRow {
        let is_tcp_seat = |holder: &Holder| matches!(holder, Holder::Human { node: Some(_), .. });
        let ending = summary.ending.as_ref();
        SummaryRow {
            status: write_status(summary.status),
            seats: write_holders(&summary.holders),
            has_tcp_seat: summary.holders.iter().any(is_tcp_seat),
            deadline_ms: summary.deadline_ms.map(signed),
            ended_ms: ending.map(|ending| signed(ending.at_ms)),
            outcome: ending.map(|ending| write_conclusion(&ending.conclusion)),
        }
    }
}

/// An entry of a log as a row of the table `entries`.
#[derive(Clone, Debug)]
pub(super) struct EntryRow {
    pub(super) number: i32,
    pub(super) at_ms: i64,
    pub(super) seat: Option<i16>,
    pub(super) kind: Cow<'static, str>,
    pub(super) data: String,
    pub(super) key: Option<String>,
    pub(super) request: Option<i64>,
}

/// The columns of an [`EntryRow`], in order.
pub(super) type EntryColumns = (
    i32,
    i64,
    Option<i16>,
    String,
    String,
    Option<String>,
    Option<i64>,
);

impl EntryRow {
    fn new(variant: &Variant, number: u32, logged: &LogEntry) -> EntryRow {
        let (kind, data) = match &logged.entry {
            Entry::Seated { holder, .. } => ("seated", write_holder(holder)),
            Entry::Turn(turn) => ("turn", write_action(variant, turn.action)),
            Entry::Offered { offer, .. } => ("offered", offer.word().to_owned()),
            Entry::Answered { answer, .. } => ("answered", write_answer(*answer)),
            Entry::TimeAdded { ms, until_ms } => ("time", write_added_time(*ms, *until_ms)),
            Entry::Ended { reason, seats } => ("ended", write_end(*reason, *seats)),
            Entry::RematchCreated(game) => ("rematch", game.to_string()),
        };
        let (key, request) = key_columns(logged.key.as_deref());
        EntryRow {
            number: entry_number(number),
            at_ms: signed(logged.at_ms),
            seat: logged.entry.seat().map(|seat| seat.0.into()),
            kind: Cow::Borrowed(kind),
            data,
            key,
            request,
        }
    }

    pub(super) fn from_columns(columns: EntryColumns) -> EntryRow {
        let (number, at_ms, seat, kind, data, key, request) = columns;
        EntryRow {
            number,
            at_ms,
            seat,
            kind: Cow::Owned(kind),
            data,
            key,
            request,
        }
    }

    fn read(self, variant: &Variant) -> Option<LogEntry> {
        let seat = match self.seat {
            Some(seat) => Some(Seat(u8::try_from(seat).ok().filter(|seat| *seat < 64)?)),
            None => None,
        };
        let entry = match (&*self.kind, seat) {
            ("seated", Some(seat)) => Entry::Seated {
                seat,
                holder: read_holder(&self.data)?,
            },
            ("turn", Some(by)) => Entry::Turn(Turn {
                by,
                action: read_action(variant, &self.data)?,
            }),
            ("offered", Some(seat)) => Entry::Offered {
                seat,
                offer: Offer::from_word(&self.data)?,
            },
            ("answered", Some(seat)) => Entry::Answered {
                seat,
                answer: read_answer(&self.data)?,
            },
            ("time", None) => {
                let (ms, until_ms) = read_added_time(&self.data)?;
                Entry::TimeAdded { ms, until_ms }
            }
            ("ended", None) => {
                let (reason, seats) = read_end(&self.data)?;
                Entry::Ended { reason, seats }
            }
            ("rematch", None) => Entry::RematchCreated(self.data.parse().ok()?),
            _ => return None,
        };
        Some(LogEntry {
            at_ms: unsigned(self.at_ms),
            entry,
            key: read_key(self.key, self.request).map(Box::new),
        })
    }
}

/// Converts the rows of the entries after number `after`. The numbers of the rows must have no gap.
pub(super) fn read_entries(
    game: GameId,
    variant: &Variant,
    after: u32,
    rows: Vec<EntryRow>,
) -> Result<Vec<LogEntry>, StoreError> {
    let mut entries = Vec::with_capacity(rows.len());
    for (number, row) in (u64::from(after) + 1..).zip(rows) {
        let is_next = u64::try_from(row.number) == Ok(number);
        let entry = is_next.then(|| row.read(variant)).flatten();
        let bad = || unreadable(game, &format!("entry {number}"));
        entries.push(entry.ok_or_else(bad)?);
    }
    Ok(entries)
}

/// An [`Append`] as rows of the database tables.
#[derive(Clone, Debug)]
pub(super) struct AppendRows {
    pub(super) game: GameId,
    pub(super) first: EntryRow,
    pub(super) rest: Vec<EntryRow>,
    pub(super) summary: Option<SummaryRow>,
    /// The names of players that took a seat, in the form of the table `seat_names`.
    pub(super) names: Vec<String>,
    /// The game's registered players, in the form of the table `seat_names`, if the append ends the game. Otherwise
    /// empty.
    pub(super) ended_names: Vec<String>,
    pub(super) new_game: Option<Box<GameRow>>,
}

impl AppendRows {
    pub(super) fn new(append: &Append) -> Result<AppendRows, StoreError> {
        let mut rows = entry_rows(&append.variant, append.first, &append.entries);
        let nothing = || StoreError::Invalid("there is no entry to append".to_owned());
        let first = rows.next().ok_or_else(nothing)?;
        let seated = |logged: &'_ LogEntry| match &logged.entry {
            Entry::Seated { holder, .. } => Some(holder.clone()),
            Entry::Turn(_)
            | Entry::Offered { .. }
            | Entry::Answered { .. }
            | Entry::TimeAdded { .. }
            | Entry::Ended { .. }
            | Entry::RematchCreated(_) => None,
        };
        let seated: Vec<Holder> = append.entries.iter().filter_map(seated).collect();
        let new_game = append.new_game.as_ref();
        Ok(AppendRows {
            game: append.game,
            first,
            rest: rows.collect(),
            summary: append.summary.as_ref().map(SummaryRow::new),
            names: names_of(&seated),
            ended_names: match &append.summary {
                Some(summary) if summary.ending.is_some() => players_of(&summary.holders),
                Some(_) | None => Vec::new(),
            },
            new_game: new_game.map(|(game, summary)| {
                let row = GameRow::with_key(&game.settings, None, summary);
                Box::new(row)
            }),
        })
    }

    /// Whether the append adds only one entry and changes no other row.
    pub(super) fn is_plain(&self) -> bool {
        self.rest.is_empty()
            && self.summary.is_none()
            && self.names.is_empty()
            && self.new_game.is_none()
    }

    /// The place of the first entry: its game and its number. Of two appends with the same place, at most one is
    /// stored.
    pub(super) fn place(&self) -> (GameId, i32) {
        (self.game, self.first.number)
    }
}

pub(super) fn entry_rows<'e>(
    variant: &Variant,
    first: u32,
    entries: &'e [LogEntry],
) -> impl Iterator<Item = EntryRow> + use<'e> {
    let variant = *variant;
    let numbered = (0..).zip(entries);
    numbered.map(move |(i, logged)| EntryRow::new(&variant, first.saturating_add(i), logged))
}

/// The columns with the settings and the creation key of a game, in the order of [`SETTINGS_COLUMNS`].
pub(super) type SettingsColumns = (
    String,
    i32,
    Option<String>,
    String,
    i64,
    String,
    Option<String>,
    Option<i64>,
    Option<String>,
    bool,
);

pub(super) const SETTINGS_COLUMNS: &str =
    "variant, history, start, holders, created_ms, key_scope, key, request, clock, listed";

/// Reads a game with all its entries.
pub(super) fn read_game(
    id: GameId,
    columns: SettingsColumns,
    rows: Vec<EntryRow>,
) -> Result<StoredGame, StoreError> {
    let (variant, history, start, holders, created_ms, scope, key, request, clock, is_listed) =
        columns;
    let variant = read_variant(id, &variant)?;
    let start = start.map(|text| Diagram::parse(&variant, &text));
    let start = start.transpose();
    let settings = Settings {
        id,
        variant,
        history: read_history(id, history)?,
        start: start.map_err(|_| unreadable(id, "the first position"))?,
        holders: read_holders(&holders).ok_or_else(|| unreadable(id, "a holder"))?,
        clock: read_clock(id, clock)?,
        is_listed,
        created_ms: unsigned(created_ms),
    };
    Ok(StoredGame {
        settings,
        key: read_creation_key(scope, key, request),
        entries: read_entries(id, &variant, 0, rows)?,
    })
}

pub(super) fn read_variant(id: GameId, text: &str) -> Result<Variant, StoreError> {
    text.parse().map_err(|_| unreadable(id, "the variant"))
}

fn read_clock(id: GameId, clock: Option<String>) -> Result<Option<ClockSettings>, StoreError> {
    let clock = clock.map(|text| text.parse()).transpose();
    clock.map_err(|_| unreadable(id, "the clock"))
}

fn read_history(id: GameId, history: i32) -> Result<u16, StoreError> {
    u16::try_from(history).map_err(|_| unreadable(id, "the size of the history"))
}

pub(super) fn read_creation_key(
    scope: String,
    key: Option<String>,
    request: Option<i64>,
) -> Option<CreationKey> {
    read_key(key, request).map(|key| CreationKey { scope, key })
}

/// The columns of a game in a list, in the order of [`LISTED_COLUMNS`].
pub(super) type ListedColumns = (
    Vec<u8>,
    i64,
    String,
    i32,
    bool,
    Option<String>,
    String,
    String,
    Option<i64>,
    Option<i64>,
    Option<String>,
);

pub(super) const LISTED_COLUMNS: &str = "games.id, games.created_ms, variant, history, \
    (start IS NULL), clock, status, seats, deadline_ms, ended_ms, outcome";

pub(super) fn read_listed(columns: ListedColumns) -> Result<ListedGame, StoreError> {
    let (
        id,
        created_ms,
        variant,
        history,
        starts_empty,
        clock,
        status,
        seats,
        deadline_ms,
        ended_ms,
        outcome,
    ) = columns;
    let id = read_id(&id)?;
    let variant = read_variant(id, &variant)?;
    let ending = match (ended_ms, outcome) {
        (Some(at_ms), Some(text)) => {
            let conclusion = read_conclusion(&variant, &text);
            Some(Ending {
                conclusion: conclusion.ok_or_else(|| unreadable(id, "the outcome"))?,
                at_ms: unsigned(at_ms),
            })
        }
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(unreadable(id, "the outcome")),
    };
    Ok(ListedGame {
        id,
        variant,
        history: read_history(id, history)?,
        starts_empty,
        clock: read_clock(id, clock)?,
        created_ms: unsigned(created_ms),
        summary: Summary {
            status: read_status(&status).ok_or_else(|| unreadable(id, "the status"))?,
            holders: read_holders(&seats).ok_or_else(|| unreadable(id, "a holder"))?,
            deadline_ms: deadline_ms.map(unsigned),
            ending,
        },
    })
}

/// The game, and the seats that TCP clients of `node` have in it; `None` if these clients have no seat in the game.
pub(super) fn read_seats_of_node(
    node: NodeId,
    id: &[u8],
    seats: &str,
) -> Result<Option<(GameId, SeatSet)>, StoreError> {
    let id = read_id(id)?;
    let holders = read_holders(seats).ok_or_else(|| unreadable(id, "a holder"))?;
    let is_here =
        |holder: &Holder| matches!(holder, Holder::Human { node: Some(n), .. } if *n == node);
    let seats: SeatSet = (0..)
        .map(Seat)
        .zip(&holders)
        .filter(|(_, holder)| is_here(holder))
        .map(|(seat, _)| seat)
        .collect();
    Ok((!seats.is_empty()).then_some((id, seats)))
}
