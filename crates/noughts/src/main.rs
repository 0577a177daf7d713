//! Noughts: every game of the tic-tac-toe family.
//!
//! The program parses the arguments, runs one command, and exits with one of these codes:
//! - 0: success.
//! - 1: failure. For `check`: a demanded rule is broken.
//! - 2: wrong use of a subcommand. For `check`: also if the program could not be tested.
//! - 3: `solve` did not finish.
//! - 130: a signal stopped `analyze`, `arena` or `tui`.
//! - 128 plus the number of the signal: a signal ended `play` or `check`.
//!
//! If a signal ends `serve`, the exit code is 0.

mod admin;
mod analyze;
mod arena;
mod args;
mod backup;
mod check;
mod classic;
mod connect;
mod duration;
mod engine;
mod examples;
mod games;
mod log;
mod menu;
mod multi;
mod perft;
mod play;
mod player;
mod position;
mod progress;
mod review;
mod robot_setup;
mod serve;
mod signals;
mod solve;
mod state_file;
mod terminal_size;
mod tls_stream;
mod tui;
mod usage;
mod variants;
mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use crate::args::{Args, Task};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = match usage::parse(std::env::args_os()) {
        Ok(args) => args,
        Err(exit) => return exit,
    };
    match run(args) {
        Ok(exit) => exit,
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(Failure::Unsolved) => ExitCode::from(3),
        Err(Failure::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(Failure::Stopped(told)) => {
            let _ = writeln!(io::stderr(), "{told}");
            ExitCode::from(INTERRUPTED)
        }
        Err(failure) => {
            let _ = writeln!(io::stderr(), "Error: {failure}");
            match failure {
                Failure::NotTested(_) => ExitCode::from(2),
                Failure::Invalid(_)
                | Failure::Interrupted
                | Failure::Stopped(_)
                | Failure::Unsolved
                | Failure::Output(_) => ExitCode::FAILURE,
            }
        }
    }
}

fn run(args: Args) -> Result<ExitCode, Failure> {
    match args.task {
        Some(Task::Check(task)) => return check::run(task.what),
        None => classic::run(args.classic),
        Some(Task::Menu(options)) => menu::run(&options),
        Some(Task::Multi(options)) => multi::run(options),
        Some(Task::Analyze(task)) => analyze::run(&task),
        Some(Task::Solve(task)) => solve::run(&task),
        Some(Task::Verify(task)) => verify::run(&task),
        Some(Task::Perft(task)) => perft::run(&task),
        Some(Task::Arena(task)) => arena::run(&task),
        Some(Task::Engine(task)) => engine::run(&task),
        Some(Task::Serve(task)) => serve::run(&task),
        Some(Task::Connect(task)) => connect::run(task),
        Some(Task::Games(task)) => games::run(&task),
        Some(Task::Admin(task)) => admin::run(&task),
        Some(Task::Backup(task)) => backup::back_up_store(&task),
        Some(Task::Restore(task)) => backup::restore_store(&task),
        Some(Task::Migrate(task)) => backup::migrate_store(&task),
        Some(Task::Play(task)) => play::run(task),
        Some(Task::Player(task)) => player::run(&task),
        Some(Task::Tui(options)) => tui::run(options),
        Some(Task::Variants) => variants::run(),
        Some(Task::Completions { shell }) => usage::completions(shell),
        Some(Task::Man) => usage::man(),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// The exit code after `Failure::Interrupted` and `Failure::Stopped`: 128 plus the number of SIGINT. Other signals give
/// this exit code too.
const INTERRUPTED: u8 = 128 + signals::INTERRUPT as u8;

/// Why a command failed.
enum Failure {
    /// An invalid argument or input, or an operation that failed. The text says what is wrong and what is
    /// allowed.
    Invalid(String),
    /// The user stopped the command. Contains a text that says how far the command got.
    Stopped(String),
    /// The user stopped the command. No error message is printed.
    Interrupted,
    /// `solve` did not prove the value, or did not complete the proof file, before the limit or a signal. The result so
    /// far was printed.
    Unsolved,
    /// `check` could not test the program, or could not write the report. Contains the reason.
    NotTested(String),
    /// Reading or writing failed. A closed output is not a failure.
    Output(io::Error),
}

impl Failure {
    fn invalid(reason: impl std::fmt::Display) -> Failure {
        Failure::Invalid(reason.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Invalid(reason) | Failure::Stopped(reason) | Failure::NotTested(reason) => {
                f.write_str(reason)
            }
            Failure::Unsolved => f.write_str("not solved within the limit"),
            Failure::Interrupted => f.write_str("interrupted"),
            Failure::Output(error) => write!(f, "reading or writing failed: {error}"),
        }
    }
}
