//! A file is refused with a short message, or is a backup whose last line counts its rows.
#![no_main]

use std::fs;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use noughts_server::{BackupError, check_backup};
use sha2::{Digest, Sha256};

// Half of the inputs get a last line with the right checksum. Otherwise the checksum alone would refuse nearly every
// input.
fuzz_target!(|input: &[u8]| {
    let Some((kind, content)) = input.split_first() else {
        return;
    };
    let mut file = content.to_vec();
    let rows = content.split(|byte| *byte == b'\n');
    let rows = rows.filter(|line| line.starts_with(b"\t")).count();
    if kind % 2 == 0 {
        let hash: String = Sha256::digest(content)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        file.extend(format!("end {rows} {hash}\n").bytes());
    }
    let shared = PathBuf::from("/dev/shm");
    let folder = match shared.is_dir() {
        true => shared,
        false => std::env::temp_dir(),
    };
    let path = folder.join(format!("noughts-fuzz-{}", std::process::id()));
    fs::write(&path, &file).expect("there is room");
    let checked = check_backup(&path);
    fs::remove_file(&path).expect("it was written");
    match checked {
        Ok(_) => assert!(kind % 2 == 0 || content.ends_with(b"\n")),
        Err(BackupError::Store(error)) => panic!("no store is used: {error}"),
        Err(error) => assert!(error.to_string().len() < 1_000, "{error}"),
    }
});
