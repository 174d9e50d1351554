//! `fetch`, and bodies as they arrive.

use super::error::plain;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStream, ReadableStreamDefaultReader, Request, RequestInit, Response};

/// Aborts its request when dropped: what nobody waits for any more stops loading. For a request that is complete that does nothing.
pub struct Connection(AbortController);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request; resolves when the response's headers are here. The body lives as long as the connection.
///
/// # Errors
/// What `fetch` throws.
pub async fn send(url: &str, init: &RequestInit) -> Result<(Response, Connection), JsValue> {
    let abort = AbortController::new()?;
    init.set_signal(Some(&abort.signal()));
    let connection = Connection(abort);
    let request = gloo_net::http::Request::from(Request::new_with_str_and_init(url, init)?);
    let response = request.send().await.map_err(|e| plain(&e.to_string()))?;
    Ok((response.into(), connection))
}

/// A body in pieces.
pub struct Pieces(ReadableStreamDefaultReader);

impl Pieces {
    /// The pieces of a stream that nobody reads yet.
    pub fn of(stream: &ReadableStream) -> Pieces {
        Pieces(stream.get_reader().unchecked_into())
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// What broke the stream.
    pub async fn next(&self) -> Result<Option<Uint8Array>, JsValue> {
        let step = JsFuture::from(self.0.read()).await?;
        if Reflect::get(&step, &"done".into())?.is_truthy() {
            return Ok(None);
        }
        let value = Reflect::get(&step, &"value".into())?;
        value.dyn_into().map(Some).map_err(|_| plain("the stream gave no bytes"))
    }

    /// The reader wants no more of it.
    pub fn cancel(&self) {
        let _ = self.0.cancel();
    }
}
