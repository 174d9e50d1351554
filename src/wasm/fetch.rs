//! `fetch`, and bodies as they arrive.

use super::error::plain;
use js_sys::{Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStream, ReadableStreamDefaultReader, Request, RequestInit, Response};

/// Aborts its request when dropped, so that nothing loads for which nobody waits. A complete request is
/// unaffected.
pub struct Connection(AbortController);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request, by `own` in place of the page's `fetch` where there is one; resolves when the response's
/// headers are here. The body lives as long as the connection.
///
/// # Errors
/// The error of `fetch`.
pub async fn send(
    url: &str,
    init: &RequestInit,
    own: Option<&Function>,
) -> Result<(Response, Connection), JsValue> {
    let abort = AbortController::new()?;
    init.set_signal(Some(&abort.signal()));
    let connection = Connection(abort);
    let request = Request::new_with_str_and_init(url, init)?;
    if let Some(own) = own {
        let promise = own.call1(&JsValue::NULL, &request)?.dyn_into::<Promise>()?;
        return Ok((JsFuture::from(promise).await?.dyn_into()?, connection));
    }
    let request = gloo_net::http::Request::from(request);
    let response = request.send().await.map_err(|e| plain(&e.to_string()))?;
    Ok((response.into(), connection))
}

#[wasm_bindgen]
extern "C" {
    /// A stream, whose readers web-sys makes without hearing of errors.
    type Stream;
    #[wasm_bindgen(method, catch, js_name = getReader)]
    fn reader_into(this: &Stream, options: &JsValue) -> Result<ByteReader, JsValue>;
    type ByteReader;
    #[wasm_bindgen(method)]
    fn read(this: &ByteReader, into: &JsValue) -> js_sys::Promise;
}

/// Maximum bytes of a piece, if the browser lets us choose: its own have megabytes, and copying blocks the
/// page.
const PIECE: u32 = 128 << 10;

/// A body in pieces.
pub struct Pieces {
    reader: ReadableStreamDefaultReader,
    /// True if the reader fills a buffer of ours.
    into: bool,
}

impl Pieces {
    /// The pieces of a stream that nobody reads yet.
    pub fn of(stream: &ReadableStream) -> Pieces {
        let options = js_sys::Object::new();
        let _ = Reflect::set(&options, &"mode".into(), &"byob".into());
        match stream.unchecked_ref::<Stream>().reader_into(&options) {
            Ok(reader) => Pieces { reader: reader.unchecked_into(), into: true },
            // A stream of what is no file or answer of a host, or an older browser.
            Err(_) => Pieces { reader: stream.get_reader().unchecked_into(), into: false },
        }
    }

    /// Returns the next piece, or `None` at the end.
    ///
    /// # Errors
    /// The error that broke the stream.
    pub async fn next(&self) -> Result<Option<Uint8Array>, JsValue> {
        let room = if self.into { Uint8Array::new_with_length(PIECE).into() } else { JsValue::UNDEFINED };
        let step = JsFuture::from(self.reader.unchecked_ref::<ByteReader>().read(&room)).await?;
        if Reflect::get(&step, &"done".into())?.is_truthy() {
            return Ok(None);
        }
        let value = Reflect::get(&step, &"value".into())?;
        value.dyn_into().map(Some).map_err(|_| plain("the stream gave no bytes"))
    }

    /// The reader wants no more of it.
    pub fn cancel(&self) {
        let _ = self.reader.cancel();
    }
}
