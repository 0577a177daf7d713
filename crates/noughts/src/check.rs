//! `noughts check`: the conformance kit on the command line.

use std::io::{self, Write};
use std::net::{TcpListener, ToSocketAddrs};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::ProgressBar;
use noughts_check::{
    Answer, Case, ClassicTask, ClientTask, ProcessSet, Report, Step, TcpTask, check_classic,
    check_client, check_tcp, classic_cases, read_cases,
};
use noughts_rules::Quoted;
use noughts_wire::Dialect;

use crate::args::{CheckClassic, CheckClient, CheckTcp, DialectOption, Judged, ReportOptions};
use crate::signals::on_end_signal;
use crate::{Failure, duration, progress};

pub(crate) fn run(what: Judged) -> Result<ExitCode, Failure> {
    match what {
        Judged::Tcp(task) => tcp(task),
        Judged::Client(task) => client(task),
        Judged::Classic(task) => classic(task),
    }
    .map_err(|failure| match failure {
        Failure::Invalid(reason) => Failure::NotTested(reason),
        Failure::Output(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Failure::NotTested(format!("the report cannot be written: {error}"))
        }
        failure => failure,
    })
}

fn tcp(task: CheckTcp) -> Result<ExitCode, Failure> {
    let timeout = read_timeout(&task.timeout)?;
    let address = match (&task.address, task.command.is_empty()) {
        (Some(address), _) => address.as_str(),
        (None, false) => "127.0.0.1:0",
        (None, true) => {
            return Err(Failure::invalid(
                "give the address of a running server (HOST:PORT) or a command that starts one (-- COMMAND)",
            ));
        }
    };
    let unknown = || {
        Failure::invalid(format_args!(
            "unknown address {}: it is written HOST:PORT, such as 127.0.0.1:8081",
            Quoted::from(address)
        ))
    };
    let processes = killed_on_signal()?;
    let bar = progress::bar(0, "rules");
    let mut refusals = Vec::new();
    for address in address.to_socket_addrs().map_err(|_| unknown())? {
        let checked = check_tcp(
            &TcpTask {
                address,
                command: task.command.clone(),
                dialect: match task.dialect {
                    DialectOption::Seed => Some(Dialect::Seed),
                    DialectOption::Later => Some(Dialect::Later),
                    DialectOption::Auto => None,
                },
                pairs: task.pairs,
                timeout,
            },
            &processes,
            &|step| show(&bar, step),
        );
        match checked {
            Ok(report) => return tell(report, &task.report_options, &bar),
            Err(refusal) => refusals.push(refusal),
        }
    }
    match refusals.is_empty() {
        true => Err(unknown()),
        false => Err(Failure::invalid(refusals.join("; "))),
    }
}

fn client(task: CheckClient) -> Result<ExitCode, Failure> {
    let default = if task.command.is_empty() { "60s" } else { "5s" };
    let timeout = read_timeout(task.timeout.as_deref().unwrap_or(default))?;
    let listener = TcpListener::bind(&task.listen).map_err(|error| {
        Failure::invalid(format_args!(
            "cannot listen at {} (--listen): {error}",
            Quoted::from(task.listen.as_str())
        ))
    })?;
    let processes = killed_on_signal()?;
    let by_hand = task.command.is_empty();
    if by_hand && (task.input.is_some() || !task.answers.is_empty()) {
        return Err(Failure::invalid(
            "--input and --answers are typed into a client that the kit starts: add -- COMMAND",
        ));
    }
    let input = match &task.input {
        Some(path) => std::fs::read(path).map_err(|error| {
            Failure::invalid(format_args!(
                "cannot read {} (--input): {error}",
                path.display()
            ))
        })?,
        None => Vec::new(),
    };
    let answers: Result<Vec<Answer>, String> =
        task.answers.iter().map(|answer| answer.parse()).collect();
    let answers =
        answers.map_err(|problem| Failure::invalid(format_args!("{problem} (--answers)")))?;
    let checked = ClientTask {
        listener,
        command: task.command,
        input,
        answers,
        timeout,
    };
    let bar = progress::bar(0, "connections");
    let address = checked.listener.local_addr()?;
    let report = check_client(&checked, &processes, &|step| match by_hand {
        // This line is for the person who starts the client. The report goes to standard output.
        true => drop(writeln!(
            io::stderr(),
            "connection {} of {}: {}; waiting for a client at {address}",
            step.done + 1,
            step.total,
            step.name
        )),
        false => show(&bar, step),
    })
    .map_err(Failure::Invalid)?;
    tell(report, &task.report_options, &bar)
}

fn classic(task: CheckClassic) -> Result<ExitCode, Failure> {
    let timeout = read_timeout(&task.timeout)?;
    let cases = match &task.cases {
        Some(folder) => read_folder(folder)?,
        None => classic_cases(),
    };
    let processes = killed_on_signal()?;
    let checked = ClassicTask {
        command: task.command,
        cases,
        strict: task.strict,
        timeout,
    };
    let bar = progress::bar(0, "games");
    let report =
        check_classic(&checked, &processes, &|step| show(&bar, step)).map_err(Failure::Invalid)?;
    tell(report, &task.report_options, &bar)
}

fn read_timeout(text: &str) -> Result<Duration, Failure> {
    duration::parse("the time (--timeout)", text)
}

/// Reads the cases of all .txt files of a directory, in the order of the file names.
fn read_folder(folder: &Path) -> Result<Vec<Case>, Failure> {
    let shown = folder.display();
    let unread = |error: io::Error| Failure::invalid(format_args!("cannot read {shown}: {error}"));
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder).map_err(unread)? {
        let path = file.map_err(unread)?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            files.push(path);
        }
    }
    files.sort();
    let mut cases: Vec<Case> = Vec::new();
    for path in files {
        let shown = path.display();
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Failure::invalid(format_args!("cannot read {shown}: {error}")))?;
        let read = read_cases(&text)
            .map_err(|error| Failure::invalid(format_args!("{shown}, {error}")))?;
        cases.extend(read);
    }
    match cases.is_empty() {
        true => Err(Failure::invalid(format_args!(
            "{shown} (--cases) has no cases: they are in .txt files and start with # NAME: CLAIM"
        ))),
        false => Ok(cases),
    }
}

/// Returns an empty process set. When a signal asks this program to end, the processes of the set are killed first.
fn killed_on_signal() -> Result<ProcessSet, Failure> {
    let processes = ProcessSet::default();
    let killed = processes.clone();
    on_end_signal(move |signal| {
        killed.kill_all();
        std::process::exit(128 + signal);
    })?;
    Ok(processes)
}

/// Shows `step` on the progress bar.
fn show(bar: &ProgressBar, step: Step<'_>) {
    bar.set_length(step.total as u64);
    bar.set_position(step.done as u64);
    bar.set_message(step.name.to_owned());
}

/// Prints the report, and writes it to the files of `--junit` and `--html`. Returns the verdict as an exit code.
fn tell(
    mut report: Report,
    report_options: &ReportOptions,
    bar: &ProgressBar,
) -> Result<ExitCode, Failure> {
    bar.finish_and_clear();
    report.hide_differences = report_options.quiet_differences;
    for (path, option, text) in [
        (
            &report_options.junit,
            "--junit",
            Report::junit as fn(&Report) -> String,
        ),
        (&report_options.html, "--html", Report::html),
    ] {
        if let Some(path) = path {
            std::fs::write(path, text(&report)).map_err(|error| {
                Failure::invalid(format_args!(
                    "cannot write {} ({option}): {error}",
                    path.display()
                ))
            })?;
        }
    }
    let text = match report_options.json {
        true => report.json(),
        false => report.to_string(),
    };
    let mut output = io::stdout().lock();
    let written = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    match written {
        // If the output is closed, the exit code still gives the verdict.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(match report.is_good() {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        }),
    }
}
