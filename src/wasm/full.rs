//! Calls of the full module: asking a language model, plainly or by a protocol, planning, and executing
//! plans.

use super::arguments::{JsOptions, full};
use super::events::{EventSink, promise, to_js};
use super::face::WasmEngine;
use super::page_tools::PageTools;
use super::{chat, error, utf16};
use crate::agent::{self, AgentEvent, AgentOptions, AskWith, ProtocolAnswer, SearXng};
use crate::llm::ChatModel;
use crate::plan::check::Limits;
use crate::plan::{Plan, Surface};
use js_sys::{Function, Promise, Reflect};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

/// Context that the options of a call give.
struct CallContext {
    chat: Option<Box<dyn ChatModel>>,
    web: Option<SearXng<chat::Fetch>>,
    tools: Option<PageTools>,
    options: AgentOptions,
}

impl CallContext {
    fn of(given: &JsOptions) -> Result<CallContext, JsValue> {
        let chat = full::endpoint(given)?.map(chat::open).transpose()?;
        let web =
            full::web_search(given)?.map(|base| SearXng::new(chat::Fetch::default(), &base)).transpose();
        Ok(CallContext {
            chat,
            web: web.map_err(|e| error::bad_argument(&e))?,
            tools: full::tools(given)?,
            options: full::agent_options(given)?,
        })
    }

    fn with(&self) -> AskWith<'_> {
        let web = self.web.as_ref().map(|web| web as &dyn agent::WebSearch);
        AskWith {
            chat: self.chat.as_deref(),
            clock: &js_sys::Date::now,
            graph: None,
            web,
            tools: self.tools.as_ref().map(|t| t as &dyn agent::CallerTools),
        }
    }
}

/// Tells a run's events but the last, which the page gets with the whole result.
fn all_but_done(sink: &mut EventSink) -> impl FnMut(AgentEvent) + '_ {
    move |event| match event {
        AgentEvent::Done { .. } => {}
        event => sink.agent_event(event),
    }
}

/// Tells the last event, `done` with the whole result, which is also the call's value. Spans become the
/// page's.
fn finish(mut sink: EventSink, mut result: ProtocolAnswer) -> Result<JsValue, JsValue> {
    for passage in &mut result.passages {
        sink.texts.learn(passage.chunk, passage.text.clone());
        utf16::hit(passage);
    }
    result.answer = sink.texts.answer(result.answer);
    let value = to_js(&result)?;
    Reflect::set(&value, &"type".into(), &"done".into())?;
    sink.last(value)
}

/// A plan in any of its surfaces.
fn read_plan(text: &str) -> Result<Plan, JsValue> {
    let parsed = Surface::of(text).read(text, &Limits::default());
    parsed.map(|parsed| parsed.plan).map_err(|e| error::bad_argument(&e.to_string()))
}

#[wasm_bindgen]
impl WasmEngine {
    /// Answers a question: with a `protocol` by that, and `on_event` hears the events of `AgentEvent`; else
    /// by the model behind the endpoint `llm` of the options, and it hears those of `AskEvent`.
    #[wasm_bindgen(unchecked_return_type = "Promise<Answer>")]
    pub fn ask(
        &self,
        question: String,
        options: JsValue,
        on_event: Function,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(signal, async move {
            let given = JsOptions::new(options)?;
            let context = CallContext::of(&given)?;
            let mut sink = EventSink::new(on_event);
            if let Some(protocol) = full::protocol(&given)? {
                let mut hear = all_but_done(&mut sink);
                let outcome = agent::ask_with_protocol(
                    &engine,
                    &question,
                    &protocol,
                    &context.options,
                    &context.with(),
                    &mut hear,
                )
                .await;
                drop(hear);
                return finish(sink, outcome.map_err(|e| error::engine(&e))?);
            }
            let Some(model) = &context.chat else {
                return Err(error::bad_argument("llm must name the endpoint of a model"));
            };
            let options = context.options.for_plain_answer();
            let outcome =
                engine.ask(&question, &options, model.as_ref(), &mut |event| sink.ask_event(event)).await;
            sink.end(outcome.map_err(|e| error::engine(&e))?)
        })
    }

    /// Turns a question into a plan over the bundle's knowledge graph, and carries nothing out.
    #[wasm_bindgen(unchecked_return_type = "Promise<PlannedQuestion>")]
    pub fn plan(&self, question: String, options: JsValue, signal: Option<AbortSignal>) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(signal, async move {
            let context = CallContext::of(&JsOptions::new(options)?)?;
            let planned = agent::plan_question(&engine, &question, &context.options, &context.with()).await;
            to_js(&planned.map_err(|e| error::engine(&e))?)
        })
    }

    /// A keyword's neighbours and best chunks.
    #[wasm_bindgen(unchecked_return_type = "Promise<Neighbors>")]
    pub fn neighbors(&self, keyword: String, limit: u32) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(None, async move {
            let mut found =
                engine.neighbors(&keyword, limit as usize).await.map_err(|e| error::engine(&e))?;
            found.chunks.iter_mut().for_each(utf16::hit);
            to_js(&found)
        })
    }

    /// The picture of a result.
    #[wasm_bindgen(unchecked_return_type = "Promise<Subgraph>")]
    pub fn subgraph(
        &self,
        #[wasm_bindgen(unchecked_param_type = "SearchResult")] result: JsValue,
    ) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(None, async move {
            let result = full::pictured(&JsOptions::new(result)?)?;
            to_js(&engine.subgraph(&result).await.map_err(|e| error::engine(&e))?)
        })
    }

    /// Number and text of each passage of the page that has a chunk, in reading order.
    #[wasm_bindgen(js_name = readPage, unchecked_return_type = "Promise<[number, string][]>")]
    pub fn read_page(&self, chunk: u32) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(None, async move { to_js(&engine.read_page(chunk).await.map_err(|e| error::engine(&e))?) })
    }

    /// Carries out a plan, given as text in any form, and answers by its result; `on_event` receives
    /// `AgentEvent`s.
    #[wasm_bindgen(unchecked_return_type = "Promise<ProtocolAnswer>")]
    pub fn execute(
        &self,
        plan: String,
        options: JsValue,
        on_event: Function,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let engine = Rc::clone(&self.engine);
        promise(signal, async move {
            let plan = read_plan(&plan)?;
            let given = JsOptions::new(options)?;
            let context = CallContext::of(&given)?;
            let question = full::question(&given)?;
            let mut sink = EventSink::new(on_event);
            let mut hear = all_but_done(&mut sink);
            let outcome = agent::answer_plan(
                &engine,
                &plan,
                question.as_deref(),
                &context.options,
                &context.with(),
                &mut hear,
            )
            .await;
            drop(hear);
            finish(sink, outcome.map_err(|e| error::engine(&e))?)
        })
    }
}
