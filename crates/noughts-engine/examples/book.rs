//! Computes an opening book of Connect Four: `cargo xtask book`.
//!
//! | argument | meaning |
//! |---|---|
//! | `--board WxH` | the board, 7x6 by default |
//! | `--checkpoint FILE` | entries found so far; new ones are appended, so that an interrupted run continues |
//! | `--out FILE` | the book; without it, it replaces the book of the engine |
//! | `--memory MB` | size of the table, 1024 by default |
//! | `--pack` | writes the entries found so far |

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write;

use noughts_engine::book::{BookWriter, pack};

fn main() -> Result<(), Box<dyn Error>> {
    let (mut board, mut checkpoint, mut out) = ("7x6".to_owned(), None, None);
    let (mut memory, mut packs_only) = (1_024, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--board" => board = value()?,
            "--checkpoint" => checkpoint = Some(value()?),
            "--out" => out = Some(value()?),
            "--memory" => memory = value()?.parse()?,
            "--pack" => packs_only = true,
            _ => return Err(format!("unknown argument {word}").into()),
        }
    }
    let checkpoint = checkpoint.unwrap_or(format!("target/book-{board}.txt"));
    let folder = "crates/noughts-engine/src/solver/connect_four/book";
    let out = out.unwrap_or(format!("{folder}/{board}.bin"));
    let text = fs::read_to_string(&checkpoint).unwrap_or_default();
    // A line that was cut off by an interruption has no end.
    let lines = text
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'));
    let mut entries: Vec<u64> = lines
        .map(|line| u64::from_str_radix(line, 16))
        .collect::<Result<_, _>>()?;
    let complete: usize = entries.len() * "0123456789abcd\n".len();
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&checkpoint)?;
    file.set_len(complete as u64)?;
    let mut writer = BookWriter::new(&board, &entries, memory << 20)
        .ok_or(format!("there is no book for {board}"))?;
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
    let bytes = pack(entries);
    fs::write(&out, &bytes)?;
    eprintln!("{out}: {} bytes", bytes.len());
    Ok(())
}
