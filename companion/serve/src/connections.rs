//! Accepts connections, answers on them, and ends those that stay idle.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::respond;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep};

/// Time that requests in progress get after Ctrl-C.
const GRACE: Duration = Duration::from_secs(2);

/// Delay after the system refused a connection for lack of a resource.
const AFTER_REFUSAL: Duration = Duration::from_millis(500);

/// Maximum size of a request's head, and of the buffered part of an answer, in bytes.
const BUFFER: usize = 64 * 1024;

/// Time limits of the other side of a connection.
#[derive(Debug, Clone, Copy)]
pub struct TimeLimits {
    /// Time for a request's headers, from the connection or the previous answer on; and again for its body.
    pub request: Duration,
    /// Maximum time for which a reader may read nothing of an answer that is ready.
    pub reading: Duration,
}

impl Default for TimeLimits {
    fn default() -> TimeLimits {
        TimeLimits { request: Duration::from_secs(20), reading: Duration::from_secs(60) }
    }
}

/// Answers requests with `answer` until `stop` is ready; requests in progress then get two seconds.
pub async fn answer_all<F>(
    listener: TcpListener,
    limits: TimeLimits,
    answer: impl Fn(Request) -> F + Clone + Send + 'static,
    stop: impl Future<Output = ()> + Send,
) where
    F: Future<Output = Response> + Send + 'static,
{
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.request).max_buf_size(BUFFER);
    let open = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let stream = tokio::select! {
            () = &mut stop => break,
            taken = listener.accept() => match taken {
                Ok((stream, _)) => stream,
                Err(error) => {
                    if !is_of_one_connection(&error) {
                        tokio::time::sleep(AFTER_REFUSAL).await;
                    }
                    continue;
                }
            },
        };
        // With this option a small answer leaves at once; without it the answer is only later.
        let _ = stream.set_nodelay(true);
        let answer = answer.clone();
        let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let answered = answer(request.map(Body::new));
            async move { Ok::<_, Infallible>(answered.await) }
        });
        let connection =
            open.watch(http.serve_connection(TokioIo::new(Patient::new(stream, limits.reading)), service));
        tokio::spawn(async move {
            // The other side knows that the connection broke.
            let _ = connection.await;
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(GRACE, open.shutdown()).await;
}

/// Reads the body of a request, at most `most` bytes, within the time that `limits` allows.
///
/// # Errors
/// The response to a request that is too large, too slow or cut off.
pub async fn whole_body(body: Body, most: usize, limits: TimeLimits) -> Result<Bytes, Response> {
    match tokio::time::timeout(limits.request, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => {
            Err(respond::plain(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large or was cut off"))
        }
        Err(_) => Err(respond::plain(StatusCode::REQUEST_TIMEOUT, "the request took too long to arrive")),
    }
}

/// Returns true if an error of accepting concerns a single connection.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// A connection that fails if its reader reads nothing for too long.
struct Patient {
    stream: TcpStream,
    limit: Duration,
    /// Set while the reader reads nothing.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream, limit: Duration) -> Patient {
        Patient { stream, limit, deadline: None }
    }

    /// Returns the result of a write, or an error if it waited too long.
    fn limit_wait<T>(&mut self, tried: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if tried.is_ready() {
            self.deadline = None;
            return tried;
        }
        let limit = self.limit;
        let deadline =
            self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + limit)));
        deadline.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.limit_wait(tried, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.limit_wait(tried, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
