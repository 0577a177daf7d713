//! Links as QR codes: the link to a game, and the link for another device of a player.

use qrcode::QrCode;
use qrcode::render::svg::Color;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::id::GameId;

/// The parts of a game's link that the query gives. The other parts are the host and the game's id.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct LinkQuery {
    /// The link shows the position after this many completed turns.
    turn: Option<u32>,
    /// True if the browser uses https. The page sets this parameter, because a server behind a TLS proxy may
    /// not know the scheme.
    #[serde(default)]
    https: bool,
}

impl LinkQuery {
    pub(super) fn link(&self, origin: &str, id: GameId) -> String {
        let scheme_and_host = match (self.https, origin.strip_prefix("http://")) {
            (true, Some(host)) => format!("https://{host}"),
            (true, None) | (false, _) => origin.to_owned(),
        };
        let turn = self.turn.map(|turn| format!("?turn={turn}"));
        format!("{scheme_and_host}/game/{id}{}", turn.unwrap_or_default())
    }
}

/// The QR code of a link; `None` if the link is too long. The largest QR code (version 40) holds 2331 bytes at the
/// level of error correction that is used here.
pub(super) fn svg(link: &str) -> Option<String> {
    let code = QrCode::new(link).ok()?;
    // Each module of the code is one unit wide; the page scales the image.
    let mut image = code.render::<Color<'_>>();
    Some(image.module_dimensions(1, 1).build())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The dark modules of a code. The SVG is one path of rectangles `M{x} {y}h{width}v{height}H{x}V{y}`.
    fn modules(svg: &str) -> Vec<Vec<bool>> {
        let attribute = |name: &str| {
            let (_, rest) = svg.split_once(&format!(" {name}=\"")).unwrap();
            rest.split_once('"').unwrap().0
        };
        let size: usize = attribute("width").parse().unwrap();
        let mut dark = vec![vec![false; size]; size];
        for rectangle in attribute("d").split('M').skip(1) {
            let mut numbers = rectangle
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|number| number.parse::<usize>().ok());
            let [x, y, width, height] = std::array::from_fn(|_| numbers.next().unwrap());
            for row in &mut dark[y..y + height] {
                row[x..x + width].fill(true);
            }
        }
        dark
    }

    /// Decodes an SVG with an independent decoder.
    fn decode(svg: &str) -> String {
        const SCALE: usize = 4;
        let dark = modules(svg);
        let size = dark.len() * SCALE;
        let mut image = rqrr::PreparedImage::prepare_from_greyscale(size, size, |x, y| {
            if dark[y / SCALE][x / SCALE] { 0 } else { 255 }
        });
        let grids = image.detect_grids();
        assert_eq!(grids.len(), 1);
        grids[0].decode().unwrap().1
    }

    #[test]
    fn another_decoder_reads_links_of_every_length() {
        for length in [40, 80, 150, 213, 300] {
            let link = format!("{:7<length$}", "https://noughts.example/game/");
            assert_eq!(decode(&svg(&link).unwrap()), link, "{length} bytes");
        }
        assert_eq!(svg(&"x".repeat(3000)), None);
    }

    #[test]
    fn links_lead_to_the_host_that_was_asked() {
        let id = GameId::new(7);
        let link = |turn, https| LinkQuery { turn, https }.link("http://host:8080", id);
        assert_eq!(link(None, false), format!("http://host:8080/game/{id}"));
        assert_eq!(
            link(Some(3), true),
            format!("https://host:8080/game/{id}?turn=3")
        );
    }
}
