//! A table with arbitrary commands, for the property test and for the fuzzer.

use noughts_rules::{Action, Conclusion, Move, Record, Seat, Side, View};
use noughts_server::{
    Absence, Answer, Change, Claim, ClockView, Command, Context, Decision, Entry, GameId, Holder,
    KEY_LIFETIME_MS, Key, LogEntry, Offer, OpenOffer, OpenTo, Outage, RequestKey, SeatSet,
    Settings, Summary, Table, TableRefusal, game_from_record, game_to_record,
};

/// Games of every kind of rules, with and without a history, small enough to end.
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

/// Half of the games have a clock.
const CLOCKS: [Option<&str>; 6] = [None, Some("10+0"), None, Some("20+3"), None, Some("move 5")];

/// More commands than any test uses.
const MAX_COMMANDS: u64 = 100_000;

/// Number of bytes per command.
const COMMAND_BYTES: usize = 6;

/// Everything of a table that can be compared.
#[derive(PartialEq, Debug)]
struct Observed {
    entry: u32,
    turn: usize,
    last_ms: u64,
    holders: Vec<Holder>,
    conclusion: Option<Conclusion>,
    view: View,
    offers: Vec<OpenOffer>,
    clock: Option<ClockView>,
    used_ms: Vec<u64>,
    rematch: Option<GameId>,
    summary: Summary,
}

impl Observed {
    fn of(table: &Table) -> Observed {
        Observed {
            entry: table.entry(),
            turn: table.turn(),
            last_ms: table.last_ms(),
            holders: table.holders().to_vec(),
            conclusion: table.game().conclusion().cloned(),
            view: table.game().view(),
            offers: table.offers().to_vec(),
            clock: table.clock(table.last_ms()),
            used_ms: table.used_ms().to_vec(),
            rematch: table.rematch(),
            summary: table.summary(),
        }
    }
}

/// Executes the commands that the bytes encode, and checks the properties of the table after each. Returns
/// the number of commands that led to entries.
///
/// The first three bytes are the game, its seats and the entry that a watcher has seen. Each further six
/// bytes are a command.
pub(crate) fn check_random_commands(input: &[u8]) -> usize {
    let [which, seats, seen, rest @ ..] = input else {
        return 0;
    };
    let mut table = Table::new(settings(*which, *seats)).unwrap();
    let (mut log, mut now_ms, mut accepted) = (Vec::new(), 1_000_000, 0);
    for bytes in rest.chunks_exact(COMMAND_BYTES) {
        now_ms = time_after(now_ms, bytes[5]);
        let command = command(&table, bytes);
        let before = Observed::of(&table);
        let decided = table.decide(&command, context(now_ms, bytes));
        assert_eq!(Observed::of(&table), before, "decide changes nothing");
        match decided {
            Err(refusal) => assert!(!refusal.to_string().is_empty()),
            Ok(None) => {}
            Ok(Some(decision)) => {
                check_applied(&mut table, &before, &decision);
                check_new_game(&table, &decision);
                check_key(&table, &command);
                log.extend(decision.entries);
                accepted += 1;
            }
        }
        check_end(&table);
        check_clock(&table, &log);
        check_offers(&table);
        let again = table.decide(&command, context(now_ms, bytes));
        let replayed = replay(&table, &log);
        assert_eq!(Observed::of(&replayed), Observed::of(&table));
        let again_replayed = replayed.decide(&command, context(now_ms, bytes));
        assert_eq!(again_replayed, again, "{command:?}");
    }
    assert!(log.is_sorted_by_key(|logged| logged.at_ms));
    check_record(&table);
    check_changes(&table, &log, u32::from(*seen) % (table.entry() + 2));
    accepted
}

fn settings(which: u8, seats: u8) -> Settings {
    let (variant, history) = GAMES[usize::from(which) % GAMES.len()];
    let variant: noughts_rules::Variant = variant.parse().unwrap();
    let holder = |seat: u8| match seats.rotate_left(2 * u32::from(seat)) % 6 {
        0 => Holder::Robot("random".parse().unwrap()),
        1 => Holder::Robot("level:8".parse().unwrap()),
        2 => Holder::Open(OpenTo::Lobby),
        3 => Holder::Open(OpenTo::Link),
        _ => human("Ann"),
    };
    Settings {
        id: GameId::new(1),
        variant,
        history,
        start: None,
        holders: (0..variant.sides()).map(holder).collect(),
        clock: CLOCKS[usize::from(which) / GAMES.len() % CLOCKS.len()]
            .map(|clock| clock.parse().unwrap()),
        is_listed: true,
        created_ms: 500_000,
    }
}

fn human(name: &str) -> Holder {
    Holder::Human {
        name: name.to_owned(),
        node: None,
    }
}

/// The time of the next command: usually a little later; sometimes earlier, because another node's clock may differ, or
/// a day later.
fn time_after(now_ms: u64, byte: u8) -> u64 {
    match byte {
        0..=209 => now_ms + u64::from(byte),
        210..=239 => now_ms + 1_000 * u64::from(byte - 209),
        240..=249 => now_ms - 1_000 * u64::from(byte - 239),
        250..=255 => now_ms + KEY_LIFETIME_MS,
    }
}

fn replay(table: &Table, log: &[LogEntry]) -> Table {
    Table::replay(table.settings().clone(), log).expect("every entry was applied before")
}

/// Applies a decision, and checks that its end, summary and cells are right.
fn check_applied(table: &mut Table, before: &Observed, decision: &Decision) {
    let summary = table.summary_after(decision);
    let first_number = table.entry() + 1;
    for (number, logged) in (first_number..).zip(&decision.entries) {
        let marks = table.game().view().marks;
        let cells = match &logged.entry {
            Entry::Turn(turn) => table.cells_changed_by(*turn),
            _ => Vec::new(),
        };
        table.apply(logged).expect("a decided entry can be applied");
        assert_eq!(table.entry(), number);
        assert_eq!(table.latest_entry().as_ref(), Some(&logged.entry));
        assert_eq!(with_cells(marks, &cells), table.game().view().marks);
    }
    let conclusion = decision.conclusion.as_ref();
    let expected = conclusion.or(before.conclusion.as_ref());
    assert_eq!(table.game().conclusion(), expected, "{decision:?}");
    assert!(conclusion.is_none() || before.conclusion.is_none());
    let now = table.summary();
    let stored = summary.unwrap_or_else(|| before.summary.clone());
    // A clock moves the real deadline without a write, so the stored deadline must not be later.
    if table.settings().clock.is_some() {
        assert_eq!(stored.deadline_ms.is_some(), now.deadline_ms.is_some());
        assert!(stored.deadline_ms <= now.deadline_ms, "{decision:?}");
        assert!(now.deadline_ms <= table.clock_deadline_ms() || table.robot_to_move().is_some());
    } else {
        assert_eq!(stored.deadline_ms, now.deadline_ms, "{decision:?}");
    }
    let deadline_ms = None;
    assert_eq!(
        Summary { deadline_ms, ..now },
        Summary {
            deadline_ms,
            ..stored
        },
        "{decision:?}"
    );
}

/// Clocks gain at most the increments. The sum of the turns' times is at most the time from the start of the clocks to
/// the end of the latest turn. With the time that was added for outages, the sum is at least as long as that time.
fn check_clock(table: &Table, log: &[LogEntry]) {
    let Some(settings) = table.settings().clock else {
        assert_eq!(table.clock(u64::MAX), None);
        assert!(table.used_ms().is_empty());
        return;
    };
    let mut past = Table::new(table.settings().clone()).unwrap();
    let is_full = |table: &Table| !table.holders().iter().any(Holder::is_open);
    let mut started_ms = is_full(&past).then_some(past.settings().created_ms);
    let (mut added_ms, mut last_turn_ms) = (0, None);
    let mut left: Vec<u64> = past.clock(0).unwrap().left_ms;
    let mut moved = SeatSet::EMPTY;
    for logged in log {
        let (to_move, has_started) = (past.game().to_move(), started_ms.is_some());
        let spent = has_started.then(|| past.used_ms().iter().sum::<u64>());
        past.apply(logged).unwrap();
        match logged.entry {
            Entry::Turn(turn) => {
                let seat = to_move.unwrap();
                let at = usize::from(seat.0);
                let used = *past.used_ms().last().unwrap();
                let charged = if moved.contains(seat) { used } else { 0 };
                left[at] = left[at].saturating_sub(charged);
                let is_complete = matches!(turn.action, Action::Play(_) | Action::Rewind(_));
                if is_complete && settings.increment_ms() == 0 && settings.base_ms() == 5_000 {
                    left[at] = settings.base_ms();
                } else if is_complete && moved.contains(seat) {
                    left[at] += settings.increment_ms();
                }
                if is_complete {
                    moved = moved.with(seat);
                }
                assert_eq!(past.clock(logged.at_ms).unwrap().left_ms, left);
                if has_started {
                    last_turn_ms = Some(logged.at_ms);
                    assert!(past.used_ms().iter().sum::<u64>() >= spent.unwrap());
                }
            }
            Entry::TimeAdded { ms, .. } => added_ms += ms,
            Entry::Seated { .. }
            | Entry::Offered { .. }
            | Entry::Answered { .. }
            | Entry::Ended { .. }
            | Entry::RematchCreated(_) => {}
        }
        if started_ms.is_none() && is_full(&past) {
            started_ms = Some(logged.at_ms);
        }
    }
    if let (Some(started_ms), Some(last_ms)) = (started_ms, last_turn_ms) {
        let used_ms: u64 = table.used_ms().iter().sum();
        let passed_ms = last_ms - started_ms;
        assert!(used_ms <= passed_ms, "{used_ms} of {passed_ms}");
        assert!(
            used_ms + added_ms >= passed_ms,
            "{used_ms} and {added_ms} of {passed_ms}"
        );
    }
    let turns = table.game().turns().len() as u64;
    let most_ms = settings.base_ms() + turns * settings.increment_ms();
    let now = table.clock(table.last_ms()).unwrap();
    assert!(now.left_ms.iter().all(|left_ms| *left_ms <= most_ms));
    let much_later = table.clock(u64::MAX / 2).unwrap();
    let is_less = |(now, later): (&u64, &u64)| later <= now;
    assert!(now.left_ms.iter().zip(&much_later.left_ms).all(is_less));
    assert!(!(table.is_over() && now.running.is_some()));
}

/// Open offers belong to seats of the table, at most one of each kind per seat. Rematches are offered when the game is
/// over, all other offers before.
fn check_offers(table: &Table) {
    let offers = table.offers();
    for (number, open) in offers.iter().enumerate() {
        assert!(table.holder(open.seat).is_some());
        assert_eq!(open.offer == Offer::Rematch, table.is_over());
        assert!(!open.accepted.contains(open.seat));
        let is_same = |other: &OpenOffer| (other.offer, other.seat) == (open.offer, open.seat);
        assert!(!offers[..number].iter().any(is_same));
    }
}

/// The time of a command, and who is away: nobody, or all players for the same time.
fn context(now_ms: u64, bytes: &[u8]) -> Context {
    let absence = Absence {
        ms: u64::from(bytes[2]) * 2_000,
        has_left: bytes[3].is_multiple_of(2),
    };
    Context {
        now_ms,
        away: vec![(bytes[4] < 200).then_some(absence); 64],
    }
}

/// A created rematch has the same people, shifted by one seat.
fn check_new_game(table: &Table, decision: &Decision) {
    let Some(new_game) = &decision.new_game else {
        return;
    };
    assert_eq!(table.rematch(), Some(new_game.settings.id));
    let next = Table::new(new_game.settings.clone()).expect("a rematch can be played");
    let mut holders = next.holders().to_vec();
    holders.rotate_left(1);
    assert_eq!(holders, table.holders());
    assert_eq!(next.turn(), 1);
}

/// The idempotency key of an accepted command is known for a day.
fn check_key(table: &Table, command: &Command) {
    let mut other = command.clone();
    let key = match &mut other {
        Command::Act { key, .. }
        | Command::TakeSeat { key, .. }
        | Command::Offer { key, .. }
        | Command::Answer { key, .. } => key,
        Command::RobotPlay { .. }
        | Command::OfferRematch { .. }
        | Command::AcceptRematch { .. }
        | Command::Abort { .. }
        | Command::Claim { .. }
        | Command::AddTime(_)
        | Command::CheckDeadline
        | Command::Terminate
        | Command::Leave(_) => return,
    };
    // Resigning at a waiting table aborts it: a repeat is recognized without a key.
    if matches!(command, Command::Act { .. }) && !table.is_ended_by_turn() && table.is_over() {
        return;
    }
    let Some(key) = key else {
        return;
    };
    (key.key.request, key.former_hash) = (u64::MAX, u64::MAX);
    let stored_ms = table.last_ms();
    for now_ms in [stored_ms, stored_ms + KEY_LIFETIME_MS - 1] {
        assert_eq!(table.decide(command, now_ms), Ok(None));
        assert_eq!(table.decide(&other, now_ms), Err(TableRefusal::KeyReused));
    }
    let a_day_later = table.decide(&other, stored_ms + KEY_LIFETIME_MS);
    assert_ne!(a_day_later, Err(TableRefusal::KeyReused));
}

fn check_end(table: &Table) {
    assert!(table.game().turns().len() <= table.max_turns());
    assert_eq!(table.is_over(), table.game().to_move().is_none());
    for seat in 0..table.holders().len() {
        let result = table.result(Seat(seat as u8));
        assert_eq!(result.is_some(), table.is_over());
    }
}

/// The record of a finished game is stored as a game with the same record.
fn check_record(table: &Table) {
    if !table.is_over() || table.holders().iter().any(Holder::is_open) {
        return;
    }
    let record = |table: &Table| game_to_record(table, &Default::default()).unwrap();
    let exported = record(table);
    let read: Record = exported.to_string().parse().unwrap();
    let now_ms = 10 * KEY_LIFETIME_MS * MAX_COMMANDS;
    let (stored, summary) = game_from_record(&read, GameId::new(3), now_ms).unwrap();
    let imported = Table::replay(stored.settings, &stored.entries).unwrap();
    assert_eq!(record(&imported).to_string(), exported.to_string());
    assert_eq!(imported.used_ms(), table.used_ms());
    assert_eq!(imported.summary(), summary);
    assert!(imported.last_ms() <= now_ms);
}

/// A watcher that has seen the first `seen` entries gets all later ones in order.
fn check_changes(table: &Table, log: &[LogEntry], seen: u32) {
    let present = SeatSet::only(Seat(0));
    let updates = table.changes_after(seen, present, &Default::default());
    let first = log.len().min(seen as usize);
    let mut past = replay(table, &log[..first]);
    let mut has_view = false;
    for update in updates {
        assert!(!has_view, "the whole table is the last update");
        let marks = past.game().view().marks;
        let logged = &log[past.entry() as usize];
        past.apply(logged).unwrap();
        match (&update.change, &logged.entry) {
            (Change::Turn(change), Entry::Turn(turn)) => {
                assert_eq!(update.entry, Some(past.entry()));
                let view = past.game().view();
                assert_eq!(with_cells(marks, &change.cells), view.marks);
                assert_eq!((change.turn, change.number + 1), (*turn, past.turn()));
                assert_eq!(change.to_move, view.to_move);
                assert_eq!(change.legal.as_ref(), Some(&view.legal));
                assert_eq!(change.longest_rewind, view.longest_rewind);
                assert_eq!(change.nested, view.nested);
                assert_eq!(change.outcome, view.outcome);
                assert_eq!(change.entry, past.entry());
                assert_eq!(change.offers, past.offers());
                assert_eq!(change.clock, past.clock(past.last_ms()));
            }
            (
                Change::Seats {
                    holders,
                    present: p,
                    ..
                },
                Entry::Seated { .. },
            ) => {
                assert_eq!(update.entry, Some(past.entry()));
                assert_eq!((holders.as_slice(), *p), (past.holders(), present));
            }
            (Change::Offers { entry, offers }, Entry::Offered { .. } | Entry::Answered { .. }) => {
                assert_eq!((update.entry, *entry), (Some(past.entry()), past.entry()));
                assert_eq!(offers, past.offers());
            }
            (Change::View(snapshot), entry) => {
                assert!(matches!(
                    entry,
                    Entry::TimeAdded { .. } | Entry::Ended { .. } | Entry::RematchCreated(_)
                ));
                assert_eq!(update.entry, Some(table.entry()));
                assert_eq!(snapshot.entry, table.entry());
                assert_eq!(snapshot.game, table.game().view());
                assert_eq!(snapshot.rematch, table.rematch());
                assert_eq!(snapshot.offers, table.offers());
                has_view = true;
            }
            (change, entry) => panic!("{entry:?} became {change:?}"),
        }
    }
    let is_complete = past.entry() == table.entry();
    assert!(has_view || is_complete, "entries after {seen} are missing");
}

fn with_cells(mut marks: Vec<Option<Side>>, cells: &[(Move, Option<Side>)]) -> Vec<Option<Side>> {
    for (at, side) in cells {
        marks[at.index()] = *side;
    }
    marks
}

/// Usually a command that can be accepted; otherwise any seat, action, turn, entry and key.
fn command(table: &Table, bytes: &[u8]) -> Command {
    let [kind, seat, at, turn, key, _] = *bytes else {
        unreachable!("six bytes per command")
    };
    let next = table.game().to_move().unwrap_or(Seat(0));
    // Often a seat of the table, sometimes a number that may be no seat of the table.
    let any_seat = match seat {
        0..=239 => Seat(seat % table.holders().len() as u8),
        240..=255 => Seat(seat),
    };
    let seat = if seat < 200 { next } else { any_seat };
    let legal = table.game().legal();
    let legal_move = match legal.is_empty() {
        false => legal[usize::from(at) % legal.len()],
        true => Move::at(0),
    };
    let key = request_key(key, bytes);
    let action = match kind {
        0..=3 => Action::Resign,
        4..=15 => Action::Rewind(u16::from(at)),
        16..=50 => Action::Play(Move::at(usize::from(at))),
        51..=170 => Action::Play(legal_move),
        171..=205 => {
            let entry = match turn {
                0..=240 => table.entry(),
                _ => u32::from(at),
            };
            let at = legal_move;
            return Command::RobotPlay { seat, at, entry };
        }
        206..=225 => {
            let (seat, holder) = (any_seat, human("Bob"));
            return Command::TakeSeat { seat, holder, key };
        }
        226..=229 => {
            let (seat, next) = (any_seat, GameId::new(2 + u128::from(at)));
            return match turn.is_multiple_of(2) {
                true => Command::OfferRematch { seat, next },
                false => Command::AcceptRematch { seat, next },
            };
        }
        230..=236 => {
            let offer = [Offer::Draw, Offer::Takeback, Offer::Takeback][usize::from(at) % 3];
            let seat = any_seat;
            return Command::Offer { seat, offer, key };
        }
        237..=243 => {
            let offer = [Offer::Draw, Offer::Takeback, Offer::Rematch][usize::from(at) % 3];
            let answer = match at < 160 {
                true if offer != Offer::Rematch => Answer::Accept(offer),
                true | false => Answer::Decline(offer),
            };
            let seat = any_seat;
            return Command::Answer { seat, answer, key };
        }
        244 => return Command::Abort { seat: any_seat },
        245..=246 => {
            let claim = [Claim::Win, Claim::Draw][usize::from(at) % 2];
            let seat = any_seat;
            return Command::Claim { seat, claim };
        }
        247..=249 => {
            let until_ms = table.last_ms() + 100 * u64::from(at);
            let from_ms = until_ms - 100 * u64::from(turn);
            return Command::AddTime(Outage { from_ms, until_ms });
        }
        250 => return Command::CheckDeadline,
        251 => return Command::Terminate,
        252..=253 => return Command::Leave(SeatSet::only(seat)),
        254 => return Command::Leave(SeatSet::only(seat).with(Seat(at))),
        255 => return Command::Leave((0..table.holders().len() as u8).map(Seat).collect()),
    };
    let turn = match turn {
        0..=240 => table.turn(),
        _ => usize::from(at),
    };
    Command::Act {
        seat,
        action,
        turn,
        key,
    }
}

/// One of four keys, or none. Different requests have different hashes.
fn request_key(key: u8, bytes: &[u8]) -> Option<Box<RequestKey>> {
    let hash = |hash: u64, byte: &u8| hash << 8 | u64::from(*byte);
    let request = bytes[..4].iter().fold(0, hash);
    let text = (key >= 128).then(|| format!("key-{}", key % 4))?;
    Some(Box::new(RequestKey {
        key: Key { text, request },
        former_hash: request,
    }))
}
