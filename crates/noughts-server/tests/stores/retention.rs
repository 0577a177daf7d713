//! `--forget-after`: old games are deleted, by the server's own clock. Also: unused tables leave memory.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{Clock, EngineSetup};
use noughts_rules::{Action, Move, Seat};
use noughts_server::{
    Command, Creation, GameId, LiveTable, Memory, Server, ServerConfig, SubmitError,
};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, advance};

use crate::games::{game_of, holder};

/// The clock of the runtime, which is paused.
struct TestClock(Instant);

impl Clock for TestClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

const MINUTE: Duration = Duration::from_secs(60);

async fn create(server: &Server, holders: &[&str]) -> GameId {
    let new = game_of("3x3k3", holders, server.tables().clock().now_ms());
    match server.tables().create(new, None, None).await {
        Ok(Creation::Created(live)) => live.id(),
        other => panic!("{other:?}"),
    }
}

async fn table(server: &Server, game: GameId) -> Option<Arc<LiveTable>> {
    server.tables().get(game).await.unwrap()
}

async fn act(server: &Server, game: GameId, action: Action) -> Result<(), SubmitError> {
    let live = table(server, game).await.ok_or(SubmitError::NoSuchGame)?;
    let command = Command::Act {
        seat: Seat(0),
        action,
        turn: 1,
        key: None,
    };
    server.tables().submit(&live, &command).await
}

/// Advances the time, one minute at a time.
async fn pass(minutes: u32) {
    for _ in 0..minutes {
        advance(MINUTE).await;
        // Everything that waited for this moment runs.
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
}

/// A server that deletes games after half an hour.
fn forgetful() -> Server {
    let engine = EngineSetup {
        seed: 1,
        clock: Arc::new(TestClock(Instant::now())),
    };
    let config = ServerConfig::new(Box::<Memory>::default(), engine);
    let mut server = Server::start(config).unwrap();
    server.forget_after(30 * MINUTE);
    server
}

#[tokio::test(start_paused = true)]
async fn games_without_an_entry_for_half_an_hour_are_deleted() {
    let server = forgetful();
    let people = ["Ann", "Bob"];
    let over = create(&server, &people).await;
    let (idle, played) = (
        create(&server, &people).await,
        create(&server, &people).await,
    );
    act(&server, over, Action::Resign).await.unwrap();
    pass(10).await;
    let play = Action::Play(Move::at(4));
    act(&server, played, play).await.unwrap();
    pass(19).await;
    for game in [over, idle, played] {
        assert!(table(&server, game).await.is_some());
    }
    pass(4).await;
    assert!(table(&server, over).await.is_none());
    assert!(table(&server, idle).await.is_none());
    assert!(table(&server, played).await.is_some(), "it is younger");
    pass(10).await;
    assert!(table(&server, played).await.is_none());
    assert!(server.tables().is_empty());
    assert!(server.stop().await);
}

#[tokio::test(start_paused = true)]
async fn tables_leave_memory_when_nobody_uses_them() {
    let server = forgetful();
    let game = create(&server, &["Ann", "Bob"]).await;
    let watched = create(&server, &["Ann", "Bob"]).await;
    let live = table(&server, watched).await.unwrap();
    pass(2).await;
    assert_eq!(server.tables().len(), 1, "the one that is in use");
    assert!(table(&server, game).await.is_some(), "it is loaded again");
    drop(live);
    pass(2).await;
    assert!(server.tables().is_empty());
}

#[tokio::test(start_paused = true)]
async fn watchers_of_a_deleted_game_are_disconnected() {
    let server = forgetful();
    let game = create(&server, &["Ann", "lobby"]).await;
    let live = table(&server, game).await.unwrap();
    let mut watch = live.watch().unwrap();
    pass(29).await;
    assert_eq!(live.snapshot().id, game);
    assert_eq!(server.matchmaking().waiting(), 1, "its seat is open");
    pass(3).await;
    assert_eq!(watch.updates.recv().await.err(), Some(RecvError::Closed));
    assert_eq!(live.watch().err(), Some(SubmitError::Closed));
    assert!(table(&server, game).await.is_none());
    assert_eq!(server.matchmaking().waiting(), 0);
    assert!(server.stop().await);
}

#[tokio::test(start_paused = true)]
async fn turn_in_a_deleted_game_is_refused() {
    let server = forgetful();
    let game = create(&server, &["Ann", "Bob"]).await;
    let now_ms = server.tables().clock().now_ms();
    let forgotten = server.tables().store().forget(now_ms + 1).await;
    assert_eq!(forgotten, Ok(vec![game]));
    let play = Action::Play(Move::at(4));
    assert_eq!(act(&server, game, play).await, Err(SubmitError::NoSuchGame));
    assert!(table(&server, game).await.is_none());
    assert!(server.stop().await);
}

#[tokio::test(start_paused = true)]
async fn lobby_lists_a_seat_only_while_it_is_open() {
    let server = forgetful();
    let taken = create(&server, &["Ann", "lobby"]).await;
    let resigned = create(&server, &["Ann", "lobby"]).await;
    assert_eq!(server.matchmaking().waiting(), 2);
    let live = table(&server, taken).await.unwrap();
    let command = Command::TakeSeat {
        seat: Seat(1),
        holder: holder("Bob"),
        key: None,
    };
    server.tables().submit(&live, &command).await.unwrap();
    assert_eq!(server.matchmaking().waiting(), 1);
    act(&server, resigned, Action::Resign).await.unwrap();
    assert_eq!(server.matchmaking().waiting(), 0);
    assert!(server.stop().await);
}
