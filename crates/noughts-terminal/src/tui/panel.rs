//! The panel beside the board: the turn, the players, a hint, and the list of turns.

use noughts_engine::{Value, find_mistakes};
use noughts_rules::Seat;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::app::{App, Hint};
use super::canvas::{Canvas, wrap};
use super::local_game::{LocalGame, NextBoard};
use crate::holder::Holder;

/// Maximum number of seats listed.
const SEATS: usize = 8;

pub(super) fn draw(canvas: &mut Canvas<'_>, app: &App, local: &LocalGame, area: Rect) {
    let lines = upper(canvas, app, local, area.width);
    for (y, (text, style)) in (area.y..area.bottom()).zip(&lines) {
        canvas.write_within(area.x, y, area.right(), text, *style);
    }
    let list = list_place(app, local, area);
    let (first, count) = listed(local, list.height);
    for (y, turn) in (list.y..).zip(first..first + count) {
        let is_shown = turn == local.turns_shown();
        let style = match is_shown {
            true => canvas.theme.focus(),
            false => Style::new(),
        };
        let marker = if is_shown {
            canvas.theme.text("▸", ">")
        } else {
            " "
        };
        let text = format!(
            "{marker}{}{}",
            entry(canvas, local, turn),
            judgement(app, local, turn)
        );
        canvas.write_within(list.x, y, list.right(), &text, style);
    }
}

/// The turn whose list entry is at this position. 0 stands for the start of the game.
pub(super) fn turn_at(app: &App, local: &LocalGame, area: Rect, x: u16, y: u16) -> Option<usize> {
    let list = list_place(app, local, area);
    let (first, count) = listed(local, list.height);
    let turn = first + usize::from(y.checked_sub(list.y)?);
    (list.contains((x, y).into()) && turn < first + count).then_some(turn)
}

/// The area of the list of turns, in the lower part of the panel.
fn list_place(app: &App, local: &LocalGame, area: Rect) -> Rect {
    let taken = texts(app, local, area.width).len() as u16;
    Rect {
        y: area.y + taken.min(area.height),
        height: area.height.saturating_sub(taken),
        ..area
    }
}

/// The first visible entry and the number of visible entries. The shown turn is always visible.
fn listed(local: &LocalGame, height: u16) -> (usize, usize) {
    // The list has an entry for the start of the game, too.
    let all = local.turns().len() + 1;
    let room = usize::from(height).min(all);
    let middle = local.turns_shown().saturating_sub(room / 2);
    (middle.min(all - room), room)
}

fn entry(canvas: &Canvas<'_>, local: &LocalGame, turn: usize) -> String {
    let Some(number) = turn.checked_sub(1) else {
        return "    start".to_owned();
    };
    let done = local.turns()[number];
    let side = local.side(done.by);
    let mark = canvas.theme.glyph(local.symbol(side), side);
    format!(
        "{turn:>3} {mark} {}",
        local.game().format_action(done.action)
    )
}

/// The annotation of a reviewed turn: good, bad with a better move, or `?` if the value is only an estimate. Empty if
/// the turn was not judged yet.
fn judgement(app: &App, local: &LocalGame, turn: usize) -> String {
    let (Some(number), Some(review)) = (turn.checked_sub(1), &app.review) else {
        return String::new();
    };
    let Some(found) = review.get(number).and_then(Option::as_ref) else {
        return String::new();
    };
    let theme = app.settings.theme;
    let mistakes = find_mistakes(local.game(), review);
    let better = found
        .line
        .first()
        .map(|at| local.game().variant().format_move(*at));
    match (mistakes.get(number), found.value) {
        (Some(Some(_)), _) => {
            format!(
                "  {} {}",
                theme.text("✗", "bad:"),
                better.unwrap_or_default()
            )
        }
        // A turn is judged only after the position that follows it was analyzed.
        _ if number + 1 == review.len() && review.len() < local.turns().len() => String::new(),
        (_, Value::Estimate(_)) => "  ?".to_owned(),
        (_, Value::Win { .. } | Value::Draw | Value::Loss { .. }) => {
            format!("  {}", theme.text("✓", "good"))
        }
    }
}

/// The kind of a line in the upper part of the panel.
#[derive(Clone, Copy)]
enum Kind {
    Headline,
    Plain,
    Quiet,
    Seat(Seat),
}

fn upper(canvas: &Canvas<'_>, app: &App, local: &LocalGame, width: u16) -> Vec<(String, Style)> {
    let lines = texts(app, local, width).into_iter();
    let style = |kind| match kind {
        Kind::Headline => canvas.theme.strong(),
        Kind::Plain => Style::new(),
        Kind::Quiet => canvas.theme.quiet(),
        Kind::Seat(seat) => canvas.theme.side(local.side(seat)),
    };
    lines.map(|(text, kind)| (text, style(kind))).collect()
}

fn texts(app: &App, local: &LocalGame, width: u16) -> Vec<(String, Kind)> {
    let theme = app.settings.theme;
    let mut lines = Vec::new();
    let mut add = |text: &str, kind| {
        lines.extend(wrap(text, width).into_iter().map(|line| (line, kind)));
    };
    add(&headline(app, local), Kind::Headline);
    if !local.shows_present() {
        let (shown, all) = (local.turns_shown(), local.turns().len());
        add(&format!("After turn {shown} of {all}."), Kind::Plain);
        add("> goes to the present.", Kind::Quiet);
    }
    add("", Kind::Plain);
    for seat in seats(local) {
        let side = local.side(seat);
        let marker = match local.view().to_move == Some(seat) {
            true => theme.text("▸", ">"),
            false => " ",
        };
        let mark = theme.glyph(local.symbol(side), side);
        let who = match local.holder(seat) {
            Holder::Human(name) if name.is_empty() => local.name(seat, theme),
            holder => holder.to_string(),
        };
        let who = if who == mark.to_string() {
            "human"
        } else {
            &who
        };
        let won = match local.winners().contains(side) {
            true => theme.text(" ★", " won"),
            false => "",
        };
        let line = format!("{marker}{mark} {who}{won}");
        lines.push((line, Kind::Seat(seat)));
    }
    let mut add = |text: &str, kind| {
        lines.extend(wrap(text, width).into_iter().map(|line| (line, kind)));
    };
    if let Some(nested) = &local.view().nested {
        let [first, second] = nested.score;
        let (x, o) = (theme.text("×", "x"), theme.text("○", "o"));
        let score = format!("Boards {x} {first}  {o} {second}  drawn {}", nested.drawn);
        add(&score, Kind::Plain);
        if nested.decided && local.view().outcome.is_none() {
            add("The result can't change any more.", Kind::Quiet);
        }
        match (nested.active, local.view().to_move) {
            (Some(board), Some(_)) => add(&format!("Play on board {board}."), Kind::Plain),
            (None, Some(_)) => add("Play on any open board.", Kind::Plain),
            (_, None) => {}
        }
    }
    if let Some(line) = focus(app, local) {
        add(&line, Kind::Quiet);
    }
    match &app.hint {
        Hint::None => {}
        Hint::Requested => add(
            theme.text("Looking for a hint…", "Looking for a hint..."),
            Kind::Plain,
        ),
        Hint::Given(at, analysis) => {
            let at = local.game().variant().format_move(*at);
            let value = analysis
                .as_ref()
                .map(|found| format!(", {}", value_text(found.value)))
                .unwrap_or_default();
            add(&format!("Hint: {at}{value}."), Kind::Headline);
        }
    }
    if let Some(review) = &app.review {
        let (done, all) = (review.len().min(local.turns().len()), local.turns().len());
        add(&reviewed(done, all), Kind::Plain);
    }
    let rule = theme
        .text("─", "-")
        .repeat(usize::from(width.saturating_sub(7)));
    lines.push((format!("Turns {rule}"), Kind::Quiet));
    lines
}

fn reviewed(done: usize, all: usize) -> String {
    match done < all {
        true => format!("Looking for mistakes: {done} of {all}."),
        false => "Moves are marked.".to_owned(),
    }
}

/// The value of the hint, as text.
fn value_text(value: Value) -> String {
    match value {
        Value::Win { .. } | Value::Loss { .. } | Value::Draw => format!("a {value}"),
        Value::Estimate(0) => "even".to_owned(),
        Value::Estimate(1..) => format!("ahead, {value}"),
        Value::Estimate(..0) => format!("behind, {value}"),
    }
}

fn headline(app: &App, local: &LocalGame) -> String {
    let text = local.headline(app.settings.theme);
    let is_robots = |seat: &Seat| local.shows_present() && !local.holder(*seat).is_human();
    let Some(robot) = local.view().to_move.filter(is_robots) else {
        return text;
    };
    match app.thinking.as_secs() {
        _ if app.has_failed => format!("{} has no move.", local.name(robot, app.settings.theme)),
        _ if app.is_paused => "Paused. Space goes on.".to_owned(),
        0 => text,
        seconds => format!("{} {seconds} s", text.trim_end_matches('.')),
    }
}

/// The cell at the focus and, on nine boards, the board to which a play there leads.
fn focus(app: &App, local: &LocalGame) -> Option<String> {
    app.overlay().focus?;
    let at = local.landing(local.focus);
    let at = local.game().variant().format_move(at);
    Some(match local.next_board() {
        None => format!("At {at}."),
        Some(NextBoard::Board(board)) => format!("At {at}: then board {board}."),
        Some(NextBoard::Any) => format!("At {at}: then any open board."),
        Some(NextBoard::GameOver) => format!("At {at}: ends the game."),
    })
}

/// The seats to list: all seats or, if there are more than eight, eight seats around the seat to move.
fn seats(local: &LocalGame) -> impl Iterator<Item = Seat> {
    let all = local.holders().len();
    let to_move = local.view().to_move.map_or(0, |seat| usize::from(seat.0));
    let first = to_move
        .saturating_sub(SEATS / 2)
        .min(all.saturating_sub(SEATS));
    (first..all.min(first + SEATS)).map(|seat| Seat(seat as u8))
}
