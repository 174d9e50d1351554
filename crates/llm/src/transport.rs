//! The seam between the client and whatever carries bytes: `fetch` in a browser, reqwest natively, a script in tests.

use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;

/// A request.
#[derive(Clone)]
pub struct HttpRequest {
    /// An absolute `http` or `https` URL without credentials.
    pub url: String,
    /// Header names and values, `Authorization` among them. Never to be logged.
    pub headers: Vec<(String, String)>,
    /// The body, JSON in UTF-8; empty for a request that only fetches.
    pub body: String,
}

impl std::fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpRequest").field("url", &self.url).field("headers", &names).field("body_bytes", &self.body.len()).finish()
    }
}

/// The body of a response as it arrives, in pieces of any size.
pub type ByteStream = LocalBoxStream<'static, Result<Vec<u8>, TransportError>>;

/// A response whose headers have arrived.
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// Header names and values; names in any case.
    pub headers: Vec<(String, String)>,
    /// The body. Dropping it closes the connection.
    pub body: ByteStream,
}

impl HttpResponse {
    /// The headers that the client looks at; a transport may leave out all others.
    pub const READ: [&str; 2] = ["retry-after", "date"];

    /// The first header of that name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

/// Why bytes did not travel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The caller aborted (in a browser: its `AbortSignal`); never retried.
    #[error("aborted")]
    Aborted,
    /// The connection could not be made, or broke.
    #[error("{0}")]
    Connection(String),
}

/// Carries requests and knows time. Both futures stop their work when dropped.
pub trait Transport {
    /// Sends a request; resolves when the response's headers are here. A redirect must not carry the headers to another host.
    ///
    /// # Errors
    /// [`TransportError`] when there is no response.
    fn post(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>>;

    /// Fetches; resolves when the response's headers are here. Chat needs it not, a search of the web does.
    ///
    /// # Errors
    /// [`TransportError`] when there is no response, and by a transport that cannot fetch.
    fn get(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
        let _ = request;
        Box::pin(std::future::ready(Err(TransportError::Connection("this transport can only post".to_owned()))))
    }

    /// Resolves after so many milliseconds.
    fn sleep(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()>;
}
