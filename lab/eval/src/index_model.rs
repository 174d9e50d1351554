//! The language model of a measured index: it reads the passages for triples and relations, and writes summaries and reports, each for the retrievers whose
//! originals have a model do so, and what each takes is counted apart.

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

/// What an index took, by what it was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexTokens {
    /// Triples.
    pub triples: Tokens,
    /// Entities and relations.
    pub relations: Tokens,
    /// Reports on communities.
    pub reports: Tokens,
    /// Summaries of clusters.
    pub summaries: Tokens,
}

impl IndexTokens {
    /// What of it was for one retriever: what two share counts for both.
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
    /// What its tokens cost.
    pub prices: Option<Prices>,
}

impl<'a> IndexModel<'a> {
    /// The model behind `chat`, asked as `asking` says; its replies are kept in the cache, where there is one.
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
        let index = BuildModel { chat: Box::new(Rc::clone(&read)), asking, cache: Box::new(Rc::clone(&read)) };
        IndexModel { index, read, chat: Rc::new(CountedModel::new(Box::new(Rc::clone(&kept)), None, identity)), kept, progress, prices }
    }

    /// The model for the next question; what it is asked again for the same question is a reply of its own.
    pub fn begin(&self) -> Rc<CountedModel> {
        self.kept.begin();
        Rc::clone(&self.chat)
    }

    /// What questions took so far.
    pub fn question_tokens(&self) -> Tokens {
        self.chat.tokens()
    }

    /// Prepares what is needed, and says what that took.
    ///
    /// # Errors
    /// [`ReadTriplesError`] when the model refuses or falls silent; what it wrote before that is kept, where there is a cache.
    pub fn prepare(&self, needs: Needs, corpus: &Corpus<'_>, documents: &[Document]) -> Result<(Prepared, IndexTokens), ReadTriplesError> {
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
                relations::read(&shown_chunks(corpus.chunks, &heads), index, corpus.count, *progress)?
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
        let beside = Beside { knowledge: knowledge.as_ref(), writer: Some(&writer), related: related.as_ref() };
        // The tree apart, so that what its summaries take is known; of the rest only reports ask the model.
        let mut out = prepare_with(Needs { facts: needs.triples(), tree: false, ..needs }, corpus, &beside)?;
        tokens.reports = lap();
        if needs.tree {
            out.tree = prepare_with(Needs { tree: true, ..Needs::default() }, corpus, &beside)?.tree;
            tokens.summaries = lap();
        }
        Ok((out, tokens))
    }

    /// The options that a manifest tells of an index made with these needs.
    pub fn described(&self, needs: Needs) -> Vec<(String, String)> {
        let read = [("kg-llm", needs.triples()), ("relations-llm", needs.relations()), ("summaries-llm", needs.summaries())];
        read.into_iter().filter(|(_, used)| *used).map(|(option, _)| (option.to_owned(), self.index.asking.model.clone())).collect()
    }
}
