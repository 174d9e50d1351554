//! Corpora and questions in the shapes that public sets come in.

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Why a file of a set cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {reason}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("{path}, line {line}: {what}")]
    Line {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

/// A passage of the corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// What judgements call it.
    pub id: String,
    /// Its title; may be empty.
    pub title: String,
    /// Its text.
    pub text: String,
}

/// A question and the passages that answer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question.
    pub text: String,
    /// The passages' places in the corpus, distinct.
    pub gold: Vec<u32>,
}

/// The JSON values of a file's lines with their numbers, blank lines left out.
pub(super) fn lines(path: &Path) -> Result<Vec<(usize, Value)>, DataError> {
    let io = |reason| DataError::Read { path: path.to_owned(), reason };
    let mut out = Vec::new();
    for (i, line) in BufReader::new(std::fs::File::open(path).map_err(io)?).lines().enumerate() {
        let line = line.map_err(io)?;
        if !line.trim().is_empty() {
            let value = serde_json::from_str(&line).map_err(|e| DataError::Line {
                path: path.to_owned(),
                line: i + 1,
                what: format!("not JSON: {e}"),
            })?;
            out.push((i + 1, value));
        }
    }
    Ok(out)
}

/// A string or number as a string.
fn word(v: &Value) -> Option<String> {
    match v {
        Value::String(s) => Some(s.clone()),
        Value::Number(n) => Some(n.to_string()),
        _ => None,
    }
}

fn first<'a>(v: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|n| v.get(n).filter(|v| !v.is_null()))
}

/// Reads a corpus: JSON Lines with `text` (or `sentences`), `title`, and `id`, `idx`, `path` or `url`.
///
/// # Errors
/// [`DataError`] for a line without text.
pub fn read_passages(path: &Path) -> Result<Vec<Passage>, DataError> {
    lines(path)?
        .into_iter()
        .enumerate()
        .map(|(i, (line, v))| {
            let text = match (v.get("text").and_then(Value::as_str), v.get("sentences").and_then(Value::as_array)) {
                (Some(t), _) => t.to_owned(),
                (None, Some(s)) => s.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
                _ => return Err(DataError::Line { path: path.to_owned(), line, what: "it has neither text nor sentences".into() }),
            };
            let id = first(&v, &["id", "idx", "path", "url"]).and_then(word).unwrap_or_else(|| i.to_string());
            Ok(Passage { id, title: v.get("title").and_then(Value::as_str).unwrap_or("").to_owned(), text })
        })
        .collect()
}

/// Reads questions: JSON Lines with `question`, `query` or `claim`, and the ids of their passages in `gold`, `cited_doc_ids`, `gold_page`,
/// `gold_pages` or `doc_ids`. Questions whose passages are all unknown are left out and counted.
///
/// # Errors
/// [`DataError`] for a line without a question or without passages.
pub fn read_questions(path: &Path, passages: &[Passage]) -> Result<(Vec<Question>, usize), DataError> {
    let place: BTreeMap<&str, u32> = passages.iter().enumerate().map(|(i, p)| (p.id.as_str(), i as u32)).collect();
    let (mut out, mut unknown) = (Vec::new(), 0);
    for (line, v) in lines(path)? {
        let bad = |what: &str| DataError::Line { path: path.to_owned(), line, what: what.to_owned() };
        let text = first(&v, &["question", "query", "claim"]).and_then(Value::as_str).ok_or_else(|| bad("it has no question"))?;
        let ids: Vec<String> = match first(&v, &["gold", "cited_doc_ids", "gold_page", "gold_pages", "doc_ids"]) {
            Some(Value::Array(all)) => all.iter().filter_map(word).collect(),
            Some(one) => word(one).into_iter().collect(),
            None => return Err(bad("it names no passages that answer it")),
        };
        let mut gold: Vec<u32> = ids.iter().filter_map(|id| place.get(id.as_str()).copied()).collect();
        gold.sort_unstable();
        gold.dedup();
        if gold.is_empty() {
            unknown += 1;
        } else {
            out.push(Question { text: text.to_owned(), gold });
        }
    }
    Ok((out, unknown))
}
