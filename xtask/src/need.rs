//! The tools that parts cannot do without: how each shows itself, and where it comes from.

/// One tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// What people call it.
    pub name: &'static str,
    /// How to see whether it is there.
    pub sign: Sign,
    /// Where to get it.
    pub source: Source,
}

/// How a tool shows that it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// This command ends well.
    Runs(&'static str),
    /// This command prints a line that begins so.
    Lists(&'static str, &'static str),
}

/// Where a tool comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A package of Debian's.
    Apt(&'static str),
    /// A program of the Rust community, built here.
    Cargo(&'static str),
    /// A component of the toolchain in use.
    Component(&'static str),
    /// A toolchain of its own.
    Toolchain(&'static str),
    /// A program of the Python community, in a folder of its own below `target`.
    Python(&'static str),
    /// What a `package-lock.json` in this directory lists.
    Npm(&'static str),
}

/// The formatter.
pub const RUSTFMT: Need = Need {
    name: "rustfmt",
    sign: Sign::Runs("cargo fmt --version"),
    source: Source::Component("rustfmt"),
};

/// The linter.
pub const CLIPPY: Need = Need {
    name: "clippy",
    sign: Sign::Runs("cargo clippy --version"),
    source: Source::Component("clippy"),
};

/// The test runner.
pub const NEXTEST: Need = Need {
    name: "cargo-nextest",
    sign: Sign::Runs("cargo nextest --version"),
    source: Source::Cargo("cargo-nextest"),
};

/// The language of the programs that the conformance kit is tried on, of readers of its reports, and of the
/// engines of the arena's tests.
pub const PYTHON: Need = Need {
    name: "Python 3",
    sign: Sign::Runs("python3 --version"),
    source: Source::Apt("python3"),
};

/// The fuzzer's driver.
pub const CARGO_FUZZ: Need = Need {
    name: "cargo-fuzz",
    sign: Sign::Runs("cargo fuzz --version"),
    source: Source::Cargo("cargo-fuzz"),
};

/// Fuzzing needs the sanitizers, which only nightly lets one switch on.
pub const NIGHTLY: Need = Need {
    name: "a nightly toolchain",
    sign: Sign::Lists("rustup toolchain list", "nightly"),
    source: Source::Toolchain("nightly"),
};

/// libFuzzer is C++ and is built with the targets.
pub const CPLUSPLUS: Need = Need {
    name: "a C++ compiler",
    sign: Sign::Runs("c++ --version"),
    source: Source::Apt("g++"),
};

/// The instruction counter.
pub const VALGRIND: Need = Need {
    name: "valgrind",
    sign: Sign::Runs("valgrind --version"),
    source: Source::Apt("valgrind"),
};

/// Shows what a program asks of the system: whether it has the disk synced before it answers.
pub const STRACE: Need = Need {
    name: "strace",
    sign: Sign::Runs("strace --version"),
    source: Source::Apt("strace"),
};

/// The database server that stores are tested with. Debian keeps its programs off the path, and the
/// client's alone are not enough.
pub const POSTGRESQL: Need = Need {
    name: "PostgreSQL",
    sign: Sign::Lists(
        "find /usr/lib/postgresql -name initdb",
        "/usr/lib/postgresql/",
    ),
    source: Source::Apt("postgresql"),
};

/// Asks a service for everything that its description allows, and some that it does not.
pub const SCHEMATHESIS: Need = Need {
    name: "schemathesis",
    sign: Sign::Runs("target/tools/python/bin/schemathesis --version"),
    source: Source::Python("schemathesis"),
};

/// Connects often and says little.
pub const SLOWHTTPTEST: Need = Need {
    name: "slowhttptest",
    sign: Sign::Runs("which slowhttptest"),
    source: Source::Apt("slowhttptest"),
};

/// Checks the page and drives the browser.
pub const NODE: Need = Need {
    name: "Node.js",
    sign: Sign::Runs("node --version"),
    source: Source::Apt("nodejs"),
};

/// Fetches the page's tools.
pub const NPM: Need = Need {
    name: "npm",
    sign: Sign::Runs("npm --version"),
    source: Source::Apt("npm"),
};

/// The browser that the page is tested in.
pub const CHROMIUM: Need = Need {
    name: "Chromium",
    sign: Sign::Runs("chromium --version"),
    source: Source::Apt("chromium"),
};

/// The page's formatter, type checker, browser driver and accessibility rules, as the lock file has
/// them.
pub const PAGE_TOOLS: Need = Need {
    name: "the page's tools",
    sign: Sign::Runs("npm ls --prefix web"),
    source: Source::Npm("web"),
};
