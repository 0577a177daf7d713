//! Examples of the objects in requests and answers.

use serde_json::{Value, json};

const GAME: &str = "3n5kq2w8rj4mz7tb1xv9c0y6ha";
const PLAYER: &str = "5d0m8y1tq6c4n9k2j7xw3vz0ge";
const TOKEN: &str = "player-…";
const SEAT_TOKEN: &str = "3n5kq2w8rj4mz7tb1xv9c0y6ha.0.….…";

/// The names of schemas, each with an example.
pub(super) fn examples() -> Vec<(&'static str, Value)> {
    let read = |text: &str| serde_json::from_str::<Value>(text).expect("a fixture is JSON");
    let view = read(include_str!(
        "../../../../../testdata/api/view/playing_as_seat_0.json"
    ));
    let listings = read(include_str!("../../../../../testdata/api/listings.json"));
    let (waiting, over) = (&listings[1], &listings[3]);
    let mut mine = waiting.clone();
    (mine["seat"], mine["to_move"], mine["turn"]) = (json!(0), json!(0), json!(1));
    let mut rematch = view.clone();
    (rematch["seat"], rematch["token"]) = (json!(1), json!(SEAT_TOKEN));
    rematch["rematch"] = json!("7x1f8q0c5r2m9v4k6w3ht8yzbn");
    let page = json!({"games": [over], "before": null});
    let player =
        json!({"id": PLAYER, "name": "Ann", "bot": false, "created_ms": 1_795_000_000_000_u64});
    let (mut me, mut profile) = (player.clone(), player.clone());
    (me["running"], me["running_before"], me["finished"]) =
        (json!([mine]), json!(null), page.clone());
    profile["finished"] = page.clone();
    profile["results"] =
        json!([{"name": "perfect", "robot": true, "won": 0, "lost": 1, "drawn": 7}]);
    let clock = json!({"base": 180, "increment": 2});
    let message = include_str!("../../../../../testdata/api/message/change_play.json");
    vec![
        (
            "NewTable",
            json!({"variant": "3x3k3", "seats": [{"human": "Ann"}, {"robot": "perfect"}]}),
        ),
        (
            "CreatedTable",
            json!({"id": GAME, "tokens": {"0": SEAT_TOKEN}, "view": view}),
        ),
        ("TakeSeat", json!({"name": "Bob"})),
        ("TakenSeat", json!({"token": SEAT_TOKEN, "view": view})),
        ("RematchView", rematch),
        ("ImportedGame", json!({"id": GAME, "view": view})),
        ("View", view),
        ("StreamMessage", read(message)),
        ("Hello", json!({"token": SEAT_TOKEN})),
        ("GameListing", over.clone()),
        ("GamesPage", page),
        ("LobbyMessage", json!({ "game": waiting })),
        (
            "GameAnalysis",
            json!({"id": GAME, "variant": "3x3k3", "turns": [{
                "turn": 2, "done": {"kind": "play", "seat": 1, "move": "0-1"}, "worth": {"value": "draw"},
                "best": "1-1", "mistake": {"had": "draw", "left": "loss"}}]}),
        ),
        (
            "OfferedVariant",
            json!({"name": "3x3k3", "about": "tic-tac-toe", "sides": 2, "cells": 9}),
        ),
        (
            "OfferedStrategy",
            json!({"name": "minimax", "form": "minimax:N, N from 1 to 99", "about": "looks N marks ahead", "max": ["minimax:9"]}),
        ),
        ("NewPlayer", json!({"name": "Ann", "bot": false})),
        ("PlayerToken", json!({"id": PLAYER, "token": TOKEN})),
        ("PlayerView", player),
        ("Rename", json!({"name": "Anna"})),
        ("Me", me),
        ("MyGame", mine.clone()),
        ("PlayerMessage", json!({ "turn": mine })),
        ("Profile", profile),
        (
            "DeviceLink",
            json!({"code": "7k2m9x4c0q5w8ztn", "link": "https://example.org/link#7k2m9x4c0q5w8ztn",
                "qr": "<svg>…</svg>", "expires_ms": 1_795_000_600_000_u64}),
        ),
        ("LinkCode", json!({"code": "7k2m9x4c0q5w8ztn"})),
        ("NewMatch", json!({"variant": "3x3k3", "clock": clock})),
        (
            "QuickMatchView",
            json!({"id": GAME, "status": "matched", "game": GAME, "seat": 1}),
        ),
        (
            "WaitingMatches",
            json!({"waiting": 3, "games": [{"variant": "3x3k3", "clock": clock, "waiting": 3}]}),
        ),
        ("Announcement", json!({"text": "Maintenance at 22:00 UTC"})),
    ]
}

#[cfg(test)]
mod tests {
    use noughts_api as api;
    use serde::{Serialize, de::DeserializeOwned};

    use super::*;

    /// Whether reading the example and writing it again gives the same JSON.
    fn is_exact<T: Serialize + DeserializeOwned>(example: &Value) -> bool {
        let read: T = serde_json::from_value(example.clone()).unwrap();
        serde_json::to_value(read).unwrap() == *example
    }

    #[test]
    fn examples_have_the_types_of_the_api() {
        for (name, example) in examples() {
            let is_exact = match name {
                "NewTable" => is_exact::<api::NewTable>,
                "CreatedTable" => is_exact::<api::CreatedTable>,
                "TakeSeat" => is_exact::<api::TakeSeat>,
                "TakenSeat" => is_exact::<api::TakenSeat>,
                "RematchView" => is_exact::<api::RematchView>,
                "ImportedGame" => is_exact::<api::ImportedGame>,
                "View" => is_exact::<api::View>,
                "StreamMessage" => is_exact::<api::StreamMessage>,
                "Hello" => is_exact::<api::Hello>,
                "GameListing" => is_exact::<api::GameListing>,
                "GamesPage" => is_exact::<api::GamesPage>,
                "LobbyMessage" => is_exact::<api::LobbyMessage>,
                "GameAnalysis" => is_exact::<api::GameAnalysis>,
                "OfferedVariant" => is_exact::<api::OfferedVariant>,
                "OfferedStrategy" => is_exact::<api::OfferedStrategy>,
                "NewPlayer" => is_exact::<api::NewPlayer>,
                "PlayerToken" => is_exact::<api::PlayerToken>,
                "PlayerView" => is_exact::<api::PlayerView>,
                "Rename" => is_exact::<api::Rename>,
                "Me" => is_exact::<api::Me>,
                "MyGame" => is_exact::<api::MyGame>,
                "PlayerMessage" => is_exact::<api::PlayerMessage>,
                "Profile" => is_exact::<api::Profile>,
                "DeviceLink" => is_exact::<api::DeviceLink>,
                "LinkCode" => is_exact::<api::LinkCode>,
                "NewMatch" => is_exact::<api::NewMatch>,
                "QuickMatchView" => is_exact::<api::QuickMatchView>,
                "WaitingMatches" => is_exact::<api::WaitingMatches>,
                "Announcement" => is_exact::<api::Announcement>,
                _ => panic!("{name} has no type"),
            };
            assert!(is_exact(&example), "{name}: {example}");
        }
    }
}
