//! A body is refused, or is a request or message that serializes and parses to itself. Records and clocks are also
//! converted to the types of the rules, and back.
#![no_main]

use std::fmt::Debug;

use libfuzzer_sys::fuzz_target;
use noughts_api::{
    ActionRequest, Change, ClockForm, GameRecord, Hello, LinkCode, LobbyMessage, NewMatch,
    NewPlayer, NewTable, Offers, Presence, Problem, Rename, TakeSeat, View,
};
use noughts_rules::ClockSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;

fuzz_target!(|body: &[u8]| {
    round_trip::<NewTable>(body);
    round_trip::<TakeSeat>(body);
    round_trip::<Hello>(body);
    round_trip::<NewPlayer>(body);
    round_trip::<Rename>(body);
    round_trip::<NewMatch>(body);
    round_trip::<LinkCode>(body);
    round_trip::<View>(body);
    round_trip::<Change>(body);
    round_trip::<Presence>(body);
    round_trip::<Offers>(body);
    round_trip::<LobbyMessage>(body);
    round_trip::<Problem>(body);
    if let Some(request) = round_trip::<ActionRequest>(body)
        && let Err(error) = request.requested_action()
    {
        is_short(&error.to_string());
    }
    if let Some(form) = round_trip::<ClockForm>(body) {
        match ClockSettings::try_from(form) {
            Ok(clock) => assert_eq!(ClockSettings::try_from(ClockForm::from(clock)), Ok(clock)),
            Err(error) => is_short(&error.to_string()),
        }
    }
    if let Ok(record) = serde_json::from_slice::<GameRecord>(body) {
        match record.read() {
            Ok(record) => {
                let again = GameRecord::new(&record)
                    .read()
                    .expect("a record can be read");
                assert_eq!(again.to_string(), record.to_string());
            }
            Err(error) => is_short(&error.to_string()),
        }
    }
});

fn round_trip<T: DeserializeOwned + Serialize + PartialEq + Debug>(body: &[u8]) -> Option<T> {
    let value: T = serde_json::from_slice(body).ok()?;
    let written = serde_json::to_vec(&value).expect("it can be written");
    let again: T = serde_json::from_slice(&written).expect("what was written can be read");
    assert_eq!(again, value);
    Some(value)
}

/// A message quotes only a part of a long input.
fn is_short(message: &str) {
    assert!(message.len() < 2_000, "{message}");
}
