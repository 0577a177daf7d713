//! Computes an opening book of Connect Four: `cargo xtask book`.
//!
//! | argument | meaning |
//! |---|---|
//! | `--board WxH` | the board, 7x6 by default |
//! | `--openings` | the values of all positions with eight marks, instead of the positions that `perfect` meets |
//! | `--part I/N` | with `--openings`, only the I-th of N parts; parts may run at the same time |
//! | `--memory MB` | without `--openings`, size of the table, 1024 by default |
//! | `--pack` | without `--openings`, writes the positions that are known so far |
//!
//! Results are appended to `target/book-WxH.txt` or `target/openings-WxH-I-N.txt`, so that an interrupted run
//! continues. With `--openings`, the run that finds the last missing value writes the book.

use std::collections::HashMap;
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::Write;

use noughts_engine::book::{BookWriter, OpeningSolver, pack, pack_openings};

const FOLDER: &str = "crates/noughts-engine/src/solver/connect_four/book";

/// The positions are divided into blocks of this size. The parts take the blocks in turn.
const BLOCK: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut board, mut part) = ("7x6".to_owned(), (1, 1));
    let (mut memory, mut packs_only, mut wants_openings) = (1_024, false, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--board" => board = value()?,
            "--memory" => memory = value()?.parse()?,
            "--openings" => wants_openings = true,
            "--pack" => packs_only = true,
            "--part" => {
                let value = value()?;
                let (part_number, parts) = value.split_once('/').ok_or("a part is I/N")?;
                part = (part_number.parse()?, parts.parse()?);
                if !(1..=part.1).contains(&part.0) {
                    return Err(format!("there is no part {value}").into());
                }
            }
            _ => return Err(format!("unknown argument {word}").into()),
        }
    }
    match wants_openings {
        true if packs_only => Err("--pack does not work with --openings".into()),
        true => openings(&board, part),
        false => lines(&board, memory << 20, packs_only),
    }
}

/// Computes the book of the positions that `perfect` meets.
fn lines(board: &str, bytes: usize, packs_only: bool) -> Result<(), Box<dyn Error>> {
    let (known, mut file) = open(&format!("target/book-{board}.txt"))?;
    let numbers = known.iter().map(|line| u64::from_str_radix(line, 16));
    let mut entries: Vec<u64> = numbers.collect::<Result<_, _>>()?;
    let mut writer =
        BookWriter::new(board, &entries, bytes).ok_or(format!("there is no book for {board}"))?;
    let mut is_second = packs_only;
    loop {
        let Some(progress) = (!packs_only).then(|| writer.step()).flatten() else {
            if is_second {
                break;
            }
            writer.start_second();
            is_second = true;
            continue;
        };
        if let Some(entry) = progress.entry {
            writeln!(file, "{entry:014x}")?;
            entries.push(entry);
            eprintln!(
                "{} marks, {} open, {} entries, {} million nodes",
                progress.marks,
                progress.open,
                entries.len(),
                progress.nodes / 1_000_000
            );
        }
    }
    write(&format!("{FOLDER}/{board}.bin"), &pack(entries))
}

/// Computes the book of all positions with eight marks.
fn openings(board: &str, (part, parts): (usize, usize)) -> Result<(), Box<dyn Error>> {
    let mut solver = OpeningSolver::new(board).ok_or(format!("there is no book for {board}"))?;
    let keys = solver.keys();
    let known = known_openings(board)?;
    let (_, mut file) = open(&format!("target/openings-{board}-{part}-{parts}.txt"))?;
    // Positions that follow each other in this order share many entries of the transposition table.
    let mut sorted = keys.clone();
    sorted.sort_by_cached_key(|key| (solver.distance_from_middle(*key), *key));
    for (number, block) in sorted.chunks(BLOCK).enumerate() {
        if number % parts + 1 != part {
            continue;
        }
        for key in block.iter().filter(|key| !known.contains_key(key)) {
            writeln!(file, "{key:013x} {:2}", solver.sign(*key))?;
        }
        eprintln!("{} of {} positions", number * BLOCK, keys.len());
    }
    // Other parts may have ended in the meantime.
    let known = known_openings(board)?;
    let signs: Vec<i32> = keys
        .iter()
        .filter_map(|key| known.get(key).copied())
        .collect();
    match keys.len() - signs.len() {
        0 => write(
            &format!("{FOLDER}/{board}-openings.bin"),
            &pack_openings(&signs),
        ),
        missing => {
            eprintln!("{missing} of {} positions are missing", keys.len());
            Ok(())
        }
    }
}

/// The signs (1 win, 0 draw, -1 loss) in the files of all parts. The keys of the map are the keys of the positions.
fn known_openings(board: &str) -> Result<HashMap<u64, i32>, Box<dyn Error>> {
    let mut known = HashMap::new();
    for entry in fs::read_dir("target")? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with(&format!("openings-{board}-")) {
            continue;
        }
        for line in complete_lines(&fs::read_to_string(entry.path())?) {
            let (key, sign) = line.split_once(' ').ok_or(format!("{name}: {line}"))?;
            known.insert(u64::from_str_radix(key, 16)?, sign.trim().parse()?);
        }
    }
    Ok(known)
}

/// Opens a file for appending, and returns its complete lines. Creates the file if it does not exist. Cuts off an
/// incomplete last line.
fn open(path: &str) -> Result<(Vec<String>, File), Box<dyn Error>> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<String> = complete_lines(&text).map(str::to_owned).collect();
    let complete: usize = lines.iter().map(|line| line.len() + 1).sum();
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    file.set_len(complete as u64)?;
    Ok((lines, file))
}

/// The lines that end with a line break. An interrupted run may leave a last line without one.
fn complete_lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split_inclusive('\n');
    lines.filter_map(|line| line.strip_suffix('\n'))
}

fn write(path: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    fs::write(path, bytes)?;
    eprintln!("{path}: {} bytes", bytes.len());
    Ok(())
}
