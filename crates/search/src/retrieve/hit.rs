//! What a search returns. These types cross into JavaScript; `pkg/pocketgraph.d.ts` is generated from them.

use serde::{Deserialize, Serialize};

/// A range of a text: byte offsets in Rust, UTF-16 code units in JavaScript; the boundary converts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Span {
    /// First position.
    pub start: u32,
    /// Position after the last.
    pub end: u32,
}

/// One way a chunk was reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Reached {
    /// The question's own words or vector found it.
    Query,
    /// The question names its document.
    Name {
        /// The name, as the question writes it.
        name: String,
    },
    /// A passage that answers to the question mentions its document.
    Link {
        /// The name that is mentioned.
        name: String,
        /// The title of the document that mentions it.
        from: String,
    },
    /// It is among the best chunks of a keyword near the question.
    Keyword {
        /// The keyword.
        keyword: String,
    },
    /// It is among the best chunks of a keyword that shares chunks with a keyword near the question.
    AdjacentKeyword {
        /// The adjacent keyword.
        keyword: String,
        /// The keyword near the question that led to it.
        via: String,
    },
    /// The question leads to an entity that it mentions.
    Entity {
        /// The entity.
        entity: String,
    },
    /// A summary or report near the question rests on it.
    Summary {
        /// Subject of the summary.
        title: String,
    },
}

impl Reached {
    /// Words the way for readers and language models: "keyword tide"; empty for the question itself.
    pub fn to_words(&self) -> String {
        match self {
            Reached::Query => String::new(),
            Reached::Name { name } => ["name ", name].concat(),
            Reached::Link { name, from } => [name, ", mentioned in ", from].concat(),
            Reached::Keyword { keyword } => ["keyword ", keyword].concat(),
            Reached::AdjacentKeyword { keyword, via } => {
                ["related keyword ", keyword, ", next to ", via].concat()
            }
            Reached::Entity { entity } => ["entity ", entity].concat(),
            Reached::Summary { title } => ["summary of ", title].concat(),
        }
    }

    /// Returns true if only the keyword graph leads to a passage, which `k` then does not count.
    pub fn by_keyword_alone(ways: &[Reached]) -> bool {
        let by_keyword = |way| matches!(way, &Reached::Keyword { .. } | &Reached::AdjacentKeyword { .. });
        !ways.is_empty() && ways.iter().all(by_keyword)
    }
}

/// The same page in another language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Translation {
    /// The language, as `de`.
    pub language: String,
    /// Its passage that answers to the question best.
    pub chunk: u32,
}

/// Another page that has the same passage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Elsewhere {
    /// The page's title.
    pub title: String,
    /// Address of the passage there.
    pub url: String,
}

/// A chunk that answers to a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Hit {
    /// The chunk's number in the bundle.
    pub chunk: u32,
    /// Score under the retriever; larger is better, comparable only within one result.
    pub score: f32,
    /// The BM25 score, where the lexical side saw it.
    pub lexical: Option<f32>,
    /// The cosine to the question, where the dense side saw it.
    pub dense: Option<f32>,
    /// The document's title.
    pub title: String,
    /// Its language, as `de`; empty where nothing tells it.
    #[serde(default)]
    pub language: String,
    /// The headings above the passage, outermost first.
    pub heading_path: Vec<String>,
    /// Address at which to read it, with the fragment of its heading.
    pub url: String,
    /// The passage.
    pub text: String,
    /// Places of the question's words in `text`, ascending, not overlapping.
    pub highlights: Vec<Span>,
    /// Every way it was reached.
    pub reached: Vec<Reached>,
    /// Passages of the same page in other languages, for all of which it stands.
    #[serde(default)]
    pub translations: Vec<Translation>,
    /// Other pages with the same passage, for all of which it stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Elsewhere>,
}

impl Hit {
    /// The nearest heading above it; the document's title where it has none.
    pub fn heading(&self) -> &str {
        self.heading_path.last().unwrap_or(&self.title)
    }
}

/// Reason why a keyword is in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum KeywordKind {
    /// Near the question.
    Direct,
    /// Next to a direct keyword in the keyword graph.
    Adjacent,
}

/// A keyword that a result touched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct KeywordHit {
    /// The keyword's number in the keyword graph.
    pub id: u32,
    /// The keyword as shown.
    pub label: String,
    /// Direct or adjacent.
    pub kind: KeywordKind,
    /// Cosine to the question for a direct keyword; edge weight W^k to `via` for an adjacent one.
    pub score: f32,
    /// For an adjacent keyword: the number of the direct keyword that led to it.
    pub via: Option<u32>,
}

/// Form of the question that ranked. Results are refined in place as later stages become ready.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Stage {
    /// Words alone: BM25.
    #[default]
    Lexical,
    /// BM25, then the vectors of its own best hits stand in for the question's (pseudo-relevance feedback).
    Feedback,
    /// The rows of the question's tokens were added up: the token table, which is there before the model.
    Table,
    /// The question was embedded by the full model.
    Model,
}

/// The answer to `search`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SearchResult {
    /// The question as it was asked.
    pub question: String,
    /// The name of the retriever that ranked.
    pub retriever: String,
    /// Form of the question that ranked.
    pub stage: Stage,
    /// The chunks, best first.
    pub hits: Vec<Hit>,
    /// The keywords near the question and those adjacent to them.
    pub keywords: Vec<KeywordHit>,
    /// Names of parts that could not be loaded and are missing from this result; empty if it is complete.
    pub missing: Vec<String>,
}
