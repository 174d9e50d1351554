//! The transport of the LLM client and of web searches in a page: `fetch`, streamed.

use super::error::{thrown, with_code};
use super::fetch::{Connection, Pieces, send};
use crate::llm::{
    ChatConfig, ChatModel, HttpRequest, HttpResponse, OpenAiChat, Secret, Transport, TransportError,
};
use futures::future::{FutureExt, LocalBoxFuture};
use futures::stream::{StreamExt, unfold};
use js_sys::Function;
use wasm_bindgen::JsValue;
use web_sys::RequestInit;

/// An endpoint as a page describes it. The key lives in memory only.
pub struct EndpointOptions {
    pub base_url: String,
    pub model: String,
    pub api_key: Option<String>,
    pub headers: Vec<(String, String)>,
    pub timeout_ms: Option<f64>,
    pub retries: Option<u32>,
    /// Function that replaces the network: takes a `Request` and returns a promise of a `Response`.
    pub send: Option<Function>,
}

/// The client for an endpoint.
///
/// # Errors
/// A JavaScript error with code `bad-argument` when the address is no endpoint's.
pub fn open(options: EndpointOptions) -> Result<Box<dyn ChatModel>, JsValue> {
    let mut config = ChatConfig::new(&options.base_url, &options.model);
    config.api_key = options.api_key.filter(|k| !k.is_empty()).map(|k| Secret::new(&k));
    config.headers = options.headers;
    if let Some(ms) = options.timeout_ms.filter(|ms| *ms >= 1.0) {
        config.timeouts.first_ms = Some(ms as u32);
        config.timeouts.stall_ms = Some(ms as u32);
    }
    if let Some(retries) = options.retries {
        config.retry.times = retries.min(10);
    }
    Ok(Box::new(
        OpenAiChat::new(Fetch { send: options.send }, config)
            .map_err(|e| with_code(e.code(), &e.to_string()))?,
    ))
}

/// `fetch`, with the reply's body as a stream; or a page's own function in its place.
#[derive(Default)]
pub struct Fetch {
    send: Option<Function>,
}

fn broken(value: JsValue) -> TransportError {
    TransportError::Connection(thrown(&value))
}

/// The next piece of a reply's body; dropping the body closes the connection.
async fn piece(
    body: (Pieces, Connection),
) -> Option<(Result<Vec<u8>, TransportError>, (Pieces, Connection))> {
    match body.0.next().await {
        Ok(None) => None,
        Ok(Some(bytes)) => Some((Ok(bytes.to_vec()), body)),
        Err(e) => Some((Err(broken(e)), body)),
    }
}

async fn exchange(
    method: &str,
    request: HttpRequest,
    own: Option<&Function>,
) -> Result<HttpResponse, JsValue> {
    let init = RequestInit::new();
    init.set_method(method);
    // Neither cookies nor the page's address belong to the endpoint; a redirect could carry the key to
    // another host.
    init.set_credentials(web_sys::RequestCredentials::Omit);
    init.set_redirect(web_sys::RequestRedirect::Error);
    init.set_referrer_policy(web_sys::ReferrerPolicy::NoReferrer);
    let headers = web_sys::Headers::new()?;
    for (name, value) in &request.headers {
        headers.set(name, value)?;
    }
    init.set_headers(&headers);
    if method == "POST" {
        init.set_body(&request.body.into());
    }
    let (response, connection) = send(&request.url, &init, own).await?;
    let header_of = |name: &str| Some((name.to_owned(), response.headers().get(name).ok()??));
    let body = match response.body() {
        None => futures::stream::empty().boxed_local(),
        Some(stream) => unfold((Pieces::of(&stream), connection), piece).boxed_local(),
    };
    Ok(HttpResponse {
        status: response.status(),
        headers: HttpResponse::READ.into_iter().filter_map(header_of).collect(),
        body,
    })
}

impl Transport for Fetch {
    fn post(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
        exchange("POST", request, self.send.as_ref()).map(|done| done.map_err(broken)).boxed_local()
    }

    fn get(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
        exchange("GET", request, self.send.as_ref()).map(|done| done.map_err(broken)).boxed_local()
    }

    fn sleep(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()> {
        gloo_timers::future::TimeoutFuture::new(milliseconds).boxed_local()
    }
}
