//! An agent's run as text, while it happens.

use pocketgraph::agent::{AgentEvent, PlannedBy};
use pocketgraph_native::terminal::line;

/// Names the planner of a plan, with its confidence.
pub fn name_planner(by: PlannedBy, confidence: Option<f32>) -> String {
    let sure = confidence.map(|c| format!(", confidence {c:.2}")).unwrap_or_default();
    match by {
        PlannedBy::Rules => format!("rules{sure}"),
        PlannedBy::Trained => format!("the trained planner{sure}"),
        PlannedBy::Meaning => format!("the relation nearest in meaning{sure}"),
        PlannedBy::Llm => format!("the language model{sure}"),
        PlannedBy::Caller => "you".to_owned(),
    }
}

/// Formats an event for the terminal; events that are not shown give an empty text.
pub fn trace_line(event: &AgentEvent) -> String {
    match event {
        AgentEvent::Turn { number, purpose } => format!("\n── turn {number}: {purpose}\n"),
        AgentEvent::Token { text } => text.clone(),
        AgentEvent::Anew => "\n(that was no answer; asking again)\n".to_owned(),
        // Calls that are made at once are told with what each brought.
        AgentEvent::Evidence { tool, query, passages, facts, note } => {
            let mut out = format!("\n→ {}: {}\n", line(tool), line(query));
            for p in passages {
                out.push_str(&format!("  [{}] {} {}\n", p.number, line(&p.title), line(&p.url)));
            }
            for fact in facts {
                out.push_str(&format!("  {}\n", line(fact)));
            }
            if let Some(note) = note {
                out.push_str(&format!("  {note}\n"));
            }
            out
        }
        AgentEvent::Step { text, .. } => format!("\n• {text}\n"),
        AgentEvent::Plan { by: None, carried: true, .. } => "\n(the plan above is carried out)\n".to_owned(),
        AgentEvent::Plan { by: None, plan: Some(_), .. } => {
            "\n(the plan above is not carried out at once: the model searches by itself)\n".to_owned()
        }
        AgentEvent::Plan { by: None, .. } => "\n(the plan above cannot be carried out)\n".to_owned(),
        AgentEvent::Plan { text, by: Some(by), confidence, .. } => {
            format!("── plan, by {}\n{text}\n", name_planner(*by, *confidence))
        }
        AgentEvent::Answer { .. } => "\n── the answer\n".to_owned(),
        AgentEvent::Call { .. }
        | AgentEvent::Hits { .. }
        | AgentEvent::References { .. }
        | AgentEvent::Done { .. } => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_several_calls_at_once_is_reported_with_its_own_hits() {
        let call = |query: &str| AgentEvent::Call { tool: "search".to_owned(), query: query.to_owned() };
        let found = |query: &str| AgentEvent::Evidence {
            tool: "search".to_owned(),
            query: query.to_owned(),
            passages: Vec::new(),
            facts: vec![format!("hit of {query}")],
            note: None,
        };
        let reported: String =
            [call("a"), call("b"), found("a"), found("b")].iter().map(trace_line).collect();
        assert_eq!(reported, "\n→ search: a\n  hit of a\n\n→ search: b\n  hit of b\n");
    }
}
