//! The class that `pkg/pocketgraph.js` wraps.

use super::arguments::{self, JsOptions};
use super::events::{EventSink, promise, to_js};
use super::source::HttpSource;
use super::{error, utf16};
use crate::engine::{DEFAULT_MEMORY_LIMIT, Engine};
use js_sys::{Function, Promise};
use serde::Serialize;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

/// An open bundle. Every call returns a promise; errors are `Error` objects with a `code`.
#[wasm_bindgen]
pub struct WasmEngine {
    pub(super) engine: Rc<Engine>,
    source: Rc<HttpSource>,
}

#[wasm_bindgen]
impl WasmEngine {
    /// Opens the bundle below `base`; `progress({phase, loaded, total})` is called as bytes arrive. The
    /// option `pause` serves an engine on a page's thread: called during long work, it returns nothing, or a
    /// promise to wait for. The option `fetch` is a function of a `Request` that replaces the page's `fetch`.
    #[wasm_bindgen(unchecked_return_type = "Promise<WasmEngine>")]
    pub fn open(
        base: String,
        options: JsValue,
        progress: Option<Function>,
        signal: Option<AbortSignal>,
    ) -> Promise {
        promise(signal, async move {
            let given = JsOptions::new(options)?;
            let limit = match given.number("memoryLimit")? {
                Some(n) if n.is_finite() && n >= 1.0 => n as u64,
                Some(_) => return Err(error::bad_argument("memoryLimit must be a number of bytes")),
                None => DEFAULT_MEMORY_LIMIT,
            };
            let base = if base.ends_with('/') { base } else { format!("{base}/") };
            let source = Rc::new(HttpSource::new(base, given.function("pause")?, given.function("fetch")?));
            source.set_progress(progress);
            let opened = Engine::open(Rc::clone(&source) as Rc<dyn crate::bundle::Source>, limit).await;
            source.set_progress(None);
            let engine = Rc::new(opened.map_err(|e| error::engine(&e))?);
            Ok(WasmEngine { engine, source }.into())
        })
    }

    /// Describes the bundle.
    #[wasm_bindgen(unchecked_return_type = "BundleInfo")]
    pub fn info(&self) -> Result<JsValue, JsValue> {
        to_js(&self.engine.info())
    }

    /// Returns what has been loaded so far.
    #[wasm_bindgen(unchecked_return_type = "{ requests: number, bytes: number, memoryBytes: number }")]
    pub fn stats(&self) -> Result<JsValue, JsValue> {
        let s = self.engine.stats();
        to_js(&Loaded { requests: s.requests, bytes: s.bytes, memory_bytes: s.memory })
    }

    /// Loads the model that embeds questions, or with `table_only` the token table that replaces it until
    /// then, if the bundle has one. Calls `progress({phase, loaded, total})` as bytes arrive.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn prepare(
        &self,
        #[wasm_bindgen(js_name = tableOnly)] table_only: bool,
        progress: Option<Function>,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let (engine, source) = (Rc::clone(&self.engine), Rc::clone(&self.source));
        promise(signal, async move {
            source.set_progress(progress);
            let done = if table_only { engine.prepare_table().await } else { engine.prepare().await };
            source.set_progress(None);
            done.map(|()| JsValue::UNDEFINED).map_err(|e| error::engine(&e))
        })
    }

    /// Returns true if the model embeds questions.
    #[wasm_bindgen(js_name = modelReady)]
    pub fn model_ready(&self) -> bool {
        self.engine.model_ready()
    }

    /// The evidence for a question.
    #[wasm_bindgen(unchecked_return_type = "Promise<SearchResult>")]
    pub fn search(
        &self,
        question: String,
        #[wasm_bindgen(unchecked_param_type = "SearchOptions")] options: JsValue,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(signal, async move {
            let given = JsOptions::new(options)?;
            let options = arguments::search_options(&given)?;
            #[cfg(feature = "full")]
            let found = match arguments::full::endpoint(&given)? {
                Some(model) => engine.search_by(&question, &options, super::chat::open(model)?.into()).await,
                None => engine.search(&question, &options).await,
            };
            #[cfg(not(feature = "full"))]
            let found = engine.search(&question, &options).await;
            let mut result = found.map_err(|e| error::engine(&e))?;
            utf16::result(&mut result);
            to_js(&result)
        })
    }

    /// Answers a question in the documents' own words; `on_event` hears the events of `AskEvent` in order.
    #[wasm_bindgen(unchecked_return_type = "Promise<Answer>")]
    pub fn quote(
        &self,
        question: String,
        options: JsValue,
        on_event: Function,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(signal, async move {
            let options = arguments::ask_options(&JsOptions::new(options)?)?;
            let mut sink = EventSink::new(on_event);
            let answer = engine
                .quote(&question, &options, &mut |event| sink.ask_event(event))
                .await
                .map_err(|e| error::engine(&e))?;
            sink.end(answer)
        })
    }

    /// Returns a line for each document: its language, its version and its address after the host, separated
    /// by tabs.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn facets(&self) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(None, async move { Ok(engine.filtered_by().await.map_err(|e| error::engine(&e))?.into()) })
    }

    /// Returns a line for each value of a document's own fields: the field's name, its kind and the value,
    /// separated by tabs.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn fields(&self) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(None, async move { Ok(engine.list_fields().await.map_err(|e| error::engine(&e))?.into()) })
    }

    /// A chunk by its number.
    #[wasm_bindgen(unchecked_return_type = "Promise<Hit>")]
    pub fn passage(&self, chunk: u32) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(None, async move {
            let mut hit = engine.passage(chunk).await.map_err(|e| error::engine(&e))?;
            utf16::hit(&mut hit);
            to_js(&hit)
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Loaded {
    requests: u64,
    bytes: u64,
    memory_bytes: u64,
}
