//! Has a language model reword questions, as LPKG does (arXiv 2406.14282), from a few demonstrations.
//!
//! Names are marked, and the reply has to mark them again, so that it is known which words belong to which
//! step of the plan. A reply that loses a mark, or changes a name, is not used.

use super::Near;
use pocketgraph::llm::{ChatRequest, Message, after_thinking};
use pocketgraph_llm_client::asker::{AskError, BuildModel, Tally, ask_announced};
use pocketgraph_native::progress::Progress;
use pocketgraph_native::single_line::make_visible;
use serde_json::{Value, json};

/// Tokens of a reply, at most.
const TOKENS: u32 = 200;
/// Characters of a question, and of what is marked in it, at most.
const LONGEST: usize = 400;
const LONGEST_MARKED: usize = 80;

const TASK: &str = "You are given a question that a program wrote. Say it anew, as a person would type it \
who wants to know the same: in other words, in \
another order, as a question or as a request, short or long. It must ask for exactly the same thing. Parts \
of it are marked, such as <1>director</1>. Your \
question must have each of these marks exactly once, in any order, around the words that now say the same. \
Words that are said to be names are copied letter by \
letter; all others you may say differently, also as a verb. Write the question and nothing else.";

/// Examples of requests with good replies.
const SHOWN: [[&str; 2]; 3] = [
    [
        "What <1>film</1> has the <2>director</2> <3>Ida Lupino</3>\nNames: <3>",
        "Which <1>movies</1> were <2>directed by</2> <3>Ida Lupino</3>?",
    ],
    [
        "how many <1>city</1> are the <2>place of birth</2> of the <3>member</3> of <4>Orchestra \
         Baobab</4>?\nNames: <4>",
        "In how many <1>towns</1> were the <3>musicians</3> of <4>Orchestra Baobab</4> <2>born</2>?",
    ],
    [
        "which <1>country</1> have the <2>language</2> <3>Quechua</3> but not the <4>neighbour</4> \
         <5>Chile</5>\nNames: <3> <5>",
        "I am looking for <1>countries</1> where people <2>speak</2> <3>Quechua</3> and that do not \
         <4>border</4> <5>Chile</5>.",
    ],
];

/// A marked piece of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Marked {
    text: String,
    is_name: bool,
}

/// Positions of the marks in a question, in characters.
type Places = Vec<(usize, usize)>;

/// A question with marks, and what they mark; `None` where spans overlap or the question has marks of its
/// own.
fn mark_names(example: &Value) -> Option<(String, Vec<Marked>)> {
    let question: Vec<char> = example.get("question")?.as_str()?.chars().collect();
    let (mut out, mut pieces, mut at) = (String::new(), Vec::new(), 0);
    for span in example.get("spans")?.as_array()? {
        let place = |key: &str| span.get(key)?.as_u64().and_then(|n| usize::try_from(n).ok());
        let (start, end) = (place("start")?, place("end")?);
        let text: String = question.get(start..end)?.iter().collect();
        out.extend(question.get(at..start)?);
        at = end;
        let number = pieces.len() + 1;
        out.push_str(&format!("<{number}>{text}</{number}>"));
        pieces.push(Marked { text, is_name: span.get("kind")?.as_str()? == "entity" });
    }
    out.extend(question.get(at..)?);
    (!question.iter().any(|c| matches!(c, '<' | '>' | '\n'))).then_some((out, pieces))
}

fn build_request(question: &str, pieces: &[Marked]) -> ChatRequest {
    let names: Vec<String> =
        pieces.iter().zip(1..).filter(|(p, _)| p.is_name).map(|(_, n)| format!("<{n}>")).collect();
    let mut messages = vec![Message::system(TASK.to_owned())];
    for [asked, reply] in SHOWN {
        messages.extend([Message::user(asked.to_owned()), Message::assistant(reply.to_owned())]);
    }
    messages.push(Message::user(format!("{question}\nNames: {}", names.join(" "))));
    ChatRequest { messages, max_tokens: Some(TOKENS), temperature: Some(0.0), ..ChatRequest::default() }
}

/// Returns the question of a reply and the places of its marks; `None` if a mark or name is wrong.
fn read_reply(reply: &str, pieces: &[Marked]) -> Option<(String, Places)> {
    let line = make_visible(after_thinking(reply).lines().find(|l| !l.trim().is_empty())?);
    let line = line.trim();
    let mut rest = line.strip_prefix("Question:").unwrap_or(line).trim().trim_matches('"');
    let (mut out, mut places) = (String::new(), vec![None; pieces.len()]);
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let (number, after) = after.split_once('>')?;
        let slot = number.parse::<usize>().ok()?.checked_sub(1)?;
        let (inner, after) = after.split_once(&format!("</{number}>"))?;
        let (inner, piece) = (inner.trim(), pieces.get(slot)?);
        let fits = if piece.is_name {
            inner.to_lowercase() == piece.text.trim().to_lowercase()
        } else {
            inner.chars().any(char::is_alphanumeric) && inner.chars().count() <= LONGEST_MARKED
        };
        if !fits || inner.contains(['<', '>']) || places.get(slot)?.is_some() {
            return None;
        }
        let start = out.chars().count();
        out.push_str(inner);
        places[slot] = Some((start, start + inner.chars().count()));
        rest = after;
    }
    out.push_str(rest);
    let whole = !out.contains(['<', '>']) && out.chars().count() <= LONGEST;
    let places: Option<Places> = places.into_iter().collect();
    places.filter(|_| whole).map(|places| (out, places))
}

/// The example with another question, of which the spans stand at these places.
fn with_question(example: &Value, question: String, places: &[(usize, usize)]) -> Value {
    let mut out = example.clone();
    if let Some(plan) = out.get_mut("plan").and_then(Value::as_object_mut) {
        plan.insert("question".to_owned(), json!(question));
    }
    let mut spans = example["spans"].as_array().cloned().unwrap_or_default();
    for (span, (start, end)) in spans.iter_mut().zip(places) {
        span["start"] = json!(start);
        span["end"] = json!(end);
    }
    spans.sort_by_key(|s| s["start"].as_u64());
    out["question"] = json!(question);
    out["spans"] = json!(spans);
    out["rephrased"] = json!(true);
    out
}

/// Has a model reword the questions of examples from `train data`; returns the new examples and the usage.
/// Leaves out those whose reply is unusable, repeats the old question, or nearly repeats one of `without`.
/// `count` counts a text's tokens. Fails if the model refuses or falls silent, or a reply cannot be kept.
pub fn rephrase_questions(
    examples: &[Value],
    without: &Near,
    model: &BuildModel,
    progress: &dyn Progress,
    count: &dyn Fn(&str) -> usize,
) -> Result<(Vec<Value>, Tally), AskError> {
    let asked: Vec<(&Value, String, Vec<Marked>)> = examples
        .iter()
        .filter_map(|e| mark_names(e).map(|(question, pieces)| (e, question, pieces)))
        .collect();
    let requests = asked.iter().map(|(_, question, pieces)| build_request(question, pieces)).collect();
    let opening = format!("the language model says {} questions anew", asked.len());
    let read = |i: usize, reply: &str| asked.get(i).and_then(|(_, _, pieces)| read_reply(reply, pieces));
    let (replies, tally) =
        ask_announced(model, progress, count, (&opening, "saying questions anew"), requests, &read)?;
    let phrased = asked.iter().zip(replies).filter_map(|((example, ..), reply)| {
        let (question, places) = reply?;
        let old = example["question"].as_str().unwrap_or_default();
        (question.to_lowercase() != old.to_lowercase() && !without.holds(&question))
            .then(|| with_question(example, question, &places))
    });
    Ok((phrased.collect(), tally))
}

#[cfg(test)]
#[path = "rephrase_tests.rs"]
mod tests;
