//! Records as JSON, with the same content as their text form.

use noughts_rules::{Player, Record, RecordError};
use serde::{Deserialize, Serialize};

use crate::view::TurnView;

/// The record of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(example = json!({
    "noughts": 1, "variant": "3x3k3", "history": 0,
    "seats": [{"symbol": "x", "human": "Ann"}, {"symbol": "o", "robot": "perfect"}],
    "turns": [{"by": 0, "play": "0-0"}, {"by": 1, "play": "1-1"}, {"by": 0, "resign": true}],
    "result": "won o by resignation"
})))]
pub struct GameRecord {
    /// The version of the format: 1.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1))]
    pub noughts: u8,
    /// The variant.
    pub variant: String,
    /// The history size: a rewind takes back fewer marks than this. 0 means no rewind.
    pub history: u16,
    /// The start position, if it is not the variant's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The seats, in turn order.
    pub seats: Vec<SeatRecord>,
    /// The turns, oldest first.
    pub turns: Vec<TurnView>,
    /// `unfinished`, `draw`, `abandoned`, or `won x by line`.
    pub result: String,
}

/// One seat of a record: `human` with a name, or `robot` with a strategy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatRecord {
    /// The symbol of its marks.
    #[cfg_attr(feature = "openapi", schema(example = "x"))]
    pub symbol: char,
    /// The person's name, perhaps empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human: Option<String>,
    /// The robot's strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot: Option<String>,
}

/// Why JSON is not a valid record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameRecordError {
    /// A field is invalid. The text says what is allowed.
    Form(&'static str),
    /// Its text form is not a valid record.
    Text(RecordError),
}

impl GameRecord {
    /// Converts a record to JSON.
    pub fn new(record: &Record) -> GameRecord {
        let game = record.game();
        let text = record.to_string();
        let result = text.lines().last().unwrap_or_default();
        GameRecord {
            noughts: 1,
            variant: game.variant().to_string(),
            history: game.history(),
            start: game.start().map(|start| start.format(game.variant())),
            seats: record.seats().iter().map(SeatRecord::new).collect(),
            turns: game
                .turns()
                .iter()
                .map(|turn| TurnView::new(game.variant(), *turn))
                .collect(),
            result: result.trim_start_matches("result ").to_owned(),
        }
    }

    /// Parses and replays the record.
    pub fn read(&self) -> Result<Record, GameRecordError> {
        self.text()?
            .parse::<Record>()
            .map_err(GameRecordError::Text)
    }

    fn text(&self) -> Result<String, GameRecordError> {
        if self.noughts != 1 {
            return Err(GameRecordError::Form(
                "\"noughts\" is 1, the version of the form",
            ));
        }
        let mut text = format!(
            "noughts 1\nvariant {}\nhistory {}\n",
            line(&self.variant)?,
            self.history
        );
        if let Some(start) = &self.start {
            text += &format!("start {}\n", line(start)?);
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
        for (number, turn) in (1..).zip(&self.turns) {
            let action = match (&turn.play, turn.rewind, turn.resign) {
                (Some(play), None, None) => line(play)?.to_owned(),
                (None, Some(count), None) => format!("<<{count}"),
                (None, None, Some(true)) => "resign".to_owned(),
                _ => {
                    return Err(GameRecordError::Form(
                        "a turn has exactly one of \"play\": \"1-0\", \"rewind\": 2 and \"resign\": true",
                    ));
                }
            };
            text += &format!("{number} {} {action}\n", turn.by);
        }
        Ok(text + &format!("result {}\n", line(&self.result)?))
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

/// Refuses text that would span several lines of the text form.
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
        assert!(written.contains(r#"{"by":1,"rewind":2}"#), "{written}");
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
