//! Searching, where the retriever may ask a language model.

use super::arguments::{self, JsOptions};
use super::chat;
use crate::engine::{Engine, EngineError, SearchOptions};
use crate::llm::ChatModel;
use crate::retrieve::SearchResult;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// A search, in which the retriever may ask the model behind the endpoint `llm` of the options.
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
