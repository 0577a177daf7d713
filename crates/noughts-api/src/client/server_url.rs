//! The address of a server, optionally with one of its games.

use std::fmt;
use std::str::FromStr;

/// The address of a server, optionally with one of its games.
///
/// ```
/// use noughts_api::{Scheme, ServerUrl};
///
/// let url: ServerUrl = "https://games.example.org/game/0123456789ABCDEFGHJKMNPQRS".parse()?;
/// assert_eq!((url.scheme, url.port), (Scheme::Https, 443));
/// assert_eq!(url.game.as_deref(), Some("0123456789ABCDEFGHJKMNPQRS"));
/// # Ok::<(), noughts_api::UrlError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerUrl {
    /// HTTP, which is the default, or HTTPS.
    pub scheme: Scheme,
    /// A host name or an IP address; IPv6 without brackets.
    pub host: String,
    /// The default is 80 for HTTP and 443 for HTTPS.
    pub port: u16,
    /// The id of a game, if the path, the query or the fragment contains one.
    pub game: Option<String>,
}

/// How the server is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Without encryption.
    Http,
    /// Over TLS.
    Https,
}

/// Why a text is not the address of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum UrlError {
    /// The scheme is neither `http` nor `https`.
    Scheme,
    /// The host is missing or invalid, or the port is not a number.
    Host,
    /// The text after the host does not contain the id of a game.
    Path,
}

/// Number of characters in the id of a game.
const GAME_ID_LENGTH: usize = 26;

impl FromStr for ServerUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<ServerUrl, UrlError> {
        let (scheme, rest) = match text.split_once("://") {
            Some(("http", rest)) => (Scheme::Http, rest),
            Some(("https", rest)) => (Scheme::Https, rest),
            Some(_) => return Err(UrlError::Scheme),
            None => (Scheme::Http, text),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = rest.split_once(']').ok_or(UrlError::Host)?;
                (host, port.strip_prefix(':'))
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        let is_invalid =
            |c: char| c.is_whitespace() || c.is_control() || matches!(c, '@' | '\\' | '[' | ']');
        if host.is_empty() || host.contains(is_invalid) {
            return Err(UrlError::Host);
        }
        let port = match (port, scheme) {
            (Some(port), _) => port.parse().map_err(|_| UrlError::Host)?,
            (None, Scheme::Http) => 80,
            (None, Scheme::Https) => 443,
        };
        let mut words = path.split(|c: char| !c.is_ascii_alphanumeric());
        let game = words.find(|word| word.len() == GAME_ID_LENGTH);
        if game.is_none() && !matches!(path, "" | "/") {
            return Err(UrlError::Path);
        }
        Ok(ServerUrl {
            scheme,
            host: host.to_owned(),
            port,
            game: game.map(str::to_owned),
        })
    }
}

impl ServerUrl {
    /// Scheme, host and port: `http://localhost:8080`.
    pub(super) fn origin(&self) -> String {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        match self.host.contains(':') {
            true => format!("{scheme}://[{}]:{}", self.host, self.port),
            false => format!("{scheme}://{}:{}", self.host, self.port),
        }
    }
}

/// Displays the address of the game's page, or of the server's page if there is no game.
impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin())?;
        match &self.game {
            Some(game) => write!(f, "/game/{game}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UrlError::Scheme => "an address begins with http:// or https://",
            UrlError::Host => "an address is http://HOST:PORT or https://HOST:PORT, optionally with a game's id after it",
            UrlError::Path => "this address contains no game: the link of a game ends with /game/ and 26 letters and digits, the address of a server with its port",
        })
    }
}

impl std::error::Error for UrlError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_scheme_host_port_and_game() {
        let id = "0123456789ABCDEFGHJKMNPQRS";
        let http = Scheme::Http;
        for (text, scheme, host, port, game) in [
            ("http://localhost:8080", http, "localhost", 8080, None),
            ("localhost", http, "localhost", 80, None),
            ("https://localhost", Scheme::Https, "localhost", 443, None),
            ("https://[::1]:8443/", Scheme::Https, "::1", 8443, None),
            ("http://[::1]:8080/", http, "::1", 8080, None),
            (
                &format!("http://h:1/api/games/{id}"),
                http,
                "h",
                1,
                Some(id),
            ),
            (
                &format!("http://h:1/api/games/{id}/events"),
                http,
                "h",
                1,
                Some(id),
            ),
            (&format!("h:1/#/play/{id}"), http, "h", 1, Some(id)),
            (&format!("http://h/?game={id}"), http, "h", 80, Some(id)),
        ] {
            let url: ServerUrl = text.parse().unwrap();
            assert_eq!(
                (url.scheme, url.host.as_str(), url.port),
                (scheme, host, port),
                "{text}"
            );
            assert_eq!(url.game.as_deref(), game, "{text}");
            assert_eq!(url.to_string().parse::<ServerUrl>(), Ok(url));
        }
    }

    #[test]
    fn rejects_other_schemes_and_invalid_hosts() {
        for (text, why) in [
            ("ftp://h", UrlError::Scheme),
            ("http://", UrlError::Host),
            ("https://", UrlError::Host),
            ("http://h:port", UrlError::Host),
            ("http://[::1", UrlError::Host),
            ("http://[[a]/", UrlError::Host),
            ("http://a b/", UrlError::Host),
            ("http://h\r\nX: y/", UrlError::Host),
            ("http://user@h/", UrlError::Host),
            ("http://h/foo", UrlError::Path),
            ("http://h/game/", UrlError::Path),
            // The id has one character too few, or one too many.
            ("http://h/game/0123456789ABCDEFGHJKMNPQR", UrlError::Path),
            ("http://h/game/0123456789ABCDEFGHJKMNPQRST", UrlError::Path),
        ] {
            assert_eq!(text.parse::<ServerUrl>(), Err(why), "{text}");
        }
    }
}
