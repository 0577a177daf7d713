//! The file format of backups.
//!
//! ```text
//! noughts backup 1
//! schema 7
//! table secrets secret
//! ⇥4fe1…
//! table players id name is_bot created_ms checked_ms
//! ⇥0123…⇥Ann⇥f⇥1700000000000⇥1700000000000
//! table player_tokens …
//! end 2 9f86d081884c7d65…
//! ```
//!
//! A row begins with a tab, and tabs separate its values. A value is text with the escapes `\\`, `\t`, `\n` and `\r`,
//! bytes in hexadecimal, `t` or `f` for true or false, a decimal number, or `\N` for no value. The last line has the
//! number of rows and the SHA-256 of all lines before the last.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use noughts_rules::Quoted;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use super::{BackupCounts, BackupError, report};
use crate::store::{ColumnKind, DUMPED, DumpItem, DumpTable, DumpValue, SCHEMA};

/// The first line, without the format number.
const MAGIC: &str = "noughts backup ";

/// The format that this program writes, and the newest format that it reads.
const FORMAT: u32 = 1;

/// Maximum length of a line, in bytes. The longest lines are analyses of long games.
const MAX_LINE: u64 = 64 << 20;

/// Creates the file `path` and calls `write` to fill it. On Unix, only the owner of the file can read it.
/// Until the file is complete, its name ends in `.partial`. Fails if a file with one of the two names exists
/// at the start, or if a file named `path` exists at the end. After an error, no new file is left.
pub(super) fn create_file<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<T, BackupError>,
) -> Result<T, BackupError> {
    check_unused(path).map_err(BackupError::Write)?;
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let file = create_partial(&partial)?;
    let done = write_all(file, write).and_then(|done| {
        give_name(&partial, path).map_err(BackupError::Write)?;
        Ok(done)
    });
    if done.is_err() {
        let _ = fs::remove_file(&partial);
    }
    done
}

fn check_unused(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(file_exists()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn file_exists() -> io::Error {
    io::Error::other("the file exists already; give another name")
}

/// Renames the complete file `partial` to `path`. Fails if a file named `path` was created in the meantime.
/// On a file system without hard links, a file that another process creates at `path` during this call may be
/// replaced.
fn give_name(partial: &Path, path: &Path) -> io::Result<()> {
    // Unlike a rename, a hard link never replaces a file.
    match fs::hard_link(partial, path) {
        Ok(()) => {
            // The backup is complete even if its first name stays.
            let _ = fs::remove_file(partial);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(file_exists()),
        // Some file systems, such as FAT, have no hard links.
        Err(_) => {
            check_unused(path)?;
            fs::rename(partial, path)
        }
    }
}

fn create_partial(path: &Path) -> Result<File, BackupError> {
    let mut options = OpenOptions::new();
    // An existing file, such as the file of another running backup, is never overwritten.
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| {
        BackupError::Write(match error.kind() {
            io::ErrorKind::AlreadyExists => io::Error::other(format!(
                "{} exists: wait for the other backup, or remove the file if that backup was interrupted",
                path.display()
            )),
            _ => error,
        })
    })
}

fn write_all<T>(
    file: File,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<T, BackupError>,
) -> Result<T, BackupError> {
    let mut file = BufWriter::new(file);
    let done = write(&mut file)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error);
    file.and_then(|file| file.sync_all())
        .map_err(BackupError::Write)?;
    Ok(done)
}

/// Writes the items of a dump in the file format.
pub(super) fn write_items(
    out: &mut impl Write,
    mut items: mpsc::Receiver<DumpItem>,
    progress: impl Fn(u64),
) -> Result<BackupCounts, BackupError> {
    let mut hash = Sha256::new();
    let mut counts = BackupCounts::default();
    let mut table = "";
    let mut line = format!("{MAGIC}{FORMAT}\nschema {SCHEMA}\n");
    loop {
        hash.update(&line);
        out.write_all(line.as_bytes()).map_err(BackupError::Write)?;
        line.clear();
        match items.blocking_recv() {
            Some(DumpItem::Table {
                table: next,
                columns,
            }) => {
                table = next.name;
                line.push_str("table ");
                line.push_str(table);
                for at in columns {
                    line.push(' ');
                    line.push_str(next.columns[at].0);
                }
            }
            Some(DumpItem::Row(values)) => {
                counts.add(table);
                report(counts.rows, &progress);
                for value in &values {
                    line.push('\t');
                    write_value(value, &mut line);
                }
            }
            Some(DumpItem::End) => break,
            None => return Err(BackupError::Incomplete),
        }
        line.push('\n');
    }
    let mut checksum = String::new();
    write_bytes(&hash.finalize(), &mut checksum);
    writeln!(out, "end {} {checksum}", counts.rows).map_err(BackupError::Write)?;
    Ok(counts)
}

fn write_value(value: &DumpValue, to: &mut String) {
    match value {
        DumpValue::Null => to.push_str("\\N"),
        DumpValue::Integer(number) => to.push_str(&number.to_string()),
        DumpValue::Flag(flag) => to.push(if *flag { 't' } else { 'f' }),
        DumpValue::Bytes(bytes) => write_bytes(bytes, to),
        DumpValue::Text(text) => {
            for c in text.chars() {
                match c {
                    '\\' => to.push_str("\\\\"),
                    '\t' => to.push_str("\\t"),
                    '\n' => to.push_str("\\n"),
                    '\r' => to.push_str("\\r"),
                    c => to.push(c),
                }
            }
        }
    }
}

fn write_bytes(bytes: &[u8], to: &mut String) {
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            to.push(char::from_digit(digit.into(), 16).unwrap_or_default());
        }
    }
}

fn read_value(text: &str, kind: ColumnKind) -> Option<DumpValue> {
    if text == "\\N" {
        return Some(DumpValue::Null);
    }
    match kind {
        ColumnKind::Integer => text.parse().ok().map(DumpValue::Integer),
        ColumnKind::Flag => match text {
            "t" => Some(DumpValue::Flag(true)),
            "f" => Some(DumpValue::Flag(false)),
            _ => None,
        },
        ColumnKind::Bytes => read_bytes(text).map(DumpValue::Bytes),
        ColumnKind::Text => read_text(text).map(DumpValue::Text),
    }
}

fn read_text(text: &str) -> Option<String> {
    let mut read = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        read.push(match c {
            '\\' => match chars.next()? {
                '\\' => '\\',
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            c => c,
        });
    }
    Some(read)
}

fn read_bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? << 4 | digit(*low)?).ok();
    pairs
        .iter()
        .map(byte)
        .collect::<Option<_>>()
        .filter(|_| rest.is_empty())
}

/// Reads a backup line by line, in bounded memory.
pub(super) struct BackupReader<R> {
    from: R,
    hash: Sha256,
    number: u64,
    line: Vec<u8>,
}

/// The database table that the following rows belong to.
struct OpenTable {
    table: &'static DumpTable,
    columns: Vec<usize>,
}

impl<R: BufRead> BackupReader<R> {
    pub(super) fn new(from: R) -> BackupReader<R> {
        BackupReader {
            from,
            hash: Sha256::new(),
            number: 0,
            line: Vec::new(),
        }
    }

    /// Reads the whole backup and passes each item to `take`. [`DumpItem::End`] comes only if the checksum is
    /// right. Stops without an error if `take` returns false.
    pub(super) fn read(
        mut self,
        mut take: impl FnMut(DumpItem) -> bool,
    ) -> Result<BackupCounts, BackupError> {
        self.read_header()?;
        let mut counts = BackupCounts::default();
        let mut open: Option<OpenTable> = None;
        loop {
            let hash = self.hash.clone();
            let line = self.next_line()?;
            let item = match line.strip_prefix('\t') {
                Some(row) => {
                    let Some(open) = &open else {
                        return Err(self.wrong("a row belongs to no table"));
                    };
                    let row = read_row(row, open);
                    let row = row.ok_or_else(|| self.wrong("a row does not fit its table"))?;
                    counts.add(open.table.name);
                    DumpItem::Row(row)
                }
                None if line.starts_with("end ") => {
                    check_end(line, counts.rows, hash)?;
                    let mut one = [0];
                    if self.from.read(&mut one).map_err(BackupError::Read)? > 0 {
                        return Err(BackupError::Damaged);
                    }
                    take(DumpItem::End);
                    return Ok(counts);
                }
                None => {
                    let next = read_table(line);
                    let next =
                        next.ok_or_else(|| self.wrong("it is not a row, a table or the end"))?;
                    let next = next?;
                    let (table, columns) = (next.table, next.columns.clone());
                    open = Some(next);
                    DumpItem::Table { table, columns }
                }
            };
            if !take(item) {
                return Ok(counts);
            }
        }
    }

    fn read_header(&mut self) -> Result<(), BackupError> {
        let first = match self.next_line() {
            // The file has no readable first line.
            Err(BackupError::Incomplete | BackupError::Line { .. }) => {
                return Err(BackupError::NotABackup);
            }
            first => first?,
        };
        let format = first.strip_prefix(MAGIC).and_then(|text| text.parse().ok());
        let format: u32 = format.ok_or(BackupError::NotABackup)?;
        if format > FORMAT {
            return Err(BackupError::TooNew(format!(
                "its format is {format}, and this version knows formats up to {FORMAT}"
            )));
        }
        let second = self.next_line()?;
        let schema = second
            .strip_prefix("schema ")
            .and_then(|text| text.parse().ok());
        let schema: i64 = schema.ok_or_else(|| self.wrong("the schema is missing"))?;
        if schema > SCHEMA {
            return Err(BackupError::TooNew(format!(
                "its schema is {schema}, and this version knows schemas up to {SCHEMA}"
            )));
        }
        Ok(())
    }

    fn next_line(&mut self) -> Result<&str, BackupError> {
        self.line.clear();
        self.number += 1;
        let mut limited = (&mut self.from).take(MAX_LINE);
        let read = limited.read_until(b'\n', &mut self.line);
        read.map_err(BackupError::Read)?;
        match self.line.last() {
            Some(b'\n') => {}
            Some(_) if self.line.len() as u64 >= MAX_LINE => {
                return Err(self.wrong("it is too long"));
            }
            Some(_) | None => return Err(BackupError::Incomplete),
        }
        self.hash.update(&self.line);
        self.line.pop();
        let number = self.number;
        std::str::from_utf8(&self.line).map_err(|_| BackupError::Line {
            number,
            why: "it is not UTF-8",
        })
    }

    fn wrong(&self, why: &'static str) -> BackupError {
        BackupError::Line {
            number: self.number,
            why,
        }
    }
}

fn read_row(text: &str, open: &OpenTable) -> Option<Vec<DumpValue>> {
    let mut texts = text.split('\t');
    let value = |at: &usize| read_value(texts.next()?, open.table.columns[*at].1);
    let row: Option<Vec<DumpValue>> = open.columns.iter().map(value).collect();
    row.filter(|_| texts.next().is_none())
}

/// Parses the line that begins a table. Returns `None` for any other line, and for a line that names no column. Returns
/// an error if the table or a column is unknown.
fn read_table(line: &str) -> Option<Result<OpenTable, BackupError>> {
    let mut words = line.strip_prefix("table ")?.split(' ');
    let name = words.next()?;
    let unknown = |what: String| Some(Err(BackupError::TooNew(what)));
    let Some(table) = DUMPED.iter().find(|table| table.name == name) else {
        return unknown(format!(
            "it has a table {} that this version does not know",
            Quoted::from(name)
        ));
    };
    let mut columns = Vec::new();
    for word in words {
        match table.columns.iter().position(|(column, _)| *column == word) {
            Some(at) => columns.push(at),
            None => {
                return unknown(format!(
                    "its table {name} has a column {} that this version does not know",
                    Quoted::from(word)
                ));
            }
        }
    }
    (!columns.is_empty()).then_some(Ok(OpenTable { table, columns }))
}

fn check_end(line: &str, rows: u64, hash: Sha256) -> Result<(), BackupError> {
    let mut end = format!("end {rows} ");
    write_bytes(&hash.finalize(), &mut end);
    match line == end {
        true => Ok(()),
        false => Err(BackupError::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<DumpItem> {
        let table = |name: &str| DUMPED.iter().find(|table| table.name == name).unwrap();
        let (players, outages) = (table("players"), table("outages"));
        vec![
            DumpItem::Table {
                table: players,
                columns: (0..5).collect(),
            },
            DumpItem::Row(vec![
                DumpValue::Bytes(vec![0, 0xab, 0xff]),
                DumpValue::Text("table \\N\t\n\r\\ é".to_owned()),
                DumpValue::Flag(true),
                DumpValue::Integer(-7),
                DumpValue::Null,
            ]),
            DumpItem::Table {
                table: outages,
                columns: vec![1],
            },
            DumpItem::Row(vec![DumpValue::Integer(i64::MAX)]),
            DumpItem::End,
        ]
    }

    fn written(items: Vec<DumpItem>) -> Vec<u8> {
        let (to, from) = mpsc::channel(100);
        for item in items {
            to.try_send(item).unwrap();
        }
        drop(to);
        let mut out = Vec::new();
        write_items(&mut out, from, |_| ()).unwrap();
        out
    }

    fn read(bytes: &[u8]) -> Result<Vec<DumpItem>, BackupError> {
        let mut items = Vec::new();
        BackupReader::new(bytes).read(|item| {
            items.push(item);
            true
        })?;
        Ok(items)
    }

    #[test]
    fn a_dump_is_read_as_it_was_written() {
        assert_eq!(read(&written(sample())).unwrap(), sample());
    }

    #[test]
    fn file_that_another_program_creates_meanwhile_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("backup");
        let meanwhile = |out: &mut BufWriter<File>| {
            out.write_all(b"ours").unwrap();
            fs::write(&path, "theirs").unwrap();
            Ok(())
        };
        let error = create_file(&path, meanwhile).unwrap_err().to_string();
        assert!(error.contains("the file exists already"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        let files = fs::read_dir(directory.path()).unwrap();
        assert_eq!(files.count(), 1, "no partial file is left");
    }

    #[test]
    fn a_backup_without_its_end_is_refused() {
        let whole = written(sample());
        for length in 0..whole.len() {
            let error = read(&whole[..length]).unwrap_err();
            let is_told = matches!(error, BackupError::Incomplete | BackupError::NotABackup);
            assert!(is_told, "{length}: {error}");
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let whole = written(sample());
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(read(&changed).is_err(), "{at}");
        }
        let longer = [&whole[..], b"\n"].concat();
        assert!(matches!(read(&longer), Err(BackupError::Damaged)));
    }

    #[test]
    fn newer_backups_are_refused() {
        for (text, reason) in [
            ("noughts backup 2\n", "its format is 2"),
            ("noughts backup 1\nschema 99\n", "its schema is 99"),
            (
                "noughts backup 1\nschema 5\ntable ratings id\n",
                "a table \"ratings\"",
            ),
            (
                "noughts backup 1\nschema 5\ntable players elo\n",
                "a column \"elo\"",
            ),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            let is_told = error.contains("newer version") && error.contains(reason);
            assert!(is_told, "{error}");
        }
    }

    #[test]
    fn messages_quote_only_the_beginning_of_a_long_name() {
        let long = "\u{7}".repeat(10_000);
        for line in [
            format!("table {long} id\n"),
            format!("table players {long}\n"),
        ] {
            let text = format!("noughts backup 1\nschema 5\n{line}");
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(r"\u{7}"), "{error}");
            assert!(error.len() < 400, "{error}");
        }
    }
}
