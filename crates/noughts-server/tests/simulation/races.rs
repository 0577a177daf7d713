//! An offer, its answers and a turn race at several nodes. The log decides, and all nodes agree.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::Random;
use noughts_rules::{Action, Conclusion, DrawReason, Seat, Turn};
use noughts_server::{
    Answer, Command, Creation, Entry, GameId, Holder, Key, NewGame, Offer, OpenOffer, RequestKey,
    Settings, StoredGame, SubmitError, Table, TableRefusal,
};
use tokio::time::sleep;

use crate::cluster::{Database, Fault, Node, Operation, Treatment, variant};
use crate::scenario::up_to_ms;
use crate::{Counts, check_seeds, in_virtual_time};

const SEEDS: u64 = 250;
const NODES: usize = 3;
const ROUNDS: usize = 5;

/// The possible results of a race. All of them must occur.
const EXPECTED: [&str; 9] = [
    "agreed draws",
    "answers refused: no offer",
    "conflicts",
    "draws declined",
    "offers acknowledged",
    "offers that lapsed by a turn",
    "takebacks",
    "turns acknowledged",
    "turns refused",
];

#[test]
fn offers_answers_and_turns_that_race_end_as_the_log_says() {
    check_seeds(SEEDS, &EXPECTED, |seed| in_virtual_time(run(seed)));
}

async fn run(seed: u64) -> Counts {
    let mut random = Random::new(seed);
    let database = Database::new();
    let nodes: Vec<Node> = (0..NODES)
        .map(|number| Node::start(&database, seed * 100 + number as u64))
        .collect();
    // A sweep tells each node the store's time.
    sleep(Duration::from_secs(2)).await;
    let mut counts = Counts::new();
    let game = begin(&nodes[0], &mut random).await;
    for _ in 0..ROUNDS {
        let table = database.table(game).await;
        if table.is_over() {
            break;
        }
        let commands = race(&table, &mut random);
        inject_faults(&database, &mut random);
        let mut racing = Vec::new();
        for (command, delay) in commands {
            let tables = nodes.iter().map(|node| Arc::clone(&node.tables)).collect();
            let random = Random::new(random.draw());
            let submitted = submit_anywhere(tables, game, command.clone(), delay, random);
            racing.push((command, tokio::spawn(submitted)));
        }
        let mut answers = Vec::new();
        for (command, answer) in racing {
            answers.push((command, answer.await.expect("a submission does not panic")));
        }
        database.treat_all(Fault::None);
        database.delay_hints(|_| vec![Duration::ZERO]);
        // Hints may be lost: the nodes compare their tables with the store from time to time.
        sleep(Duration::from_secs(5)).await;
        let stored = database.load(game).await.expect("the game is stored");
        check_log(&stored, &mut counts);
        check_answers(&stored, &answers, &mut counts);
        for node in &nodes {
            let live = node.tables.get(game).await.unwrap().unwrap();
            let table = database.table(game).await;
            assert_eq!(live.read(observed), observed(&table), "{stored:?}");
        }
    }
    for (what, count) in database.counts() {
        *counts.entry(what).or_default() += count;
    }
    counts
}

/// A game of two or three people, each of whom has played.
async fn begin(node: &Node, random: &mut Random) -> GameId {
    let people = 2 + random.below(2);
    let human = |seat| Holder::Human {
        name: format!("p{seat}"),
        node: None,
    };
    let clock = ["180+2", "move 600"].get(random.below(4));
    let new = NewGame {
        settings: Settings {
            id: GameId::random(),
            variant: variant(["5x5k4", "5x5k4p3"][people - 2]),
            history: 0,
            start: None,
            holders: (0..people).map(human).collect(),
            clock: clock.map(|clock| clock.parse().unwrap()),
            is_listed: true,
            created_ms: node.tables.clock().now_ms(),
        },
        key: None,
    };
    let live = match node.tables.create(new, None, None).await {
        Ok(Creation::Created(live)) => live,
        other => panic!("{other:?}"),
    };
    for seat in 0..people {
        let play = play(&live.read(Table::clone), Seat(seat as u8), random);
        node.tables.submit(&live, &play).await.unwrap();
    }
    live.id()
}

fn play(table: &Table, seat: Seat, random: &mut Random) -> Command {
    let legal = table.game().legal();
    Command::Act {
        seat,
        action: Action::Play(legal[random.below(legal.len())]),
        turn: table.turn(),
        key: new_key(random),
    }
}

fn new_key(random: &mut Random) -> Option<Box<RequestKey>> {
    let text = format!("{:x}{:x}", random.draw(), random.draw());
    let (request, former_hash) = (1, 1);
    let key = Key { text, request };
    Some(Box::new(RequestKey { key, former_hash }))
}

/// The commands of the players, each with its delay. They are submitted at about the same time.
fn race(table: &Table, random: &mut Random) -> Vec<(Command, Duration)> {
    let people = table.holders().len();
    let offering = random.below(people);
    let offer = [Offer::Draw, Offer::Takeback][random.below(2)];
    let mut commands = Vec::new();
    let key = new_key(random);
    let seat = Seat(offering as u8);
    commands.push((Command::Offer { seat, offer, key }, up_to_ms(random, 100)));
    for other in (0..people).filter(|other| *other != offering) {
        let seat = Seat(other as u8);
        let answer = match random.below(10) {
            0..=6 => Answer::Accept(offer),
            7..=8 => Answer::Decline(offer),
            _ => continue,
        };
        let key = new_key(random);
        commands.push((Command::Answer { seat, answer, key }, up_to_ms(random, 500)));
    }
    if random.below(4) == 0 {
        let (answer, key) = (Answer::Decline(offer), new_key(random));
        commands.push((Command::Answer { seat, answer, key }, up_to_ms(random, 500)));
    }
    if let Some(seat) = table.game().to_move().filter(|_| random.below(4) > 0) {
        commands.push((play(table, seat, random), up_to_ms(random, 500)));
        if random.below(4) == 0 {
            // From another device.
            commands.push((play(table, seat, random), up_to_ms(random, 500)));
        }
    }
    commands
}

/// The database is slow, loses some requests and replies, and hints are late or lost.
fn inject_faults(database: &Database, random: &mut Random) {
    let (mut faults, mut hints) = (Random::new(random.draw()), Random::new(random.draw()));
    database.treat(move |request| match request.operation {
        Operation::Append | Operation::Read => Treatment {
            before: up_to_ms(&mut faults, 150),
            fault: match faults.below(12) {
                0 => Fault::RequestLost,
                1 => Fault::ReplyLost,
                _ => Fault::None,
            },
            after: up_to_ms(&mut faults, 150),
        },
        _ => Treatment::default(),
    });
    database.delay_hints(move |_| match hints.below(4) {
        0 => Vec::new(),
        _ => vec![up_to_ms(&mut hints, 600)],
    });
}

/// Submits a command to any node, again with the same key until there is an answer.
async fn submit_anywhere(
    tables: Vec<Arc<noughts_server::Tables>>,
    game: GameId,
    command: Command,
    delay: Duration,
    mut random: Random,
) -> Result<(), TableRefusal> {
    sleep(delay).await;
    loop {
        let tables = &tables[random.below(tables.len())];
        if let Ok(Some(live)) = tables.get(game).await {
            match tables.submit(&live, &command).await {
                Ok(()) => return Ok(()),
                Err(SubmitError::Refused(refusal)) => return Err(refusal),
                Err(SubmitError::Unavailable(_) | SubmitError::Busy | SubmitError::Closed) => {}
                Err(SubmitError::NoSuchGame) => panic!("{game} is not stored"),
            }
        }
        sleep(up_to_ms(&mut random, 300)).await;
    }
}

#[derive(PartialEq, Debug)]
struct Observed {
    entry: u32,
    turns: Vec<Turn>,
    offers: Vec<OpenOffer>,
    conclusion: Option<Conclusion>,
    used_ms: Vec<u64>,
}

fn observed(table: &Table) -> Observed {
    Observed {
        entry: table.entry(),
        turns: table.game().turns().to_vec(),
        offers: table.offers().to_vec(),
        conclusion: table.game().conclusion().cloned(),
        used_ms: table.used_ms().to_vec(),
    }
}

/// Checks that the table decides every entry in the same way after the entries before it, and counts the results.
fn check_log(stored: &StoredGame, counts: &mut Counts) {
    let mut table = Table::new(stored.settings.clone()).unwrap();
    let mut log = stored.entries.iter().peekable();
    while let Some(first) = log.peek() {
        let key = None;
        let command = match &first.entry {
            Entry::Turn(turn) => Command::Act {
                seat: turn.by,
                action: turn.action,
                turn: table.turn(),
                key,
            },
            Entry::Offered { seat, offer } => Command::Offer {
                seat: *seat,
                offer: *offer,
                key,
            },
            Entry::Answered { seat, answer } => Command::Answer {
                seat: *seat,
                answer: *answer,
                key,
            },
            other => panic!("{other:?} follows from nothing: {stored:?}"),
        };
        let offers = table.offers().len();
        let decided = table.decide(&command, first.at_ms);
        let decision = decided.unwrap_or_else(|refusal| panic!("{refusal}: {stored:?}"));
        let decision = decision.unwrap_or_else(|| panic!("{command:?} repeats: {stored:?}"));
        for expected in &decision.entries {
            let logged = log.next().expect("all entries of a decision are stored");
            assert_eq!(logged.entry, expected.entry, "{stored:?}");
            table.apply(logged).unwrap();
        }
        let declined = matches!(command, Command::Act { .. }) && table.offers().len() < offers;
        *counts.entry("offers that lapsed by a turn").or_default() += usize::from(declined);
    }
    let is_takeback = |turn: &&Turn| matches!(turn.action, Action::Takeback(_));
    let takebacks = table.game().turns().iter().filter(is_takeback).count();
    let reason = DrawReason::Agreement;
    let is_draw = table.game().conclusion() == Some(&Conclusion::Draw { reason });
    for (what, count) in [("takebacks", takebacks), ("agreed draws", is_draw.into())] {
        if count > 0 {
            *counts.entry(what).or_default() += count;
        }
    }
    counts.retain(|_, count| *count > 0);
}

/// Checks that refused commands are not in the log, and that acknowledged commands are in it once, unless they changed
/// nothing.
fn check_answers(
    stored: &StoredGame,
    answers: &[(Command, Result<(), TableRefusal>)],
    counts: &mut Counts,
) {
    let turns = stored
        .entries
        .iter()
        .filter_map(|logged| match logged.entry {
            Entry::Turn(turn) => Some(turn),
            _ => None,
        });
    let turns: Vec<Turn> = turns.collect();
    for (command, answer) in answers {
        let (Command::Act { key, .. } | Command::Offer { key, .. } | Command::Answer { key, .. }) =
            command
        else {
            panic!("{command:?}");
        };
        let text = &key.as_ref().expect("all have keys").key.text;
        let is_its = |key: &Key| key.text == *text;
        let entries = stored.entries.iter();
        let times = entries.filter(|logged| logged.key.as_deref().is_some_and(is_its));
        let times = times.count();
        match answer {
            Ok(()) => assert!(times <= 1, "{command:?}: {stored:?}"),
            Err(refusal) => assert_eq!(times, 0, "{refusal} {command:?}: {stored:?}"),
        }
        if let (
            Command::Act {
                seat, action, turn, ..
            },
            Ok(()),
        ) = (command, answer)
        {
            let (by, action) = (*seat, *action);
            let done = turns.get(turn - 1);
            assert_eq!(done, Some(&Turn { by, action }), "{stored:?}");
        }
        let what = match (command, answer) {
            (Command::Act { .. }, Ok(())) => "turns acknowledged",
            (Command::Act { .. }, Err(_)) => "turns refused",
            (Command::Offer { .. }, Ok(())) => "offers acknowledged",
            (Command::Answer { answer, .. }, Ok(())) => match answer {
                Answer::Decline(Offer::Draw) => "draws declined",
                Answer::Accept(_) | Answer::Decline(_) => "answers acknowledged",
            },
            (_, Err(TableRefusal::NoOffer { .. })) => "answers refused: no offer",
            (_, Ok(())) => "other commands acknowledged",
            (_, Err(_)) => "refused for other reasons",
        };
        *counts.entry(what).or_default() += 1;
    }
}
