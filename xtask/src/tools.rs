//! The tools that tests and benches need, and how to install them.

use std::collections::BTreeMap;

use crate::shell;

/// A tool, a command that succeeds if the tool is installed, and how to install the tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    check: &'static str,
    origin: Origin,
}

#[derive(Clone, Copy, Debug)]
enum Origin {
    /// A Debian package.
    Apt(&'static str),
    /// An install command.
    Command(&'static str),
}

const fn apt(name: &'static str, check: &'static str, package: &'static str) -> Tool {
    let origin = Origin::Apt(package);
    Tool {
        name,
        check,
        origin,
    }
}

const fn command(name: &'static str, check: &'static str, install: &'static str) -> Tool {
    let origin = Origin::Command(install);
    Tool {
        name,
        check,
        origin,
    }
}

pub(crate) const RUSTFMT: Tool = command(
    "rustfmt",
    "cargo fmt --version",
    "rustup component add rustfmt",
);
pub(crate) const CLIPPY: Tool = command(
    "clippy",
    "cargo clippy --version",
    "rustup component add clippy",
);
pub(crate) const NEXTEST: Tool = command(
    "cargo-nextest",
    "cargo nextest --version",
    "cargo install --locked cargo-nextest",
);
pub(crate) const CARGO_FUZZ: Tool = command(
    "cargo-fuzz",
    "cargo fuzz --version",
    "cargo install --locked cargo-fuzz",
);
pub(crate) const CARGO_DENY: Tool = command(
    "cargo-deny",
    "cargo deny --version",
    "cargo install --locked cargo-deny",
);
pub(crate) const CARGO_MUTANTS: Tool = command(
    "cargo-mutants",
    "cargo mutants --version",
    "cargo install --locked cargo-mutants",
);
/// Sanitizers need a nightly compiler.
pub(crate) const NIGHTLY: Tool = command(
    "a nightly toolchain",
    "rustup toolchain list | grep -q ^nightly",
    "rustup toolchain install --profile minimal nightly",
);
/// libFuzzer is C++.
pub(crate) const CPLUSPLUS: Tool = apt("a C++ compiler", "c++ --version", "g++");
pub(crate) const VALGRIND: Tool = apt("valgrind", "valgrind --version", "valgrind");
pub(crate) const STRACE: Tool = apt("strace", "strace --version", "strace");
pub(crate) const JDK: Tool = apt("a JDK", "javac --version", "default-jdk-headless");
pub(crate) const PYTHON: Tool = apt("Python 3", "python3 --version", "python3");
/// Debian does not put the server's programs into a directory of PATH.
pub(crate) const POSTGRESQL: Tool = apt(
    "PostgreSQL",
    "ls /usr/lib/postgresql/*/bin/initdb",
    "postgresql",
);
/// Programs that test the API: schemathesis, openapi-python-client, openapi-spec-validator and others, with fixed
/// versions.
pub(crate) const PYTHON_TOOLS: Tool = command(
    "the Python tools",
    "cmp xtask/python-tools.txt target/tools/python/installed.txt",
    "python3 -m venv target/tools/python && \
     target/tools/python/bin/pip install --quiet --requirement xtask/python-tools.txt && \
     cp xtask/python-tools.txt target/tools/python/installed.txt",
);
pub(crate) const DEBOOTSTRAP: Tool = apt("debootstrap", "which debootstrap", "debootstrap");
/// `strip` and `objdump`.
pub(crate) const BINUTILS: Tool = apt("binutils", "objdump --version", "binutils");
/// Gives a process another system time.
pub(crate) const FAKETIME: Tool = apt("faketime", "which faketime", "faketime");
pub(crate) const CURL: Tool = apt("curl", "curl --version", "curl");
pub(crate) const JQ: Tool = apt("jq", "jq --version", "jq");
pub(crate) const SLOWHTTPTEST: Tool = apt("slowhttptest", "which slowhttptest", "slowhttptest");
/// Makes certificates for tests.
pub(crate) const OPENSSL: Tool = apt("OpenSSL", "openssl version", "openssl");
pub(crate) const NODE: Tool = apt("Node.js", "node --version", "nodejs");
pub(crate) const NPM: Tool = apt("npm", "npm --version", "npm");
pub(crate) const CHROMIUM: Tool = apt("Chromium", "chromium --version", "chromium");
/// Formatter, type checker, browser driver and accessibility rules of the page.
pub(crate) const PAGE_TOOLS: Tool = command(
    "the page's tools",
    "npm ls --prefix web",
    "npm ci --no-audit --no-fund --prefix web",
);

/// The tools of one run. Each tool is looked for and installed at most once.
#[derive(Default)]
pub(crate) struct Toolbox {
    known: BTreeMap<&'static str, Result<(), String>>,
    is_apt_updated: bool,
}

impl Toolbox {
    /// Installs the tool if it is missing, or says why that is not possible.
    pub(crate) fn require(&mut self, tool: Tool) -> Result<(), String> {
        if let Some(known) = self.known.get(tool.name) {
            return known.clone();
        }
        let answer = self.find_or_install(tool);
        self.known.insert(tool.name, answer.clone());
        answer
    }

    fn find_or_install(&mut self, tool: Tool) -> Result<(), String> {
        if shell::read(tool.check).is_ok() {
            return Ok(());
        }
        eprintln!("   {} is missing, installing it", tool.name);
        let installed = match tool.origin {
            Origin::Command(line) => shell::run(line),
            Origin::Apt(package) => self.install_package(package),
        };
        installed.map_err(|why| format!("{} is missing: {why}", tool.name))?;
        shell::read(tool.check)
            .map(drop)
            .map_err(|why| format!("{} was installed but does not work: {why}", tool.name))
    }

    fn install_package(&mut self, package: &str) -> Result<(), String> {
        // The variable goes through `env`, because sudo drops it.
        let sudo = match shell::read("id -u")?.trim() {
            "0" => "",
            _ => "sudo ",
        };
        let apt = format!("{sudo}env DEBIAN_FRONTEND=noninteractive apt-get");
        if !std::mem::replace(&mut self.is_apt_updated, true) {
            // If a mirror cannot be reached, the package lists on the machine may be good enough.
            let _ = shell::run(&format!("{apt} update --quiet"));
        }
        shell::run(&format!("{apt} install --quiet --yes {package}"))
    }
}
