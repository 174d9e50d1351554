//! Questions with known answers and possibly plans: the open form, and the interface for other sets.

use super::answers::Naming;
use super::gold_fields::{read_answers, text};
use pocketgraph::plan::Plan;
use pocketgraph::plan::check;
use pocketgraph::plan::json_form;
use pocketgraph_measure::records::{DataError, read_lines};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A question with its gold plan and answers.
#[derive(Debug, Clone)]
pub struct Gold {
    /// Its id in the set.
    pub id: String,
    /// The question.
    pub question: String,
    /// Groups of figures in which it counts.
    pub groups: Vec<String>,
    /// The plan, or the reason for which the plan language has none.
    pub plan: Result<Plan, String>,
    /// The answers, as a set.
    pub answers: BTreeSet<String>,
    /// An answer that the set's convention omits.
    pub without: Option<String>,
    /// Names that the answers use.
    pub naming: Naming,
    /// True if the graph is known to give exactly these answers.
    pub answerable: bool,
}

/// A graph as tables that an import reads.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// Triples, with a header line.
    pub triples: String,
    /// Entities, with a header line.
    pub entities: String,
}

/// A format of questions, one on each line of JSON.
pub trait QuestionSet: Sync {
    /// Describes the field that identifies a line of this form.
    fn marker_field(&self) -> &str;

    /// Returns true if a line is a question of this form.
    fn is_one(&self, line: &Value) -> bool;

    /// Reads the question of a line.
    fn gold(&self, line: &Value) -> Result<Gold, String>;

    /// Returns the graph of these questions, if it is no import of the files: made of the questions
    /// themselves, or of `triples` in a format of their own.
    fn tables(&self, _questions: &[Value], _triples: &[PathBuf]) -> Option<Result<Tables, String>> {
        None
    }
}

/// The form of `pocketgraph train data`: `{"question", "answers"}`, and if known `"id"`, `"pattern"` and
/// `"plan"` (the JSON form of plans). An answer is a label, or an array of a label and an identifier. If
/// `count` is higher than the number of answers, the question counts for plans alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenForm;

impl QuestionSet for OpenForm {
    fn marker_field(&self) -> &str {
        "question and answers, and perhaps a plan as an object"
    }

    fn is_one(&self, line: &Value) -> bool {
        line.get("question").is_some()
            && line.get("answers").is_some()
            && line.get("plan").is_none_or(|plan| plan.is_object())
    }

    fn gold(&self, line: &Value) -> Result<Gold, String> {
        let plan = match line.get("plan") {
            Some(plan) => Ok(json_form::parse(&plan.to_string(), &check::Limits::default())
                .map_err(|e| e.to_string())?
                .plan),
            None => Err("the set has none".to_owned()),
        };
        let all = line.get("answers").and_then(Value::as_array).ok_or("its answers are no array")?;
        let by_label = all.iter().all(Value::is_string);
        let name = |a: &Value| a.get(1).or(a.get(0)).and_then(Value::as_str).map(str::to_owned);
        let named = || {
            all.iter()
                .map(|a| name(a).ok_or_else(|| "an answer has no name".to_owned()))
                .collect::<Result<BTreeSet<String>, String>>()
        };
        let count = line.get("count").and_then(Value::as_u64).unwrap_or(all.len() as u64);
        let pattern = line.get("pattern").map(|_| text(line, "pattern")).transpose()?;
        Ok(Gold {
            id: if line.get("id").is_some() { text(line, "id")? } else { String::new() },
            question: text(line, "question")?,
            groups: pattern.into_iter().chain(["all".to_owned()]).collect(),
            plan,
            answers: if by_label { read_answers(line)? } else { named()? },
            without: None,
            naming: if by_label { Naming::Label } else { Naming::Id },
            answerable: count == all.len() as u64,
        })
    }
}

/// Reads a file of questions, each in the first form that matches.
///
/// # Errors
/// [`DataError`] for a file that cannot be read, and for a line in none of the forms.
pub fn read_gold(path: &Path, sets: &[&dyn QuestionSet]) -> Result<Vec<Gold>, DataError> {
    let mut out = Vec::new();
    for (line, v) in read_lines(path)? {
        let bad = |what: String| DataError::Line { path: path.to_owned(), line, what };
        let Some(set) = sets.iter().find(|set| set.is_one(&v)) else {
            let known: Vec<&str> = sets.iter().map(|set| set.marker_field()).collect();
            return Err(bad(format!("it is in no form that is read here: {}", known.join("; "))));
        };
        let mut gold = set.gold(&v).map_err(bad)?;
        if gold.id.is_empty() {
            gold.id = line.to_string();
        }
        out.push(gold);
    }
    Ok(out)
}
