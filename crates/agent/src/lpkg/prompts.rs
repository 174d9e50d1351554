//! LPKG's prompts, in our words; the form of the code is the paper's.

use super::sets::Set;
use crate::agent::AgentOptions;
use crate::agent::retrieval::{ShownPassage, list_passages};
use crate::agent::rules::render_text;
use crate::agent::run::Run;
use crate::llm::Text;
use crate::plan::PlanError;

/// A question to a plan as code.
pub const PLAN: Text =
    Text::new("lpkg.plan", include_str!("../prompts/lpkg.plan.txt"), &["question"], &["demonstrations"]);
/// Demonstrations where no graph gives any.
pub const EXAMPLES: Text = Text::new("lpkg.examples", include_str!("../prompts/lpkg.examples.txt"), &[], &[]);
/// Prompt after that for a plan: it lists the faults of the plan and asks for a better one.
pub const REPAIR: Text =
    Text::new("lpkg.repair", include_str!("../prompts/lpkg.repair.txt"), &["faults"], &["plan"]);
/// An atomic question over passages.
pub const ANSWER: Text =
    Text::new("lpkg.answer", include_str!("../prompts/lpkg.answer.txt"), &["question", "passages"], &[]);
/// A comparison of earlier answers.
pub const COMPARE: Text =
    Text::new("lpkg.compare", include_str!("../prompts/lpkg.compare.txt"), &["question", "answers"], &[]);
/// The question without a plan.
pub const PLAIN: Text = Text::new(
    "lpkg.plain",
    include_str!("../prompts/lpkg.plain.txt"),
    &["question", "passages"],
    &["steps", "rules", "cite"],
);

/// Writes the prompt for a plan, with demonstrations: questions and their plans as code. Models are tuned
/// with it, too.
pub fn ask_for_plan(options: &AgentOptions, question: &str, shown: &[(String, String)]) -> String {
    let mut demonstrations: String =
        shown.iter().map(|(q, plan)| format!("Question: {q}\n{}\n\n", plan.trim_end())).collect();
    if demonstrations.is_empty() {
        demonstrations = options.prompts.fill(&EXAMPLES, &[]);
    }
    render_text(options, &PLAN, &[("question", question), ("demonstrations", &demonstrations)])
}

/// Writes the prompt that lists the faults of a plan and asks for a better one.
pub fn write_repair_prompt(run: &Run<'_>, text: &str, errors: &[PlanError]) -> String {
    let text: String = text.chars().take(4_000).collect();
    let errors: String = errors.iter().take(5).map(|e| format!("- {e}\n")).collect();
    run.render(&REPAIR, &[("plan", &text), ("faults", &errors)])
}

/// An atomic question over passages.
pub fn write_answer_prompt(run: &Run<'_>, question: &str, passages: &[ShownPassage]) -> String {
    let passages: String = passages
        .iter()
        .map(|p| format!("# Passage {}\nTitle: {}\nText: {}\n\n", p.number, p.title, p.text))
        .collect();
    run.render(&ANSWER, &[("question", question), ("passages", &passages)])
}

/// A comparison of earlier answers.
pub fn write_comparison_prompt(run: &Run<'_>, question: &str, given: &[(String, Set)]) -> String {
    let given: String =
        given.iter().map(|(asked, set)| format!("{asked}\n{}\n\n", set.render(false))).collect();
    run.render(&COMPARE, &[("question", question), ("answers", &given)])
}

/// The question without a plan.
pub fn write_plain_prompt(run: &Run<'_>, passages: &[ShownPassage], known: &[String]) -> String {
    let steps = if known.is_empty() { String::new() } else { format!("{}\n\n", known.join("\n")) };
    run.render(&PLAIN, &[("passages", &list_passages(passages)), ("steps", &steps)])
}
