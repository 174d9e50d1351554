//! The texts and events of protocols, which only the full module has.

use super::{Texts, result};
use crate::agent::AgentEvent;

impl Texts {
    /// Rewrites the spans of a protocol's event, and remembers the hits' texts.
    pub fn agent_event(&mut self, event: AgentEvent) -> AgentEvent {
        match event {
            AgentEvent::Hits { result: mut r } => {
                self.by_chunk.extend(r.hits.iter().map(|h| (h.chunk, h.text.clone())));
                result(&mut r);
                AgentEvent::Hits { result: r }
            }
            other => other,
        }
    }

    /// Remembers a text.
    pub fn learn(&mut self, chunk: u32, text: String) {
        self.by_chunk.insert(chunk, text);
    }
}
