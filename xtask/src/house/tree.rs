//! The files of a repository, read once.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Directories of things that are made here, not written.
const NOT_SOURCES: [&str; 8] = [
    ".git",
    "target",
    "node_modules",
    "web/node_modules",
    "fuzz/target",
    "fuzz/corpus",
    "fuzz/artifacts",
    "bench/target",
];

/// Kinds of files whose text some rule reads.
const READ: [&str; 3] = ["rs", "toml", "md"];

/// Every file by its path from the root, with `/` between the names.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// A made-up tree: paths and texts.
    pub fn of(files: &[(&str, &str)]) -> Tree {
        Tree {
            files: files
                .iter()
                .map(|&(path, text)| (path.to_owned(), text.to_owned()))
                .collect(),
        }
    }

    /// The files below a directory. Those that no rule reads are there without their text.
    pub fn read(root: &Path) -> io::Result<Tree> {
        let mut tree = Tree::default();
        tree.read_directory(root, "")?;
        Ok(tree)
    }

    fn read_directory(&mut self, root: &Path, directory: &str) -> io::Result<()> {
        for entry in fs::read_dir(root.join(directory))? {
            let entry = entry?;
            let path = joined(directory, &entry.file_name().to_string_lossy());
            if NOT_SOURCES.contains(&path.as_str()) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                self.read_directory(root, &path)?;
            } else {
                let is_read = READ.iter().any(|&kind| extension(&path) == Some(kind));
                let text = if is_read {
                    fs::read_to_string(entry.path())?
                } else {
                    String::new()
                };
                self.files.insert(path, text);
            }
        }
        Ok(())
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Every path in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The files of one kind, with their texts.
    pub fn of_kind<'t>(&'t self, kind: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.files
            .iter()
            .filter(move |(path, _)| extension(path) == Some(kind))
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// There is a file, or a directory with files, at this path; the root is at the empty one.
    pub fn has(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.paths().any(|file| file.starts_with(&inside))
    }
}

/// The directory of a path, empty at the root.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// `path` as seen from `directory`, without `.` and `..`; none when it leads out of the tree.
pub fn resolved(directory: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = directory
        .split('/')
        .filter(|name| !name.is_empty())
        .collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// `name` in `directory`, which may be the root.
pub fn joined(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}

fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    name.rsplit_once('.').map(|(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_resolve_as_a_reader_would() {
        for (directory, path, there) in [
            ("docs", "rules.md", Some("docs/rules.md")),
            ("docs/decisions", "../rules.md", Some("docs/rules.md")),
            ("", "./docs/", Some("docs")),
            ("docs", "..", Some("")),
            ("docs", "../../elsewhere", None),
        ] {
            assert_eq!(
                resolved(directory, path).as_deref(),
                there,
                "{path} in {directory}"
            );
        }
    }

    #[test]
    fn directories_are_there_when_files_are() {
        let tree = Tree::of(&[("docs/rules.md", "")]);
        assert!(tree.has("docs") && tree.has("docs/rules.md") && tree.has(""));
        assert!(!tree.has("doc") && !tree.has("docs/rules"));
    }

    #[test]
    fn the_real_tree_has_sources_and_nothing_built() {
        let tree = Tree::read(crate::root()).expect("the repository can be read");
        assert!(
            tree.text("xtask/src/house/tree.rs")
                .is_some_and(|text| text.contains("pub struct Tree"))
        );
        assert!(!tree.has("target") && !tree.has(".git"));
    }
}
