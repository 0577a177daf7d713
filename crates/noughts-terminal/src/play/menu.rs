//! The menu of `noughts play`: what to play, and against whom.

use std::io::{BufRead, Write};

use noughts_rules::{CATALOG, Quoted, Variant};

use crate::console::{Console, Exit};

/// What the menu offers. The lists contain one line of text per game.
#[derive(Clone, Debug, Default)]
pub struct Lobby {
    /// The server's address.
    pub server: String,
    /// Tables that wait for an opponent.
    pub waiting: Vec<String>,
    /// Games that can be watched.
    pub running: Vec<String>,
    /// Games in which the player has a seat.
    pub kept: Vec<String>,
    /// The variant of a new game. `None` if the menu must ask for the variant.
    pub variant: Option<String>,
    /// The default level of the computer, 1 to 8.
    pub level: u8,
}

/// What the player chose. Numbers are indices into the lists of the [`Lobby`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// A new game against the computer.
    Computer {
        /// The variant.
        variant: String,
        /// The level of the computer, 1 to 8.
        level: u8,
    },
    /// A new game that can be joined by link only.
    Friend {
        /// The variant.
        variant: String,
    },
    /// Wait for the next player who wants the same game.
    Wait {
        /// The variant.
        variant: String,
    },
    /// Take a seat at a waiting table.
    Join(usize),
    /// Watch a running game.
    Watch(usize),
    /// Continue a game.
    Resume(usize),
    /// Leave.
    Quit,
}

/// Asks until something is chosen. `:q`, `q` and the end of input mean [`Choice::Quit`].
pub fn choose(lobby: &Lobby, input: impl BufRead, output: impl Write) -> std::io::Result<Choice> {
    let mut menu = Menu {
        console: Console::new(input, output),
        lobby,
    };
    or_quit(menu.choose(), Choice::Quit)
}

/// Asks the player to choose one of `lines`. Returns the index of the line, or `None` if the player leaves.
pub fn choose_line(
    lines: &[String],
    input: impl BufRead,
    output: impl Write,
) -> std::io::Result<Option<usize>> {
    let lobby = Lobby::default();
    let mut menu = Menu {
        console: Console::new(input, output),
        lobby: &lobby,
    };
    or_quit(menu.pick(lines).map(Some), None)
}

fn or_quit<T>(chosen: Result<T, Exit>, quit: T) -> std::io::Result<T> {
    match chosen {
        Ok(chosen) => Ok(chosen),
        Err(Exit::Quit) => Ok(quit),
        Err(Exit::Failed(error)) => Err(error),
    }
}

struct Menu<'l, I, O> {
    console: Console<I, O>,
    lobby: &'l Lobby,
}

impl<I: BufRead, O: Write> Menu<'_, I, O> {
    fn choose(&mut self) -> Result<Choice, Exit> {
        let lobby = self.lobby;
        self.console
            .tell(format_args!("Noughts at {}\n", lobby.server))?;
        let mut entries = vec![
            "play the computer".to_owned(),
            "play a friend, by link".to_owned(),
            format!("find an opponent ({} waiting)", lobby.waiting.len()),
            format!("watch a game ({} running)", lobby.running.len()),
        ];
        if !lobby.kept.is_empty() {
            entries.push(format!("continue a game ({} kept)", lobby.kept.len()));
        }
        for (number, entry) in (1..).zip(&entries) {
            self.console.tell(format_args!("{number}  {entry}"))?;
        }
        self.console.tell("q  quit")?;
        loop {
            let number = self.number("Your choice", entries.len(), None)?;
            let (title, list) = match number {
                1 => return self.computer(),
                2 => {
                    let variant = self.variant()?;
                    return Ok(Choice::Friend { variant });
                }
                3 if lobby.waiting.is_empty() => {
                    self.console
                        .tell("Nobody waits, so you wait for an opponent.")?;
                    let variant = self.variant()?;
                    return Ok(Choice::Wait { variant });
                }
                4 if lobby.running.is_empty() => {
                    self.console.tell("No game can be watched now.")?;
                    continue;
                }
                3 => (Choice::Join as fn(usize) -> Choice, &lobby.waiting),
                4 => (Choice::Watch as fn(usize) -> Choice, &lobby.running),
                _ => (Choice::Resume as fn(usize) -> Choice, &lobby.kept),
            };
            return self.pick(list).map(title);
        }
    }

    fn computer(&mut self) -> Result<Choice, Exit> {
        let variant = self.variant()?;
        let default = Some(usize::from(self.lobby.level));
        let level = self.number("Level of the computer", 8, default)? as u8;
        Ok(Choice::Computer { variant, level })
    }

    /// Shows a numbered list and returns the index of the chosen line.
    fn pick(&mut self, lines: &[String]) -> Result<usize, Exit> {
        self.console.tell("")?;
        for (number, line) in (1..).zip(lines) {
            self.console.tell(format_args!("{number:>2}  {line}"))?;
        }
        let default = (lines.len() == 1).then_some(1);
        Ok(self.number("Which", lines.len(), default)? - 1)
    }

    /// Returns the variant of the [`Lobby`]. If the lobby has no variant, asks the player for the name of a
    /// variant, or for its number in the catalog.
    fn variant(&mut self) -> Result<String, Exit> {
        if let Some(variant) = &self.lobby.variant {
            return Ok(variant.clone());
        }
        self.console.tell("")?;
        for (number, entry) in (1..).zip(CATALOG) {
            let (title, name) = (entry.title, entry.name);
            self.console
                .tell(format_args!("{number:>2}  {title:<26}{name}"))?;
        }
        loop {
            let line = self.ask("Which game, a number or a name such as 5x5k4 (Enter: 1):")?;
            let line = if line.is_empty() { "1" } else { &line };
            let listed = line.parse::<usize>().ok();
            let listed = listed.and_then(|number| CATALOG.get(number.checked_sub(1)?));
            if let Some(entry) = listed {
                return Ok(entry.name.to_owned());
            }
            match line.parse::<Variant>() {
                Ok(variant) => return Ok(variant.to_string()),
                Err(error) => self.console.tell(error)?,
            }
        }
    }

    /// Asks for a number from 1 to `max`. An empty line selects `default`, if it is not `None`.
    fn number(&mut self, what: &str, max: usize, default: Option<usize>) -> Result<usize, Exit> {
        let enter = default.map_or(String::new(), |number| format!(", Enter: {number}"));
        loop {
            let line = self.ask(&format!("{what} (1 to {max}{enter}):"))?;
            let number = match default.filter(|_| line.is_empty()) {
                Some(default) => Some(default),
                None => line
                    .parse()
                    .ok()
                    .filter(|number| (1..=max).contains(number)),
            };
            match number {
                Some(number) => return Ok(number),
                None => self.console.tell(format_args!(
                    "{} is not a number from 1 to {max}; q quits.",
                    Quoted::from(line.as_str())
                ))?,
            }
        }
    }

    fn ask(&mut self, prompt: &str) -> Result<String, Exit> {
        match self.console.ask(prompt)? {
            line if line == "q" => Err(Exit::Quit),
            line => Ok(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lobby() -> Lobby {
        Lobby {
            server: "http://localhost:8080".to_owned(),
            waiting: vec!["3x3k3  Ann".to_owned(), "multi  Bob".to_owned()],
            level: 4,
            ..Lobby::default()
        }
    }

    fn choice(lobby: &Lobby, typed: &str) -> (Choice, String) {
        let mut output = Vec::new();
        let chosen = choose(lobby, typed.as_bytes(), &mut output).unwrap();
        (chosen, String::from_utf8(output).unwrap())
    }

    #[test]
    fn menu_reaches_every_choice() {
        let variant = || "3x3k3".to_owned();
        for (typed, chosen) in [
            (
                "1\n\n\n",
                Choice::Computer {
                    variant: variant(),
                    level: 4,
                },
            ),
            (
                "1\n1\n8\n",
                Choice::Computer {
                    variant: variant(),
                    level: 8,
                },
            ),
            (
                "1\n7x6k4+gravity\n3\n",
                Choice::Computer {
                    variant: "7x6k4+gravity".to_owned(),
                    level: 3,
                },
            ),
            ("2\n\n", Choice::Friend { variant: variant() }),
            ("3\n2\n", Choice::Join(1)),
            // Nothing to watch: the menu asks again.
            ("4\nq\n", Choice::Quit),
            ("9\nx\n\n:q\n", Choice::Quit),
            ("", Choice::Quit),
            ("1\nnonsense\n\n0\n", Choice::Quit),
        ] {
            assert_eq!(choice(&lobby(), typed).0, chosen, "{typed:?}");
        }
    }

    #[test]
    fn empty_lobby_offers_to_wait_and_kept_games_are_listed() {
        let lobby = Lobby {
            waiting: Vec::new(),
            kept: vec!["a game".to_owned()],
            variant: Some("multi".to_owned()),
            ..lobby()
        };
        let (chosen, shown) = choice(&lobby, "3\n");
        let variant = "multi".to_owned();
        assert_eq!(chosen, Choice::Wait { variant });
        assert!(shown.contains("Nobody waits"), "{shown}");
        assert_eq!(choice(&lobby, "5\n\n").0, Choice::Resume(0));
    }
}
