//! Results of calls: promises, values and events.

use super::abort::until_aborted;
use super::{error, utf16};
use crate::answer::{Answer, AskEvent};
use futures::future::FutureExt;
use js_sys::{Function, Promise};
use serde::Serialize;
use std::future::Future;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// Every call's promise: boxed, so that what surrounds its work is compiled once.
pub(super) fn promise(
    signal: Option<AbortSignal>,
    work: impl Future<Output = Result<JsValue, JsValue>> + 'static,
) -> Promise {
    future_to_promise(until_aborted(signal, work.boxed_local()))
}

/// A value as JavaScript sees it.
pub(super) fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .map_err(|e| error::bad_argument(&e.to_string()))
}

/// Calls a page's handler for each event. If the handler throws, no more events follow, and the call fails
/// with it.
pub(super) struct EventSink {
    on_event: Function,
    pub(super) texts: utf16::Texts,
    thrown: Option<JsValue>,
}

impl EventSink {
    pub(super) fn new(on_event: Function) -> EventSink {
        EventSink { on_event, texts: utf16::Texts::default(), thrown: None }
    }

    /// Tells an event whose spans are the page's already.
    pub(super) fn emit(&mut self, event: &impl Serialize) {
        if self.thrown.is_none() {
            let sent = to_js(event).and_then(|event| self.on_event.call1(&JsValue::NULL, &event));
            self.thrown = sent.err();
        }
    }

    pub(super) fn ask_event(&mut self, event: AskEvent) {
        let event = self.texts.event(event);
        self.emit(&event);
    }

    /// The call's value, or what the handler threw.
    pub(super) fn end(self, answer: Answer) -> Result<JsValue, JsValue> {
        match self.thrown {
            Some(e) => Err(e),
            None => to_js(&self.texts.answer(answer)),
        }
    }
}

#[cfg(feature = "full")]
impl EventSink {
    pub(super) fn agent_event(&mut self, event: crate::agent::AgentEvent) {
        let event = self.texts.agent_event(event);
        self.emit(&event);
    }

    /// Tells the last event, which is also the call's value.
    pub(super) fn last(self, event: JsValue) -> Result<JsValue, JsValue> {
        if let Some(e) = self.thrown {
            return Err(e);
        }
        self.on_event.call1(&JsValue::NULL, &event)?;
        Ok(event)
    }
}
