//! What an answer is. These types cross into JavaScript.

use super::notice::Notice;
use super::target::CitationTarget;
use crate::retrieve::{Filter, SearchResult, Span};
use pocketgraph_base::Usage;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is said when the documents hold no answer, unless the options bring another sentence.
pub const NO_ANSWER: &str = "The documents do not say.";

/// What is answered when nothing that was found is near enough, unless the options bring another sentence.
pub const NOTHING_NEAR: &str = "Nothing near enough was found: the documents may not answer this.";

/// What the closest passage is introduced by where an answer is plain text.
pub const CLOSEST: &str = "This may not answer the question. The closest passage:";

/// Whether a citation holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum CitationStatus {
    /// The cited passage shares the sentence's words, numbers and names.
    Verified,
    /// The passage exists, but does not bear the sentence out by its words.
    Unsupported,
    /// The passage says otherwise: another number, the opposite, or the other way round.
    Contradicted,
    /// No passage has this number.
    Dangling,
}

/// Support that the passages give to a sentence of a model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Support {
    /// A passage says so.
    Supported,
    /// No passage says so.
    NotMentioned,
    /// A passage says otherwise.
    Contradicted,
}

/// A sentence of a model's answer, compared with the passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SentenceSupport {
    /// Place of the sentence in the answer's text.
    pub at: Span,
    /// Support that it has.
    pub support: Support,
}

/// A citation of a passage in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Citation {
    /// The number as cited.
    pub number: u32,
    /// What it points at; absent when the citation is dangling.
    pub target: Option<CitationTarget>,
    /// The document's title; empty when dangling.
    pub title: String,
    /// The headings above the passage, outermost first.
    pub heading_path: Vec<String>,
    /// Where to read it; empty when dangling.
    pub url: String,
    /// The piece of the passage that supports the sentence best, verbatim; empty when none shares a word with
    /// it.
    pub quote: String,
    /// Where `quote` stands in the text of what is cited.
    pub span: Span,
    /// Where the mark stands in the answer's text, brackets included. The citations of one bracket, `[1, 3]`,
    /// share it.
    pub at: Span,
    /// Time in which it holds, where the documents state another value for another: "From 2025-03-01".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub holds: String,
    /// Whether it holds.
    pub status: CitationStatus,
}

impl Citation {
    /// The passage of the bundle that it points at, where it is one.
    pub fn chunk(&self) -> Option<u32> {
        self.target?.chunk()
    }
}

/// A passage that an answer may cite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Reference {
    /// The number that cites it.
    pub number: u32,
    /// The chunk's number in the bundle.
    pub chunk: u32,
    /// The document's title.
    pub title: String,
    /// Its language, as `de`; empty where nothing tells it.
    #[serde(default)]
    pub language: String,
    /// The headings above the passage, outermost first.
    pub heading_path: Vec<String>,
    /// Where to read it.
    pub url: String,
}

/// Who wrote an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum AnswerBy {
    /// The documents themselves: sentences, quoted.
    #[default]
    Extraction,
    /// A language model.
    Llm,
    /// The knowledge graph: what a plan over it found, without a model.
    Graph,
}

/// What an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Outcome {
    /// It answers.
    Answer,
    /// What was found is close to the question and may not answer it: it is to be shown as the closest
    /// passage.
    Closest,
    /// Nothing near enough was found, or a language model says that the documents do not say.
    #[default]
    NoAnswer,
}

/// The form of a block of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum BlockForm {
    /// What the blocks below stand under: a heading, a term; yes or no.
    Heading,
    /// A paragraph.
    Text,
    /// Code, with its lines.
    Code,
    /// Items of a list, a line each, with a number before each where the list has numbers.
    List,
    /// Rows of a table, a line each, cells joined by ` | `; the first is the header.
    Table,
}

/// A block of a quoted answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct AnswerBlock {
    /// Its form.
    pub form: BlockForm,
    /// Its text, plain.
    pub text: String,
    /// The language of code, as the source names it; empty where it names none.
    pub language: String,
    /// Which of the answer's citations it stands under, from 0.
    pub citation: u32,
    /// Its place in the cited chunk's text; empty for the heading of its section, which is above that text.
    pub span: Span,
    /// Words of the question in `text`, where it is part of what answers; the rest of the section has none.
    pub highlights: Vec<Span>,
    /// Whether the passage goes on behind it: where to read on is the citation's address.
    pub more: bool,
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Answer {
    /// The text, with citation marks `[n]`.
    pub text: String,
    /// False when it says that the documents do not say, and for the closest passage.
    pub answered: bool,
    /// Whether it answers, is merely the closest passage, or says that the documents do not say.
    pub outcome: Outcome,
    /// How likely it is that what is quoted answers, 0 to 1, as fitted; absent for what was not chosen so.
    pub certainty: Option<f32>,
    /// A quoted answer's blocks by form, in order; empty for others.
    pub blocks: Vec<AnswerBlock>,
    /// Who wrote it.
    pub by: AnswerBy,
    /// Its citations, in the order of the text.
    pub citations: Vec<Citation>,
    /// Sentences that a model wrote, each with its support; empty for answers of the documents and the graph.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sentences: Vec<SentenceSupport>,
    /// The passages that its numbers stand for.
    pub references: Vec<Reference>,
    /// Why the text is cut: `length` (the output budget), `time`, or `filter` (the endpoint's content
    /// filter); absent when it is whole.
    pub truncated: Option<String>,
    /// What a language model had written when it failed and the documents had to answer instead; already
    /// streamed, never checked.
    pub partial: Option<String>,
    /// Why a language model was asked and another answered instead; absent where none was asked, and where it
    /// answered.
    pub failure: Option<ModelFailure>,
    /// What is answered without a language model, where one wrote the text and says something else: shown
    /// beneath it, with numbers that go on from the text's. Absent where the two agree, and where the
    /// documents state nothing.
    pub quotation: Option<Box<Answer>>,
    /// Tokens, where an endpoint counted them.
    pub usage: Option<Usage>,
    /// What a reader should know: failures, left-out passages, marks that cite nothing.
    pub warnings: Vec<Notice>,
}

/// Why a language model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ModelFailure {
    /// A stable name for programs: `llm-…` as the endpoint failed, or `llm-no-answer` where what it wrote is
    /// none.
    pub code: String,
    /// What happened, for a person.
    pub message: String,
    /// The endpoint's HTTP status, where it answered with one that is no success. An `llm-http` without it
    /// never reached the endpoint, or was not let.
    pub status: Option<u16>,
}

impl ModelFailure {
    /// The code of a reply that is no answer.
    pub const NO_ANSWER: &str = "llm-no-answer";

    /// Whether the model did reply, with what is no answer.
    pub fn is_no_answer(&self) -> bool {
        self.code == ModelFailure::NO_ANSWER
    }
}

/// What `ask` tells while it works, in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[allow(clippy::large_enum_variant)] // A handful of events an answer; boxes would show in the type that crosses the boundary.
pub enum AskEvent {
    /// What was found; may come again, refined.
    Hits {
        /// The result.
        result: SearchResult,
    },
    /// The passages that the answer may cite.
    References {
        /// The passages, by number.
        references: Vec<Reference>,
    },
    /// The next piece of a language model's answer.
    Token {
        /// Text to append.
        text: String,
    },
    /// What was streamed so far is no part of the answer, which begins anew.
    Anew,
    /// The answer, complete. Its text wins over the tokens.
    Done {
        /// The answer.
        answer: Answer,
    },
}

/// How to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct AskOptions {
    /// How many passages to retrieve; the retriever's own number when absent, which for `autokg` is the whole
    /// of its Algorithm 3.
    pub k: Option<u32>,
    /// The retriever by name; the bundle's default when absent.
    pub retriever: Option<String>,
    /// Which documents are searched; all when absent.
    pub filter: Arc<Filter>,
    /// The most tokens of a prompt.
    #[serde(rename = "maxInputTokens")]
    pub tokens_in: u32,
    /// The most tokens of a model's answer.
    #[serde(rename = "maxOutputTokens")]
    pub tokens_out: u32,
    /// The most milliseconds that the model is given, its reading of the prompt among them.
    #[serde(rename = "timeLimitMs")]
    pub milliseconds: u32,
    /// The language to answer in, as its name ("German"); the question's when absent.
    pub language: Option<String>,
    /// As in a search: the reader's language, as `de`, of pages that there are in several.
    pub reader_language: Option<String>,
    /// Version of the page that the reader is on, or its address: what holds in it comes first if the
    /// question names no time.
    pub reader_version: Option<String>,
    /// Ask the model to leave out telephone numbers, addresses and the like.
    pub hide_contacts: bool,
    /// The sentence that says that the documents do not say, in the reader's language; [`NO_ANSWER`] when
    /// absent.
    pub no_answer_text: Option<String>,
    /// A language model's task in the stead of ours; its places are those of the prompt `ask.task`.
    pub task: Option<String>,
}

impl Default for AskOptions {
    fn default() -> Self {
        AskOptions {
            k: None,
            retriever: None,
            filter: Arc::default(),
            tokens_in: 10_000,
            tokens_out: 1_024,
            milliseconds: 300_000,
            language: None,
            reader_language: None,
            reader_version: None,
            hide_contacts: true,
            no_answer_text: None,
            task: None,
        }
    }
}

impl AskOptions {
    /// The sentence that says that the documents do not say.
    pub fn no_answer_text(&self) -> &str {
        self.no_answer_text_or(NO_ANSWER)
    }

    /// Returns the caller's sentence for that, or else the usual one.
    pub(super) fn no_answer_text_or<'a>(&'a self, usual: &'a str) -> &'a str {
        self.no_answer_text.as_deref().map(str::trim).filter(|s| !s.is_empty()).unwrap_or(usual)
    }
}
