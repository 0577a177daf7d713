//! Splits a TLS connection into a reader and a writer that two threads can use.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noughts_rules::Quoted;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use crate::Failure;

/// Maximum time to wait for each part of the server's handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the certificate authorities of the system, and those of a PEM file.
pub(crate) fn authorities(cacert: Option<&Path>) -> Result<RootCertStore, Failure> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let Some(path) = cacert else {
        return Ok(roots);
    };
    let text = path.to_string_lossy();
    let failed = |why: &dyn std::fmt::Display| {
        let path = Quoted::from(&*text);
        Failure::invalid(format_args!("cannot use {path} (--cacert): {why}"))
    };
    let pem = std::fs::read(path).map_err(|error| failed(&error))?;
    let mut is_empty = true;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| failed(&error))?;
        roots.add(certificate).map_err(|error| failed(&error))?;
        is_empty = false;
    }
    match is_empty {
        true => Err(failed(&"no certificate in PEM format")),
        false => Ok(roots),
    }
}

/// Performs the TLS handshake with the server `host`, and returns both directions of the connection.
pub(crate) fn open(
    host: &str,
    stream: TcpStream,
    authorities: RootCertStore,
) -> Result<(TlsReader, TlsWriter), Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::invalid(format_args!(
            "cannot use TLS with {}: {error}; --cacert FILE adds a certificate to those that are trusted",
            Quoted::from(host)
        ))
    };
    let name = ServerName::try_from(host.to_owned()).map_err(|error| wrong(&error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(&error))?
        .with_root_certificates(authorities)
        .with_no_client_auth();
    let session = ClientConnection::new(Arc::new(config), name);
    let mut session = session.map_err(|error| wrong(&error))?;
    let mut socket = &stream;
    stream.set_read_timeout(Some(HANDSHAKE_TIMEOUT))?;
    while session.is_handshaking() {
        session
            .complete_io(&mut socket)
            .map_err(|error| match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                    wrong(&"the server does not answer the handshake")
                }
                io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => {
                    wrong(&"the server closed the connection; is this the port of a TLS listener?")
                }
                _ => wrong(&error),
            })?;
    }
    stream.set_read_timeout(None)?;
    let shared = Arc::new(Shared {
        session: Mutex::new(session),
        socket: stream.try_clone()?,
    });
    let reader = TlsReader {
        shared: Arc::clone(&shared),
        socket: stream,
    };
    Ok((reader, TlsWriter(shared)))
}

/// The TLS session, which the reading and the writing thread share. No thread holds the lock while it waits for data
/// from the network.
struct Shared {
    session: Mutex<ClientConnection>,
    socket: TcpStream,
}

impl Shared {
    fn session(&self) -> MutexGuard<'_, ClientConnection> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the encrypted bytes of the session.
    fn send(&self, session: &mut ClientConnection) -> io::Result<()> {
        let mut socket = &self.socket;
        while session.wants_write() {
            session.write_tls(&mut socket)?;
        }
        Ok(())
    }
}

/// Reads and decrypts data from the server.
pub(crate) struct TlsReader {
    shared: Arc<Shared>,
    socket: TcpStream,
}

impl Read for TlsReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.shared.session().reader().read(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // The server ended without closing the TLS session, for example because it was killed. This counts as
                // the end of the stream.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                read => return read,
            }
            let mut received = [0; 4096];
            let count = self.socket.read(&mut received)?;
            let mut session = self.shared.session();
            let mut received = &received[..count];
            // The loop runs at least once: at the end of the stream, an empty read tells the session about the end.
            loop {
                session.read_tls(&mut received)?;
                let processed = session.process_new_packets();
                processed.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
                if received.is_empty() {
                    break;
                }
            }
            self.shared.send(&mut session)?;
        }
    }
}

/// Encrypts data and sends it to the server. Dropping the writer tells the server that no more data follows.
pub(crate) struct TlsWriter(Arc<Shared>);

impl Write for TlsWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut session = self.0.session();
        let count = session.writer().write(bytes)?;
        self.0.send(&mut session)?;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for TlsWriter {
    fn drop(&mut self) {
        let mut session = self.0.session();
        session.send_close_notify();
        let _ = self.0.send(&mut session);
        let _ = self.0.socket.shutdown(Shutdown::Write);
    }
}
