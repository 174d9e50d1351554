//! The protocols by name.

use super::graph_r1::GraphR1;
use super::graph_rft::GraphRft;
use super::graph_search::GraphSearch;
use super::graphrag_global::GraphRagGlobal;
use super::lpkg::Lpkg;
use super::protocol::Protocol;
use super::react::ReAct;
use super::search_o1::SearchO1;
use super::search_r1::SearchR1;
use super::self_ask::SelfAsk;
use super::single_shot::SingleShot;
use super::tool_calling::ToolCalling;

/// The dialogue of that name; none for `plan`, which is carried out without one.
pub fn by_name(name: &str) -> Option<Box<dyn Protocol>> {
    Some(match name {
        "single-shot" => Box::new(SingleShot { evidence: true, thought: false }),
        "chain-of-thought" => Box::new(SingleShot { evidence: true, thought: true }),
        "closed-book" => Box::new(SingleShot { evidence: false, thought: false }),
        "react" => Box::new(ReAct),
        "self-ask" => Box::new(SelfAsk),
        "search-o1" => Box::new(SearchO1),
        "search-r1" => Box::new(SearchR1),
        "graph-search" => Box::new(GraphSearch),
        "graph-r1" => Box::new(GraphR1),
        "graph-rft" => Box::new(GraphRft),
        "lpkg" => Box::new(Lpkg),
        "graphrag-global" => Box::new(GraphRagGlobal),
        "tool-calling" => Box::new(ToolCalling),
        _ => return None,
    })
}

/// The protocol that makes a plan and carries it out, without a dialogue.
pub const PLAN: &str = "plan";

/// All protocols.
pub const NAMES: &[&str] = &[
    PLAN,
    "single-shot",
    "chain-of-thought",
    "closed-book",
    "react",
    "self-ask",
    "search-o1",
    "search-r1",
    "graph-search",
    "graph-r1",
    "graph-rft",
    "lpkg",
    "graphrag-global",
    "tool-calling",
];

/// Returns true if the protocol of that name needs a language model.
pub fn needs_model(name: &str) -> bool {
    name != PLAN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handbook_has_a_row_for_every_protocol() {
        let page = include_str!("../../../docs/protocols.md");
        for name in NAMES {
            assert!(page.contains(&format!("\n| `{name}` |")), "{name}");
        }
    }

    #[test]
    fn every_name_names_the_protocol_that_bears_it() {
        for name in NAMES {
            assert_eq!(by_name(name).map(|p| p.name()), needs_model(name).then_some(*name));
        }
        assert!(by_name("search-r2").is_none());
    }
}
