//! Native transport of the engine's LLM client: reqwest for requests, tokio for time; and endpoints' APIs.

use crate::key::stays_here;
use futures::future::{FutureExt, LocalBoxFuture};
use futures::stream::StreamExt;
use pocketgraph_llm::responses::{Responses, is_responses};
use pocketgraph_llm::{
    ChatConfig, ChatModel, HttpRequest, HttpResponse, LlmError, OpenAiChat, Transport, TransportError,
};
use std::time::Duration;

/// Maximum number of redirects within one endpoint.
const MAX_REDIRECTS: usize = 3;

/// Returns the identity of a model's replies in the cache: its address and name.
pub fn identity(chat: &ChatConfig) -> String {
    format!("{}\n{}", chat.base_url, chat.model)
}

/// Opens the model of an endpoint, by the API that its address names.
///
/// # Errors
/// [`LlmError`] for unusable settings; nothing is sent.
pub fn open_model(config: ChatConfig) -> Result<Box<dyn ChatModel>, LlmError> {
    let failed = |error: TransportError| LlmError::Http { status: None, message: error.to_string() };
    let transport =
        if stays_here(&config.base_url) { NativeTransport::direct() } else { NativeTransport::new() }
            .map_err(failed)?;
    Ok(match is_responses(&config.base_url) {
        true => Box::new(OpenAiChat::new(Responses(transport), config)?),
        false => Box::new(OpenAiChat::new(transport, config)?),
    })
}

/// Sends chat requests over HTTP/1.1 and TLS (rustls). Needs a tokio runtime with I/O and timers enabled.
#[derive(Debug, Clone)]
pub struct NativeTransport {
    client: reqwest::Client,
}

impl NativeTransport {
    /// Creates a transport with the system's proxies and certificates.
    ///
    /// # Errors
    /// [`TransportError::Connection`] if TLS cannot be set up.
    pub fn new() -> Result<NativeTransport, TransportError> {
        NativeTransport::build(reqwest::Client::builder())
    }

    /// Creates a transport that ignores the proxies of the environment, for endpoints on this machine.
    ///
    /// # Errors
    /// [`TransportError::Connection`] if TLS cannot be set up.
    pub fn direct() -> Result<NativeTransport, TransportError> {
        NativeTransport::build(reqwest::Client::builder().no_proxy())
    }

    fn build(builder: reqwest::ClientBuilder) -> Result<NativeTransport, TransportError> {
        // A redirect that leaves the endpoint would send the question and the user's headers to a stranger;
        // one from POST to GET would lose the question. Only 307 and 308 to the same origin are followed.
        let policy = reqwest::redirect::Policy::custom(|attempt| {
            let same_origin =
                attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
            let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
            if same_origin && keeps_method && attempt.previous().len() <= MAX_REDIRECTS {
                attempt.follow()
            } else {
                attempt.stop()
            }
        });
        let client = builder
            .redirect(policy)
            .referer(false)
            .user_agent(concat!("pocketgraph/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|e| connection_error(&e))?;
        Ok(NativeTransport { client })
    }
}

/// Describes an error with its causes and without its URL, which may have a key in its query.
fn connection_error(error: &dyn std::error::Error) -> TransportError {
    let mut message = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        // The outermost message of reqwest has the URL in brackets; the causes have the reason.
        let text = text.split(" for url (").next().unwrap_or("");
        if !text.is_empty() && !message.contains(text) {
            if !message.is_empty() {
                message.push_str(": ");
            }
            message.push_str(text);
        }
        next = error.source();
    }
    TransportError::Connection(message)
}

impl Transport for NativeTransport {
    fn post(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
        let builder = self.client.post(&request.url).body(request.body);
        send_request(builder, request.headers).boxed_local()
    }

    fn get(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
        send_request(self.client.get(&request.url), request.headers).boxed_local()
    }

    fn sleep(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()> {
        tokio::time::sleep(Duration::from_millis(u64::from(milliseconds))).boxed_local()
    }
}

async fn send_request(
    mut builder: reqwest::RequestBuilder,
    given: Vec<(String, String)>,
) -> Result<HttpResponse, TransportError> {
    for (name, value) in &given {
        let mut value = reqwest::header::HeaderValue::from_str(value).map_err(|e| connection_error(&e))?;
        // Keeps header values out of debug output and compression tables.
        value.set_sensitive(true);
        builder = builder.header(name.as_str(), value);
    }
    let response = builder.send().await.map_err(|e| connection_error(&e))?;
    let headers = response
        .headers()
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
        .collect();
    let status = response.status().as_u16();
    let body = response
        .bytes_stream()
        .map(|piece| piece.map(Vec::from).map_err(|e| connection_error(&e)))
        .boxed_local();
    Ok(HttpResponse { status, headers, body })
}
