//! The properties of every store, and additional properties of each store.

mod compare_with_memory;
#[cfg(unix)]
mod dumps;
mod games;
mod migrations;
mod players;
#[cfg(unix)]
mod postgres;
#[cfg(unix)]
mod postgres_server;
mod properties;
mod retention;
mod sqlite;
mod waiting;

use std::sync::Arc;

use noughts_server::{Memory, Store};

/// A property, checked with an unused store.
type Property = fn(Arc<dyn Store>) -> Checked;
type Checked = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

macro_rules! properties {
    ($($property:ident)*) => {
        /// Every property by name, for stores that are too slow to create for each test.
        const PROPERTIES: &[(&str, Property)] =
            &[$((stringify!($property), |store| Box::pin(properties::$property(store)))),*];

        mod memory {
            $(#[tokio::test] async fn $property() { crate::properties::$property(crate::in_memory()).await; })*
        }

        mod sqlite_file {
            $(#[tokio::test] async fn $property() {
                let place = crate::sqlite::Place::new();
                crate::properties::$property(std::sync::Arc::new(place.open().await)).await;
            })*
        }
    };
}

properties! {
    a_game_loads_as_it_was_created
    every_kind_of_entry_loads_as_it_was_stored
    a_creation_key_creates_one_game
    a_creation_key_is_forgotten_after_a_day
    a_key_without_scope_counts_for_everybody
    entries_have_consecutive_numbers
    entries_of_one_append_are_stored_together
    one_of_many_appends_at_a_place_is_stored
    many_games_keep_all_their_entries
    a_summary_is_stored_with_its_entry
    a_seated_player_is_listed
    a_rematch_is_created_with_its_entry
    a_missing_game_is_told
    an_id_is_used_once
    an_analysis_is_stored_once
    pages_follow_one_another
    the_secret_stays
    a_sweep_finds_overdue_games
    games_without_a_new_entry_are_forgotten
    an_imported_game_is_like_a_played_one
    a_working_store_is_writable
    a_player_is_found_by_its_token
    a_renamed_player_keeps_its_token
    a_link_code_gives_one_token
    running_games_of_a_player_are_listed
    players_without_games_expire
    quick_matches_are_paired_once
    the_lobby_lists_attended_tables
}

fn in_memory() -> Arc<dyn Store> {
    Arc::new(Memory::default())
}

#[tokio::test]
async fn memory_keeps_a_bounded_number_of_finished_games() {
    use crate::games::{game, over, summary};
    use noughts_server::TOO_LONG;
    let store = Memory::keeping(160);
    for _ in 0..2_000 {
        let new = game(&["Ann", "Bob"]);
        let over = over(&new.settings.holders, TOO_LONG, 1);
        store.create(new, over).await.unwrap();
    }
    assert!(store.len() <= 160, "{}", store.len());
    let unfinished = game(&["Ann", "Bob"]);
    let holders = unfinished.settings.holders.clone();
    let before = store.len();
    store.create(unfinished, summary(&holders)).await.unwrap();
    assert_eq!(store.len(), before + 1);
    assert_ne!(store.secret().await, Memory::default().secret().await);
}
