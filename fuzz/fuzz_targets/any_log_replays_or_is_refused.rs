//! A table gets any log entries, such as the entries of a damaged store. Either it refuses an entry and nothing
//! changes, or the log with this entry replays to the same table.
//!
//! Input: one byte for the game, one for its clock, one for its seats; then four bytes per entry.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noughts_rules::{Action, Conclusion, Move, Seat, Turn, View};
use noughts_server::{
    Answer, ClockView, EndReason, Entry, GameId, Holder, LogEntry, Offer, OpenOffer, OpenTo,
    SeatSet, Settings, Summary, Table,
};

const GAMES: [(&str, u16); 6] = [
    ("3x3k3", 0),
    ("3x3k3", 8),
    ("4x4k3p3", 3),
    ("4x4k4+gravity", 15),
    ("multi", 5),
    ("ultimate", 0),
];
const CLOCKS: [Option<&str>; 4] = [None, Some("10+3"), Some("move 1"), Some("days 14")];

/// Times in milliseconds, from 0 to the largest time that a database can store.
const TIMES: [u64; 8] = [
    0,
    1,
    999,
    30_000,
    86_400_000,
    1_700_000_000_000,
    i64::MAX as u64 - 1,
    i64::MAX as u64,
];

fuzz_target!(|input: &[u8]| {
    let [game, clock, seats, rest @ ..] = input else {
        return;
    };
    let (variant, history) = GAMES[usize::from(*game) % GAMES.len()];
    let clock = CLOCKS[usize::from(*clock) % CLOCKS.len()];
    let settings = |sides: usize| Settings {
        id: GameId::new(1),
        variant: variant.parse().expect("a variant"),
        history,
        start: None,
        holders: (0..sides).map(|seat| holder(seats >> seat)).collect(),
        clock: clock.map(|clock| clock.parse().expect("a clock")),
        is_listed: true,
        created_ms: 1_000,
    };
    let with_two = Table::new(settings(2)).map(|_| 2);
    let settings = settings(with_two.unwrap_or(3));
    let mut table = Table::new(settings.clone()).expect("the game exists");
    let mut log = Vec::new();
    for bytes in rest.chunks_exact(4) {
        let logged = entry(bytes);
        let before = observe(&table);
        match table.apply(&logged) {
            Ok(()) => log.push(logged),
            Err(invalid) => {
                assert_eq!(invalid.entry as usize, log.len() + 1);
                assert_eq!(observe(&table), before, "{logged:?} was refused");
            }
        }
    }
    let replayed = Table::replay(settings, &log).expect("each entry was accepted");
    assert_eq!(observe(&replayed), observe(&table));
});

type Observed = (
    (u32, usize, u64, Option<u64>),
    (Vec<Holder>, Option<Conclusion>, View, Summary),
    (Vec<OpenOffer>, Option<ClockView>, Option<GameId>),
);

fn observe(table: &Table) -> Observed {
    (
        (
            table.entry(),
            table.turn(),
            table.last_ms(),
            table.deadline_ms(),
        ),
        (
            table.holders().to_vec(),
            table.game().conclusion().cloned(),
            table.game().view(),
            table.summary(),
        ),
        (
            table.offers().to_vec(),
            table.clock(table.last_ms()),
            table.rematch(),
        ),
    )
}

fn holder(byte: u8) -> Holder {
    match byte % 4 {
        0 => Holder::Open(OpenTo::Link),
        1 => Holder::Robot("random".parse().expect("a strategy")),
        _ => Holder::Human {
            name: "Ann".to_owned(),
            node: None,
        },
    }
}

fn entry(bytes: &[u8]) -> LogEntry {
    let (kind, seat, number) = (bytes[0], Seat(bytes[1] % 8), bytes[2]);
    let time = TIMES[usize::from(bytes[3]) % TIMES.len()];
    let offer = [Offer::Draw, Offer::Takeback, Offer::Rematch][usize::from(number) % 3];
    let reasons = [
        EndReason::Leaving,
        EndReason::Agreement,
        EndReason::Time,
        EndReason::Aborted,
        EndReason::WinClaimed,
        EndReason::DrawClaimed,
    ];
    let turn = |action| Entry::Turn(Turn { by: seat, action });
    let entry = match kind % 16 {
        0..8 => turn(Action::Play(Move::at(usize::from(number)))),
        8 => turn(Action::Rewind(u16::from(number % 16))),
        9 => turn(Action::Takeback(u16::from(number % 16))),
        10 => match number % 4 {
            0 => turn(Action::Resign),
            _ => Entry::RematchCreated(GameId::new(u128::from(number))),
        },
        11 => Entry::Seated {
            seat,
            holder: holder(number),
        },
        12 => Entry::Offered { seat, offer },
        13 => Entry::Answered {
            seat,
            answer: match number % 2 {
                0 => Answer::Accept(offer),
                _ => Answer::Decline(offer),
            },
        },
        14 => Entry::TimeAdded {
            ms: TIMES[usize::from(number) % TIMES.len()],
            until_ms: TIMES[usize::from(number / 8) % TIMES.len()],
        },
        _ => Entry::Ended {
            reason: reasons[usize::from(number) % reasons.len()],
            seats: [seat, Seat(number / 32)].into_iter().collect::<SeatSet>(),
        },
    };
    LogEntry {
        at_ms: time,
        entry,
        key: None,
    }
}
