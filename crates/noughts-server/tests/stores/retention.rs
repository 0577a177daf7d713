//! `--forget-after`: games leave by themselves, by the server's own clock.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{Clock, Setup as Outside};
use noughts_rules::{Action, Move, Seat};
use noughts_server::{Denied, GameId, Laying, Limits, Memory, Server, Setup, Wish};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, advance};

use crate::games::{game_of, sitting};

/// Goes as the runtime's does, which stands still until it is told to go on.
struct Told(Instant);

impl Clock for Told {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

const MINUTE: Duration = Duration::from_secs(60);

async fn lay(server: &Server) -> GameId {
    lay_for(server, &["Ann", "Bob"]).await
}

async fn lay_for(server: &Server, holders: &[&str]) -> GameId {
    let new = game_of("3x3k3", holders, server.house().now_ms());
    match server.house().lay(new).await {
        Ok(Laying::Laid(id)) => id,
        other => panic!("{other:?}"),
    }
}

async fn act(server: &Server, game: GameId, action: Action) {
    let room = server.house().room(game).await.unwrap().unwrap();
    let wish = Wish {
        seat: Seat(0),
        action,
        at_turn: 1,
        key: None,
    };
    room.act(wish).await.unwrap();
}

/// Lets so much time pass, a minute after the other, as it would.
async fn pass(minutes: u32) {
    for _ in 0..minutes {
        advance(MINUTE).await;
        // Whoever waited for this moment does what it waited for.
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
}

/// A server that forgets after half an hour.
fn forgetful() -> Server {
    let mut server = Server::start(Setup {
        http: None,
        tcp: None,
        tcp_strategy: "perfect".parse().unwrap(),
        pairs: None,
        store: Box::new(Memory::default()),
        limits: Limits::default(),
        thinkers: 1,
        outside: Outside {
            seed: 1,
            clock: Arc::new(Told(Instant::now())),
        },
    })
    .unwrap();
    server.forget_after(30 * MINUTE);
    server
}

#[tokio::test(start_paused = true)]
async fn a_server_forgets_what_nothing_happened_at_for_so_long() {
    let server = forgetful();
    let (over, idle, played) = (lay(&server).await, lay(&server).await, lay(&server).await);
    act(&server, over, Action::Resign).await;
    pass(10).await;
    act(&server, played, Action::Play(Move::at(4))).await;
    let there = async |game| server.house().room(game).await.unwrap().is_some();
    pass(19).await;
    assert!(there(over).await && there(idle).await && there(played).await);
    // They leave memory when nobody has asked for a minute, and the store was swept by then.
    pass(4).await;
    assert!(!there(over).await && !there(idle).await, "they are old");
    assert!(
        there(played).await,
        "somebody played there ten minutes later"
    );
    pass(10).await;
    assert!(!there(played).await);
    assert_eq!(server.house().tables(), 0);
    assert!(server.stop().await);
}

#[tokio::test(start_paused = true)]
async fn who_watches_a_table_until_it_is_forgotten_is_told_that_there_is_none() {
    let server = forgetful();
    let game = lay_for(&server, &["Ann", "lobby"]).await;
    let room = server.house().room(game).await.unwrap().unwrap();
    let mut watch = room.watch(None).await.unwrap();
    pass(29).await;
    assert_eq!(room.look().await.unwrap().table().id(), game);
    assert_eq!(server.house().waiting(), 1, "its seat is open");
    pass(3).await;
    assert_eq!(watch.happenings.recv().await.err(), Some(RecvError::Closed));
    assert_eq!(room.look().await.err(), Some(Denied::Gone));
    assert!(server.house().room(game).await.unwrap().is_none());
    assert_eq!(server.house().waiting(), 0, "nobody can sit there");
    assert!(server.stop().await);
}

#[tokio::test(start_paused = true)]
async fn who_plays_before_the_table_knows_that_it_is_forgotten_hears_so_too() {
    let server = forgetful();
    let game = lay(&server).await;
    let room = server.house().room(game).await.unwrap().unwrap();
    let now_ms = server.house().now_ms();
    let forgotten = server.house().store().forget(now_ms + 1).await;
    assert_eq!(forgotten, Ok(vec![game]));
    let play = || Wish {
        seat: Seat(0),
        action: Action::Play(Move::at(4)),
        at_turn: 1,
        key: None,
    };
    // What can't be stored may be tried again, and then it is known why.
    assert_eq!(room.act(play()).await.err(), Some(Denied::Unavailable));
    assert_eq!(room.act(play()).await.err(), Some(Denied::NoSuchGame));
    assert!(server.house().room(game).await.unwrap().is_none());
    assert!(server.stop().await);
}

#[tokio::test(start_paused = true)]
async fn a_seat_waits_in_the_lobby_only_while_it_is_open() {
    let server = forgetful();
    let (taken, left) = (
        lay_for(&server, &["Ann", "lobby"]).await,
        lay_for(&server, &["Ann", "lobby"]).await,
    );
    assert_eq!(server.house().waiting(), 2);
    let room = server.house().room(taken).await.unwrap().unwrap();
    room.sit(Seat(1), sitting("Bob")).await.unwrap();
    assert_eq!(server.house().waiting(), 1);
    act(&server, left, Action::Resign).await;
    assert_eq!(server.house().waiting(), 0);
    assert!(server.stop().await);
}
