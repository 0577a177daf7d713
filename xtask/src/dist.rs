//! `cargo xtask dist`: a tarball and a Debian package of the program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::shell;

/// The folder for the packages, their sources and their trees of files.
const FOLDER: &str = "target/dist";

/// The files of the packages: the source, its place below the root of the file system, and its permissions.
/// [`make_sources`] makes the sources in `target/dist`.
const FILES: [(&str, &str, u32); 11] = [
    ("target/dist/noughts", "usr/bin/noughts", 0o755),
    (
        "target/dist/noughts.1.gz",
        "usr/share/man/man1/noughts.1.gz",
        0o644,
    ),
    (
        "target/dist/noughts.bash",
        "usr/share/bash-completion/completions/noughts",
        0o644,
    ),
    (
        "target/dist/_noughts",
        "usr/share/zsh/vendor-completions/_noughts",
        0o644,
    ),
    (
        "target/dist/noughts.fish",
        "usr/share/fish/vendor_completions.d/noughts.fish",
        0o644,
    ),
    (
        "target/dist/noughts.service",
        "usr/lib/systemd/system/noughts.service",
        0o644,
    ),
    // Only root may read this file, because the address of a database may contain a password.
    ("deploy/noughts.conf", "etc/noughts.conf", 0o600),
    ("README.md", "usr/share/doc/noughts/README.md", 0o644),
    ("CHANGELOG.md", "usr/share/doc/noughts/CHANGELOG.md", 0o644),
    (
        "docs/operations.md",
        "usr/share/doc/noughts/operations.md",
        0o644,
    ),
    (
        "target/dist/copyright",
        "usr/share/doc/noughts/copyright",
        0o644,
    ),
];

/// Maintainer scripts, from `deploy/debian`.
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// Builds the Debian package and the tarball with a profile of Cargo, and prints their paths and checksums.
pub(crate) fn run(profile: &str) -> Result<bool, String> {
    let version = version()?;
    make_sources(profile)?;
    let tree = format!("{FOLDER}/tree");
    copy_files(
        &tree,
        FILES
            .iter()
            .map(|(from, to, mode)| (*from, (*to).to_owned(), *mode)),
    )?;
    write_control(&tree, &version)?;
    let package = package()?;
    let epoch = commit_time();
    shell::run(&format!(
        "SOURCE_DATE_EPOCH={epoch} dpkg-deb --root-owner-group --build {tree} {package}"
    ))?;

    let name = format!("noughts-{version}-{}-linux", std::env::consts::ARCH);
    let flat = |to: &str| format!("{name}/{}", to.rsplit('/').next().unwrap_or(to));
    let licences = ["LICENSE-MIT", "LICENSE-APACHE"].map(|file| (file, flat(file), 0o644));
    let files = FILES
        .iter()
        .filter(|(from, ..)| !from.ends_with("copyright"))
        .map(|(from, _, mode)| (*from, flat(from), *mode));
    copy_files(&format!("{FOLDER}/tarball"), files.chain(licences))?;
    let tarball = format!("{FOLDER}/{name}.tar.gz");
    shell::run(&format!(
        "tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime=@{epoch} --directory {FOLDER}/tarball {name} \
         | gzip -9n > {tarball}"
    ))?;
    shell::run(&format!("sha256sum {package} {tarball}"))?;
    Ok(true)
}

/// The path of the Debian package that [`run`] builds.
fn package() -> Result<String, String> {
    let architecture = shell::read("dpkg --print-architecture")?;
    Ok(format!(
        "{FOLDER}/noughts_{}_{}.deb",
        version()?,
        architecture.trim()
    ))
}

/// Tests the package that [`run`] has built. `before` is an earlier package. Without it, the same files with an earlier
/// version number are used.
pub(crate) fn test(before: Option<&str>) -> Result<bool, String> {
    let new = package()?;
    let before = match before {
        Some(path) => path.to_owned(),
        None => {
            let path = format!("{FOLDER}/before.deb");
            shell::run(&format!(
                "rm -rf {FOLDER}/before && dpkg-deb --raw-extract {new} {FOLDER}/before && \
                 sed -i 's/^Version: .*/Version: 0.0.1/' {FOLDER}/before/DEBIAN/control && \
                 dpkg-deb --root-owner-group --build {FOLDER}/before {path}"
            ))?;
            path
        }
    };
    shell::run(&format!(
        "deploy/debian/test-package.sh {} {new} testdata/stores/schema-1-sqlite.db",
        shell::quote(&before)
    ))
    .map(|()| true)
}

/// The version of the workspace.
fn version() -> Result<String, String> {
    let text =
        fs::read_to_string(crate::root().join("Cargo.toml")).map_err(|error| error.to_string())?;
    let section = text.split("[workspace.package]").nth(1).unwrap_or_default();
    let line = section
        .lines()
        .find_map(|line| line.strip_prefix("version = \""));
    line.map(|rest| rest.trim_end_matches('"').to_owned())
        .ok_or_else(|| "Cargo.toml has no version in [workspace.package]".to_owned())
}

/// The time of the last commit, so that the same commit gives the same packages.
fn commit_time() -> String {
    let time = shell::read("git log -1 --format=%ct").unwrap_or_default();
    match time.trim() {
        "" => "0".to_owned(),
        time => time.to_owned(),
    }
}

/// Makes the program, its manual page, its completions, the systemd unit with the package's paths, and the copyright
/// file.
fn make_sources(profile: &str) -> Result<(), String> {
    let folder = if profile == "dev" { "debug" } else { profile };
    shell::run(&format!(
        "cargo build --locked --package noughts --profile {profile}"
    ))?;
    shell::run(&format!(
        "rm -rf {FOLDER} && mkdir -p {FOLDER} && strip -o {FOLDER}/noughts target/{folder}/noughts && \
         {FOLDER}/noughts man | gzip -9n > {FOLDER}/noughts.1.gz && \
         {FOLDER}/noughts completions bash > {FOLDER}/noughts.bash && \
         {FOLDER}/noughts completions zsh > {FOLDER}/_noughts && \
         {FOLDER}/noughts completions fish > {FOLDER}/noughts.fish && \
         sed '/^#.*\\/usr\\/local/,/^#.*systemctl/d; s|/usr/local/bin/|/usr/bin/|' deploy/noughts.service > {FOLDER}/noughts.service && \
         cat deploy/debian/copyright LICENSE-MIT > {FOLDER}/copyright"
    ))
}

fn copy_files<'a>(
    tree: &str,
    files: impl Iterator<Item = (&'a str, String, u32)>,
) -> Result<(), String> {
    for (from, to, mode) in files {
        let to = crate::root().join(tree).join(to);
        let failed = |error: std::io::Error| format!("{from}: {error}");
        fs::create_dir_all(to.parent().unwrap_or(Path::new("/"))).map_err(failed)?;
        fs::copy(crate::root().join(from), &to).map_err(failed)?;
        fs::set_permissions(&to, fs::Permissions::from_mode(mode)).map_err(failed)?;
    }
    Ok(())
}

/// Writes the files that tell dpkg about the package.
fn write_control(tree: &str, version: &str) -> Result<(), String> {
    let scripts = SCRIPTS.map(|name| (format!("deploy/debian/{name}"), format!("DEBIAN/{name}")));
    copy_files(
        tree,
        scripts
            .iter()
            .map(|(from, to)| (from.as_str(), to.clone(), 0o755)),
    )?;
    let architecture = shell::read("dpkg --print-architecture")?;
    let size = shell::read(&format!(
        "du --summarize --apparent-size --block-size=1024 {tree} | cut -f1"
    ))?;
    // The newest version among the glibc symbols that the program uses. The program needs a C library of this version
    // or a newer one.
    let libc = shell::read(&format!(
        "objdump -T {FOLDER}/noughts | grep -o 'GLIBC_[0-9.]*' | cut -d_ -f2 | sort -uV | tail -1"
    ))?;
    let control = fs::read_to_string(crate::root().join("deploy/debian/control"))
        .map_err(|error| format!("deploy/debian/control: {error}"))?
        .replace("{version}", version)
        .replace("{architecture}", architecture.trim())
        .replace("{size}", size.trim())
        .replace("{libc}", libc.trim());
    for (name, text) in [
        ("control", control.as_str()),
        ("conffiles", "/etc/noughts.conf\n"),
    ] {
        let path = crate::root().join(tree).join("DEBIAN").join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_of_the_packages_exists_or_is_made() {
        for (from, ..) in FILES {
            assert!(
                from.starts_with(FOLDER) || crate::root().join(from).is_file(),
                "{from}"
            );
        }
        for name in SCRIPTS {
            let path = crate::root().join("deploy/debian").join(name);
            assert!(path.is_file(), "{name}");
        }
    }

    #[test]
    fn version_of_the_workspace_is_found() {
        let version = version().unwrap();
        assert!(version.split('.').count() == 3, "{version}");
    }
}
