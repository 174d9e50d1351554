//! Searching, where the retriever may ask a language model.

use super::arguments::{self, JsOptions};
use super::chat;
use crate::engine::{Engine, EngineError, SearchOptions};
use crate::llm::ChatModel;
use crate::retrieve::SearchResult;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// Searches with a retriever that may ask the model of the option `llm`.
pub(super) async fn search(
    engine: &Engine,
    question: &str,
    options: &SearchOptions,
    given: &JsOptions,
) -> Result<Result<SearchResult, EngineError>, JsValue> {
    let Some(endpoint) = arguments::endpoint(given)? else { return Ok(engine.search(question, options).await) };
    let model: Rc<dyn ChatModel> = Rc::from(chat::open(endpoint)?);
    Ok(engine.search_by(question, options, model).await)
}
