//! A game on a server, with events in an order that the network may give them, and a clock that the test sets.

use std::cell::RefCell;
use std::io::{self, BufReader, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use noughts_engine::{Clock, EngineSetup};
use noughts_rules::{ClockSettings, Record, Seat};
use noughts_terminal::play::{
    Claim, Clocks, Keyboard, Offer, OfferKind, PlayEnd, PlayEvent, PlayRequest, PlaySettings,
    RequestError, TableState, play,
};

/// The table after these turns and offers, written as in a record.
fn table(lines: &str) -> TableState {
    let version = 1 + u8::from(lines.contains("offer") || lines.contains("by resignation"));
    let result = match lines.contains("resign") {
        true => "won o by resignation",
        false => "unfinished",
    };
    let text = format!(
        "noughts {version}\nvariant 3x3k3\nhistory 0\nseat 0 x human Ann\nseat 1 o human Bob\n{lines}result {result}\n"
    );
    let record: Record = text
        .parse()
        .unwrap_or_else(|error| panic!("{error}: {text}"));
    TableState {
        entry: u32::try_from(lines.lines().count()).unwrap(),
        record,
        open_seats: Vec::new(),
        absent: Vec::new(),
        offers: Vec::new(),
        clocks: None,
        has_rematch: false,
    }
}

fn state(lines: &str) -> PlayEvent {
    PlayEvent::State(Box::new(table(lines)))
}

fn typed(line: &str) -> PlayEvent {
    PlayEvent::Line(Some(line.to_owned()))
}

/// A clock that stands still until the test sets it.
#[derive(Default)]
struct TestClock(AtomicU64);

impl Clock for TestClock {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::SeqCst))
    }
}

/// Output that the test reads while the game is played.
struct Output(Sender<Vec<u8>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.send(bytes.to_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A game in another thread, in which seat 0 is played.
struct Played {
    events: SyncSender<PlayEvent>,
    requests: Receiver<PlayRequest>,
    clock: Arc<TestClock>,
    output: Receiver<Vec<u8>>,
    shown: RefCell<String>,
    end: thread::JoinHandle<PlayEnd>,
}

impl Played {
    fn start(first: TableState) -> Played {
        let (sender, events) = channel_of_events();
        let (request_sender, requests) = channel();
        let (shown_sender, output) = channel();
        let clock = Arc::new(TestClock::default());
        let setup = EngineSetup {
            seed: 1,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
        };
        let settings = PlaySettings {
            seat: Some(Seat(0)),
            robot: None,
            is_interactive: true,
        };
        let end = thread::spawn(move || {
            let output = Output(shown_sender);
            play(&settings, &setup, request_sender, &events, output).unwrap()
        });
        sender.send(PlayEvent::State(Box::new(first))).unwrap();
        Played {
            events: sender,
            requests,
            clock,
            output,
            shown: RefCell::default(),
            end,
        }
    }

    fn send(&self, event: PlayEvent) {
        self.events.send(event).unwrap();
    }

    /// Reads until this text is shown. Returns everything that was shown since the last call, up to this text.
    fn until(&self, text: &str) -> String {
        let mut shown = self.shown.borrow_mut();
        loop {
            if let Some(at) = shown.find(text) {
                let rest = shown.split_off(at + text.len());
                return std::mem::replace(&mut *shown, rest);
            }
            let some = self.output.recv_timeout(Duration::from_secs(60));
            let some = some.unwrap_or_else(|_| panic!("no {text:?} in {shown}"));
            shown.push_str(std::str::from_utf8(&some).unwrap());
        }
    }

    /// Types a line, accepts the request that the line causes, and returns the request.
    fn request(&self, line: &str) -> PlayRequest {
        self.send(typed(line));
        let request = self.requests.recv().unwrap();
        self.send(PlayEvent::Answer(Ok(())));
        request
    }

    /// Leaves, and returns everything that was not read yet.
    fn leave(self) -> String {
        self.send(typed(":q"));
        assert_eq!(self.end.join().unwrap(), PlayEnd::Left);
        let rest: Vec<u8> = self.output.into_iter().flatten().collect();
        self.shown.into_inner() + std::str::from_utf8(&rest).unwrap()
    }
}

const PROMPT: &str = "Your move (row-column): ";

#[test]
fn answer_that_overtakes_the_new_stream_waits_for_it() {
    let played = Played::start(table(""));
    let turns = "1 0 1-1\n2 1 0-0\n";
    for event in [
        PlayEvent::Disconnected,
        typed("1-1"),
        state(turns),
        PlayEvent::Answer(Ok(())),
        PlayEvent::Reconnected,
        state(turns),
    ] {
        played.send(event);
    }
    played.until("1-1 will be sent when the connection is back.");
    played.until("You're back, nothing was missed.");
    played.until("You play 1-1.");
    played.until("Bob (o) plays 0-0.");
    played.leave();
}

#[test]
fn both_clocks_are_shown_and_little_time_is_told() {
    let seconds = Duration::from_secs;
    let clocks = |left: [u64; 2], running| Clocks {
        settings: ClockSettings::fischer(180, 2).unwrap(),
        left: left.map(seconds).to_vec(),
        running,
    };
    let with_clock = |lines, left, running: Option<u8>| TableState {
        clocks: Some(clocks(left, running.map(Seat))),
        ..table(lines)
    };
    let played = Played::start(with_clock("", [180, 180], None));
    let shown = played.until(PROMPT);
    assert!(
        shown.contains("The clock: 3:00 per player, and 2 s more after each move."),
        "{shown}"
    );
    assert!(shown.contains("must come within 30 s"), "{shown}");
    assert!(
        shown.ends_with("[x 3:00  o 3:00] Your move (row-column): "),
        "{shown}"
    );
    let event = |state| PlayEvent::State(Box::new(state));
    played.send(event(with_clock("1 0 1-1\n", [180, 180], None)));
    played.until("[x 3:00  o 3:00] Waiting for Bob (o).\n");
    played.send(event(with_clock("1 0 1-1\n2 1 0-0\n", [65, 180], Some(0))));
    played.until("[x 1:05  o 3:00] Your move (row-column): ");
    // The running clock goes on without the server.
    played.clock.0.store(3, Ordering::SeqCst);
    played.send(typed(""));
    played.until("[x 1:02  o 3:00]\n");
    played.until(PROMPT);
    for (at, told) in [
        (5, "You have 60 s left."),
        (36, "You have 30 s left."),
        (56, "You have 10 s left."),
    ] {
        played.clock.0.store(at, Ordering::SeqCst);
        played.send(typed("clock"));
        let shown = played.until(told);
        assert!(
            !shown[..shown.len() - told.len()].contains("left."),
            "{shown}"
        );
        played.until(PROMPT);
    }
    let rest = played.leave();
    assert!(!rest.contains("s left."), "{rest}");
}

/// Without the clock, the strategy would search for an hour.
#[test]
fn robot_moves_within_its_clock() {
    let started = Instant::now();
    for (settings, left_s, running) in [
        // A thirtieth of the time that is left.
        (ClockSettings::fischer(60, 0), 30, Some(Seat(0))),
        // Half of the time per move.
        (ClockSettings::per_move(2), 2, Some(Seat(0))),
    ] {
        let mut first = table("");
        let text = first.record.to_string().replace("3x3k3", "15x15k5");
        first.record = text.parse().unwrap();
        first.clocks = Some(Clocks {
            settings: settings.unwrap(),
            left: vec![Duration::from_secs(left_s); 2],
            running,
        });
        let (sender, events) = channel_of_events();
        sender.send(PlayEvent::State(Box::new(first))).unwrap();
        let (requests, sent) = channel();
        let settings = PlaySettings {
            seat: Some(Seat(0)),
            robot: Some("search:3600s".parse().unwrap()),
            is_interactive: false,
        };
        thread::spawn(move || {
            play(
                &settings,
                &EngineSetup::with_seed(1),
                requests,
                &events,
                io::sink(),
            )
        });
        let request = sent.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(
            matches!(request, PlayRequest::Act { turn: 1, .. }),
            "{request:?}"
        );
    }
    assert!(
        started.elapsed() >= Duration::from_secs(2),
        "the time is used"
    );
}

fn channel_of_events() -> (SyncSender<PlayEvent>, Receiver<PlayEvent>) {
    let (keyboard, events) = Keyboard::new(None::<BufReader<io::Empty>>);
    (keyboard.sender(), events)
}

#[test]
fn typed_commands_become_requests() {
    let bob_offers = |kind| TableState {
        offers: vec![Offer {
            kind,
            seat: Seat(1),
        }],
        ..table("1 0 1-1\n2 1 0-0\n")
    };
    let played = Played::start(bob_offers(OfferKind::Takeback));
    played.until("Bob (o) asks to take back a move. Type accept or decline.");
    for (line, request) in [
        ("draw", PlayRequest::Offer(OfferKind::Draw)),
        ("takeback", PlayRequest::Accept(OfferKind::Takeback)),
        ("accept", PlayRequest::Accept(OfferKind::Takeback)),
        ("decline", PlayRequest::Decline(OfferKind::Takeback)),
        ("decline draw", PlayRequest::Decline(OfferKind::Draw)),
        ("abort", PlayRequest::Abort),
        ("claim", PlayRequest::Claim(Claim::Win)),
        ("claim draw", PlayRequest::Claim(Claim::Draw)),
        (
            "2 2",
            PlayRequest::Act {
                turn: 3,
                action: "2-2".to_owned(),
            },
        ),
    ] {
        assert_eq!(played.request(line), request, "{line}");
    }
    // The record may be newer than the list of offers.
    let played = Played::start(table("1 0 1-1\n2 1 0-0\n"));
    played.send(state("1 0 1-1\n2 1 0-0\noffer 1 draw\n"));
    played.until("Bob (o) offers a draw.");
    let accept = PlayRequest::Accept(OfferKind::Draw);
    assert_eq!(played.request("accept"), accept);
    let played = Played::start(table(""));
    for (line, text) in [
        ("accept", "There is no offer to answer."),
        (
            "decline the thing",
            "\"the thing\" is not an offer: there are draw, takeback and rematch.",
        ),
        (
            "rematch",
            "A rematch can be asked for when the game is over.",
        ),
        ("?", "draw      offer a draw\n"),
        ("clock", "This game has no clock."),
        (
            "checkmate",
            "\"checkmate\" is not a move. Please type a move such as 1-0",
        ),
    ] {
        played.send(typed(line));
        played.until(text);
    }
    // The reason of a refusal comes from the server.
    played.send(typed("claim"));
    played.requests.recv().unwrap();
    let why = "it is too early".to_owned();
    played.send(PlayEvent::Answer(Err(RequestError::Refused(why))));
    played.until("It is too early.\n");
    played.until(PROMPT);
    // `leave` is another word for `:q`.
    played.send(typed("leave"));
    assert_eq!(played.end.join().unwrap(), PlayEnd::Left);
}

#[test]
fn offers_are_told_in_the_order_of_the_log() {
    let played = Played::start(table("1 0 1-1\n2 1 0-0\n"));
    played.until(PROMPT);
    // One state may bring several steps.
    let lines = "1 0 1-1\n2 1 0-0\noffer 1 draw\ndecline 0 draw\n3 0 2-2\noffer 0 takeback\naccept 1 takeback\n";
    played.send(state(lines));
    for text in [
        "Bob (o) offers a draw. Type accept or decline.",
        "You decline the draw.",
        "You play 2-2.",
        "You ask to take back a move.",
        "Bob (o) accepts the takeback.",
        "Waiting for Bob (o).",
    ] {
        played.until(text);
    }
    // An offer that the others declined by playing on.
    let offer = Offer {
        kind: OfferKind::Draw,
        seat: Seat(0),
    };
    let lines = format!("{lines}offer 0 draw\n");
    played.send(PlayEvent::State(Box::new(TableState {
        offers: vec![offer],
        ..table(&lines)
    })));
    played.until("You offer a draw.\n");
    played.send(state(&format!("{lines}4 1 0-2\n")));
    played.until("Bob (o) plays 0-2.");
    played.until("Your draw offer has ended without an answer.");
    played.leave();
}

#[test]
fn silent_server_is_told_and_left_at_once() {
    let played = Played::start(table(""));
    played.until(PROMPT);
    played.send(typed("1-1"));
    played.requests.recv().unwrap();
    played.clock.0.store(3, Ordering::SeqCst);
    played.send(typed("clock"));
    played.until("The server has not answered 1-1 yet. Still trying… :q leaves.\n");
    let rest = played.leave();
    assert!(
        rest.ends_with("The server has not confirmed 1-1.\n"),
        "{rest}"
    );
}

#[test]
fn absent_players_are_told_after_a_while() {
    let away = || TableState {
        absent: vec![Seat(1)],
        ..table("1 0 1-1\n")
    };
    let played = Played::start(away());
    played.until("Waiting for Bob (o).");
    played.clock.0.store(9, Ordering::SeqCst);
    played.send(state("1 0 1-1\n"));
    played.send(PlayEvent::State(Box::new(away())));
    played.send(typed("clock"));
    played.until("This game has no clock.");
    played.clock.0.store(20, Ordering::SeqCst);
    played.send(typed("clock"));
    played.until("Bob (o) is away. If that lasts, claim ends the game.\n");
    played.send(state("1 0 1-1\n"));
    let shown = played.until("Bob (o) is back.\n");
    assert!(!shown.contains("away"), "{shown}");
    played.leave();
}

#[test]
fn rematch_is_asked_for_when_the_game_is_over() {
    let over = "1 0 1-1\n2 1 0-0\n3 0 resign\n";
    let played = Played::start(table("1 0 1-1\n2 1 0-0\n"));
    played.send(state(over));
    played.until("Bob (o) has won by resignation.\nType rematch to play again, Enter to leave: ");
    played.send(typed("what"));
    played.until("The game is over. rematch asks the others to play again");
    assert_eq!(
        played.request("rematch"),
        PlayRequest::Offer(OfferKind::Rematch)
    );
    played.send(PlayEvent::State(Box::new(TableState {
        has_rematch: true,
        ..table(over)
    })));
    assert_eq!(played.end.join().unwrap(), PlayEnd::Rematch);
    // Enter leaves a finished game.
    let played = Played::start(table(over));
    played.until("Enter to leave: ");
    played.send(typed(""));
    assert_eq!(played.end.join().unwrap(), PlayEnd::Over);
}

#[test]
fn late_answer_does_not_end_the_wait_for_a_rematch() {
    let refused = |why: &str| PlayEvent::Answer(Err(RequestError::Refused(why.to_owned())));
    let played = Played::start(table("1 0 1-1\n2 1 0-0\n"));
    played.until(PROMPT);
    played.send(typed("draw"));
    assert_eq!(
        played.requests.recv().unwrap(),
        PlayRequest::Offer(OfferKind::Draw)
    );
    played.send(state("1 0 1-1\n2 1 0-0\n3 0 resign\n"));
    played.until("Enter to leave: ");
    played.send(typed("rematch"));
    assert_eq!(
        played.requests.recv().unwrap(),
        PlayRequest::Offer(OfferKind::Rematch)
    );
    // The answer to the draw offer, then the answer to the rematch request.
    played.send(refused("too late"));
    played.send(refused("everybody has left"));
    assert_eq!(played.until("Everybody has left."), "Everybody has left.");
    played.until("Enter to leave: ");
    played.send(typed(""));
    assert_eq!(played.end.join().unwrap(), PlayEnd::Over);
}

#[test]
fn keyboard_types_into_one_game_after_the_other() {
    /// Lines that the test types one by one.
    struct Lines(Arc<Mutex<Receiver<&'static [u8]>>>);
    impl io::Read for Lines {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let line = self.0.lock().unwrap().recv().unwrap_or(b"");
            into[..line.len()].copy_from_slice(line);
            Ok(line.len())
        }
    }
    let (type_in, lines) = channel();
    let input = BufReader::new(Lines(Arc::new(Mutex::new(lines))));
    let (keyboard, first) = Keyboard::new(Some(input));
    let line = |events: &Receiver<PlayEvent>| match events.recv().unwrap() {
        PlayEvent::Line(line) => line,
        other => panic!("{other:?}"),
    };
    type_in.send(b"1-1\n").unwrap();
    assert_eq!(line(&first).as_deref(), Some("1-1"));
    let second = keyboard.next_game();
    drop(first);
    type_in.send(b"2-2\n").unwrap();
    assert_eq!(line(&second).as_deref(), Some("2-2"));
    drop(type_in);
    assert_eq!(line(&second), None);
}
