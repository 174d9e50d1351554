//! A bundle at a URL, fetched by the browser or Node.

use super::error::thrown;
use super::fetch::{Pieces, send};
use crate::bundle::{Source, SourceError};
use futures::future::{Either, FutureExt, LocalBoxFuture, select, try_join};
use gloo_timers::future::TimeoutFuture;
use js_sys::Uint8Array;
use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStream, RequestInit, WritableStream};

#[wasm_bindgen]
extern "C" {
    // web-sys still counts it among the unstable interfaces; every browser of the last years and Node 18 have
    // it.
    type DecompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn readable(this: &DecompressionStream) -> ReadableStream;
    #[wasm_bindgen(method, getter)]
    fn writable(this: &DecompressionStream) -> WritableStream;
}

/// Number of attempts to fetch a file if the network fails or the host answers 5xx or 429.
const TRIES: u32 = 3;

/// A request of which nothing arrives for so long, in milliseconds, is given up, and made again like one that
/// failed.
const STALLED: u32 = 15_000;
/// The longest that a timer can wait.
const FOREVER: u32 = i32::MAX as u32;
/// Bytes that are inflated at once: a stream inflates at once what it is given at once, and a page would wait
/// for it.
const INFLATED_AT_ONCE: usize = 64 << 10;

/// Reads a bundle's files below a base URL.
pub struct HttpSource {
    base: String,
    /// Called with {phase, loaded, total} while a file arrives: which section, bytes so far, bytes expected.
    progress: RefCell<Option<js_sys::Function>>,
    /// Called in the middle of long work if the engine shares a thread with a page; waits if it returns a
    /// promise.
    pause: Option<js_sys::Function>,
    /// Function that replaces the page's `fetch`.
    fetch: Option<js_sys::Function>,
}

fn network(error: JsValue) -> SourceError {
    SourceError::Network(thrown(&error))
}

/// Runs `step`, and fails if it takes longer than `patience` milliseconds.
async fn within<T>(patience: u32, step: impl Future<Output = Result<T, JsValue>>) -> Result<T, SourceError> {
    match select(pin!(step), TimeoutFuture::new(patience)).await {
        Either::Left((done, _)) => done.map_err(network),
        Either::Right(_) => Err(SourceError::Network(format!("nothing arrived for {} s", patience / 1000))),
    }
}

impl HttpSource {
    /// A source below `base`, which ends in a slash. `pause`, where there is one, is asked in the middle of
    /// long work for a promise to wait for; `fetch` takes the place of the page's own.
    pub fn new(base: String, pause: Option<js_sys::Function>, fetch: Option<js_sys::Function>) -> Self {
        HttpSource { base, progress: RefCell::default(), pause, fetch }
    }

    /// Calls `progress` from now on as bytes arrive; `None` calls nothing.
    pub fn set_progress(&self, progress: Option<js_sys::Function>) {
        *self.progress.borrow_mut() = progress;
    }

    /// Lets others have the thread, where this work shares one with a page.
    async fn give_way(&self) {
        if let Some(turn) = Source::pause(self) {
            turn.await;
        }
    }

    /// Reads a stream to its end, at most `limit` bytes, each piece within `patience` milliseconds of the one
    /// before.
    async fn read_all(
        &self,
        stream: ReadableStream,
        limit: u64,
        patience: u32,
        seen: &dyn Fn(u64),
    ) -> Result<Vec<u8>, SourceError> {
        let pieces = Pieces::of(&stream);
        let mut out = Vec::new();
        while let Some(bytes) = within(patience, pieces.next()).await? {
            // Pieces that are there already would come without any pause, and a browser may make one of
            // megabytes.
            self.give_way().await;
            let at = out.len();
            if at as u64 + u64::from(bytes.length()) > limit {
                pieces.cancel();
                return Err(SourceError::TooLong(limit));
            }
            out.resize(at + bytes.length() as usize, 0);
            bytes.copy_to(&mut out[at..]);
            seen(out.len() as u64);
        }
        Ok(out)
    }

    async fn try_once(&self, file: &str, limit: u64) -> Result<Vec<u8>, SourceError> {
        let init = RequestInit::new();
        // The manifest is the one file whose name does not change: ask the host whether it did.
        if file == crate::bundle::MANIFEST {
            init.set_cache(web_sys::RequestCache::NoCache);
        }
        let (response, _connection) =
            within(STALLED, send(&format!("{}{file}", self.base), &init, self.fetch.as_ref())).await?;
        match response.status() {
            200..=299 => {}
            404 | 410 => return Err(SourceError::NotFound),
            status => return Err(SourceError::Status(status)),
        }
        let Some(body) = response.body() else { return Ok(Vec::new()) };
        // The section that a file belongs to: what stands before its hash.
        let phase = file.split(['-', '/', '.']).next().unwrap_or(file);
        self.read_all(body, limit, STALLED, &|n| {
            if let Some(progress) = &*self.progress.borrow() {
                let report = js_sys::Object::new();
                for (name, value) in [
                    ("phase", JsValue::from(phase)),
                    ("loaded", (n as f64).into()),
                    ("total", (limit as f64).into()),
                ] {
                    let _ = js_sys::Reflect::set(&report, &name.into(), &value);
                }
                let _ = progress.call1(&JsValue::NULL, &report);
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
                        TimeoutFuture::new(pause).await;
                        pause *= 3;
                    }
                    done => return done,
                }
            }
            Err(SourceError::NotFound)
        }
        .boxed_local()
    }

    fn pause(&self) -> Option<LocalBoxFuture<'static, ()>> {
        let asked = self.pause.as_ref()?.call0(&JsValue::NULL).ok()?;
        let turn = JsFuture::from(asked.dyn_into::<js_sys::Promise>().ok()?);
        Some(turn.map(drop).boxed_local())
    }

    fn inflate<'a>(&'a self, gzip: Vec<u8>, length: u64) -> LocalBoxFuture<'a, Result<Vec<u8>, SourceError>> {
        async move {
            let damaged = |e: JsValue| SourceError::Inflate(thrown(&e));
            let inflater = DecompressionStream::new("gzip").map_err(damaged)?;
            let writer = inflater.writable().get_writer().map_err(damaged)?;
            let feed = async {
                for piece in gzip.chunks(INFLATED_AT_ONCE) {
                    self.give_way().await;
                    JsFuture::from(writer.write_with_chunk(&Uint8Array::from(piece)))
                        .await
                        .map_err(network)?;
                }
                JsFuture::from(writer.close()).await.map_err(network)
            };
            let read = self.read_all(inflater.readable(), length, FOREVER, &|_| {});
            let (out, _) = try_join(read, feed).await.map_err(|e| SourceError::Inflate(e.to_string()))?;
            if out.len() as u64 == length {
                Ok(out)
            } else {
                Err(SourceError::Inflate(format!("{} bytes where {length} belong", out.len())))
            }
        }
        .boxed_local()
    }
}
