//! The options of what only the full module does: asking language models, and running protocols and plans.

use super::{JsOptions, filter};
use crate::agent::{
    self, AgentOptions, Analysis, CallerTool, Condense, Continuation, PlannerChoice, Polarity,
};
use crate::json::parse;
use crate::llm::Prompts;
use crate::retrieve::{Hit, KeywordHit, KeywordKind, Reached, SearchResult, Stage};
use crate::wasm::chat::EndpointOptions;
use crate::wasm::error::bad_argument;
use crate::wasm::page_tools::PageTools;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};

impl JsOptions {
    fn objects(&self, name: &str) -> Result<Vec<JsOptions>, JsValue> {
        self.list(name)?.iter().map(JsOptions::new).collect()
    }

    /// Returns the position of the member `name` in `choices`, which are names separated by bars; 0 if it is
    /// absent.
    fn choice(&self, name: &str, choices: &str) -> Result<usize, JsValue> {
        let which = |v: &JsValue| {
            v.as_string().and_then(|given| choices.split('|').position(|choice| choice == given))
        };
        Ok(self.member(name, choices, which)?.unwrap_or(0))
    }
}

/// The protocol in the options of `ask`, if one is named.
pub fn protocol(given: &JsOptions) -> Result<Option<String>, JsValue> {
    given.text("protocol")
}

/// Returns the question that a plan answers, if the caller gave it.
pub fn question(given: &JsOptions) -> Result<Option<String>, JsValue> {
    given.text("question")
}

/// The address of a search of the web, if one is given.
pub fn web_search(given: &JsOptions) -> Result<Option<String>, JsValue> {
    given.text("webSearch")
}

/// Reads the options of a protocol.
pub fn agent_options(given: &JsOptions) -> Result<AgentOptions, JsValue> {
    let default = AgentOptions::default();
    Ok(AgentOptions {
        k: given.count("k")?,
        turns: given.count("turns")?,
        searches: given.count("searches")?,
        tokens_in: given.count("maxInputTokens")?,
        tokens: given.count("maxTokens")?.unwrap_or(default.tokens),
        tokens_evidence: given.count("maxEvidenceTokens")?.unwrap_or(default.tokens_evidence),
        hide_contacts: given.flag_or("hideContacts", default.hide_contacts)?,
        tokens_out: given.count("maxOutputTokens")?,
        milliseconds: given.count("timeLimitMs")?.unwrap_or(default.milliseconds),
        temperature: given.number("temperature")?.map(|t| t as f32),
        continuation: match given.choice("continuation", "turns|prefix|continue-final-message")? {
            1 => Continuation::Prefix,
            2 => Continuation::ContinueFinalMessage,
            _ => Continuation::Turns,
        },
        grounded: given.flag_or("grounded", default.grounded)?,
        retriever: given.text("retriever")?,
        filter: filter(given)?,
        reader_language: given.text("readerLanguage")?,
        reader_version: given.text("readerVersion")?,
        language: given.text("language")?,
        no_answer_text: given.text("noAnswerText")?,
        condense: match given.choice("condense", "model|sentences|none")? {
            1 => Condense::Sentences,
            2 => Condense::None,
            _ => Condense::Model,
        },
        polarity: match given.choice("polarity", "on-no|on-yes")? {
            1 => Polarity::OnYes,
            _ => Polarity::OnNo,
        },
        coverage: given.flag_or("coverage", default.coverage)?,
        execute_plan: given.flag("executePlan")?,
        planner: match given.choice("planner", "auto|rules|trained|llm")? {
            1 => PlannerChoice::Rules,
            2 => PlannerChoice::Trained,
            3 => PlannerChoice::Llm,
            _ => PlannerChoice::Auto,
        },
        least_confidence: given.number("leastConfidence")?.map(|c| c as f32),
        demonstrations: given.count("demonstrations")?.unwrap_or(default.demonstrations),
        votes: given.count("votes")?.unwrap_or(default.votes),
        native_tools: given.flag("nativeTools")?,
        today: given.text("today")?,
        prompts: prompts(given)?,
        analysis: match given.choice("analysis", "rules|model|none")? {
            1 => Analysis::Model,
            2 => Analysis::None,
            _ => Analysis::Rules,
        },
    })
}

/// The page's own tools, where there are any.
pub fn tools(given: &JsOptions) -> Result<Option<PageTools>, JsValue> {
    let Some(call) = given.function("callTool")? else { return Ok(None) };
    let tool = |tool: JsOptions| {
        let parameters =
            parse(&tool.text("parameters")?.unwrap_or_default()).map_err(|e| bad_argument(&e.to_string()))?;
        let (name, description) =
            (tool.text("name")?.unwrap_or_default(), tool.text("description")?.unwrap_or_default());
        Ok(CallerTool { name, description, parameters })
    };
    let all = given.objects("tools")?.into_iter().map(tool).collect::<Result<_, JsValue>>()?;
    Ok(Some(PageTools { all, call }))
}

fn prompts(given: &JsOptions) -> Result<Prompts, JsValue> {
    let Some(named) = given.object("prompts")? else { return Ok(Prompts::default()) };
    let entry = |entry: JsValue| {
        let entry: Array = entry.unchecked_into();
        entry
            .get(0)
            .as_string()
            .zip(entry.get(1).as_string())
            .ok_or_else(|| bad_argument("prompts must be strings"))
    };
    let texts: Vec<(String, String)> =
        js_sys::Object::entries(named.0.unchecked_ref()).iter().map(entry).collect::<Result<_, _>>()?;
    agent::replace_texts(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())))
        .map_err(|e| bad_argument(&e.to_string()))
}

/// The endpoint in the options of `ask`, if one is named.
pub fn endpoint(given: &JsOptions) -> Result<Option<EndpointOptions>, JsValue> {
    let Some(llm) = given.object("llm")? else { return Ok(None) };
    let headers =
        llm.object("headers")?.map(|h| js_sys::Object::entries(h.0.unchecked_ref())).unwrap_or_default();
    let header = |entry: JsValue| {
        let entry: Array = entry.unchecked_into();
        entry
            .get(0)
            .as_string()
            .zip(entry.get(1).as_string())
            .ok_or_else(|| bad_argument("headers must be strings"))
    };
    Ok(Some(EndpointOptions {
        base_url: llm.text("baseUrl")?.unwrap_or_default(),
        model: llm.text("model")?.unwrap_or_default(),
        api_key: llm.text("apiKey")?,
        headers: headers.iter().map(header).collect::<Result<_, _>>()?,
        timeout_ms: llm.number("timeoutMs")?,
        retries: llm.count("retries")?,
        send: llm.function("send")?,
    }))
}

/// Reads the part of a result that its picture shows; the rest is empty.
pub fn pictured(given: &JsOptions) -> Result<SearchResult, JsValue> {
    let text = |from: &JsOptions, name: &str| Ok::<_, JsValue>(from.text(name)?.unwrap_or_default());
    let score =
        |from: &JsOptions, name: &str| Ok::<_, JsValue>(from.number(name)?.unwrap_or_default() as f32);
    let mut out = SearchResult {
        question: text(given, "question")?,
        retriever: String::new(),
        stage: Stage::Lexical,
        hits: Vec::new(),
        keywords: Vec::new(),
        missing: Vec::new(),
    };
    for k in given.objects("keywords")? {
        let kind = if text(&k, "kind")? == "direct" { KeywordKind::Direct } else { KeywordKind::Adjacent };
        let id = k.count("id")?.unwrap_or_default();
        out.keywords.push(KeywordHit {
            id,
            label: text(&k, "label")?,
            kind,
            score: score(&k, "score")?,
            via: k.count("via")?,
        });
    }
    for h in given.objects("hits")? {
        let mut reached = Vec::new();
        for way in h.objects("reached")? {
            let keyword = text(&way, "keyword")?;
            reached.push(match text(&way, "by")?.as_str() {
                "keyword" => Reached::Keyword { keyword },
                "adjacent-keyword" => Reached::AdjacentKeyword { keyword, via: text(&way, "via")? },
                // What the question found by a name or a mention is drawn from the question too.
                _ => Reached::Query,
            });
        }
        out.hits.push(Hit {
            chunk: h.count("chunk")?.unwrap_or_default(),
            score: score(&h, "score")?,
            dense: h.number("dense")?.map(|n| n as f32),
            title: text(&h, "title")?,
            heading_path: h.list("headingPath")?.iter().filter_map(|heading| heading.as_string()).collect(),
            reached,
            ..Hit::default()
        });
    }
    Ok(out)
}
