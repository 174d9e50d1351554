//! Carries out a whole plan for a model: over the knowledge graph, or over passages if the graph has nothing.

use super::environment::{Environment, Evidence, PlanStep, WebSearch};
use super::retrieval::{join_lines, list_passages};
use super::run::Run;
use super::types::AgentEvent;
use crate::compact::sort_unique;
use crate::plan::Plan;
use crate::plan::execute::{FoundPassages, Limits, Passage, Passages, PassagesError, Resources};
use futures::future::FutureExt;
use std::cell::Cell;

/// Members of a set that the model is shown.
const MEMBERS: usize = 20;
/// Statements of a step that the model is shown.
const FACTS: usize = 10;

/// The environment's passages as the executor asks for them.
struct Shelf<'a> {
    environment: &'a dyn Environment,
    asked: Cell<u32>,
}

impl Passages for Shelf<'_> {
    fn passages<'a>(&'a self, question: &'a str, k: usize) -> FoundPassages<'a> {
        async move {
            self.asked.set(self.asked.get() + 1);
            let found =
                self.environment.search(question, k).await.map_err(|e| PassagesError(e.to_string()))?;
            Ok(found
                .into_iter()
                .map(|e| Passage { chunk: e.target.chunk(), title: e.title, url: e.url, text: e.text })
                .collect())
        }
        .boxed_local()
    }
}

/// A search of the web as the executor asks for it.
pub struct WebPassages<'a>(pub &'a dyn WebSearch);

impl Passages for WebPassages<'_> {
    fn passages<'a>(&'a self, question: &'a str, k: usize) -> FoundPassages<'a> {
        async move {
            let found = self.0.search(question, k).await.map_err(|e| PassagesError(e.to_string()))?;
            // Whatever it claims to be, a page of the web is no chunk of the bundle.
            Ok(found
                .into_iter()
                .take(k)
                .map(|e| Passage { chunk: None, title: e.title, url: e.url, text: e.text })
                .collect())
        }
        .boxed_local()
    }
}

impl Run<'_> {
    /// Carries out a plan step by step within the remaining budgets; `None` if the environment cannot.
    pub async fn execute_plan(&mut self, plan: &Plan) -> Option<String> {
        let environment = self.services.environment;
        let shelf = Shelf { environment, asked: Cell::new(0) };
        let left = self.limits.searches.saturating_sub(self.searches) as usize;
        let web = environment.web().map(WebPassages);
        let web = web.as_ref().map(|web| web as &dyn Passages);
        let resources = Resources {
            passages: Some(&shelf),
            web,
            clock: Some(self.services.clock),
            ..Resources::default()
        };
        let limits = Limits {
            fetches: left,
            passages: self.limits.k as usize,
            milliseconds: self.time_left(),
            ..Limits::default()
        };
        let steps = environment.graph()?.execute(plan, resources, limits).await?;
        self.searches = self.searches.saturating_add(shelf.asked.get());
        let mut out = String::new();
        let mut read = Vec::new();
        for mut step in steps {
            let trace = step.trace.take();
            let text = self.shown_step(step, &mut read).await;
            self.emit(AgentEvent::Step { text: text.trim_end().to_owned(), step: trace });
            self.carried.push(text.clone());
            out.push_str(&text);
        }
        // What was read is shown, since a model may find in it what the executor did not.
        sort_unique(&mut read);
        let passages = list_passages(&self.reshow(&read));
        if !passages.is_empty() {
            out.push_str(&format!("\n{}", passages.trim_end()));
        }
        Some(out)
    }

    /// A step with its members, and under it what bears them out, with numbers.
    async fn shown_step(&mut self, step: PlanStep, read: &mut Vec<u32>) -> String {
        let mut members = step
            .members
            .iter()
            .take(MEMBERS)
            .map(|m| join_lines(&self.safe(m)))
            .collect::<Vec<_>>()
            .join(", ");
        if step.size > MEMBERS {
            members.push_str(&format!(" and {} more", step.size - MEMBERS));
        }
        if step.size == 0 {
            members.push_str("nothing");
        }
        let mut out = format!(
            "{} ({}): {members}\n",
            join_lines(&self.safe(&step.name)),
            join_lines(&self.safe(&step.says))
        );
        let facts = step.facts.into_iter().take(FACTS).collect();
        for fact in self.number_facts(Ok(facts)).await.unwrap_or_default() {
            out.push_str(&format!("  {}\n", join_lines(&self.safe(&fact))));
        }
        let numbers: Vec<u32> = step.passages.into_iter().map(|e: Evidence| self.number(e)).collect();
        if !numbers.is_empty() {
            out.push_str(&format!(
                "  read in {}\n",
                numbers.iter().map(|n| format!("[{n}]")).collect::<String>()
            ));
            read.extend(numbers);
        }
        for note in &step.notes {
            out.push_str(&format!("  {}\n", join_lines(&self.safe(note))));
        }
        out
    }
}
