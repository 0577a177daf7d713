//! TCP clients: their seats last as long as their connections.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::Random;
use noughts_rules::{Action, Game, Move, Options, Turn};
use noughts_server::{ConnectedSeat, SubmitError};
use tokio::time::{sleep, timeout};

use crate::cluster::variant;
use crate::facts::Acted;
use crate::world::{RunningNode, World, up_to_ms};

/// How long a client waits for its opponent's move.
const PATIENCE: Duration = Duration::from_secs(25);

/// A client that plays one game after the other.
pub(crate) async fn run(world: Arc<World>, number: usize, mut random: Random) {
    while world.is_open() {
        sleep(up_to_ms(&mut random, 3_000)).await;
        let node = world.node(&mut random);
        let visit = visit(&world, &node, number, &mut random);
        let Some(Some(seat)) = node.while_alive(visit).await else {
            continue;
        };
        world.count("seats kept to the end");
        world.kept.lock().unwrap().push((node, seat));
        return;
    }
}

/// One connection: the seat, where the client stays connected without a move.
async fn visit(
    world: &Arc<World>,
    node: &RunningNode,
    number: usize,
    random: &mut Random,
) -> Option<ConnectedSeat> {
    let name = format!("tcp{number}");
    let patience = up_to_ms(random, 15_000);
    let seated = match random.below(3) {
        0 => {
            let strategy = ["minimax:2", "random", "first"][random.below(3)];
            let strategy = strategy.parse().unwrap();
            // Some clients go while the store is asked.
            let patience = match random.below(4) {
                0 => up_to_ms(random, 200),
                _ => patience,
            };
            let seat = node.matchmaking.play_robot(name, strategy, None);
            timeout(patience, seat).await.map(Some)
        }
        _ => {
            let mut waiting = node.matchmaking.join(name, None);
            timeout(patience, waiting.seat()).await
        }
    };
    let Ok(seat) = seated else {
        world.count("waiting clients gave up");
        return None;
    };
    let seat = seat?;
    let before = world
        .facts()
        .connected
        .insert((seat.game(), seat.seat()), false);
    assert_eq!(before, None, "two clients have the same seat: {seat:?}");
    if random.below(4) == 0 {
        world.watch_game(seat.game(), random);
    }
    play(world, seat, random).await
}

/// Plays to the end, or until the client leaves.
async fn play(
    world: &Arc<World>,
    mut seat: ConnectedSeat,
    random: &mut Random,
) -> Option<ConnectedSeat> {
    let mut game = Game::new(&variant("3x3k3"), Options::default()).unwrap();
    loop {
        let progress = seat.progress();
        for Turn { by, action } in progress.turns {
            game.act(by, action).expect("turns come once and in order");
        }
        if let Some(end) = progress.end {
            let mut facts = world.facts();
            facts.results.push((seat.game(), seat.seat(), end.result));
            facts.turns.push((seat.game(), game.turns().to_vec()));
            return None;
        }
        let is_mine = game.to_move() == Some(seat.seat());
        let whim = random.below(60);
        if whim == 0 {
            return Some(seat);
        }
        if whim <= 2 {
            return leave(world, seat);
        }
        let free = game.legal();
        let taken = game.plays().first().map(|play| play.at);
        let (action, turn) = match (is_mine, whim) {
            (true, 3) => (Action::Resign, seat.turn()),
            // Not legal, except on an empty board.
            (true, 4 | 5) => (Action::Play(taken.unwrap_or(Move::at(4))), seat.turn()),
            (_, 6 | 7) => (
                Action::Play(Move::at(random.below(9))),
                seat.turn().saturating_sub(1),
            ),
            (true, _) => (Action::Play(free[random.below(free.len())]), seat.turn()),
            // Not its turn.
            (false, 8 | 9) => (Action::Play(free[random.below(free.len())]), seat.turn()),
            (false, _) => {
                match timeout(PATIENCE, seat.changed()).await {
                    Ok(is_there) => assert!(is_there, "the table of {seat:?} is gone"),
                    Err(_) => return leave(world, seat),
                }
                continue;
            }
        };
        sleep(up_to_ms(random, 1_500)).await;
        let act = tokio::spawn(seat.act(action, turn));
        if random.below(50) == 0 {
            // The connection breaks while the store is asked.
            sleep(up_to_ms(random, 200)).await;
            return leave(world, seat);
        }
        let mut facts = match act.await.unwrap() {
            Ok(()) => {
                let mut facts = world.facts();
                let (game, seat) = (seat.game(), seat.seat());
                facts.acts.push(Acted {
                    game,
                    seat,
                    action,
                    turn,
                });
                facts.count("acts of TCP clients acknowledged");
                continue;
            }
            Err(SubmitError::Refused(refusal)) => {
                let mut facts = world.facts();
                facts.count_refusal(refusal);
                facts
            }
            Err(error) => panic!("{seat:?}: {error:?}"),
        };
        facts.count("acts of TCP clients refused");
    }
}

fn leave(world: &World, seat: ConnectedSeat) -> Option<ConnectedSeat> {
    let mut facts = world.facts();
    facts.connected.insert((seat.game(), seat.seat()), true);
    None
}
