//! Noughts: every game of the tic-tac-toe family, at any door.
//!
//! Arguments become one call, and what it returns the exit code: 0 for everything that went as
//! asked, 1 for what can't be done, 2 for a subcommand used wrongly, 3 for what was not solved in time. `check`
//! has its own: 1 where a rule is broken, 2 where nothing could be judged.

mod analyze;
mod arena;
mod args;
mod check;
mod classic;
mod connect;
mod duration;
mod engine;
mod games;
mod log;
mod menu;
mod multi;
mod perft;
mod play;
mod robot_setup;
mod serve;
mod signals;
mod solve;
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
        Err(Failure::Stopped(told)) => {
            let _ = writeln!(io::stderr(), "{told}");
            ExitCode::FAILURE
        }
        Err(failure) => {
            // Nobody is left to be told when this fails too.
            let _ = writeln!(io::stderr(), "Error: {failure}");
            match failure {
                Failure::NotJudged(_) => ExitCode::from(2),
                Failure::Invalid(_)
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
        Some(Task::Play(task)) => play::run(task),
        Some(Task::Tui(options)) => tui::run(options),
        Some(Task::Variants) => variants::run(),
        Some(Task::Completions { shell }) => usage::completions(shell),
        Some(Task::Man) => usage::man(),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Why it could not be done.
enum Failure {
    /// What was asked for can't be: a sentence that says what could.
    Invalid(String),
    /// Whoever asked stopped it, which is no error: a sentence that says how far it is.
    Stopped(String),
    /// The limit came first; what is known has been said.
    Unsolved,
    /// Nothing could be judged: a sentence that says why.
    NotJudged(String),
    /// Reading or writing failed; a closed output is no failure.
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
            Failure::Invalid(reason) | Failure::Stopped(reason) | Failure::NotJudged(reason) => {
                f.write_str(reason)
            }
            Failure::Unsolved => f.write_str("the limit came before the answer"),
            Failure::Output(error) => write!(f, "reading or writing failed: {error}"),
        }
    }
}
