//! A stream whose writes fail when the client does not read.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose writes fail with [`io::ErrorKind::TimedOut`] if they make no progress for `limit`.
///
/// The timer exists only while a write is pending. A write that succeeds immediately costs only one
/// comparison.
pub(crate) struct WriteTimeout<S> {
    stream: S,
    limit: Duration,
    /// Started when a write becomes pending; removed when a write makes progress.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    pub(crate) fn new(stream: S, limit: Duration) -> WriteTimeout<S> {
        WriteTimeout {
            stream,
            limit,
            timer: None,
        }
    }

    /// Returns the result of a write, or an error if the write has been pending for too long.
    fn check<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let limit = self.limit;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the client does not read",
        )))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A flush of a socket always succeeds at once. A flush is not progress, so it does not stop the timer
        // of a pending write.
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.check(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::{Instant, advance};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn write_without_progress_fails_after_the_limit() {
        let (near, _far) = duplex(16);
        let mut near = WriteTimeout::new(near, LIMIT);
        near.write_all(&[0; 16]).await.unwrap();
        let begin = Instant::now();
        let error = near.write_all(&[0; 16]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!((LIMIT..LIMIT * 2).contains(&begin.elapsed()));
    }

    #[tokio::test(start_paused = true)]
    async fn reader_that_takes_a_little_now_and_then_is_not_cut_off() {
        let (near, mut far) = duplex(16);
        let mut near = WriteTimeout::new(near, LIMIT);
        let reads = async {
            for _ in 0..16 {
                tokio::time::sleep(LIMIT - Duration::from_secs(1)).await;
                far.read_exact(&mut [0; 4]).await.unwrap();
            }
        };
        let (written, ()) = tokio::join!(near.write_all(&[0; 64]), reads);
        written.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn idle_time_between_writes_does_not_count() {
        let (near, mut far) = duplex(16);
        let mut near = WriteTimeout::new(near, LIMIT);
        for _ in 0..3 {
            near.write_all(&[0; 16]).await.unwrap();
            advance(LIMIT * 2).await;
            far.read_exact(&mut [0; 16]).await.unwrap();
        }
        assert!(near.timer.is_none());
    }
}
