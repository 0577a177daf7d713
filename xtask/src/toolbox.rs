//! The tools of one run: looked for once, fetched when missing, remembered either way.

use std::collections::BTreeMap;

use crate::need::{Need, Sign, Source};
use crate::shell::Shell;
use crate::step::Step;

/// What this run knows about the tools it has asked for.
#[derive(Default)]
pub struct Toolbox {
    found: BTreeMap<&'static str, Result<(), String>>,
    package_lists_are_fresh: bool,
}

impl Toolbox {
    /// Makes sure that the tool is there, or says why it cannot be.
    ///
    /// A tool that could not be had is not tried again: its second part would wait as long for
    /// the same answer.
    pub fn fetch(&mut self, need: &Need, shell: &mut dyn Shell) -> Result<(), String> {
        if let Some(known) = self.found.get(need.name) {
            return known.clone();
        }
        let answer = self.look_and_install(need, shell);
        self.found.insert(need.name, answer.clone());
        answer
    }

    fn look_and_install(&mut self, need: &Need, shell: &mut dyn Shell) -> Result<(), String> {
        if is_there(need, shell) {
            return Ok(());
        }
        eprintln!("   {} is missing, installing it", need.name);
        self.install(need.source, shell)
            .map_err(|why| format!("{} is missing: {why}", need.name))?;
        if is_there(need, shell) {
            Ok(())
        } else {
            Err(format!("{} is installed, yet it does not run", need.name))
        }
    }

    fn install(&mut self, source: Source, shell: &mut dyn Shell) -> Result<(), String> {
        match source {
            Source::Apt(package) => self.install_package(package, shell),
            Source::Cargo(name) => {
                show_and_run(&Step::new("cargo install --locked").with([name]), shell)
            }
            Source::Component(name) => {
                show_and_run(&Step::new("rustup component add").with([name]), shell)
            }
            Source::Python(name) => {
                let folder = "target/tools/python";
                show_and_run(&Step::new("python3 -m venv").with([folder]), shell)?;
                let pip = format!("{folder}/bin/pip");
                show_and_run(&Step::new(&pip).with(["install", "--quiet", name]), shell)
            }
            Source::Toolchain(name) => show_and_run(
                &Step::new("rustup toolchain install --profile minimal").with([name]),
                shell,
            ),
            Source::Npm(directory) => show_and_run(
                &Step::new("npm ci --no-audit --no-fund --prefix").with([directory]),
                shell,
            ),
        }
    }

    fn install_package(&mut self, package: &str, shell: &mut dyn Shell) -> Result<(), String> {
        let apt = apt_as_root(shell)?;
        if !self.package_lists_are_fresh {
            self.package_lists_are_fresh = true;
            // One unreachable mirror fails the update, and the lists at hand may still do: the
            // installation is what decides.
            if let Err(why) = show_and_run(&apt.clone().with(["update", "--quiet"]), shell) {
                eprintln!("   {why}; trying with the package lists there are");
            }
        }
        show_and_run(&apt.with(["install", "--quiet", "--yes", package]), shell)
    }
}

fn is_there(need: &Need, shell: &mut dyn Shell) -> bool {
    match need.sign {
        Sign::Runs(line) => shell.read(&Step::new(line)).is_ok(),
        Sign::Lists(line, begins) => shell
            .read(&Step::new(line))
            .is_ok_and(|printed| printed.out.lines().any(|entry| entry.starts_with(begins))),
    }
}

/// `apt-get` with the rights to install; the variable goes through `env` because sudo drops it.
fn apt_as_root(shell: &mut dyn Shell) -> Result<Step, String> {
    let apt = "env DEBIAN_FRONTEND=noninteractive apt-get";
    let user = shell
        .read(&Step::new("id -u"))
        .map(|printed| printed.out)
        .unwrap_or_default();
    if user.trim() == "0" {
        Ok(Step::new(apt))
    } else if shell.read(&Step::new("sudo --version")).is_ok() {
        Ok(Step::new("sudo").with(apt.split(' ')))
    } else {
        Err("apt-get needs root, and there is no sudo".to_owned())
    }
}

fn show_and_run(step: &Step, shell: &mut dyn Shell) -> Result<(), String> {
    eprintln!("   $ {step}");
    shell.run(step).map_err(|trouble| trouble.told_of(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::need::{CPLUSPLUS, NEXTEST, NIGHTLY, SCHEMATHESIS, VALGRIND};
    use crate::shell::scripted::Scripted;

    const APT: &str = "env DEBIAN_FRONTEND=noninteractive apt-get";

    #[test]
    fn a_tool_that_is_there_is_not_installed() {
        let mut shell =
            Scripted::default().prints("rustup toolchain list", "stable\nnightly-x86_64\n", "");
        let mut toolbox = Toolbox::default();
        assert_eq!(toolbox.fetch(&NEXTEST, &mut shell), Ok(()));
        assert_eq!(toolbox.fetch(&NIGHTLY, &mut shell), Ok(()));
        assert_eq!(
            shell.ran,
            ["cargo nextest --version", "rustup toolchain list"]
        );
    }

    #[test]
    fn a_missing_tool_is_installed_and_looked_for_again() {
        let mut shell = Scripted::default().fails("cargo nextest --version").cures(
            "cargo install --locked cargo-nextest",
            "cargo nextest --version",
        );
        assert_eq!(Toolbox::default().fetch(&NEXTEST, &mut shell), Ok(()));
        assert_eq!(shell.ran.len(), 3);
    }

    #[test]
    fn a_program_in_python_gets_a_folder_of_its_own() {
        let program = "target/tools/python/bin/schemathesis";
        let mut shell = Scripted::default().lacks(program).cures(
            "target/tools/python/bin/pip install --quiet schemathesis",
            program,
        );
        assert_eq!(Toolbox::default().fetch(&SCHEMATHESIS, &mut shell), Ok(()));
        assert_eq!(shell.ran[1], "python3 -m venv target/tools/python");
    }

    #[test]
    fn package_lists_are_updated_once() {
        let mut shell = Scripted::default()
            .prints("id -u", "0\n", "")
            .lacks("c++")
            .lacks("valgrind")
            .cures(&format!("{APT} install --quiet --yes g++"), "c++")
            .cures(&format!("{APT} install --quiet --yes valgrind"), "valgrind");
        let mut toolbox = Toolbox::default();
        assert_eq!(toolbox.fetch(&CPLUSPLUS, &mut shell), Ok(()));
        assert_eq!(toolbox.fetch(&VALGRIND, &mut shell), Ok(()));
        let updates = shell
            .ran
            .iter()
            .filter(|step| step.contains("apt-get update"))
            .count();
        assert_eq!(updates, 1);
    }

    #[test]
    fn a_user_without_rights_asks_sudo_or_is_told() {
        let ordinary = || {
            Scripted::default()
                .prints("id -u", "1000\n", "")
                .lacks("valgrind")
        };
        let mut with_sudo = ordinary().cures("sudo env", "valgrind");
        assert_eq!(Toolbox::default().fetch(&VALGRIND, &mut with_sudo), Ok(()));
        let without = Toolbox::default().fetch(&VALGRIND, &mut ordinary().lacks("sudo"));
        assert_eq!(
            without,
            Err("valgrind is missing: apt-get needs root, and there is no sudo".to_owned())
        );
    }

    #[test]
    fn a_tool_that_cannot_be_had_is_tried_once() {
        let mut shell = Scripted::default()
            .fails("cargo nextest")
            .fails("cargo install");
        let mut toolbox = Toolbox::default();
        let first = toolbox.fetch(&NEXTEST, &mut shell);
        assert_eq!(toolbox.fetch(&NEXTEST, &mut shell), first);
        assert!(first.is_err_and(|why| {
            why.contains("`cargo install --locked cargo-nextest` ended with exit code 1")
        }));
        assert_eq!(shell.ran.len(), 2);
    }

    #[test]
    fn an_installation_that_changes_nothing_is_not_believed() {
        let mut shell = Scripted::default().fails("cargo nextest");
        let answer = Toolbox::default().fetch(&NEXTEST, &mut shell);
        assert_eq!(
            answer,
            Err("cargo-nextest is installed, yet it does not run".to_owned())
        );
    }
}
