//! `noughts engine` as a manager meets it: lines in, lines out.

use std::io::{self, BufReader, Cursor, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use noughts_engine::{Clock, EngineSetup, Stop, StrategyName};
use noughts_gomocup::serve;
use noughts_rules::{Action, Game, Move, Options};

/// What it says to these lines, without its messages.
fn talk(strategy: &str, said: &str) -> Vec<String> {
    let mut lines = answers(strategy, said);
    lines.retain(|line| !line.starts_with("MESSAGE"));
    lines
}

fn answers(strategy: &str, said: &str) -> Vec<String> {
    let strategy: Option<StrategyName> = match strategy {
        "" => None,
        name => Some(name.parse().unwrap()),
    };
    let mut output = Vec::new();
    let input = Cursor::new(said.to_owned());
    serve(
        strategy.as_ref(),
        &EngineSetup::with_seed(1),
        input,
        &mut output,
    )
    .unwrap();
    let lines = String::from_utf8(output).unwrap();
    lines.lines().map(str::to_owned).collect()
}

fn check(strategy: &str, said: &str, answers: &[&str]) {
    assert_eq!(talk(strategy, said), answers, "{said}");
}

#[test]
fn a_game_is_played_turn_by_turn() {
    // `first` plays the first free cell, row by row: x counts columns.
    check(
        "first",
        "START 15\nBEGIN\nTURN 1,0\nTURN 3,0\nEND\n",
        &["OK", "0,0", "2,0", "4,0"],
    );
    check("first", "START 15\r\nTURN 0,0\r\nEND\r\n", &["OK", "1,0"]);
    check("first", "RECTSTART 6,5\nTURN 0,0\nEND\n", &["OK", "1,0"]);
    check("first", "start 20\nbegin\nend\n", &["OK", "0,0"]);
    // Without END, and without a last newline.
    check("first", "START 5\nBEGIN", &["OK", "0,0"]);
}

#[test]
fn a_board_is_taken_as_it_is_told() {
    check(
        "first",
        "START 15\nBOARD\n0,0,1\n1,0,2\nDONE\nEND\n",
        &["OK", "2,0"],
    );
    // In any order, and with any number of marks a side.
    check(
        "first",
        "START 15\nBOARD\n1,0,2\n0,0,2\n2,0,2\nDONE\nEND\n",
        &["OK", "3,0"],
    );
    check("first", "START 15\nBOARD\nDONE\nEND\n", &["OK", "0,0"]);
    check(
        "first",
        "START 15\nBEGIN\nRESTART\nBEGIN\nEND\n",
        &["OK", "0,0", "OK", "0,0"],
    );
    check(
        "first",
        "START 15\nBEGIN\nTURN 1,0\nTAKEBACK 2,0\nTAKEBACK 1,0\nTURN 5,5\nEND\n",
        &["OK", "0,0", "2,0", "OK", "OK", "1,0"],
    );
}

/// Nothing is left of a game in the next one: its messages, which count positions, are those of the first.
#[test]
fn every_game_is_played_as_the_first() {
    let start = "START 15\nINFO max_memory 0\nINFO max_node 3000\n";
    let game = "BOARD\n7,7,1\n8,7,2\n5,9,1\n9,5,2\nDONE\nTURN 0,0\n";
    let first = answers("", &format!("{start}{game}"));
    assert_eq!(first.len(), 5, "{first:?}");
    for between in [
        "RESTART",
        "START 15",
        "RECTSTART 15,15",
        "START 15\nINFO rule 0\nINFO max_memory 0\nINFO thread_num 1",
        "START 15\nINFO max_node 60000\nBEGIN\nRESTART\nINFO max_node 3000",
    ] {
        let said = answers("", &format!("{start}{game}{between}\n{game}"));
        assert_eq!(said[said.len() - 4..], first[1..], "{between}");
    }
    // Another rule makes another game, where it is heard: not while it thinks.
    let mut engine = Engine::start(EngineSetup::with_seed(1));
    engine.say(&format!("{start}{game}"));
    assert_eq!(engine.lines(5), first);
    engine.say(&format!("INFO rule 1\nINFO rule 0\n{game}"));
    assert_eq!(engine.lines(4), first[1..]);
    // Asked about the same position again it does remember.
    engine.say(game);
    assert_ne!(engine.lines(4), first[1..]);
    engine.say("END\n");
}

#[test]
fn it_wins_where_it_can_and_blocks_where_it_must() {
    let four = "START 15\nINFO max_node 2000\nBOARD\n3,7,1\n0,0,2\n4,7,1\n2,0,2\n5,7,1\n4,0,2\n6,7,1\n2,7,2\nDONE\n";
    check("", four, &["OK", "7,7"]);
    let block = four
        .replace(",1\n", ",9\n")
        .replace(",2\n", ",1\n")
        .replace(",9\n", ",2\n");
    check("", &block, &["OK", "7,7"]);
    // Exact five: 3 to 6 and 8 are there, so 7 would make six, and the other end is free.
    let exact = "INFO rule 1\nINFO max_node 2000\nSTART 15\nBOARD\n3,7,1\n0,0,2\n4,7,1\n2,0,2\n5,7,1\n4,0,2\n6,7,1\n6,0,2\n8,7,1\n8,0,2\nDONE\n";
    check("", exact, &["OK", "2,7"]);
}

#[test]
fn what_is_wrong_is_said_and_changes_nothing() {
    let told = |said: &str| talk("first", said);
    for (said, word, part) in [
        ("TURN 0,0", "ERROR", "START 15"),
        ("BEGIN", "ERROR", "START 15"),
        ("RESTART", "ERROR", "START 15"),
        ("BOARD", "ERROR", "START 15"),
        ("START", "ERROR", "START 15"),
        ("START x", "ERROR", "START 15"),
        ("START 4", "ERROR", "5 to 22"),
        ("START 23", "ERROR", "5 to 22"),
        ("START 99999999999999999999999", "ERROR", "START 15"),
        ("RECTSTART 15", "ERROR", "RECTSTART 20,15"),
        ("JUMP", "UNKNOWN", "JUMP"),
        ("INFO variant 3x3", "ERROR", "3x3"),
        ("INFO variant multi\nSTART 15", "ERROR", "9 columns"),
    ] {
        let answers = told(said);
        let last = answers.last().unwrap();
        assert!(
            last.starts_with(word) && last.contains(part),
            "{said}: {last}"
        );
    }
    for (said, part) in [
        ("TURN 15,0", "no move"),
        ("TURN 0", "no move"),
        ("TURN 0,0", "taken"),
        ("BEGIN", "not empty"),
        ("TAKEBACK 5,5", "latest"),
    ] {
        let answers = told(&format!("START 15\nBEGIN\n{said}\nTURN 9,9\nEND\n"));
        assert_eq!(answers.len(), 4, "{answers:?}");
        assert!(
            answers[2].starts_with("ERROR") && answers[2].contains(part),
            "{answers:?}"
        );
        assert_eq!(answers[3], "1,0", "{said}");
    }
    let answers = told("START 15\nBOARD\n0,0,1\nnonsense\nDONE\nBOARD\n0,0,1\n0,0,2\nDONE\nEND\n");
    assert!(answers[1].contains("nonsense"), "{answers:?}");
    assert!(answers[2].starts_with("ERROR"), "{answers:?}");
    let over = "START 15\nBOARD\n0,0,2\n1,0,2\n2,0,2\n3,0,2\n4,0,2\nDONE\nEND\n";
    assert_eq!(told(over)[1], "ERROR the game is over");
    let renju = told("INFO rule 4\nSTART 15\nBEGIN\nEND\n");
    assert!(renju[1].starts_with("ERROR rule 4"), "{renju:?}");
}

#[test]
fn what_is_not_known_of_the_world_is_not_answered() {
    let info = "START 15\nINFO max_memory 83886080\nINFO folder /tmp\nINFO evaluate 1,1\nINFO\nINFO x y z\n\n\nYXSTOP\nBEGIN\nEND\n";
    check("first", info, &["OK", "0,0"]);
    let about = talk("first", "ABOUT\nEND\n");
    assert!(
        about[0].starts_with("name=\"Noughts\", version=\""),
        "{about:?}"
    );
}

#[test]
fn every_other_game_is_named_and_moves_are_written_as_everywhere() {
    let start = "INFO variant 3x3k3\nSTART 3\n";
    check(
        "first",
        &format!("{start}BEGIN\nTURN 1-1\nEND\n"),
        &["OK", "0-0", "0-1"],
    );
    check(
        "first",
        "INFO variant multi@4\nSTART 9\nTURN 4-2\nEND\n",
        &["OK", "2-0"],
    );
    check(
        "first",
        "INFO variant 7x6k4+gravity\nRECTSTART 7,6\nBEGIN\nTURN 4-0\nEND\n",
        &["OK", "5-0", "3-0"],
    );
    // Three sides: 1 is its own, 2 who moves after it, 3 who moved before it.
    check(
        "greedy",
        "INFO variant 4x4k3p3\nSTART 4\nBOARD\n0-0,1\n3-3,2\n2-0,3\n0-1,1\n3-1,2\n2-3,3\nDONE\nEND\n",
        &["OK", "0-2"],
    );
    // A position that no turns explain: where to play must be said.
    let odd = "INFO variant multi\nSTART 9\nBOARD\n4-2,1\n2-4,1\nDONE\n";
    assert!(talk("first", odd)[1].starts_with("ERROR"));
    check("first", &odd.replace("DONE", "in 4\nDONE"), &["OK", "4-0"]);
}

#[test]
fn strangers_lines_are_heard_in_bounded_memory() {
    let said = format!("{}\nSTART 15\nBEGIN\nEND\n", "x".repeat(1_000_000));
    check(
        "first",
        &said,
        &["ERROR this line is too long", "OK", "0,0"],
    );
}

/// A pipe in memory: what is written comes out where it is read.
struct Out(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Out {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.1.is_empty() {
            match self.0.recv() {
                Ok(more) => self.1 = more,
                Err(_) => return Ok(0),
            }
        }
        let count = bytes.len().min(self.1.len());
        bytes[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

struct In(Sender<Vec<u8>>);

impl Write for In {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn it_reads_while_it_thinks() {
    let (says, heard) = channel();
    let (answers, lines) = channel();
    let engine = thread::spawn(move || {
        let strategy: StrategyName = "search:3600s".parse().unwrap();
        let input = BufReader::new(Out(heard, Vec::new()));
        serve(
            Some(&strategy),
            &EngineSetup::with_seed(1),
            input,
            In(answers),
        )
        .unwrap();
    });
    let mut lines = io::BufRead::lines(BufReader::new(Out(lines, Vec::new())));
    let mut next = || {
        lines
            .by_ref()
            .map(|line| line.unwrap())
            .find(|line| !line.starts_with("MESSAGE"))
            .unwrap()
    };
    let say = |text: &str| says.send(text.as_bytes().to_vec()).unwrap();
    say("START 15\nTURN 7,7\n");
    assert_eq!(next(), "OK");
    // It would think for an hour. Meanwhile it answers, and waits with what is for later.
    say("ABOUT\nRESTART\n");
    assert!(next().starts_with("name="));
    say("YXSTOP\n");
    let at = next();
    assert!(at.contains(',') && at != "7,7", "{at}");
    assert_eq!(next(), "OK");
    say("BEGIN\nEND\n");
    engine.join().unwrap();
}

/// A clock that goes on by itself, a millisecond at every look.
#[derive(Default)]
struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// An engine in a thread of its own: lines go in, answers come out.
struct Engine {
    says: Sender<Vec<u8>>,
    lines: io::Lines<BufReader<Out>>,
}

impl Engine {
    fn start(setup: EngineSetup) -> Engine {
        let (says, heard) = channel();
        let (answers, lines) = channel();
        thread::spawn(move || {
            let input = BufReader::new(Out(heard, Vec::new()));
            let _ = serve(None, &setup, input, In(answers));
        });
        let lines = io::BufRead::lines(BufReader::new(Out(lines, Vec::new())));
        Engine { says, lines }
    }

    fn say(&self, text: &str) {
        self.says.send(text.as_bytes().to_vec()).unwrap();
    }

    /// What it says next, its messages too.
    fn lines(&mut self, count: usize) -> Vec<String> {
        let lines = self.lines.by_ref().map(|line| line.unwrap());
        lines.take(count).collect()
    }

    fn answer(&mut self) -> String {
        let lines = self.lines.by_ref().map(|line| line.unwrap());
        let mut answers = lines.filter(|line| !line.starts_with("MESSAGE"));
        answers.next().unwrap()
    }
}

#[test]
fn a_game_with_a_clock_is_played_within_it() {
    let clock = Arc::new(Ticks::default());
    let mut engine = Engine::start(EngineSetup {
        seed: 1,
        clock: Arc::clone(&clock) as Arc<dyn Clock>,
    });
    engine.say("START 15\nINFO timeout_turn 1000\nINFO timeout_match 6000\n");
    assert_eq!(engine.answer(), "OK");
    let mut game = Game::new(&"15x15k5".parse().unwrap(), Options::default()).unwrap();
    let greedy: StrategyName = "greedy".parse().unwrap();
    let mut other = greedy.build(&game, &EngineSetup::with_seed(4)).unwrap();
    let (mut left, mut question) = (6_000, "BEGIN".to_owned());
    for _ in 0..12 {
        let Some(seat) = game.to_move() else { break };
        let before = clock.0.load(Ordering::Relaxed);
        engine.say(&format!("INFO time_left {left}\n{question}\n"));
        let answer = engine.answer();
        let used = clock.0.load(Ordering::Relaxed) - before;
        // The turn, and a fifth of what is left; a few looks come after the last.
        assert!(used <= (left / 5).min(1_000) + 3, "{used} of {left}");
        left = left.checked_sub(used).expect("it has time left");
        let (x, y) = answer.split_once(',').unwrap();
        let (x, y): (usize, usize) = (x.parse().unwrap(), y.parse().unwrap());
        game.act(seat, Action::Play(Move::at(15 * y + x))).unwrap();
        let Some(seat) = game.to_move() else { break };
        let at = other.choose(&game, &Stop::new()).at;
        game.act(seat, Action::Play(at)).unwrap();
        question = format!("TURN {},{}", at.index() % 15, at.index() / 15);
    }
    assert!(left > 0 && left < 5_000, "{left}");
    engine.say("END\n");
}

#[test]
fn it_thinks_in_as_many_threads_as_it_is_told() {
    for threads in ["1", "2", "1000000000", "0", "-1", "x"] {
        let said = format!(
            "START 15\nINFO thread_num {threads}\nINFO max_node 20000\nBOARD\n3,7,1\n4,7,1\n5,7,1\n6,7,1\n2,7,2\nDONE\nEND\n"
        );
        check("", &said, &["OK", "7,7"]);
    }
    let mut engine = Engine::start(EngineSetup::with_seed(1));
    engine.say("START 15\nINFO thread_num 2\nINFO timeout_turn 3600000\nTURN 7,7\nABOUT\n");
    assert_eq!(engine.answer(), "OK");
    assert!(engine.answer().starts_with("name="));
    engine.say("YXSTOP\nRESTART\n");
    assert!(engine.answer().contains(','));
    assert_eq!(engine.answer(), "OK");
    engine.say("END\n");
}
