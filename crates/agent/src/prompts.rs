//! The texts that protocols give to models, by name; and a caller's in their stead.

use super::answer::ASK_TASK;
use super::graph_search::prompts as graph_search;
use super::lpkg::prompts as lpkg;
use super::{
    final_answer, graph_r1, graph_rft, graphrag_global, react, rules, search_o1, search_r1, self_ask,
    single_shot, tool_calling,
};
use crate::llm::{PromptError, Prompts, Text};
use crate::planner::PROMPTS as PLANNERS;

/// Every text, those of one protocol together.
const OURS: &[&Text] = &[
    &ASK_TASK,
    &final_answer::AGAIN,
    &rules::GROUNDED,
    &rules::LANGUAGE,
    &single_shot::TASK,
    &single_shot::THOUGHT,
    &single_shot::CLOSED,
    &react::TASK,
    &react::UNKNOWN,
    &react::INVALID,
    &react::LAST,
    &self_ask::TASK,
    &self_ask::NEXT,
    &self_ask::LAST,
    &search_o1::TASK,
    &search_o1::CONDENSE,
    &search_o1::NEXT,
    &search_o1::LAST,
    &search_r1::TASK,
    &search_r1::INVALID,
    &search_r1::NEXT,
    &search_r1::LAST,
    &graph_search::SUMMARISE_PASSAGES,
    &graph_search::SUMMARISE_GRAPH,
    &graph_search::DECOMPOSE_PASSAGES,
    &graph_search::DECOMPOSE_GRAPH,
    &graph_search::COMPLETE,
    &graph_search::ANSWER,
    &graph_search::DRAFT,
    &graph_search::VERIFY,
    &graph_search::EXPAND,
    &graph_search::LAST,
    &graph_r1::TASK,
    &graph_r1::INVALID,
    &graph_r1::LAST,
    &graph_rft::TASK,
    &graph_rft::EXECUTED,
    &graph_rft::INVALID,
    &graph_rft::FAULT,
    &graph_rft::COVERED,
    &graph_rft::NOTHING,
    &graph_rft::NEXT,
    &graph_rft::LAST,
    &lpkg::PLAN,
    &lpkg::EXAMPLES,
    &lpkg::REPAIR,
    &lpkg::ANSWER,
    &lpkg::COMPARE,
    &lpkg::PLAIN,
    &graphrag_global::MAP,
    &graphrag_global::REDUCE,
    &tool_calling::TASK,
    &tool_calling::NATIVE,
    &tool_calling::ANALYSE,
    &tool_calling::REFLECT,
    &tool_calling::INVALID,
    &tool_calling::WRITE,
    &tool_calling::NEXT,
    &tool_calling::LAST,
];

/// Every text that can be replaced, those of one protocol together, the planner's last.
pub fn list_texts() -> Vec<&'static Text> {
    OURS.iter().chain(PLANNERS).copied().collect()
}

/// Texts in the stead of ours, by name.
///
/// # Errors
/// [`PromptError`] for a name that is none, and for places that a text must not have, or must.
pub fn replace_texts<'a>(
    given: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Prompts, PromptError> {
    let (mut out, all) = (Prompts::default(), list_texts());
    given.into_iter().try_for_each(|(name, text)| out.replace(name, text, &all))?;
    Ok(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::{Scripted, converse, world};
    use super::super::{AgentOptions, NAMES, needs_model};
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn our_own_texts_are_ones_that_a_caller_could_give() {
        let given: Vec<(&str, &str)> = list_texts().iter().map(|t| (t.name, t.ours())).collect();
        replace_texts(given).unwrap();
    }

    #[test]
    fn names_are_distinguished_and_every_protocol_has_one() {
        let names: BTreeSet<&str> = list_texts().iter().map(|t| t.name).collect();
        assert_eq!(names.len(), list_texts().len());
        for protocol in NAMES {
            assert!(names.iter().any(|n| n.starts_with(&format!("{protocol}."))), "{protocol}");
        }
    }

    #[test]
    fn every_dialogue_begins_with_the_callers_words() {
        for protocol in NAMES.iter().filter(|p| needs_model(p)) {
            let first = |t: &&Text| t.name.starts_with(&format!("{protocol}."));
            let marked: Vec<(&str, String)> = list_texts()
                .iter()
                .filter(|t| first(t))
                .map(|t| (t.name, format!("MARK {} {}", t.name, t.ours())))
                .collect();
            let prompts = replace_texts(marked.iter().map(|(n, t)| (*n, t.as_str()))).unwrap();
            let model = Scripted::new(&["x"]);
            converse(protocol, &AgentOptions { prompts, ..AgentOptions::default() }, &model, &world());
            let prompt = model.requests.borrow()[0].messages[0].content.clone();
            assert!(prompt.starts_with(&format!("MARK {protocol}.")), "{protocol}: {prompt}");
        }
    }
}
