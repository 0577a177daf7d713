//! Compares everything that clients saw with the logs in the store.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::SystemTime;

use noughts_rules::{Game, Options, Seat};
use noughts_server::{
    EndReason, Entry, GameId, Holder, ListQuery, LogEntry, SeatResult, Status, Store, StoredGame,
    SyncMode, Table, open_store,
};
use noughts_wire::GameResult;

use super::state::{CampaignState, Known};
use super::tcp_player::TcpGame;

/// Maximum difference between a time in the store and the real time.
const MAX_TIME_ERROR_MS: u64 = 3_000;

/// The shortest time per turn at the tables of a campaign. A clock must not run out earlier than this time after the
/// previous turn.
const CLOCK_MS: u64 = 1_000;

/// Milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since_1970.expect("it is after 1970").as_millis() as u64
}

/// Checks the store of a round that ran between these times, in milliseconds since 1970.
pub(super) fn check(
    store: &str,
    campaign: &CampaignState,
    times: Range<u64>,
) -> Result<(), String> {
    let runtime = tokio::runtime::Runtime::new().expect("there is room for threads");
    runtime.block_on(async {
        let store = open_store(store, SyncMode::Full).await;
        let store = store.map_err(|error| format!("the store cannot be opened: {error}"))?;
        let logs = read_all(&*store).await?;
        let mut keys = HashSet::new();
        for stored in logs.values() {
            check_log(stored, &times)?;
            if let Some(key) = &stored.key
                && !keys.insert(key.key.text.clone())
            {
                return Err(format!("the request {} created two games", key.key.text));
            }
        }
        campaign.read(|games, tcp_games| {
            for (id, known) in games {
                check_known(id, known, &logs)?;
            }
            check_tcp_games(tcp_games, &logs)
        })
    })
}

/// Reads all games, and checks that the list and the log of each game agree.
async fn read_all(store: &dyn Store) -> Result<HashMap<GameId, StoredGame>, String> {
    let query = ListQuery::all(1_000_000);
    let listed = store.list(query).await.map_err(|error| error.to_string())?;
    let mut logs = HashMap::new();
    for game in listed {
        let stored = store
            .load(game.id)
            .await
            .map_err(|error| error.to_string())?;
        let stored = stored.ok_or_else(|| format!("game {} is listed and lost", game.id))?;
        let table = replay(&stored, stored.entries.len())?;
        if table.is_over() != (game.summary.status == Status::Over) {
            return Err(format!("game {} is listed with another status", game.id));
        }
        if logs.insert(game.id, stored).is_some() {
            return Err(format!("game {} is listed twice", game.id));
        }
    }
    Ok(logs)
}

fn replay(stored: &StoredGame, entries: usize) -> Result<Table, String> {
    let table = Table::replay(stored.settings.clone(), &stored.entries[..entries]);
    table.map_err(|invalid| format!("game {}: {invalid:?}", stored.settings.id))
}

/// Checks that the turns are legal, that the times never decrease and are close to the real time, and that no clock ran
/// out early. The clocks of the nodes are wrong, so the times must come from the store.
fn check_log(stored: &StoredGame, times: &Range<u64>) -> Result<(), String> {
    let settings = &stored.settings;
    let wrong =
        |what: &str, logged: &LogEntry| Err(format!("game {}: {what}: {logged:?}", settings.id));
    let options = Options {
        history: settings.history,
        ..Options::default()
    };
    let mut game = Game::new(&settings.variant, options).map_err(|error| error.to_string())?;
    let (mut last_ms, mut turn_ms, mut added_ms) = (settings.created_ms, settings.created_ms, 0);
    let allowed = times.start - MAX_TIME_ERROR_MS..times.end + MAX_TIME_ERROR_MS;
    for logged in &stored.entries {
        if logged.at_ms < last_ms || !allowed.contains(&logged.at_ms) {
            return wrong("a wrong time", logged);
        }
        last_ms = logged.at_ms;
        match &logged.entry {
            Entry::Turn(turn) => {
                if game.act(turn.by, turn.action).is_err() {
                    return wrong("an illegal turn", logged);
                }
                (turn_ms, added_ms) = (last_ms, 0);
            }
            Entry::TimeAdded { ms, .. } => added_ms += ms,
            Entry::Ended {
                reason: EndReason::Time,
                ..
            } if last_ms < turn_ms + added_ms + CLOCK_MS => {
                return wrong("a clock ran out early", logged);
            }
            _ => {}
        }
    }
    Ok(())
}

fn marks(game: &Game) -> String {
    let marks = game.diagram().marks.into_iter();
    let mark = |mark: Option<noughts_rules::Side>| match mark {
        Some(side) => char::from_digit(side.index() as u32, 36).expect("there are few sides"),
        None => '.',
    };
    marks.map(mark).collect()
}

/// Checks that every acknowledged turn is in the log, and that every state that a client saw is a state of the log.
fn check_known(id: &str, known: &Known, logs: &HashMap<GameId, StoredGame>) -> Result<(), String> {
    let parsed: GameId = id.parse().map_err(|error| format!("{id}: {error}"))?;
    let stored = logs
        .get(&parsed)
        .ok_or_else(|| format!("game {id} is lost"))?;
    let whole = replay(stored, stored.entries.len())?;
    let turns = whole.game().turns();
    for (number, seat, text) in &known.turns {
        let found = turns.get(*number as usize - 1);
        let is_same = found.is_some_and(|turn| {
            turn.by == Seat(*seat as u8) && whole.game().format_action(turn.action) == *text
        });
        if !is_same {
            return Err(format!(
                "game {id}: turn {number}, {text}, is lost: {found:?}"
            ));
        }
    }
    for (entry, seen) in &known.states {
        if *entry as usize > stored.entries.len() {
            return Err(format!("game {id}: entry {entry} is lost: {seen:?}"));
        }
        let table = replay(stored, *entry as usize)?;
        let is_same = table.turn() as u64 == seen.turn
            && table.is_over() == seen.is_over
            && seen
                .marks
                .as_ref()
                .is_none_or(|seen| *seen == marks(table.game()));
        if !is_same {
            return Err(format!(
                "game {id}: the state after entry {entry} was not {seen:?}"
            ));
        }
    }
    Ok(())
}

fn check_tcp_games(games: &[TcpGame], logs: &HashMap<GameId, StoredGame>) -> Result<(), String> {
    let mut by_name: HashMap<String, (Table, Seat)> = HashMap::new();
    for stored in logs.values() {
        let table = replay(stored, stored.entries.len())?;
        for (seat, holder) in (0..).map(Seat).zip(table.holders()) {
            let Holder::Human {
                name,
                node: Some(_),
            } = holder
            else {
                continue;
            };
            if by_name
                .insert(name.clone(), (table.clone(), seat))
                .is_some()
            {
                return Err(format!("{name} plays two games"));
            }
        }
    }
    for game in games {
        let is_known = !game.moves.is_empty() || game.result.is_some();
        match by_name.get(&game.name) {
            None if is_known => return Err(format!("a game is lost: {game:?}")),
            None => {}
            Some((table, seat)) => check_tcp_game(game, table, *seat)?,
        }
    }
    Ok(())
}

fn check_tcp_game(game: &TcpGame, table: &Table, seat: Seat) -> Result<(), String> {
    let turns = table.game().turns().iter();
    let stored: Vec<String> = turns
        .map(|turn| table.game().format_action(turn.action))
        .collect();
    let text = |cell: &noughts_wire::Cell| String::from_utf8_lossy(&cell.to_bytes()).into_owned();
    let mut moves: Vec<String> = game.moves.iter().map(text).collect();
    if table.is_ended_by_turn() || table.game().conclusion().is_some() && !is_left(table) {
        moves.extend(game.last.iter().map(text));
    }
    if !stored.starts_with(&moves) {
        return Err(format!("{game:?} is stored as {stored:?}"));
    }
    let result = table.result(seat);
    let is_same = match game.result {
        None => true,
        Some(GameResult::Won) => result == Some(SeatResult::Won),
        Some(GameResult::Lost) => result == Some(SeatResult::Lost),
        Some(GameResult::Draw) => result == Some(SeatResult::Draw),
    };
    match is_same {
        true => Ok(()),
        false => Err(format!("{game:?} has the result {result:?}")),
    }
}

/// Whether the game ended because somebody left.
fn is_left(table: &Table) -> bool {
    let left = |entry: Entry| {
        matches!(
            entry,
            Entry::Ended {
                reason: EndReason::Leaving,
                ..
            }
        )
    };
    table.latest_entry().is_some_and(left)
}
