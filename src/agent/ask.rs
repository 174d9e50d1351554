//! Asking a bundle by a protocol: its retrievers search, and citations are checked as in any other answer.

use super::ask_plan;
use super::outcome::{AskWith, ProtocolAnswer, find_referred};
use crate::answer::{
    Answer, AskOptions, Citable, CitationTarget, ModelFailure, NoAnswer, check_reply, failed, gave_none,
    quoted_because, with_quotation,
};
use crate::bundle::format_place;
use crate::compact::Map;
use crate::engine::{Engine, EngineError, SearchOptions};
use crate::llm::Completion;
use crate::retrieve::{CommunityReport, Hit, Reached, SearchResult, community_reports};
use futures::future::{FutureExt, LocalBoxFuture};
use pocketgraph_agent::{
    AgentError, AgentEvent, AgentOptions, CallerTools, Environment, EnvironmentError, Evidence, GraphTools,
    KgTools, Looked, Meanings, NAMES, Outcome, Report, Services, WebSearch, by_name, needs_model,
    run_protocol,
};
use std::cell::RefCell;

/// Answers a question by the protocol of that name. `events` receives the hits of a search for the question,
/// the events of the run, the references, and last the answer with checked citations, which is also returned.
///
/// The protocol `plan` needs no model: its plan over the knowledge graph answers with the statements that
/// show it, or the documents answer by extraction and the answer says why. A model, if there is one, words
/// the answer.
///
/// If the model fails or gives no answer even when it must, the documents answer by extraction, and the
/// answer says so.
///
/// # Errors
/// [`EngineError::BadArgument`] for an unknown protocol or retriever, or without a model that is needed;
/// [`EngineError::Bundle`] if the bundle cannot be searched; [`EngineError::Aborted`] if the caller aborts.
pub async fn ask_with_protocol(
    engine: &Engine,
    question: &str,
    protocol: &str,
    options: &AgentOptions,
    with: &AskWith<'_>,
    events: &mut dyn FnMut(AgentEvent),
) -> Result<ProtocolAnswer, EngineError> {
    let unknown = || {
        EngineError::BadArgument(format!("there is no protocol {protocol:?}; there are {}", NAMES.join(", ")))
    };
    if !needs_model(protocol) {
        return ask_plan::ask_by_plan(engine, question, options, with, events).await;
    }
    let protocol = by_name(protocol).ok_or_else(unknown)?;
    let without =
        || EngineError::BadArgument(format!("the protocol {:?} needs a language model", protocol.name()));
    let chat = with.chat.ok_or_else(without)?;
    let k = protocol.limits().with(options).k;
    let environment =
        Bundled { engine, options, graph: None, web: with.web, tools: with.tools, seen: RefCell::default() };
    let search = environment.searching(Some(k));
    let result = engine.search(question, &search).await?;
    events(AgentEvent::Hits { result: result.clone() });

    let own = match with.graph {
        None if protocol.uses_graph() => {
            let meanings = engine.encoder().map(|encoder| encoder as std::rc::Rc<dyn Meanings>);
            engine.knowledge().await?.map(|linker| KgTools::new(linker).by_meaning(meanings))
        }
        _ => None,
    };
    let graph = with.graph.or(own.as_ref().map(|g| g as &dyn GraphTools));
    let environment = Bundled { graph, ..environment };
    let count = |text: &str| engine.count_tokens(text);
    let services = Services { chat, environment: &environment, clock: with.clock, count_tokens: &count };
    let outcome = match run_protocol(protocol.as_ref(), question, options, &services, events).await {
        Ok(outcome) => outcome,
        Err(AgentError::Aborted) => return Err(EngineError::Aborted),
    };
    let seen = environment.seen.into_inner();
    // From as many passages as without a model: a protocol's own number is for its prompts.
    let how = options.for_plain_answer();
    let quoted = engine.quote(question, &how, &mut |_| {}).await?;
    let answer = match find_failure(&outcome) {
        None => with_quotation(resolve_citations(&outcome, &seen, options, &result), &quoted, question),
        Some(why) => {
            let mut answer = quoted;
            answer.warnings.insert(0, quoted_because(&why));
            answer.failure = Some(why);
            answer.partial = outcome.turns.last().map(|t| t.text.clone()).filter(|t| !t.trim().is_empty());
            answer.usage = (!outcome.estimated).then_some(outcome.usage);
            answer.warnings.extend(outcome.warnings.iter().cloned());
            answer
        }
    };
    events(AgentEvent::References { references: answer.references.clone() });
    events(AgentEvent::Done { answer: answer.clone() });
    let Outcome { forced, usage, estimated, turns, .. } = outcome;
    let passages = find_referred(&answer, seen.into_iter().map(|(_, hit)| hit).chain(result.hits));
    Ok(ProtocolAnswer {
        answer,
        protocol: protocol.name().to_owned(),
        forced,
        usage,
        estimated,
        turns,
        carried: None,
        passages,
    })
}

/// Returns the reason why a run has no answer.
fn find_failure(outcome: &Outcome) -> Option<ModelFailure> {
    match (&outcome.error, outcome.no_answer) {
        (Some(error), _) => Some(failed(error)),
        (None, why) if outcome.text.is_empty() => Some(gave_none(why.unwrap_or(NoAnswer::Silence))),
        (None, _) => None,
    }
}

/// The model's answer, its marks resolved to the passages that the run has shown.
fn resolve_citations(
    outcome: &Outcome,
    seen: &Map<u32, Hit>,
    options: &AgentOptions,
    result: &SearchResult,
) -> Answer {
    let sources: Vec<(u32, Citable)> = (1..)
        .zip(&outcome.evidence)
        .filter_map(|(number, evidence)| {
            let source = match evidence.target.chunk() {
                Some(chunk) => seen.get(&chunk).map(Citable::from)?,
                None => evidence.into(),
            };
            Some((number, source))
        })
        .collect();
    let passages: Vec<(u32, &Citable)> = sources.iter().map(|(number, source)| (*number, source)).collect();
    let reply = Completion {
        text: outcome.text.clone(),
        usage: (!outcome.estimated).then_some(outcome.usage),
        ..Completion::default()
    };
    let how = AskOptions { no_answer_text: options.no_answer_text.clone(), ..AskOptions::default() };
    let mut answer = check_reply(&reply, outcome.cut.as_deref(), &how, &passages, result);
    answer.warnings.extend(outcome.warnings.iter().cloned());
    answer
}

/// A bundle as an environment. It keeps the hits that it gave, for the citations.
struct Bundled<'a> {
    engine: &'a Engine,
    options: &'a AgentOptions,
    graph: Option<&'a dyn GraphTools>,
    web: Option<&'a dyn WebSearch>,
    tools: Option<&'a dyn CallerTools>,
    seen: RefCell<Map<u32, Hit>>,
}

impl Bundled<'_> {
    /// Returns the options of a search for `k` passages.
    fn searching(&self, k: Option<u32>) -> SearchOptions {
        let AgentOptions { retriever, filter, reader_language, .. } = self.options;
        let reader_language = reader_language.clone();
        SearchOptions {
            k,
            retriever: retriever.clone(),
            filter: filter.clone(),
            reader_language,
            ..SearchOptions::default()
        }
    }
}

impl Environment for Bundled<'_> {
    fn search<'a>(&'a self, query: &'a str, k: usize) -> Looked<'a, Evidence> {
        async move {
            let result = self
                .engine
                .search(query, &self.searching(u32::try_from(k).ok()))
                .await
                .map_err(|e| EnvironmentError::Failed(e.to_string()))?;
            let found = result.hits.iter().map(make_evidence).collect();
            self.seen.borrow_mut().extend(result.hits.into_iter().map(|hit| (hit.chunk, hit)));
            Ok(found)
        }
        .boxed_local()
    }

    fn passage<'a>(&'a self, chunk: u32) -> LocalBoxFuture<'a, Option<Evidence>> {
        async move {
            // A statement whose passage cannot be loaded is shown without a number.
            let hit = self.engine.passage(chunk).await.ok()?;
            let found = make_evidence(&hit);
            self.seen.borrow_mut().get_or_insert_with(chunk, || hit);
            Some(found)
        }
        .boxed_local()
    }

    fn reports<'a>(&'a self, query: &'a str, k: usize) -> Looked<'a, Report> {
        async move {
            let found = async {
                community_reports(self.engine.corpus(), &self.engine.query(query, false).await?, k)
                    .await
                    .map_err(Into::into)
            };
            let found = found.await.map_err(|e: EngineError| EnvironmentError::Failed(e.to_string()))?;
            Ok(found
                .into_iter()
                .map(|CommunityReport { title, text, chunks }| Report { title, text, chunks })
                .collect())
        }
        .boxed_local()
    }

    fn graph(&self) -> Option<&dyn GraphTools> {
        self.graph
    }

    fn tools(&self) -> Option<&dyn CallerTools> {
        self.tools
    }

    fn web(&self) -> Option<&dyn WebSearch> {
        self.web
    }
}

fn make_evidence(hit: &Hit) -> Evidence {
    Evidence {
        target: CitationTarget::Chunk { chunk: hit.chunk },
        title: format_place(&hit.title, &hit.heading_path),
        text: hit.text.clone(),
        url: hit.url.clone(),
        score: hit.score,
        by_keyword: Reached::by_keyword_alone(&hit.reached),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{CitationStatus, Notice, NoticeCode};
    use crate::llm::Usage;
    use pocketgraph_testing::hits::hit;

    fn outcome(text: &str, evidence: Vec<Evidence>) -> Outcome {
        Outcome {
            text: text.to_owned(),
            forced: None,
            cut: None,
            error: None,
            no_answer: None,
            usage: Usage::default(),
            estimated: true,
            evidence,
            turns: Vec::new(),
            warnings: vec![Notice::about(NoticeCode::SearchFailed, "it rained")],
        }
    }

    #[test]
    fn marks_are_resolved_to_what_the_run_has_shown_and_point_at_it_by_type() {
        let evidence = |target, title: &str, text: &str, url: &str| Evidence {
            target,
            title: title.to_owned(),
            text: text.to_owned(),
            url: url.to_owned(),
            score: 0.0,
            by_keyword: false,
        };
        let shown = vec![
            evidence(CitationTarget::Chunk { chunk: 9 }, "Voss", "Mira Voss was born in Hallwil.", ""),
            evidence(CitationTarget::Web, "Hallwil", "Hallwil lies in Aargau.", "https://x"),
        ];
        let seen = Map::from_iter([(9, hit(9, "Voss", &[], "Mira Voss was born in Hallwil."))]);
        let result = SearchResult {
            question: String::new(),
            retriever: "hybrid".to_owned(),
            stage: crate::retrieve::Stage::Lexical,
            hits: Vec::new(),
            keywords: Vec::new(),
            missing: Vec::new(),
        };
        let text = "Mira Voss was born in Hallwil [1]. Hallwil lies in Aargau [2]. She flew [3].";
        let answer = resolve_citations(&outcome(text, shown), &seen, &AgentOptions::default(), &result);
        let citations: Vec<_> = answer.citations.iter().map(|c| (c.number, c.target, c.status)).collect();
        assert_eq!(
            citations,
            [
                (1, Some(CitationTarget::Chunk { chunk: 9 }), CitationStatus::Verified),
                (2, Some(CitationTarget::Web), CitationStatus::Verified),
                (3, None, CitationStatus::Dangling)
            ]
        );
        assert_eq!(answer.references.iter().map(|r| (r.number, r.chunk)).collect::<Vec<_>>(), [(1, 9)]);
        assert!(answer.warnings.iter().any(|w| w.code == NoticeCode::SearchFailed) && answer.answered);
    }
}
