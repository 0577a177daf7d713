//! `noughts games`: lists, shows, exports and imports the games of a store.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::SystemTime;

use noughts_rules::{Quoted, Record};
use noughts_server::{
    GameId, Holder, ListQuery, ListedGame, Status, Store, StoreError, SyncMode, Table,
    game_from_record, game_to_record, open_store,
};

use crate::Failure;
use crate::args::{Games, GamesTask, Listing};

pub(crate) fn run(task: &Games) -> Result<(), Failure> {
    let what = match &task.what {
        Some(what) => what,
        None => &GamesTask::List(Listing::default()),
    };
    // Opening a missing file would create it.
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
        player: listing.player.clone(),
        status: listing.status.map(Into::into),
        before: None,
        limit: listing.limit,
    };
    let mut out = io::stdout().lock();
    for listed in store.list(query).await.map_err(failed)? {
        writeln!(out, "{}", line(&listed))?;
    }
    Ok(())
}

fn line(listed: &ListedGame) -> String {
    let status = match listed.summary.status {
        Status::Unlisted | Status::Waiting => "waiting",
        Status::Playing => "playing",
        Status::Over => "over",
    };
    let (id, variant, when) = (
        listed.id,
        listed.variant.to_string(),
        date(listed.created_ms),
    );
    let players: Vec<String> = listed.summary.holders.iter().map(player).collect();
    format!(
        "{id}  {when}  {status:<7}  {variant:<10}  {}",
        players.join(", ")
    )
}

fn player(holder: &Holder) -> String {
    match holder {
        Holder::Open(_) => "open".to_owned(),
        Holder::Human { name, .. } if name.is_empty() => "somebody".to_owned(),
        // A name may contain terminal control sequences.
        Holder::Human { name, .. } => name.escape_debug().to_string(),
        Holder::Robot(strategy) => strategy.to_string(),
    }
}

async fn table(store: &dyn Store, id: GameId) -> Result<Table, Failure> {
    let none = || Failure::invalid(format_args!("there is no game {id} in this store"));
    let stored = store.load(id).await.map_err(failed)?.ok_or_else(none)?;
    let table = Table::replay(stored.settings, &stored.entries);
    table
        .map_err(|_| Failure::invalid(format_args!("game {id} cannot be read: its log is damaged")))
}

fn read_id(text: &str) -> Result<GameId, Failure> {
    text.parse()
        .map_err(|error| Failure::invalid(format_args!("{error}, not {}", Quoted::from(text))))
}

async fn show(store: &dyn Store, id: &str) -> Result<(), Failure> {
    let table = table(store, read_id(id)?).await?;
    let (game, settings) = (table.game(), table.settings());
    let mut out = io::stdout().lock();
    writeln!(out, "{}  {}", settings.variant, date(settings.created_ms))?;
    for (side, holder) in game.order().iter().zip(table.holders()) {
        writeln!(out, "{}: {}", side.symbol(), player(holder))?;
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

/// Prints the records of these games, or of all finished games.
async fn export(store: &dyn Store, ids: &[String]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for id in ids {
        write_record(store, read_id(id)?, &mut out).await?;
    }
    let mut query = ListQuery {
        variant: None,
        player: None,
        status: Some(Status::Over),
        before: None,
        limit: 100,
    };
    while ids.is_empty() {
        let page = store.list(query.clone()).await.map_err(failed)?;
        let Some(last) = page.last() else {
            break;
        };
        query.before = Some((last.created_ms, last.id));
        for listed in page {
            write_record(store, listed.id, &mut out).await?;
        }
    }
    Ok(())
}

async fn write_record(store: &dyn Store, id: GameId, out: &mut impl Write) -> Result<(), Failure> {
    let record = game_to_record(&table(store, id).await?);
    let record = record.map_err(|error| Failure::invalid(format_args!("game {id}: {error}")))?;
    Ok(writeln!(out, "{record}")?)
}

/// Games imported at the same time, so that they share commits.
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
        // Parse all before storing any.
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
        }
    }
    Ok(())
}

/// Polls all futures to completion.
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

/// Splits a text at the lines that begin with `noughts `. Text before the first record belongs to it.
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

/// `2026-11-16 03:48`, in UTC.
fn date(ms: u64) -> String {
    let minutes = ms / 60_000;
    let (days, minute) = (minutes / 1_440, minutes % 1_440);
    // Years that begin in March, so that a leap day is the last day. 400 years have 146 097 days.
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
