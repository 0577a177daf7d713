//! Games and entries for stores.

use noughts_rules::{Action, Conclusion, Move, Seat, Turn};
use noughts_server::{
    Append, Appended, CreationKey, Ending, Entry, GameId, Holder, Key, LogEntry, NewGame, NodeId,
    OpenTo, PlayerId, Settings, Status, Store, StoredGame, Summary, Table,
};

/// When games of these tests are created.
pub(crate) const CREATED_MS: u64 = 1_700_000_000_000;

/// A holder by its text: `link`, `lobby`, `robot`, `player 7`, or a person's name; `Ann@7` has a connection to
/// node 7.
pub(crate) fn holder(text: &str) -> Holder {
    match text {
        "link" => Holder::Open(OpenTo::Link),
        "lobby" => Holder::Open(OpenTo::Lobby),
        "robot" => Holder::Robot("level:3".parse().unwrap()),
        name if name.starts_with("player ") => {
            Holder::Player(PlayerId::new(name[7..].parse().unwrap()))
        }
        name => {
            let (name, node) = name.split_once('@').unwrap_or((name, ""));
            Holder::Human {
                name: name.to_owned(),
                node: node.parse().ok().map(NodeId),
            }
        }
    }
}

/// A new game of tic-tac-toe.
pub(crate) fn game(holders: &[&str]) -> NewGame {
    game_of("3x3k3", holders, CREATED_MS)
}

pub(crate) fn game_of(variant: &str, holders: &[&str], created_ms: u64) -> NewGame {
    let settings = Settings {
        id: GameId::random(),
        variant: variant.parse().unwrap(),
        history: 0,
        start: None,
        holders: holders.iter().map(|text| holder(text)).collect(),
        clock: None,
        is_listed: true,
        created_ms,
    };
    NewGame {
        settings,
        key: None,
    }
}

pub(crate) fn keyed(game: NewGame, scope: &str, text: &str) -> NewGame {
    NewGame {
        key: Some(creation_key(scope, text)),
        ..game
    }
}

pub(crate) fn key(text: &str) -> Key {
    Key {
        text: text.to_owned(),
        request: u64::MAX - text.len() as u64,
    }
}

pub(crate) fn creation_key(scope: &str, text: &str) -> CreationKey {
    CreationKey {
        scope: scope.to_owned(),
        key: key(text),
    }
}

/// The summary of a game that goes on, with these holders.
pub(crate) fn summary(holders: &[Holder]) -> Summary {
    let has = |open_to| holders.contains(&Holder::Open(open_to));
    Summary {
        status: match (has(OpenTo::Link), has(OpenTo::Lobby)) {
            (true, _) => Status::Unlisted,
            (false, true) => Status::Waiting,
            (false, false) => Status::Playing,
        },
        holders: holders.to_vec(),
        deadline_ms: None,
        ending: None,
    }
}

/// The summary of a game that is over.
pub(crate) fn over(holders: &[Holder], conclusion: Conclusion, at_ms: u64) -> Summary {
    Summary {
        status: Status::Over,
        ending: Some(Ending { conclusion, at_ms }),
        ..summary(holders)
    }
}

pub(crate) fn turn(seat: u8, action: Action) -> Entry {
    Entry::Turn(Turn {
        by: Seat(seat),
        action,
    })
}

pub(crate) fn play(seat: u8, cell: usize) -> Entry {
    turn(seat, Action::Play(Move::at(cell)))
}

pub(crate) fn seated(seat: u8, text: &str) -> Entry {
    Entry::Seated {
        seat: Seat(seat),
        holder: holder(text),
    }
}

pub(crate) fn logged(entry: Entry) -> LogEntry {
    LogEntry {
        at_ms: CREATED_MS + 123,
        entry,
        key: None,
    }
}

/// An append of these entries to a game of tic-tac-toe.
pub(crate) fn append(game: GameId, first: u32, entries: impl IntoIterator<Item = Entry>) -> Append {
    Append {
        game,
        variant: "3x3k3".parse().unwrap(),
        first,
        entries: entries.into_iter().map(logged).collect(),
        summary: None,
        new_game: None,
    }
}

/// Creates a game and returns its id.
pub(crate) async fn created(store: &dyn Store, game: NewGame) -> GameId {
    let id = game.settings.id;
    let summary = summary(&game.settings.holders);
    store.create(game, summary).await.expect("it is created");
    id
}

/// Appends one entry.
pub(crate) async fn appended(
    store: &dyn Store,
    game: GameId,
    first: u32,
    entry: Entry,
) -> Appended {
    let appended = store.append(&append(game, first, [entry])).await;
    appended.expect("the store replies")
}

pub(crate) async fn loaded(store: &dyn Store, id: GameId) -> StoredGame {
    let game = store.load(id).await.expect("the store replies");
    game.expect("the game is there")
}

/// The game as a table.
pub(crate) async fn table(store: &dyn Store, id: GameId) -> Table {
    let StoredGame {
        settings, entries, ..
    } = loaded(store, id).await;
    Table::replay(settings, &entries).expect("the entries fit the game")
}
