//! Computes an opening book of Connect Four: `cargo xtask book`.
//!
//! | argument | meaning |
//! |---|---|
//! | `--board WxH` | the board, 7x6 by default |
//! | `--openings` | the scores of all positions with nine marks, instead of the positions that `perfect` meets |
//! | `--part I/N` | with `--openings`, only the I-th of N parts; parts may run at the same time |
//! | `--known FILE` | with `--openings`, the known distances of positions with twelve marks, see below |
//! | `--check N` | compares N random scores of `--openings` with a search that uses no book and no `--known` file |
//! | `--memory MB` | without `--openings`, size of the table, 1024 by default |
//! | `--pack` | without `--openings`, writes the positions that are known so far |
//!
//! Results are appended to `target/book-WxH.txt` or `target/opening-scores-WxH-I-N.txt`, so that an interrupted run
//! continues. With `--openings`, the run that finds the last missing score writes the book.
//!
//! `FILE` is `book_12ply_distances.dat` of the Python package `bitbully-databases` by Markus Thill (MIT License). Each
//! entry has four bytes for the position and one for the result. The position: for each column from the left, two bits
//! per mark from the bottom up, `10` for the side to move and `11` for the other side, then a `0`. The result: 100 minus
//! the number of plies to the end, negative if the side to move loses; 0 for a draw.

use std::collections::HashMap;
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::Write;

use noughts_engine::Random;
use noughts_engine::book::{BookWriter, OpeningSolver, pack, pack_openings};

const FOLDER: &str = "crates/noughts-engine/src/solver/connect_four/book";

/// The positions are divided into blocks of this size. The parts take the blocks in turn.
const BLOCK: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut board, mut part) = ("7x6".to_owned(), (1, 1));
    let (mut memory, mut packs_only, mut wants_openings) = (1_024, false, false);
    let (mut known, mut check) = (None, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--board" => board = value()?,
            "--memory" => memory = value()?.parse()?,
            "--openings" => wants_openings = true,
            "--pack" => packs_only = true,
            "--known" => known = Some(value()?),
            "--check" => check = Some(value()?.parse()?),
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
    if let Some(samples) = check {
        return check_openings(&board, samples);
    }
    match wants_openings {
        true if packs_only => Err("--pack does not work with --openings".into()),
        true => openings(&board, part, known.as_deref()),
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

/// Computes the scores of all positions with nine marks.
fn openings(
    board: &str,
    (part, parts): (usize, usize),
    known: Option<&str>,
) -> Result<(), Box<dyn Error>> {
    let mut solver = OpeningSolver::new(board).ok_or(format!("there is no book for {board}"))?;
    if let Some(file) = known {
        let bytes = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        solver.know(bytes.chunks_exact(5).map(published));
    }
    let keys = solver.keys();
    let found = found_openings(board)?;
    let (_, mut file) = open(&format!("target/opening-scores-{board}-{part}-{parts}.txt"))?;
    // Positions that follow each other in this order share many entries of the transposition table.
    let mut sorted = keys.clone();
    sorted.sort_by_cached_key(|key| (solver.distance_from_middle(*key), *key));
    for (number, block) in sorted.chunks(BLOCK).enumerate() {
        if number % parts + 1 != part {
            continue;
        }
        for key in block.iter().filter(|key| !found.contains_key(key)) {
            writeln!(file, "{key:013x} {:3}", solver.score(*key))?;
        }
        eprintln!("{} of {} positions", number * BLOCK, keys.len());
    }
    // Other parts may have ended in the meantime.
    let found = found_openings(board)?;
    let scores: Vec<i32> = keys
        .iter()
        .filter_map(|key| found.get(key).copied())
        .collect();
    match keys.len() - scores.len() {
        0 => write(
            &format!("{FOLDER}/{board}-openings.bin"),
            &pack_openings(&scores),
        ),
        missing => {
            eprintln!("{missing} of {} positions are missing", keys.len());
            Ok(())
        }
    }
}

/// An entry of the file of known distances; see the description of this program.
fn published(entry: &[u8]) -> (Vec<Vec<bool>>, i32) {
    let bit = |at: usize| entry[at / 8] >> (7 - at % 8) & 1 == 1;
    let mut at = 0;
    let mut columns = Vec::new();
    for _ in 0..7 {
        let mut marks = Vec::new();
        while bit(at) {
            marks.push(!bit(at + 1));
            at += 2;
        }
        at += 1;
        columns.push(marks);
    }
    let result = i32::from(entry[4].cast_signed());
    let plies = match result {
        0 => 0,
        1.. => 100 - result,
        ..0 => -100 - result,
    };
    (columns, plies)
}

/// Compares random scores of the book with the solver.
fn check_openings(board: &str, samples: usize) -> Result<(), Box<dyn Error>> {
    let mut solver = OpeningSolver::new(board).ok_or(format!("there is no book for {board}"))?;
    let keys = solver.keys();
    let scores = fs::read(format!("{FOLDER}/{board}-openings.bin"))?;
    let mut random = Random::new(samples as u64);
    for number in 1..=samples {
        let at = random.below(keys.len());
        let score = i32::from(scores[at].cast_signed());
        if !solver.has_score(keys[at], score) {
            return Err(format!("{:013x} does not have score {score}", keys[at]).into());
        }
        if number.is_multiple_of(10) {
            eprintln!("{number} of {samples} scores are right");
        }
    }
    println!("{samples} of {samples} scores are right");
    Ok(())
}

/// The scores in the files of all parts. The keys of the map are the keys of the positions.
fn found_openings(board: &str) -> Result<HashMap<u64, i32>, Box<dyn Error>> {
    let mut found = HashMap::new();
    for entry in fs::read_dir("target")? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with(&format!("opening-scores-{board}-")) {
            continue;
        }
        for line in complete_lines(&fs::read_to_string(entry.path())?) {
            let (key, score) = line.split_once(' ').ok_or(format!("{name}: {line}"))?;
            found.insert(u64::from_str_radix(key, 16)?, score.trim().parse()?);
        }
    }
    Ok(found)
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
