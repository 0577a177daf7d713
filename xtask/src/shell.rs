//! Where steps run: the real machine, or in tests a script of what would happen.

#[cfg(test)]
pub(crate) mod scripted;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::step::Step;

/// What a step can run in.
pub trait Shell {
    /// Runs a step whose output goes to whoever watches.
    fn run(&mut self, step: &Step) -> Result<(), Trouble>;

    /// Runs a step and keeps what it printed, unseen.
    fn read(&mut self, step: &Step) -> Result<Printed, Trouble>;
}

/// What a step printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// To its standard output.
    pub out: String,
    /// To its standard error.
    pub err: String,
}

/// Why a step did not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It never began: there is no such program, or it may not be run.
    NotStarted(String),
    /// It ran, and ended with this.
    Failed {
        /// The exit code or the signal.
        how: String,
        /// What it printed, when that was kept.
        printed: Printed,
    },
}

impl Trouble {
    /// The trouble as a sentence about this step.
    pub fn told_of(&self, step: &Step) -> String {
        match self {
            Trouble::NotStarted(why) => format!("`{step}` did not start: {why}"),
            Trouble::Failed { how, .. } => format!("`{step}` ended with {how}"),
        }
    }
}

/// This machine, in one directory.
pub struct Here {
    directory: PathBuf,
}

impl Here {
    /// Steps run in this directory.
    pub fn at(directory: &Path) -> Here {
        Here {
            directory: directory.to_owned(),
        }
    }

    fn command(&self, step: &Step) -> Command {
        let mut command = Command::new(&step.program);
        command
            .args(&step.arguments)
            .envs(step.environment.iter().map(|(variable, value)| (variable, value)))
            .current_dir(&self.directory)
            // Nothing here asks questions; what does shall fail rather than wait for an answer.
            .stdin(Stdio::null());
        command
    }
}

impl Shell for Here {
    fn run(&mut self, step: &Step) -> Result<(), Trouble> {
        let status = self.command(step).status().map_err(not_started)?;
        judge(status, Printed::default()).map(drop)
    }

    fn read(&mut self, step: &Step) -> Result<Printed, Trouble> {
        let output = self.command(step).output().map_err(not_started)?;
        let printed = Printed {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        judge(output.status, printed)
    }
}

fn not_started(error: io::Error) -> Trouble {
    Trouble::NotStarted(match error.kind() {
        io::ErrorKind::NotFound => "there is no such program".to_owned(),
        _ => error.to_string(),
    })
}

fn judge(status: ExitStatus, printed: Printed) -> Result<Printed, Trouble> {
    if status.success() {
        return Ok(printed);
    }
    let how = status
        .code()
        .map_or_else(|| status.to_string(), |code| format!("exit code {code}"));
    Err(Trouble::Failed { how, printed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Printed, Trouble> {
        Here::at(crate::root()).read(&Step::new(line))
    }

    #[test]
    fn what_a_step_prints_is_kept() {
        let printed = read("cargo --version").expect("cargo runs this test");
        assert!(printed.out.starts_with("cargo "));
    }

    #[test]
    fn a_failed_step_and_a_missing_program_are_told_apart() {
        assert!(
            matches!(read("cargo no-such-command"), Err(Trouble::Failed { how, .. }) if how == "exit code 101")
        );
        let missing = read("no-such-program").expect_err("there is none");
        let told = missing.told_of(&Step::new("no-such-program"));
        assert_eq!(
            told,
            "`no-such-program` did not start: there is no such program"
        );
    }
}
