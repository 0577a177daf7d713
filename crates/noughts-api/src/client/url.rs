//! Where a server is, and which of its games is meant.

use std::fmt;
use std::str::FromStr;

/// The address of a server, and perhaps of a game there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerUrl {
    /// A name or an address; one of the newer kind without its brackets.
    pub host: String,
    /// 80 where none is said.
    pub port: u16,
    /// A game's id, where there is one in the path or behind the `#`.
    pub game: Option<String>,
}

/// Why a text is no such address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UrlError {
    /// It is of another kind.
    Scheme,
    /// It is encrypted, which this client does not speak.
    Encrypted,
    /// There is no host in it, or the port is none.
    Host,
}

/// The length of a game's id, and its letters: digits and capitals.
const ID: usize = 26;

impl FromStr for ServerUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<ServerUrl, UrlError> {
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            Some(("https", _)) => return Err(UrlError::Encrypted),
            Some(_) => return Err(UrlError::Scheme),
            None => text,
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
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '@' | '\\');
        if host.is_empty() || host.contains(is_odd) {
            return Err(UrlError::Host);
        }
        let port = match port {
            None => 80,
            Some(port) => port.parse().map_err(|_| UrlError::Host)?,
        };
        let is_id = |word: &&str| word.len() == ID;
        let mut words = path.split(|c: char| !c.is_ascii_alphanumeric());
        Ok(ServerUrl {
            host: host.to_owned(),
            port,
            game: words.find(is_id).map(str::to_owned),
        })
    }
}

impl ServerUrl {
    /// As a request names it.
    pub(super) fn authority(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.authority())?;
        match &self.game {
            Some(game) => write!(f, "/api/games/{game}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UrlError::Scheme => "an address begins with http://",
            UrlError::Encrypted => {
                "https:// is not spoken here: ask the server itself, or through a tunnel, with http://"
            }
            UrlError::Host => "an address is http://HOST:PORT, with a game's id behind it or not",
        })
    }
}

impl std::error::Error for UrlError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_the_game_in_them() {
        let id = "0123456789ABCDEFGHJKMNPQRS";
        for (text, host, port, game) in [
            ("http://localhost:8080", "localhost", 8080, None),
            ("localhost", "localhost", 80, None),
            ("http://[::1]:8080/", "::1", 8080, None),
            (&format!("http://h:1/api/games/{id}"), "h", 1, Some(id)),
            (
                &format!("http://h:1/api/games/{id}/events"),
                "h",
                1,
                Some(id),
            ),
            (&format!("h:1/#/play/{id}"), "h", 1, Some(id)),
            (&format!("http://h/?game={id}"), "h", 80, Some(id)),
        ] {
            let url: ServerUrl = text.parse().unwrap();
            assert_eq!((url.host.as_str(), url.port), (host, port), "{text}");
            assert_eq!(url.game.as_deref(), game, "{text}");
            assert_eq!(url.to_string().parse::<ServerUrl>(), Ok(url));
        }
        for (text, why) in [
            ("https://h", UrlError::Encrypted),
            ("ftp://h", UrlError::Scheme),
            ("http://", UrlError::Host),
            ("http://h:port", UrlError::Host),
            ("http://[::1", UrlError::Host),
            ("http://a b/", UrlError::Host),
            ("http://h\r\nX: y/", UrlError::Host),
            ("http://user@h/", UrlError::Host),
        ] {
            assert_eq!(text.parse::<ServerUrl>(), Err(why), "{text}");
        }
    }
}
