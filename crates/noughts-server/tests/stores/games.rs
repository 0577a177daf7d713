//! Games and turns to put into stores.

use std::sync::LazyLock;

use noughts_rules::{Action, Move, Seat, Turn};
use noughts_server::{
    GameId, Holder, Ids, Key, NewGame, NodeId, Opening, Setting, Sitting, Store, StoredGame,
    StoredTurn,
};

static IDS: LazyLock<Ids> = LazyLock::new(Ids::default);

/// A holder by its text: `link`, `lobby`, `robot`, or a person's name; `Ann@7` sits at the TCP door
/// of process 7.
pub(crate) fn holder(text: &str) -> Holder {
    match text {
        "link" => Holder::Open(Opening::Link),
        "lobby" => Holder::Open(Opening::Lobby),
        "robot" => Holder::Robot("level:3".parse().unwrap()),
        name => {
            let (name, node) = name.split_once('@').unwrap_or((name, ""));
            Holder::Human {
                name: name.to_owned(),
                node: node.parse().ok().map(NodeId),
            }
        }
    }
}

/// A game that was never there before, of tic-tac-toe.
pub(crate) fn game(holders: &[&str]) -> NewGame {
    game_of("3x3k3", holders, 1_700_000_000_000)
}

pub(crate) fn game_of(variant: &str, holders: &[&str], created_ms: u64) -> NewGame {
    let setting = Setting {
        id: IDS.draw(),
        variant: variant.parse().unwrap(),
        history: 0,
        start: None,
        holders: holders.iter().map(|text| holder(text)).collect(),
        created_ms,
    };
    NewGame { setting, key: None }
}

pub(crate) fn keyed(game: NewGame, text: &str) -> NewGame {
    NewGame {
        key: Some(key(text)),
        ..game
    }
}

pub(crate) fn key(text: &str) -> Key {
    Key {
        text: text.to_owned(),
        body: u64::MAX - text.len() as u64,
    }
}

pub(crate) fn play(seat: u8, cell: usize) -> StoredTurn {
    acted(seat, Action::Play(Move::at(cell)))
}

pub(crate) fn acted(seat: u8, action: Action) -> StoredTurn {
    StoredTurn {
        turn: Turn {
            by: Seat(seat),
            action,
        },
        key: None,
        at_ms: 1_700_000_000_123,
    }
}

pub(crate) fn sitting(name: &str) -> Sitting {
    Sitting {
        name: name.to_owned(),
        node: None,
        key: None,
    }
}

/// Creates a game and gives its id.
pub(crate) async fn created(store: &dyn Store, game: NewGame) -> GameId {
    let id = game.setting.id;
    store.create(game).await.expect("the game is created");
    id
}

/// The game, with what has no order in order.
pub(crate) async fn loaded(store: &dyn Store, id: GameId) -> StoredGame {
    let game = store.load(id).await.expect("the store answers");
    in_order(game.expect("the game is there"))
}

pub(crate) fn in_order(mut game: StoredGame) -> StoredGame {
    game.sat.sort_by_key(|(seat, _)| *seat);
    game.again.sort_unstable();
    game
}
