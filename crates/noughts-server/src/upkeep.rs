//! What a house does by itself, whoever asks: it says that it lives, buries those that do not, and hears
//! what others that share its store have stored.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;
use tracing::{debug, info, warn};

use crate::bus::News;
use crate::house::House;
use crate::id::{GameId, NodeId};
use crate::store::StoreError;

/// How long a word that one lives holds. When it lapses, the seats that live with that process leave.
const LEASE: Duration = Duration::from_secs(10);

/// How often it is given: twice it may get lost.
const RENEWED: Duration = Duration::from_secs(3);

/// How often what is in memory is compared with a store that others write to as well, in case that
/// hints got lost.
const COMPARED: Duration = Duration::from_secs(2);

/// How often seats that are not in the lobby are looked for, while somebody waits for one. Where nobody else
/// opens them only a store that did not answer keeps them out.
const LOOKED_FOR: Duration = Duration::from_secs(1);
const LOOKED_FOR_ALONE: Duration = Duration::from_secs(10);

/// How many games are compared by one question.
const AT_ONCE: usize = 1_000;

/// How often old games are looked for.
const FORGETS: Duration = Duration::from_secs(60);

/// Keeps the house until nobody wants it any more.
pub(crate) async fn keep_up(house: Arc<House>) {
    let gap = Notify::new();
    tokio::join!(
        stay_alive(&house),
        hear(&house, &gap),
        compare(&house, &gap),
        welcome(&house),
    );
}

async fn stay_alive(house: &Arc<House>) {
    let mut is_first = true;
    loop {
        let renewed = house.store().renew(house.node(), LEASE.as_millis() as u64);
        match renewed.await {
            Ok(gone) => {
                if is_first || !gone.is_empty() {
                    is_first = go_on(house).await.is_err();
                }
                for node in gone {
                    if let Err(error) = bury(house, node).await {
                        debug!(%error, "another process is not buried yet");
                    }
                }
            }
            Err(error) => warn!(%error, "nobody knows that this process lives"),
        }
        sleep(RENEWED).await;
    }
}

async fn go_on(house: &Arc<House>) -> Result<(), StoreError> {
    let going_on = house.go_on().await;
    if let Err(error) = &going_on {
        warn!(%error, "some games between robots may not go on");
    }
    going_on
}

/// The seats of a process that is gone leave. It is forgotten when all have.
async fn bury(house: &Arc<House>, node: NodeId) -> Result<(), StoreError> {
    let tied = house.store().tied_to(node).await?;
    let seats = tied.len();
    for (id, leavers) in tied {
        if let Some(room) = house.room(id).await?
            && !room.leave(leavers).await
        {
            return Err(StoreError(format!("game {id} still goes on")));
        }
    }
    house.store().bury(node).await?;
    info!(games = seats, "a process that shared the store is gone");
    Ok(())
}

async fn hear(house: &Arc<House>, gap: &Notify) {
    let mut hints = house.bus().subscribe();
    while let Some(news) = hints.next().await {
        match news {
            News::At { game, entries } => {
                if let Some(room) = house.room_in_memory(game) {
                    room.hint(entries);
                }
            }
            News::Gap => gap.notify_one(),
        }
    }
}

/// Whatever is in memory and is not what the store has becomes that.
async fn compare(house: &Arc<House>, gap: &Notify) {
    while house.bus().is_shared() {
        for games in house.in_memory().chunks(AT_ONCE) {
            // What fails now is asked again soon.
            let Ok(found) = house.store().entries(games.to_vec()).await else {
                continue;
            };
            let found: HashMap<GameId, usize> = found.into_iter().collect();
            for game in games {
                match (house.room_in_memory(*game), found.get(game)) {
                    (Some(room), Some(entries)) => room.hint(*entries),
                    // Another process has forgotten it.
                    (Some(room), None) => room.doubt(),
                    (None, _) => {}
                }
            }
        }
        tokio::select! {
            () = sleep(COMPARED) => {}
            () = gap.notified() => {}
        }
    }
}

/// Seats that were open before this process began wait in its lobby, those that others open, and those that
/// nobody could take while the store did not answer.
async fn welcome(house: &Arc<House>) {
    let mut is_first = true;
    loop {
        if is_first || house.has_waiting_guest() {
            match house.offer_stored().await {
                Ok(()) => is_first = false,
                Err(error) => debug!(%error, "open seats are looked for again"),
            }
        }
        sleep(match house.bus().is_shared() {
            true => LOOKED_FOR,
            false => LOOKED_FOR_ALONE,
        })
        .await;
    }
}

/// Forgets games at which nothing has happened for so long.
pub(crate) async fn forget_after(house: Arc<House>, time: Duration) {
    loop {
        let before_ms = house.now_ms().saturating_sub(time.as_millis() as u64);
        match house.store().forget(before_ms).await {
            Ok(games) if games.is_empty() => sleep(FORGETS).await,
            // Where there were some, there may be more.
            Ok(games) => {
                info!(games = games.len(), "old games are forgotten");
                for game in games {
                    house.withdraw(game, |_| false);
                    if let Some(room) = house.room_in_memory(game) {
                        room.doubt();
                    }
                }
                tokio::task::yield_now().await;
            }
            Err(error) => {
                warn!(%error, "old games can't be forgotten now");
                sleep(FORGETS).await;
            }
        }
    }
}
