//! The files of `web/`, embedded in the program.

use std::collections::BTreeMap;
use std::io::Write as _;

use axum::body::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::super::link_preview::LinkPreview;

macro_rules! files {
    ($($path:literal)*) => {
        [$(($path, include_bytes!(concat!("../../../../../web/", $path)).as_slice())),*]
    };
}

/// All files of the page. A test checks that none is missing. Style sheets are in the order in which they apply.
const FILES: &[(&str, &[u8])] = &files![
    "index.html"
    "manifest.webmanifest"
    "icon.svg"
    "icon_turn.svg"
    "theme_at_load.js"
    "sw.js"
    "style/tokens.css"
    "style/base.css"
    "style/fields.css"
    "style/frame.css"
    "style/dialogs.css"
    "style/game.css"
    "style/board.css"
    "style/seats.css"
    "style/controls.css"
    "style/side_panel.css"
    "style/invitation.css"
    "style/analysis.css"
    "style/start.css"
    "style/new_game.css"
    "style/game_list.css"
    "analysis.js"
    "announcements.js"
    "api.js"
    "app.js"
    "archive.js"
    "board.js"
    "cell_grid.js"
    "claims.js"
    "clock.js"
    "controls.js"
    "dialogs.js"
    "dom.js"
    "event_stream.js"
    "game.js"
    "game_extras.js"
    "game_list.js"
    "game_requests.js"
    "game_state.js"
    "game_updates.js"
    "i18n.js"
    "invitation.js"
    "labels.js"
    "lobby_events.js"
    "marks.js"
    "me.js"
    "move_list.js"
    "my_events.js"
    "my_games.js"
    "new_game.js"
    "notifications.js"
    "offers.js"
    "places.js"
    "player.js"
    "preferences.js"
    "profile.js"
    "quick_match.js"
    "record.js"
    "refusals.js"
    "replay.js"
    "rewind.js"
    "robot_levels.js"
    "seat_chooser.js"
    "seat_list.js"
    "seat_tokens.js"
    "series.js"
    "settings.js"
    "share.js"
    "shortcut_list.js"
    "shortcuts.js"
    "side_panel.js"
    "sound.js"
    "start.js"
    "storage.js"
    "table.js"
    "taking_seats.js"
    "variant.js"
    "variant_icon.js"
    "watch.js"
    "winning_line.js"
    "i18n/ca.js"
    "i18n/cs.js"
    "i18n/en.js"
    "i18n/fr.js"
];

pub(super) const MANIFEST_TYPE: &str = "application/manifest+json";

/// The path of the file that contains all style sheets. So a browser loads one file instead of fifteen.
const STYLE: &str = "style.css";

/// Modules of the first screen: the browser preloads all of them at the same time.
const FIRST: &[&str] = &[
    "api.js",
    "app.js",
    "board.js",
    "cell_grid.js",
    "dialogs.js",
    "dom.js",
    "i18n.js",
    "marks.js",
    "places.js",
    "preferences.js",
    "robot_levels.js",
    "shortcuts.js",
    "start.js",
    "storage.js",
    "table.js",
    "variant.js",
    "winning_line.js",
];

/// A file, plain and compressed. All responses share the file's bytes.
pub(in crate::http) struct File {
    content_type: &'static str,
    plain: Bytes,
    /// `None` for a PNG image, and if compression does not make the file smaller.
    gzip: Option<Bytes>,
    hash: String,
}

/// The content encoding of a response.
#[derive(Clone, Copy)]
pub(super) enum Encoding {
    Plain,
    Gzip,
}

impl File {
    /// A file of the page, compressed at the highest level.
    pub(super) fn new(content_type: &'static str, plain: Vec<u8>) -> File {
        File::compressed(content_type, plain, Compression::best())
    }

    /// An image file. An SVG image may be megabytes large, so it is compressed at the fastest level. A PNG image is
    /// already compressed, so it is not compressed again.
    pub(in crate::http) fn image(content_type: &'static str, plain: Vec<u8>) -> File {
        File::compressed(content_type, plain, Compression::fast())
    }

    fn compressed(content_type: &'static str, plain: Vec<u8>, level: Compression) -> File {
        let gzip = match content_type {
            "image/png" => None,
            _ => Some(compressed(&plain, level)).filter(|gzip| gzip.len() < plain.len()),
        };
        File {
            content_type,
            hash: hash(&[&plain]),
            plain: plain.into(),
            gzip: gzip.map(Bytes::from),
        }
    }

    /// The number of bytes of the plain and the compressed form together.
    pub(in crate::http) fn size(&self) -> usize {
        self.plain.len() + self.gzip.as_ref().map_or(0, Bytes::len)
    }

    pub(super) fn content_type(&self) -> &'static str {
        self.content_type
    }

    /// The bytes of the file, and their encoding. The bytes are compressed if `coding` is gzip and the file
    /// has a compressed form; otherwise they are plain.
    pub(super) fn bytes(&self, coding: Encoding) -> (Bytes, Encoding) {
        match (coding, &self.gzip) {
            (Encoding::Gzip, Some(gzip)) => (gzip.clone(), Encoding::Gzip),
            (Encoding::Gzip, None) | (Encoding::Plain, _) => (self.plain.clone(), Encoding::Plain),
        }
    }

    /// The value of the header `ETag` for the file in this encoding.
    pub(super) fn tag(&self, coding: Encoding) -> String {
        match coding {
            Encoding::Plain => format!("\"{}\"", self.hash),
            Encoding::Gzip => format!("\"{}-gzip\"", self.hash),
        }
    }
}

/// All files of the page.
pub(super) struct Site {
    files: BTreeMap<&'static str, File>,
    /// Files with a fixed path. They may refer to other files, by paths that contain the version.
    root_files: BTreeMap<&'static str, File>,
    version: String,
    document: String,
    manifest: String,
}

impl Site {
    pub(super) fn new() -> Site {
        let all: Vec<&[u8]> = FILES.iter().map(|(_, bytes)| *bytes).collect();
        let version = hash(&all);
        let text = |path: &str| {
            let found = FILES.iter().find(|(name, _)| *name == path);
            let text = String::from_utf8_lossy(found.map_or(&[], |(_, bytes)| bytes));
            text.replace("%VERSION%", &version)
        };
        let first: Vec<String> = FIRST.iter().map(|path| preload(&version, path)).collect();
        let style: Vec<u8> = FILES
            .iter()
            .filter(|(path, _)| path.ends_with(".css"))
            .flat_map(|(_, bytes)| bytes.iter().copied())
            .collect();
        let is_loaded = |path: &&str| {
            !matches!(*path, "index.html" | "sw.js" | "manifest.webmanifest")
                && !path.ends_with(".css")
        };
        let listed: Vec<String> = FILES
            .iter()
            .map(|(path, _)| *path)
            .filter(is_loaded)
            .chain([STYLE])
            .map(|path| format!("\"/web/{version}/{path}\""))
            .collect();
        let worker = text("sw.js").replace("\"%FILES%\"", &listed.join(", "));
        let root_files = [("sw.js", worker), ("icon.svg", text("icon.svg"))];
        Site {
            files: FILES
                .iter()
                .filter(|(path, _)| is_loaded(path))
                .map(|(path, bytes)| (*path, bytes.to_vec()))
                .chain([(STYLE, style)])
                .map(|(path, bytes)| (path, File::new(content_type(path), bytes)))
                .collect(),
            root_files: root_files
                .into_iter()
                .map(|(path, text)| (path, File::new(content_type(path), text.into_bytes())))
                .collect(),
            manifest: text("manifest.webmanifest"),
            document: text("index.html").replace("<!--preload-->", &first.join("\n")),
            version,
        }
    }

    /// A hash of all files.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    pub(super) fn file(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// The app's manifest, with placeholders for texts.
    pub(super) fn manifest(&self) -> &str {
        &self.manifest
    }

    pub(super) fn root_file(&self, path: &str) -> Option<&File> {
        self.root_files.get(path)
    }

    /// The document, with the metadata for link previews.
    pub(super) fn document(&self, preview: &LinkPreview) -> String {
        let translation = format!("i18n/{}.js", preview.tag());
        self.document
            .replacen("lang=\"en\"", &format!("lang=\"{}\"", preview.tag()), 1)
            .replace("<!--translation-->", &preload(&self.version, &translation))
            .replace("<!--preview-->", &preview.to_string())
    }
}

/// The HTML element that makes the browser load a module before another module imports it.
fn preload(version: &str, path: &str) -> String {
    format!("<link rel=\"modulepreload\" href=\"/web/{version}/{path}\">")
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => MANIFEST_TYPE,
        _ => "application/octet-stream",
    }
}

/// Compresses bytes with gzip.
pub(in crate::http) fn compressed(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    match encoder.write_all(bytes) {
        Ok(()) => encoder.finish().unwrap_or_default(),
        Err(_) => Vec::new(),
    }
}

/// A hash of `parts`, for versions and tags. Twelve hexadecimal digits are enough, because nobody can add a
/// file to cause a collision.
fn hash(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_be_bytes());
        hasher.update(part);
    }
    let digest = hasher.finalize();
    digest[..6]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    fn web() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
    }

    fn collect(directory: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(web())
                .unwrap()
                .to_string_lossy()
                .into_owned();
            match path.is_dir() {
                true if matches!(name.as_str(), "tests" | "node_modules") => {}
                true => collect(&path, found),
                false => found.push(name),
            }
        }
    }

    #[test]
    fn every_web_file_is_embedded() {
        let mut there = Vec::new();
        collect(&web(), &mut there);
        // Files for development tools only.
        let tools = [
            "package.json",
            "package-lock.json",
            "tsconfig.json",
            "api_types.d.ts",
        ];
        there.retain(|name| !name.starts_with('.') && !tools.contains(&name.as_str()));
        there.sort();
        let mut listed: Vec<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        listed.sort();
        assert_eq!(listed, there);
    }
}
