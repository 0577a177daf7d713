//! Hints between nodes, by LISTEN and NOTIFY.
//!
//! NOTIFY inside the transaction of a turn takes a lock that all commits share, which made throughput six
//! times lower. So hints are collected and sent a few milliseconds later, by a separate statement.

use std::time::Duration;

use noughts_rules::Seat;
use sqlx::postgres::{PgListener, PgPool};
use sqlx::query;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use super::{REPLY_TIMEOUT, detach_if_late};
use crate::bus::{Bus, Hint, Inbox, Outbox};
use crate::id::NodeId;
use crate::store::StoreError;
use crate::store::codec::text::write_node;

const CHANNEL: &str = "noughts";

/// How long hints are collected. Users do not notice the delay, but on a busy node up to a hundred turns share one
/// notification.
const COLLECT: Duration = Duration::from_millis(5);

/// Maximum number of hints per notification. A notification has at most 8 000 bytes; a hint has at most 38
/// bytes.
const MAX_HINTS: usize = 150;

/// If a connection receives nothing for this long, this node checks the connection by a query.
const SILENCE: Duration = Duration::from_secs(5);

/// The pause between two attempts to reach the database.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

pub(super) fn bus(pool: PgPool, node: NodeId) -> Bus {
    Bus::between(
        |outbox| send(pool.clone(), node, outbox),
        |inbox| receive(pool.clone(), node, inbox),
    )
}

async fn send(pool: PgPool, node: NodeId, outbox: Outbox) {
    loop {
        outbox.filled().await;
        sleep(COLLECT).await;
        let hints = outbox.take();
        let texts = hints.chunks(MAX_HINTS).map(|some| write(node, some));
        if let Err(error) = notify(&pool, texts.collect()).await {
            debug!(%error, "cannot send hints to the other nodes");
            outbox.put_back(hints);
            sleep(RETRY_PAUSE).await;
        }
    }
}

async fn notify(pool: &PgPool, texts: Vec<String>) -> Result<(), StoreError> {
    let mut connection = pool.acquire().await?;
    let notified = query("SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text")
        .bind(CHANNEL)
        .bind(texts)
        .execute(&mut *connection);
    let notified = timeout(REPLY_TIMEOUT, notified).await;
    detach_if_late(connection, notified).map(drop)
}

async fn receive(pool: PgPool, node: NodeId, inbox: Inbox) {
    loop {
        match listen(&pool, node, &inbox).await {
            Ok(()) => debug!("the connection for hints was lost"),
            Err(error) => warn!(%error, "cannot receive hints from the other nodes"),
        }
        sleep(RETRY_PAUSE).await;
    }
}

/// Receives hints until the connection is lost.
async fn listen(pool: &PgPool, node: NodeId, inbox: &Inbox) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    // This node has missed all hints that were sent before this moment.
    inbox.put(Hint::Missed);
    loop {
        match timeout(SILENCE, listener.try_recv()).await {
            Ok(Ok(Some(heard))) => {
                for hint in read(node, heard.payload()) {
                    inbox.put(hint);
                }
            }
            Ok(Ok(None)) => return Ok(()),
            Ok(Err(error)) => return Err(error),
            Err(_) => {
                let lives = query("SELECT 1").execute(&mut listener);
                match timeout(SILENCE, lives).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => return Err(error),
                    Err(_) => return Ok(()),
                }
            }
        }
    }
}

/// The text of a notification: the node that sends it, and then each hint. This example has all kinds of hints:
///
/// ```text
/// 00c0ffee00c0ffee 0…1:7 0…2:p 0…2:l1 0…3:u m *
/// ```
///
/// The words of this example mean:
///
/// - `00c0ffee00c0ffee`: the node that sends the notification
/// - `0…1:7`: game `0…1` has entry 7
/// - `0…2:p`: the presence at game `0…2` has changed
/// - `0…2:l1`: the player of seat 1 in game `0…2` has left
/// - `0…3:u`: registered player (user) `0…3` has changed
/// - `m`: players were matched
/// - `*`: hints may have been missed
fn write(node: NodeId, hints: &[Hint]) -> String {
    let mut text = write_node(node);
    for hint in hints {
        match hint {
            Hint::Entry { game, number } => text.push_str(&format!(" {game}:{number}")),
            Hint::Presence(game) => text.push_str(&format!(" {game}:p")),
            Hint::Player(player) => text.push_str(&format!(" {player}:u")),
            Hint::Left { game, seat } => text.push_str(&format!(" {game}:l{}", seat.0)),
            Hint::Matched => text.push_str(" m"),
            Hint::Missed => text.push_str(" *"),
        }
    }
    text
}

/// Parses a notification. Returns no hints if this node has sent the notification. An unreadable hint becomes
/// [`Hint::Missed`].
fn read(node: NodeId, text: &str) -> Vec<Hint> {
    let mut words = text.split(' ');
    if words.next() == Some(&write_node(node)) {
        return Vec::new();
    }
    let hint = |word: &str| {
        if word == "m" {
            return Some(Hint::Matched);
        }
        let (id, rest) = word.split_once(':')?;
        if rest == "u" {
            return id.parse().ok().map(Hint::Player);
        }
        let game = id.parse().ok()?;
        if let Some(seat) = rest.strip_prefix('l') {
            let seat = Seat(seat.parse().ok()?);
            return Some(Hint::Left { game, seat });
        }
        match rest {
            "p" => Some(Hint::Presence(game)),
            number => Some(Hint::Entry {
                game,
                number: number.parse().ok()?,
            }),
        }
    };
    words
        .map(|word| hint(word).unwrap_or(Hint::Missed))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{GameId, PlayerId};

    #[test]
    fn hints_are_read_as_they_are_written_and_fit() {
        let (here, there) = (NodeId(1), NodeId(u64::MAX));
        let game = GameId::new(u128::MAX);
        let longest = Hint::Entry {
            game,
            number: u32::MAX,
        };
        let mut hints = vec![longest; MAX_HINTS - 4];
        let player = Hint::Player(PlayerId::new(u128::MAX));
        let seat = Seat(63);
        hints.extend([Hint::Presence(game), player, Hint::Matched, Hint::Missed]);
        hints[0] = Hint::Left { game, seat };
        let text = write(there, &hints);
        assert!(text.len() < 8_000, "{}", text.len());
        assert_eq!(read(here, &text), hints);
        assert_eq!(read(there, &text), []);
    }

    #[test]
    fn unreadable_hint_counts_as_missed() {
        let read = |text| read(NodeId(1), text);
        assert_eq!(read("hello"), []);
        assert_eq!(read("hello world"), [Hint::Missed]);
        assert_eq!(read("0 00000000000000000000000001:x"), [Hint::Missed]);
    }
}
