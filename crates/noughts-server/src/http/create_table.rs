//! Checks a request for a new table.

use noughts_api::{NewTable, OpenSeat, ProblemKind, SeatRequest};
use noughts_engine::{Limits, StrategyName};
use noughts_rules::{Diagram, Game, Seat, Variant};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::error::{ApiError, api_error};
use crate::id::GameId;
use crate::table::{Holder, OpenTo, Settings, Table};

/// A table to create, and the seats that the caller takes.
pub(super) struct TablePlan {
    pub(super) settings: Settings,
    pub(super) taken: Vec<Seat>,
}

/// The first position of a game, taken from another game.
pub(super) struct StartPosition {
    pub(super) variant: Variant,
    pub(super) diagram: Diagram,
}

/// Maximum length of a name, in characters.
const MAX_NAME_LENGTH: usize = 64;

impl TablePlan {
    /// Checks the request, or says what would be allowed.
    pub(super) fn new(
        request: &NewTable,
        before: Option<StartPosition>,
        (id, created_ms): (GameId, u64),
    ) -> Result<TablePlan, ApiError> {
        let variant = match (&request.variant, &before) {
            (Some(name), None) => name.parse::<Variant>().map_err(impossible)?,
            (None, Some(before)) => before.variant,
            (Some(name), Some(before)) => match name.parse::<Variant>().map_err(impossible)? {
                variant if variant == before.variant => variant,
                _ => {
                    return Err(impossible(
                        "the variant must be that of the game in \"from\"",
                    ));
                }
            },
            (None, None) => return Err(impossible("a new table needs a variant, such as 3x3k3")),
        };
        let sides = usize::from(variant.sides());
        let taken = match &request.take {
            None => vec![0],
            Some(seats) => seats.clone(),
        };
        if taken.iter().any(|seat| usize::from(*seat) >= sides) {
            return Err(impossible(format!(
                "the seats of this game are 0 to {}",
                sides - 1
            )));
        }
        let seats = match &request.seats {
            Some(seats) if seats.len() != sides => {
                return Err(impossible(format!(
                    "this game has {sides} seats, not {}",
                    seats.len()
                )));
            }
            Some(seats) => seats.clone(),
            None => {
                let request = |seat: usize| match taken.contains(&(seat as u8)) {
                    true => SeatRequest::Human(String::new()),
                    false => SeatRequest::Robot("level:8".to_owned()),
                };
                (0..sides).map(request).collect()
            }
        };
        let holders = seats.iter().zip(0u8..).map(|(request, seat)| {
            let is_taken = taken.contains(&seat);
            match request {
                SeatRequest::Human(name) if is_taken => Ok(Holder::Human {
                    name: read_name(name)?,
                    node: None,
                }),
                SeatRequest::Human(_) => Err(impossible(format!(
                    "seat {seat} is for a person and not in \"take\": open it with {{\"open\":\"link\"}}"
                ))),
                _ if is_taken => Err(impossible(format!("seat {seat} is in \"take\", so it must be {{\"human\":…}}"))),
                SeatRequest::Robot(name) => read_strategy(name).map(Holder::Robot),
                SeatRequest::Open(OpenSeat::Link) => Ok(Holder::Open(OpenTo::Link)),
                SeatRequest::Open(OpenSeat::Lobby) => Ok(Holder::Open(OpenTo::Lobby)),
            }
        });
        let settings = Settings {
            id,
            variant,
            history: request.history.unwrap_or(0),
            start: before.map(|before| before.diagram),
            holders: holders.collect::<Result<_, ApiError>>()?,
            created_ms,
        };
        let table = Table::new(settings.clone()).map_err(impossible)?;
        check_robots(&settings, table.game())?;
        let mut taken: Vec<Seat> = taken.into_iter().map(Seat).collect();
        taken.sort_unstable();
        taken.dedup();
        Ok(TablePlan { settings, taken })
    }
}

fn impossible(detail: impl ToString) -> ApiError {
    api_error(ProblemKind::Impossible, detail)
}

/// Checks that every robot can play this game.
fn check_robots(settings: &Settings, game: &Game) -> Result<(), ApiError> {
    for holder in &settings.holders {
        if let Holder::Robot(name) = holder {
            name.fits(game).map_err(impossible)?;
        }
    }
    Ok(())
}

/// Reads a strategy that clients may use: not one with a long computation.
pub(super) fn read_strategy(text: &str) -> Result<StrategyName, ApiError> {
    let name: StrategyName = text.parse().map_err(impossible)?;
    let written = name.to_string();
    let number = |text: &str| text.parse::<u64>().unwrap_or(u64::MAX);
    let too_long = match written.split_once(':') {
        Some(("minimax", plies)) if number(plies) > 9 => Some("minimax:9"),
        Some(("mcts", games)) if number(games) > 1_000_000 => Some("mcts:1000000"),
        Some(("search", limit)) => {
            let limits: Limits = limit.parse().unwrap_or_default();
            let is_long = limits.time.is_some_and(|time| time.as_secs_f64() > 5.0);
            let is_large = limits.nodes.is_some_and(|nodes| nodes > 5_000_000);
            (is_long || is_large).then_some("search:5s or search:5000000n")
        }
        _ => None,
    };
    match too_long {
        Some(most) => Err(impossible(format!(
            "{written} computes too long: at most {most}"
        ))),
        None => Ok(name),
    }
}

/// Reads a name. It contains only visible characters and spaces.
pub(super) fn read_name(text: &str) -> Result<String, ApiError> {
    let name = text.trim();
    if name.chars().count() > MAX_NAME_LENGTH {
        return Err(impossible(format!(
            "a name has at most {MAX_NAME_LENGTH} characters"
        )));
    }
    let cannot_be_shown = |c: &char| {
        matches!(
            c.general_category(),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::Surrogate
                | GeneralCategory::PrivateUse
                | GeneralCategory::Unassigned
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
        )
    };
    match name.chars().find(cannot_be_shown) {
        Some(odd) => Err(impossible(format!(
            "a name is letters, digits, signs and spaces; U+{:04X} can't be shown",
            u32::from(odd)
        ))),
        None => Ok(name.to_owned()),
    }
}

/// The position of another game after `turns` of its `all` turns.
pub(super) fn start_position(
    past: &Game,
    turns: usize,
    all: usize,
) -> Result<StartPosition, ApiError> {
    if turns > all {
        return Err(impossible(format!("that game has {all} turns")));
    }
    if past.conclusion().is_some() {
        return Err(impossible("that game is over at this turn"));
    }
    Ok(StartPosition {
        variant: *past.variant(),
        diagram: past.diagram(),
    })
}
