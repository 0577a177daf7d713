//! Hints between processes, by LISTEN and NOTIFY.
//!
//! A notification inside the transaction of a move would take a lock that all committers share, and
//! cost five sixths of the throughput. So hints are collected, and told a few milliseconds later by
//! a statement of their own.

use std::time::Duration;

use sqlx::postgres::{PgListener, PgPool};
use sqlx::query;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use super::{ANSWER, settled};
use crate::bus::{Bus, Inbox, News, Outbox};
use crate::id::NodeId;
use crate::store::StoreError;
use crate::store::text::write_node;

const CHANNEL: &str = "noughts";

/// How long hints are collected for: less than anybody sees, and a hundred moves on a busy node.
const COLLECT: Duration = Duration::from_millis(5);

/// A notification has at most 8 000 bytes; a hint has at most 47.
const HINTS_A_TIME: usize = 150;

/// A connection on which nothing is heard for so long is asked whether it lives.
const SILENCE: Duration = Duration::from_secs(5);

/// How long a database that is away is left alone.
const BETWEEN_TRIES: Duration = Duration::from_millis(250);

pub(super) fn bus(pool: PgPool, node: NodeId) -> Bus {
    Bus::between(
        |outbox| tell(pool.clone(), node, outbox),
        |inbox| hear(pool.clone(), node, inbox),
    )
}

async fn tell(pool: PgPool, node: NodeId, outbox: Outbox) {
    loop {
        outbox.filled().await;
        sleep(COLLECT).await;
        let news = outbox.take();
        let texts = news.chunks(HINTS_A_TIME).map(|some| write(node, some));
        if let Err(error) = notify(&pool, texts.collect()).await {
            debug!(%error, "the other processes could not be told");
            outbox.put_back(news);
            sleep(BETWEEN_TRIES).await;
        }
    }
}

async fn notify(pool: &PgPool, texts: Vec<String>) -> Result<(), StoreError> {
    let mut connection = pool.acquire().await?;
    let told = query("SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text")
        .bind(CHANNEL)
        .bind(texts)
        .execute(&mut *connection);
    let told = timeout(ANSWER, told).await;
    settled(connection, told).map(drop)
}

async fn hear(pool: PgPool, node: NodeId, inbox: Inbox) {
    loop {
        match listen(&pool, node, &inbox).await {
            Ok(()) => debug!("the connection for hints was lost"),
            Err(error) => warn!(%error, "no hints from the other processes"),
        }
        sleep(BETWEEN_TRIES).await;
    }
}

/// Hears hints until the connection is lost.
async fn listen(pool: &PgPool, node: NodeId, inbox: &Inbox) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    // What was told before this moment nobody here has heard.
    inbox.put(News::Gap);
    loop {
        match timeout(SILENCE, listener.try_recv()).await {
            Ok(Ok(Some(heard))) => {
                for news in read(node, heard.payload()) {
                    inbox.put(news);
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

/// Who says it, and then each game with its count: `00c0ffee00c0ffee 0…1:7 0…2:3`. A gap is a star.
fn write(node: NodeId, news: &[News]) -> String {
    let mut text = write_node(node);
    for one in news {
        match one {
            News::At { game, entries } => text.push_str(&format!(" {game}:{entries}")),
            News::Gap => text.push_str(" *"),
        }
    }
    text
}

/// What another process said; nothing where it was this one. What can't be read may be anything.
fn read(node: NodeId, text: &str) -> Vec<News> {
    let mut words = text.split(' ');
    if words.next() == Some(&write_node(node)) {
        return Vec::new();
    }
    let news = |word: &str| {
        let (game, entries) = word.split_once(':')?;
        let (game, entries) = (game.parse().ok()?, entries.parse().ok()?);
        Some(News::At { game, entries })
    };
    words.map(|word| news(word).unwrap_or(News::Gap)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::GameId;

    #[test]
    fn hints_are_read_as_they_are_written_and_fit() {
        let (here, there) = (NodeId(1), NodeId(u64::MAX));
        let longest = News::At {
            game: GameId::new(u128::MAX),
            entries: usize::MAX,
        };
        let news = vec![longest; HINTS_A_TIME];
        let text = write(there, &news);
        assert!(text.len() < 8_000, "{}", text.len());
        assert_eq!(read(here, &text), news);
        assert_eq!(read(there, &text), []);
        assert_eq!(read(here, &write(there, &[News::Gap])), [News::Gap]);
    }

    #[test]
    fn whatever_somebody_else_says_may_be_anything() {
        let read = |text| read(NodeId(1), text);
        assert_eq!(read("hello"), []);
        assert_eq!(read("hello world"), [News::Gap]);
        assert_eq!(read("0 00000000000000000000000001:x"), [News::Gap]);
    }
}
