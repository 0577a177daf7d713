//! `noughts games`: lists, shows, exports and imports the games of a store.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::SystemTime;

use noughts_rules::{Quoted, Record};
use noughts_server::{
    GameId, Holder, ListQuery, ListedGame, PlayerFilter, PlayerNames, Status, Store, StoreError,
    SyncMode, Table, conclusion_in_words, game_from_record, game_to_record, open_store,
};

use crate::Failure;
use crate::args::{Games, GamesTask, Listing};
use crate::progress;
use crate::terminal_size::terminal_size;

pub(crate) fn run(task: &Games) -> Result<(), Failure> {
    let what = match &task.what {
        Some(what) => what,
        None => &GamesTask::List(Listing::default()),
    };
    // Opening a missing SQLite file would create the file. Only `import` should do this.
    if let (Some(path), false) = (
        task.store.strip_prefix("sqlite:"),
        matches!(what, GamesTask::Import { .. }),
    ) && !Path::new(path).exists()
    {
        return Err(Failure::invalid(format_args!(
            "there is no file {}: --store selects another store",
            Quoted::from(path)
        )));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let store = open_store(&task.store, SyncMode::Full).await;
        let store = store.map_err(failed)?;
        match what {
            GamesTask::List(listing) => list(&*store, listing).await,
            GamesTask::Show { id } => show(&*store, id).await,
            GamesTask::Export { ids } => export(&*store, ids).await,
            GamesTask::Import { files } => import(&*store, files).await,
        }
    })
}

fn failed(error: StoreError) -> Failure {
    Failure::invalid(error)
}

async fn list(store: &dyn Store, listing: &Listing) -> Result<(), Failure> {
    let variant = listing.variant.as_deref().map(str::parse);
    let query = ListQuery {
        variant: variant
            .transpose()
            .map_err(|error: noughts_rules::VariantError| Failure::invalid(error))?,
        player: listing.player.clone().map(player_filter),
        status: listing.status.map(Into::into),
        ..ListQuery::all(listing.limit)
    };
    let games = store.list(query).await.map_err(failed)?;
    if games.is_empty() {
        let _ = writeln!(io::stderr(), "No game of this store matches.");
        return Ok(());
    }
    let holders = games.iter().flat_map(|listed| &listed.summary.holders);
    let names = PlayerNames::load(store, holders).await.map_err(failed)?;
    let mut rows =
        vec![["id", "created", "status", "variant", "result", "players"].map(str::to_owned)];
    rows.extend(games.iter().map(|listed| row(listed, &names)));
    let text = align(&rows);
    let width = text.lines().map(|line| line.chars().count()).max();
    let is_too_wide = terminal_size().is_some_and(|(columns, _)| width > Some(columns.into()));
    let text = match is_too_wide {
        true => align(&without_date(rows)),
        false => text,
    };
    Ok(io::stdout().write_all(text.as_bytes())?)
}

/// Removes the column `created`, for a narrow terminal.
fn without_date(rows: Vec<[String; 6]>) -> Vec<[String; 5]> {
    let rows = rows.into_iter();
    rows.map(|[id, _, status, variant, result, players]| [id, status, variant, result, players])
        .collect()
}

/// Returns a filter by player id if `text` is an id, and a filter by player name otherwise.
fn player_filter(text: String) -> PlayerFilter {
    match text.parse() {
        Ok(id) => PlayerFilter::Player(id),
        Err(_) => PlayerFilter::Name(text),
    }
}

/// The number of characters of an id in lists. `show` and `export` accept the first characters of an id instead of the
/// whole id.
const SHORT_ID: usize = 8;

fn row(listed: &ListedGame, names: &PlayerNames) -> [String; 6] {
    let status = match listed.summary.status {
        Status::Unlisted | Status::Waiting => "waiting",
        Status::Playing => "playing",
        Status::Over => "over",
    };
    let holders = listed.summary.holders.iter();
    let players: Vec<String> = holders.map(|holder| player(holder, names)).collect();
    let ending = listed.ending();
    [
        listed.id.to_string()[..SHORT_ID].to_owned(),
        date(listed.created_ms),
        status.to_owned(),
        listed.variant.to_string(),
        ending.map_or(String::new(), |end| conclusion_in_words(&end.conclusion)),
        players.join(", "),
    ]
}

/// Formats rows so that each column is as wide as its widest text.
fn align<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let line = |row: &[String; COLUMNS]| {
        let cells = row.iter().zip(widths);
        let cells: Vec<String> = cells
            .map(|(text, width)| format!("{text:<width$}"))
            .collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn player(holder: &Holder, names: &PlayerNames) -> String {
    let name = names.name(holder);
    match holder {
        Holder::Open(_) => "open".to_owned(),
        Holder::Human { .. } | Holder::Player(_) if name.is_empty() => "somebody".to_owned(),
        // A name may contain terminal control sequences.
        Holder::Human { .. } | Holder::Player(_) => name.escape_debug().to_string(),
        Holder::Robot(_) => name,
    }
}

async fn table(store: &dyn Store, id: GameId) -> Result<Table, Failure> {
    let none = || Failure::invalid(format_args!("there is no game {id} in this store"));
    let stored = store.load(id).await.map_err(failed)?.ok_or_else(none)?;
    let table = Table::replay(stored.settings, &stored.entries);
    table
        .map_err(|_| Failure::invalid(format_args!("game {id} cannot be read: its log is damaged")))
}

/// Returns the id of a game. If `text` is a complete id, the function does not check that the game exists. If
/// `text` is shorter, exactly one listed game must have an id that begins with `text`.
async fn find_id(store: &dyn Store, text: &str) -> Result<GameId, Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::invalid(format_args!("{error}, not {}", Quoted::from(text)))
    };
    let id: Result<GameId, _> = text.parse();
    match id {
        Ok(id) => return Ok(id),
        // The beginning of an id becomes a valid id when it is filled up with zeros.
        Err(error) => {
            let first: Result<GameId, _> = format!("{text:0<26}").parse();
            first.map_err(|_| wrong(&error))?;
        }
    }
    let mut found = Vec::new();
    let mut query = ListQuery::all(PAGE);
    loop {
        let page = store.list(query.clone()).await.map_err(failed)?;
        let Some(last) = page.last() else {
            break;
        };
        query.before = Some((last.created_ms, last.id));
        let ids = page.iter().map(|listed| listed.id);
        found.extend(ids.filter(|id| id.to_string().starts_with(text)));
    }
    match found[..] {
        [id] => Ok(id),
        [] => Err(Failure::invalid(format_args!(
            "no listed game has an id that begins with {}: `noughts games list` shows them",
            Quoted::from(text)
        ))),
        [_, _, ..] => Err(Failure::invalid(format_args!(
            "{} games have an id that begins with {}: give more characters of the id",
            found.len(),
            Quoted::from(text)
        ))),
    }
}

async fn show(store: &dyn Store, id: &str) -> Result<(), Failure> {
    let table = table(store, find_id(store, id).await?).await?;
    let names = PlayerNames::load(store, table.holders()).await;
    let names = names.map_err(failed)?;
    let (game, settings) = (table.game(), table.settings());
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{}  {}  {}",
        settings.id,
        settings.variant,
        date(settings.created_ms)
    )?;
    for (side, holder) in game.order().iter().zip(table.holders()) {
        writeln!(out, "{}: {}", side.symbol(), player(holder, &names))?;
    }
    writeln!(
        out,
        "\n{}",
        game.diagram().draw(&settings.variant).trim_end()
    )?;
    let turns = game.turns().len();
    writeln!(out, "\n{}, after {turns} turns", table.outcome_in_words())?;
    Ok(())
}

/// Maximum number of games that one query of a list returns.
const PAGE: usize = 1_000;

/// Prints the records of the games `ids` or, if `ids` is empty, of all finished games.
async fn export(store: &dyn Store, ids: &[String]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for id in ids {
        write_record(store, find_id(store, id).await?, &mut out).await?;
    }
    let mut query = ListQuery {
        status: Some(Status::Over),
        ..ListQuery::all(PAGE)
    };
    let spinner = progress::spinner();
    let mut exported = 0;
    while ids.is_empty() {
        let page = store.list(query.clone()).await.map_err(failed)?;
        let Some(last) = page.last() else {
            break;
        };
        query.before = Some((last.created_ms, last.id));
        for listed in page {
            write_record(store, listed.id, &mut out).await?;
            exported += 1;
            spinner.set_message(format!("{exported} games"));
        }
    }
    spinner.finish_and_clear();
    Ok(())
}

async fn write_record(store: &dyn Store, id: GameId, out: &mut impl Write) -> Result<(), Failure> {
    let table = table(store, id).await?;
    let names = PlayerNames::load(store, table.holders()).await;
    let record = game_to_record(&table, &names.map_err(failed)?);
    let record = record.map_err(|error| Failure::invalid(format_args!("game {id}: {error}")))?;
    Ok(writeln!(out, "{record}")?)
}

/// Maximum number of games that are imported at the same time. The store can write these games in one commit.
const IMPORT_BATCH: usize = 256;

async fn import(store: &dyn Store, files: &[String]) -> Result<(), Failure> {
    let now_ms = now_ms();
    for file in files {
        let text = match file.as_str() {
            "-" => {
                let mut text = String::new();
                io::stdin().read_to_string(&mut text).map(|_| text)
            }
            path => fs::read_to_string(path),
        };
        let name = Quoted::from(file.as_str());
        let text =
            text.map_err(|error| Failure::invalid(format_args!("cannot read {name}: {error}")))?;
        // Parse all records of the file before the first of them is stored.
        let mut games = Vec::new();
        for (number, record) in (1..).zip(records(&text)) {
            let wrong = |why: &dyn std::fmt::Display| {
                Failure::invalid(format_args!("record {number} of {name}: {why}"))
            };
            let record = record.parse::<Record>().map_err(|error| wrong(&error))?;
            let stored = game_from_record(&record, GameId::random(), now_ms);
            games.push(stored.map_err(|error| wrong(&error))?);
        }
        if games.is_empty() {
            return Err(Failure::invalid(format_args!(
                "there is no record in {name}"
            )));
        }
        let bar = progress::bar(games.len() as u64, "games");
        for some in games.chunks(IMPORT_BATCH) {
            let kept = some
                .iter()
                .map(|(game, summary)| store.import(game.clone(), summary.clone()));
            for kept in join_all(kept.collect()).await {
                kept.map_err(failed)?;
            }
            let mut out = io::stdout().lock();
            for (game, _) in some {
                writeln!(out, "{}", game.settings.id)?;
            }
            bar.inc(some.len() as u64);
        }
        bar.finish_and_clear();
    }
    Ok(())
}

/// Polls all futures to completion, and returns their results in the same order.
async fn join_all<T>(
    mut answers: Vec<std::pin::Pin<Box<dyn Future<Output = T> + Send + '_>>>,
) -> Vec<T> {
    let mut done: Vec<Option<T>> = answers.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        let mut is_ready = true;
        for (answer, done) in answers.iter_mut().zip(&mut done) {
            if done.is_none() {
                match answer.as_mut().poll(context) {
                    std::task::Poll::Ready(answer) => *done = Some(answer),
                    std::task::Poll::Pending => is_ready = false,
                }
            }
        }
        match is_ready {
            true => std::task::Poll::Ready(()),
            false => std::task::Poll::Pending,
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// Splits a text at the lines that begin with `noughts `, and removes empty lines. Text before the first of these lines
/// becomes a separate part, which is not a valid record.
fn records(text: &str) -> Vec<String> {
    let mut records: Vec<String> = Vec::new();
    for line in text.lines() {
        match records.last_mut() {
            Some(record) if !line.starts_with("noughts ") => {
                // Empty lines separate records.
                if !line.is_empty() {
                    *record += line;
                    record.push('\n');
                }
            }
            _ if line.is_empty() => {}
            _ => records.push(format!("{line}\n")),
        }
    }
    records
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default().as_millis() as u64
}

/// Formats a time, in milliseconds since 1970, as date and time in UTC: `2026-11-16 03:48`.
fn date(ms: u64) -> String {
    let minutes = ms / 60_000;
    let (days, minute) = (minutes / 1_440, minutes % 1_440);
    // The calculation uses years that begin in March, so that a leap day is the last day of a year. 400 years have
    // 146 097 days.
    let days = days + 719_468;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month_now) = (day - (153 * month + 2) / 5 + 1, (month + 2) % 12 + 1);
    let year = 400 * cycle + year + u64::from(month_now <= 2);
    let (hour, minute) = (minute / 60, minute % 60);
    format!("{year:04}-{month_now:02}-{day:02} {hour:02}:{minute:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_dates() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00"),
            (951_782_399, "2000-02-28 23:59"),
            (951_782_400, "2000-02-29 00:00"),
            (951_868_800, "2000-03-01 00:00"),
            (1_709_164_800, "2024-02-29 00:00"),
            (1_735_689_599, "2024-12-31 23:59"),
            (4_107_542_400, "2100-03-01 00:00"),
        ] {
            assert_eq!(date(seconds * 1_000), text);
        }
    }

    #[test]
    fn splits_records() {
        let text = "noughts 1\nvariant 3x3k3\n\nnoughts 1\n\nvariant multi\n";
        assert_eq!(
            records(text),
            ["noughts 1\nvariant 3x3k3\n", "noughts 1\nvariant multi\n"]
        );
        assert_eq!(records("\n\n"), [""; 0]);
        assert_eq!(records("what"), ["what\n"]);
    }
}
