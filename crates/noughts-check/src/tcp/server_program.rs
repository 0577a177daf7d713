//! A server that the kit starts, and restarts if it has ended.

use std::ffi::OsString;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use noughts_process::ProcessSet;

use super::TcpTask;
use crate::process::{End, Program};

/// Maximum time until the server listens.
const START_TIME: Duration = Duration::from_secs(20);

pub(super) struct ServerProgram {
    command: Vec<OsString>,
    address: SocketAddr,
    processes: ProcessSet,
    program: Program,
}

impl ServerProgram {
    /// Starts the server and waits until it listens.
    pub(super) fn start(task: &TcpTask, processes: &ProcessSet) -> Result<ServerProgram, String> {
        let has_port = |word: &OsString| word.to_string_lossy().contains("{port}");
        if task.address.port() == 0 && !task.command.iter().any(has_port) {
            return Err(
                "the command has no {port}, so the server cannot know at which port to listen: write {port} where \
                 the port belongs, or name the port that the server always uses (noughts check tcp 127.0.0.1:9000 -- COMMAND)"
                    .to_owned(),
            );
        }
        if task.address.port() != 0 {
            let address = task.address;
            if TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok() {
                return Err(format!(
                    "another program already listens at {address}: stop it, or choose another port"
                ));
            }
            return ServerProgram::start_at(address, task, processes);
        }
        let listener = TcpListener::bind(task.address)
            .map_err(|error| format!("no free port at {}: {error}", task.address))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        drop(listener);
        ServerProgram::start_at(address, task, processes)
    }

    fn start_at(
        address: SocketAddr,
        task: &TcpTask,
        processes: &ProcessSet,
    ) -> Result<ServerProgram, String> {
        let command = crate::client::with_address(&task.command, address);
        let program = Program::start(&command, processes)?;
        let mut server = ServerProgram {
            command,
            address,
            processes: processes.clone(),
            program,
        };
        server.wait_until_it_listens()?;
        Ok(server)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    fn wait_until_it_listens(&mut self) -> Result<(), String> {
        let until = Instant::now() + START_TIME;
        loop {
            let end = self.program.read_available();
            if is_listening(self.address) {
                return Ok(());
            }
            let why = match end {
                Some(end) => format!("the server program ended before it listened: {end}"),
                None if Instant::now() >= until => format!(
                    "the server program did not listen at {} within {} s",
                    self.address,
                    START_TIME.as_secs()
                ),
                None => {
                    std::thread::sleep(Duration::from_millis(10));
                    continue;
                }
            };
            let said = self.program.first_line();
            let said = said.map_or(String::new(), |line| format!("; its output: {line}"));
            return Err(why + &said);
        }
    }

    /// Restarts the server if it has ended. Returns whether it has restarted the server.
    pub(super) fn restart_if_ended(&mut self) -> Result<bool, String> {
        if self.program.read_available().is_none() {
            return Ok(false);
        }
        self.restart()?;
        Ok(true)
    }

    /// Ends the server, if it still runs, and starts it again.
    pub(super) fn restart(&mut self) -> Result<(), String> {
        self.program.stop();
        self.program = Program::start(&self.command, &self.processes)?;
        self.wait_until_it_listens()
    }

    /// Waits until the server has printed something or has ended, at most for `time`.
    pub(super) fn wait_for_output(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while self.program.errors.is_empty()
            && self.program.output.is_empty()
            && self.program.read(until).is_none()
            && Instant::now() < until
        {}
    }

    /// Returns what the server has printed since the last call, and how the server ended. The second value is
    /// `None` if the server still runs.
    pub(super) fn take_output(&mut self) -> (Vec<u8>, Option<End>) {
        // Wait a moment, because a stack trace may be printed shortly after a disconnection.
        let end = self.program.read(Instant::now() + Duration::from_millis(5));
        let end = self.program.read_available().or(end);
        let mut output = std::mem::take(&mut self.program.errors);
        output.append(&mut self.program.output);
        (output, end)
    }
}

/// Whether a program listens at this address. On Linux, this function looks for the port in the system's list
/// of listening ports. On other systems, it makes a test connection.
fn is_listening(address: SocketAddr) -> bool {
    match listening_ports() {
        Some(ports) => ports.contains(&address.port()),
        None => TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_ok(),
    }
}

/// The ports on which programs of this machine listen. `None` if the system has no such list. The kit prefers this list
/// to a test connection: for the server, a test connection is already a client that leaves without sending anything,
/// and a separate rule is about such clients.
#[cfg(target_os = "linux")]
fn listening_ports() -> Option<Vec<u16>> {
    let mut ports = Vec::new();
    for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
        for line in std::fs::read_to_string(table).ok()?.lines().skip(1) {
            let mut fields = line.split_whitespace().skip(1);
            let (local, state) = (fields.next()?, fields.nth(1)?);
            if let ("0A", Some((_, port))) = (state, local.rsplit_once(':')) {
                ports.extend(u16::from_str_radix(port, 16));
            }
        }
    }
    Some(ports)
}

#[cfg(not(target_os = "linux"))]
fn listening_ports() -> Option<Vec<u16>> {
    None
}
