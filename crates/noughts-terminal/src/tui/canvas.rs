//! Drawing primitives. Drawing outside the screen is clipped.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::theme::Theme;

/// The minimum size of the terminal, in columns and lines.
pub(super) const LEAST: (u16, u16) = (60, 18);

pub(super) fn is_too_small((width, height): (u16, u16)) -> bool {
    width < LEAST.0 || height < LEAST.1
}

/// A screen buffer with its theme.
pub(super) struct Canvas<'b> {
    buffer: &'b mut Buffer,
    pub(super) theme: Theme,
}

impl<'b> Canvas<'b> {
    pub(super) fn new(buffer: &'b mut Buffer, theme: Theme) -> Canvas<'b> {
        Canvas { buffer, theme }
    }

    pub(super) fn area(&self) -> Rect {
        self.buffer.area
    }

    /// Writes text, clipped at the screen's edge.
    pub(super) fn write(&mut self, x: u16, y: u16, text: &str, style: Style) {
        self.write_within(x, y, self.buffer.area.right(), text, style);
    }

    /// Writes text, clipped at column `end`.
    pub(super) fn write_within(&mut self, x: u16, y: u16, end: u16, text: &str, style: Style) {
        let area = self.buffer.area;
        let end = end.min(area.right());
        if x < area.x || x >= end || y < area.y || y >= area.bottom() {
            return;
        }
        let room = usize::from(end - x);
        if self.theme.unicode || text.is_ascii() {
            self.buffer.set_stringn(x, y, text, room, style);
        } else {
            // Names may contain any character. Without Unicode, `?` replaces each character that is not ASCII.
            let plain = |letter: char| if letter.is_ascii() { letter } else { '?' };
            let text: String = text.chars().map(plain).collect();
            self.buffer.set_stringn(x, y, text, room, style);
        }
    }

    /// Writes text centred in `area`.
    pub(super) fn write_centred(&mut self, area: Rect, y: u16, text: &str, style: Style) {
        let x = area.x + area.width.saturating_sub(width(text)) / 2;
        self.write_within(x, y, area.right(), text, style);
    }

    /// Writes text aligned to the right edge of `area`.
    pub(super) fn write_right(&mut self, area: Rect, y: u16, text: &str, style: Style) {
        let x = area.right().saturating_sub(width(text)).max(area.x);
        self.write_within(x, y, area.right(), text, style);
    }

    /// Wraps the text, and writes only the lines that fit into `area`. Returns the number of lines of the
    /// whole text.
    pub(super) fn write_wrapped(&mut self, area: Rect, text: &str, style: Style) -> u16 {
        let lines = wrap(text, area.width);
        for (y, line) in (area.y..area.bottom()).zip(&lines) {
            self.write_within(area.x, y, area.right(), line, style);
        }
        lines.len() as u16
    }

    pub(super) fn clear(&mut self, area: Rect) {
        for position in area.intersection(self.buffer.area).positions() {
            self.buffer[position].reset();
        }
    }

    /// Draws a border just inside an area.
    pub(super) fn frame(&mut self, area: Rect, border: Border, style: Style) {
        if area.width < 2 || area.height < 2 {
            return;
        }
        let [across, down, corners] = border.strokes(self.theme);
        let mut corner = corners.chars().map(String::from);
        let mut next = || corner.next().unwrap_or_default();
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        let rule = across.repeat(usize::from(area.width - 2));
        self.write(area.x, area.y, &(next() + &rule + &next()), style);
        for y in area.y + 1..bottom {
            self.write(area.x, y, down, style);
            self.write(right, y, down, style);
        }
        self.write(area.x, bottom, &(next() + &rule + &next()), style);
    }
}

/// The style of a border.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Border {
    /// The default.
    Thin,
    /// For boards on which the player to move may play, and for boards of the winning line.
    Double,
    /// For closed boards that are not part of the winning line.
    Dotted,
}

impl Border {
    /// The characters for horizontal lines, for vertical lines, and for the four corners, row by row.
    fn strokes(self, theme: Theme) -> [&'static str; 3] {
        match (self, theme.unicode) {
            (Border::Thin, true) => ["─", "│", "┌┐└┘"],
            (Border::Double, true) => ["═", "║", "╔╗╚╝"],
            (Border::Dotted, true) => ["┄", "┊", "····"],
            (Border::Thin, false) => ["-", "|", "++++"],
            (Border::Double, false) => ["=", "#", "####"],
            (Border::Dotted, false) => [".", ":", "...."],
        }
    }
}

/// The width of a text in terminal columns.
pub(super) fn width(text: &str) -> u16 {
    u16::try_from(Span::raw(text).width()).unwrap_or(u16::MAX)
}

/// Wraps text at spaces into lines of at most `max_width` columns. A word that is too long gets its own line.
pub fn wrap(text: &str, max_width: u16) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is always a line");
        if last.is_empty() {
            last.push_str(word);
        } else if width(last) + 1 + width(word) <= max_width {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("one", 2), ["one"]);
        assert_eq!(wrap("", 5), [""]);
    }
}
