//! How the stores pair players who wait.

use std::sync::Arc;

use noughts_rules::Seat;
use noughts_server::{
    Holder, ListQuery, Match, MatchRequest, Memory, NodeId, PlayerFilter, PlayerId, QuickMatch,
    SeatSet, Store, WaitingId, WaitingList, WaitingPlayer,
};

use crate::games::loaded;
use crate::properties::every;

fn player(id: u128, node: NodeId, since_ms: u64) -> WaitingPlayer {
    WaitingPlayer {
        id: WaitingId(id),
        variant: "3x3k3".parse().unwrap(),
        clock: None,
        holder: Holder::Human {
            name: format!("player {id}"),
            node: Some(node),
        },
        since_ms,
    }
}

/// Sends a list and returns the unseen matches.
async fn send(
    store: &dyn Store,
    node: NodeId,
    version: u64,
    players: &[WaitingPlayer],
    seen: &[u128],
) -> Vec<Match> {
    let list = WaitingList {
        version,
        players: players.to_vec(),
        seen: seen.iter().map(|id| WaitingId(*id)).collect(),
        ..WaitingList::default()
    };
    let matches = store.match_waiting(node, list, 1_000_000).await;
    matches.unwrap().unseen
}

pub(crate) async fn quick_matches_are_paired_once(store: Arc<dyn Store>) {
    let (here, there) = (NodeId(1), NodeId(2));
    let quick = |id: u128, player: u128| WaitingPlayer {
        holder: Holder::Player(PlayerId::new(player)),
        ..self::player(id, here, 5)
    };
    let request = async |node, version, requests: &[WaitingPlayer]| {
        let list = WaitingList {
            version,
            requests: requests.to_vec(),
            ..WaitingList::default()
        };
        store.match_waiting(node, list, 1_000_000).await.unwrap()
    };
    let found = async |id| store.quick_match(WaitingId(id)).await.unwrap();
    assert_eq!(found(1).await, None);
    let matches = request(here, 1, &[quick(1, 7)]).await;
    assert_eq!(matches.requests, [MatchRequest::Accepted(WaitingId(1))]);
    let waits = QuickMatch {
        player: PlayerId::new(7),
        matched: None,
    };
    assert_eq!(found(1).await, Some(waits));
    let counts = store.waiting_counts().await.unwrap();
    assert_eq!(counts.len(), 1);
    assert_eq!(counts[0].players, 1);
    // Another device asks for the same: nobody plays against themselves.
    let matches = request(there, 1, &[quick(2, 7)]).await;
    assert_eq!(matches.requests, [MatchRequest::Waits(WaitingId(1))]);
    assert_eq!(matches.created, []);
    let matches = request(there, 2, &[quick(3, 8)]).await;
    assert_eq!((matches.created.len(), matches.quick.len()), (1, 2));
    let game = matches.created[0];
    let holders = loaded(&*store, game).await.settings.holders;
    let players = [7, 8].map(|id| Holder::Player(PlayerId::new(id)));
    assert_eq!(holders, players);
    for (id, player, seat) in [(1, 7, 0), (3, 8, 1)] {
        let made = QuickMatch {
            player: PlayerId::new(player),
            matched: Some((game, Seat(seat))),
        };
        assert_eq!(found(id).await, Some(made));
        // The game is among the player's running games.
        let query = ListQuery {
            player: Some(PlayerFilter::Running(PlayerId::new(player))),
            ..every()
        };
        let running = store.list(query).await.unwrap();
        assert_eq!(running.len(), 1);
        assert_eq!(running[0].id, game);
    }
    assert_eq!(store.waiting_counts().await.unwrap(), []);
    // A cancelled quick match does not wait. Only its own player can cancel it.
    request(here, 2, &[quick(4, 9)]).await;
    for (version, player, is_gone) in [(3, 8, false), (4, 9, true)] {
        let list = WaitingList {
            version,
            cancelled: vec![(WaitingId(4), PlayerId::new(player))],
            ..WaitingList::default()
        };
        let matches = store.match_waiting(here, list, 1_000_000).await.unwrap();
        assert_eq!(matches.cancelled.is_empty(), !is_gone);
    }
    assert_eq!(found(4).await, None);
    let matches = request(here, 5, &[quick(5, 10)]).await;
    assert_eq!(matches.created, []);
}

async fn players_of_two_nodes_are_paired_once(store: Arc<dyn Store>) {
    let (here, there) = (NodeId(1), NodeId(2));
    let (ann, bob) = (player(u128::MAX, here, 5), player(3, there, 6));
    assert_eq!(
        send(&*store, here, 1, std::slice::from_ref(&ann), &[]).await,
        []
    );
    let matched = send(&*store, there, 1, std::slice::from_ref(&bob), &[]).await;
    let [Match { player, game, seat }] = matched[..] else {
        panic!("{matched:?}");
    };
    assert_eq!((player, seat), (WaitingId(3), Seat(0)));
    // The game is stored with both players.
    let stored = loaded(&*store, game).await;
    assert_eq!(stored.settings.holders, [bob.holder, ann.holder.clone()]);
    // The other node gets the match, also when it asks twice, and even if its player has left.
    for version in 2..4 {
        let players = [ann.clone()];
        let players = if version == 2 { &players[..] } else { &[] };
        let matched = send(&*store, here, version, players, &[]).await;
        let expected = Match {
            player: WaitingId(u128::MAX),
            game,
            seat: Seat(1),
        };
        assert_eq!(matched, [expected]);
    }
    assert_eq!(send(&*store, here, 4, &[], &[u128::MAX]).await, []);
    assert_eq!(send(&*store, there, 2, &[], &[3]).await, []);
    // A list that arrives late is ignored.
    assert_eq!(send(&*store, here, 3, &[ann], &[]).await, []);
    let cyd = self::player(7, there, 7);
    assert_eq!(send(&*store, there, 3, &[cyd], &[]).await, []);
}

#[tokio::test]
async fn memory_pairs_waiting_players() {
    players_of_two_nodes_are_paired_once(Arc::new(Memory::default())).await;
}

#[cfg(unix)]
mod in_postgres {
    use noughts_server::{GameId, Postgres};
    use sqlx::{query, query_as};
    use tokio::task::JoinSet;

    use super::*;
    use crate::postgres::raw;
    use crate::postgres_server::Server;

    #[tokio::test]
    async fn postgres_pairs_waiting_players() {
        let mut server = Server::start();
        let url = server.database("waiting");
        let store = Arc::new(Postgres::open(&url).await.unwrap());
        players_of_two_nodes_are_paired_once(store.clone()).await;
        let mut raw = raw(&url).await;
        let (nodes,): (i64,) = query_as("SELECT count(*) FROM nodes")
            .fetch_one(&mut raw)
            .await
            .unwrap();
        assert_eq!(nodes, 2, "the nodes of waiting players are watched");
        let (rows,): (i64,) = query_as("SELECT count(*) FROM waiting")
            .fetch_one(&mut raw)
            .await
            .unwrap();
        assert_eq!(rows, 1, "what was seen is removed");
        // A row of a later version is ignored.
        query(
            "INSERT INTO waiting VALUES ('\\x07', 'x', 'chess', 'human', 1, 1, NULL, NULL, NULL)",
        )
        .execute(&mut raw)
        .await
        .unwrap();
        let dan = player(8, NodeId(1), 8);
        assert_eq!(send(&*store, NodeId(1), 5, &[dan], &[]).await.len(), 1);
    }

    /// Four nodes send lists at once: every player is paired once.
    #[tokio::test(flavor = "multi_thread")]
    async fn postgres_pairs_the_players_of_many_nodes_once() {
        let mut server = Server::start();
        let url = server.database("many");
        let mut all = JoinSet::new();
        for node in 1..=4 {
            let store = Postgres::open(&url).await.unwrap();
            all.spawn(async move {
                let node = NodeId(node);
                let players: Vec<WaitingPlayer> = (0..9)
                    .map(|number| {
                        let id = u128::from(node.0) << 8 | number;
                        // Spread over all bits, as random ids are.
                        player(id.wrapping_mul((u128::MAX / 0x9e37_79b9) | 1), node, 1)
                    })
                    .collect();
                let mut matched: Vec<Match> = Vec::new();
                for version in 1..200 {
                    let is_matched = |one: &&WaitingPlayer| {
                        matched.iter().any(|matched| matched.player == one.id)
                    };
                    let waiting: Vec<WaitingPlayer> = players
                        .iter()
                        .filter(|one| !is_matched(one))
                        .cloned()
                        .collect();
                    let seen: Vec<u128> = matched.iter().map(|one| one.player.0).collect();
                    matched.extend(send(&store, node, version, &waiting, &seen).await);
                    if matched.len() == 9 {
                        break;
                    }
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                }
                matched
            });
        }
        let matched: Vec<Match> = all.join_all().await.concat();
        assert_eq!(matched.len(), 36);
        let mut games: std::collections::HashMap<GameId, SeatSet> = Default::default();
        for one in matched {
            let seats = games.entry(one.game).or_default();
            assert!(!seats.contains(one.seat), "{one:?} is given twice");
            *seats = seats.with(one.seat);
        }
        assert_eq!(games.len(), 18);
    }
}
