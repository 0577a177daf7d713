//! Key bindings, and which of them work now.

use noughts_engine::StrategyName;
use ratatui::crossterm::event::KeyCode;

use super::app::App;
use super::theme::Theme;

/// What a key does during a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command {
    /// Moves the focus by rows and columns.
    Move(isize, isize),
    /// Moves the focus by a page.
    Page(isize),
    Play,
    Hint,
    Rewind,
    Undo,
    Review,
    Pause,
    Back,
    Forward,
    First,
    Present,
    Again,
    Save,
    Load,
    New,
    Resign,
    Help,
    Quit,
}

/// A key with its texts for the footer and the help.
pub(super) struct Binding {
    pub(super) codes: &'static [KeyCode],
    pub(super) command: Command,
    label: (&'static str, &'static str),
    /// The text in the footer. If the text is empty, the footer does not show the key.
    pub(super) word: &'static str,
    pub(super) about: &'static str,
}

impl Binding {
    pub(super) fn label(&self, theme: Theme) -> &'static str {
        theme.text(self.label.0, self.label.1)
    }
}

const fn key(
    codes: &'static [KeyCode],
    command: Command,
    label: (&'static str, &'static str),
    word: &'static str,
    about: &'static str,
) -> Binding {
    Binding {
        codes,
        command,
        label,
        word,
        about,
    }
}

const fn same(label: &'static str) -> (&'static str, &'static str) {
    (label, label)
}

use KeyCode::Char;

/// The keys that have a command during a game, the most important first. A binding without a label belongs to the
/// nearest binding before it that has a label.
pub(super) const BINDINGS: &[Binding] = &[
    key(
        &[KeyCode::Up],
        Command::Move(-1, 0),
        ("←↑↓→", "arrows"),
        "move",
        "move the focus",
    ),
    key(&[KeyCode::Down], Command::Move(1, 0), same(""), "", ""),
    key(&[KeyCode::Left], Command::Move(0, -1), same(""), "", ""),
    key(&[KeyCode::Right], Command::Move(0, 1), same(""), "", ""),
    key(
        &[KeyCode::PageUp],
        Command::Page(-1),
        same("PgUp PgDn"),
        "",
        "move by what can be seen at once",
    ),
    key(&[KeyCode::PageDown], Command::Page(1), same(""), "", ""),
    key(
        &[KeyCode::Enter, Char(' ')],
        Command::Play,
        same("Enter"),
        "play",
        "play there; or type a move, such as 1-0",
    ),
    key(
        &[Char(' ')],
        Command::Pause,
        same("Space"),
        "pause",
        "let watched robots wait, or go on",
    ),
    key(
        &[Char('h')],
        Command::Hint,
        same("h"),
        "hint",
        "the best move, and what it is worth",
    ),
    key(
        &[Char('r')],
        Command::Rewind,
        same("r"),
        "rewind",
        "take marks back, if there is a history",
    ),
    key(
        &[Char('u')],
        Command::Undo,
        same("u"),
        "undo",
        "undo your last move, against robots",
    ),
    key(
        &[Char(',')],
        Command::Back,
        same(", . < >"),
        "step",
        "step through the turns, or to their ends",
    ),
    key(&[Char('.')], Command::Forward, same(""), "", ""),
    key(
        &[Char('<'), KeyCode::Home],
        Command::First,
        same(""),
        "",
        "",
    ),
    key(
        &[Char('>'), KeyCode::End],
        Command::Present,
        same(""),
        "",
        "",
    ),
    key(
        &[Char('m')],
        Command::Review,
        same("m"),
        "mistakes",
        "mark good and bad moves",
    ),
    key(
        &[Char('n')],
        Command::New,
        same("n"),
        "new",
        "choose another game",
    ),
    key(
        &[Char('s')],
        Command::Save,
        same("s"),
        "save",
        "save the game as a record",
    ),
    key(
        &[Char('a')],
        Command::Again,
        same("a"),
        "again",
        "the same game from its beginning",
    ),
    key(
        &[Char('l')],
        Command::Load,
        same("l"),
        "load",
        "load a record",
    ),
    key(
        &[Char('g')],
        Command::Resign,
        same("g"),
        "give up",
        "resign: all others win",
    ),
    key(
        &[Char('?'), KeyCode::F(1)],
        Command::Help,
        same("?"),
        "help",
        "this page",
    ),
    key(
        &[Char('q')],
        Command::Quit,
        same("q"),
        "quit",
        "leave; Ctrl-C at once, Ctrl-Z for a while",
    ),
];

/// Returns the command of a key. If the key has several commands, prefers a command that works now.
pub(super) fn command(app: &App, code: KeyCode) -> Option<Command> {
    let bound = BINDINGS
        .iter()
        .filter(|binding| binding.codes.contains(&code));
    let commands: Vec<Command> = bound.map(|binding| binding.command).collect();
    let works = commands.iter().find(|command| works(app, **command));
    works.or(commands.first()).copied()
}

/// Whether a command has an effect now.
pub(super) fn works(app: &App, command: Command) -> bool {
    let Some(local) = app.local() else {
        return false;
    };
    let is_over = local.game().conclusion().is_some();
    let can_play = local.person_to_move().is_some() && local.shows_present();
    match command {
        Command::Play => can_play,
        Command::Hint => can_play && app.hint_strategy().parse::<StrategyName>().is_ok(),
        Command::Rewind => can_play && local.game().longest_rewind().is_some(),
        Command::Undo => local.shows_present() && local.undo_to().is_some(),
        Command::Review => !local.turns().is_empty(),
        Command::Pause => !is_over && !local.has_people(),
        Command::Back | Command::First => local.turns_shown() > 0,
        Command::Forward | Command::Present => !local.shows_present(),
        Command::Resign => local.person().is_some(),
        Command::Again => is_over || !local.turns().is_empty(),
        Command::Move(..) | Command::Page(_) => can_play || app.is_cut_off(),
        Command::Save | Command::Load | Command::New | Command::Help | Command::Quit => true,
    }
}

/// Returns the footer with the keys that work now. Keys that do not fit into `room` columns are left out. The
/// last two keys are always included.
pub(super) fn footer(app: &App, theme: Theme, room: u16) -> String {
    let word = |binding: &Binding| format!("{} {}", binding.label(theme), binding.word);
    let working: Vec<String> = BINDINGS
        .iter()
        .filter(|binding| !binding.word.is_empty())
        // The footer has no entry for `Forward`. The entry of `Back` stands for both directions.
        .filter(|binding| match binding.command {
            Command::Back => works(app, Command::Back) || works(app, Command::Forward),
            command => works(app, command),
        })
        .map(word)
        .collect();
    fit(&working, room)
}

/// Joins the last two texts and, before these, the first texts that fit into `room` columns.
fn fit(texts: &[String], room: u16) -> String {
    const BETWEEN: &str = "  ";
    let (first, last) = texts.split_at(texts.len().saturating_sub(2));
    let end = last.join(BETWEEN);
    let mut line = String::new();
    for text in first {
        let taken = line.chars().count() + text.chars().count() + end.chars().count();
        if taken + 2 * BETWEEN.len() > room.into() {
            break;
        }
        line.push_str(text);
        line.push_str(BETWEEN);
    }
    line + &end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_and_quit_are_in_every_footer() {
        let texts = ["one", "two", "three", "? help", "q quit"].map(str::to_owned);
        assert_eq!(fit(&texts, 80), "one  two  three  ? help  q quit");
        assert_eq!(fit(&texts, 26), "one  two  ? help  q quit");
        assert_eq!(fit(&texts, 5), "? help  q quit");
    }
}
