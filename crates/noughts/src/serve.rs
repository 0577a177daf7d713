//! `noughts serve`: runs the server until a signal ends it.

use std::io::{self, IsTerminal, Write};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use noughts_engine::StrategyName;
use noughts_rules::Quoted;
use noughts_server::{
    ConnectionLimits, HttpConfig, HttpLimits, IdSource, InjectedFault, Server, ServerConfig,
    SyncMode, Tls, TlsFiles, TlsListeners, build_runtime, disable_huge_pages, inject_fault, listen,
    listen_for_http, open_store, raise_descriptor_limit,
};
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{error, info, warn};

use crate::admin::AdminSocket;
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
    let fault: Option<InjectedFault> = match &task.misbehave {
        Some(kind) => Some(kind.parse().map_err(Failure::invalid)?),
        None => None,
    };
    let forget_after = task.forget_after.as_deref().map(|text| {
        let what = "the time after which games are deleted (--forget-after)";
        read_long_time(what, text)
    });
    let forget_after = forget_after.transpose()?;
    let rate = number("the requests a second of one address (--rate)", &task.rate)?;
    let http_limits = HttpLimits {
        per_second: rate as u32,
        at_once: 5 * rate as u32,
        open_tables: number("the open tables of one address (--tables)", &task.tables)?,
        import_bytes_per_day: number(
            "the bytes that one address may add to the store per day (--import-bytes-per-day)",
            &task.import_bytes_per_day,
        )?,
        proxies: each(&task.proxy, read_proxy)?,
        origins: each(&task.origin, read_origin)?,
        ..HttpLimits::default()
    };
    let tls = match (&task.tls_cert, &task.tls_key) {
        (Some(certificate), Some(key)) => Some(read_tls(TlsFiles {
            certificate: certificate.clone(),
            key: key.clone(),
        })?),
        _ => None,
    };
    let engine_setup = robot_setup::from_seed(None)?;
    disable_huge_pages();
    let threads = available_parallelism().map_or(1, usize::from);
    let runtime = build_runtime()?;
    let served = runtime.block_on(async {
        let http = open_listener("--http", &task.http, listen_for_http)?;
        let tcp = open_listener("--tcp", &task.tcp, listen)?;
        let pairs = open_listener("--tcp-pairs", &task.tcp_pairs, listen)?;
        let (tcp_tls, pairs_tls) = (task.tcp_tls.as_deref(), task.tcp_pairs_tls.as_deref());
        let tcp_tls = open_listener("--tcp-tls", tcp_tls.unwrap_or("none"), listen)?;
        let pairs_tls = open_listener("--tcp-pairs-tls", pairs_tls.unwrap_or("none"), listen)?;
        let robot = format!("against the computer, which plays {strategy}");
        let listeners = [
            (
                "http",
                &http,
                "the page, and tables as JSON at /api/games".to_owned(),
            ),
            ("tcp", &tcp, robot.clone()),
            ("tcp-pairs", &pairs, "for two players".to_owned()),
            ("tcp-tls", &tcp_tls, format!("{robot}, with TLS")),
            (
                "tcp-pairs-tls",
                &pairs_tls,
                "for two players, with TLS".to_owned(),
            ),
        ];
        let width = match pairs_tls {
            Some(_) => 14,
            None => 10,
        };
        let mut banner = String::new();
        for (name, listener, about) in listeners {
            if let Some(listener) = listener {
                banner += &format!("{name:<width$}{:<21} {about}\n", listener.local_addr()?);
            }
        }
        if banner.is_empty() {
            return Err(Failure::invalid(
                "all listeners are disabled: give --http, --tcp or --tcp-pairs an address",
            ));
        }
        let http_address = http.as_ref().map(TcpListener::local_addr).transpose()?;
        banner += &next_steps(http_address, tls.is_some(), &task.store);
        // The store is opened after the listeners, so that the server creates no file if it cannot listen.
        let store = open_store(&task.store, task.sync.into());
        let store = store.await.map_err(Failure::invalid)?;
        let secret = store.secret().await;
        let secret = secret.map_err(Failure::invalid)?;
        let (tcp, pairs) = match fault {
            None => (tcp, pairs),
            Some(fault) => {
                banner += &format!("the TCP listeners misbehave: {fault}\n");
                (behind(tcp, fault)?, behind(pairs, fault)?)
            }
        };
        let log = Log::start(task.log, task.log_format);
        check_descriptor_limit(&limits);
        // Start to receive signals before the addresses are printed, so that no later signal is missed.
        let end_signal = EndSignal::new()?;
        reload_on_hangup(tls.clone())?;
        let admin = task.admin.as_deref().map(AdminSocket::open).transpose()?;
        let mut server = Server::start(ServerConfig {
            http: http.map(|listener| HttpConfig {
                listener,
                secret,
                limits: http_limits,
            }),
            tcp,
            tcp_strategy: strategy,
            pairs,
            tls: tls.map(|tls| TlsListeners {
                tls,
                tcp: tcp_tls,
                pairs: pairs_tls,
            }),
            store,
            limits,
            robot_threads: threads,
            engine: engine_setup,
            ids: IdSource::default(),
        })
        .map_err(Failure::invalid)?;
        if let Some(admin) = &admin {
            admin.serve(&mut server)?;
        }
        if let Some(time) = forget_after {
            server.forget_after(time);
        }
        io::stdout().write_all(banner.as_bytes())?;
        io::stdout().flush()?;
        // The wait must not be an argument of `info!`. The macro does not evaluate its arguments if its level
        // is off.
        let signal = end_signal.received().await;
        info!(signal, "stopping");
        if !server.stop().await {
            warn!("stopped before everything was stored: the store was too slow");
        }
        info!("stopped");
        log.close();
        Ok(())
    });
    // Computations of robots and analyses are dropped. The games are already stored.
    runtime.shutdown_background();
    served
}

/// A text that tells the user what to do next. It contains addresses, which many terminals make clickable.
fn next_steps(http: Option<SocketAddr>, has_tls: bool, store: &str) -> String {
    let page = match http {
        Some(at) => {
            // Not every browser can open an unspecified address such as 0.0.0.0.
            let url = match (has_tls, at.ip().is_unspecified()) {
                // Certificates usually contain names, not IP addresses.
                (true, _) => format!("https://localhost:{}", at.port()),
                (false, true) => format!("http://localhost:{}", at.port()),
                (false, false) => format!("http://{at}"),
            };
            format!("In a browser:        {url}/\nIn another terminal: noughts play {url}\n")
        }
        None => String::new(),
    };
    let games = match store.split_once(':') {
        Some(("sqlite", file)) => format!("Games are stored in {file}."),
        Some(("memory", _)) => "Games are lost when the server stops (--store memory:).".to_owned(),
        // The address may contain a password.
        Some(_) | None => "Games are stored in the database.".to_owned(),
    };
    format!("\n{page}{games} Ctrl-C stops the server.\n")
}

fn read_tls(files: TlsFiles) -> Result<Arc<Tls>, Failure> {
    let tls = Tls::load(files);
    let tls = tls.map_err(|error| Failure::invalid(format_args!("TLS: {error}")))?;
    Ok(Arc::new(tls))
}

/// Reads the certificate again at every SIGHUP. If the new certificate is invalid, the error is logged and
/// the old certificate stays in use.
///
/// A server without a certificate ignores SIGHUP. There is one exception: if the server was started in a
/// terminal, SIGHUP means that the terminal was closed. Then the signal ends the server.
#[cfg(unix)]
fn reload_on_hangup(tls: Option<Arc<Tls>>) -> io::Result<()> {
    if tls.is_none() && io::stdin().is_terminal() {
        return Ok(());
    }
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            match tls.as_ref().map(|tls| tls.reload()) {
                Some(Ok(())) => info!("read the certificate again"),
                Some(Err(error)) => error!(%error, "the old certificate stays in use"),
                None => info!("nothing to read again: the server has no certificate"),
            }
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn reload_on_hangup(_: Option<Arc<Tls>>) -> io::Result<()> {
    Ok(())
}

/// Listens on the address `text`. Returns `None` if `text` is `none`. Error messages name `option`.
fn open_listener(
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
    let at: SocketAddr = addresses.next().ok_or_else(|| wrong(": unknown host"))?;
    let listener = listen(at).map_err(|error| {
        Failure::invalid(format_args!(
            "cannot listen on {at} ({option}): {}",
            reason(&error)
        ))
    })?;
    Ok(Some(listener))
}

/// Starts a proxy on `listener` that injects `fault` into the connections. Returns a new listener, to which
/// the proxy forwards all connections.
fn behind(listener: Option<TcpListener>, fault: InjectedFault) -> io::Result<Option<TcpListener>> {
    let Some(listener) = listener else {
        return Ok(None);
    };
    let inner = listen(([127, 0, 0, 1], 0).into())?;
    tokio::spawn(inject_fault(listener, inner.local_addr()?, fault));
    Ok(Some(inner))
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "address already in use".to_owned(),
        io::ErrorKind::AddrNotAvailable => "not an address of this machine".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
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

/// Parses a number from 1 to 100 000 000. The error message begins with `what`.
fn number(what: &str, text: &str) -> Result<usize, Failure> {
    const MAX: usize = 100_000_000;
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits);
    number
        .filter(|number| (1..=MAX).contains(number))
        .ok_or_else(|| {
            Failure::invalid(format_args!(
                "{what} must be a number from 1 to {MAX}, not {}",
                Quoted::from(text)
            ))
        })
}

/// Parses each item and skips empty items, so that an empty environment variable is an empty list.
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

/// Checks that an origin is a scheme, a name in lower case, and optionally a port. Browsers send origins in this form.
/// An origin in any other form would never match.
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
            "an origin (--origin) is http:// or https:// and a name in lower case, optionally with a port and nothing after it, such as \
             https://games.example.org, not {}",
            Quoted::from(origin)
        ))),
    }
}

/// Parses a time such as `90d`, `12h` or `30m`. The error message begins with `what`.
pub(crate) fn read_long_time(what: &str, text: &str) -> Result<Duration, Failure> {
    let units = [("d", 24 * 3_600), ("h", 3_600), ("m", 60)];
    let read = units.iter().find_map(|(unit, seconds)| {
        let number = text.strip_suffix(unit)?.parse::<u64>().ok()?;
        number.checked_mul(*seconds).filter(|time| *time > 0)
    });
    // At most a hundred years, so that sums do not overflow.
    read.filter(|time| *time <= 36_525 * 24 * 3_600)
        .map(Duration::from_secs)
        .ok_or_else(|| {
            Failure::invalid(format_args!(
                "{what} must be a time such as 90d, 12h or 30m, not {}",
                Quoted::from(text)
            ))
        })
}

/// Number of file descriptors that the server needs besides those of served connections: connections that are
/// refused (256), connections reserved for health checks (32), the store, the log.
const OTHER_DESCRIPTORS: u64 = 352;

fn check_descriptor_limit(limits: &ConnectionLimits) {
    let wanted = (limits.connections as u64).saturating_add(OTHER_DESCRIPTORS);
    if let Some(limit) = raise_descriptor_limit().filter(|limit| *limit < wanted) {
        warn!(
            "the limit of open files is {limit}, too few for {} connections: raise it with ulimit -n",
            limits.connections
        );
    }
}

/// Receives SIGINT and SIGTERM. On Unix, signals are received from the moment when this value is created.
struct EndSignal {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
}

impl EndSignal {
    fn new() -> io::Result<EndSignal> {
        Ok(EndSignal {
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt())?,
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for a signal and returns its name.
    #[cfg(unix)]
    async fn received(mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "interrupt",
            _ = self.terminate.recv() => "terminate",
        }
    }

    #[cfg(not(unix))]
    async fn received(self) -> &'static str {
        let _ = tokio::signal::ctrl_c().await;
        "interrupt"
    }
}
