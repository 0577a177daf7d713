//! Why a request failed.

use std::fmt;
use std::io;

use crate::problem::Problem;

/// Why a request failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The server cannot be reached, or the connection was lost. A later attempt may succeed.
    Unreachable(io::Error),
    /// No secure connection could be made, for example because the server's certificate is not trusted.
    Tls(String),
    /// The server refused the request; the problem says why.
    Refused(Problem),
    /// The response has a form that a Noughts server does not send.
    UnexpectedResponse(String),
    /// A token contains characters other than visible ASCII.
    InvalidToken,
    /// The additional certificate cannot be parsed.
    InvalidCertificate(String),
}

impl ClientError {
    pub(super) fn unexpected(error: impl fmt::Display) -> ClientError {
        ClientError::UnexpectedResponse(error.to_string())
    }
}

impl From<ureq::Error> for ClientError {
    fn from(error: ureq::Error) -> ClientError {
        let other = |kind, error: ureq::Error| io::Error::new(kind, error.to_string());
        match error {
            ureq::Error::Io(error) => ClientError::from(error),
            ureq::Error::Rustls(error) => ClientError::Tls(error.to_string()),
            ureq::Error::Tls(why) => ClientError::Tls(why.to_owned()),
            ureq::Error::Timeout(_) => ClientError::Unreachable(io::ErrorKind::TimedOut.into()),
            error @ ureq::Error::HostNotFound => {
                ClientError::Unreachable(other(io::ErrorKind::NotFound, error))
            }
            error @ (ureq::Error::ConnectionFailed | ureq::Error::ConnectProxyFailed(_)) => {
                ClientError::Unreachable(other(io::ErrorKind::ConnectionRefused, error))
            }
            error => ClientError::unexpected(error),
        }
    }
}

impl From<io::Error> for ClientError {
    fn from(error: io::Error) -> ClientError {
        let tls = error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<rustls::Error>());
        match tls {
            Some(tls) => ClientError::Tls(tls.to_string()),
            None => ClientError::Unreachable(error),
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Unreachable(error) => write!(f, "cannot reach the server: {error}"),
            ClientError::Tls(why) => write!(f, "no secure connection to the server: {why}"),
            ClientError::Refused(problem) => f.write_str(&problem.detail),
            ClientError::UnexpectedResponse(why) => write!(f, "not a Noughts server: {why}"),
            ClientError::InvalidToken => {
                f.write_str("a token consists of visible ASCII characters")
            }
            ClientError::InvalidCertificate(why) => write!(f, "not a certificate: {why}"),
        }
    }
}

impl std::error::Error for ClientError {}
