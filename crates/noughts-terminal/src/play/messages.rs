//! The texts of a game on a server.

use noughts_rules::{
    Action, Conclusion, DrawReason, Game, Placement, Player, Quoted, Record, Seat, Turn, Variant,
    WinReason,
};

use super::{PlaySettings, TableState};

pub(super) const HELP: &str = "Please type a move such as 1-0 or 1 0, <<2 to take two marks back where that is \
     allowed, resign to give up, or :q to leave.";
pub(super) const WATCHING: &str = "You are watching. Type :q to leave.";
pub(super) const DISCONNECTED: &str = "Connection lost. Trying again…";
pub(super) const RECONNECTED: &str = "You're back, nothing was missed.";

pub(super) fn welcome(record: &Record, settings: &PlaySettings) -> String {
    let variant = record.game().variant();
    match (settings.seat, &settings.robot) {
        (None, _) => format!("Watching a game of {variant}. :q leaves."),
        (Some(seat), None) => format!(
            "A game of {variant}. You are {}. :q leaves, ? helps.",
            symbol(record, seat)
        ),
        (Some(seat), Some(robot)) => format!(
            "A game of {variant}. The robot {robot} is {}.",
            symbol(record, seat)
        ),
    }
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

/// An action that is sent when the connection is back.
pub(super) fn sent_later(action: &str) -> String {
    format!("{action} will be sent when the connection is back. :q leaves.")
}

/// The player leaves before the server has answered.
pub(super) fn unanswered(action: &str) -> String {
    format!("The server has not confirmed {action}.")
}

pub(super) fn unreadable(line: &str) -> String {
    format!("{} is not a move. {HELP}", Quoted::from(line))
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

/// Somebody took a seat that was open.
pub(super) fn joined(record: &Record, seat: Seat) -> String {
    format!("{} has joined.", name(record, seat))
}

/// The seat that is addressed as "you": none if a robot plays or the game is only watched.
fn you(settings: &PlaySettings) -> Option<Seat> {
    settings.seat.filter(|_| settings.robot.is_none())
}

/// The board, with the numbers of its rows and columns.
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

pub(super) fn turn(record: &Record, turn: &Turn, settings: &PlaySettings) -> String {
    let is_own = you(settings) == Some(turn.by);
    let who = match is_own {
        true => "You".to_owned(),
        false => name(record, turn.by),
    };
    let s = if is_own { "" } else { "s" };
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

fn symbol(record: &Record, seat: Seat) -> char {
    let seat = record.seats().get(usize::from(seat.0));
    seat.map_or('?', |seat| seat.symbol)
}

/// The name of a player with the symbol, which distinguishes players with the same name.
fn name(record: &Record, seat: Seat) -> String {
    let symbol = symbol(record, seat);
    let sits = record.seats().get(usize::from(seat.0));
    match sits.map(|seat| &seat.player) {
        Some(Player::Human(name)) if !name.is_empty() => format!("{name} ({symbol})"),
        Some(Player::Robot(name)) => format!("{name} ({symbol})"),
        Some(Player::Human(_)) | None => symbol.to_string(),
    }
}
