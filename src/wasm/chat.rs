//! The LLM client's transport in a page: `fetch`, streamed.

use super::error::with_code;
use super::source::{AbortOnDrop, thrown};
use crate::llm::{ChatConfig, ChatModel, HttpRequest, HttpResponse, OpenAiChat, Secret, Transport, TransportError};
use futures::future::{FutureExt, LocalBoxFuture};
use futures::stream::{StreamExt, unfold};
use gloo_net::http::Request;
use js_sys::Uint8Array;
use serde::Deserialize;
use std::collections::BTreeMap;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStreamDefaultReader};

/// An endpoint as a page describes it. The key lives in memory only.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct EndpointOptions {
    base_url: String,
    model: String,
    api_key: Option<String>,
    headers: BTreeMap<String, String>,
    timeout_ms: Option<f64>,
    retries: Option<u32>,
}

/// The client for an endpoint.
///
/// # Errors
/// A JavaScript error with code `bad-argument` when the address is no endpoint's.
pub fn open(options: EndpointOptions) -> Result<Box<dyn ChatModel>, JsValue> {
    let mut config = ChatConfig::new(&options.base_url, &options.model);
    config.api_key = options.api_key.filter(|k| !k.is_empty()).map(|k| Secret::new(&k));
    config.headers = options.headers.into_iter().collect();
    if let Some(ms) = options.timeout_ms.filter(|ms| *ms >= 1.0) {
        config.timeouts.first_ms = Some(ms as u32);
        config.timeouts.stall_ms = Some(ms as u32);
    }
    if let Some(retries) = options.retries {
        config.retry.times = retries.min(10);
    }
    Ok(Box::new(OpenAiChat::new(Fetch, config).map_err(|e| with_code(e.code(), &e.to_string()))?))
}

/// `fetch`, with the reply's body as a stream.
struct Fetch;

/// A reply's body; dropping it closes the connection.
struct Body {
    reader: ReadableStreamDefaultReader,
    _connection: AbortOnDrop,
}

fn broken(value: &JsValue) -> TransportError {
    TransportError::Connection(thrown(value))
}

async fn piece(body: Body) -> Option<(Result<Vec<u8>, TransportError>, Body)> {
    let step = match JsFuture::from(body.reader.read()).await {
        Ok(step) => step,
        Err(e) => return Some((Err(broken(&e)), body)),
    };
    if js_sys::Reflect::get(&step, &"done".into()).is_ok_and(|d| d.is_truthy()) {
        return None;
    }
    let value = js_sys::Reflect::get(&step, &"value".into()).unwrap_or(JsValue::UNDEFINED);
    let bytes = value.dyn_into::<Uint8Array>().map(|b| b.to_vec()).unwrap_or_default();
    Some((Ok(bytes), body))
}

impl Transport for Fetch {
    fn post(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
        async move {
            let abort = AbortController::new().map_err(|e| broken(&e))?;
            let signal = abort.signal();
            let connection = AbortOnDrop(abort);
            let mut builder = Request::post(&request.url)
                .abort_signal(Some(&signal))
                // Neither cookies nor the page's address belong to the endpoint; a redirect could carry the key to another host.
                .credentials(web_sys::RequestCredentials::Omit)
                .redirect(web_sys::RequestRedirect::Error)
                .referrer_policy(web_sys::ReferrerPolicy::NoReferrer);
            for (name, value) in &request.headers {
                builder = builder.header(name, value);
            }
            let sent = builder.body(request.body).map_err(|e| TransportError::Connection(e.to_string()))?;
            let response = sent.send().await.map_err(|e| TransportError::Connection(e.to_string()))?;
            let headers = response.headers().entries().collect();
            let body = match response.body() {
                None => futures::stream::empty().boxed_local(),
                Some(stream) => {
                    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
                    unfold(Body { reader, _connection: connection }, piece).boxed_local()
                }
            };
            Ok(HttpResponse { status: response.status(), headers, body })
        }
        .boxed_local()
    }

    fn sleep(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()> {
        gloo_timers::future::TimeoutFuture::new(milliseconds).boxed_local()
    }
}
