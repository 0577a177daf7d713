//! TLS for listeners: certificate and key from files, which can be read again while the server runs.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, RootCertStore, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::{NetStream, Permit, REFUSED_TIME};

/// Maximum time for the TLS handshake of a client that will be served.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// The files with the certificate and the key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlsFiles {
    /// The server's certificate, followed by the certificates of its issuers, in PEM format.
    pub certificate: PathBuf,
    /// The private key, in PEM format.
    pub key: PathBuf,
}

/// A configuration for TLS 1.2 and 1.3, with the current certificate and key.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    current: RwLock<Arc<ServerConfig>>,
}

/// Why a certificate and key cannot be used.
#[derive(Debug)]
pub enum TlsError {
    /// A file cannot be read.
    Unreadable(PathBuf, io::Error),
    /// The file is not in PEM format, or lacks the certificate or key.
    Missing(PathBuf, &'static str),
    /// The key belongs to another certificate.
    Mismatch(TlsFiles),
    /// The certificate has expired.
    Expired(PathBuf),
    /// The certificate is not valid yet.
    NotYetValid(PathBuf),
    /// The TLS library rejects the certificate or key for another reason.
    Unusable(PathBuf, rustls::Error),
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TlsError::Unreadable(path, error) => {
                write!(f, "cannot read {}: {error}", path.display())
            }
            TlsError::Missing(path, what) => {
                write!(f, "there is no {what} in PEM format in {}", path.display())
            }
            TlsError::Mismatch(files) => write!(
                f,
                "the key in {} does not belong to the certificate in {}",
                files.key.display(),
                files.certificate.display()
            ),
            TlsError::Expired(path) => {
                write!(f, "the certificate in {} has expired", path.display())
            }
            TlsError::NotYetValid(path) => write!(
                f,
                "the certificate in {} is not valid yet; is the clock of this machine right?",
                path.display()
            ),
            TlsError::Unusable(path, error) => {
                write!(
                    f,
                    "cannot use the certificate in {}: {error}",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for TlsError {}

impl Tls {
    /// Reads certificate and key.
    pub fn load(files: TlsFiles) -> Result<Tls, TlsError> {
        let current = RwLock::new(Arc::new(read_config(&files)?));
        Ok(Tls { files, current })
    }

    /// Reads the files again. New connections then use the new certificate. After an error, the old certificate stays
    /// in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let config = Arc::new(read_config(&self.files)?);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = config;
        Ok(())
    }

    fn acceptor(&self) -> TlsAcceptor {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(Arc::clone(&current))
    }
}

/// Performs the TLS handshake with a new client, if its listener has TLS. `None` if the handshake fails or takes too
/// long, for example because the client does not use TLS.
pub(crate) async fn open_stream<S>(
    stream: S,
    tls: Option<&Tls>,
    permit: &Permit,
) -> Option<NetStream<S>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let Some(tls) = tls else {
        return Some(NetStream::Plain(stream));
    };
    let limit = match permit.is_served() {
        true => HANDSHAKE_TIMEOUT,
        false => REFUSED_TIME,
    };
    let secured = timeout(limit, tls.acceptor().accept(stream)).await;
    Some(NetStream::Tls(Box::new(secured.ok()?.ok()?)))
}

fn read_config(files: &TlsFiles) -> Result<ServerConfig, TlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = read_chain(&files.certificate)?;
    let key = PrivateKeyDer::from_pem_file(&files.key);
    let key = key.map_err(|error| pem_error(&files.key, "private key", error))?;
    check_time(&files.certificate, &chain, &provider)?;
    let unusable = |error| TlsError::Unusable(files.certificate.clone(), error);
    // The versions are TLS 1.2 and 1.3; rustls supports no older versions.
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .with_no_client_auth()
        .with_single_cert(chain, key);
    config.map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => TlsError::Mismatch(files.clone()),
        error => unusable(error),
    })
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let wrong = |error| pem_error(path, "certificate", error);
    let chain = CertificateDer::pem_file_iter(path).map_err(wrong)?;
    let chain = chain.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    match chain.is_empty() {
        true => Err(TlsError::Missing(path.to_owned(), "certificate")),
        false => Ok(chain),
    }
}

fn pem_error(path: &Path, what: &'static str, error: pem::Error) -> TlsError {
    match error {
        pem::Error::Io(error) => TlsError::Unreadable(path.to_owned(), error),
        _ => TlsError::Missing(path.to_owned(), what),
    }
}

/// Refuses a certificate that no client would accept, because it has expired or is not valid yet. Other checks depend
/// on the client: on its certificate authorities, and on the name that it connects to.
fn check_time(
    path: &Path,
    chain: &[CertificateDer<'static>],
    provider: &Arc<CryptoProvider>,
) -> Result<(), TlsError> {
    let unusable = |error| TlsError::Unusable(path.to_owned(), error);
    let Some((leaf, issuers)) = chain.split_first() else {
        return Ok(());
    };
    let mut roots = RootCertStore::empty();
    roots.add(leaf.clone()).map_err(unusable)?;
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
    let verifier = verifier.build();
    let verifier = verifier.map_err(|error| unusable(rustls::Error::General(error.to_string())))?;
    let name = ServerName::try_from("localhost")
        .map_err(|error| unusable(rustls::Error::General(error.to_string())))?;
    match verifier.verify_server_cert(leaf, issuers, &name, &[], UnixTime::now()) {
        Err(rustls::Error::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. },
        )) => Err(TlsError::Expired(path.to_owned())),
        Err(rustls::Error::InvalidCertificate(
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. },
        )) => Err(TlsError::NotYetValid(path.to_owned())),
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use rustls::server::ResolvesServerCertUsingSni;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    use super::*;
    use crate::net::{ConnectionLimits, Connections, WhenFull};

    /// TLS without a certificate: a handshake begins, but cannot succeed.
    fn tls() -> Tls {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(ResolvesServerCertUsingSni::new()));
        Tls {
            files: TlsFiles {
                certificate: PathBuf::new(),
                key: PathBuf::new(),
            },
            current: RwLock::new(Arc::new(config)),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_client_has_a_time_for_its_handshake() {
        let limits = ConnectionLimits {
            connections: 1,
            ..ConnectionLimits::default()
        };
        let connections = Arc::new(Connections::new(limits, &[]));
        for limit in [HANDSHAKE_TIMEOUT, REFUSED_TIME] {
            // The first connection is served, the second is refused.
            let permit = connections
                .admit([127, 0, 0, 1].into(), WhenFull::Refuse)
                .unwrap();
            let (near, _far) = duplex(1024);
            let begun = Instant::now();
            assert!(open_stream(near, Some(&tls()), &permit).await.is_none());
            assert_eq!(begun.elapsed().as_secs(), limit.as_secs());
            std::mem::forget(permit);
        }
    }

    #[tokio::test]
    async fn another_protocol_is_closed_at_once() {
        let connections = Arc::new(Connections::new(ConnectionLimits::default(), &[]));
        let permit = connections
            .admit([127, 0, 0, 1].into(), WhenFull::Refuse)
            .unwrap();
        let (near, mut far) = duplex(1024);
        far.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .await
            .unwrap();
        assert!(open_stream(near, Some(&tls()), &permit).await.is_none());
        let mut alert = Vec::new();
        far.read_to_end(&mut alert).await.unwrap();
        // A TLS record of type alert.
        assert_eq!(alert.first(), Some(&21));
    }
}
