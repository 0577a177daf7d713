//! TCP clients: their seats last as long as their connections.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::Random;
use noughts_rules::{Action, Game, Move, Options, Turn};
use noughts_server::{ConnectedSeat, SubmitError};
use tokio::time::{sleep, timeout};

use crate::cluster::variant;
use crate::observations::Acted;
use crate::scenario::{RunningNode, Scenario, up_to_ms};

/// How long a client waits for its opponent's move.
const TIMEOUT: Duration = Duration::from_secs(25);

/// A client that plays one game after another.
pub(crate) async fn run(scenario: Arc<Scenario>, number: usize, mut random: Random) {
    while scenario.is_open() {
        sleep(up_to_ms(&mut random, 3_000)).await;
        let node = scenario.node(&mut random);
        let visit = visit(&scenario, &node, number, &mut random);
        let Some(Some(seat)) = node.while_alive(visit).await else {
            continue;
        };
        scenario.count("seats kept to the end");
        scenario.kept.lock().unwrap().push((node, seat));
        return;
    }
}

/// Plays over one connection. Returns the seat if the client stays connected without moving.
async fn visit(
    scenario: &Arc<Scenario>,
    node: &RunningNode,
    number: usize,
    random: &mut Random,
) -> Option<ConnectedSeat> {
    let name = format!("tcp{number}");
    let max_wait = up_to_ms(random, 15_000);
    let seated = match random.below(3) {
        0 => {
            let strategy = ["minimax:2", "random", "first"][random.below(3)];
            let strategy = strategy.parse().unwrap();
            // Some clients disconnect while a request to the store is running.
            let max_wait = match random.below(4) {
                0 => up_to_ms(random, 200),
                _ => max_wait,
            };
            let seat = node.matchmaking.play_robot(name, strategy, None);
            timeout(max_wait, seat).await.map(Some)
        }
        _ => {
            let mut waiting = node.matchmaking.join(name);
            timeout(max_wait, waiting.seat()).await
        }
    };
    let Ok(seat) = seated else {
        scenario.count("waiting clients gave up");
        return None;
    };
    let seat = seat?;
    let before = scenario
        .observations()
        .connected
        .insert((seat.game(), seat.seat()), false);
    assert_eq!(before, None, "two clients have the same seat: {seat:?}");
    if random.below(4) == 0 {
        scenario.watch_game(seat.game(), random);
    }
    play(scenario, seat, random).await
}

/// Plays to the end, or until the client leaves.
async fn play(
    scenario: &Arc<Scenario>,
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
            let mut observations = scenario.observations();
            observations
                .results
                .push((seat.game(), seat.seat(), end.result));
            observations
                .turns
                .push((seat.game(), game.turns().to_vec()));
            return None;
        }
        let is_mine = game.to_move() == Some(seat.seat());
        let whim = random.below(60);
        if whim == 0 {
            return Some(seat);
        }
        if whim <= 2 {
            return leave(scenario, seat);
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
                match timeout(TIMEOUT, seat.changed()).await {
                    Ok(is_there) => assert!(is_there, "the table of {seat:?} is gone"),
                    Err(_) => return leave(scenario, seat),
                }
                continue;
            }
        };
        sleep(up_to_ms(random, 1_500)).await;
        let act = tokio::spawn(seat.act(action, turn));
        if random.below(50) == 0 {
            // The connection breaks while a request to the store is running.
            sleep(up_to_ms(random, 200)).await;
            return leave(scenario, seat);
        }
        let mut observations = match act.await.unwrap() {
            Ok(()) => {
                let mut observations = scenario.observations();
                let (game, seat) = (seat.game(), seat.seat());
                observations.acts.push(Acted {
                    game,
                    seat,
                    action,
                    turn,
                });
                observations.count("acts of TCP clients acknowledged");
                continue;
            }
            Err(SubmitError::Refused(refusal)) => {
                let mut observations = scenario.observations();
                observations.count_refusal(refusal);
                observations
            }
            Err(error) => panic!("{seat:?}: {error:?}"),
        };
        observations.count("acts of TCP clients refused");
    }
}

fn leave(scenario: &Scenario, seat: ConnectedSeat) -> Option<ConnectedSeat> {
    let mut observations = scenario.observations();
    observations
        .connected
        .insert((seat.game(), seat.seat()), true);
    None
}
