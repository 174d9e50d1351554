//! Language model of a measured index. It reads passages for triples and relations, and writes summaries and
//! reports, for the retrievers whose originals do so; the tokens of each are counted apart.

use super::cost::Prices;
use super::counted_model::{CountedModel, Tokens};
use super::reply_cache::KeptReplies;
use pocketgraph::bundle::Document;
use pocketgraph::llm::ChatModel;
use pocketgraph_build::prepare::{Beside, Corpus, Needs, Prepared, prepare_with};
use pocketgraph_cache::Cache;
use pocketgraph_knowledge::kg::{Gathering, ReadTriplesError, all_heads, read_triples, shown_chunks};
use pocketgraph_knowledge::relations;
use pocketgraph_knowledge::summaries::Writer;
use pocketgraph_llm_client::asker::{Asking, BuildModel};
use pocketgraph_native::progress::Progress;
use std::rc::Rc;
use std::sync::Arc;

/// Tokens of an index, by purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexTokens {
    /// Tokens for triples.
    pub triples: Tokens,
    /// Tokens for entities and relations.
    pub relations: Tokens,
    /// Tokens for reports on communities.
    pub reports: Tokens,
    /// Tokens for summaries of clusters.
    pub summaries: Tokens,
}

impl IndexTokens {
    /// Returns the tokens for one retriever; shared ones count for each.
    pub fn of(&self, retriever: &str) -> Vec<Tokens> {
        match retriever {
            "hippo" => vec![self.triples],
            "hypergraph" => vec![self.relations],
            "graphrag" => vec![self.relations, self.reports],
            "raptor" => vec![self.summaries],
            _ => Vec::new(),
        }
    }
}

/// A model for the index and for questions.
pub struct IndexModel<'a> {
    index: BuildModel,
    read: Rc<CountedModel>,
    chat: Rc<CountedModel>,
    kept: Rc<KeptReplies<'static>>,
    progress: &'a dyn Progress,
    /// Prices of its tokens.
    pub prices: Option<Prices>,
}

impl<'a> IndexModel<'a> {
    /// Wraps the model `chat`, with the settings `asking` and the replies in a cache, if there is one.
    pub fn new(
        chat: Box<dyn ChatModel>,
        asking: Asking,
        cache: Option<Arc<Cache>>,
        prices: Option<Prices>,
        progress: &'a dyn Progress,
    ) -> IndexModel<'a> {
        let chat: Rc<dyn ChatModel> = Rc::from(chat);
        let identity = asking.identity.clone();
        let kept = Rc::new(KeptReplies::new(Box::new(Rc::clone(&chat)), cache.clone(), identity.clone()));
        let read = Rc::new(CountedModel::new(Box::new(chat), cache, identity.clone()));
        let index =
            BuildModel { chat: Box::new(Rc::clone(&read)), asking, cache: Box::new(Rc::clone(&read)) };
        IndexModel {
            index,
            read,
            chat: Rc::new(CountedModel::new(Box::new(Rc::clone(&kept)), None, identity)),
            kept,
            progress,
            prices,
        }
    }

    /// Returns the model for the next question; a repeated request for one question gets a reply of its own.
    pub fn begin(&self) -> Rc<CountedModel> {
        self.kept.begin();
        Rc::clone(&self.chat)
    }

    /// Returns the tokens of questions so far.
    pub fn question_tokens(&self) -> Tokens {
        self.chat.tokens()
    }

    /// Prepares what is needed, and returns the tokens for it.
    ///
    /// # Errors
    /// [`ReadTriplesError`] when the model refuses or does not answer; a cache keeps earlier replies.
    pub fn prepare(
        &self,
        needs: Needs,
        corpus: &Corpus<'_>,
        documents: &[Document],
    ) -> Result<(Prepared, IndexTokens), ReadTriplesError> {
        let IndexModel { index, progress, .. } = self;
        let mut tokens = IndexTokens::default();
        let mut before = self.read.tokens();
        let mut lap = || {
            let now = self.read.tokens();
            let took = now - before;
            before = now;
            took
        };
        let related = match needs.relations() {
            true => {
                let heads = all_heads(documents, corpus.chunks);
                relations::read_relations(
                    &shown_chunks(corpus.chunks, &heads),
                    index,
                    corpus.count,
                    *progress,
                )?
            }
            false => None,
        };
        tokens.relations = lap();
        let mut gathering = Gathering::default();
        if needs.triples() {
            read_triples(index, documents, corpus.chunks, corpus.count, &mut gathering, *progress)?;
        }
        tokens.triples = lap();
        let knowledge = gathering.finish()?.map(|(graph, _)| graph);
        let writer = Writer::new(index, *progress, corpus.count);
        let beside =
            Beside { knowledge: knowledge.as_ref(), writer: Some(&writer), related: related.as_ref() };
        // The tree is built apart, to count its summaries; of the rest, only reports use the model.
        let mut out = prepare_with(Needs { facts: needs.triples(), tree: false, ..needs }, corpus, &beside)?;
        tokens.reports = lap();
        if needs.tree {
            out.tree = prepare_with(Needs { tree: true, ..Needs::default() }, corpus, &beside)?.tree;
            tokens.summaries = lap();
        }
        Ok((out, tokens))
    }

    /// Returns the manifest's options for an index with these needs.
    pub fn described(&self, needs: Needs) -> Vec<(String, String)> {
        let read = [
            ("kg-llm", needs.triples()),
            ("relations-llm", needs.relations()),
            ("summaries-llm", needs.summaries()),
        ];
        read.into_iter()
            .filter(|(_, used)| *used)
            .map(|(option, _)| (option.to_owned(), self.index.asking.model.clone()))
            .collect()
    }
}
