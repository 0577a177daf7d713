//! The metadata that messengers and social networks show for a link: title, description, image.

mod translations;

use std::fmt;

use axum::http::{HeaderMap, header};
use noughts_api::{Outcome, SeatKind, View};
use noughts_rules::Variant;

use translations::{Translation, fill, is_chosen_name, preferred_language};

/// The link preview of one page of the site, in one language.
pub(in crate::http) struct LinkPreview {
    /// The language tag, such as `en`.
    tag: &'static str,
    title: String,
    description: String,
    /// URL of the image, absolute if the request has a valid `Host`.
    image: String,
    url: Option<String>,
}

/// Maximum number of names in a title.
const MAX_NAMES: usize = 4;

impl LinkPreview {
    /// The metadata for every page except the pages of games. If a game cannot be read, its page gets this
    /// metadata too.
    pub(in crate::http) fn of_site(headers: &HeaderMap) -> LinkPreview {
        let texts = preferred_language(headers);
        LinkPreview {
            tag: texts.tag,
            title: "Noughts".to_owned(),
            description: texts.site.to_owned(),
            image: format!("{}/icon/512.png", origin(headers).unwrap_or_default()),
            url: None,
        }
    }

    /// The metadata for a game.
    pub(in crate::http) fn of_game(headers: &HeaderMap, view: &View) -> LinkPreview {
        let texts = preferred_language(headers);
        let origin = origin(headers).unwrap_or_default();
        let names: Vec<String> = view
            .seats
            .iter()
            .zip(1_u32..)
            .map(|(seat, number)| match seat.kind {
                SeatKind::Open => texts.open_seat.to_owned(),
                SeatKind::Robot => texts.computer.to_owned(),
                SeatKind::Human if is_chosen_name(&seat.name) => seat.name.clone(),
                SeatKind::Human => fill(texts.player, &[&number.to_string()]),
            })
            .collect();
        let game = variant_name(texts, &view.variant);
        let title = match is_waiting(view) {
            true => invitation(texts, view, &game),
            false => {
                let more = if names.len() > MAX_NAMES { " …" } else { "" };
                names[..names.len().min(MAX_NAMES)].join(" – ") + more
            }
        };
        LinkPreview {
            tag: texts.tag,
            title: format!("{title} · Noughts"),
            description: format!("{game}. {}", state_text(texts, view, &names)),
            image: format!("{origin}/game/{}/board.png?turn={}", view.id, view.turn),
            url: Some(format!("{origin}/game/{}", view.id)),
        }
    }

    /// The language tag, such as `en`.
    pub(in crate::http) fn tag(&self) -> &'static str {
        self.tag
    }
}

/// The placeholders of the app's manifest, with their texts in the language of the request.
pub(super) fn manifest_texts(headers: &HeaderMap) -> [(&'static str, &'static str); 5] {
    let texts = preferred_language(headers);
    [
        ("%LANGUAGE%", texts.tag),
        ("%DESCRIPTION%", texts.site),
        ("%ALL_GAMES%", texts.all_games),
        ("%WATCH%", texts.watch),
        ("%MY_GAMES%", texts.my_games),
    ]
}

/// Whether a player can still take a seat.
fn is_waiting(view: &View) -> bool {
    view.outcome.is_none() && view.seats.iter().any(|seat| seat.kind == SeatKind::Open)
}

/// The title of a game with an open seat.
fn invitation(texts: &Translation, view: &View, game: &str) -> String {
    let humans = view
        .seats
        .iter()
        .filter(|seat| seat.kind == SeatKind::Human);
    let mut hosts = humans.filter(|seat| is_chosen_name(&seat.name));
    match hosts.next() {
        Some(host) => fill(texts.invites, &[&host.name, game]),
        None => fill(texts.invited, &[game]),
    }
}

/// The state of a game, in a sentence.
fn state_text(texts: &Translation, view: &View, names: &[String]) -> String {
    let Some(outcome) = &view.outcome else {
        return match is_waiting(view) {
            true => texts.waiting.to_owned(),
            false => fill(texts.turn, &[&view.turn.to_string()]),
        };
    };
    match outcome {
        Outcome::Draw { .. } => texts.draw.to_owned(),
        Outcome::Won { sides, .. } => {
            let names = sides
                .iter()
                .filter_map(|side| names.get(usize::from(*side)));
            let winners: Vec<&str> = names.map(String::as_str).collect();
            fill(texts.won, &[&winners.join(", ")])
        }
        // Abandoned and aborted games, and results that later versions add.
        _ => texts.abandoned.to_owned(),
    }
}

fn variant_name(texts: &Translation, name: &str) -> String {
    match (name, name.parse()) {
        ("3x3k3", _) => texts.tic_tac_toe.to_owned(),
        ("7x6k4+gravity", _) => texts.connect_four.to_owned(),
        (_, Ok(Variant::Nested(_))) if name.starts_with("multi") => texts.multi.to_owned(),
        (_, Ok(Variant::Nested(_))) => texts.ultimate.to_owned(),
        (_, Ok(Variant::Grid(spec))) => {
            let sizes = [spec.line(), spec.columns(), spec.rows()].map(|size| size.to_string());
            fill(texts.grid, &sizes.each_ref().map(String::as_str))
        }
        (_, Err(_)) => name.to_owned(),
    }
}

/// The scheme and host of the request; `None` if the header `Host` is missing or not valid.
pub(super) fn origin(headers: &HeaderMap) -> Option<String> {
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

impl fmt::Display for LinkPreview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (title, description) = (escaped(&self.title), escaped(&self.description));
        let image = escaped(&self.image);
        writeln!(f, "<title>{title}</title>")?;
        writeln!(f, "<meta name=\"description\" content=\"{description}\">")?;
        writeln!(f, "<meta property=\"og:site_name\" content=\"Noughts\">")?;
        writeln!(f, "<meta property=\"og:type\" content=\"website\">")?;
        writeln!(f, "<meta property=\"og:title\" content=\"{title}\">")?;
        writeln!(
            f,
            "<meta property=\"og:description\" content=\"{description}\">"
        )?;
        if let Some(url) = &self.url {
            writeln!(f, "<meta property=\"og:url\" content=\"{}\">", escaped(url))?;
            writeln!(f, "<meta property=\"og:image:width\" content=\"1200\">")?;
            writeln!(f, "<meta property=\"og:image:height\" content=\"630\">")?;
            writeln!(
                f,
                "<meta name=\"twitter:card\" content=\"summary_large_image\">"
            )?;
        }
        write!(f, "<meta property=\"og:image\" content=\"{image}\">")
    }
}

/// Escapes text for HTML, also inside quotes.
pub(super) fn escaped(text: &str) -> String {
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
    use noughts_api::{OpenSeat, SeatView, TableInfo};
    use noughts_rules::{Game, Options};

    fn called(host: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        headers
    }

    /// The preview of a new game in this language.
    fn shown(names: [&str; 2], language: &str) -> String {
        preview(names.map(|name| SeatView::human(0, name, true)), language)
    }

    fn preview(seats: [SeatView; 2], language: &str) -> String {
        let game = Game::new(&"3x3k3".parse().unwrap(), Options::default()).unwrap();
        let who = TableInfo {
            entry: 0,
            id: "g".to_owned(),
            seats: seats.to_vec(),
            offers: Vec::new(),
            clock: None,
            rematch: None,
        };
        let mut headers = called("a.example");
        headers.insert(header::ACCEPT_LANGUAGE, language.parse().unwrap());
        LinkPreview::of_game(&headers, &View::new(&game.view(), who)).to_string()
    }

    #[test]
    fn names_are_escaped() {
        let preview = shown(["\"><script>'&", ""], "en");
        assert!(preview.starts_with(
            "<title>&quot;&gt;&lt;script&gt;&#39;&amp; – Player 2 · Noughts</title>\n"
        ));
        assert!(preview.contains("content=\"http://a.example/game/g\""));
        assert_eq!(preview.matches('<').count(), preview.lines().count() + 1);
    }

    #[test]
    fn preview_is_in_the_language_of_the_request() {
        let preview = shown(["Žofie", ""], "cs,en;q=0.5");
        assert!(preview.starts_with("<title>Žofie – Hráč 2 · Noughts</title>\n"));
        assert!(preview.contains("\"Piškvorky 3 × 3. 1. tah.\""));
    }

    #[test]
    fn an_open_seat_is_an_invitation() {
        let title = |name: &str, language: &str| {
            let open = SeatView::open(1, OpenSeat::Link);
            let text = preview([SeatView::human(0, name, true), open], language);
            let (title, _) = text.split_once(" · Noughts</title>").unwrap();
            title.strip_prefix("<title>").unwrap().to_owned()
        };
        assert_eq!(title("Ann", "en"), "Ann invites you to play Tic-tac-toe");
        assert_eq!(title("Ann", "cs"), "Ann vás zve ke hře: Piškvorky 3 × 3");
        // If a player has chosen no name, the page registers the player as "guest" in the language of the page.
        for unnamed in ["", "Guest", "Convidat", "Host", "Invité"] {
            let expected = "On vous invite à jouer : Morpion";
            assert_eq!(title(unnamed, "fr"), expected, "{unnamed}");
        }
    }

    #[test]
    fn invalid_host_is_not_repeated() {
        for host in ["a.example:8080", "[::1]:8080", "127.0.0.1"] {
            let origin = origin(&called(host));
            assert_eq!(origin, Some(format!("http://{host}")));
        }
        for host in ["a\"b", "a/b", "a b", "a@b", "<a>", ""] {
            assert_eq!(origin(&called(host)), None, "{host}");
        }
    }
}
