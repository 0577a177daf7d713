//! The texts of a game on a server.

use std::time::Duration;

use noughts_rules::{
    Action, ClockSettings, Conclusion, DrawReason, Game, OfferEvent, OfferStep, Placement, Player,
    Quoted, Record, Seat, Turn, Variant, WinReason,
};

use super::clocks::{self, Clocks};
use super::{Offer, OfferKind, PlayRequest, PlaySettings, TableState, offer_kind};

pub(super) const WATCHING: &str = "You are watching. Type :q to leave.";
pub(super) const NO_CLOCK: &str = "This game has no clock.";
pub(super) const NO_OFFER: &str =
    "There is no offer to answer. draw and takeback make one, ? helps.";
pub(super) const REMATCH_LATER: &str = "A rematch can be asked for when the game is over.";
pub(super) const FIRST_TURN: &str =
    "The clock does not run in your first turn, but it must come within 30 s.";
pub(super) const AFTER_PROMPT: &str = "Type rematch to play again, Enter to leave:";
pub(super) const AFTER_HELP: &str =
    "The game is over. rematch asks the others to play again, Enter or :q leaves.";
pub(super) const DISCONNECTED: &str = "Connection lost. Trying again…";
pub(super) const RECONNECTED: &str = "You're back, nothing was missed.";

pub(super) fn welcome(state: &TableState, settings: &PlaySettings) -> String {
    let record = &state.record;
    let variant = record.game().variant();
    let welcome = match (settings.seat, &settings.robot) {
        (None, _) => format!("Watching a game of {variant}. :q leaves."),
        (Some(seat), None) => format!(
            "A game of {variant}. You are {}. :q leaves, ? helps.",
            symbol(record, seat)
        ),
        (Some(seat), Some(robot)) => format!(
            "A game of {variant}. The robot {robot} is {}.",
            symbol(record, seat)
        ),
    };
    match &state.clocks {
        Some(clocks) => format!("{welcome}\nThe clock: {}.", clock_in_words(clocks.settings)),
        None => welcome,
    }
}

fn clock_in_words(settings: ClockSettings) -> String {
    let base = clocks::format(Duration::from_millis(settings.base_ms()));
    match settings {
        ClockSettings::Fischer { .. } => {
            let increment = settings.increment_ms() / 1_000;
            format!("{base} per player, and {increment} s more after each move")
        }
        ClockSettings::PerMove { .. } => format!("{base} per move"),
        ClockSettings::Days { days, .. } => {
            let s = if days == 1 { "" } else { "s" };
            format!("{days} day{s} per move")
        }
    }
}

/// Formats the clocks, such as `[x 2:58  o 3:00]`. `since` is the time that has passed since the server sent
/// the clocks.
pub(super) fn clocks(record: &Record, clocks: &Clocks, since: Duration) -> String {
    let seats = (0..).map(Seat).take(clocks.left.len());
    let times = seats.filter_map(|seat| {
        let left = clocks.left_after(since, seat)?;
        Some(format!("{} {}", symbol(record, seat), clocks::format(left)))
    });
    let times: Vec<String> = times.collect();
    format!("[{}]", times.join("  "))
}

pub(super) fn with_clocks(clocks: Option<String>, text: &str) -> String {
    match clocks {
        Some(clocks) => format!("{clocks} {text}"),
        None => text.to_owned(),
    }
}

pub(super) fn time_warning(left: Duration) -> String {
    format!("You have {} s left.", left.as_secs())
}

/// Lists the moves and commands that the player can type during the game.
pub(super) fn help(state: &TableState) -> String {
    let game = state.record.game();
    let (example, meaning) = match game.variant() {
        Variant::Grid(spec) => match spec.placement {
            Placement::Gravity => ("3", "play column 3"),
            Placement::Anywhere => ("1-0, 1 0", "play row 1, column 0"),
        },
        Variant::Nested(_) => ("4-0", "play board 4, cell 0"),
    };
    let mut lines = vec![(example, meaning)];
    if game.history() > 0 {
        lines.push(("<<2", "take two marks back and pass the turn"));
    }
    lines.extend([
        ("takeback", "ask to take your last move back"),
        ("draw", "offer a draw"),
        ("accept", "accept an offer"),
        ("decline", "decline an offer, or take your own back"),
        ("resign", "give up"),
        (
            "abort",
            "end the game without a result, before everybody has played",
        ),
        (
            "claim",
            "win because the others are away; claim draw: end it as a draw",
        ),
    ]);
    if state.clocks.is_some() {
        lines.push(("clock", "show the clocks; Enter alone does too"));
    }
    lines.push((":q", "leave; the game goes on, and the seat stays yours"));
    let lines = lines
        .iter()
        .map(|(typed, meaning)| format!("{typed:<10}{meaning}"));
    lines.collect::<Vec<_>>().join("\n")
}

pub(super) fn prompt(game: &Game) -> &'static str {
    match game.variant() {
        Variant::Grid(spec) => match spec.placement {
            Placement::Gravity => "Your move (column):",
            Placement::Anywhere => "Your move (row-column):",
        },
        Variant::Nested(_) => "Your move (board-cell):",
    }
}

/// Says that a request will be sent when the connection is back.
pub(super) fn sent_later(request: &PlayRequest) -> String {
    format!("{request} will be sent when the connection is back. :q leaves.")
}

/// Says that the server has not answered a request yet.
pub(super) fn no_answer(request: &PlayRequest) -> String {
    format!("The server has not answered {request} yet. Still trying… :q leaves.")
}

/// Returns the text that is printed when the player leaves before the server has answered.
pub(super) fn unanswered(request: &PlayRequest) -> String {
    format!("The server has not confirmed {request}.")
}

pub(super) fn unreadable(line: &str) -> String {
    format!(
        "{} is not a move. Please type a move such as 1-0; ? lists what else can be typed.",
        Quoted::from(line)
    )
}

pub(super) fn unknown_offer(what: &Quoted) -> String {
    format!("{what} is not an offer: there are draw, takeback and rematch.")
}

/// Describes an offer, an answer or a withdrawal.
pub(super) fn offer_event(record: &Record, event: &OfferEvent, settings: &PlaySettings) -> String {
    let kind = offer_kind(event.kind);
    let (who, s) = subject(record, event.seat, settings);
    let is_own_offer = || {
        let offers = record.offers().iter();
        let before = offers.take_while(|known| *known != event);
        let is_offer =
            |known: &&OfferEvent| known.step == OfferStep::Offer && known.kind == event.kind;
        let offer = before.filter(is_offer).last();
        offer.is_some_and(|offer| offer.seat == event.seat)
    };
    match event.step {
        OfferStep::Offer => {
            let seat = event.seat;
            open_offer(record, &Offer { kind, seat }, settings)
        }
        OfferStep::Accept => format!("{who} accept{s} the {kind}."),
        OfferStep::Decline if is_own_offer() => format!("{who} withdraw{s} the offer."),
        OfferStep::Decline => format!("{who} decline{s} the {kind}."),
    }
}

/// Describes an offer that waits for an answer.
pub(super) fn open_offer(record: &Record, offer: &Offer, settings: &PlaySettings) -> String {
    let (who, s) = subject(record, offer.seat, settings);
    let is_asked = you(settings).is_some_and(|own| own != offer.seat);
    let (what, answer) = match offer.kind {
        OfferKind::Draw => (format!("offer{s} a draw"), " Type accept or decline."),
        OfferKind::Takeback => (
            format!("ask{s} to take back a move"),
            " Type accept or decline.",
        ),
        OfferKind::Rematch => (
            format!("ask{s} for a rematch"),
            " Type rematch to play again.",
        ),
    };
    let answer = if is_asked { answer } else { "" };
    format!("{who} {what}.{answer}")
}

/// Says that the player's offer ended without an answer.
pub(super) fn lapsed(kind: OfferKind) -> String {
    format!("Your {kind} offer has ended without an answer.")
}

/// Says that a player went away or came back.
pub(super) fn presence(
    state: &TableState,
    seat: Seat,
    is_away: bool,
    settings: &PlaySettings,
) -> String {
    let name = name(&state.record, seat);
    match is_away {
        false => format!("{name} is back."),
        true if you(settings).is_none() => format!("{name} is away."),
        true => format!("{name} is away. If that lasts, claim ends the game."),
    }
}

pub(super) fn waiting(state: &TableState) -> String {
    match state.record.game().to_move() {
        Some(seat) if state.open_seats.contains(&seat) => format!(
            "Waiting for somebody to play {}.",
            symbol(&state.record, seat)
        ),
        Some(seat) => format!("Waiting for {}.", name(&state.record, seat)),
        None => "Waiting.".to_owned(),
    }
}

/// Says that a player took an open seat.
pub(super) fn joined(record: &Record, seat: Seat) -> String {
    format!("{} has joined.", name(record, seat))
}

/// The seat that messages call "you". `None` if a robot plays or the user only watches.
fn you(settings: &PlaySettings) -> Option<Seat> {
    settings.seat.filter(|_| settings.robot.is_none())
}

/// Draws the board or the nine boards. A single board is drawn with the numbers of its rows and columns.
pub(super) fn board(game: &Game) -> String {
    let drawn = game.diagram().draw(game.variant());
    match game.variant() {
        Variant::Nested(_) => drawn,
        Variant::Grid(spec) => {
            let width = spec.columns().to_string().len();
            let mut text = " ".repeat(4);
            for column in 0..spec.columns() {
                text += &format!(
                    "{:<width$} ",
                    column % 10_usize.pow(width as u32),
                    width = 1.max(width)
                );
            }
            for (row, line) in drawn.lines().enumerate() {
                let cells = line.split_whitespace();
                text = format!("{}\n{row:>3} ", text.trim_end());
                for cell in cells {
                    text += &format!("{cell:<width$} ", width = 1.max(width));
                }
            }
            text.trim_end().to_owned()
        }
    }
}

/// The subject of a sentence ("You" or the player's name), and the ending of the verb ("" or "s").
fn subject(record: &Record, seat: Seat, settings: &PlaySettings) -> (String, &'static str) {
    match you(settings) == Some(seat) {
        true => ("You".to_owned(), ""),
        false => (name(record, seat), "s"),
    }
}

pub(super) fn turn(record: &Record, turn: &Turn, settings: &PlaySettings) -> String {
    let (who, s) = subject(record, turn.by, settings);
    let is_own = s.is_empty();
    match turn.action {
        Action::Play(at) => format!("{who} play{s} {}.", record.game().variant().format_move(at)),
        Action::Rewind(0) => format!("{who} pass{}.", if is_own { "" } else { "es" }),
        Action::Rewind(count) => format!("{who} take{s} back {count}."),
        Action::Takeback(_) => format!("{who} take{s} back the last move, by agreement."),
        Action::Resign => format!("{who} give{s} up."),
    }
}

pub(super) fn end(record: &Record, settings: &PlaySettings) -> String {
    let game = record.game();
    let (sides, by) = match game.conclusion() {
        None => return "The game goes on.".to_owned(),
        Some(Conclusion::Draw { reason }) => {
            return match reason {
                DrawReason::Full => "A draw.",
                DrawReason::Agreement => "A draw by agreement.",
                DrawReason::Claim => "A draw, claimed because the others were away.",
                DrawReason::Time => {
                    "A draw: the time is over, and no line can be completed any more."
                }
                DrawReason::Limit => "A draw after too many turns.",
            }
            .to_owned();
        }
        Some(Conclusion::Abandoned) => return "Everybody has left.".to_owned(),
        Some(Conclusion::Aborted) => return "The game was aborted. There is no result.".to_owned(),
        Some(Conclusion::Won { sides, by }) => (sides, by),
    };
    let by = match by {
        WinReason::Line(_) | WinReason::Boards(_) => "with a line",
        WinReason::Points => "with more boards",
        WinReason::Resignation => "by resignation",
        WinReason::Leaving => "because the others left",
        WinReason::Time => "on time",
        WinReason::Claim => "because the others were away",
    };
    let winners = (0..).map(Seat).zip(game.order());
    let winners = winners.filter(|(_, side)| sides.contains(**side));
    let winners: Vec<Seat> = winners.map(|(seat, _)| seat).collect();
    if you(settings).is_some_and(|own| winners.contains(&own)) {
        return format!("You have won {by}.");
    }
    let names: Vec<String> = winners.iter().map(|seat| name(record, *seat)).collect();
    let has = if names.len() == 1 { "has" } else { "have" };
    format!("{} {has} won {by}.", names.join(" and "))
}

/// Whether the record names no player for the seat.
pub(super) fn is_unnamed(record: &Record, seat: Seat) -> bool {
    let holder = record.seats().get(usize::from(seat.0));
    holder.is_none_or(|holder| matches!(&holder.player, Player::Human(name) if name.is_empty()))
}

fn symbol(record: &Record, seat: Seat) -> char {
    let seat = record.seats().get(usize::from(seat.0));
    seat.map_or('?', |seat| seat.symbol)
}

/// The player's name and symbol. The symbol distinguishes players with the same name.
fn name(record: &Record, seat: Seat) -> String {
    let symbol = symbol(record, seat);
    let sits = record.seats().get(usize::from(seat.0));
    match sits.map(|seat| &seat.player) {
        Some(Player::Human(name)) if !name.is_empty() => format!("{name} ({symbol})"),
        Some(Player::Robot(name)) => format!("{name} ({symbol})"),
        Some(Player::Human(_)) | None => symbol.to_string(),
    }
}
