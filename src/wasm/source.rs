//! A bundle behind a URL, fetched by the browser (or Node).

use crate::bundle::{Source, SourceError};
use futures::future::{FutureExt, LocalBoxFuture};
use gloo_net::http::Request;
use js_sys::Uint8Array;
use std::cell::RefCell;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStream, ReadableStreamDefaultReader, WritableStream};

#[wasm_bindgen]
extern "C" {
    // web-sys still counts it among the unstable interfaces; every browser of the last years and Node 18 have it.
    type DecompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn readable(this: &DecompressionStream) -> ReadableStream;
    #[wasm_bindgen(method, getter)]
    fn writable(this: &DecompressionStream) -> WritableStream;
}

/// How often a file is asked for when the network fails or the host answers 5xx or 429.
const TRIES: u32 = 3;

/// Reads a bundle's files below a base URL.
pub struct HttpSource {
    base: String,
    /// Called with {phase, loaded, total} while a file arrives: which section, bytes so far, bytes expected.
    progress: RefCell<Option<js_sys::Function>>,
}

/// Aborts its request when dropped: a question that is no longer asked stops loading.
pub(super) struct AbortOnDrop(pub(super) AbortController);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn network(error: impl std::fmt::Display) -> SourceError {
    SourceError::Network(error.to_string())
}

/// What a thrown JavaScript value says.
pub(super) fn thrown(value: &JsValue) -> String {
    value.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{value:?}"), |e| String::from(e.message()))
}

/// Reads a stream of bytes to its end, at most `limit` of them.
async fn read_all(stream: ReadableStream, limit: u64, mut seen: impl FnMut(u64)) -> Result<Vec<u8>, SourceError> {
    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
    let mut out = Vec::new();
    loop {
        let step = JsFuture::from(reader.read()).await.map_err(|e| SourceError::Network(thrown(&e)))?;
        let done = js_sys::Reflect::get(&step, &"done".into()).is_ok_and(|d| d.is_truthy());
        if done {
            return Ok(out);
        }
        let value = js_sys::Reflect::get(&step, &"value".into()).unwrap_or(JsValue::UNDEFINED);
        let Ok(bytes) = value.dyn_into::<Uint8Array>() else { return Err(network("the stream gave no bytes")) };
        if out.len() as u64 + u64::from(bytes.length()) > limit {
            let _ = reader.cancel();
            return Err(SourceError::TooLong(limit));
        }
        let at = out.len();
        out.resize(at + bytes.length() as usize, 0);
        bytes.copy_to(&mut out[at..]);
        seen(out.len() as u64);
    }
}

impl HttpSource {
    /// A source below `base`, which ends in a slash.
    pub fn new(base: String) -> Self {
        HttpSource { base, progress: RefCell::default() }
    }

    /// From now on, tells `progress` (or nobody) what arrives.
    pub fn tell(&self, progress: Option<js_sys::Function>) {
        *self.progress.borrow_mut() = progress;
    }

    async fn try_once(&self, file: &str, limit: u64) -> Result<Vec<u8>, SourceError> {
        let abort = AbortController::new().map_err(|e| SourceError::Other(thrown(&e)))?;
        let signal = abort.signal();
        // Aborting a request that is complete does nothing, so the guard needs no disarming.
        let _guard = AbortOnDrop(abort);
        let url = format!("{}{file}", self.base);
        let request = Request::get(&url).abort_signal(Some(&signal));
        // The manifest is the one file whose name does not change: ask the host whether it did.
        let request = if file == crate::bundle::MANIFEST { request.cache(web_sys::RequestCache::NoCache) } else { request };
        let response = request.send().await.map_err(network)?;
        match response.status() {
            200..=299 => {}
            404 | 410 => return Err(SourceError::NotFound),
            status => return Err(SourceError::Status(status)),
        }
        let Some(body) = response.body() else { return Ok(Vec::new()) };
        // The section that a file belongs to: what stands before its hash.
        let phase = file.split(['-', '/', '.']).next().unwrap_or(file);
        read_all(body, limit, |n| {
            if let Some(progress) = &*self.progress.borrow() {
                let told = js_sys::Object::new();
                for (name, value) in [("phase", JsValue::from(phase)), ("loaded", (n as f64).into()), ("total", (limit as f64).into())] {
                    let _ = js_sys::Reflect::set(&told, &name.into(), &value);
                }
                let _ = progress.call1(&JsValue::NULL, &told);
            }
        })
        .await
    }
}

impl Source for HttpSource {
    fn read<'a>(&'a self, file: &'a str, limit: u64) -> LocalBoxFuture<'a, Result<Vec<u8>, SourceError>> {
        async move {
            let mut pause = 200;
            for tried in 1.. {
                match self.try_once(file, limit).await {
                    Err(SourceError::Network(_) | SourceError::Status(429 | 500..=599)) if tried < TRIES => {
                        gloo_timers::future::TimeoutFuture::new(pause).await;
                        pause *= 3;
                    }
                    done => return done,
                }
            }
            Err(SourceError::NotFound)
        }
        .boxed_local()
    }

    fn inflate<'a>(&'a self, gzip: Vec<u8>, length: u64) -> LocalBoxFuture<'a, Result<Vec<u8>, SourceError>> {
        async move {
            let damaged = |e: JsValue| SourceError::Inflate(thrown(&e));
            let parts = js_sys::Array::of1(&Uint8Array::from(gzip.as_slice()));
            let blob = web_sys::Blob::new_with_u8_array_sequence(&parts).map_err(damaged)?;
            let inflater = DecompressionStream::new("gzip").map_err(damaged)?;
            let pair = web_sys::ReadableWritablePair::new(&inflater.readable(), &inflater.writable());
            let out = read_all(blob.stream().pipe_through(&pair), length, |_| {}).await.map_err(|e| SourceError::Inflate(e.to_string()))?;
            if out.len() as u64 == length {
                Ok(out)
            } else {
                Err(SourceError::Inflate(format!("{} bytes where {length} belong", out.len())))
            }
        }
        .boxed_local()
    }
}
