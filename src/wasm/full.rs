//! What the full module can do beside searching and quoting: ask a language model, plainly or by a protocol.

use super::arguments::{self, Given};
use super::face::{Teller, WasmEngine, promise};
use super::{chat, error};
use crate::agent::{AgentEvent, AgentOptions, AskWith, ask_with_protocol};
use crate::engine::Engine;
use crate::llm::ChatModel;
use js_sys::{Function, Promise};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

/// Answers by a protocol. The last event waits until the texts that its citations point into are at hand.
async fn by_protocol(
    engine: &Engine,
    question: &str,
    (protocol, options): (String, AgentOptions),
    chat: &dyn ChatModel,
    mut teller: Teller,
) -> Result<JsValue, JsValue> {
    let with = AskWith { chat, clock: &js_sys::Date::now, graph: None, web: None };
    let mut hear = |event: AgentEvent| match event {
        AgentEvent::Done { .. } => {}
        event => teller.agent_event(event),
    };
    let told = ask_with_protocol(engine, question, &protocol, &options, &with, &mut hear).await.map_err(|e| error::engine(&e))?;
    for chunk in teller.texts.wanted(&told.answer) {
        if let Ok(hit) = engine.passage(chunk).await {
            teller.texts.learn(chunk, hit.text);
        }
    }
    teller.done(told.answer)
}

#[wasm_bindgen]
impl WasmEngine {
    /// Answers a question by the model behind the endpoint `llm` of the options; `on_event` hears the events of `AskEvent` in order, or with a
    /// `protocol` those of `AgentEvent`.
    #[wasm_bindgen(unchecked_return_type = "Promise<Answer>")]
    pub fn ask(&self, question: String, options: JsValue, on_event: Function, signal: Option<AbortSignal>) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(signal, async move {
            let given = Given::new(options)?;
            let options = arguments::ask_options(&given)?;
            let model = chat::open(arguments::endpoint(&given)?)?;
            let mut teller = Teller::new(on_event);
            if let Some(how) = arguments::protocol(&given)? {
                return by_protocol(&engine, &question, how, model.as_ref(), teller).await;
            }
            let told = engine.ask(&question, &options, model.as_ref(), &mut |event| teller.ask_event(event)).await;
            teller.end(told.map_err(|e| error::engine(&e))?)
        })
    }
}
