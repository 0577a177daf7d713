//! A canvas of pixels that can be encoded as a PNG file.

use std::fmt;
use std::io::Write as _;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

/// A colour: red, green, blue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Colour>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize, paper: Colour) -> Canvas {
        Canvas {
            width,
            height,
            pixels: vec![paper; width * height],
        }
    }

    /// Draws a polyline with round ends.
    pub(super) fn draw(&mut self, points: &[(f32, f32)], width: f32, colour: Colour) {
        for pair in points.windows(2) {
            self.segment(pair[0], pair[1], width / 2.0, colour);
        }
    }

    fn segment(&mut self, from: (f32, f32), to: (f32, f32), half: f32, colour: Colour) {
        let reach = half + 1.0;
        // Casts from floats saturate, so negative coordinates become 0.
        let columns = (from.0.min(to.0) - reach) as usize
            ..(((from.0.max(to.0) + reach) as usize).saturating_add(1)).min(self.width);
        let rows = (from.1.min(to.1) - reach) as usize
            ..(((from.1.max(to.1) + reach) as usize).saturating_add(1)).min(self.height);
        for y in rows {
            for x in columns.clone() {
                let distance = distance((x as f32 + 0.5, y as f32 + 0.5), from, to);
                let cover = (half + 0.5 - distance).clamp(0.0, 1.0);
                if cover > 0.0 {
                    let pixel = &mut self.pixels[y * self.width + x];
                    *pixel = mixed(*pixel, colour, cover);
                }
            }
        }
    }

    /// The canvas as a PNG file.
    pub(super) fn png(&self) -> Vec<u8> {
        let mut rows = Vec::with_capacity(self.height * (3 * self.width + 1));
        for row in self.pixels.chunks(self.width) {
            rows.push(0);
            rows.extend(row.iter().flat_map(|pixel| [pixel.0, pixel.1, pixel.2]));
        }
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut header = Vec::new();
        header.extend((self.width as u32).to_be_bytes());
        header.extend((self.height as u32).to_be_bytes());
        // 8 bits per sample, RGB, default compression and filters, not interlaced.
        header.extend([8, 2, 0, 0, 0]);
        chunk(&mut file, *b"IHDR", &header);
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        // Writing to memory cannot fail.
        let _ = encoder.write_all(&rows);
        chunk(&mut file, *b"IDAT", &encoder.finish().unwrap_or_default());
        chunk(&mut file, *b"IEND", &[]);
        file
    }
}

fn chunk(file: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    file.extend(name);
    file.extend(data);
    let mut check = Crc::new();
    check.update(&name);
    check.update(data);
    file.extend(check.sum().to_be_bytes());
}

fn mixed(under: Colour, over: Colour, cover: f32) -> Colour {
    let mix = |under: u8, over: u8| {
        (f32::from(under) + (f32::from(over) - f32::from(under)) * cover).round() as u8
    };
    Colour(
        mix(under.0, over.0),
        mix(under.1, over.1),
        mix(under.2, over.2),
    )
}

/// The distance of a point from the line segment between `from` and `to`.
fn distance(point: (f32, f32), from: (f32, f32), to: (f32, f32)) -> f32 {
    let (along, across) = (to.0 - from.0, to.1 - from.1);
    let length = along * along + across * across;
    let part =
        ((point.0 - from.0) * along + (point.1 - from.1) * across) / length.max(f32::EPSILON);
    let part = part.clamp(0.0, 1.0);
    (point.0 - from.0 - part * along).hypot(point.1 - from.1 - part * across)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stroke_covers_only_its_pixels() {
        let (paper, ink) = (Colour(255, 255, 255), Colour(0, 0, 0));
        let mut canvas = Canvas::new(20, 10, paper);
        canvas.draw(&[(5.0, 5.0), (15.0, 5.0)], 4.0, ink);
        assert_eq!(canvas.pixels[5 * 20 + 10], ink);
        assert_eq!(canvas.pixels[10], paper);
        assert_eq!(canvas.pixels[5 * 20 + 19], paper);
        // Parts outside the canvas are ignored.
        canvas.draw(&[(-50.0, -50.0), (500.0, 500.0)], 4.0, ink);
    }
}
