//! Records as JSON, with the same content as their text form.

use noughts_rules::{
    ClockSettings, OfferEvent, OfferKind as RecordedKind, OfferStep as RecordedStep, Player,
    Record, RecordError,
};
use serde::{Deserialize, Serialize};

use crate::clock::{ClockForm, ClockFormError};
use crate::view::{OfferKind, TurnView};

/// The record of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(example = json!({
    "noughts": 1, "variant": "3x3k3", "history": 0,
    "seats": [{"symbol": "x", "human": "Ann"}, {"symbol": "o", "robot": "perfect"}],
    "turns": [
        {"kind": "play", "seat": 0, "move": "0-0"}, {"kind": "play", "seat": 1, "move": "1-1"},
        {"kind": "resign", "seat": 0}
    ],
    "result": "won o by resignation"
})))]
pub struct GameRecord {
    /// The version of the format. It is 2 if the record has a clock, offers, a takeback or a result that version 1 does
    /// not have, otherwise 1.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 2))]
    pub noughts: u8,
    /// The variant.
    pub variant: String,
    /// The history size. A rewind must take back fewer marks than this number. With 0, the game has no
    /// rewind.
    pub history: u16,
    /// The start position, if it is not the variant's own start position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The clock, if the game had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockForm>,
    /// The seats, in turn order.
    pub seats: Vec<SeatRecord>,
    /// The turns, oldest first.
    pub turns: Vec<TurnView>,
    /// In a game with a clock: the milliseconds that each turn took.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_ms: Vec<u64>,
    /// The offers and the answers to them, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<OfferRecord>,
    /// The result: `unfinished`, `abandoned`, `aborted`, `draw`, `draw by REASON`, or `won SIDES by REASON`
    /// with the symbols of the winners. The reasons of a draw are `agreement`, `claim` and `time`. The
    /// reasons of a win are `line`, `points`, `resignation`, `leaving`, `time` and `claim`.
    pub result: String,
}

/// One seat of a record: `human` with a name, or `robot` with a strategy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatRecord {
    /// The symbol of the seat's marks.
    #[cfg_attr(feature = "openapi", schema(example = "x"))]
    pub symbol: char,
    /// The player's name, which may be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human: Option<String>,
    /// The robot's strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot: Option<String>,
}

/// An offer, or an answer to an offer, between two turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OfferRecord {
    /// The number of turns that were completed before the seat offered or answered.
    pub after: usize,
    /// The seat that offered or answered.
    #[cfg_attr(feature = "openapi", schema(maximum = 63))]
    pub seat: u8,
    /// Whether the seat offered, accepted or declined.
    pub step: OfferStep,
    /// What was offered.
    pub kind: OfferKind,
}

/// What a seat did: it made, accepted or declined an offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum OfferStep {
    /// A seat made the offer.
    Offer,
    /// A seat accepted the offer.
    Accept,
    /// A seat declined the offer, or withdrew its own offer.
    Decline,
}

/// Why JSON is not a valid record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameRecordError {
    /// A field is invalid. The text says what is allowed.
    Form(&'static str),
    /// The clock is invalid.
    Clock(ClockFormError),
    /// The fields have the right form, but the record is invalid, for example because a turn is illegal.
    Text(RecordError),
}

impl GameRecord {
    /// Converts a record to JSON.
    pub fn new(record: &Record) -> GameRecord {
        let game = record.game();
        let text = record.to_string();
        let result = text.lines().last().unwrap_or_default();
        GameRecord {
            noughts: if text.starts_with("noughts 1\n") {
                1
            } else {
                2
            },
            variant: game.variant().to_string(),
            history: game.history(),
            start: game.start().map(|start| start.format(game.variant())),
            clock: record.clock().map(ClockForm::from),
            seats: record.seats().iter().map(SeatRecord::new).collect(),
            turns: game
                .turns()
                .iter()
                .map(|turn| TurnView::new(game.variant(), *turn))
                .collect(),
            used_ms: record.used_ms().to_vec(),
            offers: record.offers().iter().map(OfferRecord::new).collect(),
            result: result.trim_start_matches("result ").to_owned(),
        }
    }

    /// Parses the record and replays its game.
    pub fn read(&self) -> Result<Record, GameRecordError> {
        self.text()?
            .parse::<Record>()
            .map_err(GameRecordError::Text)
    }

    fn text(&self) -> Result<String, GameRecordError> {
        if !(1..=2).contains(&self.noughts) {
            return Err(GameRecordError::Form(
                "\"noughts\" is 1 or 2, the version of the format",
            ));
        }
        let mut text = format!(
            "noughts {}\nvariant {}\nhistory {}\n",
            self.noughts,
            line(&self.variant)?,
            self.history
        );
        if let Some(start) = &self.start {
            text += &format!("start {}\n", line(start)?);
        }
        if let Some(clock) = self.clock {
            let clock = ClockSettings::try_from(clock).map_err(GameRecordError::Clock)?;
            text += &format!("clock {clock}\n");
        }
        for (number, seat) in self.seats.iter().enumerate() {
            let player = match (&seat.human, &seat.robot) {
                (Some(name), None) if name.is_empty() => "human".to_owned(),
                (Some(name), None) => format!("human {}", line(name)?),
                (None, Some(strategy)) => format!("robot {}", line(strategy)?),
                _ => {
                    return Err(GameRecordError::Form(
                        "a seat is either \"human\": NAME or \"robot\": STRATEGY",
                    ));
                }
            };
            let symbol = seat.symbol.to_string();
            text += &format!("seat {number} {} {player}\n", line(&symbol)?);
        }
        let has_times = self.clock.is_some() == (self.used_ms.len() == self.turns.len());
        if !has_times && !self.turns.is_empty() || self.used_ms.len() > self.turns.len() {
            return Err(GameRecordError::Form(
                "a record with a clock has one number in \"used_ms\" per turn, others have none",
            ));
        }
        let mut offers = self.offers.iter().peekable();
        for (number, turn) in self.turns.iter().enumerate() {
            while let Some(offer) = offers.next_if(|offer| offer.after <= number) {
                text += &offer.line()?;
            }
            let (seat, action) = match turn {
                TurnView::Play { seat, at } => (seat, line(at)?.to_owned()),
                TurnView::Rewind { seat, count } => (seat, format!("<<{count}")),
                TurnView::Takeback { seat, count } => (seat, format!("takeback {count}")),
                TurnView::Resign { seat } => (seat, "resign".to_owned()),
            };
            text += &format!("{} {seat} {action}", number + 1);
            if let Some(ms) = self.used_ms.get(number) {
                text += &format!(" {ms}ms");
            }
            text.push('\n');
        }
        for offer in offers {
            text += &offer.line()?;
        }
        Ok(text + &format!("result {}\n", line(&self.result)?))
    }
}

impl OfferRecord {
    fn new(offer: &OfferEvent) -> OfferRecord {
        OfferRecord {
            after: offer.after_turns,
            seat: offer.seat.0,
            step: match offer.step {
                RecordedStep::Offer => OfferStep::Offer,
                RecordedStep::Accept => OfferStep::Accept,
                RecordedStep::Decline => OfferStep::Decline,
            },
            kind: match offer.kind {
                RecordedKind::Draw => OfferKind::Draw,
                RecordedKind::Takeback => OfferKind::Takeback,
            },
        }
    }

    /// This offer or answer as one line of the text form of records.
    fn line(&self) -> Result<String, GameRecordError> {
        let step = match self.step {
            OfferStep::Offer => "offer",
            OfferStep::Accept => "accept",
            OfferStep::Decline => "decline",
        };
        let kind = match self.kind {
            OfferKind::Draw => "draw",
            OfferKind::Takeback => "takeback",
            OfferKind::Rematch => {
                return Err(GameRecordError::Form(
                    "an offer in a record is a \"draw\" or a \"takeback\"",
                ));
            }
        };
        Ok(format!("{step} {} {kind}\n", self.seat))
    }
}

impl SeatRecord {
    fn new(seat: &noughts_rules::RecordSeat) -> SeatRecord {
        let (human, robot) = match &seat.player {
            Player::Human(name) => (Some(name.clone()), None),
            Player::Robot(strategy) => (None, Some(strategy.clone())),
        };
        SeatRecord {
            symbol: seat.symbol,
            human,
            robot,
        }
    }
}

/// Returns `text` unchanged, or an error if it has control characters such as a newline. The text form of
/// records does not allow them.
fn line(text: &str) -> Result<&str, GameRecordError> {
    match text.chars().any(char::is_control) {
        true => Err(GameRecordError::Form(
            "no text in a record has control characters, line ends among them",
        )),
        false => Ok(text),
    }
}

impl std::fmt::Display for GameRecordError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            GameRecordError::Form(right) => f.write_str(right),
            GameRecordError::Clock(error) => error.fmt(f),
            GameRecordError::Text(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for GameRecordError {}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "noughts 1\nvariant 3x3k3\nhistory 3\nseat 0 x human Ann\n\
        seat 1 o robot perfect\n1 0 0-0\n2 1 1-2\n3 0 2-0\n4 1 <<2\n5 0 resign\n\
        result won o by resignation\n";

    #[test]
    fn json_and_text_are_equivalent() {
        let record = TEXT.parse::<Record>().unwrap();
        let json = GameRecord::new(&record);
        assert_eq!(json.read().unwrap().to_string(), TEXT);
        let written = serde_json::to_string(&json).unwrap();
        assert_eq!(serde_json::from_str::<GameRecord>(&written).unwrap(), json);
        assert!(
            written.contains(r#"{"symbol":"x","human":"Ann"}"#),
            "{written}"
        );
        assert!(
            written.contains(r#"{"kind":"rewind","seat":1,"count":2}"#),
            "{written}"
        );
    }

    /// Uses the example of docs/notation.md, a record with everything that version 2 adds.
    #[test]
    fn version_2_round_trips() {
        let text = "noughts 2\nvariant 3x3k3\nhistory 0\nclock 180+2\nseat 0 x human Ann\n\
            seat 1 o human Bob\n1 0 0-0 2500ms\n2 1 1-1 800ms\n3 0 0-1 0ms\noffer 0 takeback\n\
            accept 1 takeback\n4 0 takeback 1 1200ms\noffer 0 draw\ndecline 1 draw\n\
            5 0 0-2 17000ms\nresult won x by time\n";
        let json = GameRecord::new(&text.parse::<Record>().unwrap());
        assert_eq!(json.read().unwrap().to_string(), text);
        let written = serde_json::to_string(&json).unwrap();
        assert_eq!(serde_json::from_str::<GameRecord>(&written).unwrap(), json);
        for part in [
            r#""noughts":2"#,
            r#""clock":{"base":180,"increment":2}"#,
            r#""used_ms":[2500,800,0,1200,17000]"#,
            r#"{"after":3,"seat":1,"step":"accept","kind":"takeback"}"#,
            r#"{"kind":"takeback","seat":0,"count":1}"#,
        ] {
            assert!(written.contains(part), "{part} in {written}");
        }
        for change in [
            |json: &mut GameRecord| json.noughts = 1,
            |json: &mut GameRecord| json.noughts = 3,
            |json: &mut GameRecord| json.clock = None,
            |json: &mut GameRecord| json.used_ms.truncate(4),
            |json: &mut GameRecord| json.offers[0].seat = 7,
            |json: &mut GameRecord| json.offers[0].kind = OfferKind::Rematch,
        ] {
            let mut wrong = json.clone();
            change(&mut wrong);
            assert!(wrong.read().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn names_with_line_breaks_are_refused() {
        let mut json = GameRecord::new(&TEXT.parse::<Record>().unwrap());
        json.seats[0].human = Some("Ann\nseat 1 o human Eve".to_owned());
        assert!(matches!(json.read(), Err(GameRecordError::Form(_))));
        json.seats[0].human = None;
        assert!(matches!(json.read(), Err(GameRecordError::Form(_))));
    }
}
