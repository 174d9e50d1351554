//! Has a language model write questions of the same patterns as given ones, to tune a planner with few
//! labels.

use super::Near;
use crate::names::names;
use pocketgraph::llm::{ChatRequest, Message, after_thinking};
use pocketgraph::planner::model::Shape;
use pocketgraph_llm_client::asker::{AskError, BuildModel, Tally, ask_announced};
use pocketgraph_native::progress::Progress;
use pocketgraph_native::single_line::make_visible;
use std::collections::BTreeSet;

/// Tokens of a question, at most; a reply has several.
const TOKENS: u32 = 80;
/// Characters of a question, at most.
const LONGEST: usize = 400;

const TASK: &str = "You are given a question over a knowledge graph, and what it asks for. Write questions, \
one a line. First rewordings, in lines that begin with \"R:\": \
each asks for exactly the same, with the same names, copied letter by letter, but is built in another way \
and says the relations in other words; no step is dropped and none is added. \
Then siblings, in lines that begin with \"S:\": each asks for something else in the same way, by as many \
steps from as many names, but about other well-known people, works, \
places or organisations and with other relations, each sibling with different ones; begin names with \
capitals, and put titles in quotation marks. Vary order, question words, \
passive and active voice, relative clauses and requests. Write these lines and nothing else.";

/// Examples of requests with good replies.
const SHOWN: [&str; 2] = [
    "A step from a name, and a step from what that finds.\nWho composed the music of the film that \
     follows Arabian Tea?\nRewordings: 2. Siblings: 2.",
    "R: The film that comes after Arabian Tea: whose score does it have?\nR: Name the composer of the sequel \
     to Arabian Tea.\n\
     S: Which instrument does the singer of \"Blue Train Home\" play?\nS: What currency is used in the \
     country where Lake Bled lies?",
];

/// A question and the name of its pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The question.
    pub question: String,
    /// Its pattern.
    pub shape: Shape,
}

/// A question that a model wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The question.
    pub question: String,
    /// Its pattern, which is that of the question that it was made of.
    pub shape: Shape,
    /// The question that it was made of.
    pub of: String,
    /// True if it asks for something else.
    pub sibling: bool,
}

/// Number of questions to have of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Number of questions of the same meaning.
    pub rewordings: usize,
    /// Number of questions of another meaning.
    pub siblings: usize,
}

/// Descriptions of what shapes ask for, in the order of their definition.
const SHAPES: [&str; 16] = [
    "Everything of a kind, without any name.",
    "One step from a name.",
    "A step from a name, and a step from what that finds.",
    "A step from a name, a step from what that finds, and a third step from what that finds.",
    "What a step from one name and a step from another both find.",
    "What a step from each of three names finds.",
    "A step from what a step from one name and a step from another both find.",
    "What two steps in a row from one name and a single step from another both find.",
    "What a step from one name or a step from another finds, all together.",
    "A step from what a step from one name or a step from another finds, all together.",
    "What a step from one name finds and a step from another does not.",
    "What a step from each of two names finds and a step from a third does not.",
    "A step from what a step from one name finds and a step from another does not.",
    "What two steps in a row from one name find and a single step from another does not.",
    "What a single step from one name finds and two steps in a row from another do not.",
    "Whether the same step from each of two names finds the same, or which finds more.",
];

fn build_request(asked: &Sample, wanted: Wanted) -> ChatRequest {
    let Wanted { rewordings, siblings } = wanted;
    let [shown, reply] = SHOWN;
    let task = format!(
        "{}\n{}\nRewordings: {rewordings}. Siblings: {siblings}.",
        SHAPES[asked.shape.index()],
        asked.question
    );
    let messages = vec![
        Message::system(TASK.to_owned()),
        Message::user(shown.to_owned()),
        Message::assistant(reply.to_owned()),
        Message::user(task),
    ];
    let lines = u32::try_from(rewordings + siblings).unwrap_or(u32::MAX);
    ChatRequest {
        messages,
        max_tokens: Some(lines.saturating_mul(TOKENS)),
        temperature: Some(0.0),
        ..ChatRequest::default()
    }
}

/// Returns the usable questions of a reply, each once: rewordings with every name, and siblings with as many.
fn read_questions(reply: &str, asked: &Sample, wanted: Wanted) -> Option<Vec<Written>> {
    let named = |question: &str| -> Vec<String> {
        names(question).into_iter().filter_map(|n| Some(question.get(n)?.to_lowercase())).collect()
    };
    let own = named(&asked.question);
    let mut seen = BTreeSet::from([asked.question.to_lowercase()]);
    let (mut out, mut left) = (Vec::new(), [wanted.rewordings, wanted.siblings]);
    for line in after_thinking(reply).lines() {
        let line = make_visible(line);
        let Some((kind, question)) = line.trim().split_once(':') else { continue };
        let sibling = match kind.trim() {
            "R" => false,
            "S" => true,
            _ => continue,
        };
        let question = question.trim();
        let folded = question.to_lowercase();
        let fits = if sibling {
            named(question).len() == own.len()
        } else {
            own.iter().all(|name| folded.contains(name.as_str()))
        };
        let slot = &mut left[usize::from(sibling)];
        if question.is_empty()
            || question.chars().count() > LONGEST
            || !fits
            || *slot == 0
            || !seen.insert(folded)
        {
            continue;
        }
        *slot -= 1;
        out.push(Written {
            question: question.to_owned(),
            shape: asked.shape,
            of: asked.question.clone(),
            sibling,
        });
    }
    (!out.is_empty()).then_some(out)
}

/// Has a model write questions of the patterns of `asked`; returns them in that order, with the usage. Leaves
/// out near duplicates of `without`. `count` counts a text's tokens.
///
/// # Errors
/// [`AskError`] when the model refuses or falls silent, or a reply cannot be kept.
pub fn say_of_pattern(
    asked: &[Sample],
    wanted: Wanted,
    without: &Near,
    model: &BuildModel,
    progress: &dyn Progress,
    count: &dyn Fn(&str) -> usize,
) -> Result<(Vec<Written>, Tally), AskError> {
    let requests = asked.iter().map(|a| build_request(a, wanted)).collect();
    let opening = format!("the language model writes questions like {} others", asked.len());
    let read = |i: usize, reply: &str| asked.get(i).and_then(|a| read_questions(reply, a, wanted));
    let (replies, tally) =
        ask_announced(model, progress, count, (&opening, "writing questions"), requests, &read)?;
    let phrased = replies.into_iter().flatten().flatten().filter(|s| !without.holds(&s.question));
    Ok((phrased.collect(), tally))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TWO: Wanted = Wanted { rewordings: 2, siblings: 1 };

    fn sample() -> Sample {
        Sample {
            question: "Who composed the music of the film that follows Arabian Tea?".to_owned(),
            shape: Shape::P2,
        }
    }

    fn questions(reply: &str) -> Vec<(String, bool)> {
        read_questions(reply, &sample(), TWO)
            .unwrap_or_default()
            .into_iter()
            .map(|s| (s.question, s.sibling))
            .collect()
    }

    #[test]
    fn rewordings_and_siblings_are_recognised_by_their_marks() {
        let phrased = questions(
            "<think>hm</think>Here:\nR: Whose score has the sequel to Arabian Tea?\nS: What currency \
             has the land of Lake Bled?\n",
        );
        assert_eq!(
            phrased,
            [
                ("Whose score has the sequel to Arabian Tea?".to_owned(), false),
                ("What currency has the land of Lake Bled?".to_owned(), true)
            ]
        );
    }

    #[test]
    fn what_loses_a_name_names_another_number_of_things_or_is_stated_twice_is_left_out() {
        assert!(questions("R: Whose score has the sequel?").is_empty());
        assert!(questions("S: What currency has the country of Lake Bled and of Bodensee?").is_empty());
        assert!(questions("S: what is it").is_empty());
        assert!(questions("R: WHO composed the music of the film that follows Arabian Tea?").is_empty());
        assert!(questions(&format!("R: Arabian Tea {}", "so ".repeat(200))).is_empty());
        let twice = "R: Arabian Tea: whose sequel's score?\nR: Arabian Tea: whose sequel's score?\nR: \
            Arabian \
            Tea, next film, music by?\nR: Arabian Tea: a third?";
        assert_eq!(questions(twice).len(), 2, "as many as were wanted, each once");
    }

    #[test]
    fn the_demonstration_is_a_reply_that_would_be_used() {
        let [shown, reply] = SHOWN;
        let question = shown.lines().nth(1).unwrap().to_owned();
        assert!(shown.starts_with("A step from a name, and a step from what that finds."), "{shown}");
        assert!(SHAPES[Shape::I3.index()].contains("three names"));
        let phrased = read_questions(
            reply,
            &Sample { question, shape: Shape::P2 },
            Wanted { rewordings: 2, siblings: 2 },
        )
        .unwrap();
        assert_eq!(phrased.len(), 4, "{phrased:?}");
    }

    proptest! {
        #[test]
        fn any_reply_gives_questions_that_fit_or_none(reply in "([RS]: ?|\n|Arabian Tea|film|\\PC){0,40}") {
            for phrased in read_questions(&reply, &sample(), TWO).unwrap_or_default() {
                prop_assert!(phrased.sibling || phrased.question.to_lowercase().contains("arabian tea"));
                prop_assert!(!phrased.question.contains('\n'));
            }
        }
    }
}
