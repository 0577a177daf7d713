//! `noughts check`: tests servers, clients and classic programs.

use std::io::{self, Write};
use std::net::{TcpListener, ToSocketAddrs};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use noughts_check::{
    Case, ClassicTask, ClientTask, Report, RunningPrograms, TcpTask, check_classic, check_client,
    check_tcp, classic_cases, read_cases,
};
use noughts_rules::Quoted;
use noughts_wire::Dialect;

use crate::args::{CheckClassic, CheckClient, CheckTcp, Judged, SpokenDialect, Telling};
use crate::signals::on_end_signal;
use crate::{Failure, duration};

pub(crate) fn run(what: Judged) -> Result<ExitCode, Failure> {
    match what {
        Judged::Tcp(task) => tcp(&task),
        Judged::Client(task) => client(task),
        Judged::Classic(task) => classic(task),
    }
    .map_err(|failure| match failure {
        Failure::Invalid(reason) => Failure::NotTested(reason),
        Failure::Output(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Failure::NotTested(format!("cannot write the report: {error}"))
        }
        failure => failure,
    })
}

fn tcp(task: &CheckTcp) -> Result<ExitCode, Failure> {
    let timeout = read_timeout(&task.timeout)?;
    let wrong = || {
        Failure::invalid(format_args!(
            "unknown address {}: it is written HOST:PORT, such as 127.0.0.1:8081",
            Quoted::from(task.address.as_str())
        ))
    };
    let mut refusals = Vec::new();
    for address in task.address.to_socket_addrs().map_err(|_| wrong())? {
        let judged = check_tcp(&TcpTask {
            address,
            dialect: match task.dialect {
                SpokenDialect::Seed => Some(Dialect::Seed),
                SpokenDialect::Later => Some(Dialect::Later),
                SpokenDialect::Auto => None,
            },
            pairs: task.pairs,
            timeout,
        });
        match judged {
            Ok(report) => return tell(&report, &task.telling),
            Err(refusal) => refusals.push(refusal),
        }
    }
    match refusals.is_empty() {
        true => Err(wrong()),
        false => Err(Failure::invalid(refusals.join("; "))),
    }
}

fn client(task: CheckClient) -> Result<ExitCode, Failure> {
    let usual = if task.command.is_empty() { "60s" } else { "5s" };
    let timeout = read_timeout(task.timeout.as_deref().unwrap_or(usual))?;
    let listener = TcpListener::bind(&task.listen).map_err(|error| {
        Failure::invalid(format_args!(
            "can't listen at {} (--listen): {error}",
            Quoted::from(task.listen.as_str())
        ))
    })?;
    let running = held()?;
    let by_hand = task.command.is_empty();
    let judged = ClientTask {
        listener,
        command: task.command,
        timeout,
    };
    let report = check_client(&judged, &running, &mut |line| {
        if by_hand {
            // Instructions go to standard error, the report to standard output.
            let _ = writeln!(io::stderr(), "{line}");
        }
    })
    .map_err(Failure::Invalid)?;
    tell(&report, &task.telling)
}

fn classic(task: CheckClassic) -> Result<ExitCode, Failure> {
    let timeout = read_timeout(&task.timeout)?;
    let cases = match &task.cases {
        Some(folder) => read_folder(folder)?,
        None => classic_cases(),
    };
    let running = held()?;
    let judged = ClassicTask {
        command: task.command,
        cases,
        strict: task.strict,
        timeout,
    };
    let report = check_classic(&judged, &running).map_err(Failure::Invalid)?;
    tell(&report, &task.telling)
}

fn read_timeout(text: &str) -> Result<Duration, Failure> {
    duration::parse("the time (--timeout)", text)
}

/// The cases of all .txt files of a directory, sorted by file name.
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
            "{shown} (--cases) has no cases: they stand in .txt files, and begin with # NAME: CLAIM"
        ))),
        false => Ok(cases),
    }
}

/// Ends the tested program when a signal asks this process to end.
fn held() -> Result<RunningPrograms, Failure> {
    let running = RunningPrograms::default();
    let pulled = running.clone();
    on_end_signal(move |signal| {
        pulled.kill_all();
        std::process::exit(128 + signal);
    })?;
    Ok(running)
}

fn tell(report: &Report, telling: &Telling) -> Result<ExitCode, Failure> {
    if let Some(path) = &telling.junit {
        std::fs::write(path, report.junit()).map_err(|error| {
            Failure::invalid(format_args!(
                "{} (--junit) can't be written: {error}",
                path.display()
            ))
        })?;
    }
    let text = match telling.json {
        true => report.json(),
        false => report.to_string(),
    };
    let mut output = io::stdout().lock();
    let written = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    match written {
        // The exit code is the result even if the output is closed.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(match report.is_good() {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        }),
    }
}
