//! Reads corpora, questions and judgements in the formats of public sets.

use pocketgraph_measure::Judged;
use pocketgraph_measure::records::{AnswersAre, DataError, answers_of, first, read_lines, text_lines, word};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A passage of the corpus: one chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Index of its page. Passages with one name in the judgements are one page.
    pub page: u32,
    /// Its heading inside its page; may be empty.
    pub heading: String,
    /// Its text.
    pub text: String,
}

/// Subject of judgements: a single passage, or a page of several passages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its name in judgements.
    pub id: String,
    /// Its title; may be empty.
    pub title: String,
}

impl Page {
    /// Returns its name for people.
    pub fn name(&self) -> &str {
        if self.title.is_empty() { &self.id } else { &self.title }
    }
}

/// Passages of a set, with their pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Passages {
    /// Pages, in the order of their first passages.
    pub pages: Vec<Page>,
    /// Passages, in the order of the file.
    pub all: Vec<Passage>,
}

/// A question with its answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Question {
    /// Its id in the set, or its line without one.
    pub id: String,
    /// The question.
    pub text: String,
    /// Its kind in the set; may be empty.
    pub kind: String,
    /// Pages that answer it, each once.
    pub gold: Vec<Judged>,
    /// Answers, each with its alternative wordings; empty if the set has none.
    pub answers: Vec<Vec<String>>,
}

/// Returns the name of a kind for tables; a question may have none where others have one.
pub(super) fn shown_kind(kind: &str) -> &str {
    if kind.is_empty() { "none told" } else { kind }
}

/// Reads a corpus: JSON Lines, also gzipped, with `text` (or `sentences`), `title`, `heading`, and the name
/// in judgements: `page`, `id`, `_id`, `idx`, `path` or `url`. Lines of one `page` are its passages.
///
/// # Errors
/// [`DataError`] for a line without text.
pub fn read_passages(path: &Path) -> Result<Passages, DataError> {
    let mut out = Passages::default();
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    for (i, (line, v)) in read_lines(path)?.into_iter().enumerate() {
        let text = match (v.get("text").and_then(Value::as_str), v.get("sentences").and_then(Value::as_array))
        {
            (Some(t), _) => t.to_owned(),
            (None, Some(s)) => s.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            _ => return Err(DataError::line(path, line, "it has neither text nor sentences")),
        };
        let text_of = |name: &str| v.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
        let page = v.get("page").and_then(word);
        let shared = page.is_some();
        let id = page
            .or_else(|| first(&v, &["id", "_id", "idx", "path", "url"]).and_then(word))
            .unwrap_or_else(|| i.to_string());
        let page = match known.get(&id) {
            Some(page) if shared => *page,
            Some(_) => {
                return Err(DataError::line(path, line, format!("a passage before it is called {id:?} too")));
            }
            None => {
                let number = u32::try_from(out.pages.len())
                    .map_err(|_| DataError::line(path, line, "there are too many passages"))?;
                known.insert(id.clone(), number);
                out.pages.push(Page { id, title: text_of("title") });
                number
            }
        };
        out.all.push(Passage { page, heading: text_of("heading"), text });
    }
    Ok(out)
}

/// Reads judgements: the pages of each question's id with their grades. Lines are TSV or words: question,
/// page, grade; or TREC's question, a number, page, grade. A first line whose grade is no number is a header.
///
/// # Errors
/// [`DataError`] for a line of another form.
pub fn read_qrels(path: &Path) -> Result<BTreeMap<String, Vec<(String, u32)>>, DataError> {
    let mut out: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
    for line in text_lines(path)? {
        let (number, line) = line?;
        let cells: Vec<&str> = if line.contains('\t') {
            line.split('\t').map(str::trim).collect()
        } else {
            line.split_whitespace().collect()
        };
        let (question, page, grade) = match cells.as_slice() {
            [] | [""] => continue,
            [question, page] => (question, page, "1"),
            [question, page, grade] | [question, _, page, grade] => (question, page, *grade),
            _ => {
                return Err(DataError::line(
                    path,
                    number,
                    "a judgement has three columns: question, page, grade",
                ));
            }
        };
        match grade.parse::<i64>() {
            Ok(grade) => {
                if let Some(grade) = u32::try_from(grade).ok().filter(|g| *g > 0) {
                    out.entry((*question).to_owned()).or_default().push(((*page).to_owned(), grade));
                }
            }
            Err(_) if number == 1 => {}
            Err(_) => return Err(DataError::line(path, number, format!("the grade {grade:?} is no number"))),
        }
    }
    Ok(out)
}

/// Questions of a set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Questions {
    /// Questions that are measured.
    pub all: Vec<Question>,
    /// Number of questions left out, because the corpus has no answer or none is judged.
    pub left_out: usize,
}

/// Reads questions: JSON Lines with `question`, `query`, `claim` or `text`. The pages that answer them are in
/// `gold`, `cited_doc_ids`, `gold_page`, `gold_pages` or `doc_ids`, or in the judgements `qrels` by `id`;
/// `type` may have the kind. Questions with unknown pages only, or without judgements, are left out.
///
/// # Errors
/// [`DataError`] for a line without a question, and if neither questions nor judgements name a page.
pub fn read_questions(
    path: &Path,
    qrels: Option<&Path>,
    passages: &Passages,
) -> Result<Questions, DataError> {
    let places = index_pages(passages);
    let judged = qrels.map(read_qrels).transpose()?;
    let (mut out, mut named) = (Questions::default(), false);
    for (line, v) in read_lines(path)? {
        let question = question_of_line(path, line, &v, AnswersAre::Aliases)?;
        let ids = match &judged {
            Some(judged) => judged.get(&question.id).cloned().unwrap_or_default(),
            None => named_pages(&v),
        };
        named |= !ids.is_empty();
        let gold = known_pages(&ids, &places);
        if gold.is_empty() {
            out.left_out += 1;
        } else {
            out.all.push(Question { gold, ..question });
        }
    }
    if !named && out.left_out > 0 && qrels.is_none() {
        return Err(DataError::NoGold(path.to_owned()));
    }
    Ok(out)
}

/// Indexes the pages of a corpus by their names in judgements.
fn index_pages(passages: &Passages) -> BTreeMap<&str, u32> {
    (0u32..).zip(&passages.pages).map(|(i, p)| (p.id.as_str(), i)).collect()
}

/// Returns the names of pages that answer a line's question.
fn named_pages(v: &Value) -> Vec<(String, u32)> {
    match first(v, &["gold", "cited_doc_ids", "gold_page", "gold_pages", "doc_ids"]) {
        Some(Value::Array(all)) => all.iter().filter_map(word).map(|id| (id, 1)).collect(),
        Some(one) => word(one).into_iter().map(|id| (id, 1)).collect(),
        None => Vec::new(),
    }
}

/// Returns those of the named pages that the corpus has, each once.
fn known_pages(ids: &[(String, u32)], places: &BTreeMap<&str, u32>) -> Vec<Judged> {
    let mut gold: Vec<Judged> = ids
        .iter()
        .filter_map(|(id, grade)| Some(Judged { page: *places.get(id.as_str())?, grade: *grade }))
        .collect();
    gold.sort_unstable();
    // Of two judgements of one page, the higher counts.
    gold.reverse();
    gold.dedup_by_key(|g| g.page);
    gold.reverse();
    gold
}

/// Reads questions with their answers for `eval answers`; those without an answer are left out and counted.
/// The pages that a question names are looked up in `passages`, if given; it counts without them too.
///
/// # Errors
/// [`DataError`] for a line without a question.
pub fn read_answered(
    path: &Path,
    how: AnswersAre,
    passages: Option<&Passages>,
) -> Result<Questions, DataError> {
    let places = passages.map(index_pages).unwrap_or_default();
    let mut out = Questions::default();
    for (line, v) in read_lines(path)? {
        let question = question_of_line(path, line, &v, how)?;
        if question.answers.is_empty() {
            out.left_out += 1;
        } else {
            out.all.push(Question { gold: known_pages(&named_pages(&v), &places), ..question });
        }
    }
    Ok(out)
}

fn question_of_line(path: &Path, line: usize, v: &Value, how: AnswersAre) -> Result<Question, DataError> {
    let text = first(v, &["question", "query", "claim", "text"])
        .and_then(Value::as_str)
        .filter(|t| !t.trim().is_empty());
    let text = text.ok_or_else(|| DataError::line(path, line, "it has no question"))?.to_owned();
    let id = first(v, &["id", "_id", "query_id"]).and_then(word).unwrap_or_else(|| line.to_string());
    // The output of `train data` names it a pattern.
    let kind = first(v, &["type", "pattern"]).and_then(word).unwrap_or_default();
    Ok(Question { id, text, kind, gold: Vec::new(), answers: answers_of(v, how) })
}

#[cfg(test)]
#[path = "data_tests.rs"]
mod tests;
