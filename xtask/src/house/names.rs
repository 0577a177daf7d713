//! Files are named for what they are about.

use super::tree::Tree;

/// Names that say where something was put, not what it is.
const EMPTY_WORDS: [&str; 10] = [
    "util", "utils", "helper", "helpers", "manager", "managers", "handler", "handlers", "common",
    "misc",
];

/// Every file or directory whose name has one of these words.
pub fn findings(tree: &Tree) -> Vec<String> {
    tree.paths()
        .filter_map(|path| {
            empty_word(path)
                .map(|word| format!("{path}: `{word}` says nothing, name it for what it is"))
        })
        .collect()
}

fn empty_word(path: &str) -> Option<&str> {
    path.split(['/', '.', '_', '-'])
        .find(|word| EMPTY_WORDS.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_names_are_found_wherever_they_stand() {
        for (path, is_bad) in [
            ("crates/noughts/src/utils.rs", true),
            ("crates/noughts/tests/common/mod.rs", true),
            ("crates/noughts/src/table_manager.rs", true),
            ("web/request-handler.js", true),
            ("crates/noughts-helpers/Cargo.toml", true),
            ("crates/noughts/src/handle.rs", false),
            ("docs/uncommon.md", false),
        ] {
            assert_eq!(
                !findings(&Tree::of(&[(path, "")])).is_empty(),
                is_bad,
                "{path}"
            );
        }
    }
}
