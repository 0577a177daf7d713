//! TCP clients and quick matches at several nodes that share a store, which may fail.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use noughts_rules::{Action, Move, Seat};
use noughts_server::{
    ATTENDED_MS, Command, ConnectedSeat, GameId, Holder, MatchRequest, OpenTo, PlayerId,
    QUICK_MATCH_LASTS_MS, Table, WaitingClient,
};
use tokio::time::{sleep, timeout};

use crate::cluster::{Database, Fault, Node, Operation, Treatment, variant};
use crate::{TIMEOUT, create, human, submit, until};

fn join(node: &Node, name: &str) -> WaitingClient {
    node.matchmaking.join(name.to_owned())
}

async fn seated(client: &mut WaitingClient) -> ConnectedSeat {
    let seat = timeout(TIMEOUT, client.seat()).await;
    seat.expect("an opponent is found in time").unwrap()
}

/// Asserts that no two clients have the same seat, and that each seat of a TCP client in a running game is one of
/// `seats`.
async fn no_ghosts(database: &Database, seats: &[ConnectedSeat]) {
    let held: HashSet<(GameId, Seat)> = seats.iter().map(|s| (s.game(), s.seat())).collect();
    assert_eq!(held.len(), seats.len(), "two clients have one seat");
    for id in database.ids() {
        let Some(_) = database.load(id).await else {
            continue;
        };
        let table = database.table(id).await;
        for (seat, holder) in (0..).map(Seat).zip(table.holders()) {
            if let Holder::Human { node: Some(_), .. } = holder {
                assert!(
                    table.is_over() || held.contains(&(id, seat)),
                    "nobody is at {seat:?} of {:?}",
                    table.holders()
                );
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn clients_of_two_nodes_are_paired_and_play() {
    let database = Database::new();
    let nodes = [1, 2].map(|seed| Node::start(&database, seed));
    let mut clients = [join(&nodes[0], "Ann"), join(&nodes[1], "Bob")];
    let mut seats = Vec::new();
    for client in &mut clients {
        seats.push(seated(client).await);
    }
    seats.sort_by_key(|seat| seat.seat().0);
    assert_eq!(seats[0].game(), seats[1].game());
    for (turn, cell) in (1..).zip([0, 3, 1, 4, 2]) {
        let seat = &mut seats[(turn + 1) % 2];
        while seat.turn() < turn {
            assert!(timeout(TIMEOUT, seat.changed()).await.unwrap());
            seat.progress();
        }
        let acted = seat.act(Action::Play(Move::at(cell)), turn).await;
        assert_eq!(acted, Ok(()));
        seat.progress();
    }
    let game = seats[0].game();
    let over = until(&database, game, Table::is_over).await;
    assert!(over.is_some());
}

/// The longest-waiting client is paired first, at any node.
#[tokio::test(start_paused = true)]
async fn the_longest_wait_ends_first() {
    let database = Database::new();
    let nodes = [1, 2, 3].map(|seed| Node::start(&database, seed));
    sleep(Duration::from_secs(2)).await;
    let mut first = join(&nodes[0], "first");
    sleep(Duration::from_millis(300)).await;
    // Two clients at once at another node: one of them is paired with the waiting client.
    let mut others = [join(&nodes[1], "a"), join(&nodes[1], "b")];
    let first = seated(&mut first).await;
    sleep(Duration::from_secs(5)).await;
    let mut paired = Vec::new();
    for client in &mut others {
        if let Ok(seat) = timeout(Duration::from_millis(1), client.seat()).await {
            paired.push(seat.unwrap());
        }
    }
    assert_eq!(paired.len(), 1);
    assert_eq!(paired[0].game(), first.game());
}

#[tokio::test(start_paused = true)]
async fn forty_clients_of_three_nodes_are_paired_once_each() {
    for fault in [
        Fault::None,
        Fault::RequestLost,
        Fault::ReplyLost,
        Fault::CarriedOutLater,
    ] {
        let database = Database::new();
        let nodes = [1, 2, 3].map(|seed| Node::start(&database, seed));
        let mut requests = 0;
        database.treat(move |_| {
            requests += 1;
            Treatment {
                before: Duration::from_millis(20),
                after: Duration::from_millis(requests % 7 * 40),
                fault: match requests % 3 {
                    0 => fault,
                    _ => Fault::None,
                },
            }
        });
        // Hints are lost too.
        database.delay_hints(|_| Vec::new());
        let clients = (0..40).map(|number| join(&nodes[number % 3], &format!("c{number}")));
        let mut seats = Vec::new();
        for mut client in clients.collect::<Vec<_>>() {
            seats.push(seated(&mut client).await);
        }
        let mut games: HashMap<GameId, Vec<Seat>> = HashMap::new();
        for seat in &seats {
            games.entry(seat.game()).or_default().push(seat.seat());
        }
        assert_eq!(games.len(), 20, "{fault:?}");
        assert!(games.values().all(|seats| seats.len() == 2), "{games:?}");
        database.treat_all(Fault::None);
        sleep(Duration::from_secs(5)).await;
        no_ghosts(&database, &seats).await;
    }
}

/// A client leaves at any moment while it is paired. No client gets a game without an opponent.
#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_while_it_is_paired_is_no_opponent() {
    for fault in [
        Fault::None,
        Fault::RequestLost,
        Fault::ReplyLost,
        Fault::CarriedOutLater,
    ] {
        for gone_after_ms in [0, 50, 150, 250, 400, 700, 1_200] {
            let database = Database::new();
            let nodes = [1, 2].map(|seed| Node::start(&database, seed));
            sleep(Duration::from_secs(1)).await;
            let mut matches = 0;
            database.treat(move |request| {
                matches += usize::from(request.operation == Operation::Match);
                Treatment {
                    before: Duration::from_millis(100),
                    after: Duration::from_millis(100),
                    fault: match request.operation == Operation::Match && matches % 2 == 1 {
                        true => fault,
                        false => Fault::None,
                    },
                }
            });
            let leaver = join(&nodes[0], "Ann");
            let mut stayer = join(&nodes[1], "Bob");
            sleep(Duration::from_millis(gone_after_ms)).await;
            drop(leaver);
            sleep(Duration::from_secs(8)).await;
            // The remaining client waits, has won its game, or was never told about the game.
            let seat = timeout(Duration::from_millis(1), stayer.seat()).await;
            let seats = Vec::from_iter(seat.ok().flatten());
            no_ghosts(&database, &seats).await;
            // Then Bob is paired with the next client.
            if let Some(seat) = seats.first() {
                assert!(database.table(seat.game()).await.is_over());
                stayer = join(&nodes[1], "Bob");
            }
            database.treat_all(Fault::None);
            let mut next = join(&nodes[0], "Cyd");
            let pair = [seated(&mut next).await, seated(&mut stayer).await];
            assert_eq!(pair[0].game(), pair[1].game());
        }
    }
}

/// If a node with a waiting client is killed, nobody is paired with that client later.
#[tokio::test(start_paused = true)]
async fn a_client_of_a_dead_node_is_no_opponent() {
    let database = Database::new();
    let mut nodes = [1, 2].map(|seed| Node::start(&database, seed));
    let client = join(&nodes[0], "Ann");
    sleep(Duration::from_secs(2)).await;
    nodes[0].kill();
    drop(client);
    sleep(Duration::from_secs(4)).await;
    let mut bob = join(&nodes[1], "Bob");
    let alone = timeout(Duration::from_secs(20), bob.seat()).await;
    assert!(alone.is_err(), "{alone:?}");
    let mut cyd = join(&nodes[1], "Cyd");
    assert_eq!(seated(&mut bob).await.game(), seated(&mut cyd).await.game());
}

/// A node that stops gracefully removes its waiting clients.
#[tokio::test(start_paused = true)]
async fn a_client_of_a_stopped_node_is_no_opponent() {
    let database = Database::new();
    let mut nodes = [1, 2].map(|seed| Node::start(&database, seed));
    let _client = join(&nodes[0], "Ann");
    sleep(Duration::from_secs(2)).await;
    assert!(nodes[0].stop().await);
    let mut bob = join(&nodes[1], "Bob");
    let alone = timeout(Duration::from_secs(5), bob.seat()).await;
    assert!(alone.is_err(), "{alone:?}");
}

/// A client that waits in the store takes a lobby seat when one opens. It gets either the seat or an
/// opponent, not both.
#[tokio::test(start_paused = true)]
async fn a_waiting_client_is_paired_once_when_a_lobby_seat_opens_too() {
    let faults = [Fault::None, Fault::ReplyLost, Fault::RequestLost];
    for (round, fault) in faults.into_iter().cycle().take(60).enumerate() {
        let database = Database::new();
        let nodes = [1, 2].map(|seed| Node::start(&database, seed));
        let mut matches = 0;
        database.treat(move |request| {
            matches += usize::from(request.operation == Operation::Match);
            Treatment {
                before: Duration::from_millis(20),
                after: Duration::from_millis(20),
                fault: match request.operation == Operation::Match && matches % 5 < 2 {
                    true => fault,
                    false => Fault::None,
                },
            }
        });
        let mut ann = join(&nodes[0], "Ann");
        sleep(Duration::from_secs(1)).await;
        // A lobby seat and another client, at nearly the same time.
        let delay = Duration::from_millis(round as u64 * 3);
        let lobby = Holder::Open(OpenTo::Lobby);
        let (game, mut bob) = tokio::join!(
            async { create(&nodes[0], vec![human("Cyd"), lobby]).await.id() },
            async {
                sleep(delay).await;
                join(&nodes[1], "Bob")
            }
        );
        let seats = vec![seated(&mut ann).await];
        sleep(Duration::from_secs(8)).await;
        let bob = timeout(Duration::from_millis(1), bob.seat()).await;
        let bob = bob.ok().flatten();
        let taken = database.table(game).await.holder(Seat(1)).cloned();
        let is_taken = taken != Some(Holder::Open(OpenTo::Lobby));
        // Ann plays with Cyd, and Bob still waits; or Ann plays with Bob.
        match seats[0].game() == game {
            true => assert!(bob.is_none() && is_taken),
            false => assert_eq!(bob.as_ref().map(ConnectedSeat::game), Some(seats[0].game())),
        }
        let seats: Vec<ConnectedSeat> = seats.into_iter().chain(bob).collect();
        no_ghosts(&database, &seats).await;
    }
}

/// While the store is unavailable, nobody is paired. When it is back, everybody is paired.
#[tokio::test(start_paused = true)]
async fn clients_wait_through_an_outage() {
    let database = Database::new();
    let nodes = [1, 2].map(|seed| Node::start(&database, seed));
    let mut ann = join(&nodes[0], "Ann");
    sleep(Duration::from_secs(2)).await;
    database.treat_all(Fault::RequestLost);
    let mut bob = join(&nodes[1], "Bob");
    sleep(Duration::from_secs(25)).await;
    database.treat_all(Fault::None);
    assert_eq!(seated(&mut ann).await.game(), seated(&mut bob).await.game());
}

/// Every player who requests a quick match gets one game against another player within five seconds.
#[tokio::test(start_paused = true)]
async fn a_thousand_quick_matches_of_three_nodes_are_paired_once_each() {
    const PLAYERS: u128 = 1_000;
    for fault in [Fault::None, Fault::RequestLost, Fault::ReplyLost] {
        let database = Database::new();
        let nodes = [1, 2, 3].map(|seed| Node::start(&database, seed));
        sleep(Duration::from_secs(2)).await;
        let mut requests = 0;
        database.treat(move |request| {
            requests += usize::from(request.operation == Operation::Match);
            Treatment {
                before: Duration::from_millis(20),
                after: Duration::from_millis(20),
                fault: match request.operation == Operation::Match && requests % 4 == 0 {
                    true => fault,
                    false => Fault::None,
                },
            }
        });
        let begun = tokio::time::Instant::now();
        let mut all = tokio::task::JoinSet::new();
        for number in 0..PLAYERS {
            let matchmaking = Arc::clone(&nodes[number as usize % 3].matchmaking);
            all.spawn(async move {
                sleep(Duration::from_millis(number as u64)).await;
                let variant = variant("3x3k3");
                let player = PlayerId::new(number + 1);
                let asked = matchmaking.request_match(player, variant, None).await;
                assert!(matches!(asked, Ok(MatchRequest::Accepted(_))), "{asked:?}");
            });
        }
        all.join_all().await;
        let mut games = database.list().await;
        while games.len() < PLAYERS as usize / 2 && begun.elapsed() < Duration::from_secs(5) {
            sleep(Duration::from_millis(50)).await;
            games = database.list().await;
        }
        assert!(begun.elapsed() <= Duration::from_secs(5), "{fault:?}");
        let mut seen = HashSet::new();
        for game in &games {
            let players = game.summary.holders.iter();
            for player in players.map(|holder| holder.player_id().unwrap()) {
                assert!(seen.insert(player), "{player} plays twice");
            }
        }
        assert_eq!(seen.len(), PLAYERS as usize, "{fault:?}");
        sleep(Duration::from_secs(30)).await;
        assert_eq!(database.list().await.len(), games.len(), "{fault:?}");
    }
}

/// A quick match continues if its player is connected to another node. Without a connection it is dropped.
#[tokio::test(start_paused = true)]
async fn a_quick_match_waits_while_its_player_is_connected_to_any_node() {
    let database = Database::new();
    let nodes = [1, 2].map(|seed| Node::start(&database, seed));
    let (ann, bob, cyd) = (PlayerId::new(1), PlayerId::new(2), PlayerId::new(3));
    let ask = async |node: &Node, player| {
        let asked = node
            .matchmaking
            .request_match(player, variant("3x3k3"), None)
            .await;
        assert!(matches!(asked, Ok(MatchRequest::Accepted(_))), "{asked:?}");
    };
    ask(&nodes[0], ann).await;
    nodes[1].matchmaking.player_connected(ann);
    sleep(Duration::from_secs(120)).await;
    ask(&nodes[0], bob).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(database.list().await.len(), 1);
    // This player has no event stream.
    ask(&nodes[0], cyd).await;
    sleep(Duration::from_millis(QUICK_MATCH_LASTS_MS + 2_000)).await;
    ask(&nodes[1], ann).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(database.list().await.len(), 1);
}

/// A quick match takes the open lobby seat of another node, whichever of the two comes first.
#[tokio::test(start_paused = true)]
async fn a_quick_match_takes_a_lobby_seat() {
    for seat_first in [true, false] {
        let database = Database::new();
        let nodes = [1, 2].map(|seed| Node::start(&database, seed));
        let ann = PlayerId::new(1);
        let lobby = || vec![human("Cyd"), Holder::Open(OpenTo::Lobby)];
        let mut game = None;
        if seat_first {
            game = Some(create(&nodes[1], lobby()).await.id());
        }
        nodes[0].matchmaking.player_connected(ann);
        let asked = nodes[0]
            .matchmaking
            .request_match(ann, variant("3x3k3"), None)
            .await;
        assert!(matches!(asked, Ok(MatchRequest::Accepted(_))), "{asked:?}");
        nodes[0].matchmaking.player_connected(ann);
        if !seat_first {
            sleep(Duration::from_secs(3)).await;
            game = Some(create(&nodes[1], lobby()).await.id());
        }
        let seated = |table: &Table| table.holder(Seat(1)) == Some(&Holder::Player(ann));
        let taken = until(&database, game.unwrap(), seated).await;
        assert!(
            taken.is_some_and(|time| time < Duration::from_secs(5)),
            "{taken:?}"
        );
        // The quick match no longer waits.
        let bob = PlayerId::new(2);
        let asked = nodes[1]
            .matchmaking
            .request_match(bob, variant("3x3k3"), None)
            .await;
        assert!(matches!(asked, Ok(MatchRequest::Accepted(_))), "{asked:?}");
        sleep(Duration::from_secs(5)).await;
        assert_eq!(database.list().await.len(), 1);
    }
}

/// While a quick match takes a lobby seat, it is not lost, and a lookup by its id always finds it, whatever happens to
/// the requests to the store, and also if somebody else takes the seat first.
#[tokio::test(start_paused = true)]
async fn a_quick_match_that_takes_a_seat_is_never_lost() {
    for (fault, outage_s) in [
        (Fault::None, 0),
        (Fault::RequestLost, 0),
        (Fault::ReplyLost, 0),
        // Longer than a request waits for its reply.
        (Fault::RequestLost, 15),
        (Fault::ReplyLost, 15),
    ] {
        for is_taken in [false, true] {
            let case = format!("{fault:?} for {outage_s} s, taken: {is_taken}");
            let database = Database::new();
            let nodes = [1, 2].map(|seed| Node::start(&database, seed));
            let ann = PlayerId::new(1);
            nodes[0].matchmaking.player_connected(ann);
            let asked = nodes[0]
                .matchmaking
                .request_match(ann, variant("3x3k3"), None)
                .await;
            let Ok(MatchRequest::Accepted(id)) = asked else {
                panic!("{case}: {asked:?}");
            };
            nodes[0].matchmaking.player_connected(ann);
            sleep(Duration::from_secs(3)).await;
            let lobby = vec![human("Cyd"), Holder::Open(OpenTo::Lobby)];
            let game = create(&nodes[1], lobby).await.id();
            // Every second list fails, and during the outage every list.
            let begun = tokio::time::Instant::now();
            let mut failures = 0;
            database.treat(move |request| {
                let is_match = request.operation == Operation::Match;
                failures += u32::from(is_match);
                let fails = is_match
                    && (failures % 2 == 1 || begun.elapsed() < Duration::from_secs(outage_s));
                Treatment {
                    before: Duration::from_millis(30),
                    after: Duration::from_millis(30),
                    fault: if fails { fault } else { Fault::None },
                }
            });
            if is_taken {
                let bob = Command::TakeSeat {
                    seat: Seat(1),
                    holder: human("Bob"),
                    key: None,
                };
                submit(&nodes[1], game, &bob).await.unwrap();
            }
            let end = begun + Duration::from_secs(40);
            while tokio::time::Instant::now() < end {
                let found = nodes[0].matchmaking.quick_match(id).await.unwrap();
                assert!(
                    found.is_some(),
                    "{case}: unknown after {:?}",
                    begun.elapsed()
                );
                sleep(Duration::from_millis(10)).await;
            }
            let found = nodes[0].matchmaking.quick_match(id).await.unwrap().unwrap();
            let expected = (!is_taken).then_some((game, Seat(1)));
            assert_eq!(found.matched, expected, "{case}");
            // A match that still waits is paired with the next player.
            let bob = PlayerId::new(2);
            nodes[1].matchmaking.player_connected(bob);
            let asked = nodes[1]
                .matchmaking
                .request_match(bob, variant("3x3k3"), None)
                .await;
            assert!(
                matches!(asked, Ok(MatchRequest::Accepted(_))),
                "{case}: {asked:?}"
            );
            sleep(Duration::from_secs(5)).await;
            let games = database.list().await.len();
            assert_eq!(games, 1 + usize::from(is_taken), "{case}");
        }
    }
}

/// No client takes a seat of a table that is no longer new and whose player is not connected.
#[tokio::test(start_paused = true)]
async fn a_lobby_seat_without_its_player_is_not_taken() {
    let database = Database::new();
    let nodes = [1, 2].map(|seed| Node::start(&database, seed));
    let lobby = Holder::Open(OpenTo::Lobby);
    let game = create(&nodes[0], vec![human("Cyd"), lobby.clone()])
        .await
        .id();
    sleep(Duration::from_millis(ATTENDED_MS + 1_000)).await;
    let mut clients = [join(&nodes[0], "Ann"), join(&nodes[1], "Bob")];
    let seats = [seated(&mut clients[0]).await, seated(&mut clients[1]).await];
    assert_eq!(seats[0].game(), seats[1].game());
    assert_eq!(database.table(game).await.holder(Seat(1)), Some(&lobby));
}
