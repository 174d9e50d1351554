//! Work of a language model for a bundle: choosing facts, writing answers. Not in the module that only
//! searches.

use super::{Engine, EngineError, SearchOptions};
use crate::answer::{self, Answer, AskEvent, AskOptions, Citable};
use crate::llm::ChatModel;
use crate::retrieve::{ByModel, SearchResult};
use std::rc::Rc;

impl Engine {
    /// Searches as [`Engine::search`] with a retriever that may ask a language model: `hippo` lets it choose
    /// among facts. If the model fails, the result's `missing` says so.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub async fn search_by(
        &self,
        question: &str,
        options: &SearchOptions,
        model: Rc<dyn ChatModel>,
    ) -> Result<SearchResult, EngineError> {
        let mut query = self.query(question, options.typing).await?;
        query.fact_filter = Some(Rc::new(ByModel(model)));
        self.search_query(&query, options).await
    }

    /// Answers by a language model. `events` receives the hits, the references, the tokens and the answer,
    /// which is also returned. If the model fails, the answer is that of [`Engine::quote`], and its warnings
    /// say so.
    ///
    /// # Errors
    /// [`EngineError`] as for [`Engine::search`]; and when the caller aborted the model's request.
    pub async fn ask(
        &self,
        question: &str,
        options: &AskOptions,
        chat: &dyn ChatModel,
        events: &mut dyn FnMut(AskEvent),
    ) -> Result<Answer, EngineError> {
        let (result, quoted) = self.quoted(question, options, events).await?;
        let count = |text: &str| self.count_tokens(text);
        let sources: Vec<Citable> = result.hits.iter().map(Citable::from).collect();
        let answer = answer::generate_answer(
            question,
            &sources,
            &result,
            options,
            chat,
            &count,
            &|| quoted.clone(),
            events,
        )
        .await;
        answer.map_err(|_| EngineError::Aborted)
    }
}
