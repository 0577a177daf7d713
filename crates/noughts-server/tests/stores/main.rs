//! What every store promises, and what each promises beyond that.

mod games;
mod history;
mod laws;
mod leases;
#[cfg(unix)]
mod postgres;
#[cfg(unix)]
mod postgres_server;
mod retention;
mod sqlite;

use std::sync::Arc;

use noughts_server::{Memory, Store};

/// A law, held against a store that nobody has used before.
type Law = fn(Arc<dyn Store>) -> Held;
type Held = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

macro_rules! laws {
    ($($law:ident)*) => {
        /// Every law by its name, for stores that are too dear to be made anew for each test.
        const LAWS: &[(&str, Law)] = &[$((stringify!($law), |store| Box::pin(laws::$law(store)))),*];

        mod memory_keeps {
            $(#[tokio::test] async fn $law() { crate::laws::$law(crate::in_memory()).await; })*
        }

        mod sqlite_keeps {
            $(#[tokio::test] async fn $law() {
                let place = crate::sqlite::Place::new();
                crate::laws::$law(std::sync::Arc::new(place.open().await)).await;
            })*
        }
    };
}

laws! {
    a_game_is_loaded_as_it_was_created
    a_repeated_key_creates_nothing
    one_of_many_gets_a_seat
    seats_that_are_not_open_are_taken
    turns_come_in_order_and_once
    a_key_is_used_once_a_seat
    nothing_follows_after_somebody_left
    one_of_many_appends_each_turn
    turns_of_many_games_are_all_kept
    a_game_ends_once
    an_end_comes_with_its_last_turn
    one_of_many_makes_the_rematch
    a_missing_game_is_an_error_or_nothing
    an_analysis_is_kept_once
    a_link_is_not_listed_until_it_is_full
    pages_follow_one_another
    the_secret_stays
    entries_count_what_shows
    what_is_old_is_forgotten
    an_archived_game_is_there_as_if_it_had_been_played
}

fn in_memory() -> Arc<dyn Store> {
    Arc::new(Memory::default())
}
