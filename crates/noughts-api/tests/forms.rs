//! Every JSON form in testdata/api is parsed and serialized to the same JSON. The files are written by hand.

use std::fs;
use std::path::{Path, PathBuf};

use noughts_api::{
    BoardView, ClockView, GameListing, GameRecord, OfferView, Outcome, SeatView, StreamMessage,
    TurnView, View,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/api")
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("the file is there");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Reads a form as `T` and writes it again.
fn check<T: DeserializeOwned + Serialize>(form: &Value, place: &Path) {
    let parsed: T = serde_json::from_value(form.clone())
        .unwrap_or_else(|error| panic!("{}: {error}: {form}", place.display()));
    let written = serde_json::to_value(parsed).unwrap();
    assert_eq!(&written, form, "{}", place.display());
}

/// Checks a file with a list of forms.
fn check_list<T: DeserializeOwned + Serialize>(name: &str) {
    let place = folder().join(name);
    let forms = read(&place);
    for form in forms.as_array().expect("it is a list") {
        check::<T>(form, &place);
    }
}

/// Checks all files of a folder.
fn check_folder<T: DeserializeOwned + Serialize>(name: &str) {
    let files = fs::read_dir(folder().join(name)).expect("the folder is there");
    let mut count = 0;
    for file in files {
        let place = file.unwrap().path();
        check::<T>(&read(&place), &place);
        count += 1;
    }
    assert!(count > 10, "{count} files in {name}");
}

#[test]
fn forms_round_trip() {
    check_list::<TurnView>("turns.json");
    check_list::<Outcome>("outcomes.json");
    check_list::<BoardView>("boards.json");
    check_list::<OfferView>("offers.json");
    check_list::<ClockView>("clocks.json");
    check_list::<SeatView>("seats.json");
    check_list::<GameListing>("listings.json");
    check_list::<GameRecord>("records.json");
}

#[test]
fn views_round_trip() {
    check_folder::<View>("view");
}

#[test]
fn stream_messages_round_trip() {
    check_folder::<StreamMessage>("message");
}

/// A client of this version understands views of later versions, which may have more fields.
#[test]
fn unknown_fields_are_ignored() {
    let mut form = read(&folder().join("view/new.json"));
    form["weather"] = "rain".into();
    form["seats"][0]["mood"] = "good".into();
    let view: View = serde_json::from_value(form).unwrap();
    assert_eq!(view.variant, "3x3k3");
}
