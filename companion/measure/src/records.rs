//! Reads files of questions: lines of JSON or text, plain or gzipped.

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Reasons for which a file of a set cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {reason}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        reason: std::io::Error,
    },
    /// A malformed line.
    #[error("{path}, line {line}: {what}")]
    Line {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// Description of the fault.
        what: String,
    },
    /// No question names its passages, and there are no judgements.
    #[error("{0}: no question names the passages that answer it; give the judgements with --qrels")]
    NoGold(PathBuf),
}

impl DataError {
    /// Returns the error of a line.
    pub fn line(path: &Path, line: usize, what: impl Into<String>) -> DataError {
        DataError::Line { path: path.to_owned(), line, what: what.into() }
    }
}

/// Meaning of the list `answers` of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswersAre {
    /// Alternative wordings of one answer.
    #[default]
    Aliases,
    /// A set of answers, all of them wanted.
    Set,
}

/// Reads the lines of a file of text, plain or gzipped.
pub fn text_lines(
    path: &Path,
) -> Result<impl Iterator<Item = Result<(usize, String), DataError>>, DataError> {
    let io = |path: &Path, reason| DataError::Read { path: path.to_owned(), reason };
    let file = std::fs::File::open(path).map_err(|e| io(path, e))?;
    let read: Box<dyn Read> = if path.extension().is_some_and(|e| e == "gz") {
        Box::new(MultiGzDecoder::new(BufReader::new(file)))
    } else {
        Box::new(file)
    };
    let path = path.to_owned();
    Ok(BufReader::new(read).lines().enumerate().map(move |(i, line)| match line {
        // Other programs write a byte order mark before the first line.
        Ok(line) => Ok((i + 1, if i == 0 { line.trim_start_matches('\u{feff}').to_owned() } else { line })),
        Err(reason) => Err(io(&path, reason)),
    }))
}

/// Reads the JSON values of a file's lines with their numbers, without blank lines.
///
/// # Errors
/// [`DataError`] if the file cannot be read, or a line is no JSON.
pub fn read_lines(path: &Path) -> Result<Vec<(usize, Value)>, DataError> {
    let mut out = Vec::new();
    for line in text_lines(path)? {
        let (number, line) = line?;
        if !line.trim().is_empty() {
            let value = serde_json::from_str(&line)
                .map_err(|e| DataError::line(path, number, format!("not JSON: {e}")))?;
            out.push((number, value));
        }
    }
    Ok(out)
}

/// Returns a string or number as a string.
pub fn word(v: &Value) -> Option<String> {
    match v {
        Value::String(s) => Some(s.clone()),
        Value::Number(n) => Some(n.to_string()),
        _ => None,
    }
}

/// Returns the first of several fields that is present.
pub fn first<'a>(v: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|n| v.get(n).filter(|v| !v.is_null()))
}

/// Returns the answers of a question: `answers` or `answer`, as a string, a list of strings, or a list of
/// lists (answers with their aliases), with `answer_aliases`.
pub fn answers_of(v: &Value, how: AnswersAre) -> Vec<Vec<String>> {
    let truth = |v: &Value| word(v).or_else(|| v.as_bool().map(|b| if b { "yes" } else { "no" }.to_owned()));
    let words =
        |all: &[Value]| all.iter().filter_map(truth).filter(|a| !a.trim().is_empty()).collect::<Vec<_>>();
    let mut out: Vec<Vec<String>> = match first(v, &["answers", "answer"]) {
        Some(Value::Array(all)) if all.iter().any(Value::is_array) => all
            .iter()
            .map(|a| a.as_array().map_or_else(|| words(std::slice::from_ref(a)), |a| words(a)))
            .collect(),
        Some(Value::Array(all)) => match how {
            AnswersAre::Aliases => vec![words(all)],
            AnswersAre::Set => words(all).into_iter().map(|a| vec![a]).collect(),
        },
        Some(one) => vec![words(std::slice::from_ref(one))],
        None => Vec::new(),
    };
    if let (Some(Value::Array(more)), [only]) = (v.get("answer_aliases"), out.as_mut_slice()) {
        only.extend(words(more));
    }
    out.retain(|a| !a.is_empty());
    out
}
