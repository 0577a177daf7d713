//! Processes that say that they live, and the seats that end with them.

use noughts_rules::{Conclusion, Seat};
use noughts_server::{Ending, Leavers, NodeId, Sitting, Store};

use crate::games::{created, game, sitting};

/// Words lapse by the store's clock: one that lasts for no time has lapsed at once.
pub(crate) async fn leases(store: &dyn Store) {
    let (here, gone, lives) = (NodeId(1), NodeId(u64::MAX), NodeId(3));
    assert_eq!(store.renew(lives, 3_600_000).await, Ok(vec![]));
    assert_eq!(store.renew(gone, 0).await, Ok(vec![]));
    for _ in 0..2 {
        assert_eq!(store.renew(here, 3_600_000).await, Ok(vec![gone]));
    }
    let guest = |name: &str, node| Sitting {
        node: Some(node),
        ..sitting(name)
    };
    let name = format!("Ann@{}", gone.0);
    let tied = created(store, game(&[&name, "lobby", "lobby"])).await;
    store.sit(tied, Seat(1), guest("Bob", gone)).await.unwrap();
    store.sit(tied, Seat(2), guest("Cyd", lives)).await.unwrap();
    let late = created(store, game(&["Ann", "lobby"])).await;
    store.sit(late, Seat(1), guest("Bob", gone)).await.unwrap();
    let over = created(store, game(&[&name, "Bob"])).await;
    let ending = Ending {
        conclusion: Conclusion::Draw,
        at_ms: 1,
    };
    store.finish(over, ending).await.unwrap();
    let mut found = store.tied_to(gone).await.unwrap();
    found.sort_by_key(|(id, _)| *id != tied);
    let both = Leavers::one(Seat(0)).and(Seat(1));
    assert_eq!(found, [(tied, both), (late, Leavers::one(Seat(1)))]);
    store.bury(gone).await.unwrap();
    assert_eq!(store.renew(here, 3_600_000).await, Ok(vec![]));
    // Who was taken for dead and is not says so again.
    assert_eq!(store.renew(gone, 3_600_000).await, Ok(vec![]));
}
