//! `cargo xtask COMMAND`: arguments → one call → exit code.

use std::process::ExitCode;

use xtask::request::Request;
use xtask::shell::Here;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = Request::parse(&arguments).and_then(|request| {
        let mut shell = Here::at(xtask::root());
        xtask::obey(request, &mut shell)
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(misuse) => {
            eprintln!("xtask: {misuse}");
            ExitCode::from(2)
        }
    }
}
