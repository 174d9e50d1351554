//! A call of a tool of the caller's own: what it says is evidence, untrusted, numbered and cut to size like
//! any other.

use super::calls::ToolUse;
use super::environment::{EnvironmentError, Evidence};
use super::retrieval::list_passages;
use super::run::Run;
use crate::answer::CitationTarget;

impl Run<'_> {
    /// Calls a tool of the caller and returns its output as the model sees it; `None` if the caller has no
    /// such tool.
    pub(super) async fn call_tool(&mut self, call: &ToolUse) -> Option<String> {
        let tools = self.services.environment.tools()?;
        let tool = tools.all().iter().find(|t| t.name == call.name)?;
        let given = call.arguments.to_string();
        let result = match self.may_call(&tool.name, &given) {
            true => tools.call(&tool.name, &call.arguments).await,
            false => Err(EnvironmentError::Failed("no more calls are possible".to_owned())),
        };
        let text = match result {
            Ok(text) if text.trim().is_empty() => Err("The tool said nothing.".to_owned()),
            Ok(text) => Ok(text),
            Err(EnvironmentError::Aborted) => {
                self.aborted = true;
                Err("The tool was stopped.".to_owned())
            }
            Err(EnvironmentError::Failed(why)) => {
                Err(format!("The tool failed: {}.", self.safe(&why).chars().take(300).collect::<String>()))
            }
        };
        Some(match text {
            Ok(text) => {
                let target = CitationTarget::Tool;
                let evidence = Evidence {
                    target,
                    title: tool.name.clone(),
                    text,
                    url: String::new(),
                    score: 0.0,
                    by_keyword: false,
                };
                let shown = self.shown_of(&tool.name, &given, evidence);
                list_passages(&shown).trim_end().to_owned()
            }
            Err(note) => {
                self.missed(&tool.name, &given, &note);
                note
            }
        })
    }
}
