//! Which crate may know which: dependencies point down only.

use super::manifest::Manifest;
use super::tree::{Tree, parent};

/// What one crate may depend on.
struct Allowed {
    name: &'static str,
    /// Crates of this workspace, for its tests and benches as well.
    ours: &'static [&'static str],
    /// Crates from elsewhere.
    others: Others,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    Any,
    ForTestsOnly,
    None,
}

const TABLE: [Allowed; 13] = [
    Allowed {
        name: "noughts-rules",
        ours: &[],
        others: Others::ForTestsOnly,
    },
    Allowed {
        name: "noughts-engine",
        ours: &["noughts-rules"],
        others: Others::Any,
    },
    // Checks what the engine proves: it must not know how.
    Allowed {
        name: "noughts-proof",
        ours: &["noughts-rules"],
        others: Others::ForTestsOnly,
    },
    Allowed {
        name: "noughts-wire",
        ours: &["noughts-rules"],
        others: Others::ForTestsOnly,
    },
    Allowed {
        name: "noughts-api",
        ours: &["noughts-rules"],
        others: Others::Any,
    },
    Allowed {
        name: "noughts-server",
        ours: &[
            "noughts-rules",
            "noughts-engine",
            "noughts-wire",
            "noughts-api",
        ],
        others: Others::Any,
    },
    Allowed {
        name: "noughts-terminal",
        ours: &[
            "noughts-rules",
            "noughts-engine",
            "noughts-wire",
            "noughts-api",
        ],
        others: Others::Any,
    },
    Allowed {
        name: "noughts-process",
        ours: &[],
        others: Others::Any,
    },
    Allowed {
        name: "noughts-arena",
        ours: &["noughts-rules", "noughts-engine"],
        others: Others::Any,
    },
    Allowed {
        name: "noughts-gomocup",
        ours: &["noughts-rules", "noughts-engine", "noughts-process"],
        others: Others::Any,
    },
    Allowed {
        name: "noughts-check",
        ours: &["noughts-rules", "noughts-wire", "noughts-process"],
        others: Others::Any,
    },
    Allowed {
        name: "noughts",
        ours: &[
            "noughts-rules",
            "noughts-engine",
            "noughts-proof",
            "noughts-wire",
            "noughts-api",
            "noughts-server",
            "noughts-terminal",
            "noughts-arena",
            "noughts-check",
            "noughts-gomocup",
            "noughts-process",
        ],
        others: Others::Any,
    },
    // The first thing built on a bare machine.
    Allowed {
        name: "xtask",
        ours: &[],
        others: Others::None,
    },
];

/// Every arrow that the table does not allow, and every crate that is not in it.
pub fn findings(tree: &Tree) -> Vec<String> {
    let manifests = tree.of_kind("toml").filter(|(path, _)| is_member(path));
    manifests
        .flat_map(|(path, text)| judge(path, &Manifest::parse(text)))
        .collect()
}

/// The fuzz targets are a workspace of their own and may use every crate.
fn is_member(path: &str) -> bool {
    path == "xtask/Cargo.toml" || path.ends_with("/Cargo.toml") && parent(parent(path)) == "crates"
}

fn judge(path: &str, manifest: &Manifest) -> Vec<String> {
    let name = &manifest.name;
    let Some(allowed) = TABLE.iter().find(|allowed| allowed.name == name) else {
        return vec![format!(
            "{path}: say what `{name}` may depend on, in the table of xtask/src/house/arrows.rs"
        )];
    };
    let forbidden = manifest
        .dependencies
        .iter()
        .filter(|one| !allowed.permits(&one.package, one.is_dev));
    forbidden
        .map(|one| format!("{path}: `{name}` must not depend on `{}`", one.package))
        .collect()
}

impl Allowed {
    fn permits(&self, package: &str, is_dev: bool) -> bool {
        if TABLE.iter().any(|one| one.name == package) {
            return self.ours.contains(&package);
        }
        match self.others {
            Others::Any => true,
            Others::ForTestsOnly => is_dev,
            Others::None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, name: &str, dependencies: &str, expected: &[&str]) {
        let text = format!("[package]\nname = \"{name}\"\n{dependencies}");
        assert_eq!(findings(&Tree::of(&[(path, &text)])), expected, "{text}");
    }

    #[test]
    fn arrows_point_down_only() {
        let (server, rules) = (
            "crates/noughts-server/Cargo.toml",
            "crates/noughts-rules/Cargo.toml",
        );
        check(
            server,
            "noughts-server",
            "[dependencies]\nnoughts-rules.workspace = true\ntokio = \"1\"",
            &[],
        );
        check(
            server,
            "noughts-server",
            "[dependencies]\nnoughts-terminal.workspace = true",
            &[
                "crates/noughts-server/Cargo.toml: `noughts-server` must not depend on `noughts-terminal`",
            ],
        );
        check(
            rules,
            "noughts-rules",
            "[dev-dependencies]\nnoughts-engine.workspace = true",
            &[
                "crates/noughts-rules/Cargo.toml: `noughts-rules` must not depend on `noughts-engine`",
            ],
        );
    }

    #[test]
    fn rules_take_nothing_from_elsewhere_but_for_their_tests() {
        let path = "crates/noughts-rules/Cargo.toml";
        check(
            path,
            "noughts-rules",
            "[dev-dependencies]\nproptest = \"1\"",
            &[],
        );
        check(
            path,
            "noughts-rules",
            "[dependencies]\nserde = \"1\"",
            &["crates/noughts-rules/Cargo.toml: `noughts-rules` must not depend on `serde`"],
        );
    }

    #[test]
    fn xtask_takes_nothing_at_all() {
        let refused = ["xtask/Cargo.toml: `xtask` must not depend on `insta`"];
        check(
            "xtask/Cargo.toml",
            "xtask",
            "[dev-dependencies]\ninsta = \"1\"",
            &refused,
        );
    }

    #[test]
    fn a_crate_outside_the_table_is_told_to_join_it() {
        let path = "crates/noughts-core/Cargo.toml";
        let told = "crates/noughts-core/Cargo.toml: say what `noughts-core` may depend on, in the table of \
                    xtask/src/house/arrows.rs";
        check(path, "noughts-core", "", &[told]);
    }
}
