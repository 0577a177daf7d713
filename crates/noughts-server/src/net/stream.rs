//! A connection with or without TLS.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

/// A connection with or without TLS.
#[derive(Debug)]
pub(crate) enum NetStream<S = TcpStream> {
    Plain(S),
    /// A TLS connection after its handshake.
    Tls(Box<TlsStream<S>>),
}

impl NetStream {
    /// The underlying socket.
    pub(crate) fn socket(&self) -> &TcpStream {
        match self {
            NetStream::Plain(stream) => stream,
            NetStream::Tls(stream) => stream.get_ref().0,
        }
    }

    /// Writes as many bytes as possible without waiting, and returns their number. Fails with
    /// [`io::ErrorKind::WouldBlock`] if no byte can be written now.
    pub(crate) fn try_write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let stream = match self {
            NetStream::Plain(stream) => return stream.try_write(bytes),
            NetStream::Tls(stream) => Pin::new(&mut **stream),
        };
        // No waker is needed: the caller waits with `poll_write_ready`.
        match stream.poll_write(&mut Context::from_waker(Waker::noop()), bytes) {
            Poll::Ready(written) => written,
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Sends encrypted bytes that were not sent yet. Returns false if some of them cannot be sent without waiting.
    pub(crate) fn try_flush(&mut self) -> io::Result<bool> {
        match self {
            NetStream::Plain(_) => Ok(true),
            NetStream::Tls(stream) => {
                let mut context = Context::from_waker(Waker::noop());
                match Pin::new(&mut **stream).poll_flush(&mut context) {
                    Poll::Ready(flushed) => flushed.map(|()| true),
                    Poll::Pending => Ok(false),
                }
            }
        }
    }

    /// Whether there are encrypted bytes that were not sent yet.
    pub(crate) fn has_unsent(&self) -> bool {
        match self {
            NetStream::Plain(_) => false,
            NetStream::Tls(stream) => stream.get_ref().1.wants_write(),
        }
    }

    /// Ready when more bytes can be sent.
    pub(crate) fn poll_write_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            NetStream::Plain(stream) => stream.poll_write_ready(context),
            NetStream::Tls(stream) => {
                ready!(Pin::new(&mut **stream).poll_flush(context))?;
                stream.get_ref().0.poll_write_ready(context)
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for NetStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            NetStream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            NetStream::Tls(stream) => Pin::new(&mut **stream).poll_read(context, buffer),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for NetStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            NetStream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            NetStream::Tls(stream) => Pin::new(&mut **stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            NetStream::Plain(stream) => Pin::new(stream).poll_write_vectored(context, pieces),
            NetStream::Tls(stream) => Pin::new(&mut **stream).poll_write_vectored(context, pieces),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            NetStream::Plain(stream) => stream.is_write_vectored(),
            NetStream::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            NetStream::Plain(stream) => Pin::new(stream).poll_flush(context),
            NetStream::Tls(stream) => Pin::new(&mut **stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            NetStream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            NetStream::Tls(stream) => Pin::new(&mut **stream).poll_shutdown(context),
        }
    }
}
