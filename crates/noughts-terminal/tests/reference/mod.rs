//! A second implementation of the classic game, written only from its description. It turns the whole input
//! into the whole output and shares no code with the program. Tests and a fuzzer compare the two.

/// A game on `size` x `size` cells with `win` in a line.
#[derive(Debug)]
pub(crate) struct Classic {
    pub(crate) size: usize,
    pub(crate) win: usize,
    pub(crate) history: usize,
    pub(crate) players: Vec<char>,
}

impl Classic {
    /// Everything that is printed for this input.
    pub(crate) fn play(&self, input: &[u8]) -> String {
        let mut lines = lines(input).into_iter();
        let mut out = String::new();
        // Row, column and symbol of every mark, oldest first.
        let mut marks: Vec<(i64, i64, char)> = Vec::new();
        let mut turn = 1;
        loop {
            let player = self.players[(turn - 1) % self.players.len()];
            out += &format!(
                "Turn: {turn}\n{}Enter your turn ({player}): ",
                self.draw(&marks)
            );
            let line = lines.next().unwrap_or(":q".to_owned());
            if line == ":q" {
                out += "===\n\n";
                break;
            }
            match self.command(&line, &mut marks, player) {
                Ok(()) => turn += 1,
                Err(message) => out += &format!("{message}\n"),
            }
            out += "===\n\n";
            if self.winner(&marks).is_some() || marks.len() == self.size * self.size {
                break;
            }
        }
        out += &format!("Game over after {} turns\n{}", turn - 1, self.draw(&marks));
        if let Some(winner) = self.winner(&marks) {
            out += &format!("Winner is '{winner}'\n");
        }
        out
    }

    fn command(
        &self,
        line: &str,
        marks: &mut Vec<(i64, i64, char)>,
        player: char,
    ) -> Result<(), &'static str> {
        if let Some(count) = line.strip_prefix("<<") {
            let count = number(count).ok_or("Invalid command")?;
            if count < 0 || count >= self.history as i64 || count > marks.len() as i64 {
                return Err("Unable to rewind");
            }
            marks.truncate(marks.len() - count as usize);
            return Ok(());
        }
        let words: Vec<&str> = line.split(' ').collect();
        let [row, column] = words[..] else {
            return Err("Invalid command");
        };
        let row = number(row).ok_or("Invalid command")?;
        let column = number(column).ok_or("Invalid command")?;
        let board = 0..self.size as i64;
        let taken = marks.iter().any(|mark| (mark.0, mark.1) == (row, column));
        if !board.contains(&row) || !board.contains(&column) || taken {
            return Err("Illegal play");
        }
        marks.push((row, column, player));
        Ok(())
    }

    fn draw(&self, marks: &[(i64, i64, char)]) -> String {
        let rule = format!("{}\n", "-".repeat(self.size * 2 + 1));
        let mut board = rule.clone();
        for row in 0..self.size as i64 {
            for column in 0..self.size as i64 {
                board.push('|');
                board.push(symbol(marks, row, column).unwrap_or(' '));
            }
            board += "|\n";
            board += &rule;
        }
        board
    }

    fn winner(&self, marks: &[(i64, i64, char)]) -> Option<char> {
        let has_line = |&(row, column, player): &(i64, i64, char)| {
            [(0, 1), (1, 0), (1, 1), (1, -1)]
                .iter()
                .any(|(down, right)| {
                    let next = |n| symbol(marks, row + n * down, column + n * right);
                    (0..self.win as i64).all(|n| next(n) == Some(player))
                })
        };
        marks.iter().find(|mark| has_line(mark)).map(|mark| mark.2)
    }
}

fn symbol(marks: &[(i64, i64, char)], row: i64, column: i64) -> Option<char> {
    marks
        .iter()
        .find(|mark| (mark.0, mark.1) == (row, column))
        .map(|mark| mark.2)
}

/// Parses `-?[0-9]+`. Numbers that are too large saturate.
fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    }))
}

/// The lines without line ends. Invalid UTF-8 becomes text that is not a command.
fn lines(input: &[u8]) -> Vec<String> {
    let mut lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    let text = |line: &[u8]| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        String::from_utf8(line.to_vec()).unwrap_or("?".to_owned())
    };
    lines.into_iter().map(text).collect()
}
