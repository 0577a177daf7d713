//! The texts of link previews and of the app's manifest, in every language of the web page. Programs that
//! show a preview do not run the page's scripts, so the server needs its own copy of these texts. All texts
//! of the page are in `web/i18n`.

use axum::http::{HeaderMap, header};

/// The texts in one language. Each `{}` is replaced by a value, in order.
pub(super) struct Translation {
    /// The language tag, such as `en`. The page's texts in this language are in `web/i18n/en.js`.
    pub(super) tag: &'static str,
    pub(super) site: &'static str,
    /// The name of a link in the app's manifest. The fields `watch` and `my_games` are such names too.
    pub(super) all_games: &'static str,
    pub(super) watch: &'static str,
    pub(super) my_games: &'static str,
    pub(super) open_seat: &'static str,
    pub(super) computer: &'static str,
    pub(super) player: &'static str,
    /// The name with which the page registers players who have not chosen a name (`guest` in `web/i18n`).
    guest: &'static str,
    /// The title of a game with an open seat. Its values are the name of a seated player and the name of the game.
    pub(super) invites: &'static str,
    /// The title of a game with an open seat if no seated player has chosen a name. Its value is the name of the game.
    pub(super) invited: &'static str,
    pub(super) waiting: &'static str,
    pub(super) turn: &'static str,
    pub(super) draw: &'static str,
    pub(super) abandoned: &'static str,
    pub(super) won: &'static str,
    pub(super) tic_tac_toe: &'static str,
    pub(super) connect_four: &'static str,
    pub(super) multi: &'static str,
    pub(super) ultimate: &'static str,
    pub(super) grid: &'static str,
}

/// All languages. The first is the default.
const TRANSLATIONS: [Translation; 4] = [
    Translation {
        tag: "en",
        site: "Every game of the tic-tac-toe family: against the computer, a friend, or an opponent from the lobby.",
        all_games: "All games",
        watch: "Watch",
        my_games: "My games",
        open_seat: "Open seat",
        computer: "Computer",
        player: "Player {}",
        guest: "Guest",
        invites: "{} invites you to play {}",
        invited: "You are invited to play {}",
        waiting: "A player is waiting for you.",
        turn: "Turn {}.",
        draw: "A draw.",
        abandoned: "Everybody left.",
        won: "Won by {}.",
        tic_tac_toe: "Tic-tac-toe",
        connect_four: "Connect Four",
        multi: "Nine boards, most win",
        ultimate: "Ultimate tic-tac-toe",
        grid: "{} in a row, {} × {}",
    },
    Translation {
        tag: "ca",
        site: "Tots els jocs de la família del tres en ratlla: contra l'ordinador, amb amics o amb qui esperi.",
        all_games: "Tots els jocs",
        watch: "Mira",
        my_games: "Les meves partides",
        open_seat: "Lloc lliure",
        computer: "Ordinador",
        player: "Jugador {}",
        guest: "Convidat",
        invites: "{} et convida a jugar: {}",
        invited: "Et conviden a jugar: {}",
        waiting: "Algú espera que t'asseguis.",
        turn: "Torn {}.",
        draw: "Taules.",
        abandoned: "Tothom ha marxat.",
        won: "Guanya: {}.",
        tic_tac_toe: "Tres en ratlla",
        connect_four: "Quatre en línia",
        multi: "Nou taulers, guanya qui en té més",
        ultimate: "Ultimate, nou taulers",
        grid: "{} en ratlla, {} × {}",
    },
    Translation {
        tag: "cs",
        site: "Všechny hry z rodiny piškvorek: proti počítači, s přítelem i s tím, kdo právě čeká.",
        all_games: "Všechny hry",
        watch: "Sledovat",
        my_games: "Moje partie",
        open_seat: "Volné místo",
        computer: "Počítač",
        player: "Hráč {}",
        guest: "Host",
        invites: "{} vás zve ke hře: {}",
        invited: "Jste zváni ke hře: {}",
        waiting: "Někdo čeká, až si přisednete.",
        turn: "{}. tah.",
        draw: "Remíza.",
        abandoned: "Všichni odešli.",
        won: "Vyhrává: {}.",
        tic_tac_toe: "Piškvorky 3 × 3",
        connect_four: "Čtyři v řadě s padáním",
        multi: "Devět desek, vyhrává, kdo jich má víc",
        ultimate: "Ultimate, devět desek",
        grid: "{} v řadě, {} × {}",
    },
    Translation {
        tag: "fr",
        site: "Tous les jeux de la famille du morpion : contre l'ordinateur, un ami ou qui attend.",
        all_games: "Tous les jeux",
        watch: "Regarder",
        my_games: "Mes parties",
        open_seat: "Place libre",
        computer: "Ordinateur",
        player: "Joueur {}",
        guest: "Invité",
        invites: "{} vous invite à jouer : {}",
        invited: "On vous invite à jouer : {}",
        waiting: "Quelqu'un vous attend à la table.",
        turn: "Tour {}.",
        draw: "Partie nulle.",
        abandoned: "Tout le monde est parti.",
        won: "Victoire : {}.",
        tic_tac_toe: "Morpion",
        connect_four: "Puissance 4",
        multi: "Neuf grilles, qui en a le plus gagne",
        ultimate: "Ultimate, neuf grilles",
        grid: "{} alignés, {} × {}",
    },
];

/// Whether a player has chosen this name: it is not empty, and it is not the name for guests in any language.
pub(super) fn is_chosen_name(name: &str) -> bool {
    !name.is_empty() && TRANSLATIONS.iter().all(|texts| texts.guest != name)
}

/// The texts in the language that `Accept-Language` prefers; the default language if the header lists no
/// known language.
pub(super) fn preferred_language(headers: &HeaderMap) -> &'static Translation {
    let values = headers.get_all(header::ACCEPT_LANGUAGE);
    let mut best: (&Translation, f32) = (&TRANSLATIONS[0], 0.0);
    for language_range in values
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
    {
        let mut parts = language_range.split(';').map(str::trim);
        let tag = parts.next().unwrap_or_default();
        let language = tag.split('-').next().unwrap_or_default();
        let weight = parts
            .find_map(|part| part.strip_prefix("q="))
            .map_or(1.0, |weight| weight.parse().unwrap_or(0.0));
        let known = TRANSLATIONS
            .iter()
            .find(|words| words.tag.eq_ignore_ascii_case(language));
        // If two languages have the same weight, the first language in the header is used.
        if let Some(words) = known.filter(|_| weight > best.1) {
            best = (words, weight);
        }
    }
    best.0
}

/// Replaces each `{}` by the next value.
pub(super) fn fill(text: &str, values: &[&str]) -> String {
    let mut parts = text.split("{}");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for (part, value) in parts.zip(values) {
        filled.push_str(value);
        filled.push_str(part);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferred_language_is_chosen() {
        for (header, tag) in [
            ("fr", "fr"),
            ("fr-CA,en;q=0.8", "fr"),
            ("de-AT, en;q=0.5, cs;q=0.7", "cs"),
            ("en, fr", "en"),
            ("ca;q=0, fr;q=0.1", "fr"),
            ("CA-valencia", "ca"),
            ("de", "en"),
            ("", "en"),
            ("cs;q=x", "en"),
            (";;,,;q=1", "en"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, header.parse().unwrap());
            assert_eq!(preferred_language(&headers).tag, tag, "{header}");
        }
        assert_eq!(preferred_language(&HeaderMap::new()).tag, "en");
    }

    #[test]
    fn every_language_of_the_page_is_translated() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/i18n");
        let mut there: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        there.sort();
        let mut known = TRANSLATIONS.map(|words| format!("{}.js", words.tag));
        known.sort();
        assert_eq!(there, known);
    }

    #[test]
    fn filled_values_are_not_replaced_again() {
        assert_eq!(fill("{} of {}", &["{}", "b"]), "{} of b");
    }
}
