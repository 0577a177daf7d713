//! `--forget-after`: games leave by themselves, by the server's own clock.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::{Clock, Setup as Outside};
use noughts_rules::{Action, Move, Seat};
use noughts_server::{GameId, Laying, Limits, Memory, Server, Setup, Wish};
use tokio::time::{Instant, advance};

use crate::games::game_of;

/// Goes as the runtime's does, which stands still until it is told to go on.
struct Told(Instant);

impl Clock for Told {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

const MINUTE: Duration = Duration::from_secs(60);

async fn lay(server: &Server) -> GameId {
    let new = game_of("3x3k3", &["Ann", "Bob"], server.house().now_ms());
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

#[tokio::test(start_paused = true)]
async fn a_server_forgets_what_nothing_happened_at_for_so_long() {
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
