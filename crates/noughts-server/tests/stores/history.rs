//! Whatever is asked of a store, in whatever order: it answers as the one in memory does, which is
//! slow and obvious.

use noughts_rules::{Action, Conclusion, Diagram, Move, Seat};
use noughts_server::{
    Created, Ending, GameId, Key, Last, Leavers, Memory, NewGame, Query, Setting, Sitting, Status,
    Store, StoredTurn,
};
use proptest::prelude::*;

use crate::games::{acted, holder, in_order};

/// One request: what, of which game, and three numbers to make it of.
pub(crate) type Step = (u8, u8, u8, u8, u8);

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any::<Step>(), 1..60)
}

/// Variants, with a position to begin from.
const VARIANTS: [(&str, Option<&str>); 5] = [
    ("3x3k3", None),
    ("3x3k3", Some("x.o/.../... o")),
    ("multi@4", None),
    ("7x6k4+gravity", None),
    ("20x3k3p3", None),
];

const HOLDERS: [&[&str]; 5] = [
    &["Ann", "Bob"],
    &["Ann", "lobby"],
    &["link", "lobby", "Ann@3"],
    &["robot", ""],
    &["lobby", "lobby"],
];

/// Asks both the same, and compares what they say and what they hold at the end.
pub(crate) async fn compare(store: &dyn Store, steps: &[Step]) {
    let twin = Memory::default();
    let mut games: Vec<NewGame> = Vec::new();
    let mut turns: Vec<usize> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let &(what, which, a, b, c) = step;
        let at = usize::from(which) % games.len().max(1);
        if games.is_empty() || what % 8 == 0 {
            let new = new_game(number, a, b, c);
            let answers = (
                twin.create(new.clone()).await,
                store.create(new.clone()).await,
            );
            assert_eq!(answers.0, answers.1, "{number}: {step:?}");
            if answers.0 == Ok(Created::Stored) {
                games.push(new);
                turns.push(0);
            }
            continue;
        }
        let id = games[at].setting.id;
        let seat = Seat(b % 3);
        // Mostly the next turn, and now and then another.
        let next = turns[at] + 1;
        let wrong = if c % 8 == 0 { usize::from(a % 3) } else { 1 };
        match what % 8 {
            1..=3 => {
                let turn = new_turn(&games[at], seat, a, c);
                let place = (next + wrong).saturating_sub(1);
                if c % 7 == 0 {
                    let (last, ending) = (Last::Turn(place, turn), new_ending(a, b));
                    let answers = (
                        twin.conclude(id, last.clone(), ending.clone()).await,
                        store.conclude(id, last, ending).await,
                    );
                    assert_eq!(answers.0, answers.1, "{number}: {step:?}");
                    turns[at] = twin.load(id).await.unwrap().unwrap().turns.len();
                    same_game(&twin, store, id).await;
                    continue;
                }
                let answers = (
                    twin.append(id, place, turn.clone()).await,
                    store.append(id, place, turn).await,
                );
                assert_eq!(answers.0, answers.1, "{number}: {step:?}");
            }
            4 => {
                let who = Sitting {
                    name: ["Ann", "Cyd", ""][usize::from(a) % 3].to_owned(),
                    node: (c % 2 == 0).then_some(noughts_server::NodeId(c.into())),
                    key: new_key(c),
                };
                let answers = (
                    twin.sit(id, seat, who.clone()).await,
                    store.sit(id, seat, who).await,
                );
                assert_eq!(answers.0, answers.1, "{number}: {step:?}");
            }
            5 if c % 4 == 0 => {
                let leavers = Leavers::one(seat).and(Seat(a % 64));
                let place = (next + wrong).saturating_sub(2);
                let answers = (
                    twin.leave(id, place, leavers).await,
                    store.leave(id, place, leavers).await,
                );
                assert_eq!(answers.0, answers.1, "{number}: {step:?}");
            }
            5 | 6 => {
                let ending = new_ending(a, b);
                let answers = (
                    twin.finish(id, ending.clone()).await,
                    store.finish(id, ending).await,
                );
                assert_eq!(answers.0, answers.1, "{number}: {step:?}");
            }
            _ => {
                let next = (c % 3 == 0).then(|| NewGame {
                    key: None,
                    ..new_game(number, a, b, c)
                });
                let answers = (
                    twin.rematch(id, seat, next.clone()).await,
                    store.rematch(id, seat, next).await,
                );
                assert_eq!(answers.0, answers.1, "{number}: {step:?}");
            }
        }
        turns[at] = twin.load(id).await.unwrap().unwrap().turns.len();
        same_game(&twin, store, id).await;
    }
    same_lists(&twin, store).await;
}

async fn same_game(twin: &Memory, store: &dyn Store, id: GameId) {
    let games = (twin.load(id).await.unwrap(), store.load(id).await.unwrap());
    assert_eq!(games.0.map(in_order), games.1.map(in_order));
}

async fn same_lists(twin: &Memory, store: &dyn Store) {
    for status in [
        None,
        Some(Status::Waiting),
        Some(Status::Playing),
        Some(Status::Over),
    ] {
        for player in [None, Some("Ann"), Some("")] {
            for variant in [None, Some("multi"), Some("3x3k3")] {
                for limit in [0, 2, 100] {
                    let query = Query {
                        variant: variant.map(|name| name.parse().unwrap()),
                        player: player.map(str::to_owned),
                        status,
                        before: None,
                        limit,
                    };
                    let lists = (twin.list(query.clone()).await, store.list(query).await);
                    assert_eq!(lists.0, lists.1);
                }
            }
        }
    }
}

fn new_game(number: usize, a: u8, b: u8, c: u8) -> NewGame {
    let (variant, start) = VARIANTS[usize::from(a) % VARIANTS.len()];
    let variant = variant.parse().unwrap();
    let holders = HOLDERS[usize::from(b) % HOLDERS.len()];
    let setting = Setting {
        // High and low numbers, so that the order of bytes shows.
        id: GameId::new((u128::from(c) << 120) + number as u128),
        variant,
        history: a.into(),
        start: start.map(|text| Diagram::read(&variant, text).unwrap()),
        holders: holders.iter().map(|text| holder(text)).collect(),
        created_ms: u64::from(c % 5),
    };
    NewGame {
        setting,
        key: new_key(c),
    }
}

fn new_key(number: u8) -> Option<Key> {
    number.is_multiple_of(5).then(|| Key {
        text: format!("key {}", number % 3),
        body: u64::MAX - u64::from(number),
    })
}

fn new_ending(a: u8, b: u8) -> Ending {
    let conclusion = match a % 2 {
        0 => Conclusion::Draw,
        _ => Conclusion::Abandoned,
    };
    Ending {
        conclusion,
        at_ms: u64::from(b),
    }
}

fn new_turn(game: &NewGame, seat: Seat, a: u8, c: u8) -> StoredTurn {
    let action = match a % 8 {
        6 => Action::Rewind(u16::from(c) * 257),
        7 => Action::Resign,
        _ => Action::Play(Move::at(usize::from(c) % game.setting.variant.cells())),
    };
    StoredTurn {
        key: new_key(c),
        ..acted(seat.0, action)
    }
}
