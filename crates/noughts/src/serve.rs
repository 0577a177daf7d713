//! `noughts serve`: the doors for others, until somebody says that it is enough.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::thread::available_parallelism;
use std::time::Duration;

use noughts_engine::StrategyName;
use noughts_rules::Quoted;
use noughts_server::{
    ConnectionLimits, HttpConfig, HttpLimits, Misbehaviour, Server, ServerConfig, SyncMode, listen,
    listen_for_http, misbehave, open_store, raise_descriptor_limit,
};
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{info, warn};

use crate::args::{Serve, Sync};
use crate::log::Log;
use crate::{Failure, duration, robot_setup};

pub(crate) fn run(task: &Serve) -> Result<(), Failure> {
    let strategy: StrategyName = task.tcp_strategy.parse().map_err(Failure::invalid)?;
    let limits = ConnectionLimits {
        connections: number("the connections (--max-connections)", &task.max_connections)?,
        per_address: number(
            "the connections of one address (--connections-per-address)",
            &task.connections_per_address,
        )?,
        idle: duration::parse("the idle time (--idle)", &task.idle)?,
    };
    let misbehaviour: Option<Misbehaviour> = match &task.misbehave {
        Some(kind) => Some(kind.parse().map_err(Failure::invalid)?),
        None => None,
    };
    let forget_after = task.forget_after.as_deref().map(read_forget_after);
    let forget_after = forget_after.transpose()?;
    let rate = number("the requests a second of one address (--rate)", &task.rate)?;
    let http_limits = HttpLimits {
        per_second: rate as u32,
        at_once: 5 * rate as u32,
        open_tables: number("the open tables of one address (--tables)", &task.tables)?,
        import_bytes_per_day: number(
            "the bytes that one address may import per day (--import-bytes-per-day)",
            &task.import_bytes_per_day,
        )?,
        proxies: each(&task.proxy, read_proxy)?,
        origins: each(&task.origin, read_origin)?,
        ..HttpLimits::default()
    };
    let engine_setup = robot_setup::from_seed(None)?;
    let threads = available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let http = open_door("--http", &task.http, listen_for_http)?;
        let tcp = open_door("--tcp", &task.tcp, listen)?;
        let pairs = open_door("--tcp-pairs", &task.tcp_pairs, listen)?;
        let doors = [
            (
                "http",
                &http,
                "the page, and tables as JSON at /api/games".to_owned(),
            ),
            (
                "tcp",
                &tcp,
                format!("against the computer, which plays {strategy}"),
            ),
            ("tcp-pairs", &pairs, "for two players".to_owned()),
        ];
        let mut told = String::new();
        for (name, listener, about) in doors {
            if let Some(listener) = listener {
                told += &format!("{name:<10}{:<21} {about}\n", listener.local_addr()?);
            }
        }
        if told.is_empty() {
            return Err(Failure::invalid(
                "every door is closed: give --http, --tcp or --tcp-pairs an address",
            ));
        }
        // Last of what may fail, so that nothing is made on a disk by what can't be served.
        let store = open_store(&task.store, task.sync.into());
        let store = store.await.map_err(Failure::invalid)?;
        let secret = store.secret().await;
        let secret = secret.map_err(Failure::invalid)?;
        let (tcp, pairs) = match misbehaviour {
            None => (tcp, pairs),
            Some(kind) => {
                told += &format!("the TCP doors misbehave: {kind}\n");
                (behind(tcp, kind)?, behind(pairs, kind)?)
            }
        };
        let log = Log::keep(task.log, task.log_format);
        look_at_descriptors(&limits);
        // Before the doors open, so that whoever reads it may come in at once, and can stop it.
        let enough = Enough::new()?;
        let mut server = Server::start(ServerConfig {
            http: http.map(|listener| HttpConfig {
                listener,
                secret,
                limits: http_limits,
            }),
            tcp,
            tcp_strategy: strategy,
            pairs,
            store,
            limits,
            robot_threads: threads,
            engine: engine_setup,
        })
        .map_err(Failure::invalid)?;
        if let Some(time) = forget_after {
            server.forget_after(time);
        }
        io::stdout().write_all(told.as_bytes())?;
        io::stdout().flush()?;
        // Not within the line of the log: what is not logged is not waited for.
        let signal = enough.said().await;
        info!(signal, "stopping");
        if !server.stop().await {
            warn!("something that was under way is not stored: the store was too slow");
        }
        info!("stopped");
        log.close();
        Ok(())
    });
    // A robot or an analysis that still thinks is not worth waiting for: its game is over or stored.
    runtime.shutdown_background();
    served
}

/// Opens a door at an address, or leaves it closed.
fn open_door(
    option: &str,
    text: &str,
    listen: fn(SocketAddr) -> io::Result<TcpListener>,
) -> Result<Option<TcpListener>, Failure> {
    if text == "none" {
        return Ok(None);
    }
    let wrong = |why: &str| {
        Failure::invalid(format_args!(
            "{option} must be an address such as 127.0.0.1:8081, or none, not {}{why}",
            Quoted::from(text)
        ))
    };
    let mut addresses = text.to_socket_addrs().map_err(|_| wrong(""))?;
    let at: SocketAddr = addresses
        .next()
        .ok_or_else(|| wrong(": nobody has that name"))?;
    let listener = listen(at).map_err(|error| {
        Failure::invalid(format_args!(
            "can't listen at {at} ({option}): {}; another address may do, and port 0 takes one that is free",
            in_words(&error)
        ))
    })?;
    Ok(Some(listener))
}

/// Puts a door that misbehaves before a good one, which is given back.
fn behind(door: Option<TcpListener>, kind: Misbehaviour) -> io::Result<Option<TcpListener>> {
    let Some(door) = door else { return Ok(None) };
    let good = listen(([127, 0, 0, 1], 0).into())?;
    tokio::spawn(misbehave(door, good.local_addr()?, kind));
    Ok(Some(good))
}

fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "somebody else does already".to_owned(),
        io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        io::ErrorKind::PermissionDenied => "the system does not allow it".to_owned(),
        _ => error.to_string(),
    }
}

impl From<Sync> for SyncMode {
    fn from(sync: Sync) -> SyncMode {
        match sync {
            Sync::Full => SyncMode::Full,
            Sync::Normal => SyncMode::Normal,
        }
    }
}

/// A number that may be any but none; `what` it is of stands in the refusal.
fn number(what: &str, text: &str) -> Result<usize, Failure> {
    const MOST: usize = 100_000_000;
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits);
    number
        .filter(|number| (1..=MOST).contains(number))
        .ok_or_else(|| {
            Failure::invalid(format_args!(
                "{what} must be a number from 1 to {MOST}, not {}",
                Quoted::from(text)
            ))
        })
}

/// Reads each of a list; a variable that is set to nothing is a list of none.
fn each<T>(texts: &[String], read: fn(&str) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
    let texts = texts.iter().map(|text| text.trim());
    texts.filter(|text| !text.is_empty()).map(read).collect()
}

fn read_proxy(text: &str) -> Result<IpAddr, Failure> {
    text.parse().map_err(|_| {
        Failure::invalid(format_args!(
            "a proxy (--proxy) is an address such as 10.0.0.2 or fd00::2, without a port, not {}",
            Quoted::from(text)
        ))
    })
}

/// Scheme, name and port, as browsers send it: what they never send would let nobody in.
fn read_origin(origin: &str) -> Result<String, Failure> {
    let name = ["https://", "http://"]
        .iter()
        .find_map(|scheme| origin.strip_prefix(scheme));
    let is_sent = |byte: u8| {
        byte.is_ascii_graphic() && !byte.is_ascii_uppercase() && !b"/?#@\\".contains(&byte)
    };
    match name {
        Some(name) if !name.is_empty() && name.bytes().all(is_sent) => Ok(origin.to_owned()),
        _ => Err(Failure::invalid(format_args!(
            "an origin (--origin) is https:// or http:// and a name in small letters, with its port if it has \
             one and nothing after it, such as https://games.example.org, not {}",
            Quoted::from(origin)
        ))),
    }
}

/// `90d`, `12h`, `30m`.
fn read_forget_after(text: &str) -> Result<Duration, Failure> {
    let units = [("d", 24 * 3_600), ("h", 3_600), ("m", 60)];
    let read = units.iter().find_map(|(unit, seconds)| {
        let number = text.strip_suffix(unit)?.parse::<u64>().ok()?;
        number.checked_mul(*seconds).filter(|time| *time > 0)
    });
    // A hundred years, so that no sum of times ever overflows.
    read.filter(|time| *time <= 36_525 * 24 * 3_600)
        .map(Duration::from_secs)
        .ok_or_else(|| {
            Failure::invalid(format_args!(
                "the time after which games are forgotten (--forget-after) must be one such as 90d, 12h or 30m, not {}",
                Quoted::from(text)
            ))
        })
}

/// Descriptors for other things than served connections: connections that are refused or in the
/// reserve for health checks (256 + 32), the store, the log.
const OTHER_DESCRIPTORS: u64 = 352;

fn look_at_descriptors(limits: &ConnectionLimits) {
    let wanted = (limits.connections as u64).saturating_add(OTHER_DESCRIPTORS);
    if let Some(most) = raise_descriptor_limit().filter(|most| *most < wanted) {
        warn!(
            "the system allows {most} open files, so fewer than {} connections fit: raise it with ulimit -n",
            limits.connections
        );
    }
}

/// Ctrl-C, or the system's wish that the process ends: on Unix heard from the moment this is made.
struct Enough {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
}

impl Enough {
    fn new() -> io::Result<Enough> {
        Ok(Enough {
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt())?,
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits until somebody says so, and tells how.
    #[cfg(unix)]
    async fn said(mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "interrupt",
            _ = self.terminate.recv() => "terminate",
        }
    }

    #[cfg(not(unix))]
    async fn said(self) -> &'static str {
        let _ = tokio::signal::ctrl_c().await;
        "interrupt"
    }
}
