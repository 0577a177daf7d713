//! Running command lines in the repository's root.

use std::process::{Command, Output, Stdio};

/// Runs a command line in the shell and shows its output. The error says how the command failed.
pub(crate) fn run(line: &str) -> Result<(), String> {
    eprintln!("   $ {line}");
    let status = shell(line)
        .status()
        .map_err(|error| format!("sh: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("`{line}` failed: {status}")),
    }
}

/// Runs a command line without showing its output.
pub(crate) fn output(line: &str) -> Result<Output, String> {
    shell(line).output().map_err(|error| format!("sh: {error}"))
}

/// Runs a command line without showing its output and returns its standard output.
pub(crate) fn read(line: &str) -> Result<String, String> {
    let output = output(line)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!(
            "`{line}` failed: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// Quotes one word for the shell.
pub(crate) fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line).current_dir(crate::root());
    // No command may wait for input.
    command.stdin(Stdio::null());
    command
}
