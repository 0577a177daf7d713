//! What is shown of a link where links are shown: a title, a sentence and a picture.

use std::fmt;

use axum::http::{HeaderMap, header};
use noughts_api::{SeatKind, View};
use noughts_rules::Variant;

/// The lines of the document's head that differ from address to address.
pub(super) struct Preview {
    title: String,
    about: String,
    /// The address of the picture, whole where the server's own name is known.
    picture: String,
    address: Option<String>,
}

impl Preview {
    /// Of every address but those of games.
    pub(super) fn of_the_house(headers: &HeaderMap) -> Preview {
        Preview {
            title: "Noughts".to_owned(),
            about: "Every game of the tic-tac-toe family: against the computer, a friend, or whoever waits."
                .to_owned(),
            picture: format!("{}/icon/512.png", origin(headers).unwrap_or_default()),
            address: None,
        }
    }

    /// Of a game.
    pub(super) fn of_game(headers: &HeaderMap, view: &View) -> Preview {
        let origin = origin(headers).unwrap_or_default();
        let names: Vec<String> = view
            .seats
            .iter()
            .zip(1..)
            .map(|(seat, number)| match seat.kind {
                SeatKind::Open => "an open seat".to_owned(),
                SeatKind::Robot => "the computer".to_owned(),
                SeatKind::Human if seat.name.is_empty() => format!("player {number}"),
                SeatKind::Human => seat.name.clone(),
            })
            .collect();
        let standing = match &view.outcome {
            None if view.seats.iter().any(|seat| seat.kind == SeatKind::Open) => {
                "Somebody waits for you to sit down.".to_owned()
            }
            None => format!("Turn {}.", view.turn),
            Some(outcome) if outcome.draw => "A draw.".to_owned(),
            Some(outcome) => {
                let winners = outcome
                    .won
                    .iter()
                    .filter_map(|side| names.get(usize::from(*side)));
                let winners: Vec<&str> = winners.map(String::as_str).collect();
                match winners.is_empty() {
                    true => "Nobody finished it.".to_owned(),
                    false => format!("Won by {}.", winners.join(", ")),
                }
            }
        };
        let names = match names.len() {
            0..=4 => names.join(" – "),
            count => format!("{} and {} others", names[0], count - 1),
        };
        Preview {
            title: format!("{names} · Noughts"),
            about: format!("{}. {standing}", game_in_words(&view.variant)),
            picture: format!("{origin}/game/{}/board.png?turn={}", view.id, view.turn),
            address: Some(format!("{origin}/game/{}", view.id)),
        }
    }
}

fn game_in_words(name: &str) -> String {
    match name {
        "3x3k3" => "Tic-tac-toe".to_owned(),
        "7x6k4+gravity" => "Connect Four".to_owned(),
        _ => match name.parse() {
            Ok(Variant::Nested(_)) if name.starts_with("multi") => {
                "Nine boards, most win".to_owned()
            }
            Ok(Variant::Nested(_)) => "Ultimate tic-tac-toe".to_owned(),
            Ok(Variant::Grid(spec)) => format!(
                "{} in a line on {} by {}",
                spec.line(),
                spec.columns(),
                spec.rows()
            ),
            Err(_) => name.to_owned(),
        },
    }
}

/// The address that the server was called by, where it looks like one.
fn origin(headers: &HeaderMap) -> Option<String> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    if host.is_empty() || host.len() > 255 || !host.bytes().all(is_plain) {
        return None;
    }
    let forwarded = headers
        .get("x-forwarded-proto")
        .and_then(|value| value.to_str().ok());
    let scheme = match forwarded {
        Some("https") => "https",
        Some(_) | None => "http",
    };
    Some(format!("{scheme}://{host}"))
}

impl fmt::Display for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (title, about) = (escaped(&self.title), escaped(&self.about));
        let picture = escaped(&self.picture);
        writeln!(f, "<title>{title}</title>")?;
        writeln!(f, "<meta name=\"description\" content=\"{about}\">")?;
        writeln!(f, "<meta property=\"og:site_name\" content=\"Noughts\">")?;
        writeln!(f, "<meta property=\"og:type\" content=\"website\">")?;
        writeln!(f, "<meta property=\"og:title\" content=\"{title}\">")?;
        writeln!(f, "<meta property=\"og:description\" content=\"{about}\">")?;
        if let Some(address) = &self.address {
            writeln!(
                f,
                "<meta property=\"og:url\" content=\"{}\">",
                escaped(address)
            )?;
            writeln!(f, "<meta property=\"og:image:width\" content=\"1200\">")?;
            writeln!(f, "<meta property=\"og:image:height\" content=\"630\">")?;
            writeln!(
                f,
                "<meta name=\"twitter:card\" content=\"summary_large_image\">"
            )?;
        }
        write!(f, "<meta property=\"og:image\" content=\"{picture}\">")
    }
}

/// As text within HTML, and within quotes there.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_api::{SeatView, Who, view_of};
    use noughts_rules::{Game, Options};

    fn called(host: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        headers
    }

    #[test]
    fn nothing_that_others_write_is_more_than_text() {
        let game = Game::new(&"3x3k3".parse().unwrap(), Options::default()).unwrap();
        let seat = |name: &str| SeatView {
            name: name.to_owned(),
            kind: SeatKind::Human,
            symbol: 'x',
            present: true,
        };
        let who = Who {
            id: "g".to_owned(),
            seats: vec![seat("\"><script>'&"), seat("")],
            rematch: None,
        };
        let preview = Preview::of_game(&called("a.example"), &view_of(&game, who)).to_string();
        assert!(preview.starts_with(
            "<title>&quot;&gt;&lt;script&gt;&#39;&amp; – player 2 · Noughts</title>\n"
        ));
        assert!(preview.contains("content=\"http://a.example/game/g\""));
        assert_eq!(preview.matches('<').count(), preview.lines().count() + 1);
    }

    #[test]
    fn a_host_that_is_none_is_not_repeated() {
        for host in ["a.example:8080", "[::1]:8080", "127.0.0.1"] {
            let origin = origin(&called(host));
            assert_eq!(origin, Some(format!("http://{host}")));
        }
        for host in ["a\"b", "a/b", "a b", "a@b", "<a>", ""] {
            assert_eq!(origin(&called(host)), None, "{host}");
        }
    }
}
