//! Beside the board: whose turn it is, who plays, what a hint said, and the turns so far.

use noughts_engine::Value;
use noughts_rules::Seat;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::app::{App, Hint};
use super::holder::Holder;
use super::page::{Page, wrap};
use super::table::{Sent, Table};

/// The most seats that are listed at once.
const SEATS: usize = 8;

/// Draws the panel.
pub(super) fn draw(page: &mut Page<'_>, app: &App, table: &Table, area: Rect) {
    let lines = upper(page, app, table, area.width);
    for (y, (text, style)) in (area.y..area.bottom()).zip(&lines) {
        page.write_within(area.x, y, area.right(), text, *style);
    }
    let list = list_place(app, table, area);
    let (first, count) = listed(table, list.height);
    for (y, turn) in (list.y..).zip(first..first + count) {
        let is_shown = turn == table.turns_shown();
        let style = match is_shown {
            true => page.look.focus(),
            false => Style::new(),
        };
        let marker = if is_shown {
            page.look.text("▸", ">")
        } else {
            " "
        };
        let text = format!("{marker}{}", entry(page, table, turn));
        page.write_within(list.x, y, list.right(), &text, style);
    }
}

/// Which turn of the list is there, if one is: so many completed.
pub(super) fn turn_at(app: &App, table: &Table, area: Rect, x: u16, y: u16) -> Option<usize> {
    let list = list_place(app, table, area);
    let (first, count) = listed(table, list.height);
    let turn = first + usize::from(y.checked_sub(list.y)?);
    (list.contains((x, y).into()) && turn < first + count).then_some(turn)
}

/// Where the turns are listed: below everything else.
fn list_place(app: &App, table: &Table, area: Rect) -> Rect {
    let taken = texts(app, table, area.width).len() as u16;
    Rect {
        y: area.y + taken.min(area.height),
        height: area.height.saturating_sub(taken),
        ..area
    }
}

/// The first turn of the list that is seen, and how many are; the one looked at among them.
fn listed(table: &Table, height: u16) -> (usize, usize) {
    // The beginning is a line too.
    let all = table.turns().len() + 1;
    let room = usize::from(height).min(all);
    let middle = table.turns_shown().saturating_sub(room / 2);
    (middle.min(all - room), room)
}

fn entry(page: &Page<'_>, table: &Table, turn: usize) -> String {
    let Some(number) = turn.checked_sub(1) else {
        return "    start".to_owned();
    };
    let done = table.turns()[number];
    let side = table.side(done.by);
    let mark = page.look.glyph(table.symbol(side), side);
    format!("{turn:>3} {mark} {}", table.game().write(done.action))
}

/// What a line of the upper part is.
#[derive(Clone, Copy)]
enum Kind {
    Headline,
    Plain,
    Quiet,
    Seat(Seat),
}

fn upper(page: &Page<'_>, app: &App, table: &Table, width: u16) -> Vec<(String, Style)> {
    let lines = texts(app, table, width).into_iter();
    let style = |kind| match kind {
        Kind::Headline => page.look.strong(),
        Kind::Plain => Style::new(),
        Kind::Quiet => page.look.quiet(),
        Kind::Seat(seat) => page.look.side(table.side(seat)),
    };
    lines.map(|(text, kind)| (text, style(kind))).collect()
}

fn texts(app: &App, table: &Table, width: u16) -> Vec<(String, Kind)> {
    let look = app.setup.look;
    let mut lines = Vec::new();
    let mut add = |text: &str, kind| {
        lines.extend(wrap(text, width).into_iter().map(|line| (line, kind)));
    };
    add(&headline(app, table), Kind::Headline);
    if !table.shows_present() {
        let (shown, all) = (table.turns_shown(), table.turns().len());
        add(&format!("After turn {shown} of {all}."), Kind::Plain);
        add("> goes to the present.", Kind::Quiet);
    }
    add("", Kind::Plain);
    for seat in seats(table) {
        let side = table.side(seat);
        let marker = match table.view().to_move == Some(seat) {
            true => look.text("▸", ">"),
            false => " ",
        };
        let mark = look.glyph(table.symbol(side), side);
        let who = match table.holder(seat) {
            Holder::Human(name) if name.is_empty() => table.name(seat, look),
            holder => holder.to_string(),
        };
        let who = if who == mark.to_string() {
            "human"
        } else {
            &who
        };
        let won = match table.winners().contains(side) {
            true => look.text(" ★", " won"),
            false => "",
        };
        let line = format!("{marker}{mark} {who}{won}");
        lines.push((line, Kind::Seat(seat)));
    }
    let mut add = |text: &str, kind| {
        lines.extend(wrap(text, width).into_iter().map(|line| (line, kind)));
    };
    if let Some(nested) = &table.view().nested {
        let [first, second] = nested.score;
        let (x, o) = (look.text("×", "x"), look.text("○", "o"));
        let score = format!("Boards {x} {first}  {o} {second}  drawn {}", nested.drawn);
        add(&score, Kind::Plain);
        if nested.decided && table.view().outcome.is_none() {
            add("The result can't change any more.", Kind::Quiet);
        }
        match (nested.active, table.view().to_move) {
            (Some(board), Some(_)) => add(&format!("Play on board {board}."), Kind::Plain),
            (None, Some(_)) => add("Play on any open board.", Kind::Plain),
            (_, None) => {}
        }
    }
    if let Some(line) = focus(app, table) {
        add(&line, Kind::Quiet);
    }
    match &app.hint {
        Hint::None => {}
        Hint::Asked => add(
            look.text("Looking for a hint…", "Looking for a hint..."),
            Kind::Plain,
        ),
        Hint::Given(at, analysis) => {
            let at = table.game().variant().write_move(*at);
            let value = analysis
                .as_ref()
                .map(|found| format!(", {}", worth(found.value)))
                .unwrap_or_default();
            add(&format!("Hint: {at}{value}."), Kind::Headline);
        }
    }
    let rule = look
        .text("─", "-")
        .repeat(usize::from(width.saturating_sub(7)));
    lines.push((format!("Turns {rule}"), Kind::Quiet));
    lines
}

/// What a move is worth to whoever asked.
fn worth(value: Value) -> String {
    match value {
        Value::Win { .. } | Value::Loss { .. } | Value::Draw => format!("a {value}"),
        Value::Estimate(0) => "even".to_owned(),
        Value::Estimate(1..) => format!("ahead, {value}"),
        Value::Estimate(..0) => format!("behind, {value}"),
    }
}

fn headline(app: &App, table: &Table) -> String {
    let text = table.headline(app.setup.look);
    let is_robots = |seat: &Seat| table.shows_present() && !table.holder(*seat).is_human();
    let Some(robot) = table.view().to_move.filter(is_robots) else {
        return text;
    };
    match app.thinking.as_secs() {
        _ if app.has_failed => format!("{} has no move.", table.name(robot, app.setup.look)),
        _ if app.is_paused => "Paused. Space goes on.".to_owned(),
        0 => text,
        seconds => format!("{} {seconds} s", text.trim_end_matches('.')),
    }
}

/// Where the focus is, and on nine boards where a play there would lead.
fn focus(app: &App, table: &Table) -> Option<String> {
    app.overlay().focus?;
    let at = table.landing(table.focus);
    let at = table.game().variant().write_move(at);
    Some(match table.sends_to() {
        None => format!("At {at}."),
        Some(Sent::To(board)) => format!("At {at}: then board {board}."),
        Some(Sent::Anywhere) => format!("At {at}: then any open board."),
        Some(Sent::ToTheEnd) => format!("At {at}: ends the game."),
    })
}

/// The seats that are listed: all, or those around the one to move.
fn seats(table: &Table) -> impl Iterator<Item = Seat> {
    let all = table.holders().len();
    let to_move = table.view().to_move.map_or(0, |seat| usize::from(seat.0));
    let first = to_move
        .saturating_sub(SEATS / 2)
        .min(all.saturating_sub(SEATS));
    (first..all.min(first + SEATS)).map(|seat| Seat(seat as u8))
}
