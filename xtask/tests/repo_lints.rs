//! Rules about the repository: dependencies between crates, source files, links and file names.

use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// The crates of this workspace that each crate may depend on, also in tests and benches.
const ALLOWED: [(&str, &str); 13] = [
    ("noughts-rules", ""),
    ("noughts-engine", "rules"),
    ("noughts-proof", "rules"),
    ("noughts-wire", ""),
    ("noughts-api", "rules"),
    ("noughts-process", ""),
    ("noughts-gomocup", "rules engine process"),
    ("noughts-arena", "rules engine"),
    ("noughts-check", "rules wire process"),
    ("noughts-server", "rules engine wire api"),
    ("noughts-terminal", "rules engine wire"),
    (
        "noughts",
        "rules engine proof wire api gomocup arena check server terminal",
    ),
    ("xtask", ""),
];

/// These crates use no crates from outside the workspace, except in tests and behind optional features.
const WITHOUT_DEPENDENCIES: [&str; 4] = ["noughts-rules", "noughts-proof", "noughts-wire", "xtask"];

#[test]
fn crates_depend_on_allowed_crates_only() {
    let metadata = MetadataCommand::new().no_deps().exec();
    let mut wrong = Vec::new();
    for package in metadata.expect("cargo metadata").packages {
        let package_name = package.name.as_str();
        let allowed = ALLOWED.iter().find(|(name, _)| *name == package_name);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("add {package_name} to ALLOWED"));
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            let is_allowed = match name.strip_prefix("noughts-") {
                Some(ours) => name == package_name || allowed.split(' ').any(|one| one == ours),
                None => {
                    dependency.kind == DependencyKind::Development
                        || dependency.optional
                        || !WITHOUT_DEPENDENCIES.contains(&package_name)
                }
            };
            if !is_allowed {
                wrong.push(format!("{package_name} must not depend on {name}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// One of these lints forbids `unsafe`.
#[test]
fn crates_inherit_the_lints() {
    let is_member = |path: &&PathBuf| path.starts_with("crates") || path.starts_with("xtask");
    for manifest in files(&["toml"]).iter().filter(is_member) {
        let inherits = read(manifest).contains("[lints]\nworkspace = true");
        assert!(inherits, "{}", manifest.display());
    }
}

#[test]
fn every_source_file_belongs_to_a_target() {
    let sources = files(&["rs"]);
    let all: String = sources.iter().map(|path| read(path)).collect();
    let by_path: Vec<&str> = all.lines().filter(|line| line.contains("#[path")).collect();
    let targets = ["tests", "benches", "examples", "bin", "fuzz_targets"];
    let is_target = |path: &Path| {
        let is_alone = path
            .parent()
            .is_some_and(|folder| targets.iter().any(|one| folder.ends_with(one)));
        is_alone || ["main", "lib", "build"].contains(&stem(path))
    };
    let is_declared = |path: &Path| {
        let of_folder = stem(path) == "mod";
        let module = if of_folder {
            path.parent().unwrap_or(path)
        } else {
            path
        };
        let folder = module.parent().unwrap_or(module);
        // The parent of `a/b.rs` is `a.rs`, `a/mod.rs` or a target in `a`.
        let is_parent = |one: &&PathBuf| {
            **one == folder.with_extension("rs")
                || one.parent() == Some(folder) && (is_target(one) || stem(one) == "mod")
        };
        let line = format!("mod {};", stem(module));
        let file = format!("/{}/{}\"]", name(path.parent().unwrap_or(path)), name(path));
        let beside = format!("\"{}\"]", name(path));
        sources
            .iter()
            .filter(is_parent)
            .any(|parent| read(parent).contains(&line))
            || by_path
                .iter()
                .any(|line| line.contains(&file[1..]) || line.contains(&beside))
    };
    let lost: Vec<&PathBuf> = sources
        .iter()
        .filter(|path| !is_target(path) && !is_declared(path))
        .collect();
    assert!(lost.is_empty(), "no `mod` leads to {lost:?}");
}

#[test]
fn links_in_documents_lead_to_files() {
    let mut broken = Vec::new();
    for document in files(&["md"]) {
        let text = read(&document);
        // Text between backticks is code.
        let prose = text
            .split("```")
            .step_by(2)
            .flat_map(|part| part.split('`').step_by(2));
        let prose: String = prose.collect();
        let links = prose
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', ' ', '\n']).next());
        let pictures = prose
            .split("src=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next());
        for target in links.chain(pictures) {
            let file = target.split('#').next().unwrap_or_default();
            let folder = root().join(&document);
            let folder = folder.parent().unwrap_or(root());
            if !file.is_empty() && !file.contains(':') && !folder.join(file).exists() {
                broken.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert_eq!(broken, [""; 0]);
}

#[test]
fn file_names_say_what_is_inside() {
    let words = "util utils helper helpers manager handler handlers common misc";
    let words: Vec<&str> = words.split(' ').collect();
    for path in files(&["rs", "md", "js", "css", "sql", "toml"]) {
        let text = path.to_string_lossy();
        let is_bad = text
            .split(['/', '.', '_', '-'])
            .any(|word| words.contains(&word));
        assert!(!is_bad, "{text}");
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn stem(path: &Path) -> &str {
    path.file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default()
}

fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

/// The repository's files with these extensions, relative to the root. Hidden files and the folders of generated files
/// are left out.
fn files(extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder") {
            let path = folder.join(entry.expect("a file").file_name());
            let skipped = ["target", "node_modules", "corpus", "artifacts"];
            if skipped.contains(&name(&path)) || name(&path).starts_with('.') {
                continue;
            }
            if root().join(&path).is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|one| extensions.iter().any(|wanted| one == *wanted))
            {
                found.push(path);
            }
        }
    }
    found
}
