//! Interface between the client and what carries bytes: `fetch` in a browser, reqwest, a script in tests.

use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;

/// A request.
#[derive(Clone)]
pub struct HttpRequest {
    /// Absolute `http` or `https` URL without credentials.
    pub url: String,
    /// Header names and values, with `Authorization`. Never to be logged.
    pub headers: Vec<(String, String)>,
    /// Body, JSON in UTF-8; empty for a request that only fetches.
    pub body: String,
}

impl std::fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpRequest")
            .field("url", &self.url)
            .field("headers", &names)
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// Body of a response as it arrives, in pieces of any size.
pub type ByteStream = LocalBoxStream<'static, Result<Vec<u8>, TransportError>>;

/// Response whose headers have arrived.
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// Header names, in upper or lower case, and values.
    pub headers: Vec<(String, String)>,
    /// Body. Dropping it closes the connection.
    pub body: ByteStream,
}

impl HttpResponse {
    /// Headers that the client reads; a transport may omit all others.
    pub const READ: [&str; 2] = ["retry-after", "date"];

    /// Returns the first header of that name, in upper or lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

/// Reason why there is no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The caller aborted (in a browser: its `AbortSignal`); never retried.
    #[error("aborted")]
    Aborted,
    /// The connection failed or broke.
    #[error("{0}")]
    Connection(String),
}

/// Sends requests and measures time. Dropping a future stops its work.
pub trait Transport {
    /// Sends a request; resolves with the response's headers. Redirects must not carry ours to other hosts.
    ///
    /// # Errors
    /// [`TransportError`] if there is no response.
    fn post(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>>;

    /// Fetches; resolves when the response's headers arrive. A search of the web uses it; chat does not.
    ///
    /// # Errors
    /// [`TransportError`] if there is no response, or the transport cannot fetch.
    fn get(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
        let _ = request;
        Box::pin(std::future::ready(Err(TransportError::Connection(
            "this transport can only post".to_owned(),
        ))))
    }

    /// Resolves after `milliseconds`.
    fn sleep(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()>;
}
