//! The command line of a bench. It selects the tables of results that the bench measures and prints.

use std::process::ExitCode;

use noughts_server::raise_descriptor_limit;

/// The arguments, without `--bench`, which cargo adds.
pub(crate) fn arguments() -> Vec<String> {
    let arguments = std::env::args().skip(1);
    arguments.filter(|word| word != "--bench").collect()
}

/// Measures the tables of these names, or all tables if there are no names. If a name is unknown, prints `usage`
/// instead.
pub(crate) fn measure(tables: &[(&str, fn())], names: &[&str], usage: &str) -> ExitCode {
    let is_known = |word: &&str| tables.iter().any(|(name, _)| name == word);
    if !names.iter().all(is_known) {
        eprintln!("{usage}");
        return ExitCode::from(2);
    }
    raise_descriptor_limit();
    for (name, table) in tables {
        if names.is_empty() || names.contains(name) {
            table();
        }
    }
    ExitCode::SUCCESS
}
