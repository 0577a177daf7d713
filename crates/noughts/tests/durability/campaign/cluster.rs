//! The processes of a campaign: nodes, their store, and the proxies between them.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::fault::{Fault, WITH_POSTGRES, WITH_SQLITE};
use super::postgres_proxy::{Mode, PostgresProxy};
use super::state::{CampaignState, MAX_WAIT, Ports};
use crate::disk::Disk;
use crate::load::Draw;
use crate::postgres_server::Server;
use crate::server_process::{ServerProcess, signal};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StoreKind {
    Sqlite,
    Postgres,
}

impl StoreKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            StoreKind::Sqlite => "sqlite",
            StoreKind::Postgres => "postgres",
        }
    }
}

const NODES: usize = 3;

/// With PostgreSQL the clocks of the nodes are wrong by up to this many seconds.
const MAX_SKEW_SECONDS: usize = 200_000;

pub(super) struct Cluster {
    store: Store,
    nodes: Vec<Option<ServerProcess>>,
    /// By how many seconds the clock of each node is wrong.
    skews: Vec<i64>,
}

enum Store {
    Sqlite(Disk),
    Postgres {
        server: Server,
        url: String,
        /// One per node.
        proxies: Vec<PostgresProxy>,
        fake_time: PathBuf,
    },
}

impl Cluster {
    pub(super) fn start(kind: StoreKind, draw: &mut Draw) -> Cluster {
        let (store, count) = match kind {
            StoreKind::Sqlite => {
                let disk = Disk::new().expect("the campaign needs root, to mount a small disk");
                (Store::Sqlite(disk), 1)
            }
            StoreKind::Postgres => {
                let mut server = Server::start();
                let url = server.database("campaign");
                let proxy = |_| PostgresProxy::start(server.directory());
                let proxies = (0..NODES).map(proxy).collect();
                let fake_time = fake_time();
                let store = Store::Postgres {
                    server,
                    url,
                    proxies,
                    fake_time,
                };
                (store, NODES)
            }
        };
        let mut cluster = Cluster {
            store,
            nodes: (0..count).map(|_| None).collect(),
            skews: (0..count).map(|_| skew(draw)).collect(),
        };
        for node in 0..count {
            cluster.start_node(node);
        }
        cluster
    }

    /// The store's address, without a proxy.
    pub(super) fn store(&self) -> String {
        match &self.store {
            Store::Sqlite(disk) => disk.store(),
            Store::Postgres { url, .. } => url.clone(),
        }
    }

    pub(super) fn ports(&self) -> Vec<Option<Ports>> {
        let ports = |node: &ServerProcess| Ports {
            http: node.http,
            tcp: node.tcp,
            pairs: node.pairs,
        };
        let nodes = self.nodes.iter();
        nodes.map(|node| node.as_ref().map(ports)).collect()
    }

    pub(super) fn stop_nodes(&mut self) {
        self.nodes.iter_mut().for_each(|node| *node = None);
    }

    /// Copies an SQLite store to a directory that is not removed, and returns its path. A PostgreSQL store is not
    /// copied.
    pub(super) fn keep(&self) -> String {
        match &self.store {
            Store::Sqlite(disk) => {
                let kept = tempfile::tempdir().unwrap().keep();
                for file in fs::read_dir(disk.path()).into_iter().flatten().flatten() {
                    let _ = fs::copy(file.path(), kept.join(file.file_name()));
                }
                kept.display().to_string()
            }
            Store::Postgres { .. } => "only SQLite files are".to_owned(),
        }
    }

    pub(super) fn draw_fault(&self, draw: &mut Draw) -> Fault {
        match &self.store {
            Store::Sqlite(_) => WITH_SQLITE[draw.below(WITH_SQLITE.len())],
            Store::Postgres { .. } => WITH_POSTGRES[draw.below(WITH_POSTGRES.len())],
        }
    }

    /// Makes something go wrong for a short time. Afterwards everything works again.
    pub(super) fn inject(&mut self, fault: Fault, draw: &mut Draw, campaign: &CampaignState) {
        let node = draw.below(self.nodes.len());
        let mut pause = |max_ms: usize| Duration::from_millis(20 + draw.below(max_ms) as u64);
        match fault {
            Fault::NodeKilled => {
                self.kill(node, campaign);
                sleep(pause(200));
            }
            Fault::NodeKilledWhileStarting => {
                self.kill(node, campaign);
                ServerProcess::kill_while_starting(&self.store_of(node), pause(150));
            }
            Fault::ClockJump => {
                self.kill(node, campaign);
                self.skews[node] = skew(draw);
            }
            Fault::NodeFrozen => {
                let process = self.nodes[node].as_ref().expect("all nodes run");
                process.signal("STOP");
                sleep(pause(1_200));
                process.signal("CONT");
            }
            Fault::DiskFull | Fault::NodeKilledOnFullDisk => {
                let ballast = self.disk().path().join("ballast");
                // The file is written until the disk is full.
                let _ = fs::write(&ballast, vec![7; 9_000_000]);
                sleep(pause(600));
                if fault == Fault::NodeKilledOnFullDisk {
                    self.kill(node, campaign);
                }
                fs::remove_file(ballast).expect("it is there");
            }
            Fault::DiskHangs => {
                self.disk().freeze("--freeze");
                sleep(pause(1_200));
                self.disk().freeze("--unfreeze");
            }
            Fault::DatabaseKilled => {
                signal(&self.database_processes(), "KILL");
                sleep(pause(300));
                // PostgreSQL refuses to start while its old process ids seem to exist. They do until somebody has
                // waited for the killed processes, so the lock files are removed.
                let directory = self.database().directory().to_owned();
                for lock in ["data/postmaster.pid", ".s.PGSQL.5432.lock"] {
                    let _ = fs::remove_file(directory.join(lock));
                }
                self.database().begin();
            }
            Fault::DatabaseProcessKilled => {
                let serving: Vec<u32> = self.database_processes();
                let serving: Vec<u32> = serving.into_iter().filter(|id| is_backend(*id)).collect();
                if !serving.is_empty() {
                    let one = pause(serving.len()).as_millis() as usize - 20;
                    // The process may have ended already.
                    signal(&[serving[one]], "KILL");
                }
            }
            Fault::DatabaseFrozen => {
                let all = self.database_processes();
                signal(&all, "STOP");
                sleep(pause(1_200));
                signal(&all, "CONT");
            }
            Fault::NodeCutOff => self.disturb(&[node], Mode::Hold, pause(1_200)),
            Fault::AllNodesCutOff => self.disturb(&[0, 1, 2], Mode::Hold, pause(1_200)),
            Fault::NodeCutOffAndKilled => {
                self.proxies()[node].set(Mode::Hold);
                sleep(pause(500));
                self.kill(node, campaign);
                // The data that the proxy holds is lost.
                self.proxies()[node].cut();
                self.proxies()[node].set(Mode::Pass);
            }
            Fault::ConnectionsClosed => {
                self.proxies()
                    .iter()
                    .for_each(|proxy| proxy.set(Mode::Refuse));
                self.proxies().iter().for_each(PostgresProxy::cut);
                sleep(pause(500));
                self.proxies()
                    .iter()
                    .for_each(|proxy| proxy.set(Mode::Pass));
            }
            Fault::StoreSlow => self.disturb(&[0, 1, 2], Mode::Slow, pause(1_500)),
            Fault::RepliesLost => {
                self.disturb(&[node], Mode::LoseReplies, pause(500));
                self.proxies()[node].cut();
            }
            Fault::HintsLost => self.disturb(&[0, 1, 2], Mode::LoseHints, 2 * pause(1_500)),
        }
        if self.nodes[node].is_none() {
            self.start_node(node);
            campaign.set_nodes(self.ports());
        }
    }

    fn disturb(&self, nodes: &[usize], mode: Mode, time: Duration) {
        let proxies = self.proxies();
        nodes.iter().for_each(|node| proxies[*node].set(mode));
        sleep(time);
        nodes.iter().for_each(|node| proxies[*node].set(Mode::Pass));
    }

    fn kill(&mut self, node: usize, campaign: &CampaignState) {
        // Dropping the node kills its process.
        self.nodes[node] = None;
        campaign.set_nodes(self.ports());
    }

    /// The address at which a node reaches the store. With PostgreSQL, this is the address of the node's proxy.
    fn store_of(&self, node: usize) -> String {
        match &self.store {
            Store::Sqlite(disk) => disk.store(),
            Store::Postgres {
                server,
                url,
                proxies,
                ..
            } => {
                let directory = server.directory().display().to_string();
                url.replace(&directory, &proxies[node].directory().display().to_string())
            }
        }
    }

    /// Starts a node. PostgreSQL may need a while after a crash, during which no node starts.
    fn start_node(&mut self, node: usize) {
        let store = self.store_of(node);
        let words = ["--store", &store];
        let begun = Instant::now();
        while self.nodes[node].is_none() {
            assert!(begun.elapsed() < MAX_WAIT, "the server does not start");
            self.nodes[node] = match &self.store {
                Store::Sqlite(_) => ServerProcess::try_start_by(&[], &words),
                Store::Postgres { fake_time, .. } => {
                    let library = format!("LD_PRELOAD={}", fake_time.display());
                    let skew = format!("FAKETIME={:+}s", self.skews[node]);
                    let monotonic = "FAKETIME_DONT_FAKE_MONOTONIC=1";
                    let before = ["env", &library, &skew, monotonic];
                    ServerProcess::try_start_by(&before, &words)
                }
            };
        }
    }

    fn disk(&self) -> &Disk {
        match &self.store {
            Store::Sqlite(disk) => disk,
            Store::Postgres { .. } => unreachable!("the fault is for SQLite"),
        }
    }

    fn database(&mut self) -> &mut Server {
        match &mut self.store {
            Store::Postgres { server, .. } => server,
            Store::Sqlite(_) => unreachable!("the fault is for PostgreSQL"),
        }
    }

    fn proxies(&self) -> &[PostgresProxy] {
        match &self.store {
            Store::Postgres { proxies, .. } => proxies,
            Store::Sqlite(_) => unreachable!("the fault is for PostgreSQL"),
        }
    }

    /// The first process of PostgreSQL and its children.
    fn database_processes(&mut self) -> Vec<u32> {
        let file = self.database().directory().join("data/postmaster.pid");
        let text = fs::read_to_string(file).unwrap_or_default();
        let Some(first) = text
            .lines()
            .next()
            .and_then(|line| line.trim().parse().ok())
        else {
            return Vec::new();
        };
        let children = fs::read_to_string(format!("/proc/{first}/task/{first}/children"));
        let children = children.unwrap_or_default();
        let children = children.split_whitespace().flat_map(str::parse);
        [first].into_iter().chain(children).collect()
    }
}

/// Whether this process of PostgreSQL serves a node.
fn is_backend(process: u32) -> bool {
    let title = fs::read_to_string(format!("/proc/{process}/cmdline"));
    title.is_ok_and(|title| title.contains("noughts campaign"))
}

/// A random number of seconds by which a clock is wrong.
fn skew(draw: &mut Draw) -> i64 {
    draw.below(2 * MAX_SKEW_SECONDS) as i64 - MAX_SKEW_SECONDS as i64
}

/// The library that gives a process another system time.
fn fake_time() -> PathBuf {
    let folders = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let files = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    let found = files.into_iter().find(|file| file.exists());
    found.expect("the campaign with PostgreSQL needs Debian's package faketime")
}
