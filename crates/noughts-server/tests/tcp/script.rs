//! Sessions as text: `testdata/wire/*.hex`.
//!
//! ```text
//! # What it shows.
//! computer first               the listener, and the computer's strategy
//! pairs waiter newcomer        or: which client moves first in game 1, 2, …
//! a > 01 00003039 "Ann" 0000   client a sends these bytes
//! a < 02 $id                   and must receive these; $id stands for four bytes, the same throughout
//! a < end                      the server has closed
//! a > end                      the client closes
//! waits 1                      until this many clients wait for an opponent
//! ```
//!
//! At the end no client may have received anything else. Then all disconnect; the last of a pair may receive a win.

use std::collections::BTreeMap;

use noughts_server::{ConnectionLimits, IdSource};

use crate::test_server::{Client, TestServer, shown};

/// How the bytes of a client are split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Split {
    /// A line at a time.
    Lines,
    /// A byte at a time.
    Bytes,
    /// Everything at once, before anything is read.
    AllAtOnce,
}

#[derive(Clone, Debug)]
enum Step {
    Send(String, Vec<Piece>),
    Expect(String, Vec<Piece>),
    Close(String),
    ExpectEnd(String),
    Waits(usize),
}

#[derive(Clone, Debug)]
enum Piece {
    Bytes(Vec<u8>),
    Id,
}

#[derive(Debug)]
pub(crate) struct Script {
    name: String,
    listener: Listener,
    steps: Vec<(usize, Step)>,
}

#[derive(Debug)]
enum Listener {
    Computer(String),
    /// Whether the client that waited moves first, per game.
    Pairs(Vec<bool>),
}

impl Script {
    pub(crate) fn read(name: &str, text: &str) -> Script {
        let lines = (1..).zip(text.lines().map(str::trim));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let (_, listener) = lines.next().expect("a script has a listener");
        let listener = match listener
            .split_once(' ')
            .expect("a listener has a word behind it")
        {
            ("computer", strategy) => Listener::Computer(strategy.to_owned()),
            ("pairs", who) => Listener::Pairs(who.split(' ').map(|who| who == "waiter").collect()),
            _ => panic!("{name}: no listener {listener}"),
        };
        let steps = lines.map(|(number, line)| (number, Step::read(line)));
        Script {
            name: name.to_owned(),
            listener,
            steps: steps.collect(),
        }
    }

    /// Whether the session can be sent all at once: it must be against the computer, with one client that does not
    /// close.
    pub(crate) fn can_be_sent_at_once(&self) -> bool {
        let ends = |step: &Step| matches!(step, Step::Close(_));
        matches!(self.listener, Listener::Computer(_))
            && self.clients().len() == 1
            && !self.steps.iter().any(|(_, step)| ends(step))
    }

    fn clients(&self) -> Vec<&String> {
        let mut names: Vec<&String> = self.steps.iter().filter_map(|(_, s)| s.client()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The number of steps.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Runs the first `count` steps with this server; then all clients disconnect at once.
    pub(crate) async fn run_then_disconnect(&self, count: usize, server: &TestServer) {
        let mut session = self.session(server, Split::Lines);
        for (_, step) in &self.steps[..count] {
            session.execute(step).await;
        }
        for client in session.clients.values() {
            // The connection ends with a reset, as it would if the client closed it with unread input.
            client.0.set_zero_linger().unwrap();
        }
    }

    fn session<'s>(&self, server: &'s TestServer, split: Split) -> Session<'s> {
        Session {
            server,
            port: match self.listener {
                Listener::Computer(_) => server.tcp,
                Listener::Pairs(_) => server.pairs,
            },
            split,
            clients: BTreeMap::new(),
            ids: BTreeMap::new(),
        }
    }

    /// A server for this script.
    pub(crate) fn server(&self) -> TestServer {
        match &self.listener {
            Listener::Computer(strategy) => TestServer::usual(strategy),
            Listener::Pairs(waiter_begins) => TestServer::new(
                "perfect",
                seed_for(waiter_begins),
                ConnectionLimits::default(),
            ),
        }
    }

    /// Runs the session with its own server.
    pub(crate) async fn run(&self, split: Split) {
        let server = self.server();
        let mut session = self.session(&server, split);
        let steps = match split {
            Split::Lines | Split::Bytes => self.steps.clone(),
            Split::AllAtOnce => self.all_at_once(),
        };
        for (line, step) in &steps {
            // Printed, so that a failure shows its place.
            println!("{}:{line}: {step:?}", self.name);
            session.execute(step).await;
        }
        for (name, mut client) in session.clients {
            tokio::io::AsyncWriteExt::shutdown(&mut client.0)
                .await
                .unwrap();
            let rest = client.read(1_000).await;
            let won_by_leaving = rest.first() == Some(&6) && rest.last() == Some(&1);
            let left_alone = matches!(self.listener, Listener::Pairs(_)) && won_by_leaving;
            assert!(
                rest.is_empty() || left_alone,
                "{name} heard {}",
                shown(&rest)
            );
        }
        assert!(server.inner.stop().await, "a table stays open");
    }

    /// The steps of the script, changed: after the id is known, everything is sent at once, and then everything is
    /// read.
    fn all_at_once(&self) -> Vec<(usize, Step)> {
        let knows_id = |step: &Step| match step {
            Step::Expect(_, pieces) => pieces.iter().any(|piece| matches!(piece, Piece::Id)),
            _ => false,
        };
        let first = self.steps.iter().position(|(_, step)| knows_id(step));
        let (before, after) = self.steps.split_at(first.map_or(0, |at| at + 1));
        let sends = |step: &Step| matches!(step, Step::Send(..));
        let (sent, heard): (Vec<_>, Vec<_>) = after.iter().cloned().partition(|(_, s)| sends(s));
        let mut pieces = Vec::new();
        for (_, step) in sent {
            if let Step::Send(_, more) = step {
                pieces.extend(more);
            }
        }
        let client = self.clients()[0].clone();
        let all = (0, Step::Send(client, pieces));
        before.iter().cloned().chain([all]).chain(heard).collect()
    }
}

/// A seed with which the clients that waited move first in the games that `waiter_begins` says, and only in these.
fn seed_for(waiter_begins: &[bool]) -> u64 {
    let draws = |seed: &u64| {
        let ids = IdSource::seeded(*seed);
        // The first id is for the node, and the next ones are for the clients, in the order in which they come. Of two
        // clients, the one with the smaller id moves first.
        ids.game();
        let mut pairs = waiter_begins.iter();
        pairs.all(|waiter| {
            let (waiting, new) = (ids.game(), ids.game());
            (waiting < new) == *waiter
        })
    };
    (0..).find(draws).expect("some seed does")
}

struct Session<'s> {
    server: &'s TestServer,
    split: Split,
    port: u16,
    clients: BTreeMap<String, Client>,
    ids: BTreeMap<String, [u8; 4]>,
}

impl Session<'_> {
    async fn client(&mut self, name: &str) -> &mut Client {
        if !self.clients.contains_key(name) {
            let client = Client::connect(self.port).await;
            self.clients.insert(name.to_owned(), client);
        }
        self.clients.get_mut(name).expect("it is there now")
    }

    async fn execute(&mut self, step: &Step) {
        match step {
            Step::Send(name, pieces) => {
                let id = self.ids.get(name).copied();
                let bytes: Vec<u8> = pieces.iter().flat_map(|piece| piece.bytes(id)).collect();
                let split = self.split;
                let client = self.client(name).await;
                match split {
                    Split::Lines | Split::AllAtOnce => client.send(&bytes).await,
                    Split::Bytes => {
                        for byte in bytes {
                            client.send(&[byte]).await;
                            tokio::task::yield_now().await;
                        }
                    }
                }
            }
            Step::Expect(name, pieces) => {
                for piece in pieces {
                    let known = self.ids.get(name).copied();
                    let client = self.client(name).await;
                    match (piece, known) {
                        (Piece::Id, None) => {
                            let id = client.read(4).await.try_into().expect("four bytes");
                            let number = u32::from_be_bytes(id);
                            assert!((10_000..=99_999).contains(&number), "{number}");
                            self.ids.insert(name.clone(), id);
                        }
                        (piece, id) => client.expect(&piece.bytes(id)).await,
                    }
                }
            }
            Step::ExpectEnd(name) => {
                self.client(name).await.expect_end().await;
                self.clients.remove(name);
            }
            Step::Close(name) => drop(self.clients.remove(name)),
            Step::Waits(count) => self.server.until_waiting(*count).await,
        }
    }
}

impl Step {
    fn read(line: &str) -> Step {
        if let Some(count) = line.strip_prefix("waits ") {
            return Step::Waits(count.parse().unwrap());
        }
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_else(|| panic!("cut off: {line}"));
        let (name, way, what) = (word().to_owned(), word(), word());
        match (way, what) {
            (">", "end") => Step::Close(name),
            ("<", "end") => Step::ExpectEnd(name),
            (">", what) => Step::Send(name, pieces(what)),
            ("<", what) => Step::Expect(name, pieces(what)),
            _ => panic!("neither > nor <: {line}"),
        }
    }

    fn client(&self) -> Option<&String> {
        match self {
            Step::Send(name, _)
            | Step::Expect(name, _)
            | Step::Close(name)
            | Step::ExpectEnd(name) => Some(name),
            Step::Waits(_) => None,
        }
    }
}

impl Piece {
    fn bytes(&self, id: Option<[u8; 4]>) -> Vec<u8> {
        match self {
            Piece::Bytes(bytes) => bytes.clone(),
            Piece::Id => id.expect("the id is known").to_vec(),
        }
    }
}

/// Parses the bytes of a line, such as `05 $id "1-0"`. `61*256` is a byte repeated 256 times.
fn pieces(mut text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        if let Some(rest) = text.strip_prefix('"') {
            let (quoted, rest) = rest.split_once('"').expect("a quotation ends");
            pieces.push(Piece::Bytes(quoted.as_bytes().to_vec()));
            text = rest.trim_start();
            continue;
        }
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        text = rest.trim_start();
        if word == "$id" {
            pieces.push(Piece::Id);
            continue;
        }
        let (hex, times) = word.split_once('*').unwrap_or((word, "1"));
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex digits");
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(digit).collect();
        pieces.push(Piece::Bytes(bytes.repeat(times.parse().unwrap())));
    }
    pieces
}
