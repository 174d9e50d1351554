//! What the full module can do beside searching and quoting: ask a language model.

use super::arguments::{self, Given};
use super::face::{Teller, WasmEngine, promise};
use super::{chat, error};
use js_sys::{Function, Promise};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

#[wasm_bindgen]
impl WasmEngine {
    /// Answers a question by the model behind the endpoint `llm` of the options; `on_event` hears the events of `AskEvent` in order.
    #[wasm_bindgen(unchecked_return_type = "Promise<Answer>")]
    pub fn ask(&self, question: String, options: JsValue, on_event: Function, signal: Option<AbortSignal>) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(signal, async move {
            let given = Given::new(options)?;
            let options = arguments::ask_options(&given)?;
            let model = chat::open(arguments::endpoint(&given)?)?;
            let mut teller = Teller::new(on_event);
            let told = engine.ask(&question, &options, model.as_ref(), &mut |event| teller.ask_event(event)).await;
            teller.end(told.map_err(|e| error::engine(&e))?)
        })
    }
}
