//! Checks requests for new tables, and the names, variants and clocks in requests.

use noughts_api::{ClockForm, ClockFormError, NewTable, OpenSeat, ProblemKind, SeatRequest};
use noughts_rules::{ClockSettings, Diagram, Game, GameError, Seat, Variant};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::error::{ApiError, api_error};
use super::strategies::read_strategy;
use crate::id::{GameId, PlayerId};
use crate::table::{Holder, OpenTo, Settings, Table};

/// A table to create, and the seats that the caller takes.
pub(super) struct TablePlan {
    pub(super) settings: Settings,
    pub(super) taken: Vec<Seat>,
}

/// A start position taken from another game.
pub(super) struct StartPosition {
    pub(super) variant: Variant,
    pub(super) diagram: Diagram,
}

/// Maximum length of a name, in characters.
const MAX_NAME_LENGTH: usize = 64;

impl TablePlan {
    /// Checks the request. An error says what would be allowed.
    pub(super) fn new(
        request: &NewTable,
        before: Option<StartPosition>,
        (id, created_ms): (GameId, u64),
    ) -> Result<TablePlan, ApiError> {
        let variant = match (&request.variant, &before) {
            (Some(name), None) => read_variant(name).map_err(|error| error.in_body("/variant"))?,
            (None, Some(before)) => before.variant,
            (Some(name), Some(before)) => {
                let variant = read_variant(name).map_err(|error| error.in_body("/variant"))?;
                if variant != before.variant {
                    let theirs = before.variant;
                    let detail = format!(
                        "the game in \"from\" is {theirs}; leave out \"variant\" or send {theirs}"
                    );
                    return Err(api_error(ProblemKind::OtherVariant, detail).in_body("/variant"));
                }
                variant
            }
            (None, None) => {
                let detail = "\"variant\" is missing; a new table needs one, such as 3x3k3";
                return Err(api_error(ProblemKind::MissingField, detail).in_body("/variant"));
            }
        };
        let sides = usize::from(variant.sides());
        let taken = match (&request.take, &request.seats) {
            (Some(taken), _) => taken.clone(),
            (None, Some(seats)) => humans(seats),
            (None, None) => vec![0],
        };
        if let Some(index) = taken.iter().position(|seat| usize::from(*seat) >= sides) {
            return Err(no_such_seat(sides).in_body(format!("/take/{index}")));
        }
        let seats = match &request.seats {
            Some(seats) if seats.len() != sides => {
                let detail = format!("this game has {sides} seats, not {}", seats.len());
                return Err(api_error(ProblemKind::WrongSeatCount, detail).in_body("/seats"));
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
        let is_listed = request.listed == Some(true);
        let has = |open| seats.contains(&SeatRequest::Open(open));
        if request.listed == Some(false) && has(OpenSeat::Lobby) {
            let detail = "a table with a lobby seat is listed: open the seat with {\"open\":\"link\"}, or leave out \"listed\"";
            return Err(api_error(ProblemKind::SeatConflict, detail).in_body("/listed"));
        }
        let holders = seats.iter().zip(0u8..).map(|(request, seat)| {
            let is_taken = taken.contains(&seat);
            let conflict = |detail: String| {
                api_error(ProblemKind::SeatConflict, detail).in_body(format!("/seats/{seat}"))
            };
            match request {
                SeatRequest::Human(name) if is_taken => {
                    let name = read_name(name);
                    let name = name.map_err(|error| error.in_body(format!("/seats/{seat}/human")))?;
                    Ok(Holder::Human { name, node: None })
                }
                SeatRequest::Human(_) => Err(conflict(format!(
                    "seat {seat} is for a person and not in \"take\": open it with {{\"open\":\"link\"}}"
                ))),
                _ if is_taken => Err(conflict(format!("seat {seat} is in \"take\", so it must be {{\"human\":…}}"))),
                SeatRequest::Robot(name) => {
                    let strategy = read_strategy(name).map(Holder::Robot);
                    strategy.map_err(|error| error.in_body(format!("/seats/{seat}/robot")))
                }
                SeatRequest::Open(OpenSeat::Link) if is_listed => Ok(Holder::Open(OpenTo::ListedLink)),
                SeatRequest::Open(OpenSeat::Link) => Ok(Holder::Open(OpenTo::Link)),
                SeatRequest::Open(OpenSeat::Lobby) => Ok(Holder::Open(OpenTo::Lobby)),
            }
        });
        let clock = read_clock(request.clock)?;
        let is_robot = |seat: &SeatRequest| matches!(seat, SeatRequest::Robot(_));
        if clock.is_some() && seats.iter().all(is_robot) {
            let detail = "a table where only robots play has no clock; leave out \"clock\"";
            return Err(api_error(ProblemKind::SeatConflict, detail).in_body("/clock"));
        }
        let settings = Settings {
            id,
            variant,
            history: request.history.unwrap_or(0),
            start: before.map(|before| before.diagram),
            holders: holders.collect::<Result<_, ApiError>>()?,
            clock,
            is_listed: request
                .listed
                .unwrap_or(has(OpenSeat::Lobby) || !has(OpenSeat::Link)),
            created_ms,
        };
        let table = Table::new(settings.clone()).map_err(|error| match error {
            GameError::History { .. } => {
                let detail = format!("\"history\" is out of range: {error}");
                api_error(ProblemKind::OutOfRange, detail).in_body("/history")
            }
            // No other error is expected: the seats and the position were checked above.
            error => api_error(ProblemKind::WrongSeatCount, error).in_body("/seats"),
        })?;
        check_robots(&settings, table.game())?;
        let mut taken: Vec<Seat> = taken.into_iter().map(Seat).collect();
        taken.sort_unstable();
        taken.dedup();
        Ok(TablePlan { settings, taken })
    }

    /// Gives the caller's seats to `player`.
    pub(super) fn seat_player(&mut self, player: PlayerId) {
        for seat in &self.taken {
            if let Some(holder) = self.settings.holders.get_mut(usize::from(seat.0)) {
                *holder = Holder::Player(player);
            }
        }
    }
}

/// The `human` seats, which the caller takes by default.
fn humans(seats: &[SeatRequest]) -> Vec<u8> {
    let is_human = |seat: &SeatRequest| matches!(seat, SeatRequest::Human(_));
    let seats = (0..=u8::MAX).zip(seats).filter(|(_, seat)| is_human(seat));
    seats.map(|(number, _)| number).collect()
}

/// Parses the name of a variant.
pub(super) fn read_variant(name: &str) -> Result<Variant, ApiError> {
    name.parse::<Variant>().map_err(|error| {
        let kind = match error.is_out_of_range() {
            true => ProblemKind::ImpossibleVariant,
            false => ProblemKind::UnknownVariant,
        };
        api_error(kind, error)
    })
}

/// Checks the field `clock` of a request.
pub(super) fn read_clock(form: Option<ClockForm>) -> Result<Option<ClockSettings>, ApiError> {
    let clock = form.map(ClockSettings::try_from).transpose();
    clock.map_err(|error| match error {
        ClockFormError::NotOne => api_error(ProblemKind::NotOneOf, error).in_body("/clock"),
        ClockFormError::Range(_) => api_error(ProblemKind::OutOfRange, error).in_body("/clock"),
    })
}

/// The error for a seat number that does not exist in a game with `seats` seats.
pub(super) fn no_such_seat(seats: usize) -> ApiError {
    let detail = format!("the seats of this game are 0 to {}", seats - 1);
    api_error(ProblemKind::NoSuchSeat, detail)
}

/// Checks that every robot can play this game.
fn check_robots(settings: &Settings, game: &Game) -> Result<(), ApiError> {
    for (seat, holder) in settings.holders.iter().enumerate() {
        if let Holder::Robot(name) = holder {
            name.check(game).map_err(|error| {
                let unfit = api_error(ProblemKind::UnfitStrategy, error);
                unfit.in_body(format!("/seats/{seat}/robot"))
            })?;
        }
    }
    Ok(())
}

/// Checks a person's name, and removes spaces at its beginning and end. Only visible characters and spaces are allowed.
pub(super) fn read_name(text: &str) -> Result<String, ApiError> {
    let name = text.trim();
    if name.chars().count() > MAX_NAME_LENGTH {
        let detail = format!("a name has at most {MAX_NAME_LENGTH} characters");
        return Err(api_error(ProblemKind::InvalidName, detail));
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
        Some(odd) => {
            let code = u32::from(odd);
            let detail =
                format!("a name is letters, digits, signs and spaces; U+{code:04X} can't be shown");
            Err(api_error(ProblemKind::InvalidName, detail))
        }
        None => Ok(name.to_owned()),
    }
}

/// The error if a request asks for the position after `turns` turns, but the game has only `all` completed turns.
pub(super) fn no_such_turn(turns: usize, all: usize) -> ApiError {
    let detail =
        format!("the game has {all} completed turns, so this must be 0 to {all}, not {turns}");
    api_error(ProblemKind::OutOfRange, detail)
}

/// Makes a start position from another game. That game has `all` completed turns, and `past` is its state after `turns`
/// turns. Returns an error if `turns` is larger than `all`, or if the game is over after `turns` turns.
pub(super) fn start_position(
    past: &Game,
    turns: usize,
    all: usize,
) -> Result<StartPosition, ApiError> {
    if turns > all {
        return Err(no_such_turn(turns, all).in_body("/from/after"));
    }
    if past.conclusion().is_some() {
        let detail = "that game is over at this turn; start from an earlier one";
        return Err(api_error(ProblemKind::StartIsOver, detail).in_body("/from/after"));
    }
    Ok(StartPosition {
        variant: *past.variant(),
        diagram: past.diagram(),
    })
}
