//! Draws boards and the icon.
//!
//! A drawing is a list of strokes. An SVG file has the strokes as paths. In a PNG file, the colour of each pixel
//! depends on its distance from the strokes.

use std::f32::consts::TAU;
use std::fmt::Write as _;

use noughts_api::{BoardView, Outcome, View};
use noughts_rules::Variant;

use super::png_canvas::{Canvas, Colour};

/// The width of an image of a board, in pixels. The recommended size for link previews is 1200 by 630 pixels.
const WIDTH: f32 = 1_200.0;
const HEIGHT: f32 = 630.0;
const MARGIN: f32 = 40.0;

const PAPER: Colour = Colour(0xFB, 0xF9, 0xF4);
const RULE: Colour = Colour(0xB9, 0xC3, 0xCF);
const INK: Colour = Colour(0x22, 0x26, 0x2B);
const SIDES: [Colour; 8] = [
    Colour(0x1F, 0x5F, 0xB8),
    Colour(0xB4, 0x4A, 0x04),
    Colour(0x1B, 0x73, 0x4A),
    Colour(0x8A, 0x3F, 0xA0),
    Colour(0xA8, 0x32, 0x5B),
    Colour(0x7A, 0x5C, 0x00),
    Colour(0x0E, 0x70, 0x7C),
    Colour(0x5A, 0x55, 0x4E),
];

/// A polyline with a width and a colour.
struct Stroke {
    points: Vec<(f32, f32)>,
    width: f32,
    colour: Colour,
}

/// The board as an SVG file.
pub(super) fn svg(view: &View) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" fill=\"none\" \
         stroke-linecap=\"round\" stroke-linejoin=\"round\">\
         <path fill=\"{PAPER}\" d=\"M0 0h{WIDTH}v{HEIGHT}H0z\"/>"
    );
    for path in paths(&drawing(view)) {
        let _ = write!(
            text,
            "<path stroke=\"{}\" stroke-width=\"{:.1}\" d=\"",
            path[0].colour, path[0].width
        );
        for stroke in path {
            for (number, (x, y)) in stroke.points.iter().enumerate() {
                let _ = write!(text, "{}{x:.1} {y:.1}", if number == 0 { 'M' } else { 'L' });
            }
        }
        text += "\"/>";
    }
    text + "</svg>"
}

/// Groups the strokes by colour and width, so that an SVG file needs only one path per group. Without groups, a full
/// 255x255 board would need a path for each of its 65 025 marks.
fn paths(strokes: &[Stroke]) -> Vec<Vec<&Stroke>> {
    let mut paths: Vec<Vec<&Stroke>> = Vec::new();
    for stroke in strokes {
        let is_same = |path: &&mut Vec<&Stroke>| {
            path[0].colour == stroke.colour && path[0].width == stroke.width
        };
        match paths.iter_mut().find(is_same) {
            Some(path) => path.push(stroke),
            None => paths.push(vec![stroke]),
        }
    }
    paths
}

/// The board as a PNG file.
pub(super) fn png(view: &View) -> Vec<u8> {
    let mut canvas = Canvas::new(WIDTH as usize, HEIGHT as usize, PAPER);
    for stroke in drawing(view) {
        canvas.draw(&stroke.points, stroke.width, stroke.colour);
    }
    canvas.png()
}

/// The icon as a PNG file: a cross and a nought that overlap. In a maskable icon the drawing is smaller, because the
/// system may cut off the edges of a maskable icon.
pub(super) fn icon(pixels: usize, is_maskable: bool) -> Vec<u8> {
    let mut canvas = Canvas::new(pixels, pixels, PAPER);
    let size = pixels as f32;
    let scale = if is_maskable { 0.72 } else { 1.0 };
    let put = |(x, y): (f32, f32)| {
        let place = |at: f32| (0.5 + (at - 0.5) * scale) * size;
        (place(x), place(y))
    };
    let width = size * 0.09 * scale;
    let circle = polygon((0.64, 0.58), 0.24, 120).into_iter().map(put);
    canvas.draw(&circle.collect::<Vec<_>>(), width, SIDES[1]);
    for line in [[(0.14, 0.2), (0.58, 0.64)], [(0.58, 0.2), (0.14, 0.64)]] {
        canvas.draw(&line.map(put), width, SIDES[0]);
    }
    canvas.png()
}

/// The strokes of a board, in the order in which they are drawn.
fn drawing(view: &View) -> Vec<Stroke> {
    match view.variant.parse() {
        Ok(Variant::Grid(spec)) => one_board(view, spec.columns(), spec.rows()),
        Ok(Variant::Nested(_)) => nine_boards(view),
        Err(_) => Vec::new(),
    }
}

fn one_board(view: &View, columns: usize, rows: usize) -> Vec<Stroke> {
    let cell = ((WIDTH - 2.0 * MARGIN) / columns as f32).min((HEIGHT - 2.0 * MARGIN) / rows as f32);
    let left = (WIDTH - cell * columns as f32) / 2.0;
    let top = (HEIGHT - cell * rows as f32) / 2.0;
    let mut strokes = Vec::new();
    rules(&mut strokes, (left, top), cell, (columns, rows));
    let sides = view.cells();
    for (index, side) in sides.iter().enumerate() {
        let place = ((index % columns) as f32, (index / columns) as f32);
        let at = (left + place.0 * cell, top + place.1 * cell);
        if let Some(side) = *side {
            mark(&mut strokes, at, cell, side);
        }
    }
    let centre = |text: &String| {
        let (row, column) = text.split_once('-')?;
        let place = |at: &str| Some(at.parse::<u8>().ok()?.into());
        let (row, column): (f32, f32) = (place(row)?, place(column)?);
        Some((left + (column + 0.5) * cell, top + (row + 0.5) * cell))
    };
    winning_stroke(&mut strokes, view, centre, cell);
    strokes
}

fn nine_boards(view: &View) -> Vec<Stroke> {
    let cell = (HEIGHT - 2.0 * MARGIN) / 11.0;
    let left = (WIDTH - 11.0 * cell) / 2.0;
    let corner = |board: usize| {
        let step = 4.0 * cell;
        (
            left + (board % 3) as f32 * step,
            MARGIN + (board / 3) as f32 * step,
        )
    };
    let mut strokes = Vec::new();
    let sides = view.cells();
    for board in 0..9 {
        let (x, y) = corner(board);
        rules(&mut strokes, (x, y), cell, (3, 3));
        for inside in 0..9 {
            let at = (
                x + (inside % 3) as f32 * cell,
                y + (inside / 3) as f32 * cell,
            );
            if let Some(Some(side)) = sides.get(9 * board + inside) {
                mark(&mut strokes, at, cell, *side);
            }
        }
        let stands = view.nine.as_ref().and_then(|nine| nine.boards.get(board));
        if let Some(BoardView::Won { side }) = stands {
            mark(&mut strokes, (x, y), 3.0 * cell, *side);
        }
    }
    let centre = |text: &String| {
        let (x, y) = corner(text.parse::<usize>().ok().filter(|board| *board < 9)?);
        Some((x + 1.5 * cell, y + 1.5 * cell))
    };
    winning_stroke(&mut strokes, view, centre, cell);
    strokes
}

fn rules(
    strokes: &mut Vec<Stroke>,
    (left, top): (f32, f32),
    cell: f32,
    (columns, rows): (usize, usize),
) {
    let (right, bottom) = (left + cell * columns as f32, top + cell * rows as f32);
    let mut rule = |from, to| {
        strokes.push(Stroke {
            points: vec![from, to],
            width: (cell / 40.0).clamp(0.6, 3.0),
            colour: RULE,
        });
    };
    for column in 1..columns {
        let x = left + column as f32 * cell;
        rule((x, top), (x, bottom));
    }
    for row in 1..rows {
        let y = top + row as f32 * cell;
        rule((left, y), (right, y));
    }
}

/// Draws a stroke through the winning cells or, on nine boards, through the winning boards. If the last play completed
/// several lines, the stroke connects the two winning cells that are farthest apart in one row, column or diagonal.
/// `centre` returns the middle of a cell or board, given its name.
fn winning_stroke(
    strokes: &mut Vec<Stroke>,
    view: &View,
    centre: impl Fn(&String) -> Option<(f32, f32)>,
    cell: f32,
) {
    let line = view.outcome.iter().flat_map(Outcome::line);
    let cells: Vec<(f32, f32)> = line.filter_map(centre).collect();
    let in_line = |(a, b): (&(f32, f32), &(f32, f32))| {
        let (across, down) = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
        across < 1.0 || down < 1.0 || (across - down).abs() < 1.0
    };
    let length = |(a, b): &(&(f32, f32), &(f32, f32))| (a.0 - b.0).hypot(a.1 - b.1);
    let pairs = cells.iter().flat_map(|a| cells.iter().map(move |b| (a, b)));
    let longest = pairs
        .filter(|pair| in_line(*pair))
        .max_by(|a, b| length(a).total_cmp(&length(b)));
    if let Some((from, to)) = longest.filter(|pair| length(pair) > 1.0) {
        strokes.push(Stroke {
            points: vec![*from, *to],
            width: cell * 0.08,
            colour: INK,
        });
    }
}

/// Draws a side's mark in a square.
fn mark(strokes: &mut Vec<Stroke>, (x, y): (f32, f32), size: f32, side: u8) {
    let colour = SIDES[usize::from(side) % SIDES.len()];
    // Small circles need fewer corners.
    let corners = match size {
        60.0.. => 96,
        8.0.. => 24,
        _ => 6,
    };
    for shape in shapes(side, corners) {
        strokes.push(Stroke {
            points: shape
                .into_iter()
                .map(|(a, b)| (x + a * size, y + b * size))
                .collect(),
            width: (size * 0.1).max(0.8),
            colour,
        });
    }
}

/// The polylines of a side's mark, as points in a square of size 1. Sides 0 to 7 have a cross, a nought, a
/// triangle, a square, a diamond, a star, a hexagon and an arrow. All other sides have a dot. The nought is a
/// polygon with `corners` corners.
fn shapes(side: u8, corners: usize) -> Vec<Vec<(f32, f32)>> {
    match side {
        0 => vec![
            vec![(0.24, 0.24), (0.76, 0.76)],
            vec![(0.76, 0.24), (0.24, 0.76)],
        ],
        1 => vec![polygon((0.5, 0.5), 0.28, corners)],
        2 => vec![vec![(0.5, 0.22), (0.78, 0.74), (0.22, 0.74), (0.5, 0.22)]],
        3 => vec![vec![
            (0.25, 0.25),
            (0.75, 0.25),
            (0.75, 0.75),
            (0.25, 0.75),
            (0.25, 0.25),
        ]],
        4 => vec![vec![
            (0.5, 0.18),
            (0.8, 0.5),
            (0.5, 0.82),
            (0.2, 0.5),
            (0.5, 0.18),
        ]],
        5 => {
            let spoke = |turn: f32| {
                let (sin, cos) = (turn * TAU / 10.0).sin_cos();
                vec![(0.5 - 0.3 * sin, 0.5 - 0.3 * cos), (0.5, 0.5)]
            };
            (0..5).map(|arm| spoke(2.0 * arm as f32)).collect()
        }
        6 => vec![polygon((0.5, 0.5), 0.3, 6)],
        7 => vec![
            vec![(0.5, 0.8), (0.5, 0.2)],
            vec![(0.26, 0.44), (0.5, 0.2), (0.74, 0.44)],
        ],
        _ => vec![polygon((0.5, 0.5), 0.06, corners.min(8))],
    }
}

fn polygon((x, y): (f32, f32), radius: f32, corners: usize) -> Vec<(f32, f32)> {
    let corner = |at: usize| {
        let (sin, cos) = (at as f32 / corners as f32 * TAU).sin_cos();
        (x + radius * sin, y - radius * cos)
    };
    (0..=corners).map(corner).collect()
}

#[cfg(test)]
mod tests {
    use super::super::MAX_BYTES;
    use super::*;
    use crate::http::site::File;
    use noughts_api::TableInfo;
    use noughts_rules::{Action, Game, Options, Seat};

    fn view(variant: &str, moves: &[&str]) -> View {
        let variant: Variant = variant.parse().unwrap();
        let mut game = Game::new(&variant, Options::default()).unwrap();
        for text in moves {
            let seat = game.view().to_move.unwrap_or(Seat(0));
            let action: Action = game.parse_action(text).unwrap();
            game.act(seat, action).unwrap();
        }
        let who = TableInfo {
            entry: 0,
            id: "x".to_owned(),
            seats: Vec::new(),
            offers: Vec::new(),
            clock: None,
            rematch: None,
        };
        View::new(&game.view(), who)
    }

    #[test]
    fn drawing_has_lines_marks_and_winning_stroke() {
        let moves = ["0-0", "1-0", "0-1", "1-1", "0-2"];
        // Four grid lines, three crosses of two strokes, two noughts, and the winning line.
        assert_eq!(drawing(&view("3x3k3", &moves)).len(), 4 + 6 + 2 + 1);
        let line = drawing(&view("3x3k3", &moves)).pop().unwrap();
        assert!(line.points[0].1 == line.points[1].1);
        assert_eq!(drawing(&view("3x3k3", &moves[..4])).len(), 4 + 4 + 2);
    }

    #[test]
    fn every_variant_can_be_drawn() {
        for name in [
            "3x3k3",
            "255x255k5",
            "3x255k3p64",
            "multi",
            "ultimate",
            "7x6k4+gravity",
        ] {
            let view = view(name, &[]);
            assert!(svg(&view).ends_with("</svg>"), "{name}");
            assert!(png(&view).starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
        }
    }

    #[test]
    fn full_board_of_the_largest_size_fits_into_the_cache() {
        for sides in [2, 64] {
            let mut view = view("255x255k255", &[]);
            let marks = (0..255 * 255_u32).map(|cell| Some((cell % sides) as u8));
            view.marks = Some(marks.collect());
            let file = File::image("image/svg+xml", svg(&view).into_bytes());
            assert!(
                file.size() < MAX_BYTES,
                "{} bytes, {sides} sides",
                file.size()
            );
        }
    }
}
