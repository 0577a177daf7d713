//! The last line of a record: `result won x by line`.

use super::{Reason, RecordSeat};
use crate::game::{Conclusion, DrawReason, Game, Seat, Termination, WinReason};
use crate::side::Side;

pub(super) fn write_result(
    conclusion: Option<&Conclusion>,
    order: &[Side],
    seats: &[RecordSeat],
) -> String {
    let (sides, by) = match conclusion {
        None => return "unfinished".to_owned(),
        Some(Conclusion::Draw { reason }) => return write_draw(*reason).to_owned(),
        Some(Conclusion::Abandoned) => return "abandoned".to_owned(),
        Some(Conclusion::Aborted) => return "aborted".to_owned(),
        Some(Conclusion::Won { sides, by }) => (sides, by),
    };
    let by = match by {
        WinReason::Line(_) | WinReason::Boards(_) => "line",
        WinReason::Points => "points",
        WinReason::Resignation => "resignation",
        WinReason::Leaving => "leaving",
        WinReason::Time => "time",
        WinReason::Claim => "claim",
    };
    let symbol = |side| {
        let seat = order.iter().position(|s| *s == side);
        seat.map_or('?', |seat| seats[seat].symbol)
    };
    let symbols: Vec<String> = sides.iter().map(|side| symbol(side).to_string()).collect();
    format!("won {} by {by}", symbols.join(" "))
}

/// A draw because of a full board and a draw because of the maximum number of turns have the same text. The parser
/// replays the turns before it reads this text. If the board is full, the game is then already over. Otherwise the
/// text means the maximum number of turns.
fn write_draw(reason: DrawReason) -> &'static str {
    match reason {
        DrawReason::Full | DrawReason::Limit => "draw",
        DrawReason::Agreement => "draw by agreement",
        DrawReason::Claim => "draw by claim",
        DrawReason::Time => "draw by time",
    }
}

/// Whether version 1 of the record format can express this result.
pub(super) fn is_in_version_1(conclusion: Option<&Conclusion>) -> bool {
    match conclusion {
        None | Some(Conclusion::Abandoned) => true,
        Some(Conclusion::Aborted) => false,
        Some(Conclusion::Draw { reason }) => match reason {
            DrawReason::Full | DrawReason::Limit => true,
            DrawReason::Agreement | DrawReason::Claim | DrawReason::Time => false,
        },
        Some(Conclusion::Won { by, .. }) => match by {
            WinReason::Line(_) | WinReason::Boards(_) | WinReason::Points => true,
            WinReason::Resignation | WinReason::Leaving => true,
            WinReason::Time | WinReason::Claim => false,
        },
    }
}

/// Checks that the result is possible after the turns. If the turns did not end the game, this function ends the game
/// with this result. If the result is `unfinished`, the game goes on. A result by time is possible only with a clock.
pub(super) fn read_result(
    game: &mut Game,
    seats: &[RecordSeat],
    has_clock: bool,
    line: &str,
) -> Result<(), Reason> {
    let text = line.strip_prefix("result ");
    let write = |conclusion: Option<&Conclusion>| write_result(conclusion, game.order(), seats);
    let is = write(game.conclusion());
    if text == Some(&is) {
        return Ok(());
    }
    let found = terminations(game.order().len(), has_clock).find(|end| {
        let conclusion = game.conclusion_of(*end);
        conclusion.is_ok_and(|conclusion| text == Some(&write(Some(&conclusion))))
    });
    let end = found.ok_or(Reason::Result { is })?;
    game.terminate(end).map_err(Reason::Refused)
}

/// The endings with which [`read_result`] may end a game of `seats` seats.
fn terminations(seats: usize, has_clock: bool) -> impl Iterator<Item = Termination> {
    let seats = || (0..seats).map(|seat| Seat(seat as u8));
    let left = seats().map(Termination::Left);
    let late = seats().map(Termination::TimeOut).filter(move |_| has_clock);
    let draws = [DrawReason::Limit, DrawReason::Agreement, DrawReason::Claim];
    let others = [Termination::Abandoned, Termination::Aborted];
    left.chain(late)
        .chain(seats().map(Termination::WinClaimed))
        .chain(draws.map(Termination::Draw))
        .chain(others)
}
