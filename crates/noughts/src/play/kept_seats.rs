//! The user's seats at tables of servers, so that a game can be continued after Ctrl-C or a crash.
//!
//! One line per seat, oldest first: the game's link, the seat, its symbol, the variant and the token,
//! separated by spaces. Only the user may read the file, because anyone with the token can play for the seat.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use noughts_api::ServerUrl;
use noughts_rules::Seat;

/// Maximum number of seats. Further seats replace the oldest ones.
const MAX_KEPT: usize = 200;

/// A larger file is not ours.
const MAX_BYTES: u64 = 1 << 20;

/// A seat at a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct KeptSeat {
    /// The game's link.
    pub(crate) url: ServerUrl,
    pub(crate) seat: Seat,
    pub(crate) symbol: char,
    pub(crate) variant: String,
    pub(crate) token: String,
}

impl KeptSeat {
    fn read(line: &str) -> Option<KeptSeat> {
        let words: Vec<&str> = line.split(' ').collect();
        let [url, seat, symbol, variant, token] = words[..] else {
            return None;
        };
        Some(KeptSeat {
            url: url
                .parse()
                .ok()
                .filter(|url: &ServerUrl| url.game.is_some())?,
            seat: Seat(seat.parse().ok()?),
            symbol: symbol.chars().next()?,
            variant: variant.to_owned(),
            token: token.to_owned(),
        })
    }

    /// Without the token.
    pub(crate) fn describe(&self) -> String {
        format!("{} as {}, {}", self.variant, self.symbol, self.url)
    }

    fn is_same_seat(&self, other: &KeptSeat) -> bool {
        self.url == other.url && self.seat == other.seat
    }
}

impl std::fmt::Display for KeptSeat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} {} {} {} {}",
            self.url, self.seat.0, self.symbol, self.variant, self.token
        )
    }
}

/// The file of kept seats: `noughts/seats` in the user's state directory.
#[derive(Clone, Debug)]
pub(crate) struct KeptSeats {
    path: PathBuf,
}

impl KeptSeats {
    /// `XDG_STATE_HOME`, or `~/.local/state`; `None` without a home directory.
    pub(crate) fn of_user() -> Option<KeptSeats> {
        let absolute = |name| {
            let path = env::var_os(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let state = absolute("XDG_STATE_HOME")
            .or_else(|| Some(absolute("HOME")?.join(".local").join("state")))?;
        Some(KeptSeats {
            path: state.join("noughts").join("seats"),
        })
    }

    /// The kept seats, newest first. A missing file has none, and lines that cannot be read are skipped.
    pub(crate) fn read(&self) -> io::Result<Vec<KeptSeat>> {
        match File::open(&self.path) {
            Ok(file) => {
                let mut seats = read_all(&file)?;
                seats.reverse();
                Ok(seats)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Adds a seat, or moves it to the end.
    pub(crate) fn add(&self, seat: &KeptSeat) -> io::Result<()> {
        self.change(|seats| {
            seats.retain(|kept| !kept.is_same_seat(seat));
            seats.push(seat.clone());
            let surplus = seats.len().saturating_sub(MAX_KEPT);
            seats.drain(..surplus);
        })
    }

    pub(crate) fn remove(&self, seat: &KeptSeat) -> io::Result<()> {
        self.change(|seats| seats.retain(|kept| !kept.is_same_seat(seat)))
    }

    /// Changes the file under a lock, because several terminals may play at the same time.
    fn change(&self, change: impl FnOnce(&mut Vec<KeptSeat>)) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            create_private_folder(folder)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path)?;
        file.lock()?;
        let mut seats = read_all(&file)?;
        change(&mut seats);
        let text: String = seats.iter().map(|seat| format!("{seat}\n")).collect();
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(text.as_bytes())
    }
}

fn read_all(file: &File) -> io::Result<Vec<KeptSeat>> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter_map(KeptSeat::read).collect())
}

fn create_private_folder(folder: &std::path::Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(number: u8, game: char) -> KeptSeat {
        let url = format!("http://localhost:8080/game/{}", game.to_string().repeat(26));
        KeptSeat {
            url: url.parse().unwrap(),
            seat: Seat(number),
            symbol: 'x',
            variant: "3x3k3".to_owned(),
            token: "t.0.k".to_owned(),
        }
    }

    #[test]
    fn seats_are_kept_privately_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let kept = KeptSeats {
            path: folder.path().join("noughts").join("seats"),
        };
        assert_eq!(kept.read().unwrap(), []);
        for seat in [seat(0, 'A'), seat(1, 'A'), seat(0, 'B'), seat(0, 'A')] {
            kept.add(&seat).unwrap();
        }
        assert_eq!(
            kept.read().unwrap(),
            [seat(0, 'A'), seat(0, 'B'), seat(1, 'A')]
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&kept.path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        kept.remove(&seat(0, 'B')).unwrap();
        assert_eq!(kept.read().unwrap(), [seat(0, 'A'), seat(1, 'A')]);
    }

    #[test]
    fn lines_that_cannot_be_read_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seats");
        fs::write(
            &path,
            format!("what\n{}\n\u{fffd}\nhttp://h 0 x 3x3k3 t\n", seat(0, 'A')),
        )
        .unwrap();
        assert_eq!(KeptSeats { path }.read().unwrap(), [seat(0, 'A')]);
    }
}
