//! What a plan has found, as an answer: its members, each with the statements and passages that show it.

use super::environment::GRAPH;
use super::kg_tools::imported_from;
use crate::answer::{
    Answer, AnswerBy, Citable, Citation, CitationStatus, CitationTarget, Notice, NoticeCode, Outcome,
    reference, span,
};
use crate::kg::{KnowledgeGraph, LiteralKind, Provenance, SHARES_PASSAGES, TripleId, show_interval};
use crate::plan::execute::{Evidence, Execution, Item, Member};
use crate::plan::trace::Fallback;
use crate::retrieve::Hit;
use crate::text::{fold, one_line, sentences};
use futures::future::LocalBoxFuture;
use std::ops::Range;

/// Members that an answer lists.
const LISTED: usize = 20;
/// Marks behind one member: a plan of three steps has three statements.
const MARKS: usize = 3;
/// Marks behind a value that was computed from many.
const MARKS_OF_COMPUTED: usize = 8;

/// Loads a chunk; `None` when it cannot be had.
pub type Load<'a, 'f> = &'a dyn Fn(u32) -> LocalBoxFuture<'f, Option<Hit>>;

/// Something that an answer cites.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A passage of the bundle.
    Passage(Box<Hit>),
    /// A statement of the graph that no passage of the bundle says: its words, and where it was imported
    /// from.
    Statement {
        /// Which.
        triple: TripleId,
        /// Its words.
        words: String,
        /// Source of its import.
        from: String,
    },
    /// A passage from elsewhere.
    Page {
        /// Its place among the execution's passages.
        at: u32,
        /// Its title.
        title: String,
        /// Its address.
        url: String,
        /// Its text.
        text: String,
    },
}

impl Source {
    /// As what an answer cites.
    pub fn citable(&self) -> Citable {
        match self {
            Source::Passage(hit) => hit.as_ref().into(),
            Source::Statement { triple, words, from } => Citable::new(
                CitationTarget::Statement { triple: Some(triple.0) },
                from.as_str(),
                "",
                words.as_str(),
            ),
            Source::Page { title, url, text, .. } => {
                Citable::new(CitationTarget::Web, title.as_str(), url.as_str(), text.as_str())
            }
        }
    }
}

/// Returns a statement of the graph as answers cite it.
pub fn statement_words(graph: &KnowledgeGraph, id: TripleId) -> Option<String> {
    let triple = graph.triple(id)?;
    let relation = graph.vocabulary().relation(triple.relation).map_or("", |r| r.label.as_str());
    Some(format!(
        "{} | {relation} | {}",
        graph.label(triple.head),
        Item::Node(triple.tail).label(Some(graph))
    ))
}

/// Result of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanAnswer {
    /// The members with their marks.
    pub text: String,
    /// The marks, resolved.
    pub citations: Vec<Citation>,
    /// Sources that the numbers cite, from 1.
    pub sources: Vec<Source>,
    /// True if statements of the graph show it; false if only passages do.
    pub from_graph: bool,
    /// Remarks for the reader.
    pub warnings: Vec<Notice>,
}

impl PlanAnswer {
    /// As an answer without a model.
    pub fn answer(&self) -> Answer {
        let references = (1..).zip(&self.sources).filter_map(|(number, source)| match source {
            Source::Passage(hit) => Some(reference(number, hit)),
            _ => None,
        });
        Answer {
            text: self.text.clone(),
            answered: true,
            outcome: Outcome::Answer,
            by: if self.from_graph { AnswerBy::Graph } else { AnswerBy::Extraction },
            citations: self.citations.clone(),
            references: references.collect(),
            warnings: self.warnings.clone(),
            ..Answer::default()
        }
    }

    /// The passages of the bundle among the sources.
    pub fn passages(&self) -> impl Iterator<Item = &Hit> {
        self.sources
            .iter()
            .filter_map(|s| if let Source::Passage(hit) = s { Some(hit.as_ref()) } else { None })
    }
}

/// Words the result of an execution; `None` if there is none.
pub async fn plan_answer(
    graph: &KnowledgeGraph,
    execution: &Execution,
    load: Load<'_, '_>,
) -> Option<PlanAnswer> {
    let answer = execution.answer();
    if answer.members.is_empty() {
        return None;
    }
    let everything = execution.support(&[]);
    let of_graph = everything.iter().any(|e| matches!(e, Evidence::Triple(_)));
    let mut writer =
        Writer { graph, execution, load, text: String::new(), citations: Vec::new(), sources: Vec::new() };
    let ranked = answer.ranked();
    let of_way = |id: &TripleId| {
        let words = statement_words(graph, *id)?;
        let label = words.split(" | ").last().unwrap_or_default().to_owned();
        Some((words.replace(" | ", " – "), label, vec![Evidence::Triple(*id)], 1))
    };
    let of_member = |member: &&Member| {
        let label = words_of(&member.item, graph);
        let computed = matches!(member.item, Item::Value { .. }) && member.origins.is_empty();
        let marks = if computed { MARKS_OF_COMPUTED } else { MARKS };
        (label.clone(), label, execution.support(std::slice::from_ref(&member.item)), marks)
    };
    let (between, parts): (_, Vec<_>) = match execution.way() {
        Some(way) => ("; ", way.iter().take(LISTED).filter_map(of_way).collect()),
        None => (", ", ranked.iter().take(LISTED).map(of_member).collect()),
    };
    for (text, label, shown_by, marks) in parts {
        if !writer.text.is_empty() {
            writer.text.push_str(between);
        }
        writer.text.push_str(&text);
        let mut cited = Vec::new();
        for evidence in shown_by {
            if cited.len() == marks {
                break;
            }
            writer.cite(evidence, &label, &mut cited).await;
        }
    }
    if ranked.len() > LISTED {
        writer.text.push_str(&format!(" and {} more", ranked.len() - LISTED));
    }
    let from_graph = of_graph || (everything.is_empty() && !answer.open);
    let mut warnings = Vec::new();
    let fell_back = |to: Fallback| execution.trace.steps.iter().any(|s| s.fallback == Some(to));
    if answer.open && fell_back(Fallback::Extraction) {
        warnings.push(Notice::new(NoticeCode::FromPassages));
    }
    if fell_back(Fallback::Web) {
        warnings.push(Notice::new(NoticeCode::FromWeb));
    }
    let Writer { text, citations, sources, .. } = writer;
    Some(PlanAnswer { text, citations, sources, from_graph, warnings })
}

/// A member in words.
fn words_of(item: &Item, graph: &KnowledgeGraph) -> String {
    match item {
        Item::Value { kind: LiteralKind::Boolean, text, .. } if text == "true" => "Yes".to_owned(),
        Item::Value { kind: LiteralKind::Boolean, .. } => "No".to_owned(),
        // A label is one line of text, whatever the graph was imported from.
        other => one_line(&other.label(Some(graph))),
    }
}

struct Writer<'a, 'f> {
    graph: &'a KnowledgeGraph,
    execution: &'a Execution,
    load: Load<'a, 'f>,
    text: String,
    citations: Vec<Citation>,
    sources: Vec<Source>,
}

impl Writer<'_, '_> {
    /// Puts a mark behind what was written last, unless it has one of that number already.
    async fn cite(&mut self, evidence: Evidence, label: &str, cited: &mut Vec<u32>) {
        let source = match evidence {
            Evidence::Triple(id) => self.triple(id, label).await,
            Evidence::Passage(at) => self.read(at, label).await,
        };
        let Some((at, quoted)) = source else { return };
        let number = at as u32 + 1;
        if cited.contains(&number) {
            return;
        }
        cited.push(number);
        if cited.len() == 1 {
            self.text.push(' ');
        }
        let start = self.text.len();
        self.text.push_str(&format!("[{number}]"));
        let mark = span(&(start..self.text.len()));
        let Some(Citable { target, title, heading_path, url, text, .. }) =
            self.sources.get(at).map(Source::citable)
        else {
            return;
        };
        let held = |of: TripleId| self.graph.intervals(of).next().map(show_interval);
        let holds =
            if let Evidence::Triple(of) = evidence { held(of).unwrap_or_default() } else { String::new() };
        let quote = text.get(quoted.clone()).unwrap_or_default().to_owned();
        // What shares a passage is related by what that says, once.
        if let Evidence::Triple(id) = evidence
            && let Some(triple) = self.graph.triple(id)
            && self.graph.vocabulary().relation(triple.relation).is_some_and(|r| r.name == SHARES_PASSAGES)
            && !self.text.contains(&quote)
        {
            self.text.push_str(": “");
            self.text.push_str(&quote);
            self.text.push('”');
        }
        let status = if quote.is_empty() { CitationStatus::Unsupported } else { CitationStatus::Verified };
        self.citations.push(Citation {
            holds,
            number,
            target: Some(target),
            title,
            heading_path,
            url,
            quote,
            span: span(&quoted),
            at: mark,
            status,
        });
    }

    /// The source of a triple: the passage that says it, or else the statement itself; and the part of it to
    /// quote.
    async fn triple(&mut self, id: TripleId, label: &str) -> Option<(usize, Range<usize>)> {
        let graph = self.graph;
        for provenance in graph.provenance(id) {
            if let Provenance::Passage { chunk, start, end } = provenance
                && let Some((at, hit)) = self.chunk(chunk).await
            {
                let given = start as usize..end as usize;
                let quoted = if start < end && hit.text.get(given.clone()).is_some() {
                    given
                } else {
                    sentence_with(&hit.text, label)
                };
                return Some((at, quoted));
            }
        }
        let from = imported_from(graph, id);
        let from = if from.is_empty() { GRAPH.to_owned() } else { from };
        let known =
            self.sources.iter().position(|s| matches!(s, Source::Statement { triple, .. } if *triple == id));
        let words = statement_words(graph, id)?;
        let whole = 0..words.len();
        let at = known.unwrap_or_else(|| {
            self.sources.push(Source::Statement { triple: id, words, from });
            self.sources.len() - 1
        });
        Some((at, whole))
    }

    /// The source that is a passage which was read, and the sentence of it that names the answer.
    async fn read(&mut self, place: u32, label: &str) -> Option<(usize, Range<usize>)> {
        let passage = self.execution.passages.get(place as usize)?.clone();
        if let Some(chunk) = passage.chunk
            && let Some((at, hit)) = self.chunk(chunk).await
        {
            return Some((at, sentence_with(&hit.text, label)));
        }
        let quoted = sentence_with(&passage.text, label);
        let known = self.sources.iter().position(|s| matches!(s, Source::Page { at, .. } if *at == place));
        let at = known.unwrap_or_else(|| {
            self.sources.push(Source::Page {
                at: place,
                title: passage.title,
                url: passage.url,
                text: passage.text,
            });
            self.sources.len() - 1
        });
        Some((at, quoted))
    }

    /// The source that is a chunk.
    async fn chunk(&mut self, chunk: u32) -> Option<(usize, Hit)> {
        let known = self.sources.iter().position(|s| matches!(s, Source::Passage(h) if h.chunk == chunk));
        if let Some(at) = known
            && let Some(Source::Passage(hit)) = self.sources.get(at)
        {
            return Some((at, hit.as_ref().clone()));
        }
        let hit = (self.load)(chunk).await?;
        self.sources.push(Source::Passage(Box::new(hit.clone())));
        Some((self.sources.len() - 1, hit))
    }
}

/// The first sentence that holds these words; empty where none does.
fn sentence_with(text: &str, words: &str) -> Range<usize> {
    let wanted = fold(words);
    let holds = |s: &Range<usize>| text.get(s.clone()).is_some_and(|t| fold(t).contains(&wanted));
    sentences(text).into_iter().find(|s| !wanted.is_empty() && holds(s)).unwrap_or(0..0)
}

#[cfg(test)]
#[path = "plan_answer_tests.rs"]
mod tests;
