//! Stores the user's seats at tables on servers, so that a game can be continued after Ctrl-C or a crash.
//!
//! The file has one line per seat, oldest first: the game's link, the seat, its symbol, the variant and the token,
//! separated by spaces. Only the user may read the file, because anyone with the token can play for the seat.

use std::io;

use noughts_api::ServerUrl;
use noughts_rules::Seat;

use crate::state_file::StateFile;

/// Maximum number of saved seats. In a full file, a new seat replaces the oldest seat.
const MAX_KEPT: usize = 200;

/// A seat of the user at a table, with the token that lets a client play for the seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SavedSeat {
    /// The game's link.
    pub(crate) url: ServerUrl,
    pub(crate) seat: Seat,
    pub(crate) symbol: char,
    pub(crate) variant: String,
    pub(crate) token: String,
}

impl SavedSeat {
    fn read(line: &str) -> Option<SavedSeat> {
        let words: Vec<&str> = line.split(' ').collect();
        let [url, seat, symbol, variant, token] = words[..] else {
            return None;
        };
        Some(SavedSeat {
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

    /// Describes the seat without its secret token.
    pub(crate) fn describe(&self) -> String {
        format!("{} as {}, {}", self.variant, self.symbol, self.url)
    }

    fn is_same_seat(&self, other: &SavedSeat) -> bool {
        self.url == other.url && self.seat == other.seat
    }
}

impl std::fmt::Display for SavedSeat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} {} {} {} {}",
            self.url, self.seat.0, self.symbol, self.variant, self.token
        )
    }
}

/// The file of saved seats: `noughts/seats` in the user's state directory.
#[derive(Clone, Debug)]
pub(crate) struct SavedSeats {
    file: StateFile,
}

impl SavedSeats {
    /// The file of the current user. `None` if the user has no state directory.
    pub(crate) fn of_user() -> Option<SavedSeats> {
        let file = StateFile::of_user("seats")?;
        Some(SavedSeats { file })
    }

    /// Returns the saved seats, newest first. Returns no seats if the file does not exist. Skips lines that
    /// cannot be parsed.
    pub(crate) fn read(&self) -> io::Result<Vec<SavedSeat>> {
        let lines = self.file.read()?;
        Ok(lines.lines().rev().filter_map(SavedSeat::read).collect())
    }

    /// Adds a seat at the end of the file. A seat that is already in the file moves to the end. Removes lines
    /// that cannot be parsed.
    pub(crate) fn add(&self, seat: &SavedSeat) -> io::Result<()> {
        self.change(|seats| {
            seats.retain(|saved| !saved.is_same_seat(seat));
            seats.push(seat.clone());
            let surplus = seats.len().saturating_sub(MAX_KEPT);
            seats.drain(..surplus);
        })
    }

    pub(crate) fn remove(&self, seat: &SavedSeat) -> io::Result<()> {
        self.change(|seats| seats.retain(|saved| !saved.is_same_seat(seat)))
    }

    fn change(&self, change: impl FnOnce(&mut Vec<SavedSeat>)) -> io::Result<()> {
        self.file.change(|text| {
            let mut seats = text.lines().filter_map(SavedSeat::read).collect();
            change(&mut seats);
            seats.iter().map(|seat| format!("{seat}\n")).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(number: u8, game: char) -> SavedSeat {
        let url = format!("http://localhost:8080/game/{}", game.to_string().repeat(26));
        SavedSeat {
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
        let path = folder.path().join("noughts").join("seats");
        let saved = SavedSeats {
            file: StateFile::at(path.clone()),
        };
        assert_eq!(saved.read().unwrap(), []);
        for seat in [seat(0, 'A'), seat(1, 'A'), seat(0, 'B'), seat(0, 'A')] {
            saved.add(&seat).unwrap();
        }
        assert_eq!(
            saved.read().unwrap(),
            [seat(0, 'A'), seat(0, 'B'), seat(1, 'A')]
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        saved.remove(&seat(0, 'B')).unwrap();
        assert_eq!(saved.read().unwrap(), [seat(0, 'A'), seat(1, 'A')]);
    }

    #[test]
    fn lines_that_cannot_be_read_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seats");
        std::fs::write(
            &path,
            format!("what\n{}\n\u{fffd}\nhttp://h 0 x 3x3k3 t\n", seat(0, 'A')),
        )
        .unwrap();
        assert_eq!(
            SavedSeats {
                file: StateFile::at(path)
            }
            .read()
            .unwrap(),
            [seat(0, 'A')]
        );
    }
}
