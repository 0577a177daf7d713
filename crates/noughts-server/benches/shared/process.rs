//! A measured process, and its memory and processor time.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use noughts_server::{Server, build_runtime, disable_huge_pages, raise_descriptor_limit};
use tokio::runtime::Runtime;

use crate::servers::Role;

/// A process that is measured: this program in a role, or a build of `noughts`. Dropping this value kills the process.
pub(crate) struct Process {
    child: Child,
    /// The address at which the process listens.
    pub(crate) address: SocketAddr,
}

impl Process {
    /// Starts this program again in a role, with these environment variables. Returns when the process listens.
    pub(crate) fn start(role: Role, environment: &[(&str, &str)]) -> Process {
        let mut child = Command::new(std::env::current_exe().expect("this program has a path"))
            .args(["--role", &format!("{role:?}")])
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be started again");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut address)
            .expect("it says where it listens");
        let address = address.trim().parse().expect("an address");
        Process { child, address }
    }

    /// Starts the build of `noughts` at the path `program`, to serve HTTP with this store. Returns when it accepts
    /// connections.
    #[allow(dead_code, reason = "only the HTTP bench compares builds")]
    pub(crate) fn serve(program: &str, store: &str) -> Process {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = free.expect("a free port");
        let child = Command::new(program)
            .args(["serve", "--http", &address.to_string(), "--store", store])
            .args(["--tcp", "none", "--tcp-pairs", "none", "--log", "warn"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("it can be started");
        while TcpStream::connect(address).is_err() {
            sleep(Duration::from_micros(200));
        }
        Process { child, address }
    }

    /// The resident memory of the process, in bytes.
    pub(crate) fn resident(&self) -> u64 {
        let status = fs::read_to_string(self.about("status")).expect("it is still there");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        1024 * kilobytes
            .and_then(|text| text.parse::<u64>().ok())
            .expect("a number")
    }

    /// The processor time that the threads of the process have used. Threads that have ended do not count.
    pub(crate) fn cpu(&self) -> Duration {
        let threads = fs::read_dir(self.about("task")).expect("it is still there");
        let taken = threads.filter_map(|thread| {
            let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(taken.sum())
    }

    /// Waits until the process uses no processor time for 50 ms. Panics if that takes longer than 20 seconds.
    pub(crate) fn wait_until_idle(&self) {
        let started = Instant::now();
        let mut before = Duration::ZERO;
        while self.cpu() != before {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "it never rests"
            );
            before = self.cpu();
            sleep(Duration::from_millis(50));
        }
    }

    /// The path of a file in `/proc` that describes the process.
    pub(crate) fn about(&self, file: &str) -> String {
        format!("/proc/{}/{file}", self.child.id())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The role of this name.
pub(crate) fn role_named(name: &str) -> Role {
    let found = Role::ALL.iter().find(|role| format!("{role:?}") == name);
    *found.expect("this program started itself")
}

/// Listens on a free port, starts the role, and prints the address. Returns when the standard input ends.
pub(crate) fn run_role(
    role: Role,
    listen: fn(SocketAddr) -> io::Result<tokio::net::TcpListener>,
    start: impl FnOnce(&Runtime, tokio::net::TcpListener) -> Option<Server>,
) {
    raise_descriptor_limit();
    disable_huge_pages();
    // The server has the runtime of `noughts serve`. The programs that it is compared with have tokio's defaults.
    let runtime = match role {
        Role::Server => build_runtime(),
        _ => Runtime::new(),
    };
    let runtime = runtime.expect("a runtime");
    let entered = runtime.enter();
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let listener = listen(at).expect("a free port");
    let address = listener.local_addr().expect("an address");
    let server = start(&runtime, listener);
    println!("{address}");
    let _ = io::stdin().read(&mut [0]);
    drop((server, entered));
    runtime.shutdown_background();
}
