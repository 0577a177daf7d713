//! Compares the SQL stores with the memory store: the same requests get the same replies.

use noughts_rules::{Action, Conclusion, Diagram, Move, Seat, Turn};
use noughts_server::{
    Append, Appended, Created, CreationKey, EndReason, Ending, Entry, GameId, Holder,
    KEY_LIFETIME_MS, Key, ListQuery, LogEntry, Memory, NewGame, NodeId, Offer, PlayerFilter,
    PlayerId, SeatSet, Settings, Status, Store, Summary, TOO_LONG,
};
use proptest::prelude::*;

use crate::games::{holder, summary};

/// One request: its kind, its game, and three numbers from which it is made.
pub(crate) type Step = (u8, u8, u8, u8, u8);

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any::<Step>(), 1..60)
}

/// Variants, some with a position to begin from.
const VARIANTS: [(&str, Option<&str>); 5] = [
    ("3x3k3", None),
    ("3x3k3", Some("x.o/.../... o")),
    ("multi@4", None),
    ("7x6k4+gravity", None),
    ("20x3k3p3", None),
];

const HOLDERS: [&[&str]; 6] = [
    &["Ann", "Bob"],
    &["Ann", "lobby"],
    &["link", "lobby", "Ann@3"],
    &["robot", ""],
    &["lobby", "lobby"],
    &["player 7", "lobby"],
];

/// A game that was created, with what lists show of it.
struct Known {
    settings: Settings,
    summary: Summary,
}

/// Makes the same requests to `store` and to a store in memory, and compares the replies. At the end, compares all
/// games and lists.
pub(crate) async fn compare(store: &dyn Store, steps: &[Step]) {
    let reference = Memory::default();
    let mut games: Vec<Known> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let &(kind, which, a, b, c) = step;
        let context = format!("{number}: {step:?}");
        if games.is_empty() || kind % 8 == 0 {
            let new = new_game(number, a, b, c);
            let key = new.key.clone();
            let mut summary = summary(&new.settings.holders);
            summary.deadline_ms = c.is_multiple_of(3).then_some(u64::from(a));
            let expected = reference.create(new.clone(), summary.clone()).await;
            let actual = store.create(new.clone(), summary.clone()).await;
            assert_eq!(actual, expected, "{context}");
            if expected == Ok(Created::Stored) {
                let settings = new.settings;
                games.push(Known { settings, summary });
            }
            if let Some(key) = key {
                let now_ms = u64::from(c % 3) * KEY_LIFETIME_MS;
                let expected = reference.created_with(key.clone(), now_ms).await;
                let actual = store.created_with(key, now_ms).await;
                assert_eq!(actual, expected, "{context}");
            }
            continue;
        }
        let at = usize::from(which) % games.len();
        let last = reference.entries_after(games[at].settings.id, 0).await;
        let last = last.unwrap().expect("it was created").last;
        let append = new_append(number, &games[at], last, step);
        let expected = reference.append(&append).await;
        assert_eq!(store.append(&append).await, expected, "{context}");
        if expected == Ok(Appended::Stored) {
            if let Some(summary) = append.summary.clone() {
                games[at].summary = summary;
            }
            if let Some((new, summary)) = append.new_game {
                let settings = new.settings;
                games.push(Known { settings, summary });
            }
        }
        compare_game(&reference, store, games[at].settings.id, c.into()).await;
    }
    for game in &games {
        compare_game(&reference, store, game.settings.id, 0).await;
    }
    compare_lists(&reference, store).await;
    // The clock of PostgreSQL is not the caller's, but all deadlines here are long past.
    let sweep = async |store: &dyn Store| store.sweep(NodeId(1), 1_000_000, 0).await.unwrap();
    assert_eq!(sweep(store).await.overdue, sweep(&reference).await.overdue);
    let forget = async |store: &dyn Store| {
        let mut forgotten = Vec::new();
        loop {
            match store.forget(150).await.unwrap() {
                games if games.is_empty() => break,
                games => forgotten.extend(games),
            }
        }
        forgotten.sort_unstable();
        forgotten
    };
    assert_eq!(forget(store).await, forget(&reference).await);
    compare_lists(&reference, store).await;
}

async fn compare_game(reference: &Memory, store: &dyn Store, id: GameId, after: u32) {
    let (actual, expected) = (store.load(id).await, reference.load(id).await);
    assert_eq!(actual, expected);
    let actual = store.entries_after(id, after % 5).await;
    assert_eq!(actual, reference.entries_after(id, after % 5).await);
}

async fn compare_lists(reference: &Memory, store: &dyn Store) {
    let statuses = [
        None,
        Some(Status::Unlisted),
        Some(Status::Waiting),
        Some(Status::Playing),
        Some(Status::Over),
    ];
    for status in statuses {
        let name = |name: &str| Some(PlayerFilter::Name(name.to_owned()));
        let id = PlayerId::new(7);
        let registered = [PlayerFilter::Player(id), PlayerFilter::Running(id)];
        let players = [None, name("Ann"), name("")].into_iter();
        for player in players.chain(registered.map(Some)) {
            for variant in [None, Some("multi"), Some("3x3k3")] {
                for limit in [0, 2, 100] {
                    let query = ListQuery {
                        variant: variant.map(|name| name.parse().unwrap()),
                        player: player.clone(),
                        status,
                        ..ListQuery::all(limit)
                    };
                    let actual = store.list(query.clone()).await;
                    assert_eq!(actual, reference.list(query).await);
                }
            }
        }
    }
}

fn new_game(number: usize, a: u8, b: u8, c: u8) -> NewGame {
    let (variant, start) = VARIANTS[usize::from(a) % VARIANTS.len()];
    let variant = variant.parse().unwrap();
    let holders = HOLDERS[usize::from(b) % HOLDERS.len()];
    let settings = Settings {
        // High and low numbers, so that the order of bytes matters.
        id: GameId::new((u128::from(c) << 120) + number as u128),
        variant,
        history: a.into(),
        start: start.map(|text| Diagram::parse(&variant, text).unwrap()),
        holders: holders.iter().map(|text| holder(text)).collect(),
        clock: None,
        is_listed: !b.is_multiple_of(3),
        // Some games are created a day later, so that keys expire.
        created_ms: u64::from(c % 5) + u64::from(b % 2) * KEY_LIFETIME_MS,
    };
    let key = a.is_multiple_of(2).then(|| CreationKey {
        scope: ["", "s", "t"][usize::from(c) % 3].to_owned(),
        key: new_key(b),
    });
    NewGame { settings, key }
}

fn new_key(number: u8) -> Key {
    Key {
        text: format!("key {}", number % 3),
        request: u64::MAX - u64::from(number),
    }
}

fn new_append(number: usize, known: &Known, last: u32, step: &Step) -> Append {
    let &(kind, _, a, b, c) = step;
    let settings = &known.settings;
    // Usually the next number, sometimes another.
    let first = match c % 8 {
        0 => last + u32::from(a % 4),
        _ => last + 1,
    };
    let mut append = Append {
        game: settings.id,
        variant: settings.variant,
        first,
        entries: Vec::new(),
        summary: None,
        new_game: None,
    };
    if c == 255 {
        append.game = GameId::new(u128::MAX - 7);
    }
    let mut holders = known.summary.holders.clone();
    for i in 0..=(a % 3) {
        let (b, c) = (b.wrapping_add(i), c.wrapping_add(i));
        let entry = new_entry(settings, &holders, kind.wrapping_add(i / 2), b, c);
        if let Entry::Seated { seat, holder } = &entry
            && let Some(held) = holders.get_mut(usize::from(seat.0))
        {
            *held = holder.clone();
        }
        append.entries.push(LogEntry {
            at_ms: u64::from(number as u32 * 5) + u64::from(i),
            entry,
            key: c.is_multiple_of(5).then(|| Box::new(new_key(b))),
        });
    }
    let has_sat = holders != known.summary.holders;
    if has_sat || c % 7 == 0 {
        let mut changed = summary(&holders);
        changed.deadline_ms = b.is_multiple_of(2).then_some(a.into());
        // A game that is over stays over. An append that takes a seat does not end the game.
        if known.summary.ending.is_some() {
            (changed.status, changed.ending) = (Status::Over, known.summary.ending.clone());
        } else if c % 14 == 0 && !has_sat {
            changed.status = Status::Over;
            changed.ending = Some(Ending {
                conclusion: [TOO_LONG, Conclusion::Abandoned][usize::from(a) % 2].clone(),
                at_ms: b.into(),
            });
        }
        append.summary = Some(changed);
    }
    if kind % 8 == 7 && c % 3 == 0 {
        let new = new_game(number, a, b, c);
        let summary = summary(&new.settings.holders);
        append.new_game = Some((new, summary));
    }
    append
}

fn new_entry(settings: &Settings, holders: &[Holder], kind: u8, b: u8, c: u8) -> Entry {
    let seat = Seat(b % holders.len() as u8);
    match kind % 8 {
        // Only open seats are taken.
        4 if holders[usize::from(seat.0)].is_open() => Entry::Seated {
            seat,
            holder: match c % 5 {
                0 => Holder::Player(PlayerId::new(7)),
                _ => Holder::Human {
                    name: ["Ann", "Cyd", ""][usize::from(c) % 3].to_owned(),
                    node: c.is_multiple_of(2).then_some(NodeId(c.into())),
                },
            },
        },
        5 => Entry::Ended {
            reason: EndReason::Leaving,
            seats: SeatSet::only(seat).with(Seat(c % 64)),
        },
        6 => Entry::Offered {
            seat,
            offer: Offer::Rematch,
        },
        7 => Entry::RematchCreated(GameId::new(u128::from(c) << 64)),
        _ => {
            let action = match c % 8 {
                6 => Action::Rewind(u16::from(b) * 257),
                7 => Action::Resign,
                _ => Action::Play(Move::at(usize::from(b) % settings.variant.cells())),
            };
            Entry::Turn(Turn { by: seat, action })
        }
    }
}
