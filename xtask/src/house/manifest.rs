//! What the rules need to know of a `Cargo.toml`, by reading its lines.
//!
//! Not a TOML parser: it knows the forms that people write dependencies in, and no others.

/// One manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The package's name; empty in a manifest that is only a workspace.
    pub name: String,
    /// Everything it depends on, of every kind and for every target.
    pub dependencies: Vec<Dependency>,
    /// The lints are those of the workspace.
    pub inherits_lints: bool,
    /// Where its targets lie, when it says so itself.
    pub target_paths: Vec<String>,
}

/// One dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The package's name, whatever the crate calls it.
    pub package: String,
    /// Only its tests and benches use it.
    pub is_dev: bool,
}

impl Manifest {
    /// Reads a manifest's text.
    pub fn parse(text: &str) -> Manifest {
        let mut manifest = Manifest::default();
        let mut section = Section::Other;
        for line in text.lines().map(str::trim) {
            if let Some(heading) = line.strip_prefix('[') {
                section = Section::parse(heading.trim_start_matches('['));
                if let Section::OneDependency { package, is_dev } = &section {
                    manifest.dependencies.push(Dependency {
                        package: package.clone(),
                        is_dev: *is_dev,
                    });
                }
            } else if let Some((key, value)) =
                line.split_once('=').filter(|_| !line.starts_with('#'))
            {
                manifest.take(&section, key.trim(), value.trim());
            }
        }
        manifest
    }

    fn take(&mut self, section: &Section, key: &str, value: &str) {
        match section {
            Section::Package if key == "name" => self.name = unquoted(value).to_owned(),
            Section::Target if key == "path" => self.target_paths.push(unquoted(value).to_owned()),
            Section::Lints if key == "workspace" => self.inherits_lints = value.starts_with("true"),
            Section::Dependencies { is_dev } => {
                let own_name = key.split('.').next().unwrap_or(key).trim_matches('"');
                let package = renamed(value).unwrap_or(own_name).to_owned();
                self.dependencies.push(Dependency {
                    package,
                    is_dev: *is_dev,
                });
            }
            Section::OneDependency { .. } if key == "package" => {
                if let Some(dependency) = self.dependencies.last_mut() {
                    dependency.package = unquoted(value).to_owned();
                }
            }
            Section::Package
            | Section::Target
            | Section::Lints
            | Section::OneDependency { .. }
            | Section::Other => {}
        }
    }
}

enum Section {
    Package,
    /// `[lib]`, `[[bin]]`, `[[bench]]` and so on.
    Target,
    Lints,
    /// `[dependencies]`, also `[target.'cfg(unix)'.dev-dependencies]`.
    Dependencies {
        is_dev: bool,
    },
    /// `[dependencies.clap]`.
    OneDependency {
        package: String,
        is_dev: bool,
    },
    Other,
}

impl Section {
    /// Reads what follows the opening brackets.
    fn parse(heading: &str) -> Section {
        let heading = heading.split(']').next().unwrap_or(heading).trim();
        if heading.starts_with("workspace") {
            // A list to inherit from: nothing depends on it by itself.
            return Section::Other;
        }
        let (before, last) = heading.rsplit_once('.').unwrap_or(("", heading));
        if let Some(is_dev) = dependency_kind(last) {
            return Section::Dependencies { is_dev };
        }
        if let Some(is_dev) = dependency_kind(before.rsplit('.').next().unwrap_or(before)) {
            return Section::OneDependency {
                package: last.trim_matches('"').to_owned(),
                is_dev,
            };
        }
        match heading {
            "package" => Section::Package,
            "lints" => Section::Lints,
            "lib" | "bin" | "bench" | "test" | "example" => Section::Target,
            _ => Section::Other,
        }
    }
}

fn dependency_kind(name: &str) -> Option<bool> {
    match name {
        "dependencies" | "build-dependencies" => Some(false),
        "dev-dependencies" => Some(true),
        _ => None,
    }
}

/// The name in `{ package = "name", ... }`.
fn renamed(value: &str) -> Option<&str> {
    let (_, after) = value.split_once("package")?;
    after.trim_start().strip_prefix('=').map(unquoted)
}

/// The text between the first two quotes.
fn unquoted(value: &str) -> &str {
    value.split('"').nth(1).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"
[package]
name = "noughts-server"
version.workspace = true

[lints]
workspace = true

[dependencies]
# noughts-arena = "no"
noughts-rules.workspace = true
thinking = { package = "noughts-engine", path = "../noughts-engine" }
tokio = { version = "1", features = [
    "net",
] }

[dependencies.noughts-wire]
workspace = true

[target.'cfg(unix)'.dev-dependencies]
proptest = "1"

[[bench]]
name = "moves"
path = "speed/moves.rs"
"#;

    #[test]
    fn every_form_of_a_dependency_is_seen() {
        let manifest = Manifest::parse(MANIFEST);
        let seen: Vec<_> = manifest
            .dependencies
            .iter()
            .map(|one| (one.package.as_str(), one.is_dev))
            .collect();
        let expected = [
            ("noughts-rules", false),
            ("noughts-engine", false),
            ("tokio", false),
            ("noughts-wire", false),
            ("proptest", true),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn name_lints_and_targets_are_seen() {
        let manifest = Manifest::parse(MANIFEST);
        assert_eq!(
            (manifest.name.as_str(), manifest.inherits_lints),
            ("noughts-server", true)
        );
        assert_eq!(manifest.target_paths, ["speed/moves.rs"]);
    }

    #[test]
    fn the_workspace_list_is_no_dependency() {
        let manifest = Manifest::parse(
            "[workspace.dependencies]\nclap = \"4\"\n[workspace.lints.rust]\nworkspace = true\n",
        );
        assert_eq!(manifest, Manifest::default());
    }
}
