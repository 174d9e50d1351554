//! Looking things up on a model's behalf: numbered, counted, cut to size, and made safe.

use super::environment::{EnvironmentError, Evidence, Fact, GRAPH, Report};
use super::neutralise::neutralise;
use super::room::{Wish, share_room};
use super::run::Run;
use super::types::{AgentEvent, Call, Numbered};
use crate::answer::{CitationTarget, Notice, NoticeCode};
use crate::text::{fold, one_line};
use futures::future::join_all;

/// A passage as the model is shown it: safe, and cut to size.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownPassage {
    /// The number that cites it.
    pub number: u32,
    /// The document's title, on one line.
    pub title: String,
    /// The passage.
    pub text: String,
    /// Its score under the retriever.
    pub score: f32,
}

/// The passages under their numbers, a blank line between them.
pub fn list_passages(passages: &[ShownPassage]) -> String {
    passages.iter().map(|p| format!("[{}] {}\n{}\n\n", p.number, p.title, p.text)).collect()
}

/// Outcome of a query.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryOutcome {
    /// Passages, best first.
    Passages(Vec<ShownPassage>),
    /// There are none.
    Nothing,
    /// The query was empty; nothing was looked for.
    Empty,
    /// It was asked before, and brought these numbers.
    Repeat(Vec<u32>),
    /// No more searches are allowed.
    Limit,
    /// The search failed.
    Failed,
}

impl QueryOutcome {
    /// The passages, where there are any.
    pub fn passages(&self) -> &[ShownPassage] {
        match self {
            QueryOutcome::Passages(passages) => passages,
            _ => &[],
        }
    }

    /// Returns the message to the model in place of passages.
    pub fn notice(&self) -> Option<String> {
        Some(match self {
            QueryOutcome::Passages(_) => return None,
            QueryOutcome::Nothing => "Nothing was found for this query. Try other words.".to_owned(),
            QueryOutcome::Empty => {
                "The query was empty, so nothing was searched. Write what to search for.".to_owned()
            }
            QueryOutcome::Repeat(numbers) if numbers.is_empty() => {
                "This query was searched before and found nothing. Ask something else, or go on without it."
                    .to_owned()
            }
            QueryOutcome::Repeat(numbers) => {
                let list: Vec<String> = numbers.iter().map(|n| format!("[{n}]")).collect();
                format!("This query was searched before. Its results stand above: {}.", list.join(" "))
            }
            QueryOutcome::Limit => {
                "The limit of searches is reached. No further search is possible; go on with what you have."
                    .to_owned()
            }
            QueryOutcome::Failed => "The search failed. Go on without it.".to_owned(),
        })
    }
}

/// Source of passages: the bundle or the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassageOrigin {
    Bundle,
    /// The web; the bundle where no way to search the web was supplied.
    Web,
}

/// Characters of a title or a fact, at most.
const LABEL_CHARS: usize = 300;
/// Passages that are loaded for the statements of one look into the graph, at most.
const SOURCES: usize = 20;
/// A passage of which fewer tokens than this would be left is not begun.
const LEAST: usize = 24;

impl Run<'_> {
    /// Looks for one query.
    pub async fn search(&mut self, tool: &'static str, query: &str) -> QueryOutcome {
        self.search_all(tool, PassageOrigin::Bundle, &[query.to_owned()])
            .await
            .pop()
            .unwrap_or(QueryOutcome::Nothing)
    }

    /// Looks for several queries at once; the answers come in their order.
    pub async fn search_all(
        &mut self,
        tool: &'static str,
        place: PassageOrigin,
        queries: &[String],
    ) -> Vec<QueryOutcome> {
        let mut found: Vec<Option<QueryOutcome>> = Vec::new();
        let mut first_of: Vec<Option<usize>> = Vec::new();
        for query in queries {
            let key = normalise_query(query);
            self.emit(AgentEvent::Call { tool: tool.to_owned(), query: join_lines(query) });
            let (known, fresh) = match () {
                () if key.is_empty() => (Some(QueryOutcome::Empty), None),
                () if self.asked.iter().any(|(t, k, _)| *t == tool && *k == key) => {
                    (Some(QueryOutcome::Repeat(Vec::new())), None)
                }
                () if self.searches >= self.limits.searches => (Some(QueryOutcome::Limit), None),
                () => {
                    self.searches += 1;
                    self.asked.push((tool, key, Vec::new()));
                    (None, Some(self.asked.len() - 1))
                }
            };
            found.push(known);
            first_of.push(fresh);
        }
        let environment = self.services.environment;
        let k = self.limits.k as usize;
        let work = queries.iter().zip(&found).map(|(query, known)| async move {
            match (known, environment.web()) {
                (Some(_), _) => None,
                (None, Some(web)) if place == PassageOrigin::Web => Some(web.search(query.trim(), k).await),
                (None, _) => Some(environment.search(query.trim(), k).await),
            }
        });
        let answers = join_all(work).await;
        let mut out = Vec::with_capacity(queries.len());
        for (i, answer) in answers.into_iter().enumerate() {
            let result = match (answer, found[i].take()) {
                (Some(answer), _) => self.take(answer),
                (None, Some(QueryOutcome::Repeat(_))) => {
                    let key = normalise_query(&queries[i]);
                    let before = self.asked.iter().find(|(t, k, _)| *t == tool && *k == key);
                    QueryOutcome::Repeat(before.map(|(_, _, numbers)| numbers.clone()).unwrap_or_default())
                }
                (None, known) => known.unwrap_or(QueryOutcome::Nothing),
            };
            if let Some(entry) = first_of[i].and_then(|at| self.asked.get_mut(at)) {
                entry.2 = result.passages().iter().map(|p| p.number).collect();
            }
            self.report(tool, &queries[i], &result);
            out.push(result);
        }
        out
    }

    /// Numbers what was found, makes it safe, and cuts it to size.
    fn take(&mut self, answer: Result<Vec<Evidence>, EnvironmentError>) -> QueryOutcome {
        let passages = match answer {
            Ok(passages) => passages,
            Err(error) => return self.failed(&error),
        };
        let mut room = self.options.tokens_evidence as usize;
        let mut shown = Vec::new();
        let (by_keyword, mut nearest): (Vec<Evidence>, Vec<Evidence>) =
            passages.into_iter().partition(|p| p.by_keyword);
        nearest.truncate(self.limits.k as usize);
        let found: Vec<Evidence> = nearest.into_iter().chain(by_keyword).collect();
        let texts: Vec<String> = found.iter().map(|p| neutralise(p.text.trim(), &self.marks)).collect();
        let wish = |(passage, text): (&Evidence, &String)| Wish {
            tokens: self.count_tokens(text),
            by_keyword: passage.by_keyword,
        };
        let mut fits = share_room(&found.iter().zip(&texts).map(wish).collect::<Vec<_>>(), room);
        // What is left after the last nearest passage that fits takes the beginning of the next one.
        if !found.iter().any(|p| p.by_keyword) && fits.len() < found.len() {
            fits.push(fits.len());
        }
        for (index, (passage, text)) in found.into_iter().zip(texts).enumerate() {
            if !fits.contains(&index) {
                continue;
            }
            let Some(text) = self.cut_to(&text, room, shown.is_empty()) else { break };
            room = room.saturating_sub(self.count_tokens(&text));
            let title = join_lines(&neutralise(&passage.title, &self.marks));
            let score = passage.score;
            let number = self.number(passage);
            // Two retrievers' ways to one passage are still one passage.
            if !shown.iter().any(|s: &ShownPassage| s.number == number) {
                shown.push(ShownPassage { number, title, text, score });
            }
        }
        if shown.is_empty() { QueryOutcome::Nothing } else { QueryOutcome::Passages(shown) }
    }

    /// The number of a passage: a chunk keeps the one that it was first given.
    pub(super) fn number(&mut self, passage: Evidence) -> u32 {
        let same = |e: &Evidence| match passage.target.chunk() {
            Some(chunk) => e.target.chunk() == Some(chunk),
            None => e.target.chunk().is_none() && e.title == passage.title && e.text == passage.text,
        };
        let at = self.shown.iter().position(same).unwrap_or_else(|| {
            self.shown.push(passage);
            self.shown.len() - 1
        });
        u32::try_from(at + 1).unwrap_or(u32::MAX)
    }

    /// Cuts a text at a word to fit; `None` if too little would remain. The first text is always begun.
    fn cut_to(&self, text: &str, room: usize, first: bool) -> Option<String> {
        if text.is_empty() {
            return None;
        }
        if self.count_tokens(text) <= room {
            return Some(text.to_owned());
        }
        if room < LEAST && !first {
            return None;
        }
        // Token counts grow with the text.
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let fits = ends.partition_point(|&end| self.count_tokens(&text[..end]) <= room);
        let end = fits.checked_sub(1).and_then(|i| ends.get(i)).copied()?;
        // At a word, unless the script has none.
        let cut = match text[..end].rfind(char::is_whitespace) {
            Some(word) if end - word < 80 => text[..word].trim_end(),
            _ => &text[..end],
        };
        (!cut.is_empty()).then(|| format!("{cut} …"))
    }

    /// Searches for a prompt that stands alone: passages that were found for the same query before are shown
    /// again.
    pub async fn search_afresh(&mut self, query: &str) -> Vec<ShownPassage> {
        match self.search("search", query).await {
            QueryOutcome::Passages(passages) => passages,
            QueryOutcome::Repeat(numbers) => self.reshow(&numbers),
            _ => Vec::new(),
        }
    }

    /// Passages that were shown before, once more, for a prompt that stands alone.
    pub fn reshow(&self, numbers: &[u32]) -> Vec<ShownPassage> {
        let mut room = self.options.tokens_evidence as usize;
        let mut out = Vec::new();
        for &number in numbers {
            let Some(e) = (number as usize).checked_sub(1).and_then(|at| self.shown.get(at)) else {
                continue;
            };
            let Some(text) = self.cut_to(&self.safe(e.text.trim()), room, out.is_empty()) else { break };
            room = room.saturating_sub(self.count_tokens(&text));
            out.push(ShownPassage { number, title: join_lines(&self.safe(&e.title)), text, score: e.score });
        }
        out
    }

    /// Reports on the parts of the collection, safe to be shown, those nearest to a query first, at most `k`.
    pub async fn reports(&mut self, tool: &'static str, query: &str, k: usize) -> Vec<Report> {
        if !self.may_call(tool, query) {
            return Vec::new();
        }
        let environment = self.services.environment;
        let (found, note) = match environment.reports(query.trim(), k).await {
            Ok(found) => (found, None),
            Err(error) => (Vec::new(), self.failed(&error).notice()),
        };
        let safe = |r: Report| Report {
            title: join_lines(&self.safe(&r.title)),
            text: self.safe(r.text.trim()),
            chunks: r.chunks,
        };
        let found: Vec<Report> = found.into_iter().map(safe).filter(|r| !r.text.is_empty()).collect();
        let note = note.or_else(|| found.is_empty().then(|| "There are no reports.".to_owned()));
        // In the trace a report stands as a statement: it has no passage of its own.
        let facts: Vec<String> = found.iter().map(|r| r.title.clone()).collect();
        self.record_call(tool, query, Vec::new(), facts, note);
        found
    }

    /// The number under which a chunk was shown.
    fn number_of(&self, chunk: u32) -> Option<u32> {
        self.shown
            .iter()
            .position(|e| e.target.chunk() == Some(chunk))
            .and_then(|at| u32::try_from(at + 1).ok())
    }

    /// Numbers passages by their chunks, so that an answer may cite passages that it was not shown.
    pub async fn cite(&mut self, chunks: &[u32]) -> Vec<u32> {
        let mut out: Vec<u32> = Vec::new();
        for &chunk in chunks {
            let known = self.number_of(chunk);
            let number = match known {
                None => self.services.environment.passage(chunk).await.map(|passage| self.number(passage)),
                known => known,
            };
            out.extend(number.filter(|n| !out.contains(n)));
        }
        out
    }

    /// Counts a call of a tool, and tells of it; false when no more are allowed.
    pub(super) fn may_call(&mut self, tool: &str, query: &str) -> bool {
        self.emit(AgentEvent::Call { tool: join_lines(tool), query: join_lines(query) });
        let allowed = self.searches < self.limits.searches;
        self.searches += u32::from(allowed);
        allowed
    }

    /// Takes what one call brought, as the model is shown it.
    pub(super) fn shown_of(&mut self, tool: &str, query: &str, evidence: Evidence) -> Vec<ShownPassage> {
        let found = self.take(Ok(vec![evidence]));
        self.report(tool, query, &found);
        found.passages().to_vec()
    }

    /// Notes a call that could not be carried out.
    pub fn missed(&mut self, tool: &str, query: &str, note: &str) {
        let tool = join_lines(tool);
        self.emit(AgentEvent::Call { tool: tool.clone(), query: join_lines(query) });
        self.record_call(&tool, query, Vec::new(), Vec::new(), Some(note.to_owned()));
    }

    fn failed(&mut self, error: &EnvironmentError) -> QueryOutcome {
        match error {
            EnvironmentError::Aborted => self.aborted = true,
            EnvironmentError::Failed(why) => self.warn(Notice::about(NoticeCode::SearchFailed, why.as_str())),
        }
        QueryOutcome::Failed
    }

    fn report(&mut self, tool: &str, query: &str, found: &QueryOutcome) {
        let numbered = |s: &ShownPassage| {
            let of = self.shown.get((s.number as usize).checked_sub(1)?)?;
            Some(Numbered {
                number: s.number,
                target: of.target,
                title: s.title.clone(),
                url: of.url.clone(),
            })
        };
        let passages: Vec<Numbered> = found.passages().iter().filter_map(numbered).collect();
        self.record_call(tool, query, passages, Vec::new(), found.notice());
    }

    /// Tells what a call found, and keeps it for the trace.
    fn record_call(
        &mut self,
        tool: &str,
        query: &str,
        passages: Vec<Numbered>,
        facts: Vec<String>,
        note: Option<String>,
    ) {
        let call = Call {
            tool: tool.to_owned(),
            query: join_lines(query),
            passages: passages.iter().map(|p| p.number).collect(),
            facts: facts.clone(),
            note: note.clone(),
        };
        let (tool, query) = (call.tool.clone(), call.query.clone());
        self.emit(AgentEvent::Evidence { tool, query, passages, facts, note });
        self.note(call);
    }

    /// Takes what the knowledge graph answered, as safe lines; empty with a note when it did not.
    fn take_facts(
        &mut self,
        tool: &'static str,
        query: &str,
        answer: Result<Vec<String>, EnvironmentError>,
    ) -> Vec<String> {
        let (lines, note) = match answer {
            Ok(lines) => (lines, None),
            Err(error) => (Vec::new(), self.failed(&error).notice()),
        };
        let facts: Vec<String> =
            lines.iter().map(|l| join_lines(&self.safe(l))).filter(|l| !l.is_empty()).collect();
        let note = note.or_else(|| facts.is_empty().then(|| "The graph holds nothing for this.".to_owned()));
        self.record_call(tool, query, Vec::new(), facts.clone(), note);
        facts
    }

    /// Statements as a protocol shows them, each with the number of the passage that says so, where the graph
    /// knows it; else, where citations are asked for, with a number of its own.
    pub(super) async fn number_facts(
        &mut self,
        facts: Result<Vec<Fact>, EnvironmentError>,
    ) -> Result<Vec<String>, EnvironmentError> {
        let mut out = Vec::new();
        let mut loaded = 0;
        for fact in facts? {
            let mut text = format!("({}, {}, {})", fact.head, fact.relation, fact.tail);
            let mut number = None;
            if let Some(chunk) = fact.chunk {
                let known = self.number_of(chunk);
                number = match known {
                    None if loaded < SOURCES => {
                        loaded += 1;
                        let environment = self.services.environment;
                        environment.passage(chunk).await.map(|passage| self.number(passage))
                    }
                    known => known,
                };
            }
            if number.is_none() && fact.chunk.is_none() && self.options.grounded {
                number = Some(self.number(make_statement(&fact)));
            }
            text.extend(number.map(|n| format!(" [{n}]")));
            out.push(text);
        }
        Ok(out)
    }

    /// Returns true if there is a knowledge graph.
    pub fn has_graph(&self) -> bool {
        self.services.environment.graph().is_some()
    }

    /// Returns the statements nearest to a query, best first: `(head, relation, tail)`. Empty without a
    /// graph.
    pub async fn facts(&mut self, tool: &'static str, query: &str) -> Vec<String> {
        let Some(graph) = self.services.environment.graph() else { return Vec::new() };
        if query.trim().is_empty() || !self.may_call(tool, query) {
            return Vec::new();
        }
        let facts = graph.facts(query.trim(), self.limits.k as usize).await;
        let answer = self.number_facts(facts).await;
        self.take_facts(tool, query, answer)
    }

    /// An entity's relations, those most relevant to `relation` first, at most `k`. Empty without a graph.
    pub async fn relations(
        &mut self,
        tool: &'static str,
        entity: &str,
        relation: &str,
        k: usize,
    ) -> Vec<String> {
        let Some(graph) = self.services.environment.graph() else { return Vec::new() };
        let query = format!("{entity}, {relation}");
        if !self.may_call(tool, &query) {
            return Vec::new();
        }
        let answer = graph.relations(entity, relation, k).await;
        self.take_facts(tool, &query, answer)
    }

    /// Returns at most `k` facts that relate an entity to others by a relation. Empty without a graph.
    pub async fn neighbors(
        &mut self,
        tool: &'static str,
        entity: &str,
        relation: &str,
        k: usize,
    ) -> Vec<String> {
        let Some(graph) = self.services.environment.graph() else { return Vec::new() };
        let query = format!("{entity}, {relation}");
        if !self.may_call(tool, &query) {
            return Vec::new();
        }
        let facts = graph.neighbors(entity, relation, k).await;
        let answer = self.number_facts(facts).await;
        self.take_facts(tool, &query, answer)
    }
}

/// A statement that no passage says, as evidence of its own: its words, under where it was imported from.
fn make_statement(fact: &Fact) -> Evidence {
    let title = if fact.from.is_empty() { GRAPH.to_owned() } else { fact.from.clone() };
    Evidence {
        target: CitationTarget::Statement { triple: fact.triple },
        title,
        text: format!("{} | {} | {}", fact.head, fact.relation, fact.tail),
        url: String::new(),
        score: fact.score,
        by_keyword: false,
    }
}

/// Queries that differ in case and spacing alone are the same.
pub(super) fn normalise_query(query: &str) -> String {
    one_line(&fold(query))
}

/// A text as one short line.
pub(super) fn join_lines(text: &str) -> String {
    one_line(text).chars().take(LABEL_CHARS).collect()
}
