//! Parses the arguments, and explains what is wrong with them.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, FromArgMatches};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::Roff;

use crate::Failure;
use crate::args::{Args, command, documented_command};

/// Parses the arguments. On failure, or if the arguments ask for help or the version, prints a text and returns the
/// exit code.
///
/// For a wrong option of the classic game, prints one sentence and returns exit code 1, as the specification of the
/// game demands. An unknown command has the same effect. For wrong arguments of a command, prints the error with the
/// usage and returns exit code 2, as most programs do.
pub(crate) fn parse(words: impl Iterator<Item = OsString>) -> Result<Args, ExitCode> {
    let words: Vec<OsString> = words.collect();
    let read = || Args::from_arg_matches(&command().try_get_matches_from(&words)?);
    read().map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp => {
            let help = documented_command().try_get_matches_from(&words);
            print(&help.err().unwrap_or(error))
        }
        ErrorKind::DisplayVersion => print(&error),
        _ if is_subcommand(words.get(1)) => {
            print_usage_error(&error);
            ExitCode::from(2)
        }
        _ => {
            let _ = writeln!(io::stderr(), "Error: {}", sentence(&error));
            ExitCode::FAILURE
        }
    })
}

/// Prints help or the version, which clap returns as an error. A closed output is not a failure.
fn print(error: &clap::Error) -> ExitCode {
    match error.print() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Prints an error of a subcommand, with the usage below it. Like every error of this program, the text
/// begins with `Error:`.
fn print_usage_error(error: &clap::Error) {
    let text = error.render();
    let is_coloured = io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let text = match is_coloured {
        true => text.ansi().to_string(),
        false => text.to_string(),
    };
    let _ = write!(io::stderr(), "{}", text.replacen("error:", "Error:", 1));
}

fn is_subcommand(word: Option<&OsString>) -> bool {
    let word = word.and_then(|word| word.to_str());
    word.is_some_and(|word| word == "help" || command().find_subcommand(word).is_some())
}

/// Describes in one sentence what is wrong with the options of the classic game or with the name of a command, and what
/// is allowed.
fn sentence(error: &clap::Error) -> String {
    let what = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let option = what(ContextKind::InvalidArg);
    match error.kind() {
        ErrorKind::InvalidSubcommand => format!(
            "there is no command '{}'{}: there are {}; without a command the classic game starts",
            what(ContextKind::InvalidSubcommand).escape_debug(),
            similar(&what(ContextKind::SuggestedSubcommand)),
            names(command().get_subcommands().map(|c| c.get_name().to_owned())),
        ),
        ErrorKind::UnknownArgument => {
            format!(
                "there is no option '{}'{}: there are {}",
                option.escape_debug(),
                similar(&what(ContextKind::SuggestedArg)),
                names(command().get_arguments().map(|arg| {
                    match (arg.get_short(), arg.get_long()) {
                        (Some(short), _) => format!("-{short}"),
                        (None, long) => format!("--{}", long.unwrap_or_default()),
                    }
                })),
            )
        }
        ErrorKind::InvalidValue => format!("{option} needs a value: {}", explain(&option)),
        ErrorKind::ArgumentConflict => match what(ContextKind::PriorArg) {
            _ if option.is_empty() => "a command stands first, before any option".to_owned(),
            prior if prior == option => format!("{option} may be given only once"),
            prior => format!("{option} can't be used together with {prior}"),
        },
        ErrorKind::InvalidUtf8 => "the options must be valid UTF-8".to_owned(),
        _ => error
            .kind()
            .as_str()
            .unwrap_or("the options can't be understood")
            .to_owned(),
    }
}

/// Suggests the most similar name, which is the last name in `names`.
fn similar(names: &str) -> String {
    match names.rsplit(", ").next() {
        None | Some("") => String::new(),
        Some(name) => format!(" (did you mean {name}?)"),
    }
}

/// The help text of an option.
fn explain(option: &str) -> String {
    let mut all = command();
    all.build();
    let found = all.get_arguments().find(|arg| arg.to_string() == option);
    found
        .and_then(|arg| arg.get_help())
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn names(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// Prints shell completions.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut documented_command(), "noughts", &mut script);
    Ok(io::stdout().write_all(&script)?)
}

/// Prints the manual page, with a section per command.
pub(crate) fn man() -> Result<(), Failure> {
    let mut all = documented_command().disable_help_subcommand(true);
    all.build();
    let main = Man::new(all.clone());
    let mut page = Vec::new();
    main.render_title(&mut page)?;
    main.render_name_section(&mut page)?;
    body(&all, &mut page)?;
    for command in all.get_subcommands() {
        section(command, &mut page)?;
    }
    main.render_version_section(&mut page)?;
    Ok(io::stdout().write_all(&page)?)
}

/// Writes the section of a command, and the sections of its subcommands.
fn section(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let name = command.get_bin_name().unwrap_or_default().to_uppercase();
    Roff::new().control("SH", [&*name]).to_writer(page)?;
    let mut own = Vec::new();
    body(command, &mut own)?;
    let own = String::from_utf8_lossy(&own).replace("\n.SH ", "\n.SS ");
    page.write_all(own.as_bytes())?;
    for command in command.get_subcommands() {
        section(command, page)?;
    }
    Ok(())
}

fn body(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let man = Man::new(command.clone());
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    match command.get_after_long_help().or(command.get_after_help()) {
        Some(_) => man.render_extra_section(page),
        None => Ok(()),
    }
}
