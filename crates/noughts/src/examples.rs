//! Examples in the help of each command.

use clap::Command;
use clap::builder::StyledStr;

/// An example: the arguments after `noughts`, and a description.
type Example = (&'static str, &'static str);

/// Returns the examples of a command.
fn examples(command: &str) -> &'static [Example] {
    match command {
        "menu" => &[
            ("menu", "choose who plays"),
            ("menu --size 5 --win 4 --strategy greedy", "a larger board"),
        ],
        "multi" => &[
            ("multi", "nine boards against the computer"),
            (
                "multi ultimate --robot o=level:3",
                "three boards in a line win",
            ),
        ],
        "tui" => &[
            ("tui", "choose the game on the start screen"),
            (
                "tui 7x6k4+gravity --robot o=level:3",
                "Connect Four against a level 3 robot",
            ),
            ("tui --load game.txt", "step through a saved game"),
        ],
        "serve" => &[
            ("serve", "a server for this machine"),
            (
                "serve --http 0.0.0.0:8080",
                "also for others in this network",
            ),
            (
                "serve --store memory: --tcp none --tcp-pairs none",
                "to try it: only HTTP, nothing stored",
            ),
        ],
        "connect" => &[
            ("connect", "play the server of this machine"),
            (
                "connect -h example.org -p 8082 --pairs",
                "play another client",
            ),
            (
                "connect --robot perfect --games 100",
                "a robot plays a hundred games",
            ),
        ],
        "play" => &[
            ("play", "choose from a menu"),
            (
                "play 7x6k4+gravity --against level:3",
                "Connect Four against a level 3 robot",
            ),
            (
                "play --against link --clock 3+2",
                "a friend, by link, with a clock",
            ),
            (
                "play --against anyone",
                "the next player who wants the same",
            ),
            (
                "play http://127.0.0.1:8080/game/0123456789ABCDEFGHJKMNPQRS",
                "open a friend's link",
            ),
            ("play --resume", "continue a game that you left"),
        ],
        "player" => &[
            ("player", "your player at the server on this machine"),
            ("player link", "play on another device too"),
            (
                "player accept CODE --server https://example.org",
                "on that device",
            ),
        ],
        "games" => &[
            ("games", "the newest games of noughts.db"),
            (
                "games list --status over --player Ann",
                "Ann's finished games",
            ),
            (
                "games export 0123 > game.txt",
                "save a game; the beginning of its id is enough",
            ),
        ],
        "check" => &[
            ("check tcp 127.0.0.1:8081", "a running server"),
            (
                "check classic -- java -jar application.jar",
                "a classic program",
            ),
        ],
        "analyze" => &[
            ("analyze 7x6k4+gravity --moves '3 3 2'", "the best move"),
            (
                "analyze --record game.txt",
                "the mistakes of a finished game",
            ),
            (
                "analyze --record http://127.0.0.1:8080/game/0123456789ABCDEFGHJKMNPQRS",
                "the same, of a game on a server",
            ),
        ],
        "solve" => &[
            ("solve 4x4k4", "win, draw or loss"),
            ("solve 3x3k3 --moves '1-1 0-1'", "after these moves"),
            ("solve 5x5k4 --proof 5x5k4.proof", "write a proof"),
        ],
        "verify" => &[("verify 5x5k4.proof", "check a proof that solve wrote")],
        "perft" => &[("perft 3x3k3 9 --divide", "by first move")],
        "arena" => &[
            (
                "arena level:3 level:4 --variant 3x3k3 --games 200",
                "which one is stronger",
            ),
            (
                "arena perfect \"engine:python3 mine.py\" --variant 15x15k5",
                "against a program",
            ),
        ],
        "engine" => &[("engine search", "for a Gomocup manager")],
        "backup" => &[(
            "backup games.backup",
            "copy the store while the server runs",
        )],
        "restore" => &[(
            "restore games.backup --store sqlite:new.db",
            "into a new store",
        )],
        "migrate" => &[(
            "migrate --from sqlite:noughts.db --to postgres://localhost/noughts",
            "move to PostgreSQL",
        )],
        "admin" => &[("admin load", "connections, tables and memory")],
        "variants" => &[("variants", "names for every command")],
        "completions" => &[("completions bash > noughts.bash", "for bash")],
        "man" => &[("man | man -l -", "read the manual page")],
        _ => &[],
    }
}

/// Adds the examples of a command to its long help.
pub(crate) fn with_examples(command: Command) -> Command {
    let examples = examples(command.get_name());
    if examples.is_empty() {
        return command;
    }
    let (header, literal) = {
        let styles = command.get_styles();
        (*styles.get_header(), *styles.get_literal())
    };
    let after = command
        .get_after_help()
        .map(|help| format!("{}\n\n", help.ansi()));
    let mut text = format!("{}{header}Examples:{header:#}", after.unwrap_or_default());
    for (words, meaning) in examples {
        text += &format!("\n  {literal}noughts {words}{literal:#}\n      {meaning}");
    }
    command.after_long_help(StyledStr::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::command;

    /// Splits words like a shell, with quotes. Ignores everything after `>` or `|`, which is for the shell.
    fn words(text: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut quote = None;
        for c in text.chars() {
            match (c, quote) {
                ('>' | '|', None) => break,
                ('\'' | '"', None) => quote = Some(c),
                (_, Some(end)) if c == end => quote = None,
                (' ', None) => words.push(String::new()),
                _ => words.last_mut().unwrap().push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        for sub in command().get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let name = sub.get_name();
            assert!(!examples(name).is_empty(), "noughts {name} has no example");
            for (example, _) in examples(name) {
                let parsed = command()
                    .try_get_matches_from([vec!["noughts".to_owned()], words(example)].concat());
                assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
            }
        }
    }
}
