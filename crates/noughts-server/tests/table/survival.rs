//! A table told anything, for the tests and for the fuzzer.

use noughts_rules::{Action, Move, Seat, Turn};
use noughts_server::{
    Command, Event, GameId, Holder, Leavers, Setting, StoredGame, StoredTurn, Table,
};

/// Games of every family, with and without a history, small enough to end.
const GAMES: [(&str, u16); 8] = [
    ("3x3k3", 0),
    ("3x3k3", 8),
    ("3x3k3+misere", 2),
    ("4x4k3p3", 3),
    ("4x4k4+gravity", 15),
    ("multi", 5),
    ("ultimate", 0),
    ("7x7k4p5+exact", 48),
];

/// Tells a table everything that the bytes say, and checks after each what a table promises.
/// Gives how many commands were taken.
pub(crate) fn survive(input: &[u8]) -> usize {
    let [which, rest @ ..] = input else {
        return 0;
    };
    let (variant, history) = GAMES[usize::from(*which) % GAMES.len()];
    let variant: noughts_rules::Variant = variant.parse().unwrap();
    let holder = |seat: u8| match seat % 2 {
        0 => Holder::Robot("random".parse().unwrap()),
        _ => Holder::Human {
            name: String::new(),
            node: None,
        },
    };
    let setting = Setting {
        id: GameId::new(1),
        variant,
        history,
        start: None,
        holders: (0..variant.sides()).map(holder).collect(),
        created_ms: 0,
    };
    let mut table = Table::new(setting).unwrap();
    let most_turns = 4 * variant.cells() + 100;
    let (mut turns, mut left, mut taken) = (Vec::new(), None, 0);
    for bytes in rest.chunks_exact(4) {
        let command = command(&table, bytes);
        let (turn, was_over) = (table.turn(), table.game().conclusion().is_some());
        match table.check(command) {
            Err(refused) => {
                assert!(!refused.to_string().is_empty());
                assert_eq!(table.turn(), turn);
            }
            Ok(event) => {
                assert!(!was_over, "{event:?} after the end");
                let end = table.conclusion_after(event);
                table.happen(event).expect("what was promised happens");
                assert_eq!(table.game().conclusion(), end.as_ref(), "{event:?}");
                assert!(table.happen(event).is_err(), "{event:?} happened twice");
                taken += 1;
                match event {
                    Event::Turned { number, turn } => {
                        assert_eq!(number + 1, table.turn());
                        turns.push(turn);
                    }
                    Event::Left(leavers) => left = Some(leavers),
                }
            }
        }
        assert!(table.game().turns().len() <= most_turns);
        let is_over = table.game().conclusion().is_some();
        assert_eq!(is_over, table.game().to_move().is_none());
        let results = (0..variant.sides()).map(|seat| table.result(Seat(seat)).is_some());
        assert!({ results }.all(|known| known == is_over));
    }
    let again = Table::restore(stored(table.setting(), &turns, left)).expect("it was played so");
    assert_eq!(again.game().view(), table.game().view());
    taken
}

/// As a store keeps it.
pub(crate) fn stored(setting: &Setting, turns: &[Turn], left: Option<Leavers>) -> StoredGame {
    let turn = |turn: &Turn| StoredTurn {
        turn: *turn,
        key: None,
        at_ms: 0,
    };
    StoredGame {
        setting: setting.clone(),
        key: None,
        sat: Vec::new(),
        turns: turns.iter().map(turn).collect(),
        left,
        again: Vec::new(),
        rematch: None,
        is_finished: false,
    }
}

/// Mostly something that may be taken: any seat, any action, any turn.
fn command(table: &Table, bytes: &[u8]) -> Command {
    let [kind, seat, at, by] = *bytes else {
        unreachable!("four bytes a command")
    };
    let next = table.game().to_move().unwrap_or(Seat(0));
    let seat = if seat < 200 { next } else { Seat(seat) };
    let legal = table.game().legal();
    let action = match kind {
        0..=3 => Action::Resign,
        4..=15 => Action::Rewind(u16::from(at)),
        16..=60 => Action::Play(Move::at(usize::from(at))),
        61..=251 if !legal.is_empty() => Action::Play(legal[usize::from(at) % legal.len()]),
        61..=251 => Action::Play(Move::at(0)),
        252..=254 => return Command::Leave(Leavers::one(seat)),
        255 => return Command::Leave(Leavers::one(seat).and(Seat(at))),
    };
    let at_turn = match by {
        0..=240 => table.turn(),
        _ => usize::from(at),
    };
    Command::Act {
        seat,
        action,
        at_turn,
    }
}
