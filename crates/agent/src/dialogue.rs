//! A conversation that grows by turns of the model and by what the environment answers.
//!
//! Search-o1, Search-R1 and Graph-RFT were designed as one text into which evidence is written. Where the
//! endpoint continues a given text, that is what is sent; elsewhere each piece of evidence is a message of
//! the user. What the model wrote and what the environment wrote are kept apart in either case, so that no
//! document is ever read as a call.

use super::options::Continuation;
use crate::json::Value;
use crate::llm::{ChatRequest, Message, Role};

/// A piece of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Model(String),
    Environment { text: String, short: String },
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialogue {
    task: Vec<Message>,
    parts: Vec<Part>,
    continuation: Continuation,
    nudge: String,
}

impl Dialogue {
    /// A conversation that begins with a task. `nudge` ends the environment's messages where these are turns
    /// of the user, since a model that is not used to the protocol would take evidence alone for a question.
    pub fn new(task: Vec<Message>, continuation: Continuation, nudge: impl Into<String>) -> Dialogue {
        Dialogue { task, parts: Vec::new(), continuation, nudge: nudge.into() }
    }

    /// The model said this.
    pub fn model(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Model(before)) => before.push_str(text),
            _ => self.parts.push(Part::Model(text.to_owned())),
        }
    }

    /// The environment says this; `short` stands in for it when a prompt grows too long.
    pub fn environment(&mut self, text: String, short: &str) {
        self.parts.push(Part::Environment { text, short: short.to_owned() });
    }

    /// The environment says this, however long the prompt is.
    pub fn remark(&mut self, text: &str) {
        self.environment(text.to_owned(), text);
    }

    /// Everything the model said.
    pub fn written(&self) -> String {
        let as_text = |p: &Part| if let Part::Model(text) = p { Some(text.clone()) } else { None };
        self.parts.iter().filter_map(as_text).collect()
    }

    /// The whole conversation as one text: what a model with prefix continuation sees.
    pub fn transcript(&self) -> String {
        self.parts.iter().map(text_of).collect()
    }

    /// The request for the next turn. The oldest evidence is left out until `count` of the whole is within
    /// `limit`; the latest never is, nor the task.
    pub fn request(&mut self, limit: usize, count: &dyn Fn(&str) -> usize) -> ChatRequest {
        self.fit(limit, count);
        let mut messages = self.task.clone();
        let mut request = ChatRequest::default();
        if self.continuation == Continuation::Turns {
            self.turns(&mut messages);
        } else if !self.parts.is_empty() {
            messages.push(Message::assistant(self.transcript()));
            if self.continuation == Continuation::ContinueFinalMessage {
                request.extra = continue_final_message();
            }
        }
        request.messages = messages;
        request
    }

    fn turns(&self, messages: &mut Vec<Message>) {
        for part in &self.parts {
            let role = if matches!(part, Part::Model(_)) { Role::Assistant } else { Role::User };
            let text = text_of(part).trim();
            // Two messages of one speaker in a row confuse chat templates.
            match messages.last_mut().filter(|m| m.role == role) {
                Some(last) => {
                    last.content.push_str("\n\n");
                    last.content.push_str(text);
                }
                None => messages.push(Message::new(role, text)),
            }
        }
        if messages.last().is_some_and(|m| m.role == Role::Assistant) {
            messages.push(Message::user(String::new()));
        }
        if let Some(last) = messages.last_mut().filter(|_| !self.parts.is_empty() && !self.nudge.is_empty()) {
            if !last.content.is_empty() {
                last.content.push_str("\n\n");
            }
            last.content.push_str(&self.nudge);
        }
    }

    fn fit(&mut self, limit: usize, count: &dyn Fn(&str) -> usize) {
        let mut total: usize = self
            .task
            .iter()
            .map(|m| count(&m.content))
            .chain(self.parts.iter().map(|p| count(text_of(p))))
            .sum();
        let evidence = |p: &Part| matches!(p, Part::Environment { .. });
        let keep = self.parts.iter().rposition(evidence).unwrap_or(0);
        for part in &mut self.parts[..keep] {
            if total <= limit {
                return;
            }
            if let Part::Environment { text, short } = part
                && text != short
            {
                total = total.saturating_sub(count(text)) + count(short);
                text.clone_from(short);
            }
        }
    }
}

/// Returns the parameters by which vLLM and similar servers continue the last message.
pub fn continue_final_message() -> Vec<(String, Value)> {
    vec![
        ("continue_final_message".to_owned(), Value::Bool(true)),
        ("add_generation_prompt".to_owned(), Value::Bool(false)),
    ]
}

fn text_of(part: &Part) -> &str {
    match part {
        Part::Model(text) | Part::Environment { text, .. } => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn talk(continuation: Continuation) -> Dialogue {
        let mut d = Dialogue::new(vec![Message::user("the task")], continuation, "Go on.");
        d.model("<search>a</search>");
        d.environment(
            "\n\n<information>one two three</information>\n\n".to_owned(),
            "\n\n<information>(left out)</information>\n\n",
        );
        d.model("<search>b</search>");
        d.environment(
            "\n\n<information>four</information>\n\n".to_owned(),
            "\n\n<information>(left out)</information>\n\n",
        );
        d
    }

    fn render(request: &ChatRequest) -> Vec<String> {
        request.messages.iter().map(|m| format!("{}: {}", m.role.name(), m.content)).collect()
    }

    #[test]
    fn without_continuation_evidence_is_a_turn_of_the_user() {
        assert_eq!(
            render(&talk(Continuation::Turns).request(1000, &count)),
            [
                "user: the task",
                "assistant: <search>a</search>",
                "user: <information>one two three</information>",
                "assistant: <search>b</search>",
                "user: <information>four</information>\n\nGo on."
            ]
        );
    }

    #[test]
    fn with_continuation_it_is_one_growing_text() {
        let request = talk(Continuation::Prefix).request(1000, &count);
        assert_eq!(
            render(&request),
            [
                "user: the task",
                "assistant: <search>a</search>\n\n<information>one two \
                 three</information>\n\n<search>b</search>\n\n<information>four</information>\n\n"
            ]
        );
        assert!(request.extra.is_empty());
        let request = talk(Continuation::ContinueFinalMessage).request(1000, &count);
        assert_eq!(
            request.extra.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>(),
            ["continue_final_message", "add_generation_prompt"]
        );
    }

    #[test]
    fn a_first_turn_is_the_task_alone() {
        for how in [Continuation::Turns, Continuation::Prefix, Continuation::ContinueFinalMessage] {
            let request = Dialogue::new(vec![Message::user("the task")], how, "Go on.").request(1000, &count);
            assert_eq!(
                (render(&request), request.extra.is_empty()),
                (vec!["user: the task".to_owned()], true)
            );
        }
    }

    #[test]
    fn the_oldest_evidence_leaves_first_and_the_task_never() {
        let mut d = talk(Continuation::Prefix);
        assert!(d.request(6, &count).messages[1].content.contains("(left out)"));
        assert!(d.request(0, &count).messages[1].content.contains("four"));
        assert_eq!(d.request(0, &count).messages[0].content, "the task");
    }

    #[test]
    fn what_the_model_wrote_is_kept_apart_from_evidence() {
        assert_eq!(talk(Continuation::Turns).written(), "<search>a</search><search>b</search>");
    }

    #[test]
    fn a_model_that_must_go_on_without_evidence_is_nudged() {
        let mut d = Dialogue::new(vec![Message::user("the task")], Continuation::Turns, "Go on.");
        d.model("hm");
        assert_eq!(render(&d.request(1000, &count)), ["user: the task", "assistant: hm", "user: Go on."]);
    }
}
