//! `noughts verify`: checks a proof and prints the statement that was proved.

use std::fs::File;
use std::io::{self, BufReader, Write};

use crate::Failure;
use crate::args::Verify;
use crate::progress;

pub(crate) fn run(task: &Verify) -> Result<(), Failure> {
    let checked = match task.file.as_str() {
        "-" => noughts_proof::verify(io::stdin().lock()),
        name => {
            let file = File::open(name)
                .map_err(|error| Failure::Invalid(format!("{name} can't be read: {error}")))?;
            let bar = progress::bar(file.metadata().map_or(0, |file| file.len()), "bytes");
            let checked = noughts_proof::verify(BufReader::new(bar.wrap_read(file)));
            bar.finish_and_clear();
            checked
        }
    };
    let proved =
        checked.map_err(|fault| Failure::Invalid(format!("{} is no proof: {fault}", task.file)))?;
    let variant = &proved.variant;
    let text = format!(
        "{variant} {}\n{} to move: {}\nproved with {} positions\n",
        proved.position.format(variant),
        proved.position.to_move.symbol(),
        proved.value,
        proved.positions,
    );
    Ok(io::stdout().write_all(text.as_bytes())?)
}
