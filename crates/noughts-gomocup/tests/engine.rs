//! `noughts engine` as a manager uses it: lines in, lines out.

use std::io::{self, BufReader, Cursor, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use noughts_engine::{Clock, EngineSetup, Stop, StrategyName};
use noughts_gomocup::serve;
use noughts_rules::{Action, Game, Move, Options};

/// The answers to these lines, without messages.
fn answers_without_messages(strategy: &str, said: &str) -> Vec<String> {
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
    assert_eq!(answers_without_messages(strategy, said), answers, "{said}");
}

#[test]
fn engine_plays_turn_by_turn() {
    // `first` plays the first free cell, row by row. The first number is the column.
    check(
        "first",
        "START 15\nBEGIN\nTURN 1,0\nTURN 3,0\nEND\n",
        &["OK", "0,0", "2,0", "4,0"],
    );
    check("first", "START 15\r\nTURN 0,0\r\nEND\r\n", &["OK", "1,0"]);
    check("first", "RECTSTART 6,5\nTURN 0,0\nEND\n", &["OK", "1,0"]);
    check("first", "start 20\nbegin\nend\n", &["OK", "0,0"]);
    // END and the last newline may be missing.
    check("first", "START 5\nBEGIN", &["OK", "0,0"]);
}

#[test]
fn board_command_sets_the_position() {
    check(
        "first",
        "START 15\nBOARD\n0,0,1\n1,0,2\nDONE\nEND\n",
        &["OK", "2,0"],
    );
    // The marks may be in any order, and each side may have any number.
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

/// A new game starts without state of the last game. The messages count searched positions; they must be the same in
/// both games.
#[test]
fn new_game_starts_without_state_of_the_last_one() {
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
    // After a change of the rule between two searches, the engine also starts without state.
    let mut engine = Engine::start(None, EngineSetup::with_seed(1));
    engine.say(&format!("{start}{game}"));
    assert_eq!(engine.lines(5), first);
    engine.say(&format!("INFO rule 1\nINFO rule 0\n{game}"));
    assert_eq!(engine.lines(4), first[1..]);
    // Within a game the engine keeps its table: the second search of a position differs. A refused variant changes
    // nothing.
    engine.say(game);
    assert_ne!(engine.lines(4), first[1..]);
    engine.say(&format!("RESTART\n{game}"));
    assert_eq!(engine.lines(5)[1..], first[1..]);
    engine.say(&format!("INFO variant 3x3\n{game}"));
    let answers = engine.lines(5);
    assert!(answers[0].starts_with("ERROR"), "{answers:?}");
    assert_ne!(answers[1..], first[1..]);
    engine.say("END\n");
}

#[test]
fn engine_completes_five_and_blocks_four() {
    let four = "START 15\nINFO max_node 2000\nBOARD\n3,7,1\n0,0,2\n4,7,1\n2,0,2\n5,7,1\n4,0,2\n6,7,1\n2,7,2\nDONE\n";
    check("", four, &["OK", "7,7"]);
    let block = four
        .replace(",1\n", ",9\n")
        .replace(",2\n", ",1\n")
        .replace(",9\n", ",2\n");
    check("", &block, &["OK", "7,7"]);
    // Exactly five: columns 3 to 6 and 8 are taken, so 7 would make six. Column 2 completes five.
    let exact = "INFO rule 1\nINFO max_node 2000\nSTART 15\nBOARD\n3,7,1\n0,0,2\n4,7,1\n2,0,2\n5,7,1\n4,0,2\n6,7,1\n6,0,2\n8,7,1\n8,0,2\nDONE\n";
    check("", exact, &["OK", "2,7"]);
}

#[test]
fn invalid_commands_are_refused_and_change_nothing() {
    let told = |said: &str| answers_without_messages("first", said);
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
        (
            "BOARD\n0,0,2\n1,0,2\n2,0,2\n3,0,2\n4,0,2\nDONE",
            "the game is over",
        ),
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
fn unknown_info_keys_are_ignored() {
    let info = "START 15\nINFO max_memory 83886080\nINFO folder /tmp\nINFO evaluate 1,1\nINFO\nINFO x y z\n\n\nYXSTOP\nBEGIN\nEND\n";
    check("first", info, &["OK", "0,0"]);
    let about = answers_without_messages("first", "ABOUT\nEND\n");
    assert!(
        about[0].starts_with("name=\"Noughts\", version=\""),
        "{about:?}"
    );
}

#[test]
fn other_variants_use_the_usual_notation() {
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
    // Three sides: owner 1 is the engine, owner 2 moves after the engine, owner 3 moved before the engine.
    check(
        "greedy",
        "INFO variant 4x4k3p3\nSTART 4\nBOARD\n0-0,1\n3-3,2\n2-0,3\n0-1,1\n3-1,2\n2-3,3\nDONE\nEND\n",
        &["OK", "0-2"],
    );
    // These marks cannot come from turns in order, so the board to play in must be named.
    let odd = "INFO variant multi\nSTART 9\nBOARD\n4-2,1\n2-4,1\nDONE\n";
    assert!(answers_without_messages("first", odd)[1].starts_with("ERROR"));
    check("first", &odd.replace("DONE", "in 4\nDONE"), &["OK", "4-0"]);
}

#[test]
fn turns_continue_a_set_up_position_on_nine_boards() {
    // The engine plays 4-0, the manager must answer on board 0.
    let start = "INFO variant multi\nSTART 9\nBOARD\n4-2,1\n2-4,1\nin 4\nDONE\n";
    let told = |said: &str| answers_without_messages("first", &format!("{start}{said}END\n"));
    assert_eq!(told("TURN 0-3\nTURN 0-8\n"), ["OK", "4-0", "3-0", "8-0"]);
    // A refused turn changes nothing.
    let refused = told("TURN 4-8\nTURN 0-3\n");
    assert_eq!(
        refused[2..],
        ["ERROR 4-8: this turn must be played on board 0", "3-0"]
    );
    assert_eq!(
        told("TURN 0-3\nTAKEBACK 3-0\nTAKEBACK 0-3\nTURN 0-4\n")[3..],
        ["OK", "OK", "4-1"]
    );
    // The board to play in does not apply before the latest mark of the BOARD command.
    let earlier = told("TAKEBACK 4-0\nTAKEBACK 2-4\nTURN 3-0\nTURN 2-1\n");
    assert_eq!(
        earlier[2..],
        [
            "OK",
            "OK",
            "ERROR 3-0: this turn must be played on board 2",
            "1-0"
        ]
    );
    let unknown = told("TAKEBACK 4-0\nTURN 0-3\n");
    assert!(unknown[3].contains("in the order of turns"), "{unknown:?}");
}

#[test]
fn too_long_line_is_refused() {
    let said = format!("{}\nSTART 15\nBEGIN\nEND\n", "x".repeat(1_000_000));
    check(
        "first",
        &said,
        &["ERROR this line is too long", "OK", "0,0"],
    );
}

/// The reading end of a pipe in memory.
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

/// The writing end of a pipe in memory.
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
fn commands_are_read_during_a_search() {
    let mut engine = Engine::start(Some("search:3600s"), EngineSetup::with_seed(1));
    engine.say("START 15\nTURN 7,7\n");
    assert_eq!(engine.answer(), "OK");
    // The search would take an hour. ABOUT is answered at once, RESTART after the search.
    engine.say("ABOUT\nRESTART\n");
    assert!(engine.answer().starts_with("name="));
    engine.say("YXSTOP\n");
    let at = engine.answer();
    assert!(at.contains(',') && at != "7,7", "{at}");
    assert_eq!(engine.answer(), "OK");
    engine.say("BEGIN\nEND\n");
    engine.thread.join().unwrap();
}

/// A clock that advances by a millisecond whenever it is read.
#[derive(Default)]
struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// An engine in its own thread.
struct Engine {
    thread: thread::JoinHandle<()>,
    says: Sender<Vec<u8>>,
    lines: io::Lines<BufReader<Out>>,
}

impl Engine {
    fn start(strategy: Option<&str>, setup: EngineSetup) -> Engine {
        let strategy: Option<StrategyName> = strategy.map(|name| name.parse().unwrap());
        let (says, heard) = channel();
        let (answers, lines) = channel();
        let thread = thread::spawn(move || {
            let input = BufReader::new(Out(heard, Vec::new()));
            let _ = serve(strategy.as_ref(), &setup, input, In(answers));
        });
        let lines = io::BufRead::lines(BufReader::new(Out(lines, Vec::new())));
        Engine {
            thread,
            says,
            lines,
        }
    }

    fn say(&self, text: &str) {
        self.says.send(text.as_bytes().to_vec()).unwrap();
    }

    /// The next lines, including messages.
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
fn engine_keeps_the_time_of_a_whole_game() {
    let clock = Arc::new(Ticks::default());
    let mut engine = Engine::start(
        None,
        EngineSetup {
            seed: 1,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
        },
    );
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
        // At most a fifth of the remaining time and the time per turn. The clock is read a few times after the search.
        assert!(used <= (left / 5).min(1_000) + 3, "{used} of {left}");
        left = left.checked_sub(used).expect("the engine has time left");
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
fn any_number_of_threads_is_accepted() {
    for threads in ["1", "2", "1000000000", "0", "-1", "x"] {
        let said = format!(
            "START 15\nINFO thread_num {threads}\nINFO max_node 20000\nBOARD\n3,7,1\n4,7,1\n5,7,1\n6,7,1\n2,7,2\nDONE\nEND\n"
        );
        check("", &said, &["OK", "7,7"]);
    }
    let mut engine = Engine::start(None, EngineSetup::with_seed(1));
    engine.say("START 15\nINFO thread_num 2\nINFO timeout_turn 3600000\nTURN 7,7\nABOUT\n");
    assert_eq!(engine.answer(), "OK");
    assert!(engine.answer().starts_with("name="));
    engine.say("YXSTOP\nRESTART\n");
    assert!(engine.answer().contains(','));
    assert_eq!(engine.answer(), "OK");
    engine.say("END\n");
}
