//! Draws marks: one character in a small cell, a drawing in a large cell.

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::canvas::Canvas;

/// How a mark is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stroke {
    Full,
    /// For marks that the selected rewind would remove.
    Dashed,
}

/// Draws a cross or a nought as large as the area allows, and any other mark as one character.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, glyph: char, stroke: Stroke, style: Style) {
    let shape = match glyph {
        '×' | 'x' => Some(Shape::Cross),
        '○' | 'o' => Some(Shape::Nought),
        _ => None,
    };
    // The size is odd, so that the mark has a middle.
    let size = (area.height.min(area.width / 2 + 1) - 1) | 1;
    match shape {
        Some(shape) if size >= 3 && canvas.theme.dots => {
            dots(canvas, area, size, shape, stroke, style);
        }
        Some(shape) if size >= 3 => letters(canvas, area, size, shape, stroke, style),
        Some(_) | None => canvas.write_centred(
            area,
            area.y + area.height / 2,
            glyph.encode_utf8(&mut [0; 4]),
            style,
        ),
    }
}

#[derive(Clone, Copy)]
enum Shape {
    Cross,
    Nought,
}

/// Draws the shape with braille characters. A character has 2 columns and 4 rows of dots, at about equal
/// distances.
fn dots(
    canvas: &mut Canvas<'_>,
    area: Rect,
    size: u16,
    shape: Shape,
    stroke: Stroke,
    style: Style,
) {
    // The bits of the eight dots of a character, row by row.
    const BITS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
    let columns = 2 * size - 1;
    let (wide, high) = (i32::from(2 * columns), i32::from(4 * size));
    let (left, top) = centred(area, columns, size);
    for row in 0..size {
        let mut line = String::new();
        for column in 0..columns {
            let mut pattern = 0;
            for (y, bits) in (i32::from(4 * row)..).zip(BITS) {
                for (x, bit) in (i32::from(2 * column)..).zip(bits) {
                    // Distances from the middle. The unit is half a dot, so the distances are whole numbers.
                    let (dx, dy) = (2 * x + 1 - wide, 2 * y + 1 - high);
                    let gap = stroke == Stroke::Dashed && (x + y) / 2 % 2 == 0;
                    if shape.covers(dx, dy, high) && !gap {
                        pattern |= bit;
                    }
                }
            }
            match char::from_u32(0x2800 + pattern) {
                Some(braille) if pattern > 0 => line.push(braille),
                Some(_) | None => line.push(' '),
            }
        }
        canvas.write(left, top + row, &line, style);
    }
}

impl Shape {
    /// Whether a dot belongs to a shape of this height. `dx` and `dy` are distances from the middle, in half dots.
    fn covers(self, dx: i32, dy: i32, height: i32) -> bool {
        // Leaves one dot free between the mark and the lines above and below the cell.
        let reach = height - 3;
        let thick = if height >= 20 { 2 } else { 1 };
        match self {
            Shape::Cross => {
                dx.abs().max(dy.abs()) <= reach && (dx.abs() - dy.abs()).abs() < 2 * thick
            }
            Shape::Nought => {
                let square = dx * dx + dy * dy;
                let inner = reach - 2 * thick;
                square <= (reach + 1) * (reach + 1) && square > inner * inner
            }
        }
    }
}

/// Draws the shape with ASCII characters.
fn letters(
    canvas: &mut Canvas<'_>,
    area: Rect,
    size: u16,
    shape: Shape,
    stroke: Stroke,
    style: Style,
) {
    let (left, top) = centred(area, size, size);
    let last = size - 1;
    for y in 0..size {
        for x in 0..size {
            let letter = match shape {
                Shape::Cross if x == y && x == last - y => "X",
                Shape::Cross if x == y => "\\",
                Shape::Cross if x == last - y => "/",
                Shape::Cross => continue,
                Shape::Nought => match (x == 0 || x == last, y == 0 || y == last) {
                    (true, true) if (x == 0) == (y == 0) => "/",
                    (true, true) => "\\",
                    (true, false) => "|",
                    (false, true) => "-",
                    (false, false) => continue,
                },
            };
            let letter = match stroke {
                Stroke::Full => letter,
                Stroke::Dashed => ".",
            };
            canvas.write(left + x, top + y, letter, style);
        }
    }
}

fn centred(area: Rect, width: u16, height: u16) -> (u16, u16) {
    (
        area.x + area.width.saturating_sub(width) / 2,
        area.y + area.height.saturating_sub(height) / 2,
    )
}
