//! The workspace's own chores: test everything, measure, fuzz, and keep the house in order.
//!
//! A [`request`] is what somebody typed. It becomes a list of [`part`]s, each with the
//! [`need`]s it has and the [`step`]s it takes; the [`toolbox`] fetches what is missing, the
//! [`shell`] runs the steps, and the [`summary`] names every part with what became of it.
//! [`suite`] is the list behind `cargo xtask test`; [`fuzz`], [`mod@bench`] and [`mutants`] are the other
//! commands. [`house`] holds the rules about the sources themselves, which `tests/house.rs`
//! applies to this repository.
//!
//! No dependencies: this is the first thing that is built on a bare machine.

pub mod bench;
pub mod fuzz;
pub mod house;
pub mod instructions;
pub mod mutants;
pub mod need;
pub mod part;
pub mod request;
pub mod shell;
pub mod step;
pub mod suite;
pub mod summary;
pub mod toolbox;

use std::path::Path;

use request::Request;
use shell::Shell;

/// The repository's root, where every step runs.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the repository's root")
}

/// Does what was asked: `Ok(true)` when all of it went well, `Ok(false)` when something failed
/// or could not run, and a sentence when the request names what does not exist.
pub fn obey(request: Request, shell: &mut dyn Shell) -> Result<bool, String> {
    match request {
        Request::Help => {
            print!("{}", request::USAGE);
            Ok(true)
        }
        Request::Test { long } => Ok(suite::run(root(), long, shell)),
        Request::ListBenches => {
            print!("{}", bench::listing());
            Ok(true)
        }
        Request::Bench { name, arguments } => bench::run(&name, &arguments, shell),
        Request::Mutants { word } => mutants::run(root(), word.as_deref(), shell),
        Request::Fuzz { target, seconds } => fuzz::run(root(), target.as_deref(), seconds, shell),
    }
}
